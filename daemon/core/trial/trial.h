/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/random.h"
#include "base/units.h"

/* Trial of one arm (B) against the value in force (A): randomised pairs of windows with an exact sign-flip test.
 *
 *   pair  = 2 windows, AB or BA by a fair coin;  d = ln cost of B - ln cost of A;  s = d less a fifth of what lies between the
 *           window before the pair and the one after it, with the same sign (not at the ends, nor beside a void)
 *   quad  = 4 windows, two such pairs: the unit of looks and voids; its d is the mean of both
 *   test  : p = share of the 2^n sign patterns of |s| of all n pairs whose sum is <= the sum seen
 *   looks : after looks[0..2] quads: ACCEPT if p <= 1/64, 1/107, 1/40 and mean d <= -least_gain;  REJECT at the last
 *           after each quad from the first look on: FUTILE if mean d > -least_gain / 3
 *           after two quads: FUTILE if their four d speak against B: sum d > sqrt(sum d^2) / 2
 *   abort : both d of one quad > +0.20 and their mean > +0.40; or after two or three quads mean d > +0.10 and p of -d <= 1/16
 *
 * Three quads are the least that can accept (1/64). Nothing here knows what a knob is. Logarithms are integers in millionths
 * (base/ln.h), so that ties are ties and every compiler computes the same. Costs that may be 0 enter as ln(x + 1) in the
 * signal's unit. Why pairs, and what else was tried: docs/decisions/6-trials.md. */
#define TRIAL_QUADS_MAX 12
#define TRIAL_PAIRS_MAX 24 /* 2^24 sign patterns */
#define TRIAL_WATCHES_MAX 8

typedef struct TrialSpec {
        unsigned looks[3];      /* quads, rising, at most TRIAL_QUADS_MAX */
        int64_t least_gain_ppm; /* delta */
        bool zero_costs;        /* the cost may be 0: ln(x + 1) */
        bool higher_is_better;
} TrialSpec;

typedef enum TrialArm { TRIAL_A, TRIAL_B } TrialArm;

typedef enum TrialStatus {
        TRIAL_STATUS_GO_ON,
        TRIAL_STATUS_ACCEPT,
        TRIAL_STATUS_FUTILE,
        TRIAL_STATUS_REJECT,
        TRIAL_STATUS_ABORT,        /* much worse: stop now */
        TRIAL_STATUS_INCONCLUSIVE, /* four voided quads */
} TrialStatus;

typedef struct Trial {
        TrialSpec spec;
        bool b_first[2];   /* order of the pairs of the open quad */
        bool last_b_first; /* of the second pair of the quad before */
        bool joined;       /* the open quad follows the one before without a void between */
        unsigned window;   /* of the open quad: 0..3 */
        /* ln cost of the windows of the open quad and of the one before, millionths */
        int64_t ln[4], last_ln[4];
        /* ln of must_not_rise signals in the windows of the open quad, and d of their pairs: these count when the quad is complete
         * and all its windows knew. */
        int64_t open_watch[TRIAL_WATCHES_MAX][4];
        unsigned n_open[TRIAL_WATCHES_MAX];
        int64_t watch_pair[TRIAL_WATCHES_MAX][TRIAL_PAIRS_MAX];
        unsigned n_watch[TRIAL_WATCHES_MAX]; /* pairs */
        uint64_t rate_milli[4]; /* allocation rate in the windows of the open quad; 0: not known */
        int64_t pair[TRIAL_PAIRS_MAX],
                steady[TRIAL_PAIRS_MAX]; /* d and s of the pairs of complete quads, millionths */
        unsigned n, n_void;              /* quads */
} Trial;

void trial_begin(Trial *t, const TrialSpec *spec, Random *random);
/* The arm that the coming (or running) window measures. */
_pure_ TrialArm trial_arm(const Trial *t);

/* One window is over. cost_milli: thousandths of the unit. rate_milli: allocation rate (0: not known). watch: values of the
 * must_not_rise signals, thousandths, negative: not known. A quad in which the rate moved by more than three times is voided, unless
 * some order of arms explains it. */
typedef struct TrialWindow {
        int64_t cost_milli;
        uint64_t rate_milli;
        int64_t watch_milli[TRIAL_WATCHES_MAX];
        unsigned n_watch;
} TrialWindow;

_must_check_ TrialStatus trial_window(Trial *t, const TrialWindow *window, Random *random);
/* The open quad is lost (hot-plug, foreign write, steal, a gap); a new order is drawn. */
_must_check_ TrialStatus trial_void(Trial *t, Random *random);

/* The effect so far: mean d and an interval that the sign-flip test of d does not reject at 5 % (both ends by inversion of the test;
 * false: fewer than 3 quads). */
_must_check_ bool trial_effect(const Trial *t, int64_t *ret_mean_ppm, int64_t *ret_low_ppm,
                               int64_t *ret_high_ppm);
/* Whether must_not_rise signal i rose: mean d of its pairs is above 0, and p of -d (as for the cost) is 1/5 at most. A signal on which B has
 * no effect is above 0 half the time, which is no reason to lose an arm that helps; at 1/5 it costs one in five of these, and a rise
 * of 10 % is found 99 times in 100 in normal noise, 90 times in rough (trial-mc). False also when it is not known. */
_pure_ bool trial_watch_rose(const Trial *t, unsigned i);

/* p as a fraction: patterns of signs with sum(s_i * |d_i|) <= sum(d_i), out of 2^n. n <= 24; |d| counts as 2^58 at most. */
_pure_ unsigned signflip_count(const int64_t *d, unsigned n);
