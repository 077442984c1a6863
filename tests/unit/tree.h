/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/memory.h"
#include "test.h"

/* A directory of its own that stands for a machine: tree_begin(), tree_put()..., tree_end(). Paths are
 * relative to it. A failed case leaves its directory behind for a look. */
static char tree[64];
static Arena tree_arena;
_unused_ static ParseLog tree_log;

_unused_ static void tree_begin(void) {
        /* thousands of small files: in memory where there is such a place */
        const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

        ASSERT_TRUE(text_format(tree, sizeof(tree), "%s/alloctune-tree-XXXXXX", parent));
        ASSERT_TRUE(mkdtemp(tree) != NULL);
        (void) umask(022);
        if (!tree_arena.base)
                ASSERT_OK(arena_map(&tree_arena, (size_t) 512 << 20));
        arena_reset(&tree_arena);
        tree_log = (ParseLog){ 0 };
}

static int tree_remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
                           struct FTW *at _unused_) {
        return remove(path);
}

_unused_ static void tree_end(void) {
        ASSERT_EQ_I(nftw(tree, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The absolute path; good until the next but three. */
_unused_ static const char *tree_path(const char *path) {
        static char paths[4][512];
        static unsigned next;
        char *p = paths[next++ % 4];

        ASSERT_TRUE(text_format(p, sizeof(paths[0]), "%s/%s", tree, path));
        return p;
}

/* Parents of a path, or with a '/' at its end all of it. */
_unused_ static const char *tree_mkdirs(const char *path) {
        char p[512];

        ASSERT_TRUE(text_format(p, sizeof(p), "%s/%s", tree, path));
        for (char *slash = p + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
                *slash = '\0';
                (void) mkdir(p, 0755);
                *slash = '/';
        }
        return tree_path(path);
}

_unused_ static void tree_put_bytes(const char *path, const void *data, size_t size) {
        FILE *f = fopen(tree_mkdirs(path), "we");

        ASSERT_TRUE(f != NULL);
        ASSERT_EQ_U(fwrite(data, 1, size, f), size);
        ASSERT_EQ_I(fclose(f), 0);
}

_unused_ static void tree_put(const char *path, const char *text) {
        tree_put_bytes(path, text, strlen(text));
}

_unused_ static void tree_link(const char *path, const char *target) {
        ASSERT_EQ_I(symlink(target, tree_mkdirs(path)), 0);
}

_unused_ static Machine *tree_open(void) {
        Machine *m = NULL;

        ASSERT_OK(machine_open(tree, &m));
        return m;
}

/* Reads a file as text; the condition if there is one. */
_unused_ static int tree_read(Machine *m, const char *path, Text *ret) {
        return machine_read(m, path, (size_t) 1 << 20, &tree_arena, ret);
}

/* All issues, "PATH:LINE: what (about)", one a line. */
_unused_ static const char *tree_issues(const ParseLog *log) {
        static char text[8192];
        size_t used = 0;

        text[0] = '\0';
        for (unsigned i = 0; i < log->n_issues && used < sizeof(text) - 1; i++) {
                const ParseIssue *issue = &log->issue[i];

                (void) text_format(text + used, sizeof(text) - used, "%s%s:%u: %s%s%s%s",
                                   used > 0 ? "\n" : "", issue->path, issue->line, issue->what,
                                   issue->about[0] ? " (" : "", issue->about,
                                   issue->about[0] ? ")" : "");
                used += strlen(text + used);
        }
        return text;
}
