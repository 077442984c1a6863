/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/ln.h"
#include "base/number.h"
#include "base/random.h"
#include "core/engine/engine.h"
#include "test.h"

/* A world for the engine: a plan made by hand and a plant of a few lines, in which the cost of a level is what the test says. Knob 0
 * is the fraction of the page lists, the ones behind it are caches. Time passes as the engine asks for. */
enum { W_RATE, W_KCPU, W_COST, W_ZONE, W_ZONE_KPAGE, W_LRU, W_USE, W_LIST, W_FIXED };
#define WORLD_CACHES 8
#define WORLD_WATCHES (W_FIXED + WORLD_CACHES)
#define WORLD_LEVELS 4
#define WORLD_CPUS 64
#define SEC(n) ((usec_t) (n) *USEC_PER_SEC)
#define MIN_(n) SEC((n) *60)
#define HOUR(n) SEC((n) *3600)

typedef struct World World;
struct World {
        /* what a test sets before world_start() */
        unsigned n_caches;
        bool no_lists; /* no controller of the page lists */
        uint64_t seed;
        int64_t effect_ppm[WORLD_LEVELS]; /* of a level of knob 0 on ln cost: -50000 is 5 % less */
        int64_t cache_effect_ppm[WORLD_CACHES]; /* of a cache away from its default */
        int64_t zone_ppm[WORLD_LEVELS], lru_ppm[WORLD_LEVELS];
        int64_t cache_ppm[WORLD_CACHES]; /* list lock wait */
        int64_t noise_ppm;               /* uniform, each frame */
        int64_t start_value;             /* of knob 0 */
        int level_start;
        unsigned trials_per_day, changes_per_hour;
        usec_t quiet_usec;
        const Prior *priors;
        size_t n_priors;
        void (*frame_hook)(World *w, Frame *f); /* last word on a frame */
        void (*outcome_hook)(World *w, const Effect *effect,
                             Outcome *outcome); /* before it takes effect */
        /* the machine */
        usec_t now_usec;
        int64_t value[1 + WORLD_CACHES];
        int64_t cost_ns, rate; /* per page; pages/s */
        Reading reading[WORLD_WATCHES];
        KnobReading knob[1 + WORLD_CACHES];
        Random random;
        GuardFrame guard;
        bool trials_closed, hotplug, gap;
        /* the plan */
        Policy policy[2];
        Watch watches[WORLD_WATCHES];
        PlanKnob knobs[1 + WORLD_CACHES];
        PlanArm arms[WORLD_LEVELS], cache_arms[WORLD_CACHES * 3];
        int present;
        PlanController controllers[2];
        Plan plan;
        EngineConfig config;
        Engine *engine;
        Arena arena;
        uint8_t *memory;
        /* what was seen */
        Effect effects[4096];
        usec_t effect_usec[4096];
        unsigned n_effects;
        unsigned n_open_max;
};

/* Level l of knob 0: fraction 4096 / 2^l, the default is 0. */
static int64_t world_value(unsigned level) {
        return level == 0 ? 0 : 4096 >> level;
}

static unsigned world_level(const World *w) {
        for (unsigned l = 0; l < WORLD_LEVELS; l++)
                if (w->value[0] == world_value(l))
                        return l;
        return 0;
}

