/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/number.h"
#include "core/engine/budget.h"
#include "core/engine/gate.h"
#include "test.h"

/* One policy with two targets over four watches: the waits, the use of the lock and kernel CPU. */
enum { WAIT, KPAGE, USE, KCPU, N_WATCHES };

typedef struct Bench {
        Policy policy;
        Watch watches[N_WATCHES];
        Plan plan;
        PlanController c;
        Reading reading[N_WATCHES];
        Frame frame;
        Gate gate;
} Bench;

static void bench_init(Bench *b) {
        static const struct {
                const char *name;
                uint64_t scale;
        } names[] = { { "zone-lock-wait", 1000000 },
                      { "zone-lock-wait-per-kpage", 1000 },
                      { "zone-lock-use", 1 },
                      { "kernel-cpu", 1000000 } };

        memset(b, 0, sizeof(*b));
        policy_init(&b->policy);
        b->policy.n_targets = 2;
        b->policy.target[0] = (PolicyTarget){
                .hot = 20000, .cool = 10000, .windows_hot = 3, .windows_cool = 6
        };
        b->policy.target[1] = (PolicyTarget){
                .hot = 100000, .cool = 50000, .windows_hot = 3, .windows_cool = 6
        };
        b->policy.gate.smooth_usec = 0;
        for (unsigned i = 0; i < N_WATCHES; i++) {
                b->watches[i].spec = signal_spec_find(text_from(names[i].name));
                b->watches[i].scale = names[i].scale;
        }
        b->plan = (Plan){ .watches = b->watches, .n_watches = N_WATCHES };
        b->c = (PlanController){ .policy = &b->policy,
                                 .window_usec = 10 * USEC_PER_SEC,
                                 .target = { WAIT, KPAGE },
                                 .fallback = { USE },
                                 .cost = PLAN_NONE,
                                 .use = USE,
                                 .kernel_cpu = KCPU,
                                 .lead_wait = WAIT,
                                 .expected_share_ppm = 500000 };
        b->frame = (Frame){ .reading = b->reading, .n_online = 64 };
        b->reading[USE] = (Reading){ 500000, 1, EVIDENCE_ESTIMATED };
        b->reading[KCPU] = (Reading){ 50, 100, EVIDENCE_COUNTED };
}

/* A window with the wait as a share of CPU time in ppm and in us per 1,000 pages. */
static bool window(Bench *b, uint64_t ppm, uint64_t us, Evidence evidence) {
        b->frame.at_usec += 10 * USEC_PER_SEC;
        b->frame.interval_usec = 10 * USEC_PER_SEC;
        b->reading[WAIT] = (Reading){ ppm, 1000000, evidence };
        b->reading[KPAGE] = (Reading){ us * 1000 * 1000, 1000000, evidence };
        return gate_frame(&b->gate, &b->c, &b->plan, &b->frame);
}

TEST(all_targets_must_be_hot_for_their_windows) {
        Bench b;

        bench_init(&b);
        ASSERT_FALSE(window(&b, 30000, 200, EVIDENCE_MEASURED)); /* begins the first window */
        for (unsigned i = 0; i < 3; i++) {
                ASSERT_FALSE(b.gate.hot);
                ASSERT_TRUE(window(&b, 30000, 200, EVIDENCE_MEASURED));
        }
        ASSERT_TRUE(b.gate.hot);
        bench_init(&b);
        for (unsigned i = 0; i < 20; i++)
                (void) window(&b, 30000, 99, EVIDENCE_MEASURED); /* the second never is */
        ASSERT_FALSE(b.gate.hot);
        (void) window(&b, 30000, 100, EVIDENCE_MEASURED);
        (void) window(&b, 19999, 100, EVIDENCE_MEASURED); /* breaks the row of the first */
        (void) window(&b, 20000, 100, EVIDENCE_MEASURED);
        (void) window(&b, 20000, 100, EVIDENCE_MEASURED);
        ASSERT_FALSE(b.gate.hot);
        (void) window(&b, 20000, 100, EVIDENCE_MEASURED);
        ASSERT_TRUE(b.gate.hot);
}

