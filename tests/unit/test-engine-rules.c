/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* Rules between controllers, and of trials: token, budgets, groups, what voids a quad, what a verdict needs. */

static const Record *nth_record(const World *w, RecordKind kind, unsigned n) {
        const Record *r;

        for (size_t i = 0; (r = engine_record(w->engine, i)); i++)
                if (r->kind == kind && n-- == 0)
                        return r;
        return NULL;
}

TEST(one_trial_at_a_time) {
        World *w = world_new();
        const Record *r;
        unsigned n[2] = { 0 };

        w->n_caches = 2; /* 4 and 3.9 % of CPU time wait for their list locks */
        w->effect_ppm[1] = w->effect_ppm[2] = -100000;
        world_start(w);
        world_run(w, HOUR(12));
        ASSERT_EQ_U(w->n_open_max, 1);
        for (size_t i = 0; (r = engine_record(w->engine, i)); i++)
                if (r->kind == RECORD_TRIAL_BEGIN)
                        n[r->policy == &w->policy[1]]++;
        ASSERT_GE_U(n[0], 2);
        ASSERT_GE_U(n[1], 2);
        world_free(w);
}

TEST(of_two_that_wait_the_larger_saving_begins) {
        for (unsigned caches_first = 0; caches_first < 2; caches_first++) {
                World *w = world_new();

                w->n_caches = 2;
                w->zone_ppm[0] = caches_first ? 60000 : 200000;
                w->trials_closed = true;
                world_start(w);
                world_run(w, MIN_(10));
                ASSERT_EQ_U(world_state(w, 0), CONTROLLER_ARMED);
                ASSERT_EQ_U(world_state(w, 1), CONTROLLER_ARMED);
                ASSERT_EQ_U(w->n_effects, 0);
                w->trials_closed = false;
                world_step(w);
                ASSERT_EQ_U(world_state(w, caches_first), CONTROLLER_TRIAL);
                ASSERT_EQ_U(world_state(w, !caches_first), CONTROLLER_ARMED);
                world_free(w);
        }
}

TEST(trials_leave_quiet_time_and_keep_the_budget_of_the_day) {
        World *w = world_new();
        const Record *first, *second, *verdict;

        world_start(w);
        world_run(w, HOUR(1));
        verdict = nth_record(w, RECORD_VERDICT, 0);
        second = nth_record(w, RECORD_TRIAL_BEGIN, 1);
        ASSERT_GE_U(second->at_usec - verdict->at_usec, MIN_(5));
        ASSERT_LE_U(second->at_usec - verdict->at_usec, MIN_(5) + SEC(10));
        world_free(w);
        w = world_new();
        w->trials_per_day = 2;
        world_start(w);
        world_run(w, HOUR(30));
        first = nth_record(w, RECORD_TRIAL_BEGIN, 0);
        ASSERT_GE_U(nth_record(w, RECORD_TRIAL_BEGIN, 2)->at_usec - first->at_usec, HOUR(24));
        world_free(w);
        w = world_new();
        w->changes_per_hour = 1;
        world_start(w);
        world_run(w, HOUR(3));
        ASSERT_GE_U(nth_record(w, RECORD_TRIAL_BEGIN, 1)->at_usec -
                            nth_record(w, RECORD_TRIAL_BEGIN, 0)->at_usec,
                    HOUR(1));
        world_free(w);
}

TEST(no_trial_of_list_sizes_while_pages_are_reclaimed) {
        World *w = world_new();
        const Record *r;

        w->guard.reclaimed = KNOWN(1);
        world_start(w);
        world_run(w, HOUR(2));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_ARMED);
        ASSERT_EQ_U(w->n_effects, 0);
        w->guard.reclaimed = KNOWN(0);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(1)));
        world_run(w, SEC(25));
        w->guard.reclaimed = KNOWN(5);
        world_step(w);
        w->guard.reclaimed = KNOWN(0);
        r = world_record(w, RECORD_VOID);
        ASSERT_HAS(r->why, "reclaimed");
        /* The value in force waits for the next quad. */
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_TRIAL);
        /* Reclaim that goes on counts once, and ends the trial when it does not stop. */
        w->guard.reclaimed = KNOWN(5);
        world_run(w, SEC(90));
        ASSERT_EQ_U(world_records(w, RECORD_VOID), 1);
        world_run(w, MIN_(6));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_COOLDOWN);
        ASSERT_EQ_U(world_record(w, RECORD_VERDICT)->verdict, TRIAL_INCONCLUSIVE);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

static void gaps(World *w, Frame *f) {
        f->gap = world_state(w, 0) == CONTROLLER_TRIAL &&
                 f->at_usec / SEC(30) != (f->at_usec - f->interval_usec) / SEC(30);
}

