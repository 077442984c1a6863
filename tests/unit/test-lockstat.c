/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lockstat.h"

#include <errno.h>

#include "sense.h"

#define RULER "-----------------------------------------------------------------\n"
#define HEAD                                                                                     \
        "lock_stat version 0.4\n" RULER                                                          \
        "                              class name    con-bounces    contentions   waittime-min " \
        "  waittime-max waittime-total   waittime-avg    acq-bounces   acquisitions "            \
        "  holdtime-min   holdtime-max holdtime-total   holdtime-avg\n" RULER "\n"

/* Lines of Documentation/locking/lockstat.rst. */
#define DOCUMENTATION                                                                            \
        HEAD "                         &mm->mmap_sem-W:            46             84           " \
             "0.26         939.10       16371.53         194.90          47291        2922365  " \
             "         0.16     2220301.69 17464026916.32        5975.99\n"                      \
             "                         &mm->mmap_sem-R:            37            100           " \
             "1.31      299502.61      325629.52        3256.30         212344       34316685  " \
             "         0.10        7744.91   95016910.20           2.77\n"                       \
             "                         ---------------\n"                                        \
             "                           &mm->mmap_sem              1          "                 \
             "[<ffffffff811502a7>] khugepaged_scan_mm_slot+0x57/0x280\n"                         \
             "                           &mm->mmap_sem             96          "                 \
             "[<ffffffff815351c4>] __do_page_fault+0x1d4/0x510\n"                                \
             "                         ---------------\n"                                        \
             "                           &mm->mmap_sem              1          "                 \
             "[<ffffffff81046fda>] dup_mm+0x2a/0x140\n\n"                                        \
             "............................................................................\n\n"  \
             "                         unix_table_lock:           110            112           " \
             "0.21          49.24         163.91           1.46          21094          66312  " \
             "         0.12         624.42       31589.81           0.48\n"                      \
             "                         ---------------\n"                                        \
             "                         unix_table_lock             45          "                 \
             "[<ffffffff8150ad8e>] unix_create1+0x16e/0x1b0\n"

static LockStat lockstat(Text text, ParseLog *log) {
        Text copy = sense_copy(text);
        LockStat s;

        ASSERT_OK(lockstat_parse(sense_arena(), copy, "proc/lock_stat", &s, log));
        sense_free(copy);
        return s;
}