TEST(one_cool_target_closes_and_the_space_between_keeps_what_was) {
        Bench b;

        bench_init(&b);
        for (unsigned i = 0; i < 4; i++)
                (void) window(&b, 30000, 200, EVIDENCE_MEASURED);
        ASSERT_TRUE(b.gate.hot);
        for (unsigned i = 0; i < 50; i++)
                (void) window(&b, 15000, 70, EVIDENCE_MEASURED);
        ASSERT_TRUE(b.gate.hot);
        for (unsigned i = 0; i < 5; i++)
                (void) window(&b, 30000, 49, EVIDENCE_MEASURED);
        ASSERT_TRUE(b.gate.hot);
        ASSERT_FALSE(b.gate.cool);
        (void) window(&b, 30000, 49, EVIDENCE_MEASURED);
        ASSERT_FALSE(b.gate.hot);
        ASSERT_TRUE(b.gate.cool);
}

TEST(unknown_targets_are_left_out_and_without_any_the_fallback_advises) {
        Bench b;

        bench_init(&b);
        b.c.target[1] = PLAN_NONE;
        for (unsigned i = 0; i < 4; i++)
                (void) window(&b, 30000, 0, EVIDENCE_MEASURED);
        ASSERT_TRUE(b.gate.hot);
        bench_init(&b);
        b.c.target[0] = b.c.target[1] = PLAN_NONE;
        b.policy.n_fallback = 1;
        b.policy.fallback[0] = (PolicyTarget){
                .hot = 300000, .cool = 150000, .windows_hot = 3, .windows_cool = 6
        };
        for (unsigned i = 0; i < 4; i++)
                (void) window(&b, 0, 0, EVIDENCE_NONE);
        ASSERT_FALSE(b.gate.hot);
        ASSERT_TRUE(b.gate.advise);
}

TEST(evidence_below_that_of_the_policy_only_advises) {
        Bench b;

        bench_init(&b);
        for (unsigned i = 0; i < 10; i++)
                (void) window(&b, 300000, 2000, EVIDENCE_ESTIMATED);
        ASSERT_FALSE(b.gate.hot);
        ASSERT_TRUE(b.gate.advise);
}

TEST(a_reading_without_a_denominator_is_unknown_and_not_zero) {
        Bench b;
        int64_t milli = 7;
        const Reading none = { 5, 0, EVIDENCE_COUNTED }, zero = { 0, 5, EVIDENCE_COUNTED },
                      unknown = { 5, 5, EVIDENCE_NONE }, huge = { UINT64_MAX, 1, EVIDENCE_COUNTED };

        ASSERT_FALSE(reading_milli(&none, 1000, &milli));
        ASSERT_FALSE(reading_milli(&unknown, 1000, &milli));
        ASSERT_EQ_I(milli, 7);
        ASSERT_TRUE(reading_milli(&zero, 1000, &milli));
        ASSERT_EQ_I(milli, 0);
        ASSERT_TRUE(reading_milli(&huge, 1000000, &milli));
        ASSERT_EQ_I(milli, INT64_MAX);
        bench_init(&b);
        for (unsigned i = 0; i < 4; i++)
                (void) window(&b, 30000, 200, EVIDENCE_MEASURED);
        /* A minute without a reading leaves the value as it was; ten do not. */
        for (unsigned i = 0; i < 6; i++)
                (void) window(&b, 0, 0, EVIDENCE_NONE);
        ASSERT_TRUE(b.gate.hot);
        for (unsigned i = 0; i < 60; i++)
                (void) window(&b, 0, 0, EVIDENCE_NONE);
        ASSERT_FALSE(b.gate.hot);
        ASSERT_FALSE(b.gate.cool);
}

TEST(smoothing_follows_the_exponential_law) {
        Bench b;
        double y = 0;

        bench_init(&b);
        b.policy.gate.smooth_usec = 60 * USEC_PER_SEC;
        (void) window(&b, 0, 0, EVIDENCE_MEASURED);
        for (unsigned i = 0; i < 30; i++) {
                (void) window(&b, 100000, 100, EVIDENCE_MEASURED);
                y += (1e8 - y) * (1 - exp(-10.0 / 60));
                ASSERT_LE_I(llabs(b.gate.target[0].y_milli - (int64_t) y), 200);
        }
}

