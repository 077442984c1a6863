/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "conf/policy-file.h"
#include "test.h"

/* A root of its own with files of configuration: root_begin(), root_write()..., root_end(). */
static char root[64];
_unused_ static ConfIssues issues;

_unused_ static void root_begin(void) {
        memcpy(root, "/tmp/alloctune-test-XXXXXX", sizeof("/tmp/alloctune-test-XXXXXX"));
        ASSERT_TRUE(mkdtemp(root) != NULL);
        (void) umask(022);
        conf_issues_done(&issues);
}

static int remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
                      struct FTW *at _unused_) {
        return remove(path);
}

_unused_ static void root_end(void) {
        (void) nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        conf_issues_done(&issues);
}

/* The path below the root; good until the next but three. */
_unused_ static const char *root_path(const char *path) {
        static char paths[4][512];
        static unsigned next;
        char *p = paths[next++ % 4];

        ASSERT_TRUE(text_format(p, sizeof(paths[0]), "%s%s", root, path));
        return p;
}

_unused_ static void root_mkdirs(const char *path) {
        char p[512];

        ASSERT_TRUE(text_format(p, sizeof(p), "%s%s", root, path));
        for (char *slash = p + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
                *slash = '\0';
                (void) mkdir(p, 0755);
                *slash = '/';
        }
}

_unused_ static void root_write_size(const char *path, const char *text, size_t size) {
        FILE *f;

        root_mkdirs(path);
        f = fopen(root_path(path), "we");
        ASSERT_TRUE(f != NULL);
        ASSERT_EQ_U(fwrite(text, 1, size, f), size);
        ASSERT_EQ_I(fclose(f), 0);
}

_unused_ static void root_write(const char *path, const char *text) {
        root_write_size(path, text, strlen(text));
}

_unused_ static void root_link(const char *path, const char *target) {
        root_mkdirs(path);
        ASSERT_EQ_I(symlink(target, root_path(path)), 0);
}

_unused_ static const char *issues_text(void) {
        static char text[8192];
        size_t used = 0;

        text[0] = '\0';
        for (size_t i = 0; i < issues.n && used < sizeof(text) - 1; i++) {
                const char *file = issues.items[i].file;

                if (root[0] != '\0' && strncmp(file, root, strlen(root)) == 0)
                        file += strlen(root);
                (void) text_format(text + used, sizeof(text) - used, "%s%s:%u: %s: %s",
                                   used > 0 ? "\n" : "", file, issues.items[i].line,
                                   conf_severity_to_string(issues.items[i].severity),
                                   issues.items[i].text);
                used += strlen(text + used);
        }
        return text;
}

/* All issues, "FILE:LINE: severity: text" with FILE below the root, one a line. */
_unused_ static void expect_issues(const char *expected) {
        ASSERT_STR(issues_text(), expected);
        conf_issues_done(&issues);
}
