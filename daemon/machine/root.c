/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sort.h"

/* One read() of /proc/sys with a buffer of several MiB fails with ENOMEM: pieces of 64 KiB at most. */
#define PIECE_BYTES ((size_t) 65536)
#define FIRST_PIECE_BYTES ((size_t) 4096)
#define TRIES_MAX 8

int machine_condition(int error) {
        switch (error) {
        case ENOENT:
        case ENOTDIR:
        case ENODEV:
        case ENXIO:
        case EOPNOTSUPP: /* proc/pressure where the kernel was booted with psi=0 */
                return MACHINE_E_ABSENT;
        case EACCES:
        case EPERM:
                return MACHINE_E_DENIED;
        case EMFILE: /* our own want, not the file's: nothing could be said of any file */
        case ENFILE:
                return -error;
        default:
                return MACHINE_E_FAILED;
        }
}

int root_open(const char *dir, Root *ret) {
        int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0) {
                int error = errno, condition = machine_condition(error);

                return condition == MACHINE_E_FAILED ? -error : condition;
        }
        *ret = ROOT_NULL;
        ret->fd = fd;
        return 0;
}

void root_close(Root *r) {
        if (r->fd >= 0)
                (void) close(r->fd);
        if (r->dir_fd >= 0)
                (void) close(r->dir_fd);
        *r = ROOT_NULL;
}

/* Kernels before 5.6: every component by itself, following no link. */
static int open_by_steps(int fd, const char *path, int flags) {
        int at = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        Text rest = text_from(path), step;

        while (at >= 0 && text_next_split(&rest, '/', &step)) {
                char name[256];
                int next;

                if (step.size == 0 || text_is(step, "."))
                        continue;
                if (text_is(step, "..") || !text_copy(name, sizeof(name), step)) {
                        (void) close(at);
                        errno = ENOENT;
                        return -1;
                }
                next = openat(at, name,
                              rest.size > 0 ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                                            : flags | O_NOFOLLOW | O_CLOEXEC);
                (void) close(at);
                at = next;
        }
        return at;
}

static int open_below(Root *r, int fd, const char *path, int flags) {
        struct open_how how = { .flags = (uint64_t) (unsigned) (flags | O_CLOEXEC),
                                .resolve = RESOLVE_IN_ROOT };
        long opened;

        if (!r->no_openat2) {
                int tries = 0;

                do /* EAGAIN: a rename somewhere on the machine met the walk */
                        opened = syscall(SYS_openat2, fd, path, &how, sizeof(how));
                while (opened < 0 && errno == EAGAIN && ++tries < TRIES_MAX);
                if (opened >= 0 || (errno != ENOSYS && errno != EPERM))
                        return (int) opened;
                r->no_openat2 = true; /* an old kernel, or a filter that does not know the call */
        }
        return open_by_steps(fd, path, flags);
}

/* The directory of a path, opened once for all its files. The live sysfs of slabs is why: a cache that
 * vanished gives ENOENT or ENODEV for its files, which is what it should. */
static int dir_of(Root *r, const char *path, const char **ret_name) {
        const char *slash = strrchr(path, '/');
        size_t n = slash ? (size_t) (slash - path) : 0;
        char dir[sizeof(r->dir)];

        if (!slash || n >= sizeof(dir)) {
                *ret_name = path;
                return r->fd;
        }
        (void) text_copy(dir, sizeof(dir), (Text){ path, n });
        *ret_name = slash + 1;
        if (r->dir_fd >= 0 && strcmp(r->dir, dir) == 0)
                return r->dir_fd;
        if (r->dir_fd >= 0)
                (void) close(r->dir_fd);
        r->dir_fd = open_below(r, r->fd, dir, O_PATH | O_DIRECTORY);
        (void) text_copy(r->dir, sizeof(r->dir), text_from(dir));
        return r->dir_fd;
}

/* A link is resolved from the root, as in the machine that the tree was taken from. In a foreign tree
 * nothing but a regular file is even opened: opening a device may act. */
