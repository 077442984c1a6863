/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise of kernel time and of load, for ticks of any length.
 *
 *   class     sigma  rho  walk  jump          of means over 10 s (ln)
 *   calm        2 %    0     0     -
 *   normal      5 %  0.3   1 %     -
 *   drifting    5 %  0.5   3 %  30 %
 *   rough      10 %  0.5   3 %  50 %
 *   wild       20 %  0.5   3 %  70 %
 *
 * The part that changes is an Ornstein-Uhlenbeck process, so that a window has the same sigma and its neighbour the same
 * correlation wherever it begins: with x = window / time constant, the mean over a window has 2 (x - 1 + e^-x) / x^2 of the variance, and
 * neighbours are correlated by (1 - e^-x)^2 / (2 (x - 1 + e^-x)) (integrals of e^-|t|); for ticks shorter than a window, the sums of
 * a chain in their place. Without correlation every tick is drawn anew. Factors are lognormal with mean 1.
 *
 * The walk is pulled back to 1 in the long run (sigma 0.25, time constant above 20 min): a machine is no free walk for days, and a trial
 * of some minutes does not see the pull. A jump flips between two levels that lie `jump` apart (ln): on average every 500 s, a choice that no
 * published row pins. */
#include <math.h>
#include <string.h>

#include "base/macro.h"
#include "base/random.h"
#include "machine/sim/sim.h"

#define WINDOW_S 10.0
#define WALK_SIGMA 0.25
#define UNIT 4294967296.0

static const SimNoiseSpec specs[_SIM_NOISE_MAX] = {
        [SIM_NOISE_NONE] = { "none", 0, 0, 0, 0, 0 },
        [SIM_NOISE_CALM] = { "calm", 0.02, 0, 0, 0, 0 },
        [SIM_NOISE_NORMAL] = { "normal", 0.05, 0.3, 0.01, 0, 0 },
        [SIM_NOISE_DRIFTING] = { "drifting", 0.05, 0.5, 0.03, 0.02, 0.3 },
        [SIM_NOISE_ROUGH] = { "rough", 0.10, 0.5, 0.03, 0.02, 0.5 },
        [SIM_NOISE_WILD] = { "wild", 0.20, 0.5, 0.03, 0.02, 0.7 },
};

const SimNoiseSpec *sim_noise_spec(SimNoise n) {
        return &specs[n < _SIM_NOISE_MAX ? n : SIM_NOISE_NONE];
}

bool sim_noise_from_string(const char *name, SimNoise *ret) {
        for (size_t i = 0; name && i < ELEMENTSOF(specs); i++)
                if (strcmp(name, specs[i].name) == 0) {
                        *ret = (SimNoise) i;
                        return true;
                }
        return false;
}

static Random random_of(const SimNoiseState *s) {
        return (Random){ .state = s->random[0], .increment = s->random[1] };
}

static void random_back(SimNoiseState *s, const Random *r) {
        s->random[0] = r->state;
        s->random[1] = r->increment;
}

static double uniform(Random *r) {
        return ((double) random_u32(r) + 0.5) / UNIT;
}

/* Box and Muller; the second number is not kept: fewer states to replay. */
static double normal(Random *r) {
        double u = uniform(r);

        return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(r));
}

/* Variance of the mean over a stretch of x time constants, and correlation of two that follow each other. */
static double mean_variance(double x) {
        return x < 1e-3 ? 1 - x / 3 : 2 * (x - 1 + exp(-x)) / (x * x);
}

static double neighbours(double x) {
        return x < 1e-3 ? 1 - x / 3 : (1 - exp(-x)) * (1 - exp(-x)) / (2 * (x - 1 + exp(-x)));
}

/* Time constants in a window whose neighbour is correlated by rho: falls from 1 to 0, so halving finds it. */
static double window_for(double rho) {
        double low = 0, high = 1e3;

        for (unsigned i = 0; i < 60; i++) {
                double middle = (low + high) / 2;

                if (neighbours(middle) > rho)
                        low = middle;
                else
                        high = middle;
        }
        return high;
}

void sim_noise_init(SimNoiseState *s, SimNoise noise, uint64_t seed, uint64_t stream) {
        const SimNoiseSpec *spec = sim_noise_spec(noise);
        Random r;

        random_seed(&r, seed, stream);
        *s = (SimNoiseState){ .noise = noise };
        if (spec->rho > 0)
                s->rate = window_for(spec->rho) / WINDOW_S;
        if (spec->sigma > 0) {
                s->ar = normal(&r);
                s->jump = spec->jump_size > 0
                                  ? (random_coin(&r) ? spec->jump_size : -spec->jump_size) / 2
                                  : 0;
        }
        random_back(s, &r);
}

/* The same of a chain of ticks, n a window, each a times the one before: variance of the mean, correlation of windows. */
static double chain_variance(double a, double n) {
        return (1 + a) / (1 - a) / n - 2 * a * (1 - pow(a, n)) / (n * n * (1 - a) * (1 - a));
}

static double chain_neighbours(double a, double n) {
        double sum = (1 - pow(a, n)) / (1 - a) / n;

        return a * sum * sum / chain_variance(a, n);
}

/* What ticks keep of the one before, so that windows are correlated by rho: rises with it. */
static double chain_for(double rho, double n) {
        double low = 0, high = 1 - 1e-9;

        for (unsigned i = 0; i < 50; i++) {
                double middle = (low + high) / 2;

                if (chain_neighbours(middle, n) < rho)
                        low = middle;
                else
                        high = middle;
        }
        return low;
}

/* Sigma and memory of ticks of dt seconds, so that means over a window come out as the class says. `ar` is kept at sigma 1. */
static void tick_of(SimNoiseState *s, const SimNoiseSpec *spec, double dt) {
        double share; /* variance of a tick, in that of a window's mean */

        if (s->rate > 0 && dt < WINDOW_S) {
                s->keep = chain_for(spec->rho, WINDOW_S / dt);
                share = 1 / chain_variance(s->keep, WINDOW_S / dt);
        } else if (s->rate > 0) {
                s->keep = neighbours(s->rate * dt);
                share = mean_variance(s->rate * dt) / mean_variance(s->rate * WINDOW_S);
        } else {
                s->keep = 0;
                share = WINDOW_S / dt;
        }
        /* of the factor, not of its logarithm: long tails add up differently */
        s->spread = sqrt(log1p(share * expm1(spec->sigma * spec->sigma)));
        s->dt = dt;
}

static void walk(SimNoiseState *s, const SimNoiseSpec *spec, double dt, Random *r) {
        double pull = spec->walk * spec->walk / (2 * WALK_SIGMA * WALK_SIGMA) * dt / WINDOW_S;

        if (spec->walk <= 0)
                return;
        s->walk = s->walk * exp(-pull) + WALK_SIGMA * sqrt(-expm1(-2 * pull)) * normal(r);
}

double sim_noise_next(SimNoiseState *s, double dt) {
        const SimNoiseSpec *spec = sim_noise_spec(s->noise);
        Random r = random_of(s);

        if (spec->sigma <= 0 || !(dt > 0))
                return 1;
        if (dt != s->dt)
                tick_of(s, spec, dt);
        s->ar = s->keep * s->ar + sqrt(1 - s->keep * s->keep) * normal(&r);
        walk(s, spec, dt, &r);
        if (spec->jump_share > 0 && uniform(&r) < -expm1(-spec->jump_share * dt / WINDOW_S))
                s->jump = -s->jump;
        random_back(s, &r);
        return exp(s->spread * s->ar - s->spread * s->spread / 2 + s->walk + s->jump);
}
