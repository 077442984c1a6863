/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gauges of vmstat and meminfo: how much memory is free, used, in slabs. Invented where no signal looks; what guards look at (free pages against the
 * marks, unreclaimable slab, parked pages missing from free ones) moves as it would. */
#include <math.h>

#include "machine/sim/sim-private.h"

static void gauge(Sim *s, VmKey key, double pages) {
        s->vm[key].n = (uint64_t) sim_within(pages, 0, 1e18);
}

/* Free pages of a zone: between the marks while it is short. Zones without work are as full as the others, and never short. */
static double zone_free(const Sim *s, unsigned node, unsigned zone, double pressure) {
        const SimZone *z = &s->config.node[node].zone[zone];
        double used = sim_within(s->spec->phase[s->phase].footprint, 0, 1), left;

        if (z->managed == 0)
                return 0;
        if (zone == SIM_ZONE_DMA) /* nobody takes the last resort */
                return (double) (z->managed - MIN(z->managed, UINT64_C(64)));
        if (zone != s->config.node[node].busy)
                return fmax((double) z->managed * (1 - used), 2.0 * (double) z->high);
        left = sim_pages_left(s, &s->config, &s->physics, node, s->phase);
        if (pressure > 0)
                left = fmin(left, (double) z->high - pressure * (double) (z->high - z->low));
        return sim_within(left, (double) z->min / 2, (double) z->managed);
}

/* Slabs that CPUs and nodes keep of caches in use. */
static double slab_kept(const Sim *s) {
        double bytes = 0;

        for (unsigned i = 0; i < s->spec->machine.n_caches; i++) {
                const SimSlab *slab = &s->config.slab[i];
                double size = (double) (SIM_PAGE_BYTES << slab->order), cpu, node;

                if (s->spec->machine.caches[i].share <= 0)
                        continue;
                cpu = s->kernel->slab == PLANT_SLAB_SLABS
                              ? slub_effective_slabs(slab->cpu_partial, slab->objects)
                              : (double) slab->cpu_partial / (double) slab->objects;
                node = fmin((double) slab->min_partial, 1e6);
                bytes += size * (cpu * s->config.n_online + node * s->spec->machine.nodes);
        }
        return bytes;
}

void sim_gauges(Sim *s) {
        const PlantMachine *m = &s->spec->machine;
        double pressure = sim_pressure(s, &s->physics, s->phase), free = 0, managed = 0, anon, huge,
               slab, page = (double) SIM_PAGE_BYTES;

        for (unsigned i = 0; i < m->nodes; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++) {
                        s->free_pages[i][z] = (uint64_t) zone_free(s, i, z, pressure);
                        free += (double) s->free_pages[i][z];
                        managed += (double) s->config.node[i].zone[z].managed;
                }
        slab = managed / 64 + slab_kept(s) / page + s->physics.leak_bytes / page;
        anon = managed * sim_within(s->spec->phase[s->phase].footprint, 0, 1) / 2;
        huge = s->rates.thp_faults > 0 ? anon / 2 / 512 : 0;
        gauge(s, VM_NR_FREE_PAGES, free);
        gauge(s, VM_NR_FREE_PAGES_BLOCKS, free * 0.9);
        gauge(s, VM_NR_ANON_PAGES, anon);
        gauge(s, VM_NR_ACTIVE_ANON, anon);
        gauge(s, VM_NR_ANON_TRANSPARENT_HUGEPAGES, huge);
        gauge(s, VM_NR_FILE_PAGES, anon);
        gauge(s, VM_NR_INACTIVE_FILE, anon);
        gauge(s, VM_NR_SLAB_UNRECLAIMABLE, slab);
        gauge(s, VM_NR_SLAB_RECLAIMABLE, managed / 64);
        s->mem[MEM_MEM_TOTAL] = (uint64_t) (managed * page);
        s->mem[MEM_MEM_FREE] = (uint64_t) free * SIM_PAGE_BYTES;
        s->mem[MEM_MEM_AVAILABLE] = (uint64_t) ((free + anon / 2) * page);
        s->mem[MEM_CACHED] = s->mem[MEM_INACTIVE] = (uint64_t) (anon * page);
        s->mem[MEM_ANON_PAGES] = s->mem[MEM_ACTIVE] = (uint64_t) (anon * page);
        s->mem[MEM_ANON_HUGE_PAGES] = (uint64_t) (huge * 512 * page);
        s->mem[MEM_SUNRECLAIM] = (uint64_t) (slab * page);
        s->mem[MEM_SRECLAIMABLE] = s->mem[MEM_KRECLAIMABLE] = (uint64_t) (managed / 64 * page);
        s->mem[MEM_SLAB] = s->mem[MEM_SUNRECLAIM] + s->mem[MEM_SRECLAIMABLE];
        s->mem[MEM_COMMITTED_AS] = s->mem[MEM_ANON_PAGES];
        s->mem[MEM_HUGEPAGESIZE] = SIM_PMD_KB << 10;
}
