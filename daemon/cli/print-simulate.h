/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/json.h"
#include "cli/output.h"
#include "cli/simulate.h"

/* Runs of scenarios as a table with the bounds behind it, and as rows of the document. */
typedef struct SimulateRow {
        char scenario[64];
        const Scenario *of; /* for checks: owned by the verb */
        SimulateResult result;
} SimulateRow;

/* 0 or -ENOMEM. */
_must_check_ int print_simulate(Output *o, const SimulateRow *rows, size_t n);
json_t *json_simulate(const SimulateRow *row);

typedef struct SweepTable {
        char scenario[64];
        char knob[48];
        const char *unit;
        unsigned cpus;
        SweepPoint *points;
        size_t n;
} SweepTable;

_must_check_ int print_sweep(Output *o, const SweepTable *t);
/* Appends a row for each point; false: no memory. */
_must_check_ bool json_sweep(json_t *array, const SweepTable *t);
