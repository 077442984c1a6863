/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-world.h"

/* What holds whatever happens: worlds with random effects and noise, in which guards fire, others write, files refuse, ticks get lost
 * and the operator pauses. Everything follows from the seed. */

#define RUNS 40
#define KNOBS (1 + WORLD_CACHES)

typedef struct Chaos {
        Random random;
        bool foreign[KNOBS], refused[KNOBS], paused[KNOBS], tainted[KNOBS];
        unsigned n_foreign, n_refused;
} Chaos;

static Chaos chaos; /* of the run: hooks have no argument of their own */

static void outcome(World *w, const Effect *effect, Outcome *o) {
        (void) w;
        ASSERT_FALSE(chaos.foreign[effect->knob]);
        switch (random_below(&chaos.random, 40)) {
        case 0:
                *o = (Outcome){ .result = VERIFY_TRANSIENT, .error = EBUSY, .at_usec = o->at_usec };
                return;
        case 1:
                *o = (Outcome){ .result = VERIFY_IGNORED,
                                .actual_known = true,
                                .actual = effect->from,
                                .at_usec = o->at_usec };
                return;
        case 2:
                if (effect->restore || random_below(&chaos.random, 10) > 0)
                        return;
                *o = (Outcome){ .result = VERIFY_REFUSED, .error = EINVAL, .at_usec = o->at_usec };
                chaos.refused[effect->knob] = true;
                chaos.n_refused++;
                return;
        default:
                return;
        }
}

static void frame(World *w, Frame *f) {
        unsigned n = random_below(&chaos.random, 1000);

        f->gap = n == 0;
        f->hotplug = n == 1;
        if (n == 2)
                f->guard.allocstall = KNOWN(1);
        if (n == 3)
                f->guard.parked_short_ppm = KNOWN(20000 + random_below(&chaos.random, 60000));
        if (n == 4)
                f->guard.psi_full_ppm = KNOWN(50000);
        if (n == 5)
                f->guard.steal_ppm = KNOWN(70000);
        if (n == 6)
                f->guard.reclaimed = KNOWN(7);
        if (n == 7)
                for (size_t i = 0; i < w->plan.n_watches; i++)
                        w->reading[i] = (Reading){ 0 };
        if (n == 8)
                f->guard.own_cpu_ppm = KNOWN(900000);
}

/* Between two frames. */
static void meddle(World *w) {
        size_t k = random_below(&chaos.random, (uint32_t) w->plan.n_knobs);

        switch (random_below(&chaos.random, 4000)) {
        case 0:
                w->value[k] = 1000 + (int64_t) random_below(&chaos.random, 1000);
                chaos.foreign[k] = chaos.tainted[k] = true;
                chaos.n_foreign++;
                break;
        case 1:
                ASSERT_OK(engine_pause(w->engine, k, w->now_usec));
                break;
        case 2:
        case 3:
                ASSERT_OK(engine_resume(w->engine, k, w->now_usec));
                /* Theirs is the start from now on, once the engine has seen it. */
                chaos.foreign[k] = false;
                break;
        default:
                break;
        }
        world_effects(w);
}

static World *chaos_world(uint64_t seed) {
        World *w = world_new();

        memset(&chaos, 0, sizeof(chaos));
        random_seed(&chaos.random, seed, 5);
        w->seed = seed;
        w->n_caches = random_below(&chaos.random, WORLD_CACHES + 1);
        w->quiet_usec = SEC(random_below(&chaos.random, 400));
        w->noise_ppm = (int64_t) random_below(&chaos.random, 100000);
        for (unsigned l = 1; l < WORLD_LEVELS; l++)
                w->effect_ppm[l] = (int64_t) random_below(&chaos.random, 400000) - 250000;
        for (unsigned i = 0; i < WORLD_CACHES; i++) {
                w->cache_effect_ppm[i] = (int64_t) random_below(&chaos.random, 200000) - 130000;
                w->cache_ppm[i] = random_below(&chaos.random, 60000);
        }
        w->frame_hook = frame;
        w->outcome_hook = outcome;
        world_start(w);
        return w;
}

/* A state of the engine that a run may not have. */
static void check(const World *w) {
        for (size_t i = 0; i < w->plan.n_controllers; i++) {
                ControllerView view;

                ASSERT_TRUE(engine_controller(w->engine, i, &view));
                ASSERT_TRUE(view.state < _CONTROLLER_STATE_MAX);
                ASSERT_LE_U(view.n_group, PLAN_GROUP_MAX);
                for (unsigned g = 0; g < view.n_group; g++)
                        ASSERT_TRUE(view.group[g] < w->plan.n_knobs);
        }
        ASSERT_FALSE(engine_controller(w->engine, w->plan.n_controllers, &(ControllerView){ 0 }));
}

/* A pair of windows is at least twice nine tenths of a window long: more than five writes of one knob within four windows are no trial's. */
static void check_pace(const World *w) {
        static const usec_t quad[] = { SEC(36), SEC(4 * 54) };

        for (size_t k = 0; k < w->plan.n_knobs; k++) {
                usec_t last[6] = { 0 };
                unsigned n = 0;

                for (unsigned i = 0; i < w->n_effects; i++) {
                        if (w->effects[i].knob != k)
                                continue;
                        if (n >= 6 && w->effects[i].from != w->effects[i].to)
                                ASSERT_TRUE(w->effect_usec[i] - last[n % 6] >= quad[k > 0] ||
                                            chaos.n_refused > 0 || w->effects[i].restore);
                        last[n++ % 6] = w->effect_usec[i];
                }
        }
}

