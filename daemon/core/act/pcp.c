/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/pcp.h"

#include <string.h>

#include "base/number.h"
#include "base/units.h"

/* Arithmetic of the per-CPU page lists.
 *
 * Model. Every online CPU owns one list for every populated zone, local or not. A list holds up
 * to `high` pages; `batch` pages is the unit in which it trades with the zone. Sources,
 * mm/page_alloc.c:
 *
 * zone_batchsize() of 5.10, 6.1, 6.12: b = min(managed / 1024, 1 MiB of pages) / 4; of 7.2, 7.3:
 *   min(managed >> 12, 256 KiB of pages), the same number. Then 2^floor(log2(b + b/2)) - 1,
 *       which is 0 for the smallest zones, and at least 1.
 * pageset_set_batch() of 5.10: high = 6 x that number before its floor of 1: ZONE_DMA has high
 * 0. pageset_set_high() of 5.10, with a fraction: high = managed / F; batch = high / 4, within 1
 * and
 *   8 x PAGE_SHIFT.
 * zone_highsize(), 6.1 and later: max((F ? managed / F : low watermark) / CPUs, 4 x batch).
 * zone_set_pageset_high_and_batch(), 6.12 and later: at F = 0 high_min is that and high_max is
 * that
 *   of F = 8; with a fraction both are the same.
 *
 * The kernel divides by the online CPUs of the zone's node, and by all online CPUs where it has
 * none. It uses managed pages and the watermark as they were at the last recompute: printed
 * limits of a machine that has just booted are up to 2.5 % below these predictions
 * (PCP_GROWTH_PPM). */

#define BATCH_CAP_BYTES (UINT64_C(1024) * 1024)    /* since 4.20 */
#define BATCH_CAP_OLD_BYTES (UINT64_C(512) * 1024) /* 4.19 and before */

const char *pcp_gen_to_string(PcpGen gen) {
        switch (gen) {
        case PCP_GEN_UNKNOWN:
                return "unknown";
        case PCP_GEN_FRACTION:
                return "fixed lists, a fraction is for each CPU and moves the batch too";
        case PCP_GEN_HIGH:
                return "fixed lists, a fraction is divided by the local CPUs";
        case PCP_GEN_AUTO:
                return "tuned by the kernel at 0, limits not shown";
        case PCP_GEN_AUTO_SHOWN:
                return "tuned by the kernel at 0, limits shown";
        case _PCP_GEN_MAX:
                break;
        }
        return "unknown";
}

bool pcp_gen_tunes(PcpGen gen) {
        return gen == PCP_GEN_AUTO || gen == PCP_GEN_AUTO_SHOWN;
}

static bool fraction_is_legal(uint64_t fraction) {
        return fraction == 0 ||
               (fraction >= PCP_FRACTION_FLOOR && fraction <= PCP_FRACTION_CEILING);
}

static uint64_t u64_clamp(uint64_t value, uint64_t floor, uint64_t ceiling) {
        return value < floor ? floor : value > ceiling ? ceiling : value;
}

/* No machine has smaller pages: unknown or nonsense. */
static uint64_t sane_page(uint64_t page_bytes) {
        return page_bytes >= 1024 ? page_bytes : 4096;
}

/* zone_batchsize() before its floor of 1. */
static uint64_t batch_raw(uint64_t managed, uint64_t page_bytes, uint64_t cap_bytes) {
        uint64_t b = MIN(managed / 1024, cap_bytes / page_bytes) / 4;

        b = MAX(b, UINT64_C(1));
        return (UINT64_C(1) << (u64_fls(b + b / 2) - 1)) - 1;
}

