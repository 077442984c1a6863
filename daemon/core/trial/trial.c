/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trial of one arm: the sequence of windows and the decisions.
 *
 * Which of the two windows of a pair is B's is thrown anew for each pair, and both throws of a quad before it starts: they are all
 * that the test (signflip.c) relies on. Nothing here may depend on the throw but d itself: a quad that is voided gives way to a new one
 * with new throws, and what voids it (a rate that moves, hot-plug, steal) is judged without looking at the arm.
 *
 * Drift within a pair goes into |d| with a random sign: it costs power, not exactness. Four windows ABBA as one throw would cancel drift
 * that is linear, but have half the throws for the same time. Instead, the test takes from d a part of what happened from the window
 * before the pair to the one after it: of three steps of a walk or of a linear drift the pair's is one, so a third would be right for
 * these and nothing for noise without memory; a fifth is near the best for the mixtures that were tried. Under no effect these
 * windows are the same whatever the throw of the pair, so its sign is still fair. Under an effect they bring some of it in as noise:
 * what is said of its size comes from d.
 *
 * Three looks at p <= 1/64, 1/107 and 1/40 keep the chance to accept an arm that does nothing at 5 % (Bonferroni; the true figure is
 * lower). The first is the least that six pairs can have; most is left for the last, which is where noisy machines get to. That a
 * trial may end early as futile only lowers it, so the rules for that may be as they like. */
#include "core/trial/trial.h"

#include "base/ln.h"
#include "base/number.h"

#define DRIFT_PART 5        /* see above */
#define VOIDS_MOST 4        /* the fourth ends the trial */
#define RATE_MOST 3         /* the rate may move by this factor between windows of one arm */
#define ABORT_ONE 400000    /* ln cost, millionths: mean of one quad, */
#define ABORT_BOTH 200000   /* and each of its pairs */
#define ABORT_MEAN 100000   /* of the first two or three quads, */
#define ABORT_LEVEL 16      /* with p of B being worse <= 1/16 */
#define ROSE_LEVEL 5        /* a signal that must not rise: p <= 1/5 */
#define ONE_UNIT_MILLI 1000 /* of the signal */

static const unsigned levels[3] = { 64, 107, 40 }; /* p <= 1/level at each look */

static void open_quad(Trial *t, Random *random) {
        for (unsigned i = 0; i < 2; i++)
                t->b_first[i] = random_coin(random);
        t->window = 0;
        for (unsigned i = 0; i < ELEMENTSOF(t->n_open); i++)
                t->n_open[i] = 0;
}

void trial_begin(Trial *t, const TrialSpec *spec, Random *random) {
        *t = (Trial){ .spec = *spec };
        open_quad(t, random);
}

TrialArm trial_arm(const Trial *t) {
        bool first = t->window % 2 == 0;

        return first == t->b_first[t->window / 2 % 2] ? TRIAL_B : TRIAL_A;
}

TrialStatus trial_void(Trial *t, Random *random) {
        open_quad(t, random);
        t->joined = false;
        return ++t->n_void >= VOIDS_MOST ? TRIAL_STATUS_INCONCLUSIVE : TRIAL_STATUS_GO_ON;
}

static bool alike(uint64_t x, uint64_t y) {
        return x == 0 || y == 0 ||
               (x <= u64_mul_sat(y, RATE_MOST) && y <= u64_mul_sat(x, RATE_MOST));
}

/* The load moved within the quad: there is no order of arms that explains the rates, for a strong arm may change them itself. Which order
 * was thrown is not asked: the same rates void the quad whatever the throws. 0: not known. */
static bool rate_moved(const uint64_t rate[static 4]) {
        return !(alike(rate[0], rate[2]) && alike(rate[1], rate[3])) &&
               !(alike(rate[0], rate[3]) && alike(rate[1], rate[2]));
}

/* ln of x + 1 unit, less ln of 1/1000 of a unit: the constant goes out in d. */
static int64_t ln_plus_one(int64_t x_milli) {
        return ln_micro((uint64_t) MAX(x_milli, 0) + ONE_UNIT_MILLI);
}

/* A cost of nothing where that cannot be was not measured: a trial must not be won by it. Where more is better it is as bad as can be. */
static bool measured(const TrialSpec *spec, int64_t cost_milli) {
        if (cost_milli < 0)
                return false;
        return cost_milli > 0 || spec->zero_costs || spec->higher_is_better;
}

static int64_t ln_cost(const TrialSpec *spec, int64_t cost_milli) {
        int64_t ln = spec->zero_costs ? ln_plus_one(cost_milli) : ln_micro((uint64_t) cost_milli);

        return spec->higher_is_better ? -ln : ln;
}

static void watch(Trial *t, const TrialWindow *window) {
        unsigned n = MIN(window->n_watch, (unsigned) TRIAL_WATCHES_MAX);

        for (unsigned i = 0; i < n; i++) {
                if (window->watch_milli[i] < 0)
                        continue;
                t->open_watch[i][t->window % 4] = ln_plus_one(window->watch_milli[i]);
                t->n_open[i]++;
        }
}