TEST(four_lost_quads_are_inconclusive) {
        World *w = world_new();

        w->frame_hook = gaps;
        w->effect_ppm[1] = -200000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, MIN_(30)));
        ASSERT_EQ_U(world_records(w, RECORD_VOID), 4);
        ASSERT_EQ_U(world_record(w, RECORD_VERDICT)->verdict, TRIAL_INCONCLUSIVE);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

/* Right after a write the cost is absurd. */
static void settling(World *w, Frame *f) {
        if (w->n_effects > 0 &&
            f->at_usec - f->interval_usec < w->effect_usec[w->n_effects - 1] + SEC(2))
                w->reading[W_COST].num = w->reading[W_COST].den * 1000000;
}

TEST(only_frames_inside_the_measured_part_count) {
        World *w = world_new();

        w->frame_hook = settling;
        w->effect_ppm[1] = -100000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, MIN_(15)));
        ASSERT_LE_I(llabs(world_record(w, RECORD_VERDICT)->effect_ppm + 100000), 400);
        world_free(w);
}

TEST(caches_change_in_groups_of_three_by_wait_with_one_verdict) {
        World *w = world_new();
        ControllerView view;
        const Record *r;

        w->n_caches = 7;
        w->no_lists = true;
        w->cache_ppm[6] = 500; /* less than a tenth of the worst: no part of the problem */
        for (unsigned i = 0; i < 6; i++)
                w->cache_ppm[i] = 20000 + 5000 * (int64_t) i;
        for (unsigned i = 0; i < 7; i++)
                w->cache_effect_ppm[i] = -30000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(20)));
        ASSERT_TRUE(engine_controller(w->engine, 0, &view));
        ASSERT_EQ_U(view.n_group, 3);
        for (unsigned i = 0; i < 3; i++)
                ASSERT_EQ_U(view.group[i], 6 - i); /* knob 6 is cache 5, the worst */
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_PROBATION, HOUR(2)));
        for (unsigned i = 0; i < 3; i++) {
                r = nth_record(w, RECORD_VERDICT, i);
                ASSERT_EQ_U(r->verdict, TRIAL_ACCEPT);
                ASSERT_EQ_U(r->decision, nth_record(w, RECORD_VERDICT, 0)->decision);
                ASSERT_LE_I(llabs(r->effect_ppm + 90000), 400);
        }
        ASSERT_EQ_I(w->value[6], 60);
        ASSERT_EQ_I(w->value[3], 30);
        /* Then the next caches, and never the one that hardly waits. */
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, HOUR(1)));
        ASSERT_TRUE(engine_controller(w->engine, 0, &view));
        ASSERT_EQ_U(view.group[0], 3);
        ASSERT_EQ_U(view.group[2], 1);
        world_run(w, HOUR(12));
        ASSERT_EQ_I(w->value[7], 30);
        world_free(w);
}

TEST(two_writes_of_a_cache_keep_the_gap) {
        for (unsigned seed = 0; seed < 8; seed++) {
                World *w = world_new();
                usec_t last[1 + WORLD_CACHES] = { 0 };

                w->seed = seed;
                w->quiet_usec = 0; /* the next trial may begin right after the values went back */
                w->n_caches = 4;
                w->no_lists = true;
                world_start(w);
                world_run(w, HOUR(6));
                ASSERT_GE_U(w->n_effects, 20);
                for (unsigned i = 0; i < w->n_effects; i++) {
                        size_t k = w->effects[i].knob;

                        ASSERT_TRUE(last[k] == 0 || w->effect_usec[i] - last[k] >= SEC(50));
                        last[k] = w->effect_usec[i];
                }
                world_free(w);
        }
}

TEST(where_nothing_says_which_caches_wait_none_is_changed) {
        World *w = world_new();

        w->n_caches = 5;
        w->no_lists = true;
        world_plan_make(w);
        for (unsigned i = 0; i < 5; i++)
                w->knobs[1 + i].wait_watch = PLAN_NONE;
        world_start(w);
        world_run(w, HOUR(2));
        ASSERT_EQ_U(w->n_effects, 0);
        ASSERT_HAS(world_record(w, RECORD_ADVISE)->why, "which caches");
        world_free(w);
}

TEST(coupled_knobs_rest_a_window_after_each_other) {
        World *w = world_new();
        usec_t last = 0;
        unsigned n = 0;

        w->n_caches = 1;
        w->quiet_usec = 0;
        world_plan_make(w);
        w->controllers[1].coupled_pcp = true;
        world_start(w);
        world_run(w, HOUR(3));
        for (unsigned i = 1; i < w->n_effects; i++) {
                last = w->effect_usec[i - 1];
                if (w->effects[i].knob == w->effects[i - 1].knob)
                        continue;
                ASSERT_GE_U(w->effect_usec[i] - last, w->effects[i].knob == 0 ? SEC(10) : SEC(60));
                n++;
        }
        ASSERT_GE_U(n, 1);
        world_free(w);
}

