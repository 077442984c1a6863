/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"

#include "test.h"

TEST(the_published_numbers_of_the_minimal_version_come_out) {
        /* pcg-c-basic-0.9, file sample/pcg32-demo.out (seed 42, stream 54), round 1: 32 bit numbers. */
        static const uint32_t published[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                              0x83d2f293, 0xbfa4784b, 0xcbed606e };
        Random r;

        random_seed(&r, 42, 54);
        for (unsigned i = 0; i < ELEMENTSOF(published); i++)
                ASSERT_EQ_U(random_u32(&r), published[i]);
}

TEST(a_copied_state_goes_on_with_the_same_numbers) {
        Random a, b;

        random_seed(&a, 7, 1);
        for (unsigned i = 0; i < 100; i++)
                (void) random_u32(&a);
        b = a;
        for (unsigned i = 0; i < 100; i++)
                ASSERT_EQ_U(random_u32(&a), random_u32(&b));
}

TEST(streams_of_one_seed_differ) {
        Random a, b;
        unsigned same = 0;

        random_seed(&a, 7, 1);
        random_seed(&b, 7, 2);
        for (unsigned i = 0; i < 1000; i++)
                same += random_u32(&a) == random_u32(&b);
        ASSERT_LE_U(same, 1); /* one in 2^32 by chance */
}

TEST(numbers_below_n_are_below_n_and_equally_frequent) {
        Random r;

        random_seed(&r, 1, 1);
        for (uint32_t n = 1; n < 40; n++) {
                unsigned count[40] = { 0 };

                for (unsigned i = 0; i < 1000 * n; i++) {
                        uint32_t x = random_below(&r, n);

                        ASSERT_TRUE(x < n);
                        count[x]++;
                }
                /* Mean 1,000, standard deviation below 32: six of them pass in all but one of 10^8. */
                for (uint32_t x = 0; x < n; x++)
                        ASSERT_TRUE(count[x] > 1000 - 6 * 32 && count[x] < 1000 + 6 * 32);
        }
}

TEST(a_large_n_has_no_bias_to_the_low_numbers) {
        /* Without drawing again, 2^31 + 2^30 would give the lower third twice as often: 1/2 instead of 1/3. */
        uint32_t n = (UINT32_C(1) << 31) + (UINT32_C(1) << 30);
        unsigned low = 0;
        Random r;

        random_seed(&r, 3, 3);
        for (unsigned i = 0; i < 30000; i++)
                low += random_below(&r, n) < n / 3;
        ASSERT_TRUE(low > 10000 - 6 * 82 && low < 10000 + 6 * 82);
}

TEST(below_nothing_is_zero) {
        Random r;

        random_seed(&r, 3, 3);
        ASSERT_EQ_U(random_below(&r, 0), 0);
        ASSERT_EQ_U(random_below(&r, 1), 0);
}

TEST(the_coin_is_fair_and_has_no_memory) {
        unsigned heads = 0, repeats = 0;
        bool last = false;
        Random r;

        random_seed(&r, 4, 4);
        for (unsigned i = 0; i < 40000; i++) {
                bool coin = random_coin(&r);

                heads += coin;
                repeats += coin == last;
                last = coin;
        }
        ASSERT_TRUE(heads > 20000 - 600 && heads < 20000 + 600); /* deviation 100 */
        ASSERT_TRUE(repeats > 20000 - 600 && repeats < 20000 + 600);
}

TEST_MAIN()
