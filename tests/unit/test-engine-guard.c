/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* Guards in the engine: what they end, cut and hold back, and how fast. */

/* The frame after this many are through. */
static World *in_state(ControllerState state) {
        World *w = world_new();

        w->effect_ppm[1] = w->effect_ppm[2] = -100000;
        world_plan_make(w);
        for (unsigned l = 1; l < WORLD_LEVELS; l++)
                w->arms[l].parked_possible_ppm = 5000 << l;
        /* The policy's own multiples: 2, 4, 8. */
        w->policy[0].n_arms = 3;
        for (unsigned i = 0; i < 3; i++) {
                w->policy[0].arm[i].multiple_milli = 2000 << i;
                (void) text_format(w->policy[0].arm[i].text, sizeof(w->policy[0].arm[i].text), "%u",
                                   2u << i);
        }
        w->controllers[0].cap_known = true;
        w->controllers[0].cap = (PlanArm){
                .kind = ARM_CAP, .value = 777777, .fits = true, .text = "cap"
        };
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, state, HOUR(2)));
        return w;
}

TEST(direct_reclaim_ends_a_trial_within_one_sample) {
        World *w = in_state(CONTROLLER_TRIAL);
        const Record *r;
        usec_t before;

        /* Until the arm on trial is in force. */
        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        ASSERT_EQ_I(w->value[0], world_value(1));
        before = w->now_usec;
        w->guard.allocstall = KNOWN(3);
        world_step(w);
        w->guard.allocstall = KNOWN(0);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_LE_U(w->now_usec - before, SEC(3));
        r = world_record(w, RECORD_ABORT);
        ASSERT_STR(r->guard, "free");
        ASSERT_EQ_I(world_record(w, RECORD_BLOCK)->to, world_value(1));
        /* A guard's block closes the levels above too: nothing is tried for a day. */
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_BLOCKED);
        world_run(w, HOUR(23));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 1);
        world_run(w, HOUR(2));
        ASSERT_GE_U(world_records(w, RECORD_TRIAL_BEGIN), 2);
        world_free(w);
}

TEST(an_allocation_failure_on_probation_gives_the_value_back_and_blocks_for_a_week) {
        World *w = in_state(CONTROLLER_PROBATION);

        world_run(w, MIN_(5));
        ASSERT_EQ_I(w->value[0], world_value(1));
        w->guard.failures = KNOWN(1);
        world_step(w);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_I(world_record(w, RECORD_BLOCK)->number_a, 7 * 24 * 3600);
        ASSERT_STR(world_record(w, RECORD_ABORT)->guard, "allocation-failure");
        world_free(w);
}

TEST(a_guard_holds_growth_for_its_pause) {
        World *w = world_new();
        usec_t at;

        w->guard.psi_full_ppm = KNOWN(20000);
        world_start(w);
        world_run(w, MIN_(20));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_ARMED);
        ASSERT_EQ_U(w->n_effects, 0);
        w->guard.psi_full_ppm = KNOWN(0);
        at = w->now_usec;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        ASSERT_GE_U(w->now_usec - at, MIN_(29));
        ASSERT_LE_U(w->now_usec - at, MIN_(31));
        /* Said once, not in every frame. */
        ASSERT_EQ_U(world_records(w, RECORD_GUARD), 1);
        world_free(w);
}

TEST(parked_pages_while_memory_is_short_are_cut_at_once) {
        World *w = in_state(CONTROLLER_HOLD);
        EngineCounts counts;
        const Record *r;

        /* To four times the default. */
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        w->effect_ppm[2] = -200000;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_EQ_I(w->value[0], world_value(2));
        w->zone_ppm[2] = 15000;
        /* 2.5 % against 2 %: the law allows 3/4 of four times, so the next arm below is twice. */
        w->guard.parked_short_ppm = KNOWN(25000);
        world_step(w);
        w->guard.parked_short_ppm = KNOWN(0);
        ASSERT_EQ_I(w->value[0], world_value(1));
        r = world_record(w, RECORD_CUT);
        ASSERT_EQ_I(r->from, world_value(2));
        ASSERT_EQ_I(r->to, world_value(1));
        ASSERT_STR(r->guard, "parked");
        engine_counts(w->engine, &counts);
        ASSERT_EQ_U(counts.cuts, 1);
        /* The level that was cut is not entered again for a day. */
        world_run(w, HOUR(20));
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_free(w);
}

