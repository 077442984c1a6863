/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* Knobs that others wrote, that went away, or that the kernel refuses.
 *
 * Whoever writes a knob beside us knows more than we do: it is theirs from then on. Nothing is written to it until the operator
 * resumes it, not even to give our original back, and what is open about it ends; the other knobs of its group go back. */

static bool in_group(const Engine *e, const Slot *s, size_t rep) {
        for (unsigned i = 0; i < s->n_group; i++)
                if (e->same[s->plan->first_knob + s->group[i]] == rep)
                        return true;
        return false;
}

static bool has_knob(const Engine *e, const Slot *s, size_t rep) {
        for (size_t k = 0; k < s->plan->n_knobs; k++)
                if (e->same[s->plan->first_knob + k] == rep)
                        return true;
        return false;
}

void knob_lost(Engine *e, size_t rep, const char *why) {
        KnobSlot *knob = &e->knobs[rep];

        write_drop(e, rep);
        /* Of a knob that only refuses a value, the value in force is still ours to give back. */
        knob->ours = knob->ours && !knob->yielded && !knob->gone;
        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                Slot *s = &e->slots[i];

                if (!has_knob(e, s, rep))
                        continue;
                for (size_t k = 0; k < s->plan->n_knobs; k++)
                        if (e->same[s->plan->first_knob + k] == rep) {
                                s->knob[k].level = slot_level_of(s, k, knob->value);
                                if (!knob->ours)
                                        s->knob[k].revalidate_usec = 0;
                        }
                if (e->stopped)
                        continue;
                if (in_group(e, s, rep) && (s->state == CONTROLLER_TRIAL ||
                                            s->state == CONTROLLER_PROBATION || run_is(e, s))) {
                        if (s->state == CONTROLLER_TRIAL)
                                e->counts.inconclusive++;
                        slot_end(e, s, true);
                        slot_cooldown(e, s, false);
                        continue;
                }
                if (s->state != CONTROLLER_TRIAL && s->state != CONTROLLER_PROBATION) {
                        s->second = s->second && !in_group(e, s, rep);
                        slot_rest(e, s);
                }
        }
        if (!knob->ours)
                knob->holder = PLAN_NONE;
        /* Windows of others saw it move. */
        if (e->run.open)
                run_void(e, why);
}

void knob_yield(Engine *e, size_t rep, bool known, int64_t value) {
        KnobSlot *knob = &e->knobs[rep];
        Record *r = NULL;

        e->counts.yields++;
        for (size_t i = 0; i < e->plan->n_controllers && !r; i++)
                if (has_knob(e, &e->slots[i], rep) &&
                    (knob->holder == PLAN_NONE || knob->holder == i))
                        r = record_add(e, RECORD_YIELD, &e->slots[i], rep);
        if (!r)
                r = record_add(e, RECORD_YIELD, NULL, rep);
        r->from_known = knob->known;
        r->from = knob->value;
        r->to_known = known;
        r->to = value;
        r->guard = "foreign-write";
        knob->yielded = true;
        knob->known = knob->known || known;
        if (known)
                knob->value = value;
        knob_lost(e, rep, "somebody else wrote a knob");
}

void knob_refused(Engine *e, size_t rep, const Effect *effect, const Outcome *outcome) {
        KnobSlot *knob = &e->knobs[rep];
        Record *r = record_add(e, RECORD_REFUSED,
                               knob->want_slot < e->plan->n_controllers ? &e->slots[knob->want_slot]
                                                                        : NULL,
                               effect->knob);

        r->from_known = r->to_known = true;
        r->from = effect->from;
        r->to = effect->to;
        r->decision = knob->want_decision;
        r->number_a = outcome->error;
        r->why = verify_result_to_string(outcome->result);
        if (outcome->result == VERIFY_REFUSED)
                knob->out = true;
        knob_lost(e, rep, "a write failed");
}

void knobs_frame(Engine *e, const Frame *frame) {
        for (size_t i = 0; i < e->plan->n_knobs; i++) {
                const KnobReading *reading = &frame->knob[i];
                KnobSlot *knob = &e->knobs[i];

                if (e->same[i] != i || (!reading->known && !reading->gone))
                        continue;
                if (reading->gone) {
                        if (!knob->gone && !knob->out) {
                                knob->gone = true;
                                knob_lost(e, i, "a knob went away");
                        }
                        continue;
                }
                if (knob->gone || !knob->known || knob->yielded) {
                        bool back = knob->gone || !knob->known;

                        /* Back again, or theirs: its value is whatever it is. */
                        knob->gone = false;
                        knob->known = true;
                        if (knob->value != reading->value || back) {
                                knob->value = reading->value;
                                if (back)
                                        knob_lost(e, i, "a knob appeared");
                        }
                        continue;
                }
                if (knob->value != reading->value)
                        knob_yield(e, i, true, reading->value);
        }
}

int engine_resume(Engine *e, size_t knob, usec_t now_usec) {
        size_t rep;

        if (knob >= e->plan->n_knobs)
                return -EINVAL;
        if (e->open)
                return ENGINE_E_ORDER;
        rep = e->same[knob];
        e->now_usec = MAX(e->now_usec, now_usec);
        if (!e->knobs[rep].yielded && !e->knobs[rep].paused)
                return 0;
        if (e->knobs[rep].yielded) {
                /* Theirs is the value to give back from now on. */
                e->knobs[rep].ours = false;
                e->knobs[rep].original = e->knobs[rep].value;
                e->knobs[rep].holder = PLAN_NONE;
        }
        e->knobs[rep].yielded = e->knobs[rep].paused = false;
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                if (has_knob(e, &e->slots[i], rep)) {
                        Slot *s = &e->slots[i];

                        record_add(e, RECORD_RESUME, s, knob)->value_known = false;
                        for (size_t k = 0; k < s->plan->n_knobs; k++)
                                if (e->same[s->plan->first_knob + k] == rep)
                                        s->knob[k].level = slot_level_of(s, k, e->knobs[rep].value);
                        gate_reset(&s->gate);
                        if (s->state != CONTROLLER_TRIAL && s->state != CONTROLLER_PROBATION &&
                            !run_is(e, s))
                                slot_rest(e, s);
                }
        return 0;
}

int engine_pause(Engine *e, size_t knob, usec_t now_usec) {
        size_t rep;

        if (knob >= e->plan->n_knobs)
                return -EINVAL;
        if (e->open)
                return ENGINE_E_ORDER;
        rep = e->same[knob];
        e->now_usec = MAX(e->now_usec, now_usec);
        if (e->knobs[rep].paused)
                return 0;
        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                Slot *s = &e->slots[i];

                if (!has_knob(e, s, rep))
                        continue;
                /* What is not proved goes back; what is held stays. */
                if (in_group(e, s, rep) && (s->state == CONTROLLER_TRIAL ||
                                            s->state == CONTROLLER_PROBATION || run_is(e, s))) {
                        slot_end(e, s, true);
                        slot_cooldown(e, s, false);
                }
        }
        e->knobs[rep].paused = true;
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                if (has_knob(e, &e->slots[i], rep) && e->slots[i].state != CONTROLLER_TRIAL &&
                    e->slots[i].state != CONTROLLER_PROBATION)
                        slot_rest(e, &e->slots[i]);
        return 0;
}
