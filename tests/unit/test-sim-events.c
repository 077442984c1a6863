/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the simulated machine happen when they should, last as long as they say, and are counted. */
#include <math.h>

#include "core/sense/kmsg.h"
#include "sim-world.h"

#define VM "proc/sys/vm/"
#define SLAB "sys/kernel/slab/"

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

TEST(cpus_come_and_go) {
        const Snapshot *s, *t;

        world_spec("6.1");
        world_event(5 * USEC_PER_SEC, SIM_EVENT_CPU_OFFLINE, 3, "", "");
        world_event(10 * USEC_PER_SEC, SIM_EVENT_CPU_ONLINE, 3, "", "");
        world_open();
        world_run(4, 1);
        s = world_take();
        ASSERT_EQ_U(s->stat->n_cpus, 8);
        world_run(3, 1);
        t = world_take();
        ASSERT_EQ_U(t->stat->n_cpus, 7);
        ASSERT_GE_U(cpustat_total(t->stat).value, cpustat_total(s->stat).value); /* sums all */
        ASSERT_STR(world_read("sys/devices/system/cpu/online"), "0-2,4-7\n");
        ASSERT_STR(world_read("sys/devices/system/cpu/offline"), "3\n");
        ASSERT_STR(world_read("sys/devices/system/node/node0/cpulist"), "0-2\n");
        ASSERT_TRUE(zone_pageset(zoneinfo_find(t->zoneinfo, 0, "DMA32"), 3) == NULL);
        world_run(4, 1);
        ASSERT_EQ_U(world_take()->stat->n_cpus, 8);
        world_close();
}

TEST(other_people_write_and_our_write_over_it_is_counted) {
        world_spec("6.1");
        world_event(5 * USEC_PER_SEC, SIM_EVENT_WRITE, 0, VM "percpu_pagelist_high_fraction",
                    "500");
        world_open();
        ASSERT_EQ_I(world_write(VM "percpu_pagelist_high_fraction", "1000"), 0);
        ASSERT_EQ_I(world_write(VM "percpu_pagelist_high_fraction", "7"), EINVAL);
        ASSERT_EQ_U(truth().n_writes, 1);
        world_run(6, 1);
        ASSERT_STR(world_read(VM "percpu_pagelist_high_fraction"), "500\n");
        ASSERT_EQ_U(truth().foreign_overwritten, 0);
        ASSERT_EQ_I(world_write(VM "watermark_scale_factor", "10"), 0);
        ASSERT_EQ_U(truth().foreign_overwritten, 0);
        ASSERT_EQ_I(world_write(VM "percpu_pagelist_high_fraction", "500"), 0);
        ASSERT_EQ_U(truth().foreign_overwritten, 1);
        ASSERT_EQ_U(truth().n_writes, 3);
        world_close();
}

TEST(faults_last_as_long_as_they_say_and_have_their_errno) {
        Text text;

        world_spec("6.1");
        world_event(2 * USEC_PER_SEC, SIM_EVENT_READ_FAULT, EIO, "proc/zoneinfo", "");
        spec.event[0].for_usec = 3 * USEC_PER_SEC;
        world_event(2 * USEC_PER_SEC, SIM_EVENT_WRITE_FAULT, EACCES, VM "min_free_kbytes", "");
        world_event(2 * USEC_PER_SEC, SIM_EVENT_VANISH, 0, SLAB "dentry", "");
        spec.event[2].for_usec = 3 * USEC_PER_SEC;
        world_open();
        world_run(3, 1);
        ASSERT_EQ_I(machine_read(world, "proc/zoneinfo", 1 << 20, &world_arena, &text),
                    MACHINE_E_FAILED);
        ASSERT_EQ_I(world->error, EIO);
        ASSERT_EQ_I(world_write(VM "min_free_kbytes", "70000"), EACCES);
        ASSERT_STR(world_read(VM "min_free_kbytes"), "67584\n");
        ASSERT_EQ_I(world_write(SLAB "dentry/cpu_partial", "1"), ENOENT);
        ASSERT_EQ_U(world_take()->slab->n, 3);
        world_run(3, 1);
        ASSERT_EQ_U(world_take()->slab->n, 4);
        ASSERT_TRUE(world_take()->zoneinfo != NULL);
        ASSERT_EQ_I(world_write(VM "min_free_kbytes", "70000"), EACCES); /* for ever */
        world_close();
}

