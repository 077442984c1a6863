/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of a machine of a few files: each reading is worked out by hand from the two texts. */
#include "session/sense.h"

#include "fake-machine.h"

static MachineFacts facts;
static Sense *sense;
static Watch watches[8];
static PlanKnob knobs[2];
static Plan plan;
static Frame frame;
static SenseConfig config;

#define LOCK_HEAD                                                                                \
        "lock_stat version 0.4\n"                                                                \
        "-----------------------------------------------------------------\n"                    \
        "                              class name    con-bounces    contentions   waittime-min " \
        "  waittime-max waittime-total   waittime-avg    acq-bounces   acquisitions "            \
        "  holdtime-min   holdtime-max holdtime-total   holdtime-avg\n"                          \
        "-----------------------------------------------------------------\n\n"

static void put_vmstat(unsigned pgalloc, unsigned stalls) {
        char text[256];

        ASSERT_TRUE(text_format(text, sizeof(text),
                                "pgalloc_dma32 7\npgalloc_normal %u\ncompact_stall %u\n", pgalloc,
                                stalls));
        (void) fake_put("proc/vmstat", text);
}

/* user nice system idle iowait irq softirq steal guest guest_nice, in ticks; n CPUs. */
static void put_stat(unsigned system, unsigned idle, unsigned steal, unsigned n) {
        char text[512];
        size_t used;

        ASSERT_TRUE(text_format(text, sizeof(text), "cpu  0 0 %u %u 0 0 0 %u 0 0\n", system, idle,
                                steal));
        for (unsigned i = 0; i < n; i++) {
                used = strlen(text);
                ASSERT_TRUE(text_format(text + used, sizeof(text) - used,
                                        "cpu%u 0 0 1 1 0 0 0 0 0 0\n", i));
        }
        (void) fake_put("proc/stat", text);
}

static void put_lock_stat(const char *wait_us, unsigned acquisitions) {
        char text[2048];

        ASSERT_TRUE(text_format(
                text, sizeof(text),
                LOCK_HEAD
                "                            &zone->lock:             1              1           0.10          "
                "1.00          %s           1.00             10          %u           0.10           1.00         "
                " 10.00           0.10\n",
                wait_us, acquisitions));
        (void) fake_put("proc/lock_stat", text);
}

static void watch(unsigned i, const char *name, uint64_t scale) {
        watches[i] = (Watch){ .scope = scope_system(), .scale = scale };
        ASSERT_TRUE(text_copy(watches[i].name, sizeof(watches[i].name), text_from(name)));
        watches[i].spec = signal_spec_find(text_from(name));
        ASSERT_TRUE(watches[i].spec != NULL);
        plan.n_watches = MAX(plan.n_watches, (size_t) i + 1);
}

static void begin(void) {
        (void) fake_begin();
        plan = (Plan){ .watches = watches, .knobs = knobs };
        config = (SenseConfig){ 0 };
        facts = (MachineFacts){ .clk_tck = KNOWN(100), .page_bytes = KNOWN(4096) };
        facts.topology.n_online = 4;
        put_vmstat(1000, 0);
        put_stat(100, 1000, 0, 4);
}

static void start(void) {
        ASSERT_OK(sense_new(&fake.m, &config, &facts, &sense));
        ASSERT_OK(sense_plan(sense, &plan));
        ASSERT_OK(sense_tick(sense, 0, &frame));
}

static void later(unsigned seconds) {
        fake.now_usec += seconds * USEC_PER_SEC;
        ASSERT_OK(sense_tick(sense, 0, &frame));
}

static void end(void) {
        sense = sense_free(sense);
        arena_unmap(&fake.m.scratch);
}

/* In thousandths of the unit; -1: nothing known. */
static int64_t value(unsigned i) {
        int64_t milli;

        return reading_milli(&frame.reading[i], watches[i].scale, &milli) ? milli : -1;
}

TEST(the_first_frame_knows_no_growth) {
        begin();
        watch(0, "alloc-rate", USEC_PER_SEC);
        start();
        ASSERT_EQ_U(frame.at_usec, 1000 * USEC_PER_SEC);
        ASSERT_EQ_U(frame.interval_usec, 0);
        ASSERT_EQ_U(frame.n_online, 4);
        ASSERT_EQ_I(value(0), -1);
        ASSERT_EQ_U(frame.reading[0].evidence, EVIDENCE_NONE);
        end();
}