TEST(lists_rest_a_window_after_a_huge_page_mode_changed) {
        World *w = world_new();
        usec_t at;

        world_plan_make(w);
        w->controllers[0].window_usec = SEC(60);
        w->trials_closed = true;
        world_start(w);
        world_run(w, MIN_(10));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_ARMED);
        w->hotplug = true;
        world_step(w);
        w->hotplug = w->trials_closed = false;
        at = w->now_usec;
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(10)));
        ASSERT_GE_U(w->now_usec - at, SEC(60));
        world_free(w);
}

TEST(what_must_not_rise_decides_as_well) {
        for (unsigned rises = 0; rises < 2; rises++) {
                World *w = world_new();

                w->effect_ppm[1] = w->effect_ppm[2] = -100000;
                for (unsigned l = 1; l < WORLD_LEVELS; l++)
                        w->zone_ppm[l] = rises ? 210000 : 190000;
                world_plan_make(w);
                w->policy[0].n_must_not_rise = 1;
                w->controllers[0].must_not_rise[0] = W_ZONE_KPAGE;
                world_start(w);
                world_run(w, MIN_(10));
                ASSERT_EQ_U(nth_record(w, RECORD_VERDICT, 0)->verdict,
                            rises ? TRIAL_REJECT : TRIAL_ACCEPT);
                world_free(w);
        }
}

TEST(a_wait_that_only_moves_to_the_next_lock_stops_the_climb_for_a_day) {
        World *w = world_new();
        const Record *r;

        for (unsigned l = 0; l < WORLD_LEVELS; l++)
                w->lru_ppm[l] = 50000 + 200000 - w->zone_ppm[l];
        world_start(w);
        world_run(w, HOUR(20));
        ASSERT_EQ_U(world_records(w, RECORD_TRIAL_BEGIN), 2);
        r = world_record(w, RECORD_GUARD);
        ASSERT_HAS(r->why, "next lock");
        world_run(w, HOUR(6));
        ASSERT_GE_U(world_records(w, RECORD_TRIAL_BEGIN), 3);
        world_free(w);
        /* Three quarters of it is not "as much". */
        w = world_new();
        for (unsigned l = 0; l < WORLD_LEVELS; l++)
                w->lru_ppm[l] = 50000 + (200000 - w->zone_ppm[l]) * 3 / 4;
        world_start(w);
        world_run(w, HOUR(3));
        ASSERT_GE_U(world_records(w, RECORD_TRIAL_BEGIN), 3);
        world_free(w);
}

TEST(another_workload_makes_a_held_value_prove_itself_again) {
        World *w = world_new();

        w->effect_ppm[1] = -100000;
        w->noise_ppm = 20000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        world_run(w, HOUR(2));
        ASSERT_EQ_U(world_records(w, RECORD_WORKLOAD), 0);
        w->cost_ns = 8000;
        w->effect_ppm[1] = 20000;
        world_run(w, MIN_(30));
        ASSERT_GE_U(world_records(w, RECORD_WORKLOAD), 1);
        ASSERT_GE_U(world_records(w, RECORD_REVALIDATE), 1);
        ASSERT_EQ_I(w->value[0], 0);
        world_free(w);
}

TEST(our_own_change_is_no_change_of_workload) {
        World *w = world_new();

        w->effect_ppm[1] = -300000;
        w->noise_ppm = 10000;
        w->zone_ppm[1] = 15000;
        world_start(w);
        world_run(w, HOUR(10));
        ASSERT_EQ_I(w->value[0], world_value(1));
        ASSERT_EQ_U(world_records(w, RECORD_WORKLOAD), 0);
        world_free(w);
}

TEST(verdicts_of_earlier_runs_order_the_arms) {
        static const Prior priors[] = {
                { .policy = "lists", .scope = "system", .level = 1, .kept = false },
                { .policy = "other", .scope = "system", .level = 3, .kept = true }
        };
        World *w = world_new();

        w->priors = priors;
        w->n_priors = ELEMENTSOF(priors);
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        ASSERT_EQ_I(world_record(w, RECORD_TRIAL_BEGIN)->to, world_value(2));
        world_free(w);
}

TEST(a_policy_that_may_not_try_only_advises) {
        World *w = world_new();

        world_plan_make(w);
        w->controllers[0].may_try = false;
        world_start(w);
        world_run(w, HOUR(2));
        ASSERT_EQ_U(w->n_effects, 0);
        ASSERT_EQ_U(world_records(w, RECORD_ADVISE), 1);
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_OBSERVE);
        world_free(w);
}