static int open_regular(Root *r, const char *path, struct stat *ret_st, int *ret_fd) {
        const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
        const char *name;
        int dir = dir_of(r, path, &name), fd;
        bool is_link = false;

        if (dir < 0)
                return errno;
        if (!r->live) {
                if (fstatat(dir, name, ret_st, AT_SYMLINK_NOFOLLOW) < 0)
                        return errno;
                is_link = S_ISLNK(ret_st->st_mode);
        }
        if (is_link) {
                int at = open_below(r, r->fd, path, O_PATH);
                bool known = at >= 0 && fstat(at, ret_st) == 0;
                int error = errno;

                if (at >= 0)
                        (void) close(at);
                if (!known)
                        return error;
        }
        if (!r->live && !S_ISREG(ret_st->st_mode))
                return S_ISDIR(ret_st->st_mode) ? EISDIR : EINVAL;
        fd = is_link ? -1 : openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
        if (is_link || (fd < 0 && errno == ELOOP))
                fd = open_below(r, r->fd, path, flags);
        if (fd < 0)
                return errno;
        if (r->live && (fstat(fd, ret_st) < 0 || !S_ISREG(ret_st->st_mode))) {
                (void) close(fd);
                return EINVAL;
        }
        *ret_fd = fd;
        return 0;
}

int root_open_file(Root *r, const char *path, int *ret_fd, int *ret_errno) {
        struct stat st;
        int error = open_regular(r, path, &st, ret_fd);

        if (error == 0)
                return 0;
        *ret_errno = error;
        return machine_condition(error);
}

/* first_bytes: size of the first read. short_is_end: the source gives all it has if there is room, so
 * that no further read is needed to see the end. */
static int read_pieces(int fd, size_t first_bytes, bool short_is_end, size_t max_bytes,
                       Arena *arena, Text *ret_text, int *ret_errno) {
        size_t mark = arena_mark(arena), size = MAX(first_bytes, (size_t) 2), used = 0;
        char *text = arena_alloc(arena, size, 1);

        while (text) {
                size_t asked = MIN(size - used - 1, PIECE_BYTES);
                ssize_t n = pread(fd, text + used, asked, (off_t) used);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0) {
                        *ret_errno = errno;
                        arena_release(arena, mark);
                        return machine_condition(*ret_errno);
                }
                used += (size_t) n;
                if (used > max_bytes) {
                        arena_release(arena, mark);
                        return MACHINE_E_TOO_LARGE;
                }
                if (n == 0 || (short_is_end && (size_t) n < asked)) {
                        text[used] = 0;
                        *ret_text = (Text){ text, used };
                        /* what was not needed goes back */
                        arena_release(arena, arena_mark(arena) - (size - used - 1));
                        return 0;
                }
                if (size - used < 2) {
                        size_t more = MIN(size, PIECE_BYTES);

                        text = arena_grow(arena, text, size, size + more, 1);
                        size += more;
                }
        }
        arena_release(arena, mark);
        return -ENOMEM;
}

int fd_read_all(int fd, size_t first_bytes, bool short_is_end, size_t max_bytes, Arena *arena,
                Text *ret_text, int *ret_errno) {
        return read_pieces(fd, MAX(first_bytes, FIRST_PIECE_BYTES), short_is_end, max_bytes, arena,
                           ret_text, ret_errno);
}

int root_read(Root *r, const char *path, size_t max_bytes, Arena *arena, Text *ret_text,
              int *ret_errno) {
        /* Files of /proc come in records (and have no size, in a tree that is a mounted kernel too): a
         * short read is not their end. That of sysfs, of sysctl and of a disk is. */
        bool whole = strncmp(path, "sys/", 4) == 0 || strncmp(path, "proc/sys/", 9) == 0;
        struct stat st;
        size_t first = FIRST_PIECE_BYTES;
        int fd, result, error = open_regular(r, path, &st, &fd);

        if (error != 0) {
                *ret_errno = error;
                return machine_condition(error);
        }
        if (!r->live && st.st_size > 0) {
                whole = true;
                if ((uint64_t) st.st_size > max_bytes) {
                        (void) close(fd);
                        return MACHINE_E_TOO_LARGE;
                }
                first = (size_t) st.st_size + 2;
        }
        result = read_pieces(fd, first, whole, max_bytes, arena, ret_text, ret_errno);
        (void) close(fd);
        return result;
}

