/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/table.h"
#include "test.h"

typedef struct Memory {
        Output out;
        char *text;
        size_t size;
} Memory;

static void open_memory(Memory *m, unsigned columns) {
        *m = (Memory){ .out = { .columns = columns } };
        m->out.stream = open_memstream(&m->text, &m->size);
}

static const char *close_memory(Memory *m) {
        fclose(m->out.stream);
        return m->text;
}

TEST(control_characters_and_broken_utf8_become_question_marks) {
        char text[] = "a\033[31m\tb\x7f\xff\xc3(\xc2\x9b\xe2\x82";

        output_clean(text, sizeof(text));
        ASSERT_STR(text, "a?[31m?b??"
                         "?(????");
}

TEST(valid_utf8_stays_and_counts_as_one_column) {
        char text[] = "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80";

        output_clean(text, sizeof(text));
        ASSERT_STR(text, "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
        ASSERT_EQ_U(output_width(text, sizeof(text) - 1), 3);
}

TEST(utf8_that_is_overlong_a_surrogate_or_too_large_is_broken) {
        ASSERT_EQ_U(output_utf8_length("\xc0\x80", 2), 0);
        ASSERT_EQ_U(output_utf8_length("\xe0\x80\x80", 3), 0);
        ASSERT_EQ_U(output_utf8_length("\xed\xa0\x80", 3), 0);
        ASSERT_EQ_U(output_utf8_length("\xf4\x90\x80\x80", 4), 0);
        ASSERT_EQ_U(output_utf8_length("\xf5\x80\x80\x80", 4), 0);
        ASSERT_EQ_U(output_utf8_length("\xf4\x8f\xbf\xbf", 4), 4);
        ASSERT_EQ_U(output_utf8_length("\xe2\x82", 2), 0);
        ASSERT_EQ_U(output_utf8_length("", 0), 0);
}

TEST(lines_are_cut_at_blanks_else_hard) {
        const char *rest;

        ASSERT_EQ_U(output_wrap("one two three", 8, &rest), 7);
        ASSERT_STR(rest, "three");
        ASSERT_EQ_U(output_wrap("one two", 7, &rest), 7);
        ASSERT_STR(rest, "");
        ASSERT_EQ_U(output_wrap("one two", 3, &rest), 3);
        ASSERT_STR(rest, "two");
        ASSERT_EQ_U(output_wrap("abcdefgh", 5, &rest), 5);
        ASSERT_STR(rest, "fgh");
        ASSERT_EQ_U(output_wrap("", 5, &rest), 0);
        ASSERT_STR(rest, "");
}

TEST(a_paragraph_hangs_behind_its_label) {
        Memory m;

        open_memory(&m, 30);
        output_paragraph(&m.out, 2, 8, STYLE_PLAIN, "why", "one two three four five six");
        ASSERT_STR(close_memory(&m), "  why   one two three four\n        five six\n");
        free(m.text);
}

TEST(a_label_wider_than_its_column_has_a_line_of_its_own) {
        Memory m;

        open_memory(&m, 80);
        output_paragraph(&m.out, 2, 8, STYLE_PLAIN, "longer label", "text");
        ASSERT_STR(close_memory(&m), "  longer label\n        text\n");
        free(m.text);
}

TEST(a_table_is_as_wide_as_its_content) {
        static const TableColumn columns[] = { { "name" }, { "n", .right = true } };
        Table t = TABLE(columns);
        Memory m;

        open_memory(&m, 80);
        table_add(&t, STYLE_PLAIN, "a");
        table_add(&t, STYLE_PLAIN, "1");
        table_add(&t, STYLE_PLAIN, "longer");
        table_add(&t, STYLE_PLAIN, "10");
        ASSERT_OK(table_print(&t, &m.out));
        ASSERT_STR(close_memory(&m), "name     n\na        1\nlonger  10\n");
        table_done(&t);
        free(m.text);
}

TEST(a_table_that_is_too_wide_wraps_its_widest_column) {
        static const TableColumn columns[] = { { "k" }, { "text", .least = 9 } };
        Table t = TABLE(columns);
        Memory m;

        open_memory(&m, 12);
        table_add(&t, STYLE_PLAIN, "a");
        table_add(&t, STYLE_PLAIN, "one two three");
        table_add(&t, STYLE_PLAIN, "b");
        table_add(&t, STYLE_PLAIN, "four");
        ASSERT_OK(table_print(&t, &m.out));
        ASSERT_STR(close_memory(&m), "k  text\na  one two\n   three\nb  four\n");
        table_done(&t);
        free(m.text);
}

TEST(a_table_without_rows_prints_nothing) {
        static const TableColumn columns[] = { { "name" } };
        Table t = TABLE(columns);
        Memory m;

        open_memory(&m, 80);
        ASSERT_OK(table_print(&t, &m.out));
        ASSERT_STR(close_memory(&m), "");
        table_done(&t);
        free(m.text);
}

TEST(cells_cannot_send_escape_sequences) {
        static const TableColumn columns[] = { { "name" } };
        Table t = TABLE(columns);
        Memory m;

        open_memory(&m, 80);
        table_add(&t, STYLE_BAD, "%s", "\033[2J");
        ASSERT_OK(table_print(&t, &m.out));
        ASSERT_STR(close_memory(&m), "name\n?[2J\n");
        table_done(&t);
        free(m.text);
}

TEST(colour_is_only_written_where_the_output_has_it) {
        Memory m;

        open_memory(&m, 80);
        output_styled(&m.out, STYLE_BAD, "x");
        m.out.color = true;
        output_styled(&m.out, STYLE_BAD, "y");
        ASSERT_STR(close_memory(&m), "x\033[31my\033[0m");
        free(m.text);
}

TEST(a_write_that_failed_is_told_with_its_reason) {
        Output o = { .stream = fopen("/dev/full", "we"), .columns = 80 };
        FILE *stream = o.stream;

        if (!stream)
                SKIP("no /dev/full");
        setvbuf(stream, NULL, _IONBF, 0);
        output_print(&o, "x");
        ASSERT_EQ_I(output_close(&o), -ENOSPC);
        fclose(stream);
}

TEST_MAIN()