TEST(frames_are_wanted_often_and_at_the_edges_only_while_something_is_open) {
        World *w = world_new();
        Sampling s;

        w->effect_ppm[1] = -100000;
        world_start(w);
        world_step(w);
        engine_sampling(w->engine, &s);
        ASSERT_EQ_U(s.at_usec - w->now_usec, SEC(10));
        ASSERT_EQ_U(s.files, 0);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_TRIAL, MIN_(5)));
        for (unsigned i = 0; i < 30; i++) {
                engine_sampling(w->engine, &s);
                ASSERT_LE_U(s.at_usec - w->now_usec, SEC(2) + SEC(1) / 2);
                ASSERT_EQ_U(s.files, 1u << SENSE_ZONEINFO);
                world_step(w);
        }
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        engine_sampling(w->engine, &s);
        ASSERT_EQ_U(s.at_usec - w->now_usec, SEC(10));
        ASSERT_EQ_U(s.files, 1u << SENSE_ZONEINFO);
        world_free(w);
}

TEST(every_record_has_its_sentence) {
        World *w = world_new();
        const Record *r;
        char text[400], small[8];

        w->n_caches = 3;
        w->effect_ppm[1] = -100000;
        world_start(w);
        world_run(w, HOUR(8));
        for (size_t i = 0; (r = engine_record(w->engine, i)); i++) {
                ASSERT_TRUE(record_reason(w->engine, r, text, sizeof(text)));
                ASSERT_GE_U(strlen(text), 5);
                ASSERT_FALSE(record_reason(w->engine, r, small, sizeof(small)));
                ASSERT_TRUE(strlen(small) < sizeof(small));
        }
        r = nth_record(w, RECORD_HOT, 0);
        ASSERT_TRUE(record_reason(w->engine, r, text, sizeof(text)));
        ASSERT_STR(text, "zone-lock-wait is 20.00 %, hot from 2.00 % (measured)");
        r = nth_record(w, RECORD_TRIAL_BEGIN, 0);
        ASSERT_TRUE(record_reason(w->engine, r, text, sizeof(text)));
        ASSERT_STR(
                text,
                "tries pcp-high-fraction from 0 to 2048: zone-lock-wait is 20.00 %, hot from 2.00 % (measured)");
        world_free(w);
}

/* A trial of a cache while the lists are cut: the machine that its windows compare is another one. */
TEST(a_quad_that_sees_another_policy_write_is_lost) {
        World *w = world_new();
        unsigned before;

        w->n_caches = 1;
        w->effect_ppm[1] = -50000;
        w->cache_effect_ppm[0] = -50000;
        w->zone_ppm[1] = 15000;
        world_plan_make(w);
        w->controllers[0].n_levels = 2;
        w->policy[1].n_guards = 0;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(2)));
        ASSERT_TRUE(world_until(w, 1, CONTROLLER_TRIAL, HOUR(4)));
        world_run(w, MIN_(2));
        before = world_records(w, RECORD_VOID);
        w->guard.parked_short_ppm = KNOWN(90000);
        world_step(w);
        w->guard.parked_short_ppm = KNOWN(0);
        ASSERT_EQ_I(w->value[0], 0);
        ASSERT_EQ_U(world_records(w, RECORD_CUT), 1);
        ASSERT_EQ_U(world_state(w, 1), CONTROLLER_TRIAL);
        ASSERT_EQ_U(world_records(w, RECORD_VOID), before + 1);
        world_free(w);
}

TEST(lists_are_looked_at_as_long_as_they_are_ours) {
        World *w = world_new();
        Sampling s;

        w->effect_ppm[1] = -100000;
        w->effect_ppm[2] = w->effect_ppm[3] = -90000;
        world_start(w);
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_HOLD, HOUR(1)));
        ASSERT_TRUE(world_until(w, 0, CONTROLLER_COOLDOWN, HOUR(2)));
        ASSERT_EQ_I(w->value[0], world_value(1));
        engine_sampling(w->engine, &s);
        ASSERT_EQ_U(s.files, 1u << SENSE_ZONEINFO);
        world_free(w);
}

TEST(of_all_that_wait_huge_pages_come_first) {
        World *w = world_new();

        w->n_caches = 1;
        w->trials_closed = true;
        world_plan_make(w);
        /* No wait is known that it would save. */
        (void) text_copy(w->policy[1].knob, sizeof(w->policy[1].knob), TEXT("thp-defrag"));
        w->controllers[1].lead_wait = PLAN_NONE;
        w->controllers[1].expected_share_ppm = 0;
        world_start(w);
        world_run(w, MIN_(10));
        ASSERT_EQ_U(world_state(w, 0), CONTROLLER_ARMED);
        ASSERT_EQ_U(world_state(w, 1), CONTROLLER_ARMED);
        w->trials_closed = false;
        world_step(w);
        ASSERT_EQ_U(world_state(w, 1), CONTROLLER_TRIAL);
        world_free(w);
}

TEST_MAIN()
