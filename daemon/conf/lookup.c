/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/lookup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "conf/lex.h"

/* Whoever can write a file that we read as root can set kernel memory knobs, so a file or a folder
 * that others can write is not read at all. Permissions are asked of the open descriptor, never of
 * the path, so nobody can exchange the file in between. */

static const char *const lookup_dirs[] = {
        "/etc/alloctuned",
        "/run/alloctuned",
        "/usr/local/lib/alloctuned",
        "/usr/lib/alloctuned",
};

typedef struct Found {
        char *path;
        const char *name; /* in path */
        size_t rank;      /* of its directory: 0 wins */
        bool masked;
} Found;

typedef struct FoundList {
        Found *items;
        size_t n, allocated;
} FoundList;

static void found_list_done(FoundList *found) {
        for (size_t i = 0; i < found->n; i++)
                free(found->items[i].path);
        free(found->items);
        *found = (FoundList){ 0 };
}

static int compare_found(const void *a, const void *b) {
        const Found *x = a, *y = b;
        int r = strcmp(x->name, y->name);

        if (r != 0)
                return r;
        return x->rank < y->rank ? -1 : x->rank > y->rank;
}

int conf_file_list_add(ConfFileList *list, const char *path, ConfFileState state) {
        ConfFile *files = reallocarray(list->files, list->n + 1, sizeof(*files));
        char *copy;

        if (!files)
                return -ENOMEM;
        list->files = files;
        copy = strdup(path);
        if (!copy)
                return -ENOMEM;
        list->files[list->n++] = (ConfFile){ .path = copy, .state = state };
        return 0;
}

void conf_file_list_done(ConfFileList *list) {
        for (size_t i = 0; i < list->n; i++) {
                free(list->files[i].path);
                free(list->files[i].text);
        }
        free(list->files);
        *list = (ConfFileList){ 0 };
}

/* A link whose target is the null device. */
static bool is_mask(int dir_fd, const char *name) {
        struct stat st;

        if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
                return false;
        return fstatat(dir_fd, name, &st, 0) == 0 && S_ISCHR(st.st_mode) &&
               st.st_rdev == makedev(1, 3);
}

static bool found_add(FoundList *found, int dir_fd, const char *dir, const char *name,
                      size_t rank) {
        Found f = { .rank = rank, .masked = is_mask(dir_fd, name) };
        size_t dir_size = strlen(dir), size = dir_size + 1 + strlen(name) + 1;

        if (found->n == found->allocated) {
                size_t wanted = found->allocated == 0 ? 16 : found->allocated * 2;
                Found *items = reallocarray(found->items, wanted, sizeof(*items));

                if (!items)
                        return false;
                found->items = items;
                found->allocated = wanted;
        }
        f.path = malloc(size);
        if (!f.path || !text_format(f.path, size, "%s/%s", dir, name)) {
                free(f.path);
                return false;
        }
        f.name = f.path + dir_size + 1;
        found->items[found->n++] = f;
        return true;
}

static bool owner_is_trusted(const struct stat *st) {
        return st->st_uid == 0 || st->st_uid == geteuid();
}

/* 1: there is no such directory, or it is refused (with an issue). */
static int open_dir(const char *dir, bool named, bool must_exist, int *ret_fd, ConfIssues *issues) {
        struct stat st;
        int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0) {
                if (must_exist || (errno != ENOENT && errno != ENOTDIR))
                        conf_issues_add(issues, dir, 0, CONF_ERROR, "cannot open the directory: %s",
                                        strerror(errno));
                return 1;
        }
        if (fstat(fd, &st) < 0)
                conf_issues_add(issues, dir, 0, CONF_ERROR, "cannot look at the directory: %s",
                                strerror(errno));
        else if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
                conf_issues_add(
                        issues, dir, 0, CONF_ERROR,
                        "directory refused: group or others can write it (mode %04o), expected at most 0755",
                        (unsigned) (st.st_mode & 07777));
        else if (!named && !owner_is_trusted(&st))
                conf_issues_add(issues, dir, 0, CONF_ERROR,
                                "directory refused: it belongs to uid %u, expected root",
                                (unsigned) st.st_uid);
        else {
                *ret_fd = fd;
                return 0;
        }
        (void) close(fd);
        return 1;
}

static int list_dir(const char *dir, int fd, const char *suffix, size_t rank, FoundList *found,
                    ConfIssues *issues) {
        DIR *stream = fdopendir(fd); /* owns fd from here on */
        int r = 0;

        if (!stream) {
                (void) close(fd);
                return -ENOMEM;
        }
        for (;;) {
                const struct dirent *entry;

                errno = 0;
                entry = readdir(stream);
                if (!entry) {
                        if (errno != 0)
                                conf_issues_add(issues, dir, 0, CONF_ERROR,
                                                "cannot list the directory: %s", strerror(errno));
                        break;
                }
                if (entry->d_name[0] == '.' || strlen(entry->d_name) <= strlen(suffix) ||
                    !text_ends(text_from(entry->d_name), suffix))
                        continue;
                if (!found_add(found, dirfd(stream), dir, entry->d_name, rank)) {
                        r = -ENOMEM;
                        break;
                }
        }
        (void) closedir(stream);
        return r;
}

