/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slab cache of one node, object by object: rules worked out by hand, and statistics of a real kernel with three ways to count what a
 * CPU parks (tests/evidence/seed1_cpu_partial.csv). */
#include <math.h>

#include "base/arena.h"
#include "machine/sim/plant-events.h"
#include "test.h"

enum { OBJECTS = 32, SLABS = 8192 };

static uint8_t memory[24u << 20];

static SlabPool *pool_new(Arena *arena, PlantSlab kind, unsigned cpus, unsigned objects,
                          uint64_t cpu_partial, uint64_t min_partial, uint64_t sheaf) {
        SlabSpec spec = { .kind = kind,
                          .cpus = cpus,
                          .objects = objects,
                          .cpu_partial = cpu_partial,
                          .min_partial = min_partial,
                          .sheaf_capacity = sheaf };
        SlabPool *p;

        arena_init(arena, memory, sizeof(memory));
        arena->dirty_bytes = sizeof(memory);
        p = slab_pool_new(arena, &spec, SLABS);
        ASSERT_TRUE(p);
        return p;
}

/* Slabs 0 to n - 1 full, and one more that CPU 1 allocates from. */
static void fill(SlabPool *p, unsigned n, unsigned objects) {
        for (unsigned i = 0; i <= n * objects; i++)
                ASSERT_EQ_U(slab_pool_alloc(p, 1), i / objects);
}

static void free_each(SlabPool *p, unsigned cpu, unsigned n) {
        for (uint32_t i = 0; i < n; i++)
                ASSERT_TRUE(slab_pool_free(p, cpu, i));
}

#define ASSERT_PARKED(pool, cpu, slabs, objects)                     \
        do {                                                         \
                uint64_t _slabs, _objects;                           \
                slab_pool_parked((pool), (cpu), &_slabs, &_objects); \
                ASSERT_EQ_U(_slabs, (slabs));                        \
                ASSERT_EQ_U(_objects, (objects));                    \
        } while (0)

/* --- objects counted when a slab is parked (to 5.15) ------------------------------------------------------------------------ */

TEST(a_limit_of_24_objects_parks_16_slabs_on_5_10) {
        /* counted in a guest with stock 5.10: cpu_partial 24, slabs_cpu_partial "16(16)" */
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 2, OBJECTS, 24, 5, 0);

        fill(p, 16, OBJECTS);
        free_each(p, 0, 16);
        ASSERT_PARKED(p, 0, 16, 16);
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 0);
}

TEST(a_limit_in_objects_parks_one_slab_more_and_drains_all_at_the_next) {
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 2, OBJECTS, 24, 5, 0);

        fill(p, 26, OBJECTS);
        free_each(p, 0, 25);
        ASSERT_PARKED(p, 0, 25, 25);
        ASSERT_TRUE(slab_pool_free(p, 0, 25));
        ASSERT_PARKED(p, 0, 1, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->free_add_partial, 25);
        ASSERT_EQ_U(slab_pool_stats(p)->cpu_partial_drain, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 1);
        ASSERT_TRUE(slab_pool_check(p));
}

TEST(slabs_that_empty_later_still_count_little_before_5_16) {
        /* tests/evidence/memory_parked.csv: 22 to 27 empty slabs of 51 objects in one list with cpu_partial 30 (objects below 256 bytes) */
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 2, 51, 30, 5, 0);

        fill(p, 27, 51);
        for (unsigned i = 0; i < 51; i++)
                free_each(p, 0, 27);
        ASSERT_PARKED(p, 0, 27, 27); /* and 1377 free objects */
        ASSERT_EQ_U(slab_pool_slabs(p), 28);
        ASSERT_EQ_U(slab_pool_in_use(p), 1);
        ASSERT_TRUE(slab_pool_check(p));
}

TEST(a_limit_of_nothing_parks_nothing_on_5_10_and_one_slab_on_6_1) {
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 2, OBJECTS, 0, 5, 0);

        fill(p, 3, OBJECTS);
        free_each(p, 0, 3);
        ASSERT_PARKED(p, 0, 0, 0);
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 3);

        p = pool_new(&a, PLANT_SLAB_SLABS, 2, OBJECTS, 0, 5, 0);
        fill(p, 3, OBJECTS);
        free_each(p, 0, 3);
        ASSERT_PARKED(p, 0, 1, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 2);
}

