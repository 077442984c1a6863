/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event model: from a machine, a workload and settings to the CPUs of one node (plant-cpus.c), and from what they did to rates. The other
 * nodes do the same. What plant_analytic() takes as given this finds from mechanisms: pages that reach the zone, pages of a hold, how full
 * lists are, what list locks are asked for. What both take as given: times of the parameters, and the assumptions said there.
 *
 * Zone->lock: a hold costs half the handover and half the list work of the blocks that move under it, since parameters are of allocation and free
 * together. hold_p99_ns is of these means: how sizes of holds spread, not times of equal holds. */
#include <errno.h>
#include <math.h>

#include "base/macro.h"
#include "core/act/thp-alignment.h"
#include "machine/sim/plant-cpus.h"

#define WARM_SHARE 0.25 /* of the time asked for, before anything is counted */
#define CPUS_MOST 8192.0

static double within(double x, double floor, double ceiling) {
        return isfinite(x) ? fmin(fmax(x, floor), ceiling) : floor;
}

/* CPUs whose core is shared by two that run, of n. As in plant_analytic(). */
static double paired(double n, double cpus) {
        return n > cpus / 2 && n > 0 ? within(2 * (n - cpus / 2) / n, 0, 1) : 0;
}

static void demand_find(EventNode *node, double busy, double cpus) {
        const PlantMachine *m = node->machine;
        const PlantWorkload *w = node->workload;
        const PlantParams *p = &m->params;
        double think = within(p->think_ns, 0, 1e12) * within(w->think_factor, 0, 1e9);
        double slow = p->smt_slowdown > 1 ? 1 + (p->smt_slowdown - 1) * paired(busy, cpus) : 1;
        bool aligned = m->kernel->thp_alignment == THP_ALIGNMENT_ALWAYS;
        EventDemand *d = &node->demand;

        *d = (EventDemand){
                .think_ns = fmax(think * slow, 1),
                .user_ns = think * slow * within(w->user_share, 0, 1),
                .pages = within(w->pages, 0, 1e4),
                .odd = within(w->high_order, 0, 1),
                .lru_ns = within(p->lru_ns, 0, 1e9) * within(w->lru_factor, 0, 1e6),
                .memory_ns = within(p->memory_ns, 0, 1e9) * within(w->memory_factor, 0, 1e6),
                .page_memory_ns = within(p->memory_ns, 0, 1e9),
                .zone_handover_ns = within(p->zone_handover_ns, 0, 1e9) / 2,
                .zone_block_ns = within(p->zone_page_ns, 0, 1e9) / 2,
                .huge_clear_ns = 512 * 4096 / fmax(p->zero_bytes_per_ns, 1e-6) * slow,
                .run_mu = p->run_mu + log(within(w->run_factor, 1e-9, 1e9)),
                .run_sigma = within(p->run_sigma, 0, 20),
                .remote = within(w->free_remote, 0, 1),
        };
        d->huge = within(w->thp_faults, 0, 1e6) * d->pages / 1000;
        if (aligned) /* maps that no longer merge ask once more */
                d->huge *= 1 + within(p->merge_loss, 0, 1) * within(w->odd_maps, 0, 1);
        d->free_pages = fmax((double) m->memory_bytes / 4096 / fmax(m->nodes, 1) *
                                     (1 - within(w->footprint, 0, 1)),
                             1);
}

static int slabs_find(EventNode *node, uint64_t seed, Arena *work) {
        EventDemand *d = &node->demand;
        double visits = 0, made = 0;
        int r;

        node->n_caches = MIN((size_t) node->machine->n_caches, (size_t) PLANT_CACHES_MAX);
        if (node->n_caches == 0 || !(node->workload->list_factor > 0)) {
                node->n_caches = 0;
                return 0;
        }
        node->slab = ARENA_ARRAY(work, SlabDemand, node->n_caches);
        node->list = ARENA_ARRAY(work, EventLock, node->n_caches);
        node->visits_until = ARENA_ARRAY(work, double, node->n_caches);
        node->made_until = ARENA_ARRAY(work, double, node->n_caches);
        if (!node->slab || !node->list || !node->visits_until || !node->made_until)
                return -ENOMEM;
        for (size_t i = 0; i < node->n_caches; i++) {
                r = slab_demand_find(node->machine, node->workload, node->settings, i, seed + i,
                                     work, &node->slab[i]);
                if (r < 0)
                        return r;
                node->visits_until[i] = visits += node->slab[i].visits;
                node->made_until[i] = made += node->slab[i].made;
                d->list_refills += node->slab[i].refills;
        }
        d->list = within(visits, 0, 1e5);
        d->slabs = within(made, 0, 1e5);
        return 0;
}

/* Somewhere in the middle of things: runs begun, lists filled to a random level. */
static void cpus_settle(EventNode *node) {
        const PlantSettings *s = node->settings;
        const PlantKernel *k = node->machine->kernel;
        uint64_t high_min = s->pcp_high, high_max = s->pcp_high;

        if (k->batch_scale_max > 0 && s->pcp_high_max > 0) {
                high_min = s->pcp_high_min;
                high_max = s->pcp_high_max;
        }
        for (unsigned i = 0; i < node->n; i++) {
                EventCpu *cpu = &node->cpu[i];
                double full = fmin((double) s->pcp_high, node->demand.free_pages / node->n);

                pcp_list_init(&cpu->list, k, s->pcp_batch, s->pcp_high, high_min, high_max);
                cpu->list.count = (uint64_t) (full * draw_uniform(&node->random));
                cpu->list.blocks[0] = cpu->list.count;
                node->parked += (double) cpu->list.count;
                cpu->at_ns = draw_uniform(&node->random) * node->demand.think_ns * 8;
                cpu->tick_at_ns = draw_uniform(&node->random) * 1e9;
                cpu->freeing = random_coin(&node->random);
                cpu->run = event_run_pages(node);
                cpu->left = ceil(cpu->run * draw_uniform(&node->random));
        }
        node->sums.parked_max = node->parked;
}

