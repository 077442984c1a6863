/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are read rarely, or once: knobs, slab caches, CPUs, nodes, and what stands beside /proc and /sys: the kernel log, measured waits of
 * single caches (signals.json), numbers of an application, facts that no file of a kernel has (capture.json). */
#include <math.h>
#include <string.h>

#include "machine/sim/sim-private.h"

static void word_list(SimOut *o, const char *const *words, uint64_t chosen) {
        for (uint64_t i = 0; words[i]; i++) {
                if (i > 0)
                        sim_out(o, " ", 1);
                if (i == chosen)
                        sim_out(o, "[", 1);
                sim_out(o, words[i], strlen(words[i]));
                if (i == chosen)
                        sim_out(o, "]", 1);
        }
        sim_out(o, "\n", 1);
}

static void number_line(SimOut *o, uint64_t n) {
        sim_out_u64(o, n);
        sim_out(o, "\n", 1);
}

static void knob(const Sim *s, unsigned index, SimOut *o) {
        size_t n;
        const SimKnob *k = &sim_knobs(&n)[index];
        uint64_t value = *(const uint64_t *) (const void *) ((const char *) &s->config + k->offset);

        if (k->words)
                word_list(o, k->words, value);
        else
                number_line(o, value);
}

/* Of the sizes only that of a PMD is ever used here. */
static void size_file(const Sim *s, const SimFile *f, SimOut *o) {
        bool pmd = f->index == SIM_SIZES - 1;

        if (f->attr == SIM_SIZE_ENABLED)
                word_list(o, sim_size_words, s->config.size_enabled[f->index]);
        else if (f->attr == SIM_SIZE_SHMEM)
                word_list(o, sim_size_shmem_words, s->config.size_shmem[f->index]);
        else if (f->attr == SIM_SIZE_FAULT_ALLOC)
                number_line(o, pmd ? s->vm[VM_THP_FAULT_ALLOC].n : 0);
        else if (f->attr == SIM_SIZE_FALLBACK)
                number_line(o, pmd ? s->vm[VM_THP_FAULT_FALLBACK].n : 0);
        else if (f->attr == SIM_SIZE_NR_ANON)
                number_line(o, pmd ? s->vm[VM_NR_ANON_TRANSPARENT_HUGEPAGES].n : 0);
        else
                number_line(o, 0);
}

static void id_list(SimOut *o, const IdSet *ids, unsigned limit) {
        bool any = false;

        for (unsigned i = 0; i < limit; i++) {
                unsigned end = i;

                if (!idset_has(ids, i))
                        continue;
                while (end + 1 < limit && idset_has(ids, end + 1))
                        end++;
                if (any)
                        sim_out(o, ",", 1);
                sim_out_u64(o, i);
                if (end > i) {
                        sim_out(o, "-", 1);
                        sim_out_u64(o, end);
                }
                any = true;
                i = end;
        }
        sim_out(o, "\n", 1);
}

static void cpus(const Sim *s, unsigned attr, SimOut *o) {
        unsigned possible = MAX(s->spec->machine.possible, s->n_cpus);
        IdSet ids = { 0 };

        for (unsigned i = 0; i < possible; i++) {
                bool online = idset_has(&s->config.online, i), present = i < s->n_cpus;

                if (attr == SIM_CPUS_POSSIBLE || (attr == SIM_CPUS_PRESENT && present) ||
                    (attr == SIM_CPUS_ONLINE && online) || (attr == SIM_CPUS_OFFLINE && !online))
                        (void) idset_add(&ids, i);
        }
        id_list(o, &ids, possible);
}

static void nodes(const Sim *s, unsigned attr, SimOut *o) {
        IdSet ids = { 0 };

        for (unsigned i = 0; i < s->spec->machine.nodes; i++)
                if (attr != SIM_NODES_CPU || s->config.node[i].n_online > 0)
                        (void) idset_add(&ids, i);
        id_list(o, &ids, s->spec->machine.nodes);
}

static void node_number(SimOut *o, unsigned node, const char *name, uint64_t kb) {
        SIM_OUT(o, "Node ");
        sim_out_u64(o, node);
        sim_out(o, " ", 1);
        sim_out(o, name, strlen(name));
        sim_out(o, ":", 1);
        sim_out_padded(o, kb, 15);
        SIM_OUT(o, " kB\n");
}

static void node_file(const Sim *s, unsigned node, unsigned attr, SimOut *o) {
        const SimNode *n = &s->config.node[node];
        uint64_t managed = 0, left = 0;
        IdSet ids = { 0 };

        for (unsigned z = 0; z < SIM_ZONES; z++) {
                managed += n->zone[z].managed;
                left += s->free_pages[node][z];
        }
        if (attr == SIM_NODE_CPULIST) {
                for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
                        if (s->node_of_cpu[cpu] == node && idset_has(&s->config.online, cpu))
                                (void) idset_add(&ids, cpu);
                id_list(o, &ids, s->n_cpus);
        } else if (attr == SIM_NODE_DISTANCE) {
                for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                        if (i > 0)
                                sim_out(o, " ", 1);
                        sim_out_u64(o, i == node ? 10 : 20);
                }
                sim_out(o, "\n", 1);
        } else if (attr == SIM_NODE_MEMINFO) {
                node_number(o, node, "MemTotal", managed * 4);
                node_number(o, node, "MemFree", left * 4);
                node_number(o, node, "MemUsed", (managed - MIN(left, managed)) * 4);
        } else {
                SIM_OUT(o, "nr_free_pages ");
                number_line(o, left);
        }
}