_unused_ static World *world_new(void) {
        World *w = calloc(1, sizeof(*w));

        if (!w || !(w->memory = calloc(1, 8 << 20)))
                abort();
        for (unsigned l = 0; l < WORLD_LEVELS; l++) {
                w->zone_ppm[l] = 200000 >> l;
                w->lru_ppm[l] = 50000;
        }
        for (unsigned i = 0; i < WORLD_CACHES; i++)
                w->cache_ppm[i] = 40000 - 1000 * (int64_t) i;
        w->cost_ns = 4000;
        w->rate = 2000000;
        w->trials_per_day = 24;
        w->changes_per_hour = 60;
        w->quiet_usec = MIN_(5);
        w->level_start = -2; /* from the value */
        w->guard = (GuardFrame){ .free_level_ppm = KNOWN(20000000),
                                 .parked_ppm = KNOWN(1000),
                                 .parked_short_ppm = KNOWN(0),
                                 .allocstall = KNOWN(0),
                                 .reclaimed = KNOWN(0),
                                 .psi_some_ppm = KNOWN(0),
                                 .psi_full_ppm = KNOWN(0),
                                 .slab_unreclaimable_bytes = KNOWN((uint64_t) 1 << 30),
                                 .memory_bytes = KNOWN((uint64_t) 64 << 30),
                                 .compact_stall = KNOWN(0),
                                 .compact_fail = KNOWN(0),
                                 .compact_success = KNOWN(0),
                                 .thp_fault = KNOWN(0),
                                 .thp_fallback = KNOWN(0),
                                 .failures = KNOWN(0),
                                 .steal_ppm = KNOWN(0),
                                 .own_cpu_ppm = KNOWN(100),
                                 .zone_reclaim_mode = KNOWN(0) };
        for (unsigned i = 0; i < 2; i++)
                policy_init(&w->policy[i]);
        return w;
}

_unused_ static void world_free(World *w) {
        free(w->memory);
        free(w);
}

static void world_watch(World *w, size_t i, const char *name, Scope scope, uint64_t scale) {
        (void) text_copy(w->watches[i].name, sizeof(w->watches[i].name), text_from(name));
        w->watches[i].scope = scope;
        w->watches[i].scale = scale;
        w->watches[i].spec = signal_spec_find(text_from(name));
}

static void world_targets(Policy *p, const char *name, const char *knob, const char *wait,
                          const char *kpage) {
        (void) text_copy(p->name, sizeof(p->name), text_from(name));
        (void) text_copy(p->knob, sizeof(p->knob), text_from(knob));
        p->n_targets = 2;
        p->target[0] = (PolicyTarget){
                .hot = 20000, .cool = 10000, .windows_hot = 3, .windows_cool = 6
        };
        p->target[1] = (PolicyTarget){
                .hot = 100000, .cool = 50000, .windows_hot = 3, .windows_cool = 6
        };
        (void) text_copy(p->target[0].signal, sizeof(p->target[0].signal), text_from(wait));
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal), text_from(kpage));
}

static void world_knob(World *w, size_t k, const char *name, Scope scope) {
        w->knobs[k] = (PlanKnob){ .spec = knob_spec_find(text_from(name)),
                                  .scope = scope,
                                  .state = KNOB_LIVE,
                                  .owner = OWNER_KERNEL,
                                  .value_known = true,
                                  .def_known = true,
                                  .value = w->value[k],
                                  .def = k == 0 ? 0 : 30,
                                  .wait_watch = k == 0 ? PLAN_NONE : W_FIXED + k - 1 };
        (void) text_copy(w->knobs[k].name, sizeof(w->knobs[k].name), text_from(name));
        (void) text_format(w->knobs[k].path, sizeof(w->knobs[k].path), "file/%s/%s", name,
                           scope.name);
}

