/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* A new plan under a running engine. */

static uint8_t memory[4 << 20];
static Arena arena;

/* A copy of the plan at another place, with the policies at another place too; caches from `first` on only. */
typedef struct Copy {
        Policy policy[2];
        PlanKnob knobs[1 + WORLD_CACHES];
        PlanController controllers[2];
        Watch watches[WORLD_WATCHES];
        Plan plan;
} Copy;

static void copy_plan(const World *w, Copy *c) {
        memcpy(c->policy, w->policy, sizeof(c->policy));
        memcpy(c->knobs, w->knobs, sizeof(c->knobs));
        memcpy(c->controllers, w->controllers, sizeof(c->controllers));
        memcpy(c->watches, w->watches, sizeof(c->watches));
        c->plan = w->plan;
        c->plan.knobs = c->knobs;
        c->plan.watches = c->watches;
        c->plan.controllers = w->no_lists ? c->controllers + 1 : c->controllers;
        for (unsigned i = 0; i < 2; i++)
                c->controllers[i].policy = &c->policy[i];
        for (size_t k = 0; k < c->plan.n_knobs; k++)
                c->knobs[k].value = w->value[k];
        memset(memory, 0, sizeof(memory));
        arena_init(&arena, memory, sizeof(memory));
}

static World *in_state(ControllerState state, unsigned n_caches) {
        World *w = world_new();

        w->n_caches = n_caches;
        w->no_lists = n_caches > 0;
        w->effect_ppm[1] = w->effect_ppm[2] = w->effect_ppm[3] = -100000;
        for (unsigned i = 0; i < WORLD_CACHES; i++)
                w->cache_effect_ppm[i] = -40000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, state, HOUR(3)));
        return w;
}

TEST(a_trial_goes_on_with_a_new_quad) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        static Copy c;

        world_run(w, SEC(25));
        copy_plan(w, &c);
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        /* Nothing of the old plan is looked at again. */
        memset(w->knobs, 0xa5, sizeof(w->knobs));
        memset(w->policy, 0xa5, sizeof(w->policy));
        world_effects(w);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_TRIAL);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_records(w, RECORD_VOID), 1);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 1);
        world_free(w);
}

TEST(what_is_held_stays_held_and_is_given_back_at_the_stop) {
        World *w = in_state(CONTROLLER_HOLD, 0);
        static Copy c;

        copy_plan(w, &c);
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_HOLD);
        ASSERT_EQ_I(w->value[0], world_value(1));
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(a_policy_that_is_gone_gives_its_values_back) {
        World *w = in_state(CONTROLLER_HOLD, 0);
        static Copy c;

        copy_plan(w, &c);
        c.plan.n_controllers = 0;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(a_policy_that_may_no_longer_write_gives_its_values_back) {
        static const ControllerState states[] = { CONTROLLER_TRIAL, CONTROLLER_PROBATION,
                                                  CONTROLLER_HOLD };

        for (unsigned i = 0; i < ELEMENTSOF(states); i++) {
                World *w = in_state(states[i], 0);
                static Copy c;

                for (unsigned n = 0; n < 100 && w->value[0] == 0; n++)
                        world_step(w);
                ASSERT_TRUE(w->value[0] != 0);
                copy_plan(w, &c);
                c.controllers[0].may_try = false;
                ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
                world_effects(w);
                ASSERT_EQ_I(w->value[0], 0);
                world_run(w, HOUR(5));
                ASSERT_EQ_I(w->value[0], 0);
                world_free(w);
        }
}

TEST(a_trial_whose_policy_is_gone_ends_and_gives_back) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        static Copy c;

        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        ASSERT_EQ_I(w->value[0], world_value(1));
        copy_plan(w, &c);
        c.plan.n_controllers = 0;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(caches_are_found_again_by_their_file_and_a_group_without_one_goes_back) {
        World *w = in_state(CONTROLLER_PROBATION, 4);
        static Copy c;
        ControllerView view;

        for (unsigned i = 1; i <= 3; i++)
                ASSERT_EQ_I(w->value[i], 60);
        /* The first two change places. */
        copy_plan(w, &c);
        c.knobs[1] = w->knobs[2];
        c.knobs[2] = w->knobs[1];
        c.knobs[1].value = c.knobs[2].value = 60;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_PROBATION);
        ASSERT_TRUE(engine_controller(w->engine, 0, &view));
        ASSERT_EQ_U(view.n_group, 3);
        ASSERT_EQ_U(view.group[0], 2);
        ASSERT_EQ_U(view.group[1], 1);
        world_free(w);
        w = in_state(CONTROLLER_TRIAL, 4);
        copy_plan(w, &c);
        for (unsigned i = 0; i < 100 && w->value[1] == 30; i++)
                world_step(w);
        ASSERT_EQ_I(w->value[3], 60);
        /* The first cache is gone. */
        memmove(&c.knobs[1], &c.knobs[2], 3 * sizeof(c.knobs[0]));
        c.plan.n_knobs = 4;
        c.controllers[1].n_knobs = 3;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        ASSERT_TRUE(world_state(w, 0) != CONTROLLER_TRIAL);
        for (;;) {
                Effect effect;
                Outcome outcome = { .result = VERIFY_APPLIED,
                                    .actual_known = true,
                                    .at_usec = w->now_usec };

                if (engine_next(w->engine, &effect) != 0)
                        break;
                outcome.actual = effect.to;
                ASSERT_EQ_I(effect.to, 30);
                w->value[effect.knob + 1] = effect.to; /* its new index is one less */
                ASSERT_OK(engine_resolve(w->engine, &effect, &outcome));
        }
        ASSERT_EQ_I(w->value[2], 30);
        ASSERT_EQ_I(w->value[3], 30);
        world_free(w);
}

