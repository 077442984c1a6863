/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trial/trial.h"

#include "base/ln.h"
#include "test.h"

static const TrialSpec spec = { .looks = { 6, 9, 12 }, .least_gain_ppm = 20000 };

/* The test as its definition says it: every pattern of signs of |d|, its sum from scratch. */
static unsigned signflip_slow(const int64_t *d, unsigned n) {
        int64_t seen = 0;
        unsigned count = 0;

        for (unsigned i = 0; i < n; i++)
                seen += d[i];
        for (unsigned pattern = 0; pattern < 1u << n; pattern++) {
                int64_t sum = 0;

                for (unsigned i = 0; i < n; i++) {
                        int64_t size = d[i] < 0 ? -d[i] : d[i];

                        sum += pattern >> i & 1 ? size : -size;
                }
                count += sum <= seen;
        }
        return count;
}

static int64_t random_d(Random *r, int64_t most) {
        return (int64_t) random_below(r, (uint32_t) (2 * most + 1)) - most;
}

TEST(all_quads_for_b_is_one_pattern_of_all) {
        static const int64_t d[] = { -1, -2, -30, -4, -5, -600 };

        for (unsigned n = 1; n <= 6; n++)
                ASSERT_EQ_U(signflip_count(d, n), 1);
        ASSERT_EQ_U(signflip_count(d, 0), 1); /* of one */
}

TEST(a_table_by_hand) {
        /* |d| = 1, 2, 3; sums of the eight patterns: -6 -4 -2 0 0 2 4 6. */
        ASSERT_EQ_U(signflip_count((int64_t[]){ -1, -2, -3 }, 3), 1);
        ASSERT_EQ_U(signflip_count((int64_t[]){ 1, -2, -3 }, 3), 2);
        ASSERT_EQ_U(signflip_count((int64_t[]){ -1, 2, -3 }, 3), 3);
        ASSERT_EQ_U(signflip_count((int64_t[]){ 1, 2, -3 }, 3), 5); /* ties count as good as it */
        ASSERT_EQ_U(signflip_count((int64_t[]){ -1, -2, 3 }, 3), 5);
        ASSERT_EQ_U(signflip_count((int64_t[]){ 1, 2, 3 }, 3), 8);
        ASSERT_EQ_U(signflip_count((int64_t[]){ 0, 0, 0 }, 3), 8);
}

TEST(the_count_is_that_of_the_definition) {
        Random r;

        random_seed(&r, 1, 1);
        for (unsigned round = 0; round < 400; round++) {
                int64_t d[TRIAL_QUADS_MAX];
                unsigned n = 1 + random_below(&r, TRIAL_QUADS_MAX);
                int64_t most = round % 2 ? 5 : 100000; /* with many ties and with few */

                for (unsigned i = 0; i < n; i++)
                        d[i] = random_d(&r, most);
                ASSERT_EQ_U(signflip_count(d, n), signflip_slow(d, n));
        }
}

TEST(extreme_differences_do_not_overflow) {
        int64_t d[TRIAL_QUADS_MAX];

        for (unsigned i = 0; i < TRIAL_QUADS_MAX; i++)
                d[i] = INT64_MIN;
        ASSERT_EQ_U(signflip_count(d, TRIAL_QUADS_MAX), 1);
        ASSERT_EQ_U(signflip_count(d, 1000), 1);
        d[0] = INT64_MAX;
        ASSERT_TRUE(signflip_count(d, TRIAL_QUADS_MAX) > 1);
}

/* p <= limit / 2^n for theta: all d less theta. */
static bool too_low(const int64_t *d, unsigned n, int64_t theta, int turn) {
        int64_t less[TRIAL_QUADS_MAX];

        for (unsigned i = 0; i < n; i++)
                less[i] = turn * (d[i] - theta);
        return signflip_slow(less, n) * 40 <= 1u << n;
}

