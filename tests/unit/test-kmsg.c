/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/kmsg.h"

#include <errno.h>

#include "sense.h"

static Kmsg kmsg(const char *text, ParseLog *log) {
        Text copy = sense_copy(text_from(text));
        Kmsg k;

        ASSERT_OK(kmsg_parse(sense_arena(), copy, "kmsg", &k, log));
        sense_free(copy);
        return k;
}

TEST(an_allocation_failure_behind_every_kind_of_prefix) {
        static const char *const prefixes[] = {
                "",
                "[   12.345678] ",
                "[   12.345678][  T123] ",
                "[   12.345678] [    C0] ",
                "<4>[   12.345678] ",
                "[Tue Dec  1 01:02:03 2026] ",
                "Dec  1 01:02:03 host kernel: ",
                "Dec  1 01:02:03 host kernel: [   12.345678] ",
                "2026-12-01T01:02:03+0000 host kernel: ",
        };

        for (size_t i = 0; i < ELEMENTSOF(prefixes); i++) {
                char line[512];
                ParseLog log = {};
                Kmsg k;

                /* the format of mm/page_alloc.c warn_alloc() */
                ASSERT_TRUE(text_format(
                        line, sizeof(line),
                        "first\n%skworker/u8:2: page allocation failure: order:5, "
                        "mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0\n",
                        prefixes[i]));
                k = kmsg(line, &log);
                ASSERT_EQ_U(k.n, 1);
                ASSERT_EQ_U(k.events[0].kind, KMSG_ALLOCATION_FAILURE);
                ASSERT_STR(k.events[0].comm, "kworker/u8:2");
                ASSERT_KNOWN(k.events[0].order, 5);
                ASSERT_STR(k.events[0].mode, "0x40cc0(GFP_KERNEL|__GFP_COMP)");
                ASSERT_EQ_U(k.events[0].first_line, 2);
                ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 1);
                ASSERT_EQ_U(k.n_lines, 2);
                ASSERT_EQ_U(log.n_issues, 0);
        }
}

TEST(an_order_that_is_none_is_no_single_page) {
        static const char *const orders[] = { "-1",        "", "x", "64", "99999999999999999999",
                                              "4294967296" };

        for (size_t i = 0; i < ELEMENTSOF(orders); i++) {
                char line[256];
                ParseLog log = {};
                Kmsg k;

                ASSERT_TRUE(text_format(line, sizeof(line),
                                        "first\na: page allocation failure: order:%s, mode:0x820\n"
                                        "a: page allocation failure: order:2, mode:0x820\n"
                                        "a: page allocation failure: order:0, mode:0x820\n",
                                        orders[i]));
                k = kmsg(line, &log);
                ASSERT_EQ_U(k.n, 2);
                ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 2);
                ASSERT_EQ_U(k.n_failures_order0, 1);
                ASSERT_EQ_U(k.n_failures_high, 1);
                ASSERT_EQ_U(log.n_issues, 1);
                ASSERT_EQ_U(log.issue[0].line, 2);
                ASSERT_STR(log.issue[0].about, orders[i]);
        }
}

/* The rows are bounded; the numbers that signals are made of are not. */
TEST(failures_whose_row_does_not_fit_are_counted_by_order) {
        static char text[KMSG_EVENTS_MAX * 80 + 1000];
        size_t used = 0;
        ParseLog log = {};
        Kmsg k;

        for (unsigned i = 0; i < KMSG_EVENTS_MAX + 5; i++) {
                ASSERT_TRUE(text_format(text + used, sizeof(text) - used,
                                        "task-%u: page allocation failure: order:%u, mode:0x1\n", i,
                                        i < KMSG_EVENTS_MAX ? 4 : i % 2));
                used += strlen(text + used);
        }
        k = kmsg(text, &log);
        ASSERT_EQ_U(k.n, KMSG_EVENTS_MAX);
        ASSERT_EQ_U(k.n_more, 5);
        ASSERT_EQ_U(k.n_failures_order0, 3); /* of 64 to 68 the even ones */
        ASSERT_EQ_U(k.n_failures_high, KMSG_EVENTS_MAX + 2);
}

TEST(what_is_no_log_is_told_from_a_quiet_one) {
        static const struct {
                const char *text;
                size_t size;
                unsigned n_lines, n_binary, line;
        } cases[] = {
                { "all is well\n\033[1mbold\033[0m\ttab\r\n", 30, 2, 0, 0 },
                { "", 0, 0, 0, 0 },
                { "\0\0\0page", 7, 1, 1, 1 },
                { "good\nb\001d\nb\002d\n", 13, 3, 2, 2 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                ParseLog log = {};
                Text copy = sense_copy((Text){ cases[i].text, cases[i].size });
                Kmsg k;

                ASSERT_OK(kmsg_parse(sense_arena(), copy, "kmsg", &k, &log));
                sense_free(copy);
                ASSERT_EQ_U(k.n_lines, cases[i].n_lines);
                ASSERT_EQ_U(k.n_binary, cases[i].n_binary);
                ASSERT_EQ_U(log.n_issues, cases[i].n_binary > 0 || cases[i].size == 0);
                if (log.n_issues > 0)
                        ASSERT_EQ_U(log.issue[0].line, cases[i].line);
        }
}

TEST(equal_events_are_one_row) {
        ParseLog log = {};
        Kmsg k = kmsg(
                "[1.0] a: page allocation failure: order:0, mode:0x820(GFP_ATOMIC), nodemask=(null)\n"
                "[2.0] b: page allocation failure: order:0, mode:0x820(GFP_ATOMIC), nodemask=(null)\n"
                "[3.0] a: page allocation failure: order:0, mode:0x820(GFP_ATOMIC), nodemask=(null)\n"
                "[4.0] a: page allocation failure: order:3, mode:0x820(GFP_ATOMIC), nodemask=(null)\n",
                &log);

        ASSERT_EQ_U(k.n, 3);
        ASSERT_EQ_U(k.events[0].count, 2);
        ASSERT_EQ_U(k.events[0].first_line, 1);
        ASSERT_STR(k.events[1].comm, "b");
        ASSERT_KNOWN(k.events[2].order, 3);
        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 4);
}

