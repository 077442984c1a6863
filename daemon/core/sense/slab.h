/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* sys/kernel/slab: one directory for each real cache; names that were merged into it are symbolic
 * links. The machine floor lists the folder, lets slab_tree_build() sort out links, and then reads
 * the attributes that the table names: never one that walks partial lists under list_lock (objects,
 * objects_partial), none that acts when it is read or is only useful with debugging. */

/* One part of a value: "N0=25", "C2=96(3)". */
typedef struct SlabPart {
        unsigned index; /* node or CPU */
        uint64_t value;
        MaybeU64 slabs; /* in brackets */
} SlabPart;

/* "52", "36 N0=25 N1=11", "128(4) C2=96(3) C4=32(1)". Parts beyond a broken one are still read. */
typedef struct SlabAttr {
        MaybeU64 value;
        MaybeU64 slabs;  /* in brackets */
        SlabPart *parts; /* in the order of the file */
        unsigned n_parts;
} SlabAttr;

/* Memory for parts comes from a; with a == NULL they are checked and counted, not kept. */
_must_check_ int slab_attr_parse(Arena *a, Text text, const char *path, SlabAttr *ret,
                                 ParseLog *log);

/* Permission bits of a knob file. */
typedef struct SlabMode {
        unsigned mode;
        bool known;
} SlabMode;

typedef struct SlabCache {
        const char *dir; /* name of the real directory: "kmalloc-64", ":0000128", ":a-0000104" */
        const char **aliases; /* names of the links to it, sorted */
        unsigned n_aliases;
        MaybeU64 object_size, slab_size, align; /* bytes */
        MaybeU64 objs_per_slab, order;
        MaybeU64 cpu_partial;              /* objects, as written */
        MaybeU64 min_partial;              /* slabs a node */
        MaybeU64 remote_node_defrag_ratio; /* percent */
        MaybeU64 sheaf_capacity;           /* objects; 0: known to have none */
        MaybeU64 alias_count;    /* the attribute "aliases": merged names beyond the first */
        MaybeU64 slabs, partial; /* slabs, sum over nodes */
        MaybeU64 total_objects;
        MaybeU64 cpu_slabs;           /* slabs on CPUs, with their CPU partial lists (up to 6.18) */
        MaybeU64 cpu_partial_objects; /* slabs_cpu_partial: objects (estimate) ... */
        MaybeU64 slabs_cpu_partial;   /* ... and slabs, in brackets */
        MaybeU64 red_zone, poison, store_user, trace, sanity_checks; /* debugging, 0 or 1 */
        MaybeU64 reclaim_account, hwcache_align, destroy_by_rcu, cache_dma, usersize;
        SlabPart *slabs_parts; /* slabs of each node */
        unsigned n_slabs_parts;
        SlabPart *partial_parts; /* partial slabs of each node */
        unsigned n_partial_parts;
        SlabMode order_mode, cpu_partial_mode, min_partial_mode, remote_mode;
} SlabCache;

typedef struct SlabTree {
        SlabCache *caches; /* sorted by dir, bytewise */
        size_t n;
        unsigned n_links;    /* links to caches that exist */
        unsigned n_dangling; /* links to none: dropped */
} SlabTree;

typedef enum SlabCost {
        SLAB_COST_CHEAP,     /* one field, or a sum over nodes; no lock */
        SLAB_COST_PER_CPU,   /* visits every CPU, no lock */
        SLAB_COST_FORBIDDEN, /* list_lock, a flush, or a walk of all objects: never read */
} SlabCost;

typedef struct SlabAttributeSpec {
        const char *name;
        SlabCost cost;
        bool changes;          /* may change while the machine runs; others are read once */
        size_t offset;         /* of its MaybeU64 in SlabCache; SIZE_MAX: not kept */
        size_t slabs_offset;   /* of the number in brackets; SIZE_MAX: none */
        size_t parts_offset;   /* of a SlabPart pointer ... */
        size_t n_parts_offset; /* ... and its count; SIZE_MAX: not kept */
        size_t mode_offset;    /* of a SlabMode; SIZE_MAX: the mode does not matter */
        const char *help;
} SlabAttributeSpec;

/* One entry of the folder; target NULL: a real directory. */
typedef struct SlabEntry {
        const char *name;
        const char *target;
} SlabEntry;

const SlabAttributeSpec *slab_attribute_specs(size_t *ret_n); /* sorted by name */
/* Caches of real directories with all values unknown. Names are copied. */
_must_check_ int slab_tree_build(Arena *a, const SlabEntry *entries, size_t n, const char *path,
                                 SlabTree *ret, ParseLog *log);
/* Stores the content of one attribute file. */
_must_check_ int slab_cache_set(Arena *a, SlabCache *cache, const SlabAttributeSpec *spec,
                                Text text, const char *path, ParseLog *log);
void slab_cache_set_mode(SlabCache *cache, const SlabAttributeSpec *spec, unsigned mode);
_pure_ const SlabCache *slab_tree_find(const SlabTree *t,
                                       const char *name); /* by directory, then by alias; NULL */
/* Whether any debugging flag is on: cpu_partial then cannot be set. */
_pure_ bool slab_cache_is_debug(const SlabCache *cache);