static int compare_entries(const void *a, const void *b) {
        return strcmp(((const DirEntry *) a)->name, ((const DirEntry *) b)->name);
}

static int list_stream(DIR *stream, Arena *arena, DirEntry **ret_entries, size_t *ret_n,
                       int *ret_errno) {
        DirEntry *entries = NULL;
        size_t n = 0, capacity = 0;

        for (;;) {
                struct dirent *d;
                DirEntry entry = { 0 };
                unsigned char type;

                errno = 0;
                d = readdir(stream);
                if (!d && errno != 0) {
                        *ret_errno = errno;
                        return machine_condition(errno);
                }
                if (!d)
                        break;
                if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
                        continue;
                type = d->d_type;
                if (type == DT_UNKNOWN) {
                        struct stat st;

                        if (fstatat(dirfd(stream), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                                continue; /* vanished while we looked */
                        type = S_ISDIR(st.st_mode) ? DT_DIR : S_ISLNK(st.st_mode) ? DT_LNK : DT_REG;
                }
                entry.is_dir = type == DT_DIR;
                if (type == DT_LNK) {
                        char target[512];
                        ssize_t size = readlinkat(dirfd(stream), d->d_name, target, sizeof(target));

                        if (size < 0)
                                continue;
                        entry.link = arena_strndup(arena, target, (size_t) size);
                        if (!entry.link)
                                return -ENOMEM;
                }
                entry.name = arena_strndup(arena, d->d_name, strlen(d->d_name));
                if (!entry.name)
                        return -ENOMEM;
                if (n == capacity) {
                        size_t more = MAX(2 * capacity, (size_t) 64);
                        DirEntry *grown = arena_grow(arena, entries, capacity * sizeof(*entries),
                                                     more * sizeof(*entries), _Alignof(DirEntry));

                        if (!grown)
                                return -ENOMEM;
                        entries = grown;
                        capacity = more;
                }
                entries[n++] = entry;
        }
        array_sort(entries, n, sizeof(*entries), compare_entries);
        *ret_entries = entries;
        *ret_n = n;
        return 0;
}

int root_list(Root *r, const char *path, Arena *arena, DirEntry **ret_entries, size_t *ret_n,
              int *ret_errno) {
        int fd = open_below(r, r->fd, path[0] ? path : ".", O_RDONLY | O_DIRECTORY), result;
        DIR *stream;

        *ret_entries = NULL;
        *ret_n = 0;
        if (fd < 0) {
                *ret_errno = errno;
                return machine_condition(errno);
        }
        stream = fdopendir(fd);
        if (!stream) {
                (void) close(fd);
                return -ENOMEM;
        }
        result = list_stream(stream, arena, ret_entries, ret_n, ret_errno);
        (void) closedir(stream);
        return result;
}

int root_mode(Root *r, const char *path, unsigned *ret_mode, int *ret_errno) {
        const char *name;
        struct stat st;
        int dir = dir_of(r, path, &name);

        if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
                *ret_errno = errno;
                return machine_condition(errno);
        }
        *ret_mode = st.st_mode & 07777;
        return 0;
}

int root_age(Root *r, const char *path, usec_t *ret_usec, int *ret_errno) {
        const char *name;
        struct stat st;
        struct timespec ts;
        int dir = dir_of(r, path, &name);
        int64_t nsec;

        if (dir < 0 || fstatat(dir, name, &st, 0) < 0) {
                *ret_errno = errno;
                return machine_condition(errno);
        }
        (void) clock_gettime(CLOCK_REALTIME, &ts);
        nsec = (int64_t) (ts.tv_sec - st.st_mtim.tv_sec) * (int64_t) NSEC_PER_SEC +
               (ts.tv_nsec - st.st_mtim.tv_nsec);
        *ret_usec = nsec > 0 ? (usec_t) nsec / NSEC_PER_USEC : 0;
        return 0;
}
