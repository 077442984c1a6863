/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/engine.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* The entry points and what all parts share.
 *
 * A frame passes through in a fixed order, so that the same frames give the same records: knobs that somebody else
 * wrote, then every controller by itself (gate, detectors of a new workload, guards, timers), then the open run, then the
 * token. What follows from it are wanted values of knobs; engine_next() hands them out one by one.
 *
 * Invariants: at most one run is open, and it belongs to a controller in TRIAL, PROBATION or HOLD. A knob that is yielded,
 * paused, gone or refused is never wanted. A value of ours has its original beside it until it is given back. */

size_t slot_index(const Engine *e, const Slot *s) {
        return (size_t) (s - e->slots);
}

KnobSlot *engine_knob(Engine *e, const Slot *s, size_t k) {
        return &e->knobs[e->same[s->plan->first_knob + k]];
}

bool knob_usable(const Engine *e, const Slot *s, size_t k) {
        const KnobSlot *knob = &e->knobs[e->same[s->plan->first_knob + k]];

        return knob->known && !knob->yielded && !knob->paused && !knob->out && !knob->gone &&
               (knob->holder == PLAN_NONE || knob->holder == slot_index(e, s));
}

int slot_level_of(const Slot *s, size_t k, int64_t value) {
        for (unsigned l = 0; l < s->plan->n_levels && l < LADDER_LEVELS_MAX; l++)
                if (s->plan->arms[k * s->plan->n_levels + l].value == value)
                        return (int) l;
        return s->plan->cap_known && s->plan->cap.value == value ? LEVEL_CAP : LADDER_OTHER;
}

/* Of a value between two arms: the arm below. */
static int slot_level_start(const Slot *s, size_t k, int64_t value) {
        int level = slot_level_of(s, k, value);

        if (level == LADDER_OTHER && s->plan->present_level &&
            s->plan->present_level[k] < (int) LADDER_LEVELS_MAX)
                return MAX(s->plan->present_level[k], LADDER_OTHER);
        return level;
}

bool slot_holds(const Engine *e, const Slot *s) {
        for (size_t k = 0; k < s->plan->n_knobs; k++) {
                const KnobSlot *knob = &e->knobs[e->same[s->plan->first_knob + k]];

                if (knob->ours && knob->holder == slot_index(e, s))
                        return true;
        }
        return false;
}

usec_t engine_jitter(Engine *e, usec_t usec, unsigned percent) {
        usec_t msec = usec / USEC_PER_MSEC, span = msec * percent / 100;
        uint32_t width = (uint32_t) MIN(span * 2 + 1, (usec_t) UINT32_MAX);

        return (msec - span + random_below(&e->random, width)) * USEC_PER_MSEC;
}

void slot_set_state(Engine *e, Slot *s, ControllerState state) {
        if (s->state == state)
                return;
        s->state = state;
        s->since_usec = e->now_usec;
        if (state == CONTROLLER_HOLD && e->counts.first_hold_usec == USEC_UNKNOWN)
                e->counts.first_hold_usec = e->now_usec;
}

/* Why no knob of the controller can be written: all yielded, all paused, or there is none. */
static ControllerState unusable_state(const Engine *e, const Slot *s) {
        bool yielded = false, paused = false;

        for (size_t k = 0; k < s->plan->n_knobs; k++) {
                const KnobSlot *knob = &e->knobs[e->same[s->plan->first_knob + k]];

                if (knob->out || knob->gone)
                        continue;
                if (knob->paused)
                        paused = true;
                else if (knob->yielded)
                        yielded = true;
                else
                        return CONTROLLER_OBSERVE;
        }
        return yielded ? CONTROLLER_YIELDED : paused ? CONTROLLER_PAUSED : CONTROLLER_ABSENT;
}

void slot_rest(Engine *e, Slot *s) {
        ControllerState state = unusable_state(e, s);

        for (size_t k = 0; k < s->n_group; k++) {
                KnobSlot *knob = engine_knob(e, s, s->group[k]);

                if (!knob->ours && !knob->wanted && knob->holder == slot_index(e, s))
                        knob->holder = PLAN_NONE;
        }
        if (state == CONTROLLER_OBSERVE) {
                if (s->blocked_usec > e->now_usec)
                        state = CONTROLLER_BLOCKED;
                else if (s->cooldown_usec > e->now_usec)
                        state = CONTROLLER_COOLDOWN;
                else if (slot_holds(e, s))
                        state = CONTROLLER_HOLD;
        }
        slot_set_state(e, s, state);
}