TEST(counters_begin_anew_and_time_jumps) {
        uint64_t before;

        world_spec("6.1");
        world_event(10 * USEC_PER_SEC, SIM_EVENT_COUNTER_RESET, 0, "", "");
        world_event(20 * USEC_PER_SEC, SIM_EVENT_SKIP, 0, "", "");
        spec.event[1].for_usec = 600 * USEC_PER_SEC;
        world_open();
        world_run(9, 1);
        before = pages(world_take());
        world_run(1, 1);
        ASSERT_EQ_U(pages(world_take()), 0);
        world_run(9, 1);
        ASSERT_TRUE(pages(world_take()) < before * 2);
        before = pages(world_take());
        world_run(1, 1);
        ASSERT_EQ_U(machine_now(world), 620 * USEC_PER_SEC);
        ASSERT_TRUE(near((double) pages(world_take()), (double) before * 10 / 9, 0.01));
        world_close();
}

TEST(the_kernel_log_is_read_as_one) {
        Kmsg log;
        ParseLog issues = { 0 };
        const char *text;

        world_spec("6.1");
        world_event(5 * USEC_PER_SEC, SIM_EVENT_KMSG, 0, "",
                    "cc1: page allocation failure: order:2, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)");
        world_open();
        ASSERT_STR(world_read("kmsg"), "");
        world_run(6, 1);
        text = world_read("kmsg");
        ASSERT_OK(kmsg_parse(&world_arena, text_from(text), "kmsg", &log, &issues));
        ASSERT_EQ_U(log.n_failures_high, 1);
        ASSERT_EQ_U(log.n_failures_order0, 0);
        world_close();
}

TEST(numbers_of_an_application_follow_the_work_and_grow_old) {
        double cost;
        usec_t age;

        world_spec("6.1");
        world_event(0, SIM_EVENT_EXTERNAL, 0, "run/app/cost", "cost");
        world_event(0, SIM_EVENT_EXTERNAL, 0, "run/app/constant", "13");
        world_event(10 * USEC_PER_SEC, SIM_EVENT_EXTERNAL, 0, "run/app/late", "throughput");
        spec.event[0].for_usec = 20 * USEC_PER_SEC;
        world_open();
        cost = strtod(world_read("run/app/cost"), NULL);
        ASSERT_TRUE(near(cost, truth().cost_ns, 0.001));
        ASSERT_STR(world_read("run/app/constant"), "13\n");
        ASSERT_EQ_I(world_write("run/app/late", "1"), ENOENT);
        world_run(15, 1);
        ASSERT_TRUE(near(strtod(world_read("run/app/late"), NULL), truth().rates.work, 0.001));
        ASSERT_OK(machine_age(world, "run/app/cost", &age));
        ASSERT_EQ_U(age, 0);
        world_run(15, 1);
        ASSERT_OK(machine_age(world, "run/app/cost", &age));
        ASSERT_GE_U(age, 10 * USEC_PER_SEC);
        ASSERT_OK(machine_age(world, "run/app/constant", &age));
        ASSERT_EQ_U(age, 0);
        world_close();
}

TEST(waits_of_caches_are_reported_where_locks_are_measured) {
        Signal *rows;
        size_t n;
        Text kmsg;
        uint64_t sum = 0;

        for (unsigned measured = 0; measured < 2; measured++) {
                world_spec("6.1");
                spec.machine.lock_stat = measured;
                spec.machine.cpus = spec.machine.possible = 128;
                spec.phase[0].list_factor = 5;
                world_open();
                world_run(600, 10);
                ASSERT_OK(sample_reports(world, &world_arena, &rows, &n, &kmsg, &world_log));
                ASSERT_EQ_U(world_log.n_issues, 0);
                ASSERT_EQ_U(n, measured ? 3 : 0); /* of four caches one has no traffic */
                ASSERT_EQ_I(world_take()->state[SENSE_LOCK_STAT],
                            measured ? SENSE_OK : SENSE_ABSENT);
                for (size_t i = 0; i < n; i++) {
                        ASSERT_STR(rows[i].name, "list-lock-wait");
                        ASSERT_EQ_I(rows[i].evidence, EVIDENCE_MEASURED);
                        sum += (uint64_t) rows[i].value;
                }
                if (measured) {
                        double all = truth().rates.list_wait / 128 * 1e6;

                        printf("# %llu of %.0f ppm\n", (unsigned long long) sum, all);
                        ASSERT_TRUE(all > 0);
                        ASSERT_TRUE(near((double) sum, all, 0.02) || fabs((double) sum - all) <= 3);
                }
                world_close();
        }
}

TEST_MAIN()
