/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/human.h"
#include "cli/observe.h"
#include "cli/output.h"
#include "conf/policy-file.h"
#include "core/report.h"

/* The advice for people: facts, signals with their targets, recommendations, nothing to do, notes. */
void cli_print_advice(Output *out, const Observation *o, const PolicySet *policies,
                      const Advice *advice);
/* One recommendation, as in there. */
void cli_print_recommendation(Output *out, const Recommendation *r);
/* The line of facts: program, machine, window. */
void cli_print_head(Output *out, const Observation *o);
/* The lowest limit (hot) of any policy for that signal; false: no policy has a target for it. */
_must_check_ bool cli_signal_target(const PolicySet *policies, const char *signal,
                                    int64_t *ret_hot);
/* "counted (vmstat)". */
Human cli_evidence(const Signal *s);
