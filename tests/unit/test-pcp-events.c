/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page list of one CPU against rules worked out by hand. */
#include "base/random.h"
#include "pcp-list.h"

static uint64_t blocks_pages(const PcpList *l) {
        return l->blocks[0] + 2 * l->blocks[1] + 4 * l->blocks[2] + 8 * l->blocks[3] +
               512 * l->blocks[4];
}

/* --- refill ----------------------------------------------------------------------------------------------------------------- */

TEST(fixed_kernels_refill_a_batch_each_time) {
        static const char *const names[] = { "4.18", "5.10", "6.1" };

        for (size_t k = 0; k < ELEMENTSOF(names); k++) {
                PcpList l = list_new(names[k], 63, 378, 0, 0);

                take(&l, 63 * 9 + 1);
                ASSERT_EQ_U(l.stats.alloc_holds, 10);
                ASSERT_EQ_U(l.stats.taken_pages, 630);
                ASSERT_EQ_U(l.stats.hold_pages_most, 63);
                ASSERT_EQ_U(l.count, 62);
        }
}

TEST(tuning_kernels_double_each_refill_up_to_batch_shifted_by_5) {
        /* high_max far away: 63, 126, 252, 504, 1008, 2016, 2016 */
        static const unsigned expected[] = { 63, 126, 252, 504, 1008, 2016, 2016 };
        PcpList l = list_new("6.12", 63, 100000, 2671, 1000000);

        for (size_t i = 0; i < ELEMENTSOF(expected); i++) {
                ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), expected[i]);
                take(&l, expected[i] - 1);
                ASSERT_EQ_U(l.count, 0);
        }
}

TEST(a_refill_leaves_room_of_one_batch_below_a_pinned_high) {
        /* high 252: max(252 - 0 - 63, 63) = 189; f stays at 2 once 252 > 189 */
        PcpList l = list_new("7.3", 63, 252, 252, 252);

        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), 63);
        take(&l, 62);
        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), 126);
        take(&l, 125);
        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), 189);
        ASSERT_EQ_U(l.alloc_factor, 2);
        ASSERT_EQ_U(l.high, 252);
}

TEST(a_refill_raises_high_by_what_it_wanted_up_to_high_max_and_not_when_memory_is_short) {
        PcpZoneFlags shortage = { .below_high = true };
        PcpList l = list_new("6.12", 63, 2671, 2671, 2800);

        (void) pcp_list_alloc(&l, calm, 0);
        ASSERT_EQ_U(l.high, 2734);
        take(&l, 62);
        (void) pcp_list_alloc(&l, calm, 0);
        ASSERT_EQ_U(l.high, 2800);

        l = list_new("6.12", 63, 2671, 2671, 2800);
        (void) pcp_list_alloc(&l, shortage, 0);
        ASSERT_EQ_U(l.high, 2671);
}

TEST(each_free_halves_the_refill_factor) {
        PcpList l = list_new("6.12", 63, 100000, 2671, 1000000);

        take(&l, 63 + 126 + 252);
        ASSERT_EQ_U(l.alloc_factor, 3);
        give_back(&l, 1);
        ASSERT_EQ_U(l.alloc_factor, 1);
        give_back(&l, 1);
        ASSERT_EQ_U(l.alloc_factor, 0);
}

TEST(a_high_below_the_batch_moves_single_pages) {
        PcpList l = list_new("7.3", 63, 10, 10, 10);

        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), 1);
        list_fill(&l, 9);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 1);
        ASSERT_EQ_U(l.count, 9);
}

TEST(a_batch_of_one_and_a_high_of_nothing_keep_nothing) {
        /* fraction of 5.10 at INT_MAX: high 0, batch 1: every free takes zone->lock */
        PcpList l = list_new("5.10", 1, 0, 0, 0);

        for (unsigned i = 0; i < 50; i++) {
                ASSERT_EQ_U(pcp_list_alloc(&l, calm, 0), 1);
                ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 1);
                ASSERT_EQ_U(l.count, 0);
        }
}

/* --- bulk frees ------------------------------------------------------------------------------------------------------------- */

