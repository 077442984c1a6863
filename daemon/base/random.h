/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* PCG32 (XSH RR 64/32, O'Neill 2014): a small generator with a state that can be kept and replayed. Not for secrets. */
typedef struct Random {
        uint64_t state, increment;
} Random;

void random_seed(Random *r, uint64_t seed, uint64_t stream);
uint32_t random_u32(Random *r);
/* Uniform below n (n > 0), without bias. */
uint32_t random_below(Random *r, uint32_t n);
bool random_coin(Random *r);
