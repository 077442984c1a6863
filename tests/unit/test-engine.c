/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* States of one controller, in a world whose truth is known: zone-lock waits of 20 %, and the cost of each level as the test says. */

/* Writes to knob 0 between two times. */
static unsigned writes_between(const World *w, usec_t from, usec_t to) {
        unsigned n = 0;

        for (unsigned i = 0; i < w->n_effects; i++)
                n += w->effect_usec[i] >= from && w->effect_usec[i] < to;
        return n;
}

TEST(a_hot_lock_and_a_better_arm_end_in_hold) {
        World *w = world_new();
        const Record *r;
        EngineCounts counts;

        w->effect_ppm[1] = w->effect_ppm[2] = w->effect_ppm[3] = -150000;
        world_start(w);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_U(r->verdict, TRIAL_ACCEPT);
        ASSERT_TRUE(r->effect_known);
        /* Without noise the mean is the truth, but for whole ns. */
        ASSERT_LE_I(llabs(r->effect_ppm + 150000), 400);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, MIN_(45)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        engine_counts(w->engine, &counts);
        ASSERT_EQ_U(counts.trials, 1);
        ASSERT_EQ_U(counts.accepted, 1);
        ASSERT_LE_U(counts.first_hold_usec, w->now_usec);
        world_free(w);
}

TEST(a_cool_lock_is_left_alone) {
        World *w = world_new();

        w->zone_ppm[0] = 19000; /* 2 % is hot */
        world_start(w);
        world_run(w, HOUR(6));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        ASSERT_EQ_U(w->n_effects, 0);
        world_free(w);
}

TEST(a_trial_waits_for_three_hot_windows_and_writes_at_most_twice_a_pair) {
        World *w = world_new();
        ControllerView view;
        usec_t begin;

        w->effect_ppm[1] = -150000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        begin = w->now_usec;
        /* The first frame has no growth; then the window of the gate begins, then three windows. */
        ASSERT_EQ_U(begin / SEC(1), 40);
        ASSERT_TRUE(engine_controller(w->engine, 0, &view));
        ASSERT_EQ_U(view.level, 0);
        ASSERT_EQ_U(view.trial_level, 1);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        /* Three quads of four windows of 10 s, 10 % more or less. */
        ASSERT_GE_U(w->now_usec - begin, SEC(108));
        ASSERT_LE_U(w->now_usec - begin, SEC(133));
        /* The last one puts the arm in force for good. */
        ASSERT_LE_U(w->n_effects, 6 * 2 + 1);
        ASSERT_GE_U(w->n_effects, 6);
        world_free(w);
}

TEST(an_arm_that_does_nothing_is_futile_and_the_long_step_is_tried_once) {
        World *w = world_new();
        const Record *r;

        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, MIN_(30)));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 2);
        ASSERT_EQ_U(world_records(w, RECORD_VERDICT), 2);
        r = world_record(w, RECORD_TRIAL_BEGIN);
        ASSERT_EQ_I(r->from, world_value(0));
        ASSERT_EQ_I(r->to, world_value(2));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_U(r->verdict, TRIAL_FUTILE);
        ASSERT_EQ_I(w->value[0], 0);
        r = world_record(w, RECORD_COOLDOWN);
        /* 30 min, 20 % more or less. */
        ASSERT_GE_I(r->number_a, 24 * 60);
        ASSERT_LE_I(r->number_a, 36 * 60);
        world_free(w);
}

TEST(the_long_step_is_accepted_where_the_short_one_gains_too_little) {
        World *w = world_new();

        w->effect_ppm[1] = -6000; /* less than a third of the least gain */
        w->effect_ppm[2] = w->effect_ppm[3] = -80000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_EQ_I(w->value[0], world_value(2));
        world_free(w);
}

TEST(cooldowns_double_up_to_a_day) {
        World *w = world_new();
        const Record *r;
        int64_t base = 30 * 60;
        unsigned n = 0;

        world_start(w);
        world_run(w, HOUR(24 * 7));
        for (size_t i = 0; (r = engine_record(w->engine, i)); i++) {
                int64_t expected;

                if (r->kind != RECORD_COOLDOWN)
                        continue;
                expected = base << MIN(r->number_b - 1, 20);
                expected = MIN(expected, 24 * 3600);
                ASSERT_GE_I(r->number_a, expected * 79 / 100);
                ASSERT_LE_I(r->number_a, expected * 121 / 100);
                n++;
        }
        /* 30 min, 1, 2, 4, 8, 16 h, then each day: between 9 and 13 in a week, also when every pause is 20 % off. */
        ASSERT_GE_U(n, 9);
        ASSERT_LE_U(n, 13);
        world_free(w);
}

TEST(hold_that_is_still_hot_climbs_on) {
        World *w = world_new();

        w->effect_ppm[1] = -100000;
        w->effect_ppm[2] = -200000;
        w->effect_ppm[3] = -300000;
        world_start(w);
        world_run(w, HOUR(4));
        ASSERT_EQ_I(w->value[0], world_value(3));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_HOLD);
        world_free(w);
}

