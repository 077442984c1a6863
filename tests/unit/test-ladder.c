/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/ladder.h"
#include "test.h"

/* Levels 0 (default) to n - 1, all steps, all usable. */
static LadderInput ladder(int level, unsigned n) {
        LadderInput in = { .level = level, .n_levels = n };

        for (unsigned l = 0; l < n; l++) {
                in.step[l] = l > 0;
                in.usable[l] = true;
        }
        return in;
}

TEST(the_next_level_comes_first_and_the_one_after_it_second) {
        LadderInput in = ladder(0, 5);
        unsigned level[2];

        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 1);
        ASSERT_EQ_U(level[1], 2);
        in.level = 2;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 3);
        ASSERT_EQ_U(level[1], 4);
}

TEST(at_the_top_nothing_is_left) {
        LadderInput in = ladder(4, 5);
        unsigned level[2];

        ASSERT_EQ_U(ladder_order(&in, level), 0);
        in.level = 3;
        ASSERT_EQ_U(ladder_order(&in, level), 1);
        ASSERT_EQ_U(level[0], 4);
}

TEST(the_feed_forward_level_counts_only_above_the_present_one) {
        LadderInput in = ladder(0, 6);
        unsigned level[2];

        in.feed_forward = 3;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 3);
        ASSERT_EQ_U(level[1], 2);
        in.level = 3;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 4);
        in.level = 0;
        in.feed_forward = 2; /* as far as the long step: the short one is second */
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 2);
        ASSERT_EQ_U(level[1], 1);
        in.usable[2] = false;
        ASSERT_EQ_U(ladder_order(&in, level), 1);
        ASSERT_EQ_U(level[0], 1);
}

TEST(from_a_value_that_is_no_arm_the_default_is_the_first_arm) {
        LadderInput in = ladder(LADDER_OTHER, 4);
        unsigned level[2];

        in.feed_forward = 2;
        ASSERT_EQ_U(ladder_order(&in, level), 1);
        ASSERT_EQ_U(level[0], 0);
        in.usable[0] = false;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 2);
}

TEST(levels_that_are_not_usable_are_skipped) {
        LadderInput in = ladder(0, 5);
        unsigned level[2];

        in.usable[1] = false;
        ASSERT_EQ_U(ladder_order(&in, level), 1);
        ASSERT_EQ_U(level[0], 2);
        in.usable[2] = false;
        ASSERT_EQ_U(ladder_order(&in, level), 0);
}

TEST(a_fixed_controller_has_one_arm) {
        LadderInput in = ladder(0, 4);
        unsigned level[2];

        in.fixed = true;
        ASSERT_EQ_U(ladder_order(&in, level), 1);
        ASSERT_EQ_U(level[0], 1);
        in.level = 1;
        ASSERT_EQ_U(ladder_order(&in, level), 0);
}

TEST(an_arm_that_an_earlier_run_kept_comes_first_one_it_rejected_last) {
        LadderInput in = ladder(0, 5);
        unsigned level[2];

        in.kept[3] = true;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 3);
        ASSERT_EQ_U(level[1], 1);
        in.kept[3] = false;
        in.rejected[1] = true;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 2);
        ASSERT_EQ_U(level[1], 1);
}

TEST(arms_that_are_no_steps_are_tried_only_where_no_step_exists) {
        LadderInput in = ladder(0, 4);
        unsigned level[2];

        in.step[3] = false; /* a cap behind two steps */
        in.level = 2;
        ASSERT_EQ_U(ladder_order(&in, level), 0);
        in = ladder(0, 3);
        in.step[1] = in.step[2] = false;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 1);
        in.rejected[1] = true;
        ASSERT_EQ_U(ladder_order(&in, level), 2);
        ASSERT_EQ_U(level[0], 2);
}

TEST(any_input_gives_usable_levels_that_differ) {
        unsigned level[2], n;

        for (unsigned bits = 0; bits < 1u << 16; bits++) {
                LadderInput in = { .level = (int) (bits & 7) - 1,
                                   .n_levels = bits >> 3 & 7,
                                   .feed_forward = bits >> 6 & 15,
                                   .fixed = bits >> 10 & 1 };

                for (unsigned l = 0; l < LADDER_LEVELS_MAX; l++) {
                        in.usable[l] = (bits >> (10 + l % 6)) & 1;
                        in.step[l] = (bits >> (11 + l % 4)) & 1;
                        in.kept[l] = (bits >> l) & 1;
                        in.rejected[l] = !in.kept[l] && (bits >> (l / 2)) & 1;
                }
                n = ladder_order(&in, level);
                ASSERT_LE_U(n, 2);
                for (unsigned i = 0; i < n; i++) {
                        ASSERT_LE_U(level[i] + 1, in.n_levels);
                        ASSERT_TRUE(in.usable[level[i]]);
                        ASSERT_TRUE((int) level[i] > in.level || !in.step[level[i]]);
                }
                ASSERT_TRUE(n < 2 || level[0] != level[1]);
        }
}

TEST_MAIN()
