/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/lex.h"
#include "test.h"

/* The text pre-check: what libconfig must never see, with the line. */
static ConfIssues issues;

static size_t check_size(const char *text, size_t size) {
        conf_issues_done(&issues);
        return conf_text_check("f.conf", text, size, &issues);
}

static size_t check(const char *text) {
        return check_size(text, strlen(text));
}

/* The text has exactly one error: this one. */
static void expect(const char *text, unsigned line, const char *message) {
        size_t n = check(text);

        ASSERT_EQ_U(n, 1);
        ASSERT_EQ_U(issues.n, 1);
        ASSERT_STR(issues.items[0].text, message);
        ASSERT_EQ_U(issues.items[0].line, line);
        ASSERT_STR(issues.items[0].file, "f.conf");
        ASSERT_EQ_I(issues.items[0].severity, CONF_ERROR);
        conf_issues_done(&issues);
}

static void fine(const char *text) {
        size_t n = check(text);

        ASSERT_STR(n > 0 ? issues.items[0].text : "", "");
        conf_issues_done(&issues);
}

TEST(plain_files_pass) {
        fine("");
        fine("\n\n");
        fine("a = 1;");
        fine("a : { b = ( 1, 2.5, \"x\", true ); c = [ -1, +2 ]; };\n# end");
        fine("a-b_c* = .5e-3; d = 1e9; e = 5.;");
        fine("s = \"a\\\"b\" \"c\n d\"; // two lines\n/* x */");
}

TEST(include_is_refused_outside_strings_and_comments) {
        expect("a = 1;\n@include \"/etc/shadow\"\n", 2,
               "@include is not supported, expected a file in the drop-in directory instead");
        expect("  \t@include \"x\"", 1,
               "@include is not supported, expected a file in the drop-in directory instead");
        expect("a = \"x\"; @include \"y\"", 1,
               "@include is not supported, expected a file in the drop-in directory instead");
        fine("# @include \"x\"\n");
        fine("// @include \"x\"\n/* \n@include \"x\"\n*/");
        fine("a = \"\n@include \\\"x\\\"\n\";");
}

TEST(integers_outside_32_bits_need_an_L) {
        fine("a = 2147483647; b = -2147483648; c = 0x7fffffff; d = 0x7FFFFFFF;");
        fine("a = 2147483648L; b = -9223372036854775808L; c = 9223372036854775807LL; d = 0x7fffffffffffffffL;");
        expect("a = 1;\nb = 2147483648;", 2,
               "2147483648 needs more than 32 bits, expected 2147483648L");
        expect("a = -2147483649;", 1, "-2147483649 needs more than 32 bits, expected -2147483649L");
        expect("a = 0x80000000;", 1, "0x80000000 needs more than 32 bits, expected 0x80000000L");
        expect("a = 0xFFFFFFFF;", 1, "0xFFFFFFFF needs more than 32 bits, expected 0xFFFFFFFFL");
        expect("a = 4294967296;", 1, "4294967296 needs more than 32 bits, expected 4294967296L");
}

TEST(integers_outside_64_bits_are_refused_in_every_spelling) {
        expect("a = 9223372036854775808L;", 1, "9223372036854775808L needs more than 64 bits");
        expect("a = 9223372036854775808;", 1, "9223372036854775808 needs more than 64 bits");
        expect("a = -9223372036854775809L;", 1, "-9223372036854775809L needs more than 64 bits");
        expect("a = 18446744073709551616LL;", 1, "18446744073709551616LL needs more than 64 bits");
        expect("a = 99999999999999999999999999;", 1,
               "99999999999999999999999999 needs more than 64 bits");
        expect("a = 0x8000000000000000L;", 1, "0x8000000000000000L needs more than 64 bits");
        expect("a = 0x10000000000000000LL;", 1, "0x10000000000000000LL needs more than 64 bits");
        fine("a = 0000000000000000000000000000001; b = 0x0000000000000000000000001;");
}

TEST(numbers_in_lists_are_seen_too) {
        expect("a = ( 1, { b = [ 1,\n 99999999999 ]; } );", 2,
               "99999999999 needs more than 32 bits, expected 99999999999L");
        fine("a = \"99999999999\"; # 99999999999");
}

TEST(malformed_numbers_are_named) {
        expect("a = 5x;", 1, "malformed number \"5x\"");
        expect("a = 1.2.3;", 1, "malformed number \"1.2.3\"");
        expect("a = -;", 1, "malformed number \"-\"");
        expect("a = 0x;", 1, "malformed number \"0x\"");
        expect("a = 0xfg;", 1, "malformed number \"0xfg\"");
        expect("a = -0x5;", 1, "malformed number \"-0x5\"");
        expect("a = 1.5L;", 1, "malformed number \"1.5L\"");
        expect("a = .;", 1, "malformed number \".\"");
        expect("a = 1e;", 1, "malformed number \"1e\"");
}

