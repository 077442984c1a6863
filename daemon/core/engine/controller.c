/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/engine/engine-private.h"

/* The state machine of one policy.
 *
 *   OBSERVE, HOLD --hot, cooldown over, an arm is left--> ARMED --token--> TRIAL
 *   TRIAL --accept--> PROBATION --three checks--> HOLD
 *   TRIAL --futile, reject--> ARMED with the second candidate, then COOLDOWN (30 min x 2^failures, at most a day, +-20 %)
 *   TRIAL --abort--> the arm is blocked for a day, the second time for a week; BLOCKED when no other is left
 *
 * HOLD that is still hot goes on climbing: the next arm of the same knob, or the next caches. */

void slot_cooldown(Engine *e, Slot *s, bool failed) {
        usec_t base = s->plan->policy->cooldown_usec, usec = base;
        Record *r;

        for (unsigned i = 0; i < s->failures && usec < COOLDOWN_MAX_USEC; i++)
                usec = u64_mul_sat(usec, 2);
        usec = engine_jitter(e, MIN(usec, MAX(COOLDOWN_MAX_USEC, base)), 20);
        if (failed)
                s->failures = MIN(s->failures + 1, 30u);
        s->second = false;
        s->cooldown_usec = MAX(s->cooldown_usec, u64_add_sat(e->now_usec, usec));
        r = record_add(e, RECORD_COOLDOWN, s, PLAN_NONE);
        r->number_a = (int64_t) (usec / USEC_PER_SEC);
        r->number_b = (int64_t) s->failures;
        slot_rest(e, s);
}

void slot_back(Engine *e, Slot *s, bool urgent) {
        for (unsigned i = 0; i < s->n_group; i++)
                /* What is chosen next starts from there, also while the write waits. */
                if (write_want(e, s, s->group[i], s->a[i], urgent))
                        s->knob[s->group[i]].level = s->level_a[i];
}

void slot_end(Engine *e, Slot *s, bool urgent) {
        bool held = run_is(e, s) && e->run.kind == RUN_REVALIDATE;

        if (run_is(e, s)) {
                e->run.open = false;
                e->quiet_until_usec = u64_add_sat(e->now_usec, e->config->quiet_usec);
        }
        if (held)
                for (unsigned i = 0; i < s->n_group; i++)
                        (void) write_want(e, s, s->group[i], s->b[i], urgent);
        else
                slot_back(e, s, urgent);
}

void slot_trial_begin(Engine *e, Slot *s, const Choice *choice, const Frame *frame) {
        Record *r;

        s->n_group = choice->n;
        for (unsigned i = 0; i < choice->n; i++) {
                const PlanArm *arm = plan_arm(s->plan, choice->group[i], choice->level);

                s->group[i] = choice->group[i];
                s->a[i] = engine_knob(e, s, s->group[i])->value;
                s->b[i] = arm ? arm->value : s->a[i];
                s->level_a[i] = s->knob[s->group[i]].level;
                engine_knob(e, s, s->group[i])->holder = slot_index(e, s);
        }
        s->level_b = choice->level;
        s->second_known = !s->second && choice->second_known;
        s->second_level = choice->second_level;
        s->decision = ++e->decisions;
        s->step_down = false;
        budget_take(&e->trials, e->now_usec);
        budget_take(&e->changes, e->now_usec);
        e->counts.trials++;
        /* What guards compare with: the minutes before, and from now on the windows of the value in force. */
        if (s->sums.usec < USEC_PER_SEC * 60)
                s->sums = s->sums_before;
        s->sums.slab_start_bytes = frame->guard.slab_unreclaimable_bytes;
        guard_base_make(&s->sums, &s->base);
        slot_set_state(e, s, CONTROLLER_TRIAL);
        for (unsigned i = 0; i < s->n_group; i++) {
                r = record_add(e, RECORD_TRIAL_BEGIN, s, s->plan->first_knob + s->group[i]);
                r->from_known = r->to_known = true;
                r->from = s->a[i];
                r->to = s->b[i];
                r->decision = s->decision;
                r->number_a = (int64_t) s->n_group;
                record_gate(s, r);
        }
        run_begin(e, s, RUN_TRIAL, frame);
}

/* Zone waits that fall while the lru lock's rise by as much (+-20 %): the work only moved on to the next lock, and there is no use
 * in longer lists for a day. An arm that is accepted is proof of the contrary; and as long as the interval has a gain of 5 % in it
 * (which a short trial cannot exclude), two climbs in a row must end like that. Otherwise it would end climbs half-way:
 * Broadwell-EX, batch 31 to 63, gains 9.5 % while the wait moves on, and 2.6 % more from 63 to 255. */
#define NEXT_LOCK_GAIN_PPM 50000
#define NEXT_LOCK_LEAST_MILLI 5000000 /* half a per cent of CPU time: less moves by itself */