static void world_plan(World *w) {
        size_t n = 0;

        world_watch(w, W_RATE, "alloc-rate", scope_system(), 1000000);
        world_watch(w, W_KCPU, "kernel-cpu", scope_system(), 1000000);
        world_watch(w, W_COST, "kernel-cpu-per-kpage", scope_system(), 1000);
        world_watch(w, W_ZONE, "zone-lock-wait", scope_system(), 1000000);
        world_watch(w, W_ZONE_KPAGE, "zone-lock-wait-per-kpage", scope_system(), 1000);
        world_watch(w, W_LRU, "lru-lock-wait", scope_system(), 1000000);
        world_watch(w, W_USE, "zone-lock-use", scope_system(), 1);
        world_watch(w, W_LIST, "list-lock-wait", scope_system(), 1000000);
        world_knob(w, 0, "pcp-high-fraction", scope_system());
        for (unsigned l = 0; l < WORLD_LEVELS; l++) {
                w->arms[l] = (PlanArm){ .kind = l == 0 ? ARM_DEFAULT : ARM_STEP,
                                        .level = l,
                                        .value = world_value(l),
                                        .fits = true };
                (void) text_format(w->arms[l].text, sizeof(w->arms[l].text), "%u", 1u << l);
        }
        for (unsigned i = 0; i < w->n_caches; i++) {
                char name[24];

                (void) text_format(name, sizeof(name), "cache-%u", i);
                world_watch(w, W_FIXED + i, "list-lock-wait", scope_cache(name), 1000000);
                world_knob(w, 1 + i, "slab-cpu-partial", scope_cache(name));
                for (unsigned l = 0; l < 3; l++)
                        w->cache_arms[i * 3 + l] = (PlanArm){ .kind = l == 0 ? ARM_DEFAULT
                                                                             : ARM_STEP,
                                                              .level = l,
                                                              .value = 30 << l,
                                                              .fits = true };
        }
        world_targets(&w->policy[0], "lists", "pcp-high-fraction", "zone-lock-wait",
                      "zone-lock-wait-per-kpage");
        world_targets(&w->policy[1], "caches", "slab-cpu-partial", "list-lock-wait",
                      "list-lock-wait");
        w->policy[1].n_targets = 1;
        w->controllers[0] = (PlanController){ .policy = &w->policy[0],
                                              .may_try = true,
                                              .window_usec = SEC(10),
                                              .settle_usec = SEC(2),
                                              .write_gap_usec = SEC(5),
                                              .target = { W_ZONE, W_ZONE_KPAGE },
                                              .cost = W_COST,
                                              .use = W_USE,
                                              .kernel_cpu = W_KCPU,
                                              .alloc_rate = W_RATE,
                                              .lead_wait = W_ZONE,
                                              .next_wait = W_LRU,
                                              .n_knobs = 1,
                                              .arms = w->arms,
                                              .n_levels = WORLD_LEVELS,
                                              .expected_share_ppm = 500000,
                                              .coupled_pcp = true };
        if (w->level_start > -2) {
                w->present = w->level_start;
                w->controllers[0].present_level = &w->present;
        }
        w->controllers[1] = (PlanController){ .policy = &w->policy[1],
                                              .may_try = true,
                                              .window_usec = SEC(60),
                                              .settle_usec = SEC(10),
                                              .write_gap_usec = SEC(50),
                                              .target = { W_LIST },
                                              .cost = W_COST,
                                              .use = PLAN_NONE,
                                              .kernel_cpu = W_KCPU,
                                              .alloc_rate = W_RATE,
                                              .lead_wait = W_LIST,
                                              .next_wait = PLAN_NONE,
                                              .first_knob = 1,
                                              .n_knobs = w->n_caches,
                                              .arms = w->cache_arms,
                                              .n_levels = 3,
                                              .expected_share_ppm = 500000 };
        for (unsigned i = 0; i < 2; i++)
                for (unsigned t = 0; t < POLICY_TARGETS_MAX; t++) {
                        if (t >= w->policy[i].n_targets)
                                w->controllers[i].target[t] = PLAN_NONE;
                        w->controllers[i].fallback[t] = w->controllers[i].must_not_rise[t] =
                                PLAN_NONE;
                }
        n = w->n_caches > 0 ? 2 : 1;
        w->plan = (Plan){ .watches = w->watches,
                          .n_watches = W_FIXED + w->n_caches,
                          .knobs = w->knobs,
                          .n_knobs = 1 + w->n_caches,
                          .controllers = w->no_lists ? w->controllers + 1 : w->controllers,
                          .n_controllers = w->no_lists ? n - 1 : n,
                          .n_online = WORLD_CPUS };
}