TEST(a_nul_byte_is_refused_with_its_line) {
        static const char text[] = "a = 1;\nb\0 = 2;\n";

        ASSERT_EQ_U(check_size(text, sizeof(text) - 1), 1);
        ASSERT_STR(issues.items[0].text, "a NUL byte, expected text");
        ASSERT_EQ_U(issues.items[0].line, 2);
        conf_issues_done(&issues);
        expect("a = \"x\\x00y\";", 1, "a NUL character in a string");
}

TEST(other_bytes_are_refused) {
        expect("a = 1;\n\x01", 2, "unexpected byte 0x01");
        expect("\x80\xff", 1, "unexpected byte 0x80");
        expect("a = $b;", 1, "unexpected character \"$\"");
        expect("a / b", 1, "unexpected character \"/\"");
        fine("a = \"\xc3\xa4\"; # \xff");
}

TEST(what_is_left_open_is_named_where_it_begins) {
        expect("a = 1;\nb = \"x;\n\n", 2, "string without end, expected \"");
        expect("/* x\n\n", 1, "comment without end, expected */");
        expect("a = {\n b = (\n 1 );\n", 1, "{ without end");
        expect("a = ( 1 };", 1, "} does not close the ( of line 1");
        expect("a = 1;\n};", 2, "} closes nothing");
        expect("a = \"\\", 1, "string without end, expected \"");
}

TEST(deep_nesting_is_refused_before_libconfig_recurses) {
        char text[5000];

        memset(text, '(', sizeof(text) - 1);
        memcpy(text, "a=", 2);
        text[sizeof(text) - 1] = '\0';
        expect(text, 1, "nested too deep, expected at most 16 levels");
        fine("a=((((((((((((((((1))))))))))))))));");
        expect("a=(((((((((((((((((1)))))))))))))))));", 1,
               "nested too deep, expected at most 16 levels");
}

TEST(thousands_of_settings_are_refused) {
        char text[4 * 5000 + 1];
        size_t used = 0;

        for (int i = 0; i < 5000; i++) {
                memcpy(text + used, "a=1\n", 4);
                used += 4;
        }
        text[used] = '\0';
        expect(text, 4097, "too many settings, expected at most 4096 in a file");
}

#define A_VALUE "a value: a number, a \"string\", true, false, ( ), [ ] or { }"

TEST(syntax_errors_say_what_was_expected) {
        expect("a = 5\nb == 6;", 2, "unexpected =, expected " A_VALUE);
        expect("a = ;", 1, "unexpected ;, expected " A_VALUE);
        expect("a = word;", 1, "unexpected word, expected " A_VALUE);
        expect("a 5;", 1, "unexpected 5, expected = after a");
        expect("5 = a;", 1, "unexpected 5, expected a name");
        expect("true = 1;", 1, "unexpected true, expected a name");
        expect("a = 1;;", 1, "unexpected ;, expected a name");
        expect("a = 1 2;", 1, "unexpected 2, expected ; or the next name");
        expect("a = ( 1 2 );", 1, "unexpected 2, expected , or )");
        expect("a = ( 1, );", 1, "unexpected ), expected " A_VALUE "");
        expect("a = [ { } ];", 1, "unexpected {, expected a number, a \"string\", true or false");
        expect("a = [ 1, \"x\" ];", 1,
               "\"x\" is of another type than the first member of its array, expected one type or ( )");
        expect("a", 1, "expected = after a before the end of the file");
        expect("a =\n", 2, "expected " A_VALUE " before the end of the file");
        fine("a = 1, b = { c = 2 } d = [ ]; e = ( ); f = TRUE");
}

TEST(every_error_of_a_file_is_said) {
        ASSERT_EQ_U(check("a = 99999999999;\n@include \"x\"\nb = 5x;\nc = 0x80000000;\n"), 4);
        ASSERT_EQ_U(issues.n, 4);
        for (unsigned i = 0; i < 4; i++)
                ASSERT_EQ_U(issues.items[i].line, i + 1);
        conf_issues_done(&issues);
}

TEST(the_list_of_issues_is_bounded_and_counts_what_it_drops) {
        for (unsigned i = 0; i < CONF_ISSUES_MAX + 500; i++)
                conf_issues_add(&issues, "f", i, i % 2 ? CONF_ERROR : CONF_WARNING, "n\x1b[31m%u",
                                i);
        ASSERT_LE_U(issues.n, CONF_ISSUES_MAX + 24);
        ASSERT_EQ_U(issues.n + issues.n_dropped, CONF_ISSUES_MAX + 500);
        ASSERT_EQ_U(issues.n_errors, (CONF_ISSUES_MAX + 500) / 2);
        /* Control characters never reach a terminal. */
        ASSERT_STR(issues.items[7].text, "n?[31m7");
        conf_issues_done(&issues);
        ASSERT_EQ_U(issues.n, 0);
}

TEST_MAIN()
