/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: counters grow by the rates of the model and nothing gets lost; levels, parked pages and pressure move as the
 * kernel moves them. */
#include <math.h>
#include <time.h>

#include "sim-world.h"

#define VM "proc/sys/vm/"
#define MINUTE (60 * USEC_PER_SEC)

static uint64_t vm(const Snapshot *s, VmKey key) {
        ASSERT_TRUE(s->vmstat && s->vmstat->value[key].known);
        return s->vmstat->value[key].value;
}

static uint64_t pages(const Snapshot *s) {
        return vmstat_pgalloc(s->vmstat).value;
}

static SimTruth truth(void) {
        SimTruth t;

        sim_truth(world, &t);
        return t;
}

static bool near(double a, double b, double relative) {
        return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

static const Zone *busy(unsigned node) {
        return zoneinfo_find(world_take()->zoneinfo, node, "DMA32");
}

TEST(counters_grow_by_the_rates_of_the_model) {
        const Snapshot *a, *b;
        SimTruth t;
        double cost;

        world_begin("6.1");
        world_run(20, 1);
        a = world_take();
        world_run(100, 2);
        b = world_take();
        t = truth();
        ASSERT_TRUE(t.rates.pages > 1000);
        ASSERT_TRUE(near((double) (pages(b) - pages(a)), t.rates.pages * 100, 1e-3));
        /* kernel seconds per 1,000 pages as the signal computes them, ticks of 10 ms */
        cost = (double) (cpustat_kernel(b->stat).value - cpustat_kernel(a->stat).value) * 1e7 /
               ((double) (pages(b) - pages(a)) / 1000);
        ASSERT_TRUE(near(cost, t.cost_ns, 0.005));
        world_close();
}

TEST(cpu_time_adds_up_on_every_cpu) {
        const Snapshot *a, *b;

        world_spec("6.12");
        spec.noise = SIM_NOISE_WILD;
        world_open();
        a = world_take();
        world_run(333.37, 1.7);
        b = world_take();
        ASSERT_EQ_U(b->stat->n_cpus, 8);
        /* 8 CPUs, 100 ticks a second; every counter of a CPU may hold back less than one */
        ASSERT_TRUE(fabs((double) (cpustat_total(b->stat).value - cpustat_total(a->stat).value) -
                         333.37 * 800) < 8 * 4);
        world_close();
}

TEST(no_counter_ever_falls) {
        size_t n_keys;
        const KeySpec *keys = vmstat_keys(&n_keys);
        const Snapshot *before, *now;

        world_spec("7.3");
        spec.noise = SIM_NOISE_WILD;
        spec.machine.lock_stat = true;
        spec.phase[0].pressure = 0.8;
        spec.phase[0].thp_faults = 0.5;
        world_open();
        before = world_take();
        for (unsigned i = 0; i < 200; i++) {
                world_run(0.05 + i % 13, 0.05 + i % 13);
                now = world_take();
                for (size_t k = 0; k < n_keys; k++)
                        if (keys[k].kind == KEY_COUNTER && now->vmstat->value[k].known)
                                ASSERT_GE_U(now->vmstat->value[k].value,
                                            before->vmstat->value[k].value);
                ASSERT_GE_U(cpustat_total(now->stat).value, cpustat_total(before->stat).value);
                ASSERT_GE_U(cpustat_kernel(now->stat).value, cpustat_kernel(before->stat).value);
                for (unsigned f = 0; f < LOCK_BARN; f++) {
                        ASSERT_GE_U(now->lock_stat->total[f].wait_total_nsec.value,
                                    before->lock_stat->total[f].wait_total_nsec.value);
                        ASSERT_GE_U(now->lock_stat->total[f].acquisitions.value,
                                    before->lock_stat->total[f].acquisitions.value);
                }
                ASSERT_GE_U(now->pressure_memory->some.total_usec.value,
                            before->pressure_memory->some.total_usec.value);
                before = now;
        }
        world_close();
}

/* However short ticks are: remainders are carried. */
TEST(a_thousand_short_ticks_are_one_long_one) {
        uint64_t counts[2], kernel[2];

        for (unsigned i = 0; i < 2; i++) {
                const Snapshot *s;

                world_begin("5.10");
                world_run(100, i == 0 ? 100 : 0.1);
                s = world_take();
                counts[i] = pages(s);
                kernel[i] = cpustat_kernel(s->stat).value;
                world_close();
        }
        ASSERT_TRUE(near((double) counts[0], (double) counts[1], 1e-6));
        ASSERT_TRUE(llabs((long long) kernel[0] - (long long) kernel[1]) <= 2 * 8);
}

TEST(the_same_seed_gives_the_same_texts_and_another_does_not) {
        static const char *const files[] = { "proc/vmstat", "proc/stat", "proc/zoneinfo",
                                             "proc/pressure/memory", "proc/lock_stat" };
        char *first[ELEMENTSOF(files)] = { 0 };

        for (unsigned run = 0; run < 3; run++) {
                world_spec("7.2");
                spec.noise = SIM_NOISE_ROUGH;
                spec.machine.lock_stat = true;
                spec.seed = run < 2 ? 5 : 6;
                world_open();
                world_run(100, 1.5);
                for (size_t i = 0; i < ELEMENTSOF(files); i++) {
                        if (run == 0)
                                first[i] = strdup(world_read(files[i]));
                        else if (run == 1)
                                ASSERT_STR(world_read(files[i]), first[i]);
                        else if (i < 2)
                                ASSERT_TRUE(strcmp(world_read(files[i]), first[i]) != 0);
                }
                world_close();
        }
        for (size_t i = 0; i < ELEMENTSOF(files); i++)
                free(first[i]);
}

/* Cost noise moves kernel time per page, not pages; its sigma is that of the class. */
TEST(cost_per_page_has_the_noise_of_the_class) {
        double sum = 0, squares = 0, sigma;
        unsigned n = 600;

        world_spec("6.1");
        spec.noise = SIM_NOISE_CALM;
        spec.phase[0].busy = 0.5;
        world_open();
        world_run(10, 1);
        for (unsigned i = 0; i < n; i++) {
                const Snapshot *a = world_take(), *b;
                double x;

                world_run(10, 2);
                b = world_take();
                x = log((double) (cpustat_kernel(b->stat).value - cpustat_kernel(a->stat).value) /
                        (double) (pages(b) - pages(a)));
                sum += x;
                squares += x * x;
                arena_reset(&world_arena);
        }
        sigma = sqrt(squares / n - sum / n * (sum / n));
        printf("# sigma %.4f\n", sigma);
        /* 2 %, four standard errors of 600 windows are 12 % of it; ticks of the clock add little */
        ASSERT_TRUE(sigma > 0.02 * 0.86 && sigma < 0.02 * 1.14);
        world_close();
}

/* kernel/sched/psi.c: every 2 s avg = avg * e + share * (1 - e), e = e^(-2/T). */
TEST(pressure_averages_follow_the_kernel) {
        double share, avg[3] = { 0 }, seconds[3] = { 10, 60, 300 };
        const Snapshot *s;

        world_spec("6.12");
        spec.phase[0].pressure = 0.8;
        world_open();
        world_run(40, 2);
        share = truth().rates.stall_some;
        ASSERT_TRUE(share > 0.001);
        s = world_take();
        for (unsigned k = 0; k < 20; k++)
                for (unsigned i = 0; i < 3; i++)
                        avg[i] = avg[i] * exp(-2 / seconds[i]) + share * (1 - exp(-2 / seconds[i]));
        ASSERT_TRUE(near((double) s->pressure_memory->some.total_usec.value, share * 40e6, 0.01));
        ASSERT_TRUE(fabs((double) s->pressure_memory->some.avg10_ppm.value - avg[0] * 1e6) <= 200);
        ASSERT_TRUE(fabs((double) s->pressure_memory->some.avg60_ppm.value - avg[1] * 1e6) <= 200);
        ASSERT_TRUE(fabs((double) s->pressure_memory->some.avg300_ppm.value - avg[2] * 1e6) <= 200);
        world_close();
}

TEST(odd_ticks_give_the_same_pressure_averages) {
        uint64_t avg[2];

        for (unsigned i = 0; i < 2; i++) {
                world_spec("6.12");
                spec.phase[0].pressure = 0.8;
                world_open();
                world_run(60, i == 0 ? 2 : 0.7);
                avg[i] = world_take()->pressure_memory->some.avg60_ppm.value;
                world_close();
        }
        ASSERT_TRUE(fabs((double) avg[0] - (double) avg[1]) <= 300);
}

/* Tuned lists grow under refills to their ceiling, and lose an eighth a second when the work ends, down to their floor (booted
 * 7.x: decay_pcp_high()); fixed ones do not move. */
TEST(tuned_lists_grow_under_load_and_fade_without) {
        const Zone *z;
        uint32_t high;

        world_spec("7.3");
        spec.phase[1] = spec.phase[0];
        spec.phase[1].busy = 0;
        spec.n_phases = 2;
        world_event(MINUTE, SIM_EVENT_PHASE, 1, "", "");
        world_open();
        ASSERT_EQ_U(busy(0)->pagesets[0].high, busy(0)->pagesets[0].high_min);
        world_run(59, 1);
        z = busy(0);
        ASSERT_EQ_U(z->pagesets[0].high, z->pagesets[0].high_max);
        ASSERT_TRUE(z->pagesets[0].count > 0);
        ASSERT_EQ_U(z->pagesets[7].count, 0); /* a CPU of the other node */
        world_run(1, 1);
        high = busy(0)->pagesets[0].high;
        world_run(3, 1);
        z = busy(0);
        ASSERT_TRUE(z->pagesets[0].high <= high && z->pagesets[0].high >= high * 0.66);
        world_run(60, 1);
        z = busy(0);
        ASSERT_TRUE(z->pagesets[0].high <= z->pagesets[0].high_min + 1 ||
                    z->pagesets[0].high <= z->pagesets[0].count + 2016);
        world_close();
}

TEST(lists_never_hold_more_than_their_limit) {
        static const char *const kernels[] = { "5.10", "6.1", "6.12", "7.3" };
        static const char *const values[] = { "0", "8", "100", "5000", "0" };

        for (size_t k = 0; k < ELEMENTSOF(kernels); k++) {
                world_begin(kernels[k]);
                for (size_t v = 0; v < ELEMENTSOF(values); v++) {
                        ASSERT_EQ_I(world_write(k == 0 ? VM "percpu_pagelist_fraction"
                                                       : VM "percpu_pagelist_high_fraction",
                                                values[v]),
                                    0);
                        for (unsigned i = 0; i < 20; i++) {
                                const Zone *z;

                                world_run(1, 1);
                                z = busy(i % 2);
                                for (size_t c = 0; c < z->n_pagesets; c++)
                                        ASSERT_LE_U(z->pagesets[c].count, z->pagesets[c].high);
                                arena_reset(&world_arena);
                        }
                }
                ASSERT_TRUE(truth().parked_max_ppm > 0);
                world_close();
        }
}

/* 5.10 with f = 8 on one node of 8 CPUs: lists may hold the whole zone (managed / 8 each): memory runs short by itself. */
TEST(lists_that_take_the_memory_bring_pressure) {
        const Zone *z;

        world_spec("5.10");
        spec.machine.nodes = spec.machine.packages = 1;
        spec.phase[0].footprint = 0.9;
        world_open();
        world_run(60, 1);
        ASSERT_EQ_U(vmstat_allocstall(world_take()->vmstat).value, 0);
        ASSERT_EQ_I(world_write(VM "percpu_pagelist_fraction", "8"), 0);
        world_run(120, 1);
        z = busy(0);
        printf("# free %llu low %llu high %llu parked %.3f\n", (unsigned long long) z->free.value,
               (unsigned long long) z->low.value, (unsigned long long) z->high.value,
               truth().parked_max_ppm / 1e6);
        ASSERT_TRUE(z->free.value < z->high.value);
        ASSERT_TRUE(vm(world_take(), VM_PGSCAN_KSWAPD) > 0);
        ASSERT_TRUE(world_take()->pressure_memory->some.total_usec.value > 0);
        world_close();
}

TEST(a_leak_grows_unreclaimable_slab_by_its_rate) {
        uint64_t before;

        world_spec("6.1");
        spec.phase[0].leak_bytes_per_s = 1 << 20;
        world_open();
        before = world_take()->meminfo->value[MEM_SUNRECLAIM].value;
        world_run(100, 1);
        ASSERT_TRUE(near((double) (world_take()->meminfo->value[MEM_SUNRECLAIM].value - before),
                         100 * 1048576.0, 0.001));
        world_close();
}

TEST(an_idle_machine_is_idle) {
        const Snapshot *a, *b;

        world_spec("6.12");
        spec.phase[0].busy = 0;
        world_open();
        a = world_take();
        world_run(100, 1);
        b = world_take();
        ASSERT_EQ_U(pages(b), pages(a));
        ASSERT_EQ_U(cpustat_kernel(b->stat).value, cpustat_kernel(a->stat).value);
        ASSERT_EQ_U(b->stat->idle.value - a->stat->idle.value, 80000);
        world_close();
}

TEST(what_if_tells_what_a_write_then_gives) {
        static const char *const path = VM "percpu_pagelist_high_fraction";
        static const char *const values[] = { "0", "8", "100", "1000" };
        const char *refused = "7";
        PlantRates rates;

        world_spec("6.12");
        spec.machine.cpus = spec.machine.possible = 96;
        spec.machine.memory_bytes = UINT64_C(256) << 30;
        spec.phase[0].lru_factor = 0.1; /* else lru lock alone decides */
        spec.machine.params.run_mu = 6;
        spec.machine.params.run_sigma = 1.5;
        world_open();
        for (size_t i = 0; i < ELEMENTSOF(values); i++) {
                ASSERT_OK(sim_what_if(world, 0, &path, &values[i], 1, &rates));
                ASSERT_EQ_I(world_write(path, values[i]), 0);
                world_run(120, 1);
                printf("# %s: %.0f pages/s, now %.0f\n", values[i], rates.pages,
                       truth().rates.pages);
                ASSERT_TRUE(near(rates.pages, truth().rates.pages, 0.005));
                ASSERT_TRUE(near(rates.kernel_cpus, truth().rates.kernel_cpus, 0.005));
        }
        ASSERT_EQ_I(sim_what_if(world, 0, &path, &refused, 1, &rates), 1);
        world_close();
}

/* Ticks of the cheap files: how long they take is printed; that they say the right thing after thousands of them is checked. */
TEST(many_ticks_cost_little_and_lose_nothing) {
        unsigned n = 10000;
        struct timespec from, to;
        double usec;
        SimTruth t;

        world_spec("6.1");
        spec.machine.lock_stat = true;
        world_open();
        world_run(10, 1);
        uint64_t before = pages(world_take());
        (void) clock_gettime(CLOCK_MONOTONIC, &from);
        for (unsigned i = 0; i < n; i++) {
                static const char *const files[] = { "proc/vmstat", "proc/stat", "proc/meminfo",
                                                     "proc/pressure/memory", "proc/lock_stat" };
                Text text;

                ASSERT_OK(machine_advance(world, machine_now(world) + USEC_PER_SEC));
                arena_reset(&world_arena);
                for (size_t f = 0; f < ELEMENTSOF(files); f++)
                        ASSERT_OK(machine_read(world, files[f], 1 << 20, &world_arena, &text));
        }
        (void) clock_gettime(CLOCK_MONOTONIC, &to);
        usec = ((double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec)) /
               1e3 / n;
        printf("# %.1f us a tick: time and texts of vmstat, stat, meminfo, pressure, lock_stat\n",
               usec);
        t = truth();
        ASSERT_TRUE(near((double) (pages(world_take()) - before), t.rates.pages * n, 1e-4));
        world_close();
}

TEST_MAIN()
