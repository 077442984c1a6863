/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/slab.h"
#include "core/topology.h"

/* What SLUB computes for a cache: order, objects per slab, cpu_partial, min_partial, sheaf
 * capacity. Distributions back-port parts of it one by one, so each part of the model is found
 * from what the caches of the machine show. */

/* What a cache keeps per CPU. */
typedef enum SlubPerCpu {
        SLUB_PER_CPU_UNKNOWN,
        SLUB_PER_CPU_OBJECTS, /* cpu_partial counts free objects (up to 5.15) */
        SLUB_PER_CPU_SLABS,   /* cpu_partial becomes a number of slabs (5.16 to 6.19) */
        SLUB_PER_CPU_SHEAVES, /* arrays of sheaf_capacity objects (7.0 and later) */
} SlubPerCpu;

_const_ const char *slub_per_cpu_to_string(SlubPerCpu p);

/* Which CPUs decide how many objects a slab should hold. */
typedef enum SlubCpus {
        SLUB_CPUS_PRESENT,  /* present CPUs; possible ones if that is 1 or less (5.11 and later) */
        SLUB_CPUS_POSSIBLE, /* nr_cpu_ids: highest possible CPU + 1 (up to 5.10) */
        SLUB_CPUS_FITTED,   /* neither: the number that explains the caches (made too early) */
        SLUB_CPUS_BOOT,     /* {slab,slub}_min_objects= is on the command line */
} SlubCpus;

typedef enum SlubLoop {
        SLUB_LOOP_FEWER, /* retries with one object fewer (up to 6.6) */
        SLUB_LOOP_HALF,  /* accepts up to half of a slab as waste instead (6.7 and later) */
} SlubLoop;

/* Boot parameters, as they are in force. */
typedef struct SlubParams {
        bool known;           /* the command line was read */
        bool unusable;        /* values that no sane kernel runs with: nothing is predicted */
        bool any;             /* one of the three is on the command line */
        uint32_t min_objects; /* 0: from the CPUs */
        uint32_t min_order, max_order; /* defaults 0, 3 */
} SlubParams;

#define SLUB_MAX_OBJECTS 32767u /* MAX_OBJS_PER_PAGE: objects of a slab are counted in 15 bits */
#define SLUB_MAX_ORDER 10u      /* of the page allocator (MAX_ORDER - 1, MAX_PAGE_ORDER from 6.8) */

/* slab_* names count only if the kernel knows them. */
void slub_params_parse(Text cmdline, bool cmdline_known, bool knows_slab_names, SlubParams *ret);

typedef struct SlubModel {
        SlubPerCpu per_cpu;
        bool knows_slab_names; /* slab_max_order= ... as well as slub_...: 6.8 and later */
        SlubParams params;
        SlubCpus cpus;
        SlubLoop loop;
        unsigned n_cpus;      /* that enters the formula, of FITTED the least such; 0: not known */
        uint32_t min_objects; /* wanted per slab: of n_cpus, or the parameter; 0: not known */
        uint64_t page_bytes;
        bool inferred; /* the caches fit more than one rule, or not all of them fit */
        size_t n_explained,
                n_caches; /* caches whose order and objects fit; caches that show both */
} SlubModel;

typedef struct SlubInput {
        const SlabTree *slab; /* may be NULL */
        const Topology *topology;
        Text cmdline;
        bool cmdline_known;
        MaybeU64 page_bytes; /* unknown: 4 KiB are taken */
        bool has_thp_sizes;  /* hugepages-*kB exist below transparent_hugepage: 6.8 and later */
} SlubInput;

void slub_model_find(const SlubInput *input, SlubModel *ret);

/* Wanted objects per slab for n CPUs: 4 x (fls(n) + 1); 0 for 0 CPUs. This is what to print as
 * min_objects. */
_const_ uint32_t slub_wanted_objects(unsigned n_cpus);

typedef struct SlubOrder {
        unsigned order;
        uint32_t objects; /* per slab */
} SlubOrder;

/* Order and objects for a slab_size with min_objects wanted (0: those of the model). False: not
 * computable. */
_must_check_ bool slub_predict_order(const SlubModel *m, uint64_t slab_size, uint32_t min_objects,
                                     SlubOrder *ret);
/* The same on plain numbers. */
_must_check_ bool slub_compute_order(SlubLoop loop, uint64_t slab_size, uint32_t min_objects,
                                     uint32_t min_order, uint32_t max_order, uint64_t page_bytes,
                                     SlubOrder *ret);

/* Defaults of the kernel. Debug caches have no cpu_partial and no sheaves. */
_must_check_ bool slub_cpu_partial_default(SlubPerCpu p, uint64_t slab_size, uint64_t page_bytes,
                                           bool debug, uint64_t *ret_objects);
_const_ uint64_t
slub_min_partial_default(uint64_t slab_size); /* slabs a node: clamp(log2(size) / 2, 5, 10) */
/* Least capacity of a sheaf (64-bit kernel); a cache may ask for more, and some have none (0). */
_const_ uint64_t slub_sheaf_default(uint64_t slab_size, uint64_t page_bytes, bool debug);

/* Slabs that a cpu_partial of objects becomes: ceil(2 x cpu_partial / objs) in 32 bits, as the
 * kernel computes it: values near and above 2^31 wrap to next to nothing. */
_const_ uint32_t slub_effective_slabs(uint64_t cpu_partial, uint64_t objs_per_slab);
/* The smallest cpu_partial that becomes this many slabs: floor((S - 1) x objs / 2) + 1; 0 for 0. */
_const_ uint64_t slub_cpu_partial_for_slabs(uint64_t slabs, uint64_t objs_per_slab);
/* The value to write for S slabs: S x objs / 2, the round one. */
_const_ uint64_t slub_cpu_partial_round(uint64_t slabs, uint64_t objs_per_slab);
#define SLUB_CPU_PARTIAL_CEILING 1000000u /* never written above: the arithmetic is 32-bit */
#define SLUB_MIN_PARTIAL_CEILING 64u      /* never written above */

/* Memory worst cases in bytes, saturating. order of the cache. */
_const_ uint64_t slub_cpu_partial_worst(SlubPerCpu p, uint64_t cpu_partial, uint64_t objs_per_slab,
                                        unsigned order, uint64_t page_bytes, unsigned n_online);
_const_ uint64_t slub_min_partial_worst(uint64_t min_partial, unsigned order, uint64_t page_bytes,
                                        unsigned n_nodes);
/* Objects cached: online x 3C + nodes x 10C, each pinning its slab in the worst case. */
_const_ uint64_t slub_sheaf_worst(uint64_t capacity, unsigned order, uint64_t page_bytes,
                                  unsigned n_online, unsigned n_nodes);
/* Slabs that are partly used: one a CPU and min_partial a node, of that order. */
_const_ uint64_t slub_order_worst(unsigned order, uint64_t min_partial, uint64_t page_bytes,
                                  unsigned n_online, unsigned n_nodes);

/* "slab_min_objects" where the running kernel knows that name, else "slub_min_objects". */
typedef enum SlubParam {
        SLUB_PARAM_MIN_OBJECTS,
        SLUB_PARAM_MAX_ORDER,
        SLUB_PARAM_MIN_ORDER,
        _SLUB_PARAM_MAX
} SlubParam;
_pure_ const char *slub_param_name(const SlubModel *m, SlubParam p);
