/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "core/act/knob.h"
#include "core/sense/lists.h"
#include "test.h"

/* A small reader of captures for tests of the arithmetic: it shares the parsers with the
 * program, but not the machine floor. The tarballs of tests/trees are read in memory: unpacking
 * some 300,000 files would take longer than all other tests. */

typedef struct CaptureSnapshot {
        char name[64]; /* "6.12-std-fault" */
        unsigned ms;   /* since the first snapshot */
        MachineFacts facts;
        Snapshot snapshot;
        MaybeU64 fraction;
        KnobFile *knob_files;
        size_t n_knob_files;
} CaptureSnapshot;

/* One member of a tarball. */
typedef struct CaptureFile {
        char path[272];
        char link[104]; /* target of a symbolic link; "" */
        unsigned mode;
        Text text;
} CaptureFile;

#define CAPTURE_FILES_MAX 32768u

typedef struct Captures {
        CaptureSnapshot *snapshots[128];
        unsigned n;
        Arena arena;
        CaptureFile *files; /* of the tarball that is being read, sorted by path */
        size_t n_files;
} Captures;

static inline int captures_compare(const void *a, const void *b) {
        return strcmp(((const CaptureFile *) a)->path, ((const CaptureFile *) b)->path);
}

/* --- tar --- */

static inline uint64_t captures_octal(const uint8_t *field, size_t size) {
        uint64_t value = 0;

        for (size_t i = 0; i < size && field[i] >= '0' && field[i] <= '7'; i++)
                value = value * 8 + (uint64_t) (field[i] - '0');
        return value;
}

/* The whole output of gzip -dc FILE. */
static inline size_t captures_unzip(const char *file, uint8_t *ret, size_t room) {
        int fds[2], status = 0;
        size_t size = 0;
        pid_t pid;

        ASSERT_OK(pipe2(fds, O_CLOEXEC));
        pid = fork();
        ASSERT_TRUE(pid >= 0);
        if (pid == 0) {
                if (dup2(fds[1], STDOUT_FILENO) >= 0)
                        execlp("gzip", "gzip", "-dc", file, (char *) NULL);
                _exit(127);
        }
        ASSERT_OK(close(fds[1]));
        for (;;) {
                ssize_t n = read(fds[0], ret + size, room - size);

                ASSERT_TRUE(n >= 0);
                if (n == 0)
                        break;
                size += (size_t) n;
        }
        ASSERT_OK(close(fds[0]));
        ASSERT_EQ_I(waitpid(pid, &status, 0), pid);
        ASSERT_EQ_I(status, 0);
        ASSERT_TRUE(size < room);
        return size;
}

/* ustar: name at 0, mode 100, size 124, type 156, link 157, prefix 345 (POSIX.1-1988). */
static inline void captures_untar(Captures *c, const uint8_t *tar, size_t size) {
        c->n_files = 0;
        for (size_t at = 0; at + 512 <= size && tar[at] != 0;) {
                const uint8_t *header = tar + at;
                const char *string = (const char *) header;
                uint64_t bytes = captures_octal(header + 124, 12);
                CaptureFile *f = &c->files[c->n_files];

                ASSERT_TRUE(memcmp(header + 257, "ustar", 5) == 0);
                ASSERT_TRUE(bytes <= size - at - 512);
                ASSERT_TRUE(text_format(f->path, sizeof(f->path), "%.155s%s%.100s", string + 345,
                                        header[345] ? "/" : "", string));
                ASSERT_TRUE(text_format(f->link, sizeof(f->link), "%.100s", string + 157));
                f->mode = (unsigned) captures_octal(header + 100, 8);
                f->text = (Text){ string + 512, (size_t) bytes };
                at += 512 + (size_t) ((bytes + 511) / 512 * 512);
                c->n_files++;
                ASSERT_TRUE(c->n_files < CAPTURE_FILES_MAX);
        }
        qsort(c->files, c->n_files, sizeof(*c->files), captures_compare);
}

/* --- one snapshot --- */

static inline const CaptureFile *captures_find(const Captures *c, const char *root,
                                               const char *path) {
        CaptureFile wanted;

        ASSERT_TRUE(text_format(wanted.path, sizeof(wanted.path), "%s/%s", root, path));
        return bsearch(&wanted, c->files, c->n_files, sizeof(wanted), captures_compare);
}

static inline Text captures_text(const Captures *c, const char *root, const char *path) {
        const CaptureFile *f = captures_find(c, root, path);

        return f ? f->text : TEXT_NULL;
}

static inline Text captures_keep(Captures *c, Text text) {
        char *copy = arena_strndup(&c->arena, text.size > 0 ? text.data : "", text.size);

        ASSERT_TRUE(copy);
        return (Text){ copy, text.size };
}