TEST(rates_are_growth_over_time) {
        begin();
        watch(0, "alloc-rate", USEC_PER_SEC);
        watch(1, "compact-stall", USEC_PER_SEC);
        watch(2, "kernel-cpu", PPM);
        watch(3, "kernel-cpu-per-kpage", 1000);
        watch(4, "zone-lock-use", PPM);
        start();
        put_vmstat(21000, 5);
        put_stat(300, 1600, 0, 4);
        later(2);
        ASSERT_EQ_U(frame.interval_usec, 2 * USEC_PER_SEC);
        ASSERT_EQ_I(value(0), 10000 * 1000);  /* 20000 pages in 2 s */
        ASSERT_EQ_I(value(1), 2500);          /* 5 in 2 s */
        ASSERT_EQ_I(value(2), 250000 * 1000); /* 200 of 800 ticks */
        /* 200 ticks are 2 s; over 20 kilo-pages: 0.1 s each */
        ASSERT_EQ_I(value(3), INT64_C(100000000) * 1000);
        ASSERT_EQ_I(value(4), 2000 * 1000); /* 20000 * 200 ns in 2 s: 0.2 % */
        ASSERT_EQ_U(frame.reading[3].evidence, EVIDENCE_COUNTED);
        ASSERT_EQ_U(frame.reading[4].evidence, EVIDENCE_ESTIMATED);
        end();
}

TEST(sums_of_frames_are_the_window) {
        Reading sum = { .evidence = EVIDENCE_COUNTED };
        int64_t milli;

        begin();
        watch(0, "kernel-cpu-per-kpage", 1000);
        start();
        put_vmstat(11000, 0); /* 10 kilo-pages, 0.1 s */
        put_stat(110, 1990, 0, 4);
        later(2);
        sum.num += frame.reading[0].num;
        sum.den += frame.reading[0].den;
        put_vmstat(41000, 0); /* 30 more, 0.5 s */
        put_stat(160, 3000, 0, 4);
        later(3);
        sum.num += frame.reading[0].num;
        sum.den += frame.reading[0].den;
        ASSERT_TRUE(reading_milli(&sum, 1000, &milli));
        ASSERT_EQ_I(milli, INT64_C(15000000) * 1000); /* 0.6 s over 40 kilo-pages */
        end();
}

TEST(a_counter_that_went_down_says_nothing) {
        begin();
        watch(0, "alloc-rate", USEC_PER_SEC);
        start();
        put_vmstat(500, 0);
        later(2);
        ASSERT_EQ_I(value(0), -1);
        put_vmstat(700, 0);
        later(2);
        ASSERT_EQ_I(value(0), 100 * 1000);
        end();
}

TEST(a_cpu_that_came_or_went_voids_its_interval) {
        begin();
        watch(0, "kernel-cpu", PPM);
        start();
        put_stat(300, 1600, 0, 3);
        later(2);
        ASSERT_EQ_I(value(0), -1);
        ASSERT_TRUE(frame.hotplug);
        ASSERT_TRUE(sense_replan_due(sense));
        ASSERT_EQ_U(frame.n_online, 3);
        put_stat(400, 1900, 0, 3);
        later(2);
        ASSERT_EQ_I(value(0), 250000 * 1000);
        ASSERT_FALSE(frame.hotplug);
        ASSERT_OK(sense_plan(sense, &plan));
        ASSERT_FALSE(sense_replan_due(sense));
        end();
}

TEST(stolen_time_voids_the_cost) {
        begin();
        watch(0, "kernel-cpu-per-kpage", 1000);
        watch(1, "cpu-steal", PPM);
        start();
        put_vmstat(21000, 0);
        put_stat(300, 1550, 50, 4); /* 50 of 800: 6.25 % */
        later(2);
        ASSERT_EQ_I(value(0), -1);
        ASSERT_EQ_I(value(1), 62500 * 1000);
        put_vmstat(41000, 0);
        put_stat(500, 2110, 90, 4); /* 40 of 800: 5 %, just not too much */
        later(2);
        ASSERT_TRUE(value(0) > 0);
        end();
}

