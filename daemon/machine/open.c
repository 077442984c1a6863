/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three machines that are files: the live root, a copied tree, a capture. They differ in where the
 * files lie, what the time is, and whether the mode bits can be trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/sort.h"
#include "machine/file-machine.h"
#include "machine/memory.h"

#define SCRATCH_BYTES ((size_t) 256 << 20)
#define MODES_BYTES_MAX ((size_t) 16 << 20)
#define SNAPSHOT_DIGITS 8u
#define SNAPSHOT_MSEC_MAX (UINT64_C(1) << 40) /* 35 years: what is above is no time */

/* The files of the live machine that every tick reads stay open: opening costs more than reading, and
 * the buffer of /proc/zoneinfo keeps the size it grew to. Ours is as large as it was last time: a second
 * read of /proc/vmstat would add up all CPUs a second time (mm/vmstat.c vmstat_start(), 5.10 to 7.3). */
static const struct {
        const char *path;
        /* Made as one record (single_open(), fs/proc, kernel/sched/psi.c, 5.10 to 7.3): one read gives it
         * all, and need not be followed by one that gives nothing. */
        bool one_record;
} kept_files[KEPT_FILES] = {
        { "proc/vmstat", false },         { "proc/stat", true },      { "proc/meminfo", true },
        { "proc/pressure/memory", true }, { "proc/zoneinfo", false }, { "proc/buddyinfo", false },
        { "proc/lock_stat", false },      { "proc/uptime", true },
};

static FileMachine *file_machine(Machine *m) {
        return (FileMachine *) m;
}

/* Snapshots hold proc and sys; files of the administrator may lie in each of them or once beside them. */
static Root *root_of(FileMachine *f, const char *path) {
        unsigned mode;
        int error;

        if (f->machine.kind != MACHINE_CAPTURE)
                return &f->top;
        if (strncmp(path, "proc/", 5) == 0 || strncmp(path, "sys/", 4) == 0 ||
            root_mode(&f->snapshot, "etc", &mode, &error) == 0 ||
            root_mode(&f->top, "etc", &mode, &error) != 0)
                return &f->snapshot;
        return &f->top;
}

static int read_file(Machine *m, const char *path, size_t max_bytes, Arena *arena, Text *ret_text) {
        FileMachine *f = file_machine(m);
        int r;

        for (size_t i = 0; m->kind == MACHINE_LIVE && i < KEPT_FILES; i++) {
                if (strcmp(kept_files[i].path, path) != 0)
                        continue;
                if (f->kept[i] < 0) {
                        r = root_open_file(&f->top, path, &f->kept[i], &m->error);
                        if (r != 0) {
                                f->kept[i] = -1;
                                return r;
                        }
                }
                r = fd_read_all(f->kept[i], f->kept_bytes[i], kept_files[i].one_record, max_bytes,
                                arena, ret_text, &m->error);
                if (r == 0)
                        f->kept_bytes[i] = ret_text->size + ret_text->size / 8 + 1024;
                return r;
        }
        return root_read(root_of(f, path), path, max_bytes, arena, ret_text, &m->error);
}

static int list_dir(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries,
                    size_t *ret_n) {
        return root_list(root_of(file_machine(m), path), path, arena, ret_entries, ret_n,
                         &m->error);
}

static int compare_modes(const void *a, const void *b) {
        return strcmp(((const FileMode *) a)->path, ((const FileMode *) b)->path);
}

static int mode_of(Machine *m, const char *path, unsigned *ret_mode) {
        FileMachine *f = file_machine(m);
        size_t low = 0, high = f->n_modes;

        if (!m->have_modes)
                return MACHINE_E_ABSENT;
        if (!f->modes)
                return root_mode(root_of(f, path), path, ret_mode, &m->error);
        while (low < high) {
                size_t mid = low + (high - low) / 2;
                int c = strcmp(f->modes[mid].path, path);

                if (c == 0) {
                        *ret_mode = f->modes[mid].mode;
                        return 0;
                }
                if (c < 0)
                        low = mid + 1;
                else
                        high = mid;
        }
        return MACHINE_E_ABSENT;
}

static usec_t now(Machine *m) {
        FileMachine *f = file_machine(m);
        struct timespec ts;

        switch (m->kind) {
        case MACHINE_LIVE:
                (void) clock_gettime(CLOCK_MONOTONIC, &ts);
                return (usec_t) ts.tv_sec * USEC_PER_SEC + (usec_t) ts.tv_nsec / NSEC_PER_USEC;
        case MACHINE_CAPTURE:
                return f->snapshots[f->at].at_usec;
        case MACHINE_TREE:
        case MACHINE_SIMULATED:
                return 0;
        }
        return 0;
}