static inline IdSet captures_ids(const Captures *c, const char *root, const char *path,
                                 ParseLog *log) {
        IdSet set = { 0 };
        Text text = captures_text(c, root, path);

        if (text.data)
                ASSERT_OK(idlist_parse(text, path, &set, log));
        return set;
}

static inline void captures_topology(Captures *c, const char *root, Topology *t, ParseLog *log) {
        IdSet nodes = captures_ids(c, root, "sys/devices/system/node/online", log);

        t->possible = captures_ids(c, root, "sys/devices/system/cpu/possible", log);
        t->present = captures_ids(c, root, "sys/devices/system/cpu/present", log);
        t->online = captures_ids(c, root, "sys/devices/system/cpu/online", log);
        t->n_possible = idset_count(&t->possible);
        t->n_present = idset_count(&t->present);
        t->n_online = idset_count(&t->online);
        t->nodes = ARENA_ARRAY(&c->arena, Node, idset_count(&nodes));
        ASSERT_TRUE(t->nodes);
        IDSET_FOREACH(id, &nodes) {
                Node *node = &t->nodes[t->n_nodes++];
                char path[128];

                node->id = id;
                ASSERT_TRUE(text_format(path, sizeof(path),
                                        "sys/devices/system/node/node%u/cpulist", id));
                node->cpus = captures_ids(c, root, path, log);
                node->n_online = idset_count_both(&node->cpus, &t->online);
        }
}

/* Attributes stand behind their directory in the sorted list: one pass. */
static inline SlabTree *captures_slab(Captures *c, const char *root, ParseLog *log) {
        size_t n = 0, n_specs = 0;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n_specs);
        SlabEntry *entries = ARENA_ARRAY(&c->arena, SlabEntry, 1024);
        SlabTree *tree = ARENA_NEW(&c->arena, SlabTree);
        char folder[128];

        ASSERT_TRUE(text_format(folder, sizeof(folder), "%s/sys/kernel/slab/", root));
        for (size_t i = 0; i < c->n_files; i++) {
                const CaptureFile *f = &c->files[i];
                Text name = text_from(f->path), dir;

                if (!text_starts(name, folder))
                        continue;
                name = (Text){ name.data + strlen(folder), name.size - strlen(folder) };
                if (f->link[0]) {
                        entries[n].name = captures_keep(c, name).data;
                        entries[n++].target = captures_keep(c, text_from(f->link)).data;
                } else if (text_next_split(&name, '/', &dir) && text_is(name, "order"))
                        entries[n++].name = captures_keep(c, dir).data;
                ASSERT_TRUE(n < 1024);
        }
        ASSERT_OK(slab_tree_build(&c->arena, entries, n, "sys/kernel/slab", tree, log));
        for (size_t i = 0; i < tree->n; i++)
                for (size_t k = 0; k < n_specs; k++) {
                        const CaptureFile *f;
                        char path[256];

                        if (specs[k].cost == SLAB_COST_FORBIDDEN)
                                continue;
                        ASSERT_TRUE(text_format(path, sizeof(path), "sys/kernel/slab/%s/%s",
                                                tree->caches[i].dir, specs[k].name));
                        f = captures_find(c, root, path);
                        if (!f)
                                continue;
                        ASSERT_OK(slab_cache_set(&c->arena, &tree->caches[i], &specs[k], f->text,
                                                 "sys/kernel/slab", log));
                        slab_cache_set_mode(&tree->caches[i], &specs[k], f->mode);
                }
        return tree;
}

static inline void captures_knob_file(Captures *c, CaptureSnapshot *s, const char *root,
                                      const char *path) {
        const CaptureFile *f = captures_find(c, root, path);

        if (!f)
                return;
        s->knob_files[s->n_knob_files++] = (KnobFile){
                .path = captures_keep(c, text_from(path)).data,
                .state = SENSE_OK,
                .text = captures_keep(c, f->text),
                .mode = f->mode,
                .mode_known = true,
        };
}

static inline void captures_knob_files(Captures *c, CaptureSnapshot *s, const char *root) {
        size_t n = 0;
        const char *const *paths = knob_paths(&n);

        s->knob_files = ARENA_ARRAY(&c->arena, KnobFile, n + 16);
        ASSERT_TRUE(s->knob_files);
        for (size_t i = 0; i < n; i++)
                captures_knob_file(c, s, root, paths[i]);
        for (unsigned kb = 8; kb <= 2048; kb *= 2) {
                char path[128];

                ASSERT_TRUE(text_format(path, sizeof(path), "%s/hugepages-%ukB/%s",
                                        KNOB_SIZE_FOLDER, kb, KNOB_SIZE_FILE));
                captures_knob_file(c, s, root, path);
        }
}