TEST(lock_waits_are_shares_of_cpu_time_and_costs_of_pages) {
        begin();
        watch(0, "zone-lock-wait", PPM);
        watch(1, "zone-lock-wait-per-kpage", 1000);
        watch(2, "zone-lock-holds", 1000);
        put_lock_stat("1000.00", 100);
        start();
        put_vmstat(21000, 0);
        put_lock_stat("401000.00", 500); /* 0.4 s of 2 s on 4 CPUs */
        later(2);
        ASSERT_EQ_I(value(0), 50000 * 1000);
        ASSERT_EQ_I(value(1), INT64_C(20000000) * 1000); /* 0.4 s over 20 kilo-pages */
        ASSERT_EQ_I(value(2), 20 * 1000);                /* 400 over 20 */
        ASSERT_EQ_U(frame.reading[0].evidence, EVIDENCE_MEASURED);
        ASSERT_EQ_U(frame.reading[1].evidence, EVIDENCE_MEASURED);
        ASSERT_EQ_U(frame.reading[2].evidence, EVIDENCE_COUNTED);
        end();
}

TEST(no_lock_stat_no_wait) {
        begin();
        watch(0, "zone-lock-wait", PPM);
        start();
        put_vmstat(21000, 0);
        later(2);
        ASSERT_EQ_I(value(0), -1);
        (void) fake_put(
                "proc/lock_stat",
                "*WARNING* lock debugging disabled!! - possibly due to a lockdep warning\n" LOCK_HEAD);
        later(2);
        later(2);
        ASSERT_EQ_I(value(0), -1);
        end();
}

TEST(reports_stand_in_for_what_nothing_measures) {
        begin();
        watch(0, "zone-lock-wait", PPM);
        watch(1, "list-lock-wait", PPM);
        watches[1].scope = scope_cache("kmalloc-64");
        watch(2, "zone-lock-wait-per-kpage", 1000);
        (void) fake_put(
                "signals.json",
                "[ { \"name\": \"zone-lock-wait\", \"value\": 120000, \"unit\": \"ppm\" },\n"
                "  { \"name\": \"list-lock-wait\", \"scope\": \"cache:kmalloc-64\", \"value\": 30000 } ]\n");
        start();
        put_vmstat(21000, 0);
        later(2);
        ASSERT_EQ_I(value(0), 120000 * 1000);
        ASSERT_EQ_I(value(1), 30000 * 1000);
        /* 12 % of 8 CPU-seconds are 0.96 s; over 20 kilo-pages 48 ms */
        ASSERT_EQ_I(value(2), INT64_C(48000000) * 1000);
        ASSERT_EQ_U(frame.reading[0].evidence, EVIDENCE_MEASURED);
        ASSERT_FALSE(sense_replan_due(sense));
        (void) fake_put("signals.json", "[ ]\n"); /* whoever measured it has gone */
        later(60);
        ASSERT_TRUE(sense_replan_due(sense));
        ASSERT_FALSE(frame.hotplug);
        ASSERT_EQ_I(value(0), -1);
        end();
}

TEST(an_external_number_has_an_age) {
        static const SenseExternal externals[] = { { .name = "p99",
                                                     .path = "/run/p99",
                                                     .max_age_usec = 5 * USEC_PER_SEC,
                                                     .evidence = EVIDENCE_MEASURED } };
        FakeFile *f;

        begin();
        config.externals = externals;
        config.n_externals = 1;
        watch(0, "external:p99", 1);
        start();
        ASSERT_EQ_I(value(0), -1); /* no such file yet */
        f = fake_put("run/p99", "1234\n");
        later(2);
        ASSERT_EQ_I(value(0), 1234 * 1000);
        ASSERT_EQ_U(frame.reading[0].evidence, EVIDENCE_MEASURED);
        f->age_usec = 6 * USEC_PER_SEC;
        later(2);
        ASSERT_EQ_I(value(0), -1);
        f->age_usec = 5 * USEC_PER_SEC;
        later(2);
        ASSERT_EQ_I(value(0), 1234 * 1000);
        (void) fake_put("run/p99", "many\n");
        later(2);
        ASSERT_EQ_I(value(0), -1);
        end();
}