/* --- slabs (5.16 to 6.18) --------------------------------------------------------------------------------------------------- */

TEST(a_limit_in_slabs_is_twice_the_objects_rounded_up) {
        static const struct {
                uint64_t cpu_partial;
                unsigned slabs;
        } rows[] = { { 13, 1 }, { 16, 1 }, { 17, 2 }, { 24, 2 }, { 52, 4 }, { 120, 8 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Arena a;
                SlabPool *p = pool_new(&a, PLANT_SLAB_SLABS, 2, OBJECTS, rows[i].cpu_partial, 5, 0);

                fill(p, 9, OBJECTS);
                free_each(p, 0, rows[i].slabs);
                ASSERT_PARKED(p, 0, rows[i].slabs, rows[i].slabs);
                ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 0);
                ASSERT_TRUE(slab_pool_free(p, 0, rows[i].slabs));
                ASSERT_PARKED(p, 0, 1, 1);
                ASSERT_EQ_U(slab_pool_stats(p)->free_add_partial, rows[i].slabs);
        }
}

TEST(a_refill_takes_half_the_limit_and_one_beyond_the_first_slab) {
        /* limit 8 slabs: first, then until 5 > 8 / 2 are parked */
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_SLABS, 3, OBJECTS, 120, 5, 0);
        uint64_t holds;

        fill(p, 40, OBJECTS);
        free_each(p, 0, 33); /* four drains of 8, one parked */
        holds = slab_pool_stats(p)->list_holds;
        ASSERT_EQ_U(holds, 4);
        ASSERT_EQ_U(slab_pool_alloc(p, 2), 7); /* the last parked of a drain is first in the list */
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, holds + 1);
        ASSERT_EQ_U(slab_pool_stats(p)->alloc_from_partial, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->cpu_partial_node, 5);
        ASSERT_PARKED(p, 2, 5, 5);
}

TEST(a_refill_by_objects_stops_when_half_the_limit_is_free) {
        /* limit 24: slabs with one free object each: until 13 > 12 */
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 3, OBJECTS, 24, 5, 0);

        fill(p, 40, OBJECTS);
        free_each(p, 0, 26);
        slab_pool_alloc(p, 2);
        ASSERT_EQ_U(slab_pool_stats(p)->cpu_partial_node, 12);
        ASSERT_PARKED(p, 2, 12, 12);
}

TEST(the_cpu_that_allocates_frees_without_a_lock) {
        for (int kind = PLANT_SLAB_OBJECTS; kind <= PLANT_SLAB_SHEAVES; kind++) {
                Arena a;
                SlabPool *p = pool_new(&a, (PlantSlab) kind, 1, OBJECTS, 52, 5, 28);
                uint32_t slab = slab_pool_alloc(p, 0);
                uint64_t holds = slab_pool_stats(p)->list_holds;

                ASSERT_TRUE(slab_pool_free(p, 0, slab));
                for (unsigned i = 0; i < 1000; i++)
                        ASSERT_TRUE(slab_pool_free(p, 0, slab_pool_alloc(p, 0)));
                ASSERT_EQ_U(slab_pool_stats(p)->list_holds, holds);
                ASSERT_GE_U(slab_pool_stats(p)->free_fastpath, 1000);
        }
}

/* --- node list -------------------------------------------------------------------------------------------------------------- */

TEST(empty_slabs_beyond_min_partial_are_given_back) {
        /* 20 slabs stand in the list and empty one after another: each goes while the list, itself included, has min_partial or more. With
         * the one that CPU 1 allocates from: */
        static const struct {
                uint64_t min_partial, slabs;
        } rows[] = { { 0, 1 }, { 1, 1 }, { 5, 5 }, { 10, 10 }, { 1000, 21 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Arena a;
                SlabPool *p = pool_new(&a, PLANT_SLAB_OBJECTS, 2, OBJECTS, 0, rows[i].min_partial,
                                       0);

                fill(p, 20, OBJECTS);
                for (unsigned j = 0; j < OBJECTS; j++)
                        free_each(p, 0, 20);
                ASSERT_EQ_U(slab_pool_slabs(p), rows[i].slabs);
                ASSERT_TRUE(slab_pool_check(p));
        }
}

/* --- sheaves (7.x) ---------------------------------------------------------------------------------------------------------- */

TEST(a_sheaf_is_filled_from_slabs_in_one_hold) {
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_SHEAVES, 2, OBJECTS, 0, 5, 28);

        for (unsigned i = 0; i < 28; i++)
                ASSERT_EQ_U(slab_pool_alloc(p, 0), 0);
        /* one slab was made, 4 of its 32 objects left: it went to the list */
        ASSERT_EQ_U(slab_pool_stats(p)->sheaf_refill, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->alloc_slab, 1);
        ASSERT_EQ_U(slab_pool_stats(p)->list_holds, 1);
        ASSERT_EQ_U(slab_pool_alloc(p, 0), 1); /* those 4 and 24 of a new one: last in, first out */
        ASSERT_EQ_U(slab_pool_stats(p)->sheaf_refill, 2);
        ASSERT_EQ_U(slab_pool_stats(p)->alloc_slab, 2);
}

