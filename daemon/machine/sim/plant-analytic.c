/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steady rates of a machine by mean value analysis: one node is a closed network of its busy CPUs with the stations zone->lock, lru lock,
 * memory bus and the node list lock of every slab cache that the workload uses. The rest is think time.
 *
 *   zone   D = pages that pass the list of a CPU * (a / 2 * (1 / B_alloc + 1 / B_free) + b); a: handing over the lock, once a batch
 *   m(h)   = E[(L - h)+] / E[L] of them pass it, for runs L of allocations with lognormal length and lists of h pages
 *   list   D = d1 * k^-e * fo^log2(O / O'): k parked objects of a CPU against the default of 6.x, O objects of a slab against those
 *          that the kernel wants for all CPUs of the machine
 *
 * Pages of slabs follow from objects: a CPU that finds its own slabs used up asks the node's list (for 1 + c slabs: mm/slub.c
 * get_partial_node()); it is empty as often as a run of the slab law exceeds what it keeps; then a slab is made, and later freed:
 * order 0 goes through the lists of pages, larger ones do only where the kernel caches them, else each takes zone->lock twice.
 *
 * Costs here are causes: no outcome is a parameter. What it cannot see: tails, transients, who waits for whom. */
#include <math.h>

#include "base/macro.h"
#include "core/act/thp-alignment.h"
#include "machine/sim/mva.h"
#include "machine/sim/plant.h"

#define PAGE 4096.0
#define HUGE_PAGES 512.0
#define FREE_SCALE 32.0 /* bulk frees grow to batch << 5 (5.14 and later) */
/* Share of a slab that is free when a CPU gets it: 20.7 to 22.2 of 32 objects a slab in the slabinfo statistics of "[PATCH v2 2/2]
 * mm/slub: increase default cpu partial list sizes" (linux-mm, 2021-10-12): allocations / slabs taken. */
#define SLAB_FREE_SHARE (2.0 / 3.0)

enum { ZONE, LRU, MEMORY, LIST };

static double within(double x, double floor, double ceiling) {
        return isfinite(x) ? fmin(fmax(x, floor), ceiling) : floor;
}

static double normal_cdf(double x) {
        return 0.5 * erfc(-x / sqrt(2));
}

/* E[(L - h)+] of a lognormal L: the call price of Black and Scholes without interest. */
static double run_beyond(double mu, double sigma, double h) {
        double mean = exp(mu + sigma * sigma / 2);

        if (h <= 0)
                return mean;
        if (sigma <= 0)
                return fmax(0, mean - h);
        double d = (mu - log(h)) / sigma;
        return fmax(0, mean * normal_cdf(d + sigma) - h * normal_cdf(d));
}

static double run_share(double mu, double sigma, double h) {
        return within(run_beyond(mu, sigma, h) / exp(mu + sigma * sigma / 2), 0, 1);
}

/* Lists of pages of one CPU. */
typedef struct Lists {
        double share;       /* m: pages that pass the zone, of all */
        double alloc, free; /* pages of one refill, of one bulk free */
        double holds;       /* of zone->lock per page that passes it */
        double handover;    /* handing over, in units of a, per such page */
        double parked;      /* pages of a busy CPU */
} Lists;

static void lists_find(const PlantMachine *m, const PlantWorkload *w, double batch, double high,
                       Lists *ret) {
        const PlantKernel *k = m->kernel;
        double remote = within(w->free_remote, 0, 1), sigma = m->params.run_sigma;
        double mu = m->params.run_mu + log(within(w->run_factor, 1e-9, 1e9));
        double burst = INFINITY; /* pages that a list lacks or has too many of, once it does */

        batch = fmax(batch, 1);
        high = fmax(high, 0);
        ret->share = 1;
        if (sigma > 0) {
                double d = high > 0 ? (mu - log(high)) / sigma : INFINITY;
                double chance = normal_cdf(d);

                ret->share = remote + (1 - remote) * run_share(mu, sigma, high);
                burst = chance > 1e-12 ? run_beyond(mu, sigma, high) / chance : 0;
                if (remote > 0)
                        burst = fmax(burst, exp(mu + sigma * sigma / 2));
        }
        /* Refills grow while nothing is freed (6.7), bulk frees while nothing is allocated (5.14), both to high - batch at most. */
        double room = fmax(high - batch, batch);
        double refill = fmin(batch * pow(2, k->batch_scale_max), room);
        double bulk = k->pcp >= PCP_GEN_HIGH ? fmin(batch * FREE_SCALE, room) : batch;
        ret->alloc = fmin(fmax(burst, batch),
                          fmax(refill, batch)); /* a run without end fills the room */
        ret->free = fmin(fmax(burst, batch), fmax(bulk, batch));
        double pieces = k->split_free ? batch : ret->free;
        ret->holds = 1 / ret->alloc + 1 / pieces;
        ret->handover = ret->holds / 2;

        /* Runs up and down: half full between a refill and a bulk free; short runs leave a list near its limit. */
        double mean = sigma > 0 ? exp(mu + sigma * sigma / 2) : INFINITY;
        double local = fmax(high - fmin(mean, high) / 2, 0);
        ret->parked = (1 - remote) * local + remote * (fmin(batch, high) + high) / 2;
}

