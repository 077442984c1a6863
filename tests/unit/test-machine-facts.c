/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for a whole run, and what people measured and put beside a capture. */
#include "machine/sample.h"
#include "tree.h"

static MachineFacts facts;

static const MachineFacts *read_facts(void) {
        Machine *m = tree_open();

        ASSERT_OK(sample_facts(m, &tree_arena, &facts, &tree_log));
        m = machine_free(m);
        return &facts;
}

TEST(release_is_that_of_the_sysctl_else_the_third_word_of_version) {
        tree_begin();
        tree_put("proc/version",
                 "Linux version 6.1.0-28-amd64 (a@b) (gcc) #1 SMP Debian 6.1.119-1\n");
        ASSERT_STR(read_facts()->release, "6.1.0-28-amd64");
        ASSERT_FALSE(facts.rt);
        tree_put("proc/sys/kernel/osrelease", "6.12.117+deb13-amd64\n");
        ASSERT_STR(read_facts()->release, "6.12.117+deb13-amd64");
        tree_put("proc/sys/kernel/osrelease", "");
        tree_put("proc/version", "Linux");
        ASSERT_STR(read_facts()->release, "");
        tree_end();
}

TEST(a_release_longer_than_any_is_cut) {
        char text[500];

        tree_begin();
        memset(text, 'x', sizeof(text));
        tree_put_bytes("proc/sys/kernel/osrelease", text, sizeof(text));
        ASSERT_EQ_U(strlen(read_facts()->release), sizeof(facts.release) - 1);
        tree_end();
}

TEST(realtime_is_told_by_version_or_sysfs) {
        tree_begin();
        tree_put(
                "proc/version",
                "Linux version 6.1.0-28-rt-amd64 (a@b) (gcc) #1 SMP PREEMPT_RT Debian 6.1.119-1\n");
        ASSERT_TRUE(read_facts()->rt);
        tree_put("proc/version", "Linux version 6.1.0 (a@b) (gcc) #1 SMP PREEMPT_DYNAMIC Debian\n");
        ASSERT_FALSE(read_facts()->rt);
        tree_put("sys/kernel/realtime", "1\n");
        ASSERT_TRUE(read_facts()->rt);
        tree_end();
}

TEST(isolated_cpus_are_told_by_the_command_line_or_sysfs) {
        tree_begin();
        tree_put("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet\n");
        ASSERT_FALSE(read_facts()->isolated_cpus);
        ASSERT_TRUE(facts.cmdline_known);
        ASSERT_TEXT(facts.cmdline, "BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet");
        tree_put("proc/cmdline", "quiet isolcpus=2-3\n");
        ASSERT_TRUE(read_facts()->isolated_cpus);
        tree_put("proc/cmdline", "quiet nohz-full=2-3\n"); /* '-' and '_' are one to the kernel */
        ASSERT_TRUE(read_facts()->isolated_cpus);
        tree_put("proc/cmdline", "");
        tree_put("sys/devices/system/cpu/isolated", "\n");
        tree_put("sys/devices/system/cpu/nohz_full", "  (null)\n"); /* 6.1 and older print that */
        ASSERT_FALSE(read_facts()->isolated_cpus);
        tree_put("sys/devices/system/cpu/nohz_full", "4-7\n");
        ASSERT_TRUE(read_facts()->isolated_cpus);
        tree_end();
}

