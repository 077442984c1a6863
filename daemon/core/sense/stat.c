/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/stat.h"

#include <errno.h>

#include "base/idset.h"

/* proc/stat (fs/proc/stat.c show_stat()). Only CPU lines and btime count; the rest, among them the
 * very long "intr" line, is skipped. Columns that an old kernel lacks stay unknown. */

#define COLUMNS 10u

/* Fills as many columns as the line has. */
static void columns_read(const ParseLines *l, Text rest, Text about,
                         MaybeU64 columns[static COLUMNS]) {
        Text field;

        for (size_t i = 0; i < COLUMNS && text_next_field(&rest, &field); i++)
                columns[i] = parse_lines_number(l, field, about);
}

static void total_read(const ParseLines *l, Text rest, CpuStat *s) {
        MaybeU64 c[COLUMNS] = {};

        columns_read(l, rest, TEXT("cpu"), c);
        s->user = c[0];
        s->nice = c[1];
        s->system = c[2];
        s->idle = c[3];
        s->iowait = c[4];
        s->irq = c[5];
        s->softirq = c[6];
        s->steal = c[7];
        s->guest = c[8];
        s->guest_nice = c[9];
}

static int cpu_read(Arena *a, const ParseLines *l, Text label, Text rest, CpuStat *s,
                    size_t *capacity) {
        MaybeU64 c[COLUMNS] = {};
        uint64_t cpu = 0;
        int r;

        r = number_parse_u64(label.data + 3, label.size - 3, &cpu);
        if (r != 0 || cpu >= IDSET_MAX || s->n_cpus == IDSET_MAX) {
                parse_lines_issue(l, r != 0 ? number_error_string(r) : "CPU out of range", label);
                return 0;
        }
        if (!a) {
                s->n_cpus++;
                return 0;
        }
        columns_read(l, rest, label, c);
        if (s->n_cpus == *capacity) {
                size_t more = *capacity == 0 ? 16 : 2 * *capacity;
                CpuTime *grown;

                grown = arena_grow(a, s->cpus, *capacity * sizeof(CpuTime), more * sizeof(CpuTime),
                                   _Alignof(CpuTime));
                if (!grown)
                        return -ENOMEM;
                s->cpus = grown;
                *capacity = more;
        }
        s->cpus[s->n_cpus++] = (CpuTime){ .cpu = (unsigned) cpu,
                                          .system = c[2],
                                          .idle = c[3],
                                          .irq = c[5],
                                          .softirq = c[6],
                                          .steal = c[7] };
        return 0;
}

int cpustat_parse(Arena *a, Text text, const char *path, CpuStat *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        CpuStat s = {};
        size_t capacity = 0;
        bool any = false;
        Text line, label;

        while (parse_lines_next(&l, &line)) {
                if (!text_next_field(&line, &label))
                        continue;
                if (text_is(label, "cpu")) {
                        if (any)
                                parse_lines_issue(&l, "duplicate key, the last one counts", label);
                        any = true;
                        total_read(&l, line, &s);
                } else if (text_starts(label, "cpu")) {
                        int r = cpu_read(a, &l, label, line, &s, &capacity);

                        if (r < 0)
                                return r;
                } else if (text_is(label, "btime")) {
                        Text field = TEXT_NULL;

                        (void) text_next_field(&line, &field);
                        s.boot_time_sec = parse_lines_number(&l, field, label);
                }
        }
        parse_lines_found(&l, any || s.n_cpus > 0, text);
        *ret = s;
        return 0;
}

MaybeU64 cpustat_kernel(const CpuStat *s) {
        if (!s->system.known || !s->irq.known || !s->softirq.known)
                return UNKNOWN;
        return maybe_add(s->system, maybe_add(s->irq, s->softirq));
}

MaybeU64 cpustat_total(const CpuStat *s) {
        const MaybeU64 *const parts[] = { &s->user,   &s->nice, &s->system,  &s->idle,
                                          &s->iowait, &s->irq,  &s->softirq, &s->steal };
        MaybeU64 sum = UNKNOWN;

        for (size_t i = 0; i < ELEMENTSOF(parts); i++) {
                if (!parts[i]->known)
                        return UNKNOWN;
                sum = maybe_add(sum, *parts[i]);
        }
        return sum;
}
