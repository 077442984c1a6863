/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core/signal/rate.h"
#include "core/signal/signal.h"
#include "test.h"

#define SNAPSHOTS 4

/* A window of snapshots made by hand: 10 s apart, 2 CPUs, 100 ticks a second, 4 KiB pages. */
typedef struct Window {
        uint8_t memory[1 << 20];
        Arena arena;
        MachineFacts facts;
        Snapshot snapshot[SNAPSHOTS];
        const Snapshot *list[SNAPSHOTS];
        VmStat vmstat[SNAPSHOTS];
        CpuStat stat[SNAPSHOTS];
        Pressure pressure[SNAPSHOTS];
        MemInfo meminfo[SNAPSHOTS];
        LockStat lock_stat[SNAPSHOTS];
        SignalInput input;
        SignalSet set;
} Window;

static Window window;

static void window_init(size_t n) {
        memset(&window, 0, sizeof(window));
        arena_init(&window.arena, window.memory, sizeof(window.memory));
        window.facts.topology.n_online = 2;
        window.facts.clk_tck = KNOWN(100);
        window.facts.page_bytes = KNOWN(4096);
        for (size_t i = 0; i < n; i++) {
                Snapshot *s = &window.snapshot[i];

                s->at_usec = i * 10 * USEC_PER_SEC;
                s->uptime_usec = KNOWN(100 * USEC_PER_SEC + s->at_usec);
                for (size_t f = 0; f < _SENSE_FILE_MAX; f++) {
                        s->file_usec[f] = s->at_usec;
                        s->state[f] = SENSE_ABSENT;
                }
                window.list[i] = s;
        }
        window.input = (SignalInput){ .facts = &window.facts,
                                      .snapshots = window.list,
                                      .n_snapshots = n,
                                      .kind = n > 1 ? WINDOW_CAPTURE : WINDOW_BOOT };
}

static void set_vm(size_t i, VmKey key, uint64_t value) {
        window.snapshot[i].vmstat = &window.vmstat[i];
        window.snapshot[i].state[SENSE_VMSTAT] = SENSE_OK;
        window.vmstat[i].value[key] = KNOWN(value);
}

static void set_stat(size_t i, uint64_t user, uint64_t system, uint64_t idle, uint64_t steal) {
        CpuStat *s = &window.stat[i];

        window.snapshot[i].stat = s;
        window.snapshot[i].state[SENSE_STAT] = SENSE_OK;
        *s = (CpuStat){ .user = KNOWN(user),
                        .nice = KNOWN(0),
                        .system = KNOWN(system),
                        .idle = KNOWN(idle),
                        .iowait = KNOWN(0),
                        .irq = KNOWN(0),
                        .softirq = KNOWN(0),
                        .steal = KNOWN(steal),
                        .guest = KNOWN(0),
                        .guest_nice = KNOWN(0),
                        .n_cpus = 2 };
}

static const Signal *compute(const char *name) {
        ASSERT_EQ_I(signals_compute(&window.arena, &window.input, &window.set), 0);
        return signal_set_find(&window.set, name, NULL);
}

TEST(rate_divides_growth_by_the_time_of_its_own_file) {
        const Signal *s;

        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 1000);
        set_vm(1, VM_PGALLOC_NORMAL, 41000);
        window.snapshot[1].file_usec[SENSE_VMSTAT] =
                20 * USEC_PER_SEC; /* read late: 20 s passed, not 10 */
        s = compute("alloc-rate");
        ASSERT_TRUE(s != NULL);
        ASSERT_EQ_I(s->evidence, EVIDENCE_COUNTED);
        ASSERT_EQ_I(s->value, 2000); /* 40,000 pages in 20 s */
}

TEST(rate_sums_zone_classes_and_shows_each) {
        Scope dma32 = { .name = "zone:*/DMA32" };
        const Signal *s;

        window_init(2);
        for (size_t i = 0; i < 2; i++) {
                set_vm(i, VM_PGALLOC_NORMAL, i * 30000);
                set_vm(i, VM_PGALLOC_DMA32, i * 10000);
        }
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->value, 4000);
        s = signal_set_find(&window.set, "alloc-rate", &dma32);
        ASSERT_TRUE(s != NULL);
        ASSERT_EQ_I(s->value, 1000);
        /* the busiest class: 3,000 pages/s * 200 ns = 0.6 ms a second = 600 ppm */
        s = signal_set_find(&window.set, "zone-lock-use", NULL);
        ASSERT_EQ_I(s->value, 600);
        ASSERT_EQ_I(s->evidence, EVIDENCE_ESTIMATED);
}

