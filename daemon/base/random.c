/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCG32, XSH RR 64/32: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
 * Generation", 2014, and its minimal C version, whose published output the test knows. A linear congruential step of 64 bits; the
 * output is folded and rotated by the top bits of the state before the step. */
#include "base/random.h"

uint32_t random_u32(Random *r) {
        uint64_t old = r->state;
        uint32_t folded = (uint32_t) (((old >> 18) ^ old) >> 27);
        unsigned turn = (unsigned) (old >> 59);

        r->state = old * UINT64_C(6364136223846793005) + (r->increment | 1);
        return (folded >> turn) | (folded << (-turn & 31));
}

void random_seed(Random *r, uint64_t seed, uint64_t stream) {
        *r = (Random){ .increment = (stream << 1) | 1 };
        (void) random_u32(r);
        r->state += seed;
        (void) random_u32(r);
}

uint32_t random_below(Random *r, uint32_t n) {
        uint32_t least, x;

        if (n <= 1)
                return 0;
        /* 2^32 mod n numbers at the low end would make some results more frequent: draw again. */
        least = -n % n;
        do
                x = random_u32(r);
        while (x < least);
        return x % n;
}

bool random_coin(Random *r) {
        return random_u32(r) >> 31;
}
