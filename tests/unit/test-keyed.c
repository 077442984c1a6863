/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/keyed.h"

#include "sense.h"

static VmStat vmstat(Text text, ParseLog *log) {
        VmStat v;

        ASSERT_OK(vmstat_parse(text, "proc/vmstat", &v, log));
        return v;
}

static MemInfo meminfo(Text text, ParseLog *log) {
        MemInfo m;

        ASSERT_OK(meminfo_parse(text, "proc/meminfo", &m, log));
        return m;
}

static void table_is_sorted(const KeySpec *keys, size_t n) {
        for (size_t i = 0; i < n; i++) {
                ASSERT_TRUE(keys[i].name && keys[i].help);
                ASSERT_TRUE(i == 0 || strcmp(keys[i - 1].name, keys[i].name) < 0);
        }
}

TEST(tables_are_sorted_and_complete) {
        size_t n;
        const KeySpec *keys = vmstat_keys(&n);

        ASSERT_EQ_U(n, _VM_KEY_MAX);
        table_is_sorted(keys, n);
        keys = meminfo_keys(&n);
        ASSERT_EQ_U(n, _MEM_KEY_MAX);
        table_is_sorted(keys, n);
        ASSERT_STR(vmstat_keys(&n)[VM_PGALLOC_DMA32].name, "pgalloc_dma32");
        ASSERT_STR(meminfo_keys(&n)[MEM_MEM_TOTAL].name, "MemTotal");
}

/* Reads each line of the file with sscanf and looks the name up one by one: nothing shared with
 * the parser. */
TEST(every_line_of_every_kernel_agrees_with_another_reader) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "vmstat"), rest = text, line;
                ParseLog log = {};
                VmStat v = vmstat(text, &log);
                unsigned n_known = 0, n_lines = 0;
                size_t n;
                const KeySpec *keys = vmstat_keys(&n);

                while (text_next_line(&rest, &line)) {
                        char copy[128], name[64];
                        unsigned long long value;

                        ASSERT_TRUE(text_copy(copy, sizeof(copy), line));
                        ASSERT_EQ_I(sscanf(copy, "%63s %llu", name, &value), 2);
                        n_lines++;
                        for (size_t i = 0; i < n; i++)
                                if (strcmp(keys[i].name, name) == 0) {
                                        ASSERT_KNOWN(v.value[i], value);
                                        n_known++;
                                }
                }
                ASSERT_EQ_U(v.n_keys, n_known);
                ASSERT_EQ_U(v.n_keys + v.n_unknown, n_lines);
                ASSERT_TRUE(n_known > 60);
                ASSERT_EQ_U(log.n_issues, 0);
                sense_free(text);
        }
}

TEST(figures_of_the_five_kernels) {
        /* grep of the files; pgalloc is awk's sum over pgalloc_* */
        static const struct {
                uint64_t free, unreclaimable, pgalloc, pgfree;
                bool has_device, has_underused, has_vmalloc;
        } rows[] = {
                { 483231, 2279, 2342072, 2827605, false, false, false },
                { 456184, 2884, 2697663, 3175274, true, false, false },
                { 440614, 3293, 2561142, 3039977, true, true, false },
                { 486492, 3588, 15745, 509671, true, true, true },
                { 444086, 3735, 2459090, 2936157, true, true, true },
        };

        for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
                Text text = sense_file(sense_kernels[k], "vmstat");
                ParseLog log = {};
                VmStat v = vmstat(text, &log);

                ASSERT_KNOWN(v.value[VM_NR_FREE_PAGES], rows[k].free);
                ASSERT_KNOWN(v.value[VM_NR_SLAB_UNRECLAIMABLE], rows[k].unreclaimable);
                ASSERT_KNOWN(vmstat_pgalloc(&v), rows[k].pgalloc);
                ASSERT_KNOWN(v.value[VM_PGFREE], rows[k].pgfree);
                ASSERT_KNOWN(v.value[VM_THP_FAULT_ALLOC], 0);
                ASSERT_KNOWN(vmstat_allocstall(&v), 0);
                ASSERT_TRUE(v.value[VM_PGALLOC_DEVICE].known == rows[k].has_device);
                ASSERT_TRUE(v.value[VM_THP_UNDERUSED_SPLIT_PAGE].known == rows[k].has_underused);
                ASSERT_TRUE(v.value[VM_NR_VMALLOC].known == rows[k].has_vmalloc);
                ASSERT_UNKNOWN(v.value[VM_PGALLOC_HIGH]);
                sense_free(text);
        }
}

TEST(a_node_has_gauges_and_no_events) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "node1-vmstat");
                ParseLog log = {};
                VmStat v = vmstat(text, &log);

                ASSERT_TRUE(v.value[VM_NR_FREE_PAGES].known);
                ASSERT_TRUE(v.value[VM_NUMA_HIT].known);
                ASSERT_UNKNOWN(v.value[VM_PGFREE]);
                ASSERT_UNKNOWN(vmstat_pgalloc(&v));
                ASSERT_EQ_U(log.n_issues, 0);
                sense_free(text);
        }
}

