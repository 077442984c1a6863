/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/random.h"
#include "base/units.h"

/* Trial of one arm (B) against the value in force (A): randomised blocks of windows with an exact sign-flip test.
 *
 *   quad  = 4 windows, ABBA or BAAB by a fair coin
 *   d_q   = mean ln cost over its B windows - mean ln cost over its A windows
 *   test  : p = share of the 2^n sign patterns of |d| whose sum is <= the sum seen
 *   looks : after quads[0..2]: ACCEPT if p <= 1/60 and mean d <= -least_gain
 *           FUTILE at the first look if mean d > -least_gain / 3; REJECT at the last
 *   abort : one d > +0.40, or the mean of the first three > +0.10
 *
 * Nothing here knows what a knob is. Logarithms are integers in millionths (base/ln.h), so that ties are ties and every
 * compiler computes the same. Costs that may be 0 enter as ln(x + 1) in the signal's unit. */
#define TRIAL_QUADS_MAX 12 /* 4,096 sign patterns */

typedef struct TrialSpec {
        unsigned looks[3];
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
        bool baab;                      /* order of the open quad */
        unsigned window;                /* of the open quad: 0..3 */
        int64_t sum_a, sum_b;           /* ln cost, millionths, of the open quad */
        int64_t watch_a[8], watch_b[8]; /* sums of ln of must_not_rise signals over all windows */
        unsigned n_watch_a[8], n_watch_b[8];
        int64_t open_a[8],
                open_b[8]; /* the same, of the open quad: counted when it is complete and all four windows knew */
        unsigned n_open[8];
        uint64_t rate_min, rate_max; /* allocation rate in the open quad, pages/s in thousandths */
        int64_t d[TRIAL_QUADS_MAX];
        unsigned n, n_void;
} Trial;

void trial_begin(Trial *t, const TrialSpec *spec, Random *random);
/* The arm that the coming (or running) window measures. */
_pure_ TrialArm trial_arm(const Trial *t);

/* One window is over. cost_milli: thousandths of the unit. rate_milli: allocation rate (0: not known). watch: values of the
 * must_not_rise signals, thousandths, negative: not known. A quad in which the rate moved by more than three times is voided. */
typedef struct TrialWindow {
        int64_t cost_milli;
        uint64_t rate_milli;
        int64_t watch_milli[8];
        unsigned n_watch;
} TrialWindow;

_must_check_ TrialStatus trial_window(Trial *t, const TrialWindow *window, Random *random);
/* The open quad is lost (hot-plug, foreign write, steal, a gap); a new order is drawn. */
_must_check_ TrialStatus trial_void(Trial *t, Random *random);

/* The effect so far: mean d and the interval that the sign-flip test does not reject at 5 % (both ends by inversion of the test;
 * false: fewer than 6 quads). */
_must_check_ bool trial_effect(const Trial *t, int64_t *ret_mean_ppm, int64_t *ret_low_ppm,
                               int64_t *ret_high_ppm);
/* Whether must_not_rise signal i rose: mean ln of B above that of A. False also when it is not known. */
_pure_ bool trial_watch_rose(const Trial *t, unsigned i);

/* p as a fraction: patterns of signs with sum(s_i * |d_i|) <= sum(d_i), out of 2^n. n <= 12. */
_pure_ unsigned signflip_count(const int64_t *d, unsigned n);
