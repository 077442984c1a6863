/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the simulated machine has, with the modes of the kernel generation: a path is found by its beginning, then by tables.
 * Folders list what can be found in them. */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "core/sense/thp.h"
#include "machine/sim/sim-private.h"

#define THP "sys/kernel/mm/transparent_hugepage"
#define SLAB "sys/kernel/slab"
#define NODE "sys/devices/system/node"
#define CPU "sys/devices/system/cpu"

enum { HAS_ALWAYS, HAS_LOCK_STAT, HAS_PSI, HAS_CACHES };

typedef struct Fixed {
        const char *path;
        SimFileKind kind;
        unsigned mode, attr, has;
        const char *text;
} Fixed;

static const Fixed fixed[] = {
        /* those of a tick first */
        { "proc/vmstat", SIM_FILE_VMSTAT, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/stat", SIM_FILE_STAT, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/pressure/memory", SIM_FILE_PRESSURE, 0444, 0, HAS_PSI, NULL },
        { "proc/meminfo", SIM_FILE_MEMINFO, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/uptime", SIM_FILE_UPTIME, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/lock_stat", SIM_FILE_LOCK_STAT, 0600, 0, HAS_LOCK_STAT, NULL },
        { "proc/zoneinfo", SIM_FILE_ZONEINFO, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/buddyinfo", SIM_FILE_BUDDYINFO, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/slabinfo", SIM_FILE_SLABINFO, 0400, 0, HAS_CACHES, NULL },
        { "proc/version", SIM_FILE_VERSION, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/cmdline", SIM_FILE_CMDLINE, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/cpuinfo", SIM_FILE_CPUINFO, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/sys/kernel/osrelease", SIM_FILE_RELEASE, 0444, 0, HAS_ALWAYS, NULL },
        { "proc/sys/vm/lowmem_reserve_ratio", SIM_FILE_CONSTANT, 0444, 0, HAS_ALWAYS,
          "256\t256\t32\t0\t0\n" },
        { THP "/hpage_pmd_size", SIM_FILE_CONSTANT, 0444, 0, HAS_ALWAYS, "2097152\n" },
        { THP "/khugepaged/full_scans", SIM_FILE_CONSTANT, 0444, 0, HAS_ALWAYS, "0\n" },
        { THP "/khugepaged/pages_collapsed", SIM_FILE_CONSTANT, 0444, 0, HAS_ALWAYS, "0\n" },
        { CPU "/possible", SIM_FILE_CPUS, 0444, SIM_CPUS_POSSIBLE, HAS_ALWAYS, NULL },
        { CPU "/present", SIM_FILE_CPUS, 0444, SIM_CPUS_PRESENT, HAS_ALWAYS, NULL },
        { CPU "/online", SIM_FILE_CPUS, 0444, SIM_CPUS_ONLINE, HAS_ALWAYS, NULL },
        { CPU "/offline", SIM_FILE_CPUS, 0444, SIM_CPUS_OFFLINE, HAS_ALWAYS, NULL },
        { CPU "/isolated", SIM_FILE_CONSTANT, 0444, 0, HAS_ALWAYS, "\n" },
        { NODE "/possible", SIM_FILE_NODES, 0444, SIM_NODES_POSSIBLE, HAS_ALWAYS, NULL },
        { NODE "/online", SIM_FILE_NODES, 0444, SIM_NODES_ONLINE, HAS_ALWAYS, NULL },
        { NODE "/has_memory", SIM_FILE_NODES, 0444, SIM_NODES_MEMORY, HAS_ALWAYS, NULL },
        { NODE "/has_normal_memory", SIM_FILE_NODES, 0444, SIM_NODES_NORMAL, HAS_ALWAYS, NULL },
        { NODE "/has_cpu", SIM_FILE_NODES, 0444, SIM_NODES_CPU, HAS_ALWAYS, NULL },
        { "capture.json", SIM_FILE_CAPTURE_JSON, 0444, 0, HAS_ALWAYS, NULL },
        { "signals.json", SIM_FILE_SIGNALS, 0444, 0, HAS_LOCK_STAT, NULL },
        { "kmsg", SIM_FILE_KMSG, 0444, 0, HAS_ALWAYS, NULL },
};

static const SimAttr cpu_attrs[_SIM_CPU_MAX] = {
        [SIM_CPU_ONLINE] = { "online", 0644 },
        [SIM_CPU_PACKAGE] = { "topology/physical_package_id", 0444 },
};

static const SimAttr node_attrs[_SIM_NODE_MAX] = {
        [SIM_NODE_CPULIST] = { "cpulist", 0444 },
        [SIM_NODE_DISTANCE] = { "distance", 0444 },
        [SIM_NODE_MEMINFO] = { "meminfo", 0444 },
        [SIM_NODE_VMSTAT] = { "vmstat", 0444 },
};

static const SimAttr size_attrs[_SIM_SIZE_MAX] = {
        [SIM_SIZE_ENABLED] = { "enabled", 0644 },
        [SIM_SIZE_SHMEM] = { "shmem_enabled", 0644 },
        [SIM_SIZE_FAULT_ALLOC] = { "stats/anon_fault_alloc", 0444 },
        [SIM_SIZE_FALLBACK] = { "stats/anon_fault_fallback", 0444 },
        [SIM_SIZE_FALLBACK_CHARGE] = { "stats/anon_fault_fallback_charge", 0444 },
        [SIM_SIZE_SPLIT] = { "stats/split", 0444 },
        [SIM_SIZE_NR_ANON] = { "stats/nr_anon", 0444 },
};

const SimAttr sim_slab_attrs[] = {
        { "aliases", 0400 },         { "align", 0400 },
        { "cache_dma", 0400 },       { "cpu_partial", 0600 },
        { "cpu_slabs", 0400 },       { "destroy_by_rcu", 0400 },
        { "hwcache_align", 0400 },   { "min_partial", 0600 },
        { "object_size", 0400 },     { "objects", 0400 },
        { "objects_partial", 0400 }, { "objs_per_slab", 0400 },
        { "order", 0400 },           { "partial", 0400 },
        { "poison", 0400 },          { "reclaim_account", 0400 },
        { "red_zone", 0400 },        { "remote_node_defrag_ratio", 0600 },
        { "sanity_checks", 0400 },   { "sheaf_capacity", 0400 },
        { "shrink", 0600 },          { "slab_size", 0400 },
        { "slabs", 0400 },           { "slabs_cpu_partial", 0400 },
        { "store_user", 0400 },      { "total_objects", 0400 },
        { "trace", 0400 },           { "usersize", 0400 },
        { "validate", 0600 },
};
const size_t sim_n_slab_attrs = ELEMENTSOF(sim_slab_attrs);

/* 6.18 shows the capacity of sheaves, 0 for caches that asked for none; it is the only kernel here that shows limits of lists and
 * has no sheaves everywhere. */
bool sim_slab_attr_exists(const PlantKernel *k, unsigned attr) {
        return strcmp(sim_slab_attrs[attr].name, "sheaf_capacity") != 0 || k->pcp_shown;
}

unsigned sim_slab_attr_mode(const PlantKernel *k, unsigned attr) {
        if (k->order_writable && strcmp(sim_slab_attrs[attr].name, "order") == 0)
                return 0600;
        return sim_slab_attrs[attr].mode;
}

static bool attr_find(const SimAttr *attrs, size_t n, const char *name, unsigned *ret) {
        for (unsigned i = 0; i < n; i++)
                if (strcmp(attrs[i].name, name) == 0) {
                        *ret = i;
                        return true;
                }
        return false;
}

/* "prefix12/rest": the number and what stands behind the slash. */
static bool numbered(const char *path, const char *prefix, unsigned limit, unsigned *ret_index,
                     const char **ret_rest) {
        size_t skip = strlen(prefix), size;
        const char *slash;
        uint64_t n;

        if (strncmp(path, prefix, skip) != 0 || !(slash = strchr(path + skip, '/')))
                return false;
        size = (size_t) (slash - path) - skip;
        if (number_parse_u64(path + skip, size, &n) != 0 || n >= limit)
                return false;
        *ret_index = (unsigned) n;
        *ret_rest = slash + 1;
        return true;
}

static bool find_cache(const Sim *s, Text name, unsigned *ret) {
        size_t low = 0, high = s->spec->machine.n_caches;

        while (low < high) {
                size_t middle = (low + high) / 2;
                int r = text_compare(
                        name, text_from(s->spec->machine.caches[s->cache_sorted[middle]].name));

                if (r == 0) {
                        *ret = s->cache_sorted[middle];
                        return true;
                }
                if (r < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return false;
}

static bool find_slab(const Sim *s, const char *path, SimFile *ret) {
        const char *name = path + sizeof(SLAB), *slash = strchr(name, '/');

        if (!slash || !find_cache(s, (Text){ name, (size_t) (slash - name) }, &ret->index) ||
            !attr_find(sim_slab_attrs, sim_n_slab_attrs, slash + 1, &ret->attr) ||
            !sim_slab_attr_exists(s->kernel, ret->attr))
                return false;
        ret->kind = SIM_FILE_SLAB;
        ret->mode = sim_slab_attr_mode(s->kernel, ret->attr);
        return true;
}

static bool find_size(const Sim *s, const char *path, SimFile *ret) {
        const char *name = path + sizeof(THP), *slash = strchr(name, '/');
        uint64_t kb;

        if (!s->kernel->thp_sizes || !slash ||
            !thp_size_name_parse((Text){ name, (size_t) (slash - name) }, &kb) ||
            !attr_find(size_attrs, _SIM_SIZE_MAX, slash + 1, &ret->attr))
                return false;
        for (ret->index = 0; ret->index < SIM_SIZES; ret->index++)
                if (sim_size_kb(ret->index) == kb) {
                        ret->kind = SIM_FILE_SIZE;
                        ret->mode = size_attrs[ret->attr].mode;
                        return true;
                }
        return false;
}

static bool find_knob(const Sim *s, const char *path, SimFile *ret) {
        size_t n;
        const SimKnob *knobs = sim_knobs(&n);

        for (unsigned i = 0; i < n; i++)
                if (strcmp(knobs[i].path, path) == 0 && sim_knob_exists(s->kernel, &knobs[i])) {
                        *ret = (SimFile){ .kind = SIM_FILE_KNOB, .index = i, .mode = 0644 };
                        return true;
                }
        return false;
}

static bool find_numbered(const Sim *s, const char *path, SimFile *ret) {
        const char *rest;

        if (numbered(path, CPU "/cpu", s->n_cpus, &ret->index, &rest) &&
            attr_find(cpu_attrs, _SIM_CPU_MAX, rest, &ret->attr)) {
                /* the first CPU has no switch, one that is offline no place */
                if (ret->attr == SIM_CPU_ONLINE ? ret->index == 0
                                                : !idset_has(&s->config.online, ret->index))
                        return false;
                ret->kind = SIM_FILE_CPU;
                ret->mode = cpu_attrs[ret->attr].mode;
                return true;
        }
        if (!numbered(path, NODE "/node", s->spec->machine.nodes, &ret->index, &rest) ||
            !attr_find(node_attrs, _SIM_NODE_MAX, rest, &ret->attr))
                return false;
        ret->kind = SIM_FILE_NODE;
        ret->mode = node_attrs[ret->attr].mode;
        return true;
}

static bool is_there(const Sim *s, unsigned has) {
        return !((has == HAS_LOCK_STAT && !s->spec->machine.lock_stat) ||
                 (has == HAS_PSI && !s->spec->machine.psi) ||
                 (has == HAS_CACHES && s->spec->machine.n_caches == 0));
}

bool sim_file_find(const Sim *s, const char *path, SimFile *ret) {
        *ret = (SimFile){ 0 };
        for (size_t i = 0; i < ELEMENTSOF(fixed); i++)
                if (strcmp(fixed[i].path, path) == 0) {
                        *ret = (SimFile){ .kind = fixed[i].kind,
                                          .attr = fixed[i].attr,
                                          .mode = fixed[i].mode,
                                          .text = fixed[i].text };
                        return is_there(s, fixed[i].has);
                }
        for (unsigned i = 0; i < s->n_external; i++)
                if (strcmp(s->external[i].event->path, path) == 0) {
                        *ret = (SimFile){ .kind = SIM_FILE_EXTERNAL, .index = i, .mode = 0444 };
                        return true;
                }
        if (strncmp(path, SLAB "/", sizeof(SLAB)) == 0)
                return find_slab(s, path, ret);
        if (strncmp(path, THP "/hugepages-", sizeof(THP) + 10) == 0)
                return find_size(s, path, ret);
        return find_numbered(s, path, ret) || find_knob(s, path, ret);
}

/* --- folders --- */

typedef struct Listing {
        const Sim *s;
        const char *dir;
        Arena *arena;
        DirEntry *entries;
        size_t n, capacity;
        bool full;
} Listing;

static void add(Listing *l, const char *name, size_t size, bool is_dir) {
        char *copy;

        for (size_t i = 0; is_dir && i < l->n && l->n < 64; i++)
                if (text_is((Text){ name, size }, l->entries[i].name))
                        return; /* a folder of several files; where there are many the names are told apart before */
        if (l->full || !(copy = arena_strndup(l->arena, name, size)) || l->n == l->capacity) {
                l->full = true;
                return;
        }
        l->entries[l->n++] = (DirEntry){ .name = copy, .is_dir = is_dir };
}

/* The part of a path behind the folder, up to the next slash. */
static void add_path(Listing *l, const char *path) {
        size_t skip = strlen(l->dir), size;

        if (strncmp(path, l->dir, skip) != 0 || path[skip] != '/')
                return;
        path += skip + 1;
        size = strcspn(path, "/");
        add(l, path, size, path[size] == '/');
}

static void add_numbers(Listing *l, const char *prefix, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
                char name[32];

                (void) text_format(name, sizeof(name), "%s%u", prefix, i);
                add(l, name, strlen(name), true);
        }
}

/* Folder of attributes: those without one more folder, then those folders. */
static void add_attrs(Listing *l, const SimAttr *attrs, size_t n) {
        for (size_t i = 0; i < n; i++) {
                size_t size = strcspn(attrs[i].name, "/");

                add(l, attrs[i].name, size, attrs[i].name[size] == '/');
        }
}

static void add_dynamic(Listing *l) {
        const Sim *s = l->s;
        const char *rest;
        unsigned index;
        char path[256];

        if (strcmp(l->dir, "sys/kernel") == 0 && s->spec->machine.n_caches > 0)
                add(l, "slab", 4, true);
        else if (strcmp(l->dir, SLAB) == 0)
                for (unsigned i = 0; i < s->spec->machine.n_caches && !l->full; i++) {
                        const char *name = s->spec->machine.caches[s->cache_sorted[i]].name;
                        char *copy = arena_strndup(l->arena, name, strlen(name));

                        l->full = !copy || l->n == l->capacity;
                        if (!l->full)
                                l->entries[l->n++] = (DirEntry){ .name = copy, .is_dir = true };
                }
        else if (strcmp(l->dir, CPU) == 0)
                add_numbers(l, "cpu", s->n_cpus);
        else if (strcmp(l->dir, NODE) == 0)
                add_numbers(l, "node", s->spec->machine.nodes);
        else if (strcmp(l->dir, THP) == 0)
                for (unsigned i = 0; s->kernel->thp_sizes && i < SIM_SIZES; i++) {
                        (void) text_format(path, sizeof(path), "hugepages-%llukB",
                                           (unsigned long long) sim_size_kb(i));
                        add(l, path, strlen(path), true);
                }
        else if (text_format(path, sizeof(path), "%s/", l->dir)) {
                SimFile f;

                if (numbered(path, CPU "/cpu", s->n_cpus, &index, &rest) && !*rest)
                        add_attrs(l, cpu_attrs, _SIM_CPU_MAX);
                else if (numbered(path, NODE "/node", s->spec->machine.nodes, &index, &rest) &&
                         !*rest)
                        add_attrs(l, node_attrs, _SIM_NODE_MAX);
                else if (strncmp(path, SLAB "/", sizeof(SLAB)) == 0 &&
                         find_cache(s, text_from(l->dir + sizeof(SLAB)), &index)) {
                        for (unsigned i = 0; i < sim_n_slab_attrs; i++)
                                if (sim_slab_attr_exists(s->kernel, i))
                                        add(l, sim_slab_attrs[i].name,
                                            strlen(sim_slab_attrs[i].name), false);
                } else if (text_format(path, sizeof(path), "%s/enabled", l->dir) &&
                           find_size(s, path, &f)) {
                        add_attrs(l, size_attrs, _SIM_SIZE_MAX);
                }
        }
}

static int compare_entries(const void *a, const void *b) {
        return strcmp(((const DirEntry *) a)->name, ((const DirEntry *) b)->name);
}

int sim_list(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries, size_t *ret_n) {
        Sim *s = sim_of(m);
        Listing l = { .s = s, .dir = path, .arena = arena };
        size_t n_knobs;
        const SimKnob *knobs = sim_knobs(&n_knobs);

        l.capacity = (size_t) s->n_cpus + s->spec->machine.n_caches + PLANT_NODES_MAX + 256;
        l.entries = ARENA_ARRAY(arena, DirEntry, l.capacity);
        if (!l.entries)
                return -ENOMEM;
        if (path[0] && path[0] != '/') {
                for (size_t i = 0; i < ELEMENTSOF(fixed); i++)
                        if (is_there(s, fixed[i].has))
                                add_path(&l, fixed[i].path);
                for (size_t i = 0; i < n_knobs; i++)
                        if (sim_knob_exists(s->kernel, &knobs[i]))
                                add_path(&l, knobs[i].path);
                add_dynamic(&l);
        }
        if (l.full)
                return -ENOMEM;
        if (l.n == 0)
                return MACHINE_E_ABSENT;
        array_sort(l.entries, l.n, sizeof(*l.entries), compare_entries);
        *ret_entries = l.entries;
        *ret_n = l.n;
        return 0;
}