TEST(rare_events_keep_thousandths) {
        const Signal *s;

        window_init(2);
        set_vm(0, VM_COMPACT_STALL, 7);
        set_vm(1, VM_COMPACT_STALL, 8);
        s = compute("compact-stall");
        ASSERT_EQ_I(s->value, 0);
        ASSERT_EQ_U(s->milli, 100); /* one in 10 s */
}

TEST(counter_that_goes_down_is_a_gap_with_its_time_left_out) {
        const Signal *s;

        window_init(3);
        set_vm(0, VM_PGALLOC_NORMAL, 500000);
        set_vm(1, VM_PGALLOC_NORMAL, 100); /* reset */
        set_vm(2, VM_PGALLOC_NORMAL, 10100);
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->value, 1000); /* 10,000 pages in the 10 s of the second interval */
        ASSERT_TRUE(s->why && strstr(s->why, "went down"));
}

TEST(counter_that_only_goes_down_has_no_rate) {
        const Signal *s;

        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 500000);
        set_vm(1, VM_PGALLOC_NORMAL, 100);
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_TRUE(s->why && strstr(s->why, "went down"));
}

TEST(time_that_stands_still_or_runs_back_gives_no_rate) {
        const Signal *s;

        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 1000);
        window.snapshot[1].file_usec[SENSE_VMSTAT] = 0;
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_TRUE(s->why != NULL);
}

TEST(absent_counter_is_none_and_never_zero) {
        const Signal *s;

        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 10);
        s = compute("compact-stall");
        ASSERT_TRUE(s != NULL);
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_STR(s->source, "none");
        ASSERT_TRUE(s->why != NULL);
        s = signal_set_find(&window.set, "psi-memory-some", NULL);
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_STR(s->why, "the file is absent");
}

TEST(counter_missing_in_the_middle_is_a_gap) {
        const Signal *s;

        window_init(3);
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        window.snapshot[1].vmstat = NULL;
        window.snapshot[1].state[SENSE_VMSTAT] = SENSE_FAILED;
        set_vm(2, VM_PGALLOC_NORMAL, 10000);
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->evidence,
                    EVIDENCE_NONE); /* no interval has two neighbouring good readings */
}

TEST(boot_average_divides_by_uptime) {
        const Signal *s;

        window_init(1);
        set_vm(0, VM_PGALLOC_NORMAL, 5000);
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->value, 50); /* 5,000 pages in 100 s */
        window.snapshot[0].uptime_usec = UNKNOWN;
        arena_reset(&window.arena);
        s = compute("alloc-rate");
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
}

TEST(kernel_cpu_is_a_share_and_a_cost_of_pages) {
        const Signal *s;

        window_init(2);
        set_stat(0, 0, 0, 0, 0);
        set_stat(1, 500, 1000, 500, 0); /* 10 s of kernel in 20 s of CPU time */
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 2000000);
        s = compute("kernel-cpu");
        ASSERT_EQ_I(s->value, 500000);
        /* 10 s over 2,000 kilo-pages = 5 ms each */
        s = signal_set_find(&window.set, "kernel-cpu-per-kpage", NULL);
        ASSERT_EQ_I(s->value, 5000000);
}

TEST(stolen_time_voids_the_cost) {
        const Signal *s;

        window_init(2);
        set_stat(0, 0, 0, 0, 0);
        set_stat(1, 500, 1000, 300, 200); /* 10 % stolen */
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 2000000);
        s = compute("kernel-cpu-per-kpage");
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_TRUE(s->why && strstr(s->why, "stole"));
}

TEST(cpu_that_vanishes_makes_a_gap_in_sums_over_cpus) {
        const Signal *s;

        window_init(3);
        set_stat(0, 0, 0, 0, 0);
        set_stat(1, 1000, 1000, 0, 0);
        window.stat[1].n_cpus = 1; /* went offline in the first interval */
        set_stat(2, 1500, 1500, 0, 0);
        window.stat[2].n_cpus = 1;
        s = compute("kernel-cpu");
        ASSERT_EQ_I(s->value, 500000); /* from the second interval alone: 500 of 1,000 ticks */
        ASSERT_TRUE(s->why && strstr(s->why, "CPUs came or went"));
}

TEST(pressure_is_time_waited_over_time) {
        const Signal *s;

        window_init(2);
        for (size_t i = 0; i < 2; i++) {
                window.snapshot[i].pressure_memory = &window.pressure[i];
                window.snapshot[i].state[SENSE_PRESSURE_MEMORY] = SENSE_OK;
                window.pressure[i].some = (PressureLine){ .present = true,
                                                          .total_usec = KNOWN(i * 500000) };
        }
        s = compute("psi-memory-some");
        ASSERT_EQ_I(s->value, 50000); /* 0.5 s in 10 s */
        ASSERT_EQ_I(s->evidence, EVIDENCE_MEASURED);
        s = signal_set_find(&window.set, "psi-memory-full", NULL);
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
}

