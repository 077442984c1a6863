/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact sign-flip test, and the interval that it does not reject.
 *
 * If B does nothing, the coin of each quad gives its d a sign that is as likely plus as minus, whatever the drift, the shape or the
 * dependence of the noise: all 2^n patterns of signs of |d| were equally likely, and p is the share that is as good as the one seen.
 *
 * Interval: theta is not rejected from above if many patterns of |d - theta| have a sum of at most that of d - theta. A pattern
 * flips a set S of quads; its sum is at most the sum seen if the sum of d - theta over S is at least 0: if the mean of d over S is at
 * least theta (Hartigan, "Using subsample values as typical values", 1969). So p(theta) = (1 + how many of the 2^n - 1 means of
 * subsets are at least theta) / 2^n, and with m = floor(2.5 % of 2^n) the upper end is the m-th largest of these means; the lower
 * end is the m-th smallest. n = 5 has m = 0: no interval. */
#include "core/trial/trial.h"

#define END_MOST 102 /* 2.5 % of 4,096 patterns */

/* The bit that changes at step i of a Gray code: every step flips one quad, so that all sums take one addition each. */
static unsigned gray_bit(unsigned i) {
        return (unsigned) __builtin_ctz(i);
}

unsigned signflip_count(const int64_t *d, unsigned n) {
        __int128 flipped = 0; /* sum of the d whose sign is turned */
        unsigned count = 1, set = 0;

        n = MIN(n, (unsigned) TRIAL_QUADS_MAX);
        for (unsigned i = 1; i < 1u << n; i++) {
                unsigned bit = gray_bit(i);

                set ^= 1u << bit;
                flipped += set >> bit & 1 ? (__int128) d[bit] : -(__int128) d[bit];
                /* The pattern's sum is the sum seen less twice what is turned. */
                count += flipped >= 0;
        }
        return count;
}

/* The m largest numbers so far, largest first. */
typedef struct Top {
        int64_t x[END_MOST];
        unsigned n, m;
} Top;

static void top_add(Top *top, int64_t x) {
        unsigned i;

        if (top->n == top->m) {
                if (x <= top->x[top->m - 1])
                        return;
                top->n--;
        }
        for (i = top->n++; i > 0 && top->x[i - 1] < x; i--)
                top->x[i] = top->x[i - 1];
        top->x[i] = x;
}

/* Rounded up: the ends of an interval go outwards. */
static int64_t mean_up(__int128 sum, unsigned n) {
        __int128 down = sum / n;

        return (int64_t) (sum > 0 && sum % n != 0 ? down + 1 : down);
}

bool trial_effect(const Trial *t, int64_t *ret_mean_ppm, int64_t *ret_low_ppm,
                  int64_t *ret_high_ppm) {
        unsigned n = MIN(t->n, (unsigned) TRIAL_QUADS_MAX), set = 0, size = 0;
        Top low, high; /* of low the negatives */
        __int128 sum = 0;

        low.n = high.n = 0;
        low.m = high.m = (1u << n) / 40;
        if (low.m == 0)
                return false;
        for (unsigned i = 1; i < 1u << n; i++) {
                unsigned bit = gray_bit(i);

                set ^= 1u << bit;
                if (set >> bit & 1) {
                        sum += t->d[bit];
                        size++;
                } else {
                        sum -= t->d[bit];
                        size--;
                }
                top_add(&high, mean_up(sum, size));
                top_add(&low, mean_up(-sum, size));
        }
        sum = 0;
        for (unsigned i = 0; i < n; i++)
                sum += t->d[i];
        *ret_mean_ppm = (int64_t) (sum / n);
        *ret_low_ppm = -low.x[low.m - 1];
        *ret_high_ppm = high.x[high.m - 1];
        return true;
}