TEST(knobs_are_read_rarely_but_ours_in_every_tick) {
        begin();
        plan.n_knobs = 2;
        for (unsigned i = 0; i < 2; i++) {
                knobs[i] = (PlanKnob){ .spec = knob_spec_find(TEXT("pcp-high-fraction")) };
                ASSERT_TRUE(
                        text_format(knobs[i].path, sizeof(knobs[i].path), "proc/sys/vm/k%u", i));
        }
        (void) fake_put("proc/sys/vm/k0", "8\n");
        start();
        ASSERT_TRUE(frame.knob[0].known && !frame.knob[0].gone);
        ASSERT_EQ_I(frame.knob[0].value, 8);
        ASSERT_TRUE(!frame.knob[1].known && frame.knob[1].gone);
        later(2);
        ASSERT_FALSE(frame.knob[0].known || frame.knob[1].gone);
        sense_own(sense, 0, true);
        (void) fake_put("proc/sys/vm/k0", "16\n");
        later(2);
        ASSERT_TRUE(frame.knob[0].known);
        ASSERT_EQ_I(frame.knob[0].value, 16);
        sense_own(sense, 0, false);
        later(55); /* 59 s after the first look */
        ASSERT_FALSE(frame.knob[0].known);
        later(1);
        ASSERT_TRUE(frame.knob[0].known);
        end();
}

static void put_zoneinfo(unsigned free, unsigned managed, unsigned count) {
        char text[1024];

        ASSERT_TRUE(text_format(text, sizeof(text),
                                "Node 0, zone   Normal\n  pages free     %u\n        min      100\n"
                                "        low      200\n        high     300\n        spanned  %u\n"
                                "        present  %u\n        managed  %u\n  pagesets\n    cpu: 0\n"
                                "              count: %u\n              high:  378\n"
                                "              batch: 63\n  vm stats threshold: 4\n",
                                free, managed, managed, managed, count));
        (void) fake_put("proc/zoneinfo", text);
}

TEST(lists_are_looked_at_rarely_or_when_asked) {
        begin();
        watch(0, "pcp-parked", 1);
        watches[0].gauge = true;
        put_zoneinfo(250, 10000, 100);
        start();
        ASSERT_EQ_I(value(0), 10000 * 1000); /* 100 of 10000 pages */
        ASSERT_TRUE(frame.guard.parked_ppm.known && frame.guard.parked_ppm.value == 10000);
        /* half the way from 200 to 300 */
        ASSERT_TRUE(frame.guard.free_level_ppm.known && frame.guard.free_level_ppm.value == 500000);
        put_zoneinfo(250, 10000, 300);
        later(2);
        ASSERT_EQ_I(value(0), -1);
        ASSERT_FALSE(frame.guard.parked_ppm.known);
        ASSERT_TRUE(sense_last(sense)->zoneinfo != NULL);
        fake.now_usec += 2 * USEC_PER_SEC;
        ASSERT_OK(sense_tick(sense, 1u << SENSE_ZONEINFO, &frame));
        ASSERT_EQ_I(value(0), 30000 * 1000);
        for (unsigned i = 0; i < 4; i++) {
                later(2); /* the text of that tick is gone, what the look saw stands in */
                ASSERT_TRUE(sense_last(sense)->zoneinfo != NULL);
        }
        put_zoneinfo(250, 20000, 300);
        later(60);
        ASSERT_EQ_I(value(0), 15000 * 1000);
        ASSERT_TRUE(frame.hotplug && sense_replan_due(sense)); /* memory came */
        end();
}

TEST(failed_allocations_of_the_log_are_counted_once) {
        begin();
        start();
        ASSERT_FALSE(frame.guard.failures.known);
        (void) fake_put("kmsg", "[    1.0] Linux\n");
        later(2);
        (void) fake_put(
                "kmsg",
                "[    1.0] Linux\n"
                "[    9.0] app: page allocation failure: order:3, mode:0x40dc0(GFP_KERNEL)\n"
                "[    9.1] app: page allocation failure: order:0, mode:0x40dc0(GFP_KERNEL)\n");
        later(2);
        ASSERT_TRUE(frame.guard.failures.known);
        ASSERT_EQ_U(frame.guard.failures.value, 2);
        later(2);
        ASSERT_EQ_U(frame.guard.failures.value, 0);
        end();
}

TEST_MAIN()
