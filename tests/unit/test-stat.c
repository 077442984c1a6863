/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/stat.h"

#include <errno.h>

#include "sense.h"

static CpuStat cpustat(Text text, ParseLog *log) {
        CpuStat s;

        ASSERT_OK(cpustat_parse(sense_arena(), text, "proc/stat", &s, log));
        return s;
}

TEST(figures_of_the_five_kernels) {
        /* "cpu", "cpu7" and "btime" lines as they stand in the files */
        static const struct {
                uint64_t user, system, idle, softirq, system7, btime;
        } rows[] = {
                { 430, 7634, 1591, 81, 910, 1796084196 },
                { 599, 9730, 1360, 106, 1154, 1796083900 },
                { 627, 9293, 1739, 287, 1101, 1796084094 },
                { 112, 509, 7285, 30, 30, 1796083863 },
                { 614, 9780, 2589, 274, 1222, 1796084877 },
        };

        for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
                Text text = sense_file(sense_kernels[k], "stat");
                ParseLog log = {};
                CpuStat s = cpustat(text, &log);

                ASSERT_EQ_U(log.n_issues, 0);
                ASSERT_EQ_U(s.n_cpus, 8);
                ASSERT_KNOWN(s.user, rows[k].user);
                ASSERT_KNOWN(s.nice, 0);
                ASSERT_KNOWN(s.system, rows[k].system);
                ASSERT_KNOWN(s.idle, rows[k].idle);
                ASSERT_KNOWN(s.softirq, rows[k].softirq);
                ASSERT_KNOWN(s.steal, 0);
                ASSERT_KNOWN(s.guest_nice, 0);
                ASSERT_KNOWN(cpustat_kernel(&s), rows[k].system + rows[k].softirq);
                ASSERT_KNOWN(cpustat_total(&s),
                             rows[k].user + rows[k].system + rows[k].idle + rows[k].softirq);
                ASSERT_EQ_U(s.cpus[7].cpu, 7);
                ASSERT_KNOWN(s.cpus[7].system, rows[k].system7);
                ASSERT_KNOWN(s.boot_time_sec, rows[k].btime);
                sense_free(text);
        }
}

TEST(without_an_arena_cpus_are_only_counted) {
        ParseLog log = {};
        CpuStat s;

        ASSERT_OK(cpustat_parse(NULL, TEXT("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 x\ncpu4 1\nintr 9\n"),
                                "proc/stat", &s, &log));
        ASSERT_EQ_U(s.n_cpus, 2);
        ASSERT_TRUE(!s.cpus);
        ASSERT_KNOWN(s.guest, 9);
        ASSERT_KNOWN(s.guest_nice, 10);
        ASSERT_KNOWN(cpustat_total(&s), 36);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(columns_that_an_old_kernel_lacks_are_unknown) {
        ParseLog log = {};
        CpuStat s = cpustat(TEXT("cpu 1 2 3 4\n"), &log);

        ASSERT_KNOWN(s.idle, 4);
        ASSERT_UNKNOWN(s.iowait);
        ASSERT_UNKNOWN(cpustat_kernel(&s));
        ASSERT_UNKNOWN(cpustat_total(&s));
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(malformed_numbers_keep_the_places_of_the_others) {
        ParseLog log = {};
        CpuStat s = cpustat(
                TEXT("cpu 1 x 3 -4 99999999999999999999 6 7 8\ncpuX 1\ncpu8192 1\ncpu1 1 2 x 4\nbtime\n"
                     "cpu 1 2"),
                &log);

        ASSERT_KNOWN(s.user, 1);
        ASSERT_UNKNOWN(s.nice);
        ASSERT_KNOWN(s.system, 3);
        ASSERT_UNKNOWN(s.idle);
        ASSERT_UNKNOWN(s.iowait);
        ASSERT_KNOWN(cpustat_kernel(&s), 3 + 6 + 7);
        ASSERT_EQ_U(s.n_cpus, 1);
        ASSERT_UNKNOWN(s.cpus[0].system);
        ASSERT_KNOWN(s.cpus[0].idle, 4);
        ASSERT_UNKNOWN(s.boot_time_sec);
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_ISSUE(&log, 1, 1, "negative number");
        ASSERT_ISSUE(&log, 2, 1, "number too large");
        ASSERT_ISSUE(&log, 3, 2, "malformed number");
        ASSERT_ISSUE(&log, 4, 3, "CPU out of range");
        ASSERT_ISSUE(&log, 5, 4, "malformed number");
        ASSERT_STR(log.issue[5].about, "cpu1");
        ASSERT_ISSUE(&log, 6, 5, "number missing");
        ASSERT_ISSUE(&log, 7, 6, "the file ends inside this line");
        ASSERT_EQ_U(log.n_issues, 8);
}

TEST(sums_saturate) {
        ParseLog log = {};
        CpuStat s = cpustat(TEXT("cpu 0 0 18446744073709551615 0 0 1 0 0\n"), &log);

        ASSERT_KNOWN(cpustat_kernel(&s), UINT64_MAX);
}

TEST(a_file_cut_anywhere_keeps_its_earlier_values) {
        Text text = sense_file("6.1", "stat");
        ParseLog log = {};

        for (size_t n = 0; n <= text.size; n++) {
                Text cut = sense_copy((Text){ text.data, n });
                CpuStat s = cpustat(cut, &log);

                if (s.system.known)
                        ASSERT_EQ_U(s.system.value, 9730);
                ASSERT_TRUE(s.n_cpus < 8 || s.cpus[7].system.value == 1154);
                sense_free(cut);
        }
        sense_free(text);
}

TEST(empty_files_are_named_and_full_arenas_are_enomem) {
        ParseLog log = {};
        uint8_t memory[8] = {};
        CpuStat s = cpustat(TEXT_NULL, &log);
        Arena a;

        ASSERT_UNKNOWN(s.system);
        ASSERT_ISSUE(&log, 0, 0, "the file is empty");
        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(cpustat_parse(&a, TEXT("cpu0 1\n"), "proc/stat", &s, &log), -ENOMEM);
}

TEST_MAIN()
