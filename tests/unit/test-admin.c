/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/admin.h"

#include <errno.h>

#include "sense.h"

static AdminLines sysctl(const char *text, ParseLog *log) {
        Text copy = sense_copy(text_from(text));
        AdminLines a;

        ASSERT_OK(sysctl_conf_parse(sense_arena(), copy, "etc/sysctl.d/x.conf", &a, log));
        sense_free(copy);
        return a;
}

static AdminLines tmpfiles(const char *text, ParseLog *log) {
        Text copy = sense_copy(text_from(text));
        AdminLines a;

        ASSERT_OK(tmpfiles_conf_parse(sense_arena(), copy, "etc/tmpfiles.d/x.conf", &a, log));
        sense_free(copy);
        return a;
}

TEST(sysctl_keys_in_both_spellings) {
        ParseLog log = {};
        AdminLines a = sysctl("# comment\n; comment\n\n"
                              "vm.percpu_pagelist_high_fraction = 1024\n"
                              "vm/min_free_kbytes=67584\n"
                              "  -vm.zone_reclaim_mode =  1  \n"
                              "/proc/sys/vm/swappiness = 60\n"
                              "net.ipv4.conf.eth0/1.rp_filter = 1\n"
                              "net/ipv4/conf/eth0.1/rp_filter = 2\n"
                              "kernel.core_pattern = |/bin/x %p = %s\n"
                              "vm.empty =",
                              &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(a.n_skipped, 0);
        ASSERT_EQ_U(a.n, 8);
        ASSERT_STR(a.lines[0].path, "/proc/sys/vm/percpu_pagelist_high_fraction");
        ASSERT_STR(a.lines[0].value, "1024");
        ASSERT_EQ_U(a.lines[0].line, 4);
        ASSERT_TRUE(!a.lines[0].may_fail);
        ASSERT_STR(a.lines[1].path, "/proc/sys/vm/min_free_kbytes");
        ASSERT_STR(a.lines[1].value, "67584");
        ASSERT_STR(a.lines[2].path, "/proc/sys/vm/zone_reclaim_mode");
        ASSERT_STR(a.lines[2].value, "1");
        ASSERT_TRUE(a.lines[2].may_fail);
        ASSERT_STR(a.lines[3].path, "/proc/sys/vm/swappiness");
        ASSERT_STR(a.lines[4].path, "/proc/sys/net/ipv4/conf/eth0.1/rp_filter");
        ASSERT_STR(a.lines[5].path, "/proc/sys/net/ipv4/conf/eth0.1/rp_filter");
        ASSERT_STR(a.lines[6].value, "|/bin/x %p = %s");
        ASSERT_STR(a.lines[7].value, "");
}

TEST(sysctl_lines_that_set_nothing_are_counted_or_named) {
        ParseLog log = {};
        AdminLines a = sysctl("-net.ipv4.conf.all.rp_filter\n"
                              "net.ipv4.conf.*.rp_filter = 2\n"
                              "nonsense\n"
                              "= 5\n"
                              "- = 5\n"
                              "vm.swappiness = 10\r\n",
                              &log);

        ASSERT_EQ_U(a.n, 1);
        ASSERT_STR(a.lines[0].value, "10");
        ASSERT_EQ_U(a.n_skipped, 5);
        ASSERT_EQ_U(log.n_issues, 4);
        ASSERT_ISSUE(&log, 0, 2, "a key with wildcards is not followed");
        ASSERT_ISSUE(&log, 1, 3, "no assignment");
        ASSERT_ISSUE(&log, 2, 4, "malformed assignment");
        ASSERT_ISSUE(&log, 3, 5, "malformed assignment");
        ASSERT_STR(log.issue[0].path, "etc/sysctl.d/x.conf");
}

TEST(nul_bytes_do_not_shorten_a_value) {
        ParseLog log = {};
        AdminLines a;

        ASSERT_OK(
                sysctl_conf_parse(sense_arena(), TEXT("vm.x = 1\0002\nvm.y = 3\n"), "x", &a, &log));
        ASSERT_EQ_U(a.n, 1);
        ASSERT_STR(a.lines[0].path, "/proc/sys/vm/y");
        ASSERT_ISSUE(&log, 0, 1, "malformed assignment");
        ASSERT_OK(tmpfiles_conf_parse(sense_arena(), TEXT("w /sys/a - - - - 1\0002\n"), "x", &a,
                                      &log));
        ASSERT_EQ_U(a.n, 0);
        ASSERT_EQ_U(log.n_issues, 2);
}

TEST(tmpfiles_writes) {
        ParseLog log = {};
        AdminLines a = tmpfiles(
                "# comment\n"
                "w /sys/kernel/mm/transparent_hugepage/defrag - - - - defer+madvise\n"
                "w! /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n"
                "w+ /sys/x - - - - two words  here \n"
                "w-\t/sys//kernel///slab/:0000064/cpu_partial - - - - 104\n"
                "w \"/sys/with blank\" 0644 root 'root' - a\\x41\\101\\n%%\n"
                "w!+ /sys/kernel/slab/kmalloc-*/cpu_partial - - - - \"104\"\n"
                "d /run/x 0755 root root -\n"
                "L /etc/x - - - - y\n",
                &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(a.n_skipped, 2);
        ASSERT_EQ_U(a.n, 6);
        ASSERT_STR(a.lines[0].path, "/sys/kernel/mm/transparent_hugepage/defrag");
        ASSERT_STR(a.lines[0].value, "defer+madvise");
        ASSERT_EQ_U(a.lines[0].line, 2);
        ASSERT_TRUE(!a.lines[0].boot_only && !a.lines[0].append && !a.lines[0].has_glob);
        ASSERT_TRUE(a.lines[1].boot_only);
        ASSERT_TRUE(a.lines[2].append);
        ASSERT_STR(a.lines[2].value, "two words  here");
        ASSERT_TRUE(a.lines[3].may_fail);
        ASSERT_STR(a.lines[3].path, "/sys/kernel/slab/:0000064/cpu_partial");
        ASSERT_STR(a.lines[4].path, "/sys/with blank");
        ASSERT_STR(a.lines[4].value, "aAA\n%");
        ASSERT_TRUE(a.lines[5].has_glob && a.lines[5].boot_only && a.lines[5].append);
        ASSERT_STR(a.lines[5].value, "\"104\""); /* systemd writes the quotes of an argument, too */
}

TEST(malformed_tmpfiles_lines_are_named) {
        ParseLog log = {};
        AdminLines a = tmpfiles("w \"/sys/a - - - - 1\n"
                                "w sys/a - - - - 1\n"
                                "w /sys/a\n"
                                "w /sys/a - - - -\n"
                                "w /sys/a - - - - -\n"
                                "w /sys/%b - - - - 1\n"
                                "w /sys/a - - - - %b\n"
                                "w /sys/a - - - - a%\n"
                                "w /sys/a - - - - \\q\n"
                                "wX /sys/a - - - - 1\n"
                                "w\n"
                                "'w\n"
                                "w /sys/\\x0 - - - - 1\n"
                                "w /sys/\\000 - - - - 1\n"
                                "w /sys/a\\\n",
                                &log);

        ASSERT_EQ_U(a.n, 0);
        ASSERT_EQ_U(a.n_skipped, 15);
        ASSERT_EQ_U(log.n_issues, 15);
        ASSERT_ISSUE(&log, 0, 1, "malformed quoting or escape");
        ASSERT_ISSUE(&log, 1, 2, "path is not absolute, or holds a specifier");
        ASSERT_ISSUE(&log, 2, 3, "argument missing");
        ASSERT_ISSUE(&log, 3, 4, "argument missing");
        ASSERT_ISSUE(&log, 4, 5, "argument missing");
        ASSERT_ISSUE(&log, 5, 6, "path is not absolute, or holds a specifier");
        ASSERT_ISSUE(&log, 6, 7, "argument holds a specifier or a malformed escape");
        ASSERT_ISSUE(&log, 7, 8, "argument holds a specifier or a malformed escape");
        ASSERT_ISSUE(&log, 8, 9, "argument holds a specifier or a malformed escape");
        ASSERT_ISSUE(&log, 9, 10, "unknown modifier of the type");
        ASSERT_ISSUE(&log, 10, 11, "path is not absolute, or holds a specifier");
        ASSERT_ISSUE(&log, 11, 12, "malformed line");
        ASSERT_ISSUE(&log, 12, 13, "malformed quoting or escape");
        ASSERT_ISSUE(&log, 13, 14, "malformed quoting or escape");
        ASSERT_ISSUE(&log, 14, 15, "malformed quoting or escape");
}

TEST(empty_files_set_nothing_and_are_fine) {
        ParseLog log = {};
        AdminLines a = sysctl("", &log);

        ASSERT_EQ_U(a.n, 0);
        a = tmpfiles("", &log);
        ASSERT_EQ_U(a.n, 0);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(files_cut_anywhere_give_a_result) {
        static const char text[] =
                "w \"/sys/with blank\" 0644 root 'root' - a\\x41\\101\\n%%\nvm.x = 5\n-vm/y=6\n";

        for (size_t n = 0; n < sizeof(text); n++) {
                char cut[sizeof(text)] = {};
                ParseLog log = {};
                AdminLines a;

                memcpy(cut, text, n);
                a = sysctl(cut, &log);
                ASSERT_TRUE(a.n <= 2);
                a = tmpfiles(cut, &log);
                ASSERT_TRUE(a.n <= 1);
        }
}

TEST(a_full_arena_is_enomem) {
        static const char text[] = "w /sys/a - - - - 1\n";
        static uint8_t memory[8192];
        bool fitted = false;

        for (size_t size = 0; size < sizeof(memory); size += 8) {
                ParseLog log = {};
                AdminLines lines;
                Arena a;
                int r;

                memset(memory, 0, sizeof(memory));
                arena_init(&a, memory, size);
                r = tmpfiles_conf_parse(&a, text_from(text), "x", &lines, &log);
                ASSERT_TRUE(r == 0 || r == -ENOMEM);
                ASSERT_TRUE(!fitted || r == 0);
                fitted = r == 0;
        }
        ASSERT_TRUE(fitted);
}

TEST_MAIN()