TEST(full_sheaves_go_through_the_barn_up_to_ten) {
        /* CPU 1 frees what CPU 0 allocated: 2 sheaves stay with CPU 1, 10 go to the barn, the next is flushed */
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_SHEAVES, 2, OBJECTS, 0, 5, 28);
        uint32_t slab[28 * 13 + 1];

        for (size_t i = 0; i < ELEMENTSOF(slab); i++)
                slab[i] = slab_pool_alloc(p, 0);
        for (size_t i = 0; i < 28 * 12; i++)
                ASSERT_TRUE(slab_pool_free(p, 1, slab[i]));
        ASSERT_EQ_U(slab_pool_stats(p)->barn_put, 10);
        ASSERT_EQ_U(slab_pool_stats(p)->sheaf_flush, 0);
        ASSERT_TRUE(slab_pool_free(p, 1, slab[28 * 12]));
        ASSERT_EQ_U(slab_pool_stats(p)->sheaf_flush, 1);
        ASSERT_TRUE(slab_pool_check(p));
        /* and back: CPU 0 has a sheaf begun; then ten come out of the barn without a look at slabs */
        p = pool_new(&a, PLANT_SLAB_SHEAVES, 2, OBJECTS, 0, 5, 28);
        for (size_t i = 0; i < 28 * 12; i++)
                slab[i] = slab_pool_alloc(p, 0);
        for (size_t i = 0; i < 28 * 12; i++)
                ASSERT_TRUE(slab_pool_free(p, 1, slab[i]));
        {
                uint64_t refills = slab_pool_stats(p)->sheaf_refill;

                for (size_t i = 0; i < 28 * 10; i++)
                        slab_pool_alloc(p, 0);
                ASSERT_EQ_U(slab_pool_stats(p)->barn_get, 10);
                ASSERT_EQ_U(slab_pool_stats(p)->sheaf_refill, refills);
        }
}

/* --- everything ------------------------------------------------------------------------------------------------------------- */

TEST(no_object_is_lost_or_made_in_any_mix) {
        for (int kind = PLANT_SLAB_OBJECTS; kind <= PLANT_SLAB_SHEAVES; kind++)
                for (uint64_t seed = 1; seed <= 15; seed++) {
                        static uint32_t held[4096];
                        size_t n = 0;
                        Arena a;
                        Random r;
                        SlabPool *p;

                        random_seed(&r, seed, (uint64_t) kind);
                        p = pool_new(&a, (PlantSlab) kind, 1 + random_below(&r, 8),
                                     1 + random_below(&r, 64), random_below(&r, 100),
                                     random_below(&r, 12), random_below(&r, 60));
                        for (unsigned i = 0; i < 6000; i++) {
                                unsigned cpu = random_below(&r, 8);

                                if (n < ELEMENTSOF(held) && (n == 0 || random_coin(&r))) {
                                        held[n] = slab_pool_alloc(p, cpu);
                                        ASSERT_NE_U(held[n], UINT32_MAX);
                                        n++;
                                } else {
                                        size_t k = random_below(&r, (uint32_t) n);

                                        ASSERT_TRUE(slab_pool_free(p, cpu, held[k]));
                                        held[k] = held[--n];
                                }
                                if (i % 100 == 0)
                                        ASSERT_TRUE(slab_pool_check(p));
                        }
                        ASSERT_EQ_U(slab_pool_in_use(p), n);
                        ASSERT_EQ_U(slab_pool_slabs(p),
                                    slab_pool_stats(p)->alloc_slab - slab_pool_stats(p)->free_slab);
                }
}