bool pcp_compute(PcpGen gen, const PcpZoneNumbers *zone, uint64_t fraction, PcpPrediction *ret) {
        assert(zone);
        assert(ret);

        if (!fraction_is_legal(fraction))
                return false;

        uint64_t page_bytes = sane_page(zone->page_bytes);
        uint64_t raw = batch_raw(zone->managed, page_bytes,
                                 zone->batch_cap_bytes ? zone->batch_cap_bytes : BATCH_CAP_BYTES);
        PcpPrediction p = { .batch = MAX(raw, UINT64_C(1)) };

        switch (gen) {
        case PCP_GEN_FRACTION:
                if (fraction == 0)
                        p.high_min = 6 * raw;
                else {
                        uint64_t page_shift = u64_fls(page_bytes) - 1;

                        p.high_min = zone->managed / fraction;
                        p.batch = u64_clamp(p.high_min / 4, 1, 8 * page_shift);
                }
                p.high_max = p.high_min;
                break;
        case PCP_GEN_HIGH:
        case PCP_GEN_AUTO:
        case PCP_GEN_AUTO_SHOWN: {
                if (zone->local_cpus == 0)
                        return false;

                uint64_t pages = fraction == 0 ? zone->low : zone->managed / fraction;

                p.high_min = MAX(pages / zone->local_cpus, 4 * p.batch);
                p.high_max = p.high_min;
                if (pcp_gen_tunes(gen) && fraction == 0)
                        p.high_max = MAX(zone->managed / PCP_FRACTION_FLOOR / zone->local_cpus,
                                         4 * p.batch);
                break;
        }
        case PCP_GEN_UNKNOWN:
        case _PCP_GEN_MAX:
                return false;
        }

        *ret = p;
        return true;
}

/* --- the generation --- */

typedef struct ZoneLists {
        size_t n;
        uint32_t least, most, batch;
} ZoneLists;

static ZoneLists zone_lists(const Zone *zone) {
        ZoneLists l = { .least = UINT32_MAX };

        for (size_t i = 0; i < zone->n_pagesets; i++) {
                const Pageset *p = &zone->pagesets[i];

                if ((p->has & (PAGESET_HIGH | PAGESET_BATCH)) != (PAGESET_HIGH | PAGESET_BATCH))
                        continue;
                l.n++;
                l.least = MIN(l.least, p->high);
                l.most = MAX(l.most, p->high);
                l.batch = MAX(l.batch, p->batch);
        }
        return l;
}

/* A fixed high is the same on every CPU and never below 4 x batch. The tuner leaves lists that
 * were never used at 0 (ZONE_DMA on most machines) and lets the others differ. */
static bool looks_fixed_and_divided(const ZoneInfo *zi) {
        bool any = false;

        for (size_t i = 0; i < zi->n; i++) {
                ZoneLists l = zone_lists(&zi->zones[i]);

                if (l.n == 0)
                        continue;
                any = true;
                if (l.least != l.most || l.least < 4 * (uint64_t) l.batch)
                        return false;
        }
        return any;
}

/* Kernels up to 5.13 at fraction 0: high is 6 x the batch before its floor, in every zone. */
static bool looks_like_six_batches(const ZoneInfo *zi, uint64_t page_bytes, uint64_t cap_bytes) {
        bool any = false;

        for (size_t i = 0; i < zi->n; i++) {
                const Zone *zone = &zi->zones[i];
                ZoneLists l = zone_lists(zone);

                if (l.n == 0 || !zone->managed.known)
                        continue;
                any = true;
                if (l.least != l.most ||
                    l.most != 6 * batch_raw(zone->managed.value, page_bytes, cap_bytes))
                        return false;
        }
        return any;
}

static PcpGen generation(const ZoneInfo *zi, PcpFiles files, uint64_t page_bytes,
                         bool *ret_inferred) {
        *ret_inferred = false;
        if (files == PCP_FILES_FRACTION)
                return PCP_GEN_FRACTION;
        if (zi && zi->has_high_minmax)
                return PCP_GEN_AUTO_SHOWN;

        *ret_inferred = true;
        if (!zi)
                return PCP_GEN_UNKNOWN;
        if (files == PCP_FILES_UNKNOWN &&
            (looks_like_six_batches(zi, page_bytes, BATCH_CAP_BYTES) ||
             looks_like_six_batches(zi, page_bytes, BATCH_CAP_OLD_BYTES)))
                return PCP_GEN_FRACTION;
        if (looks_fixed_and_divided(zi))
                return PCP_GEN_HIGH;
        for (size_t i = 0; i < zi->n; i++)
                if (zone_lists(&zi->zones[i]).n > 0)
                        return PCP_GEN_AUTO;
        return PCP_GEN_UNKNOWN;
}

