/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/text.h"

/* The test program of one file. A case is TEST(a_sentence_that_states_one_fact) { ... }; the program
 * finds its cases by itself, runs them in the order of the file and prints TAP, plan first, so that a
 * crash is seen as missing cases. Arguments are globs of case names to run ("-l" lists them).
 *
 * A failed assertion ends its case, from helper functions too (by longjmp: what the case had
 * allocated leaks, and a failed run may then also report leaks). A case without any assertion fails. */

typedef struct TestCase {
        const char *name;
        void (*run)(void);
        unsigned line;
} TestCase;

typedef enum TestOutcome { TEST_PASSED, TEST_FAILED, TEST_SKIPPED } TestOutcome;

static struct {
        jmp_buf end;
        const char *skip_reason;
        unsigned n_asserts;
} test_state;

/* The linker gathers the cases in one array (names of C identifiers get __start_ and __stop_). */
extern const TestCase __start_test_cases[];
extern const TestCase __stop_test_cases[];

#define TEST(test_name)                                                                       \
        static void test_case_##test_name(void);                                              \
        static const TestCase test_row_##test_name                                            \
                __attribute__((used, section("test_cases"), aligned(_Alignof(TestCase)))) = { \
                        .name = #test_name, .run = test_case_##test_name, .line = __LINE__    \
                };                                                                            \
        static void test_case_##test_name(void)

#define SKIP(reason) test_skip(reason)

