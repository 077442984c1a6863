/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that are states rather than rates: what lies in lists, how slabs are used, what the kernel
 * log says. They come from the newest snapshot that has the file. */
#include "core/signal/compute.h"

#include <string.h>

static const char *missing(SenseState state) {
        return growth_why((Growth){ 0 }, state);
}

static void add_parked(SignalBuild *b, const ZoneInfo *info) {
        uint64_t parked = 0, managed = 0;
        Signal *s;

        for (size_t i = 0; i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                MaybeU64 pages = zone_parked(zone);

                if (!zone_is_populated(zone) || !pages.known)
                        continue;
                s = signal_build_add(b, "pcp-parked", scope_zone(zone->node, zone->name));
                if (!s)
                        return;
                if (!zone->managed.known || zone->managed.value == 0) {
                        s->why = "managed pages of the zone are unknown";
                        continue;
                }
                signal_set(s, EVIDENCE_COUNTED,
                           (int64_t) u64_muldiv(pages.value, PPM, zone->managed.value), "zoneinfo",
                           signal_build_age(b, SENSE_ZONEINFO));
                parked = u64_add_sat(parked, pages.value);
                managed = u64_add_sat(managed, zone->managed.value);
        }
        s = signal_build_add(b, "pcp-parked", scope_system());
        if (!s)
                return;
        if (managed > 0)
                signal_set(s, EVIDENCE_COUNTED, (int64_t) u64_muldiv(parked, PPM, managed),
                           "zoneinfo", signal_build_age(b, SENSE_ZONEINFO));
        else
                s->why = "no zone shows both its managed pages and its lists";
}

/* Mean over the lists that were used: an unused one shows 0 and says nothing of the tuner. */
static void add_tuner_level(SignalBuild *b, const ZoneInfo *info) {
        uint64_t sum = 0, n = 0;
        Signal *s;

        for (size_t i = 0; i < info->n && info->has_high_minmax; i++) {
                const Zone *zone = &info->zones[i];
                uint64_t zone_sum = 0, zone_n = 0;

                for (size_t k = 0; k < zone->n_pagesets; k++) {
                        const Pageset *p = &zone->pagesets[k];
                        const unsigned all = PAGESET_HIGH | PAGESET_HIGH_MIN | PAGESET_HIGH_MAX;

                        if ((p->has & all) != all || p->high == 0 || p->high_max <= p->high_min)
                                continue;
                        zone_sum += u64_muldiv(u64_sub_sat(MIN(p->high, p->high_max), p->high_min),
                                               PPM, p->high_max - p->high_min);
                        zone_n++;
                }
                if (zone_n == 0)
                        continue;
                s = signal_build_add(b, "pcp-tuner-level", scope_zone(zone->node, zone->name));
                if (!s)
                        return;
                signal_set(s, EVIDENCE_COUNTED, (int64_t) (zone_sum / zone_n), "zoneinfo",
                           signal_build_age(b, SENSE_ZONEINFO));
                sum += zone_sum;
                n += zone_n;
        }
        s = signal_build_add(b, "pcp-tuner-level", scope_system());
        if (!s)
                return;
        if (n > 0)
                signal_set(s, EVIDENCE_COUNTED, (int64_t) (sum / n), "zoneinfo",
                           signal_build_age(b, SENSE_ZONEINFO));
        else
                s->why = info->has_high_minmax
                                 ? "no list is tuned: fixed by a fraction, or not used yet"
                                 : "this kernel does not print high_min and high_max";
}

