/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/random.h"
#include "machine/sim/plant.h"
#include "test.h"

static PlantMachine machine;
static PlantWorkload workload;
static PlantSettings settings;
static PlantRates rates, other;

static bool near(double a, double b, double relative) {
        return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

static void setup(const char *kernel, unsigned cpus, unsigned nodes) {
        machine = (PlantMachine){ 0 };
        plant_params_init(&machine.params);
        plant_workload_init(&workload);
        machine.kernel = plant_kernel_find(kernel);
        machine.cpus = machine.possible = cpus;
        machine.nodes = machine.packages = nodes;
        machine.memory_bytes = (uint64_t) nodes << 36; /* 64 GiB a node */
        settings = (PlantSettings){ .pcp_batch = 63,
                                    .pcp_high = 378,
                                    .pcp_default_high = 378,
                                    .defrag = PLANT_DEFRAG_MADVISE,
                                    .online = cpus };
}

/* Orders as for `counted` CPUs. */
static void add_cache(const char *name, uint64_t size, double share, double turnover,
                      unsigned counted) {
        SlubPerCpu per = machine.kernel->slab == PLANT_SLAB_OBJECTS ? SLUB_PER_CPU_OBJECTS
                                                                    : SLUB_PER_CPU_SLABS;
        unsigned i = machine.n_caches++;
        SlubOrder o;

        (void) text_format(machine.caches[i].name, sizeof(machine.caches[i].name), "%s", name);
        machine.caches[i].object_size = machine.caches[i].slab_size = size;
        machine.caches[i].share = share;
        machine.caches[i].turnover = turnover;
        ASSERT_TRUE(slub_compute_order(machine.kernel->slab_loop, size,
                                       slub_wanted_objects(counted), 0, 3, 4096, &o));
        settings.cache[i].order = settings.cache[i].order_default = o.order;
        settings.cache[i].objects = o.objects;
        ASSERT_TRUE(
                slub_cpu_partial_default(per, size, 4096, false, &settings.cache[i].cpu_partial));
        settings.cache[i].min_partial = slub_min_partial_default(size);
        settings.cache[i].sheaf = slub_sheaf_default(size, 4096, false);
}

static void run(PlantRates *ret) {
        plant_analytic(&machine, &workload, &settings, ret);
}

TEST(one_cpu_takes_the_sum_of_all_times_and_never_waits) {
        setup("4.18", 1, 1);
        machine.params.zone_handover_ns = 3000;
        machine.params.zone_page_ns = 150;
        machine.params.lru_ns = 200;
        machine.params.think_ns = 2500;
        machine.params.memory_ns = 90;
        settings.pcp_batch = 30;
        run(&rates);
        /* 3000 / 30 + 150 + 200 + 2500 + 90 = 3040 ns */
        ASSERT_TRUE(near(rates.work, 1e9 / 3040, 1e-9));
        ASSERT_TRUE(near(rates.pages, rates.work, 1e-12));
        ASSERT_TRUE(rates.zone_wait < 1e-9 && rates.lru_wait < 1e-9);
        /* a refill and a bulk free of 30 pages for 30 pages */
        ASSERT_TRUE(near(rates.zone_holds, rates.work * 2 / 30, 1e-9));
        ASSERT_TRUE(near(rates.hold_pages, 30, 1e-9));
}

TEST(a_saturated_zone_lock_bounds_the_machine_and_a_larger_batch_lifts_it) {
        setup("4.18", 192, 4);
        machine.params.lru_ns = 50;
        settings.pcp_batch = 31;
        run(&rates);
        /* four locks, 3265 / 31 + 156 ns a page */
        ASSERT_TRUE(rates.work <= 4e9 / (3265.0 / 31 + 156));
        ASSERT_TRUE(near(rates.work, 4e9 / (3265.0 / 31 + 156), 0.01));
        settings.pcp_batch = 63;
        run(&other);
        ASSERT_TRUE(near(other.work, 4e9 / (3265.0 / 63 + 156), 0.01));
}

TEST(cpu_time_adds_up_and_waits_are_part_of_the_kernels) {
        setup("6.12", 64, 2);
        workload.busy = 0.7;
        workload.app_spin = 0.1;
        run(&rates);
        ASSERT_TRUE(near(rates.kernel_cpus + rates.user_cpus + rates.idle_cpus, 64, 1e-9));
        ASSERT_TRUE(near(rates.idle_cpus, 64 * 0.2, 1e-6));
        ASSERT_TRUE(rates.zone_wait + rates.lru_wait + 6.4 < rates.kernel_cpus);
        /* user time is a share of think time */
        ASSERT_TRUE(near(rates.user_cpus, rates.work * 1e-9 * 0.3 * machine.params.think_ns, 1e-9));
}

/* E[(L - h)+] / E[L] of a lognormal L by summing over its quantiles: slow, independent of erf(). */
static double share_beyond(double mu, double sigma, double h) {
        double beyond = 0, all = 0;

        for (double z = -8; z < 8; z += 1e-4) {
                double length = exp(mu + sigma * z), weight = exp(-z * z / 2);

                all += weight * length;
                beyond += weight * fmax(0, length - h);
        }
        return beyond / all;
}

TEST(pages_that_pass_the_zone_are_the_part_of_runs_beyond_the_list) {
        setup("6.1", 1, 1);
        machine.params.run_mu = 5.5;
        machine.params.run_sigma = 1.2;
        for (uint64_t high = 63; high < 20000; high *= 3) {
                settings.pcp_high = high;
                run(&rates);
                ASSERT_TRUE(
                        near(rates.refill_pages / rates.pages, share_beyond(5.5, 1.2, high), 1e-4));
        }
        /* what is freed elsewhere always passes */
        workload.free_remote = 1;
        run(&rates);
        ASSERT_TRUE(near(rates.refill_pages, rates.pages, 1e-12));
}

TEST(lists_that_hold_most_of_what_is_free_make_the_kernel_reclaim) {
        setup("5.10", 8, 1);
        machine.memory_bytes = 1 << 30;
        workload.footprint = 0.5;
        run(&rates);
        ASSERT_TRUE(rates.reclaim_scanned == 0 && rates.allocstalls == 0);
        settings.pcp_high = 32768; /* an eighth of the zone for each of eight CPUs */
        run(&rates);
        ASSERT_TRUE(rates.reclaim_scanned > 0 && rates.allocstalls > 0 && rates.stall_some > 0);
}

TEST(reclaim_cuts_lists_to_four_batches_from_5_14_on) {
        setup("6.1", 8, 1);
        machine.params.run_mu = 3;
        machine.params.run_sigma = 1;
        settings.pcp_high = 4000;
        run(&rates);
        workload.pressure = 1;
        run(&other);
        ASSERT_TRUE(other.pcp_pages_per_cpu <= 252 && rates.pcp_pages_per_cpu > 252);
        ASSERT_TRUE(other.refill_pages / other.pages > rates.refill_pages / rates.pages);
}

static void hackbench(unsigned counted, PlantRates *ret) {
        PlantParams keep = machine.params;
        double pages = workload.pages, traffic = workload.list_factor;

        setup("5.10", 80, 2);
        machine.params = keep;
        add_cache("kmalloc-512", 512, 0.64, 0, counted);
        add_cache("skbuff_head_cache", 256, 0.32, 0, counted);
        add_cache("kmalloc-1k", 1024, 0.04, 1, counted);
        workload.pages = pages;
        workload.list_factor = traffic;
        run(ret);
}

static void hackbench_params(void) {
        plant_params_init(&machine.params);
        machine.params.think_ns = 4000;
        machine.params.list_ns = 267;
        machine.params.zone_handover_ns = 1572;
        machine.params.zone_page_ns = 0;
        workload.pages = 0.27;
        workload.list_factor = 0.195;
}

TEST(orders_by_one_cpu_make_kmalloc_512_order_0_and_by_80_order_2) {
        /* Published with the report: order 0 against 2. */
        hackbench_params();
        hackbench(1, &rates);
        ASSERT_EQ_U(settings.cache[0].order, 0);
        hackbench(80, &rates);
        ASSERT_EQ_U(settings.cache[0].order, 2);
}

/* linux-mm 2021-01-28: zone lock waits 2.2 times as long, hackbench 7 to 32 % slower. The sign must not hang on one number. */
TEST(small_orders_wait_more_for_the_zone_and_are_slower_whatever_parameter_moves_30_percent) {
        size_t n;
        const PlantParamSpec *specs = plant_param_specs(&n);
        unsigned seen = 0;

        for (size_t i = 0; i < n + 2; i++)
                for (unsigned up = 0; up < 2; up++) {
                        double factor = up ? 1.3 : 0.7;

                        hackbench_params();
                        if (i < n)
                                *(double *) (void *) ((char *) &machine.params +
                                                      specs[i].offset) *= factor;
                        else
                                *(i == n ? &workload.pages : &workload.list_factor) *= factor;
                        hackbench(1, &rates);
                        hackbench(80, &other);
                        ASSERT_TRUE(rates.zone_wait / rates.work >
                                    1.2 * other.zone_wait / other.work);
                        ASSERT_TRUE(rates.work < 0.99 * other.work);
                        seen++;
                }
        ASSERT_EQ_U(seen, 2 * (n + 2));
}

TEST(larger_cpu_partial_means_fewer_refills_and_less_waiting) {
        double refills = INFINITY, waits = INFINITY;

        setup("6.1", 224, 2);
        machine.params.think_ns = 3000;
        add_cache("maple_node", 256, 1, 0, 224);
        workload.pages = 0;
        workload.list_factor = 0.125;
        workload.busy = 0.5;
        for (uint64_t k = 1; k <= 8; k *= 2) {
                settings.cache[0].cpu_partial = 52 * k;
                run(&rates);
                ASSERT_TRUE(rates.partial_refills / rates.work < refills);
                ASSERT_TRUE(rates.list_wait < waits && rates.list_wait > 0);
                ASSERT_TRUE(near(rates.cache_wait[0], rates.list_wait, 1e-12));
                refills = rates.partial_refills / rates.work;
                waits = rates.list_wait;
        }
}

TEST(slabs_made_and_freed_whole_are_pages_by_objects_and_order) {
        setup("6.1", 1, 1);
        add_cache("kmalloc-1k", 1024, 1, 1, 1);
        workload.pages = 0;
        workload.list_factor = 1; /* four objects a unit of work */
        run(&rates);
        /* 8 objects wanted for one CPU: order 1; two thirds of a slab are free when it is taken: 5.33 objects, two pages */
        ASSERT_EQ_U(settings.cache[0].order, 1);
        ASSERT_TRUE(near(rates.slab_pages / rates.work, 4 / (8 * 2 / 3.0) * 2, 1e-9));
        ASSERT_TRUE(near(rates.pages, rates.slab_pages, 1e-9));
}

static void huge(const char *kernel, PlantRates *ret) {
        PlantParams keep = machine.params;

        setup(kernel, 128, 1);
        machine.params = keep;
        settings.thp_enabled = settings.thp_always = true;
        workload.user_share = 0.87;
        workload.lru_factor = 0.1;
        workload.thp_faults = 4;
        workload.odd_maps = 0.95;
        run(ret);
}

/* Report of 2022-10-20 on f35b5d7d676e: a kernel build took 27 % longer, system time 3.6 times. */
TEST(aligned_odd_maps_cost_system_time_whatever_parameter_moves_30_percent) {
        size_t n;
        const PlantParamSpec *specs = plant_param_specs(&n);

        for (size_t i = 0; i < n; i++)
                for (unsigned up = 0; up < 2; up++) {
                        plant_params_init(&machine.params);
                        machine.params.think_ns = 12000;
                        machine.params.zone_handover_ns = 1000;
                        machine.params.zone_page_ns = 50;
                        *(double *) (void *) ((char *) &machine.params +
                                              specs[i].offset) *= up ? 1.3 : 0.7;
                        huge("6.1", &rates); /* never aligns */
                        huge("6.7", &other); /* aligns all from 2 MiB on */
                        ASSERT_TRUE(other.work < rates.work);
                        ASSERT_TRUE(other.kernel_cpus / other.work >
                                    1.5 * rates.kernel_cpus / rates.work);
                        huge("6.12",
                             &other); /* aligns multiples only; refills take more pages a hold */
                        ASSERT_TRUE(other.work >= rates.work && other.work < 1.05 * rates.work);
                }
}

TEST(defrag_words_decide_who_stalls) {
        static const struct {
                PlantDefrag defrag;
                double stalls; /* of huge pages that need compaction: 100 % here, 40 % marked */
        } rows[] = { { PLANT_DEFRAG_ALWAYS, 1 },
                     { PLANT_DEFRAG_DEFER, 0 },
                     { PLANT_DEFRAG_DEFER_MADVISE, 0.4 },
                     { PLANT_DEFRAG_MADVISE, 0.4 },
                     { PLANT_DEFRAG_NEVER, 0 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                setup("6.12", 8, 1);
                machine.params.fragmentation = 1;
                settings.thp_enabled = settings.thp_always = true;
                settings.defrag = rows[i].defrag;
                workload.thp_faults = 1;
                workload.thp_marked = 0.4;
                run(&rates);
                ASSERT_TRUE(near(rates.compact_stalls, rows[i].stalls * rates.work / 1000, 1e-9));
                ASSERT_TRUE((rates.stall_some > 0) == (rows[i].stalls > 0));
        }
        settings.thp_enabled = false;
        run(&rates);
        ASSERT_TRUE(rates.compact_stalls == 0 && rates.thp_faults == 0 && rates.thp_fallbacks == 0);
}

TEST(pages_gone_cold_give_the_curve_a_falling_edge) {
        double work[2];

        setup("4.18", 8, 1);
        machine.params.cold_ns = 300;
        machine.params.llc_bytes = 8 << 20;
        /* Parked: half of 6 * 511 pages on each of 8 CPUs, 50 MiB, 84 % of them beyond 8 MiB; of 6 * 31 pages 3 MiB: none. */
        for (unsigned i = 0; i < 2; i++) {
                settings.pcp_batch = i ? 511 : 31;
                settings.pcp_high = 6 * settings.pcp_batch;
                machine.params.cold_ns = 0;
                run(&rates);
                machine.params.cold_ns = 300;
                run(&other);
                work[i] = other.work / rates.work;
        }
        ASSERT_TRUE(work[0] == 1);
        ASSERT_TRUE(work[1] < 0.99);
}

TEST(both_threads_of_a_core_think_slower_and_one_does_not) {
        setup("6.1", 8, 1);
        machine.params.zone_handover_ns = machine.params.zone_page_ns = machine.params.lru_ns = 0;
        machine.params.think_ns = 1000;
        machine.params.smt_slowdown = 2;
        workload.busy = 0.5; /* four threads on four cores */
        run(&rates);
        ASSERT_TRUE(near(rates.work, 4e6, 1e-9));
        workload.busy = 1; /* eight threads, all in pairs */
        run(&rates);
        ASSERT_TRUE(near(rates.work, 4e6, 1e-9));
        workload.busy =
                0.75; /* six threads: four of them in pairs, 1 + 4 / 6 as slow in the mean */
        run(&rates);
        ASSERT_TRUE(near(rates.work, 6e6 / (1 + 4 / 6.0), 1e-9));
}

/* linux-mm 2021-10-12: refills from node lists fell to 57 % when slabs were counted instead of objects, to 29 % with higher defaults. */
TEST(counting_slabs_saves_refills_whatever_parameter_moves_30_percent) {
        static const struct {
                const char *kernel;
                uint64_t cpu_partial;
        } cases[] = { { "5.10", 13 }, { "6.1", 13 }, { "6.1", 52 } };
        size_t n;
        const PlantParamSpec *specs = plant_param_specs(&n);

        for (size_t i = 0; i < 2 * n; i++) {
                double refills[ELEMENTSOF(cases)];

                for (size_t k = 0; k < ELEMENTSOF(cases); k++) {
                        setup(cases[k].kernel, 8, 1);
                        add_cache("skbuff_head_cache", 256, 1, 0, 8);
                        settings.cache[0].cpu_partial = cases[k].cpu_partial;
                        workload.pages = 0;
                        workload.list_factor = 0.0625;
                        *(double *) (void *) ((char *) &machine.params +
                                              specs[i / 2].offset) *= i % 2 ? 1.3 : 0.7;
                        run(&rates);
                        refills[k] = rates.partial_refills / rates.work;
                }
                ASSERT_TRUE(refills[1] < 0.75 * refills[0]);
                ASSERT_TRUE(refills[2] < 0.75 * refills[1]);
        }
}

/* The batch sweep: four sockets gain much, two sockets that wait for the lru lock nothing. Parameters as fitted. */
TEST(a_larger_batch_helps_machines_by_class_whatever_parameter_moves_30_percent) {
        static const struct {
                unsigned cpus, nodes;
                double a, b, lru, think, memory;
        } rows[] = { { 192, 4, 3265, 156, 220.8, 2620, 1 }, { 88, 2, 1669, 128, 197, 2301, 1 } };
        static const size_t members[] = { offsetof(PlantParams, zone_handover_ns),
                                          offsetof(PlantParams, zone_page_ns),
                                          offsetof(PlantParams, lru_ns),
                                          offsetof(PlantParams, think_ns),
                                          offsetof(PlantParams, memory_ns) };

        for (size_t i = 0; i < 2 * ELEMENTSOF(members); i++) {
                double gain[2];

                for (size_t k = 0; k < 2; k++) {
                        setup("4.18", rows[k].cpus, rows[k].nodes);
                        machine.params.zone_handover_ns = rows[k].a;
                        machine.params.zone_page_ns = rows[k].b;
                        machine.params.lru_ns = rows[k].lru;
                        machine.params.think_ns = rows[k].think;
                        machine.params.memory_ns = rows[k].memory;
                        *(double *) (void *) ((char *) &machine.params +
                                              members[i / 2]) *= i % 2 ? 1.3 : 0.7;
                        settings.pcp_batch = 31;
                        run(&rates);
                        settings.pcp_batch = 255;
                        run(&other);
                        gain[k] = other.work / rates.work - 1;
                }
                /* Sign and order of the classes only: with a lru lock 30 % dearer the next lock takes nearly all of the gain. */
                ASSERT_TRUE(gain[0] > 0.001 && gain[1] >= 0 && gain[0] > gain[1]);
        }
}

TEST(fewer_cpus_do_less) {
        setup("6.12", 64, 2);
        run(&rates);
        settings.online = 63;
        run(&other);
        ASSERT_TRUE(other.work <= rates.work);
        ASSERT_TRUE(near(other.kernel_cpus + other.user_cpus + other.idle_cpus, 63, 1e-9));
}

/* Every number of a PlantRates. */
static bool finite_rates(const PlantRates *r) {
        for (size_t i = 0; i < sizeof(*r) / sizeof(double); i++) {
                double x = ((const double *) (const void *) r)[i];

                if (!isfinite(x) || x < 0) {
                        printf("# number %zu is %g\n", i, x);
                        return false;
                }
        }
        return true;
}

static double pick(Random *r, double floor, double ceiling) {
        unsigned how = random_below(r, 4);

        return how == 0   ? floor
               : how == 1 ? ceiling
                          : floor + (ceiling - floor) * random_below(r, 1000000) / 1e6;
}

TEST(anything_the_tables_allow_gives_finite_rates) {
        Random r;
        size_t n_kernels, n_params, n_causes;
        const PlantKernel *kernels = plant_kernels(&n_kernels);
        const PlantParamSpec *params = plant_param_specs(&n_params);
        const PlantWorkloadSpec *causes = plant_workload_specs(&n_causes);

        random_seed(&r, 11, 3);
        for (unsigned i = 0; i < 3000; i++) {
                setup(kernels[i % n_kernels].name, 1 + random_below(&r, 300),
                      1 + random_below(&r, 8));
                add_cache("kmalloc-64", 64, 0.5, 0, 1);
                add_cache("kmalloc-8k", 8192, 0.5, 0.5, 64);
                for (size_t k = 0; k < n_params; k++)
                        *(double *) (void *) ((char *) &machine.params + params[k].offset) = pick(
                                &r, params[k].floor, params[k].ceiling);
                for (size_t k = 0; k < n_causes; k++)
                        *(double *) (void *) ((char *) &workload + causes[k].offset) = pick(
                                &r, causes[k].floor, causes[k].ceiling);
                settings.pcp_batch = random_below(&r, 100);
                settings.pcp_high = (uint64_t) random_below(&r, 1000000) *
                                    random_below(&r, 1000000);
                settings.online = random_below(&r, 400);
                settings.cache[0].cpu_partial = (uint64_t) random_below(&r, 1u << 31) * 2;
                settings.cache[1].objects = random_below(&r, 3);
                settings.defrag = (PlantDefrag) random_below(&r, 5);
                settings.thp_enabled = settings.thp_always = random_below(&r, 2);
                run(&rates);
                ASSERT_TRUE(finite_rates(&rates));
                ASSERT_TRUE(rates.stall_some <= 1 && rates.stall_full <= rates.stall_some);
        }
}

TEST_MAIN()
