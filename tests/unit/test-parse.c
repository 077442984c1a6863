/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sense.h"

TEST(issues_beyond_the_maximum_are_counted) {
        ParseLog log = {};

        for (unsigned i = 1; i <= PARSE_ISSUES_MAX + 5; i++)
                parse_log_add(&log, "proc/x", i, "what", TEXT("about"));
        ASSERT_EQ_U(log.n_issues, PARSE_ISSUES_MAX);
        ASSERT_EQ_U(log.n_more, 5);
        ASSERT_EQ_U(log.issue[0].line, 1);
        ASSERT_EQ_U(log.issue[PARSE_ISSUES_MAX - 1].line, PARSE_ISSUES_MAX);
}

TEST(unprintable_bytes_of_an_issue_become_question_marks) {
        ParseLog log = {};

        parse_log_add(&log, "proc/x", 3, "what", TEXT("a\0b\x1b[31m\xff"));
        ASSERT_STR(log.issue[0].about, "a?b?[31m?");
        ASSERT_STR(log.issue[0].path, "proc/x");
}

TEST(a_long_subject_is_cut_and_ends_in_nul) {
        ParseLog log = {};
        char text[200];

        memset(text, 'x', sizeof(text));
        parse_log_add(&log, "proc/x", 3, "what", (Text){ text, sizeof(text) });
        ASSERT_EQ_U(strlen(log.issue[0].about), sizeof(log.issue[0].about) - 1);
}

TEST(a_last_line_without_its_end_is_dropped_with_an_issue) {
        ParseLog log = {};
        ParseLines l = parse_lines(TEXT("a 1\nb 2\nc 3"), "proc/x", &log);
        Text line;

        ASSERT_TRUE(parse_lines_next(&l, &line) && text_is(line, "a 1"));
        ASSERT_TRUE(parse_lines_next(&l, &line) && text_is(line, "b 2"));
        ASSERT_TRUE(!parse_lines_next(&l, &line));
        ASSERT_EQ_U(log.n_issues, 1);
        ASSERT_ISSUE(&log, 0, 3, "the file ends inside this line");
        ASSERT_STR(log.issue[0].about, "c 3");
        ASSERT_TRUE(!parse_lines_next(&l, &line));
        ASSERT_EQ_U(log.n_issues, 1);
}

TEST(blanks_behind_the_last_line_are_nothing) {
        ParseLog log = {};
        ParseLines l = parse_lines(TEXT("a 1\n  "), "proc/x", &log);
        Text line;

        ASSERT_TRUE(parse_lines_next(&l, &line));
        ASSERT_TRUE(!parse_lines_next(&l, &line));
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(sums_of_unknown_numbers) {
        ASSERT_UNKNOWN(maybe_add(UNKNOWN, UNKNOWN));
        ASSERT_KNOWN(maybe_add(KNOWN(2), UNKNOWN), 2);
        ASSERT_KNOWN(maybe_add(UNKNOWN, KNOWN(3)), 3);
        ASSERT_KNOWN(maybe_add(KNOWN(2), KNOWN(3)), 5);
        ASSERT_KNOWN(maybe_add(KNOWN(UINT64_MAX), KNOWN(3)), UINT64_MAX);
}

TEST_MAIN()