const Zone *pcp_largest_zone(const ZoneInfo *zoneinfo) {
        const Zone *largest = NULL;

        for (size_t i = 0; zoneinfo && i < zoneinfo->n; i++) {
                const Zone *zone = &zoneinfo->zones[i];

                if (zone->managed.known &&
                    (!largest || zone->managed.value > largest->managed.value))
                        largest = zone;
        }
        return largest;
}

/* Older kernels cap the batch at half: told by the batch that the largest zone shows. With a
 * fraction in force the batch of PCP_GEN_FRACTION follows high and tells nothing. */
static uint64_t find_batch_cap(const PcpModel *m, uint64_t page_bytes) {
        const Zone *zone = pcp_largest_zone(m->zoneinfo);

        if (!zone || (m->gen == PCP_GEN_FRACTION && m->fraction.known && m->fraction.value > 0))
                return BATCH_CAP_BYTES;

        ZoneLists l = zone_lists(zone);
        uint64_t now = MAX(batch_raw(zone->managed.value, page_bytes, BATCH_CAP_BYTES),
                           UINT64_C(1));
        uint64_t before = MAX(batch_raw(zone->managed.value, page_bytes, BATCH_CAP_OLD_BYTES),
                              UINT64_C(1));

        return l.n > 0 && l.batch != now && l.batch == before ? BATCH_CAP_OLD_BYTES
                                                              : BATCH_CAP_BYTES;
}

void pcp_model_find(const ZoneInfo *zoneinfo, const Topology *topology, PcpFiles files,
                    MaybeU64 fraction, MaybeU64 page_bytes, PcpModel *ret) {
        assert(ret);

        uint64_t page = sane_page(page_bytes.known ? page_bytes.value : 0);
        PcpModel m = {
                .fraction = fraction,
                .page_bytes = page_bytes,
                .topology = topology,
                .zoneinfo = zoneinfo,
        };

        m.gen = generation(zoneinfo, files, page, &m.inferred);
        m.batch_cap_bytes = find_batch_cap(&m, page);
        m.n_online = topology ? topology->n_online : 0;
        if (m.n_online == 0 && zoneinfo)
                for (size_t i = 0; i < zoneinfo->n; i++)
                        m.n_online = MAX(m.n_online, (unsigned) zoneinfo->zones[i].n_pagesets);
        *ret = m;
}

static bool has_many_nodes(const ZoneInfo *zi) {
        for (size_t i = 1; zi && i < zi->n; i++)
                if (zi->zones[i].node != zi->zones[0].node)
                        return true;
        return false;
}

unsigned pcp_divisor(const PcpModel *m, const Zone *zone) {
        if (m->gen == PCP_GEN_FRACTION)
                return 1;
        if (!m->topology || !topology_node(m->topology, zone->node))
                /* Nodes not known: on a machine with one node that does not matter. */
                return has_many_nodes(m->zoneinfo) ? 0 : m->n_online;
        return topology_local_cpus(m->topology, zone->node);
}

bool pcp_predict(const PcpModel *m, const Zone *zone, uint64_t fraction, PcpPrediction *ret) {
        assert(m);
        assert(zone);

        bool needs_low = m->gen != PCP_GEN_FRACTION && fraction == 0;

        if (!zone->managed.known || (needs_low && !zone->low.known))
                return false;

        PcpZoneNumbers numbers = {
                .managed = zone->managed.value,
                .low = needs_low ? zone->low.value : 0,
                .local_cpus = pcp_divisor(m, zone),
                .page_bytes = m->page_bytes.known ? m->page_bytes.value : 0,
                .batch_cap_bytes = m->batch_cap_bytes,
        };
        return pcp_compute(m->gen, &numbers, fraction, ret);
}

