/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two-sided CUSUM of blocks, standardised by the median and the median absolute deviation (MAD) of the blocks before. Both are
 * moved little by some wild blocks, and MAD times 1.48 is the standard deviation if the blocks are normal. Each sum drops half a
 * sigma a block, so a change of one sigma fills it by a half a block.
 *
 * False alarms: Siegmund's approximation (e^(2kb) - 2kb - 1) / (2k^2) with k = 0.5 and b = 8 + 1.166 gives 19,100 blocks a side if
 * median and deviation are known. They are estimated from 60 blocks: 300,000 independent normal blocks gave one alarm in 1,750,
 * 2 sigma found after 7 blocks and 3 sigma after 4.5 (mean), while 1 sigma is as often taken into the median as found. Leaving
 * the blocks of a filling sum out of the median, or using older blocks only, finds it sooner and doubles the false alarms or worse.
 * An alarm only makes the engine look again, and a change of one sigma is not what it is for. */
#include "core/trial/cusum.h"

#include "base/sort.h"

#define BLOCKS_LEAST 12
#define Z_MOST_MILLI 3000
#define SLACK_MILLI 500
#define ALARM_MILLI 8000

static int compare_i64(const void *a, const void *b) {
        int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

        return x < y ? -1 : x > y;
}

int64_t median_of(const int64_t *x, unsigned n) {
        int64_t copy[CUSUM_BLOCKS];

        n = MIN(n, (unsigned) CUSUM_BLOCKS);
        if (n == 0)
                return 0;
        for (unsigned i = 0; i < n; i++)
                copy[i] = x[i];
        array_sort(copy, n, sizeof(copy[0]), compare_i64);
        if (n % 2 > 0)
                return copy[n / 2];
        return (int64_t) (((__int128) copy[n / 2 - 1] + copy[n / 2]) / 2);
}

/* |a - b|, at most INT64_MAX. */
static int64_t distance(int64_t a, int64_t b) {
        __int128 d = (__int128) a - b;

        d = d < 0 ? -d : d;
        return d > INT64_MAX ? INT64_MAX : (int64_t) d;
}

/* How many thousandths of a sigma x lies above what was before, clipped. Where more than half of the blocks were the same, MAD is 0 and
 * sigma is 1.2533 times the mean distance (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993). */
static int64_t z_milli(const Cusum *c, int64_t x) {
        int64_t median = median_of(c->block, c->n), away[CUSUM_BLOCKS] = { 0 }, mad;
        __int128 z, sum = 0;

        for (unsigned i = 0; i < c->n; i++) {
                away[i] = distance(c->block[i], median);
                sum += away[i];
        }
        mad = median_of(away, c->n);
        z = (__int128) x - median;
        if (mad > 0)
                z = z * 100000 / ((__int128) mad * 148);
        else if (sum > 0)
                z = z * 10000000 * c->n / (sum * 12533);
        else
                z *= Z_MOST_MILLI; /* all blocks were the same: any other value is far */
        return z > Z_MOST_MILLI ? Z_MOST_MILLI : z < -Z_MOST_MILLI ? -Z_MOST_MILLI : (int64_t) z;
}

static void keep(Cusum *c, int64_t x) {
        c->block[c->next] = x;
        c->next = (c->next + 1) % CUSUM_BLOCKS;
        c->n = MIN(c->n + 1, (unsigned) CUSUM_BLOCKS);
}

void cusum_reset(Cusum *c) {
        *c = (Cusum){ 0 };
}

bool cusum_add(Cusum *c, int64_t x) {
        bool changed = false;

        if (c->n >= BLOCKS_LEAST) {
                int64_t z = z_milli(c, x);

                c->up_milli = MAX(c->up_milli + z - SLACK_MILLI, 0);
                c->down_milli = MAX(c->down_milli - z - SLACK_MILLI, 0);
                changed = c->up_milli >= ALARM_MILLI || c->down_milli >= ALARM_MILLI;
        }
        if (changed)
                cusum_reset(c);
        keep(c, x);
        return changed;
}
