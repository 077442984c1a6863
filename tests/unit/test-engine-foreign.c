/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* Other writers, kernels that refuse, and giving everything back. */

static World *in_state(ControllerState state, unsigned n_caches) {
        World *w = world_new();

        w->n_caches = n_caches;
        w->no_lists = n_caches > 0;
        w->effect_ppm[1] = -100000;
        for (unsigned i = 0; i < WORLD_CACHES; i++)
                w->cache_effect_ppm[i] = -40000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, state, HOUR(3)));
        return w;
}

static unsigned effects_of(const World *w, size_t knob, unsigned from) {
        unsigned n = 0;

        for (unsigned i = from; i < w->n_effects; i++)
                n += w->effects[i].knob == knob;
        return n;
}

TEST(after_a_foreign_write_the_knob_is_left_alone_in_every_state) {
        static const ControllerState states[] = { CONTROLLER_OBSERVE, CONTROLLER_TRIAL,
                                                  CONTROLLER_PROBATION, CONTROLLER_HOLD,
                                                  CONTROLLER_COOLDOWN };

        for (unsigned i = 0; i < ELEMENTSOF(states); i++) {
                World *w = in_state(states[i], 0);
                EngineCounts counts;
                unsigned n;

                world_run(w, SEC(21));
                n = w->n_effects;
                w->value[0] = 12345;
                world_run(w, HOUR(30));
                ASSERT_EQ_U(world_state(w, 0), CONTROLLER_YIELDED);
                ASSERT_EQ_U(w->n_effects, n);
                engine_counts(w->engine, &counts);
                ASSERT_EQ_U(counts.yields, 1);
                engine_stop(w->engine, w->now_usec);
                world_effects(w);
                ASSERT_EQ_I(w->value[0], 12345);
                world_free(w);
        }
}

TEST(a_foreign_write_to_one_cache_gives_the_others_of_its_group_back) {
        World *w = in_state(CONTROLLER_PROBATION, 3);
        unsigned n = w->n_effects;

        for (unsigned i = 1; i <= 3; i++)
                ASSERT_EQ_I(w->value[i], 60);
        w->value[2] = 99;
        world_step(w);
        ASSERT_EQ_I(w->value[1], 30);
        ASSERT_EQ_I(w->value[2], 99);
        ASSERT_EQ_I(w->value[3], 30);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_COOLDOWN);
        /* The others may be tried again, that one never. */
        world_run(w, HOUR(12));
        ASSERT_EQ_U(effects_of(w, 2, n), 0);
        ASSERT_GE_U(effects_of(w, 1, n), 2);
        ASSERT_EQ_I(w->value[2], 99);
        world_free(w);
}

TEST(a_write_that_finds_another_value_yields) {
        World *w = in_state(CONTROLLER_TRIAL, 0);

        /* Between the frame and the write. */
        while (w->n_effects == 0) {
                Sampling s;
                Frame frame;
                Effect effect;
                Outcome outcome = { .result = VERIFY_FOREIGN,
                                    .actual_known = true,
                                    .actual = 4242 };

                engine_sampling(w->engine, &s);
                world_fill(w, s.at_usec - w->now_usec, &frame);
                frame.at_usec = w->now_usec = s.at_usec;
                ASSERT_OK(engine_observe(w->engine, &frame));
                if (engine_next(w->engine, &effect) != 0)
                        continue;
                outcome.at_usec = w->now_usec;
                w->value[0] = 4242;
                ASSERT_OK(engine_resolve(w->engine, &effect, &outcome));
                ASSERT_EQ_I(engine_next(w->engine, &effect), ENGINE_E_DONE);
                break;
        }
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_YIELDED);
        world_free(w);
}

TEST(the_operator_resumes_a_yielded_knob_and_its_value_is_the_one_to_give_back) {
        World *w = in_state(CONTROLLER_HOLD, 0);

        w->value[0] = world_value(2);
        world_step(w);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_YIELDED);
        ASSERT_OK(engine_resume(w->engine, 0, w->now_usec));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(2)));
        ASSERT_EQ_I(world_record(w, RECORD_TRIAL_BEGIN)->to, world_value(3));
        world_run(w, SEC(60));
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_I(w->value[0], world_value(2));
        ASSERT_TRUE(engine_resume(w->engine, 99, w->now_usec) < 0);
        world_free(w);
}

