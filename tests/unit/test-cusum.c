/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trial/cusum.h"

#include <math.h>

#include "base/random.h"
#include "test.h"

static int64_t normal(Random *r, double mean, double sigma) {
        double u = (random_u32(r) + 1.0) / 4294967297.0, v = random_u32(r) / 4294967296.0;

        return llround(mean + sigma * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

TEST(medians) {
        ASSERT_EQ_I(median_of((int64_t[]){ 7 }, 1), 7);
        ASSERT_EQ_I(median_of((int64_t[]){ 9, -4 }, 2), 2); /* 2.5, towards nothing */
        ASSERT_EQ_I(median_of((int64_t[]){ 9, -4, 1000 }, 3), 9);
        ASSERT_EQ_I(median_of((int64_t[]){ 4, 1, 3, 2 }, 4), 2);
        ASSERT_EQ_I(median_of((int64_t[]){ INT64_MAX, INT64_MAX }, 2), INT64_MAX);
        ASSERT_EQ_I(median_of((int64_t[]){ INT64_MIN, INT64_MIN }, 2), INT64_MIN);
        ASSERT_EQ_I(median_of(NULL, 0), 0);
}

TEST(the_first_twelve_blocks_never_alarm) {
        Cusum c;

        cusum_reset(&c);
        for (unsigned i = 0; i < 12; i++)
                ASSERT_FALSE(cusum_add(&c, i % 2 ? INT64_MAX : INT64_MIN));
}

TEST(blocks_that_never_change_never_alarm) {
        Cusum c;

        cusum_reset(&c);
        for (unsigned i = 0; i < 1000; i++)
                ASSERT_FALSE(cusum_add(&c, 42));
}

/* Blocks of any calm: 90, 100, 110 in turn. Median 100; of the distances 10, 0, 10 the median is 10. */
static int64_t calm(unsigned i) {
        return 90 + 10 * (int64_t) (i % 3);
}

/* 60 such blocks, then a step to x. */
static unsigned blocks_to_alarm(int64_t x, unsigned most) {
        Cusum c;

        cusum_reset(&c);
        for (unsigned i = 0; i < 60; i++)
                if (cusum_add(&c, calm(i)))
                        return 0;
        for (unsigned i = 1; i <= most; i++)
                if (cusum_add(&c, x))
                        return i;
        return 0;
}

TEST(a_step_beyond_the_clip_alarms_when_the_sum_passes_eight) {
        /* z of 200 is 100 / (1.48 * 10) = 6.8, clipped to 3; less the slack 2.5 a block: 2.5, 5.0, 7.5, 10. The calm blocks leave
         * at most 0.68 - 0.5 in a sum. */
        ASSERT_EQ_U(blocks_to_alarm(200, 50), 4);
        ASSERT_EQ_U(blocks_to_alarm(0, 50), 4);
        ASSERT_EQ_U(blocks_to_alarm(INT64_MAX, 50), 4);
        ASSERT_EQ_U(blocks_to_alarm(INT64_MIN, 50), 4);
        /* z of 120 is 1.35: 0.85 a block, ten of them. */
        ASSERT_EQ_U(blocks_to_alarm(120, 50), 10);
}

TEST(a_step_of_half_a_sigma_is_slack) {
        ASSERT_EQ_U(blocks_to_alarm(107, 10), 0); /* z = 0.47 */
}

TEST(after_an_alarm_it_starts_anew_with_that_block) {
        Cusum c;

        cusum_reset(&c);
        for (unsigned i = 0; i < 20; i++)
                ASSERT_FALSE(cusum_add(&c, calm(i)));
        for (unsigned i = 0; i < 3; i++)
                ASSERT_FALSE(cusum_add(&c, 500));
        ASSERT_TRUE(cusum_add(&c, 500));
        ASSERT_EQ_U(c.n, 1);
        ASSERT_EQ_I(c.block[0], 500);
        for (unsigned i = 0; i < 100; i++)
                ASSERT_FALSE(cusum_add(&c, 400 + calm(i)));
}

TEST(one_wild_block_is_no_change) {
        Cusum c;

        cusum_reset(&c);
        for (unsigned i = 0; i < 300; i++)
                ASSERT_FALSE(cusum_add(&c, i % 20 == 19 ? 100000 : calm(i)));
}

TEST(blocks_that_are_mostly_nothing_and_now_and_then_something_are_no_change) {
        Cusum c;

        /* One in four is 50: MAD is 0; the mean distance 12.5 gives a sigma of 15.7, so 50 is clipped to 3 and each 0 takes 0.5. */
        cusum_reset(&c);
        for (unsigned i = 0; i < 12; i++)
                ASSERT_FALSE(cusum_add(&c, i % 4 == 3 ? 50 : 0));
        ASSERT_FALSE(cusum_add(&c, 0));
        ASSERT_EQ_I(c.up_milli, 0);
        ASSERT_FALSE(cusum_add(
                &c, 20)); /* 13 blocks, three of 50: 150 / 13 = 11.54, times 1.2533 = 14.46 */
        ASSERT_TRUE(c.up_milli > 880 && c.up_milli < 886); /* 20 / 14.46 = 1.383, less 0.5 */
}

TEST(two_sigma_are_found_in_about_seven_blocks_and_three_in_about_five) {
        static const double least[] = { 5, 3.5 }, most[] = { 10, 6 };
        Random r;

        random_seed(&r, 1, 1);
        for (unsigned row = 0; row < 2; row++) {
                double mean = 0;

                for (unsigned round = 0; round < 200; round++) {
                        unsigned i = 1;
                        Cusum c;

                        cusum_reset(&c);
                        while (c.n < CUSUM_BLOCKS)
                                (void) cusum_add(&c, normal(&r, 0, 10000));
                        c.up_milli = c.down_milli = 0;
                        while (!cusum_add(&c, normal(&r, 10000 * (2.0 + row), 10000)) && i < 200)
                                i++;
                        mean += i / 200.0;
                }
                printf("# %u sigma: %.1f blocks\n", row + 2, mean);
                /* With median and deviation known: 8 / (2 - 0.5) = 5.3 and, clipped, 8 / (2.6 - 0.5) = 3.8, and a bit for the
                 * step over the limit; they are estimated, and follow. */
                ASSERT_TRUE(mean > least[row] && mean < most[row]);
        }
}

TEST(false_alarms_of_independent_blocks_are_rare) {
        unsigned alarms = 0;
        Random r;
        Cusum c;

        random_seed(&r, 2, 1);
        cusum_reset(&c);
        for (unsigned i = 0; i < 60000; i++)
                alarms += cusum_add(&c, normal(&r, 5, 10000));
        printf("# %u alarms in 60,000 blocks\n", alarms);
        /* 6 if median and deviation were known; 60 blocks know them so well that it is one in 1,000 blocks or rarer. */
        ASSERT_LE_U(alarms, 60);
}

TEST_MAIN()
