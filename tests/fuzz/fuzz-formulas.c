/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "base/units.h"
#include "core/act/pcp.h"
#include "core/act/slub.h"
#include "fuzz.h"

/* The arithmetic of pcp and SLUB with any numbers: a head of them, then a command line. */

typedef struct Head {
        uint64_t managed[3], low[3];
        uint64_t fraction, page_bytes, slab_size, cpu_partial, objs, limit_ppm, high;
        uint32_t list_high[3], list_batch[3];
        uint32_t min_objects;
        uint16_t n_online[3];
        uint8_t files, shift, fold;
} Head;

static uint64_t page_of(const Head *h) {
        return h->fold & 1 ? h->page_bytes : UINT64_C(4096) << (h->shift % 5);
}

static void check_order(const Head *h, const SlubParams *p) {
        uint64_t size = h->fold & 2 ? h->slab_size : h->slab_size % 70000;
        SlubOrder o;

        for (SlubLoop loop = SLUB_LOOP_FEWER; loop <= SLUB_LOOP_HALF; loop++) {
                if (!slub_compute_order(loop, size, h->min_objects, p->min_order, p->max_order,
                                        page_of(h), &o))
                        continue;
                CHECK(o.order <= SLUB_MAX_ORDER);
                CHECK(o.objects == (page_of(h) << o.order) / size);
                /* The kernel looks at the limit before it looks for less waste: only absurd
                 * parameters get beyond. */
                CHECK(o.objects <= SLUB_MAX_OBJECTS || size < 8 || h->min_objects > 4096 ||
                      p->min_order > 0 || page_of(h) > 65536);
        }
}

static void check_slabs(const Head *h) {
        uint64_t objs = h->objs % 4096 + 2, slabs = h->cpu_partial % 4096 + 1;
        uint64_t v = slub_cpu_partial_for_slabs(slabs, objs);

        CHECK(slub_effective_slabs(v, objs) == slabs);
        CHECK(slub_effective_slabs(v - 1, objs) == slabs - 1);
        CHECK(slub_effective_slabs(slub_cpu_partial_round(slabs, objs), objs) == slabs);
        (void) slub_effective_slabs(h->cpu_partial, h->objs);
        CHECK(slub_min_partial_default(h->slab_size) >= 5 &&
              slub_min_partial_default(h->slab_size) <= 10);
        (void) slub_cpu_partial_worst(SLUB_PER_CPU_SLABS, h->cpu_partial, h->objs, h->shift,
                                      page_of(h), UINT32_MAX);
        (void) slub_sheaf_worst(h->cpu_partial, h->shift, page_of(h), UINT32_MAX, UINT32_MAX);
}

static void check_pcp(const Head *h) {
        static Topology topology;
        Node nodes[3] = {};
        Pageset lists[3] = {};
        Zone zones[3] = {};
        ZoneInfo zi = { .zones = zones, .n = 3 };
        MaybeU64 f;
        PcpModel m;
        PcpBound bound, before;

        topology = (Topology){ .nodes = nodes, .n_nodes = 3 };
        for (unsigned i = 0; i < 3; i++) {
                nodes[i] = (Node){ .id = i, .n_online = h->n_online[i] };
                topology.n_online += nodes[i].n_online;
                lists[i] = (Pageset){ .high = h->list_high[i],
                                      .batch = h->list_batch[i],
                                      .has = PAGESET_HIGH | PAGESET_BATCH };
                zones[i] = (Zone){ .node = i,
                                   .managed = KNOWN(h->managed[i] >> (h->shift % 64)),
                                   .low = KNOWN(h->low[i]),
                                   .present = KNOWN(1),
                                   .pagesets = &lists[i],
                                   .n_pagesets = 1 };
        }
        zi.has_high_minmax = h->fold & 4;
        pcp_model_find(&zi, &topology, h->files % 3, KNOWN(h->fraction), KNOWN(page_of(h)), &m);
        for (unsigned i = 0; i < 3; i++) {
                PcpPrediction p, next;
                PcpSeen seen;

                pcp_zone_seen(&m, &zones[i], &seen);
                (void) pcp_hold_nsec(m.gen, h->high, h->list_batch[i]);
                if (!pcp_predict(&m, &zones[i], h->fraction, &p))
                        continue;
                CHECK(p.batch >= 1);
                CHECK(h->fraction == 0 || p.high_min == p.high_max);
                if (h->fraction > 0 && pcp_predict(&m, &zones[i], h->fraction + 1, &next))
                        CHECK(next.high_max <= p.high_max);
        }
        f = pcp_fraction_within(&m, h->limit_ppm);
        if (f.known) {
                pcp_parked_possible(&m, f.value, &bound);
                CHECK(bound.share_ppm <= h->limit_ppm);
                if (f.value > PCP_FRACTION_FLOOR) {
                        pcp_parked_possible(&m, f.value - 1, &before);
                        CHECK(before.share_ppm > h->limit_ppm);
                }
        }
        f = pcp_fraction_capping(&m, h->high);
        if (f.known && f.value < PCP_FRACTION_CEILING)
                for (unsigned i = 0; i < 3; i++) {
                        unsigned divisor = pcp_divisor(&m, &zones[i]);
                        uint64_t managed = zones[i].managed.value, total = 0;

                        for (unsigned k = 0; k < 3; k++)
                                total = u64_add_sat(total, zones[k].managed.value);
                        CHECK(managed < total / 100 + 1 || divisor == 0 ||
                              managed / f.value / divisor <= h->high);
                }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Head h = {};
        size_t n = MIN(size, sizeof(h));
        SlubParams old, new;
        Text cmdline;

        if (n > 0)
                memcpy(&h, data, n);
        cmdline = fuzz_text(data + n, size - n);
        slub_params_parse(cmdline, true, false, &old);
        slub_params_parse(cmdline, true, true, &new);
        CHECK(old.unusable || (old.min_order <= SLUB_MAX_ORDER && old.max_order <= SLUB_MAX_ORDER));
        CHECK(new.unusable || new.min_order <= new.max_order);
        CHECK(!old.any || new.any);
        check_order(&h, &old);
        check_order(&h, &new);
        check_slabs(&h);
        check_pcp(&h);
        return 0;
}
