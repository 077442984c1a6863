/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slabinfo.h"

#include <errno.h>

#include "sense.h"

#define HEAD "slabinfo - version: 2.1\n# name <active_objs> ...\n"

static SlabInfo slabinfo(Text text, ParseLog *log) {
        SlabInfo s;

        ASSERT_OK(slabinfo_parse(sense_arena(), text, "proc/slabinfo", &s, log));
        return s;
}

TEST(rows_of_the_five_kernels_agree_with_another_reader) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "slabinfo"), rest = text, line;
                ParseLog log = {};
                SlabInfo s = slabinfo(text, &log);
                size_t n = 0, n_line = 0;

                while (text_next_line(&rest, &line)) {
                        char copy[256], name[64];
                        unsigned long long a, b, c, d, e, f, g;
                        const SlabInfoRow *row;

                        if (++n_line <= 2)
                                continue;
                        ASSERT_TRUE(text_copy(copy, sizeof(copy), line));
                        ASSERT_EQ_I(
                                sscanf(copy,
                                       "%63s %llu %llu %llu %llu %llu : tunables %*u %*u %*u : slabdata %llu %llu",
                                       name, &a, &b, &c, &d, &e, &f, &g),
                                8);
                        ASSERT_TRUE(n < s.n);
                        row = &s.rows[n++];
                        ASSERT_STR(row->name, name);
                        ASSERT_EQ_U(row->line, n_line);
                        ASSERT_KNOWN(row->active_objects, a);
                        ASSERT_KNOWN(row->objects, b);
                        ASSERT_KNOWN(row->object_bytes, c);
                        ASSERT_KNOWN(row->objs_per_slab, d);
                        ASSERT_KNOWN(row->pages_per_slab, e);
                        ASSERT_KNOWN(row->active_slabs, f);
                        ASSERT_KNOWN(row->slabs, g);
                }
                ASSERT_EQ_U(s.n, n);
                ASSERT_EQ_U(n, 40);
                ASSERT_EQ_U(log.n_issues, 0);
                sense_free(text);
        }
}

TEST(one_row_by_hand) {
        /* tests/data/sense/6.12/slabinfo, last line */
        Text text = sense_file("6.12", "slabinfo");
        ParseLog log = {};
        SlabInfo s = slabinfo(text, &log);
        const SlabInfoRow *row = slabinfo_find(&s, "bio-192");

        ASSERT_TRUE(row);
        ASSERT_KNOWN(row->object_bytes, 256);
        ASSERT_KNOWN(row->pages_per_slab, 2);
        ASSERT_KNOWN(row->slabs, 1);
        ASSERT_TRUE(!slabinfo_find(&s, "bio"));
        sense_free(text);
}

