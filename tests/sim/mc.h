/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/random.h"
#include "core/engine/engine.h"
#include "machine/sim/sim.h"

/* Monte Carlo of the whole engine without texts: frames are made from a curve (cost and waits at each level) and noise, writes
 * take effect at once. A virtual day costs some tens of milliseconds, so that a bound can be held over a thousand seeds. The policy is a
 * shipped file; what a bound changes in it is in the bound. */
#define MC_LEVELS 5
#define MC_REGIMES 4

/* A published or invented curve: level l has batch (or size) 2^l times the default. */
typedef struct McCurve {
        char name[40];
        unsigned cpus;
        double pages_per_s;         /* at level 0 */
        double cost[MC_LEVELS];     /* kernel ns per page, any scale: only ratios matter */
        double zone_ppm[MC_LEVELS]; /* zone-lock-wait */
        double lru_ppm[MC_LEVELS];  /* lru-lock-wait */
        double kernel_share;        /* of all CPU time at level 0 */
} McCurve;

typedef enum McDisturb {
        MC_DISTURB_NONE,
        MC_DISTURB_FOREIGN, /* somebody writes the knob in the middle of whatever is open */
        MC_DISTURB_GUARD,   /* direct reclaim and free memory under the mark, now and then */
        MC_DISTURB_LEAK,    /* unreclaimable slab memory grows all the time */
        MC_DISTURB_RECLAIM, /* kswapd runs all the time */
} McDisturb;

typedef struct McRun {
        /* in */
        const Policy *policy;
        const McCurve *curve[MC_REGIMES]; /* one, or several that take turns every switch_usec */
        unsigned n_curves;
        usec_t switch_usec;
        SimNoise noise;
        uint64_t seed;
        usec_t duration_usec;
        bool stop_at_cooldown; /* the climb is over: end there, at the n-th such time */
        unsigned cooldowns;
        unsigned feed_forward;
        McDisturb disturb;
        uint64_t parked_ppm_per_level; /* of a zone, that level l > 0 could park: times 2^l */
        /* out */
        EngineCounts counts;
        unsigned level;              /* at the end */
        unsigned harmful;            /* accepted moves to a level that is truly worse */
        unsigned accepted_after_day; /* accepted moves after the first 24 h */
        unsigned most_entries;       /* of one level above 0 in one regime */
        usec_t climb_usec;           /* from the start to the end of the climb */
        usec_t trial_usec;           /* of that, in trials */
        usec_t hold_usec;            /* to the first HOLD; USEC_UNKNOWN */
        usec_t worse_usec; /* in a value more than 3 % worse than level 0 in the regime of the moment */
        usec_t slowest_guard_usec; /* from a guard's sample to the value being back */
        uint64_t writes_after_foreign;
        uint64_t most_parked_ppm; /* of values in force */
        unsigned n_open_max;      /* controllers in TRIAL at one time */
        bool restored;            /* after engine_stop() the value of the start is back */
        uint64_t frames;
        uint64_t hash; /* of all records: the same frames give the same */
} McRun;

/* The shipped policy of that name, from the policies of the source tree. NULL: said on stdout. */
const Policy *mc_policy(const char *name);
/* Curves of the nine machines at batch 31, 63, 127, 255, 511, from tests/evidence. Returns how many. */
unsigned mc_curves(McCurve curves[], unsigned max);
/* Regret of a level against the best of the curve, ppm of cost. */
int64_t mc_regret_ppm(const McCurve *curve, unsigned level);
void mc_run(McRun *run);
