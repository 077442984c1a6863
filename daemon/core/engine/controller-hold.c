/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* A value after its trial: probation, hold, revalidation, a step down.
 *
 * Probation is three checks, each a third of the probation apart, of two reversed quads each. The winner of a few looks is biased towards
 * luck, and some effects are slow; the pooled mean of six quads sees both. Above 0 the value goes back. The same rule, six
 * quads at once against the kernel's default, revalidates a value that was held for a day, and one that was held when the workload
 * changed. A value that fails there is blocked like an arm that did worse, so that one regime sees it twice at most in a week.
 *
 * A step down needs no proof: nothing waits, and the lists hold memory. Its probation only looks for harm (more than
 * the gain that a trial must show), and when it finds some, no other step down is made for a day. */

#define CHECKS 3u
#define MUCH_WORSE_D 400000 /* one quad: e^0.4, as in trials */
/* The mean so far, from the third quad on; from the fourth as much as a trial must gain is enough. */
#define WORSE_D 100000
#define RECHECK_USEC HOURS_USEC(1)

void slot_probation_begin(Engine *e, Slot *s) {
        Record *r;

        s->checks = 0;
        s->probation_sum = 0;
        s->probation_n = s->probation_voids = 0;
        s->probation_usec = e->now_usec;
        s->second = false;
        s->recheck = false;
        slot_set_state(e, s, CONTROLLER_PROBATION);
        r = record_add(e, RECORD_PROBATION, s, s->plan->first_knob + s->group[0]);
        r->decision = s->decision;
        r->to_known = true;
        r->to = s->b[0];
        r->number_a = (int64_t) (s->plan->policy->probation_usec / USEC_PER_SEC);
}

static void hold(Engine *e, Slot *s, int64_t effect_ppm, bool effect_known) {
        Record *r;

        if (!s->step_down)
                s->failures = 0;
        for (unsigned i = 0; i < s->n_group; i++) {
                SlotKnob *own = &s->knob[s->group[i]];

                own->revalidate_usec = own->level == 0 ? 0
                                       : s->recheck    ? e->now_usec
                                                       : u64_add_sat(e->now_usec,
                                                                     s->plan->policy->revalidate_usec);
        }
        s->recheck = false;
        slot_rest(e, s);
        r = record_add(e, RECORD_HOLD, s, s->plan->first_knob + s->group[0]);
        r->decision = s->decision;
        r->to_known = true;
        r->to = s->b[0];
        r->effect_known = effect_known;
        r->effect_ppm = r->low_ppm = r->high_ppm = effect_ppm;
        if (e->counts.first_hold_usec == USEC_UNKNOWN)
                e->counts.first_hold_usec = e->now_usec;
}

unsigned slot_broken(const Engine *e, const Slot *s) {
        usec_t days = (e->now_usec - s->broken_usec) / HOURS_USEC(24);

        return days >= s->broken ? 0 : s->broken - (unsigned) days;
}

static void promise_broken(Engine *e, Slot *s) {
        s->broken = MIN(slot_broken(e, s) + 1, 5u);
        s->broken_usec = e->now_usec;
}

/* Back to the values before; the arm did worse. */
static void probation_failed(Engine *e, Slot *s, int64_t mean, const char *why) {
        Record *r = record_add(e, RECORD_VERDICT, s, s->plan->first_knob + s->group[0]);

        r->decision = s->decision;
        r->from_known = r->to_known = true;
        r->from = s->b[0];
        r->to = s->a[0];
        r->watch = s->plan->cost;
        r->verdict = TRIAL_REJECT;
        r->effect_known = s->probation_n > 0;
        r->effect_ppm = r->low_ppm = r->high_ppm = mean;
        r->number_a = s->probation_n;
        r->why = why;
        slot_back(e, s, false);
        engine_workload_reset(e);
        if (s->step_down) {
                s->step_down_off_usec = u64_add_sat(e->now_usec, HOURS_USEC(24));
                slot_rest(e, s);
                return;
        }
        promise_broken(e, s);
        for (unsigned i = 0; i < s->n_group; i++) {
                s->knob[s->group[i]].failures++;
                slot_block(e, s, s->group[i], s->level_b, 0, false);
        }
        slot_cooldown(e, s, true);
}

bool slot_check_due(const Engine *e, const Slot *s) {
        usec_t third = s->plan->policy->probation_usec / CHECKS;

        return s->state == CONTROLLER_PROBATION && !write_pending(e, s) &&
               e->now_usec - s->probation_usec >= u64_mul_sat(third, s->checks + 1);
}