/* The plan can be changed between world_plan_make() and world_start(). */
_unused_ static void world_plan_make(World *w) {
        w->value[0] = w->start_value;
        for (unsigned i = 0; i < w->n_caches; i++)
                w->value[1 + i] = 30;
        world_plan(w);
}

_unused_ static void world_start(World *w) {
        if (w->plan.n_knobs == 0)
                world_plan_make(w);
        arena_init(&w->arena, w->memory, 8 << 20);
        random_seed(&w->random, w->seed, 99);
        w->config = (EngineConfig){ .seed = w->seed,
                                    .tick_usec = SEC(10),
                                    .tick_trial_usec = SEC(2),
                                    .quiet_usec = w->quiet_usec,
                                    .trials_per_day = w->trials_per_day,
                                    .changes_per_hour = w->changes_per_hour,
                                    .own_cpu_ppm = 5000,
                                    .priors = w->priors,
                                    .n_priors = w->n_priors };
        ASSERT_OK(engine_init(&w->arena, &w->config, &w->plan, &w->engine));
}

static void world_fill(World *w, usec_t interval, Frame *f) {
        uint64_t cpu_ns = interval * 1000 * WORLD_CPUS;
        uint64_t pages = u64_muldiv((uint64_t) w->rate, interval, 1000000), wait = 0;
        int64_t effect = w->effect_ppm[world_level(w)], list = 0;
        uint64_t cost;

        for (unsigned i = 0; i < w->n_caches; i++)
                if (w->value[1 + i] > 30)
                        effect += w->cache_effect_ppm[i];
        if (w->noise_ppm > 0)
                effect += (int64_t) random_below(&w->random, (uint32_t) w->noise_ppm * 2 + 1) -
                          w->noise_ppm;
        cost = exp_micro(effect, (uint64_t) w->cost_ns);
        memset(w->reading, 0, sizeof(w->reading));
        if (interval > 0) {
                wait = u64_muldiv(cpu_ns, (uint64_t) w->zone_ppm[world_level(w)], 1000000);
                w->reading[W_RATE] = (Reading){ pages, interval, EVIDENCE_COUNTED };
                w->reading[W_KCPU] = (Reading){ 40, 100, EVIDENCE_COUNTED };
                w->reading[W_COST] = (Reading){ cost * pages, pages, EVIDENCE_COUNTED };
                w->reading[W_ZONE] = (Reading){ wait, cpu_ns, EVIDENCE_MEASURED };
                w->reading[W_ZONE_KPAGE] = (Reading){ wait, pages, EVIDENCE_MEASURED };
                w->reading[W_LRU] = (Reading){
                        u64_muldiv(cpu_ns, (uint64_t) w->lru_ppm[world_level(w)], 1000000), cpu_ns,
                        EVIDENCE_MEASURED
                };
                w->reading[W_USE] = (Reading){ 500000, 1, EVIDENCE_ESTIMATED };
                for (unsigned i = 0; i < w->n_caches; i++) {
                        int64_t ppm = w->value[1 + i] > 30 ? w->cache_ppm[i] / 2 : w->cache_ppm[i];

                        list += ppm;
                        w->reading[W_FIXED + i] = (Reading){ u64_muldiv(cpu_ns, (uint64_t) ppm,
                                                                        1000000),
                                                             cpu_ns, EVIDENCE_MEASURED };
                }
                w->reading[W_LIST] = (Reading){ u64_muldiv(cpu_ns, (uint64_t) list, 1000000),
                                                cpu_ns, EVIDENCE_MEASURED };
        }
        for (size_t k = 0; k < w->plan.n_knobs; k++)
                w->knob[k] = (KnobReading){ .known = true, .value = w->value[k] };
        *f = (Frame){ .at_usec = w->now_usec,
                      .interval_usec = interval,
                      .gap = w->gap,
                      .hotplug = w->hotplug,
                      .trials_open = !w->trials_closed,
                      .n_online = WORLD_CPUS,
                      .reading = w->reading,
                      .knob = w->knob,
                      .guard = w->guard };
}

