/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steady rates of the settings in force, from the analytic model or the event model, and remembered: controllers go to and fro between a few
 * values. Levels of tuned lists are taken in steps of a twelfth, pressure in sixteenths, else every tick would ask for another setting. */
#include <math.h>
#include <string.h>

#include "machine/sim/sim-private.h"

#define LEVEL_STEPS 8.0 /* in a factor of 2 */
#define PRESSURE_STEPS 16.0
#define EVENTS_SECONDS 0.2

double sim_pressure(const Sim *s, const SimPhysics *p, unsigned phase) {
        double x = fmax(s->spec->phase[phase].pressure, p->pressure);

        return rint(sim_within(x, 0, 1) * PRESSURE_STEPS) / PRESSURE_STEPS;
}

/* The middle of the step that a level lies in; the ends of the range are exact. */
static double stepped(double level, const SimZone *z) {
        if (level <= (double) z->high_min || level >= (double) z->high_max || level < 1)
                return level;
        return sim_within(exp2(rint(log2(level) * LEVEL_STEPS) / LEVEL_STEPS), (double) z->high_min,
                          (double) z->high_max);
}

/* Lists of the busy zones, averaged over the nodes that have CPUs. */
static SimLists lists_of(const Sim *s, const SimConfig *c, const SimPhysics *p) {
        double high = 0, high_min = 0, high_max = 0, batch = 0, def = 0;
        unsigned n = 0;

        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                const SimZone *z = sim_busy_zone(c, i);
                PcpZoneNumbers numbers = { .managed = z->managed,
                                           .low = z->low,
                                           .local_cpus = c->node[i].n_online ? c->node[i].n_online
                                                                             : c->n_online,
                                           .page_bytes = SIM_PAGE_BYTES,
                                           .batch_cap_bytes = s->kernel->batch_cap_bytes };
                PcpPrediction d = { 0 };

                if (c->node[i].n_online == 0)
                        continue;
                if (!pcp_compute(s->kernel->pcp, &numbers, 0, &d))
                        d.high_min = z->high_min;
                high += sim_tunes(s, c) ? stepped(p->level[i], z) : (double) z->high_min;
                high_min += (double) z->high_min;
                high_max += (double) z->high_max;
                batch += (double) z->batch;
                def += (double) d.high_min;
                n++;
        }
        n = MAX(n, 1u);
        return (SimLists){ .high = (uint64_t) rint(high / n),
                           .high_min = (uint64_t) rint(high_min / n),
                           .high_max = (uint64_t) rint(high_max / n),
                           .batch = (uint64_t) rint(batch / n),
                           .def = (uint64_t) rint(def / n) };
}

/* Zeroed first: padding must not differ. */
static void settings_of(const Sim *s, const SimConfig *c, const SimLists *lists,
                        PlantSettings *ret) {
        const PlantMachine *m = &s->spec->machine;

        memset(ret, 0, sizeof(*ret));
        ret->pcp_high = lists->high;
        ret->pcp_high_min = lists->high_min;
        ret->pcp_high_max = lists->high_max;
        ret->pcp_batch = lists->batch;
        ret->pcp_default_high = lists->def;
        ret->pcp_pinned = c->fraction > 0;
        for (unsigned i = 0; i < m->n_caches; i++) {
                const SimSlab *slab = &c->slab[i];

                ret->cache[i].cpu_partial = slab->cpu_partial;
                ret->cache[i].cpu_partial_default = slab->cpu_partial_default;
                ret->cache[i].min_partial = slab->min_partial;
                ret->cache[i].min_partial_default = slab->min_partial_default;
                ret->cache[i].order = slab->order;
                ret->cache[i].order_default = slab->order_default;
                ret->cache[i].objects = slab->objects;
                ret->cache[i].sheaf = slab->sheaf;
        }
        ret->defrag = (PlantDefrag) c->thp_defrag;
        ret->thp_enabled = sim_thp_pmd_enabled(c);
        ret->thp_always = c->thp_enabled == 0;
        ret->online = c->n_online;
}

/* FNV-1a over words: of a setting, to remember its rates. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
        const uint8_t *at = data;

        for (; size >= 8; size -= 8, at += 8) {
                uint64_t word;

                memcpy(&word, at, 8);
                hash = (hash ^ word) * UINT64_C(0x100000001b3);
                hash ^= hash >> 29;
        }
        for (; size > 0; size--, at++)
                hash = (hash ^ *at) * UINT64_C(0x100000001b3);
        return hash;
}

/* Settings are zeroed before they are filled: padding does not differ. Of the caches only those there are. */
static uint64_t key_of(const Sim *s, const PlantSettings *x, unsigned phase, double pressure) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325);

        hash = hash_bytes(hash, &phase, sizeof(phase));
        hash = hash_bytes(hash, &pressure, sizeof(pressure));
        hash = hash_bytes(hash, x, offsetof(PlantSettings, cache));
        hash = hash_bytes(hash, x->cache, s->spec->machine.n_caches * sizeof(x->cache[0]));
        hash = hash_bytes(hash, &x->defrag, sizeof(*x) - offsetof(PlantSettings, defrag));
        return hash ? hash : 1;
}

static void rates_compute(const Sim *s, const PlantSettings *settings, unsigned phase,
                          double pressure, PlantRates *ret) {
        PlantWorkload w = s->spec->phase[phase];

        w.pressure = pressure;
        if (s->spec->events_plant) {
                PlantEvents events;

                arena_reset(&s->memo->work);
                if (plant_events(&s->spec->machine, &w, settings, EVENTS_SECONDS, s->spec->seed,
                                 &s->memo->work, &events) == 0) {
                        *ret = events.rates;
                        return;
                }
        }
        plant_analytic(&s->spec->machine, &w, settings, ret);
}

const PlantRates *sim_rates(const Sim *s, const SimConfig *c, const SimPhysics *p, unsigned phase) {
        SimRates *memo = s->memo;
        SimLast last = { .config = c,
                         .version = c->version,
                         .phase = phase,
                         .pressure = sim_pressure(s, p, phase),
                         .lists = lists_of(s, c, p) };
        uint64_t key;

        if (last.config == memo->last.config && last.version == memo->last.version &&
            last.phase == memo->last.phase && last.pressure == memo->last.pressure &&
            memcmp(&last.lists, &memo->last.lists, sizeof(last.lists)) == 0)
                return &memo->rates[memo->last.at];
        settings_of(s, c, &last.lists, &memo->settings);
        key = key_of(s, &memo->settings, phase, last.pressure);
        for (last.at = 0; last.at < SIM_RATES && memo->key[last.at] != key;)
                last.at++;
        if (last.at == SIM_RATES) {
                last.at = memo->next++ % SIM_RATES;
                rates_compute(s, &memo->settings, phase, last.pressure, &memo->rates[last.at]);
                memo->key[last.at] = key;
        }
        memo->last = last;
        return &memo->rates[last.at];
}