TEST(the_interval_is_where_the_test_does_not_reject_at_2_5_percent_a_side) {
        Random r;

        random_seed(&r, 2, 1);
        for (unsigned round = 0; round < 60; round++) {
                Trial t = { .n = 6 + random_below(&r, 7) };
                int64_t mean, low, high, sum = 0;

                for (unsigned i = 0; i < t.n; i++)
                        sum += t.d[i] = random_d(&r, 1000);
                ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                ASSERT_EQ_I(mean, sum / (int64_t) t.n);
                /* Inside (rounded outwards by less than one): not rejected; one outside: rejected. */
                ASSERT_FALSE(too_low(t.d, t.n, high - 1, 1));
                ASSERT_TRUE(too_low(t.d, t.n, high + 1, 1));
                ASSERT_FALSE(too_low(t.d, t.n, low + 1, -1));
                ASSERT_TRUE(too_low(t.d, t.n, low - 1, -1));
        }
}

TEST(with_six_quads_the_interval_is_their_range) {
        Trial t = { .n = 6, .d = { -5, -1, -9, 3, -2, 0 } };
        int64_t mean, low, high;

        ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
        ASSERT_EQ_I(low, -9);
        ASSERT_EQ_I(high, 3);
        ASSERT_EQ_I(mean, -2); /* -14 / 6 */
        t.n = 5;
        ASSERT_FALSE(trial_effect(&t, &mean, &low, &high));
}

TEST(the_interval_holds_the_truth_in_at_least_95_percent) {
        unsigned n = 0;
        Random r;

        random_seed(&r, 3, 1);
        for (unsigned round = 0; round < 2000; round++) {
                Trial t = { .n = 9 };
                int64_t mean, low, high;

                for (unsigned i = 0; i < t.n; i++)
                        t.d[i] = 70 + random_d(&r, 1000) + random_d(&r, 1000);
                ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                n += low <= 70 && high >= 70;
        }
        ASSERT_GE_U(n, 1900 - 3 * 10); /* deviation 9.7 */
        ASSERT_LE_U(n, 1990);          /* and is not so wide that it says nothing */
}

/* Runs a trial on costs a and b (thousandths), each window times drift_ppm more than the one before. */
typedef struct Outcome {
        TrialStatus status;
        Trial trial;
        unsigned windows;
} Outcome;

static Outcome run(const TrialSpec *s, double a, double b, double drift, uint64_t seed) {
        Outcome o = { .status = TRIAL_STATUS_GO_ON };
        double factor = 1;
        Random r;

        random_seed(&r, seed, 1);
        trial_begin(&o.trial, s, &r);
        while (o.status == TRIAL_STATUS_GO_ON && o.windows < 100) {
                double cost = trial_arm(&o.trial) == TRIAL_B ? b : a;
                TrialWindow w = { .cost_milli = (int64_t) (cost * factor + 0.5) };

                o.status = trial_window(&o.trial, &w, &r);
                factor *= drift;
                o.windows++;
        }
        return o;
}

