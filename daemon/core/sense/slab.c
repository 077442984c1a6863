/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slab.h"

#include <errno.h>
#include <string.h>

#include "base/idset.h"
#include "base/sort.h"

/* SLUB in sysfs (mm/slub.c, 5.10 to 7.3).
 *
 * Every real cache is a directory; merged caches are links to it, so writing through each link
 * would write one knob several times: links only give names. The table below is the only list of
 * attributes. Which of them may be read follows from what the show function does: a field of the
 * cache or a sum over nodes costs nothing, cpu_slabs and slabs_cpu_partial visit every CPU, and
 * "objects*" walk the partial list of every node with list_lock held and interrupts off
 * (count_partial()), which is the lock whose waiting is to be measured. */

#define NONE SIZE_MAX
#define FIELD(f) offsetof(SlabCache, f)
#define CHEAP(n, c, help) \
        { #n, SLAB_COST_CHEAP, c, FIELD(n), NONE, NONE, NONE, NONE, help }
#define KNOB(n, f, m, help) \
        { n, SLAB_COST_CHEAP, true, FIELD(f), NONE, NONE, NONE, FIELD(m), help }
#define NODES(n, parts, n_parts, help) \
        { #n, SLAB_COST_CHEAP, true, FIELD(n), NONE, FIELD(parts), FIELD(n_parts), NONE, help }
#define FORBIDDEN(n, help) \
        { n, SLAB_COST_FORBIDDEN, true, NONE, NONE, NONE, NONE, NONE, help }

static const SlabAttributeSpec attributes[] = {
        { "aliases", SLAB_COST_CHEAP, true, FIELD(alias_count), NONE, NONE, NONE, NONE,
          "merged names beyond the first" },
        CHEAP(align, false, "alignment of objects, bytes"),
        FORBIDDEN("alloc_calls", "walks every object (5.10)"),
        CHEAP(cache_dma, false, "1: slabs come from ZONE_DMA"),
        KNOB("cpu_partial", cpu_partial, cpu_partial_mode,
             "free objects a CPU may keep in partial slabs; a stub that reads 0 in 7.x"),
        { "cpu_slabs", SLAB_COST_PER_CPU, true, FIELD(cpu_slabs), NONE, NONE, NONE, NONE,
          "slabs that CPUs hold; the constant 0 in 7.x" },
        CHEAP(destroy_by_rcu, false, "1: slabs are freed after a grace period"),
        FORBIDDEN("free_calls", "walks every object (5.10)"),
        CHEAP(hwcache_align, false, "1: objects are aligned to cache lines"),
        KNOB("min_partial", min_partial, min_partial_mode,
             "partial slabs a node keeps though empty"),
        CHEAP(object_size, false, "bytes of an object without metadata"),
        FORBIDDEN("objects", "walks the partial lists under list_lock"),
        FORBIDDEN("objects_partial", "walks the partial lists under list_lock"),
        CHEAP(objs_per_slab, false, "objects in one slab"),
        { "order", SLAB_COST_CHEAP, false, FIELD(order), NONE, NONE, NONE, FIELD(order_mode),
          "a slab has 2^order pages" },
        NODES(partial, partial_parts, n_partial_parts, "slabs in the partial lists of the nodes"),
        CHEAP(poison, false, "1: debugging"),
        CHEAP(reclaim_account, false, "1: counted as reclaimable"),
        CHEAP(red_zone, false, "1: debugging"),
        KNOB("remote_node_defrag_ratio", remote_node_defrag_ratio, remote_mode,
             "percent of refills that may take partial slabs of other nodes"),
        CHEAP(sanity_checks, false, "1: debugging"),
        CHEAP(sheaf_capacity, false, "objects in one per-CPU array (6.18 and later); 0: none"),
        FORBIDDEN("shrink", "flushes every CPU when written; nothing to read"),
        CHEAP(slab_size, false, "bytes of an object with metadata and padding"),
        NODES(slabs, slabs_parts, n_slabs_parts, "slabs of the nodes"),
        { "slabs_cpu_partial", SLAB_COST_PER_CPU, true, FIELD(cpu_partial_objects),
          FIELD(slabs_cpu_partial), NONE, NONE, NONE,
          "objects (estimate) and slabs in the partial lists of CPUs; the constant 0(0) in 7.x" },
        CHEAP(store_user, false, "1: debugging"),
        CHEAP(total_objects, true, "objects that fit all slabs"),
        CHEAP(trace, false, "1: debugging"),
        CHEAP(usersize, false, "bytes that user space may copy to or from"),
        FORBIDDEN("validate", "walks every object when written"),
};

const SlabAttributeSpec *slab_attribute_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(attributes);
        return attributes;
}

/* "96" or "96(3)"; 0, or the condition of the number. */
static int value_read(Text field, MaybeU64 *ret_value, MaybeU64 *ret_slabs) {
        size_t open = text_find(field, '(');
        uint64_t value = 0, slabs = 0;
        int r;

        r = number_parse_u64(field.data, open, &value);
        if (r != 0)
                return r;
        if (open < field.size) {
                if (field.data[field.size - 1] != ')')
                        return NUMBER_E_GARBAGE;
                r = number_parse_u64(field.data + open + 1, field.size - open - 2, &slabs);
                if (r != 0)
                        return r;
                *ret_slabs = KNOWN(slabs);
        }
        *ret_value = KNOWN(value);
        return 0;
}

/* "N0=25", "C12=96(3)". */
static bool part_read(Text field, SlabPart *ret) {
        size_t equals = text_find(field, '=');
        MaybeU64 value = UNKNOWN, slabs = UNKNOWN;
        uint64_t index = 0;

        if (equals == field.size || equals < 2 || (field.data[0] != 'N' && field.data[0] != 'C') ||
            number_parse_u64(field.data + 1, equals - 1, &index) != 0 || index >= IDSET_MAX)
                return false;
        if (value_read((Text){ field.data + equals + 1, field.size - equals - 1 }, &value,
                       &slabs) != 0)
                return false;
        *ret = (SlabPart){ .index = (unsigned) index, .value = value.value, .slabs = slabs };
        return true;
}

static int part_store(Arena *a, SlabAttr *attr, unsigned *capacity, SlabPart part) {
        if (attr->n_parts == *capacity) {
                unsigned more = *capacity == 0 ? 4 : 2 * *capacity;
                SlabPart *grown;

                grown = arena_grow(a, attr->parts, *capacity * sizeof(SlabPart),
                                   more * sizeof(SlabPart), _Alignof(SlabPart));
                if (!grown)
                        return -ENOMEM;
                attr->parts = grown;
                *capacity = more;
        }
        attr->parts[attr->n_parts] = part;
        return 0;
}

int slab_attr_parse(Arena *a, Text text, const char *path, SlabAttr *ret, ParseLog *log) {
        SlabAttr attr = {};
        unsigned capacity = 0;
        Text field = TEXT_NULL;
        int r;

        text = text_strip(text);
        (void) text_next_field(&text, &field);
        r = value_read(field, &attr.value, &attr.slabs);
        if (r != 0)
                parse_log_add(log, path, 1, number_error_string(r), field);
        while (text_next_field(&text, &field)) {
                SlabPart part = {};

                if (!part_read(field, &part)) {
                        parse_log_add(log, path, 1, "malformed part", field);
                        continue;
                }
                if (attr.n_parts == IDSET_MAX) {
                        parse_log_add(log, path, 1, "too many parts, this one is left out", field);
                        continue;
                }
                if (a) {
                        r = part_store(a, &attr, &capacity, part);
                        if (r < 0)
                                return r;
                }
                attr.n_parts++;
        }
        if (a &&
            attr.n_parts < capacity) /* nothing was allocated since: give back what was not used */
                arena_release(a, arena_mark(a) - (capacity - attr.n_parts) * sizeof(SlabPart));
        *ret = attr;
        return 0;
}

static int entry_compare(const void *a, const void *b) {
        const SlabEntry *const *x = a, *const *y = b;

        return strcmp((*x)->name, (*y)->name);
}

/* Index of the directory among the sorted caches, or n. */
static size_t dir_find(const SlabTree *t, const char *dir) {
        size_t low = 0, high = t->n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int r = strcmp(dir, t->caches[middle].dir);

                if (r == 0)
                        return middle;
                if (r < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return t->n;
}

/* A link's target is "NAME" or ends in "/NAME". */
static const char *target_dir(const char *target) {
        const char *slash = strrchr(target, '/');

        return slash ? slash + 1 : target;
}

static int links_resolve(Arena *a, const SlabEntry *const *sorted, size_t n, const char *path,
                         SlabTree *t, ParseLog *log) {
        for (size_t i = 0; i < n; i++) {
                size_t k;

                if (!sorted[i]->target)
                        continue;
                k = dir_find(t, target_dir(sorted[i]->target));
                if (k == t->n) {
                        t->n_dangling++;
                        parse_log_add(log, path, 0, "link to no cache", text_from(sorted[i]->name));
                        continue;
                }
                t->caches[k].n_aliases++;
                t->n_links++;
        }
        for (size_t k = 0; k < t->n; k++) {
                if (t->caches[k].n_aliases == 0)
                        continue;
                t->caches[k].aliases = ARENA_ARRAY(a, const char *, t->caches[k].n_aliases);
                if (!t->caches[k].aliases)
                        return -ENOMEM;
                t->caches[k].n_aliases = 0;
        }
        for (size_t i = 0; i < n; i++) {
                SlabCache *cache;
                size_t k;

                if (!sorted[i]->target)
                        continue;
                k = dir_find(t, target_dir(sorted[i]->target));
                if (k == t->n)
                        continue;
                cache = &t->caches[k];
                cache->aliases[cache->n_aliases] = arena_strndup(a, sorted[i]->name,
                                                                 strlen(sorted[i]->name));
                if (!cache->aliases[cache->n_aliases++])
                        return -ENOMEM;
        }
        return 0;
}

int slab_tree_build(Arena *a, const SlabEntry *entries, size_t n, const char *path, SlabTree *ret,
                    ParseLog *log) {
        const SlabEntry **sorted;
        SlabTree t = {};
        size_t n_dirs = 0;
        int r;

        sorted = ARENA_ARRAY(a, const SlabEntry *, n);
        if (!sorted)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                sorted[i] = &entries[i];
                n_dirs += !entries[i].target;
        }
        array_sort(sorted, n, sizeof(*sorted), entry_compare);
        t.caches = ARENA_ARRAY(a, SlabCache, n_dirs);
        if (!t.caches)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                char *dir;

                if (sorted[i]->target)
                        continue;
                dir = arena_strndup(a, sorted[i]->name, strlen(sorted[i]->name));
                if (!dir)
                        return -ENOMEM;
                t.caches[t.n++].dir = dir;
        }
        r = links_resolve(a, sorted, n, path, &t, log);
        if (r < 0)
                return r;
        *ret = t;
        return 0;
}

