/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop on simulated machines (scenarios given as text) and on a machine of a few files. */
#include "session/session.h"

#include "conf/policy-file.h"
#include "conf/scenario.h"
#include "fake-machine.h"

static Scenario scenario;
static ConfIssues issues;
static Policy policy;
static Machine *machine;
static Session *session;
static SessionConfig config;

static struct {
        Store store;
        LedgerRecord record[2048];
        size_t n;
} memory;

static int append(Store *s _unused_, const LedgerRecord *r) {
        ASSERT_TRUE(memory.n < ELEMENTSOF(memory.record));
        memory.record[memory.n++] = *r;
        return 0;
}

static const char policy_text[] =
        "policy = { name = \"p\"; knob = \"pcp-high-fraction\"; claim = true; arms = ( 2, 4, 8 );\n"
        "  targets = ( { signal = \"zone-lock-wait\"; hot = 20000; } );\n"
        "  bounds = { parked_seen = 100000; parked_possible = 200000; }; };";

/* Four nodes of 48 CPUs that fault pages: the published curve gains from longer lists. */
static void load(const char *more) {
        char text[4096];

        ASSERT_TRUE(text_format(
                text, sizeof(text),
                "scenario = { name = \"s\"; duration = \"4h\"; noise = \"calm\"; seed = 3;\n"
                "machine = { name = \"m\"; kernel = \"6.1\"; cpus = 192; nodes = 4; memory = \"768GiB\";\n"
                "  lock_stat = true; };\n"
                "phases = ( { name = \"faults\"; }, { name = \"idle\"; busy = 0.01; } );\n%s };",
                more));
        conf_issues_done(&issues);
        if (scenario_parse("s.scenario", text, strlen(text), &scenario, &issues) != 0)
                for (size_t i = 0; i < issues.n; i++)
                        printf("# %u: %s\n", issues.items[i].line, issues.items[i].text);
        ASSERT_EQ_U(issues.n_errors, 0);
        ASSERT_OK(policy_parse("p.policy", policy_text, sizeof(policy_text) - 1, NULL, &policy,
                               &issues));
        memory.store.append = append;
        memory.n = 0;
        config = (SessionConfig){ .policies = &policy,
                                  .n_policies = 1,
                                  .apply = true,
                                  .store = &memory.store,
                                  .boot_id = "boot" };
        config.engine = (EngineConfig){ .seed = 1,
                                        .tick_usec = scenario.tick_usec,
                                        .tick_trial_usec = scenario.tick_trial_usec,
                                        .quiet_usec = 300 * USEC_PER_SEC,
                                        .trials_per_day = 24,
                                        .changes_per_hour = 4,
                                        .own_cpu_ppm = 5000 };
}

static void start(void) {
        char why[256] = "";
        int r = sim_machine_new(&scenario.sim, &machine, why, sizeof(why));

        ASSERT_STR(why, "");
        ASSERT_OK(r);
        ASSERT_OK(session_new(machine, &config, &session));
}

static void run(usec_t seconds) {
        usec_t until = session_now(session) + seconds * USEC_PER_SEC;

        while (session_now(session) < until)
                ASSERT_OK(session_tick(session));
}

static void end(void) {
        session = session_free(session);
        machine = machine_free(machine);
        scenario_done(&scenario);
        conf_issues_done(&issues);
}

static const char *file_text(const char *path) {
        static char text[128];
        Text t;

        arena_reset(&machine->scratch);
        ASSERT_OK(machine_read(machine, path, sizeof(text), &machine->scratch, &t));
        ASSERT_TRUE(text_copy(text, sizeof(text), text_strip(t)));
        return text;
}

#define FRACTION "proc/sys/vm/percpu_pagelist_high_fraction"

static void print_records(void) {
        const Engine *e = session_engine(session);
        const Record *r;

        for (size_t i = 0; (r = engine_record(e, i)); i++)
                printf("# %llu s %s %lld -> %lld %s %s\n",
                       (unsigned long long) (r->at_usec / USEC_PER_SEC),
                       record_kind_to_string(r->kind), (long long) r->from, (long long) r->to,
                       trial_verdict_to_string(r->verdict), r->why ? r->why : "");
}

TEST(a_hot_machine_is_tried_and_given_back) {
        EngineCounts counts;
        SimTruth truth;

        load("");
        start();
        ASSERT_EQ_U(session_plan(session)->n_controllers, 1);
        ASSERT_TRUE(session_plan(session)->controllers[0].may_try);
        ASSERT_TRUE(session_plan(session)->controllers[0].target[0] != PLAN_NONE);
        run(4 * 3600);
        engine_counts(session_engine(session), &counts);
        if (counts.trials == 0)
                print_records();
        ASSERT_TRUE(counts.trials > 0);
        sim_truth(machine, &truth);
        ASSERT_EQ_U(truth.n_writes, counts.writes);
        ASSERT_OK(session_stop(session));
        ASSERT_STR(file_text(FRACTION), "0");
        ASSERT_TRUE(ledger_restore_order(session_ledger(session), 0) == NULL);
        ASSERT_TRUE(memory.n > 2);
        ASSERT_EQ_I(memory.record[0].kind, LEDGER_BOOT);
        ASSERT_EQ_I(memory.record[1].kind, LEDGER_INTEND);
        end();
}

TEST_MAIN()