/* A total of stalled time that grows faster than time is broken, not a machine that stalls. */
TEST(a_share_above_the_whole_is_none) {
        static const struct {
                uint64_t grown_usec;
                Evidence evidence;
                int64_t value;
        } cases[] = {
                { 10 * USEC_PER_SEC, EVIDENCE_MEASURED, 1000000 },
                { 10 * USEC_PER_SEC + 400000, EVIDENCE_MEASURED, 1000000 }, /* skew of readings */
                { 11 * USEC_PER_SEC, EVIDENCE_NONE, 0 },
                { INT64_MAX, EVIDENCE_NONE, 0 },
                { UINT64_MAX, EVIDENCE_NONE, 0 },
        };

        for (size_t k = 0; k < ELEMENTSOF(cases); k++) {
                const Signal *s;

                window_init(2);
                for (size_t i = 0; i < 2; i++) {
                        window.snapshot[i].pressure_memory = &window.pressure[i];
                        window.snapshot[i].state[SENSE_PRESSURE_MEMORY] = SENSE_OK;
                        window.pressure[i].some = (PressureLine){
                                .present = true, .total_usec = KNOWN(i * cases[k].grown_usec)
                        };
                }
                s = compute("psi-memory-some");
                ASSERT_EQ_I(s->evidence, cases[k].evidence);
                ASSERT_EQ_I(s->value, cases[k].value);
                ASSERT_EQ_U(s->milli, 0);
                ASSERT_EQ_I(s->why != NULL, cases[k].evidence == EVIDENCE_NONE);
        }
}

TEST(shares_of_nothing_are_none) {
        const Signal *s;

        window_init(2);
        for (size_t i = 0; i < 2; i++) {
                set_vm(i, VM_THP_FAULT_ALLOC, 5);
                set_vm(i, VM_THP_FAULT_FALLBACK, 5);
        }
        s = compute("thp-fault-fallback");
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
        ASSERT_STR(s->why, "no huge page fault happened");
        set_vm(1, VM_THP_FAULT_ALLOC, 8);
        set_vm(1, VM_THP_FAULT_FALLBACK, 6);
        arena_reset(&window.arena);
        s = compute("thp-fault-fallback");
        ASSERT_EQ_I(s->value, 250000); /* 1 of 4 */
}

TEST(lock_stat_gives_wait_holds_and_wait_per_kpage) {
        const Signal *s;

        window_init(2);
        for (size_t i = 0; i < 2; i++) {
                window.snapshot[i].lock_stat = &window.lock_stat[i];
                window.snapshot[i].state[SENSE_LOCK_STAT] = SENSE_OK;
                window.lock_stat[i].collecting = true;
                window.lock_stat[i].total[LOCK_ZONE] = (LockTotal){
                        .n_classes = 1,
                        .wait_total_nsec = KNOWN(i * 2 * NSEC_PER_SEC),
                        .acquisitions = KNOWN(i * 5000)
                };
                set_vm(i, VM_PGALLOC_NORMAL, i * 1000000);
        }
        s = compute("zone-lock-wait");
        ASSERT_EQ_I(s->value, 100000); /* 2 s waited in 10 s on 2 CPUs */
        ASSERT_EQ_I(s->evidence, EVIDENCE_MEASURED);
        s = signal_set_find(&window.set, "zone-lock-holds", NULL);
        ASSERT_EQ_I(s->value, 5); /* 5,000 in 1,000 kilo-pages */
        s = signal_set_find(&window.set, "zone-lock-wait-per-kpage", NULL);
        ASSERT_EQ_I(s->value, 2000000); /* 2 s over 1,000 kilo-pages */
        s = signal_set_find(&window.set, "list-lock-wait", NULL);
        ASSERT_EQ_I(s->evidence, EVIDENCE_NONE);
}

TEST(report_replaces_the_computed_row_and_derives) {
        Signal report = { .spec = signal_spec_find(TEXT("zone-lock-wait")),
                          .name = "zone-lock-wait",
                          .value = 250000,
                          .evidence = EVIDENCE_MEASURED,
                          .unit = "ppm",
                          .source = "report",
                          .age_usec = USEC_UNKNOWN };
        const Signal *s;

        report.scope = scope_system();
        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 1000000);
        window.input.reports = &report;
        window.input.n_reports = 1;
        s = compute("zone-lock-wait");
        ASSERT_EQ_I(s->value, 250000);
        ASSERT_STR(s->source, "report");
        /* 0.25 * 2 CPUs = 0.5 s a second, over 100 kilo-pages a second = 5 ms */
        s = signal_set_find(&window.set, "zone-lock-wait-per-kpage", NULL);
        ASSERT_EQ_I(s->value, 5000000);
}