static void *at(SlabCache *cache, size_t offset) {
        return (uint8_t *) cache + offset;
}

int slab_cache_set(Arena *a, SlabCache *cache, const SlabAttributeSpec *spec, Text text,
                   const char *path, ParseLog *log) {
        SlabAttr attr = {};
        int r;

        if (spec->offset == NONE)
                return 0;
        r = slab_attr_parse(spec->parts_offset == NONE ? NULL : a, text, path, &attr, log);
        if (r < 0)
                return r;
        *(MaybeU64 *) at(cache, spec->offset) = attr.value;
        if (spec->slabs_offset != NONE)
                *(MaybeU64 *) at(cache, spec->slabs_offset) = attr.slabs;
        if (spec->parts_offset != NONE) {
                *(SlabPart **) at(cache, spec->parts_offset) = attr.parts;
                *(unsigned *) at(cache, spec->n_parts_offset) = attr.n_parts;
        }
        return 0;
}

void slab_cache_set_mode(SlabCache *cache, const SlabAttributeSpec *spec, unsigned mode) {
        if (spec->mode_offset != NONE)
                *(SlabMode *) at(cache, spec->mode_offset) = (SlabMode){ .mode = mode,
                                                                         .known = true };
}

const SlabCache *slab_tree_find(const SlabTree *t, const char *name) {
        size_t k = dir_find(t, name);

        if (k < t->n)
                return &t->caches[k];
        for (k = 0; k < t->n; k++)
                for (unsigned i = 0; i < t->caches[k].n_aliases; i++)
                        if (strcmp(t->caches[k].aliases[i], name) == 0)
                                return &t->caches[k];
        return NULL;
}

bool slab_cache_is_debug(const SlabCache *cache) {
        const MaybeU64 *const flags[] = { &cache->red_zone, &cache->poison, &cache->store_user,
                                          &cache->trace, &cache->sanity_checks };

        for (size_t i = 0; i < ELEMENTSOF(flags); i++)
                if (flags[i]->known && flags[i]->value != 0)
                        return true;
        return false;
}