static void next_lock(Engine *e, Slot *s) {
        const Run *run = &e->run;
        int64_t lead[2], next[2], fall, rise, mean, low, high;
        bool again, sure;
        Record *r;

        for (unsigned i = 0; i < 2; i++) {
                const Reading a = { run->lead_arm[i].num, run->lead_arm[i].den, EVIDENCE_COUNTED };
                const Reading b = { run->next_arm[i].num, run->next_arm[i].den, EVIDENCE_COUNTED };

                if (s->plan->lead_wait >= e->plan->n_watches ||
                    s->plan->next_wait >= e->plan->n_watches ||
                    !reading_milli(&a, e->plan->watches[s->plan->lead_wait].scale, &lead[i]) ||
                    !reading_milli(&b, e->plan->watches[s->plan->next_wait].scale, &next[i]))
                        return;
                lead[i] = MIN(lead[i], INT64_MAX / 16);
                next[i] = MIN(next[i], INT64_MAX / 16);
        }
        fall = lead[TRIAL_A] - lead[TRIAL_B];
        rise = next[TRIAL_B] - next[TRIAL_A];
        again = s->moved;
        s->moved = fall >= NEXT_LOCK_LEAST_MILLI && rise * 5 >= fall * 4 && rise * 5 <= fall * 6;
        sure = trial_effect(&run->trial, &mean, &low, &high) && low >= -NEXT_LOCK_GAIN_PPM;
        if (!s->moved || (!again && !sure))
                return;
        s->next_lock_usec = u64_add_sat(e->now_usec, NEXT_LOCK_USEC);
        r = record_add(e, RECORD_GUARD, s, PLAN_NONE);
        r->decision = s->decision;
        r->watch = s->plan->next_wait;
        r->value_known = true;
        r->value_milli = rise;
        r->target_known = true;
        r->target_milli = fall;
        r->why = "the wait moved on to the next lock";
}

static void record_verdict(Engine *e, Slot *s, TrialVerdict verdict, const char *why) {
        const Trial *t = &e->run.trial;
        int64_t mean, low, high;
        bool interval = trial_effect(t, &mean, &low, &high);

        for (unsigned i = 0; i < s->n_group; i++) {
                Record *r = record_add(e, RECORD_VERDICT, s, s->plan->first_knob + s->group[i]);

                r->from_known = r->to_known = true;
                r->from = s->a[i];
                r->to = s->b[i];
                r->decision = s->decision;
                r->watch = s->plan->cost;
                r->evidence = e->run.evidence;
                r->verdict = verdict;
                r->why = why;
                r->number_a = (int64_t) t->n;
                r->number_b = (int64_t) t->n_void;
                if (interval) {
                        r->effect_known = true;
                        r->effect_ppm = mean;
                        r->low_ppm = low;
                        r->high_ppm = high;
                }
        }
}

/* The next thing after an arm that failed: the second candidate once, else a pause. */
static void trial_failed(Engine *e, Slot *s) {
        Choice choice;

        for (unsigned i = 0; i < s->n_group; i++)
                s->knob[s->group[i]].failures++;
        if (!s->second && s->second_known) {
                s->second = true;
                if (slot_choose(e, s, &choice)) {
                        slot_set_state(e, s, CONTROLLER_ARMED);
                        return;
                }
        }
        next_lock(e, s);
        slot_cooldown(e, s, true);
}

static void trial_aborted(Engine *e, Slot *s) {
        Choice choice;

        s->second = false;
        for (unsigned i = 0; i < s->n_group; i++) {
                s->knob[s->group[i]].failures++;
                slot_block(e, s, s->group[i], s->level_b, 0, false);
        }
        if (!slot_choose(e, s, &choice) && choice.blocked_usec > 0)
                s->blocked_usec = choice.blocked_usec;
        slot_cooldown(e, s, true);
}

void slot_trial_done(Engine *e, Slot *s, TrialVerdict verdict, const char *why) {
        record_verdict(e, s, verdict, why);
        e->run.open = false;
        e->quiet_until_usec = u64_add_sat(e->now_usec, e->config->quiet_usec);
        switch (verdict) {
        case TRIAL_ACCEPT:
                e->counts.accepted++;
                s->moved = false;
                for (unsigned i = 0; i < s->n_group; i++) {
                        (void) write_want(e, s, s->group[i], s->b[i], false);
                        s->knob[s->group[i]].failures = 0;
                }
                engine_workload_reset(e);
                slot_probation_begin(e, s);
                return;
        case TRIAL_FUTILE:
        case TRIAL_REJECT:
                e->counts.rejected++;
                slot_back(e, s, false);
                trial_failed(e, s);
                return;
        case TRIAL_PENDING:
        case TRIAL_INCONCLUSIVE:
        case _TRIAL_VERDICT_MAX:
                e->counts.inconclusive++;
                slot_back(e, s, false);
                slot_cooldown(e, s, true);
                return;
        case TRIAL_ABORT:
                e->counts.aborted++;
                slot_back(e, s, true);
                trial_aborted(e, s);
                return;
        }
}

