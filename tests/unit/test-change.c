/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one writer: order of intent, write and outcome; what becomes of refusals and foreign hands; and what a crash between any two
 * steps leaves to be given back. */
#include "session/change.h"

#include "fake-machine.h"

#define PATH "proc/sys/vm/percpu_pagelist_high_fraction"
#define STEPS_MAX 256

static PlanKnob knob;
static Ledger ledger;
static Arena ledger_arena;
static char trace[512]; /* B, I, W, C, V, R, Y: records and writes as they happened */

/* What a crash at some moment would leave: the file, and the records that were durable. */
static struct {
        char text[64];
        size_t n_records;
} steps[STEPS_MAX];
static size_t n_steps;
static LedgerRecord records[STEPS_MAX];
static size_t n_records;

static struct {
        Store store;    /* first */
        size_t fail_at; /* number of the append that fails, from 1; 0: none */
        int error;
} memory;

static void note(char c) {
        size_t n = strlen(trace);

        ASSERT_TRUE(n + 1 < sizeof(trace));
        trace[n] = c;
        trace[n + 1] = '\0';
}

static void note_step(void) {
        ASSERT_TRUE(n_steps < STEPS_MAX);
        ASSERT_TRUE(text_copy(steps[n_steps].text, sizeof(steps[0].text),
                              text_from(fake_find(PATH)->text)));
        steps[n_steps++].n_records = n_records;
}

static int append(Store *s _unused_, const LedgerRecord *r) {
        static const char letters[] = "BICVRY";

        if (memory.fail_at == n_records + 1)
                return memory.error;
        ASSERT_TRUE(n_records < STEPS_MAX);
        records[n_records++] = *r;
        note(letters[r->kind]);
        note_step();
        return 0;
}

static void before_write(const char *path _unused_, const char *value _unused_) {
        note_step();
}

static void after_write(const char *path _unused_) {
        note('W');
        note_step();
}

static Change change;

static void begin(const char *text) {
        (void) fake_begin();
        fake.before_write = before_write;
        fake.after_write = after_write;
        (void) fake_put(PATH, text);
        trace[0] = '\0';
        n_steps = n_records = 0;
        memory.store.append = append;
        memory.fail_at = 0;
        knob = (PlanKnob){ .spec = knob_spec_find(TEXT("pcp-high-fraction")),
                           .scope = scope_system() };
        (void) text_copy(knob.name, sizeof(knob.name), TEXT("pcp-high-fraction"));
        (void) text_copy(knob.path, sizeof(knob.path), TEXT(PATH));
        if (!ledger_arena.base)
                ASSERT_OK(arena_map(&ledger_arena, (size_t) 64 << 20));
        arena_reset(&ledger_arena);
        ASSERT_OK(ledger_init(&ledger_arena, 8, "boot", &ledger));
        change = (Change){
                .m = &fake.m, .ledger = &ledger, .store = &memory.store, .boot_id = "boot"
        };
        ASSERT_OK(change_begin(&change));
}

static void end(void) {
        arena_unmap(&fake.m.scratch);
        arena_unmap(&ledger_arena);
}

static int apply(int64_t from, int64_t to, bool restore, Outcome *ret) {
        static uint64_t serial;
        Effect effect = { .serial = ++serial, .from = from, .to = to, .restore = restore };

        (void) text_copy(effect.decision, sizeof(effect.decision), TEXT("p/k/system#1"));
        return change_carry_out(&change, &knob, &effect, ret);
}

static VerifyResult result_of(int64_t from, int64_t to, bool restore) {
        Outcome outcome;

        ASSERT_OK(apply(from, to, restore, &outcome));
        return outcome.result;
}

static const char *content(void) {
        return fake_find(PATH)->text;
}

TEST(the_intent_is_stored_before_the_write) {
        Outcome outcome;

        begin("0\n");
        ASSERT_OK(apply(0, 16, false, &outcome));
        ASSERT_EQ_I(outcome.result, VERIFY_APPLIED);
        ASSERT_TRUE(outcome.actual_known && outcome.actual == 16);
        ASSERT_STR(trace, "BIWC");
        ASSERT_STR(content(), "16\n");
        ASSERT_STR(records[1].original, "0");
        ASSERT_STR(records[1].from, "0");
        ASSERT_STR(records[1].to, "16");
        ASSERT_STR(records[2].to, "16");
        ASSERT_STR(records[1].path, PATH);
        for (size_t i = 0; i < n_records; i++)
                ASSERT_EQ_U(records[i].sequence, i + 1);
        end();
}