TEST(what_could_be_saved_must_be_worth_it_where_waits_are_measured) {
        Bench b;

        bench_init(&b);
        b.policy.target[0].hot = b.policy.target[0].cool = b.policy.target[1].hot =
                b.policy.target[1].cool = 0;
        for (unsigned i = 0; i < 5; i++)
                (void) window(&b, 1999, 1, EVIDENCE_MEASURED); /* 0.2 % is the least */
        ASSERT_EQ_U(b.gate.idle, GATE_IDLE_SAVING);
        ASSERT_FALSE(b.gate.hot);
        for (unsigned i = 0; i < 5; i++)
                (void) window(&b, 2000, 1, EVIDENCE_MEASURED);
        ASSERT_EQ_U(b.gate.idle, GATE_BUSY);
        ASSERT_TRUE(b.gate.hot);
        b.frame.n_online = 16; /* 0.2 % of 16 CPUs is 0.032 of one, 0.05 is the least */
        (void) window(&b, 2000, 1, EVIDENCE_MEASURED);
        ASSERT_EQ_U(b.gate.idle, GATE_IDLE_SAVING_CPUS);
        b.frame.n_online = 25; /* exactly 0.05 */
        (void) window(&b, 2000, 1, EVIDENCE_MEASURED);
        ASSERT_EQ_U(b.gate.idle, GATE_BUSY);
}

TEST(estimated_waits_need_a_busy_lock_and_a_busy_kernel) {
        Bench b;

        bench_init(&b);
        b.policy.evidence = EVIDENCE_ESTIMATED;
        b.reading[USE].num = 124999;
        for (unsigned i = 0; i < 5; i++)
                (void) window(&b, 300000, 2000, EVIDENCE_ESTIMATED);
        ASSERT_EQ_U(b.gate.idle, GATE_IDLE_USE);
        b.reading[USE].num = 125000;
        b.reading[KCPU].num = 4;
        (void) window(&b, 300000, 2000, EVIDENCE_ESTIMATED);
        ASSERT_EQ_U(b.gate.idle, GATE_IDLE_KERNEL_CPU);
        b.reading[KCPU].num = 5;
        (void) window(&b, 300000, 2000, EVIDENCE_ESTIMATED);
        ASSERT_EQ_U(b.gate.idle, GATE_BUSY);
        ASSERT_TRUE(b.gate.hot);
}

TEST(what_passed_in_a_gap_is_not_what_the_machine_does_now) {
        Bench b;

        bench_init(&b);
        (void) window(&b, 5000, 10, EVIDENCE_MEASURED);
        b.frame.gap = true;
        (void) window(&b, 900000, 9000, EVIDENCE_MEASURED);
        ASSERT_EQ_I(b.gate.target[0].y_milli, 5000000);
}

TEST(the_queue_goes_by_expected_saving_less_memory) {
        Bench b;

        bench_init(&b);
        (void) window(&b, 40000, 200, EVIDENCE_MEASURED);
        /* 4 % of 64 CPUs, half of it: 1.28 CPUs; each step costs 0.1 % of 64 CPUs, 0.064. */
        ASSERT_EQ_I(gate_saving_milli(&b.gate, &b.c, 64, 0), 1280);
        ASSERT_EQ_I(gate_saving_milli(&b.gate, &b.c, 64, 2), 1280 - 128);
}

TEST(a_budget_counts_events_within_its_span) {
        static uint8_t memory[4096];
        Arena arena;
        Budget b;

        arena_init(&arena, memory, sizeof(memory));
        ASSERT_OK(budget_init(&b, &arena, 2, 100));
        ASSERT_TRUE(budget_free(&b, 10));
        budget_take(&b, 10);
        budget_take(&b, 50);
        ASSERT_FALSE(budget_free(&b, 109));
        ASSERT_TRUE(budget_free(&b, 110));
        budget_take(&b, 110);
        ASSERT_FALSE(budget_free(&b, 149));
        ASSERT_TRUE(budget_free(&b, 150));
        ASSERT_OK(budget_init(&b, &arena, 0, 100));
        ASSERT_FALSE(budget_free(&b, 1000000));
}

TEST(a_gap_is_no_window) {
        Bench b;

        bench_init(&b);
        for (unsigned i = 0; i < 3; i++)
                (void) window(&b, 30000, 200, EVIDENCE_MEASURED);
        b.frame.gap = true;
        b.frame.at_usec += (usec_t) 8 * 3600 * USEC_PER_SEC;
        ASSERT_FALSE(window(&b, 30000, 200, EVIDENCE_MEASURED));
        ASSERT_FALSE(b.gate.hot);
        b.frame.gap = false;
        ASSERT_TRUE(window(&b, 30000, 200, EVIDENCE_MEASURED));
        ASSERT_TRUE(b.gate.hot);
}

TEST_MAIN()
