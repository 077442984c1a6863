/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: wait until the engine wants a frame, take it, carry out what follows. Decisions are the engine's, texts and files the machine's;
 * what is here is the order of things:
 *
 *   a write    read the file: it must hold what the engine thinks; the intent into the ledger, durable; write; read back; the outcome
 *              into the ledger. Whatever happens between two of these, the ledger then names every value that may be ours.
 *   a change   of CPUs, zones or caches: what is measured is void at once (the frame says so), a new plan is made when the
 *              machine has settled.
 *
 * Plans live in two arenas in turn, so that the engine can compare the new one with the old; the engine has its own. */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"
#include "machine/sample.h"
#include "session/change.h"
#include "session/model.h"

/* Address space, not memory. */
#define PLAN_BYTES ((size_t) 512 << 20)
#define ENGINE_BYTES ((size_t) 512 << 20)
/* Hot-plug brings CPUs and zones one by one, and caches appear by the dozen. */
#define SETTLE_LEAST_USEC (10 * USEC_PER_SEC)
#define CACHES_LEAST_USEC (15 * 60 * USEC_PER_SEC)
#define LEDGER_SPARE 256u /* knobs that may yet appear */

struct Session {
        Machine *m;
        SessionConfig config;
        Arena plan_arena[2], engine_arena;
        unsigned plan_at;
        MachineFacts facts;
        Plan plan[2]; /* plan[plan_at] is in force */
        struct PlanExternal *externals;
        Sense *sense;
        Engine *engine;
        Ledger ledger;
        usec_t replan_at_usec;       /* USEC_UNKNOWN: none is due */
        usec_t planned_usec;         /* when the plan in force was made */
        usec_t now_usec, frame_usec; /* frame_usec: of the last frame */
        ParseLog log;
};

/* A value that the ledger says is ours looks like an administrator's to who sees the file only. */
static void claim_ours(const Session *s, KnobSet *knobs) {
        for (size_t i = 0; i < knobs->n; i++) {
                Knob *k = &knobs->knobs[i];
                const LedgerEntry *e = ledger_find(&s->ledger, k->name, &k->scope);

                if (e && (e->state == LEDGER_OURS || e->state == LEDGER_OPEN) && k->value[0] &&
                    (strcmp(k->value, e->ours) == 0 || strcmp(k->value, e->intended) == 0))
                        k->owner = OWNER_ALLOCTUNED;
        }
}

/* From what sense read last to a plan in the arena. */
static int build_plan(Session *s, Arena *arena, Plan *ret) {
        const Snapshot *both[2] = { sense_before(s->sense), sense_last(s->sense) };
        const Snapshot *const *snapshots = both[0] ? both : both + 1;
        size_t n_reports;
        ModelInput input = { .machine = s->m,
                             .facts = &s->facts,
                             .snapshots = snapshots,
                             .n_snapshots = both[0] ? 2 : 1,
                             .kind = both[0] ? WINDOW_LIVE : WINDOW_BOOT,
                             .log = &s->log };
        PlanInput plan;
        Model model;
        int r;

        s->log = (ParseLog){ 0 };
        input.reports = sense_reports(s->sense, &n_reports);
        input.n_reports = n_reports;
        r = model_build(arena, &input, &model);
        if (r < 0)
                return r;
        claim_ours(s, &model.knobs);
        plan = (PlanInput){ .facts = &s->facts,
                            .last = both[1],
                            .signals = &model.signals,
                            .knobs = &model.knobs,
                            .pcp = &model.pcp,
                            .slub = &model.slub,
                            .policies = s->config.policies,
                            .n_policies = s->config.n_policies,
                            .externals = s->externals,
                            .n_externals = s->config.sense.n_externals,
                            .deny_knobs = s->config.deny_knobs,
                            .n_deny_knobs = s->config.n_deny_knobs,
                            .deny_caches = s->config.deny_caches,
                            .n_deny_caches = s->config.n_deny_caches };
        return plan_build(arena, &plan, ret);
}

/* Two looks at the machine, so that there are rates: what waits can be measured here is known from then on. */
static int first_look(Session *s) {
        Frame frame;
        usec_t step = s->config.engine.tick_trial_usec > 0 ? s->config.engine.tick_trial_usec
                                                           : 2 * USEC_PER_SEC;
        int r = sense_tick(s->sense, SENSE_CHEAP, &frame);

        if (r < 0)
                return r;
        r = machine_advance(s->m, u64_add_sat(machine_now(s->m), step));
        if (r == MACHINE_E_END) /* one snapshot only: averages since boot */
                return 0;
        return r < 0 ? r : sense_tick(s->sense, SENSE_CHEAP, &frame);
}

