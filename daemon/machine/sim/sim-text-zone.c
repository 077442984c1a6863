/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zoneinfo and buddyinfo, in the layout of each generation (mm/vmstat.c zoneinfo_show_print(), 5.10 to 7.3). Of the statistics of nodes and
 * zones only the first ones stand there: no parser reads them.
 *
 * What lists show differs: up to 6.6 the limit that is in force; from 6.7 on the level of the CPU, 0 where it never used the zone, from
 * 6.13 on its range too. */
#include <math.h>
#include <string.h>

#include "machine/sim/sim-private.h"

#define ORDERS 11u

static const char *const zone_names[] = { "DMA", "DMA32", "Normal", "Movable", "Device" };

/* Some CPUs have a little more in their lists, some less, and that changes: within a quarter of the mean. */
uint64_t sim_list_count(const Sim *s, unsigned cpu) {
        unsigned node = (unsigned) s->node_of_cpu[cpu];
        const SimZone *z = &s->config.node[node].zone[s->config.node[node].busy];
        bool tuned = s->kernel->pcp == PCP_GEN_AUTO || s->kernel->pcp == PCP_GEN_AUTO_SHOWN;
        double high = tuned ? s->physics.level[node] : (double) z->high_min;
        uint64_t mix = (cpu * UINT64_C(0x9e3779b97f4a7c15)) ^
                       (s->now_usec / 5000000 * UINT64_C(0xc2b2ae3d27d4eb4f));

        mix = (mix ^ mix >> 29) * UINT64_C(0x165667b19e3779f9);
        return (uint64_t) fmin(s->physics.parked[node] *
                                       (0.75 + (double) (mix >> 40) / (double) (1 << 24) / 2),
                               high);
}

static void line(SimOut *o, const char *label, uint64_t n) {
        sim_out(o, label, strlen(label));
        sim_out_u64(o, n);
        sim_out(o, "\n", 1);
}

static void pagesets(const Sim *s, unsigned node, unsigned zone, SimOut *o) {
        const SimNode *n = &s->config.node[node];
        const SimZone *z = &n->zone[zone];
        bool tuned = pcp_gen_tunes(s->kernel->pcp), shown = s->kernel->pcp_shown;

        SIM_OUT(o, "  pagesets\n");
        IDSET_FOREACH(cpu, &s->config.online) {
                bool used = s->physics.used && zone == n->busy && s->node_of_cpu[cpu] == node;
                uint64_t count = used ? sim_list_count(s, cpu) : 0, high = z->high_min;

                if (tuned)
                        high = used ? (uint64_t) s->physics.level[node] : 0;
                line(o, "    cpu: ", cpu);
                line(o, shown ? "              count:    " : "              count: ", count);
                line(o, shown ? "              high:     " : "              high:  ", high);
                line(o, shown ? "              batch:    " : "              batch: ", z->batch);
                if (shown) {
                        line(o, "              high_min: ", z->high_min);
                        line(o, "              high_max: ", z->high_max);
                }
                SIM_OUT(o, "  vm stats threshold: 8\n");
        }
}

static void zone_block(const Sim *s, unsigned node, unsigned zone, bool first, SimOut *o) {
        static const SimZone none;
        const SimZone *z = zone < SIM_ZONES ? &s->config.node[node].zone[zone] : &none;
        bool boost = s->kernel->pcp != PCP_GEN_FRACTION;

        SIM_OUT(o, "Node ");
        sim_out_u64(o, node);
        SIM_OUT(o, ", zone ");
        for (size_t i = strlen(zone_names[zone]); i < 8; i++)
                sim_out(o, " ", 1);
        sim_out(o, zone_names[zone], strlen(zone_names[zone]));
        sim_out(o, "\n", 1);
        if (first) {
                SIM_OUT(o, "  per-node stats\n");
                line(o, "      nr_anon_pages ", s->vm[VM_NR_ANON_PAGES].n / s->spec->machine.nodes);
        }
        line(o, "  pages free     ", zone < SIM_ZONES ? s->free_pages[node][zone] : 0);
        if (boost)
                line(o, "        boost    ", 0);
        line(o, "        min      ", z->min);
        line(o, "        low      ", z->low);
        line(o, "        high     ", z->high);
        if (pcp_gen_tunes(s->kernel->pcp))
                line(o, "        promo    ", z->high ? 2 * z->high - z->low : 0);
        line(o, "        spanned  ", z->spanned);
        line(o, "        present  ", z->present);
        line(o, "        managed  ", z->managed);
        if (boost)
                line(o, "        cma      ", 0);
        SIM_OUT(o, "        protection: (0, 0, 0, 0, 0)\n");
        if (z->managed == 0)
                return;
        line(o, "      nr_free_pages ", s->free_pages[node][zone]);
        pagesets(s, node, zone, o);
        line(o, "  node_unreclaimable:  ", 0);
        line(o, "  start_pfn:           ", z->start_pfn);
}

void sim_text_zoneinfo(Sim *s, SimOut *o) {
        for (unsigned i = 0; i < s->spec->machine.nodes; i++) {
                bool first = true;

                for (unsigned z = 0; z < ELEMENTSOF(zone_names); z++) {
                        bool populated = z < SIM_ZONES && s->config.node[i].zone[z].managed > 0;

                        zone_block(s, i, z, first && populated, o);
                        first = first && !populated;
                }
        }
}

/* Nine tenths of the free memory in the largest blocks, the rest in all sizes alike (in pages). */
void sim_text_buddyinfo(Sim *s, SimOut *o) {
        for (unsigned i = 0; i < s->spec->machine.nodes; i++)
                for (unsigned z = 0; z < SIM_ZONES; z++) {
                        uint64_t left = s->free_pages[i][z], each = left / 10 / ORDERS;
                        uint64_t blocks[ORDERS];

                        if (s->config.node[i].zone[z].managed == 0)
                                continue;
                        for (unsigned k = ORDERS; k-- > 0;) {
                                uint64_t share = k == 0            ? left
                                                 : k == ORDERS - 1 ? left - left / 10
                                                                   : each;

                                blocks[k] = share >> k;
                                left -= blocks[k] << k;
                        }
                        SIM_OUT(o, "Node ");
                        sim_out_u64(o, i);
                        SIM_OUT(o, ", zone ");
                        for (size_t k = strlen(zone_names[z]); k < 8; k++)
                                sim_out(o, " ", 1);
                        sim_out(o, zone_names[z], strlen(zone_names[z]));
                        for (unsigned k = 0; k < ORDERS; k++) {
                                sim_out(o, " ", 1);
                                sim_out_padded(o, blocks[k], 6);
                        }
                        SIM_OUT(o, " \n");
                }
}
