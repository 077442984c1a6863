/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* A new plan under a running engine: CPUs came or went, caches appeared, policies were reloaded.
 *
 * Controllers are the same if their policy has the same name, knobs if they have the same file. What a controller knew of its
 * knobs stays: state, levels, blocks, what is held. A quad that is open is lost, and a run whose policy or knobs are gone
 * ends. Values of ours in knobs that no policy holds any more are given back, as far as the new plan still names the knob: what it
 * does not name cannot be written, and is for the ledger. Detectors and gates start anew. */

typedef struct Old {
        const Plan *plan;
        Slot *slots;
        KnobSlot *knobs;
        size_t *same;
} Old;

static bool knob_equal(const PlanKnob *a, const PlanKnob *b) {
        return a->path[0] ? strcmp(a->path, b->path) == 0
                          : strcmp(a->name, b->name) == 0 && scope_equal(&a->scope, &b->scope);
}

static size_t find_knob(const Plan *plan, const PlanKnob *knob) {
        for (size_t i = 0; i < plan->n_knobs; i++)
                if (knob_equal(&plan->knobs[i], knob))
                        return i;
        return PLAN_NONE;
}

static size_t find_slot(const Plan *plan, const Policy *policy) {
        for (size_t i = 0; i < plan->n_controllers; i++)
                if (strcmp(plan->controllers[i].policy->name, policy->name) == 0)
                        return i;
        return PLAN_NONE;
}

/* Index of the old slot in the new plan. */
static size_t slot_new(const Engine *e, const Old *old, size_t i) {
        return i < old->plan->n_controllers ? find_slot(e->plan, old->plan->controllers[i].policy)
                                            : PLAN_NONE;
}

static void knobs_carry(Engine *e, const Old *old) {
        for (size_t i = 0; i < old->plan->n_knobs; i++) {
                size_t to;
                KnobSlot *knob;

                if (old->same[i] != i)
                        continue;
                to = find_knob(e->plan, &old->plan->knobs[i]);
                if (to == PLAN_NONE)
                        continue;
                knob = &e->knobs[to];
                *knob = old->knobs[i];
                /* What waits for its gap, or failed and is tried again, is still wanted. */
                if (knob->wanted)
                        e->pending[e->n_pending++] = to;
                knob->holder = slot_new(e, old, knob->holder);
                knob->want_slot = slot_new(e, old, knob->want_slot);
                knob->want_index = to;
        }
}

/* Position of the old controller's knob k in the new one, or PLAN_NONE. */
static size_t knob_position(const Engine *e, const Old *old, const Slot *was, const Slot *s,
                            size_t k) {
        const PlanKnob *knob = &old->plan->knobs[was->plan->first_knob + k];

        for (size_t i = 0; i < s->plan->n_knobs; i++)
                if (knob_equal(&e->plan->knobs[s->plan->first_knob + i], knob))
                        return i;
        return PLAN_NONE;
}

/* Level of the same multiple: policies may have got other arms. */
static int level_carry(const Slot *s, size_t k, int64_t value, int level) {
        int found = slot_level_of(s, k, value);

        if (found != LADDER_OTHER || level == LADDER_OTHER || level == LEVEL_CAP)
                return found;
        return MIN(level, (int) s->plan->n_levels - 1);
}

static void slot_carry(Engine *e, const Old *old, const Slot *was, Slot *s, SlotKnob *own) {
        const PlanController *plan = s->plan;
        unsigned n = 0;

        *s = *was;
        s->plan = plan;
        s->knob = own;
        s->n_group = 0;
        gate_reset(&s->gate);
        for (size_t k = 0; k < was->plan->n_knobs; k++) {
                size_t to = knob_position(e, old, was, s, k);

                if (to == PLAN_NONE)
                        continue;
                own[to] = was->knob[k];
                own[to].level = level_carry(s, to, engine_knob(e, s, to)->value,
                                            was->knob[k].level);
        }
        for (unsigned i = 0; i < was->n_group; i++) {
                size_t to = knob_position(e, old, was, s, was->group[i]);

                if (to == PLAN_NONE)
                        continue;
                s->group[n] = to;
                s->a[n] = was->a[i];
                s->b[n] = was->b[i];
                s->level_a[n] = MIN(was->level_a[i], (int) plan->n_levels - 1);
                n++;
        }
        s->n_group = n;
        if (s->level_b != LEVEL_CAP && s->level_b >= plan->n_levels)
                s->level_b = plan->n_levels > 0 ? plan->n_levels - 1 : 0;
        s->second = false;
        s->guard = NULL;
        s->sums_before = s->sums = (GuardBaseSums){ 0 };
}