static void knob_init(KnobSlot *knob, const PlanKnob *plan) {
        *knob = (KnobSlot){ .known = plan->value_known,
                            .value = plan->value,
                            .original = plan->value,
                            .holder = PLAN_NONE,
                            .yielded = plan->state == KNOB_YIELDED,
                            .paused = plan->state == KNOB_PAUSED };
}

/* The first knob of the plan with the same file. */
static size_t knob_same(const Plan *plan, size_t i) {
        for (size_t j = 0; plan->knobs[i].path[0] && j < i; j++)
                if (strcmp(plan->knobs[j].path, plan->knobs[i].path) == 0)
                        return j;
        return i;
}

static void slot_init(Engine *e, Slot *s, const PlanController *plan) {
        bool absent = plan->n_knobs == 0 || plan->n_levels == 0;

        s->plan = plan;
        for (size_t k = 0; k < plan->n_knobs; k++)
                s->knob[k].level = slot_level_start(s, k, engine_knob(e, s, k)->value);
        if (plan->n_knobs == 1) {
                KnobState state = e->plan->knobs[plan->first_knob].state;

                absent = absent || state == KNOB_ABSENT || state == KNOB_REMOVED;
        }
        s->state = CONTROLLER_OBSERVE;
        s->since_usec = e->now_usec;
        if (absent)
                s->state = CONTROLLER_ABSENT;
        else if (unusable_state(e, s) != CONTROLLER_OBSERVE)
                s->state = unusable_state(e, s);
}

int engine_plan_slots(Engine *e, Arena *arena, const Plan *plan) {
        e->plan = plan;
        e->slots = ARENA_ARRAY(arena, Slot, MAX(plan->n_controllers, (size_t) 1));
        e->knobs = ARENA_ARRAY(arena, KnobSlot, MAX(plan->n_knobs, (size_t) 1));
        e->same = ARENA_ARRAY(arena, size_t, MAX(plan->n_knobs, (size_t) 1));
        e->pending = ARENA_ARRAY(arena, size_t, MAX(plan->n_knobs, (size_t) 1));
        e->sums = ARENA_ARRAY(arena, WatchSum, MAX(plan->n_watches, (size_t) 1));
        if (!e->slots || !e->knobs || !e->same || !e->pending || !e->sums)
                return -ENOMEM;
        e->n_pending = 0;
        for (size_t i = 0; i < plan->n_knobs; i++) {
                e->same[i] = knob_same(plan, i);
                knob_init(&e->knobs[i], &plan->knobs[i]);
        }
        for (size_t i = 0; i < plan->n_controllers; i++) {
                const PlanController *c = &plan->controllers[i];

                e->slots[i].knob = ARENA_ARRAY(arena, SlotKnob, MAX(c->n_knobs, (size_t) 1));
                if (!e->slots[i].knob)
                        return -ENOMEM;
                slot_init(e, &e->slots[i], c);
        }
        return 0;
}

int engine_init(Arena *arena, const EngineConfig *config, const Plan *plan, Engine **ret_engine) {
        Engine *e = ARENA_NEW(arena, Engine);
        int r;

        if (!e)
                return -ENOMEM;
        e->config = config;
        e->counts.first_hold_usec = USEC_UNKNOWN;
        e->coupled_slot = PLAN_NONE;
        random_seed(&e->random, config->seed, 1);
        e->records = ARENA_ARRAY(arena, Record, ENGINE_RECORDS);
        if (!e->records)
                return -ENOMEM;
        r = budget_init(&e->trials, arena, config->trials_per_day, HOURS_USEC(24));
        if (r < 0)
                return r;
        r = budget_init(&e->changes, arena, config->changes_per_hour, HOURS_USEC(1));
        if (r < 0)
                return r;
        r = engine_plan_slots(e, arena, plan);
        if (r < 0)
                return r;
        *ret_engine = e;
        return 0;
}

