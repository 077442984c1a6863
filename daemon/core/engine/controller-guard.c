/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/engine/engine-private.h"

/* What a guard's finding does to a controller. Cuts and aborts need no proof and wait for nothing: no token, no budget, no
 * write gap. A level that was cut or aborted by a guard is blocked, and with it those above. */

static uint64_t parked_possible(const Slot *s) {
        const SlotKnob *own = &s->knob[0];

        if (own->level == LEVEL_CAP)
                return s->plan->cap.parked_possible_ppm;
        if (own->level < 0 || (unsigned) own->level >= s->plan->n_levels)
                return 0;
        return s->plan->arms[own->level].parked_possible_ppm;
}

static bool in_trial(const Engine *e, const Slot *s) {
        return s->state == CONTROLLER_TRIAL || s->state == CONTROLLER_PROBATION || run_is(e, s);
}

static void record_guard(Engine *e, const Slot *s, RecordKind kind, const GuardFinding *f) {
        Record *r = record_add(e, kind, s,
                               s->n_group > 0 ? s->plan->first_knob + s->group[0] : PLAN_NONE);

        r->decision = in_trial(e, s) ? s->decision : 0;
        r->guard = f->guard->name;
        r->why = f->what;
        r->number_a = f->value;
        r->number_b = f->limit;
        r->unit = f->unit;
}

static void block_group(Engine *e, Slot *s, const GuardFinding *f) {
        for (unsigned i = 0; i < s->n_group; i++)
                slot_block(e, s, s->group[i], s->level_b, f->block_usec, true);
}

/* The probation of a step down ends with the smaller value: memory that a guard misses is not parked again, unproved. */
static void keep_down(Engine *e, Slot *s) {
        if (run_is(e, s)) {
                e->run.open = false;
                e->quiet_until_usec = u64_add_sat(e->now_usec, e->config->quiet_usec);
        }
        for (unsigned i = 0; i < s->n_group; i++) {
                SlotKnob *own = &s->knob[s->group[i]];

                (void) write_want(e, s, s->group[i], s->b[i], true);
                own->level = (int) s->level_b;
                own->revalidate_usec = s->level_b == 0
                                               ? 0
                                               : u64_add_sat(e->now_usec,
                                                             s->plan->policy->revalidate_usec);
        }
        engine_workload_reset(e);
        s->step_down = s->second = false;
}

/* The open trial, check or probation ends, and the values before it come back now. */
static void abort_open(Engine *e, Slot *s, const GuardFinding *f, RecordKind kind) {
        bool held = run_is(e, s) && e->run.kind == RUN_REVALIDATE, down = s->step_down;
        bool trial = s->state == CONTROLLER_TRIAL;
        Choice choice;

        record_guard(e, s, kind, f);
        e->counts.aborted++;
        down = down && s->state == CONTROLLER_PROBATION;
        if (down) {
                keep_down(e, s);
                slot_cooldown(e, s, false);
                return;
        }
        slot_end(e, s, true);
        if (held) {
                /* While the guard fires, comparing again at once would only write. */
                for (unsigned i = 0; i < s->n_group; i++)
                        s->knob[s->group[i]].revalidate_usec = u64_add_sat(e->now_usec,
                                                                           HOURS_USEC(1));
                slot_rest(e, s);
                return;
        }
        block_group(e, s, f);
        if (!trial)
                engine_workload_reset(e);
        s->second = false;
        if (!slot_choose(e, s, &choice) && choice.blocked_usec > 0)
                s->blocked_usec = choice.blocked_usec;
        slot_cooldown(e, s, true);
}

/* Multiple of the default of a level, thousandths: the policy says it. */
static uint64_t multiple_of(const Slot *s, unsigned level) {
        const Policy *p = s->plan->policy;
        const PlanArm *arm = plan_arm(s->plan, 0, level);

        if (level == 0 || !arm)
                return 1000;
        for (unsigned i = 0; i < p->n_arms; i++)
                if (p->arm[i].multiple_milli > 0 && text_is(text_from(p->arm[i].text), arm->text))
                        return (uint64_t) p->arm[i].multiple_milli;
        return (uint64_t) 1000 << MIN(level, 20u);
}

/* The arm to cut to: the nearest one below what the law gives; at least one level down. NULL: the present value is no
 * larger than the default, or nothing is left to cut. */
static const PlanArm *cut_arm(const Slot *s, const GuardFinding *f, bool ours) {
        int level = s->knob[0].level;
        uint64_t multiple;

        if (level == LEVEL_CAP)
                return NULL;
        /* The kernel's own lists, or a value that another policy of ours raised: only the cap is smaller for sure. */
        if (level <= 0)
                return s->plan->cap_known && s->plan->cap.fits && (level == 0 || ours)
                               ? &s->plan->cap
                               : NULL;
        multiple = guard_cut_multiple(multiple_of(s, (unsigned) level), f->value, f->limit);
        for (unsigned l = (unsigned) level; l-- > 0;) {
                const PlanArm *arm = plan_arm(s->plan, 0, l);

                if (l == 0 || (arm && arm->kind == ARM_STEP && multiple_of(s, l) <= multiple))
                        return arm;
        }
        return NULL;
}

/* A cut by one policy of a value that another one holds. What that one has open ends first; the value it then gives back may
 * be small enough. True: go on. */
