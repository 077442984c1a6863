/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* Change of workload: two-sided CUSUM of standardised blocks. z = (x - median) / (1.48 * MAD) of the last 60 blocks, clipped
 * to +-3; S = max(0, S + |z side| - 0.5), alarm at 8: about 1,750 independent blocks between false alarms (of 60 s: 29 hours a
 * series), 7 blocks delay for two sigma (cusum.c: why not rarer). Numbers are thousandths of a sigma. */
#define CUSUM_BLOCKS 60

typedef struct Cusum {
        int64_t block[CUSUM_BLOCKS]; /* ring */
        unsigned n, next;
        int64_t up_milli, down_milli;
} Cusum;

void cusum_reset(Cusum *c);
/* One block. True: the workload changed (the detector starts anew with this block). Fewer than 12 blocks: never. */
bool cusum_add(Cusum *c, int64_t x);
/* Median of n values (n > 0); sorts a copy of at most CUSUM_BLOCKS. */
_pure_ int64_t median_of(const int64_t *x, unsigned n);
