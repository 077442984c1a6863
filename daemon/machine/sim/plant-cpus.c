/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs of one node in a heap by time. Each repeats: think for a few units of work, go through the memory bus and the lru lock, move pages
 * from or to its own list, take zone->lock when the list is empty or too long, then what slabs and huge pages ask for. A lock is first
 * come, first served: the CPU that is first in the heap asks first, so the moment at which a lock falls free is all its queue.
 *
 * An event is a step of at most a pagevec of pages (15), a refill, a piece of a bulk free, or one hold of a list lock. The list of a CPU is
 * changed page by page inside of an event (pcp-events.c), refills and frees have the size that the kernel gives them at that moment.
 *
 * A run of allocations is followed by frees of as many pages. With free_remote CPUs go in pairs: of the even one's pages a share is freed
 * by the odd one, which allocates so much less. Invariant: time of a CPU = think + waits + holds + stalls + idle. */
#include <math.h>

#include "base/macro.h"
#include "machine/sim/plant-cpus.h"

#define PAGEVEC 15.0           /* PAGEVEC_SIZE up to 6.8; a step of pages */
#define UNITS_MOST 8.0         /* of a step, where work moves few pages */
#define RECLAIM_PERIOD_NS 20e6 /* kswapd works in stretches of this (assumed) */
#define TICK_NS 1e9            /* vm.stat_interval */
#define IDLE_NS 10e3           /* a CPU without pages to free looks again */
#define HUGE_HELD 4u           /* huge pages that a CPU keeps before it frees one (assumed) */
#define SLAB_TURN 64u          /* slabs made in a row, and freed in a row (assumed) */
#define ENDLESS_PAGES \
        32768.0 /* run of pages that all reach the zone: 128 MiB, as page_fault1 maps */
#define BIN_RATIO 1.03
#define EVENTS_MOST 100000000u /* half a minute */

/* --- heap ------------------------------------------------------------------------------------------------------------------- */

static bool before(const EventNode *n, unsigned a, unsigned b) {
        double x = n->cpu[a].at_ns, y = n->cpu[b].at_ns;

        return x < y || (!(y < x) && a < b);
}

/* The first CPU has moved in time. */
static void heap_sink(EventNode *n) {
        unsigned i = 0;

        for (;;) {
                unsigned child = 2 * i + 1, moved = n->heap[i];

                if (child >= n->n)
                        return;
                if (child + 1 < n->n && before(n, n->heap[child + 1], n->heap[child]))
                        child++;
                if (!before(n, n->heap[child], moved))
                        return;
                n->heap[i] = n->heap[child];
                n->heap[child] = moved;
                i = child;
        }
}

static void heap_build(EventNode *n) {
        for (unsigned i = 0; i < n->n; i++) { /* insertion: once, for a few hundred CPUs */
                unsigned j = i;

                n->heap[i] = i;
                for (; j > 0 && before(n, n->heap[j], n->heap[(j - 1) / 2]); j = (j - 1) / 2) {
                        unsigned parent = n->heap[(j - 1) / 2];

                        n->heap[(j - 1) / 2] = n->heap[j];
                        n->heap[j] = parent;
                }
        }
}

/* --- locks ------------------------------------------------------------------------------------------------------------------ */

/* Times under a lock, with its handing over, are exponential: so drawn, shares of waiting for two locks are those published for a sweep of
 * batches (test-plant-events.c); regular times leave the second busiest lock nearly without a queue. */
static void lock_take(EventNode *n, EventLock *l, EventCpu *cpu, double mean_ns) {
        double hold_ns = -log(draw_uniform(&n->random)) * mean_ns;
        double start = fmax(cpu->at_ns, l->free_at_ns);

        if (cpu->at_ns >= n->from_ns) {
                l->wait_ns += start - cpu->at_ns;
                l->hold_ns += hold_ns;
                l->holds++;
        }
        l->free_at_ns = start + hold_ns;
        cpu->at_ns = l->free_at_ns;
}