TEST(a_free_that_cannot_be_is_refused) {
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_SLABS, 1, OBJECTS, 52, 5, 0);

        ASSERT_FALSE(slab_pool_free(p, 0, 0));
        slab_pool_alloc(p, 0);
        ASSERT_FALSE(slab_pool_free(p, 0, 7));
        ASSERT_FALSE(slab_pool_free(p, 0, UINT32_MAX));
        ASSERT_TRUE(slab_pool_free(p, 0, 0));
        ASSERT_FALSE(slab_pool_free(p, 0, 0));
}

TEST(a_full_arena_and_a_full_pool_are_conditions) {
        Arena a;
        SlabSpec spec = { .kind = PLANT_SLAB_SLABS, .cpus = 4, .objects = 2 };
        SlabPool *p;

        arena_init(&a, memory, 200);
        ASSERT_FALSE(slab_pool_new(&a, &spec, 100));
        arena_init(&a, memory, sizeof(memory));
        a.dirty_bytes = sizeof(memory);
        p = slab_pool_new(&a, &spec, 3);
        ASSERT_TRUE(p);
        for (unsigned i = 0; i < 6; i++)
                ASSERT_NE_U(slab_pool_alloc(p, 0), UINT32_MAX);
        ASSERT_EQ_U(slab_pool_alloc(p, 0), UINT32_MAX);
        ASSERT_TRUE(slab_pool_check(p));
}

/* --- against a real kernel -------------------------------------------------------------------------------------------------- */

/* A number of one kernel of the statistics: "hackbench -l 16000 -g 16", slabinfo -r skbuff_head_cache, guest with 8 CPUs. */
static double published(const char *kernel, const char *metric) {
        char path[512], line[1024];
        double value = NAN;
        FILE *f;

        snprintf(path, sizeof(path), "%s/../evidence/seed1_cpu_partial.csv", test_data());
        f = fopen(path, "re");
        ASSERT_TRUE(f);
        while (fgets(line, sizeof(line), f)) {
                const char *k = strstr(line, kernel), *m = k ? strstr(k, metric) : NULL;

                if (m && strstr(line, "skbuff_head_cache"))
                        value = strtod(m + strlen(metric), NULL);
        }
        fclose(f);
        ASSERT_TRUE(value > 0);
        return value;
}

/* Senders and receivers on 8 CPUs; 16 groups have 320 receivers, a queue each. How many messages stand in a queue, and how long a CPU sends or
 * receives, is not published: chosen so that the first kernel's figures are met within a factor 2; the three kernels then see the same load. */
static SlabStats hackbench(PlantSlab kind, uint64_t cpu_partial, uint64_t seed) {
        SlabLoad load = { .queues = 320,
                          .depth = 50,
                          .run_mu = 1,
                          .run_sigma = 0.5,
                          .turn_mu = 7,
                          .turn_sigma = 1,
                          .allocations = 1000000 };
        Arena a;
        SlabPool *p = pool_new(&a, kind, 8, OBJECTS, cpu_partial, 5, 0);
        SlabStats s;
        Random r;

        random_seed(&r, seed, 3);
        ASSERT_OK(slab_load_run(p, &load, &r, &a, &s));
        ASSERT_TRUE(slab_pool_check(p));
        return s;
}

/* Published counts are of 512,006,071 allocations; ours of 500,000. */
#define ASSERT_NEAR_RATE(got, kernel, metric, factor)                     \
        do {                                                              \
                double _got = (double) (got) / 500000,                    \
                       _want = published((kernel), (metric)) / 512006071; \
                ASSERT_TRUE(_got >= _want / (factor));                    \
                ASSERT_TRUE(_got <= _want * (factor));                    \
        } while (0)

