/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "conf/issue.h"

/* A look at the text before libconfig gets it. libconfig 1.5 wraps integers that do not fit, opens
 * what @include names without any check, stops at a NUL byte and recurses as deep as the text asks.
 * This pass knows the tokens of its language (not its grammar) and refuses all of that with a line.
 * Returns the number of errors it added. */
_must_check_ size_t conf_text_check(const char *file, const char *text, size_t size,
                                    ConfIssues *issues);

#define CONF_DEPTH_MAX 16u
#define CONF_SETTINGS_MAX 4096u /* libconfig compares every name of a group with every other */