static void zone_take(EventNode *n, EventCpu *cpu, double blocks) {
        double hold = n->demand.zone_handover_ns + blocks * n->demand.zone_block_ns;

        if (cpu->at_ns >= n->from_ns) {
                double bin = hold > 1 ? log(hold) / log(BIN_RATIO) : 0;

                n->hold_bins[(unsigned) fmin(bin, EVENT_HOLD_BINS - 1)]++;
        }
        lock_take(n, &n->zone, cpu, hold);
}

double event_node_hold_ns(const EventNode *node, double share) {
        uint64_t sum = 0, seen = 0;

        for (unsigned i = 0; i < EVENT_HOLD_BINS; i++)
                sum += node->hold_bins[i];
        for (unsigned i = 0; i < EVENT_HOLD_BINS && sum > 0; i++) {
                seen += node->hold_bins[i];
                if ((double) seen >= share * (double) sum)
                        return pow(BIN_RATIO, i + 1);
        }
        return 0;
}

/* --- lists of pages --------------------------------------------------------------------------------------------------------- */

double event_node_duty(const EventNode *node) {
        double crowd = 2 * (node->parked / node->demand.free_pages - 0.5);

        return fmin(fmax(fmax(node->workload->pressure, crowd), 0), 1);
}

static PcpZoneFlags zone_flags(const EventNode *n, double at_ns) {
        double duty = event_node_duty(n);
        bool active = duty > 0 && fmod(at_ns, RECLAIM_PERIOD_NS) < duty * RECLAIM_PERIOD_NS;

        return (PcpZoneFlags){ .reclaim_active = active, .below_high = active };
}

/* Accounts what an operation on the list moved. */
static void list_moved(EventNode *n, const EventCpu *cpu, const PcpStats *then, uint64_t count) {
        const PcpStats *now = &cpu->list.stats;

        n->parked += (double) cpu->list.count - (double) count;
        n->sums.parked_max = fmax(n->sums.parked_max, n->parked);
        if (cpu->at_ns < n->from_ns)
                return;
        n->zone_pages.taken_pages += now->taken_pages - then->taken_pages;
        n->zone_pages.given_pages += now->given_pages - then->given_pages;
}

/* Frees one block; true: pieces are to be given to the zone before the CPU goes on at `after`. */
static bool list_free(EventNode *n, EventCpu *cpu, unsigned order, EventStage after) {
        PcpStats then = cpu->list.stats;
        uint64_t count = cpu->list.count,
                 given = pcp_list_free(&cpu->list, zone_flags(n, cpu->at_ns), order);

        list_moved(n, cpu, &then, count);
        if (given == 0)
                return false;
        cpu->pieces = cpu->list.stats.free_holds - then.free_holds;
        cpu->piece_blocks = cpu->list.stats.given_blocks - then.given_blocks;
        cpu->stage = EVENT_PIECE;
        cpu->after = after;
        return true;
}

/* Takes one block, under zone->lock if it must. */
static void list_alloc(EventNode *n, EventCpu *cpu, unsigned order) {
        PcpStats then = cpu->list.stats;
        uint64_t count = cpu->list.count;

        (void) pcp_list_alloc(&cpu->list, zone_flags(n, cpu->at_ns), order);
        list_moved(n, cpu, &then, count);
        if (cpu->list.stats.alloc_holds > then.alloc_holds)
                zone_take(n, cpu, (double) (cpu->list.stats.taken_blocks - then.taken_blocks));
}