static void world_effects(World *w) {
        Effect effect;

        while (engine_next(w->engine, &effect) == 0) {
                Outcome outcome = { .result = VERIFY_APPLIED,
                                    .actual_known = true,
                                    .actual = effect.to };

                w->now_usec += 1000;
                outcome.at_usec = w->now_usec;
                ASSERT_LE_U(w->n_effects + 1, ELEMENTSOF(w->effects));
                w->effect_usec[w->n_effects] = w->now_usec;
                w->effects[w->n_effects++] = effect;
                if (w->value[effect.knob] != effect.from)
                        outcome = (Outcome){ .result = VERIFY_FOREIGN,
                                             .actual_known = true,
                                             .actual = w->value[effect.knob],
                                             .at_usec = w->now_usec };
                if (w->outcome_hook)
                        w->outcome_hook(w, &effect, &outcome);
                if (outcome.result == VERIFY_APPLIED)
                        w->value[effect.knob] = effect.to;
                else if (outcome.result == VERIFY_ROUNDED)
                        w->value[effect.knob] = outcome.actual;
                ASSERT_OK(engine_resolve(w->engine, &effect, &outcome));
        }
}

/* One frame at the time the engine asks for, but not beyond `until`. */
static void world_step_until(World *w, usec_t until_usec) {
        Sampling sampling;
        usec_t before = w->now_usec;
        unsigned n_open = 0;
        Frame frame;

        engine_sampling(w->engine, &sampling);
        w->now_usec = MAX(MIN(sampling.at_usec, until_usec), before + 1);
        world_fill(w, before == 0 ? 0 : w->now_usec - before, &frame);
        if (w->frame_hook)
                w->frame_hook(w, &frame);
        ASSERT_OK(engine_observe(w->engine, &frame));
        world_effects(w);
        for (size_t i = 0; i < w->plan.n_controllers; i++) {
                ControllerView view;

                ASSERT_TRUE(engine_controller(w->engine, i, &view));
                n_open += view.state == CONTROLLER_TRIAL;
        }
        w->n_open_max = MAX(w->n_open_max, n_open);
}

_unused_ static void world_step(World *w) {
        world_step_until(w, UINT64_MAX);
}

_unused_ static void world_run(World *w, usec_t for_usec) {
        usec_t end = w->now_usec + for_usec;

        while (w->now_usec < end)
                world_step_until(w, end);
}

static ControllerState world_state(const World *w, size_t i) {
        ControllerView view;

        ASSERT_TRUE(engine_controller(w->engine, i, &view));
        return view.state;
}

/* Runs until the controller is in the state, at most for so long. False: it never was. */
_unused_ static bool world_until(World *w, size_t i, ControllerState state, usec_t for_usec) {
        usec_t end = w->now_usec + for_usec;

        while (w->now_usec < end && world_state(w, i) != state)
                world_step_until(w, end);
        return world_state(w, i) == state;
}

/* The last record of the kind, or NULL. */
_unused_ static const Record *world_record(const World *w, RecordKind kind) {
        const Record *r, *last = NULL;

        for (size_t i = 0; (r = engine_record(w->engine, i)); i++)
                if (r->kind == kind)
                        last = r;
        return last;
}

_unused_ static unsigned world_records(const World *w, RecordKind kind) {
        const Record *r;
        unsigned n = 0;

        for (size_t i = 0; (r = engine_record(w->engine, i)); i++)
                n += r->kind == kind;
        return n;
}

_unused_ static void world_print(const World *w) {
        const Record *r;
        char text[512];

        for (size_t i = 0; (r = engine_record(w->engine, i)); i++) {
                (void) record_reason(w->engine, r, text, sizeof(text));
                printf("# %8.1f %-12s %-12s %s\n", (double) r->at_usec / 1e6,
                       r->policy ? r->policy->name : "-", record_kind_to_string(r->kind), text);
        }
}