static int copy_externals(Session *s) {
        s->externals = calloc(s->config.sense.n_externals + 1, sizeof(*s->externals));
        if (!s->externals)
                return -ENOMEM;
        for (size_t i = 0; i < s->config.sense.n_externals; i++) {
                const SenseExternal *e = &s->config.sense.externals[i];

                (void) text_copy(s->externals[i].name, sizeof(s->externals[i].name),
                                 text_from(e->name));
                s->externals[i].higher_is_better = e->higher_is_better;
        }
        return 0;
}

static Change change_of(Session *s) {
        return (Change){ .m = s->m,
                         .ledger = &s->ledger,
                         .store = s->config.store,
                         .boot_id = s->config.boot_id };
}

static bool trials_open(const Session *s, usec_t now_usec) {
        return !s->config.trials_open || s->config.trials_open(now_usec, s->config.trials_data);
}

static int start(Session *s) {
        const size_t n_spare = LEDGER_SPARE;
        Frame frame;
        int r = copy_externals(s);

        for (unsigned i = 0; i < 2 && r == 0; i++)
                r = arena_map(&s->plan_arena[i], PLAN_BYTES);
        if (r == 0)
                r = arena_map(&s->engine_arena, ENGINE_BYTES);
        if (r == 0)
                r = sample_facts(s->m, &s->plan_arena[0], &s->facts, &s->log);
        if (r == 0)
                r = sense_new(s->m, &s->config.sense, &s->facts, &s->sense);
        if (r == 0)
                r = first_look(s);
        if (r < 0)
                return r;
        if (!sense_last(s->sense)->vmstat && !sense_last(s->sense)->stat)
                return MACHINE_E_ABSENT;
        r = build_plan(s, &s->plan_arena[0], &s->plan[0]);
        if (r == 0)
                r = sense_plan(s->sense, &s->plan[0]);
        if (r == 0)
                r = engine_init(&s->engine_arena, &s->config.engine, &s->plan[0], &s->engine);
        if (r == 0)
                r = ledger_init(&s->engine_arena, s->plan[0].n_knobs + n_spare, s->config.boot_id,
                                &s->ledger);
        if (r == 0) {
                Change change = change_of(s);

                r = change_begin(&change);
        }
        if (r != 0)
                return r;
        s->now_usec = s->frame_usec = s->planned_usec = machine_now(s->m);
        r = sense_again(s->sense, &frame);
        if (r < 0)
                return r;
        frame.trials_open = trials_open(s, frame.at_usec);
        r = engine_observe(s->engine, &frame); /* what follows is carried out with the next one */
        return r > 0 ? -EPROTO : r;
}

int session_new(Machine *m, const SessionConfig *config, Session **ret) {
        Session *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        *s = (Session){ .m = m, .config = *config, .replan_at_usec = USEC_UNKNOWN };
        if (s->config.boot_id[0] == '\0')
                (void) text_copy(s->config.boot_id, sizeof(s->config.boot_id), TEXT("none"));
        r = start(s);
        if (r != 0) {
                (void) session_free(s);
                return r;
        }
        *ret = s;
        return 0;
}

Session *session_free(Session *s) {
        if (!s)
                return NULL;
        s->sense = sense_free(s->sense);
        for (unsigned i = 0; i < 2; i++)
                arena_unmap(&s->plan_arena[i]);
        arena_unmap(&s->engine_arena);
        free(s->externals);
        free(s);
        return NULL;
}

static const Plan *plan_of(const Session *s) {
        return &s->plan[s->plan_at];
}

/* Files of knobs that have our value are read in every tick. */
static void own_knobs(Session *s) {
        const Plan *plan = plan_of(s);

        for (size_t i = 0; i < plan->n_knobs; i++) {
                const LedgerEntry *e = ledger_find(&s->ledger, plan->knobs[i].name,
                                                   &plan->knobs[i].scope);

                sense_own(s->sense, i, e && (e->state == LEDGER_OURS || e->state == LEDGER_OPEN));
        }
}

/* Effects, one after the other, until the engine has none. The first error of the store is kept: the engine knows what became of each. */
static int carry_out(Session *s) {
        Change change = change_of(s);
        Effect effect;
        int r, error = 0;

        while ((r = engine_next(s->engine, &effect)) == 0) {
                const Plan *plan = plan_of(s);
                Outcome outcome = { .result = VERIFY_VOID, .at_usec = machine_now(s->m) };

                if (effect.knob < plan->n_knobs && s->config.apply) {
                        r = change_carry_out(&change, &plan->knobs[effect.knob], &effect, &outcome);
                        if (r < 0 && error == 0)
                                error = r;
                        if (outcome.result == VERIFY_APPLIED || outcome.result == VERIFY_ROUNDED)
                                sense_own(s->sense, effect.knob, true);
                }
                r = engine_resolve(s->engine, &effect, &outcome);
                if (r != 0)
                        return r < 0 ? r : -EPROTO;
        }
        return r < 0 ? r : error;
}

