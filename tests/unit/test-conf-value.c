/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/value.h"
#include "test.h"

static const char *time_text(usec_t usec) {
        static char text[40];

        ASSERT_TRUE(value_format_time(usec, text, sizeof(text)));
        return text;
}

static const char *size_text(uint64_t bytes) {
        static char text[40];

        ASSERT_TRUE(value_format_size(bytes, text, sizeof(text)));
        return text;
}

TEST(times_print_in_the_largest_whole_unit) {
        ASSERT_STR(time_text(0), "0us");
        ASSERT_STR(time_text(1500), "1500us");
        ASSERT_STR(time_text(250000), "250ms");
        ASSERT_STR(time_text(90000000), "90s");
        ASSERT_STR(time_text(300000000), "5min");
        ASSERT_STR(time_text(86400000000), "24h");
        ASSERT_STR(time_text(2 * 86400000000), "2d");
        ASSERT_STR(time_text(7 * 86400000000), "7d");
}

TEST(sizes_need_a_unit) {
        uint64_t bytes = 7;

        ASSERT_TRUE(value_parse_size("64MiB", &bytes));
        ASSERT_EQ_U(bytes, 67108864);
        ASSERT_TRUE(value_parse_size("1GiB", &bytes));
        ASSERT_EQ_U(bytes, 1073741824);
        ASSERT_TRUE(value_parse_size("3B", &bytes));
        ASSERT_EQ_U(bytes, 3);
        ASSERT_FALSE(value_parse_size("64", &bytes));
        ASSERT_FALSE(value_parse_size("MiB", &bytes));
        ASSERT_FALSE(value_parse_size("64 MiB", &bytes));
        ASSERT_FALSE(value_parse_size("-1MiB", &bytes));
        ASSERT_FALSE(value_parse_size("64MB", &bytes));
        ASSERT_FALSE(value_parse_size("18446744073709551615GiB", &bytes));
        ASSERT_EQ_U(bytes, 3);
        ASSERT_STR(size_text(67108864), "64MiB");
        ASSERT_STR(size_text(1024), "1KiB");
        ASSERT_STR(size_text(1025), "1025B");
}

TEST(trials_take_days_and_hours) {
        ConfTrials t;

        ASSERT_TRUE(value_parse_trials("Mon..Fri 01:00-05:00", &t));
        ASSERT_EQ_U(t.days, 31);
        ASSERT_EQ_U(t.start_minute, 60);
        ASSERT_EQ_U(t.end_minute, 300);
        ASSERT_FALSE(t.never);
        ASSERT_TRUE(value_parse_trials("Sat,Sun 22:30-04:00", &t));
        ASSERT_EQ_U(t.days, 96);
        ASSERT_EQ_U(t.start_minute, 1350);
        ASSERT_TRUE(value_parse_trials("Sun..Mon 00:00-24:00", &t));
        ASSERT_EQ_U(t.days, 65);
        ASSERT_EQ_U(t.end_minute, 1440);
        ASSERT_TRUE(value_parse_trials("03:00-04:00", &t));
        ASSERT_EQ_U(t.days, 127);
        ASSERT_TRUE(value_parse_trials("any", &t));
        ASSERT_EQ_U(t.end_minute - t.start_minute, 1440);
        ASSERT_TRUE(value_parse_trials("never", &t));
        ASSERT_TRUE(t.never);
}

TEST(other_trials_are_refused) {
        static const char *const wrong[] = {
                "",
                "always",
                "Mon",
                "Mon..Fri",
                "Mon..Fri 1:00-5:00",
                "Mo..Fr 01:00-05:00",
                "01:00",
                "01:00-01:00",
                "25:00-26:00",
                "01:60-02:00",
                "24:00-01:00",
                "Mon,, 01:00-02:00",
                "01:00-24:01",
                "mon 01:00-02:00",
                "01:00-02:00 Mon",
                "Mon. Fri 01:00-02:00",
        };
        ConfTrials t;

        for (size_t i = 0; i < ELEMENTSOF(wrong); i++)
                ASSERT_STR(value_parse_trials(wrong[i], &t) ? wrong[i] : "", "");
}

TEST(names_are_plain) {
        ASSERT_TRUE(value_is_name("app-latency"));
        ASSERT_TRUE(value_is_name("0.a_b"));
        ASSERT_FALSE(value_is_name(""));
        ASSERT_FALSE(value_is_name("-a"));
        ASSERT_FALSE(value_is_name("a/b"));
        ASSERT_FALSE(value_is_name("App"));
}

TEST_MAIN()