TEST(the_example_of_the_kernel_documentation) {
        ParseLog log = {};
        LockStat s = lockstat(TEXT(DOCUMENTATION), &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_TRUE(s.collecting);
        ASSERT_EQ_U(s.n, 3);
        ASSERT_STR(s.classes[0].name, "&mm->mmap_sem");
        ASSERT_TRUE(s.classes[0].mode == 'W' && s.classes[1].mode == 'R' && s.classes[2].mode == 0);
        ASSERT_KNOWN(s.classes[0].contention_bounces, 46);
        ASSERT_KNOWN(s.classes[0].contentions, 84);
        ASSERT_KNOWN(s.classes[0].wait_min_nsec, 260);
        ASSERT_KNOWN(s.classes[0].wait_max_nsec, 939100);
        ASSERT_KNOWN(s.classes[0].wait_total_nsec, 16371530);
        ASSERT_KNOWN(s.classes[0].acquisition_bounces, 47291);
        ASSERT_KNOWN(s.classes[0].acquisitions, 2922365);
        ASSERT_KNOWN(s.classes[0].hold_min_nsec, 160);
        ASSERT_KNOWN(s.classes[0].hold_max_nsec, 2220301690);
        ASSERT_KNOWN(s.classes[0].hold_total_nsec, 17464026916320);
        ASSERT_STR(s.classes[2].name, "unix_table_lock");
        ASSERT_KNOWN(s.classes[2].acquisitions, 66312);
        ASSERT_EQ_U(s.classes[2].line, 16);
        ASSERT_EQ_U(s.total[LOCK_OTHER].n_classes, 3);
        ASSERT_EQ_U(s.total[LOCK_ZONE].n_classes, 0);
        ASSERT_UNKNOWN(s.total[LOCK_ZONE].contentions);
}

TEST(families_under_all_their_names) {
        static const struct {
                const char *name;
                LockFamily family;
        } rows[] = {
                { "&zone->lock", LOCK_ZONE },
                { "&(&zone->lock)->rlock", LOCK_ZONE },
                { "&zone->lock#2", LOCK_ZONE },
                { "&zone->lock/1", LOCK_ZONE },
                { "&(&zone->lock)->rlock#2", LOCK_ZONE },
                { "&n->list_lock", LOCK_LIST },
                { "&(&n->list_lock)->rlock", LOCK_LIST },
                { "&node->list_lock", LOCK_LIST },
                { "&n->list_lock/1", LOCK_LIST },
                { "&lruvec->lru_lock", LOCK_LRU },
                { "&pgdat->lru_lock", LOCK_LRU },
                { "&(&pgdat->lru_lock)->rlock", LOCK_LRU },
                { "&(&zone->zone_pgdat->lru_lock)->rlock", LOCK_LRU },
                { "&(zone_lru_lock(zone))->rlock", LOCK_LRU },
                { "&barn->lock", LOCK_BARN },
                /* not of the allocator */
                { "&zone->lock_init", LOCK_OTHER },
                { "&zone->lock->x", LOCK_OTHER },
                { "&my_zone->lock", LOCK_OTHER },
                { "&ozone->lock", LOCK_OTHER },
                { "&zone->spinlock", LOCK_OTHER },
                { "&bdev->lru_lock", LOCK_OTHER },
                { "&glob->lru_lock", LOCK_OTHER },
                { "&pool->lru_lock", LOCK_OTHER },
                { "&conn->list_lock", LOCK_OTHER },
                { "&fn->list_lock", LOCK_OTHER },
                { "zone_lock", LOCK_OTHER },
                { "", LOCK_OTHER },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Text name = sense_copy(text_from(rows[i].name));

                printf("# %s\n", rows[i].name);
                ASSERT_EQ_U(lockstat_family(name), rows[i].family);
                sense_free(name);
        }
}

TEST(classes_of_a_family_are_added_up) {
        ParseLog log = {};
        LockStat s = lockstat(
                TEXT(HEAD "&zone->lock: 1 10 0.10 2.00 100.50 1.00 5 1000 0.10 3.00 900.25 0.90\n"
                          "&zone->lock#2: 1 5 0.10 2.00 50.25 1.00 5 500 0.10 3.00 100.75 0.90\n"
                          "&n->list_lock: 1 7 0.10 2.00 70.00 1.00 5 700 0.10 3.00 70.00 0.10\n"),
                &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(s.total[LOCK_ZONE].n_classes, 2);
        ASSERT_KNOWN(s.total[LOCK_ZONE].contentions, 15);
        ASSERT_KNOWN(s.total[LOCK_ZONE].wait_total_nsec, 150750);
        ASSERT_KNOWN(s.total[LOCK_ZONE].acquisitions, 1500);
        ASSERT_KNOWN(s.total[LOCK_ZONE].hold_total_nsec, 1001000);
        ASSERT_KNOWN(s.total[LOCK_LIST].contentions, 7);
        ASSERT_UNKNOWN(s.total[LOCK_LRU].contentions);
}

/* seq_time() of kernels before 6.8: " %14s" of a text cut to 14 characters. From 6.8 on the text is whole. */
TEST(sums_of_many_cpus_outgrow_their_column) {
        static const struct {
                const char *written;
                uint64_t nsec;
        } rows[] = {
                { "99999999999.99", UINT64_C(99999999999990) },
                { "248560087009.8", UINT64_C(248560087009800) },
                { "2485600870098.", UINT64_C(2485600870098000) },
                { "24856008700980", UINT64_C(24856008700980000) },
                { "24856008700980.12", UINT64_C(24856008700980120) },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                char text[2048];
                ParseLog log = {};
                LockStat s;

                ASSERT_TRUE(text_format(
                        text, sizeof(text),
                        HEAD "&zone->lock: 1 10 0.10 2.00 %s 1.00 5 1000 0.10 3.00 900.25 0.90\n",
                        rows[i].written));
                s = lockstat(text_from(text), &log);
                ASSERT_EQ_U(log.n_issues, 0);
                ASSERT_KNOWN(s.total[LOCK_ZONE].wait_total_nsec, rows[i].nsec);
        }
}

TEST(names_with_blanks_and_colons_and_old_columns) {
        ParseLog log = {};
        LockStat s = lockstat(
                TEXT("lock_stat version 0.3\n"
                     "(work_completion)(&a: b): 1 2 0.10 0.20 0.30 4 5 0.60 0.70 0.80\n"),
                &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(s.n, 1);
        ASSERT_STR(s.classes[0].name, "(work_completion)(&a: b)");
        ASSERT_KNOWN(s.classes[0].contentions, 2);
        ASSERT_KNOWN(s.classes[0].wait_total_nsec, 300);
        ASSERT_KNOWN(s.classes[0].acquisition_bounces, 4);
        ASSERT_KNOWN(s.classes[0].acquisitions, 5);
        ASSERT_KNOWN(s.classes[0].hold_total_nsec, 800);
}

TEST(the_banner_of_disabled_debugging) {
        ParseLog log = {};
        LockStat s = lockstat(
                TEXT("lock_stat version 0.4\n*WARNING* lock debugging disabled!! - possibly due to a "
                     "lockdep warning\n&zone->lock: 1 1 1.00 1.00 1.00 1.00 1 1 1.00 1.00 1.00 1.00\n"),
                &log);

        ASSERT_TRUE(!s.collecting);
        ASSERT_EQ_U(s.n, 1);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(malformed_lines_are_named_and_the_rest_is_read) {
        ParseLog log = {};
        LockStat s = lockstat(
                TEXT(HEAD
                     "short: 1 2 3\n"
                     "bad: 1 x 0.10 2.00 100.50 1.00 5 1000 0.10 3.00 900.25 0.90\n"
                     "minus: 1 -2 0.10 -2.00 100.50 1.00 5 99999999999999999999 0.10 3.00 1.2.3 0.90\n"
                     "long: 1 2 3 4 5 6 7 8 9 10 11 12 13\n"
                     "good: 1 2 0.10 2.00 100.50 1.00 5 1000 0.10 3.00 900.25 0.90\n"
                     "cut: 1 2 0.10 2.00 100.50 1.00 5 1000 0.10 3.00 900.2"),
                &log);

        ASSERT_EQ_U(s.n, 4);
        ASSERT_UNKNOWN(s.classes[0].contentions);
        ASSERT_STR(s.classes[1].name, "minus");
        ASSERT_UNKNOWN(s.classes[1].contentions);
        ASSERT_UNKNOWN(s.classes[1].wait_max_nsec);
        ASSERT_UNKNOWN(s.classes[1].acquisitions);
        ASSERT_UNKNOWN(s.classes[1].hold_total_nsec);
        ASSERT_KNOWN(s.classes[1].wait_total_nsec, 100500);
        ASSERT_STR(s.classes[3].name, "good");
        ASSERT_KNOWN(s.classes[3].acquisitions, 1000);
        ASSERT_ISSUE(&log, 0, 6, "wrong number of columns");
        ASSERT_ISSUE(&log, 1, 8, "negative number");
        ASSERT_ISSUE(&log, 2, 8, "negative number");
        ASSERT_ISSUE(&log, 3, 8, "number too large");
        ASSERT_ISSUE(&log, 4, 8, "malformed number");
        ASSERT_ISSUE(&log, 5, 9, "wrong number of columns");
        ASSERT_ISSUE(&log, 6, 11, "the file ends inside this line");
        ASSERT_EQ_U(log.n_issues, 7);
}

TEST(long_and_binary_names_are_cut_and_made_harmless) {
        char line[256], name[101];
        ParseLog log = {};
        LockStat s;

        memset(name, 'n', 100);
        name[3] = 0;
        memcpy(line, name, 100);
        strcpy(line + 100, ": 1 2 0.10 2.00 100.50 1.00 5 1000 0.10 3.00 900.25 0.90\n");
        s = lockstat((Text){ line, 100 + strlen(line + 100) }, &log);
        ASSERT_EQ_U(s.n, 1);
        ASSERT_EQ_U(strlen(s.classes[0].name), LOCK_NAME_MAX - 1);
        ASSERT_TRUE(s.classes[0].name[3] == '?');
        ASSERT_ISSUE(&log, 0, 1, "name too long, cut");
        ASSERT_ISSUE(&log, 1, 0, "version missing, read as 0.4");
}

TEST(versions_and_empty_files) {
        ParseLog log = {};
        LockStat s = lockstat(TEXT("lock_stat version 0.5\n"), &log);

        ASSERT_ISSUE(&log, 0, 1, "unknown version, read as 0.4");
        ASSERT_TRUE(s.collecting);
        s = lockstat(TEXT_NULL, &log);
        ASSERT_TRUE(!s.collecting);
        ASSERT_ISSUE(&log, 1, 0, "the file is empty");
        s = lockstat(TEXT("x\n"), &log);
        ASSERT_EQ_U(s.n, 0);
        ASSERT_ISSUE(&log, 2, 0, "nothing in this file is known");
}

TEST(a_file_cut_anywhere_keeps_its_earlier_values) {
        static const char text[] = DOCUMENTATION;

        for (size_t n = 0; n < sizeof(text); n++) {
                ParseLog log = {};
                LockStat s = lockstat((Text){ text, n }, &log);

                ASSERT_TRUE(s.n <= 3);
                ASSERT_TRUE(s.n < 1 || s.classes[0].hold_total_nsec.value == 17464026916320);
                ASSERT_TRUE(s.n < 3 || s.classes[2].acquisitions.value == 66312);
        }
}

TEST(a_full_arena_is_enomem) {
        uint8_t memory[64] = {};
        ParseLog log = {};
        LockStat s;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(lockstat_parse(&a, TEXT(DOCUMENTATION), "proc/lock_stat", &s, &log), -ENOMEM);
}

TEST_MAIN()