TEST(statistics_behind_the_slab_counts_are_skipped) {
        ParseLog log = {};
        SlabInfo s = slabinfo(
                TEXT(HEAD
                     "dentry 1 2 192 21 1 : tunables 120 60 8 : slabdata 3 4 0 : globalstat 5 6 : "
                     "cpustat 7 8 9 10\n"),
                &log);

        ASSERT_EQ_U(s.n, 1);
        ASSERT_KNOWN(s.rows[0].slabs, 4);
        ASSERT_KNOWN(slabinfo_pages(&s), 4);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(names_may_hold_blanks_and_colons) {
        ParseLog log = {};
        SlabInfo s = slabinfo(TEXT(HEAD
                                   "my odd: cache 1 2 192 21 1 : tunables 0 0 0 : slabdata 3 4 0\n"
                                   "dm:x 1 2 192 21 8 : tunables 0 0 0 : slabdata 3 5 0\n"),
                              &log);

        ASSERT_EQ_U(s.n, 2);
        ASSERT_STR(s.rows[0].name, "my odd: cache");
        ASSERT_STR(s.rows[1].name, "dm:x");
        ASSERT_KNOWN(slabinfo_pages(&s), 4 + 40);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(other_versions_are_named_and_read) {
        ParseLog log = {};
        SlabInfo s = slabinfo(
                TEXT("slabinfo - version: 3.0\nx 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"),
                &log);

        ASSERT_EQ_U(s.n, 1);
        ASSERT_ISSUE(&log, 0, 1, "unknown version, read as 2.1");
        log = (ParseLog){};
        s = slabinfo(
                TEXT("slabinfo - version: 2.1 (statistics)\nx 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"),
                &log);
        ASSERT_EQ_U(s.n, 1);
        ASSERT_EQ_U(log.n_issues, 0);
        s = slabinfo(TEXT("x 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"), &log);
        ASSERT_EQ_U(s.n, 1);
        ASSERT_ISSUE(&log, 0, 0, "version missing, read as 2.1");
}

TEST(malformed_rows_and_numbers) {
        ParseLog log = {};
        SlabInfo s = slabinfo(
                TEXT(HEAD "short 1 2 3 4 : tunables 0 0 0 : slabdata 6 7 0\n"
                          "garbage\n"
                          "bad x -2 99999999999999999999 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"
                          "cut 1 2 3 4 5 : tunables 0 0 0\n"
                          "few 1 2 3 4 5 : tunables 0 0 0 : slabdata 6\n"
                          "good 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"
                          "lost 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0"),
                &log);

        ASSERT_EQ_U(s.n, 4);
        ASSERT_STR(s.rows[0].name, "bad");
        ASSERT_UNKNOWN(s.rows[0].active_objects);
        ASSERT_UNKNOWN(s.rows[0].objects);
        ASSERT_UNKNOWN(s.rows[0].object_bytes);
        ASSERT_KNOWN(s.rows[0].objs_per_slab, 4);
        ASSERT_KNOWN(s.rows[0].slabs, 7);
        ASSERT_UNKNOWN(s.rows[1].slabs);
        ASSERT_KNOWN(s.rows[1].pages_per_slab, 5);
        ASSERT_KNOWN(s.rows[2].active_slabs, 6);
        ASSERT_UNKNOWN(s.rows[2].slabs);
        ASSERT_STR(s.rows[3].name, "good");
        ASSERT_ISSUE(&log, 0, 3, "malformed row, the cache is left out");
        ASSERT_ISSUE(&log, 1, 4, "malformed row, the cache is left out");
        ASSERT_ISSUE(&log, 2, 5, "number too large"); /* read from the right */
        ASSERT_ISSUE(&log, 3, 5, "negative number");
        ASSERT_ISSUE(&log, 4, 5, "malformed number");
        ASSERT_ISSUE(&log, 5, 6, "slab counts missing");
        ASSERT_ISSUE(&log, 6, 7, "number missing");
        ASSERT_ISSUE(&log, 7, 9, "the file ends inside this line");
        ASSERT_EQ_U(log.n_issues, 8);
}

TEST(a_head_alone_is_an_empty_table_and_nothing_is_an_issue) {
        ParseLog log = {};
        SlabInfo s = slabinfo(TEXT(HEAD), &log);

        ASSERT_EQ_U(s.n, 0);
        ASSERT_UNKNOWN(slabinfo_pages(&s));
        ASSERT_EQ_U(log.n_issues, 0);
        s = slabinfo(TEXT_NULL, &log);
        ASSERT_ISSUE(&log, 0, 0, "the file is empty");
}

TEST(a_file_cut_anywhere_keeps_its_earlier_rows) {
        Text text = sense_file("5.10", "slabinfo");
        ParseLog log = {};
        static uint8_t memory[256 << 10];
        size_t last = 0;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        for (size_t n = 0; n <= text.size; n++) {
                Text cut = sense_copy((Text){ text.data, n });
                SlabInfo s;

                arena_reset(&a);
                ASSERT_OK(slabinfo_parse(&a, cut, "proc/slabinfo", &s, &log));
                ASSERT_TRUE(s.n == last || s.n == last + 1);
                last = s.n;
                for (size_t i = 0; i < s.n; i++)
                        ASSERT_TRUE(s.rows[i].slabs.known);
                sense_free(cut);
        }
        ASSERT_EQ_U(last, 40);
        sense_free(text);
}

TEST(a_full_arena_is_enomem) {
        uint8_t memory[64] = {};
        ParseLog log = {};
        SlabInfo s;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(slabinfo_parse(&a, TEXT("x 1 2 3 4 5 : tunables 0 0 0 : slabdata 6 7 0\n"),
                                   "proc/slabinfo", &s, &log),
                    -ENOMEM);
}

TEST_MAIN()