TEST(a_cut_that_is_not_enough_is_followed_by_another_and_then_by_the_cap) {
        World *w = in_state(CONTROLLER_HOLD);

        ASSERT_EQ_I(w->value[0], world_value(1));
        w->guard.parked_short_ppm = KNOWN(90000);
        world_step(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_run(w, MIN_(2));
        ASSERT_EQ_I(w->value[0], 777777);
        w->guard.parked_short_ppm = KNOWN(0);
        /* No trial from a cap; it is given back when a value would be revalidated. */
        world_run(w, HOUR(22));
        ASSERT_EQ_I(w->value[0], 777777);
        world_run(w, HOUR(3));
        ASSERT_EQ_U(world_records(w, RECORD_REVALIDATE), 1);
        ASSERT_TRUE(w->value[0] != 777777);
        world_free(w);
}

/* A second policy for the same file, whose only arm is the cap, and which alone looks at parked pages. */
static World *two_policies(void) {
        static PlanArm arms[2];
        World *w = world_new();

        w->effect_ppm[1] = -100000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        w->policy[0].n_guards = 0;
        arms[0] = w->arms[0];
        arms[1] = (PlanArm){
                .kind = ARM_CAP, .level = 1, .value = 777777, .fits = true, .text = "cap"
        };
        w->controllers[1] = w->controllers[0];
        w->controllers[1].policy = &w->policy[1];
        w->controllers[1].arms = arms;
        w->controllers[1].cap_known = true;
        w->controllers[1].cap = arms[1];
        w->controllers[1].coupled_pcp = false;
        (void) text_copy(w->policy[1].name, sizeof(w->policy[1].name), TEXT("memory"));
        w->policy[1].target[0].hot = w->policy[1].target[0].cool = 900000;
        w->plan.n_controllers = 2;
        world_start(w);
        return w;
}

TEST(a_cut_by_another_policy_takes_the_knob_over) {
        World *w = two_policies();
        const Record *r;

        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        w->guard.parked_short_ppm = KNOWN(90000);
        world_step(w);
        w->guard.parked_short_ppm = KNOWN(0);
        ASSERT_EQ_I(w->value[0], 777777);
        r = world_record(w, RECORD_CUT);
        ASSERT_STR(r->policy->name, "memory");
        ASSERT_TRUE(world_state(w, 0) != CONTROLLER_HOLD);
        /* The first one does not touch what the second one holds, though it is hot. */
        world_run(w, HOUR(12));
        ASSERT_EQ_I(w->value[0], 777777);
        ASSERT_EQ_U(world_records(w, RECORD_YIELD), 0);
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(a_cut_by_another_policy_ends_the_trial_first) {
        World *w = two_policies();

        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(2)));
        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        w->guard.parked_short_ppm = KNOWN(90000);
        world_step(w);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_TRUE(world_state(w, 0) != CONTROLLER_TRIAL);
        /* The kernel's own lists are still too long. */
        world_step(w);
        ASSERT_EQ_I(w->value[0], 777777);
        world_free(w);
}

TEST(our_own_cost_slows_us_down) {
        World *w = world_new();
        Sampling s;

        w->zone_ppm[0] = 0;
        w->guard.own_cpu_ppm = KNOWN(6000); /* 0.5 % of a CPU for each 64 */
        world_start(w);
        world_step(w);
        engine_sampling(w->engine, &s);
        ASSERT_EQ_U(s.at_usec - w->now_usec, SEC(40));
        w->guard.own_cpu_ppm = KNOWN(100);
        world_run(w, HOUR(2));
        engine_sampling(w->engine, &s);
        ASSERT_EQ_U(s.at_usec - w->now_usec, SEC(10));
        world_free(w);
}

TEST(a_container_ends_the_trial_and_begins_none) {
        World *w = in_state(CONTROLLER_TRIAL);

        world_run(w, SEC(30));
        w->guard.contained = true;
        world_run(w, SEC(10));
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_record(w, RECORD_VERDICT)->verdict, TRIAL_INCONCLUSIVE);
        world_run(w, HOUR(4));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 1);
        world_free(w);
}

TEST(a_slab_leak_ends_a_trial_but_not_a_value_that_is_held) {
        World *w = in_state(CONTROLLER_TRIAL);

        /* 64 MiB, or 0.5 % of 64 GiB: 327 MiB. */
        world_run(w, SEC(20));
        w->guard.slab_unreclaimable_bytes.value += (uint64_t) 320 << 20;
        world_step(w);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_TRIAL);
        w->guard.slab_unreclaimable_bytes.value += (uint64_t) 10 << 20;
        world_step(w);
        ASSERT_STR(world_record(w, RECORD_ABORT)->guard, "slab-unreclaimable");
        world_free(w);
        w = in_state(CONTROLLER_HOLD);
        w->guard.slab_unreclaimable_bytes.value += (uint64_t) 9 << 30;
        world_step(w);
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_free(w);
}

/* A value of ours that stepped down to the default and is on probation. */
static World *stepped_down(void) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        w->zone_ppm[1] = 15000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        w->zone_ppm[0] = w->zone_ppm[1] = 1000;
        w->effect_ppm[1] = 0;
        w->guard.parked_ppm = KNOWN(6000);
        /* Grown since the trial, not since the step. */
        w->guard.slab_unreclaimable_bytes.value += (uint64_t) 9 << 30;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, HOUR(1)));
        ASSERT_EQ_I(w->value[0], 0);
        return w;
}

TEST(a_guard_never_undoes_a_step_down) {
        for (unsigned at = 0; at < 2; at++) {
                World *w = stepped_down();

                world_step(w);
                ASSERT_EQ_U(world_state(w, 0), CONTROLLER_PROBATION);
                /* Also while a check compares with the longer lists. */
                for (unsigned i = 0; at == 1 && i < 1000 && w->value[0] == 0; i++)
                        world_step(w);
                ASSERT_EQ_I(w->value[0], at == 1 ? world_value(1) : 0);
                w->guard.allocstall = KNOWN(3);
                world_step(w);
                ASSERT_EQ_I(w->value[0], 0);
                ASSERT_TRUE(world_state(w, 0) != CONTROLLER_PROBATION);
                world_run(w, HOUR(1));
                ASSERT_EQ_I(w->value[0], 0);
                world_free(w);
        }
}

TEST(a_revalidation_that_a_guard_ended_is_not_begun_again_within_the_hour) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        w->guard.psi_full_ppm = KNOWN(20000);
        world_run(w, HOUR(26));
        ASSERT_GE_U(world_records(w, RECORD_REVALIDATE), 1);
        ASSERT_LE_U(world_records(w, RECORD_REVALIDATE), 3);
        world_free(w);
}

TEST_MAIN()