static int found_to_list(FoundList *found, ConfFileList *list) {
        int r = 0;

        if (found->n > 0)
                qsort(found->items, found->n, sizeof(*found->items), compare_found);
        for (size_t i = 0; i < found->n && r == 0; i++) {
                ConfFileState state = found->items[i].masked ? CONF_FILE_MASKED : CONF_FILE_USED;

                if (i > 0 && strcmp(found->items[i - 1].name, found->items[i].name) == 0)
                        state = CONF_FILE_REPLACED;
                r = conf_file_list_add(list, found->items[i].path, state);
        }
        return r;
}

static int look_into(const char *dir, const char *name, const char *suffix, size_t rank,
                     FoundList *found, ConfIssues *issues) {
        struct stat st;
        int fd, r = 0;

        if (open_dir(dir, /* named= */ false, /* must_exist= */ false, &fd, issues) != 0)
                return 0;
        if (!name)
                return list_dir(dir, fd, suffix, rank, found, issues);
        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            !found_add(found, fd, dir, name, rank))
                r = -ENOMEM;
        (void) close(fd);
        return r;
}

int conf_lookup(const ConfOptions *options, const char *name, const char *folder,
                const char *suffix, ConfFileList *list, ConfIssues *issues) {
        const char *prefix = options && options->prefix && strcmp(options->prefix, "/") != 0
                                     ? options->prefix
                                     : "";
        FoundList found = { 0 };
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(lookup_dirs) && r == 0; i++) {
                char dir[4096];

                if (!text_format(dir, sizeof(dir), "%s%s%s%s", prefix, lookup_dirs[i],
                                 folder ? "/" : "", folder ? folder : "")) {
                        conf_issues_add(issues, prefix, 0, CONF_ERROR, "path too long");
                        break;
                }
                r = look_into(dir, name, suffix, i, &found, issues);
        }
        if (r == 0)
                r = found_to_list(&found, list);
        found_list_done(&found);
        return r;
}

int conf_lookup_dir(const char *dir, const char *suffix, bool must_exist, ConfFileList *list,
                    ConfIssues *issues) {
        FoundList found = { 0 };
        int fd, r;

        if (open_dir(dir, /* named= */ true, must_exist, &fd, issues) != 0)
                return 0;
        r = list_dir(dir, fd, suffix, 0, &found, issues);
        if (r == 0)
                r = found_to_list(&found, list);
        found_list_done(&found);
        return r;
}

/* The whole content, at most CONF_FILE_BYTES_MAX + 1 bytes. 0, -ENOMEM, or the positive errno. */
static int read_all(int fd, char **ret_text, size_t *ret_size) {
        size_t capacity = CONF_FILE_BYTES_MAX + 1, size = 0;
        char *text = malloc(capacity + 1), *smaller;

        if (!text)
                return -ENOMEM;
        while (size < capacity) {
                ssize_t n = read(fd, text + size, capacity - size);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0) {
                        int e = errno;

                        free(text);
                        return e;
                }
                if (n == 0)
                        break;
                size += (size_t) n;
        }
        text[size] = '\0';
        smaller = realloc(text, size + 1);
        *ret_text = smaller ? smaller : text;
        *ret_size = size;
        return 0;
}

/* False: an issue says why. */
static bool may_use(const char *path, int fd, bool named, ConfIssues *issues) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                conf_issues_add(issues, path, 0, CONF_ERROR, "cannot look at the file: %s",
                                strerror(errno));
        else if (!S_ISREG(st.st_mode))
                conf_issues_add(issues, path, 0, CONF_ERROR, "not a regular file");
        else if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
                conf_issues_add(
                        issues, path, 0, CONF_ERROR,
                        "file refused: group or others can write it (mode %04o), expected at most 0644",
                        (unsigned) (st.st_mode & 07777));
        else if (!named && !owner_is_trusted(&st))
                conf_issues_add(issues, path, 0, CONF_ERROR,
                                "file refused: it belongs to uid %u, expected root",
                                (unsigned) st.st_uid);
        else
                return true;
        return false;
}

int conf_file_read(ConfFile *file, bool named, ConfIssues *issues) {
        int fd, r;

        file->state = CONF_FILE_REFUSED;
        /* O_NONBLOCK: a FIFO must not hold us up before fstat() tells what it is. */
        fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0) {
                conf_issues_add(issues, file->path, 0, CONF_ERROR, "cannot open: %s",
                                strerror(errno));
                return 0;
        }
        if (!may_use(file->path, fd, named, issues)) {
                (void) close(fd);
                return 0;
        }
        r = read_all(fd, &file->text, &file->size);
        (void) close(fd);
        if (r < 0)
                return r;
        if (r > 0)
                conf_issues_add(issues, file->path, 0, CONF_ERROR, "cannot read: %s", strerror(r));
        else if (file->size > CONF_FILE_BYTES_MAX) {
                conf_issues_add(issues, file->path, 0, CONF_ERROR,
                                "file too large, expected at most %u bytes", CONF_FILE_BYTES_MAX);
                free(file->text);
                file->text = NULL;
                file->size = 0;
        } else if (conf_text_check(file->path, file->text, file->size, issues) == 0)
                file->state = CONF_FILE_USED;
        return 0;
}