TEST(no_write_without_a_stored_intent) {
        Outcome outcome;

        begin("0\n");
        memory.fail_at = 2;
        memory.error = -EIO;
        ASSERT_EQ_I(apply(0, 16, false, &outcome), -EIO);
        ASSERT_EQ_I(outcome.result, VERIFY_TRANSIENT);
        ASSERT_EQ_U(fake.n_writes, 0);
        ASSERT_STR(content(), "0\n");
        ASSERT_STR(trace, "B");
        end();
}

TEST(an_outcome_that_cannot_be_stored_leaves_the_intent_open) {
        Outcome outcome;
        const LedgerEntry *e;

        begin("0\n");
        memory.fail_at = 3;
        memory.error = -ENOSPC;
        ASSERT_EQ_I(apply(0, 16, false, &outcome), -ENOSPC);
        ASSERT_EQ_I(outcome.result, VERIFY_APPLIED);
        e = ledger_find(&ledger, knob.name, &knob.scope);
        ASSERT_TRUE(e != NULL);
        ASSERT_EQ_I(e->state, LEDGER_OPEN);
        end();
}

TEST(a_value_that_somebody_else_wrote_is_not_written_over) {
        Outcome outcome;

        begin("99\n");
        ASSERT_OK(apply(0, 16, false, &outcome));
        ASSERT_EQ_I(outcome.result, VERIFY_FOREIGN);
        ASSERT_TRUE(outcome.actual_known && outcome.actual == 99);
        ASSERT_EQ_U(fake.n_writes, 0);
        ASSERT_STR(trace, "B");
        ASSERT_STR(content(), "99\n");
        end();
}

TEST(a_foreign_value_over_ours_is_yielded_to) {
        size_t n;

        begin("0\n");
        ASSERT_EQ_I(result_of(0, 16, false), VERIFY_APPLIED);
        (void) fake_put(PATH, "99\n");
        ASSERT_EQ_I(result_of(16, 0, true), VERIFY_FOREIGN);
        ASSERT_STR(trace, "BIWCY");
        ASSERT_STR(content(), "99\n");
        ASSERT_OK(session_restore(&fake.m, &ledger, NULL, &n));
        ASSERT_EQ_U(n, 0);
        ASSERT_STR(content(), "99\n");
        end();
}

static void write_other(const char *path _unused_) {
        note('W');
        (void) fake_put(PATH, "77\n");
}

TEST(a_foreign_hand_within_our_write_is_seen) {
        size_t n;

        begin("0\n");
        fake.after_write = write_other;
        ASSERT_EQ_I(result_of(0, 16, false), VERIFY_FOREIGN);
        ASSERT_STR(trace, "BIWY");
        ASSERT_OK(session_restore(&fake.m, &ledger, NULL, &n));
        ASSERT_STR(content(), "77\n");
        end();
}

TEST(refusals_are_void_and_named) {
        static const struct {
                int error;
                VerifyResult result;
        } rows[] = { { EINVAL, VERIFY_REFUSED },
                     { EACCES, VERIFY_REFUSED },
                     { EROFS, VERIFY_REFUSED },
                     { EBUSY, VERIFY_TRANSIENT },
                     { EINTR, VERIFY_TRANSIENT } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                Outcome outcome;
                size_t n;

                begin("0\n");
                fake_find(PATH)->write_error = rows[i].error;
                ASSERT_OK(apply(0, 16, false, &outcome));
                ASSERT_EQ_I(outcome.result, rows[i].result);
                ASSERT_EQ_I(outcome.error, rows[i].error);
                ASSERT_STR(trace, "BIV");
                ASSERT_OK(session_restore(&fake.m, &ledger, NULL, &n));
                ASSERT_EQ_U(n, 0);
                end();
        }
}

TEST(a_write_that_changed_nothing_is_void) {
        begin("0\n");
        fake_find(PATH)->deaf = true;
        ASSERT_EQ_I(result_of(0, 16, false), VERIFY_IGNORED);
        ASSERT_STR(trace, "BIWV");
        end();
}