TEST(a_paused_knob_gives_back_what_is_not_proved_and_keeps_what_is) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        unsigned n;

        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        ASSERT_OK(engine_pause(w->engine, 0, w->now_usec));
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_PAUSED);
        n = w->n_effects;
        world_run(w, HOUR(10));
        ASSERT_EQ_U(w->n_effects, n);
        ASSERT_OK(engine_resume(w->engine, 0, w->now_usec));
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(3)));
        ASSERT_OK(engine_pause(w->engine, 0, w->now_usec));
        world_run(w, HOUR(30));
        ASSERT_EQ_I(w->value[0], world_value(1));
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

static void refuse(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        if (effect->knob == 2)
                *outcome = (Outcome){ .result = VERIFY_REFUSED,
                                      .error = EINVAL,
                                      .at_usec = outcome->at_usec };
}

TEST(a_refused_knob_is_out_for_good_and_its_group_goes_back) {
        World *w = world_new();

        w->n_caches = 3;
        w->no_lists = true;
        w->outcome_hook = refuse;
        world_start(w);
        world_run(w, HOUR(24));
        ASSERT_EQ_U(effects_of(w, 2, 0), 1);
        ASSERT_EQ_I(w->value[1], 30);
        ASSERT_EQ_I(w->value[2], 30);
        ASSERT_EQ_U(world_records(w, RECORD_REFUSED), 1);
        ASSERT_EQ_I(world_record(w, RECORD_REFUSED)->number_a, EINVAL);
        /* The other two go on. */
        ASSERT_GE_U(effects_of(w, 1, 0), 6);
        world_free(w);
        w = world_new();
        w->n_caches = 1;
        w->outcome_hook = refuse;
        world_plan_make(w);
        w->controllers[1].first_knob = 0; /* the only cache is knob 1; nothing refuses it */
        world_start(w);
        world_run(w, MIN_(1));
        ASSERT_TRUE(w->now_usec >= MIN_(1));
        world_free(w);
}

static void busy(World *w, const Effect *effect, Outcome *outcome) {
        (void) effect;
        if (w->n_effects > 4 && w->now_usec < HOUR(1))
                *outcome = (Outcome){ .result = VERIFY_TRANSIENT,
                                      .error = EBUSY,
                                      .at_usec = outcome->at_usec };
}

TEST(a_busy_file_is_tried_again_three_times_then_the_trial_ends) {
        World *w = world_new();
        unsigned n = 0;

        w->outcome_hook = busy;
        world_start(w);
        world_run(w, HOUR(3));
        /* The fifth write and its three repetitions, or a restore that is tried until it works: never B is left. */
        for (unsigned i = 4; i + 1 < w->n_effects && w->effects[i].to == w->effects[4].to; i++)
                n++;
        ASSERT_GE_U(n, 3);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

static void clamp(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        if (effect->to == 60) {
                outcome->result = VERIFY_ROUNDED;
                outcome->actual = 50;
        }
}

TEST(a_rounded_value_is_the_arm_from_then_on) {
        World *w = world_new();

        w->n_caches = 1;
        w->no_lists = true;
        w->cache_effect_ppm[0] = -90000;
        w->outcome_hook = clamp;
        world_plan_make(w);
        w->controllers[1].n_levels = 2;
        w->cache_arms[0].value = 30;
        w->cache_arms[1].value = 60;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(3)));
        ASSERT_EQ_I(w->value[1], 50);
        world_run(w, HOUR(30));
        ASSERT_EQ_I(w->value[1], 50);
        ASSERT_EQ_U(world_records(w, RECORD_YIELD), 0);
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_I(w->value[1], 30);
        world_free(w);
}

static void not_carried_out(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        (void) effect;
        outcome->result = VERIFY_VOID;
}