static void rates_find(const EventNode *node, double busy, double cpus, PlantRates *ret) {
        const EventSums *s = &node->sums;
        double nodes = fmax(node->machine->nodes, 1);
        double ns = node->until_ns - node->from_ns;
        /* of the machine, per second: nodes alike, and whole CPUs that stand for a fraction of one */
        double scale = nodes * (node->n > 0 ? busy / node->n : 0), per_s = scale / ns * 1e9;
        double spin = within(node->workload->app_spin, 0, 1) * cpus * nodes;
        double passing = (double) (node->zone_pages.taken_pages + node->zone_pages.given_pages) / 2;
        double duty = s->covered_ns > 0 ? s->duty / s->covered_ns : event_node_duty(node);
        double direct = within(2 * duty - 1, 0, 1), reclaim;

        ret->work = s->units * per_s;
        ret->slab_pages = s->slab_pages * per_s;
        ret->pages = (s->pages + s->slab_pages + s->huge_pages) * per_s;
        ret->user_cpus = s->user_ns / ns * scale;
        reclaim = fmin(duty, fmax(cpus - busy - spin / nodes, 0)) * nodes;
        ret->kernel_cpus = fmax(busy * nodes - s->idle_ns / ns * scale - ret->user_cpus, 0) + spin +
                           reclaim;
        ret->idle_cpus = fmax(cpus * nodes - ret->kernel_cpus - ret->user_cpus, 0);

        ret->zone_wait = node->zone.wait_ns / ns * scale;
        ret->lru_wait = node->lru.wait_ns / ns * scale;
        for (size_t i = 0; i < node->n_caches; i++) {
                ret->cache_wait[i] = node->list[i].wait_ns / ns * scale;
                ret->list_wait += ret->cache_wait[i];
                ret->list_holds += (double) node->list[i].holds * per_s;
        }
        ret->zone_holds = (double) node->zone.holds * per_s;
        ret->zone_hold_cpus = node->zone.hold_ns / ns * scale;
        ret->hold_pages = node->zone.holds > 0 ? 2 * passing / (double) node->zone.holds : 0;
        ret->refill_pages = passing * per_s;
        if (node->n > 0 && s->covered_ns > 0)
                ret->pcp_pages_per_cpu = s->parked / s->covered_ns / node->n;
        ret->partial_refills = ret->work * node->demand.list_refills;

        ret->thp_faults = s->huge_got * per_s;
        ret->thp_fallbacks = s->huge_missed * per_s;
        ret->compact_stalls = s->stalls * per_s;
        ret->compact_fails = s->fails * per_s;
        /* Pressure and reclaim have no mechanism here: the assumptions of plant_analytic(). */
        ret->stall_some = 1 - (1 - 0.6 * direct) * exp(-s->stall_ns / ns * scale);
        ret->stall_full = fmin(0.3 * direct, ret->stall_some);
        ret->reclaim_scanned = ret->pages * 2 * duty;
        ret->allocstalls = ret->pages * 1e-4 * direct;
}

int plant_events(const PlantMachine *machine, const PlantWorkload *workload,
                 const PlantSettings *settings, double seconds, uint64_t seed, Arena *work,
                 PlantEvents *ret) {
        double cpus = fmin(fmax(settings->online, 1) / fmax(machine->nodes, 1), CPUS_MOST);
        double busy = cpus * within(workload->busy, 0, 1 - within(workload->app_spin, 0, 1));
        size_t mark = arena_mark(work);
        EventNode *node = ARENA_NEW(work, EventNode);
        int r;

        *ret = (PlantEvents){ 0 };
        if (!node)
                return -ENOMEM;
        node->machine = machine;
        node->workload = workload;
        node->settings = settings;
        node->n = busy > 0 ? (unsigned) fmax(round(busy), 1) : 0;
        node->until_ns = within(seconds, 1e-6, 1e4) * 1e9 * (1 + WARM_SHARE);
        node->from_ns = node->until_ns * WARM_SHARE / (1 + WARM_SHARE);
        random_seed(&node->random, seed, 1);
        demand_find(node, busy, cpus);
        node->cpu = ARENA_ARRAY(work, EventCpu, MAX(node->n, 1u));
        node->heap = ARENA_ARRAY(work, unsigned, MAX(node->n, 1u));
        r = node->cpu && node->heap ? slabs_find(node, seed, work) : -ENOMEM;
        if (r >= 0) {
                cpus_settle(node);
                event_node_run(node);
                rates_find(node, busy, cpus, &ret->rates);
                ret->hold_p99_ns = event_node_hold_ns(node, 0.99);
                ret->events = node->sums.events;
                ret->parked_max = node->sums.parked_max;
        }
        arena_release(work, mark);
        return r < 0 ? r : 0;
}
