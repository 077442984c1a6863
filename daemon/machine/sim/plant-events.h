/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/random.h"
#include "machine/sim/plant.h"

/* The mechanisms behind plant_events(), as small machines that tests drive by hand: one list of a CPU, one slab cache, one huge page
 * fault. Nothing in here knows time: they say which locks an operation takes and how many pages or slabs move under each. */

/* --- page lists of a CPU (pcp-events.c) ------------------------------------------------------------------------------------- */

/* Lists are of blocks of order 0 to 3 and of huge pages; migrate types are not told apart. */
enum { PCP_LIST_HUGE = 4, _PCP_LIST_MAX };
#define PCP_HUGE_ORDER 9u /* PMD of 2 MiB with pages of 4 KiB */

typedef struct PcpZoneFlags {
        bool reclaim_active; /* ZONE_RECLAIM_ACTIVE: kswapd works on this node */
        bool below_high; /* ZONE_BELOW_HIGH: free pages below the high watermark (6.7 and later) */
} PcpZoneFlags;

typedef struct PcpStats {
        uint64_t taken_pages,
                given_pages; /* from and to the buddy lists: pages that reached the zone */
        uint64_t taken_blocks, given_blocks;
        uint64_t alloc_holds, free_holds; /* of zone->lock */
        uint64_t hold_pages_most;
} PcpStats;

typedef struct PcpList {
        const PlantKernel *kernel;
        uint64_t batch, high, high_min,
                high_max; /* pages; kernels that do not tune: all three the same */
        uint64_t count;   /* pages */
        uint64_t blocks[_PCP_LIST_MAX];
        unsigned alloc_factor; /* 6.7+: consecutive refills (f of batch << f) */
        uint64_t
                free_count; /* 6.7+: pages of the current run of frees; 5.14 to 6.6: the doubling factor */
        bool prev_free_high_order;
        unsigned expire; /* ticks until a remote list is drained */
        PcpStats stats;
} PcpList;

/* high: the level at the start, clamped at first use where the kernel tunes. */
void pcp_list_init(PcpList *l, const PlantKernel *kernel, uint64_t batch, uint64_t high,
                   uint64_t high_min, uint64_t high_max);
/* Whether blocks of this order stand in lists at all. */
_pure_ bool pcp_list_caches(const PcpList *l, unsigned order);
/* Whether the next allocation of this order takes zone->lock. */
_pure_ bool pcp_list_would_refill(const PcpList *l, unsigned order);
/* One block. Returns the pages moved from the buddy lists in one hold (0: none, the list had one). */
uint64_t pcp_list_alloc(PcpList *l, PcpZoneFlags zone, unsigned order);
/* One block. Returns the pages moved to the buddy lists (0: none); pcp_list_holds() tells in how many holds. */
uint64_t pcp_list_free(PcpList *l, PcpZoneFlags zone, unsigned order);
_pure_ uint64_t pcp_list_holds(const PcpList *l, uint64_t given_pages);
/* vmstat worker of this CPU, each stat_interval: decay of the level (6.7+). Returns pages given to the buddy lists. */
uint64_t pcp_list_tick(PcpList *l);
/* The same for a list of a zone on another node: after three idle ticks one batch goes. */
uint64_t pcp_list_tick_remote(PcpList *l, bool used);
uint64_t pcp_list_drain(PcpList *l); /* drain_all_pages(): everything */

/* --- a slab cache of one node (slab-events.c) ------------------------------------------------------------------------------- */

typedef struct SlabSpec {
        PlantSlab kind;
        unsigned cpus;
        unsigned objects;                     /* of a slab, 1 to 4096 */
        uint64_t cpu_partial;                 /* objects; 0 with sheaves */
        uint64_t min_partial, sheaf_capacity; /* slabs; objects */
} SlabSpec;