static int open_snapshot(FileMachine *f, size_t i) {
        root_close(&f->snapshot);
        f->at = i;
        f->snapshot = ROOT_NULL;
        f->snapshot.fd = openat(f->top.fd, f->snapshots[i].name,
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return f->snapshot.fd < 0 ? -errno : 0;
}

static int advance(Machine *m, usec_t until_usec) {
        FileMachine *f = file_machine(m);

        switch (m->kind) {
        case MACHINE_LIVE: {
                struct timespec ts = { .tv_sec = (time_t) (until_usec / USEC_PER_SEC),
                                       .tv_nsec = (long) (until_usec % USEC_PER_SEC *
                                                          NSEC_PER_USEC) };
                int r;

                do
                        r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
                while (r == EINTR);
                return -r;
        }
        case MACHINE_CAPTURE:
                return f->at + 1 < f->n_snapshots ? open_snapshot(f, f->at + 1) : MACHINE_E_END;
        case MACHINE_TREE:
        case MACHINE_SIMULATED:
                return MACHINE_E_END;
        }
        return MACHINE_E_END;
}

static int age(Machine *m, const char *path, usec_t *ret_usec) {
        FileMachine *f = file_machine(m);

        return m->kind == MACHINE_LIVE ? root_age(&f->top, path, ret_usec, &m->error)
                                       : MACHINE_E_ABSENT;
}

static void file_machine_free(Machine *m) {
        FileMachine *f = file_machine(m);

        for (size_t i = 0; i < KEPT_FILES; i++)
                if (f->kept[i] >= 0)
                        (void) close(f->kept[i]);
        root_close(&f->snapshot);
        root_close(&f->top);
        arena_unmap(&f->memory);
        arena_unmap(&m->scratch);
        free(f);
}

static const MachineVtable file_machine_vtable = {
        .read = read_file,
        .list = list_dir,
        .mode = mode_of,
        .now = now,
        .advance = advance,
        .age = age,
        .free = file_machine_free,
};

/* "00015308" -> 15,308 ms; names of other forms are other things. */
static bool snapshot_name(const char *name, usec_t *ret_usec) {
        size_t n = strlen(name);
        uint64_t msec;

        if (n < SNAPSHOT_DIGITS || number_parse_u64(name, n, &msec) != 0 ||
            msec > SNAPSHOT_MSEC_MAX)
                return false;
        *ret_usec = msec * USEC_PER_MSEC;
        return true;
}

/* Digits alone, yet no time: somebody's snapshot that we do not understand, not another thing. */
static bool odd_snapshot_name(const char *name) {
        return name[0] && name[strspn(name, "0123456789")] == '\0';
}

/* 0: the snapshot has proc or sys; MACHINE_E_ABSENT: neither; -errno. */
static int snapshot_has_files(FileMachine *f, const char *name) {
        static const char *const folders[] = { "proc", "sys" };

        for (size_t i = 0; i < ELEMENTSOF(folders); i++) {
                char path[300];
                unsigned mode;
                int r, error;

                (void) text_format(path, sizeof(path), "%s/%s", name, folders[i]);
                r = root_mode(&f->top, path, &mode, &error);
                if (r <= 0)
                        return r;
        }
        return MACHINE_E_ABSENT;
}

static int compare_snapshots(const void *a, const void *b) {
        const CaptureSnapshot *x = a, *y = b;

        if (x->at_usec != y->at_usec)
                return x->at_usec < y->at_usec ? -1 : 1;
        return strcmp(x->name, y->name);
}

/* The snapshots of a capture, oldest first. Entries without proc and sys are counted, not used. */
static int find_snapshots(FileMachine *f, const DirEntry *entries, size_t n) {
        size_t n_kept = 0;

        f->snapshots = ARENA_ARRAY(&f->memory, CaptureSnapshot, n + 1);
        if (!f->snapshots)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                usec_t at;
                int r;

                if (!entries[i].is_dir)
                        continue;
                if (!snapshot_name(entries[i].name, &at)) {
                        f->n_odd_names += odd_snapshot_name(entries[i].name);
                        continue;
                }
                r = snapshot_has_files(f, entries[i].name);
                if (r < 0)
                        return r;
                if (r != 0) {
                        f->n_empty_snapshots++;
                        continue;
                }
                f->snapshots[f->n_snapshots++] = (CaptureSnapshot){ .name = entries[i].name,
                                                                    .at_usec = at };
        }
        array_sort(f->snapshots, f->n_snapshots, sizeof(*f->snapshots), compare_snapshots);
        /* "00000001" and "000000001" are the same time: no rate can be made of the two */
        for (size_t i = 0; i < f->n_snapshots; i++)
                if (n_kept == 0 || f->snapshots[n_kept - 1].at_usec != f->snapshots[i].at_usec)
                        f->snapshots[n_kept++] = f->snapshots[i];
        f->n_twins = (unsigned) (f->n_snapshots - n_kept);
        f->n_snapshots = n_kept;
        return 0;
}

static Text without_slashes(Text text) {
        while (text.size > 0 && text.data[0] == '/') {
                text.data++;
                text.size--;
        }
        return text;
}

