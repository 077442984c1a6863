/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "core/sense/slab.h"
#include "core/sense/thp.h"
#include "machine/memory.h"
#include "store/interrupt.h"

#define FILE_BYTES_MAX ((size_t) 128 << 20)
#define MEMORY_BYTES ((size_t) 256 << 20)
#define SNAPSHOTS_MAX 4000u

/* Files outside the folders that are walked. slabinfo is not among them: reading it takes list locks, and
 * slab sysfs tells the same; it is copied only where there is no slab sysfs. */
static const char *const files[] = {
        "proc/uptime",
        "proc/vmstat",
        "proc/zoneinfo",
        "proc/buddyinfo",
        "proc/meminfo",
        "proc/stat",
        "proc/pressure/memory",
        "proc/lock_stat",
        "proc/cmdline",
        "proc/version",
        "proc/sys/kernel/osrelease",
        "sys/devices/system/cpu/possible",
        "sys/devices/system/cpu/present",
        "sys/devices/system/cpu/online",
        "sys/devices/system/cpu/isolated",
        "sys/devices/system/cpu/nohz_full",
        "sys/devices/system/node/online",
        "sys/devices/system/node/possible",
        "sys/devices/system/node/has_memory",
        "sys/devices/system/node/has_cpu",
        "sys/kernel/realtime",
        "sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
};

typedef struct Writer {
        Machine *m;
        Arena arena; /* of one snapshot */
        int top_fd;  /* the capture under construction */
        int snap_fd;
        FILE *modes; /* while the first snapshot is written */
        char last_dir[300];
        CaptureResult *result;
        Interrupt interrupt;
} Writer;

static int make_parents(Writer *w, const char *path) {
        char dir[300];
        const char *slash = strrchr(path, '/');

        if (!slash || !text_copy(dir, sizeof(dir), (Text){ path, (size_t) (slash - path) }))
                return slash ? -ENAMETOOLONG : 0;
        if (strcmp(dir, w->last_dir) == 0)
                return 0;
        for (char *p = dir; *p; p++)
                if (*p == '/') {
                        *p = 0;
                        if (mkdirat(w->snap_fd, dir, 0755) < 0 && errno != EEXIST)
                                return -errno;
                        *p = '/';
                }
        if (mkdirat(w->snap_fd, dir, 0755) < 0 && errno != EEXIST)
                return -errno;
        (void) text_copy(w->last_dir, sizeof(w->last_dir), text_from(dir));
        return 0;
}

static int write_all(int fd, Text text) {
        while (text.size > 0) {
                ssize_t n = write(fd, text.data, text.size);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                text.data += n;
                text.size -= (size_t) n;
        }
        return 0;
}

static int put(int dir_fd, const char *path, Text text) {
        int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), r;

        if (fd < 0)
                return -errno;
        r = write_all(fd, text);
        if (close(fd) < 0 && r == 0)
                r = -errno;
        return r;
}

/* Copies one file. Absent ones are left out; unreadable ones are counted, with their mode in MODES. */
static int copy(Writer *w, const char *path) {
        Text text = TEXT_NULL;
        unsigned mode;
        int r, copied;

        if (interrupt_came(&w->interrupt, 0))
                return -EINTR;
        arena_reset(&w->m->scratch);
        r = machine_read(w->m, path, FILE_BYTES_MAX, &w->m->scratch, &text);
        if (r < 0)
                return r;
        if (r == MACHINE_E_ABSENT)
                return 0;
        if (w->modes && machine_mode(w->m, path, &mode) == 0)
                (void) fprintf(w->modes, "%04o %s\n", mode, path);
        if (r != 0) {
                w->result->n_denied += w->modes != NULL;
                return 0;
        }
        r = make_parents(w, path);
        if (r < 0)
                return r;
        copied = put(w->snap_fd, path, text);
        if (copied == -EEXIST)
                return 0; /* two tables name the same file */
        w->result->n_files++;
        return copied;
}

