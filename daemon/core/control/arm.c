/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/control/arm.h"

#include <string.h>

#include "base/human.h"
#include "base/number.h"

bool arm_named(const Policy *policy, const char *word) {
        for (unsigned i = 0; i < policy->n_arms; i++)
                if (strcmp(policy->arm[i].text, word) == 0)
                        return true;
        return false;
}

bool arm_has_multiple(const Policy *policy) {
        for (unsigned i = 0; i < policy->n_arms; i++)
                if (policy->arm[i].multiple_milli > 0)
                        return true;
        return false;
}

/* --- per-CPU page lists --- */

/* Kernels before 5.14 divide by nothing: a zone that serves 5 % of allocations must keep the 378 pages
 * of the default (6 x 63; mm/page_alloc.c pageset_set_batch(), 5.10). */
#define FRACTION_SHARE_PPM 50000
#define FRACTION_LEAST_HIGH 378u

bool arm_pcp_fits(const PcpModel *m, const SignalSet *signals, int64_t parked_possible_ppm,
                  uint64_t fraction, char *ret_why, size_t size) {
        const Signal *whole = signal_set_find(signals, "alloc-rate", NULL);
        PcpBound bound;

        ret_why[0] = 0;
        pcp_parked_possible(m, fraction, &bound);
        if (bound.share_ppm > (uint64_t) MAX(parked_possible_ppm, (int64_t) 0)) {
                (void) text_format(
                        ret_why, size, "fraction %llu could park %s of %s (bound %s)",
                        (unsigned long long) fraction,
                        human_share((int64_t) MIN(bound.share_ppm, (uint64_t) INT64_MAX)).text,
                        bound.zone ? bound.zone->name : "a zone",
                        human_share(parked_possible_ppm).text);
                return false;
        }
        if (m->gen != PCP_GEN_FRACTION || !whole || whole->evidence == EVIDENCE_NONE ||
            whole->value <= 0)
                return true;
        for (size_t i = 0; m->zoneinfo && i < m->zoneinfo->n; i++) {
                const Zone *zone = &m->zoneinfo->zones[i];
                Scope scope = { 0 };
                const Signal *part;
                PcpPrediction p;

                (void) text_format(scope.name, sizeof(scope.name), "zone:*/%s", zone->name);
                part = signal_set_find(signals, "alloc-rate", &scope);
                if (!part || part->value <= 0 ||
                    u64_muldiv((uint64_t) part->value, PPM, (uint64_t) whole->value) <
                            FRACTION_SHARE_PPM)
                        continue;
                if (pcp_predict(m, zone, fraction, &p) && p.high_max < FRACTION_LEAST_HIGH) {
                        (void) text_format(
                                ret_why, size,
                                "fraction %llu leaves zone %s, which serves allocations, lists of %s pages (default %u)",
                                (unsigned long long) fraction, zone->name,
                                human_count(p.high_max).text, FRACTION_LEAST_HIGH);
                        return false;
                }
        }
        return true;
}

MaybeU64 arm_pcp_cap(const PcpModel *m) {
        const Zone *zone = m->zoneinfo ? pcp_largest_zone(m->zoneinfo) : NULL;
        MaybeU64 least = zone ? pcp_least_high(m, zone) : UNKNOWN;

        return least.known ? pcp_fraction_capping(m, least.value) : UNKNOWN;
}

MaybeU64 arm_pcp_longest(const PcpModel *m, uint64_t fraction) {
        MaybeU64 most = UNKNOWN;

        for (size_t i = 0; m->zoneinfo && i < m->zoneinfo->n; i++) {
                PcpPrediction p;

                if (zone_is_populated(&m->zoneinfo->zones[i]) &&
                    pcp_predict(m, &m->zoneinfo->zones[i], fraction, &p) &&
                    (!most.known || p.high_max > most.value))
                        most = KNOWN(p.high_max);
        }
        return most;
}

/* Batch sweep of page_fault1 on nine machines (linux-mm 2018-10): desktops and small servers gain nothing anywhere; two
 * sockets are best near twice the default (93 to 165 for 63), four sockets and the widest nodes one level above. A
 * machine whose sockets are not known counts as one. */
#define FEED_FORWARD_FEW_CPUS 12u
#define FEED_FORWARD_SOCKET_CPUS 24u /* one socket up to here: none */
#define FEED_FORWARD_WIDE_CPUS 96u

int64_t arm_pcp_feed_forward(const Topology *topology, unsigned local_cpus) {
        if (local_cpus <= FEED_FORWARD_FEW_CPUS ||
            (local_cpus <= FEED_FORWARD_SOCKET_CPUS && topology->n_packages <= 1))
                return 0;
        return topology->n_packages >= 4 || local_cpus >= FEED_FORWARD_WIDE_CPUS ? 4000 : 2000;
}

/* --- slab caches --- */

static bool is_attribute(const KnobSpec *spec, const char *name) {
        return spec->attribute && strcmp(spec->attribute, name) == 0;
}

