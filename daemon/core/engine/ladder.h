/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/plan.h"

/* Which level to try next: the feed-forward level if it is above the present one, else the next; when that fails the one after
 * it, once (Broadwell-EX gains 1.2 % at twice and 2.6 % at four times its batch); then no more until the cooldown
 * is over. From a value that is no arm the first arm is the kernel's default. Never downwards: that takes no trial. */
#define LADDER_LEVELS_MAX PLAN_LEVELS_MAX /* the default and the arms */
#define LADDER_OTHER (-1)                 /* a value that is no arm of ours */

typedef struct LadderInput {
        int level; /* in force; LADDER_OTHER */
        unsigned n_levels, feed_forward;
        bool fixed; /* only the first arm, no steps */
        bool step
                [LADDER_LEVELS_MAX]; /* an arm of the ladder; others (cap, kernel) are tried only where no step exists */
        bool usable[LADDER_LEVELS_MAX];                            /* fits, and is not blocked */
        bool kept[LADDER_LEVELS_MAX], rejected[LADDER_LEVELS_MAX]; /* verdicts of earlier runs */
} LadderInput;

/* Fills the levels to try, in order, and returns how many (0 to 2). */
unsigned ladder_order(const LadderInput *in, unsigned ret_level[2]);
