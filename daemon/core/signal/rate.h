/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/snapshot.h"
#include "core/signal/signal.h"

/* From counters to growth. A counter grows between two snapshots, or an interval says nothing: the
 * counter or its file was missing in one of them, it went down (reset, or another boot), time did
 * not advance, or CPUs came or went in between and the counter is a sum over them. Such intervals are
 * left out with their time and counted as gaps, so that a rate never mixes regimes. */
typedef struct Growth {
        uint64_t delta;   /* sum over good intervals */
        usec_t time_usec; /* sum of their lengths */
        unsigned n_good, n_gaps;
        unsigned n_resets; /* of the gaps: the counter went down */
        bool seen;         /* the counter was known at least once */
} Growth;

/* Reads one counter of a snapshot. */
typedef MaybeU64 (*CounterFn)(const Snapshot *s, unsigned key);

/* With per_cpu: intervals in which the number of CPUs in proc/stat changed are gaps. */
Growth growth_of(const SignalInput *input, SenseFile file, CounterFn counter, unsigned key,
                 bool per_cpu);
/* Growth per second in thousandths; unknown without a good interval. */
_const_ MaybeU64 growth_rate_milli(Growth g);
/* Why there is no growth: constant text. */
_const_ const char *growth_why(Growth g, SenseState state);
