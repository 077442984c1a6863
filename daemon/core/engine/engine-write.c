/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* Wanted values become effects, one at a time.
 *
 * A controller says which value a knob shall have; of two wishes for one knob the later one counts, so a trial that is aborted
 * while its write is still waiting writes nothing. Ordinary writes keep the gap of their knob (a write of cpu_partial
 * flushes every CPU); urgent ones (guards, stop) do not wait. At a stop values go back newest first. */

#define RETRY_USEC USEC_PER_SEC
#define RETRY_RESTORE_USEC MINUTES_USEC(1)

void write_drop(Engine *e, size_t rep) {
        size_t n = 0;

        e->knobs[rep].wanted = false;
        for (size_t i = 0; i < e->n_pending; i++)
                if (e->pending[i] != rep)
                        e->pending[n++] = e->pending[i];
        e->n_pending = n;
}

static void want(Engine *e, size_t rep, int64_t value, bool urgent) {
        KnobSlot *knob = &e->knobs[rep];

        knob->want = value;
        knob->urgent = urgent;
        knob->n_tries = 0;
        if (!knob->wanted)
                e->pending[e->n_pending++] = rep;
        knob->wanted = true;
}

bool write_want(Engine *e, Slot *s, size_t k, int64_t value, bool urgent) {
        size_t index = s->plan->first_knob + k, rep = e->same[index];
        KnobSlot *knob = &e->knobs[rep];
        bool open = e->open && e->same[e->effect.knob] == rep;

        if (!knob->known || knob->yielded || knob->out || knob->gone || e->stopped)
                return false;
        knob->want_index = index;
        knob->want_slot = slot_index(e, s);
        knob->want_decision = s->decision;
        if (knob->value == value && !open) {
                write_drop(e, rep);
                return true;
        }
        want(e, rep, value, urgent);
        knob->not_before_usec = urgent || !knob->written
                                        ? 0
                                        : u64_add_sat(knob->written_usec, s->plan->write_gap_usec);
        knob->holder = slot_index(e, s);
        return true;
}

bool write_pending(const Engine *e, const Slot *s) {
        for (unsigned i = 0; i < s->n_group; i++) {
                size_t rep = e->same[s->plan->first_knob + s->group[i]];

                if (e->knobs[rep].wanted || (e->open && e->same[e->effect.knob] == rep))
                        return true;
        }
        return false;
}

void write_back(Engine *e, size_t rep) {
        KnobSlot *knob = &e->knobs[rep];

        if (!knob->ours || knob->yielded || knob->gone ||
            (e->open && e->same[e->effect.knob] == rep))
                return;
        want(e, rep, knob->original, true);
        knob->not_before_usec = 0;
}

/* The next knob to be written, or PLAN_NONE. */
static size_t next_pending(const Engine *e) {
        size_t best = PLAN_NONE;

        for (size_t i = 0; i < e->n_pending; i++) {
                const KnobSlot *knob = &e->knobs[e->pending[i]],
                               *other = best == PLAN_NONE ? NULL : &e->knobs[best];

                if (knob->not_before_usec > e->now_usec)
                        continue;
                if (!other ||
                    (e->stopped ? knob->order > other->order : knob->urgent && !other->urgent))
                        best = e->pending[i];
        }
        return best;
}

int engine_next(Engine *e, Effect *ret) {
        size_t rep;
        KnobSlot *knob;
        const PlanKnob *plan;

        if (e->open)
                return ENGINE_E_DONE;
        rep = next_pending(e);
        if (rep == PLAN_NONE)
                return ENGINE_E_DONE;
        knob = &e->knobs[rep];
        plan = &e->plan->knobs[knob->want_index];
        e->effect = (Effect){ .serial = ++e->serial,
                              .knob = knob->want_index,
                              .from = knob->value,
                              .to = knob->want,
                              .restore = knob->ours && knob->want == knob->original,
                              .first = !knob->ours,
                              .policy = knob->want_slot < e->plan->n_controllers
                                                ? e->slots[knob->want_slot].plan->policy
                                                : NULL };
        (void) text_format(e->effect.decision, sizeof(e->effect.decision), "%s/%s/%s#%llu",
                           e->effect.policy ? e->effect.policy->name : "", plan->name,
                           plan->scope.name, (unsigned long long) knob->want_decision);
        e->open = true;
        *ret = e->effect;
        return 0;
}

/* Levels of every controller that has this file. */
static void levels_update(Engine *e, size_t rep, const Effect *effect) {
        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                Slot *s = &e->slots[i];

                for (size_t k = 0; k < s->plan->n_knobs; k++)
                        if (e->same[s->plan->first_knob + k] == rep)
                                s->knob[k].level = slot_level_of(s, k, effect->to);
        }
}

