/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/units.h"

/* One line on stderr that is written over and over while something runs, only if stderr is a terminal. */
typedef struct ProgressLine {
        bool shown;       /* there is something to wipe */
        bool on;          /* stderr is a terminal */
        unsigned at, of;  /* runs done, runs in all */
        const char *name; /* of the run */
} ProgressLine;

void progress_begin(ProgressLine *p, unsigned n_runs);
/* userdata: the line. "simulating 3 of 9, skylake-ex: 42 %, 1.7 h of 4.0 h" */
void progress_show(void *userdata, usec_t passed_usec, usec_t whole_usec);
void progress_end(ProgressLine *p);