static void add_hold_length(SignalBuild *b, const ZoneInfo *info) {
        const PcpModel *m = b->input->pcp;
        uint64_t longest = 0;
        Signal *s;

        for (size_t i = 0; m && m->fraction.known && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                PcpPrediction p;
                uint64_t nsec;

                if (!zone_is_populated(zone) || !pcp_predict(m, zone, m->fraction.value, &p))
                        continue;
                nsec = pcp_hold_nsec(m->gen, p.high_max, p.batch);
                s = signal_build_add(b, "pcp-hold-length", scope_zone(zone->node, zone->name));
                if (!s)
                        return;
                signal_set(s, EVIDENCE_ESTIMATED, (int64_t) MIN(nsec, (uint64_t) INT64_MAX),
                           "zoneinfo", signal_build_age(b, SENSE_ZONEINFO));
                longest = MAX(longest, nsec);
        }
        s = signal_build_add(b, "pcp-hold-length", scope_system());
        if (!s)
                return;
        if (longest > 0)
                signal_set(s, EVIDENCE_ESTIMATED, (int64_t) MIN(longest, (uint64_t) INT64_MAX),
                           "zoneinfo", signal_build_age(b, SENSE_ZONEINFO));
        else
                s->why = "the limits of the lists cannot be computed here";
}

static void add_free_spread(SignalBuild *b, const ZoneInfo *info) {
        const Topology *t = &b->input->facts->topology;
        uint64_t least = UINT64_MAX, most = 0;
        unsigned n = 0;
        Signal *s = signal_build_add(b, "node-free-spread", scope_system());

        if (!s)
                return;
        for (unsigned i = 0; i < t->n_nodes; i++) {
                uint64_t free = 0, managed = 0, share;

                for (size_t k = 0; k < info->n; k++) {
                        const Zone *zone = &info->zones[k];

                        if (zone->node != t->nodes[i].id || !zone->free.known ||
                            !zone->managed.known)
                                continue;
                        free = u64_add_sat(free, zone->free.value);
                        managed = u64_add_sat(managed, zone->managed.value);
                }
                if (managed == 0)
                        continue;
                share = u64_muldiv(MIN(free, managed), PPM, managed);
                least = MIN(least, share);
                most = MAX(most, share);
                n++;
        }
        if (n > 0)
                signal_set(s, EVIDENCE_COUNTED, (int64_t) (most - least), "zoneinfo",
                           signal_build_age(b, SENSE_ZONEINFO));
        else
                s->why = "no node shows its free and managed pages";
}

static void add_zone_signals(SignalBuild *b) {
        static const char *const names[] = { "node-free-spread", "pcp-hold-length", "pcp-parked",
                                             "pcp-tuner-level" };
        const Snapshot *last = signal_build_last(b, SENSE_ZONEINFO);

        if (last && last->zoneinfo) {
                add_parked(b, last->zoneinfo);
                add_tuner_level(b, last->zoneinfo);
                add_hold_length(b, last->zoneinfo);
                add_free_spread(b, last->zoneinfo);
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                Signal *s = signal_build_add(b, names[i], scope_system());

                if (s)
                        s->why = missing(signal_build_state(b, SENSE_ZONEINFO));
        }
}

static void add_memory_signals(SignalBuild *b) {
        const Snapshot *last = signal_build_last(b, SENSE_MEMINFO);
        const MemInfo *m = last ? last->meminfo : NULL;
        Signal *s = signal_build_add(b, "slab-unreclaimable", scope_system());

        if (!s)
                return;
        if (m && m->value[MEM_SUNRECLAIM].known)
                signal_set(s, EVIDENCE_COUNTED,
                           (int64_t) MIN(m->value[MEM_SUNRECLAIM].value, (uint64_t) INT64_MAX),
                           "meminfo", signal_build_age(b, SENSE_MEMINFO));
        else
                s->why = missing(signal_build_state(b, SENSE_MEMINFO));
        s = signal_build_add(b, "thp-anon-share", scope_system());
        if (!s)
                return;
        if (!m || !m->value[MEM_ANON_HUGE_PAGES].known || !m->value[MEM_ANON_PAGES].known)
                s->why = missing(signal_build_state(b, SENSE_MEMINFO));
        else if (m->value[MEM_ANON_PAGES].value == 0)
                s->why = "there is no anonymous memory";
        else
                signal_set(s, EVIDENCE_COUNTED,
                           (int64_t) u64_muldiv(m->value[MEM_ANON_HUGE_PAGES].value, PPM,
                                                m->value[MEM_ANON_PAGES].value),
                           "meminfo", signal_build_age(b, SENSE_MEMINFO));
}

/* Use of each cache: objects from slabinfo where it was read, else whole slabs from sysfs, which is a
 * lower bound (a partial slab counts as unused). objects* attributes are never read. */
