/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/ladder.h"

static bool can(const LadderInput *in, unsigned level) {
        return level < in->n_levels && level < LADDER_LEVELS_MAX && in->usable[level] &&
               (int) level != in->level;
}

static void add(const LadderInput *in, unsigned level, unsigned ret_level[2], unsigned *n) {
        if (!can(in, level) || *n >= 2 || (*n == 1 && ret_level[0] == level))
                return;
        ret_level[(*n)++] = level;
}

/* Arms that are no steps, in order of the policy: a list of only "cap", for instance. */
static unsigned order_plain(const LadderInput *in, unsigned ret_level[2]) {
        unsigned n = 0;

        for (unsigned l = 1; l < in->n_levels && l < LADDER_LEVELS_MAX; l++)
                if (!in->step[l] && !in->rejected[l])
                        add(in, l, ret_level, &n);
        for (unsigned l = 1; l < in->n_levels && l < LADDER_LEVELS_MAX; l++)
                if (!in->step[l])
                        add(in, l, ret_level, &n);
        return in->fixed ? MIN(n, 1u) : n;
}

unsigned ladder_order(const LadderInput *in, unsigned ret_level[2]) {
        unsigned n = 0, from = in->level < 0 ? 0 : (unsigned) in->level, first;
        bool any_step = false;

        for (unsigned l = 1; l < in->n_levels && l < LADDER_LEVELS_MAX; l++)
                any_step = any_step || in->step[l];
        if (in->level == LADDER_OTHER && can(in, 0)) {
                ret_level[0] = 0;
                return 1;
        }
        if (!any_step)
                return order_plain(in, ret_level);
        if (in->fixed) {
                if (from < 1 && in->step[1])
                        add(in, 1, ret_level, &n);
                return n;
        }
        /* One kept by an earlier run first: nearest to the present level. */
        for (unsigned l = from + 1; l < in->n_levels && l < LADDER_LEVELS_MAX && n == 0; l++)
                if (in->step[l] && in->kept[l])
                        add(in, l, ret_level, &n);
        first = in->feed_forward > from && can(in, in->feed_forward) &&
                                in->step[MIN(in->feed_forward, LADDER_LEVELS_MAX - 1u)]
                        ? in->feed_forward
                        : from + 1;
        for (unsigned round = 0; round < 2; round++) {
                const unsigned levels[] = { first, from + 2, from + 1 };

                /* Arms that an earlier run rejected come last. */
                for (unsigned i = 0; i < ELEMENTSOF(levels); i++)
                        if (levels[i] < LADDER_LEVELS_MAX && in->step[levels[i]] &&
                            in->rejected[levels[i]] == (round == 1))
                                add(in, levels[i], ret_level, &n);
        }
        return n;
}
