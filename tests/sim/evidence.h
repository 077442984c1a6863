/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rows of tests/evidence/NAME.csv: one published fact each, with its source. Which rows a fit may see and which only check it is a
 * rule in code (evidence.c), by file and by what a row is about, never by its value. */
typedef struct EvidenceRow {
        char *machine, *cpus, *kernel, *workload, *knob, *knob_value, *metric, *value_text, *unit,
                *source;
        double value; /* NAN: no number */
        bool check;
        unsigned line;
} EvidenceRow;

typedef struct Evidence {
        char *text;
        EvidenceRow *rows;
        size_t n;
} Evidence;

/* Reads DIR/NAME.csv; exits with a message when it cannot. fit_only: check rows are left out. */
void evidence_load(const char *dir, const char *name, bool fit_only, Evidence *ret);
void evidence_free(Evidence *e);
/* Copies DIR/NAME.csv without its check rows to OUT/NAME.csv. */
void evidence_strip(const char *dir, const char *name, const char *out);
/* The first row with these parts; NULL parts match all. NULL: none. */
const EvidenceRow *evidence_find(const Evidence *e, const char *machine, const char *workload,
                                 const char *knob, const char *knob_value, const char *metric);
/* Its value; NAN if there is none. */
double evidence_value(const Evidence *e, const char *machine, const char *workload,
                      const char *knob, const char *knob_value, const char *metric);

extern const char *const evidence_files[]; /* names, up to NULL */
