/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lists.h"

#include "sense.h"

static IdSet ids(const char *text, ParseLog *log) {
        Text copy = sense_copy(text_from(text));
        IdSet s;

        ASSERT_OK(idlist_parse(copy, "sys/x", &s, log));
        sense_free(copy);
        return s;
}

TEST(lists_of_cpus_and_nodes) {
        ParseLog log = {};
        IdSet s;

        s = ids("0-3,8,10-11\n", &log);
        ASSERT_EQ_U(idset_count(&s), 7);
        ASSERT_TRUE(idset_has(&s, 0) && idset_has(&s, 3) && !idset_has(&s, 4) && idset_has(&s, 8));
        ASSERT_TRUE(!idset_has(&s, 9) && idset_has(&s, 11));
        s = ids("0\n", &log);
        ASSERT_EQ_U(idset_count(&s), 1);
        s = ids("0-8191", &log);
        ASSERT_EQ_U(idset_count(&s), 8192);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(an_empty_list_is_the_empty_set) {
        ParseLog log = {};
        IdSet s;

        s = ids("\n", &log);
        ASSERT_EQ_U(idset_count(&s), 0);
        s = ids("", &log);
        ASSERT_EQ_U(idset_count(&s), 0);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(strides_as_the_kernel_reads_them) {
        /* lib/bitmap.c: "0-1023:2/256 ==> 0,1,256,257,512,513,768,769" */
        static const unsigned expected[] = { 0, 1, 256, 257, 512, 513, 768, 769 };
        ParseLog log = {};
        IdSet s = ids("0-1023:2/256", &log);

        ASSERT_EQ_U(idset_count(&s), ELEMENTSOF(expected));
        for (size_t i = 0; i < ELEMENTSOF(expected); i++)
                ASSERT_TRUE(idset_has(&s, expected[i]));
        s = ids("4-10:1/3", &log);
        ASSERT_EQ_U(idset_count(&s), 3);
        ASSERT_TRUE(idset_has(&s, 4) && idset_has(&s, 7) && idset_has(&s, 10));
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(broken_parts_are_named_and_the_others_count) {
        ParseLog log = {};
        IdSet s = ids(
                "1,x,3-2,-1,5-,8192,0-4294967295,99999999999999999999,4-9:0/2,4-9:3/2,4-9:1,,7",
                &log);

        ASSERT_EQ_U(idset_count(&s), 2);
        ASSERT_TRUE(idset_has(&s, 1) && idset_has(&s, 7));
        ASSERT_EQ_U(log.n_issues, 11);
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_ISSUE(&log, 1, 1, "range runs backwards");
        ASSERT_ISSUE(&log, 2, 1, "number missing");
        ASSERT_ISSUE(&log, 3, 1, "number missing");
        ASSERT_ISSUE(&log, 4, 1, "id out of range");
        ASSERT_ISSUE(&log, 5, 1, "id out of range");
        ASSERT_ISSUE(&log, 6, 1, "number too large");
        ASSERT_ISSUE(&log, 7, 1, "malformed stride");
        ASSERT_ISSUE(&log, 10, 1, "number missing");
        log = (ParseLog){};
        s = ids("0-3,", &log);
        ASSERT_EQ_U(idset_count(&s), 4);
        ASSERT_ISSUE(&log, 0, 1, "the list ends in a comma");
}

TEST(distances_end_at_the_first_broken_one) {
        uint16_t d[4] = {};
        ParseLog log = {};

        ASSERT_EQ_U(distances_parse(TEXT("10 20\n"), "sys/x", d, 4, &log), 2);
        ASSERT_EQ_U(d[1], 20);
        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(distances_parse(TEXT("10 65536 20\n"), "sys/x", d, 4, &log), 1);
        ASSERT_ISSUE(&log, 0, 1, "number too large");
        ASSERT_EQ_U(distances_parse(TEXT("10 x"), "sys/x", d, 4, &log), 1);
        ASSERT_EQ_U(distances_parse(TEXT("1 2 3 4 5"), "sys/x", d, 4, &log), 4);
        ASSERT_ISSUE(&log, 2, 1, "more distances than nodes");
        ASSERT_EQ_U(distances_parse(TEXT_NULL, "sys/x", d, 4, &log), 0);
}

TEST(single_numbers) {
        ParseLog log = {};

        ASSERT_KNOWN(number_file_parse(TEXT("1024\n"), "proc/x", &log), 1024);
        ASSERT_KNOWN(number_file_parse(TEXT("0"), "proc/x", &log), 0);
        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_UNKNOWN(number_file_parse(TEXT("1 2\n"), "proc/x", &log));
        ASSERT_UNKNOWN(number_file_parse(TEXT("-1\n"), "proc/x", &log));
        ASSERT_UNKNOWN(number_file_parse(TEXT("\n"), "proc/x", &log));
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_ISSUE(&log, 1, 1, "negative number");
        ASSERT_ISSUE(&log, 2, 1, "number missing");
}

TEST(uptime_is_microseconds) {
        ParseLog log = {};

        ASSERT_KNOWN(uptime_parse(TEXT("44.55 25.89\n"), "proc/uptime", &log), 44550000);
        ASSERT_KNOWN(uptime_parse(TEXT("3"), "proc/uptime", &log), 3000000);
        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_UNKNOWN(uptime_parse(TEXT("x 1"), "proc/uptime", &log));
        ASSERT_UNKNOWN(uptime_parse(TEXT_NULL, "proc/uptime", &log));
        ASSERT_UNKNOWN(uptime_parse(TEXT("99999999999999999999.0"), "proc/uptime", &log));
        ASSERT_EQ_U(log.n_issues, 3);
}

static const char *value_of(const char *cmdline, const char *name) {
        static char copy[128];
        Text value;

        if (!cmdline_find(text_from(cmdline), name, &value))
                return "(absent)";
        if (!value.data)
                return "(bare)";
        ASSERT_TRUE(text_copy(copy, sizeof(copy), value));
        return copy;
}

TEST(the_last_parameter_of_a_name_wins) {
        static const char line[] =
                "console=ttyS0 quiet slub_max_order=1 panic=-1 slub-max-order=0\n";

        ASSERT_STR(value_of(line, "slub_max_order"), "0");
        ASSERT_STR(value_of(line, "slub-max_order"), "0");
        ASSERT_STR(value_of(line, "quiet"), "(bare)");
        ASSERT_STR(value_of(line, "console"), "ttyS0");
        ASSERT_STR(value_of(line, "max_order"), "(absent)");
        ASSERT_STR(value_of(line, "quie"), "(absent)");
        ASSERT_STR(value_of(line, "quiett"), "(absent)");
        ASSERT_STR(value_of("", "quiet"), "(absent)");
        ASSERT_STR(value_of("a=1 a", "a"), "(bare)");
        ASSERT_STR(value_of("a= b", "a"), "");
}

TEST(quotes_protect_blanks) {
        ASSERT_STR(value_of("a=\"x y\" b=2", "a"), "x y");
        ASSERT_STR(value_of("a=\"x y\" b=2", "b"), "2");
        ASSERT_STR(value_of("\"a=x y\" b=2", "a"), "x y");
        ASSERT_STR(value_of("a=x\" \"y b", "a"),
                   "x\" \"y"); /* only quotes at its start are removed */
        ASSERT_STR(value_of("a=\"x y", "a"), "x y");
        ASSERT_STR(value_of("\"quiet\"", "quiet"), "(bare)");
        ASSERT_STR(value_of("dyndbg=\"file a.c +p\"", "dyndbg"), "file a.c +p");
        ASSERT_STR(value_of("slub_debug=P,kmalloc-256=x", "slub_debug"), "P,kmalloc-256=x");
        ASSERT_STR(value_of("=5 a=1", "a"), "1");
}

TEST(what_follows_two_dashes_belongs_to_init) {
        ASSERT_STR(value_of("quiet -- slub_max_order=0", "slub_max_order"), "(absent)");
        ASSERT_STR(value_of("slub_max_order=1 -- slub_max_order=0", "slub_max_order"), "1");
        ASSERT_STR(value_of("--x=1 a=2", "a"), "2");
}

static Release release(const char *text) {
        Release r;

        ASSERT_OK(release_parse(text_from(text), &r));
        return r;
}

TEST(releases_of_distributions) {
        Release r;

        r = release("6.12.117+deb13-amd64");
        ASSERT_TRUE(r.major == 6 && r.minor == 12 && r.patch == 117 && r.rc == RELEASE_NO_RC);
        r = release("5.14.0-427.el9.x86_64\n");
        ASSERT_TRUE(r.major == 5 && r.minor == 14 && r.patch == 0 && r.has_patch);
        r = release("5.11.0-rc4");
        ASSERT_TRUE(r.rc == 4);
        r = release("6.18-rc2-next");
        ASSERT_TRUE(r.minor == 18 && r.rc == 2 && !r.has_patch);
        r = release("7.3.4+deb13-amd64");
        ASSERT_TRUE(r.major == 7 && r.patch == 4);
        r = release("5.10.0-32-amd64");
        ASSERT_TRUE(r.patch == 0 && r.rc == RELEASE_NO_RC);
        r = release("6.1.-x");
        ASSERT_TRUE(r.minor == 1 && !r.has_patch);
        r = release("6.1.0-rc"); /* no number: a local name */
        ASSERT_TRUE(r.rc == RELEASE_NO_RC);
}

TEST(malformed_releases) {
        static const char *const rows[] = { "",
                                            "6",
                                            "6.",
                                            "x.1",
                                            "-6.1",
                                            "6.x",
                                            "99999999999.1",
                                            "6.4294967295",
                                            "6.1.99999999999" };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Release r = { .major = 77 };

                ASSERT_EQ_I(release_parse(text_from(rows[i]), &r), RELEASE_E_MALFORMED);
                ASSERT_EQ_U(r.major, 77);
        }
}

TEST(releases_sort_by_number_and_candidates_come_first) {
        static const char *const rising[] = { "4.18.0",   "5.9.99", "5.10.0-rc1", "5.10.0-rc10",
                                              "5.10.0",   "5.10.2", "6.1.0",      "6.9.1",
                                              "6.10-rc1", "6.10.0", "6.11.6",     "6.12.0-rc3",
                                              "6.12.0",   "7.0.0" };

        for (size_t i = 0; i < ELEMENTSOF(rising); i++)
                for (size_t j = 0; j < ELEMENTSOF(rising); j++) {
                        Release a = release(rising[i]), b = release(rising[j]);

                        ASSERT_EQ_I(release_compare(&a, &b), i < j ? -1 : i > j);
                }
}

static bool in(const char *text, const char *range_text) {
        Release r = release(text);
        ReleaseRange range;

        ASSERT_OK(release_range_parse(text_from(range_text), &range));
        return release_in_range(&r, &range);
}

TEST(ranges_include_both_ends) {
        ASSERT_TRUE(in("6.7.0", "6.7..6.11.6"));
        ASSERT_TRUE(in("6.7.0-rc1", "6.7..6.11.6"));
        ASSERT_TRUE(!in("6.6.99", "6.7..6.11.6"));
        ASSERT_TRUE(in("6.11.6-amd64", "6.7..6.11.6"));
        ASSERT_TRUE(!in("6.11.7", "6.7..6.11.6"));
        ASSERT_TRUE(in("6.10.3", "6.7..6.11.6"));
        ASSERT_TRUE(!in("6.12.0-rc1", "6.7..6.11.6"));
}

TEST(an_end_without_patch_covers_its_whole_series) {
        ASSERT_TRUE(in("6.11.99", "6.7..6.11"));
        ASSERT_TRUE(!in("6.12.0-rc1", "6.7..6.11"));
        ASSERT_TRUE(in("6.12.117+deb13-amd64", "6.12"));
        ASSERT_TRUE(in("6.12.0-rc1", "6.12"));
        ASSERT_TRUE(!in("6.13.0", "6.12"));
        ASSERT_TRUE(in("6.12.5", "6.12.5"));
        ASSERT_TRUE(!in("6.12.6", "6.12.5"));
        ASSERT_TRUE(in("5.14.0-427.el9", "5.14.."));
        ASSERT_TRUE(in("7.3.4", "5.14.."));
        ASSERT_TRUE(in("4.18.0", "..6.6"));
        ASSERT_TRUE(in("6.6.80", " .. 6.6 "));
        ASSERT_TRUE(!in("6.7.0-rc1", "..6.6"));
        ASSERT_TRUE(in("6.1.0-rc8", "6.1-rc1..6.1-rc8"));
        ASSERT_TRUE(!in("6.1.0", "6.1-rc1..6.1-rc8"));
}

TEST(malformed_ranges) {
        static const char *const rows[] = {
                "",           "..",           "6",          "6.7-",
                "6.7..x",     "6.11..6.7",    "6.7...6.9",  "6.7..6.8..6.9",
                "6.7..6.8 x", "6.7.1..6.7.0", "6.7.0-amd64"
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                ReleaseRange range;

                printf("# %s\n", rows[i]);
                ASSERT_EQ_I(release_range_parse(text_from(rows[i]), &range), RELEASE_E_MALFORMED);
        }
}

TEST_MAIN()