TEST(stolen_time_is_a_share_of_all_time) {
        const Signal *s;

        window_init(2);
        set_stat(0, 0, 0, 0, 0);
        set_stat(1, 500, 1000, 300, 200);
        s = compute("cpu-steal");
        ASSERT_EQ_I(s->evidence, EVIDENCE_COUNTED);
        ASSERT_EQ_I(s->value, 100000); /* 200 of 2,000 ticks */
        window_init(1);
        ASSERT_EQ_I(compute("cpu-steal")->evidence, EVIDENCE_NONE);
}

/* A task that is blocked waits for a disk; a CPU that is stuck does not. */
TEST(blocked_tasks_are_no_lockups) {
        Kmsg log = { .count = { [KMSG_HUNG_TASK] = 40 } };

        window_init(1);
        window.input.kmsg = &log;
        ASSERT_EQ_I(compute("kernel-lockups")->value, 0);
        log.count[KMSG_RCU_STALL] = 1;
        log.count[KMSG_SOFT_LOCKUP] = 2;
        log.count[KMSG_HARD_LOCKUP] = 4;
        ASSERT_EQ_I(compute("kernel-lockups")->value, 7);
}

TEST(reports_under_names_of_a_merged_cache_are_of_that_cache) {
        const char *aliases[] = { "filp", "vm_area_struct" };
        SlabCache cache = { .dir = ":A-0000256", .aliases = aliases, .n_aliases = 2 };
        SlabTree tree = { .caches = &cache, .n = 1 };
        Signal reports[3];
        static const char *const scopes[] = { "cache:filp", "cache:vm_area_struct",
                                              "cache:dentry" };
        Scope real = scope_cache(":A-0000256"), alias = scope_cache("filp");
        const Signal *s;

        window_init(2);
        window.snapshot[1].slab = &tree;
        window.snapshot[1].state[SENSE_SLAB] = SENSE_OK;
        for (size_t i = 0; i < 3; i++) {
                reports[i] = (Signal){ .spec = signal_spec_find(TEXT("list-lock-wait")),
                                       .unit = "ppm",
                                       .value = 100000,
                                       .evidence = EVIDENCE_MEASURED,
                                       .source = "report" };
                (void) text_copy(reports[i].name, sizeof(reports[i].name), TEXT("list-lock-wait"));
                (void) text_copy(reports[i].scope.name, sizeof(reports[i].scope.name),
                                 text_from(scopes[i]));
        }
        window.input.reports = reports;
        window.input.n_reports = 3;
        (void) compute("list-lock-wait");
        s = signal_set_find(&window.set, "list-lock-wait", &real);
        ASSERT_TRUE(s != NULL);
        ASSERT_EQ_I(s->value, 200000); /* shares of time add up */
        ASSERT_TRUE(signal_set_find(&window.set, "list-lock-wait", &alias) == NULL);
        real = scope_cache("dentry");
        ASSERT_EQ_I(signal_set_find(&window.set, "list-lock-wait", &real)->value, 100000);
}

TEST(signals_are_sorted_and_each_has_a_row_in_the_table) {
        size_t n;
        const SignalSpec *specs = signal_specs(&n);

        for (size_t i = 1; i < n; i++)
                ASSERT_TRUE(strcmp(specs[i - 1].name, specs[i].name) < 0);
        window_init(2);
        (void) compute("alloc-rate");
        ASSERT_TRUE(window.set.n > 20);
        for (size_t i = 1; i < window.set.n; i++) {
                int c = strcmp(window.set.signals[i - 1].name, window.set.signals[i].name);

                ASSERT_TRUE(c < 0 || (c == 0 && strcmp(window.set.signals[i - 1].scope.name,
                                                       window.set.signals[i].scope.name) < 0));
        }
        ASSERT_TRUE(signal_spec_find(TEXT("external:app-latency")) != NULL);
        ASSERT_TRUE(signal_spec_find(TEXT("external:")) == NULL);
        ASSERT_TRUE(signal_spec_find(TEXT("no-such-signal")) == NULL);
}

TEST(full_arena_is_an_error_not_a_short_list) {
        window_init(2);
        set_vm(0, VM_PGALLOC_NORMAL, 0);
        set_vm(1, VM_PGALLOC_NORMAL, 10);
        arena_init(&window.arena, window.memory, 4096);
        ASSERT_TRUE(signals_compute(&window.arena, &window.input, &window.set) < 0);
}

TEST_MAIN()
