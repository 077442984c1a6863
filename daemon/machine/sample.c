/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One tick: which file goes to which parser. Texts lie in the scratch arena of the machine and are
 * forgotten once they are parsed. */
#include "machine/sample.h"

#include <errno.h>
#include <string.h>

#include "core/sense/lists.h"
#include "machine/read.h"

/* 1,024 CPUs and 64 nodes print about 30 MiB of zoneinfo; the rest is far below. */
#define ZONEINFO_BYTES_MAX ((size_t) 128 << 20)
#define FILE_BYTES_MAX ((size_t) 16 << 20)

/* Names of entries must outlive the scratch arena: a path is needed for issues. */
const char *read_path(Arena *arena, const char *format_dir, const char *name) {
        size_t n = strlen(format_dir), k = strlen(name);
        char *path = arena_alloc(arena, n + k + 2, 1);

        if (!path)
                return "sys";
        memcpy(path, format_dir, n);
        path[n] = '/';
        memcpy(path + n + 1, name, k);
        return path;
}

SenseState read_text(Machine *m, const char *path, size_t max_bytes, Text *ret_text, ParseLog *log,
                     int *ret_error) {
        int r = machine_read(m, path, max_bytes, &m->scratch, ret_text);

        *ret_error = 0;
        switch (r) {
        case 0:
                return SENSE_OK;
        case MACHINE_E_ABSENT:
                return SENSE_ABSENT;
        case MACHINE_E_DENIED:
                return SENSE_DENIED;
        case MACHINE_E_TOO_LARGE:
                parse_log_add(log, path, 0, "file larger than any kernel makes it", TEXT_NULL);
                return SENSE_FAILED;
        case MACHINE_E_FAILED: {
                parse_log_add(log, path, 0,
                              m->error == EINVAL ? "no regular file, or not readable"
                                                 : "read error",
                              text_from(strerrorname_np(m->error)));
                return SENSE_FAILED;
        }
        default:
                if (r == -ENOMEM && m->kind != MACHINE_LIVE) {
                        parse_log_add(log, path, 0, "file too large to be read", TEXT_NULL);
                        return SENSE_FAILED;
                }
                *ret_error = r;
                return SENSE_FAILED;
        }
}

/* An empty file that a kernel never leaves empty was cut, not written by it. */
static void check_empty(Text text, const char *path, ParseLog *log) {
        if (text.size == 0)
                parse_log_add(log, path, 0, "empty file", TEXT_NULL);
}

typedef struct Taking {
        Machine *m;
        Arena *arena;
        Snapshot *s;
        ParseLog *log;
        int error;
} Taking;

static bool begin(Taking *t, unsigned files, SenseFile file, const char *path, size_t max_bytes,
                  Text *ret_text) {
        if (!(files & SENSE_BIT(file)) || t->error < 0)
                return false;
        arena_reset(&t->m->scratch);
        t->s->file_usec[file] = machine_now(t->m);
        t->s->state[file] = read_text(t->m, path, max_bytes, ret_text, t->log, &t->error);
        if (t->s->state[file] == SENSE_OK)
                check_empty(*ret_text, path, t->log);
        return t->s->state[file] == SENSE_OK && t->error == 0;
}

/* One line a file: read, allocate, parse. A parser's only error is a full arena. */
#define TAKE(t, files, file, file_path, max, type, member, parse)   \
        do {                                                        \
                Text text;                                          \
                if (begin(t, files, file, file_path, max, &text)) { \
                        type *out = ARENA_NEW((t)->arena, type);    \
                        (t)->error = out ? (parse) : -ENOMEM;       \
                        (t)->s->member = out;                       \
                }                                                   \
        } while (0)

int sample_take(Machine *m, Arena *arena, unsigned files, Snapshot *ret_snapshot, ParseLog *log) {
        Taking t = { .m = m, .arena = arena, .s = ret_snapshot, .log = log };
        Text uptime;
        int error;

        *ret_snapshot = (Snapshot){ .at_usec = machine_now(m) };
        for (size_t i = 0; i < _SENSE_FILE_MAX; i++)
                ret_snapshot->state[i] = SENSE_NOT_DUE;
        arena_reset(&m->scratch);
        if (read_text(m, "proc/uptime", FILE_BYTES_MAX, &uptime, log, &error) == SENSE_OK)
                ret_snapshot->uptime_usec = uptime_parse(uptime, "proc/uptime", log);
        TAKE(&t, files, SENSE_VMSTAT, "proc/vmstat", FILE_BYTES_MAX, VmStat, vmstat,
             vmstat_parse(text, "proc/vmstat", out, log));
        TAKE(&t, files, SENSE_STAT, "proc/stat", FILE_BYTES_MAX, CpuStat, stat,
             cpustat_parse(NULL, text, "proc/stat", out, log));
        TAKE(&t, files, SENSE_PRESSURE_MEMORY, "proc/pressure/memory", FILE_BYTES_MAX, Pressure,
             pressure_memory, pressure_parse(text, "proc/pressure/memory", out, log));
        TAKE(&t, files, SENSE_MEMINFO, "proc/meminfo", FILE_BYTES_MAX, MemInfo, meminfo,
             meminfo_parse(text, "proc/meminfo", out, log));
        TAKE(&t, files, SENSE_ZONEINFO, "proc/zoneinfo", ZONEINFO_BYTES_MAX, ZoneInfo, zoneinfo,
             zoneinfo_parse(arena, text, "proc/zoneinfo", out, log));
        TAKE(&t, files, SENSE_BUDDYINFO, "proc/buddyinfo", FILE_BYTES_MAX, BuddyInfo, buddyinfo,
             buddyinfo_parse(arena, text, "proc/buddyinfo", out, log));
        TAKE(&t, files, SENSE_SLABINFO, "proc/slabinfo", FILE_BYTES_MAX, SlabInfo, slabinfo,
             slabinfo_parse(arena, text, "proc/slabinfo", out, log));
        TAKE(&t, files, SENSE_LOCK_STAT, "proc/lock_stat", FILE_BYTES_MAX, LockStat, lock_stat,
             lockstat_parse(arena, text, "proc/lock_stat", out, log));
        if (t.error == 0 && (files & SENSE_BIT(SENSE_THP)))
                t.error = sample_thp(m, arena, ret_snapshot, log);
        if (t.error == 0 && (files & SENSE_BIT(SENSE_SLAB)))
                t.error = sample_slab(m, arena, ret_snapshot, log);
        arena_reset(&m->scratch);
        return t.error;
}