static void list_tick(EventNode *n, EventCpu *cpu) {
        PcpStats then = cpu->list.stats;
        uint64_t count = cpu->list.count;

        cpu->tick_at_ns += TICK_NS;
        if (pcp_list_tick(&cpu->list) == 0)
                return;
        list_moved(n, cpu, &then, count);
        cpu->pieces = cpu->list.stats.free_holds - then.free_holds;
        cpu->piece_blocks = cpu->list.stats.given_blocks - then.given_blocks;
        cpu->after = cpu->stage;
        cpu->stage = EVENT_PIECE;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------ */

double event_run_pages(EventNode *node) {
        const EventDemand *d = &node->demand;
        double pages;

        if (!(d->run_sigma > 0))
                return fmax(ENDLESS_PAGES, 16 * (double) node->settings->pcp_high_max);
        pages = exp(d->run_mu + d->run_sigma * draw_normal(&node->random));
        return isfinite(pages) ? fmin(fmax(round(pages), 1), 1e8) : 1e8;
}

/* The next half of a run. False: it has no pages. */
static bool run_next(EventNode *n, unsigned i) {
        EventCpu *cpu = &n->cpu[i], *partner = &n->cpu[i ^ 1u];
        bool paired = n->demand.remote > 0 && (i ^ 1u) < n->n;

        cpu->freeing = !cpu->freeing;
        if (!cpu->freeing) {
                cpu->run = event_run_pages(n);
                cpu->left = paired && (i & 1) ? round(cpu->run * (1 - n->demand.remote)) : cpu->run;
                cpu->run = cpu->left;
                if (cpu->left > 0)
                        return true;
                cpu->freeing = true; /* only frees what the other allocates */
        }
        cpu->left = cpu->run;
        if (paired && (i & 1)) {
                cpu->left += cpu->pending;
                cpu->pending = 0;
        } else if (paired && partner->pending < 4 * cpu->run) {
                double handed = round(cpu->run * n->demand.remote);

                partner->pending += handed;
                cpu->left -= handed;
        }
        return cpu->left > 0;
}

static double jitter(EventNode *n) {
        return 0.5 + draw_uniform(&n->random);
}

static bool counted(const EventNode *n, const EventCpu *cpu) {
        return cpu->at_ns >= n->from_ns;
}

static void step_think(EventNode *n, EventCpu *cpu) {
        const EventDemand *d = &n->demand;
        const PlantParams *p = &n->machine->params;
        double think = d->think_ns, user = d->user_ns, parked_bytes = n->parked * 4096, duty;

        cpu->units = d->pages > 0 ? fmin(UNITS_MOST, PAGEVEC / (2 * d->pages)) : UNITS_MOST;
        cpu->credit += 2 * d->pages * cpu->units;

        /* What huge pages save, parked pages that left the cache, and direct reclaim: as plant_analytic() has them. */
        if (n->sums.huge_pages > 0)
                user *= 1 - fmin(fmax(p->tlb_gain, 0), 0.9) * n->sums.huge_pages /
                                    (n->sums.huge_pages + n->sums.pages);
        think += user - d->user_ns;
        if (parked_bytes > p->llc_bytes)
                think += d->pages * p->cold_ns * (1 - p->llc_bytes / parked_bytes);
        duty = event_node_duty(n);
        think *= 1 + 3 * fmax(2 * duty - 1, 0) * fmin(d->pages, 1);
        if (counted(n, cpu)) {
                n->sums.units += cpu->units;
                n->sums.user_ns += user * cpu->units;
        }
        cpu->at_ns += fmax(think, 1) * cpu->units * jitter(n);
        cpu->stage = EVENT_MEMORY;
}

/* No pages to free yet: the work of this step was not done. */
static void step_idle(EventNode *n, EventCpu *cpu) {
        if (counted(n, cpu)) {
                n->sums.units -= cpu->credit / (2 * n->demand.pages);
                n->sums.idle_ns += IDLE_NS;
        }
        cpu->credit = 0;
        cpu->at_ns += IDLE_NS;
}

/* Pages, up to the next hold of zone->lock. */
static void step_pages(EventNode *n, unsigned i) {
        EventCpu *cpu = &n->cpu[i];

        while (cpu->credit >= 1) {
                if (!(cpu->left > 0 || run_next(n, i) || run_next(n, i))) {
                        step_idle(n, cpu);
                        break;
                }

                unsigned order = cpu->odd >= 4 ? 2 : 0; /* 1 to 3: 2 in the mean */
                double pages = (double) (1u << order);

                if (cpu->credit < pages)
                        break;
                if (!cpu->freeing && pcp_list_would_refill(&cpu->list, order)) {
                        cpu->refill_order = order;
                        cpu->stage = EVENT_REFILL;
                        return;
                }
                cpu->odd += pages * n->demand.odd - (order > 0 ? pages : 0);
                cpu->credit -= pages;
                cpu->left -= pages;
                if (counted(n, cpu))
                        n->sums.pages += pages / 2;
                if (!cpu->freeing)
                        list_alloc(n, cpu, order);
                else if (list_free(n, cpu, order, EVENT_PAGES))
                        return;
        }
        cpu->list_debt += n->demand.list * cpu->units;
        cpu->slab_debt += 2 * n->demand.slabs * cpu->units;
        cpu->huge_debt += n->demand.huge * cpu->units;
        cpu->stage = EVENT_SLABS;
}

static void step_refill(EventNode *n, EventCpu *cpu) {
        double pages = (double) (1u << cpu->refill_order);

        cpu->odd += pages * n->demand.odd - (cpu->refill_order > 0 ? pages : 0);
        cpu->credit -= pages;
        cpu->left -= pages;
        if (counted(n, cpu))
                n->sums.pages += pages / 2;
        cpu->stage = EVENT_PAGES;
        list_alloc(n, cpu, cpu->refill_order);
}

static void step_piece(EventNode *n, EventCpu *cpu) {
        uint64_t blocks = cpu->pieces > 0 ? (cpu->piece_blocks + cpu->pieces - 1) / cpu->pieces : 0;

        cpu->piece_blocks -= blocks;
        if (cpu->pieces > 0)
                cpu->pieces--;
        if (cpu->pieces == 0)
                cpu->stage = cpu->after;
        zone_take(n, cpu, (double) blocks);
}

/* A cache by its share. */
static unsigned pick_cache(EventNode *n, const double *until) {
        double at = draw_uniform(&n->random) * until[n->n_caches - 1];
        size_t low = 0, high = n->n_caches - 1;

        while (low < high) {
                size_t middle = (low + high) / 2;

                if (until[middle] > at)
                        high = middle;
                else
                        low = middle + 1;
        }
        return (unsigned) low;
}

/* __alloc_pages_direct_reclaim() without success, drain_all_pages(): the pages of all lists go back, under holds of the CPU that asked (6.1
 * and later; before, each CPU does its own). */
static void drain_all(EventNode *n, EventCpu *cpu) {
        for (unsigned i = 0; i < n->n; i++) {
                PcpList *l = &n->cpu[i].list;
                PcpStats then = l->stats;
                uint64_t given = pcp_list_drain(l);

                n->parked -= (double) given;
                cpu->pieces += l->stats.free_holds - then.free_holds;
                cpu->piece_blocks += l->stats.given_blocks - then.given_blocks;
                if (counted(n, cpu))
                        n->zone_pages.given_pages += given;
        }
        if (cpu->pieces > 0) {
                cpu->stage = EVENT_PIECE;
                cpu->after = EVENT_SLABS;
        }
}

/* A huge page fault. */
static void step_huge(EventNode *n, EventCpu *cpu) {
        ThpFault fault;

        cpu->huge_debt -= 1;
        thp_fault(n->machine, n->settings, draw_uniform(&n->random) < n->workload->thp_marked,
                  draw_uniform(&n->random) < n->workload->odd_maps, &n->random, &fault);
        if (!fault.asked)
                return;
        if (counted(n, cpu)) {
                n->sums.stalls += fault.stalled;
                n->sums.fails += fault.failed;
                n->sums.huge_got += fault.got;
                n->sums.huge_missed += !fault.got;
                n->sums.stall_ns += fault.stall_ns;
                n->sums.huge_pages += fault.got ? 512 : 0;
        }
        cpu->at_ns += fault.stall_ns;
        if (fault.got)
                cpu->stage = EVENT_HUGE;
        else if (fault.failed)
                drain_all(n, cpu);
}

/* One thing at a time: slabs made or freed, list locks, huge pages. */
static void step_slabs(EventNode *n, EventCpu *cpu) {
        if (cpu->slab_debt >= 1) {
                unsigned order = n->slab[pick_cache(n, n->made_until)].order;

                cpu->slab_debt -= 1;
                if (random_below(&n->random, SLAB_TURN) == 0)
                        cpu->slab_freeing = !cpu->slab_freeing;
                if (counted(n, cpu))
                        n->sums.slab_pages += (double) (1u << MIN(order, 10u)) / 2;
                if (cpu->slab_freeing)
                        (void) list_free(n, cpu, order, EVENT_SLABS);
                else
                        list_alloc(n, cpu, order);
                cpu->at_ns += n->machine->params.slab_page_ns / 2;
        } else if (cpu->list_debt >= 1) {
                cpu->list_debt -= 1;
                cpu->cache = pick_cache(n, n->visits_until);
                cpu->stage = EVENT_LIST;
        } else if (cpu->huge_held > HUGE_HELD) {
                cpu->huge_held--;
                (void) list_free(n, cpu, PCP_HUGE_ORDER, EVENT_SLABS);
        } else if (cpu->huge_debt >= 1)
                step_huge(n, cpu);
        else
                cpu->stage = EVENT_THINK;
}

static void step(EventNode *n, unsigned i) {
        EventCpu *cpu = &n->cpu[i];
        const EventDemand *d = &n->demand;

        if (cpu->at_ns >= cpu->tick_at_ns && cpu->stage != EVENT_PIECE)
                list_tick(n, cpu);
        switch (cpu->stage) {
        case EVENT_THINK:
                step_think(n, cpu);
                break;
        case EVENT_MEMORY:
                if (d->memory_ns > 0)
                        lock_take(n, &n->memory, cpu, d->pages * cpu->units * d->memory_ns);
                cpu->stage = EVENT_LRU;
                break;
        case EVENT_LRU:
                if (d->lru_ns > 0)
                        lock_take(n, &n->lru, cpu, d->pages * cpu->units * d->lru_ns);
                cpu->stage = EVENT_PAGES;
                break;
        case EVENT_PAGES:
                step_pages(n, i);
                break;
        case EVENT_REFILL:
                step_refill(n, cpu);
                break;
        case EVENT_PIECE:
                step_piece(n, cpu);
                break;
        case EVENT_SLABS:
                step_slabs(n, cpu);
                break;
        case EVENT_LIST:
                lock_take(n, &n->list[cpu->cache], cpu, n->slab[cpu->cache].service_ns);
                cpu->stage = EVENT_SLABS;
                break;
        case EVENT_HUGE:
                cpu->huge_held++;
                list_alloc(n, cpu, PCP_HUGE_ORDER);
                cpu->at_ns += d->huge_clear_ns;
                cpu->stage = EVENT_CLEAR;
                break;
        case EVENT_CLEAR:
                if (d->page_memory_ns > 0)
                        lock_take(n, &n->memory, cpu, 512 * d->page_memory_ns);
                cpu->stage = EVENT_SLABS;
                break;
        }
        n->sums.events++;
}

void event_node_run(EventNode *node) {
        heap_build(node);
        while (node->n > 0) {
                unsigned i = node->heap[0];
                double at = node->cpu[i].at_ns;

                if (!(at < node->until_ns))
                        return;
                if (node->sums.events >= EVENTS_MOST) { /* what was seen so far */
                        node->until_ns = fmax(at, node->from_ns + 1);
                        return;
                }
                if (at > node->from_ns) {
                        double dt = at - fmax(node->now_ns, node->from_ns);

                        node->sums.parked += dt * node->parked;
                        node->sums.duty += dt * event_node_duty(node);
                        node->sums.covered_ns += dt;
                }
                node->now_ns = at;
                step(node, i);
                heap_sink(node);
        }
}
