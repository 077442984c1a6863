/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ln.h"

#include <math.h>

#include "base/random.h"
#include "test.h"

/* The nearest millionth by libm's long double; a tie nearer than this is left to either side. */
#define TIE 1e-6L

static void check_ln(uint64_t x) {
        long double exact = logl((long double) x) * 1e6L, down = floorl(exact);
        int64_t got = ln_micro(x);

        if (fabsl(exact - down - 0.5L) < TIE)
                ASSERT_TRUE(got == (int64_t) down || got == (int64_t) down + 1);
        else
                ASSERT_EQ_I(got, llroundl(exact));
}

TEST(logarithms_of_all_small_numbers_are_the_nearest_millionth) {
        for (uint64_t x = 1; x < 200000; x++)
                check_ln(x);
}

TEST(logarithms_around_powers_of_two_are_the_nearest_millionth) {
        for (unsigned k = 1; k < 64; k++)
                for (int64_t off = -3; off <= 3; off++)
                        if (k > 2)
                                check_ln((UINT64_C(1) << k) + (uint64_t) off);
        check_ln(UINT64_MAX);
}

TEST(logarithms_of_random_numbers_of_every_size_are_the_nearest_millionth) {
        Random r;

        random_seed(&r, 1, 1);
        for (unsigned i = 0; i < 200000; i++) {
                uint64_t x = (uint64_t) random_u32(&r) << 32;

                x |= random_u32(&r);
                check_ln(MAX(x >> random_below(&r, 64), 1u));
        }
}

TEST(known_logarithms) {
        ASSERT_EQ_I(ln_micro(2), 693147);         /* 0.69314718... */
        ASSERT_EQ_I(ln_micro(10), 2302585);       /* 2.30258509... */
        ASSERT_EQ_I(ln_micro(1000000), 13815511); /* 13.81551056 */
}

TEST(nothing_is_taken_as_one) {
        ASSERT_EQ_I(ln_micro(0), 0);
        ASSERT_EQ_I(ln_micro(1), 0);
}

TEST(logarithms_never_fall) {
        int64_t last = 0;

        for (uint64_t x = 1; x < UINT64_MAX / 2; x += x / 1000 + 1) {
                int64_t now = ln_micro(x);

                ASSERT_LE_I(last, now);
                last = now;
        }
}

TEST(exponentials_agree_with_libm) {
        static const uint64_t unit[] = {
                1, 7, 1000, 1000000, UINT64_C(1) << 40, UINT64_C(1) << 52
        };

        for (int64_t micro = -50000000; micro <= 50000000; micro += 12347)
                for (unsigned i = 0; i < ELEMENTSOF(unit); i++) {
                        long double exact = expl((long double) micro / 1e6L) *
                                            (long double) unit[i];
                        uint64_t got = exp_micro(micro, unit[i]);

                        if (exact >= 18446744073709551615.0L) {
                                ASSERT_EQ_U(got, UINT64_MAX);
                                continue;
                        }
                        /* Nearest, or a relative 2^-55 where 64 bits are full. */
                        ASSERT_TRUE(fabsl((long double) got - exact) <=
                                    0.5L + 1e-9L + exact * 0x1p-55L);
                }
}

TEST(ends_of_the_exponential) {
        ASSERT_EQ_U(exp_micro(0, 12345), 12345);
        ASSERT_EQ_U(exp_micro(0, UINT64_MAX), UINT64_MAX);
        ASSERT_EQ_U(exp_micro(1, UINT64_MAX), UINT64_MAX);
        ASSERT_EQ_U(exp_micro(INT64_MAX, 1), UINT64_MAX);
        ASSERT_EQ_U(exp_micro(INT64_MAX, 0), 0);
        ASSERT_EQ_U(exp_micro(INT64_MIN, UINT64_MAX), 0);
        ASSERT_EQ_U(exp_micro(-50000, 1000), 951); /* e^-0.05 = 0.951229 */
}

TEST(the_exponential_undoes_the_logarithm) {
        for (uint64_t x = 1000; x < UINT64_C(1) << 50; x += x / 37) {
                uint64_t back = exp_micro(ln_micro(x), 1);

                /* Half a millionth of rounding, and half a unit. */
                ASSERT_TRUE(back >= x - x / 1900000 - 1 && back <= x + x / 1900000 + 1);
        }
}

TEST_MAIN()