void slot_check_done(Engine *e, Slot *s, bool voids) {
        Run *run = &e->run;
        int64_t mean, limit = s->step_down ? s->plan->policy->least_gain_ppm : 0;
        bool worse;

        run->open = false;
        s->probation_sum += run->sum_d;
        s->probation_n += run->n;
        mean = s->probation_n > 0 ? s->probation_sum / (int64_t) s->probation_n : 0;
        worse = (run->n > 0 && run->most_d > MUCH_WORSE_D) ||
                (s->probation_n > 2 && mean > WORSE_D) ||
                (s->probation_n > 3 && mean > s->plan->policy->least_gain_ppm);
        if (worse) {
                probation_failed(e, s, mean, "it costs more");
                return;
        }
        if (voids && ++s->probation_voids > 1) {
                /* Two checks in a row of a machine that does not stand still: what is not confirmed is not kept. */
                probation_failed(e, s, mean, "it could not be checked");
                return;
        }
        for (unsigned i = 0; i < s->n_group; i++)
                (void) write_want(e, s, s->group[i], s->b[i], false);
        if (voids) {
                s->probation_usec = u64_add_sat(s->probation_usec,
                                                s->plan->policy->probation_usec / CHECKS);
                return;
        }
        s->probation_voids = 0;
        if (++s->checks < CHECKS)
                return;
        if (mean > limit)
                probation_failed(e, s, mean, "it does not hold what the trial promised");
        else
                hold(e, s, mean, true);
}

/* Knobs that hold a value of ours above the default, due for a comparison with it. */
static unsigned revalidate_group(const Engine *e, const Slot *s, size_t group[PLAN_GROUP_MAX]) {
        unsigned n = 0;

        for (size_t k = 0; k < s->plan->n_knobs && n < PLAN_GROUP_MAX; k++) {
                const SlotKnob *own = &s->knob[k];
                const KnobSlot *knob = &e->knobs[e->same[s->plan->first_knob + k]];

                if (own->revalidate_usec > 0 && own->revalidate_usec <= e->now_usec && knob->ours &&
                    knob->holder == slot_index(e, s) && knob_usable(e, s, k))
                        group[n++] = k;
        }
        return n;
}

bool slot_revalidate_due(const Engine *e, const Slot *s) {
        size_t group[PLAN_GROUP_MAX];

        switch (s->state) {
        case CONTROLLER_OBSERVE:
        case CONTROLLER_HOLD:
        case CONTROLLER_COOLDOWN:
        case CONTROLLER_BLOCKED:
        case CONTROLLER_ARMED:
                return s->plan->cost < e->plan->n_watches && revalidate_group(e, s, group) > 0;
        case CONTROLLER_ABSENT:
        case CONTROLLER_YIELDED:
        case CONTROLLER_TRIAL:
        case CONTROLLER_PROBATION:
        case CONTROLLER_PAUSED:
        case _CONTROLLER_STATE_MAX:
                break;
        }
        return false;
}

void slot_revalidate_begin(Engine *e, Slot *s, const Frame *frame) {
        size_t group[PLAN_GROUP_MAX];
        unsigned n = revalidate_group(e, s, group);
        Record *r;

        s->n_group = n;
        s->second = false;
        s->step_down = false;
        s->decision = ++e->decisions;
        for (unsigned i = 0; i < n; i++) {
                const PlanArm *arm = plan_arm(s->plan, group[i], 0);

                s->group[i] = group[i];
                s->a[i] = arm ? arm->value : engine_knob(e, s, group[i])->original;
                s->b[i] = engine_knob(e, s, group[i])->value;
                s->level_a[i] = 0;
                /* Members may be at different levels; after the run each level follows from its value. */
                s->level_b = s->knob[group[i]].level < 0 ? 0 : (unsigned) s->knob[group[i]].level;
        }
        budget_take(&e->changes, e->now_usec);
        slot_set_state(e, s, CONTROLLER_HOLD);
        r = record_add(e, RECORD_REVALIDATE, s, s->plan->first_knob + s->group[0]);
        r->decision = s->decision;
        r->from_known = r->to_known = true;
        r->from = s->a[0];
        r->to = s->b[0];
        if (s->knob[group[0]].level == LEVEL_CAP) {
                /* A cap was cut to, not proved: the default comes back, and the guard cuts again if it must. */
                r->why = "a cap is given back";
                s->knob[group[0]].revalidate_usec = 0;
                slot_back(e, s, false);
                engine_workload_reset(e);
                slot_cooldown(e, s, false);
                return;
        }
        s->sums.slab_start_bytes = frame->guard.slab_unreclaimable_bytes;
        guard_base_make(&s->sums, &s->base);
        run_begin(e, s, RUN_REVALIDATE, frame);
}