TEST(page_size_of_a_tree_follows_from_counting_free_memory_twice) {
        static const struct {
                const char *meminfo, *vmstat;
                uint64_t expected; /* 0: unknown */
        } cases[] = {
                { "MemTotal: 2000000 kB\nMemFree: 400000 kB\n", "nr_free_pages 100000\n", 4096 },
                { "MemTotal: 2000000 kB\nMemFree: 1600000 kB\n", "nr_free_pages 99000\n", 16384 },
                { "MemTotal: 9000000 kB\nMemFree: 6400000 kB\n", "nr_free_pages 101000\n", 65536 },
                { "MemTotal: 2000000 kB\nMemFree: 100000 kB\n", "nr_free_pages 100000\n", 0 },
                { "MemTotal: 2000000 kB\nMemFree: 0 kB\n", "nr_free_pages 0\n", 0 },
                { "MemTotal: 2000000 kB\n", "nr_free_pages 100000\n", 0 },
                { "MemTotal: 2000000 kB\nMemFree: 400000 kB\n", "nr_free 100000\n", 0 },
                { "MemFree: 18014398509481983 kB\n", "nr_free_pages 18446744073709551615\n", 0 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                tree_begin();
                tree_put("proc/meminfo", cases[i].meminfo);
                tree_put("proc/vmstat", cases[i].vmstat);
                (void) read_facts();
                ASSERT_EQ_U(facts.page_bytes.known, cases[i].expected > 0);
                if (cases[i].expected > 0)
                        ASSERT_EQ_U(facts.page_bytes.value, cases[i].expected);
                ASSERT_EQ_U(facts.clk_tck.value, 100);
                ASSERT_TRUE(facts.clk_tck_assumed);
                tree_end();
        }
}

TEST(capture_json_tells_page_size_clock_and_user) {
        tree_begin();
        tree_put("00000000/proc/meminfo", "MemTotal: 2000000 kB\n");
        tree_put("capture.json", "{ \"schema\": 1, \"page_bytes\": 65536, \"clk_tck\": 1000, "
                                 "\"euid\": 1000, \"other\": [] }");
        (void) read_facts();
        ASSERT_EQ_U(facts.page_bytes.value, 65536);
        ASSERT_EQ_U(facts.clk_tck.value, 1000);
        ASSERT_FALSE(facts.clk_tck_assumed);
        ASSERT_FALSE(facts.euid_root);
        ASSERT_EQ_U(facts.memory_bytes.value, (uint64_t) 2000000 * 1024);
        ASSERT_STR(tree_issues(&tree_log), "");
        tree_end();
}

TEST(a_broken_capture_json_is_named_and_the_capture_read) {
        static const struct {
                const char *text, *issue;
        } cases[] = {
                { "", "capture.json:1: no JSON object" },
                { "{\n\"page_bytes\": 4096,\n", "capture.json:" },
                { "[]", "capture.json:1: no JSON object" },
                { "{ \"page_bytes\": 5000 }", "page_bytes is no power of two" },
                { "{ \"page_bytes\": -4096 }", "page_bytes is no power of two" },
                { "{ \"page_bytes\": \"4096\" }", "page_bytes is no power of two" },
                { "{ \"clk_tck\": 0 }", "clk_tck is no number from 1" },
                { "{ \"clk_tck\": 99999999999999999999999999 }", "capture.json:1: no JSON object" },
                { "{ \"euid\": \"root\" }", "euid is no number" },
                { "{ \"schema\": 2 }", "schema is not 1" },
                { "{\n\n\"euid\":\"root\" }", "capture.json:3: euid is no number" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                tree_begin();
                tree_put("00000000/proc/sys/kernel/osrelease", "6.1.0\n");
                tree_put("capture.json", cases[i].text);
                ASSERT_STR(read_facts()->release, "6.1.0");
                ASSERT_HAS(tree_issues(&tree_log), cases[i].issue);
                ASSERT_FALSE(facts.page_bytes.known);
                ASSERT_TRUE(facts.clk_tck_assumed);
                tree_end();
        }
}

TEST(what_is_wrong_with_a_capture_as_a_whole_is_named) {
        tree_begin();
        tree_put("00000000/proc/version", "Linux version 6.1.0 x\n");
        tree_put("000000000/proc/version", "Linux version 6.1.0 x\n");
        tree_mkdirs("00005000/");
        tree_put("MODES", "0644 proc/x\nrubbish\n");
        (void) read_facts();
        ASSERT_HAS(tree_issues(&tree_log), "capture:0: snapshots with neither proc nor sys");
        ASSERT_HAS(tree_issues(&tree_log), "capture:0: snapshots with the time of another");
        ASSERT_HAS(tree_issues(&tree_log), "MODES:2: expected an octal mode and a path");
        tree_end();
}

TEST(snapshots_named_by_no_time_are_left_out_and_it_is_said) {
        /* too short; more than 35 years; 10^18 ms and 2^64 ms, which a multiplication would wrap */
        static const char *const names[] = { "0", "1234567", "1099511627777", "999999999999999999",
                                             "18446744073709551616" };

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char path[64];
                Machine *m;

                tree_begin();
                tree_put("00000000/proc/version", "Linux version 6.1.0 x\n");
                ASSERT_TRUE(text_format(path, sizeof(path), "%s/proc/x", names[i]));
                tree_put(path, "");
                (void) read_facts();
                ASSERT_HAS(tree_issues(&tree_log),
                           "capture:0: folders named by digits that are no time");
                m = tree_open();
                ASSERT_EQ_I(machine_advance(m, 0), MACHINE_E_END);
                m = machine_free(m);
                tree_end();
        }
        tree_begin();
        tree_put("00000000/proc/x", "");
        tree_put("1099511627776/proc/x", "");
        tree_put("x1/proc/x", "");
        (void) read_facts();
        ASSERT_STR(tree_issues(&tree_log), "");
        tree_end();
}

TEST(a_hypervisor_is_told_by_the_flags_of_the_first_cpu) {
        tree_begin();
        tree_put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
        ASSERT_TRUE(read_facts()->hypervisor);
        tree_put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme\nbugs\t: hypervisor\n");
        ASSERT_FALSE(read_facts()->hypervisor);
        tree_end();
}

TEST(an_empty_tree_has_no_facts_and_no_zeros) {
        tree_begin();
        tree_mkdirs("proc/");
        (void) read_facts();
        ASSERT_STR(facts.release, "");
        ASSERT_FALSE(facts.cmdline_known || facts.page_bytes.known || facts.hpage_pmd_bytes.known ||
                     facts.memory_bytes.known || facts.contained);
        ASSERT_TRUE(facts.euid_root); /* a tree counts as read by root */
        ASSERT_EQ_U(facts.topology.n_nodes, 0);
        tree_end();
}

TEST(the_live_machine_has_facts) {
        Machine *m;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        ASSERT_OK(sample_facts(m, &tree_arena, &facts, &tree_log));
        ASSERT_EQ_U(facts.page_bytes.value, sysconf(_SC_PAGESIZE));
        ASSERT_EQ_U(facts.clk_tck.value, sysconf(_SC_CLK_TCK));
        ASSERT_FALSE(facts.clk_tck_assumed);
        ASSERT_EQ_U(facts.topology.n_online, sysconf(_SC_NPROCESSORS_ONLN));
        ASSERT_TRUE(facts.memory_bytes.known && facts.memory_bytes.value > 0);
        ASSERT_TRUE(facts.release[0] != 0);
        ASSERT_EQ_U(facts.euid_root, geteuid() == 0);
        ASSERT_EQ_U(facts.contained, facts.contained_why[0] != 0);
        m = machine_free(m);
        tree_end();
}

/* --- signals.json and kmsg --- */

static Signal *reports;
static size_t n_reports;
static Text kmsg;

static void read_reports(const char *json) {
        Machine *m;

        tree_begin();
        tree_put("00000000/proc/x", "");
        if (json)
                tree_put("signals.json", json);
        m = tree_open();
        ASSERT_OK(sample_reports(m, &tree_arena, &reports, &n_reports, &kmsg, &tree_log));
        m = machine_free(m);
        tree_end();
}

TEST(rows_that_people_measured_are_read) {
        read_reports(
                "[ { \"name\": \"zone-lock-wait\", \"scope\": \"system\", \"value\": 31250,"
                " \"unit\": \"ppm\", \"evidence\": \"estimated\", \"age_seconds\": 0.5 },"
                " { \"name\": \"list-lock-wait\", \"scope\": \"cache:vm_area_struct\","
                " \"value\": 1.25 },"
                " { \"name\": \"alloc-rate\", \"value\": 7, \"unit\": \"pages/s\" },"
                " { \"name\": \"psi-memory-some\", \"value\": null },"
                " { \"name\": \"external:fault-stall-max\", \"value\": 9, \"unit\": \"ns\" } ]");
        ASSERT_STR(tree_issues(&tree_log), "");
        ASSERT_EQ_U(n_reports, 5);
        ASSERT_STR(reports[0].name, "zone-lock-wait");
        ASSERT_EQ_I(reports[0].value, 31250);
        ASSERT_EQ_I(reports[0].evidence, EVIDENCE_ESTIMATED);
        ASSERT_EQ_U(reports[0].age_usec, 500000);
        ASSERT_STR(reports[0].source, "report");
        ASSERT_STR(reports[1].scope.name, "cache:vm_area_struct");
        ASSERT_EQ_I(reports[1].value, 1);
        ASSERT_EQ_U(reports[1].milli, 250);
        ASSERT_EQ_I(reports[1].evidence, EVIDENCE_MEASURED); /* a wait */
        ASSERT_EQ_I(reports[2].evidence, EVIDENCE_COUNTED);  /* a rate */
        ASSERT_EQ_I(reports[3].evidence, EVIDENCE_NONE);
        ASSERT_STR(reports[4].unit, "ns");
}

TEST(units_that_people_write_are_converted) {
        read_reports(
                "[ { \"name\": \"zone-lock-wait\", \"value\": 85.58, \"unit\": \"%\" },"
                " { \"name\": \"pcp-hold-length\", \"value\": 450, \"unit\": \"us\" },"
                " { \"name\": \"external:fault-stall-max\", \"value\": 3, \"unit\": \"ns\" } ]");
        ASSERT_STR(tree_issues(&tree_log), "");
        ASSERT_EQ_U(n_reports, 3);
        ASSERT_EQ_I(reports[0].value, 855800);
        ASSERT_STR(reports[0].unit, "ppm");
        ASSERT_EQ_I(reports[1].value, 450000);
        ASSERT_EQ_I(reports[2].evidence, EVIDENCE_MEASURED); /* a time */
}

TEST(broken_rows_are_named_and_the_others_kept) {
        read_reports("[ 1, {}, { \"name\": \"no-such-signal\", \"value\": 1 },"
                     " { \"name\": \"zone-lock-wait\", \"value\": -1 },"
                     " { \"name\": \"zone-lock-wait\", \"value\": 1e300 },"
                     " { \"name\": \"zone-lock-wait\", \"value\": \"1\" },"
                     " { \"name\": \"zone-lock-wait\", \"value\": 1, \"unit\": \"ns\" },"
                     " { \"name\": \"zone-lock-wait\", \"value\": 1, \"evidence\": \"felt\" },"
                     " { \"name\": \"zone-lock-wait\", \"value\": 2 } ]");
        ASSERT_EQ_U(n_reports, 1);
        ASSERT_EQ_I(reports[0].value, 2);
        ASSERT_EQ_U(tree_log.n_issues, 8);
        ASSERT_HAS(tree_issues(&tree_log), "no such signal (row 3: no-such-signal)");
        ASSERT_HAS(tree_issues(&tree_log),
                   "another unit than the signal has (row 7: zone-lock-wait)");
}

TEST(a_row_of_the_wrong_type_is_named_with_its_line) {
        static const struct {
                const char *row, *issue;
        } cases[] = {
                { "\"value\": 1, \"scope\": 5", "no string (row 2: scope)" },
                { "\"value\": 1, \"unit\": 5", "no string (row 2: unit)" },
                { "\"value\": 1, \"evidence\": []", "no string (row 2: evidence)" },
                { "\"value\": true", "value is no number from 0 to 9e18 (row 2: zone-lock-wait)" },
                { "\"value\": 1000001", "a share above 1000000 ppm (row 2: zone-lock-wait)" },
                { "\"value\": 101, \"unit\": \"%\"",
                  "a share above 1000000 ppm (row 2: zone-lock-wait)" },
                { "\"value\": 1, \"scope\": \"banana\"",
                  "no scope of this signal (row 2: banana)" },
                { "\"value\": 1, \"scope\": \"\"", "no scope of this signal (row 2: )" },
                { "\"value\": 1, \"scope\": \"node:x\"",
                  "no scope of this signal (row 2: node:x)" },
                { "\"value\": 1, \"scope\": \"node:0/Normal\"",
                  "no scope of this signal (row 2: node:0/Normal)" },
                { "\"value\": 1, \"scope\": \"cache:dentry\"",
                  "no scope of this signal (row 2: cache:dentry)" },
        };
        static const char *const frames[] = { "[\n{ \"name\": \"alloc-rate\", \"value\": 1,"
                                              " \"unit\": \"pages/s\" },\n\n",
                                              "{ \"x\": [ \"]\\\"\" ], \"signals\": [\n{ \"name\":"
                                              " \"alloc-rate\", \"value\": 1 },\n\n" };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                for (size_t k = 0; k < ELEMENTSOF(frames); k++) {
                        char json[512], issue[256];

                        ASSERT_TRUE(text_format(json, sizeof(json),
                                                "%s{ \"name\": \"zone-lock-wait\", %s } ]%s",
                                                frames[k], cases[i].row, k == 1 ? "}" : ""));
                        ASSERT_TRUE(text_format(issue, sizeof(issue), "signals.json:4: %s",
                                                cases[i].issue));
                        read_reports(json);
                        ASSERT_EQ_U(n_reports, 1);
                        ASSERT_STR(tree_issues(&tree_log), issue);
                }
}

TEST(an_age_that_is_none_leaves_the_row) {
        read_reports(
                "[ { \"name\": \"zone-lock-wait\", \"value\": 1000000, \"age_seconds\": -1 },\n"
                "  { \"name\": \"list-lock-wait\", \"value\": 1, \"age_seconds\": \"x\" } ]");
        ASSERT_EQ_U(n_reports, 2);
        ASSERT_TRUE(reports[0].age_usec == USEC_UNKNOWN);
        ASSERT_STR(
                tree_issues(&tree_log),
                "signals.json:1: age_seconds is no number from 0 to 1e9 (row 1: zone-lock-wait)\n"
                "signals.json:2: age_seconds is no number from 0 to 1e9 (row 2: list-lock-wait)");
}

TEST(of_two_rows_for_one_signal_the_second_counts_and_it_is_said) {
        read_reports("[ { \"name\": \"zone-lock-wait\", \"value\": 1 },\n"
                     "  { \"name\": \"zone-lock-wait\", \"value\": 3, \"scope\": \"node:1\" },\n"
                     "  { \"name\": \"zone-lock-wait\", \"value\": 2, \"scope\": \"system\" } ]");
        ASSERT_EQ_U(n_reports, 2);
        ASSERT_EQ_I(reports[0].value, 2);
        ASSERT_EQ_I(reports[1].value, 3);
        ASSERT_STR(tree_issues(&tree_log),
                   "signals.json:3: a second row of this signal and scope replaces the first"
                   " (row 3: zone-lock-wait)");
        read_reports("[ { \"name\": \"zone-lock-wait\", \"value\": 1, \"value\": 2 } ]");
        ASSERT_EQ_U(n_reports, 0);
        ASSERT_HAS(tree_issues(&tree_log), "signals.json:1: no JSON");
}

TEST(what_is_no_array_is_named) {
        static const char *const texts[] = { "", "{", "\"x\"", "{\"a\":1}", "[[]", "\xff\xfe" };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                read_reports(texts[i]);
                ASSERT_EQ_U(n_reports, 0);
                ASSERT_HAS(tree_issues(&tree_log), "signals.json:1: no ");
        }
        read_reports(NULL);
        ASSERT_EQ_U(n_reports, 0);
        ASSERT_STR(tree_issues(&tree_log), "");
        ASSERT_TRUE(kmsg.data == NULL);
}

TEST_MAIN()