/* --- what zoneinfo shows --- */

static bool is_growing(uint64_t seen, uint64_t predicted) {
        return seen <= predicted && predicted - seen <= u64_muldiv(predicted, PCP_GROWTH_PPM, PPM);
}

static PcpMatch match_shown(const Zone *zone, const PcpPrediction *p) {
        bool any = false, exact = true, growing = true;

        for (size_t i = 0; i < zone->n_pagesets; i++) {
                const Pageset *s = &zone->pagesets[i];

                if ((s->has & (PAGESET_HIGH_MIN | PAGESET_HIGH_MAX)) !=
                    (PAGESET_HIGH_MIN | PAGESET_HIGH_MAX))
                        continue;
                any = true;
                exact = exact && s->high_min == p->high_min && s->high_max == p->high_max;
                growing = growing && is_growing(s->high_min, p->high_min) &&
                          is_growing(s->high_max, p->high_max);
        }
        if (!any)
                return PCP_MATCH_UNKNOWN;
        return exact ? PCP_MATCH_EXACT : growing ? PCP_MATCH_GROWING : PCP_MATCH_DIFFERS;
}

/* A limit that is not shown applies when a CPU next uses its list: until then `high` may stand
 * anywhere. */
static PcpMatch match_hidden(const Zone *zone, const PcpPrediction *p) {
        bool any = false, used = false;

        for (size_t i = 0; i < zone->n_pagesets; i++) {
                const Pageset *s = &zone->pagesets[i];

                if (!(s->has & PAGESET_HIGH))
                        continue;
                any = true;
                if (s->high == 0)
                        continue;
                used = true;
                if (s->high < MIN(p->high_min, p->high_max) || s->high > p->high_max)
                        return PCP_MATCH_PENDING;
        }
        return !any ? PCP_MATCH_UNKNOWN : used ? PCP_MATCH_EXACT : PCP_MATCH_UNUSED;
}

static PcpMatch match_fixed(const PcpSeen *seen, const PcpPrediction *p) {
        if (seen->n == 0)
                return PCP_MATCH_UNKNOWN;
        if (seen->high_least == p->high_min && seen->high_most == p->high_min &&
            seen->batch_least == p->batch && seen->batch_most == p->batch)
                return PCP_MATCH_EXACT;
        if (is_growing(seen->high_least, p->high_min) && is_growing(seen->high_most, p->high_min))
                return PCP_MATCH_GROWING;
        return PCP_MATCH_DIFFERS;
}

void pcp_zone_seen(const PcpModel *m, const Zone *zone, PcpSeen *ret) {
        assert(m);
        assert(zone);
        assert(ret);

        PcpSeen seen = { .high_least = UINT32_MAX, .batch_least = UINT32_MAX };

        for (size_t i = 0; i < zone->n_pagesets; i++) {
                const Pageset *s = &zone->pagesets[i];

                if (s->has & PAGESET_COUNT) {
                        seen.has_count = true;
                        seen.count_sum += s->count;
                }
                if (!(s->has & PAGESET_HIGH))
                        continue;
                seen.n++;
                seen.high_sum += s->high;
                seen.high_least = MIN(seen.high_least, s->high);
                seen.high_most = MAX(seen.high_most, s->high);
                if (s->has & PAGESET_BATCH) {
                        seen.batch_least = MIN(seen.batch_least, s->batch);
                        seen.batch_most = MAX(seen.batch_most, s->batch);
                }
        }
        if (seen.n == 0)
                seen.high_least = 0;
        if (seen.batch_most == 0 && seen.batch_least == UINT32_MAX)
                seen.batch_least = 0;

        PcpPrediction p;

        if (m->fraction.known && pcp_predict(m, zone, m->fraction.value, &p)) {
                if (m->gen == PCP_GEN_AUTO_SHOWN)
                        seen.match = match_shown(zone, &p);
                else if (m->gen == PCP_GEN_AUTO)
                        seen.match = match_hidden(zone, &p);
                else
                        seen.match = match_fixed(&seen, &p);
        }
        *ret = seen;
}
