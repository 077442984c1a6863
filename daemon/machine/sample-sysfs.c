/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two folders of small files: slab caches and transparent huge pages. */
#include <errno.h>
#include <string.h>

#include "core/sense/slab.h"
#include "core/sense/thp.h"
#include "machine/read.h"

#define SMALL_BYTES_MAX ((size_t) 65536)
#define SLAB_DIR "sys/kernel/slab"

/* Folders of caches that the kernel makes are a few hundred; a tree that holds millions is no kernel's. */
#define SLAB_ENTRIES_MAX 100000u

/* Of the attributes, those that signals and knobs are made of: all others cost a system call three
 * times for nobody. */
bool slab_attribute_wanted(const SlabAttributeSpec *spec) {
        static const char *const wanted[] = {
                "cpu_partial",   "min_partial",    "object_size",
                "objs_per_slab", "order",          "partial",
                "poison",        "red_zone",       "remote_node_defrag_ratio",
                "sanity_checks", "sheaf_capacity", "slab_size",
                "slabs",         "store_user",     "trace",
        };

        if (spec->cost == SLAB_COST_FORBIDDEN)
                return false;
        for (size_t i = 0; i < ELEMENTSOF(wanted); i++)
                if (strcmp(spec->name, wanted[i]) == 0)
                        return true;
        return false;
}

static int take_cache(Machine *m, Arena *arena, SlabCache *cache, ParseLog *log, bool *ret_denied) {
        size_t n_specs;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n_specs);
        char dir[320];

        if (!text_format(dir, sizeof(dir), SLAB_DIR "/%s", cache->dir))
                return 0;
        for (size_t i = 0; i < n_specs; i++) {
                char path[400];
                Text text;
                SenseState state;
                int error;
                size_t n_before = log->n_issues, r;

                if (!slab_attribute_wanted(&specs[i]) ||
                    !text_format(path, sizeof(path), "%s/%s", dir, specs[i].name))
                        continue;
                arena_reset(&m->scratch);
                state = read_text(m, path, SMALL_BYTES_MAX, &text, log, &error);
                if (error < 0)
                        return error;
                *ret_denied = *ret_denied || state == SENSE_DENIED;
                if (state == SENSE_OK) {
                        int set = slab_cache_set(arena, cache, &specs[i], text, path, log);

                        if (set < 0)
                                return set;
                }
                /* An issue keeps its path: make it one that lives as long as the log. */
                for (r = n_before; r < log->n_issues; r++)
                        log->issue[r].path = read_path(arena, dir, specs[i].name);
                if (state != SENSE_ABSENT && specs[i].mode_offset != SIZE_MAX) {
                        unsigned mode;

                        if (machine_mode(m, path, &mode) == 0)
                                slab_cache_set_mode(cache, &specs[i], mode);
                }
        }
        return 0;
}

int sample_slab(Machine *m, Arena *arena, Snapshot *s, ParseLog *log) {
        DirEntry *entries;
        SlabEntry *rows;
        SlabTree *tree;
        size_t n, n_rows = 0;
        bool denied = false;
        int r;

        s->file_usec[SENSE_SLAB] = machine_now(m);
        r = machine_list(m, SLAB_DIR, arena, &entries, &n);
        if (r < 0)
                return r;
        if (r != 0) {
                s->state[SENSE_SLAB] = r == MACHINE_E_DENIED   ? SENSE_DENIED
                                       : r == MACHINE_E_ABSENT ? SENSE_ABSENT
                                                               : SENSE_FAILED;
                return 0;
        }
        if (n > SLAB_ENTRIES_MAX) {
                parse_log_add(log, SLAB_DIR, 0,
                              "more entries than a kernel has caches; the rest is left out",
                              TEXT_NULL);
                n = SLAB_ENTRIES_MAX;
        }
        rows = ARENA_ARRAY(arena, SlabEntry, n + 1);
        tree = ARENA_NEW(arena, SlabTree);
        if (!rows || !tree)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (entries[i].is_dir || entries[i].link)
                        rows[n_rows++] = (SlabEntry){ .name = entries[i].name,
                                                      .target = entries[i].link };
        r = slab_tree_build(arena, rows, n_rows, SLAB_DIR, tree, log);
        for (size_t i = 0; r == 0 && i < tree->n; i++)
                r = take_cache(m, arena, &tree->caches[i], log, &denied);
        if (r < 0)
                return r;
        s->slab = tree;
        s->state[SENSE_SLAB] = denied ? SENSE_DENIED : SENSE_OK;
        return 0;
}

static int take_thp_file(Machine *m, void *object, const ThpFileSpec *spec, const char *path,
                         ParseLog *log, bool *ret_any) {
        Text text;
        SenseState state;
        int error;

        arena_reset(&m->scratch);
        state = read_text(m, path, SMALL_BYTES_MAX, &text, log, &error);
        if (error < 0 || state != SENSE_OK)
                return error;
        *ret_any = true;
        return thp_file_set(object, spec, text, path, log);
}

int sample_thp(Machine *m, Arena *arena, Snapshot *s, ParseLog *log) {
        size_t n_specs, n_size_specs, n = 0;
        const ThpFileSpec *specs = thp_file_specs(&n_specs),
                          *size_specs = thp_size_file_specs(&n_size_specs);
        ThpTree *tree = ARENA_NEW(arena, ThpTree);
        DirEntry *entries;
        const char **names;
        bool any = false;
        int r;

        if (!tree)
                return -ENOMEM;
        s->file_usec[SENSE_THP] = machine_now(m);
        r = machine_list(m, KNOB_SIZE_FOLDER, arena, &entries, &n);
        if (r < 0)
                return r;
        if (r != 0) {
                s->state[SENSE_THP] = r == MACHINE_E_ABSENT   ? SENSE_ABSENT
                                      : r == MACHINE_E_DENIED ? SENSE_DENIED
                                                              : SENSE_FAILED;
                return 0;
        }
        names = ARENA_ARRAY(arena, const char *, n + 1);
        if (!names)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                names[i] = entries[i].name;
        r = thp_tree_build(arena, names, n, tree);
        for (size_t i = 0; r == 0 && i < n_specs; i++)
                r = take_thp_file(m, tree, &specs[i],
                                  read_path(arena, KNOB_SIZE_FOLDER, specs[i].path), log, &any);
        for (size_t k = 0; r == 0 && k < tree->n_sizes; k++) {
                char dir[128];

                (void) text_format(dir, sizeof(dir), KNOB_SIZE_FOLDER "/hugepages-%llukB",
                                   (unsigned long long) tree->sizes[k].kb);
                for (size_t i = 0; r == 0 && i < n_size_specs; i++)
                        r = take_thp_file(m, &tree->sizes[k], &size_specs[i],
                                          read_path(arena, dir, size_specs[i].path), log, &any);
        }
        if (r < 0)
                return r;
        s->thp = tree;
        s->state[SENSE_THP] = any ? SENSE_OK : SENSE_ABSENT;
        return 0;
}
