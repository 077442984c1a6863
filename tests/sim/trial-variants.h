/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/random.h"
#include "core/trial/trial.h"

/* Noise of a class: ln of the cost of one window of 10 s after the other, 0 without noise. */
typedef struct TrialNoise {
        const char *name;
        double sigma, rho, walk; /* of a window; correlation with the next; step of a random walk */
        double jump,
                jump_share; /* size of a step that stays, up or down; share of windows that begin with one */
} TrialNoise;

typedef struct TrialLoad {
        const TrialNoise *noise;
        double ar, level;
        Random random;
} TrialLoad;

void trial_load_begin(TrialLoad *load, const TrialNoise *noise, uint64_t seed, uint64_t stream);
double trial_load_window(TrialLoad *load);

/* A design that was tried and is not what core/trial does; in floating point, by the definitions. */
typedef enum VariantTest { VARIANT_SUM, VARIANT_RANKS, VARIANT_BETS } VariantTest;
typedef enum VariantFutile {
        VARIANT_FIRST_LOOK, /* at the first look only */
        VARIANT_EVERY_QUAD, /* from the first look (or `futile_from`) on after every quad */
} VariantFutile;

typedef struct TrialVariant {
        const char *name;
        unsigned windows; /* of a randomised unit: 2 (AB or BA) or 4 (ABBA or BAAB) */
        unsigned looks[8];
        double level[8]; /* p at each */
        unsigned n_looks;
        double cap; /* |d| counts as this many of their medians at most; 0: as it is */
        VariantTest test;
        VariantFutile futile;
        unsigned futile_from; /* units; 0: the first look */
        double drift; /* share of what lies between the window before a pair and the one after it that the test takes from d */
        bool no_abort;
} TrialVariant;

extern const TrialVariant trial_variants[];
extern const unsigned n_trial_variants;

TrialStatus trial_variant_run(const TrialVariant *v, TrialLoad *load, double effect,
                              unsigned *ret_windows);
/* Time for the same power against 10 s, of windows of `window_s` of which 2 s settle: noise with this correlation of neighbours of
 * 10 s, and a share of its variance that every second has anew. */
double trial_window_time(double rho, double white_share, double window_s);