TEST(whatever_happens_one_trial_is_open_and_a_foreign_knob_is_left_alone) {
        unsigned n_foreign = 0, n_trials = 0, n_effects = 0;

        for (uint64_t seed = 0; seed < RUNS; seed++) {
                World *w = chaos_world(seed);
                usec_t end = HOUR(12) + SEC(random_below(&chaos.random, 7200));
                EngineCounts counts;

                while (w->now_usec < end && w->n_effects < 3900) {
                        meddle(w);
                        world_step_until(w, end);
                        check(w);
                }
                ASSERT_LE_U(w->n_open_max, 1);
                check_pace(w);
                engine_counts(w->engine, &counts);
                n_foreign += chaos.n_foreign;
                n_trials += (unsigned) counts.trials;
                n_effects += w->n_effects;
                world_free(w);
        }
        /* Something did happen. */
        ASSERT_GE_U(n_foreign, RUNS / 4);
        ASSERT_GE_U(n_trials, RUNS * 3);
        ASSERT_GE_U(n_effects, RUNS * 50);
}

TEST(after_a_stop_at_any_time_every_value_is_that_of_the_start) {
        unsigned n_away = 0;

        for (uint64_t seed = 100; seed < 100 + RUNS; seed++) {
                World *w = chaos_world(seed);
                usec_t end = SEC(60 + random_below(&chaos.random, 30000));

                while (w->now_usec < end && w->n_effects < 3900) {
                        meddle(w);
                        world_step_until(w, end);
                }
                for (size_t k = 0; k < w->plan.n_knobs; k++)
                        n_away += !chaos.tainted[k] && w->value[k] != (k == 0 ? 0 : 30);
                engine_stop(w->engine, w->now_usec);
                /* A file may be busy: the loop of the service tries again while time passes. */
                w->frame_hook = NULL;
                for (unsigned i = 0; i < 20; i++) {
                        world_effects(w);
                        w->now_usec += SEC(2);
                        world_step_until(w, w->now_usec + SEC(1));
                }
                for (size_t k = 0; k < w->plan.n_knobs; k++)
                        if (!chaos.tainted[k])
                                ASSERT_EQ_I(w->value[k], k == 0 ? 0 : 30);
                world_free(w);
        }
        ASSERT_GE_U(n_away, RUNS / 4);
}

/* Everything that a record says. */
static uint64_t records_hash(const World *w) {
        uint64_t hash = 14695981039346656037u;
        const Record *r;
        char text[500];

        for (size_t i = 0; (r = engine_record(w->engine, i)); i++) {
                const uint64_t numbers[] = { r->number,
                                             r->at_usec,
                                             r->kind,
                                             r->knob,
                                             (uint64_t) r->from,
                                             (uint64_t) r->to,
                                             r->decision,
                                             r->watch,
                                             (uint64_t) r->value_milli,
                                             (uint64_t) r->target_milli,
                                             r->evidence,
                                             r->verdict,
                                             (uint64_t) r->effect_ppm,
                                             (uint64_t) r->low_ppm,
                                             (uint64_t) r->high_ppm,
                                             (uint64_t) r->number_a,
                                             (uint64_t) r->number_b };

                for (size_t k = 0; k < ELEMENTSOF(numbers); k++)
                        hash = (hash ^ numbers[k]) * 1099511628211u;
                (void) record_reason(w->engine, r, text, sizeof(text));
                for (const char *t = text; *t; t++)
                        hash = (hash ^ (uint8_t) *t) * 1099511628211u;
        }
        return hash ^ engine_record_count(w->engine);
}

TEST(the_same_frames_and_outcomes_give_the_same_records) {
        for (uint64_t seed = 200; seed < 210; seed++) {
                uint64_t hash[3];

                for (unsigned i = 0; i < 3; i++) {
                        World *w = chaos_world(seed);

                        /* Another seed of the engine in the same world: other orders of arms, other records. */
                        if (i == 2) {
                                w->seed = seed + 1000;
                                world_start(w);
                        }
                        while (w->now_usec < HOUR(10) && w->n_effects < 3900) {
                                meddle(w);
                                world_step(w);
                        }
                        hash[i] = records_hash(w);
                        world_free(w);
                }
                ASSERT_EQ_U(hash[0], hash[1]);
                ASSERT_NE_U(hash[0], hash[2]);
        }
}

TEST(records_are_numbered_without_holes_and_the_last_ones_are_kept) {
        World *w = chaos_world(7);
        const Record *r;
        uint64_t n;
        size_t i = 0;

        while (engine_record_count(w->engine) < ENGINE_RECORDS + 100 &&
               w->now_usec < HOUR(24 * 20) && w->n_effects < 4000) {
                world_step(w);
                w->n_effects = MIN(w->n_effects, 3000u);
        }
        n = engine_record_count(w->engine);
        ASSERT_GE_U(n, ENGINE_RECORDS + 100);
        for (; (r = engine_record(w->engine, i)); i++)
                ASSERT_EQ_U(r->number, n - ENGINE_RECORDS + 1 + i);
        ASSERT_EQ_U(i, ENGINE_RECORDS);
        world_free(w);
}

TEST_MAIN()
