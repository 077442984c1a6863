/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What watching costs: CPU time of one tick on the live machine, against CPU time of bare reads of the
 * very same files. What a tick reads is learnt from a tick, so that the two cannot drift apart. Files
 * that a tick keeps open are kept open by the bare loop too. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine/memory.h"
#include "machine/sample.h"

#define PATHS_MAX 20000u
#define ROUNDS 9u
#define BUFFER_BYTES ((size_t) 4 << 20)

typedef struct Recorder {
        const MachineVtable *real;
        char *paths[PATHS_MAX];
        bool found[PATHS_MAX];
        unsigned n;
        bool twice; /* a file was read a second time within one tick */
        size_t bytes;
} Recorder;

static Recorder recorder;

static int recording_read(Machine *m, const char *path, size_t max_bytes, Arena *arena, Text *ret) {
        int r = recorder.real->read(m, path, max_bytes, arena, ret);

        for (unsigned i = 0; i < recorder.n; i++)
                recorder.twice = recorder.twice || strcmp(recorder.paths[i], path) == 0;
        if (recorder.n < PATHS_MAX) {
                recorder.found[recorder.n] = r == 0;
                recorder.paths[recorder.n++] = strdup(path);
        }
        recorder.bytes += r == 0 ? ret->size : 0;
        return r;
}

static uint64_t cpu_nsec(void) {
        struct timespec ts;

        (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
        return (uint64_t) ts.tv_sec * 1000000000u + (uint64_t) ts.tv_nsec;
}

static int tick(Machine *m, Arena *arena, unsigned files) {
        static ParseLog log;
        Snapshot snapshot;

        log.n_issues = 0;
        arena_reset(arena);
        return sample_take(m, arena, files, &snapshot, &log);
}

/* One file, whole: what a program that throws the text away would do. */
static void bare_read(int fd, char *buffer) {
        off_t at = 0;
        ssize_t n;

        while ((n = pread(fd, buffer, BUFFER_BYTES > 65536 ? 65536 : BUFFER_BYTES, at)) > 0)
                at += n;
}

static void bare(int root, int *kept, char *buffer) {
        for (unsigned i = 0; i < recorder.n; i++) {
                const char *path = recorder.paths[i];
                bool keep = strncmp(path, "proc/", 5) == 0 && recorder.found[i];
                int fd = keep ? kept[i] : -1;

                if (fd < 0)
                        fd = openat(root, path, O_RDONLY | O_CLOEXEC);
                if (fd < 0)
                        continue;
                bare_read(fd, buffer);
                if (keep)
                        kept[i] = fd;
                else
                        (void) close(fd);
        }
}

static int measure(const char *name, unsigned files, unsigned n_ticks) {
        static const MachineVtable nothing;
        MachineVtable recording = nothing;
        char *buffer = malloc(BUFFER_BYTES);
        int *kept = malloc(PATHS_MAX * sizeof(int)), root = open("/", O_RDONLY | O_CLOEXEC), r;
        uint64_t best = UINT64_MAX, best_bare = UINT64_MAX;
        unsigned n_found = 0;
        Machine *m = NULL;
        Arena arena;

        if (!buffer || !kept || root < 0 || machine_open("/", &m) != 0 ||
            arena_map(&arena, (size_t) 1 << 30) < 0)
                return -ENOMEM;
        recorder = (Recorder){ .real = m->vtable };
        recording = *m->vtable;
        recording.read = recording_read;
        m->vtable = &recording;
        r = tick(m, &arena, files);
        m->vtable = recorder.real;
        for (unsigned i = 0; i < PATHS_MAX; i++)
                kept[i] = -1;
        for (unsigned i = 0; i < recorder.n; i++)
                n_found += recorder.found[i];
        /* in turns, and the best of each: other programs only ever add time */
        for (unsigned round = 0; r == 0 && round < ROUNDS; round++) {
                uint64_t start = cpu_nsec(), middle, end;

                for (unsigned i = 0; r == 0 && i < n_ticks; i++)
                        r = tick(m, &arena, files);
                middle = cpu_nsec();
                for (unsigned i = 0; i < n_ticks; i++)
                        bare(root, kept, buffer);
                end = cpu_nsec();
                best = MIN(best, (middle - start) / n_ticks);
                best_bare = MIN(best_bare, (end - middle) / n_ticks);
        }
        for (unsigned i = 0; i < recorder.n; i++) {
                if (kept[i] >= 0)
                        (void) close(kept[i]);
                free(recorder.paths[i]);
        }
        if (r == 0)
                printf("%-6s %5u files, %7zu bytes: tick %7.1f us, bare reads %7.1f us, ratio %.2f%s\n",
                       name, n_found, recorder.bytes, (double) best / 1000.0,
                       (double) best_bare / 1000.0, (double) best / (double) best_bare,
                       recorder.twice ? " (A FILE IS READ TWICE)" : "");
        r = r == 0 && recorder.twice ? -EIO : r;
        m = machine_free(m);
        arena_unmap(&arena);
        (void) close(root);
        free(kept);
        free(buffer);
        return r;
}

/* Arguments: names of the measurements to take, else all. */
static bool wanted(const char *name, int argc, char *argv[]) {
        for (int i = 1; i < argc; i++)
                if (strcmp(argv[i], name) == 0)
                        return true;
        return argc < 2;
}

int main(int argc, char *argv[]) {
        static const struct {
                const char *name;
                unsigned files, n_ticks;
        } rows[] = {
                { "cheap", SENSE_CHEAP, 200 },
                { "locks", SENSE_CHEAP | SENSE_BIT(SENSE_ZONEINFO) | SENSE_BIT(SENSE_BUDDYINFO),
                  100 },
                { "all", SENSE_ALL & ~SENSE_BIT(SENSE_SLABINFO), 5 },
        };
        int r = 0;

        printf("CPU time of one tick on this machine (best of %u rounds), aim: ratio 1.3 or less\n",
               ROUNDS);
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(rows); i++)
                if (wanted(rows[i].name, argc, argv))
                        r = measure(rows[i].name, rows[i].files, rows[i].n_ticks);
        if (r != 0)
                fprintf(stderr, "tick: %s\n", strerror(-r));
        return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