TEST(until_5_13_a_free_at_high_gives_one_batch) {
        PcpList l = list_new("5.10", 63, 378, 0, 0);

        list_fill(&l, 377);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 63);
        ASSERT_EQ_U(l.count, 315);
        give_back(&l, 62);
        ASSERT_EQ_U(l.count, 377);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 63);
}

TEST(from_5_14_bulk_frees_double_and_an_allocation_halves_the_factor) {
        /* high 7573: 63, 126, 252, 504, 1008, 2016, 2016 */
        static const unsigned expected[] = { 63, 126, 252, 504, 1008, 2016, 2016 };
        PcpList l = list_new("6.1", 63, 7573, 0, 0);

        list_fill(&l, 7572);
        for (size_t i = 0; i < ELEMENTSOF(expected); i++) {
                ASSERT_EQ_U(pcp_list_free(&l, calm, 0), expected[i]);
                give_back(&l, expected[i] - 1);
                ASSERT_EQ_U(l.count, 7572);
        }
        ASSERT_EQ_U(l.free_count, 5);
        take(&l, 1);
        ASSERT_EQ_U(l.free_count, 2);
        give_back(&l, 1);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 252);
}

TEST(from_5_14_a_bulk_free_leaves_a_batch) {
        PcpList l = list_new("6.1", 63, 252, 0, 0);

        list_fill(&l, 251);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 63);
        give_back(&l, 62);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 126);
        give_back(&l, 125);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 189);
        ASSERT_EQ_U(l.count, 63);
}

TEST(from_6_7_a_bulk_free_is_as_long_as_the_run_of_frees) {
        PcpList l = list_new("6.12", 63, 1000, 1000, 1000);

        list_fill(&l, 800);
        give_back(&l, 199);
        ASSERT_EQ_U(l.count, 999);
        ASSERT_EQ_U(l.free_count, 199);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 0), 200);
        take(&l, 1);
        ASSERT_EQ_U(l.free_count, 100);
}

TEST(only_7_x_cuts_a_bulk_free_into_batches) {
        PcpList l = list_new("6.12", 63, 1000, 1000, 1000);

        list_fill(&l, 800);
        give_back(&l, 200);
        ASSERT_EQ_U(l.stats.given_pages, 200);
        ASSERT_EQ_U(l.stats.free_holds, 1);
        ASSERT_EQ_U(l.stats.hold_pages_most, 200);

        l = list_new("7.2", 63, 1000, 1000, 1000);
        list_fill(&l, 800);
        give_back(&l, 200);
        ASSERT_EQ_U(l.stats.given_pages, 200);
        ASSERT_EQ_U(l.stats.free_holds, 4);
        ASSERT_EQ_U(l.stats.hold_pages_most, 63);
}

TEST(a_run_of_frees_longer_than_high_raises_it) {
        PcpList l = list_new("6.12", 63, 300, 300, 5000);

        list_fill(&l, 10);
        give_back(&l, 289);
        ASSERT_EQ_U(l.high, 300);
        give_back(
                &l,
                1); /* count 300 >= 300, run 290 + 63 > 300; 300 is still in force for this free */
        ASSERT_EQ_U(l.high, 353);
        ASSERT_EQ_U(l.stats.given_pages, 237); /* clamp(290, 63, 300 - 63) */
}

TEST(memory_below_the_high_watermark_shrinks_high_but_not_a_pinned_one) {
        PcpZoneFlags shortage = { .below_high = true };
        PcpList l = list_new("6.12", 63, 1000, 252, 5000);

        list_fill(&l, 400);
        (void) pcp_list_free(&l, shortage, 0);
        ASSERT_EQ_U(l.high, 937);
        /* high in force is max(count, high_min): at once */
        ASSERT_EQ_U(l.stats.given_pages, 63);

        l = list_new("6.12", 63, 1000, 1000, 1000);
        list_fill(&l, 400);
        (void) pcp_list_free(&l, shortage, 0);
        ASSERT_EQ_U(l.high, 1000);
        ASSERT_EQ_U(l.stats.given_pages, 0);
}

