/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of slab caches, and slabinfo. Numbers of slabs are invented but move the right way: what CPUs and nodes may keep is
 * kept by caches in use, and nobody frees the rest. cpu_slabs and slabs_cpu_partial are constants from 7.0 on. */
#include <string.h>

#include "machine/sim/sim-private.h"

#define BASE_SLABS 32u

typedef struct Slabs {
        uint64_t cpu, partial, all; /* of a node */
} Slabs;

static Slabs slabs_of(const Sim *s, unsigned cache, unsigned node) {
        const SimSlab *slab = &s->config.slab[cache];
        bool busy = s->spec->machine.caches[cache].share > 0;
        uint64_t online = s->config.node[node].n_online, kept = 1;
        Slabs n = { 0 };

        if (busy && s->kernel->slab == PLANT_SLAB_SLABS)
                kept += slub_effective_slabs(slab->cpu_partial, slab->objects);
        else if (busy && s->kernel->slab == PLANT_SLAB_OBJECTS)
                kept += slab->cpu_partial / MAX(slab->objects, UINT64_C(1));
        n.cpu = kept * online;
        n.partial = busy ? MIN(slab->min_partial, UINT64_C(1000)) : 1;
        n.all = BASE_SLABS + n.cpu + n.partial;
        return n;
}

typedef enum Part { PART_SLABS, PART_PARTIAL, PART_CPU, PART_OBJECTS, PART_OBJECTS_PARTIAL } Part;

static uint64_t part_of(const Sim *s, unsigned cache, unsigned node, Part part) {
        Slabs n = slabs_of(s, cache, node);
        uint64_t objects = s->config.slab[cache].objects;

        switch (part) {
        case PART_SLABS:
                return n.all;
        case PART_PARTIAL:
                return n.partial;
        case PART_CPU:
                return n.cpu;
        case PART_OBJECTS:
                return n.all * objects;
        case PART_OBJECTS_PARTIAL:
                return n.partial * objects / 2;
        }
        return 0;
}

/* "36 N0=25 N1=11" */
static void spread(const Sim *s, unsigned cache, Part part, SimOut *o) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < s->spec->machine.nodes; i++)
                sum += part_of(s, cache, i, part);
        sim_out_u64(o, sum);
        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                uint64_t n = part_of(s, cache, i, part);

                if (n == 0)
                        continue;
                SIM_OUT(o, " N");
                sim_out_u64(o, i);
                sim_out(o, "=", 1);
                sim_out_u64(o, n);
        }
        sim_out(o, "\n", 1);
}

static void cpu_partial_slabs(const Sim *s, unsigned cache, SimOut *o) {
        uint64_t slabs = 0;

        for (unsigned i = 0; i < s->spec->machine.nodes; i++)
                slabs += slabs_of(s, cache, i).cpu - s->config.node[i].n_online;
        sim_out_u64(o, slabs * s->config.slab[cache].objects / 2);
        sim_out(o, "(", 1);
        sim_out_u64(o, slabs);
        SIM_OUT(o, ")\n");
}

void sim_text_slab(Sim *s, unsigned cache, unsigned attr, SimOut *o) {
        const PlantCacheSpec *spec = &s->spec->machine.caches[cache];
        const SimSlab *slab = &s->config.slab[cache];
        const struct {
                const char *name;
                uint64_t value;
        } numbers[] = {
                { "align", 8 },
                { "cpu_partial", slab->cpu_partial },
                { "min_partial", slab->min_partial },
                { "object_size", spec->object_size },
                { "objs_per_slab", slab->objects },
                { "order", slab->order },
                { "remote_node_defrag_ratio", slab->remote_ratio },
                { "sheaf_capacity", slab->sheaf },
                { "slab_size", spec->slab_size },
        };
        static const struct {
                const char *name;
                Part part;
        } parts[] = { { "cpu_slabs", PART_CPU },
                      { "objects", PART_OBJECTS },
                      { "objects_partial", PART_OBJECTS_PARTIAL },
                      { "partial", PART_PARTIAL },
                      { "slabs", PART_SLABS },
                      { "total_objects", PART_OBJECTS } };
        const char *name = sim_slab_attrs[attr].name;
        bool stub = s->kernel->slab == PLANT_SLAB_SHEAVES;

        for (size_t i = 0; i < ELEMENTSOF(numbers); i++)
                if (strcmp(numbers[i].name, name) == 0) {
                        sim_out_u64(o, numbers[i].value);
                        sim_out(o, "\n", 1);
                        return;
                }
        if (strcmp(name, "slabs_cpu_partial") == 0) {
                if (stub)
                        SIM_OUT(o, "0(0)\n");
                else
                        cpu_partial_slabs(s, cache, o);
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(parts); i++)
                if (strcmp(parts[i].name, name) == 0 && !(stub && parts[i].part == PART_CPU)) {
                        spread(s, cache, parts[i].part, o);
                        return;
                }
        if (strcmp(name, "shrink") != 0 && strcmp(name, "validate") != 0)
                SIM_OUT(o, "0\n");
}

void sim_text_slabinfo(Sim *s, SimOut *o) {
        SIM_OUT(o, "slabinfo - version: 2.1\n"
                   "# name            <active_objs> <num_objs> <objsize> <objperslab> "
                   "<pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata "
                   "<active_slabs> <num_slabs> <sharedavail>\n");
        for (unsigned i = 0; i < s->spec->machine.n_caches; i++) {
                const PlantCacheSpec *spec = &s->spec->machine.caches[s->cache_sorted[i]];
                const SimSlab *slab = &s->config.slab[s->cache_sorted[i]];
                uint64_t all = 0, idle = 0;

                for (unsigned k = 0; k < s->spec->machine.nodes; k++) {
                        all += part_of(s, s->cache_sorted[i], k, PART_SLABS);
                        idle += part_of(s, s->cache_sorted[i], k, PART_OBJECTS_PARTIAL);
                }
                sim_out(o, spec->name, strlen(spec->name));
                for (size_t k = strlen(spec->name); k < 17; k++)
                        sim_out(o, " ", 1);
                sim_out(o, " ", 1);
                sim_out_padded(o, all * slab->objects - idle, 6);
                sim_out(o, " ", 1);
                sim_out_padded(o, all * slab->objects, 6);
                sim_out(o, " ", 1);
                sim_out_padded(o, spec->slab_size, 6);
                sim_out(o, " ", 1);
                sim_out_padded(o, slab->objects, 4);
                sim_out(o, " ", 1);
                sim_out_padded(o, UINT64_C(1) << slab->order, 4);
                SIM_OUT(o, " : tunables    0    0    0 : slabdata ");
                sim_out_padded(o, all, 6);
                sim_out(o, " ", 1);
                sim_out_padded(o, all, 6);
                SIM_OUT(o, "      0\n");
        }
}