TEST(a_higher_level_under_way_is_given_up_when_the_wait_is_gone) {
        World *w = world_new();

        w->effect_ppm[1] = -100000;
        w->effect_ppm[2] = w->effect_ppm[3] = -200000;
        w->zone_ppm[1] = 5000; /* the first level ends the wait */
        world_start(w);
        world_run(w, HOUR(6));
        ASSERT_EQ_I(w->value[0], world_value(1));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 1);
        world_free(w);
}

TEST(a_much_worse_arm_is_aborted_blocked_and_given_back) {
        World *w = world_new();
        const Record *r;
        usec_t begin;

        w->effect_ppm[1] = w->effect_ppm[2] = w->effect_ppm[3] = 500000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        begin = w->now_usec;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, MIN_(5)));
        /* One quad is enough. */
        ASSERT_LE_U(w->now_usec - begin, SEC(46));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_U(r->verdict, TRIAL_ABORT);
        ASSERT_EQ_I(w->value[0], 0);
        r = world_record(w, RECORD_BLOCK);
        ASSERT_EQ_I(r->to, world_value(1));
        ASSERT_EQ_I(r->number_a, 24 * 3600);
        /* The next arm is no better, and then every arm within reach is blocked. */
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_BLOCKED, HOUR(2)));
        begin = w->now_usec;
        world_run(w, HOUR(20));
        ASSERT_EQ_U(writes_between(w, begin + SEC(1), w->now_usec), 0);
        /* After the day it is tried once more, and then not for a week. */
        world_run(w, HOUR(24));
        r = world_record(w, RECORD_BLOCK);
        ASSERT_EQ_I(r->number_a, 7 * 24 * 3600);
        world_free(w);
}

/* The arm gains until the trial is over. */
static void lucky(World *w, Frame *f) {
        if (world_state(w, 0) == CONTROLLER_PROBATION)
                w->effect_ppm[1] = 10000;
        (void) f;
}

TEST(what_does_not_last_goes_back_after_three_checks) {
        World *w = world_new();
        usec_t begin;
        const Record *r;

        w->effect_ppm[1] = -50000;
        w->frame_hook = lucky;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        begin = w->now_usec;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, HOUR(1)));
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_GE_U(w->now_usec - begin, MIN_(30));
        ASSERT_LE_U(w->now_usec - begin, MIN_(33));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_U(r->verdict, TRIAL_REJECT);
        ASSERT_EQ_I(r->number_a, 6);
        ASSERT_LE_I(llabs(r->effect_ppm - 10000), 400);
        /* Three checks of two quads, new old old new: two writes each, and the one that gives it back. */
        ASSERT_EQ_U(writes_between(w, begin + SEC(1), w->now_usec + 1), 3 * 2 * 2 + 1);
        world_free(w);
}

TEST(after_a_promise_that_was_broken_the_next_proof_is_longer) {
        World *w = world_new();
        const Record *r;

        w->effect_ppm[1] = -50000;
        w->effect_ppm[2] = w->effect_ppm[3] = -100000;
        w->frame_hook = lucky;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        /* Three quads: p is 1/64, the least that six pairs can have. */
        ASSERT_EQ_I(world_record(w, RECORD_VERDICT)->number_a, 3);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, HOUR(1)));
        /* The first arm is blocked now, so the long step is next; 1/240 takes the second look. */
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, HOUR(2)));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_I(r->to, world_value(2));
        ASSERT_EQ_U(r->verdict, TRIAL_ACCEPT);
        ASSERT_EQ_I(r->number_a, 6);
        world_free(w);
}

TEST(what_nobody_can_check_goes_back) {
        World *w = world_new();
        usec_t begin;

        w->effect_ppm[1] = -50000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        begin = w->now_usec;
        w->guard.reclaimed = KNOWN(1);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, HOUR(5)));
        ASSERT_EQ_I(w->value[0], 0);
        /* Three times 30 min, and an hour. */
        ASSERT_GE_U(w->now_usec - begin, MIN_(150));
        ASSERT_LE_U(w->now_usec - begin, MIN_(151));
        world_free(w);
}

static void spoiled(World *w, Frame *f) {
        if (world_state(w, 0) == CONTROLLER_HOLD && w->now_usec > HOUR(20))
                w->effect_ppm[1] = 5000;
        (void) f;
}

TEST(a_held_value_is_compared_with_the_default_after_a_day) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        world_start(w);
        world_run(w, HOUR(24));
        ASSERT_EQ_U(world_records(w, RECORD_REVALIDATE), 0);
        world_run(w, HOUR(2));
        ASSERT_EQ_U(world_records(w, RECORD_REVALIDATE), 1);
        ASSERT_EQ_I(w->value[0], world_value(1));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_HOLD);
        world_free(w);
        w = world_new();
        w->effect_ppm[1] = -50000;
        w->frame_hook = spoiled;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        world_start(w);
        world_run(w, HOUR(26));
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_BLOCKED);
        world_free(w);
}

