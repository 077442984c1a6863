/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "base/units.h"
#include "core/act/pcp.h"

/* Memory that the per-CPU lists may hold, the fractions that bound it, and how long the zone
 * lock is held for them. See pcp.c for the formulas. */

MaybeU64 pcp_zone_worst_pages(const PcpModel *m, const Zone *zone, uint64_t fraction) {
        PcpPrediction p;

        if (m->n_online == 0 || !pcp_predict(m, zone, fraction, &p))
                return UNKNOWN;
        return KNOWN(u64_mul_sat(m->n_online, p.high_max));
}

MaybeU64 pcp_default_high(const PcpModel *m, const Zone *zone) {
        PcpPrediction p;

        return pcp_predict(m, zone, 0, &p) ? KNOWN(p.high_min) : UNKNOWN;
}

MaybeU64 pcp_least_high(const PcpModel *m, const Zone *zone) {
        /* Without a need of the watermark; before 5.14 a fraction would move the batch. */
        uint64_t fraction = m->gen == PCP_GEN_FRACTION ? 0 : PCP_FRACTION_CEILING;
        PcpPrediction p;

        /* Kernels that do not divide have no such floor: below it they would only trade in
         * smaller units. */
        return pcp_predict(m, zone, fraction, &p) ? KNOWN(4 * p.batch) : UNKNOWN;
}

static uint64_t managed_total(const ZoneInfo *zi) {
        uint64_t total = 0;

        for (size_t i = 0; zi && i < zi->n; i++)
                if (zi->zones[i].managed.known)
                        total = u64_add_sat(total, zi->zones[i].managed.value);
        return total;
}

static bool is_large(const Zone *zone, uint64_t total) {
        return zone->managed.known && zone->managed.value > 0 &&
               zone->managed.value >= u64_div_up(total, 100);
}

void pcp_parked_possible(const PcpModel *m, uint64_t fraction, PcpBound *ret) {
        assert(m);
        assert(ret);

        PcpBound b = { 0 };
        uint64_t total = managed_total(m->zoneinfo);

        for (size_t i = 0; m->zoneinfo && i < m->zoneinfo->n; i++) {
                const Zone *zone = &m->zoneinfo->zones[i];
                PcpPrediction p;

                if (!zone_is_populated(zone))
                        continue;

                MaybeU64 pages = pcp_zone_worst_pages(m, zone, fraction);
                MaybeU64 by_default = pcp_default_high(m, zone);

                if (!pages.known || !by_default.known || !pcp_predict(m, zone, fraction, &p)) {
                        b.n_unknown++;
                        continue;
                }
                /* Lists of all CPUs may add up to more than the zone has. */
                b.total_pages = u64_add_sat(b.total_pages, MIN(pages.value, zone->managed.value));
                if (fraction == 0 || p.high_max <= by_default.value || !is_large(zone, total)) {
                        b.n_left_out++;
                        continue;
                }
                b.n_counted++;

                uint64_t share = u64_div_up(u64_mul_sat(pages.value, PPM), zone->managed.value);

                if (!b.zone || share > b.share_ppm) {
                        b.zone = zone;
                        b.share_ppm = share;
                        b.pages = pages.value;
                }
        }
        *ret = b;
}

/* high falls with the fraction, and with it the share: bisection finds the edge. */
MaybeU64 pcp_fraction_within(const PcpModel *m, uint64_t limit_ppm) {
        uint64_t first = PCP_FRACTION_FLOOR, last = PCP_FRACTION_CEILING;
        PcpBound b;

        pcp_parked_possible(m, last, &b);
        if (b.n_counted + b.n_left_out == 0 || b.share_ppm > limit_ppm)
                return UNKNOWN;
        while (first < last) {
                uint64_t middle = first + (last - first) / 2;

                pcp_parked_possible(m, middle, &b);
                if (b.share_ppm <= limit_ppm)
                        last = middle;
                else
                        first = middle + 1;
        }
        return KNOWN(first);
}

static uint64_t clamp_fraction(uint64_t f) {
        return MIN(MAX(f, (uint64_t) PCP_FRACTION_FLOOR), (uint64_t) PCP_FRACTION_CEILING);
}

MaybeU64 pcp_fraction_for_high(const PcpModel *m, const Zone *zone, uint64_t high) {
        uint64_t pages = u64_mul_sat(high, pcp_divisor(m, zone));

        if (m->gen == PCP_GEN_UNKNOWN || !zone->managed.known || pages == 0)
                return UNKNOWN;
        return KNOWN(clamp_fraction(zone->managed.value / pages));
}

/* floor(managed / F) < (high + 1) x divisor holds from F = floor(managed / ((high + 1) x
 * divisor)) + 1 on. */
MaybeU64 pcp_fraction_capping(const PcpModel *m, uint64_t high) {
        uint64_t total = managed_total(m->zoneinfo);
        MaybeU64 fraction = UNKNOWN;

        for (size_t i = 0; m->gen != PCP_GEN_UNKNOWN && m->zoneinfo && i < m->zoneinfo->n; i++) {
                const Zone *zone = &m->zoneinfo->zones[i];

                if (!is_large(zone, total))
                        continue;

                uint64_t pages = u64_mul_sat(u64_add_sat(high, 1), pcp_divisor(m, zone));

                if (pages == 0)
                        return UNKNOWN;

                uint64_t f = clamp_fraction(u64_add_sat(zone->managed.value / pages, 1));

                if (!fraction.known || f > fraction.value)
                        fraction = KNOWN(f);
        }
        return fraction;
}

/* nr_pcp_free(), 6.1 to 7.3: clamp(free run, batch, high - batch), the run being at most batch
 * << 5; nr_pcp_alloc(), 6.12 on: the same bounds for a refill. A high below one batch frees page
 * by page. */
uint64_t pcp_pages_per_hold(PcpGen gen, uint64_t high, uint64_t batch) {
        if (gen == PCP_GEN_FRACTION)
                return batch;

        uint64_t room = u64_sub_sat(high, batch),
                 most = u64_mul_sat(batch, UINT64_C(1) << PCP_BATCH_SCALE_MAX);

        return MAX(MIN(room, most), batch);
}

uint64_t pcp_hold_nsec(PcpGen gen, uint64_t high, uint64_t batch) {
        return u64_mul_sat(pcp_pages_per_hold(gen, high, batch), PCP_NSEC_PER_PAGE);
}
