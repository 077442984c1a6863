/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/control/kernel-range.h"
#include "test.h"

#define HAS(range, release) kernel_range_has(TEXT(range), TEXT(release))
#define VALID(range) kernel_range_valid(TEXT(range))

TEST(both_ends_are_inclusive) {
        ASSERT_TRUE(HAS("6.7..6.11.6", "6.7.0"));
        ASSERT_TRUE(HAS("6.7..6.11.6", "6.11.6"));
        ASSERT_FALSE(HAS("6.7..6.11.6", "6.11.7"));
        ASSERT_FALSE(HAS("6.7..6.11.6", "6.6.99"));
        ASSERT_FALSE(HAS("6.7..6.11.6", "6.12.0"));
        ASSERT_TRUE(HAS("6.7..6.11.6", "6.10.14-200.fc40.x86_64"));
}

TEST(a_release_without_patch_level_stands_for_all_of_them) {
        ASSERT_TRUE(HAS("6.12", "6.12.117+deb13-amd64"));
        ASSERT_TRUE(HAS("6.7..6.12", "6.12.63"));
        ASSERT_TRUE(HAS("6.12", "6.12.0-rc1"));
        ASSERT_FALSE(HAS("6.12", "6.13.0-rc1"));
        ASSERT_TRUE(HAS("6.7..", "6.7.0-rc1"));
        ASSERT_FALSE(HAS("6.12", "6.1.2"));
}

TEST(ends_may_be_open) {
        ASSERT_TRUE(HAS("..6.6", "4.18.0-305.el8.x86_64"));
        ASSERT_FALSE(HAS("..6.6", "6.7.0"));
        ASSERT_TRUE(HAS("7.0..", "7.3.4"));
        ASSERT_TRUE(HAS("7.0..", "10.1.0"));
        ASSERT_FALSE(HAS("7.0..", "6.19.0"));
}

TEST(release_candidates_come_before_the_release) {
        ASSERT_TRUE(HAS("6.1-rc1", "6.1.0-rc1"));
        ASSERT_TRUE(HAS("6.1-rc1", "6.1-rc1"));
        ASSERT_FALSE(HAS("6.1-rc1", "6.1.0-rc2"));
        ASSERT_FALSE(HAS("6.1-rc1", "6.1.0"));
        ASSERT_FALSE(HAS("6.1-rc1", "6.1.0-13-amd64"));
        ASSERT_TRUE(HAS("6.1-rc1..6.1-rc7", "6.1.0-rc4+"));
        ASSERT_TRUE(HAS("5.11-rc1..5.11", "5.11.0-rc4"));
        ASSERT_TRUE(HAS("6.7-rc3", "6.7.0-0.rc3.20231129gitabc.fc40.x86_64"));
}

TEST(several_ranges_are_joined) {
        ASSERT_TRUE(HAS("6.1-rc1, 6.7..6.11.6", "6.1.0-rc1"));
        ASSERT_TRUE(HAS("6.1-rc1, 6.7..6.11.6", "6.8.12"));
        ASSERT_FALSE(HAS("6.1-rc1, 6.7..6.11.6", "6.2.0"));
}

TEST(what_is_no_range_is_said) {
        ASSERT_TRUE(VALID("6.7..6.11.6"));
        ASSERT_TRUE(VALID(" 6.1-rc1 , 7.0.. "));
        ASSERT_FALSE(VALID(""));
        ASSERT_FALSE(VALID(" "));
        ASSERT_FALSE(VALID(".."));
        ASSERT_FALSE(VALID("6"));
        ASSERT_FALSE(VALID("6.7,"));
        ASSERT_FALSE(VALID("6.7..x"));
        ASSERT_FALSE(VALID("6.7-6.9"));
        ASSERT_FALSE(VALID("6.9..6.7"));
        ASSERT_FALSE(VALID("6.7.1.2"));
        ASSERT_FALSE(VALID("99999999999999999999.1"));
}

TEST(unreadable_releases_are_in_no_range) {
        ASSERT_FALSE(HAS("..7.0", ""));
        ASSERT_FALSE(HAS("..7.0", "linux"));
        ASSERT_FALSE(HAS("..7.0", "6"));
        ASSERT_FALSE(HAS("", "6.1.0"));
        ASSERT_FALSE(kernel_range_has(TEXT_NULL, TEXT_NULL));
}

TEST_MAIN()