TEST(statistics_of_hackbench_are_met_within_a_factor_2) {
        static const struct {
                const char *kernel;
                PlantSlab kind;
                uint64_t
                        cpu_partial; /* defaults for 256 bytes: 13, later 52; objects of a slab: 32 */
        } rows[] = { { "page->pobjects accounting (before),", PLANT_SLAB_OBJECTS, 13 },
                     { "page->pages accounting (after patch 1),", PLANT_SLAB_SLABS, 13 },
                     { "\"page->pages, higher defaults (after patch 2)\",", PLANT_SLAB_SLABS,
                       52 } };
        SlabStats s[3];

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                s[i] = hackbench(rows[i].kind, rows[i].cpu_partial, 11);
                ASSERT_NEAR_RATE(s[i].alloc_slowpath, rows[i].kernel, "Slowpath alloc,", 2);
                ASSERT_NEAR_RATE(s[i].free_slowpath, rows[i].kernel, "Slowpath free,", 1.05);
                ASSERT_NEAR_RATE(s[i].alloc_from_partial, rows[i].kernel, "RemovePartial alloc,",
                                 2);
                ASSERT_NEAR_RATE(s[i].free_add_partial, rows[i].kernel, "AddPartial free,", 2);
                ASSERT_NEAR_RATE(s[i].cpu_partial_alloc, rows[i].kernel, "CpuPartialList alloc,",
                                 2);
                ASSERT_NEAR_RATE(s[i].cpu_partial_free, rows[i].kernel, "CpuPartialList free,", 2);
                ASSERT_NEAR_RATE(s[i].deactivate_bypass, rows[i].kernel,
                                 "deactivation: Deactivation bypass,", 2);
        }
        /* What the patches were for: refills from the node's list fall to 0.57 and 0.29 of the first kernel's. The second step follows from the
         * rule alone (2 slabs a refill, then 4: 0.51); the first depends on the load. */
        for (size_t i = 1; i < ELEMENTSOF(rows); i++) {
                double want = published(rows[i].kernel, "RemovePartial alloc,") /
                              published(rows[i - 1].kernel, "RemovePartial alloc,");
                double got = (double) s[i].alloc_from_partial /
                             (double) s[i - 1].alloc_from_partial;

                ASSERT_TRUE(got < 1);
                ASSERT_TRUE(fabs(got - want) < (i == 1 ? 0.2 : 0.06));
        }
        /* Not met: slabs made and freed, published 80 of a million allocations, here 9,000: the load of all queues together swings more than that
         * of a real run. The rates of plant_events() take them from the law of slab runs instead. */
        ASSERT_TRUE((double) s[0].alloc_slab / 500000 < 0.02);
}

/* Holds of list_lock per allocation, on 112 CPUs (one socket of a machine with 224). */
static double holds(unsigned objects, uint64_t cpu_partial) {
        SlabLoad load = { .queues = 256,
                          .depth = 50,
                          .run_mu = 1,
                          .run_sigma = 0.5,
                          .turn_mu = 7,
                          .turn_sigma = 1,
                          .allocations = 1000000 };
        Arena a;
        SlabPool *p = pool_new(&a, PLANT_SLAB_SLABS, 112, objects, cpu_partial, 5, 0);
        SlabStats s;
        Random r;

        random_seed(&r, 4, 3);
        ASSERT_OK(slab_load_run(p, &load, &r, &a, &s));
        return (double) s.list_holds;
}

TEST(holds_of_the_list_lock_fall_as_demand_for_it_was_fitted) {
        /* Lock demand fitted to throughput of will-it-scale mmap1 on 224 CPUs ("list-lock contention" series, tests/evidence/slub_listlock.csv): times
         * k^-0.44 for k times cpu_partial, times 0.59 for an order more (twice the objects). The load here knows nothing of that series. */
        double base = holds(32, 52);

        ASSERT_TRUE(fabs(holds(32, 104) / base - pow(2, -0.44)) < 0.08);
        ASSERT_TRUE(fabs(holds(32, 208) / base - pow(4, -0.44)) < 0.08);
        ASSERT_TRUE(fabs(base / holds(16, 52) - 0.59) < 0.08);
}

TEST(a_load_repeats_for_a_seed_and_differs_between_seeds) {
        SlabStats a = hackbench(PLANT_SLAB_SLABS, 52, 5), b = hackbench(PLANT_SLAB_SLABS, 52, 5),
                  c = hackbench(PLANT_SLAB_SLABS, 52, 6);

        ASSERT_TRUE(memcmp(&a, &b, sizeof(a)) == 0);
        ASSERT_TRUE(memcmp(&a, &c, sizeof(a)) != 0);
}

TEST_MAIN()
