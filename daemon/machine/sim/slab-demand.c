/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the mechanism of a slab cache to demand for its list lock.
 *
 * list_ns is the lock time per page worth of objects with the kernel's defaults of 6.x on this machine. The cache is run so, and as it is
 * set, with the same traffic, and the time goes with the holds of the lock:
 *
 *   D = list_ns * traffic * holds / holds'                                                  (': defaults)
 *
 * What a change of cpu_partial, of order, or of kernel does is the outcome: list_exponent and list_order_factor, fitted to a published series
 * for plant_analytic(), are not used here, and come out (test-slab-events.c: twice and four times cpu_partial, one order more). Holds of a barn (7.x)
 * count like those of the list: nothing published tells their costs apart. */
#include <errno.h>
#include <math.h>

#include "base/macro.h"
#include "machine/sim/plant-events.h"

#define PAGE 4096.0
/* Objects in flight in a queue, and lengths of runs and turns: as for the published statistics in test-slab-events.c. */
#define DEPTH 50u
#define RUN_MU 1.0
#define RUN_SIGMA 0.5
#define TURN_MU 7.0
#define TURN_SIGMA 1.0
#define ALLOCATIONS_LEAST 8000.0 /* by share of the traffic */
#define ALLOCATIONS_MOST 160000.0

typedef struct PerAlloc {
        double holds, refills, slabs; /* slabs: taken, from the list or new */
} PerAlloc;

/* Share of the slabs taken that had to be made: the law that plant_analytic() has. The queues above swing too much to give it. */
static double made_share(const PlantMachine *machine, const PlantCacheSpec *c, unsigned order,
                         double min_partial, unsigned cpus) {
        double kept = (double) (1u << MIN(order, 10u)) * (1 + min_partial / cpus);
        double mu = machine->params.slab_run_mu, sigma = fmax(machine->params.slab_run_sigma, 1e-3);
        double d = (mu - log(kept)) / sigma, share, turnover = fmin(fmax(c->turnover, 0), 1);

        share = 0.5 * erfc(-(d + sigma) / sqrt(2)) -
                kept * exp(-mu - sigma * sigma / 2) * 0.5 * erfc(-d / sqrt(2));
        return turnover + (1 - turnover) * fmin(fmax(share, 0), 1);
}

static int run(const SlabSpec *spec, double allocations, uint64_t seed, Arena *work,
               PerAlloc *ret) {
        size_t mark = arena_mark(work);
        unsigned queues = (unsigned) fmin(fmax(allocations / 200, 8), 256); /* are filled in time */
        size_t slabs = (size_t) queues * DEPTH * 4 / MAX(spec->objects, 1u) +
                       64 * (size_t) spec->cpus + 256;
        SlabLoad load = { .queues = queues,
                          .depth = DEPTH,
                          .run_mu = RUN_MU,
                          .run_sigma = RUN_SIGMA,
                          .turn_mu = TURN_MU,
                          .turn_sigma = TURN_SIGMA,
                          .allocations = (uint64_t) allocations };
        SlabPool *pool = slab_pool_new(work, spec, slabs);
        SlabStats s;
        Random random;
        int r;

        *ret = (PerAlloc){ 0 };
        if (!pool)
                return -ENOMEM;
        random_seed(&random, seed, 17);
        r = slab_load_run(pool, &load, &random, work, &s);
        if (r >= 0) {
                double n = fmax((double) (load.allocations - load.allocations / 2), 1);

                ret->holds = (double) (s.list_holds + s.barn_holds) / n;
                ret->refills = (double) (s.alloc_from_partial + s.sheaf_refill) / n;
                ret->slabs = (double) (s.alloc_from_partial + s.cpu_partial_node + s.alloc_slab) /
                             n;
                if (spec->kind == PLANT_SLAB_SHEAVES)
                        ret->slabs = (double) s.list_moves / 2 / n;
        }
        arena_release(work, mark);
        return r;
}

int slab_demand_find(const PlantMachine *machine, const PlantWorkload *workload,
                     const PlantSettings *settings, size_t cache, uint64_t seed, Arena *work,
                     SlabDemand *ret) {
        const PlantCacheSpec *c = &machine->caches[cache];
        const PlantParams *p = &machine->params;
        double traffic = fmin(fmax(workload->list_factor, 0), 1e6) * fmin(fmax(c->share, 0), 1);
        unsigned nodes = MAX(machine->nodes, 1u);
        unsigned boot = machine->kernel->slab_cpus == SLUB_CPUS_POSSIBLE ? machine->possible
                                                                         : machine->cpus;
        uint64_t reference = 0, size = MAX(c->slab_size, UINT64_C(8));
        uint64_t objects = settings->cache[cache].objects;
        SlubOrder wanted = { .objects = (uint32_t) MAX(4096 / size, UINT64_C(1)) };
        PerAlloc now, before;
        int r;

        *ret = (SlabDemand){ .order = settings->cache[cache].order };
        if (!(traffic > 0))
                return 0;
        if (!slub_compute_order(machine->kernel->slab_loop, size,
                                slub_wanted_objects(MAX(boot, 1u)), 0, 3, 4096, &wanted))
                wanted.objects = (uint32_t) MAX(4096 / size, UINT64_C(1));
        if (!slub_cpu_partial_default(SLUB_PER_CPU_SLABS, size, 4096, false, &reference))
                reference = 30;
        if (objects == 0)
                objects = MAX((UINT64_C(4096) << MIN(ret->order, 10u)) / size, UINT64_C(1));

        SlabSpec spec = { .kind = machine->kernel->slab,
                          .cpus = MAX(settings->online / nodes, 1u),
                          .objects = (unsigned) MIN(objects, UINT64_C(4096)),
                          .cpu_partial = settings->cache[cache].cpu_partial,
                          .min_partial = settings->cache[cache].min_partial,
                          .sheaf_capacity = settings->cache[cache].sheaf };
        SlabSpec standard = { .kind = PLANT_SLAB_SLABS,
                              .cpus = spec.cpus,
                              .objects = wanted.objects,
                              .cpu_partial = reference,
                              .min_partial = slub_min_partial_default(size) };
        double allocations = fmin(fmax(ALLOCATIONS_MOST * c->share, ALLOCATIONS_LEAST),
                                  ALLOCATIONS_MOST);

        r = run(&spec, allocations, seed, work, &now);
        if (r < 0)
                return r;
        r = run(&standard, allocations, seed, work, &before);
        if (r < 0)
                return r;

        double per_unit = traffic * PAGE / (double) size;
        double demand = p->list_ns * traffic * now.holds / fmax(before.holds, 1e-6);

        if (machine->packages > 1)
                demand *= fmax(p->socket_factor, 1);
        ret->visits = now.holds * per_unit;
        ret->service_ns = ret->visits > 0 ? demand / ret->visits : 0;
        ret->refills = now.refills * per_unit;
        ret->made = now.slabs * per_unit *
                    made_share(machine, c, ret->order, (double) spec.min_partial, spec.cpus);
        return 0;
}
