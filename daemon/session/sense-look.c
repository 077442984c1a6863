/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The look at slow files: zoneinfo, slab and THP folders, reports, the kernel log of a machine that shows one; and what changed since
 * the look before. */
#include <string.h>

#include "core/sense/lists.h"
#include "session/sense-private.h"

#define SMALL_BYTES_MAX ((size_t) 4096)
#define LOG_BYTES_MAX ((size_t) 16 << 20)

int sense_read_small(Sense *s, const char *path, Text *ret) {
        arena_reset(&s->m->scratch);
        return machine_read(s->m, path, SMALL_BYTES_MAX, &s->m->scratch, ret);
}

void sense_take_newest(Snapshot *last, const Snapshot *s) {
        last->at_usec = s->at_usec;
        for (unsigned i = 0; i < _SENSE_FILE_MAX; i++) {
                if (s->state[i] == SENSE_NOT_DUE)
                        continue;
                last->state[i] = s->state[i];
                last->file_usec[i] = s->file_usec[i];
        }
        if (s->uptime_usec.known)
                last->uptime_usec = s->uptime_usec;
#define TAKE(file, member)                           \
        do {                                         \
                if (s->state[file] != SENSE_NOT_DUE) \
                        last->member = s->member;    \
        } while (0)
        TAKE(SENSE_VMSTAT, vmstat);
        TAKE(SENSE_STAT, stat);
        TAKE(SENSE_PRESSURE_MEMORY, pressure_memory);
        TAKE(SENSE_MEMINFO, meminfo);
        TAKE(SENSE_ZONEINFO, zoneinfo);
        TAKE(SENSE_BUDDYINFO, buddyinfo);
        TAKE(SENSE_SLABINFO, slabinfo);
        TAKE(SENSE_LOCK_STAT, lock_stat);
        TAKE(SENSE_THP, thp);
        TAKE(SENSE_SLAB, slab);
#undef TAKE
}

static bool same_zones(const ZoneInfo *a, const ZoneInfo *b) {
        bool same = a->n == b->n;

        for (size_t i = 0; same && i < a->n; i++)
                same = a->zones[i].node == b->zones[i].node &&
                       strcmp(a->zones[i].name, b->zones[i].name) == 0 &&
                       a->zones[i].managed.known == b->zones[i].managed.known &&
                       a->zones[i].managed.value == b->zones[i].managed.value;
        return same;
}

static bool same_caches(const SlabTree *a, const SlabTree *b) {
        bool same = a->n == b->n;

        for (size_t i = 0; same && i < a->n; i++)
                same = strcmp(a->caches[i].dir, b->caches[i].dir) == 0;
        return same;
}

/* Whether THP is on moves min_free_kbytes, and with it every default of the page lists. */
static bool owns_thp(const Sense *s) {
        for (size_t i = 0; s->plan && i < s->plan->n_knobs; i++)
                if (s->ours[i] && strcmp(s->plan->knobs[i].spec->name, "thp-enabled") == 0)
                        return true;
        return false;
}

static bool same_mode(const Sense *s, const ThpTree *a, const ThpTree *b) {
        return a->enabled.known != b->enabled.known || owns_thp(s) ||
               strcmp(a->enabled.chosen, b->enabled.chosen) == 0;
}

/* What the look found that the one before did not; hotplug: counters may have moved with it. */
static void compare_looks(Sense *s, const Snapshot *before, const Snapshot *now, Frame *frame) {
        if (before->zoneinfo && now->zoneinfo && !same_zones(before->zoneinfo, now->zoneinfo))
                s->replan = frame->hotplug = true;
        if (before->thp && now->thp && !same_mode(s, before->thp, now->thp))
                s->replan = frame->hotplug = true;
        if (before->slab && now->slab && !same_caches(before->slab, now->slab))
                s->replan = true;
}

/* Signals that are states, from files just read, with the reports over them. */
int sense_gauges(Sense *s, Arena *arena, const Snapshot *now, SignalSet *ret) {
        SignalInput input = { .facts = s->facts,
                              .snapshots = &now,
                              .n_snapshots = 1,
                              .kind = WINDOW_LIVE,
                              .reports = s->reports,
                              .n_reports = s->n_reports,
                              .pcp = &s->pcp };

        return signals_compute(arena, &input, ret);
}