TEST(a_file_that_is_gone_or_closed_is_refused_before_any_intent) {
        Outcome outcome;

        begin("0\n");
        fake_find(PATH)->gone = true;
        ASSERT_OK(apply(0, 16, false, &outcome));
        ASSERT_EQ_I(outcome.result, VERIFY_REFUSED);
        ASSERT_EQ_I(outcome.error, ENOENT);
        fake_find(PATH)->gone = false;
        fake_find(PATH)->read_error = EACCES;
        ASSERT_OK(apply(0, 16, false, &outcome));
        ASSERT_EQ_I(outcome.result, VERIFY_REFUSED);
        ASSERT_EQ_I(outcome.error, EACCES);
        ASSERT_STR(trace, "B");
        end();
}

TEST(the_past_cannot_react) {
        begin("0\n");
        fake.m.vtable = &fake_vtable_read_only;
        ASSERT_EQ_I(result_of(0, 16, false), VERIFY_VOID);
        ASSERT_STR(trace, "B");
        end();
}

/* A trial at the default (0 against 16), kept; one on top of it (16 against 8), given back; a last step; and the stop. */
static const struct {
        int64_t from, to;
        bool restore;
} life[] = {
        { 0, 16, false }, { 16, 0, true },   { 0, 16, false }, { 16, 0, true }, { 0, 16, false },
        { 16, 8, false }, { 8, 16, true },   { 16, 8, false }, { 8, 16, true }, { 16, 32, false },
        { 32, 16, true }, { 16, 32, false }, { 32, 0, true },
};

static void live(void) {
        begin("0\n");
        for (size_t i = 0; i < ELEMENTSOF(life); i++)
                ASSERT_EQ_I(result_of(life[i].from, life[i].to, life[i].restore), VERIFY_APPLIED);
        fake.before_write = NULL;
        fake.after_write = NULL;
}

/* The ledger that a restart reads after a crash at that step. */
static void reload(size_t step) {
        arena_reset(&ledger_arena);
        ASSERT_OK(ledger_init(&ledger_arena, 8, "boot", &ledger));
        for (size_t i = 0; i < steps[step].n_records; i++)
                ASSERT_OK(ledger_fold(&ledger, &records[i]));
}

TEST(a_crash_at_any_step_gives_the_start_value_back) {
        size_t n, restored = 0;

        live();
        ASSERT_TRUE(n_steps > 3 * ELEMENTSOF(life));
        for (size_t i = 0; i < n_steps; i++) {
                (void) fake_put(PATH, steps[i].text);
                reload(i);
                ASSERT_OK(session_restore(&fake.m, &ledger, NULL, &n));
                ASSERT_STR(content(), "0\n");
                ASSERT_EQ_U(n, strcmp(steps[i].text, "0\n") != 0);
                restored += n;
                /* Nothing is left to be done. */
                ASSERT_TRUE(ledger_restore_order(&ledger, 0) == NULL);
        }
        ASSERT_TRUE(restored > ELEMENTSOF(life));
        end();
}

TEST(a_foreign_value_after_a_crash_at_any_step_stays) {
        size_t n;

        live();
        for (size_t i = 0; i < n_steps; i++) {
                (void) fake_put(PATH, "99\n");
                reload(i);
                ASSERT_OK(session_restore(&fake.m, &ledger, NULL, &n));
                ASSERT_EQ_U(n, 0);
                ASSERT_STR(content(), "99\n");
        }
        end();
}

TEST(what_cannot_be_restored_is_said_and_stays_in_the_ledger) {
        size_t n;

        begin("0\n");
        ASSERT_EQ_I(result_of(0, 16, false), VERIFY_APPLIED);
        fake_find(PATH)->write_error = EIO;
        ASSERT_EQ_I(session_restore(&fake.m, &ledger, &memory.store, &n), -EIO);
        ASSERT_EQ_U(n, 0);
        ASSERT_TRUE(ledger_restore_order(&ledger, 0) != NULL);
        fake_find(PATH)->write_error = 0;
        ASSERT_OK(session_restore(&fake.m, &ledger, &memory.store, &n));
        ASSERT_EQ_U(n, 1);
        ASSERT_STR(content(), "0\n");
        end();
}

TEST_MAIN()