void slot_trial_closed(Engine *e, Slot *s) {
        record_verdict(e, s, TRIAL_INCONCLUSIVE, "the hours for trials are over");
        e->counts.inconclusive++;
        slot_end(e, s, true);
        /* No failure of the arm. */
        slot_cooldown(e, s, false);
}

/* Hot, but not ours to act on. */
static void advise(Engine *e, Slot *s, const char *why) {
        Record *r;

        if (s->said_advise)
                return;
        s->said_advise = true;
        r = record_add(e, RECORD_ADVISE, s, s->plan->n_knobs > 0 ? s->plan->first_knob : PLAN_NONE);
        record_gate(s, r);
        r->why = why;
}

static void gate_records(Engine *e, Slot *s) {
        const Gate *g = &s->gate;

        if (g->hot && !s->said_hot) {
                record_gate(s, record_add(e, RECORD_HOT, s, PLAN_NONE));
                s->said_hot = true;
                s->said_cool = false;
        }
        if (!g->hot && s->said_hot && (g->cool || g->idle != GATE_BUSY)) {
                record_gate(s, record_add(e, RECORD_COOL, s, PLAN_NONE));
                s->said_hot = false;
                s->said_cool = true;
        }
        if (g->advise)
                advise(e, s,
                       g->evidence == EVIDENCE_NONE
                               ? "no target is known: only the fallback says so"
                               : "the evidence is below what the policy acts on");
        else if (!g->hot)
                s->said_advise = false;
}

/* A window of the gate ended, and nothing is open. */
static void arm(Engine *e, Slot *s) {
        Choice choice;

        if (!s->gate.hot || s->cooldown_usec > e->now_usec)
                return;
        if (!s->plan->may_try) {
                advise(e, s, "not allowed to try");
                return;
        }
        if (slot_choose(e, s, &choice)) {
                slot_set_state(e, s, CONTROLLER_ARMED);
                record_gate(s,
                            record_add(e, RECORD_ARMED, s, s->plan->first_knob + choice.group[0]));
                return;
        }
        if (choice.blocked_usec > e->now_usec) {
                s->blocked_usec = choice.blocked_usec;
                slot_rest(e, s);
                return;
        }
        advise(e, s, choice.why);
}

/* What time alone does. */
static void slot_timers(Engine *e, Slot *s, const Frame *frame, bool judged) {
        switch (s->state) {
        case CONTROLLER_COOLDOWN:
                slot_hold_frame(e, s, frame);
                if (s->state == CONTROLLER_COOLDOWN && e->now_usec >= s->cooldown_usec)
                        slot_rest(e, s);
                break;
        case CONTROLLER_BLOCKED:
                slot_hold_frame(e, s, frame);
                if (s->state == CONTROLLER_BLOCKED && e->now_usec >= s->blocked_usec)
                        slot_rest(e, s);
                break;
        case CONTROLLER_ARMED:
                /* Between two candidates a failure still counts. */
                if (!s->gate.hot && s->second)
                        slot_cooldown(e, s, true);
                else if (!s->gate.hot)
                        slot_rest(e, s);
                break;
        case CONTROLLER_OBSERVE:
        case CONTROLLER_HOLD:
                slot_hold_frame(e, s, frame);
                if (judged && s->state != CONTROLLER_PROBATION && !run_is(e, s))
                        arm(e, s);
                break;
        case CONTROLLER_PROBATION:
                slot_probation_frame(e, s);
                break;
        case CONTROLLER_ABSENT:
        case CONTROLLER_YIELDED:
        case CONTROLLER_TRIAL:
        case CONTROLLER_PAUSED:
        case _CONTROLLER_STATE_MAX:
                break;
        }
}

void slot_frame(Engine *e, Slot *s, const Frame *frame) {
        bool judged;

        switch (s->state) {
        case CONTROLLER_ABSENT:
        case CONTROLLER_YIELDED:
        case CONTROLLER_PAUSED:
        case _CONTROLLER_STATE_MAX:
                return;
        case CONTROLLER_OBSERVE:
        case CONTROLLER_ARMED:
        case CONTROLLER_TRIAL:
        case CONTROLLER_PROBATION:
        case CONTROLLER_HOLD:
        case CONTROLLER_COOLDOWN:
        case CONTROLLER_BLOCKED:
                break;
        }
        /* Windows of an arm that is not in force say nothing about what is. */
        judged = run_in_force(e, frame) && gate_frame(&s->gate, s->plan, e->plan, frame);
        if (judged)
                gate_records(e, s);
        slot_workload(e, s, frame);
        slot_guard(e, s, frame);
        slot_timers(e, s, frame, judged);
}