TEST(absent_is_not_zero) {
        ParseLog log = {};
        VmStat v = vmstat(TEXT("pgfault 0\n"), &log);

        ASSERT_KNOWN(v.value[VM_PGFAULT], 0);
        ASSERT_UNKNOWN(v.value[VM_PGFREE]);
        ASSERT_UNKNOWN(vmstat_pgalloc(&v));
        ASSERT_UNKNOWN(vmstat_allocstall(&v));
}

TEST(malformed_numbers_are_named_with_their_line_and_the_rest_is_read) {
        ParseLog log = {};
        VmStat v = vmstat(
                TEXT("pgfree x12\npgfault 99999999999999999999\npgmajfault -3\npgalloc_dma\n"
                     "oom_kill 5 trailing\n"),
                &log);

        ASSERT_UNKNOWN(v.value[VM_PGFREE]);
        ASSERT_UNKNOWN(v.value[VM_PGFAULT]);
        ASSERT_UNKNOWN(v.value[VM_PGMAJFAULT]);
        ASSERT_UNKNOWN(v.value[VM_PGALLOC_DMA]);
        ASSERT_KNOWN(v.value[VM_OOM_KILL], 5);
        ASSERT_EQ_U(log.n_issues, 4);
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_STR(log.issue[0].about, "pgfree");
        ASSERT_STR(log.issue[0].path, "proc/vmstat");
        ASSERT_ISSUE(&log, 1, 2, "number too large");
        ASSERT_ISSUE(&log, 2, 3, "negative number");
        ASSERT_ISSUE(&log, 3, 4, "number missing");
        ASSERT_EQ_U(v.n_keys, 1);
}

TEST(a_gauge_below_zero_shows_as_a_huge_number_and_is_absent) {
        ParseLog log = {};
        VmStat v = vmstat(
                TEXT("nr_free_pages 18446744073709551611\nnr_dirty -4\npgfree 18446744073709551611\n"),
                &log);

        ASSERT_UNKNOWN(v.value[VM_NR_FREE_PAGES]);
        ASSERT_UNKNOWN(v.value[VM_NR_DIRTY]);
        ASSERT_KNOWN(v.value[VM_PGFREE], UINT64_C(18446744073709551611));
        ASSERT_EQ_U(log.n_issues, 2);
        ASSERT_ISSUE(&log, 0, 1, "negative number");
        ASSERT_ISSUE(&log, 1, 2, "negative number");
}

TEST(of_a_key_that_stands_twice_the_last_counts) {
        ParseLog log = {};
        VmStat v = vmstat(TEXT("pgfree 1\npgfree 2\n"), &log);

        ASSERT_KNOWN(v.value[VM_PGFREE], 2);
        ASSERT_EQ_U(log.n_issues, 1);
        ASSERT_ISSUE(&log, 0, 2, "duplicate key, the last one counts");
        ASSERT_EQ_U(v.n_keys, 1);
}

TEST(sums_saturate) {
        ParseLog log = {};
        VmStat v = vmstat(TEXT("pgalloc_dma 18446744073709551615\npgalloc_normal 5\n"), &log);

        ASSERT_KNOWN(vmstat_pgalloc(&v), UINT64_MAX);
}

TEST(empty_and_foreign_files_are_named) {
        ParseLog log = {};
        VmStat v = vmstat(TEXT_NULL, &log);

        ASSERT_EQ_U(v.n_keys, 0);
        ASSERT_ISSUE(&log, 0, 0, "the file is empty");
        v = vmstat(TEXT("#!/bin/sh\necho hello\n"), &log);
        ASSERT_EQ_U(v.n_keys, 0);
        ASSERT_EQ_U(v.n_unknown, 2);
        ASSERT_ISSUE(&log, 1, 0, "nothing in this file is known");
}

TEST(binary_data_gives_a_result) {
        char data[4096];
        ParseLog log = {};
        uint32_t seed = 3;
        VmStat v;
        MemInfo m;

        for (size_t i = 0; i < sizeof(data); i++) {
                seed = seed * 1664525u + 1013904223u;
                data[i] = (char) (seed >> 24);
        }
        v = vmstat((Text){ data, sizeof(data) }, &log);
        m = meminfo((Text){ data, sizeof(data) }, &log);
        ASSERT_EQ_U(v.n_keys + m.n_keys, 0);
        ASSERT_TRUE(log.n_issues > 0);
}