/* Which file the kernel has for the lists, and what it holds. */
static void find_pcp_file(Sense *s) {
        static const struct {
                const char *path;
                PcpFiles files;
        } knobs[] = {
                { "proc/sys/vm/percpu_pagelist_high_fraction", PCP_FILES_HIGH_FRACTION },
                { "proc/sys/vm/percpu_pagelist_fraction", PCP_FILES_FRACTION },
        };
        Text text;

        s->pcp_files = PCP_FILES_UNKNOWN;
        s->pcp_value = UNKNOWN;
        for (size_t i = 0; i < ELEMENTSOF(knobs) && s->pcp_files == PCP_FILES_UNKNOWN; i++) {
                int r = sense_read_small(s, knobs[i].path, &text);

                if (r != 0 && r != MACHINE_E_DENIED && r != MACHINE_E_FAILED)
                        continue;
                s->pcp_files = knobs[i].files;
                if (r == 0)
                        s->pcp_value = number_file_parse(text, knobs[i].path, &s->log);
        }
}

void sense_model(Sense *s) {
        if (s->last.zoneinfo)
                pcp_model_find(s->last.zoneinfo, &s->facts->topology, s->pcp_files, s->pcp_value,
                               s->facts->page_bytes, &s->pcp);
}

int sense_look(Sense *s, usec_t now, Frame *frame, MaybeU64 *ret_read_usec) {
        unsigned next = 1 - s->slow_at;
        size_t n_reports = s->n_reports;
        Snapshot before = s->slow_snapshot[s->slow_at];
        usec_t start = machine_now(s->m);
        Text text, kmsg;
        int r;

        arena_reset(&s->slow[next]);
        r = sample_take(s->m, &s->slow[next], SENSE_SLOW, &s->slow_snapshot[next], &s->log);
        if (r == 0)
                r = sample_reports(s->m, &s->slow[next], &s->reports, &s->n_reports, &kmsg,
                                   &s->log);
        if (r < 0)
                return r;
        s->slow_at = next;
        sense_take_newest(&s->last, &s->slow_snapshot[next]);
        find_pcp_file(s);
        sense_model(s);
        r = sense_gauges(s, &s->slow[next], &s->last, &s->gauges);
        if (r < 0)
                return r;
        s->zone_reclaim_mode = sense_read_small(s, "proc/sys/vm/zone_reclaim_mode", &text) == 0
                                       ? number_file_parse(text, "proc/sys/vm/zone_reclaim_mode",
                                                           &s->log)
                                       : UNKNOWN;
        /* Waits of single caches begin or cease to be known with whoever measures them. */
        if (s->have_slow && s->n_reports != n_reports)
                s->replan = true;
        if (s->have_slow)
                compare_looks(s, &before, &s->slow_snapshot[next], frame);
        s->have_slow = true;
        s->next_slow_usec = u64_add_sat(now, s->config.slow_usec);
        *ret_read_usec = KNOWN(u64_sub_sat(machine_now(s->m), start));
        return 0;
}

/* Allocations that failed, by the kernel log of a machine that shows one as a file. */
int sense_log(Sense *s, Arena *arena, MaybeU64 *ret_growth) {
        MaybeU64 now = UNKNOWN;
        Kmsg kmsg;
        Text text;
        int r;

        *ret_growth = UNKNOWN;
        if (s->m->kind != MACHINE_SIMULATED)
                return 0;
        arena_reset(&s->m->scratch);
        r = machine_read(s->m, "kmsg", LOG_BYTES_MAX, &s->m->scratch, &text);
        if (r != 0)
                return MIN(r, 0);
        if (text.size != s->log_bytes || !s->failures.known) {
                size_t mark = arena_mark(arena);

                r = kmsg_parse(arena, text, "kmsg", &kmsg, &s->log);
                if (r < 0)
                        return r;
                now = KNOWN((uint64_t) kmsg.n_failures_order0 + kmsg.n_failures_high);
                arena_release(arena, mark);
                s->log_bytes = text.size;
        } else
                now = s->failures;
        if (s->failures.known)
                *ret_growth = KNOWN(u64_sub_sat(now.value, s->failures.value));
        s->failures = now;
        return 0;
}
