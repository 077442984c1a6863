/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/pcp.h"

#include "test.h"

/* Expected numbers: by hand from mm/page_alloc.c, or read on real machines, as the cases say. */

/* A machine of up to 4 nodes with one zone each, all lists showing the same numbers. */
typedef struct Bench {
        Topology topology;
        Node nodes[4];
        Zone zones[8];
        Pageset lists[8][128];
        ZoneInfo zoneinfo;
} Bench;

static void add_node(Bench *b, unsigned id, unsigned first_cpu, unsigned n_cpus) {
        Node *node = &b->nodes[b->topology.n_nodes++];

        node->id = id;
        for (unsigned i = 0; i < n_cpus; i++) {
                (void) idset_add(&node->cpus, first_cpu + i);
                (void) idset_add(&b->topology.online, first_cpu + i);
        }
        node->n_online = n_cpus;
        b->topology.nodes = b->nodes;
        b->topology.n_online += n_cpus;
        b->topology.n_present = b->topology.n_possible = b->topology.n_online;
        b->topology.present = b->topology.possible = b->topology.online;
}

static Zone *add_zone(Bench *b, unsigned node, const char *name, uint64_t managed, uint64_t low) {
        Zone *zone = &b->zones[b->zoneinfo.n++];

        zone->node = node;
        (void) text_format(zone->name, sizeof(zone->name), "%s", name);
        zone->managed = KNOWN(managed);
        zone->present = KNOWN(managed);
        zone->low = KNOWN(low);
        b->zoneinfo.zones = b->zones;
        return zone;
}

static void show_lists(Bench *b, Zone *zone, unsigned n, uint32_t high, uint32_t batch) {
        const uint32_t has = PAGESET_COUNT | PAGESET_HIGH | PAGESET_BATCH;

        zone->pagesets = b->lists[zone - b->zones];
        zone->n_pagesets = n;
        for (unsigned i = 0; i < n; i++)
                zone->pagesets[i] = (Pageset){ i, 0, high, batch, 0, 0, has };
}

static PcpModel model(Bench *b, PcpFiles files, uint64_t fraction) {
        PcpModel m;

        pcp_model_find(&b->zoneinfo, &b->topology, files, KNOWN(fraction), KNOWN(4096), &m);
        return m;
}

static PcpPrediction compute(PcpGen gen, uint64_t managed, uint64_t low, unsigned cpus,
                             uint64_t fraction) {
        PcpZoneNumbers zone = { .managed = managed, .low = low, .local_cpus = cpus };
        PcpPrediction p = { 0 };

        ASSERT_TRUE(pcp_compute(gen, &zone, fraction, &p));
        return p;
}

TEST(one_node_of_256_gib_and_64_cpus_as_worked_out_by_hand) {
        const uint64_t managed = 67108864, low = 84000; /* 256 GiB of 4 KiB pages */
        PcpPrediction p = compute(PCP_GEN_AUTO, managed, low, 64, 0);

        ASSERT_EQ_U(p.batch, 63);
        ASSERT_EQ_U(p.high_min, 1312);   /* 84000 / 64 */
        ASSERT_EQ_U(p.high_max, 131072); /* 67108864 / 8 / 64 */
        p = compute(PCP_GEN_HIGH, managed, low, 64, 0);
        ASSERT_EQ_U(p.high_min, 1312);
        ASSERT_EQ_U(p.high_max, 1312);
        p = compute(PCP_GEN_HIGH, managed, low, 64, 100);
        ASSERT_EQ_U(p.high_max, 10485); /* 671088 / 64 */
        p = compute(PCP_GEN_FRACTION, managed, low, 64, 0);
        ASSERT_EQ_U(p.high_max, 378);
        p = compute(PCP_GEN_FRACTION, managed, low, 64, 8);
        ASSERT_EQ_U(p.high_max, 8388608);
        ASSERT_EQ_U(p.batch, 96);
        /* From F = managed / low = 799 on a fraction lies below the default. */
        ASSERT_TRUE(compute(PCP_GEN_HIGH, managed, low, 64, 798).high_max >= 1312);
        ASSERT_TRUE(compute(PCP_GEN_HIGH, managed, low, 64, 800).high_max < 1312);
}

