/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a tick reads, in the layout of each kernel: vmstat, stat, pressure, meminfo, lock_stat.
 *
 * vmstat and meminfo have all names of the kernel in its order (sim-layout.c); numbers stand behind those that the parsers know and the model
 * moves, 0 behind the others. Kernels without a capture (4.18, 6.7, 6.18) use the layout of the nearest older one: 4.18 that of 5.10,
 * 6.7 that of 6.12, 6.18 that of 7.2. */
#include <string.h>

#include "base/number.h"
#include "machine/sim/sim-private.h"

static const SimLayout *layout_of(const PlantKernel *k) {
        static const struct {
                const char *kernel;
                unsigned layout;
        } rows[] = { { "4.18", 0 }, { "5.10", 0 }, { "6.1", 1 }, { "6.7", 2 },
                     { "6.12", 2 }, { "6.18", 3 }, { "7.2", 3 }, { "7.3", 4 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (strcmp(rows[i].kernel, k->name) == 0)
                        return &sim_layouts[rows[i].layout];
        return &sim_layouts[SIM_LAYOUTS - 1];
}

static uint8_t key_of(const KeySpec *keys, size_t n, Text name) {
        for (size_t i = 0; i < n; i++)
                if (text_is(name, keys[i].name))
                        return (uint8_t) i;
        return UINT8_MAX;
}

static unsigned lines_build(const char *layout, const KeySpec *keys, size_t n_keys,
                            SimLine *lines) {
        Text rest = text_from(layout), word;
        unsigned n = 0;

        while (n < SIM_LINES_MAX && text_next_field(&rest, &word)) {
                size_t colon = text_find(word, ':');
                Text name = { word.data, colon };
                SimLine *line = &lines[n++];
                uint64_t width = 0;

                *line = (SimLine){ .name = name.data,
                                   .size = (uint8_t) name.size,
                                   .key = key_of(keys, n_keys, name),
                                   .kb = text_ends(word, "k") && colon < word.size };
                if (colon < word.size &&
                    number_parse_u64(word.data + colon + 1, word.size - colon - 1 - line->kb,
                                     &width) == 0)
                        line->width = (uint8_t) MIN(width, UINT64_C(40));
        }
        return n;
}

void sim_lines_build(Sim *s) {
        const SimLayout *layout = layout_of(s->kernel);
        size_t n;
        const KeySpec *keys = vmstat_keys(&n);

        s->n_vm_lines = lines_build(layout->vmstat, keys, n, s->vm_line);
        keys = meminfo_keys(&n);
        s->n_mem_lines = lines_build(layout->meminfo, keys, n, s->mem_line);
}

static void vmstat(const Sim *s, SimOut *o) {
        for (unsigned i = 0; i < s->n_vm_lines; i++) {
                const SimLine *l = &s->vm_line[i];

                sim_out(o, l->name, l->size);
                sim_out(o, " ", 1);
                sim_out_u64(o, l->key == UINT8_MAX ? 0 : s->vm[l->key].n);
                sim_out(o, "\n", 1);
        }
}

/* Widths are those of a whole line: the colon stands behind the name, the number ends in its column. */
static void meminfo(const Sim *s, SimOut *o) {
        for (unsigned i = 0; i < s->n_mem_lines; i++) {
                const SimLine *l = &s->mem_line[i];
                uint64_t n = l->key == UINT8_MAX ? 0 : s->mem[l->key];

                sim_out(o, l->name, l->size);
                sim_out(o, ":", 1);
                sim_out_padded(o, l->kb ? n / 1024 : n, l->width);
                if (l->kb)
                        SIM_OUT(o, " kB");
                sim_out(o, "\n", 1);
        }
}

/* user nice system idle iowait irq softirq steal guest guest_nice */
static void cpu_times(SimOut *o, const uint64_t t[static _SIM_TIME_MAX]) {
        sim_out(o, " ", 1);
        sim_out_u64(o, t[SIM_TIME_USER]);
        SIM_OUT(o, " 0 ");
        sim_out_u64(o, t[SIM_TIME_SYSTEM]);
        sim_out(o, " ", 1);
        sim_out_u64(o, t[SIM_TIME_IDLE]);
        SIM_OUT(o, " 0 0 ");
        sim_out_u64(o, t[SIM_TIME_SOFTIRQ]);
        SIM_OUT(o, " 0 0 0\n");
}

/* The first line sums all CPUs, those that are offline too; the others are those online (fs/proc/stat.c show_stat()). */
static void stat_file(const Sim *s, SimOut *o) {
        uint64_t sum[_SIM_TIME_MAX] = { 0 }, one[_SIM_TIME_MAX];

        for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
                for (unsigned k = 0; k < _SIM_TIME_MAX; k++)
                        sum[k] += s->time[(size_t) cpu * _SIM_TIME_MAX + k].n;
        SIM_OUT(o, "cpu ");
        cpu_times(o, sum);
        IDSET_FOREACH(cpu, &s->config.online) {
                for (unsigned k = 0; k < _SIM_TIME_MAX; k++)
                        one[k] = s->time[(size_t) cpu * _SIM_TIME_MAX + k].n;
                SIM_OUT(o, "cpu");
                sim_out_u64(o, cpu);
                cpu_times(o, one);
        }
        SIM_OUT(o, "intr 0\nctxt 0\nbtime 1700000000\nprocesses 1\nprocs_running 1\n"
                   "procs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n");
}

static void pressure(const Sim *s, SimOut *o) {
        static const char *const names[2] = { "some", "full" }, *const avgs[3] = {
                " avg10=", " avg60=", " avg300="
        };

        for (unsigned k = 0; k < 2; k++) {
                sim_out(o, names[k], 4);
                for (unsigned i = 0; i < 3; i++) {
                        sim_out(o, avgs[i], strlen(avgs[i]));
                        sim_out_hundredths(o, (uint64_t) (s->psi_avg[k][i] * 10000), 0);
                }
                SIM_OUT(o, " total=");
                sim_out_u64(o, s->psi[k].n);
                sim_out(o, "\n", 1);
        }
}

/* seq_time(): a blank, however long the number is. It is printed whole, as from 6.8 on; before, 14 characters of it. */
static void lock_time(SimOut *o, uint64_t nsec) {
        sim_out(o, " ", 1);
        sim_out_hundredths(o, nsec / 10, 14);
}

/* kernel/locking/lockdep_proc.c: seq_header(), seq_stats() of version 0.4. Minima and averages follow from the sums: nobody's signal. */
static void lock_row(SimOut *o, const char *name, const SimLockCount *l) {
        uint64_t waits = MAX(l->waits.n, UINT64_C(1)), takes = MAX(l->takes.n, UINT64_C(1));
        uint64_t numbers[6] = {
                l->wait_nsec.n / waits / 2, l->wait_nsec.n / waits * 20, l->wait_nsec.n,
                l->wait_nsec.n / waits,     l->hold_nsec.n / takes / 2,  l->hold_nsec.n / takes * 20
        };

        for (size_t i = strlen(name); i < 40; i++)
                sim_out(o, " ", 1);
        sim_out(o, name, strlen(name));
        sim_out(o, ":", 1);
        sim_out_padded(o, l->waits.n / 2, 15);
        sim_out_padded(o, l->waits.n, 15);
        for (unsigned i = 0; i < 4; i++)
                lock_time(o, numbers[i]);
        sim_out_padded(o, l->takes.n / 2, 15);
        sim_out_padded(o, l->takes.n, 15);
        for (unsigned i = 4; i < 6; i++)
                lock_time(o, numbers[i]);
        lock_time(o, l->hold_nsec.n);
        lock_time(o, l->hold_nsec.n / takes);
        sim_out(o, "\n", 1);
}

static void lock_stat(const Sim *s, SimOut *o) {
        static const char head[] =
                "lock_stat version 0.4\n"
                "-----------------------------------------------------------------------------\n"
                "                              class name    con-bounces    contentions   "
                "waittime-min   waittime-max waittime-total   waittime-avg    acq-bounces   "
                "acquisitions   holdtime-min   holdtime-max holdtime-total   holdtime-avg\n"
                "-----------------------------------------------------------------------------\n\n";

        sim_out(o, head, sizeof(head) - 1);
        lock_row(o, "&zone->lock", &s->lock[SIM_LOCK_ZONE]);
        lock_row(o, "&n->list_lock", &s->lock[SIM_LOCK_LIST]);
        lock_row(o, s->kernel->pcp == PCP_GEN_FRACTION ? "&pgdat->lru_lock" : "&lruvec->lru_lock",
                 &s->lock[SIM_LOCK_LRU]);
}

void sim_text_cheap(Sim *s, SimFileKind kind, SimOut *o) {
        if (kind == SIM_FILE_VMSTAT)
                vmstat(s, o);
        else if (kind == SIM_FILE_STAT)
                stat_file(s, o);
        else if (kind == SIM_FILE_PRESSURE)
                pressure(s, o);
        else if (kind == SIM_FILE_MEMINFO)
                meminfo(s, o);
        else if (kind == SIM_FILE_LOCK_STAT)
                lock_stat(s, o);
}