typedef struct Slab {
        double objects;         /* per unit of work */
        double demand;          /* of the node list lock, ns */
        double refills, drains; /* holds of the node list lock */
        double made;            /* slabs made (and freed) */
        double order;
} Slab;

/* A cache as the kernel would have made it for all CPUs of the machine. */
static double objects_wanted(const PlantMachine *m, uint64_t slab_size) {
        unsigned n = m->kernel->slab_cpus == SLUB_CPUS_POSSIBLE ? m->possible : m->cpus;
        SlubOrder o;

        if (!slub_compute_order(m->kernel->slab_loop, slab_size, slub_wanted_objects(MAX(n, 1u)), 0,
                                3, (uint64_t) PAGE, &o))
                return 0;
        return o.objects;
}

static void slab_find(const PlantMachine *m, const PlantWorkload *w, const PlantSettings *s,
                      size_t i, double cpus_of_node, Slab *ret) {
        const PlantParams *p = &m->params;
        const PlantCacheSpec *c = &m->caches[i];
        double size = fmax((double) c->slab_size, 8);
        double order = s->cache[i].order, slabs = 0, more = 0, parked = 0;
        double objects = s->cache[i].objects > 0 ? (double) s->cache[i].objects
                                                 : fmax(1, floor(PAGE * pow(2, order) / size));
        double wanted = objects_wanted(m, c->slab_size), limit = (double) s->cache[i].cpu_partial;
        double gain = fmax(1, objects * SLAB_FREE_SHARE);
        uint64_t reference;

        /* Half of the limit is taken from the node's list beyond the first slab. */
        switch (m->kernel->slab) {
        case PLANT_SLAB_OBJECTS: /* counted when a slab is added, so nearly empty ones count little */
                slabs = limit > 0 ? limit + 1 : 0;
                more = limit > 0 ? ceil((floor(limit / 2) + 1) / gain) - 1 : 0;
                parked = 2 * limit;
                break;
        case PLANT_SLAB_SLABS:
                slabs = slub_effective_slabs(s->cache[i].cpu_partial, (uint64_t) objects);
                more = floor(slabs / 2) + (slabs > 0);
                slabs = fmax(slabs, 1);
                parked = 2 * limit;
                break;
        case PLANT_SLAB_SHEAVES: /* main, spare and one to be freed */
                gain = fmax(1, (double) s->cache[i].sheaf);
                slabs = 1;
                parked = 3 * (double) s->cache[i].sheaf;
                break;
        }
        if (!slub_cpu_partial_default(SLUB_PER_CPU_SLABS, c->slab_size, (uint64_t) PAGE, false,
                                      &reference) ||
            reference == 0)
                reference = 30;

        double traffic = within(w->list_factor, 0, 1e6) * within(c->share, 0, 1);
        double k = fmax(parked, 1) / (2 * (double) reference);
        double larger = wanted > 0 ? log2(objects / wanted) : 0;
        ret->order = order;
        ret->objects = traffic * PAGE / size;
        ret->demand = p->list_ns * traffic * pow(k, -p->list_exponent) *
                      pow(fmax(p->list_order_factor, 1e-3), within(larger, -12, 12));
        ret->refills = ret->objects / (gain * (1 + more));
        ret->drains = ret->objects / (gain * fmax(slabs, 1));

        double kept = pow(2, order) *
                      (1 + (double) s->cache[i].min_partial / fmax(cpus_of_node, 1));
        /* Taking more slabs at once leaves the node's list empty more often: slabs made go by slabs taken, not by refills (in the same
         * statistics refills fell to 57 and 29 % while slabs made fell to 80 and 79 %). */
        double turnover = within(c->turnover, 0, 1);
        ret->made = ret->objects / gain *
                    (turnover +
                     (1 - turnover) * run_share(p->slab_run_mu, p->slab_run_sigma, kept));
}

/* Huge pages wanted, got and not got, per unit of work. */
typedef struct Huge {
        double got, missed, stalls, fails, stall_ns;
} Huge;