/* Read in guests of 8 CPUs on 2 nodes. */
TEST(readings_of_real_guests_are_met) {
        PcpPrediction p = compute(PCP_GEN_FRACTION, 243189, 2 * 8447, 4, 8);

        ASSERT_EQ_U(p.high_max, 30398);
        ASSERT_EQ_U(p.batch, 96);
        p = compute(PCP_GEN_FRACTION, 243189, 0, 4, 0);
        ASSERT_EQ_U(p.high_max, 378);
        ASSERT_EQ_U(p.batch, 63);
        p = compute(PCP_GEN_HIGH, 242338, 0, 4, 8);
        ASSERT_EQ_U(p.high_max, 7573);
        ASSERT_EQ_U(p.batch, 63);
        /* transparent_hugepage=never: the watermark is small and 4 x batch is left. */
        ASSERT_EQ_U(compute(PCP_GEN_HIGH, 242338, 900, 4, 0).high_max, 252);
        /* A movable zone of 107 MiB: 27392 / 1024 / 4 = 6, 6 + 3 = 9, 8 - 1. */
        ASSERT_EQ_U(compute(PCP_GEN_AUTO, 27392, 288, 4, 0).batch, 7);
        ASSERT_EQ_U(compute(PCP_GEN_AUTO, 27392, 288, 4, 0).high_min, 72);
}

TEST(the_smallest_zone_has_high_0_before_5_14_and_4_after) {
        ASSERT_EQ_U(compute(PCP_GEN_FRACTION, 3977, 16, 4, 0).high_max, 0);
        ASSERT_EQ_U(compute(PCP_GEN_FRACTION, 3977, 16, 4, 0).batch, 1);
        ASSERT_EQ_U(compute(PCP_GEN_HIGH, 3840, 8, 4, 0).high_max, 4);
        ASSERT_EQ_U(compute(PCP_GEN_HIGH, 3840, 8, 4, 0).batch, 1);
}

TEST(an_absurd_fraction_of_5_10_leaves_no_list) {
        PcpPrediction p = compute(PCP_GEN_FRACTION, 243189, 0, 4, INT32_MAX);

        ASSERT_EQ_U(p.high_max, 0);
        ASSERT_EQ_U(p.batch, 1);
        p = compute(PCP_GEN_FRACTION, 243189, 0, 4, 10000); /* 24 pages, a quarter of them */
        ASSERT_EQ_U(p.high_max, 24);
        ASSERT_EQ_U(p.batch, 6);
}

TEST(fractions_that_the_kernel_refuses_predict_nothing) {
        PcpZoneNumbers zone = { .managed = 243189, .low = 1000, .local_cpus = 4 };
        PcpPrediction p = { .batch = 7 };

        for (uint64_t f = 1; f < 8; f++)
                ASSERT_FALSE(pcp_compute(PCP_GEN_HIGH, &zone, f, &p));
        ASSERT_FALSE(pcp_compute(PCP_GEN_FRACTION, &zone, UINT64_C(2147483648), &p));
        ASSERT_FALSE(pcp_compute(PCP_GEN_UNKNOWN, &zone, 0, &p));
        zone.local_cpus = 0;
        ASSERT_FALSE(pcp_compute(PCP_GEN_HIGH, &zone, 0, &p));
        ASSERT_EQ_U(p.batch, 7);
}

/* 1 MiB are 16 pages of 64 KiB; 16 / 4 = 4, 4 + 2 = 6, 4 - 1 = 3. PAGE_SHIFT is 16: 5.10 goes to
 * batch 128. */
TEST(pages_of_64_kib_make_small_batches) {
        PcpZoneNumbers zone = {
                .managed = 4000000, .low = 10000, .local_cpus = 64, .page_bytes = 65536
        };
        PcpPrediction p = { 0 };

        ASSERT_TRUE(pcp_compute(PCP_GEN_HIGH, &zone, 0, &p));
        ASSERT_EQ_U(p.batch, 3);
        ASSERT_EQ_U(p.high_max, 156); /* 10000 / 64 */
        zone.low = 100;
        ASSERT_TRUE(pcp_compute(PCP_GEN_HIGH, &zone, 0, &p));
        ASSERT_EQ_U(p.high_max, 12);
        ASSERT_TRUE(pcp_compute(PCP_GEN_FRACTION, &zone, 0, &p));
        ASSERT_EQ_U(p.high_max, 18);
        ASSERT_TRUE(pcp_compute(PCP_GEN_FRACTION, &zone, 8, &p));
        ASSERT_EQ_U(p.batch, 128);
}

