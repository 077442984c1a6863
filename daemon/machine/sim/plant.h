/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/arena.h"
#include "base/units.h"
#include "core/act/pcp.h"
#include "core/act/slub.h"

/* The model behind the simulated machine. One description of a machine, one of a workload, the settings in force; out come
 * steady rates. Two ways to get them, with the same parameters:
 *
 *   plant_analytic()  exact mean value analysis of a closed network: microseconds; what controllers are tried on
 *   plant_events()    events of single refills, frees, drains, slab refills and huge page faults: 0.1 to 1 s of machine time;
 *                     shows mechanisms, and checks the first
 *
 * Rates are of one node with 1/nodes of the load: nodes are alike (but for CPUs that are offline). Times are nanoseconds in double. */
#define PLANT_NODES_MAX 64
#define PLANT_CACHES_MAX 512

typedef enum PlantSlab { PLANT_SLAB_OBJECTS, PLANT_SLAB_SLABS, PLANT_SLAB_SHEAVES } PlantSlab;

/* What a generation of kernels does. Rows are in kernel-table.c, each with its source. */
typedef struct PlantKernel {
        const char *name;    /* "4.18", "5.10", "6.1", "6.12", "6.18", "7.2", "7.3" */
        const char *release; /* as uname shows it */
        PcpGen pcp;
        uint64_t batch_cap_bytes;
        unsigned batch_scale_max; /* refill up to batch << this (6.7 and later), 0: batch */
        bool split_free; /* bulk frees are cut into batches with the lock dropped between (7.x) */
        unsigned free_high_batches; /* high-order frees drain a list after this many batches ... */
        bool free_high_half_min;    /* ... plus high_min / 2 */
        bool high_order_lists;      /* orders 0-3 and PMD are cached (5.14 and later) */
        PlantSlab slab;
        SlubCpus slab_cpus;
        SlubLoop slab_loop;
        bool order_writable;      /* slab/CACHE/order (before 5.9) */
        bool min_partial_clamped; /* 5..10 (up to 5.15) */
        bool pcp_shown;           /* zoneinfo prints high_min, high_max */
        bool thp_sizes;           /* hugepages-*kB (6.8) */
        bool slab_names;          /* slab_* boot parameters (6.8) */
        unsigned thp_alignment;   /* ThpAlignment: never, always, multiple */
} PlantKernel;

const PlantKernel *plant_kernels(size_t *ret_n);
_pure_ const PlantKernel *plant_kernel_find(const char *name);

/* Fitted or assumed parameters of a machine. Every one can be changed by factor in a scenario (robustness tests). */
typedef struct PlantParams {
        double zone_handover_ns; /* a: cost of taking zone->lock for one batch, alloc and free together */
        double zone_page_ns; /* b: list work per page under zone->lock, alloc and free together */
        double lru_ns;       /* lru lock, per page */
        double think_ns;     /* Z: everything else, per page, of the reference workload */
        double memory_ns;    /* D_m: bandwidth station, per page */
        double list_ns; /* d1: node list lock of slabs, per page worth of slab traffic, at cpu_partial x1 and default order */
        double list_exponent;     /* e: list demand falls with cpu_partial factor k as k^-e */
        double list_order_factor; /* fo: one order more multiplies it */
        double smt_slowdown;      /* both threads of a core busy; 1: none */
        double socket_factor;     /* more than one socket takes part; 1: none */
        double run_mu,
                run_sigma; /* ln pages of a run of allocations before frees (lognormal); sigma 0: every page reaches the zone */
        double cold_ns,
                llc_bytes; /* parked pages gone cold: c(h) = cold * max(0, 1 - llc / (N * h * page)) */
        double slab_run_mu,
                slab_run_sigma; /* the same of slab objects, in pages' worth: decides how often slabs are made and freed */
        double slab_page_ns;      /* cost of making or freeing one slab beyond zone->lock */
        double zero_bytes_per_ns; /* bandwidth of clearing huge pages */
        double compact_stall_ms, compact_sigma; /* direct compaction: median stall and ln sigma */
        double fragmentation; /* probability that a huge page needs direct compaction */
        double merge_loss;    /* THP alignment of odd lengths: share of maps that no longer merge */
        double tlb_gain;      /* eta: part of think time saved on pages in huge pages */
} PlantParams;

/* The same as a table, for files, fits, sweeps and robustness tests. */
typedef struct PlantParamSpec {
        const char *name; /* "zone_handover_ns" */
        size_t offset;
        double def, floor, ceiling;
        const char *unit, *help;
} PlantParamSpec;

const PlantParamSpec *plant_param_specs(size_t *ret_n);
_pure_ const PlantParamSpec *plant_param_find(const char *name);
void plant_params_init(PlantParams *ret); /* the defaults of the table */

typedef struct PlantCacheSpec {
        char name[48];
        uint64_t object_size, slab_size; /* bytes; slab_size with metadata */
        double share;                    /* of the slab traffic of the workload, 0..1 */
        double turnover; /* share of the slabs asked for that are made anew and freed whole, as for objects that live and die with
                          * processes, 0..1; 0: as the run law says */
} PlantCacheSpec;

