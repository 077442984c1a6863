/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/observe.h"
#include "conf/conf.h"
#include "conf/policy-file.h"
#include "core/report.h"

/* The advice for one observation: what the policies say, and notes on everything that could not be
 * read, was assumed, or limits what may be concluded. 0 or -ENOMEM. Advice points into the observation,
 * the policies and the configuration. */
_must_check_ int advice_make(Observation *o, const Conf *conf, const PolicySet *policies,
                             const ConfIssues *issues, Advice *ret);
