/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/guard-frame.h"

#include "base/number.h"

/* Counters become growth: unknown without a snapshot before, where one of them lacks the counter, and where it went down
 * (another boot). Steal is a sum over CPUs, so it is unknown across a hot-plug. */
#define SMALL_ZONE_PPM 10000u

uint64_t guard_managed_total(const ZoneInfo *info) {
        uint64_t sum = 0;

        for (size_t i = 0; info && i < info->n; i++)
                if (info->zones[i].managed.known)
                        sum = u64_add_sat(sum, info->zones[i].managed.value);
        return sum;
}

bool guard_zone_counts(const Zone *zone, uint64_t managed_total) {
        return zone_is_populated(zone) && zone->managed.known && zone->managed.value > 0 &&
               u64_muldiv(zone->managed.value, PPM, MAX(managed_total, UINT64_C(1))) >=
                       SMALL_ZONE_PPM;
}

static MaybeU64 growth(MaybeU64 before, MaybeU64 now) {
        return before.known && now.known && now.value >= before.value
                       ? KNOWN(now.value - before.value)
                       : UNKNOWN;
}

/* 0 at the low watermark and below, 1000000 at the high one. */
static MaybeU64 free_level(const Zone *zone) {
        uint64_t above, between;

        if (!zone->free.known || !zone->low.known || !zone->high.known)
                return UNKNOWN;
        above = u64_sub_sat(zone->free.value, zone->low.value);
        between = u64_sub_sat(zone->high.value, zone->low.value);
        if (between == 0)
                return KNOWN(zone->free.value < zone->low.value ? 0 : PPM);
        return KNOWN(u64_muldiv(above, PPM, between));
}

static MaybeU64 parked_share(const Zone *zone) {
        MaybeU64 pages = zone_parked(zone);

        return pages.known ? KNOWN(u64_muldiv(pages.value, PPM, zone->managed.value)) : UNKNOWN;
}

static bool is_short(const Zone *zone) {
        return zone->free.value < u64_mul_sat(2, zone->high.value);
}

static void fill_zones(const ZoneInfo *info, GuardFrame *f) {
        uint64_t total = guard_managed_total(info);

        for (size_t i = 0; info && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                MaybeU64 level, parked;

                if (!guard_zone_counts(zone, total))
                        continue;
                level = free_level(zone);
                parked = parked_share(zone);
                if (level.known &&
                    (!f->free_level_ppm.known || level.value < f->free_level_ppm.value))
                        f->free_level_ppm = level;
                if (!parked.known)
                        continue;
                if (!f->parked_ppm.known || parked.value > f->parked_ppm.value)
                        f->parked_ppm = parked;
                if (!zone->free.known || !zone->high.known)
                        continue;
                if (!f->parked_short_ppm.known)
                        f->parked_short_ppm = KNOWN(0);
                if (is_short(zone))
                        f->parked_short_ppm.value = MAX(f->parked_short_ppm.value, parked.value);
        }
}

/* The longest of all zones, small ones too: any lock may be waited for. */
static void fill_hold(const PcpModel *m, const ZoneInfo *info, GuardFrame *f) {
        uint64_t longest = 0;

        for (size_t i = 0; m->fraction.known && info && i < info->n; i++) {
                PcpPrediction p;

                if (zone_is_populated(&info->zones[i]) &&
                    pcp_predict(m, &info->zones[i], m->fraction.value, &p))
                        longest = MAX(longest, pcp_hold_nsec(m->gen, p.high_max, p.batch));
        }
        if (longest > 0) {
                f->hold_nsec = KNOWN(longest);
                f->hold_evidence = EVIDENCE_ESTIMATED;
        }
}

/* kswapd and direct reclaim; either may be missing. */
static MaybeU64 scanned(const VmStat *v) {
        MaybeU64 background = v->value[VM_PGSCAN_KSWAPD], direct = v->value[VM_PGSCAN_DIRECT];

        return background.known && direct.known ? KNOWN(u64_add_sat(background.value, direct.value))
               : background.known               ? background
                                                : direct;
}

static void fill_growth(const VmStat *before, const VmStat *now, GuardFrame *f) {
        const struct {
                MaybeU64 *to;
                VmKey key;
        } rows[] = {
                { &f->compact_stall, VM_COMPACT_STALL },     { &f->compact_fail, VM_COMPACT_FAIL },
                { &f->compact_success, VM_COMPACT_SUCCESS }, { &f->thp_fault, VM_THP_FAULT_ALLOC },
                { &f->thp_fallback, VM_THP_FAULT_FALLBACK },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                *rows[i].to = growth(before->value[rows[i].key], now->value[rows[i].key]);
        f->allocstall = growth(vmstat_allocstall(before), vmstat_allocstall(now));
        f->reclaimed = growth(scanned(before), scanned(now));
}

static void fill_steal(const CpuStat *before, const CpuStat *now, GuardFrame *f) {
        MaybeU64 stolen = growth(before->steal, now->steal);
        MaybeU64 all = growth(cpustat_total(before), cpustat_total(now));

        if (stolen.known && all.known && all.value > 0 && before->n_cpus == now->n_cpus)
                f->steal_ppm = KNOWN(u64_muldiv(stolen.value, PPM, all.value));
}

static void fill_slab(const MachineFacts *facts, const Snapshot *now, GuardFrame *f) {
        MaybeU64 bytes = now->meminfo ? now->meminfo->value[MEM_SUNRECLAIM] : UNKNOWN;

        if (!bytes.known && now->vmstat && now->vmstat->value[VM_NR_SLAB_UNRECLAIMABLE].known &&
            facts->page_bytes.known)
                bytes = KNOWN(u64_mul_sat(now->vmstat->value[VM_NR_SLAB_UNRECLAIMABLE].value,
                                          facts->page_bytes.value));
        f->slab_unreclaimable_bytes = bytes;
        f->memory_bytes = now->meminfo && now->meminfo->value[MEM_MEM_TOTAL].known
                                  ? now->meminfo->value[MEM_MEM_TOTAL]
                                  : facts->memory_bytes;
}

void guard_frame_fill(const MachineFacts *facts, const Snapshot *before, const Snapshot *now,
                      const PcpModel *pcp, GuardFrame *ret) {
        GuardFrame f = { .contained = facts->contained };

        fill_zones(now->zoneinfo, &f);
        if (pcp)
                fill_hold(pcp, now->zoneinfo ? now->zoneinfo : pcp->zoneinfo, &f);
        if (before && before->vmstat && now->vmstat)
                fill_growth(before->vmstat, now->vmstat, &f);
        if (before && before->stat && now->stat)
                fill_steal(before->stat, now->stat, &f);
        if (now->pressure_memory && now->pressure_memory->some.present)
                f.psi_some_ppm = now->pressure_memory->some.avg10_ppm;
        if (now->pressure_memory && now->pressure_memory->full.present)
                f.psi_full_ppm = now->pressure_memory->full.avg10_ppm;
        fill_slab(facts, now, &f);
        *ret = f;
}