static void huge_find(const PlantMachine *m, const PlantWorkload *w, const PlantSettings *s,
                      Huge *ret) {
        const PlantParams *p = &m->params;
        double marked = within(w->thp_marked, 0, 1), odd = within(w->odd_maps, 0, 1);
        double wanted = within(w->thp_faults, 0, 1e6) * within(w->pages, 0, 1e6) / 1000;
        double hard = within(p->fragmentation, 0, 1);

        *ret = (Huge){ 0 };
        if (!s->thp_enabled)
                return;
        /* Maps of odd length get huge pages where they are aligned; where they then no longer merge with their neighbours
         * each needs a huge page more. */
        bool aligned = m->kernel->thp_alignment == THP_ALIGNMENT_ALWAYS;
        wanted *= 1 - odd + (aligned ? odd * (1 + within(p->merge_loss, 0, 1)) : 0);
        double eager = wanted * marked, other = s->thp_always ? wanted * (1 - marked) : 0;

        double stalls = 0;
        switch (s->defrag) {
        case PLANT_DEFRAG_ALWAYS:
                stalls = (eager + other) * hard;
                break;
        case PLANT_DEFRAG_DEFER_MADVISE:
        case PLANT_DEFRAG_MADVISE:
                stalls = eager * hard;
                break;
        case PLANT_DEFRAG_DEFER:
        case PLANT_DEFRAG_NEVER:
                break;
        }
        /* Compaction fails as often as memory is hard to compact. */
        ret->stalls = stalls;
        ret->fails = stalls * hard;
        ret->missed = (eager + other) * hard - stalls + ret->fails;
        ret->got = eager + other - ret->missed;
        ret->stall_ns = p->compact_stall_ms * 1e6 * exp(p->compact_sigma * p->compact_sigma / 2);
}

/* Both threads of a core run: the share of n threads on `cpus` CPUs with two a core. */
static double paired(double n, double cpus) {
        return n > cpus / 2 && n > 0 ? within(2 * (n - cpus / 2) / n, 0, 1) : 0;
}