static usec_t settle_time(const Plan *plan) {
        usec_t settle = SETTLE_LEAST_USEC;

        for (size_t i = 0; i < plan->n_controllers; i++)
                if (plan->controllers[i].settle_usec != USEC_UNKNOWN)
                        settle = MAX(settle, plan->controllers[i].settle_usec);
        return settle;
}

/* CPUs, zones, modes: as soon as it settled. Caches alone come and go with what people run: a new plan for
 * them ends open quads, so it is made now and then. */
static void set_replan(Session *s, const Frame *frame) {
        if (frame->hotplug)
                s->replan_at_usec = u64_add_sat(frame->at_usec, settle_time(plan_of(s)));
        else if (s->replan_at_usec == USEC_UNKNOWN)
                s->replan_at_usec = MAX(u64_add_sat(frame->at_usec, settle_time(plan_of(s))),
                                        u64_add_sat(s->planned_usec, CACHES_LEAST_USEC));
}

static int replan(Session *s) {
        unsigned next = 1 - s->plan_at;
        int r;

        arena_reset(&s->plan_arena[next]);
        r = sample_facts(s->m, &s->plan_arena[next], &s->facts, &s->log);
        if (r == 0)
                r = build_plan(s, &s->plan_arena[next], &s->plan[next]);
        if (r == 0)
                r = engine_replan(s->engine, &s->plan_arena[next], &s->plan[next]);
        if (r == 0)
                r = sense_plan(s->sense, &s->plan[next]);
        if (r != 0)
                return r < 0 ? r : -EPROTO;
        s->plan_at = next;
        s->planned_usec = s->now_usec;
        own_knobs(s);
        return 0;
}

/* Waits for the next frame. The machine may be late (live), jump (suspend), or have times of its own (a capture). */
static int wait_for(Session *s, usec_t at_usec) {
        usec_t now = machine_now(s->m);

        if (at_usec <= now && now == s->frame_usec) /* two frames of one moment say nothing */
                at_usec = u64_add_sat(now, MAX(s->config.engine.tick_trial_usec, USEC_PER_MSEC));
        if (at_usec <= now && s->m->kind != MACHINE_CAPTURE)
                return 0;
        return machine_advance(s->m, at_usec);
}

/* Twice as late as wanted: ticks were lost. */
static bool is_gap(const Session *s, usec_t wanted_usec, usec_t at_usec) {
        usec_t wanted = u64_sub_sat(wanted_usec, s->frame_usec);

        return s->m->kind != MACHINE_CAPTURE && s->frame_usec > 0 &&
               u64_sub_sat(at_usec, s->frame_usec) >
                       u64_add_sat(u64_mul_sat(wanted, 2), USEC_PER_SEC);
}

int session_tick(Session *s) {
        Sampling want;
        Frame frame;
        bool due;
        int r;

        engine_sampling(s->engine, &want);
        r = wait_for(s, want.at_usec);
        if (r != 0)
                return r;
        s->now_usec = machine_now(s->m);
        due = s->replan_at_usec != USEC_UNKNOWN && s->now_usec >= s->replan_at_usec;
        r = sense_tick(s->sense, want.files | (due ? SENSE_LOOK : 0), &frame);
        if (r < 0)
                return r;
        frame.gap = frame.gap || is_gap(s, want.at_usec, frame.at_usec);
        s->frame_usec = frame.at_usec;
        frame.trials_open = trials_open(s, frame.at_usec);
        if (sense_replan_due(s->sense))
                set_replan(s, &frame);
        r = engine_observe(s->engine, &frame);
        if (r != 0)
                return r < 0 ? r : -EPROTO;
        r = carry_out(s);
        if (r < 0 || !due || s->replan_at_usec > s->now_usec)
                return r;
        s->replan_at_usec = USEC_UNKNOWN;
        return replan(s);
}

int session_stop(Session *s) {
        size_t n_restored;
        int r, error;

        engine_stop(s->engine, machine_now(s->m));
        error = carry_out(s);
        /* What a plan no longer knows is in the ledger. */
        r = s->config.apply ? session_restore(s->m, &s->ledger, s->config.store, &n_restored) : 0;
        return error < 0 ? error : r;
}

const Engine *session_engine(const Session *s) {
        return s->engine;
}

const Plan *session_plan(const Session *s) {
        return plan_of(s);
}

const Ledger *session_ledger(const Session *s) {
        return &s->ledger;
}

usec_t session_now(const Session *s) {
        return s->now_usec;
}