static void records_carry(Engine *e, const Old *old) {
        for (size_t i = 0; i < ENGINE_RECORDS; i++) {
                Record *r = &e->records[i];
                size_t slot;

                if (r->policy) {
                        slot = find_slot(e->plan, r->policy);
                        r->policy = slot == PLAN_NONE ? NULL : e->plan->controllers[slot].policy;
                }
                if (r->knob < old->plan->n_knobs)
                        r->knob = find_knob(e->plan, &old->plan->knobs[r->knob]);
                if (r->watch < old->plan->n_watches)
                        r->watch = plan_watch_find(e->plan, old->plan->watches[r->watch].name,
                                                   &old->plan->watches[r->watch].scope);
                /* Names of guards stand in policies, which may be new. */
                if (r->guard) {
                        const PolicyGuardSpec *spec = policy_guard_spec_find(r->guard);

                        r->guard = spec ? spec->name : "guard";
                }
        }
}

/* The run goes on in the new plan with a new quad, or ends. */
static void run_carry(Engine *e, size_t slot, unsigned n_group) {
        Slot *s;

        if (!e->run.open)
                return;
        if (slot == PLAN_NONE) {
                e->run.open = false;
                return;
        }
        e->run.slot = slot;
        s = &e->slots[slot];
        if (s->n_group < n_group || s->plan->cost >= e->plan->n_watches || !s->plan->may_try) {
                slot_end(e, s, true);
                slot_cooldown(e, s, false);
                return;
        }
        e->run.resting = false;
        run_void(e, "the machine is another one");
}

static bool holder_has(const Engine *e, size_t rep) {
        size_t holder = e->knobs[rep].holder;
        const PlanController *c;

        if (holder >= e->plan->n_controllers)
                return false;
        c = e->slots[holder].plan;
        for (size_t k = 0; k < c->n_knobs; k++)
                if (e->same[c->first_knob + k] == rep)
                        return true;
        return false;
}

/* Values whose policy is gone, or has other knobs now, go back. */
static void orphans(Engine *e) {
        for (size_t i = 0; i < e->plan->n_knobs; i++) {
                KnobSlot *knob = &e->knobs[i];

                if (e->same[i] != i || holder_has(e, i))
                        continue;
                knob->holder = PLAN_NONE;
                if (knob->ours)
                        write_back(e, i);
                else if (knob->wanted)
                        write_drop(e, i);
        }
}

/* What is open without its run ends, and a policy that may no longer write holds nothing. */
static void slot_settle(Engine *e, Slot *s) {
        bool mute = s->state == CONTROLLER_ABSENT || !s->plan->may_try;
        bool lost = (s->state == CONTROLLER_TRIAL && !run_is(e, s)) ||
                    (s->state == CONTROLLER_PROBATION && (s->n_group == 0 || mute));

        if (lost) {
                slot_end(e, s, true);
                slot_cooldown(e, s, false);
        } else if (s->state != CONTROLLER_ABSENT && s->state != CONTROLLER_TRIAL &&
                   s->state != CONTROLLER_PROBATION)
                slot_rest(e, s);
        if (!mute)
                return;
        for (size_t k = 0; k < s->plan->n_knobs; k++)
                if (engine_knob(e, s, k)->holder == slot_index(e, s))
                        engine_knob(e, s, k)->holder = PLAN_NONE;
        if (s->state != CONTROLLER_ABSENT)
                slot_rest(e, s);
}

int engine_replan(Engine *e, Arena *arena, const Plan *plan) {
        const Old old = { e->plan, e->slots, e->knobs, e->same };
        const Engine before = *e;
        size_t run_slot = e->run.slot;
        unsigned n_group = e->run.open ? e->slots[run_slot].n_group : 0;
        int r;

        if (e->open)
                return ENGINE_E_ORDER;
        r = engine_plan_slots(e, arena, plan);
        if (r < 0) {
                *e = before;
                return r;
        }
        knobs_carry(e, &old);
        records_carry(e, &old);
        if (e->coupled_slot != PLAN_NONE)
                e->coupled_slot = slot_new(e, &old, e->coupled_slot);
        for (size_t i = 0; i < old.plan->n_controllers; i++) {
                size_t to = slot_new(e, &old, i);

                if (to != PLAN_NONE && e->slots[to].state != CONTROLLER_ABSENT)
                        slot_carry(e, &old, &old.slots[i], &e->slots[to], e->slots[to].knob);
        }
        engine_workload_reset(e);
        if (e->run.open)
                run_carry(e, slot_new(e, &old, run_slot), n_group);
        for (size_t i = 0; i < plan->n_controllers; i++)
                slot_settle(e, &e->slots[i]);
        orphans(e);
        return 0;
}