/* Of the pair (first, second); `drift` is what lies between the window before and the one after, 0 if they are not known. */
static int64_t pair_d(bool b_first, int64_t first, int64_t second, int64_t drift) {
        int64_t d = second - first - drift / DRIFT_PART;

        return b_first ? -d : d;
}

static void close_quad(Trial *t) {
        const int64_t *y = t->ln, *last = t->last_ln;
        int64_t *steady = &t->steady[2 * t->n];

        for (unsigned i = 0; i < 2; i++)
                steady[i] = t->pair[2 * t->n + i] = pair_d(t->b_first[i], y[2 * i], y[2 * i + 1],
                                                           0);
        if (t->joined) { /* and the last pair now has a window after it */
                steady[-1] = pair_d(t->last_b_first, last[2], last[3], y[0] - last[1]);
                steady[0] = pair_d(t->b_first[0], y[0], y[1], y[2] - last[3]);
        }
        for (unsigned i = 0; i < ELEMENTSOF(t->ln); i++)
                t->last_ln[i] = t->ln[i];
        t->last_b_first = t->b_first[1];
        t->joined = true;
        t->n++;
        for (unsigned i = 0; i < ELEMENTSOF(t->n_open); i++) {
                const int64_t *x = t->open_watch[i];

                if (t->n_open[i] < 4) /* all windows, or what is not known could choose the pairs */
                        continue;
                for (unsigned k = 0; k < 2; k++)
                        t->watch_pair[i][t->n_watch[i]++] = pair_d(t->b_first[k], x[2 * k],
                                                                   x[2 * k + 1], 0);
        }
}

/* The last quad, or the first two or three, are much worse: by so much, and pair by pair. */
static bool much_worse(const Trial *t, int64_t sum) {
        int64_t x = t->pair[2 * t->n - 2], y = t->pair[2 * t->n - 1], minus[6];

        if (MIN(x, y) > ABORT_BOTH && x + y > 2 * ABORT_ONE)
                return true;
        if ((t->n != 2 && t->n != 3) || sum <= 2 * t->n * ABORT_MEAN)
                return false;
        for (unsigned i = 0; i < 2 * t->n; i++)
                minus[i] = -t->pair[i];
        return signflip_count(minus, 2 * t->n) * ABORT_LEVEL <= 1u << (2 * t->n);
}

static bool futile(const Trial *t, int64_t sum, __int128 sum_gain) {
        __int128 squares = 0;

        if (t->n >= t->spec.looks[0])
                return 3 * sum > -sum_gain;
        if (t->n != 2)
                return false;
        for (unsigned i = 0; i < 4; i++)
                squares += (__int128) t->pair[i] * t->pair[i];
        return sum > 0 && 4 * (__int128) sum * sum > squares;
}

static TrialStatus judge(const Trial *t) {
        unsigned last = MIN(t->spec.looks[2], (unsigned) TRIAL_QUADS_MAX), n = 2 * t->n;
        __int128 sum_gain = (__int128) n * t->spec.least_gain_ppm;
        int64_t sum = 0;
        unsigned level = t->n == last ? levels[2] : 0;

        for (unsigned i = 0; i < n; i++)
                sum += t->pair[i];
        if (much_worse(t, sum))
                return TRIAL_STATUS_ABORT;
        for (unsigned i = 0; i < ELEMENTSOF(t->spec.looks); i++)
                if (level == 0 && t->n == t->spec.looks[i])
                        level = levels[i];
        /* Means are compared as sums: nothing is rounded. */
        if (level > 0 && sum <= -sum_gain && signflip_count(t->steady, n) <= (1u << n) / level)
                return TRIAL_STATUS_ACCEPT;
        if (t->n >= last)
                return TRIAL_STATUS_REJECT;
        return futile(t, sum, sum_gain) ? TRIAL_STATUS_FUTILE : TRIAL_STATUS_GO_ON;
}

TrialStatus trial_window(Trial *t, const TrialWindow *window, Random *random) {
        TrialStatus status;

        if (t->n >= TRIAL_QUADS_MAX)
                return TRIAL_STATUS_REJECT;
        if (!measured(&t->spec, window->cost_milli))
                return trial_void(t, random);
        t->ln[t->window % 4] = ln_cost(&t->spec, window->cost_milli);
        t->rate_milli[t->window % 4] = window->rate_milli;
        watch(t, window);
        if (++t->window < 4)
                return TRIAL_STATUS_GO_ON;
        if (rate_moved(t->rate_milli))
                return trial_void(t, random);
        close_quad(t);
        status = judge(t);
        open_quad(t, random);
        return status;
}

bool trial_watch_rose(const Trial *t, unsigned i) {
        int64_t minus[TRIAL_PAIRS_MAX], sum = 0;
        unsigned n = i < ELEMENTSOF(t->n_watch) ? t->n_watch[i] : 0;

        for (unsigned k = 0; k < n; k++) {
                sum += t->watch_pair[i][k];
                minus[k] = -t->watch_pair[i][k];
        }
        return sum > 0 && (uint64_t) signflip_count(minus, n) * ROSE_LEVEL <= (uint64_t) 1 << n;
}