void plant_analytic(const PlantMachine *machine, const PlantWorkload *workload,
                    const PlantSettings *settings, PlantRates *ret) {
        const PlantParams *p = &machine->params;
        const PlantWorkload *w = workload;
        double nodes = fmax(machine->nodes, 1);
        double cpus = fmax(settings->online, 1) / nodes;
        double spin = within(w->app_spin, 0, 1);
        double n = cpus * within(w->busy, 0, 1 - spin);
        double batch = (double) settings->pcp_batch, high = (double) settings->pcp_high;
        double pages = within(w->pages, 0, 1e6), odd = within(w->high_order, 0, 1);
        double memory = (double) machine->memory_bytes / PAGE / nodes;

        *ret = (PlantRates){ 0 };

        /* Lists that hold most of what is free make the kernel reclaim. */
        Lists calm, tight;
        lists_find(machine, w, batch, high, &calm);
        double free_pages = fmax(memory * (1 - within(w->footprint, 0, 1)), 1);
        double crowd = within(2 * (calm.parked * n / free_pages - 0.5), 0, 1);
        double pressure = fmax(within(w->pressure, 0, 1), crowd);
        /* While kswapd runs a list holds min(4 * batch, high): from 5.14. */
        lists_find(machine, w, batch,
                   machine->kernel->pcp >= PCP_GEN_HIGH ? fmin(4 * batch, high) : high, &tight);

        double a = p->zone_handover_ns, b = p->zone_page_ns;
        double think = p->think_ns * within(w->think_factor, 0, 1e9), user = think;
        double demand[MVA_STATIONS_MAX] = { 0 }, holds = 0, passing = 0;
        size_t cache_of[MVA_STATIONS_MAX], n_stations = LIST;

        /* Single pages, and blocks of order 1 to 3 (order 2 in the mean), of the workload. */
        for (unsigned i = 0; i < 2; i++) {
                const Lists *l = i == 0 ? &calm : &tight;
                double part = i == 0 ? 1 - pressure : pressure;
                double single = part * pages * (1 - odd) * l->share;
                double blocks = part * pages * odd / 4;
                double block_holds = 2, block_share = 1;

                if (machine->kernel->high_order_lists) {
                        block_holds = 4 * l->holds;
                        block_share = l->share;
                }
                demand[ZONE] += single * (a * l->handover + b) +
                                blocks * block_share * (a * block_holds / 2 + b);
                holds += single * l->holds + blocks * block_share * block_holds;
                passing += single + 4 * blocks * block_share;
        }

        double slab_pages = 0, refills = 0, list_holds = 0;
        for (size_t i = 0; i < MIN((size_t) machine->n_caches, (size_t) PLANT_CACHES_MAX); i++) {
                Slab slab;

                if (w->list_factor <= 0 || machine->caches[i].share <= 0)
                        continue;
                slab_find(machine, w, settings, i, cpus, &slab);
                double each = pow(2, slab.order);
                double slab_holds = slab.made * 2;
                if (slab.order <
                    0.5) /* freed where it became empty, not where it was made: always passes */
                        slab_holds = slab.made * calm.holds;
                else if (machine->kernel->high_order_lists && slab.order < 3.5)
                        slab_holds = slab.made * fmin(2, each * calm.holds);
                demand[ZONE] += a * slab_holds / 2 + b * slab.made;
                holds += slab_holds;
                passing += slab.made * each;
                slab_pages += slab.made * each;
                think += slab.made * p->slab_page_ns;
                refills += slab.refills;
                list_holds += slab.refills + slab.drains;
                demand[n_stations] = slab.demand;
                if (machine->packages > 1)
                        demand[n_stations] *= fmax(p->socket_factor, 1);
                cache_of[n_stations++] = i;
        }

        demand[LRU] = p->lru_ns * pages * within(w->lru_factor, 0, 1e6);
        demand[MEMORY] = p->memory_ns * pages * within(w->memory_factor, 0, 1e6);

        /* Huge pages: clearing, stalls, and what they save. One that is not got is faulted page by page. */
        Huge huge;
        huge_find(machine, w, settings, &huge);
        double clear_ns = HUGE_PAGES * PAGE / fmax(p->zero_bytes_per_ns, 1e-6);
        double huge_pages = huge.got * HUGE_PAGES;
        double covered = huge_pages > 0 ? huge_pages / (huge_pages + pages) : 0;
        double user_share = within(w->user_share, 0, 1);
        user = user * user_share * (1 - within(p->tlb_gain, 0, 0.9) * covered);
        think = user + (think - p->think_ns * within(w->think_factor, 0, 1e9) * user_share) +
                huge.got * clear_ns + huge.stalls * huge.stall_ns;
        demand[MEMORY] += p->memory_ns * huge_pages;

        /* Parked pages that left the cache. */
        double parked_bytes = n * calm.parked * PAGE;
        if (parked_bytes > p->llc_bytes)
                think += pages * p->cold_ns * (1 - p->llc_bytes / parked_bytes);
        /* Direct reclaim: above half of the time it is in the way of allocations (assumed: up to 4 times the think time). */
        double direct = within(2 * pressure - 1, 0, 1);
        think *= 1 + 3 * direct * fmin(pages, 1);

        double slow = p->smt_slowdown > 1 ? 1 + (p->smt_slowdown - 1) * paired(n, cpus) : 1;
        think *= slow;
        user *= slow;

        Mva mva;
        mva_solve(demand, n_stations, think, n, &mva);
        double x = mva.throughput * nodes; /* per ns, of the machine */
        double per_s = x * 1e9;

        ret->work = per_s;
        ret->slab_pages = per_s * slab_pages;
        ret->thp_faults = per_s * huge.got;
        ret->pages = per_s * (pages + slab_pages + huge_pages);
        ret->user_cpus = x * user;
        double reclaim = fmin(pressure, cpus - n - spin * cpus > 0 ? 1 : 0) * nodes;
        double busy = n * nodes + spin * cpus * nodes;
        reclaim = fmin(reclaim, fmax(cpus * nodes - busy, 0));
        ret->kernel_cpus = fmax(n * nodes - ret->user_cpus, 0) + spin * cpus * nodes + reclaim;
        ret->idle_cpus = fmax(cpus * nodes - ret->kernel_cpus - ret->user_cpus, 0);
        ret->zone_wait = mva.wait[ZONE] * nodes;
        ret->lru_wait = mva.wait[LRU] * nodes;
        for (size_t i = LIST; i < n_stations; i++) {
                ret->cache_wait[cache_of[i]] = mva.wait[i] * nodes;
                ret->list_wait += mva.wait[i] * nodes;
        }
        ret->zone_holds = per_s * holds;
        ret->list_holds = per_s * list_holds;
        ret->zone_hold_cpus = mva.serve[ZONE] * nodes;
        ret->hold_pages = holds > 0 ? 2 * passing / holds : 0;
        ret->pcp_pages_per_cpu = pages > 0 ? (1 - pressure) * calm.parked + pressure * tight.parked
                                           : 0;
        ret->refill_pages = per_s * passing;
        ret->partial_refills = per_s * refills;
        ret->thp_fallbacks = per_s * huge.missed;
        ret->compact_stalls = per_s * huge.stalls;
        ret->compact_fails = per_s * huge.fails;

        /* PSI: some task stalls (independent stalls); all do only under direct reclaim. Shares of reclaim are assumed. */
        double stalling = per_s * huge.stalls * huge.stall_ns * 1e-9;
        double some = 1 - (1 - 0.6 * direct) * exp(-stalling);
        ret->stall_some = within(some, 0, 1);
        ret->stall_full = within(0.3 * direct, 0, ret->stall_some);
        ret->reclaim_scanned = ret->pages * 2 * pressure;
        ret->allocstalls = ret->pages * 1e-4 * direct;
}