TEST(without_memory_the_old_plan_stays_in_force) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        static Copy c;

        copy_plan(w, &c);
        arena_init(&arena, memory, 300);
        ASSERT_EQ_I(engine_replan(w->engine, &arena, &c.plan), -ENOMEM);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        world_free(w);
}

TEST(records_follow_into_the_new_plan) {
        World *w = in_state(CONTROLLER_HOLD, 0);
        static Copy c;
        char before[400], after[400];
        const Record *r = world_record(w, RECORD_VERDICT);

        ASSERT_TRUE(record_reason(w->engine, r, before, sizeof(before)));
        copy_plan(w, &c);
        /* Watches in another order. */
        c.watches[W_COST] = w->watches[W_LRU];
        c.watches[W_LRU] = w->watches[W_COST];
        c.controllers[0].cost = W_LRU;
        c.controllers[0].next_wait = W_COST;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        memset(w->watches, 0xa5, sizeof(w->watches));
        memset(w->policy, 0xa5, sizeof(w->policy));
        ASSERT_EQ_U(r->watch, W_LRU);
        ASSERT_TRUE(record_reason(w->engine, r, after, sizeof(after)));
        ASSERT_STR(after, before);
        ASSERT_TRUE(r->policy == &c.policy[0]);
        world_free(w);
}

static unsigned n_busy;

static void busy_once(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        (void) effect;
        if (n_busy > 0) {
                n_busy--;
                outcome->result = VERIFY_TRANSIENT;
                outcome->error = EBUSY;
        }
}

TEST(a_write_that_waits_is_not_forgotten) {
        World *w = in_state(CONTROLLER_HOLD, 0);
        static Copy c;

        w->outcome_hook = busy_once;
        n_busy = 1;
        w->guard.parked_short_ppm = KNOWN(90000);
        world_step(w);
        w->guard.parked_short_ppm = KNOWN(0);
        ASSERT_EQ_I(w->value[0], world_value(1));
        copy_plan(w, &c);
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        world_run(w, SEC(10));
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(a_policy_that_has_the_knob_no_more_gives_its_value_back) {
        World *w = in_state(CONTROLLER_HOLD, 0);
        static Copy c;

        copy_plan(w, &c);
        c.controllers[0].n_knobs = 0;
        c.controllers[0].may_try = false;
        ASSERT_OK(engine_replan(w->engine, &arena, &c.plan));
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST_MAIN()