typedef struct PlantMachine {
        char name[64];
        const PlantKernel *kernel;
        unsigned cpus, nodes, packages; /* online at start; all nodes alike */
        unsigned possible;              /* possible CPUs; >= cpus */
        unsigned slab_boot_cpus;    /* CPUs counted when caches were made; 0: as the kernel does */
        uint64_t memory_bytes;      /* of all nodes */
        uint64_t hertz_tick;        /* USER_HZ, 100 */
        bool hypervisor, lock_stat; /* lock_stat: waits are measured, else nothing measures them */
        bool psi;
        PlantParams params;
        PlantCacheSpec caches[PLANT_CACHES_MAX];
        unsigned n_caches;
} PlantMachine;

/* A regime of a workload. Everything is a cause (what programs do), nothing an outcome. */
typedef struct PlantWorkload {
        char name[48];
        double busy; /* share of online CPUs that run it, 0..1 */
        double pages; /* page allocations per unit of work; scales zone and lru demand (1: page faults; 0: none) */
        double think_factor; /* times params.think_ns */
        double user_share;   /* of think time that is user time, 0..1 */
        double lru_factor, memory_factor,
                list_factor; /* times the machine's; list_factor 0: no slab traffic */
        double app_spin; /* kernel CPU of other causes, share of all CPUs (an application's own lock) */
        double run_factor; /* times the machine's run length */
        double high_order; /* share of pages allocated as orders 1 to 3, as network receive does */
        double free_remote; /* share of pages freed on another CPU than they were taken on: a list fills here, empties there */
        double thp_faults;       /* huge page faults wanted per 1,000 pages */
        double thp_marked;       /* share of them in madvised regions */
        double odd_maps;         /* share of mappings that are >= 2 MiB and no multiple */
        double footprint;        /* share of memory in use */
        double pressure;         /* 0..1: how much of the time kswapd reclaims */
        double leak_bytes_per_s; /* unreclaimable slab growth */
} PlantWorkload;

typedef struct PlantWorkloadSpec {
        const char *name;
        size_t offset;
        double def, floor, ceiling;
        const char *unit, *help;
} PlantWorkloadSpec;

const PlantWorkloadSpec *plant_workload_specs(size_t *ret_n);
_pure_ const PlantWorkloadSpec *plant_workload_find(const char *name);
void plant_workload_init(PlantWorkload *ret);

/* What is set now. */
typedef enum PlantDefrag {
        PLANT_DEFRAG_ALWAYS,
        PLANT_DEFRAG_DEFER,
        PLANT_DEFRAG_DEFER_MADVISE,
        PLANT_DEFRAG_MADVISE,
        PLANT_DEFRAG_NEVER
} PlantDefrag;

typedef struct PlantSettings {
        uint64_t pcp_batch,
                pcp_high; /* of the busy zone of a node, pages; of tuning kernels the level reached (high_min..high_max) */
        bool pcp_pinned; /* a fraction is set */
        uint64_t pcp_high_min, pcp_high_max;
        uint64_t pcp_default_high; /* at fraction 0 (floor on tuning kernels) */
        struct {
                uint64_t cpu_partial, cpu_partial_default, min_partial, min_partial_default;
                unsigned order, order_default;
                uint64_t objects;
                uint64_t sheaf;
        } cache[PLANT_CACHES_MAX];
        PlantDefrag defrag;
        bool thp_enabled, thp_always; /* enabled != never; == always */
        unsigned online;              /* CPUs, all nodes */
} PlantSettings;

/* Steady rates of the whole machine; CPU times in CPUs (CPU-seconds per second). */
typedef struct PlantRates {
        double work;  /* units of work per second (throughput) */
        double pages; /* pages allocated per second */
        double kernel_cpus, user_cpus, idle_cpus;
        double zone_wait, list_wait, lru_wait; /* CPUs waiting */
        double zone_holds, list_holds;         /* acquisitions per second */
        double zone_hold_cpus;                 /* CPUs holding it */
        double hold_pages;                     /* mean pages of a hold */
        double pcp_pages_per_cpu;              /* parked, steady */
        double refill_pages;                   /* pages per second that reach the zone */
        double cache_wait[PLANT_CACHES_MAX];   /* CPUs waiting for the list lock of a cache */
        double slab_pages;                     /* pages per second that slabs allocate (and free) */
        double partial_refills;                /* per second, from node lists */
        double thp_faults, thp_fallbacks, compact_stalls, compact_fails; /* per second */
        double stall_some, stall_full;                                   /* PSI, share of time */
        double reclaim_scanned, allocstalls;                             /* per second */
} PlantRates;

void plant_analytic(const PlantMachine *machine, const PlantWorkload *workload,
                    const PlantSettings *settings, PlantRates *ret);

/* The event model: `seconds` of machine time from a settled state. work: memory for heaps and queues. 0 or -ENOMEM. */
typedef struct PlantEvents {
        PlantRates rates;
        double hold_p99_ns;
        uint64_t events;
        double parked_max; /* pages of one node, largest seen */
} PlantEvents;

_must_check_ int plant_events(const PlantMachine *machine, const PlantWorkload *workload,
                              const PlantSettings *settings, double seconds, uint64_t seed,
                              Arena *work, PlantEvents *ret);