static int copy_slab(Writer *w) {
        DirEntry *entries;
        size_t n, n_specs;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n_specs);
        int r = machine_list(w->m, "sys/kernel/slab", &w->arena, &entries, &n);

        if (r < 0)
                return r;
        if (r != 0)
                return copy(w, "proc/slabinfo");
        for (size_t i = 0; i < n; i++) {
                char path[600];

                if (!text_format(path, sizeof(path), "sys/kernel/slab/%s", entries[i].name))
                        continue;
                if (entries[i].link) {
                        r = make_parents(w, path);
                        if (r == 0 && symlinkat(entries[i].link, w->snap_fd, path) < 0)
                                r = -errno;
                        if (r < 0)
                                return r;
                        continue;
                }
                for (size_t k = 0; entries[i].is_dir && k < n_specs; k++) {
                        if (!slab_attribute_wanted(&specs[k]) ||
                            !text_format(path, sizeof(path), "sys/kernel/slab/%s/%s",
                                         entries[i].name, specs[k].name))
                                continue;
                        r = copy(w, path);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

static int copy_thp(Writer *w) {
        size_t n_specs, n_size_specs, n;
        const ThpFileSpec *specs = thp_file_specs(&n_specs),
                          *size_specs = thp_size_file_specs(&n_size_specs);
        DirEntry *entries;
        char path[600];
        int r = 0;

        for (size_t i = 0; r == 0 && i < n_specs; i++)
                if (text_format(path, sizeof(path), KNOB_SIZE_FOLDER "/%s", specs[i].path))
                        r = copy(w, path);
        if (r == 0)
                r = machine_list(w->m, KNOB_SIZE_FOLDER, &w->arena, &entries, &n);
        if (r != 0)
                return r < 0 ? r : 0;
        for (size_t i = 0; i < n; i++) {
                uint64_t kb;

                if (!thp_size_name_parse(text_from(entries[i].name), &kb))
                        continue;
                for (size_t k = 0; k < n_size_specs; k++)
                        if (text_format(path, sizeof(path), KNOB_SIZE_FOLDER "/%s/%s",
                                        entries[i].name, size_specs[k].path)) {
                                r = copy(w, path);
                                if (r < 0)
                                        return r;
                        }
        }
        return 0;
}

/* Folders of nodes and CPUs: what topology is read from. */
static int copy_topology(Writer *w) {
        static const struct {
                const char *dir, *prefix;
                const char *names[4];
        } folders[] = {
                { "sys/devices/system/node",
                  "node",
                  { "cpulist", "meminfo", "distance", "vmstat" } },
                { "sys/devices/system/cpu",
                  "cpu",
                  { "topology/physical_package_id", NULL, NULL, NULL } },
        };
        int r;

        for (size_t f = 0; f < ELEMENTSOF(folders); f++) {
                DirEntry *entries;
                size_t n;

                r = machine_list(w->m, folders[f].dir, &w->arena, &entries, &n);
                if (r < 0)
                        return r;
                for (size_t i = 0; r == 0 && i < n; i++) {
                        uint64_t id;
                        size_t skip = strlen(folders[f].prefix);

                        if (strncmp(entries[i].name, folders[f].prefix, skip) != 0 ||
                            number_parse_u64(entries[i].name + skip, strlen(entries[i].name + skip),
                                             &id) != 0)
                                continue;
                        for (size_t k = 0; k < ELEMENTSOF(folders[f].names) && folders[f].names[k];
                             k++) {
                                char path[600];
                                int c;

                                if (!text_format(path, sizeof(path), "%s/%s/%s", folders[f].dir,
                                                 entries[i].name, folders[f].names[k]))
                                        continue;
                                c = copy(w, path);
                                if (c < 0)
                                        return c;
                        }
                }
        }
        return 0;
}

static int write_snapshot(Writer *w, usec_t since_start) {
        size_t n_paths;
        const char *const *paths = knob_paths(&n_paths);
        char name[24];
        int r = 0;

        (void) text_format(name, sizeof(name), "%08llu",
                           (unsigned long long) (since_start / USEC_PER_MSEC));
        if (mkdirat(w->top_fd, name, 0755) < 0)
                return errno == EEXIST ? 0 : -errno; /* two within a millisecond are one */
        w->snap_fd = openat(w->top_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (w->snap_fd < 0)
                return -errno;
        w->last_dir[0] = 0;
        arena_reset(&w->arena);
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(files); i++)
                r = copy(w, files[i]);
        if (r == 0 &&
            w->modes) /* facts are read from the first snapshot, and this is the one large file */
                r = copy(w, "proc/cpuinfo");
        for (size_t i = 0; r == 0 && i < n_paths; i++)
                r = copy(w, paths[i]);
        if (r == 0)
                r = copy_thp(w);
        if (r == 0)
                r = copy_topology(w);
        if (r == 0)
                r = copy_slab(w);
        (void) close(w->snap_fd);
        w->result->n_snapshots++;
        return r;
}

/* Of a machine that is not this one, the page size and clock tick are not ours to tell. */
static int write_json(Writer *w, time_t start) {
        bool live = w->m->kind == MACHINE_LIVE;
        json_t *root = json_pack("{s:i, s:I}", "schema", 1, "start_time", (json_int_t) start);
        char *text = NULL, *line = NULL;
        int r = root ? 0 : -ENOMEM;

        if (r == 0 && live &&
            (json_object_set_new(root, "page_bytes", json_integer(sysconf(_SC_PAGESIZE))) < 0 ||
             json_object_set_new(root, "clk_tck", json_integer(sysconf(_SC_CLK_TCK))) < 0 ||
             json_object_set_new(root, "euid", json_integer((json_int_t) geteuid())) < 0))
                r = -ENOMEM;
        text = r == 0 ? json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
        if (r == 0)
                r = text && asprintf(&line, "%s\n", text) >= 0
                            ? put(w->top_fd, "capture.json", text_from(line))
                            : -ENOMEM;
        free(line);
        free(text);
        json_decref(root);
        return r;
}

static int write_capture(Writer *w, const CaptureOptions *options) {
        usec_t start = machine_now(w->m), interval = MAX(options->interval_usec, USEC_PER_MSEC);
        time_t wall = time(NULL);
        bool failed;
        int fd, r;

        interval = MAX(interval, options->duration_usec / SNAPSHOTS_MAX);
        fd = openat(w->top_fd, "MODES", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0)
                return -errno;
        w->modes = fdopen(fd, "w");
        if (!w->modes) {
                (void) close(fd);
                return -ENOMEM;
        }
        r = write_snapshot(w, 0);
        failed = ferror(w->modes) != 0;
        if ((fclose(w->modes) != 0 || failed) && r == 0)
                r = -(errno ? errno : EIO);
        w->modes = NULL;
        for (usec_t at = interval; r == 0 && at <= options->duration_usec;) {
                usec_t now;

                if (options->progress)
                        options->progress(options->userdata, at - interval, options->duration_usec);
                if (interrupt_came(&w->interrupt,
                                   w->m->kind == MACHINE_LIVE
                                           ? u64_sub_sat(start + at, machine_now(w->m))
                                           : 0))
                        return -EINTR;
                r = machine_advance(w->m, start + at);
                if (r == MACHINE_E_END)
                        break; /* a tree, or the last snapshot of a capture */
                now = u64_sub_sat(machine_now(w->m), start);
                if (r == 0)
                        r = write_snapshot(w, MAX(now, USEC_PER_MSEC));
                /* a snapshot that took longer than the interval does not make the next ones hurry */
                at = MAX(at, w->m->kind == MACHINE_LIVE ? now / interval * interval : at) +
                     interval;
        }
        r = MIN(r, 0);
        if (r == 0 && options->progress)
                options->progress(options->userdata, options->duration_usec,
                                  options->duration_usec);
        return r == 0 ? write_json(w, wall) : r;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
        (void) st;
        (void) flag;
        (void) ftw;
        return remove(path);
}

/* A folder that is there may be used if it is empty; it stays as it is until the capture takes its place. */
static int check_target(const char *dir, size_t size) {
        const char *slash = memrchr(dir, '/', size);
        Text name = slash ? (Text){ slash + 1, size - (size_t) (slash + 1 - dir) }
                          : (Text){ dir, size };
        struct stat st;
        DIR *stream;
        int n = 0;

        if (name.size == 0 || text_is(name, ".") || text_is(name, ".."))
                return CAPTURE_E_EXISTS; /* no name that another folder could be given */
        if (lstat(dir, &st) < 0)
                return errno == ENOENT ? 0 : -errno;
        if (!S_ISDIR(st.st_mode))
                return CAPTURE_E_EXISTS;
        stream = opendir(dir);
        if (!stream)
                return -errno;
        while (n < 3 && readdir(stream))
                n++;
        (void) closedir(stream);
        return n < 3 ? 0 : CAPTURE_E_EXISTS; /* two are . and .. */
}

int capture_write(Machine *m, const CaptureOptions *options, CaptureResult *ret) {
        Writer w = { .m = m, .top_fd = -1, .result = ret };
        char part[4096];
        size_t n = strlen(options->dir);
        int r;

        *ret = (CaptureResult){ 0 };
        if (n == 0)
                return -ENOENT;
        while (n > 1 && options->dir[n - 1] == '/')
                n--;
        r = check_target(options->dir, n);
        if (r != 0)
                return r;
        if (!text_format(part, sizeof(part), "%.*s.part-XXXXXX", (int) MIN(n, (size_t) 4000),
                         options->dir))
                return -ENAMETOOLONG;
        interrupt_hold(&w.interrupt);
        if (!mkdtemp(part)) {
                r = -errno;
                interrupt_release(&w.interrupt);
                return r;
        }
        r = arena_map(&w.arena, MEMORY_BYTES);
        if (r == 0) {
                w.top_fd = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
                r = w.top_fd < 0 ? -errno : write_capture(&w, options);
        }
        if (w.top_fd >= 0)
                (void) close(w.top_fd);
        arena_unmap(&w.arena);
        if (r == 0 && chmod(part, 0755) < 0)
                r = -errno;
        if (r == 0 && rename(part, options->dir) < 0)
                r = errno == EEXIST || errno == ENOTEMPTY ? CAPTURE_E_EXISTS : -errno;
        /* One descriptor at a time: running out of them may be why it failed. */
        if (r != 0 && rmdir(part) < 0)
                (void) nftw(part, remove_one, 1, FTW_DEPTH | FTW_PHYS);
        interrupt_release(&w.interrupt);
        return r;
}
