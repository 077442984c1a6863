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

        ASSERT_EQ_U(k.count[KMSG_ALLOCATION_FAILURE], 3);
        ASSERT_UNKNOWN(k.events[0].order);
        ASSERT_STR(k.events[0].comm, "");
        ASSERT_UNKNOWN(k.events[1].order);
        ASSERT_STR(k.events[1].comm, "[x");
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

TEST(an_empty_log_is_fine_and_a_full_arena_is_enomem) {
        uint8_t memory[64] = {};
        ParseLog log = {};
        Kmsg k = kmsg("", &log);
        Arena a;

        ASSERT_EQ_U(k.n, 0);
        ASSERT_EQ_U(log.n_issues, 0);
        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(kmsg_parse(&a, TEXT("x\n"), "kmsg", &k, &log), -ENOMEM);
}

TEST_MAIN()