TEST(lockups_stalls_and_hung_tasks) {
        ParseLog log = {};
        Kmsg k = kmsg(
                "[1.0] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [kworker/3:1:1234]\n"
                "[2.0] NMI watchdog: Watchdog detected hard LOCKUP on cpu 7\n"
                "[3.0] rcu: INFO: rcu_sched self-detected stall on CPU\n"
                "[4.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n"
                "[5.0] INFO: task fio:4711 blocked for more than 120 seconds.\n"
                "[6.0] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... } 5 jiffies\n"
                "[7.0] INFO: task is something else\n"
                "[8.0] stress invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), "
                "order=0, oom_score_adj=0\n"
                "[9.0] Out of memory: Killed process 9 (stress)\n"
                "[10.0] fio: page allocation stalls for 10004ms, order:2, mode:0x14204d2\n",
                &log);

        ASSERT_EQ_U(k.count[KMSG_SOFT_LOCKUP], 1);
        ASSERT_EQ_U(k.count[KMSG_HARD_LOCKUP], 1);
        ASSERT_EQ_U(k.count[KMSG_RCU_STALL], 3);
        ASSERT_EQ_U(k.count[KMSG_HUNG_TASK], 1);
        ASSERT_EQ_U(k.count[KMSG_OOM], 1);
        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_STALL], 1);
        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 0);
        ASSERT_EQ_U(k.n, 6); /* the RCU stalls name no task and are one row */
        ASSERT_STR(k.events[0].comm, "kworker/3:1");
        ASSERT_EQ_U(k.events[2].count, 3);
        ASSERT_STR(k.events[3].comm, "fio");
        ASSERT_STR(k.events[4].comm, "stress");
        ASSERT_STR(k.events[4].mode, "0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO)");
        ASSERT_KNOWN(k.events[4].order, 0);
        ASSERT_KNOWN(k.events[5].order, 2);
        ASSERT_STR(k.events[5].mode, "0x14204d2");
        ASSERT_STR(kmsg_kind_to_string(KMSG_RCU_STALL), "RCU stall");
}

TEST(odd_lines_do_no_harm) {
        ParseLog log = {};
        Kmsg k = kmsg(": page allocation failure: order:\n"
                      "[x: page allocation failure: order:99999999999999999999, mode:\n"
                      "soft lockup - CPU#\n"
                      "soft lockup - CPU#1 stuck ]:[\n"
                      "INFO: task  blocked for more than \n"
                      "\x1b[31m\xff: page allocation failure: order:1",
                      &log);

        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 1);
        ASSERT_ISSUE(&log, 0, 1, "an allocation without an order from 0 to 63");
        ASSERT_ISSUE(&log, 1, 2, "an allocation without an order from 0 to 63");
        ASSERT_EQ_U(log.n_issues, 2);
        ASSERT_EQ_U(k.count[KMSG_SOFT_LOCKUP], 2);
        ASSERT_EQ_U(k.count[KMSG_HUNG_TASK], 1);
        ASSERT_KNOWN(k.events[k.n - 1].order, 1);
        ASSERT_STR(k.events[k.n - 1].comm, "?[31m?");
}

TEST(more_different_events_than_rows_are_still_counted) {
        static char text[20000];
        size_t used = 0;
        ParseLog log = {};
        Kmsg k;

        for (unsigned i = 0; i < 100; i++)
                used += (size_t) snprintf(text + used, sizeof(text) - used,
                                          "c%u: page allocation failure: order:%u, mode:0x1\n", i,
                                          i % 11);
        k = kmsg(text, &log);
        ASSERT_EQ_U(k.n, KMSG_EVENTS_MAX);
        ASSERT_EQ_U(k.n_more, 100 - KMSG_EVENTS_MAX);
        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 100);
        ASSERT_ISSUE(&log, 0, 0, "more kinds of events than fit are only counted");
}

TEST(an_empty_log_is_named_and_a_full_arena_is_enomem) {
        uint8_t memory[64] = {};
        ParseLog log = {};
        Kmsg k = kmsg("", &log);
        Arena a;

        ASSERT_EQ_U(k.n, 0);
        ASSERT_ISSUE(&log, 0, 0, "empty file");
        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(kmsg_parse(&a, TEXT("x\n"), "kmsg", &k, &log), -ENOMEM);
}

TEST_MAIN()