static inline CaptureSnapshot *captures_load(Captures *c, const char *root) {
        static const char old[] = "proc/sys/vm/percpu_pagelist_fraction";
        static const char new[] = "proc/sys/vm/percpu_pagelist_high_fraction";
        CaptureSnapshot *s = ARENA_NEW(&c->arena, CaptureSnapshot);
        ParseLog *log = ARENA_NEW(&c->arena, ParseLog);
        MemInfo *meminfo = ARENA_NEW(&c->arena, MemInfo);
        MachineFacts *facts = &s->facts;
        Text text;

        s->snapshot.zoneinfo = ARENA_NEW(&c->arena, ZoneInfo);
        ASSERT_TRUE(s->snapshot.zoneinfo);
        ASSERT_OK(zoneinfo_parse(&c->arena, captures_text(c, root, "proc/zoneinfo"),
                                 "proc/zoneinfo", s->snapshot.zoneinfo, log));
        s->snapshot.state[SENSE_ZONEINFO] = SENSE_OK;
        ASSERT_OK(meminfo_parse(captures_text(c, root, "proc/meminfo"), "proc/meminfo", meminfo,
                                log));
        captures_topology(c, root, &facts->topology, log);
        s->snapshot.slab = captures_slab(c, root, log);
        s->snapshot.state[SENSE_SLAB] = SENSE_OK;
        captures_knob_files(c, s, root);

        facts->cmdline = captures_keep(c, text_strip(captures_text(c, root, "proc/cmdline")));
        facts->cmdline_known = true;
        text = text_strip(captures_text(c, root, "proc/sys/kernel/osrelease"));
        ASSERT_TRUE(text_copy(facts->release, sizeof(facts->release), text));
        text = captures_text(c, root, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
        facts->hpage_pmd_bytes = number_file_parse(text, "hpage_pmd_size", log);
        facts->memory_bytes = meminfo->value[MEM_MEM_TOTAL];
        facts->page_bytes = KNOWN(4096);
        facts->euid_root = true;

        text = captures_text(c, root, old);
        s->fraction = number_file_parse(text.data ? text : captures_text(c, root, new), "fraction",
                                        log);
        ASSERT_TRUE(s->fraction.known);
        ASSERT_EQ_U(log->n_issues, 0);
        return s;
}

static inline void captures_add(Captures *c, const char *name) {
        char root[32] = "";
        unsigned first_ms = 0, n = 0;

        for (size_t i = 0; i < c->n_files; i++) {
                Text rest = text_from(c->files[i].path), field;
                uint64_t ms = 0;
                CaptureSnapshot *s;

                if (!text_next_split(&rest, '/', &field) || text_is(field, root))
                        continue;
                ASSERT_TRUE(text_copy(root, sizeof(root), field));
                ASSERT_OK(number_parse_u64(field.data, field.size, &ms));
                if (n++ == 0)
                        first_ms = (unsigned) ms;
                s = captures_load(c, root);
                s->ms = (unsigned) ms - first_ms;
                ASSERT_TRUE(text_format(s->name, sizeof(s->name), "%s", name));
                ASSERT_TRUE(c->n < ELEMENTSOF(c->snapshots));
                c->snapshots[c->n++] = s;
        }
        ASSERT_TRUE(n > 0);
}

static inline int captures_is_tarball(const struct dirent *e) {
        return text_ends(text_from(e->d_name), ".tgz");
}

/* Every snapshot of every capture, ordered by name and time. Read once. */
static inline const Captures *captures(void) {
        static uint8_t memory[256 << 20], tar[64 << 20];
        static Captures c;
        const char *trees = getenv("TEST_TREES");
        struct dirent **tarballs = NULL;
        int n;

        if (c.n > 0)
                return &c;
        trees = trees ? trees : "tests/trees";
        arena_init(&c.arena, memory, sizeof(memory));
        c.files = calloc(CAPTURE_FILES_MAX, sizeof(*c.files));
        ASSERT_TRUE(c.files);
        n = scandir(trees, &tarballs, captures_is_tarball, alphasort);
        ASSERT_TRUE(n > 0);
        for (int i = 0; i < n; i++) {
                char file[1024], name[64];

                ASSERT_TRUE(text_format(file, sizeof(file), "%s/%s", trees, tarballs[i]->d_name));
                ASSERT_TRUE(
                        text_copy(name, sizeof(name),
                                  (Text){ tarballs[i]->d_name, strlen(tarballs[i]->d_name) - 4 }));
                captures_untar(&c, tar, captures_unzip(file, tar, sizeof(tar)));
                captures_add(&c, name);
                free(tarballs[i]);
        }
        free(tarballs);
        free(c.files);
        return &c;
}

static inline KnobInput captures_input(const CaptureSnapshot *s) {
        return (KnobInput){
                .facts = &s->facts,
                .last = &s->snapshot,
                .files = s->knob_files,
                .n_files = s->n_knob_files,
                .may_write = true,
        };
}

/* "6.1" of "6.1-std-idle", not of "6.12-...". */
static inline bool captures_is(const CaptureSnapshot *s, const char *kernel) {
        return text_starts(text_from(s->name), kernel) && s->name[strlen(kernel)] == '-';
}
