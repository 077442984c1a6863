/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated machine behind the Machine vtable: making it, reading, writing, moving its time.
 *
 * Reads give the text of this moment, writes change what is set, machine_advance() lets time pass up to each event on its way. Nothing here
 * looks at a clock or a file: the same specification and the same calls give the same texts. */
#include "machine/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "machine/memory.h"
#include "machine/sim/sim-private.h"

#define SCRATCH_BYTES ((size_t) 256 << 20)
#define OUT_BYTES ((size_t) 1 << 20)
#define LIST_BYTES 256u /* of one list in zoneinfo, at most */
#define CACHE_BYTES 256u
#define EVENTS_ARENA ((size_t) 256 << 20)

static int condition(Machine *m, int error) {
        m->error = error;
        return error == 0                          ? 0
               : error == ENOENT                   ? MACHINE_E_ABSENT
               : error == EACCES || error == EPERM ? MACHINE_E_DENIED
                                                   : MACHINE_E_FAILED;
}

static int read_file(Machine *m, const char *path, size_t max_bytes, Arena *arena, Text *ret_text) {
        Sim *s = sim_of(m);
        SimOut o = { .at = (char *) s->out.base, .end = (char *) s->out.base + s->out.size_bytes };
        int error = sim_fault(s, path, false);
        SimFile f;
        size_t size;
        char *copy;

        if (error)
                return condition(m, error);
        if (!sim_file_find(s, path, &f))
                return condition(m, ENOENT);
        sim_text(s, &f, &o);
        if (o.full)
                return condition(m, EFBIG);
        size = (size_t) (o.at - (char *) s->out.base);
        if (size > max_bytes)
                return MACHINE_E_TOO_LARGE;
        copy = arena_strndup(arena, (const char *) s->out.base, size);
        if (!copy)
                return -ENOMEM;
        *ret_text = (Text){ copy, size };
        return 0;
}

static int list_dir(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries,
                    size_t *ret_n) {
        Sim *s = sim_of(m);
        int error = sim_fault(s, path, false), r;
        size_t n, left = 0;

        if (error)
                return condition(m, error);
        r = sim_list(m, path, arena, ret_entries, &n);
        if (r != 0)
                return r;
        for (size_t i = 0; i < n; i++) {
                char full[512];

                if (s->n_faults == 0 ||
                    !text_format(full, sizeof(full), "%s/%s", path, (*ret_entries)[i].name) ||
                    sim_fault(s, full, false) != ENOENT)
                        (*ret_entries)[left++] = (*ret_entries)[i];
        }
        *ret_n = left;
        return 0;
}

static int mode_of(Machine *m, const char *path, unsigned *ret_mode) {
        Sim *s = sim_of(m);
        SimFile f;

        if (sim_fault(s, path, false) == ENOENT || !sim_file_find(s, path, &f))
                return MACHINE_E_ABSENT;
        *ret_mode = f.mode;
        return 0;
}

static usec_t now(Machine *m) {
        return sim_of(m)->now_usec;
}

static int advance(Machine *m, usec_t until_usec) {
        Sim *s = sim_of(m);

        while (s->now_usec < until_usec) {
                usec_t next = MIN(until_usec, sim_next_event(s));

                if (next > s->now_usec)
                        sim_step(s, next - s->now_usec);
                sim_events_run(s);
                sim_external_write(s);
        }
        return 0;
}

static int age(Machine *m, const char *path, usec_t *ret_usec) {
        Sim *s = sim_of(m);
        SimFile f;

        if (!sim_file_find(s, path, &f) || f.kind != SIM_FILE_EXTERNAL ||
            sim_fault(s, path, false) == ENOENT)
                return MACHINE_E_ABSENT;
        *ret_usec = s->now_usec - s->external[f.index].written_usec;
        return 0;
}

static int write_file(Machine *m, const char *path, Text value) {
        Sim *s = sim_of(m);
        int error = sim_fault(s, path, true);

        if (!error)
                error = sim_config_write(s, &s->config, path, value);
        if (error)
                return condition(m, error);
        s->n_writes++;
        sim_foreign_forget(s, path);
        sim_gauges(s);
        return 0;
}

