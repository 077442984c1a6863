/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event model against a published sweep of batches and against mean value analysis. */
#include "plant-world.h"

/* --- a published sweep ------------------------------------------------------------------------------------------------------ */

typedef struct Sweep {
        double score, zone, lru; /* operations per second of the machine; percent of all cycles */
} Sweep;

static Sweep published(const char *machine, unsigned batch) {
        static const char *const metrics[] = { "score (total ops),", "zone lock contention,",
                                               "lru lock contention," };
        double value[3] = { NAN, NAN, NAN };
        char path[512], line[1024], key[64];
        FILE *f;

        ASSERT_TRUE(text_format(path, sizeof(path), "%s/../evidence/pcp_batch_page_fault1.csv",
                                test_data()));
        ASSERT_TRUE(text_format(key, sizeof(key), ",%u,", batch));
        f = fopen(path, "re");
        ASSERT_TRUE(f);
        while (fgets(line, sizeof(line), f))
                for (size_t i = 0; i < ELEMENTSOF(metrics); i++) {
                        const char *k = strstr(line, "(high = 6*batch)"),
                                   *m = strstr(line, metrics[i]);

                        if (k && m && strncmp(line, machine, strlen(machine)) == 0 &&
                            strncmp(k + 16, key, strlen(key)) == 0)
                                value[i] = strtod(m + strlen(metrics[i]), NULL);
                }
        fclose(f);
        ASSERT_TRUE(value[0] > 0 && value[1] >= 0 && value[2] >= 0);
        return (Sweep){ value[0], value[1], value[2] };
}

TEST(a_published_sweep_of_batches_is_met_where_nothing_was_fitted) {
        /* Skylake-EX, 4 nodes of 48 CPUs (assumed), batches that the fit of the parameters did not see. Bands: throughput 3 % and shares of waiting 10
         * points are what is claimed for plant_analytic(); the same here. */
        static const unsigned batches[] = { 73, 165, 299, 424 };
        World *w = world_new("4.18");

        w->machine.nodes = w->machine.packages = 4;
        w->machine.cpus = w->machine.possible = w->settings.online = 192;
        w->machine.memory_bytes *= 4;
        for (size_t i = 0; i < ELEMENTSOF(batches); i++) {
                Sweep want = published("Skylake-EX", batches[i]);
                const PlantRates *r;

                w->settings.pcp_batch = batches[i];
                set_high(w, 6 * batches[i]);
                r = run(w, 0.1, 1);
                ASSERT_RATIO(r->work, want.score, 0.03);
                ASSERT_BETWEEN(r->zone_wait / 1.92, want.zone - 10, want.zone + 10);
                ASSERT_BETWEEN(r->lru_wait / 1.92, want.lru - 10, want.lru + 10);
        }
}

TEST(the_second_busiest_lock_has_the_queue_that_was_published) {
        /* Batches of the fit, but of plant_analytic(): 64 / 8 % of cycles for the zone and lru lock at batch 31, 24 / 45 at 63, 2 / 67 at 255. */
        static const unsigned batches[] = { 31, 63, 127, 255 };
        World *w = world_new("4.18");

        for (size_t i = 0; i < ELEMENTSOF(batches); i++) {
                Sweep want = published("Skylake-EX", batches[i]);
                const PlantRates *r;

                w->settings.pcp_batch = batches[i];
                set_high(w, 6 * batches[i]);
                r = run(w, 0.1, 2);
                ASSERT_BETWEEN(r->zone_wait / 0.48, want.zone - 8, want.zone + 8);
                ASSERT_BETWEEN(r->lru_wait / 0.48, want.lru - 8, want.lru + 8);
        }
}

/* --- against mean value analysis -------------------------------------------------------------------------------------------- */

TEST(both_models_agree_where_every_page_reaches_the_zone) {
        /* Kernels whose holds are a batch. Holds per page 5 %: the lists that fill and empty first; waits 6 points of all
         * CPUs (where two locks are equally busy the split between them is sensitive). */
        static const struct {
                const char *kernel;
                unsigned cpus;
                uint64_t batch;
                double pages, lru, think;
        } rows[] = {
                { "4.18", 48, 31, 1, 1, 1 },   { "5.10", 48, 63, 1, 1, 1 },
                { "5.10", 48, 255, 1, 1, 1 },  { "5.10", 8, 63, 1, 1, 1 },
                { "5.10", 48, 63, 0.2, 1, 1 }, { "5.10", 48, 63, 1, 0.1, 1 },
                { "5.10", 96, 63, 1, 0, 4 },   { "5.10", 16, 31, 4, 0.3, 2 },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                World *w = world_new(rows[i].kernel);

                w->machine.cpus = w->machine.possible = w->settings.online = rows[i].cpus;
                w->settings.pcp_batch = rows[i].batch;
                set_high(w, 6 * rows[i].batch);
                w->workload.pages = rows[i].pages;
                w->workload.lru_factor = rows[i].lru;
                w->workload.think_factor = rows[i].think;
                run_both(w, 0.1);

                const PlantRates *e = &w->events.rates, *a = &w->analytic;
                ASSERT_RATIO(e->work, a->work, 0.04);
                ASSERT_RATIO(e->zone_holds / e->pages, a->zone_holds / a->pages, 0.05);
                ASSERT_BETWEEN((e->zone_wait - a->zone_wait) / rows[i].cpus, -0.06, 0.06);
                ASSERT_BETWEEN((e->lru_wait - a->lru_wait) / rows[i].cpus, -0.06, 0.06);
                ASSERT_RATIO(e->user_cpus, a->user_cpus, 0.04);
        }
}

