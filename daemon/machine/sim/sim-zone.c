/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Zones of the simulated machine, and what the kernel computes for them: min_free_kbytes, watermarks, limits of page lists, values of slab
 * caches. Formulas of mm/page_alloc.c, mm/khugepaged.c (5.10.223 to 7.3.4); those of lists and slabs are the ones of
 * core/act, so that what is predicted and what the machine does can differ only where the kernel's state does.
 *
 * The memory of a node is a stretch of addresses; 3 to 4 GiB are a hole, as on a PC: below 16 MiB is DMA, below 4 GiB DMA32,
 * the rest Normal. A 64th of a zone is page structures and not managed. */
#include <math.h>

#include "base/number.h"
#include "machine/sim/sim-private.h"

#define DMA_PAGES (UINT64_C(16) << 8)    /* 16 MiB */
#define HOLE_PAGES (UINT64_C(3072) << 8) /* 3 GiB: RAM above is moved up by ... */
#define HOLE_SIZE (UINT64_C(1024) << 8)  /* ... 1 GiB */
#define DMA32_PAGES (UINT64_C(4096) << 8)
/* As in every capture: page 0 is left out, and what the firmware keeps; no page structures of its own. */
#define DMA_SPANNED 4095u
#define DMA_PRESENT 3998u
#define DMA_MANAGED 3840u
#define PAGEBLOCK_PAGES 512u
#define MIGRATE_PCPTYPES 3u

/* Address (page) of a page of RAM. */
static uint64_t ram_to_pfn(uint64_t page) {
        return page < HOLE_PAGES ? page : page + HOLE_SIZE;
}

static void node_build(SimNode *n, uint64_t first, uint64_t pages) {
        static const uint64_t bounds[SIM_ZONES + 1] = { 0, DMA_PAGES, HOLE_PAGES, UINT64_MAX };

        for (unsigned z = 0; z < SIM_ZONES; z++) {
                uint64_t from = MAX(first, bounds[z]), to = MIN(first + pages, bounds[z + 1]);
                SimZone *zone = &n->zone[z];

                if (from >= to)
                        continue;
                zone->start_pfn = ram_to_pfn(from);
                zone->spanned = zone->present = to - from;
                zone->managed = zone->present - zone->present / 64;
                if (z == SIM_ZONE_DMA) {
                        zone->start_pfn = 1;
                        zone->spanned = MIN(zone->spanned, (uint64_t) DMA_SPANNED);
                        zone->present = MIN(zone->present, (uint64_t) DMA_PRESENT);
                        zone->managed = MIN(zone->managed, (uint64_t) DMA_MANAGED);
                }
                if (zone->managed > n->zone[n->busy].managed)
                        n->busy = z;
        }
}

void sim_zones_build(const PlantMachine *machine, SimConfig *c) {
        uint64_t pages = machine->memory_bytes / SIM_PAGE_BYTES / machine->nodes;

        for (unsigned i = 0; i < machine->nodes; i++)
                node_build(&c->node[i], i * pages, pages);
}

static uint64_t managed_all(const SimConfig *c) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < PLANT_NODES_MAX; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++)
                        sum += c->node[i].zone[z].managed;
        return sum;
}

/* nr_free_buffer_pages(): managed beyond the high watermark. */
static uint64_t buffer_pages(const SimConfig *c) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < PLANT_NODES_MAX; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++)
                        sum += u64_sub_sat(c->node[i].zone[z].managed, c->node[i].zone[z].high);
        return sum;
}

static bool is_populated(const SimZone *z) {
        return z->managed > 0;
}

bool sim_thp_pmd_enabled(const SimConfig *c) {
        uint64_t size = c->size_enabled[SIM_SIZES - 1]; /* always inherit madvise never */

        return size == 0 || size == 2 || (size == 1 && c->thp_enabled != 2);
}

/* calculate_min_free_kbytes() */
static void min_free_plain(SimConfig *c) {
        uint64_t kb = (uint64_t) sqrt((double) (buffer_pages(c) * 4 * 16));

        if (kb > c->user_min_free_kb)
                c->min_free_kb = MIN(MAX(kb, UINT64_C(128)), UINT64_C(262144));
}

/* set_recommended_min_free_kbytes(): two blocks a zone, and one for each pair of migration types; at most 5 % of memory. */
static void min_free_thp(SimConfig *c) {
        uint64_t zones = 0, pages;

        for (unsigned i = 0; i < PLANT_NODES_MAX; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++)
                        zones += is_populated(&c->node[i].zone[z]);
        pages = PAGEBLOCK_PAGES * zones * (2 + MIGRATE_PCPTYPES * MIGRATE_PCPTYPES);
        pages = MIN(pages, buffer_pages(c) / 20);
        c->min_free_kb = MAX(c->min_free_kb, pages * 4);
}

void sim_recompute_min_free(const PlantKernel *k, SimConfig *c, bool boot) {
        bool thp = sim_thp_pmd_enabled(c);

        if (boot)
                min_free_plain(c);
        if (thp)
                min_free_thp(c);
        else if (k->pcp != PCP_GEN_FRACTION && !boot)
                min_free_plain(c); /* 5.10 leaves it where it was */
}

