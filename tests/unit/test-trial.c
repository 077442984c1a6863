/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trial/trial.h"

#include <math.h>

#include "base/ln.h"
#include "test.h"

static const TrialSpec spec = { .looks = { 3, 6, 12 }, .least_gain_ppm = 20000 };

static int64_t random_d(Random *r, int64_t most) {
        return (int64_t) random_below(r, (uint32_t) (2 * most + 1)) - most;
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
        ASSERT_EQ_U(o.windows, 12);
        ASSERT_EQ_U(o.trial.n, 3);
        for (unsigned i = 0; i < 6; i++) /* ln 0.95 = -0.0512933, of two rounded logarithms */
                ASSERT_TRUE(o.trial.pair[i] >= -51294 && o.trial.pair[i] <= -51293);
}

TEST(an_arm_that_does_nothing_is_futile_at_the_first_look) {
        Outcome o = run(&spec, 1e8, 1e8, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        ASSERT_EQ_U(o.windows, 12);
}

TEST(a_gain_between_a_third_of_the_least_and_the_least_is_rejected_at_the_end) {
        Outcome o = run(&spec, 1e8, 0.985e8, 1, 1);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_REJECT);
        ASSERT_EQ_U(o.windows, 48);
}

TEST(looks_are_where_the_policy_says) {
        TrialSpec s = spec;
        Outcome o;

        s.looks[0] = 7;
        s.looks[1] = 8;
        s.looks[2] = 9;
        o = run(&s, 1e8, 0.95e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_EQ_U(o.trial.n, 7);
        o = run(&s, 1e8, 1e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        ASSERT_EQ_U(o.trial.n, 7);
        o = run(&s, 1e8, 0.985e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_REJECT);
        ASSERT_EQ_U(o.trial.n, 9);
        s.looks[0] = 2; /* four pairs: 1/16 at best, never enough */
        o = run(&s, 1e8, 0.5e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_EQ_U(o.trial.n, 8);
}

TEST(much_worse_ends_it_at_once) {
        Outcome o = run(&spec, 1e8, 1.5e8, 1, 1); /* ln 1.5 = 0.405 */

        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_U(o.windows, 4);
        o = run(&spec, 1e8, 1.12e8, 1, 1); /* ln 1.12 = 0.113: the mean of two quads */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_U(o.windows, 8);
        o = run(&spec, 1e8, 1.09e8, 1, 1); /* 0.086: the two quads speak against it */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        ASSERT_EQ_U(o.windows, 8);
}

/* The d of pairs as they are to come, millionths. */
static Outcome run_d(const int64_t *d, unsigned n) {
        Outcome o = { .status = TRIAL_STATUS_GO_ON };
        Random r;

        random_seed(&r, 12, 1);
        trial_begin(&o.trial, &spec, &r);
        while (o.status == TRIAL_STATUS_GO_ON && o.windows < 2 * n) {
                double ln = trial_arm(&o.trial) == TRIAL_B ? (double) d[o.windows / 2] / 1e6 : 0;
                TrialWindow w = { .cost_milli = llround(1e9 * exp(ln)) };

                o.status = trial_window(&o.trial, &w, &r);
                o.windows++;
        }
        return o;
}

TEST(one_wild_window_is_no_proof_of_harm) {
        /* 0.9 and 0.1: mean 0.5, but one of the pairs does not say so; nor do all of the first two quads. */
        Outcome o = run_d((int64_t[]){ 900000, 100000, -10000, 20000 }, 4);

        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        ASSERT_EQ_U(o.windows, 8);
        o = run_d((int64_t[]){ 600000, 210000 }, 2);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        o = run_d((int64_t[]){ 600000, 190000 }, 2);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_GO_ON);
}

TEST(two_quads_speak_against_it_if_their_sum_is_over_half_their_size) {
        /* 30 - 10 - 10 + 10 = 20; squares 1200, root 34.6, half 17.3. */
        ASSERT_EQ_U(run_d((int64_t[]){ 30000, -10000, -10000, 10000 }, 4).status,
                    TRIAL_STATUS_FUTILE);
        /* 30 - 20 - 10 + 10 = 10; squares 1500, root 38.7, half 19.4. */
        ASSERT_EQ_U(run_d((int64_t[]){ 30000, -20000, -10000, 10000 }, 4).status,
                    TRIAL_STATUS_GO_ON);
        ASSERT_EQ_U(run_d((int64_t[]){ -30000, 10000, 10000, -10000 }, 4).status,
                    TRIAL_STATUS_GO_ON);
}

TEST(drift_adds_to_the_size_of_d_with_the_sign_of_the_throw) {
        /* 1 % a window: ln 1.01 = 0.00995. B first: d is less by that. */
        for (uint64_t seed = 1; seed < 20; seed++) {
                Outcome up = run(&spec, 1e9, 0.9e9, 1.01, seed);

                ASSERT_EQ_U(up.status, TRIAL_STATUS_ACCEPT); /* ln 0.9 = -0.10536 */
                for (unsigned i = 0; i < 2 * up.trial.n; i++)
                        ASSERT_TRUE((up.trial.pair[i] >= -105361 - 9952 &&
                                     up.trial.pair[i] <= -105361 - 9949) ||
                                    (up.trial.pair[i] >= -105361 + 9949 &&
                                     up.trial.pair[i] <= -105361 + 9952));
        }
}

TEST(the_test_takes_a_fifth_of_the_drift_around_a_pair_from_it) {
        Outcome o = run(&spec, 1e9, 1e9, 1.01, 3);

        /* ln 1.01 = 0.0099503; three steps from the window before to the one after: 0.4 of a step is left. */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        for (unsigned i = 0; i < 2 * o.trial.n; i++) {
                bool end = i == 0 || i == 2 * o.trial.n - 1;
                int64_t size = llabs(o.trial.steady[i]);

                ASSERT_EQ_I(o.trial.steady[i] > 0, o.trial.pair[i] > 0);
                ASSERT_TRUE(end ? size >= 9949 && size <= 9952 : size >= 3978 && size <= 3982);
        }
}

TEST(nothing_is_taken_across_a_void) {
        Random r;
        Trial t;

        random_seed(&r, 13, 1);
        trial_begin(&t, &spec, &r);
        for (unsigned w = 0; w < 4 + 2 + 4; w++) {
                TrialWindow window = { .cost_milli = llround(1e9 * pow(1.01, w)) };

                if (w == 6) /* the second quad is lost half way */
                        ASSERT_EQ_U(trial_void(&t, &r), TRIAL_STATUS_GO_ON);
                ASSERT_NE_U(trial_window(&t, &window, &r), TRIAL_STATUS_ABORT);
        }
        ASSERT_EQ_U(t.n, 2);
        for (unsigned i = 0; i < 4; i++)
                ASSERT_EQ_I(t.steady[i], t.pair[i]);
}

TEST(a_window_and_the_throws_around_it_do_not_touch_the_size_that_the_test_takes) {
        /* The same costs, window by window, under other throws: s has the same size. */
        for (uint64_t seed = 0; seed < 20; seed++) {
                int64_t size[8] = { 0 };

                for (uint64_t stream = 0; stream < 8; stream++) {
                        Random throws, costs;
                        Trial t;

                        random_seed(&throws, seed, stream);
                        random_seed(&costs, seed, 100);
                        trial_begin(&t,
                                    &(TrialSpec){ .looks = { 5, 6, 7 }, .least_gain_ppm = 20000 },
                                    &throws);
                        for (unsigned w = 0; w < 16 && t.n * 4 + t.window == w; w++) {
                                TrialWindow window = { .cost_milli = 1000000 +
                                                                     random_d(&costs, 50000) };

                                (void) !trial_window(&t, &window, &throws);
                        }
                        ASSERT_EQ_U(t.n, 4);
                        for (unsigned i = 0; i < 8; i++) {
                                ASSERT_TRUE(stream == 0 || llabs(t.steady[i]) == size[i]);
                                size[i] = llabs(t.steady[i]);
                        }
                }
        }
}

TEST(drift_alone_is_accepted_rarely) {
        unsigned accepted = 0;

        for (uint64_t seed = 1; seed <= 2000; seed++)
                accepted += run(&spec, 1e8, 1e8, 1.03, seed).status == TRIAL_STATUS_ACCEPT;
        ASSERT_LE_U(accepted, 100 + 3 * 10); /* 5 %, deviation 9.7 */
}

TEST(each_pair_has_both_arms_and_all_four_orders_of_a_quad_occur) {
        unsigned seen[4] = { 0 }, n = 800;
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
                ASSERT_NE_U(arm[0], arm[1]);
                ASSERT_NE_U(arm[2], arm[3]);
                seen[2 * (arm[0] == TRIAL_A) + (arm[2] == TRIAL_A)]++;
        }
        for (unsigned i = 0; i < 4; i++) /* deviation 12.2 */
                ASSERT_TRUE(seen[i] > 200 - 74 && seen[i] < 200 + 74);
}

TEST(more_is_better_turns_the_sign) {
        TrialSpec s = spec;
        Outcome o;

        s.higher_is_better = true;
        o = run(&s, 1e8, 1.06e8, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ACCEPT);
        ASSERT_TRUE(o.trial.pair[0] >= -58270 &&
                    o.trial.pair[0] <= -58268); /* ln 1.06 = 0.0582689 */
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
        ASSERT_EQ_I(o.trial.pair[0], -693147);
        o = run(&s, 0, 0, 1, 1);
        ASSERT_EQ_U(o.status, TRIAL_STATUS_FUTILE);
        o = run(&s, 3000, 7000, 1, 1); /* ln 8/4 */
        ASSERT_EQ_U(o.status, TRIAL_STATUS_ABORT);
        ASSERT_EQ_I(o.trial.pair[0], 693147);
}

TEST(a_rate_that_moves_more_than_three_times_in_a_quad_voids_it_unless_an_arm_can_have_done_it) {
        static const uint64_t rates[][4] = {
                { 1000, 1000, 3000, 1000 }, /* just not */
                { 1000, 1000, 3001, 1000 },
                { 3001, 3001, 0, 1000 }, /* one is not known */
                { 0, 0, 0, 0 },
                { 1, UINT64_MAX, 1, 1 },
                { 100, 5000, 100, 5000 }, /* the arm does it: ABAB ... */
                { 100, 5000, 5000, 100 }, /* ... or ABBA */
                { 5000, 5000, 100, 100 }, /* no order of arms does */
        };
        static const unsigned n_void[] = { 0, 1, 1, 0, 1, 0, 0, 1 };

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
        ASSERT_EQ_I(t.pair[0], 0);
        ASSERT_EQ_I(t.pair[1], 0);
        ASSERT_EQ_U(t.n_watch[0], 0);
        ASSERT_EQ_U(trial_void(&t, &r), TRIAL_STATUS_INCONCLUSIVE);
}

/* Quads with the same watch value in all windows of an arm; negative: unknown. `lose`: of how many quads one window is unknown. */
static Trial watched(int64_t a, int64_t b, unsigned n_quads, unsigned lose) {
        Random r;
        Trial t;

        random_seed(&r, 8, 1);
        trial_begin(&t, &spec, &r);
        for (unsigned w = 0; w < 4 * n_quads; w++) {
                TrialWindow window = { .cost_milli = 1000, .n_watch = 2 };

                window.watch_milli[0] = -1;
                window.watch_milli[1] = trial_arm(&t) == TRIAL_B ? b : a;
                if (w % 4 == 0 && w / 4 < lose)
                        window.watch_milli[1] = -1;
                ASSERT_EQ_U(trial_window(&t, &window, &r), TRIAL_STATUS_GO_ON);
        }
        return t;
}

TEST(a_signal_that_must_not_rise) {
        Trial t = watched(50000, 50001, 2, 0); /* four pairs, all up: 1/16 */

        ASSERT_TRUE(trial_watch_rose(&t, 1));
        ASSERT_FALSE(trial_watch_rose(&t, 0));                 /* not known */
        ASSERT_FALSE(trial_watch_rose(&t, 2));                 /* not there */
        ASSERT_FALSE(trial_watch_rose(&t, TRIAL_WATCHES_MAX)); /* no such */
        t = watched(50000, 50000, 2, 0);
        ASSERT_FALSE(trial_watch_rose(&t, 1));
        t = watched(50000, 1, 2, 0);
        ASSERT_FALSE(trial_watch_rose(&t, 1));
        t = watched(0, 1000, 2, 0);
        ASSERT_TRUE(trial_watch_rose(&t, 1));
        t = watched(50000, 90000, 1, 0); /* two pairs can be had by chance: 1/4 */
        ASSERT_FALSE(trial_watch_rose(&t, 1));
        t = watched(50000, 90000, 2, 1); /* and half a quad is none */
        ASSERT_FALSE(trial_watch_rose(&t, 1));
}

/* Of three pairs, d 5, 5 and -1 (of some unit): as large a sum have +++ and ++-, 2/8; of 5, 5 and 5 only one, 1/8. */
TEST(a_rise_that_signs_explain_is_none) {
        Trial t = { .n_watch = { 3, 3, 3 },
                    .watch_pair = { { 5, 5, -1 }, { 5, 5, 5 }, { -5, -5, -5 } } };

        ASSERT_FALSE(trial_watch_rose(&t, 0));
        ASSERT_TRUE(trial_watch_rose(&t, 1));
        ASSERT_FALSE(trial_watch_rose(&t, 2));
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
