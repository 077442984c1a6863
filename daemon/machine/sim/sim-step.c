/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time of the simulated machine: counters grow by the steady rates of the model, times two factors of noise.
 *
 *   load   how much work is asked for: pages, faults, user and kernel time alike. Never more than the CPUs can do.
 *   cost   kernel time of the same pages: kernel ticks, waits and holds of locks
 *
 * so that kernel time per page has the cost noise alone. Rates are those of a setting that settled; what takes time moves
 * between them by itself, in steps of a second at most:
 *
 *   level   limit of the list of a CPU on tuning kernels: grows by the pages that were refilled, loses an eighth each second (mm/page_alloc.c
 *           nr_pcp_high(), decay_pcp_high(), 6.7 to 7.3), within [high_min, high_max]; does not grow while the zone is short; unused lists
 *           keep theirs. Growth by runs of frees is left out: under a steady load refills alone reach the ceiling.
 *   parked  pages in the lists: follow what the model says for this limit with a time constant of 2 s; lists of idle CPUs keep their pages (fixed
 *           kernels) or lose what is above the decaying level. A limit that was lowered counts at the next free.
 *   pressure  what the workload says, or what is short when lists and leaks took the free memory: 0 at the high watermark of the
 *           zone, 1 at min. While it lasts lists hold 4 batches at most (zone reclaim active, 5.14 and later); what
 *           that does to rates is the model's.
 *
 * PSI averages are those of kernel/sched/psi.c: every 2 s avg = avg * e^-2/T + share * (1 - e^-2/T). */
#include <math.h>
#include <string.h>

#include "base/macro.h"
#include "machine/sim/sim-private.h"

#define DECAY 0.13353139262452263 /* ln(8/7), 1/s */
#define PARK_SECONDS 2.0
#define STEP_SECONDS 1.0
#define PSI_PERIOD_USEC (2 * USEC_PER_SEC)
#define CACHE_WAIT_SECONDS 60.0

/* The limit that counts: of the list, or four batches while the zone is reclaimed (5.14 and later). */
static double usable(const Sim *s, const SimConfig *c, const SimPhysics *p, unsigned node,
                     double pressure) {
        const SimZone *z = sim_busy_zone(c, node);
        double high = sim_tunes(s, c) ? p->level[node] : (double) z->high_min;
        double least = fmin(high, 4.0 * (double) z->batch);

        return s->kernel->pcp == PCP_GEN_FRACTION ? high : high * (1 - pressure) + least * pressure;
}

/* --- levels, parked pages, pressure --- */

void sim_physics_start(const Sim *s, const SimConfig *c, SimPhysics *p) {
        *p = (SimPhysics){ .used = true };
        for (unsigned i = 0; i < s->spec->machine.nodes; i++)
                p->level[i] = (double) sim_busy_zone(c, i)->high_min;
}

double sim_pages_left(const Sim *s, const SimConfig *c, const SimPhysics *p, unsigned node,
                      unsigned phase) {
        double managed = (double) sim_busy_zone(c, node)->managed;

        return managed * (1 - sim_within(s->spec->phase[phase].footprint, 0, 1)) -
               p->parked[node] * c->node[node].n_online -
               p->leak_bytes / (double) SIM_PAGE_BYTES / s->spec->machine.nodes;
}

static void level_step(const Sim *s, const SimConfig *c, SimPhysics *p, unsigned node,
                       const PlantRates *r, double load, double dt) {
        const SimZone *z = sim_busy_zone(c, node);
        double floor = (double) z->high_min, ceiling = (double) z->high_max;
        double level = p->level[node];
        double refills = c->n_online > 0 ? r->refill_pages * load / c->n_online : 0;
        double least = fmax(floor,
                            p->parked[node] - (double) (z->batch << s->kernel->batch_scale_max));

        if (!sim_tunes(s, c)) {
                if (load > 0 && r->pages > 0)
                        p->level[node] = sim_within(level, fmin(floor, ceiling), ceiling);
                return;
        }
        refills *= 1 - p->pressure;
        level = refills / DECAY + (level - refills / DECAY) * exp(-DECAY * dt);
        if (refills <= 0)
                level = fmax(level, least);
        p->level[node] = sim_within(level, fmin(floor, ceiling), ceiling);
}

