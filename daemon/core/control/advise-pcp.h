/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/control/advise-build.h"

/* Inside core/control only: what the two halves of the rule for per-CPU lists share, those that follow a
 * target (advise-pcp.c) and those that follow a bound (advise-pcp-bound.c). */
typedef struct PcpRule {
        AdviseBuild *b;
        const Policy *policy;
        const Knob *knob;
        const PcpModel *m;
        const Zone *busiest;
        TargetsView targets;
        GuardView guards;
        bool grows; /* an arm is a multiple */
} PcpRule;

_pure_ uint64_t pcp_rule_fraction(const PcpRule *r); /* in force */
/* from, to, how and cost of a change to that fraction. */
void pcp_rule_set_change(PcpRule *r, Recommendation *rec, uint64_t fraction);
/* "fraction chosen so that high = 252 pages (16,000,000 managed / 1318 / 48 CPUs)" */
void pcp_rule_say_choice(const PcpRule *r, Recommendation *rec, uint64_t fraction);
/* The fraction whose lists have four batches, if that makes the longest list shorter than it is now. */
_pure_ MaybeU64 pcp_rule_cap(const PcpRule *r);

/* A guard wants a cut: a recommendation, or a note why there is nothing to cut. */
void pcp_rule_cut(PcpRule *r);
/* A kernel whose lists are far above its own formula; true: said. */
_must_check_ bool pcp_rule_defect(PcpRule *r);
/* A value that could park more than the bound; true: said. */
_must_check_ bool pcp_rule_pinned_too_wide(PcpRule *r);