static void sim_free(Machine *m) {
        Sim *s = sim_of(m);

        if (s->memo)
                arena_unmap(&s->memo->work);
        free(s->memo);
        arena_unmap(&s->memory);
        arena_unmap(&s->out);
        arena_unmap(&m->scratch);
        free(s);
}

static const MachineVtable sim_vtable = {
        .read = read_file,
        .list = list_dir,
        .mode = mode_of,
        .now = now,
        .advance = advance,
        .age = age,
        .write = write_file,
        .free = sim_free,
};

/* --- making one --- */

/* What no machine can be made of; NULL: nothing. */
static const char *spec_wrong(const SimSpec *spec) {
        const PlantMachine *m = &spec->machine;

        if (!m->kernel)
                return "no kernel";
        if (m->cpus == 0 || m->cpus > IDSET_MAX || m->possible > IDSET_MAX)
                return "CPUs out of range";
        if (m->nodes == 0 || m->nodes > PLANT_NODES_MAX)
                return "nodes out of range";
        if (m->memory_bytes / m->nodes < UINT64_C(64) << 20)
                return "less than 64 MiB a node";
        if (m->n_caches > PLANT_CACHES_MAX)
                return "too many caches";
        if (m->hertz_tick == 0 || m->hertz_tick > 10000)
                return "hertz_tick out of range";
        if (spec->n_phases == 0 || spec->n_phases > SIM_PHASES_MAX)
                return "no phase, or too many";
        if (spec->n_events > SIM_EVENTS_MAX || spec->n_initial > ELEMENTSOF(spec->initial))
                return "too many events or initial values";
        for (unsigned i = 0; i < m->n_caches; i++)
                if (!m->caches[i].name[0] || strchr(m->caches[i].name, '/') ||
                    m->caches[i].slab_size == 0)
                        return "a cache without a name or a size";
        return NULL;
}

static void config_start(const Sim *s, SimConfig *c) {
        *c = (SimConfig){ .scale_factor = 10,
                          .boost_factor = 15000,
                          .proactiveness = 20,
                          .extfrag = 500,
                          .stat_interval = 1,
                          .numa_stat = 1,
                          .thp_defrag = PLANT_DEFRAG_MADVISE,
                          .shmem_enabled = 3, /* never */
                          .zero_page = 1,
                          .shrink_underused = 1,
                          .khugepaged = { 60000, 1, 511, 64, 4096, 10000, 256 },
                          .n_online = s->n_cpus };
        for (unsigned i = 0; i < SIM_SIZES; i++) {
                c->size_enabled[i] = i == SIM_SIZES - 1 ? 1 : 3; /* inherit, never */
                c->size_shmem[i] = i == SIM_SIZES - 1 ? 1 : 4;
        }
        for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
                (void) idset_add(&c->online, cpu);
                c->node[s->node_of_cpu[cpu]].n_online++;
        }
        sim_zones_build(&s->spec->machine, c);
        sim_slabs_build(&s->spec->machine, c);
        sim_recompute_min_free(s->kernel, c, true);
        sim_recompute_watermarks(s->kernel, c);
        sim_recompute_lists(s->kernel, c, 0);
}

/* Counters of a machine that has run for a while: pages freed at boot, an idle past. */
static void counters_start(Sim *s) {
        for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
                s->time[(size_t) cpu * _SIM_TIME_MAX + SIM_TIME_IDLE].n =
                        SIM_UPTIME_START_S * s->spec->machine.hertz_tick;
        s->uptime_usec = SIM_UPTIME_START_S * USEC_PER_SEC;
        s->vm[VM_PGFREE].n = s->spec->machine.memory_bytes / SIM_PAGE_BYTES;
        s->vm[VM_PGALLOC_DMA32].n = s->vm[VM_PGALLOC_NORMAL].n = 100000;
        s->vm[VM_PGFAULT].n = s->vm[VM_NUMA_HIT].n = s->vm[VM_NUMA_LOCAL].n = 200000;
}