TEST(reclaim_leaves_four_batches_whatever_high_is) {
        static const char *const names[] = { "6.1", "6.12", "7.3" };
        PcpZoneFlags reclaim = { .reclaim_active = true };

        for (size_t k = 0; k < ELEMENTSOF(names); k++) {
                PcpList l = list_new(names[k], 63, 7573, 7573, 7573);

                list_fill(&l, 251);
                ASSERT_NE_U(pcp_list_free(&l, reclaim, 0), 0);
                ASSERT_LE_U(l.count, 251);
        }
        {
                PcpList l = list_new("5.10", 63, 7573, 0, 0);

                list_fill(&l, 7571);
                ASSERT_EQ_U(pcp_list_free(&l, reclaim, 0), 0);
        }
}

/* --- orders ----------------------------------------------------------------------------------------------------------------- */

TEST(orders_cached_follow_the_kernel) {
        PcpList old = list_new("5.10", 63, 378, 0, 0), new = list_new("6.1", 63, 2671, 0, 0);

        for (unsigned order = 1; order <= 10; order++) {
                ASSERT_FALSE(pcp_list_caches(&old, order));
                ASSERT_TRUE(pcp_list_caches(&new, order) == (order <= 3 || order == 9));
        }
        ASSERT_EQ_U(pcp_list_alloc(&old, calm, 3), 8);
        ASSERT_EQ_U(pcp_list_alloc(&old, calm, 3), 8);
        ASSERT_EQ_U(pcp_list_free(&old, calm, 3), 8);
        ASSERT_EQ_U(old.stats.alloc_holds, 2);
        /* 64 KiB: order 4 passes by on every kernel */
        ASSERT_EQ_U(pcp_list_alloc(&new, calm, 4), 16);
        ASSERT_EQ_U(new.count, 0);
}

TEST(a_refill_of_blocks_is_the_batch_in_pages_and_at_least_two) {
        PcpList l = list_new("6.12", 63, 2671, 2671, 7926);

        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 3), 56);   /* 63 >> 3 = 7 blocks */
        ASSERT_EQ_U(pcp_list_alloc(&l, calm, 9), 1024); /* 2 huge pages */
        ASSERT_EQ_U(l.count, 6 * 8 + 512);
}

TEST(a_huge_page_stays_only_where_high_is_above_512) {
        PcpList l = list_new("6.1", 63, 252, 0, 0);

        ASSERT_EQ_U(pcp_list_free(&l, calm, 9), 512);
        ASSERT_EQ_U(l.count, 0);
        l = list_new("6.1", 63, 2671, 0, 0);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 9), 0);
        ASSERT_EQ_U(l.count, 512);
}

TEST(many_high_order_frees_in_a_row_drain_the_list) {
        /* 6.1: once frees double (a bulk free happened), everything goes. */
        PcpList l = list_new("6.1", 63, 252, 0, 0);
        unsigned n = 0;

        list_fill(&l, 251);
        give_back(&l, 1);
        ASSERT_EQ_U(l.free_count, 1);
        ASSERT_EQ_U(pcp_list_free(&l, calm, 3), 189 + 8);
        ASSERT_EQ_U(l.count, 0);

        /* 6.12: a run of 63 pages before this free, that is 8 blocks of 8: the ninth drains. */
        l = list_new("6.12", 63, 2671, 2671, 7926);
        while (pcp_list_free(&l, calm, 3) == 0)
                n++;
        ASSERT_EQ_U(n, 8);
        ASSERT_EQ_U(l.count, 0);
        /* the run goes on, but less than a batch is in the list */
        for (n = 0; pcp_list_free(&l, calm, 3) == 0;)
                n++;
        ASSERT_EQ_U(n, 7);

        /* 7.3: batch + high_min / 2 = 1398 pages: 175 blocks. */
        l = list_new("7.3", 63, 2671, 2671, 7926);
        for (n = 0; pcp_list_free(&l, calm, 3) == 0;)
                n++;
        ASSERT_EQ_U(n, 175);
        ASSERT_EQ_U(l.count, 0); /* 1408 pages are less than 63 << 5 */
}

/* --- ticks ------------------------------------------------------------------------------------------------------------------ */

