/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trial/trial.h"
#include "test.h"

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

TEST(all_pairs_for_b_is_one_pattern_of_all) {
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
                int64_t d[TRIAL_PAIRS_MAX];
                unsigned n = 1 + random_below(&r, round % 40 ? 13 : 19);
                int64_t most = round % 2 ? 5 : 100000; /* with many ties and with few */

                for (unsigned i = 0; i < n; i++)
                        d[i] = random_d(&r, most);
                ASSERT_EQ_U(signflip_count(d, n), signflip_slow(d, n));
        }
}

TEST(twenty_four_equal_pairs_are_counted_as_binomials) {
        /* k of 24 against: sums as good have at most k of them: sum of the binomials (24, 0..k). */
        static const unsigned binomial[] = { 1, 24, 276, 2024, 10626, 42504, 134596 };
        int64_t d[TRIAL_PAIRS_MAX];
        unsigned sum = 0;

        for (unsigned k = 0; k < ELEMENTSOF(binomial); k++) {
                for (unsigned i = 0; i < TRIAL_PAIRS_MAX; i++)
                        d[i] = i * 7 % 24 < k ? 50 : -50;
                sum += binomial[k];
                ASSERT_EQ_U(signflip_count(d, TRIAL_PAIRS_MAX), sum);
        }
        for (unsigned i = 0; i < TRIAL_PAIRS_MAX; i++)
                d[i] = 0;
        ASSERT_EQ_U(signflip_count(d, TRIAL_PAIRS_MAX), 1u << 24);
}

TEST(both_tails_and_the_ties_make_the_whole) {
        Random r;

        random_seed(&r, 11, 1);
        for (unsigned round = 0; round < 50; round++) {
                int64_t d[TRIAL_PAIRS_MAX], minus[TRIAL_PAIRS_MAX];
                unsigned n = 13 + random_below(&r, 12), both;

                for (unsigned i = 0; i < n; i++) {
                        d[i] = random_d(
                                &r,
                                1 << 29); /* no two sets of such numbers have the same sum but by rare chance */
                        minus[i] = -d[i];
                }
                both = signflip_count(d, n) + signflip_count(minus, n);
                ASSERT_TRUE(both > 1u << n && both < (1u << n) + 64);
        }
}

TEST(extreme_differences_do_not_overflow) {
        int64_t d[TRIAL_PAIRS_MAX];

        for (unsigned i = 0; i < TRIAL_PAIRS_MAX; i++)
                d[i] = INT64_MIN;
        ASSERT_EQ_U(signflip_count(d, TRIAL_PAIRS_MAX), 1);
        ASSERT_EQ_U(signflip_count(d, 1000), 1);
        d[0] = INT64_MAX;
        ASSERT_EQ_U(signflip_count(d, TRIAL_PAIRS_MAX), 25); /* as one of 24 equal */
}

/* p <= limit / 2^n for theta: all d less theta. */
static bool too_low(const int64_t *d, unsigned n, int64_t theta, int turn) {
        int64_t less[12];

        for (unsigned i = 0; i < n; i++)
                less[i] = turn * (d[i] - theta);
        return signflip_slow(less, n) * 40 <= 1u << n;
}

/* Where a trial of more than twelve pairs takes them in twos. */
static unsigned interval_d(const Trial *t, int64_t d[12]) {
        unsigned n = t->n > 6 ? t->n : 2 * t->n;

        for (unsigned i = 0; i < n; i++)
                d[i] = t->n > 6 ? (t->pair[2 * i] + t->pair[2 * i + 1]) / 2 : t->pair[i];
        return n;
}

TEST(the_interval_is_where_the_test_does_not_reject_at_2_5_percent_a_side) {
        Random r;

        random_seed(&r, 2, 1);
        for (unsigned round = 0; round < 60; round++) {
                Trial t = { .n = 3 + random_below(&r, 10) };
                int64_t mean, low, high, sum = 0, d[12];
                unsigned n;

                for (unsigned i = 0; i < 2 * t.n; i++)
                        t.pair[i] = random_d(&r, 1000) * 2;
                n = interval_d(&t, d);
                for (unsigned i = 0; i < n; i++)
                        sum += d[i];
                ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                ASSERT_EQ_I(mean, sum / (int64_t) n);
                /* Inside (rounded outwards by less than one): not rejected; one outside: rejected. */
                ASSERT_FALSE(too_low(d, n, high - 1, 1));
                ASSERT_TRUE(too_low(d, n, high + 1, 1));
                ASSERT_FALSE(too_low(d, n, low + 1, -1));
                ASSERT_TRUE(too_low(d, n, low - 1, -1));
        }
}

TEST(with_three_quads_the_interval_is_the_range_of_their_pairs) {
        Trial t = { .n = 3, .pair = { -5, -1, -9, 3, -2, 0 } };
        int64_t mean, low, high;

        ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
        ASSERT_EQ_I(low, -9);
        ASSERT_EQ_I(high, 3);
        ASSERT_EQ_I(mean, -2); /* -14 / 6 */
        t.n = 2;
        ASSERT_FALSE(trial_effect(&t, &mean, &low, &high));
}

TEST(the_interval_of_extreme_differences) {
        for (unsigned n = 3; n <= TRIAL_QUADS_MAX; n++) {
                Trial t = { .n = n };
                int64_t mean, low, high;

                for (unsigned i = 0; i < 2 * n; i++)
                        t.pair[i] = i % 2 ? INT64_MAX : INT64_MIN;
                ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                ASSERT_EQ_I(mean, 0); /* as many of either */
                ASSERT_EQ_I(low, -high);
                for (unsigned i = 0; i < 2 * n; i++)
                        t.pair[i] = INT64_MIN;
                ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                ASSERT_EQ_I(low, -(INT64_C(1) << 58));
                ASSERT_EQ_I(mean, low);
                ASSERT_EQ_I(high, low);
        }
}

TEST(the_interval_holds_the_truth_in_at_least_95_percent) {
        Random r;

        random_seed(&r, 3, 1);
        for (unsigned quads = 4; quads <= 9; quads += 5) {
                unsigned n = 0;

                for (unsigned round = 0; round < 2000; round++) {
                        Trial t = { .n = quads };
                        int64_t mean, low, high;

                        for (unsigned i = 0; i < 2 * t.n; i++)
                                t.pair[i] = 70 + random_d(&r, 1000) + random_d(&r, 1000);
                        ASSERT_TRUE(trial_effect(&t, &mean, &low, &high));
                        n += low <= 70 && high >= 70;
                }
                ASSERT_GE_U(n, 1900 - 3 * 10); /* deviation 9.7 */
                ASSERT_LE_U(n, 1990);          /* and is not so wide that it says nothing */
        }
}

TEST_MAIN()