static int initial_values(Sim *s, char *ret_why, size_t why_size) {
        for (unsigned i = 0; i < s->spec->n_initial; i++) {
                const char *path = s->spec->initial[i].path, *text = s->spec->initial[i].text;
                int error = sim_config_write(s, &s->config, path, text_from(text));

                if (error) {
                        (void) text_format(ret_why, why_size, "initial value of %s: \"%s\": %s",
                                           path, text, strerrorname_np(error));
                        return -EINVAL;
                }
        }
        return 0;
}

/* Insertion: a few hundred names, nearly sorted as they come from a file. */
static void caches_sort(Sim *s) {
        const PlantCacheSpec *caches = s->spec->machine.caches;

        for (unsigned i = 0; i < s->spec->machine.n_caches; i++) {
                unsigned at = i;

                while (at > 0 && strcmp(caches[s->cache_sorted[at - 1]].name, caches[i].name) > 0) {
                        s->cache_sorted[at] = s->cache_sorted[at - 1];
                        at--;
                }
                s->cache_sorted[at] = (uint16_t) i;
        }
}

static int sim_build(Sim *s, char *ret_why, size_t why_size) {
        const PlantMachine *m = &s->spec->machine;
        int r;

        s->node_of_cpu = ARENA_ARRAY(&s->memory, uint64_t, s->n_cpus);
        s->time = ARENA_ARRAY(&s->memory, SimCounter, (size_t) s->n_cpus * _SIM_TIME_MAX);
        s->kmsg = arena_alloc(&s->memory, SIM_KMSG_BYTES, 1);
        if (!s->node_of_cpu || !s->time || !s->kmsg)
                return -ENOMEM;
        for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
                s->node_of_cpu[cpu] = (uint64_t) cpu * m->nodes / s->n_cpus;
        caches_sort(s);
        sim_lines_build(s);
        config_start(s, &s->config);
        r = initial_values(s, ret_why, why_size);
        if (r == 0)
                r = sim_events_check(s, ret_why, why_size);
        if (r != 0)
                return r;
        sim_physics_start(s, &s->config, &s->physics);
        sim_noise_init(&s->cost_noise, s->spec->noise, s->spec->seed, 1);
        sim_noise_init(&s->load_noise, s->spec->noise, s->spec->seed, 2);
        s->cost_factor = s->load_factor = 1;
        counters_start(s);
        s->rates = *sim_rates(s, &s->config, &s->physics, s->phase);
        sim_events_run(s);
        sim_external_write(s);
        sim_gauges(s);
        return 0;
}

int sim_machine_new(const SimSpec *spec, Machine **ret_machine, char *ret_why, size_t why_size) {
        const char *wrong = spec_wrong(spec);
        size_t out_bytes = OUT_BYTES;
        Sim *s;
        int r = -ENOMEM;

        if (why_size > 0)
                ret_why[0] = '\0';
        if (wrong) {
                (void) text_format(ret_why, why_size, "%s", wrong);
                return -EINVAL;
        }
        s = calloc(1, sizeof(*s));
        if (!s)
                return -ENOMEM;
        s->machine = (Machine){ .vtable = &sim_vtable,
                                .kind = MACHINE_SIMULATED,
                                .have_modes = true };
        s->spec = spec;
        s->kernel = spec->machine.kernel;
        s->n_cpus = spec->machine.cpus;
        s->memo = calloc(1, sizeof(*s->memo));
        out_bytes += (size_t) s->n_cpus * spec->machine.nodes * SIM_ZONES * LIST_BYTES +
                     spec->machine.n_caches * (size_t) CACHE_BYTES;
        if (s->memo && arena_map(&s->machine.scratch, SCRATCH_BYTES) == 0 &&
            arena_map(&s->out, out_bytes) == 0 &&
            arena_map(&s->memory, SIM_KMSG_BYTES + (size_t) s->n_cpus * 256 + 65536) == 0 &&
            (!spec->events_plant || arena_map(&s->memo->work, EVENTS_ARENA) == 0))
                r = sim_build(s, ret_why, why_size);
        if (r != 0) {
                sim_free(&s->machine);
                return r;
        }
        *ret_machine = &s->machine;
        return 0;
}