void sim_physics_step(const Sim *s, const SimConfig *c, SimPhysics *p, const PlantRates *r,
                      unsigned phase, double load, double dt) {
        double wanted = sim_pressure(s, p, phase), shortest = 0;
        bool works = load > 0 && r->pages > 0;

        p->leak_bytes += fmax(0, s->spec->phase[phase].leak_bytes_per_s) * dt;
        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                const SimZone *z = sim_busy_zone(c, i);
                double high, target, left;

                level_step(s, c, p, i, r, load, dt);
                high = usable(s, c, p, i, wanted);
                target = fmin(r->pcp_pages_per_cpu, high);
                if (works)
                        p->parked[i] = fmin(high, target + (p->parked[i] - target) *
                                                                   exp(-dt / PARK_SECONDS));
                else if (sim_tunes(s, c))
                        p->parked[i] = fmin(p->parked[i], p->level[i]);
                p->parked[i] = fmax(p->parked[i], 0);
                left = sim_pages_left(s, c, p, i, phase);
                if (z->high > z->min)
                        shortest = fmax(shortest,
                                        ((double) z->high - left) / (double) (z->high - z->min));
        }
        p->pressure = sim_within(shortest, 0, 1);
        p->used = p->used || works;
}

/* --- counters --- */

static void step_cpu(Sim *s, double user, double kernel, double dt) {
        double hz = (double) s->spec->machine.hertz_tick, n = s->config.n_online;
        double each_kernel = kernel / n * dt * hz, each_user = user / n * dt * hz;

        IDSET_FOREACH(cpu, &s->config.online) {
                SimCounter *t = &s->time[(size_t) cpu * _SIM_TIME_MAX];

                sim_count(&t[SIM_TIME_USER], each_user);
                sim_count(&t[SIM_TIME_SYSTEM], each_kernel * 0.95);
                sim_count(&t[SIM_TIME_SOFTIRQ], each_kernel * 0.05);
                sim_count(&t[SIM_TIME_IDLE], dt * hz - each_kernel - each_user);
        }
}

/* Every node takes its share of the work in its busy zone. */
static void step_pages(Sim *s, double pages) {
        static const VmKey alloc[SIM_ZONES] = { VM_PGALLOC_DMA, VM_PGALLOC_DMA32,
                                                VM_PGALLOC_NORMAL };

        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                double part = pages * s->config.node[i].n_online / s->config.n_online;

                sim_count(&s->vm[alloc[s->config.node[i].busy]], part);
        }
        sim_count(&s->vm[VM_PGFREE], pages);
        sim_count(&s->vm[VM_PGFAULT], pages);
        sim_count(&s->vm[VM_NUMA_HIT], pages);
        sim_count(&s->vm[VM_NUMA_LOCAL], pages);
}

static void step_reclaim(Sim *s, const PlantRates *r, double amount) {
        bool normal = s->config.node[s->spec->machine.nodes - 1].busy == SIM_ZONE_NORMAL;
        double direct = fmin(r->allocstalls * 32,
                             r->reclaim_scanned); /* SWAP_CLUSTER_MAX a stall */

        sim_count(&s->vm[normal ? VM_ALLOCSTALL_NORMAL : VM_ALLOCSTALL_DMA32],
                  r->allocstalls * amount);
        sim_count(&s->vm[VM_PGSCAN_KSWAPD], (r->reclaim_scanned - direct) * amount);
        sim_count(&s->vm[VM_PGSTEAL_KSWAPD], (r->reclaim_scanned - direct) * amount / 2);
        sim_count(&s->vm[VM_PGSCAN_DIRECT], direct * amount);
        sim_count(&s->vm[VM_PGSTEAL_DIRECT], direct * amount / 2);
        sim_count(&s->vm[VM_COMPACT_STALL], r->compact_stalls * amount);
        sim_count(&s->vm[VM_COMPACT_FAIL], r->compact_fails * amount);
        sim_count(&s->vm[VM_COMPACT_SUCCESS], (r->compact_stalls - r->compact_fails) * amount);
        sim_count(&s->vm[VM_THP_FAULT_ALLOC], r->thp_faults * amount);
        sim_count(&s->vm[VM_THP_FAULT_FALLBACK], r->thp_fallbacks * amount);
}