int file_machine_modes(FileMachine *f, Text text) {
        Text line;
        size_t n_lines = 1;

        for (size_t i = 0; i < text.size; i++)
                n_lines += text.data[i] == '\n';
        f->modes = ARENA_ARRAY(&f->memory, FileMode, n_lines);
        if (!f->modes)
                return -ENOMEM;
        while (text_next_line(&text, &line)) {
                Text digits;
                unsigned mode = 0;
                usec_t unused;
                char first[32];

                f->modes_line++;
                if (!text_next_field(&line, &digits))
                        continue;
                for (size_t i = 0; i < digits.size; i++) {
                        if (digits.data[i] < '0' || digits.data[i] > '7' || mode > 07777) {
                                digits.size = 0;
                                break;
                        }
                        mode = mode * 8 + (unsigned) (digits.data[i] - '0');
                }
                line = text_strip(line);
                line = without_slashes(line);
                if (text_copy(first, sizeof(first), (Text){ line.data, text_find(line, '/') }) &&
                    snapshot_name(first, &unused)) {
                        size_t skip = MIN(text_find(line, '/') + 1, line.size);

                        line = without_slashes((Text){ line.data + skip, line.size - skip });
                }
                if (digits.size == 0 || line.size == 0 || mode > 07777) {
                        if (f->modes_bad_line == 0)
                                f->modes_bad_line = f->modes_line;
                        continue;
                }
                f->modes[f->n_modes].path = arena_strndup(&f->memory, line.data, line.size);
                if (!f->modes[f->n_modes].path)
                        return -ENOMEM;
                f->modes[f->n_modes++].mode = mode;
        }
        array_sort(f->modes, f->n_modes, sizeof(*f->modes), compare_modes);
        return 0;
}

/* Archives and git lose modes. Those on the disk are believed only if they look like a kernel's: a
 * file that only root may read (0400) beside one that all may read (0444 or 0644). */
static bool disk_modes_look_real(FileMachine *f) {
        Root *r = root_of(f, "proc/");
        unsigned slabinfo, vmstat;
        int error;

        return root_mode(r, "proc/slabinfo", &slabinfo, &error) == 0 &&
               root_mode(r, "proc/vmstat", &vmstat, &error) == 0 && slabinfo == 0400 &&
               vmstat == 0444;
}

static int find_modes(FileMachine *f) {
        Machine *m = &f->machine;
        Text text;
        int r;

        if (m->kind == MACHINE_LIVE) {
                m->have_modes = true;
                return 0;
        }
        r = root_read(&f->top, "MODES", MODES_BYTES_MAX, &m->scratch, &text, &m->error);
        if (r == 0) {
                r = file_machine_modes(f, text);
                if (r < 0)
                        return r;
        } else if (r < 0 && r != -ENOMEM) {
                return r;
        } else if (r != MACHINE_E_ABSENT) {
                f->modes_unreadable = true;
                f->modes_too_large = r == MACHINE_E_TOO_LARGE;
        }
        arena_reset(&m->scratch);
        if (f->n_modes > 0)
                m->have_modes = true;
        else {
                f->modes = NULL;
                m->have_modes = disk_modes_look_real(f);
        }
        return 0;
}

static int find_kind(FileMachine *f, const char *dir) {
        Machine *m = &f->machine;
        char real[4096];
        DirEntry *entries;
        size_t n;
        unsigned mode;
        int r, error;

        if (strcmp(dir, "/") == 0 || (realpath(dir, real) && strcmp(real, "/") == 0)) {
                m->kind = MACHINE_LIVE;
                f->top.live = true;
                return 0;
        }
        if (root_mode(&f->top, "proc", &mode, &error) == 0 ||
            root_mode(&f->top, "sys", &mode, &error) == 0) {
                m->kind = MACHINE_TREE;
                return 0;
        }
        r = root_list(&f->top, "", &f->memory, &entries, &n, &m->error);
        if (r != 0)
                return r == MACHINE_E_FAILED ? -m->error : r;
        m->kind = MACHINE_CAPTURE;
        r = find_snapshots(f, entries, n);
        if (r < 0)
                return r;
        return f->n_snapshots > 0 ? open_snapshot(f, 0) : MACHINE_E_ABSENT;
}

int machine_open(const char *dir, Machine **ret_machine) {
        FileMachine *f = calloc(1, sizeof(*f));
        int r;

        if (!f)
                return -ENOMEM;
        f->machine.vtable = &file_machine_vtable;
        f->top = f->snapshot = ROOT_NULL;
        for (size_t i = 0; i < KEPT_FILES; i++)
                f->kept[i] = -1;
        r = arena_map(&f->memory, SCRATCH_BYTES);
        if (r == 0)
                r = arena_map(&f->machine.scratch, SCRATCH_BYTES);
        if (r == 0)
                r = root_open(dir, &f->top);
        if (r == 0)
                r = find_kind(f, dir);
        if (r == 0)
                r = find_modes(f);
        if (r != 0) {
                file_machine_free(&f->machine);
                return r;
        }
        *ret_machine = &f->machine;
        return 0;
}

Machine *machine_free(Machine *m) {
        if (m)
                m->vtable->free(m);
        return NULL;
}