TEST(a_tick_takes_an_eighth_from_high_and_gives_the_excess) {
        PcpList l = list_new("6.12", 63, 8000, 2671, 9000);

        list_fill(&l, 7500);
        ASSERT_EQ_U(pcp_list_tick(&l), 500);
        ASSERT_EQ_U(l.high, 7000);
        for (unsigned i = 0; i < 20; i++)
                (void) pcp_list_tick(&l);
        ASSERT_EQ_U(l.high, 2671);
        ASSERT_EQ_U(l.count, 2671);
        ASSERT_EQ_U(pcp_list_tick(&l), 0);
}

TEST(a_tick_gives_at_most_a_batch_shifted_by_5) {
        PcpList l = list_new("6.12", 63, 40000, 1000, 50000);

        list_fill(&l, 39000);
        ASSERT_EQ_U(pcp_list_tick(&l), 39000 - 36984); /* count - 2016 is above 7/8 of 40000 */
        ASSERT_EQ_U(l.high, 36984);
}

TEST(fixed_and_pinned_lists_do_not_decay) {
        PcpList l = list_new("6.1", 63, 2671, 0, 0);

        list_fill(&l, 2600);
        ASSERT_EQ_U(pcp_list_tick(&l), 0);
        l = list_new("7.3", 63, 7926, 7926, 7926);
        list_fill(&l, 7900);
        ASSERT_EQ_U(pcp_list_tick(&l), 0);
        ASSERT_EQ_U(l.high, 7926);
}

TEST(a_list_of_a_remote_node_gives_one_batch_after_three_idle_ticks) {
        PcpList l = list_new("6.12", 63, 2671, 2671, 7926);

        list_fill(&l, 500);
        ASSERT_EQ_U(pcp_list_tick_remote(&l, true), 0);
        ASSERT_EQ_U(pcp_list_tick_remote(&l, false), 0);
        ASSERT_EQ_U(pcp_list_tick_remote(&l, false), 0);
        ASSERT_EQ_U(pcp_list_tick_remote(&l, false), 63);
        for (unsigned i = 0; i < 10; i++)
                ASSERT_EQ_U(pcp_list_tick_remote(&l, false), 0);
        ASSERT_EQ_U(l.count, 437);
        ASSERT_EQ_U(pcp_list_drain(&l), 437);
        ASSERT_EQ_U(l.count, 0);
}

/* --- invariants ------------------------------------------------------------------------------------------------------------- */

TEST(no_page_is_lost_or_made_on_any_kernel_in_any_mix) {
        static const unsigned orders[] = { 0, 0, 0, 0, 1, 2, 3, 9 };
        size_t n_kernels;
        const PlantKernel *kernels = plant_kernels(&n_kernels);

        for (size_t k = 0; k < n_kernels; k++)
                for (uint64_t seed = 1; seed <= 20; seed++) {
                        PcpList l;
                        Random r;
                        uint64_t held[10] = { 0 }, held_pages = 0, high_max;

                        random_seed(&r, seed, k);
                        high_max = 252 + random_below(&r, 5000);
                        pcp_list_init(&l, &kernels[k], 1 + random_below(&r, 96), high_max,
                                      random_below(&r, 252), high_max);
                        for (unsigned i = 0; i < 4000; i++) {
                                unsigned order = orders[random_below(&r, ELEMENTSOF(orders))];
                                PcpZoneFlags zone = { .reclaim_active = random_below(&r, 8) == 0,
                                                      .below_high = random_below(&r, 8) == 0 };
                                bool frees = held[order] > 0 && random_below(&r, 100) < 50;

                                if (frees) {
                                        (void) pcp_list_free(&l, zone, order);
                                        held[order]--;
                                        held_pages -= UINT64_C(1) << order;
                                        if (order == 0 || l.kernel->high_order_lists)
                                                ASSERT_LE_U(l.count, high_max + 1024 + 63 * 96);
                                } else {
                                        (void) pcp_list_alloc(&l, zone, order);
                                        held[order]++;
                                        held_pages += UINT64_C(1) << order;
                                }
                                if (random_below(&r, 200) == 0)
                                        (void) pcp_list_tick(&l);
                                ASSERT_EQ_U(l.count, blocks_pages(&l));
                                ASSERT_EQ_U(l.stats.taken_pages - l.stats.given_pages,
                                            held_pages + l.count);
                        }
                }
}

TEST_MAIN()