TEST(in_a_replay_nothing_is_written_and_the_policy_pauses) {
        World *w = world_new();
        EngineCounts counts;

        w->outcome_hook = not_carried_out;
        world_start(w);
        world_run(w, HOUR(20));
        engine_counts(w->engine, &counts);
        ASSERT_EQ_U(counts.writes, 0);
        ASSERT_GE_U(counts.trials, 2);
        ASSERT_LE_U(counts.trials, 8);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(a_stop_gives_everything_back_newest_first) {
        World *w = world_new();
        unsigned n;
        uint64_t order[2];

        w->n_caches = 2;
        w->effect_ppm[1] = w->effect_ppm[2] = -100000;
        w->cache_effect_ppm[0] = w->cache_effect_ppm[1] = -40000;
        world_start(w);
        world_run(w, HOUR(6));
        ASSERT_TRUE(w->value[0] != 0);
        ASSERT_TRUE(w->value[1] != 30);
        ASSERT_TRUE(w->value[2] != 30);
        n = w->n_effects;
        engine_stop(w->engine, w->now_usec);
        world_effects(w);
        ASSERT_EQ_U(w->n_effects, n + 3);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_I(w->value[1], 30);
        ASSERT_EQ_I(w->value[2], 30);
        for (unsigned i = n; i < n + 3; i++)
                ASSERT_TRUE(w->effects[i].restore);
        /* The order of first writes since each was clean, backwards. */
        for (unsigned i = n; i + 1 < n + 3; i++) {
                for (unsigned j = 0; j < 2; j++) {
                        order[j] = 0;
                        for (unsigned k = 0; k < n; k++)
                                if (w->effects[k].knob == w->effects[i + j].knob &&
                                    w->effects[k].first)
                                        order[j] = w->effects[k].serial;
                }
                ASSERT_TRUE(order[0] > order[1]);
        }
        /* Frames after a stop change nothing. */
        world_run(w, HOUR(2));
        ASSERT_EQ_U(w->n_effects, n + 3);
        world_free(w);
}

TEST(calls_in_the_wrong_order_are_refused_and_change_nothing) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        Sampling s;
        Frame frame;
        Effect effect = { 0 }, wrong;
        Outcome outcome = { .result = VERIFY_APPLIED, .actual_known = true };

        ASSERT_EQ_I(engine_resolve(w->engine, &effect, &outcome), ENGINE_E_ORDER);
        do {
                engine_sampling(w->engine, &s);
                world_fill(w, s.at_usec - w->now_usec, &frame);
                frame.at_usec = w->now_usec = s.at_usec;
                ASSERT_OK(engine_observe(w->engine, &frame));
        } while (engine_next(w->engine, &effect) != 0);
        ASSERT_EQ_I(engine_next(w->engine, &wrong), ENGINE_E_DONE);
        ASSERT_EQ_I(engine_observe(w->engine, &frame), ENGINE_E_ORDER);
        ASSERT_EQ_I(engine_pause(w->engine, 0, w->now_usec), ENGINE_E_ORDER);
        wrong = effect;
        wrong.serial++;
        ASSERT_EQ_I(engine_resolve(w->engine, &wrong, &outcome), ENGINE_E_ORDER);
        outcome.actual = effect.to;
        outcome.at_usec = w->now_usec;
        w->value[0] = effect.to;
        ASSERT_OK(engine_resolve(w->engine, &effect, &outcome));
        frame.at_usec = w->now_usec - 1;
        ASSERT_EQ_I(engine_observe(w->engine, &frame), ENGINE_E_ORDER);
        world_free(w);
}

TEST(a_stop_while_a_giving_back_fails_gives_back) {
        World *w = in_state(CONTROLLER_TRIAL, 0);
        Effect effect;
        Outcome busy = { .result = VERIFY_TRANSIENT, .error = EBUSY };

        for (unsigned i = 0; i < 100 && w->value[0] == 0; i++)
                world_step(w);
        ASSERT_OK(engine_pause(w->engine, 0, w->now_usec));
        ASSERT_OK(engine_next(w->engine, &effect));
        ASSERT_TRUE(effect.restore);
        engine_stop(w->engine, w->now_usec);
        busy.at_usec = w->now_usec;
        ASSERT_OK(engine_resolve(w->engine, &effect, &busy));
        world_effects(w);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

static void no_time(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        (void) effect;
        outcome->at_usec = USEC_UNKNOWN;
}

TEST(a_write_at_an_unknown_time_keeps_its_gap_from_now) {
        World *w = world_new();

        w->effect_ppm[1] = -50000;
        w->outcome_hook = no_time;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_free(w);
}

static bool stuck;

static void never_back(World *w, const Effect *effect, Outcome *outcome) {
        (void) w;
        if (stuck && effect->restore)
                outcome->result = VERIFY_TRANSIENT;
}

TEST(a_value_that_cannot_be_given_back_does_not_keep_the_token) {
        World *w = in_state(CONTROLLER_TRIAL, 0);

        w->outcome_hook = never_back;
        stuck = true;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, MIN_(10)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        stuck = false;
        world_run(w, MIN_(2));
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST_MAIN()