static bool take_over(Engine *e, Slot *s) {
        KnobSlot *knob = engine_knob(e, s, 0);
        Slot *other;

        if (knob->holder == PLAN_NONE || knob->holder == slot_index(e, s))
                return true;
        other = &e->slots[knob->holder];
        if (in_trial(e, other)) {
                if (other->step_down && other->state == CONTROLLER_PROBATION)
                        keep_down(e, other);
                else
                        slot_end(e, other, true);
                slot_cooldown(e, other, true);
                return false;
        }
        knob->holder = slot_index(e, s);
        for (size_t k = 0; k < other->plan->n_knobs; k++)
                if (engine_knob(e, other, k) == knob)
                        other->knob[k].revalidate_usec = 0;
        slot_rest(e, other);
        return true;
}

static void cut(Engine *e, Slot *s, const GuardFinding *f) {
        const KnobSlot *knob = engine_knob(e, s, 0);
        const PlanArm *arm;
        Record *r;
        int level = s->knob[0].level;

        if (in_trial(e, s) && !(run_is(e, s) && e->run.kind == RUN_REVALIDATE)) {
                e->counts.cuts++;
                abort_open(e, s, f, RECORD_CUT);
                return;
        }
        if (e->now_usec < s->cut_usec || s->plan->n_knobs != 1 || !s->plan->may_try ||
            !knob->known || knob->wanted || knob->yielded || knob->paused || knob->out ||
            knob->gone)
                return;
        arm = cut_arm(s, f, knob->ours);
        if (!arm || !take_over(e, s))
                return;
        if (run_is(e, s))
                slot_end(e, s, true);
        s->n_group = 1;
        s->group[0] = 0;
        s->a[0] = engine_knob(e, s, 0)->value;
        s->b[0] = arm->value;
        s->level_a[0] = level;
        s->level_b = arm == &s->plan->cap ? LEVEL_CAP : arm->level;
        s->decision = ++e->decisions;
        s->step_down = false;
        s->cut_usec = u64_add_sat(e->now_usec, s->plan->window_usec);
        e->counts.cuts++;
        r = record_add(e, RECORD_CUT, s, s->plan->first_knob);
        r->decision = s->decision;
        r->from_known = r->to_known = true;
        r->from = s->a[0];
        r->to = s->b[0];
        r->guard = f->guard->name;
        r->why = f->what;
        r->number_a = f->value;
        r->number_b = f->limit;
        r->unit = f->unit;
        (void) write_want(e, s, 0, arm->value, true);
        if (level > 0 && level < (int) LADDER_LEVELS_MAX)
                slot_block(e, s, 0, (unsigned) level, f->block_usec, true);
        /* What is left is revalidated in its turn; a cap is given back then. */
        s->knob[0].revalidate_usec = s->level_b == 0
                                             ? 0
                                             : u64_add_sat(e->now_usec,
                                                           s->plan->policy->revalidate_usec);
        engine_workload_reset(e);
        slot_cooldown(e, s, true);
}

/* Said when it begins, or is another guard than before. */
static void say(Engine *e, Slot *s, const GuardFinding *f) {
        if (s->guard == f->guard)
                return;
        s->guard = f->guard;
        if (!f->guard)
                return;
        e->counts.guard_events++;
        record_guard(e, s, RECORD_GUARD, f);
}

static bool kernel_tunes(const Engine *e, const Slot *s) {
        const PlanKnob *knob = &e->plan->knobs[s->plan->first_knob];

        return knob->state == KNOB_KERNEL && s->knob[0].level == 0;
}

void slot_guard(Engine *e, Slot *s, const Frame *frame) {
        GuardContext context = {
                .policy = s->plan->policy,
                .base = in_trial(e, s) ? &s->base : NULL,
                .in_trial = in_trial(e, s),
                .ours = slot_holds(e, s),
                .kernel_tunes = s->plan->n_knobs > 0 && kernel_tunes(e, s),
                .n_online = frame->n_online,
                .own_cpu_ppm = e->config->own_cpu_ppm,
        };
        GuardFinding f;

        if (s->plan->n_knobs == 0 || (!s->plan->may_try && !context.ours))
                return;
        if (!in_trial(e, s)) {
                if (s->sums.usec >= 10 * 60 * USEC_PER_SEC) {
                        s->sums_before = s->sums;
                        s->sums = (GuardBaseSums){ 0 };
                }
                guard_base_add(&s->sums, frame);
        }
        if (s->plan->n_knobs == 1)
                context.parked_possible_ppm = parked_possible(s);
        guard_check(&context, frame, &f);
        if (f.verdict == GUARD_ALLOW || !f.guard) {
                s->guard = NULL;
                return;
        }
        if (f.pause_usec > 0)
                s->growth_off_usec = MAX(s->growth_off_usec,
                                         u64_add_sat(e->now_usec, f.pause_usec));
        /* Without a pause of its own a finding holds growth for as long as it lasts. */
        s->growth_off_usec = MAX(s->growth_off_usec,
                                 f.verdict == GUARD_SLOW_DOWN ? 0 : u64_add_sat(e->now_usec, 1));
        say(e, s, &f);
        switch (f.verdict) {
        case GUARD_ALLOW:
        case GUARD_HOLD_GROWTH:
                break;
        case GUARD_ABORT:
                if (in_trial(e, s))
                        abort_open(e, s, &f, RECORD_ABORT);
                break;
        case GUARD_CUT:
                cut(e, s, &f);
                break;
        case GUARD_SLOW_DOWN:
                e->slow_until_usec = u64_add_sat(e->now_usec, HOURS_USEC(1));
                break;
        case GUARD_ADVISE_ONLY:
                if (s->state == CONTROLLER_TRIAL)
                        slot_trial_done(e, s, TRIAL_INCONCLUSIVE, f.what);
                else if (run_is(e, s))
                        run_void(e, f.what);
                break;
        }
}
