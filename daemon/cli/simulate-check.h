/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/simulate.h"

/* What a run has that bounds compare with. */
typedef struct RunFacts {
        const Scenario *scenario;
        Machine *m;
        const Session *session;
        const SimulateResult *result; /* without checks */
        const SimTruth *truth;        /* at the end, before the stop */
        bool worse_known;
        int64_t worse_ppm;
        bool restored; /* after the stop */
} RunFacts;

/* Before the stop: everything but "restored" and metrics. */
void check_run(const RunFacts *f, const ScenarioExpect *e, SimulateCheck *ret);
void check_bounds(SimulateCheck *c);
/* "regret", "zone-lock-wait of online / possible", "state of pcp-contention" */
bool check_name(const ScenarioExpect *e, char *buffer, size_t size);
/* "at most 12000", "1.5 to 3.0", "hold" */
bool check_wanted(const ScenarioExpect *e, char *buffer, size_t size);
/* What was found, as people read it; "-": not known */
bool check_got(const SimulateCheck *c, char *buffer, size_t size);
/* Thousandths as a decimal: 2.2, 0.055 */
bool milli_text(int64_t milli, char *buffer, size_t size);
