/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event model, one mechanism after another. */
#include "plant-world.h"

/* --- mechanisms ------------------------------------------------------------------------------------------------------------- */

TEST(the_cpus_of_the_machine_are_all_accounted_for) {
        static const char *const kernels[] = { "4.18", "6.1", "6.12", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                World *w = world_new(kernels[i]);
                const PlantRates *r;

                w->machine.nodes = 2;
                w->settings.online = w->machine.cpus = 40;
                w->workload.busy = 0.5;
                w->workload.app_spin = 0.2;
                w->workload.free_remote = 0.3;
                w->workload.high_order = 0.2;
                w->workload.thp_faults = 1;
                w->machine.params.run_mu = 5;
                w->machine.params.run_sigma = 1;
                r = run(w, 0.02, 4);
                ASSERT_RATIO(r->kernel_cpus + r->user_cpus + r->idle_cpus, 40, 1e-9);
                ASSERT_BETWEEN(r->idle_cpus, 40 * 0.3 - 0.01, 40 * 0.3 + 4);
                ASSERT_TRUE(r->zone_wait + r->lru_wait < r->kernel_cpus);
                ASSERT_TRUE(w->events.events > 1000);
        }
}

TEST(nodes_are_alike) {
        World *w = world_new("5.10");
        double one, four;

        one = run(w, 0.05, 5)->work;
        w->machine.nodes = 4;
        w->machine.cpus = w->machine.possible = w->settings.online = 192;
        w->machine.memory_bytes *= 4;
        four = run(w, 0.05, 5)->work;
        ASSERT_RATIO(four / 4, one, 1e-9);
}

TEST(refills_and_frees_are_as_long_as_the_kernel_makes_them) {
        /* every page reaches the zone, high 8000 fixed: 5.10 a batch; 6.1 bulk frees of up to 2016; 6.12 refills of 2016, frees up to high - batch; 7.x
         * gives back in batches */
        static const struct {
                const char *kernel;
                double low, high;
        } rows[] = {
                { "5.10", 63, 63 }, { "6.1", 100, 126 }, { "6.12", 1000, 2100 }, { "7.3", 90, 126 }
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                World *w = world_new(rows[i].kernel);

                w->machine.cpus = w->machine.possible = w->settings.online = 8;
                set_high(w, 4000);
                w->workload.lru_factor = 0.1;
                ASSERT_BETWEEN(run(w, 0.5, 6)->hold_pages, rows[i].low - 1e-6, rows[i].high + 1e-6);
        }
}

TEST(cutting_bulk_frees_shortens_the_longest_holds) {
        World *w = world_new("6.12");
        double long_hold, short_hold;

        w->machine.params.run_mu = 8;
        w->machine.params.run_sigma = 1;
        set_high(w, 1500);
        run(w, 0.1, 7);
        long_hold = w->events.hold_p99_ns;
        w->machine.kernel = plant_kernel_find("7.3");
        run(w, 0.1, 7);
        short_hold = w->events.hold_p99_ns;
        /* refills stay as long, and are a part of the holds: the 99th percentile is one of them */
        ASSERT_TRUE(short_hold <= long_hold);
        /* a hold of more than 1500 - 63 pages cannot be: 1632 + 1437 * 78 ns, and a bin of 3 % */
        ASSERT_TRUE(long_hold < (1632.5 + 1437 * 78) * 1.04);
}

TEST(a_pinned_small_list_takes_the_lock_more_often_than_a_tuned_one) {
        /* 6.12 at fraction 1000 against 0, on bursts of about 300 pages: few refills against nearly one a burst (test-pcp-events.c: 75 % of pages) */
        World *w = world_new("6.12");
        double tuned, pinned;

        w->machine.params.run_mu = log(300);
        w->machine.params.run_sigma = 0.1;
        w->settings.pcp_high = w->settings.pcp_high_min = 2671;
        w->settings.pcp_high_max = 7926;
        tuned = run(w, 0.05, 8)->refill_pages / w->events.rates.pages;
        set_high(w, 252);
        pinned = run(w, 0.05, 8)->refill_pages / w->events.rates.pages;
        ASSERT_BETWEEN(tuned, 0, 0.1);
        ASSERT_BETWEEN(pinned, 0.3, 0.9);
}

TEST(pages_freed_elsewhere_pass_the_zone) {
        /* short runs that a list would hold; all frees on the other CPU of a pair */
        World *w = world_new("5.10");
        double local, remote;

        w->machine.params.run_mu = 3;
        w->machine.params.run_sigma = 0.5;
        local = run(w, 0.05, 9)->refill_pages / w->events.rates.pages;
        w->workload.free_remote = 1;
        remote = run(w, 0.05, 9)->refill_pages / w->events.rates.pages;
        ASSERT_BETWEEN(local, 0, 0.02);
        ASSERT_BETWEEN(remote, 0.95, 1.05);
        ASSERT_BETWEEN(w->events.rates.idle_cpus, 0,
                       0.05 * 48); /* the one frees what the other takes */
}