static void step_psi(Sim *s, const PlantRates *r, double load, usec_t dt_usec) {
        static const double seconds[3] = { 10, 60, 300 };
        double share[2] = { sim_within(r->stall_some * load, 0, 1),
                            sim_within(r->stall_full * load, 0, 1) };
        uint64_t n = (s->psi_rest_usec + dt_usec) / PSI_PERIOD_USEC;
        usec_t rest = (s->psi_rest_usec + dt_usec) % PSI_PERIOD_USEC;

        for (unsigned k = 0; k < 2; k++) {
                double dt = (double) dt_usec;

                sim_count(&s->psi[k], share[k] * dt);
                if (n == 0) {
                        s->psi_pending[k] += share[k] * dt;
                        continue;
                }
                /* the period that ends holds what came before; those after it, if any, are alike */
                double first = (s->psi_pending[k] +
                                share[k] * (double) (PSI_PERIOD_USEC - s->psi_rest_usec)) /
                               (double) PSI_PERIOD_USEC;

                for (unsigned i = 0; i < 3; i++) {
                        double keep = exp(-2 / seconds[i]), *avg = &s->psi_avg[k][i];

                        *avg = *avg * keep + first * (1 - keep);
                        keep = exp(-2.0 * (double) (n - 1) / seconds[i]);
                        *avg = *avg * keep + share[k] * (1 - keep);
                }
                s->psi_pending[k] = share[k] * (double) rest;
        }
        s->psi_rest_usec = rest;
}

static void step_locks(Sim *s, const PlantRates *r, double amount, double cost) {
        const double wait[_SIM_LOCK_MAX] = { r->zone_wait, r->list_wait, r->lru_wait };
        /* pages go to lru lists in batches of 15 (pagevec) */
        const double takes[_SIM_LOCK_MAX] = { r->zone_holds, r->list_holds, r->pages / 15 };
        const double held[_SIM_LOCK_MAX] = { r->zone_hold_cpus, r->list_holds * 2e-7,
                                             r->pages * s->spec->machine.params.lru_ns * 1e-9 };

        for (unsigned i = 0; i < _SIM_LOCK_MAX; i++) {
                SimLockCount *l = &s->lock[i];
                double online = s->config.n_online;

                sim_count(&l->wait_nsec, wait[i] * cost * amount * 1e9);
                sim_count(&l->takes, takes[i] * amount);
                sim_count(&l->hold_nsec, held[i] * amount * 1e9);
                /* who meets one that waits or holds has to wait */
                sim_count(&l->waits, takes[i] * amount * sim_within(2 * wait[i] / online, 0, 1));
        }
}

static void step_counters(Sim *s, const PlantRates *r, double dt) {
        double online = s->config.n_online, cost = s->cost_factor;
        double kernel = r->kernel_cpus * cost, busy = kernel + r->user_cpus;
        /* no more work than the CPUs can do */
        double load = busy > 0 ? fmin(s->load_factor, online / busy) : s->load_factor;
        double fade = exp(-dt / CACHE_WAIT_SECONDS);

        s->load_factor = load;
        step_cpu(s, r->user_cpus * load, kernel * load, dt);
        step_pages(s, r->pages * load * dt);
        step_reclaim(s, r, load * dt);
        step_locks(s, r, load * dt, cost);
        for (unsigned i = 0; i < s->spec->machine.n_caches; i++)
                s->cache_wait[i] = s->cache_wait[i] * fade +
                                   r->cache_wait[i] * cost * load * (1 - fade);
}

static void note_parked(Sim *s) {
        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                double managed = (double) sim_busy_zone(&s->config, i)->managed;

                if (managed > 0)
                        s->parked_max = fmax(s->parked_max, s->physics.parked[i] *
                                                                    s->config.node[i].n_online /
                                                                    managed);
        }
}

void sim_step(Sim *s, usec_t dt_usec) {
        double left = (double) dt_usec / 1e6, cost = sim_noise_next(&s->cost_noise, left),
               load = sim_noise_next(&s->load_noise, left);

        if (dt_usec == 0)
                return;
        s->now_usec += dt_usec;
        s->uptime_usec += dt_usec;
        s->cost_factor = cost;
        while (left > 1e-9) {
                double dt = fmin(left, STEP_SECONDS);

                s->rates = *sim_rates(s, &s->config, &s->physics, s->phase);
                s->load_factor = load;
                step_counters(s, &s->rates, dt);
                sim_physics_step(s, &s->config, &s->physics, &s->rates, s->phase, s->load_factor,
                                 dt);
                note_parked(s);
                left -= dt;
        }
        step_psi(s, &s->rates, s->load_factor, dt_usec);
        sim_gauges(s);
}