MaybeU64 arm_slab_worst(const SlubModel *slub, const MachineFacts *facts, const KnobSpec *spec,
                        const SlabCache *cache, uint64_t value) {
        const Topology *t = &facts->topology;
        uint64_t page = facts->page_bytes.known ? facts->page_bytes.value : 4096;

        if (!cache->order.known || !spec->attribute || cache->order.value > SLUB_MAX_ORDER)
                return UNKNOWN;
        if (is_attribute(spec, "cpu_partial") && cache->objs_per_slab.known)
                return KNOWN(
                        slub_cpu_partial_worst(slub->per_cpu, value, cache->objs_per_slab.value,
                                               (unsigned) cache->order.value, page, t->n_online));
        if (is_attribute(spec, "min_partial"))
                return KNOWN(slub_min_partial_worst(value, (unsigned) cache->order.value, page,
                                                    MAX(t->n_nodes, 1u)));
        return KNOWN(0);
}

/* min_partial is clamped to 5 to 10 by kernels that count objects (mm/slub.c set_min_partial(), 5.10). */
uint64_t arm_slab_ceiling(const SlubModel *slub, const KnobSpec *spec) {
        uint64_t ceiling = (uint64_t) MAX(spec->ceiling, (int64_t) 0);

        return is_attribute(spec, "min_partial") && slub->per_cpu == SLUB_PER_CPU_OBJECTS
                       ? MIN(ceiling, UINT64_C(10))
                       : ceiling;
}

/* From 5.16 to 6.19 objects become slabs, rounded up: twice 120 objects of 512 a slab are one slab as before. There the
 * multiple is taken of the slabs, and the objects of half of them are written. */
uint64_t arm_slab_value(const SlubModel *slub, const KnobSpec *spec, const SlabCache *cache,
                        uint64_t def, int64_t multiple_milli) {
        uint64_t times = (uint64_t) MAX(multiple_milli, (int64_t) 0),
                 value = u64_muldiv(def, times, 1000), ceiling = arm_slab_ceiling(slub, spec), objs;

        if (is_attribute(spec, "cpu_partial") && slub->per_cpu == SLUB_PER_CPU_SLABS &&
            cache->objs_per_slab.known && times > 1000 && value <= ceiling) {
                uint64_t slabs;

                objs = cache->objs_per_slab.value;
                slabs = slub_effective_slabs(def, objs);
                if (slabs > 0 && slub_effective_slabs(value, objs) <= slabs)
                        value = slub_cpu_partial_round(
                                MAX(slabs + 1, u64_muldiv(slabs, times, 1000)), objs);
        }
        return MIN(value, ceiling);
}

/* cpu_partial by CPU count: x2 from 96, x4 from 192 (224 CPUs: x2 +12.7..+40.7 %, x4 +34.9..+62.4 %,
 * linux-mm 2023-09-05). */
#define FEED_FORWARD_X2_CPUS 96u
#define FEED_FORWARD_X4_CPUS 192u

int64_t arm_slab_feed_forward(const KnobSpec *spec, unsigned n_online) {
        if (!is_attribute(spec, "cpu_partial"))
                return 0;
        return n_online >= FEED_FORWARD_X4_CPUS   ? 4000
               : n_online >= FEED_FORWARD_X2_CPUS ? 2000
                                                  : 0;
}

/* --- words --- */

/* Where a fault may stall by the word of thp-defrag (mm/huge_memory.c vma_thp_gfp_mask(), alike from
 * 5.10 to 7.3): in regions marked by madvise, and in all others. */
static bool stalls_marked(const char *word) {
        return strcmp(word, "always") == 0 || strcmp(word, "madvise") == 0 ||
               strcmp(word, "defer+madvise") == 0;
}

static bool stalls_others(const char *word) {
        return strcmp(word, "always") == 0;
}

/* Whether a word of thp-defrag takes a stall away that the present one allows, where huge pages are used. */
static bool relieves(const char *enabled, const char *now, const char *arm) {
        if (strcmp(enabled, "never") == 0 || strcmp(arm, "always") == 0)
                return false;
        if (stalls_marked(now) && !stalls_marked(arm))
                return true;
        return strcmp(enabled, "madvise") != 0 && stalls_others(now) && !stalls_others(arm);
}

bool arm_word_fits(const KnobSet *knobs, const Knob *knob, const char *word) {
        const Knob *enabled = knob_set_find(knobs, "thp-enabled", NULL);

        if (strcmp(word, knob->value) == 0)
                return false;
        if (strcmp(knob->name, "thp-defrag") == 0)
                return relieves(enabled && enabled->value[0] ? enabled->value : "always",
                                knob->value, word);
        /* THP is never widened: "always" suits nobody who did not ask for it. */
        return strcmp(knob->name, "thp-enabled") != 0 || strcmp(knob->value, "always") == 0;
}