/* Every watch of this minute and the last one: which caches wait most is asked rarely, and of many. */
static void sums_frame(Engine *e, const Frame *frame) {
        bool roll = frame->at_usec - e->sums_usec >= MINUTES_USEC(1);

        if (roll)
                e->sums_usec = frame->at_usec;
        for (size_t i = 0; i < e->plan->n_watches; i++) {
                const Reading *r = &frame->reading[i];
                WatchSum *sum = &e->sums[i];

                if (roll && sum->now.den > 0) {
                        sum->before = sum->now;
                        sum->now = (Ratio){ 0 };
                }
                if (r->evidence == EVIDENCE_NONE || frame->gap)
                        continue;
                if (r->den > 0)
                        sum->seen_usec = frame->at_usec;
                sum->now.num = u64_add_sat(sum->now.num, r->num);
                sum->now.den = u64_add_sat(sum->now.den, r->den);
        }
}

int engine_observe(Engine *e, const Frame *frame) {
        if (e->open || (e->begun && frame->at_usec < e->now_usec))
                return ENGINE_E_ORDER;
        if (!e->begun)
                e->sums_usec = frame->at_usec;
        e->begun = true;
        e->now_usec = e->frame_usec = frame->at_usec;
        e->counts.frames++;
        sums_frame(e, frame);
        knobs_frame(e, frame);
        if (e->stopped)
                return 0;
        if (frame->guard.reclaimed.known && frame->guard.reclaimed.value > 0)
                e->reclaim_usec = frame->at_usec;
        if (frame->hotplug)
                e->hotplug_usec = frame->at_usec;
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                slot_frame(e, &e->slots[i], frame);
        run_frame(e, frame);
        token_frame(e, frame);
        return 0;
}

void engine_sampling(const Engine *e, Sampling *ret) {
        usec_t tick = e->config->tick_usec, at;
        bool lists = false;

        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                const Slot *s = &e->slots[i];
                bool open = run_is(e, s) || s->state == CONTROLLER_TRIAL ||
                            s->state == CONTROLLER_PROBATION;

                if (open)
                        tick = MIN(tick, e->config->tick_trial_usec);
                if ((open || slot_holds(e, s)) && s->plan->n_knobs > 0 &&
                    e->plan->knobs[s->plan->first_knob].spec->kind == KNOB_KIND_PCP_FRACTION)
                        lists = true;
        }
        if (e->slow_until_usec > e->now_usec)
                tick = u64_mul_sat(tick, 4);
        tick = MAX(tick, USEC_PER_MSEC);
        at = u64_add_sat(e->now_usec, tick);
        if (e->run.open && e->run.measuring) {
                usec_t edge = e->now_usec < e->run.settle_end_usec ? e->run.settle_end_usec
                                                                   : e->run.end_usec;

                /* Frames end where windows do; no short rest before the edge. */
                if (edge > e->now_usec && (at >= edge || edge - at < tick / 4))
                        at = edge;
        }
        if (!e->stopped)
                for (size_t i = 0; i < e->n_pending; i++)
                        at = MIN(at, MAX(e->knobs[e->pending[i]].not_before_usec,
                                         e->now_usec + USEC_PER_MSEC));
        *ret = (Sampling){ .at_usec = at, .files = lists ? 1u << SENSE_ZONEINFO : 0 };
}

bool engine_controller(const Engine *e, size_t i, ControllerView *ret) {
        const Slot *s;
        int level = 0;

        if (i >= e->plan->n_controllers)
                return false;
        s = &e->slots[i];
        *ret = (ControllerView){ .policy = s->plan->policy,
                                 .state = s->state,
                                 .since_usec = s->since_usec,
                                 .hot = s->gate.hot,
                                 .n_group = s->n_group };
        for (unsigned k = 0; k < s->n_group; k++)
                ret->group[k] = s->plan->first_knob + s->group[k];
        if (s->plan->n_knobs > 0)
                level = s->knob[s->n_group > 0 ? s->group[0] : 0].level;
        ret->level = level < 0 ? 0 : (unsigned) level;
        if (s->state == CONTROLLER_TRIAL)
                ret->level = s->level_a[0] < 0 ? 0 : (unsigned) s->level_a[0];
        ret->trial_level = s->state == CONTROLLER_TRIAL ? s->level_b : ret->level;
        return true;
}

void engine_counts(const Engine *e, EngineCounts *ret) {
        *ret = e->counts;
}