/* Whatever is cut off: what was read before the cut is the same as in the whole file. */
TEST(a_file_cut_anywhere_keeps_its_earlier_values) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "vmstat");
                ParseLog log = {};
                VmStat whole = vmstat(text, &log);

                for (size_t n = 0; n < text.size; n++) {
                        Text cut = sense_copy((Text){ text.data, n });
                        VmStat v = vmstat(cut, &log);

                        for (size_t i = 0; i < _VM_KEY_MAX; i++)
                                if (v.value[i].known)
                                        ASSERT_KNOWN(whole.value[i], v.value[i].value);
                        ASSERT_TRUE(v.n_keys <= whole.n_keys);
                        sense_free(cut);
                }
                sense_free(text);
        }
}

TEST(zone_names_have_their_counters) {
        ASSERT_EQ_U(vmstat_pgalloc_key("DMA32"), VM_PGALLOC_DMA32);
        ASSERT_EQ_U(vmstat_pgalloc_key("HighMem"), VM_PGALLOC_HIGH);
        ASSERT_EQ_U(vmstat_pgalloc_key("Device"), VM_PGALLOC_DEVICE);
        ASSERT_EQ_U(vmstat_pgalloc_key("normal"), _VM_KEY_MAX);
        ASSERT_EQ_U(vmstat_pgalloc_key(""), _VM_KEY_MAX);
}

TEST(memory_is_in_bytes) {
        /* kB of the files times 1024 */
        static const uint64_t total_kb[] = { 2019496, 2013540, 2020212, 2016044, 2013952 };
        static const uint64_t unreclaim_kb[] = { 9116, 11536, 13172, 14352, 14940 };
        static const uint64_t node1_kb[] = { 1030832, 983556, 990288, 986076, 1028756 };

        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "meminfo");
                Text node = sense_file(sense_kernels[k], "node1-meminfo");
                ParseLog log = {};
                MemInfo m = meminfo(text, &log);

                ASSERT_KNOWN(m.value[MEM_MEM_TOTAL], total_kb[k] * 1024);
                ASSERT_KNOWN(m.value[MEM_SUNRECLAIM], unreclaim_kb[k] * 1024);
                ASSERT_KNOWN(m.value[MEM_HUGE_PAGES_TOTAL], 0);
                ASSERT_KNOWN(m.value[MEM_HUGEPAGESIZE], 2097152);
                ASSERT_EQ_U(m.n_keys, _MEM_KEY_MAX);
                m = meminfo(node, &log);
                ASSERT_KNOWN(m.value[MEM_MEM_TOTAL], node1_kb[k] * 1024);
                ASSERT_UNKNOWN(m.value[MEM_MEM_AVAILABLE]);
                ASSERT_EQ_U(log.n_issues, 0);
                sense_free(text);
                sense_free(node);
        }
}

TEST(units_of_meminfo_are_checked) {
        ParseLog log = {};
        MemInfo m = meminfo(
                TEXT("MemTotal: 5\nMemFree: 6 MB\nHugePages_Total: 7\nHugePages_Free: 8 kB\n"
                     "Slab: 18014398509481984 kB\nShmem: 18014398509481983 kB\nDirty: -1 kB\n"
                     "AnonPages:\nNode 0\nNode\nNode 0 Percpu: 2 kB\nMemAvailable: 9000000000000000 kB\n"),
                &log);

        ASSERT_UNKNOWN(m.value[MEM_MEM_TOTAL]);
        ASSERT_UNKNOWN(m.value[MEM_MEM_FREE]);
        ASSERT_KNOWN(m.value[MEM_HUGE_PAGES_TOTAL], 7);
        ASSERT_UNKNOWN(m.value[MEM_HUGE_PAGES_FREE]);
        ASSERT_UNKNOWN(m.value[MEM_SLAB]); /* 2^54 kB are 2^64 bytes */
        ASSERT_UNKNOWN(
                m.value[MEM_SHMEM]); /* (2^54 - 1) kB fit, but only a negative gauge gives them */
        ASSERT_UNKNOWN(m.value[MEM_DIRTY]);
        ASSERT_UNKNOWN(m.value[MEM_ANON_PAGES]);
        ASSERT_KNOWN(m.value[MEM_PERCPU], 2048);
        ASSERT_KNOWN(m.value[MEM_MEM_AVAILABLE], UINT64_C(9216000000000000000)); /* below 2^63 */
        ASSERT_ISSUE(&log, 0, 1, "unit missing");
        ASSERT_ISSUE(&log, 1, 2, "unknown unit");
        ASSERT_ISSUE(&log, 2, 4, "unknown unit");
        ASSERT_ISSUE(&log, 3, 5, "number too large");
        ASSERT_ISSUE(&log, 4, 6, "negative number");
        ASSERT_ISSUE(&log, 5, 7, "negative number");
        ASSERT_ISSUE(&log, 6, 8, "number missing");
        ASSERT_EQ_U(log.n_issues, 7);
}

TEST_MAIN()
