/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop on simulated machines (scenarios given as text) and on a machine of a few files. */
#include "session/config.h"

#include "conf/policy-file.h"
#include "conf/scenario.h"
#include "fake-machine.h"
#include "tree.h"

static Scenario scenario;
static ConfIssues issues;
static Policy policy;
static Machine *machine;
static Session *session;
static SessionConfig config;
static SenseExternal externals[4];

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
static void load(const char *kernel, const char *more) {
        char text[4096];

        ASSERT_TRUE(text_format(
                text, sizeof(text),
                "scenario = { name = \"s\"; duration = \"4h\"; noise = \"calm\"; seed = 3;\n"
                "machine = { name = \"m\"; kernel = \"%s\"; cpus = 192; nodes = 4; memory = \"768GiB\";\n"
                "  lock_stat = true; };\n"
                "phases = ( { name = \"faults\"; }, { name = \"idle\"; busy = 0.01; } );\n%s };",
                kernel, more));
        conf_issues_done(&issues);
        if (scenario_parse("s.scenario", text, strlen(text), &scenario, &issues) != 0)
                for (size_t i = 0; i < issues.n; i++)
                        printf("# %u: %s\n", issues.items[i].line, issues.items[i].text);
        ASSERT_EQ_U(issues.n_errors, 0);
        ASSERT_OK(policy_parse("p.policy", policy_text, sizeof(policy_text) - 1, NULL, &policy,
                               &issues));
        memory.store.append = append;
        memory.n = 0;
        session_config_init(scenario.conf, externals, &config);
        config.policies = &policy;
        config.n_policies = 1;
        config.store = &memory.store;
        config.engine.seed = 1;
        (void) text_copy(config.boot_id, sizeof(config.boot_id), TEXT("boot"));
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

#define FRACTION "proc/sys/vm/percpu_pagelist_fraction"
#define HIGH_FRACTION "proc/sys/vm/percpu_pagelist_high_fraction"

/* Runs until the controller is in that state; false: not within the time. */
static bool run_to(ControllerState state, usec_t seconds) {
        usec_t until = session_now(session) + seconds * USEC_PER_SEC;
        ControllerView view;

        while (session_now(session) < until) {
                ASSERT_OK(session_tick(session));
                ASSERT_TRUE(engine_controller(session_engine(session), 0, &view));
                if (view.state == state)
                        return true;
        }
        return false;
}

static const Record *find_record(RecordKind kind) {
        const Engine *e = session_engine(session);
        const Record *r;

        for (size_t i = 0; (r = engine_record(e, i)); i++)
                if (r->kind == kind)
                        return r;
        return NULL;
}

TEST(a_hot_machine_is_tried_and_given_back) {
        EngineCounts counts;
        SimTruth truth;

        load("6.1", "");
        start();
        ASSERT_EQ_U(session_plan(session)->n_controllers, 1);
        ASSERT_TRUE(session_plan(session)->controllers[0].may_try);
        ASSERT_TRUE(session_plan(session)->controllers[0].target[0] != PLAN_NONE);
        run(3600);
        engine_counts(session_engine(session), &counts);
        ASSERT_TRUE(counts.trials > 0);
        sim_truth(machine, &truth);
        ASSERT_EQ_U(truth.n_writes, counts.writes);
        ASSERT_OK(session_stop(session));
        ASSERT_STR(file_text(HIGH_FRACTION), "0");
        ASSERT_TRUE(ledger_restore_order(session_ledger(session), 0) == NULL);
        ASSERT_TRUE(memory.n > 2);
        ASSERT_EQ_I(memory.record[0].kind, LEDGER_BOOT);
        ASSERT_EQ_I(memory.record[1].kind, LEDGER_INTEND);
        end();
}

/* 4.18: batch 31 follows the list, and the published curve of this machine gains 17 % from 63. */
TEST(what_helps_is_held_and_given_back_at_the_stop) {
        const LedgerEntry *e;
        char held[32];

        load("4.18", "");
        start();
        ASSERT_TRUE(run_to(CONTROLLER_HOLD, 4 * 3600));
        e = ledger_find(session_ledger(session), "pcp-high-fraction", &(Scope){ "system" });
        ASSERT_TRUE(e != NULL);
        ASSERT_EQ_I(e->state, LEDGER_OURS);
        ASSERT_STR(e->original, "0");
        ASSERT_TRUE(text_copy(held, sizeof(held), text_from(file_text(FRACTION))));
        ASSERT_STR(e->ours, held);
        ASSERT_TRUE(strcmp(held, "0") != 0);
        ASSERT_OK(session_stop(session));
        ASSERT_STR(file_text(FRACTION), "0");
        end();
}

/* A daemon that died: what its ledger says, in another run, gives the start value back. */
TEST(what_is_held_survives_a_crash_in_the_ledger_alone) {
        Arena arena;
        Ledger ledger;
        size_t n;

        load("4.18", "");
        start();
        ASSERT_TRUE(run_to(CONTROLLER_PROBATION, 4 * 3600));
        ASSERT_TRUE(strcmp(file_text(FRACTION), "0") != 0);
        session = session_free(session);
        ASSERT_OK(arena_map(&arena, (size_t) 16 << 20));
        ASSERT_OK(ledger_init(&arena, 64, "boot", &ledger));
        for (size_t i = 0; i < memory.n; i++)
                ASSERT_OK(ledger_fold(&ledger, &memory.record[i]));
        ASSERT_OK(session_restore(machine, &ledger, NULL, &n));
        ASSERT_EQ_U(n, 1);
        ASSERT_STR(file_text(FRACTION), "0");
        arena_unmap(&arena);
        end();
}

TEST(a_value_of_somebody_else_is_never_written_over) {
        SimTruth before, truth;
        EngineCounts counts;

        load("4.18", "events = ( { at = \"200s\"; what = \"write\"; path = \"" FRACTION
                     "\"; value = 1000; } );");
        start();
        run(400);
        engine_counts(session_engine(session), &counts);
        ASSERT_EQ_U(counts.yields, 1);
        ASSERT_STR(file_text(FRACTION), "1000");
        sim_truth(machine, &before);
        run(3600);
        sim_truth(machine, &truth);
        ASSERT_EQ_U(truth.n_writes, before.n_writes); /* nothing after it, */
        ASSERT_EQ_U(truth.foreign_overwritten, 0);    /* and nothing over it */
        ASSERT_OK(session_stop(session));
        ASSERT_STR(file_text(FRACTION), "1000");
        end();
}

TEST(in_mode_recommend_nothing_is_written) {
        SimTruth truth;

        load("4.18", "");
        config.apply = false;
        start();
        run(3600);
        sim_truth(machine, &truth);
        ASSERT_EQ_U(truth.n_writes, 0);
        ASSERT_OK(session_stop(session));
        sim_truth(machine, &truth);
        ASSERT_EQ_U(truth.n_writes, 0);
        ASSERT_EQ_U(memory.n, 1); /* the boot record */
        end();
}

/* An application that says how long its requests take is the judge instead of the kernel's CPU time. */
TEST(an_application_may_be_the_cost) {
        static const char text[] =
                "policy = { name = \"p\"; knob = \"pcp-high-fraction\"; claim = true; arms = ( 2, 4, 8 );\n"
                "  targets = ( { signal = \"zone-lock-wait\"; hot = 20000; } );\n"
                "  cost = \"external:app\"; must_not_rise = ( );\n"
                "  bounds = { parked_seen = 100000; parked_possible = 200000; }; };";
        const Plan *plan;

        load("4.18",
             "conf = { externals = ( { name = \"app\"; path = \"/run/app/cost\"; unit = \"ns\"; } ); };\n"
             "events = ( { at = \"1s\"; what = \"external\"; path = \"/run/app/cost\"; text = \"cost\"; } );");
        ASSERT_OK(
                policy_parse("p.policy", text, sizeof(text) - 1, scenario.conf, &policy, &issues));
        start();
        plan = session_plan(session);
        ASSERT_TRUE(plan->controllers[0].cost != PLAN_NONE);
        ASSERT_STR(plan->watches[plan->controllers[0].cost].name, "external:app");
        ASSERT_TRUE(run_to(CONTROLLER_HOLD, 4 * 3600));
        ASSERT_OK(session_stop(session));
        end();
}

static bool closed(usec_t now_usec _unused_, void *data) {
        (*(unsigned *) data)++;
        return false;
}

TEST(no_trial_begins_outside_of_the_hours) {
        unsigned asked = 0;
        EngineCounts counts;

        load("4.18", "");
        config.trials_open = closed;
        config.trials_data = &asked;
        start();
        run(1800);
        engine_counts(session_engine(session), &counts);
        ASSERT_TRUE(asked > 0);
        ASSERT_EQ_U(counts.trials, 0);
        ASSERT_TRUE(find_record(RECORD_HOT) != NULL); /* it would have */
        end();
}

TEST(a_cpu_that_goes_brings_a_new_plan_when_it_settled) {
        const Plan *before;

        load("6.1", "events = ( { at = \"100s\"; what = \"cpu-offline\"; cpu = 3; } );");
        config.trials_open = closed;
        config.trials_data = &(unsigned){ 0 };
        start();
        before = session_plan(session);
        ASSERT_EQ_U(before->n_online, 192);
        run(90);
        ASSERT_TRUE(session_plan(session) == before);
        run(60);
        ASSERT_TRUE(session_plan(session) != before);
        ASSERT_EQ_U(session_plan(session)->n_online, 191);
        run(600); /* and it goes on */
        end();
}

/* Our value is no default, but it is no administrator's either. */
TEST(what_is_held_is_still_ours_in_a_new_plan) {
        const Plan *before;
        ControllerView view;
        char held[32];

        load("4.18", "events = ( { at = \"1h\"; what = \"cpu-offline\"; cpu = 3; } );");
        start();
        ASSERT_TRUE(run_to(CONTROLLER_HOLD, 3500));
        ASSERT_TRUE(text_copy(held, sizeof(held), text_from(file_text(FRACTION))));
        ASSERT_TRUE(strcmp(held, "0") != 0);
        before = session_plan(session);
        while (session_plan(session) == before && session_now(session) < 4000 * USEC_PER_SEC)
                ASSERT_OK(session_tick(session));
        ASSERT_TRUE(session_plan(session) != before);
        ASSERT_TRUE(session_plan(session)->controllers[0].may_try);
        ASSERT_TRUE(engine_controller(session_engine(session), 0, &view));
        ASSERT_TRUE(view.state != CONTROLLER_YIELDED && view.state != CONTROLLER_ABSENT);
        ASSERT_OK(session_stop(session));
        ASSERT_STR(file_text(FRACTION), "0");
        end();
}

TEST(a_refused_write_ends_in_the_original) {
        load("4.18", "events = ( { at = \"5s\"; what = \"write-fault\"; path = \"" FRACTION
                     "\"; error = \"EINVAL\"; } );");
        start();
        run(1800);
        ASSERT_TRUE(find_record(RECORD_REFUSED) != NULL);
        ASSERT_STR(file_text(FRACTION), "0");
        ASSERT_OK(session_stop(session));
        ASSERT_TRUE(ledger_restore_order(session_ledger(session), 0) == NULL);
        end();
}

TEST(a_suspend_in_a_trial_voids_what_it_spans) {
        load("4.18", "events = ( { at = \"120s\"; what = \"skip\"; for = \"1h\"; } );");
        start();
        run(100);
        ASSERT_TRUE(find_record(RECORD_TRIAL_BEGIN) != NULL);
        ASSERT_TRUE(find_record(RECORD_VOID) == NULL);
        run(60);
        ASSERT_TRUE(session_now(session) > 3600 * USEC_PER_SEC);
        ASSERT_TRUE(find_record(RECORD_VOID) != NULL);
        end();
}

/* Not less, not more: two sessions of the same scenario write the same ledger. */
TEST(the_same_seed_gives_the_same_ledger) {
        static LedgerRecord first[ELEMENTSOF(memory.record)];
        size_t n;

        load("4.18", "");
        start();
        run(1800);
        n = memory.n;
        memcpy(first, memory.record, n * sizeof(first[0]));
        end();
        load("4.18", "");
        start();
        run(1800);
        ASSERT_TRUE(n > 5);
        ASSERT_EQ_U(memory.n, n);
        ASSERT_TRUE(memcmp(first, memory.record, n * sizeof(first[0])) == 0);
        end();
}

TEST(a_machine_without_counters_is_none) {
        load("6.1", "");
        machine = fake_begin();
        ASSERT_EQ_I(session_new(machine, &config, &session), MACHINE_E_ABSENT);
        arena_unmap(&fake.m.scratch);
        machine = NULL;
        session = NULL;
        scenario_done(&scenario);
}

TEST(the_end_of_a_recording_is_said) {
        load("6.1", "");
        machine = fake_begin();
        fake.m.vtable = &fake_vtable_read_only;
        fake.end_usec = 1100 * USEC_PER_SEC;
        (void) fake_put("proc/vmstat", "pgalloc_normal 7\n");
        (void) fake_put("proc/stat", "cpu  0 0 1 1 0 0 0 0 0 0\ncpu0 0 0 1 1 0 0 0 0 0 0\n");
        ASSERT_OK(session_new(machine, &config, &session));
        while (session_now(session) < 1090 * USEC_PER_SEC)
                ASSERT_OK(session_tick(session));
        ASSERT_EQ_I(session_tick(session), MACHINE_E_END);
        ASSERT_OK(session_stop(session));
        session = session_free(session);
        arena_unmap(&fake.m.scratch);
        machine = NULL;
        scenario_done(&scenario);
}

/* Three snapshots are two intervals, and each is a frame. */
TEST(every_interval_of_a_capture_is_a_frame) {
        EngineCounts counts;
        unsigned n = 0;
        int r;

        load("6.1", "");
        tree_begin();
        for (unsigned i = 0; i < 3; i++) {
                char path[64], text[64];

                ASSERT_TRUE(text_format(path, sizeof(path), "%08u/proc/vmstat", i * 10000));
                ASSERT_TRUE(text_format(text, sizeof(text), "pgalloc_normal %u\n", 7 + i * 1000));
                tree_put(path, text);
                ASSERT_TRUE(text_format(path, sizeof(path), "%08u/proc/stat", i * 10000));
                ASSERT_TRUE(text_format(text, sizeof(text),
                                        "cpu  0 0 %u %u 0 0 0 0 0 0\ncpu0 0 0 1 1 0 0 0 0 0 0\n",
                                        i * 500, i * 500));
                tree_put(path, text);
        }
        machine = tree_open();
        ASSERT_EQ_I(machine->kind, MACHINE_CAPTURE);
        ASSERT_OK(session_new(machine, &config, &session));
        while ((r = session_tick(session)) == 0)
                n++;
        ASSERT_EQ_I(r, MACHINE_E_END);
        ASSERT_EQ_U(n, 1);
        engine_counts(session_engine(session), &counts);
        ASSERT_EQ_U(counts.frames, 2);
        ASSERT_EQ_U(counts.writes, 0);
        ASSERT_OK(session_stop(session));
        end();
        tree_end();
}

TEST_MAIN()
