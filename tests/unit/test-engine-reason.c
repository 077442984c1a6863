/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* Sentences for people: why a controller does what it does, and what a guard saw. */

static const char *reason(const World *w, char *text, size_t size) {
        ASSERT_TRUE(engine_controller_reason(w->engine, 0, text, size));
        return text;
}

TEST(a_cold_controller_says_which_target_keeps_it) {
        World *w = world_new();
        char text[256], small[8];

        for (unsigned l = 0; l < WORLD_LEVELS; l++)
                w->zone_ppm[l] = 3000;
        world_start(w);
        world_run(w, MIN_(10));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        ASSERT_HAS(reason(w, text, sizeof(text)), "zone-lock-wait is 0.30 %, hot from 2.00 %");
        ASSERT_FALSE(engine_controller_reason(w->engine, 0, small, sizeof(small)));
        ASSERT_FALSE(engine_controller_reason(w->engine, 0, text, 0));
        ASSERT_FALSE(
                engine_controller_reason(w->engine, w->plan.n_controllers, text, sizeof(text)));
        world_free(w);
}

TEST(a_controller_without_its_targets_names_them) {
        World *w = world_new();
        char text[256];

        world_plan_make(w);
        w->controllers[0].target[0] = w->controllers[0].target[1] = PLAN_NONE;
        world_start(w);
        world_run(w, MIN_(10));
        ASSERT_HAS(reason(w, text, sizeof(text)),
                   "nothing to go by: zone-lock-wait, zone-lock-wait-per-kpage are not known here");
        world_free(w);
}

TEST(one_that_may_not_try_says_so) {
        World *w = world_new();
        char text[256];

        world_plan_make(w);
        w->controllers[0].may_try = false;
        (void) text_copy(w->controllers[0].why, sizeof(w->controllers[0].why),
                         TEXT("the value is the administrator's"));
        world_start(w);
        world_run(w, MIN_(10));
        ASSERT_HAS(reason(w, text, sizeof(text)),
                   "could only advise: the value is the administrator's");
        world_free(w);
}

TEST(each_state_has_its_sentence) {
        static const struct {
                ControllerState state;
                const char *text;
        } states[] = {
                { CONTROLLER_TRIAL, "on trial, 0 quads" },
                { CONTROLLER_PROBATION, "on probation, for another " },
                { CONTROLLER_HOLD, "holds its value" },
                { CONTROLLER_COOLDOWN, "pauses after a trial, for another " },
        };
        World *w = world_new();
        char text[256];

        w->effect_ppm[1] = -100000; /* the first level helps, the next does not */
        w->effect_ppm[2] = w->effect_ppm[3] = 50000;
        world_start(w);
        for (unsigned i = 0; i < ELEMENTSOF(states); i++) {
                ASSERT_TRUE(world_until(w, 0, states[i].state, HOUR(4)));
                ASSERT_HAS(reason(w, text, sizeof(text)), states[i].text);
        }
        w->value[0] = 99;
        world_run(w, MIN_(2));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_YIELDED);
        ASSERT_HAS(reason(w, text, sizeof(text)), "somebody else wrote it");
        world_free(w);
}

/* 10,100 ppm are 1.01 %: over 1.00 % also for the eye. */
TEST(a_guard_says_its_numbers_with_their_unit) {
        World *w = world_new();
        char text[256];

        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        w->guard.psi_full_ppm = KNOWN(10100);
        world_step(w);
        ASSERT_TRUE(record_reason(w->engine, world_record(w, RECORD_ABORT), text, sizeof(text)));
        ASSERT_HAS(text, "every task waits for memory (1.01 %, limit 1.00 %)");
        world_free(w);
        w = world_new();
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        w->guard.slab_unreclaimable_bytes = KNOWN((uint64_t) 2 << 30);
        world_step(w);
        ASSERT_TRUE(record_reason(w->engine, world_record(w, RECORD_ABORT), text, sizeof(text)));
        /* Half a per cent of 64 GiB. */
        ASSERT_HAS(text, "unreclaimable slab memory has grown (1 GiB, limit 328 MiB)");
        world_free(w);
}

TEST_MAIN()