/* __setup_per_zone_wmarks() */
void sim_recompute_watermarks(const PlantKernel *k, SimConfig *c) {
        uint64_t all = managed_all(c), pages_min = c->min_free_kb / 4;

        for (unsigned i = 0; i < PLANT_NODES_MAX; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++) {
                        SimZone *zone = &c->node[i].zone[z];
                        uint64_t min, gap;

                        if (!is_populated(zone))
                                continue;
                        min = u64_muldiv(pages_min, zone->managed, all);
                        gap = MAX(min / 4, u64_muldiv(zone->managed, c->scale_factor, 10000));
                        zone->min = min;
                        zone->low = min + gap;
                        zone->high = min + 2 * gap;
                }
        if (k->pcp != PCP_GEN_FRACTION)
                sim_recompute_lists(k, c, 0);
}

/* zone_set_pageset_high_and_batch(): the CPU that comes online is counted on every node (page_alloc_cpu_online(), 6.1 to 7.3). */
void sim_recompute_lists(const PlantKernel *k, SimConfig *c, unsigned cpu_online) {
        for (unsigned i = 0; i < PLANT_NODES_MAX; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++) {
                        SimZone *zone = &c->node[i].zone[z];
                        unsigned local = c->node[i].n_online + cpu_online;
                        PcpZoneNumbers numbers = { .managed = zone->managed,
                                                   .low = zone->low,
                                                   .local_cpus = local ? local : c->n_online,
                                                   .page_bytes = SIM_PAGE_BYTES,
                                                   .batch_cap_bytes = k->batch_cap_bytes };
                        PcpPrediction p;

                        if (!is_populated(zone) || !pcp_compute(k->pcp, &numbers, c->fraction, &p))
                                continue;
                        zone->batch = p.batch;
                        zone->high_min = p.high_min;
                        zone->high_max = p.high_max;
                }
}

/* Fixed lists of 5.10 stay; later kernels recompute: with one CPU too many while it comes, with the right ones when it has gone. */
void sim_cpu_set(const Sim *s, SimConfig *c, unsigned cpu, bool online) {
        unsigned node;

        if (cpu >= s->n_cpus || idset_has(&c->online, cpu) == online ||
            (!online && c->n_online == 1))
                return;
        node = (unsigned) s->node_of_cpu[cpu];
        c->version++;
        if (online && s->kernel->pcp != PCP_GEN_FRACTION)
                sim_recompute_lists(s->kernel, c, 1);
        if (online)
                (void) idset_add(&c->online, cpu);
        else
                idset_remove(&c->online, cpu);
        c->n_online = online ? c->n_online + 1 : c->n_online - 1;
        c->node[node].n_online = online ? c->node[node].n_online + 1 : c->node[node].n_online - 1;
        if (!online && s->kernel->pcp != PCP_GEN_FRACTION)
                sim_recompute_lists(s->kernel, c, 0);
}

SlubPerCpu sim_slub_per_cpu(PlantSlab slab) {
        switch (slab) {
        case PLANT_SLAB_OBJECTS:
                return SLUB_PER_CPU_OBJECTS;
        case PLANT_SLAB_SLABS:
                return SLUB_PER_CPU_SLABS;
        case PLANT_SLAB_SHEAVES:
                return SLUB_PER_CPU_SHEAVES;
        }
        return SLUB_PER_CPU_UNKNOWN;
}

void sim_slabs_build(const PlantMachine *machine, SimConfig *c) {
        const PlantKernel *k = machine->kernel;
        unsigned counted = k->slab_cpus == SLUB_CPUS_POSSIBLE
                                   ? MAX(machine->possible, machine->cpus)
                                   : machine->cpus;
        uint32_t wanted = slub_wanted_objects(machine->slab_boot_cpus ? machine->slab_boot_cpus
                                                                      : counted);

        for (unsigned i = 0; i < machine->n_caches; i++) {
                uint64_t size = machine->caches[i].slab_size;
                SimSlab *slab = &c->slab[i];
                SlubOrder order;

                if (!slub_compute_order(k->slab_loop, size, wanted, 0, 3, SIM_PAGE_BYTES, &order))
                        order = (SlubOrder){ 0, 1 }; /* larger than any slab */
                slab->order = slab->order_default = order.order;
                slab->objects = MAX(order.objects, 1u);
                if (!slub_cpu_partial_default(sim_slub_per_cpu(k->slab), size, SIM_PAGE_BYTES,
                                              false, &slab->cpu_partial_default))
                        slab->cpu_partial_default = 0;
                slab->cpu_partial = slab->cpu_partial_default;
                slab->min_partial = slab->min_partial_default = slub_min_partial_default(size);
                slab->remote_ratio = 100;
                slab->sheaf = k->slab == PLANT_SLAB_SHEAVES
                                      ? slub_sheaf_default(size, SIM_PAGE_BYTES, false)
                                      : 0;
        }
}
