/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <string.h>

#include "test.h"

static int u64(const char *text, uint64_t *ret) {
        return number_parse_u64(text, strlen(text), ret);
}

static int i64(const char *text, int64_t *ret) {
        return number_parse_i64(text, strlen(text), ret);
}

static int millionths(const char *text, uint64_t *ret) {
        return number_parse_millionths(text, strlen(text), ret);
}

static int usec(const char *text, usec_t *ret) {
        return number_parse_time(text, strlen(text), ret);
}

TEST(unsigned_numbers_go_to_the_end_of_the_type) {
        uint64_t v = 7;

        ASSERT_OK(u64("0", &v));
        ASSERT_EQ_U(v, 0);
        ASSERT_OK(u64("18446744073709551615", &v));
        ASSERT_EQ_U(v, UINT64_MAX);
        ASSERT_OK(u64("00042", &v));
        ASSERT_EQ_U(v, 42);
}

TEST(unsigned_errors_are_named_and_leave_the_value) {
        uint64_t v = 7;

        ASSERT_EQ_I(u64("", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(u64("18446744073709551616", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(u64("99999999999999999999999", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(u64("99999999999999999999999x", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("-1", &v), NUMBER_E_NEGATIVE);
        ASSERT_EQ_I(u64("-", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("--1", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("+1", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64(" 1", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("1 ", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("0x1", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(u64("1.0", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(number_parse_u64("1\0002", 3, &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(number_parse_u64(NULL, 0, &v), NUMBER_E_EMPTY);
        ASSERT_EQ_U(v, 7);
}

TEST(negative_only_counts_as_such_if_a_number_follows) {
        uint64_t v = 7;

        ASSERT_EQ_I(u64("-5x", &v), NUMBER_E_NEGATIVE);
        ASSERT_EQ_I(u64("-x5", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_U(v, 7);
}

TEST(signed_numbers_go_to_both_ends) {
        int64_t v = 7;

        ASSERT_OK(i64("9223372036854775807", &v));
        ASSERT_TRUE(v == INT64_MAX);
        ASSERT_OK(i64("-9223372036854775808", &v));
        ASSERT_TRUE(v == INT64_MIN);
        ASSERT_OK(i64("-0", &v));
        ASSERT_EQ_I(v, 0);
        ASSERT_OK(i64("-12", &v));
        ASSERT_EQ_I(v, -12);
}

TEST(signed_errors_are_named_and_leave_the_value) {
        int64_t v = 7;

        ASSERT_EQ_I(i64("9223372036854775808", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(i64("-9223372036854775809", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(i64("--1", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(i64("-", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(i64("", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(i64("1e3", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(v, 7);
}

TEST(millionths_keep_six_digits_and_drop_more) {
        uint64_t v = 7;

        ASSERT_OK(millionths("1.5", &v));
        ASSERT_EQ_U(v, 1500000);
        ASSERT_OK(millionths("0.000001", &v));
        ASSERT_EQ_U(v, 1);
        ASSERT_OK(millionths("0.0000019", &v));
        ASSERT_EQ_U(v, 1);
        ASSERT_OK(millionths("18446744073709.551615", &v));
        ASSERT_EQ_U(v, UINT64_MAX);
        ASSERT_OK(millionths("12", &v));
        ASSERT_EQ_U(v, 12000000);
}

TEST(millionths_errors) {
        uint64_t v = 7;

        ASSERT_EQ_I(millionths("18446744073709.551616", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(millionths("1.", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(millionths(".5", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(millionths("1.2.3", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(millionths("-1.5", &v), NUMBER_E_NEGATIVE);
        ASSERT_EQ_I(millionths("", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(millionths("nan", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_U(v, 7);
}

TEST(times_take_every_unit) {
        static const struct {
                const char *text;
                usec_t usec;
        } rows[] = {
                { "5us", 5 },
                { "250ms", 250000 },
                { "10s", 10000000 },
                { "1.5s", 1500000 },
                { "2min", 120000000 },
                { "24h", 86400000000 },
                { "7d", 604800000000 },
                { "0s", 0 },
                { "106751991d", 9223372022400000000 }, /* 106751991 x 86400 x 10^6, below 2^63 */
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                usec_t v = 7;

                ASSERT_OK(usec(rows[i].text, &v));
                ASSERT_EQ_U(v, rows[i].usec);
        }
}

TEST(times_without_a_unit_or_beyond_63_bits_are_refused) {
        usec_t v = 7;

        ASSERT_EQ_I(usec("10", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(usec("10 s", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(usec("10m", &v), NUMBER_E_GARBAGE);
        ASSERT_EQ_I(usec("s", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(usec("", &v), NUMBER_E_EMPTY);
        ASSERT_EQ_I(usec("-1s", &v), NUMBER_E_NEGATIVE);
        ASSERT_EQ_I(usec("106751992d", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_I(usec("99999999999999999999d", &v), NUMBER_E_OVERFLOW);
        ASSERT_EQ_U(v, 7);
}

TEST(saturating_sums_and_products) {
        ASSERT_EQ_U(u64_add_sat(UINT64_MAX, 1), UINT64_MAX);
        ASSERT_EQ_U(u64_add_sat(2, 3), 5);
        ASSERT_EQ_U(u64_sub_sat(2, 3), 0);
        ASSERT_EQ_U(u64_sub_sat(3, 2), 1);
        ASSERT_EQ_U(u64_mul_sat(UINT64_C(1) << 32, UINT64_C(1) << 32), UINT64_MAX);
        ASSERT_EQ_U(u64_mul_sat(6, 7), 42);
        ASSERT_EQ_U(u64_mul_sat(UINT64_MAX, 0), 0);
}

TEST(muldiv_works_in_128_bits) {
        ASSERT_EQ_U(u64_muldiv(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
        ASSERT_EQ_U(u64_muldiv(UINT64_MAX, 3, 2), UINT64_MAX);
        ASSERT_EQ_U(u64_muldiv(UINT64_MAX, 1000000, 2000000), UINT64_MAX / 2);
        ASSERT_EQ_U(u64_muldiv(7, 1, 2), 3);
        ASSERT_EQ_U(u64_muldiv_round(7, 1, 2), 4);
        ASSERT_EQ_U(u64_muldiv_round(10, 1, 3), 3);
        ASSERT_EQ_U(u64_muldiv_round(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
        ASSERT_EQ_U(u64_muldiv(1, 1, 0), UINT64_MAX);
        ASSERT_EQ_U(u64_muldiv(0, 1, 0), 0);
        ASSERT_EQ_U(u64_muldiv_round(0, 1, 0), 0);
}

TEST(division_rounds_up) {
        ASSERT_EQ_U(u64_div_up(0, 5), 0);
        ASSERT_EQ_U(u64_div_up(10, 5), 2);
        ASSERT_EQ_U(u64_div_up(11, 5), 3);
        ASSERT_EQ_U(u64_div_up(UINT64_MAX, 1), UINT64_MAX);
        ASSERT_EQ_U(u64_div_up(UINT64_MAX, 2), UINT64_C(1) << 63);
        ASSERT_EQ_U(u64_div_up(1, 0), UINT64_MAX);
}

TEST(fls_counts_from_one) {
        ASSERT_EQ_U(u64_fls(0), 0);
        ASSERT_EQ_U(u64_fls(1), 1);
        ASSERT_EQ_U(u64_fls(8), 4);
        ASSERT_EQ_U(u64_fls(UINT64_MAX), 64);
}

TEST(errors_have_words) {
        ASSERT_STR(number_error_string(NUMBER_E_EMPTY), "number missing");
        ASSERT_STR(number_error_string(NUMBER_E_GARBAGE), "malformed number");
        ASSERT_STR(number_error_string(NUMBER_E_NEGATIVE), "negative number");
        ASSERT_STR(number_error_string(NUMBER_E_OVERFLOW), "number too large");
        ASSERT_STR(number_error_string(0), "no error");
}

TEST_MAIN()
