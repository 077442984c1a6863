/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page list of one CPU and zone as the kernel keeps it, one block at a time. Written after mm/page_alloc.c and mm/vmstat.c of
 * 5.10.223, 6.1.192, 6.12.117, 7.2.12 and 7.3.4; the names of their functions stand at each rule:
 *
 *               up to 5.13          5.14 to 6.6                    6.7 and later
 *   refill      batch               batch                          batch << f, f grows with each refill and halves with each free
 *   bulk free   batch               batch << f, f halves with      length of the run of frees, clamped to
 *                                   each allocation                [batch, high - batch]; 7.x: in pieces of one batch
 *   high        fixed               fixed                          between high_min and high_max: rises by refills and by long runs
 *                                                                  of frees, falls by ticks and when memory is short
 *   orders      0                   0 to 3, huge                   0 to 3, huge
 *
 * Invariants: count is the sum of the blocks in pages; after a free count < the high in force, or the excess was given away (but for what
 * a raised high keeps); pages taken - pages given == pages held by users + count. Not modelled: migrate types, the trylock of pcp->lock that
 * can fail, empty high-order lists that atomic allocations of 7.x skip. */
#include "base/number.h"
#include "machine/sim/plant-events.h"

#define COSTLY_ORDER 3u       /* PAGE_ALLOC_COSTLY_ORDER */
#define REMOTE_EXPIRE_TICKS 3 /* vmstat.c refresh_cpu_vm_stats() */
#define FREE_FACTOR_MAX 5u    /* CONFIG_PCP_BATCH_SCALE_MAX bounds the doubling of 6.1 too */

static unsigned list_of(unsigned order) {
        return order <= COSTLY_ORDER ? order : (unsigned) PCP_LIST_HUGE;
}

static uint64_t list_pages(unsigned list) {
        return UINT64_C(1) << (list == PCP_LIST_HUGE ? PCP_HUGE_ORDER : list);
}

static bool tunes(const PcpList *l) {
        return l->kernel->batch_scale_max > 0;
}

void pcp_list_init(PcpList *l, const PlantKernel *kernel, uint64_t batch, uint64_t high,
                   uint64_t high_min, uint64_t high_max) {
        *l = (PcpList){ .kernel = kernel,
                        .batch = batch > 0 ? MIN(batch, UINT64_C(1) << 20) : 1,
                        .high = high,
                        .high_min = high_min,
                        .high_max = high_max };
        if (!tunes(l))
                l->high_min = l->high_max = l->high;
}

/* pcp_allowed_order(). */
bool pcp_list_caches(const PcpList *l, unsigned order) {
        if (order == 0)
                return true;
        return l->kernel->high_order_lists && (order <= COSTLY_ORDER || order == PCP_HUGE_ORDER);
}

bool pcp_list_would_refill(const PcpList *l, unsigned order) {
        return !pcp_list_caches(l, order) || l->blocks[list_of(order)] == 0;
}

/* The kernel's clamp(): the upper limit wins when a high_min is above high_max. */
static void clamp_high(PcpList *l) {
        if (!tunes(l))
                return;
        l->high = MAX(l->high, l->high_min);
        l->high = MIN(l->high, l->high_max);
}

/* nr_pcp_alloc() of 6.7 and later; a batch before. Blocks of the order. */
static uint64_t refill_blocks(PcpList *l, PcpZoneFlags zone, unsigned order) {
        uint64_t n = l->batch;

        if (tunes(l)) {
                uint64_t most;

                clamp_high(l);
                if (l->high < l->batch)
                        return 1;
                if (order == 0)
                        n = l->batch << l->alloc_factor;
                if (l->high_min != l->high_max && !zone.below_high)
                        l->high = MIN(l->high + n, l->high_max);
                if (order == 0) {
                        most = MAX(u64_sub_sat(l->high, l->count + l->batch), l->batch);
                        if (n <= most && l->alloc_factor < l->kernel->batch_scale_max)
                                l->alloc_factor++;
                        n = MIN(n, most);
                }
        }
        return n > 1 ? MAX(n >> order, UINT64_C(2)) : n;
}

