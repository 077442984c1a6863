/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact sign-flip test, and the interval that it does not reject.
 *
 * If B does nothing, the coin of each pair gives its d a sign that is as likely plus as minus, whatever the drift, the shape or the
 * dependence of the noise: all 2^n patterns of signs of |d| were equally likely, and p is the share that is as good as the one seen.
 * A pattern flips a set S of pairs; its sum is at most the sum seen if the d of S add up to 0 or more. So p counts sets.
 *
 * Interval: theta is not rejected from above if many patterns of |d - theta| have a sum of at most that of d - theta: if many sets
 * have a mean of d of at least theta (Hartigan, "Using subsample values as typical values", 1969). p(theta) = (1 + how many of the
 * 2^n - 1 means of sets are at least theta) / 2^n, and with m = floor(2.5 % of 2^n) the upper end is the m-th largest of these means;
 * the lower end is the m-th smallest. Fewer than six d have m = 0: no interval. More than twelve are taken in twos (the quads), which
 * flips both of a quad together: fewer patterns, equally likely as well. */
#include "core/trial/trial.h"

#define END_D 12
#define END_MOST 102              /* 2.5 % of 4,096 patterns */
#define HALF 12                   /* pairs whose sets are listed one by one */
#define D_MOST (INT64_C(1) << 58) /* 24 of them do not overflow */

static int64_t clip(int64_t d) {
        return d > D_MOST ? D_MOST : d < -D_MOST ? -D_MOST : d;
}

/* The sums of all sets of n numbers, smallest first: with one number more, the list so far and the same moved by it are merged. */
static unsigned sums_sorted(const int64_t *d, unsigned n, int64_t sums[1 << HALF]) {
        int64_t old[1 << (HALF - 1)];
        unsigned m = 1;

        sums[0] = 0;
        for (unsigned i = 0; i < n; i++) {
                int64_t x = clip(d[i]);
                unsigned without = 0, with = 0;

                for (unsigned k = 0; k < m; k++)
                        old[k] = sums[k];
                for (unsigned k = 0; k < 2 * m; k++)
                        if (with == m || (without < m && old[without] <= old[with] + x))
                                sums[k] = old[without++];
                        else
                                sums[k] = old[with++] + x;
                m *= 2;
        }
        return m;
}

unsigned signflip_count(const int64_t *d, unsigned n) {
        int64_t a[1 << HALF], b[1 << HALF];
        unsigned n_a, n_b, from, count = 0;

        n = MIN(n, (unsigned) TRIAL_PAIRS_MAX);
        n_a = sums_sorted(d, n / 2, a);
        n_b = sums_sorted(d + n / 2, n - n / 2, b);
        /* A set is one of the first half and one of the second. The larger the first sum, the more of the second will do. */
        from = n_b;
        for (unsigned i = 0; i < n_a; i++) {
                while (from > 0 && a[i] + b[from - 1] >= 0)
                        from--;
                count += n_b - from;
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

/* The bit that changes at step i of a Gray code: each step adds or takes away one, and goes through all sets. */
static unsigned gray_bit(unsigned i) {
        return (unsigned) __builtin_ctz(i);
}

/* Rounded up: the ends of an interval go outwards. */
static int64_t mean_up(int64_t sum, unsigned n) {
        int64_t down = sum / n;

        return sum > 0 && sum % n != 0 ? down + 1 : down;
}

bool trial_effect(const Trial *t, int64_t *ret_mean_ppm, int64_t *ret_low_ppm,
                  int64_t *ret_high_ppm) {
        unsigned quads = MIN(t->n, (unsigned) TRIAL_QUADS_MAX), n = 2 * quads, set = 0, size = 0;
        int64_t d[END_D];
        Top low, high; /* of low the negatives */
        int64_t sum = 0;

        if (n > END_D) {
                n = quads;
                for (unsigned i = 0; i < n; i++)
                        d[i] = (clip(t->pair[2 * i]) + clip(t->pair[2 * i + 1])) / 2;
        } else
                for (unsigned i = 0; i < n; i++)
                        d[i] = clip(t->pair[i]);
        low.n = high.n = 0;
        low.m = high.m = (1u << n) / 40;
        if (low.m == 0)
                return false;
        for (unsigned i = 1; i < 1u << n; i++) {
                unsigned bit = gray_bit(i);

                set ^= 1u << bit;
                if (set >> bit & 1) {
                        sum += d[bit];
                        size++;
                } else {
                        sum -= d[bit];
                        size--;
                }
                top_add(&high, mean_up(sum, size));
                top_add(&low, mean_up(-sum, size));
        }
        sum = 0;
        for (unsigned i = 0; i < n; i++)
                sum += d[i];
        *ret_mean_ppm = sum / n;
        *ret_low_ppm = -low.x[low.m - 1];
        *ret_high_ppm = high.x[high.m - 1];
        return true;
}