void slot_revalidate_done(Engine *e, Slot *s, bool voids) {
        Run *run = &e->run;
        int64_t mean = run->n > 0 ? run->sum_d / (int64_t) run->n : 0;
        bool failed = run->n > 0 && (run->most_d > MUCH_WORSE_D || (!voids && mean > 0));
        Record *r;

        run->open = false;
        e->quiet_until_usec = u64_add_sat(e->now_usec, e->config->quiet_usec);
        if (!failed) {
                for (unsigned i = 0; i < s->n_group; i++) {
                        (void) write_want(e, s, s->group[i], s->b[i], false);
                        s->knob[s->group[i]].revalidate_usec = u64_add_sat(
                                e->now_usec,
                                voids ? RECHECK_USEC : s->plan->policy->revalidate_usec);
                }
                if (!voids)
                        s->failures = 0;
                slot_rest(e, s);
                r = record_add(e, RECORD_HOLD, s, s->plan->first_knob + s->group[0]);
                r->decision = s->decision;
                r->to_known = true;
                r->to = s->b[0];
                r->effect_known = !voids;
                r->effect_ppm = r->low_ppm = r->high_ppm = mean;
                return;
        }
        r = record_add(e, RECORD_VERDICT, s, s->plan->first_knob + s->group[0]);
        r->decision = s->decision;
        r->from_known = r->to_known = true;
        r->from = s->b[0];
        r->to = s->a[0];
        r->watch = s->plan->cost;
        r->verdict = TRIAL_REJECT;
        r->effect_known = true;
        r->effect_ppm = r->low_ppm = r->high_ppm = mean;
        r->number_a = (int64_t) run->n;
        r->why = "it is no better than the kernel's default any more";
        promise_broken(e, s);
        for (unsigned i = 0; i < s->n_group; i++) {
                int level = slot_level_of(s, s->group[i], s->b[i]);

                s->knob[s->group[i]].revalidate_usec = 0;
                s->knob[s->group[i]].failures++;
                if (level > 0 && level < (int) LADDER_LEVELS_MAX)
                        slot_block(e, s, s->group[i], (unsigned) level, 0, false);
        }
        slot_back(e, s, false);
        engine_workload_reset(e);
        slot_cooldown(e, s, true);
}

/* One level down: cool, and more than a quarter of bounds.parked_seen (half of beta, where parked_seen is twice beta) lies in the lists. */
static void step_down(Engine *e, Slot *s, const Frame *frame) {
        const SlotKnob *own = &s->knob[0];
        unsigned level;
        const PlanArm *arm = NULL;
        Record *r;

        if (own->level <= 0 || own->level == LEVEL_CAP)
                return;
        for (level = (unsigned) own->level; level-- > 0;) {
                arm = plan_arm(s->plan, 0, level);
                if (arm && (level == 0 || (arm->fits && arm->kind == ARM_STEP)))
                        break;
        }
        if (!arm)
                return;
        s->n_group = 1;
        s->group[0] = 0;
        s->a[0] = engine_knob(e, s, 0)->value;
        s->b[0] = arm->value;
        s->level_a[0] = own->level;
        s->level_b = arm->level;
        s->decision = ++e->decisions;
        s->step_down = true;
        s->cool_since_usec = 0;
        budget_take(&e->changes, e->now_usec);
        r = record_add(e, RECORD_STEP_DOWN, s, s->plan->first_knob);
        r->decision = s->decision;
        r->from_known = r->to_known = true;
        r->from = s->a[0];
        r->to = s->b[0];
        (void) write_want(e, s, 0, s->b[0], false);
        engine_workload_reset(e);
        /* Not the start of a trial long ago. */
        s->sums.slab_start_bytes = frame->guard.slab_unreclaimable_bytes;
        guard_base_make(&s->sums, &s->base);
        slot_probation_begin(e, s);
}

/* Checks wait while pages are reclaimed, and for the token; what nobody could check for so long goes back. */
void slot_probation_frame(Engine *e, Slot *s) {
        usec_t most = u64_add_sat(u64_mul_sat(s->plan->policy->probation_usec, 3), HOURS_USEC(1));

        if (!run_is(e, s) && e->now_usec - s->probation_usec > most)
                probation_failed(
                        e, s, s->probation_n > 0 ? s->probation_sum / (int64_t) s->probation_n : 0,
                        "it could not be checked");
}

void slot_hold_frame(Engine *e, Slot *s, const Frame *frame) {
        int64_t limit = s->plan->policy->parked_seen_ppm / 4;
        const PlanKnob *knob = &e->plan->knobs[s->plan->first_knob];
        bool parked = frame->guard.parked_ppm.known && limit > 0 &&
                      frame->guard.parked_ppm.value > (uint64_t) limit;

        /* Only what is ours, and lists only: other knobs hold no memory that is worth a step. */
        if (s->plan->n_knobs != 1 || !knob->spec || knob->spec->kind != KNOB_KIND_PCP_FRACTION ||
            run_is(e, s) || !slot_holds(e, s) || !knob_usable(e, s, 0))
                return;
        /* zoneinfo is not read in every tick: an unknown share neither starts nor ends the time. */
        if (!s->gate.cool || (frame->guard.parked_ppm.known && !parked)) {
                s->cool_since_usec = 0;
                return;
        }
        if (s->cool_since_usec == 0) {
                if (parked)
                        s->cool_since_usec = e->now_usec;
                return;
        }
        if (e->now_usec - s->cool_since_usec >= STEP_DOWN_USEC &&
            e->now_usec >= s->step_down_off_usec && !e->run.open &&
            budget_free(&e->changes, e->now_usec))
                step_down(e, s, frame);
}