static void add_slab_use(SignalBuild *b) {
        const Snapshot *sysfs = signal_build_last(b, SENSE_SLAB);
        const Snapshot *info = signal_build_last(b, SENSE_SLABINFO);
        size_t n_caches = sysfs && sysfs->slab ? sysfs->slab->n : 0;

        for (size_t i = 0; i < n_caches; i++) {
                const SlabCache *cache = &sysfs->slab->caches[i];
                const SlabInfoRow *row = info && info->slabinfo
                                                 ? slabinfo_find(info->slabinfo, cache->dir)
                                                 : NULL;
                Signal *s;

                for (unsigned k = 0; !row && info && info->slabinfo && k < cache->n_aliases; k++)
                        row = slabinfo_find(info->slabinfo, cache->aliases[k]);
                s = signal_build_add(b, "slab-use", scope_cache(cache->dir));
                if (!s)
                        return;
                if (row && row->active_objects.known && row->objects.known) {
                        if (row->objects.value == 0)
                                s->why = "the cache is empty";
                        else
                                signal_set(s, EVIDENCE_COUNTED,
                                           (int64_t) u64_muldiv(MIN(row->active_objects.value,
                                                                    row->objects.value),
                                                                PPM, row->objects.value),
                                           "slabinfo", signal_build_age(b, SENSE_SLABINFO));
                } else if (cache->slabs.known && cache->partial.known) {
                        s->why = "whole slabs only: a lower bound";
                        if (cache->slabs.value == 0)
                                s->why = "the cache is empty";
                        else
                                signal_set(s, EVIDENCE_COUNTED,
                                           (int64_t) u64_muldiv(u64_sub_sat(cache->slabs.value,
                                                                            cache->partial.value),
                                                                PPM, cache->slabs.value),
                                           "slab sysfs", signal_build_age(b, SENSE_SLAB));
                } else {
                        s->why = "neither slabinfo nor the cache's slabs and partial could be read";
                }
        }
        for (size_t i = 0; n_caches == 0 && info && info->slabinfo && i < info->slabinfo->n; i++) {
                const SlabInfoRow *row = &info->slabinfo->rows[i];
                Scope scope = scope_cache(row->name);
                Signal *s;

                if (signal_build_find(b, "slab-use", scope.name))
                        continue;
                s = signal_build_add(b, "slab-use", scope);
                if (!s)
                        return;
                if (row->active_objects.known && row->objects.known && row->objects.value > 0)
                        signal_set(s, EVIDENCE_COUNTED,
                                   (int64_t) u64_muldiv(
                                           MIN(row->active_objects.value, row->objects.value), PPM,
                                           row->objects.value),
                                   "slabinfo", signal_build_age(b, SENSE_SLABINFO));
                else
                        s->why = "the cache is empty, or its row is broken";
        }
}

static void add_log_signals(SignalBuild *b) {
        const Kmsg *log = b->input->kmsg;
        uint64_t order0 = 0, high = 0, lockups = 0;
        const struct {
                const char *name;
                const uint64_t *count;
        } rows[] = {
                { "alloc-failure-order0", &order0 },
                { "alloc-failure-high-order", &high },
                { "kernel-lockups", &lockups },
        };

        if (log) {
                order0 = log->n_failures_order0;
                high = log->n_failures_high;
        }
        if (log)
                lockups = (uint64_t) log->count[KMSG_SOFT_LOCKUP] + log->count[KMSG_HARD_LOCKUP] +
                          log->count[KMSG_RCU_STALL];
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Signal *s = signal_build_add(b, rows[i].name, scope_system());

                if (!s)
                        return;
                if (log)
                        signal_set(s, EVIDENCE_COUNTED, (int64_t) *rows[i].count, "kmsg",
                                   USEC_UNKNOWN);
                else
                        s->why = "a kernel log is read in captures only (file kmsg)";
        }
}

void signals_add_gauges(SignalBuild *b) {
        add_zone_signals(b);
        add_memory_signals(b);
        add_slab_use(b);
        add_log_signals(b);
}