TEST(both_models_agree_on_how_many_pages_a_hold_takes_where_kernels_scale_them) {
        /* A run without end: frees come to min(batch << 5, high - batch) from 5.14 on (7.x lets go of the lock after each batch), refills
         * too from 6.7 on. A third: the event model has the runs that begin and end. */
        static const char *const kernels[] = { "6.1", "6.12", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                World *w = world_new(kernels[i]);

                set_high(w, 6 * 63);
                w->settings.pcp_batch = 63;
                run_both(w, 0.1);

                const PlantRates *e = &w->events.rates, *a = &w->analytic;
                ASSERT_RATIO(e->zone_holds / e->pages, a->zone_holds / a->pages, 0.33);
                ASSERT_BETWEEN((e->zone_wait - a->zone_wait) / w->machine.cpus, -0.1, 0.1);
        }
}

TEST(both_models_agree_on_what_lists_keep_from_the_zone) {
        /* Runs with a lognormal length. The formula of one takes every run to find a full list; here a list is as the last runs left it, so that up to
         * a third more pages pass, and up to 12 % less work is done where the lock decides. */
        static const struct {
                double mu, sigma;
                uint64_t high;
        } rows[] = {
                { 5, 1, 378 }, { 5, 1, 1000 }, { 6, 1.2, 378 }, { 6, 1.2, 1500 }, { 7, 0.7, 1000 }
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                World *w = world_new("5.10");

                w->machine.params.run_mu = rows[i].mu;
                w->machine.params.run_sigma = rows[i].sigma;
                w->workload.lru_factor = 0.2;
                set_high(w, rows[i].high);
                run_both(w, 0.1);

                const PlantRates *e = &w->events.rates, *a = &w->analytic;
                ASSERT_BETWEEN(e->refill_pages / e->pages / (a->refill_pages / a->pages), 0.9, 1.4);
                ASSERT_BETWEEN(e->work / a->work, 0.88, 1.05);
                ASSERT_BETWEEN((e->zone_wait - a->zone_wait) / 48, -0.08, 0.08);
        }
}

TEST(both_models_agree_that_slabs_parked_relieve_the_list_lock) {
        /* cpu_partial times 4 with the kernel's defaults: demand times 0.543 by the fitted exponent, here by holds. */
        double work[2], wait[2];

        for (unsigned i = 0; i < 2; i++) {
                World *w = world_new("6.1");

                add_cache(w, i == 0 ? 52 : 208, 0);
                w->workload.pages = 0.1;
                w->workload.list_factor = 1;
                run_both(w, 0.05);
                work[i] = w->events.rates.work;
                wait[i] = w->events.rates.list_wait;
                ASSERT_RATIO(w->events.rates.work, w->analytic.work, 0.12);
                if (i == 0) /* the same law, other slabs taken */
                        ASSERT_RATIO(w->events.rates.slab_pages, w->analytic.slab_pages, 0.25);
        }
        ASSERT_BETWEEN(work[1] / work[0], 1.5, 2.1);
        ASSERT_TRUE(wait[1] < wait[0]);
}

TEST(both_models_agree_on_huge_pages) {
        /* of some thousand faults: 15 %; stalls are rare: 40 % */
        for (int defrag = PLANT_DEFRAG_ALWAYS; defrag <= PLANT_DEFRAG_NEVER; defrag++) {
                World *w = world_new("6.12");

                w->workload.thp_faults = 2;
                w->workload.thp_marked = 0.5;
                w->workload.odd_maps = 0.3;
                w->settings.thp_always = true;
                w->settings.defrag = (PlantDefrag) defrag;
                run_both(w, 0.3);

                const PlantRates *e = &w->events.rates, *a = &w->analytic;
                ASSERT_RATIO(e->thp_faults, a->thp_faults, 0.15);
                ASSERT_RATIO(e->work, a->work, 0.05);
                if (a->compact_stalls > 0) {
                        ASSERT_RATIO(e->compact_stalls, a->compact_stalls, 0.4);
                        ASSERT_BETWEEN(e->stall_some - a->stall_some, -0.1, 0.1);
                } else
                        ASSERT_TRUE(!(e->compact_stalls > 0));
        }
}

TEST_MAIN()