static void count_hold(PcpList *l, uint64_t pages) {
        l->stats.hold_pages_most = MAX(l->stats.hold_pages_most, pages);
}

/* rmqueue_pcplist(), __rmqueue_pcplist(), rmqueue_bulk(). */
uint64_t pcp_list_alloc(PcpList *l, PcpZoneFlags zone, unsigned order) {
        unsigned list = list_of(order);
        uint64_t taken = 0;

        if (!pcp_list_caches(l, order)) { /* rmqueue_buddy() */
                taken = UINT64_C(1) << MIN(order, 20u);
                l->stats.taken_pages += taken;
                l->stats.taken_blocks++;
                l->stats.alloc_holds++;
                count_hold(l, taken);
                return taken;
        }
        l->free_count >>= 1;
        if (l->blocks[list] == 0) {
                uint64_t n = refill_blocks(l, zone, order);

                taken = n * list_pages(list);
                l->blocks[list] += n;
                l->count += taken;
                l->stats.taken_pages += taken;
                l->stats.taken_blocks += n;
                l->stats.alloc_holds++;
                count_hold(l, taken);
        }
        l->blocks[list]--;
        l->count -= list_pages(list);
        return taken;
}

/* free_pcppages_bulk(): the list of the freed block first, then the others in turn. */
static uint64_t give(PcpList *l, uint64_t pages, unsigned first) {
        uint64_t given = 0;

        pages = MIN(pages, l->count);
        for (unsigned i = 0; i < _PCP_LIST_MAX && given < pages; i++) {
                unsigned list = (first + i) % _PCP_LIST_MAX;
                uint64_t size = list_pages(list),
                         n = MIN(u64_div_up(pages - given, size), l->blocks[list]);

                l->blocks[list] -= n;
                l->count -= n * size;
                l->stats.given_blocks += n;
                given += n * size;
        }
        return given;
}

uint64_t pcp_list_holds(const PcpList *l, uint64_t given_pages) {
        if (given_pages == 0)
                return 0;
        return l->kernel->split_free ? u64_div_up(given_pages, l->batch) : 1;
}

static uint64_t account_given(PcpList *l, uint64_t given) {
        uint64_t holds = pcp_list_holds(l, given);

        l->stats.given_pages += given;
        l->stats.free_holds += holds;
        count_hold(l, holds > 1 ? l->batch : given);
        return given;
}

/* nr_pcp_high() of 5.14 to 6.6. */
static uint64_t free_high_fixed(const PcpList *l, PcpZoneFlags zone, bool drain) {
        if (drain)
                return 0;
        return zone.reclaim_active ? MIN(l->batch << 2, l->high) : l->high;
}

/* nr_pcp_high() of 6.7 and later: the high in force for this free; moves the level. */
static uint64_t free_high_tuned(PcpList *l, PcpZoneFlags zone, bool drain) {
        uint64_t high, run = MAX(l->free_count, l->batch);

        clamp_high(l);
        high = l->high;
        if (high == 0)
                return 0;
        if (drain) {
                l->high = MAX(u64_sub_sat(high, l->batch << l->kernel->batch_scale_max),
                              l->high_min);
                return 0;
        }
        if (zone.reclaim_active) {
                l->high = MAX(u64_sub_sat(high, run), l->high_min);
                return MIN(l->batch << 2, l->high);
        }
        if (l->high_min == l->high_max)
                return high;
        if (zone.below_high) {
                l->high = MAX(u64_sub_sat(high, run), l->high_min);
                return MAX(l->count, l->high_min);
        }
        if (l->count >= high && l->high < l->free_count + l->batch)
                l->high = MIN(l->free_count + l->batch,
                              l->high_max); /* above high, so above high_min */
        return high;
}