TEST(blocks_of_pages_take_the_lock_each_before_5_14) {
        World *w = world_new("5.10");
        double each, cached;

        w->workload.high_order = 1;
        w->machine.params.run_mu = 4;
        w->machine.params.run_sigma = 0.5;
        each = run(w, 0.05, 10)->zone_holds / w->events.rates.pages;
        ASSERT_RATIO(each, 0.5, 0.02); /* one for 4 pages taken, one for 4 freed */
        w->machine.kernel = plant_kernel_find("6.1");
        cached = run(w, 0.05, 10)->zone_holds / w->events.rates.pages;
        ASSERT_TRUE(cached < each / 2);
}

TEST(reclaim_empties_lists_and_makes_the_lock_busier) {
        World *w = world_new("6.1");
        double calm, tight, calm_parked;

        w->machine.params.run_mu = 6;
        w->machine.params.run_sigma = 1;
        set_high(w, 2000);
        calm = run(w, 0.1, 11)->zone_holds / w->events.rates.pages;
        calm_parked = w->events.rates.pcp_pages_per_cpu;
        w->workload.pressure = 1;
        tight = run(w, 0.1, 11)->zone_holds / w->events.rates.pages;
        ASSERT_TRUE(tight > 2 * calm);
        ASSERT_TRUE(w->events.rates.pcp_pages_per_cpu < calm_parked / 2);
        ASSERT_TRUE(w->events.rates.reclaim_scanned > 0);
        ASSERT_TRUE(w->events.rates.allocstalls > 0);
}

TEST(lists_never_hold_more_than_their_limits) {
        static const char *const kernels[] = { "5.10", "6.1", "6.12", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                World *w = world_new(kernels[i]);

                w->machine.params.run_mu = 7;
                w->machine.params.run_sigma = 1;
                set_high(w, 2671);
                run(w, 0.05, 12);
                ASSERT_TRUE(w->events.parked_max <= 48 * 2671);
                ASSERT_TRUE(w->events.rates.pcp_pages_per_cpu * 48 <= w->events.parked_max);
                ASSERT_TRUE(w->events.parked_max > 48 * 2671 * 0.2);
        }
}

TEST(the_tuner_raises_lists_for_long_runs_up_to_its_ceiling) {
        World *w = world_new("6.12");

        w->machine.params.run_mu = log(5000);
        w->machine.params.run_sigma = 0.1;
        w->settings.pcp_high = w->settings.pcp_high_min = 1000;
        w->settings.pcp_high_max = 8000;
        run(w, 0.5, 13);
        ASSERT_TRUE(w->events.parked_max > 48 * 1000);
        ASSERT_TRUE(w->events.parked_max <= 48 * 8000);
}

TEST(levels_fall_by_an_eighth_a_second_where_runs_are_short) {
        /* lists begin filled to half of 8000 in the mean; after 20 s 6.12 is at its floor (8000 * (7/8)^20 = 553), 6.1 has no such thing */
        double fixed;
        World *w = world_new("6.1");

        w->machine.cpus = w->machine.possible = w->settings.online = 4;
        w->machine.params.run_mu = 3;
        w->machine.params.run_sigma = 0.5;
        w->workload.think_factor = 300;
        w->settings.pcp_high = w->settings.pcp_high_max = 8000;
        w->settings.pcp_high_min = 500;
        fixed = run(w, 60, 15)->pcp_pages_per_cpu;
        ASSERT_TRUE(fixed > 2000);
        w->machine.kernel = plant_kernel_find("6.12");
        ASSERT_TRUE(run(w, 60, 15)->pcp_pages_per_cpu < 1000);
}

TEST(sockets_and_threads_of_a_core_slow_down_what_they_share) {
        World *w = world_new("6.1");
        double one;

        add_cache(w, 52, 0);
        w->workload.pages = 0.1;
        w->workload.list_factor = 2; /* the list lock alone decides */
        one = run(w, 0.05, 16)->work;
        w->machine.packages = 2;
        w->machine.params.socket_factor = 1.23;
        ASSERT_RATIO(run(w, 0.05, 16)->work, one / 1.23, 0.03);

        /* nothing is shared but cores, all with two threads: half the speed, the same share of user time */
        w = world_new("6.1");
        w->workload.pages = 0;
        one = run(w, 0.02, 17)->work;
        w->machine.params.smt_slowdown = 2;
        ASSERT_RATIO(run(w, 0.02, 17)->work, one / 2, 0.02);
        ASSERT_RATIO(w->events.rates.user_cpus, 48 * 0.3, 0.02);
}