TEST(lists_that_hold_memory_for_nothing_step_down_without_a_trial) {
        World *w = world_new();
        usec_t begin;

        w->effect_ppm[1] = -50000;
        w->zone_ppm[1] = 15000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        w->zone_ppm[0] = w->zone_ppm[1] = 1000;
        w->effect_ppm[1] = 0;
        w->guard.parked_ppm = KNOWN(5000); /* a quarter of parked_seen: not above it */
        world_run(w, HOUR(2));
        ASSERT_EQ_U(world_records(w, RECORD_STEP_DOWN), 0);
        begin = w->now_usec;
        w->guard.parked_ppm = KNOWN(5001);
        world_run(w, MIN_(29));
        ASSERT_EQ_U(world_records(w, RECORD_STEP_DOWN), 0);
        world_run(w, MIN_(2));
        ASSERT_EQ_U(world_records(w, RECORD_STEP_DOWN), 1);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_PROBATION);
        world_run(w, HOUR(1));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_TRUE(w->now_usec > begin);
        world_free(w);
}

TEST(a_value_of_somebody_else_never_steps_down) {
        World *w = world_new();

        w->start_value = world_value(2);
        w->zone_ppm[2] = 1000;
        w->guard.parked_ppm = KNOWN(9000);
        world_start(w);
        world_run(w, HOUR(4));
        ASSERT_EQ_U(w->n_effects, 0);
        ASSERT_EQ_I(w->value[0], world_value(2));
        world_free(w);
}

TEST(a_step_down_that_hurts_is_taken_back) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        w->zone_ppm[1] = 15000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        w->zone_ppm[0] = w->zone_ppm[1] = 1000;
        w->guard.parked_ppm = KNOWN(6000);
        world_run(w, HOUR(2));
        ASSERT_EQ_U(world_records(w, RECORD_STEP_DOWN), 1);
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_run(w, HOUR(12));
        ASSERT_EQ_U(world_records(w, RECORD_STEP_DOWN), 1);
        world_free(w);
}

TEST(from_a_value_below_the_default_the_default_is_tried_first) {
        World *w = world_new();
        const Record *r;

        w->start_value = 100000; /* no arm: shorter lists than the default */
        w->level_start = -1;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        r = world_record(w, RECORD_TRIAL_BEGIN);
        ASSERT_EQ_I(r->from, 100000);
        ASSERT_EQ_I(r->to, world_value(0));
        world_free(w);
        /* Between two arms: from the one below. */
        w = world_new();
        w->start_value = 1500;
        w->level_start = 1;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        r = world_record(w, RECORD_TRIAL_BEGIN);
        ASSERT_EQ_I(r->to, world_value(2));
        world_free(w);
}

TEST(a_trial_ends_with_the_hours_for_trials_and_is_no_failure) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        ASSERT_EQ_I(w->value[0], world_value(1));
        w->trials_closed = true;
        world_step(w);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_COOLDOWN);
        ASSERT_EQ_U(world_record(w, RECORD_VERDICT)->verdict, TRIAL_INCONCLUSIVE);
        ASSERT_EQ_I(world_record(w, RECORD_COOLDOWN)->number_b, 0);
        world_run(w, HOUR(5));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 1);
        w->trials_closed = false;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        world_free(w);
}

TEST(a_revalidation_ends_with_the_hours_for_trials_and_comes_again) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        for (unsigned i = 0; i < 100000 && w->value[0] != 0; i++)
                world_step(w);
        ASSERT_EQ_U(world_records(w, RECORD_REVALIDATE), 1);
        w->trials_closed = true;
        world_step(w);
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_run(w, HOUR(1));
        ASSERT_EQ_I(w->value[0], world_value(1));
        w->trials_closed = false;
        world_run(w, HOUR(1));
        ASSERT_EQ_U(world_records(w, RECORD_REVALIDATE), 2);
        world_free(w);
}

static bool without_cost;

static void no_cost(World *w, Frame *f) {
        (void) f;
        if (without_cost)
                w->reading[W_COST].evidence = EVIDENCE_NONE;
}

TEST(no_trial_begins_without_a_cost_and_one_that_loses_it_ends) {
        World *w = world_new();
        usec_t at;

        without_cost = false;
        w->frame_hook = no_cost;
        w->effect_ppm[1] = -50000;
        w->trials_closed = true;
        world_start(w);
        world_run(w, MIN_(10));
        without_cost = true;
        world_run(w, MIN_(10));
        w->trials_closed = false;
        world_run(w, HOUR(1));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 0);
        without_cost = false;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(10)));
        without_cost = true;
        at = w->now_usec;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, HOUR(1)));
        ASSERT_LE_U(w->now_usec - at, MIN_(5));
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST_MAIN()