TEST(a_floor_above_the_ceiling_is_shown_as_the_kernel_computes_it) {
        PcpPrediction p = compute(PCP_GEN_AUTO_SHOWN, 100000, 50000, 4, 0);

        ASSERT_EQ_U(p.high_min, 12500);
        ASSERT_EQ_U(p.high_max, 3125);
}

TEST(absurd_numbers_do_not_wrap) {
        PcpPrediction p = compute(PCP_GEN_FRACTION, UINT64_MAX, UINT64_MAX, UINT32_MAX, 0);

        ASSERT_EQ_U(p.high_max, 378);
        p = compute(PCP_GEN_AUTO, UINT64_MAX, UINT64_MAX, 1, 0);
        ASSERT_EQ_U(p.high_min, UINT64_MAX);
        ASSERT_EQ_U(p.high_max, UINT64_MAX / 8);
        PcpZoneNumbers zone = { .managed = 1000000, .local_cpus = 1, .page_bytes = UINT64_MAX };
        ASSERT_TRUE(pcp_compute(PCP_GEN_FRACTION, &zone, 8, &p));
        ASSERT_EQ_U(p.high_max, 125000);
}

/* --- generations --- */

static Bench *two_zones(Bench *b, uint32_t dma_high, uint32_t high) {
        add_node(b, 0, 0, 4);
        show_lists(b, add_zone(b, 0, "DMA", 3840, 20), 4, dma_high, 1);
        show_lists(b, add_zone(b, 0, "DMA32", 243000, 10000), 4, high, 63);
        return b;
}

TEST(a_file_called_fraction_decides) {
        Bench b = { 0 };
        PcpModel m = model(two_zones(&b, 0, 378), PCP_FILES_FRACTION, 0);

        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_FRACTION);
        ASSERT_FALSE(m.inferred);
}

TEST(equal_highs_of_four_batches_and_more_are_fixed_lists) {
        Bench b = { 0 };
        PcpModel m = model(two_zones(&b, 5, 2500), PCP_FILES_HIGH_FRACTION, 0);

        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_HIGH);
        ASSERT_TRUE(m.inferred);
}

TEST(a_list_that_was_never_used_or_moved_means_a_tuner) {
        Bench b = { 0 }, c = { 0 };

        ASSERT_EQ_I((int) model(two_zones(&b, 0, 2500), PCP_FILES_HIGH_FRACTION, 0).gen,
                    (int) PCP_GEN_AUTO);
        two_zones(&c, 5, 2500);
        c.zones[1].pagesets[2].high = 2501;
        ASSERT_EQ_I((int) model(&c, PCP_FILES_HIGH_FRACTION, 0).gen, (int) PCP_GEN_AUTO);
}

TEST(shown_limits_decide_whatever_the_highs_are) {
        Bench b = { 0 };
        PcpModel m;

        two_zones(&b, 5, 2500)->zoneinfo.has_high_minmax = true;
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_AUTO_SHOWN);
        ASSERT_FALSE(m.inferred);
}

TEST(without_proc_sys_six_batches_mean_the_old_rule) {
        Bench b = { 0 }, c = { 0 };

        ASSERT_EQ_I((int) model(two_zones(&b, 0, 378), PCP_FILES_UNKNOWN, 0).gen,
                    (int) PCP_GEN_FRACTION);
        ASSERT_EQ_I((int) model(two_zones(&c, 5, 2500), PCP_FILES_UNKNOWN, 0).gen,
                    (int) PCP_GEN_HIGH);
}

TEST(nothing_known_is_unknown) {
        ZoneInfo empty = { 0 };
        Topology none = { 0 };
        PcpBound bound;
        PcpModel m;

        pcp_model_find(NULL, NULL, PCP_FILES_UNKNOWN, UNKNOWN, UNKNOWN, &m);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_UNKNOWN);
        pcp_model_find(&empty, &none, PCP_FILES_HIGH_FRACTION, UNKNOWN, UNKNOWN, &m);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_UNKNOWN);
        ASSERT_TRUE(m.inferred);
        pcp_parked_possible(&m, 8, &bound);
        ASSERT_TRUE(!bound.zone);
        ASSERT_FALSE(pcp_fraction_within(&m, 40000).known);
        ASSERT_FALSE(pcp_fraction_capping(&m, 252).known);
        ASSERT_TRUE(!pcp_largest_zone(NULL));
}

