/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no kernel tells: rates without noise, of now and of what would be if. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "machine/sim/sim-private.h"

/* Levels forget themselves within 7.5 s: two minutes are settled. */
#define SETTLE_STEPS 120u

static const Sim *sim_of_const(const Machine *m) {
        return (const Sim *) (const void *) m;
}

void sim_truth(const Machine *m, SimTruth *ret) {
        const Sim *s = sim_of_const(m);

        *ret = (SimTruth){ .foreign_overwritten = s->foreign_overwritten,
                           .n_writes = s->n_writes,
                           .parked_max_ppm = fmin(s->parked_max, 1) * 1e6,
                           .phase = s->phase };
        ret->rates = *sim_rates(s, &s->config, &s->physics, s->phase);
        if (ret->rates.pages > 0)
                ret->cost_ns = 1e12 * ret->rates.kernel_cpus / ret->rates.pages;
}

int sim_what_if(const Machine *m, unsigned phase, const char *const *paths,
                const char *const *texts, size_t n, PlantRates *ret) {
        const Sim *s = sim_of_const(m);
        SimConfig *c;
        SimPhysics p;

        if (phase >= s->spec->n_phases)
                return 1;
        c = malloc(sizeof(*c));
        if (!c)
                return -ENOMEM;
        *c = s->config;
        for (size_t i = 0; i < n; i++)
                if (texts[i][0] && sim_config_write(s, c, paths[i], text_from(texts[i])) != 0) {
                        free(c);
                        return (int) i + 1;
                }
        sim_physics_start(s, c, &p);
        for (unsigned i = 0; i < SETTLE_STEPS; i++) {
                sim_physics_step(s, c, &p, sim_rates(s, c, &p, phase), phase, 1, 1);
                p.leak_bytes = 0; /* what grows for ever never settles */
        }
        *ret = *sim_rates(s, c, &p, phase);
        s->memo->last = (SimLast){ 0 }; /* the next copy may lie in the same place */
        free(c);
        return 0;
}