static void applied(Engine *e, size_t rep, const Effect *effect, const Outcome *outcome) {
        KnobSlot *knob = &e->knobs[rep];
        Slot *s = knob->want_slot < e->plan->n_controllers ? &e->slots[knob->want_slot] : NULL;
        bool rounded = outcome->result == VERIFY_ROUNDED && outcome->actual_known;
        int64_t actual = rounded ? outcome->actual : effect->to;
        Record *r;

        e->counts.writes++;
        if (!knob->ours) {
                knob->original = knob->value;
                knob->order = effect->serial;
        }
        knob->value = actual;
        knob->ours = knob->value != knob->original;
        knob->written = true;
        knob->written_usec = e->now_usec;
        levels_update(e, rep, effect);
        r = record_add(e, RECORD_WRITE, s, effect->knob);
        r->from_known = r->to_known = true;
        r->from = effect->from;
        r->to = actual;
        r->decision = knob->want_decision;
        r->why = rounded ? "the kernel rounded it" : NULL;
        if (s)
                for (unsigned i = 0; i < s->n_group; i++) {
                        SlotKnob *own = &s->knob[s->group[i]];

                        if (e->same[s->plan->first_knob + s->group[i]] != rep)
                                continue;
                        /* What the kernel made of it is the arm from now on. */
                        if (effect->to == s->a[i]) {
                                if (own->level == LADDER_OTHER)
                                        own->level = s->level_a[i];
                                s->a[i] = actual;
                        } else if (effect->to == s->b[i]) {
                                if (own->level == LADDER_OTHER)
                                        own->level = (int) s->level_b;
                                s->b[i] = actual;
                        }
                }
        if (knob->wanted && knob->want == effect->to)
                write_drop(e, rep);
        if (s && s->plan->coupled_pcp) {
                e->coupled_usec = e->now_usec;
                e->coupled_slot = slot_index(e, s);
        }
        /* Windows of others saw it move. */
        if (e->run.open && s && !run_is(e, s))
                run_void(e, "another knob was written");
        if (!knob->ours && !knob->wanted && s && !run_is(e, s) &&
            s->state != CONTROLLER_PROBATION && s->state != CONTROLLER_TRIAL)
                knob->holder = PLAN_NONE;
}

/* What we want to give back is tried again for ever, a change three times. */
static void failed(Engine *e, size_t rep, const Effect *effect, const Outcome *outcome) {
        KnobSlot *knob = &e->knobs[rep];
        bool final = outcome->result == VERIFY_REFUSED;

        if (!knob->wanted)
                return;
        knob->n_tries++;
        if (!final && knob->n_tries <= WRITE_TRIES) {
                knob->not_before_usec = u64_add_sat(e->now_usec, RETRY_USEC);
                return;
        }
        if (!final && effect->restore && !e->stopped) {
                knob->not_before_usec = u64_add_sat(e->now_usec, RETRY_RESTORE_USEC);
                return;
        }
        knob_refused(e, rep, effect, outcome);
}

/* Not carried out: the past cannot react, or only advice is wanted. */
static void voided(Engine *e, size_t rep, const Effect *effect) {
        Slot *s = e->knobs[rep].want_slot < e->plan->n_controllers
                          ? &e->slots[e->knobs[rep].want_slot]
                          : NULL;
        Record *r;

        write_drop(e, rep);
        r = record_add(e, RECORD_ADVISE, s, effect->knob);
        r->from_known = r->to_known = true;
        r->from = effect->from;
        r->to = effect->to;
        r->decision = e->knobs[rep].want_decision;
        r->why = "not written: this is no machine that reacts";
        if (e->stopped) {
                e->knobs[rep].ours = false;
                return;
        }
        if (s &&
            (s->state == CONTROLLER_TRIAL || s->state == CONTROLLER_PROBATION || run_is(e, s))) {
                slot_end(e, s, true);
                slot_cooldown(e, s, true);
        }
}

int engine_resolve(Engine *e, const Effect *effect, const Outcome *outcome) {
        size_t rep;

        if (!e->open || effect->serial != e->effect.serial)
                return ENGINE_E_ORDER;
        rep = e->same[e->effect.knob];
        e->open = false;
        if (outcome->at_usec != USEC_UNKNOWN)
                e->now_usec = MAX(e->now_usec, outcome->at_usec);
        switch (outcome->result) {
        case VERIFY_APPLIED:
        case VERIFY_ROUNDED:
                applied(e, rep, &e->effect, outcome);
                break;
        case VERIFY_FOREIGN:
                knob_yield(e, rep, outcome->actual_known, outcome->actual);
                break;
        case VERIFY_IGNORED:
        case VERIFY_REFUSED:
        case VERIFY_TRANSIENT:
        case _VERIFY_MAX:
                failed(e, rep, &e->effect, outcome);
                break;
        case VERIFY_VOID:
                voided(e, rep, &e->effect);
                break;
        }
        if (e->stopped) {
                KnobSlot *knob = &e->knobs[rep];

                if (e->open_at_stop && !knob->wanted && !knob->out)
                        write_back(e, rep);
                e->open_at_stop = false;
                return 0;
        }
        run_written(e, e->now_usec);
        return 0;
}

void engine_stop(Engine *e, usec_t now_usec) {
        e->now_usec = MAX(e->now_usec, now_usec);
        e->stopped = true;
        e->open_at_stop = e->open;
        e->run.open = false;
        while (e->n_pending > 0)
                write_drop(e, e->pending[0]);
        for (size_t i = 0; i < e->plan->n_knobs; i++)
                if (e->same[i] == i)
                        write_back(e, i);
        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                Slot *s = &e->slots[i];

                s->gate.hot = false;
                if (s->state != CONTROLLER_ABSENT && s->state != CONTROLLER_YIELDED &&
                    s->state != CONTROLLER_PAUSED)
                        slot_set_state(e, s, CONTROLLER_OBSERVE);
        }
}