TEST(a_gain_of_five_percent_without_noise_is_accepted_at_the_first_look) {
        Outcome o = run(&spec, 1e8, 0.95e8, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_EQ_U(o.windows, 24);
        ASSERT_EQ_U(o.trial.n, 6);
        for (unsigned i = 0; i < 6; i++)
                ASSERT_TRUE(o.trial.d[i] >= -51294 &&
                            o.trial.d[i] <= -51293); /* ln 0.95 = -0.0512933 */
}

TEST(an_arm_that_does_nothing_is_futile_at_the_first_look) {
        Outcome o = run(&spec, 1e8, 1e8, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        ASSERT_EQ_U(o.windows, 24);
}

TEST(a_gain_between_a_third_of_the_least_and_the_least_is_rejected_at_the_end) {
        Outcome o = run(&spec, 1e8, 0.985e8, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_REJECT);
        ASSERT_EQ_U(o.windows, 48);
}

TEST(much_worse_ends_it_at_once) {
        Outcome o = run(&spec, 1e8, 1.5e8, 1, 1); /* ln 1.5 = 0.405 */

        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_U(o.windows, 4);
        o = run(&spec, 1e8, 1.12e8, 1, 1); /* ln 1.12 = 0.113: the mean of three */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_U(o.windows, 12);
        o = run(&spec, 1e8, 1.09e8, 1, 1); /* 0.086 */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
}

TEST(drift_that_is_linear_in_ln_cancels) {
        /* 2 % a window, either way: before/after would see 4 to 8 %. Rounding of the cost: one in 10^6. */
        for (uint64_t seed = 1; seed < 20; seed++) {
                Outcome up = run(&spec, 1e9, 0.95e9, 1.02, seed),
                        down = run(&spec, 1e9, 1e9, 0.98, seed);

                ASSERT_EQ_U(up.status, TRIAL_STATUS_ACCEPT);
                for (unsigned i = 0; i < up.trial.n; i++)
                        ASSERT_TRUE(up.trial.d[i] > -51300 && up.trial.d[i] < -51286);
                ASSERT_EQ_U(down.status, TRIAL_STATUS_FUTILE);
                for (unsigned i = 0; i < down.trial.n; i++)
                        ASSERT_TRUE(down.trial.d[i] > -8 && down.trial.d[i] < 8);
        }
}

TEST(both_orders_occur_and_each_has_two_windows_of_each_arm) {
        unsigned n_abba = 0, n = 400;
        Random r;

        random_seed(&r, 5, 1);
        for (unsigned i = 0; i < n; i++) {
                TrialArm arm[4];
                Trial t;

                trial_begin(&t, &spec, &r);
                for (unsigned w = 0; w < 4; w++) {
                        TrialWindow window = { .cost_milli = 1000000 };

                        arm[w] = trial_arm(&t);
                        ASSERT_EQ_U(trial_window(&t, &window, &r), TRIAL_STATUS_GO_ON);
                }
                ASSERT_EQ_U(arm[0], arm[3]);
                ASSERT_EQ_U(arm[1], arm[2]);
                ASSERT_NE_U(arm[0], arm[1]);
                n_abba += arm[0] == TRIAL_A;
        }
        ASSERT_TRUE(n_abba > 200 - 60 && n_abba < 200 + 60); /* deviation 10 */
}

TEST(more_is_better_turns_the_sign) {
        TrialSpec s = spec;
        Outcome o;

        s.higher_is_better = true;
        o = run(&s, 1e8, 1.06e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_EQ_I(o.trial.d[0], -58269); /* ln 1.06 = 0.0582689 */
        o = run(&s, 1e8, 0.5e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        o = run(&s, 1e8, 0, 1, 1); /* nothing at all gets done */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
}

TEST(a_cost_of_nothing_is_no_gain_where_it_cannot_be) {
        Outcome o = run(&spec, 1e8, 0, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_INCONCLUSIVE);
        ASSERT_EQ_U(o.trial.n, 0);
        ASSERT_EQ_U(o.trial.n_void, 4);
        o = run(&spec, 1e8, -5000, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_INCONCLUSIVE);
}

TEST(costs_that_may_be_nothing_are_counted_with_one_unit_more) {
        TrialSpec s = spec;
        Outcome o;

        s.zero_costs = true;
        o = run(&s, 1000, 0, 1, 1); /* 1 against 0: ln 1 - ln 2 */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_EQ_I(o.trial.d[0], -693147);
        o = run(&s, 0, 0, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        o = run(&s, 3000, 7000, 1, 1); /* ln 8/4 */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_I(o.trial.d[0], 693147);
}

TEST(a_rate_that_moves_more_than_three_times_in_a_quad_voids_it) {
        static const uint64_t rates[][4] = {
                { 1000, 1000, 3000, 1000 }, /* just not */
                { 1000, 1000, 3001, 1000 },
                { 3001, 3000, 0, 1000 }, /* one is not known */
                { 0, 0, 0, 0 },
                { 1, UINT64_MAX, 1, 1 },
        };
        static const unsigned n_void[] = { 0, 1, 1, 0, 1 };

        for (unsigned row = 0; row < ELEMENTSOF(rates); row++) {
                Random r;
                Trial t;

                random_seed(&r, 6, row);
                trial_begin(&t, &spec, &r);
                for (unsigned w = 0; w < 4; w++) {
                        TrialWindow window = { .cost_milli = 1000, .rate_milli = rates[row][w] };

                        ASSERT_EQ_U(trial_window(&t, &window, &r), TRIAL_STATUS_GO_ON);
                        if (t.n_void > 0)
                                break;
                }
                ASSERT_EQ_U(t.n_void, n_void[row]);
                ASSERT_EQ_U(t.n, 1 - n_void[row]);
                ASSERT_EQ_U(t.window, 0);
        }
}

TEST(the_fourth_void_ends_the_trial_and_a_void_leaves_no_trace_in_the_next_quad) {
        TrialWindow wild = {
                .cost_milli = 999999999, .rate_milli = 5, .watch_milli = { 7 }, .n_watch = 1
        };
        Random r;
        Trial t;

        random_seed(&r, 7, 1);
        trial_begin(&t, &spec, &r);
        for (unsigned i = 0; i < 3; i++) {
                ASSERT_EQ_U(trial_window(&t, &wild, &r), TRIAL_STATUS_GO_ON);
                ASSERT_EQ_U(trial_void(&t, &r), TRIAL_STATUS_GO_ON);
        }
        for (unsigned w = 0; w < 4; w++) {
                TrialWindow calm = { .cost_milli = 1000, .rate_milli = 9999999 };

                ASSERT_EQ_U(trial_window(&t, &calm, &r), TRIAL_STATUS_GO_ON);
        }
        ASSERT_EQ_U(t.n, 1);
        ASSERT_EQ_I(t.d[0], 0);
        ASSERT_EQ_U(t.n_watch_a[0], 0);
        ASSERT_EQ_U(trial_void(&t, &r), TRIAL_STATUS_INCONCLUSIVE);
}

/* A quad with the same watch value in all windows of an arm; negative: unknown. */
static Trial watched(int64_t a, int64_t b, bool lose_one) {
        Random r;
        Trial t;

        random_seed(&r, 8, 1);
        trial_begin(&t, &spec, &r);
        for (unsigned w = 0; w < 4; w++) {
                TrialWindow window = { .cost_milli = 1000, .n_watch = 2 };

                window.watch_milli[0] = -1;
                window.watch_milli[1] = trial_arm(&t) == TRIAL_B ? b : a;
                if (lose_one && w == 0)
                        window.watch_milli[1] = -1;
                ASSERT_EQ_U(trial_window(&t, &window, &r), TRIAL_STATUS_GO_ON);
        }
        return t;
}

TEST(a_signal_that_must_not_rise) {
        Trial t = watched(50000, 50001, false);

        ASSERT_TRUE(trial_watch_rose(&t, 1));
        ASSERT_FALSE(trial_watch_rose(&t, 0)); /* not known */
        ASSERT_FALSE(trial_watch_rose(&t, 2)); /* not there */
        ASSERT_FALSE(trial_watch_rose(&t, 8)); /* no such */
        t = watched(50000, 50000, false);
        ASSERT_FALSE(trial_watch_rose(&t, 1));
        t = watched(50000, 1, false);
        ASSERT_FALSE(trial_watch_rose(&t, 1));
        t = watched(0, 1000, false);
        ASSERT_TRUE(trial_watch_rose(&t, 1));
        t = watched(50000, 90000, true); /* half a quad would let drift through */
        ASSERT_FALSE(trial_watch_rose(&t, 1));
}

TEST(any_windows_give_an_end) {
        Random r;

        random_seed(&r, 9, 1);
        for (unsigned round = 0; round < 300; round++) {
                TrialSpec s = { .looks = { random_below(&r, 20), random_below(&r, 20),
                                           random_below(&r, 20) },
                                .least_gain_ppm = random_d(&r, 1000000),
                                .zero_costs = random_coin(&r),
                                .higher_is_better = random_coin(&r) };
                TrialStatus status = TRIAL_STATUS_GO_ON;
                unsigned windows = 0;
                Trial t;

                trial_begin(&t, &s, &r);
                while (status == TRIAL_STATUS_GO_ON && windows++ < 200) {
                        int64_t big = (int64_t) (((uint64_t) random_u32(&r) << 32 |
                                                  random_u32(&r)) >>
                                                 random_below(&r, 64));
                        TrialWindow w = { .cost_milli = big,
                                          .rate_milli = random_u32(&r),
                                          .n_watch = random_u32(&r) };

                        for (unsigned i = 0; i < 8; i++)
                                w.watch_milli[i] = big;
                        status = trial_window(&t, &w, &r);
                }
                ASSERT_NE_U(status, TRIAL_STATUS_GO_ON);
                ASSERT_LE_U(t.n, TRIAL_QUADS_MAX);
        }
}

TEST_MAIN()