/* nr_pcp_free(): pages of one bulk free; high is the one in force. */
static uint64_t free_pages(PcpList *l, uint64_t high, bool drain) {
        uint64_t n, most;

        if (l->kernel->pcp == PCP_GEN_FRACTION)
                return l->batch;
        if (drain)
                return tunes(l) ? MIN(l->count, l->batch << l->kernel->batch_scale_max) : l->count;
        if (high < l->batch)
                return 1;
        if (tunes(l))
                n = l->free_count;
        else {
                n = l->batch << l->free_count;
                if (n < high - l->batch && l->free_count < FREE_FACTOR_MAX)
                        l->free_count++;
        }
        /* clamp(): with high below two batches the upper limit wins */
        n = MAX(n, l->batch);
        most = MAX(high - l->batch, UINT64_C(1));
        return MIN(n, most);
}

/* Many blocks of orders 1 to 3 freed in a row empty the list: 5.19 once frees double; 6.7 after a batch of frees, and a batch in the
 * list (CPUs with a data cache of 3 batches and more, taken for all); 6.16 after batch + high_min / 2. */
static bool drains(PcpList *l, unsigned order) {
        bool drain = false;

        if (order == 0 || order > COSTLY_ORDER) {
                l->prev_free_high_order = false;
                return false;
        }
        if (!tunes(l))
                return l->free_count > 0;
        if (l->prev_free_high_order) {
                uint64_t least = l->batch * l->kernel->free_high_batches +
                                 (l->kernel->free_high_half_min ? l->high_min / 2 : 0);

                drain = l->free_count >= least && l->count >= l->batch;
        }
        l->prev_free_high_order = true;
        return drain;
}

/* free_unref_page_commit(), free_frozen_page_commit(). */
uint64_t pcp_list_free(PcpList *l, PcpZoneFlags zone, unsigned order) {
        unsigned list = list_of(order);
        uint64_t high;
        bool drain;

        if (!pcp_list_caches(l, order)) { /* free_one_page() */
                uint64_t given = UINT64_C(1) << MIN(order, 20u);

                l->stats.given_pages += given;
                l->stats.given_blocks++;
                l->stats.free_holds++;
                count_hold(l, given);
                return given;
        }
        l->alloc_factor >>= 1;
        l->blocks[list]++;
        l->count += list_pages(list);
        if (l->kernel->pcp == PCP_GEN_FRACTION)
                return l->count >= l->high ? account_given(l, give(l, l->batch, list)) : 0;

        drain = drains(l, order);
        if (tunes(l)) {
                if (l->free_count < l->batch << l->kernel->batch_scale_max)
                        l->free_count += list_pages(list);
                high = free_high_tuned(l, zone, drain);
        } else
                high = free_high_fixed(l, zone, drain);
        if (l->count < high)
                return 0;
        return account_given(l, give(l, free_pages(l, high, drain), list));
}

/* decay_pcp_high(). Pages above the level go in one hold (6.12) or in batches (7.x). */
uint64_t pcp_list_tick(PcpList *l) {
        if (!tunes(l))
                return 0;
        if (l->high > l->high_min) {
                uint64_t least = u64_sub_sat(l->count, l->batch << l->kernel->batch_scale_max);

                least = MAX(least, l->high - (l->high >> 3));
                l->high = MAX(least, l->high_min);
        }
        if (l->count <= l->high)
                return 0;
        return account_given(l, give(l, l->count - l->high, 0));
}

/* refresh_cpu_vm_stats(), drain_zone_pages(): one batch, then nothing until the list is used again. */
uint64_t pcp_list_tick_remote(PcpList *l, bool used) {
        if (used) {
                l->expire = REMOTE_EXPIRE_TICKS;
                return 0;
        }
        if (l->expire == 0 || l->count == 0 || --l->expire > 0)
                return 0;
        return account_given(l, give(l, l->batch, 0));
}

uint64_t pcp_list_drain(PcpList *l) {
        return account_given(l, give(l, l->count, 0));
}