static void cpu_file(const Sim *s, unsigned cpu, unsigned attr, SimOut *o) {
        const PlantMachine *m = &s->spec->machine;

        if (attr == SIM_CPU_ONLINE)
                number_line(o, idset_has(&s->config.online, cpu));
        else
                number_line(o, (uint64_t) cpu * MAX(m->packages, 1u) / MAX(m->cpus, 1u));
}

/* The wait that lock_stat sums over all caches, cache by cache: as somebody with a sampler measures it. */
static void signals(const Sim *s, SimOut *o) {
        bool any = false;

        sim_out(o, "[", 1);
        for (unsigned i = 0; i < s->spec->machine.n_caches; i++) {
                const PlantCacheSpec *cache = &s->spec->machine.caches[i];
                double share = s->cache_wait[i] / s->config.n_online;

                if (cache->share <= 0)
                        continue;
                if (any)
                        sim_out(o, ",", 1);
                SIM_OUT(o, "\n{\"name\":\"list-lock-wait\",\"scope\":\"cache:");
                sim_out(o, cache->name, strlen(cache->name));
                SIM_OUT(o, "\",\"unit\":\"ppm\",\"evidence\":\"measured\",\"value\":");
                sim_out_u64(o, (uint64_t) fmin(fmax(share, 0) * 1e6, 1e6));
                sim_out(o, "}", 1);
                any = true;
        }
        SIM_OUT(o, "\n]\n");
}

static void uptime(const Sim *s, SimOut *o) {
        uint64_t idle = 0;

        for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
                idle += s->time[(size_t) cpu * _SIM_TIME_MAX + SIM_TIME_IDLE].n;
        sim_out_hundredths(o, s->uptime_usec / 10000, 0);
        sim_out(o, " ", 1);
        sim_out_hundredths(o, idle * 100 / s->spec->machine.hertz_tick, 0);
        sim_out(o, "\n", 1);
}

static void version(const Sim *s, SimOut *o) {
        SIM_OUT(o, "Linux version ");
        sim_out(o, s->kernel->release, strlen(s->kernel->release));
        SIM_OUT(o, " (simulated) #1 SMP\n");
}

/* A number that an application writes: as it was last written, one integer (alloctuned.conf(5), externals). */
static void external(const Sim *s, unsigned index, SimOut *o) {
        sim_out_u64(o, (uint64_t) rint(fmin(fmax(s->external[index].value, 0), 1e15)));
        sim_out(o, "\n", 1);
}

void sim_text(Sim *s, const SimFile *f, SimOut *o) {
        switch (f->kind) {
        case SIM_FILE_VMSTAT:
        case SIM_FILE_STAT:
        case SIM_FILE_PRESSURE:
        case SIM_FILE_MEMINFO:
        case SIM_FILE_LOCK_STAT:
                sim_text_cheap(s, f->kind, o);
                return;
        case SIM_FILE_ZONEINFO:
                sim_text_zoneinfo(s, o);
                return;
        case SIM_FILE_BUDDYINFO:
                sim_text_buddyinfo(s, o);
                return;
        case SIM_FILE_SLABINFO:
                sim_text_slabinfo(s, o);
                return;
        case SIM_FILE_UPTIME:
                uptime(s, o);
                return;
        case SIM_FILE_VERSION:
                version(s, o);
                return;
        case SIM_FILE_RELEASE:
                sim_out(o, s->kernel->release, strlen(s->kernel->release));
                sim_out(o, "\n", 1);
                return;
        case SIM_FILE_CMDLINE:
                SIM_OUT(o, "quiet\n");
                return;
        case SIM_FILE_CPUINFO:
                if (s->spec->machine.hypervisor)
                        SIM_OUT(o, "processor\t: 0\nflags\t\t: fpu hypervisor\n");
                else
                        SIM_OUT(o, "processor\t: 0\nflags\t\t: fpu\n");
                return;
        case SIM_FILE_CONSTANT:
        case SIM_FILE_THP_COUNT:
                sim_out(o, f->text, strlen(f->text));
                return;
        case SIM_FILE_KNOB:
                knob(s, f->index, o);
                return;
        case SIM_FILE_SIZE:
                size_file(s, f, o);
                return;
        case SIM_FILE_SLAB:
                sim_text_slab(s, f->index, f->attr, o);
                return;
        case SIM_FILE_CPU:
                cpu_file(s, f->index, f->attr, o);
                return;
        case SIM_FILE_CPUS:
                cpus(s, f->attr, o);
                return;
        case SIM_FILE_NODE:
                node_file(s, f->index, f->attr, o);
                return;
        case SIM_FILE_NODES:
                nodes(s, f->attr, o);
                return;
        case SIM_FILE_EXTERNAL:
                external(s, f->index, o);
                return;
        case SIM_FILE_KMSG:
                sim_out(o, s->kmsg, s->kmsg_size);
                return;
        case SIM_FILE_SIGNALS:
                signals(s, o);
                return;
        case SIM_FILE_CAPTURE_JSON:
                SIM_OUT(o, "{\"schema\":1,\"page_bytes\":4096,\"clk_tck\":");
                sim_out_u64(o, s->spec->machine.hertz_tick);
                SIM_OUT(o, "}\n");
                return;
        }
}