/* Kernels up to 4.19: the batch stops at 31, and with it the default high at 6 x 31. */
TEST(a_batch_of_31_tells_the_older_cap) {
        Bench b = { 0 };
        PcpPrediction p;
        PcpModel m;

        add_node(&b, 0, 0, 24);
        show_lists(&b, add_zone(&b, 0, "Normal", 16000000, 30000), 24, 186, 31);
        m = model(&b, PCP_FILES_FRACTION, 0);
        ASSERT_EQ_U(m.batch_cap_bytes, 512 << 10);
        ASSERT_TRUE(pcp_predict(&m, &b.zones[0], 0, &p));
        ASSERT_EQ_U(p.high_max, 186);
        ASSERT_EQ_U(p.batch, 31);
}

/* --- the divisor --- */

TEST(a_node_without_cpus_divides_by_all_online_ones) {
        Bench b = { 0 };
        PcpPrediction p;
        PcpModel m;

        add_node(&b, 0, 0, 6);
        add_node(&b, 1, 6, 10);
        add_node(&b, 2, 0, 0);
        for (unsigned node = 0; node < 3; node++)
                show_lists(&b, add_zone(&b, node, "Normal", 250000, 16000), 16, 1000, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_EQ_U(pcp_divisor(&m, &b.zones[0]), 6);
        ASSERT_EQ_U(pcp_divisor(&m, &b.zones[1]), 10);
        ASSERT_EQ_U(pcp_divisor(&m, &b.zones[2]), 16);
        ASSERT_TRUE(pcp_predict(&m, &b.zones[2], 0, &p));
        ASSERT_EQ_U(p.high_max, 1000);
}

/* 96 CPUs, 512 GB of persistent memory as a node of its own: the divisor was 1 in a release
 * candidate of 5.13; the released formula gives 69584 / 96 = 724 pages. */
TEST(undivided_lists_of_a_cpuless_node_differ_from_the_released_formula) {
        Bench b = { 0 };
        PcpPrediction p;
        PcpSeen seen;
        PcpModel m;

        add_node(&b, 0, 0, 48);
        add_node(&b, 1, 48, 48);
        add_node(&b, 2, 0, 0);
        show_lists(&b, add_zone(&b, 0, "Normal", 16000000, 48 * 400), 96, 400, 63);
        show_lists(&b, add_zone(&b, 1, "Normal", 16000000, 48 * 400), 96, 400, 63);
        show_lists(&b, add_zone(&b, 2, "Normal", 65011712, 69584), 96, 69584, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_HIGH);
        ASSERT_TRUE(pcp_predict(&m, &b.zones[2], 0, &p));
        ASSERT_EQ_U(p.high_max, 724);
        pcp_zone_seen(&m, &b.zones[2], &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_DIFFERS);
        ASSERT_EQ_U(seen.high_sum, 6680064); /* 26 GB */
        pcp_zone_seen(&m, &b.zones[0], &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_EXACT);
}

TEST(nodes_that_are_not_known_matter_only_if_there_are_several) {
        Bench b = { 0 }, c = { 0 };
        PcpPrediction p;
        PcpModel m;

        b.topology.n_online = 8;
        show_lists(&b, add_zone(&b, 0, "Normal", 250000, 16000), 8, 2000, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_TRUE(pcp_predict(&m, &b.zones[0], 0, &p));
        ASSERT_EQ_U(p.high_max, 2000);

        c.topology.n_online = 8;
        show_lists(&c, add_zone(&c, 0, "Normal", 250000, 16000), 8, 2000, 63);
        show_lists(&c, add_zone(&c, 1, "Normal", 250000, 16000), 8, 2000, 63);
        m = model(&c, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_FALSE(pcp_predict(&m, &c.zones[0], 0, &p));
        ASSERT_EQ_U(pcp_divisor(&m, &c.zones[0]), 0);
}

/* --- comparison --- */

/* A guest of 7.2 printed 7526 and, after a write, 7593: managed pages had grown since boot. */
TEST(limits_printed_at_boot_may_lie_2_5_percent_below) {
        Bench b = { 0 };
        Zone *zone;
        PcpSeen seen;
        PcpModel m;

        add_node(&b, 0, 0, 4);
        zone = add_zone(&b, 0, "DMA32", 4 * 8 * 7593, 4 * 2534);
        show_lists(&b, zone, 4, 3000, 63);
        b.zoneinfo.has_high_minmax = true;
        for (unsigned i = 0; i < 4; i++) {
                zone->pagesets[i].has |= PAGESET_HIGH_MIN | PAGESET_HIGH_MAX;
                zone->pagesets[i].high_min = 2534;
                zone->pagesets[i].high_max = 7526;
        }
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        pcp_zone_seen(&m, zone, &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_GROWING);
        zone->pagesets[3].high_max = 7400; /* 2.54 % below */
        pcp_zone_seen(&m, zone, &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_DIFFERS);
        zone->pagesets[3].high_max = 7594; /* above */
        pcp_zone_seen(&m, zone, &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_DIFFERS);
        for (unsigned i = 0; i < 4; i++)
                zone->pagesets[i].high_max = 7593;
        pcp_zone_seen(&m, zone, &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_EXACT);
}

TEST(hidden_limits_are_pending_until_each_list_is_used) {
        Bench b = { 0 };
        PcpSeen seen;
        PcpModel m;

        two_zones(&b, 0, 2542); /* right after a write of 8: 243000 / 8 / 4 = 7593 */
        m = model(&b, PCP_FILES_HIGH_FRACTION, 8);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_AUTO);
        pcp_zone_seen(&m, &b.zones[0], &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_UNUSED);
        pcp_zone_seen(&m, &b.zones[1], &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_PENDING);
        show_lists(&b, &b.zones[1], 4, 7593, 63);
        pcp_zone_seen(&m, &b.zones[1], &seen);
        ASSERT_EQ_I((int) seen.match, (int) PCP_MATCH_EXACT);
}

/* --- memory --- */

/* Every CPU may hold 1/F of the zone: all of it at F = CPUs. */
TEST(before_5_14_the_bound_is_cpus_by_fraction) {
        Bench b = { 0 };
        PcpBound bound;
        PcpModel m;

        add_node(&b, 0, 0, 24);
        add_node(&b, 1, 24, 24);
        show_lists(&b, add_zone(&b, 0, "Normal", 16000000, 30000), 48, 378, 63);
        show_lists(&b, add_zone(&b, 1, "Normal", 16000000, 30000), 48, 378, 63);
        m = model(&b, PCP_FILES_FRACTION, 0);
        pcp_parked_possible(&m, 48, &bound);
        ASSERT_EQ_U(bound.share_ppm, 999999); /* 333333 x 48 = 15999984 */
        ASSERT_EQ_U(bound.n_counted, 2);
        ASSERT_EQ_U(bound.pages, 333333 * 48);
        ASSERT_EQ_U(bound.total_pages, 2 * 333333 * 48);
        /* 4 %: F = 48 / 0.04. */
        ASSERT_EQ_U(pcp_fraction_within(&m, 40000).value, 1200);
        pcp_parked_possible(&m, 1200, &bound);
        ASSERT_LE_U(bound.share_ppm, 40000);
        pcp_parked_possible(&m, 1199, &bound);
        ASSERT_TRUE(bound.share_ppm > 40000);
        pcp_parked_possible(&m, 0, &bound);
        ASSERT_EQ_U(bound.share_ppm, 0);
        ASSERT_EQ_U(bound.total_pages, 2 * 48 * 378);
}

TEST(zones_no_larger_than_by_default_and_tiny_ones_are_left_out) {
        Bench b = { 0 };
        PcpBound bound;
        PcpModel m;

        add_node(&b, 0, 0, 8);
        /* 0.7 % of the pages: 30000 / 10 / 8 = 375 is more than its default of 4 x 7. */
        show_lists(&b, add_zone(&b, 0, "DMA", 30000, 8), 8, 28, 7);
        show_lists(&b, add_zone(&b, 0, "DMA32", 500000, 80000), 8, 10000,
                   63); /* default above 500000 / 10 / 8 */
        show_lists(&b, add_zone(&b, 0, "Normal", 4000000, 16000), 8, 2000, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_HIGH);
        pcp_parked_possible(&m, 10, &bound);
        ASSERT_EQ_U(bound.n_counted, 1);
        ASSERT_EQ_U(bound.n_left_out, 2);
        ASSERT_STR(bound.zone->name, "Normal");
        ASSERT_EQ_U(bound.pages, 400000); /* 4000000 / 10 / 8 x 8 */
        ASSERT_EQ_U(bound.share_ppm, 100000);
        /* 4 %: F = 25. */
        ASSERT_EQ_U(pcp_fraction_within(&m, 40000).value, 25);
}

/* 252 pages per CPU on 6.7 and later: no more than the floor of the tuner, so nothing is parked
 * by our doing. */
TEST(the_latency_cap_parks_nothing) {
        Bench b = { 0 };
        MaybeU64 f;
        PcpBound bound;
        PcpPrediction p;
        PcpModel m;

        add_node(&b, 0, 0, 96);
        show_lists(&b, add_zone(&b, 0, "DMA32", 700000, 8000), 96, 0, 63);
        show_lists(&b, add_zone(&b, 0, "Normal", 60000000, 90000), 96, 9000, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        ASSERT_EQ_I((int) m.gen, (int) PCP_GEN_AUTO);
        ASSERT_EQ_U(pcp_least_high(&m, &b.zones[1]).value, 252);
        f = pcp_fraction_capping(&m, 252);
        ASSERT_EQ_U(f.value, 60000000 / (253 * 96) + 1);
        ASSERT_LE_U(60000000 / f.value / 96, 252);
        ASSERT_TRUE(60000000 / (f.value - 1) / 96 > 252);
        ASSERT_TRUE(pcp_predict(&m, &b.zones[1], f.value, &p));
        ASSERT_EQ_U(p.high_min, 252);
        ASSERT_EQ_U(p.high_max, 252);
        pcp_parked_possible(&m, f.value, &bound);
        ASSERT_TRUE(!bound.zone);
        ASSERT_EQ_U(pcp_default_high(&m, &b.zones[1]).value, 937);
}

TEST(an_arm_gets_the_fraction_that_reaches_its_high) {
        Bench b = { 0 };
        PcpPrediction p;
        PcpModel m;
        MaybeU64 f;

        add_node(&b, 0, 0, 8);
        show_lists(&b, add_zone(&b, 0, "Normal", 4000000, 16000), 8, 2000, 63);
        m = model(&b, PCP_FILES_HIGH_FRACTION, 0);
        for (uint64_t k = 2; k <= 8; k *= 2) {
                f = pcp_fraction_for_high(&m, &b.zones[0], k * 2000);
                ASSERT_EQ_U(f.value, 4000000 / (k * 2000 * 8));
                ASSERT_TRUE(pcp_predict(&m, &b.zones[0], f.value, &p));
                ASSERT_GE_U(p.high_max, k * 2000);
        }
        ASSERT_EQ_U(pcp_fraction_for_high(&m, &b.zones[0], UINT64_MAX).value, 8);
        ASSERT_FALSE(pcp_fraction_for_high(&m, &b.zones[0], 0).known);
}

/* 4.13 to 4.19 with 48 CPUs: no division by CPUs. 2 x 378 pages of 16,000,000: F = 21164. */
TEST(arms_before_5_14_are_not_divided) {
        Bench b = { 0 };
        PcpModel m;

        add_node(&b, 0, 0, 48);
        show_lists(&b, add_zone(&b, 0, "Normal", 16000000, 30000), 48, 378, 63);
        m = model(&b, PCP_FILES_FRACTION, 0);
        ASSERT_EQ_U(pcp_fraction_for_high(&m, &b.zones[0], 756).value, 21164);
}

TEST(a_hold_moves_a_batch_or_what_fits_into_the_list) {
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_FRACTION, 30000, 63), 63);
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_AUTO, 252, 63), 189);
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_AUTO, 100000, 63), 2016);
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_HIGH, 100, 63), 63);
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_HIGH, 0, 0), 0);
        ASSERT_EQ_U(pcp_hold_nsec(PCP_GEN_AUTO, 100000, 63), 90720); /* 90 us */
        ASSERT_EQ_U(pcp_hold_nsec(PCP_GEN_AUTO, 252, 63), 8505);
        ASSERT_EQ_U(pcp_pages_per_hold(PCP_GEN_AUTO, UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

TEST_MAIN()
