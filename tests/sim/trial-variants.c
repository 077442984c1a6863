/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Designs of trials that were tried. Row 0 is the one that the others are measured against: ABBA quads, judged after 6, 9 and 12. */
#include "trial-variants.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

#define UNITS_MAX 24
#define LEAST_GAIN 0.02
#define NOTHING 1e-12 /* of rounding */

/* clang-format off */
const TrialVariant trial_variants[] = {
        { .name = "ABBA quads, looks 6 9 12", .windows = 4, .looks = { 6, 9, 12 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3 },
        { .name = "the same without abort", .windows = 4, .looks = { 6, 9, 12 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .no_abort = true },
        { .name = "ABBA quads, futile after every quad from 3", .windows = 4, .looks = { 6, 9, 12 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD, .futile_from = 3 },
        { .name = "pairs, looks 6 12 24, futile at the first", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3 },
        { .name = "pairs, looks 6 12 24, futile every quad", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, looks 6 12 18 24", .windows = 2, .looks = { 6, 12, 18, 24 }, .level = { 1 / 64., .0114, .0114, .0114 }, .n_looks = 4, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, looks 6 8 10 12 16 20 24", .windows = 2, .looks = { 6, 8, 10, 12, 16, 20, 24 }, .level = { 1 / 64., .005, .005, .005, .006, .006, .007 }, .n_looks = 7, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, looks 8 12 24", .windows = 2, .looks = { 8, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, looks 6 12 20", .windows = 2, .looks = { 6, 12, 20 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, p 1/64 1/107 1/40", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 64., 1 / 107., 1 / 40. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, a fifth of the drift around", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD, .drift = 0.2 },
        { .name = "pairs, a third of the drift around", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .futile = VARIANT_EVERY_QUAD, .drift = 1 / 3. },
        { .name = "pairs, |d| cut at 3 medians", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .cap = 3, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, |d| cut at 2 medians", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .cap = 2, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, ranks of |d|", .windows = 2, .looks = { 6, 12, 24 }, .level = { 1 / 60., 1 / 60., 1 / 60. }, .n_looks = 3, .test = VARIANT_RANKS, .futile = VARIANT_EVERY_QUAD },
        { .name = "pairs, bets, any time", .windows = 2, .looks = { 6, 8, 10, 12, 16, 20, 24 }, .n_looks = 7, .test = VARIANT_BETS, .futile = VARIANT_EVERY_QUAD },
};
/* clang-format on */
const unsigned n_trial_variants = ELEMENTSOF(trial_variants);

static double uniform(Random *r) {
        return (random_u32(r) + 0.5) / 4294967296.0;
}

static double normal(Random *r) {
        double u = uniform(r);

        return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(r));
}

void trial_load_begin(TrialLoad *load, const TrialNoise *noise, uint64_t seed, uint64_t stream) {
        *load = (TrialLoad){ .noise = noise };
        random_seed(&load->random, seed, stream);
        load->ar = noise->sigma * normal(&load->random);
}

double trial_load_window(TrialLoad *load) {
        const TrialNoise *n = load->noise;
        Random *r = &load->random;

        load->ar = n->rho * load->ar + sqrt(1 - n->rho * n->rho) * n->sigma * normal(r);
        load->level += n->walk * normal(r);
        if (n->jump_share > 0 && uniform(r) < n->jump_share)
                load->level += random_coin(r) ? n->jump : -n->jump;
        return load->ar + load->level;
}

static int compare(const void *a, const void *b) {
        double x = *(const double *) a, y = *(const double *) b;

        return x < y ? -1 : x > y;
}

/* What the test adds up for each d. */
static void scores(const TrialVariant *v, const double *d, unsigned n, double *ret) {
        double size[UNITS_MAX], median;

        for (unsigned i = 0; i < n; i++)
                size[i] = fabs(d[i]);
        array_sort(size, n, sizeof(size[0]), compare);
        median = n % 2 ? size[n / 2] : (size[n / 2 - 1] + size[n / 2]) / 2;
        for (unsigned i = 0; i < n; i++) {
                double x = fabs(d[i]);

                if (v->cap > 0)
                        x = fmin(x, v->cap * median);
                if (v->test == VARIANT_RANKS)
                        for (unsigned k = x = 0; k < n; k++)
                                x += size[k] <= fabs(d[i]);
                ret[i] = d[i] < 0 ? -x : x;
        }
}

/* The exact test takes integers. */
static double p_of(const double *score, unsigned n) {
        int64_t d[UNITS_MAX];

        for (unsigned i = 0; i < n; i++)
                d[i] = llround(score[i] * 1e9);
        return signflip_count(d, n) / (double) (1u << n);
}

/* Bets on the sign of each d in turn: with a stake of x the capital goes by e^-x / cosh x if the sign is plus, else by e^x / cosh x,
 * which is 1 on average if both are as likely. So it is 20 or more ever with at most 5 % (Ville). The stake is in units of the median
 * of |d| so far; four gamblers with stakes of their own share the start capital. */
static double capital(const double *d, unsigned n) {
        static const double stake[] = { 0.3, 0.6, 1.2, 2.4 };
        double sum = 0;

        for (unsigned g = 0; g < ELEMENTSOF(stake); g++) {
                double ln = 0;

                for (unsigned i = 1; i < n; i++) {
                        double size[UNITS_MAX], x;

                        for (unsigned k = 0; k < i; k++)
                                size[k] = fabs(d[k]);
                        array_sort(size, i, sizeof(size[0]), compare);
                        x = stake[g] * d[i] / (size[i / 2] + NOTHING);
                        ln += -x - (fabs(x) + log1p(exp(-2 * fabs(x))) - log(2));
                }
                sum += exp(ln) / ELEMENTSOF(stake);
        }
        return sum;
}

static double sum_of(const double *d, unsigned n) {
        double sum = 0;

        for (unsigned i = 0; i < n; i++)
                sum += d[i];
        return sum;
}

/* As it was designed first: one quad, or the mean of the first three. */
static bool aborts(const TrialVariant *v, const double *d, unsigned n) {
        unsigned quad = 4 / v->windows;

        if (v->no_abort || n % quad)
                return false;
        if (sum_of(d + n - quad, quad) > 0.40 * quad)
                return true;
        return n == 3 * quad && sum_of(d, n) > 0.10 * n;
}

/* d: differences; steady: what the test takes. */
static TrialStatus judge(const TrialVariant *v, const double *d, const double *steady, unsigned n) {
        unsigned quad = 4 / v->windows, last = v->looks[v->n_looks - 1],
                 from = v->futile_from > 0 ? v->futile_from : v->looks[0];
        double score[UNITS_MAX], sum;

        if (aborts(v, d, n))
                return TRIAL_STATUS_ABORT;
        scores(v, steady, n, score);
        sum = v->cap > 0 ? sum_of(score, n) : sum_of(d, n);
        for (unsigned i = 0; i < v->n_looks; i++)
                if (n == v->looks[i] && sum <= -LEAST_GAIN * n &&
                    (v->test == VARIANT_BETS ? capital(d, n) >= 20 : p_of(score, n) <= v->level[i]))
                        return TRIAL_STATUS_ACCEPT;
        if (n == last)
                return TRIAL_STATUS_REJECT;
        if ((v->futile == VARIANT_EVERY_QUAD ? n >= from && n % quad == 0 : n == from) &&
            sum > -LEAST_GAIN / 3 * n)
                return TRIAL_STATUS_FUTILE;
        return TRIAL_STATUS_GO_ON;
}

TrialStatus trial_variant_run(const TrialVariant *v, TrialLoad *load, double effect,
                              unsigned *ret_windows) {
        double y[4 * UNITS_MAX], d[UNITS_MAX], steady[UNITS_MAX];
        bool turned[UNITS_MAX];

        for (unsigned n = 1;; n++) {
                TrialStatus status;

                turned[n - 1] = random_coin(&load->random);
                d[n - 1] = 0;
                for (unsigned w = 0; w < v->windows; w++) {
                        bool b = (w == 1 || w == 2) != turned[n - 1];
                        double x = trial_load_window(load) + (b ? effect : 0);

                        d[n - 1] += (b ? x : -x) / (v->windows / 2);
                        y[(n - 1) * v->windows + w] = x;
                }
                for (unsigned i = 0; i < n; i++) {
                        unsigned w = i * v->windows;
                        double drift = i > 0 && i + 1 < n ? y[w + v->windows] - y[w - 1] : 0;

                        steady[i] = d[i] - (turned[i] ? -1 : 1) * v->drift * drift;
                }
                status = judge(v, d, steady, n);
                if (status != TRIAL_STATUS_GO_ON) {
                        *ret_windows = n * v->windows;
                        return status;
                }
        }
}

/* Means over m seconds of a process with correlation e^-|t|/tau: variance, and covariance of two that begin `apart` after each other. */
static double mean_variance(double m) {
        return 2 * (m - 1 + exp(-m)) / (m * m);
}

static double mean_covariance(double m, double apart) {
        return exp(-(apart - m)) * (1 - exp(-m)) * (1 - exp(-m)) / (m * m);
}

double trial_window_time(double rho, double white_share, double window_s) {
        double low = 1e-3, high = 10, variance[2];

        for (unsigned i = 0; i < 100;
             i++) { /* 1 / tau, such that means of 8 s every 10 s have this rho */
                double rate = (low + high) / 2;

                if (mean_covariance(8 * rate, 10 * rate) / mean_variance(8 * rate) > rho)
                        low = rate;
                else
                        high = rate;
        }
        for (unsigned i = 0; i < 2; i++) {
                double length = i ? window_s : 10, m = length - 2;

                variance[i] = (1 - white_share) *
                                      (mean_variance(m * low) -
                                       mean_covariance(m * low, length * low)) /
                                      mean_variance(8 * low) +
                              white_share * 8 / m;
        }
        return variance[1] * window_s / (variance[0] * 10);
}