TEST(pages_that_left_the_cache_cost) {
        World *w = world_new("5.10");
        double warm;

        w->machine.params.run_mu = 8;
        w->machine.params.run_sigma = 1;
        w->workload.lru_factor = 0;
        set_high(w, 30000);
        warm = run(w, 0.02, 14)->work;
        w->machine.params.cold_ns = 1000;
        ASSERT_TRUE(run(w, 0.02, 14)->work < warm * 0.95);
        w->machine.params.llc_bytes = 1e12;
        ASSERT_RATIO(run(w, 0.02, 14)->work, warm, 1e-9);
}

/* --- huge pages ------------------------------------------------------------------------------------------------------------- */

TEST(stalls_of_huge_pages_follow_the_defrag_mode) {
        static const struct {
                PlantDefrag defrag;
                double stalls; /* share of faults on hard memory that stall, half of them marked */
        } rows[] = { { PLANT_DEFRAG_ALWAYS, 1 },
                     { PLANT_DEFRAG_DEFER, 0 },
                     { PLANT_DEFRAG_DEFER_MADVISE, 0.5 },
                     { PLANT_DEFRAG_MADVISE, 0.5 },
                     { PLANT_DEFRAG_NEVER, 0 } };
        World *w = world_new("6.12");

        w->machine.params.fragmentation = 0.3;
        w->settings.thp_always = true;
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                unsigned asked = 0, stalls = 0, got = 0, n = 20000;
                double stall_ns = 0;
                Random r;

                random_seed(&r, 20, i);
                w->settings.defrag = rows[i].defrag;
                for (unsigned k = 0; k < n; k++) {
                        ThpFault f;

                        thp_fault(&w->machine, &w->settings, random_coin(&r), false, &r, &f);
                        asked += f.asked;
                        stalls += f.stalled;
                        got += f.got;
                        stall_ns += f.stall_ns;
                        ASSERT_TRUE(!f.failed || (f.stalled && !f.got));
                }
                ASSERT_EQ_U(asked, n);
                ASSERT_BETWEEN(stalls / (double) n, 0.3 * rows[i].stalls - 0.012,
                               0.3 * rows[i].stalls + 0.012);
                /* got: easy memory, and 70 % of the stalls */
                ASSERT_BETWEEN(got / (double) n, 0.7 + 0.21 * rows[i].stalls - 0.015,
                               0.7 + 0.21 * rows[i].stalls + 0.015);
                if (stalls > 0) /* median 5 ms, sigma 1: mean 5 exp(1/2) */
                        ASSERT_RATIO(stall_ns / stalls, 5e6 * exp(0.5), 0.12);
        }
}

TEST(huge_pages_go_to_marked_maps_unless_always_and_to_odd_maps_only_where_aligned) {
        static const struct {
                const char *kernel;
                bool always, marked, odd, asked;
        } rows[] = { { "6.12", true, false, false, true }, { "6.12", false, false, false, false },
                     { "6.12", false, true, false, true }, { "6.12", true, false, true, false },
                     { "6.7", true, false, true, true },   { "5.10", true, true, true, false } };
        Random r;

        random_seed(&r, 1, 1);
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                World *w = world_new(rows[i].kernel);
                ThpFault f;

                w->settings.thp_always = rows[i].always;
                thp_fault(&w->machine, &w->settings, rows[i].marked, rows[i].odd, &r, &f);
                ASSERT_TRUE(f.asked == rows[i].asked);
                w->settings.thp_enabled = false;
                thp_fault(&w->machine, &w->settings, rows[i].marked, rows[i].odd, &r, &f);
                ASSERT_FALSE(f.asked || f.got || f.stalled);
        }
}

TEST(compaction_in_vain_drains_every_list) {
        /* runs that lists hold: nothing passes the zone until huge pages fail, each time all that is parked does */
        World *w = world_new("6.1");
        double calm, drained;

        w->machine.params.run_mu = 4;
        w->machine.params.run_sigma = 0.3;
        w->machine.params.compact_stall_ms = 0.1;
        w->machine.params.fragmentation = 1;
        w->settings.thp_always = true;
        w->settings.defrag = PLANT_DEFRAG_NEVER;
        set_high(w, 2000);
        w->workload.thp_faults = 1;
        calm = run(w, 0.05, 21)->refill_pages / w->events.rates.pages;
        w->settings.defrag = PLANT_DEFRAG_ALWAYS;
        drained = run(w, 0.05, 21)->refill_pages / w->events.rates.pages;
        ASSERT_TRUE(w->events.rates.compact_fails > 0);
        ASSERT_BETWEEN(calm, 0, 0.05);
        ASSERT_TRUE(drained > 0.3);
        ASSERT_TRUE(w->events.rates.pcp_pages_per_cpu < 200);
}

