/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/signal/rate.h"

/* Inside core/signal only: the list under construction. Rows are added in any order and sorted at the
 * end. A full arena is remembered and reported once. */
typedef struct SignalBuild {
        Arena *arena;
        const SignalInput *input;
        const Snapshot *last; /* the newest snapshot */
        Signal *rows;
        size_t n, capacity;
        int error;
} SignalBuild;

Signal *signal_build_add(SignalBuild *b, const char *name,
                         Scope scope); /* evidence none; NULL: arena full */
void signal_set(Signal *s, Evidence evidence, int64_t value, const char *source, usec_t age_usec);
/* A rate in thousandths per second. */
void signal_set_milli(Signal *s, Evidence evidence, uint64_t milli, const char *source,
                      usec_t age_usec);
_pure_ const Signal *signal_build_find(const SignalBuild *b, const char *name, const char *scope);
/* Seconds since the file was last read in this window, seen from the newest snapshot. */
_pure_ usec_t signal_build_age(const SignalBuild *b, SenseFile file);
/* The state of a file: the best over the window. */
_pure_ SenseState signal_build_state(const SignalBuild *b, SenseFile file);
/* Last snapshot in which the file was read, or NULL. */
_pure_ const Snapshot *signal_build_last(const SignalBuild *b, SenseFile file);

void signals_add_rates(SignalBuild *b);   /* vmstat, stat, pressure, lock_stat: counters */
void signals_add_gauges(SignalBuild *b);  /* zoneinfo, meminfo, slab, kernel log: states */
void signals_add_derived(SignalBuild *b); /* waits per 1,000 pages, after the reports */