#define ASSERT_TRUE(condition)                                                       \
        do {                                                                         \
                test_state.n_asserts++;                                              \
                if (!(condition))                                                    \
                        test_fail(__FILE__, __LINE__, "%s is not true", #condition); \
        } while (0)
#define ASSERT_FALSE(condition) ASSERT_TRUE(!(condition))
/* Unsigned numbers: got first, expected second. */
#define ASSERT_EQ_U(a, b) test_compare_u(__FILE__, __LINE__, #a, "==", (a), #b, (b))
#define ASSERT_NE_U(a, b) test_compare_u(__FILE__, __LINE__, #a, "!=", (a), #b, (b))
#define ASSERT_LE_U(a, b) test_compare_u(__FILE__, __LINE__, #a, "<=", (a), #b, (b))
#define ASSERT_GE_U(a, b) test_compare_u(__FILE__, __LINE__, #a, ">=", (a), #b, (b))
/* Signed numbers. */
#define ASSERT_EQ_I(a, b) test_compare_i(__FILE__, __LINE__, #a, "==", (a), #b, (b))
#define ASSERT_LE_I(a, b) test_compare_i(__FILE__, __LINE__, #a, "<=", (a), #b, (b))
#define ASSERT_GE_I(a, b) test_compare_i(__FILE__, __LINE__, #a, ">=", (a), #b, (b))
/* NUL-terminated strings; either may be NULL. */
#define ASSERT_STR(a, b) test_compare_string(__FILE__, __LINE__, #a, (a), (b))
/* The second string stands somewhere in the first. */
#define ASSERT_HAS(a, b) test_has_string(__FILE__, __LINE__, #a, (a), (b))
/* A Text against a NUL-terminated string. */
#define ASSERT_TEXT(a, b) test_compare_text(__FILE__, __LINE__, #a, (a), (b))
/* A function that returns 0 when all is fine, -errno or a positive condition. */
#define ASSERT_OK(r) test_ok(__FILE__, __LINE__, #r, (r))

_printf_(3, 4) _Noreturn _unused_
        static void test_fail(const char *file, int line, const char *format, ...) {
        va_list args;

        printf("# %s:%d: ", file, line);
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
        longjmp(test_state.end, TEST_FAILED);
}

_Noreturn _unused_ static void test_skip(const char *reason) {
        test_state.skip_reason = reason;
        longjmp(test_state.end, TEST_SKIPPED);
}

_unused_ static void test_compare_u(const char *file, int line, const char *what,
                                    const char *relation, uint64_t a, const char *other,
                                    uint64_t b) {
        bool fine = relation[0] == '='   ? a == b
                    : relation[0] == '!' ? a != b
                    : relation[0] == '<' ? a <= b
                                         : a >= b;

        test_state.n_asserts++;
        if (!fine)
                test_fail(file, line, "%s is %" PRIu64 ", expected %s %s (%" PRIu64 ")", what, a,
                          relation, other, b);
}

_unused_ static void test_compare_i(const char *file, int line, const char *what,
                                    const char *relation, int64_t a, const char *other, int64_t b) {
        bool fine = relation[0] == '=' ? a == b : relation[0] == '<' ? a <= b : a >= b;

        test_state.n_asserts++;
        if (!fine)
                test_fail(file, line, "%s is %" PRId64 ", expected %s %s (%" PRId64 ")", what, a,
                          relation, other, b);
}

_unused_ static void test_compare_string(const char *file, int line, const char *what,
                                         const char *a, const char *b) {
        test_state.n_asserts++;
        if (a == b || (a && b && strcmp(a, b) == 0))
                return;
        test_fail(file, line, "%s is \"%s\", expected \"%s\"", what, a ? a : "(NULL)",
                  b ? b : "(NULL)");
}

_unused_ static void test_has_string(const char *file, int line, const char *what, const char *a,
                                     const char *b) {
        test_state.n_asserts++;
        if (!a || !strstr(a, b))
                test_fail(file, line, "%s is \"%s\", without \"%s\"", what, a ? a : "(NULL)", b);
}

_unused_ static void test_compare_text(const char *file, int line, const char *what, Text a,
                                       const char *b) {
        test_state.n_asserts++;
        if (!text_is(a, b))
                test_fail(file, line, "%s is \"%.*s\" (%zu bytes), expected \"%s\"", what,
                          a.size > 400 ? 400 : (int) a.size, a.size > 0 ? a.data : "", a.size, b);
}

_unused_ static void test_ok(const char *file, int line, const char *what, int r) {
        test_state.n_asserts++;
        if (r < 0)
                test_fail(file, line, "%s gave %d (%s)", what, r, strerror(-r));
        if (r > 0)
                test_fail(file, line, "%s gave condition %d", what, r);
}

/* Where tests/data is: meson sets it; from the top of the tree a test also runs without. */
_unused_ static const char *test_data(void) {
        const char *dir = getenv("TEST_DATA");

        return dir ? dir : "tests/data";
}

static int test_run_case(const TestCase *t) {
        int outcome = setjmp(test_state.end);

        if (outcome != TEST_PASSED)
                return outcome;
        test_state.n_asserts = 0;
        t->run();
        if (test_state.n_asserts > 0)
                return TEST_PASSED;
        printf("# a case without an assertion tests nothing\n");
        return TEST_FAILED;
}

/* The case after the one at line `after`: compilers may lay out the array in any order. */
static const TestCase *test_next(unsigned after) {
        const TestCase *next = NULL;

        for (const TestCase *t = __start_test_cases; t < __stop_test_cases; t++)
                if (t->line > after && (!next || t->line < next->line))
                        next = t;
        return next;
}

static bool test_is_wanted(const TestCase *t, int argc, char *argv[]) {
        for (int i = 1; i < argc; i++)
                if (text_glob(argv[i], t->name))
                        return true;
        return argc < 2;
}

static int test_main(int argc, char *argv[]) {
        unsigned n = 0, n_failed = 0;
        bool list = argc == 2 && strcmp(argv[1], "-l") == 0;

        setvbuf(stdout, NULL, _IOLBF, 0);
        for (const TestCase *t = test_next(0); t; t = test_next(t->line)) {
                if (list)
                        puts(t->name);
                n += test_is_wanted(t, argc, argv);
        }
        if (list)
                return EXIT_SUCCESS;
        printf("1..%u\n", n);
        n = 0;
        for (const TestCase *t = test_next(0); t; t = test_next(t->line)) {
                if (!test_is_wanted(t, argc, argv))
                        continue;
                switch ((TestOutcome) test_run_case(t)) {
                case TEST_PASSED:
                        printf("ok %u - %s\n", ++n, t->name);
                        break;
                case TEST_FAILED:
                        printf("not ok %u - %s\n", ++n, t->name);
                        n_failed++;
                        break;
                case TEST_SKIPPED:
                        printf("ok %u - %s # SKIP %s\n", ++n, t->name, test_state.skip_reason);
                        break;
                }
        }
        return n_failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST_MAIN()                           \
        int main(int argc, char *argv[]) {    \
                return test_main(argc, argv); \
        }
