/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/thp.h"

#include <errno.h>

#include "sense.h"

static ThpChoice choice(const char *text, ParseLog *log) {
        Text copy = sense_copy(text_from(text));
        ThpChoice c;

        ASSERT_OK(thp_choice_parse(copy, "sys/x", &c, log));
        sense_free(copy);
        return c;
}

/* Contents as the five kernels give them. */
TEST(words_of_real_files) {
        ParseLog log = {};
        ThpChoice c;

        c = choice("[always] madvise never\n", &log);
        ASSERT_TRUE(thp_choice_is(&c, "always"));
        ASSERT_TRUE(!thp_choice_is(&c, "never"));
        ASSERT_TRUE(thp_choice_has(&c, "never"));
        ASSERT_TRUE(!thp_choice_has(&c, "inherit"));
        ASSERT_EQ_U(c.n_words, 3);
        c = choice("always defer defer+madvise [madvise] never\n", &log);
        ASSERT_STR(c.chosen, "madvise");
        ASSERT_STR(c.words[2], "defer+madvise");
        c = choice("always within_size advise [never] deny force\n", &log);
        ASSERT_STR(c.chosen, "never");
        ASSERT_EQ_U(c.n_words, 6);
        c = choice("always inherit madvise [never]\n", &log);
        ASSERT_TRUE(thp_choice_has(&c, "inherit"));
        c = choice("[always]", &log);
        ASSERT_TRUE(c.known);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(no_bracket_or_two_mean_that_the_choice_is_not_known) {
        ParseLog log = {};
        ThpChoice c;

        c = choice("always madvise never\n", &log);
        ASSERT_TRUE(!c.known);
        ASSERT_STR(c.chosen, "");
        ASSERT_EQ_U(c.n_words, 3);
        ASSERT_TRUE(!thp_choice_is(&c, ""));
        ASSERT_ISSUE(&log, 0, 1, "no word in brackets");
        c = choice("[always] [never]\n", &log);
        ASSERT_TRUE(!c.known);
        ASSERT_STR(c.chosen, "");
        ASSERT_ISSUE(&log, 1, 1, "more than one word in brackets");
        c = choice("", &log);
        ASSERT_TRUE(!c.known);
        ASSERT_EQ_U(c.n_words, 0);
        ASSERT_ISSUE(&log, 2, 1, "no word in brackets");
}

TEST(malformed_words_are_named) {
        ParseLog log = {};
        ThpChoice c;

        c = choice("[always madvise] [] [[x]] [never] a\x01z x[y]\n", &log);
        ASSERT_STR(c.chosen, "never");
        ASSERT_EQ_U(c.n_words, 1);
        ASSERT_EQ_U(log.n_issues, 6);
        for (unsigned i = 0; i < 6; i++)
                ASSERT_ISSUE(&log, i, 1, "malformed word");
        log = (ParseLog){};
        c = choice("[aaaaaaaaaaaaaaaaaaaaaaaa] [aaaaaaaaaaaaaaaaaaaaaaa]\n",
                   &log); /* 24 and 23 letters */
        ASSERT_EQ_U(strlen(c.chosen), 23);
        ASSERT_ISSUE(&log, 0, 1, "word too long");
        log = (ParseLog){};
        c = choice("a b c d e f g h i j k [l]\n", &log);
        ASSERT_STR(c.chosen, "l"); /* what is in force is kept even if the list is full */
        ASSERT_EQ_U(c.n_words, THP_WORDS_MAX);
        ASSERT_EQ_U(log.n_issues, 2);
        log = (ParseLog){};
        c = choice("[a] b\n[c] d\n", &log);
        ASSERT_STR(c.chosen, "a");
        ASSERT_ISSUE(&log, 0, 2, "more than one line, the rest is left out");
}

TEST(binary_words_do_no_harm) {
        ParseLog log = {};
        ThpChoice c;

        ASSERT_OK(thp_choice_parse((Text){ "[a\0b]\xff [ok]", 11 }, "sys/x", &c, &log));
        ASSERT_STR(c.chosen, "ok");
        ASSERT_EQ_U(log.n_issues, 1);
}

TEST(names_of_sizes) {
        uint64_t kb = 7;

        ASSERT_TRUE(thp_size_name_parse(TEXT("hugepages-64kB"), &kb));
        ASSERT_EQ_U(kb, 64);
        ASSERT_TRUE(thp_size_name_parse(TEXT("hugepages-2048kB"), &kb));
        ASSERT_EQ_U(kb, 2048);
        ASSERT_TRUE(!thp_size_name_parse(TEXT("hugepages-kB"), &kb));
        ASSERT_TRUE(!thp_size_name_parse(TEXT("hugepages-0kB"), &kb));
        ASSERT_TRUE(!thp_size_name_parse(TEXT("hugepages--1kB"), &kb));
        ASSERT_TRUE(!thp_size_name_parse(TEXT("hugepages-64"), &kb));
        ASSERT_TRUE(!thp_size_name_parse(TEXT("hugepages-99999999999999999999kB"), &kb));
        ASSERT_TRUE(!thp_size_name_parse(TEXT("khugepaged"), &kb));
        ASSERT_EQ_U(kb, 2048);
}

TEST(a_tree_sorts_its_sizes_by_number) {
        static const char *const names[] = { "defrag",         "hugepages-1024kB",
                                             "hugepages-16kB", "hugepages-2048kB",
                                             "hugepages-8kB",  "khugepaged" };
        ThpTree t;

        ASSERT_OK(thp_tree_build(sense_arena(), names, ELEMENTSOF(names), &t));
        ASSERT_EQ_U(t.n_sizes, 4);
        ASSERT_EQ_U(t.sizes[0].kb, 8);
        ASSERT_EQ_U(t.sizes[1].kb, 16);
        ASSERT_EQ_U(t.sizes[3].kb, 2048);
        ASSERT_TRUE(thp_tree_size(&t, 1024) == &t.sizes[2]);
        ASSERT_TRUE(!thp_tree_size(&t, 64));
        ASSERT_TRUE(!t.enabled.known && !t.sizes[0].enabled.known);
        ASSERT_UNKNOWN(t.use_zero_page);
        ASSERT_OK(thp_tree_build(sense_arena(), NULL, 0, &t)); /* 5.10 and 6.1 have no sizes */
        ASSERT_EQ_U(t.n_sizes, 0);
}

TEST(every_number_file_lands_in_its_own_field) {
        ThpTree t = {};
        ThpSize s = {};
        ParseLog log = {};
        size_t n;
        const ThpFileSpec *specs = thp_file_specs(&n);

        for (unsigned pass = 0; pass < 2; pass++) {
                void *object = pass == 0 ? (void *) &t : (void *) &s;

                for (size_t i = 0; i < n; i++) {
                        char text[64];

                        ASSERT_TRUE(text_format(text, sizeof(text),
                                                specs[i].is_choice ? "[w%zu]\n" : "%zu\n",
                                                100 + i));
                        ASSERT_OK(thp_file_set(object, &specs[i], text_from(text), "x", &log));
                }
                for (size_t i = 0; i < n; i++) {
                        void *slot = (uint8_t *) object + specs[i].offset;
                        char word[64];

                        ASSERT_TRUE(text_format(word, sizeof(word), "w%zu", 100 + i));
                        if (specs[i].is_choice)
                                ASSERT_TRUE(thp_choice_is(slot, word));
                        else
                                ASSERT_KNOWN(*(MaybeU64 *) slot, 100 + i);
                }
                specs = thp_size_file_specs(&n);
        }
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(a_broken_number_file_is_absent_and_named) {
        ThpTree t = {};
        ParseLog log = {};
        size_t n;
        const ThpFileSpec *specs = thp_file_specs(&n);

        for (size_t i = 0; i < n; i++)
                if (strcmp(specs[i].path, "khugepaged/max_ptes_none") == 0)
                        ASSERT_OK(thp_file_set(&t, &specs[i], TEXT("511x\n"), "sys/x", &log));
        ASSERT_UNKNOWN(t.max_ptes_none);
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_STR(log.issue[0].path, "sys/x");
}

TEST(a_full_arena_is_enomem) {
        static const char *const names[] = { "hugepages-16kB" };
        uint8_t memory[16] = {};
        ThpTree t;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(thp_tree_build(&a, names, 1, &t), -ENOMEM);
}

TEST_MAIN()
