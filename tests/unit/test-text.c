/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <string.h>

#include "test.h"

TEST(texts_compare_by_bytes_then_length) {
        ASSERT_TRUE(text_equal(TEXT("ab"), TEXT("ab")));
        ASSERT_TRUE(!text_equal(TEXT("ab"), TEXT("abc")));
        ASSERT_TRUE(text_equal(TEXT_NULL, TEXT("")));
        ASSERT_TRUE(text_compare(TEXT("ab"), TEXT("abc")) < 0);
        ASSERT_TRUE(text_compare(TEXT("b"), TEXT("abc")) > 0);
        ASSERT_EQ_I(text_compare(TEXT("abc"), TEXT("abc")), 0);
        ASSERT_EQ_I(text_compare(TEXT_NULL, TEXT_NULL), 0);
        ASSERT_TRUE(text_is(text_from(NULL), ""));
}

TEST(prefix_and_suffix) {
        ASSERT_TRUE(text_starts(TEXT("Node 0"), "Node"));
        ASSERT_TRUE(!text_starts(TEXT("Nod"), "Node"));
        ASSERT_TRUE(text_starts(TEXT_NULL, ""));
        ASSERT_TRUE(text_ends(TEXT("64kB"), "kB"));
        ASSERT_TRUE(!text_ends(TEXT("B"), "kB"));
}

TEST(strip_takes_blanks_at_both_ends_only) {
        ASSERT_TRUE(text_is(text_strip(TEXT(" \t a b\r\n")), "a b"));
        ASSERT_EQ_U(text_strip(TEXT(" \n")).size, 0);
        ASSERT_EQ_U(text_strip(TEXT_NULL).size, 0);
}

TEST(find_gives_the_size_if_there_is_none) {
        ASSERT_EQ_U(text_find(TEXT("a=b=c"), '='), 1);
        ASSERT_EQ_U(text_find(TEXT("abc"), '='), 3);
        ASSERT_EQ_U(text_find(TEXT_NULL, '='), 0);
}

TEST(find_string_finds_the_first_place) {
        ASSERT_EQ_U(text_find_string(TEXT("aab aab"), "ab"), 1);
        ASSERT_EQ_U(text_find_string(TEXT("aaab"), "aab"), 1);
        ASSERT_EQ_U(text_find_string(TEXT("abc"), "abc"), 0);
        ASSERT_EQ_U(text_find_string(TEXT("abc"), "c"), 2);
        ASSERT_EQ_U(text_find_string(TEXT("abc"), "abcd"), 3);
        ASSERT_EQ_U(text_find_string(TEXT("ababab"), "abc"), 6);
        ASSERT_EQ_U(text_find_string(TEXT("abc"), ""), 0);
        ASSERT_EQ_U(text_find_string(TEXT_NULL, "a"), 0);
        ASSERT_EQ_U(text_find_string((Text){ "a\0b", 3 }, "b"), 2);
}

TEST(lines_lose_their_ends) {
        Text rest = TEXT("one\r\n\ntwo\nthree"), line;

        ASSERT_TRUE(text_next_line(&rest, &line) && text_is(line, "one"));
        ASSERT_TRUE(text_next_line(&rest, &line) && text_is(line, ""));
        ASSERT_TRUE(text_next_line(&rest, &line) && text_is(line, "two"));
        ASSERT_TRUE(text_next_line(&rest, &line) && text_is(line, "three"));
        ASSERT_TRUE(!text_next_line(&rest, &line));
}

TEST(fields_skip_blanks) {
        Text rest = TEXT("  a \t bc  "), field;

        ASSERT_TRUE(text_next_field(&rest, &field) && text_is(field, "a"));
        ASSERT_TRUE(text_next_field(&rest, &field) && text_is(field, "bc"));
        ASSERT_TRUE(!text_next_field(&rest, &field));
        ASSERT_TRUE(!text_next_field(&rest, &field));
}

TEST(splits_keep_empty_fields) {
        Text rest = TEXT("a,,b"), field;

        ASSERT_TRUE(text_next_split(&rest, ',', &field) && text_is(field, "a"));
        ASSERT_TRUE(text_next_split(&rest, ',', &field) && text_is(field, ""));
        ASSERT_TRUE(text_next_split(&rest, ',', &field) && text_is(field, "b"));
        ASSERT_TRUE(!text_next_split(&rest, ',', &field));
}

TEST(glob_knows_star_and_question_mark) {
        ASSERT_TRUE(text_glob("kmalloc-*", "kmalloc-64"));
        ASSERT_TRUE(text_glob("*", ""));
        ASSERT_TRUE(text_glob("*", "anything"));
        ASSERT_TRUE(text_glob("a*b*c", "a-bb-c-bc"));
        ASSERT_TRUE(text_glob("k?alloc", "kmalloc"));
        ASSERT_TRUE(!text_glob("k?alloc", "kalloc"));
        ASSERT_TRUE(!text_glob("kmalloc", "kmalloc-64"));
        ASSERT_TRUE(!text_glob("", "a"));
        ASSERT_TRUE(text_glob("", ""));
        ASSERT_TRUE(text_glob("**a", "bba"));
        ASSERT_TRUE(!text_glob("*a", "ab"));
}

TEST(glob_does_not_take_exponential_time) {
        char pattern[201], string[5001];

        for (size_t i = 0; i < 200; i += 2) {
                pattern[i] = '*';
                pattern[i + 1] = 'a';
        }
        pattern[200] = 0;
        memset(string, 'a', 5000);
        string[4999] = 'b';
        string[5000] = 0;
        ASSERT_TRUE(!text_glob(pattern, string));
}

TEST(format_says_whether_it_fitted) {
        char buffer[6];

        ASSERT_TRUE(text_format(buffer, sizeof(buffer), "%u", 12345u));
        ASSERT_STR(buffer, "12345");
        ASSERT_TRUE(!text_format(buffer, sizeof(buffer), "%u", 123456u));
        ASSERT_STR(buffer, "12345");
        ASSERT_TRUE(!text_format(buffer, 0, "%u", 1u));
}

TEST(copy_ends_in_nul_and_says_whether_it_was_cut) {
        char buffer[4] = "xyz";

        ASSERT_TRUE(text_copy(buffer, sizeof(buffer), TEXT("abc")));
        ASSERT_STR(buffer, "abc");
        ASSERT_TRUE(!text_copy(buffer, sizeof(buffer), TEXT("abcd")));
        ASSERT_STR(buffer, "abc");
        ASSERT_TRUE(text_copy(buffer, sizeof(buffer), TEXT_NULL));
        ASSERT_STR(buffer, "");
        ASSERT_TRUE(!text_copy(buffer, 0, TEXT("a")));
}

TEST_MAIN()