/* Names as in the files of CONFIG_SLUB_STATS, where the kernel has one. */
typedef struct SlabStats {
        uint64_t alloc_fastpath, alloc_slowpath, free_fastpath, free_slowpath;
        uint64_t alloc_refill; /* a CPU slab refilled from objects that others freed */
        uint64_t alloc_from_partial, free_add_partial, free_remove_partial, free_frozen;
        uint64_t cpu_partial_alloc, cpu_partial_free, cpu_partial_node, cpu_partial_drain;
        uint64_t alloc_slab, free_slab, deactivate_bypass;
        uint64_t barn_get, barn_put, sheaf_refill, sheaf_flush;
        uint64_t list_holds, list_moves; /* of list_lock: how often taken, slabs moved under it */
        uint64_t barn_holds;
} SlabStats;

typedef struct SlabPool SlabPool;

/* Room for `slabs` slabs at a time; NULL: the arena is full. */
_must_check_ SlabPool *slab_pool_new(Arena *arena, const SlabSpec *spec, size_t slabs);
/* One object on a CPU: the slab it is of; UINT32_MAX: there is no room for another slab. */
uint32_t slab_pool_alloc(SlabPool *c, unsigned cpu);
/* Frees one object of a slab. False, and nothing done: that slab has none in use. */
_must_check_ bool slab_pool_free(SlabPool *c, unsigned cpu, uint32_t slab);
_pure_ const SlabStats *slab_pool_stats(const SlabPool *c);
/* What a CPU parks: slabs, and the objects that the kernel counts as parked (slabs_cpu_partial prints both, up to 6.18). */
void slab_pool_parked(const SlabPool *c, unsigned cpu, uint64_t *ret_slabs, uint64_t *ret_objects);
_pure_ unsigned slab_pool_cpus(const SlabPool *c);
_pure_ uint64_t slab_pool_slabs(const SlabPool *c);  /* that exist */
_pure_ uint64_t slab_pool_in_use(const SlabPool *c); /* objects that users hold */
_pure_ uint64_t slab_pool_cached(const SlabPool *c); /* free objects in sheaves and barn */
/* Slow recount of every list and counter: true if all agree. For tests. */
_must_check_ bool slab_pool_check(const SlabPool *c);

/* Objects that travel: a CPU allocates for a while, for many queues in turn, another frees what stands in queues, as senders and
 * receivers of messages do. */
typedef struct SlabLoad {
        unsigned queues;
        uint64_t depth;           /* objects a queue may hold */
        double run_mu, run_sigma; /* ln objects, of one queue at a time */
        double turn_mu,
                turn_sigma;   /* ln objects, until another CPU, or the same, does something else */
        uint64_t allocations; /* how many */
} SlabLoad;

/* 0, -ENOMEM. Statistics of the second half, after the lists have settled: divide by `allocations / 2`. */
_must_check_ int slab_load_run(SlabPool *c, const SlabLoad *load, Random *random, Arena *arena,
                               SlabStats *ret);

/* What plant_events() needs of a cache, per unit of work. */
typedef struct SlabDemand {
        double visits;     /* of the list lock (with the barn's) */
        double service_ns; /* of each */
        double refills;    /* visits that take slabs from the list */
        double made;       /* slabs made, and freed */
        unsigned order;
} SlabDemand;

/* Runs the cache twice: as it is set, and with the kernel's defaults of 6.x, for which list_ns is meant. */
_must_check_ int slab_demand_find(const PlantMachine *machine, const PlantWorkload *workload,
                                  const PlantSettings *settings, size_t cache, uint64_t seed,
                                  Arena *work, SlabDemand *ret);

/* --- huge page faults (thp-events.c) ---------------------------------------------------------------------------------------- */

typedef struct ThpFault {
        bool asked;                /* a huge page was wanted and may be: else plain small pages */
        bool got, stalled, failed; /* failed: compaction was tried and did not help */
        double stall_ns;
} ThpFault;

/* One fault in a map of 2 MiB or more. marked: madvise(MADV_HUGEPAGE); odd: its length is no multiple of 2 MiB. */
void thp_fault(const PlantMachine *machine, const PlantSettings *settings, bool marked, bool odd,
               Random *random, ThpFault *ret);

/* --- draws ------------------------------------------------------------------------------------------------------------------ */

double draw_uniform(Random *r); /* inside (0, 1) */
double draw_normal(Random *r);
