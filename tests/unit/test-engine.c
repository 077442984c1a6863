/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* States of one controller, in a world whose truth is known. */

TEST(a_hot_lock_and_a_better_arm_end_in_hold) {
        World *w = world_new();
        const Record *r;

        w->effect_ppm[1] = -150000;
        w->effect_ppm[2] = w->effect_ppm[3] = -150000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        r = world_record(w, RECORD_VERDICT);
        ASSERT_EQ_U(r->verdict, TRIAL_ACCEPT);
        ASSERT_TRUE(r->effect_known);
        /* Without noise the mean is the truth, but for rounding of ns. */
        ASSERT_GE_I(r->effect_ppm, -150400);
        ASSERT_LE_I(r->effect_ppm, -149600);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, MIN_(45)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        world_run(w, HOUR(1));
        if (getenv("PRINT"))
                world_print(w);
        world_free(w);
}

TEST_MAIN()