/* --- repeatable, total ------------------------------------------------------------------------------------------------------ */

TEST(a_seed_gives_the_same_bytes_and_seeds_differ_little) {
        World *w = world_new("6.12");
        PlantEvents first;
        double work;

        w->machine.params.run_mu = 6;
        w->machine.params.run_sigma = 1;
        run(w, 0.05, 30);
        first = w->events;
        run(w, 0.05, 30);
        ASSERT_TRUE(memcmp(&first, &w->events, sizeof(first)) == 0);
        for (uint64_t seed = 31; seed < 36; seed++) {
                work = run(w, 0.05, seed)->work;
                ASSERT_TRUE(memcmp(&first, &w->events, sizeof(first)) != 0);
                ASSERT_RATIO(work, first.rates.work, 0.03);
        }
}

static bool all_finite(const PlantEvents *e) {
        const double *x = (const double *) (const void *) &e->rates;

        for (size_t i = 0; i < sizeof(e->rates) / sizeof(double); i++)
                if (!isfinite(x[i]) || x[i] < 0)
                        return false;
        return isfinite(e->hold_p99_ns) && isfinite(e->parked_max);
}

TEST(any_input_gives_finite_rates) {
        static const double odd[] = { 0, -1, 1e300, NAN, INFINITY, 1e-300 };
        size_t n_params, n_causes;
        const PlantParamSpec *params = plant_param_specs(&n_params);
        const PlantWorkloadSpec *causes = plant_workload_specs(&n_causes);

        for (size_t i = 0; i < n_params + n_causes; i++)
                for (size_t k = 0; k < ELEMENTSOF(odd); k++) {
                        World *w = world_new(i % 2 == 0 ? "6.12" : "5.10");
                        void *at = i < n_params
                                           ? (char *) &w->machine.params + params[i].offset
                                           : (char *) &w->workload + causes[i - n_params].offset;

                        w->machine.cpus = w->settings.online = 3;
                        w->workload.list_factor = 0.5;
                        w->workload.thp_faults = 1;
                        add_cache(w, 13, 0);
                        w->machine.caches[0].share = 0.02; /* short runs of it */
                        *(double *) at = odd[k];
                        run(w, 0.0003, 40);
                        if (!all_finite(&w->events))
                                test_fail(__FILE__, __LINE__, "%s at %g",
                                          i < n_params ? params[i].name : causes[i - n_params].name,
                                          odd[k]);
                        ASSERT_TRUE(all_finite(&w->events));
                }
}

TEST(settings_at_their_ends_give_finite_rates) {
        static const uint64_t ends[] = { 0, 1, 2, 63, UINT32_MAX, UINT64_MAX };
        size_t n_kernels;
        const PlantKernel *kernels = plant_kernels(&n_kernels);

        for (size_t k = 0; k < n_kernels; k++)
                for (size_t i = 0; i < ELEMENTSOF(ends); i++)
                        for (size_t j = 0; j < ELEMENTSOF(ends); j++) {
                                World *w = world_new(kernels[k].name);

                                w->settings.online = w->machine.cpus = 2;
                                w->settings.pcp_batch = ends[i];
                                set_high(w, ends[j]);
                                run(w, 0.0002, 50);
                                ASSERT_TRUE(all_finite(&w->events));
                        }
}

TEST(no_busy_cpu_is_no_work) {
        World *w = world_new("6.1");

        w->workload.busy = 0;
        ASSERT_TRUE(run(w, 0.01, 60)->work <= 0);
        ASSERT_RATIO(w->events.rates.idle_cpus, 48, 1e-9);
}

TEST(a_full_arena_is_said) {
        World *w = world_new("6.1");
        Arena a;

        add_cache(w, 52, 0);
        w->workload.list_factor = 1;
        bool fits = false;
        for (size_t size = 0; size < 2000000; size += 1 + size / 8) { /* once it fits it fits */
                int r;

                arena_init(&a, memory, size);
                a.dirty_bytes = size;
                r = plant_events(&w->machine, &w->workload, &w->settings, 0.0001, 1, &a,
                                 &w->events);
                ASSERT_EQ_I(r, fits || r == 0 ? 0 : -ENOMEM);
                ASSERT_TRUE(r == 0 || size < 1000000);
                fits = r == 0;
        }
        ASSERT_TRUE(fits);
}

TEST_MAIN()
