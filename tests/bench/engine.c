/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cost of one engine tick on a large plan: 300 caches, 8 nodes, three controllers. Best of several rounds, because other programs run
 * beside this; a round has states of every kind (observing, hot, on trial). The engine has no allocator to call, so nothing is counted
 * there; what this shows is time. Exit 1 above the limit. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/engine/engine.h"

#define N_CACHES 300u
#define N_NODES 8u
#define LIMIT_NS 20000.0
#define ROUNDS 9
#define TICKS 20000u

enum { W_ALLOC, W_KCPU, W_COST, W_LRU, W_LIST, W_LIST_KPAGE, W_ZONE, W_ZONE_KPAGE, W_USE, W_FIXED };

static Watch watches[W_FIXED + 2 * N_NODES + N_CACHES];
static Reading readings[ELEMENTSOF(watches)];
static PlanKnob knobs[1 + N_CACHES];
static KnobReading knob_readings[ELEMENTSOF(knobs)];
static PlanArm pcp_arms[3], cache_arms[N_CACHES * 3];
static PlanController controllers[2];
static int present_level[ELEMENTSOF(knobs)];

static size_t watch_add(size_t i, const char *name, Scope scope, uint64_t scale) {
        (void) text_copy(watches[i].name, sizeof(watches[i].name), text_from(name));
        watches[i].scope = scope;
        watches[i].scale = scale;
        watches[i].spec = signal_spec_find(text_from(name));
        return i;
}

static void policy_targets(Policy *p, const char *name, const char *knob, const char *wait,
                           const char *wait_kpage) {
        policy_init(p);
        (void) text_copy(p->name, sizeof(p->name), text_from(name));
        (void) text_copy(p->knob, sizeof(p->knob), text_from(knob));
        p->target[0] = (PolicyTarget){
                .hot = 20000, .cool = 10000, .windows_hot = 3, .windows_cool = 6
        };
        p->target[1] = (PolicyTarget){
                .hot = 100000, .cool = 50000, .windows_hot = 3, .windows_cool = 6
        };
        (void) text_copy(p->target[0].signal, sizeof(p->target[0].signal), text_from(wait));
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal), text_from(wait_kpage));
        p->n_targets = 2;
        p->n_arms = 2;
}

static void make_plan(Plan *plan, Policy policies[2]) {
        size_t n = W_FIXED;

        (void) watch_add(W_ALLOC, "alloc-rate", scope_system(), 1000000);
        (void) watch_add(W_KCPU, "kernel-cpu", scope_system(), 1000000);
        (void) watch_add(W_COST, "kernel-cpu-per-kpage", scope_system(), 1000);
        (void) watch_add(W_LRU, "lru-lock-wait", scope_system(), 1000000);
        (void) watch_add(W_LIST, "list-lock-wait", scope_system(), 1000000);
        (void) watch_add(W_LIST_KPAGE, "list-lock-wait-per-kpage", scope_system(), 1000);
        (void) watch_add(W_ZONE, "zone-lock-wait", scope_system(), 1000000);
        (void) watch_add(W_ZONE_KPAGE, "zone-lock-wait-per-kpage", scope_system(), 1000);
        (void) watch_add(W_USE, "zone-lock-use", scope_system(), 1);
        for (unsigned i = 0; i < N_NODES; i++) {
                n = watch_add(n, "zone-lock-wait", scope_node(i), 1000000) + 1;
                n = watch_add(n, "list-lock-wait", scope_node(i), 1000000) + 1;
        }
        policy_targets(&policies[0], "pcp-contention", "pcp-high-fraction", "zone-lock-wait",
                       "zone-lock-wait-per-kpage");
        policy_targets(&policies[1], "slab-partial", "slab-cpu-partial", "list-lock-wait",
                       "list-lock-wait-per-kpage");
        for (unsigned k = 0; k < ELEMENTSOF(knobs); k++) {
                PlanArm *arms = k == 0 ? pcp_arms : &cache_arms[(k - 1) * 3];
                char name[32];

                (void) text_format(name, sizeof(name), "cache-%03u", k);
                knobs[k] = (PlanKnob){ .spec = knob_spec_find(text_from(
                                               k == 0 ? "pcp-high-fraction" : "slab-cpu-partial")),
                                       .scope = k == 0 ? scope_system() : scope_cache(name),
                                       .state = KNOB_LIVE,
                                       .owner = OWNER_KERNEL,
                                       .value_known = true,
                                       .def_known = true,
                                       .value = k == 0 ? 0 : 52,
                                       .def = k == 0 ? 0 : 52,
                                       .wait_watch = PLAN_NONE };
                (void) text_copy(knobs[k].name, sizeof(knobs[k].name),
                                 text_from(knobs[k].spec->name));
                if (k > 0) {
                        knobs[k].wait_watch = n;
                        n = watch_add(n, "list-lock-wait", knobs[k].scope, 1000000) + 1;
                }
                for (unsigned l = 0; l < 3; l++)
                        arms[l] = (PlanArm){ .kind = l == 0 ? ARM_DEFAULT : ARM_STEP,
                                             .level = l,
                                             .fits = true,
                                             .value = k == 0 ? (l == 0 ? 0 : 4096 >> l) : 52 << l };
        }
        for (unsigned i = 0; i < 2; i++)
                controllers[i] = (PlanController){ .policy = &policies[i],
                                                   .may_try = true,
                                                   .window_usec = (i ? 60 : 10) * USEC_PER_SEC,
                                                   .settle_usec = (i ? 10 : 2) * USEC_PER_SEC,
                                                   .write_gap_usec = (i ? 50 : 5) * USEC_PER_SEC,
                                                   .target = { i ? W_LIST : W_ZONE,
                                                               i ? W_LIST_KPAGE : W_ZONE_KPAGE },
                                                   .cost = W_COST,
                                                   .use = W_USE,
                                                   .kernel_cpu = W_KCPU,
                                                   .alloc_rate = W_ALLOC,
                                                   .lead_wait = i ? W_LIST : W_ZONE,
                                                   .next_wait = i ? PLAN_NONE : W_LRU,
                                                   .first_knob = i ? 1 : 0,
                                                   .n_knobs = i ? N_CACHES : 1,
                                                   .arms = i ? cache_arms : pcp_arms,
                                                   .n_levels = 3,
                                                   .present_level = &present_level[i ? 1 : 0],
                                                   .expected_share_ppm = 500000,
                                                   .coupled_pcp = i == 0 };
        *plan = (Plan){ .watches = watches,
                        .n_watches = n,
                        .knobs = knobs,
                        .n_knobs = ELEMENTSOF(knobs),
                        .controllers = controllers,
                        .n_controllers = 2,
                        .n_online = 256 };
        for (unsigned k = 0; k < ELEMENTSOF(knobs); k++)
                knob_readings[k] = (KnobReading){ .known = true, .value = knobs[k].value };
}

static void fill(unsigned tick, usec_t interval_usec) {
        uint64_t pages = 5000 * interval_usec / 1000, cpu_ns = interval_usec * 1000 * 256;
        bool hot = tick / 4000 % 2 == 0;

        readings[W_ALLOC] = (Reading){ pages, interval_usec, EVIDENCE_COUNTED };
        readings[W_KCPU] = (Reading){ 40 + tick % 7, 100, EVIDENCE_COUNTED };
        readings[W_COST] = (Reading){ pages * (20000 + tick % 131), pages, EVIDENCE_COUNTED };
        for (size_t i = W_LRU; i < ELEMENTSOF(readings); i++)
                readings[i] = (Reading){ cpu_ns / (hot ? 10 : 1000) / (i >= W_FIXED ? 100 : 1),
                                         cpu_ns, EVIDENCE_MEASURED };
        readings[W_LIST_KPAGE] = (Reading){ readings[W_LIST].num, pages, EVIDENCE_MEASURED };
        readings[W_ZONE_KPAGE] = (Reading){ readings[W_ZONE].num, pages, EVIDENCE_MEASURED };
        readings[W_USE] = (Reading){ 500000, 1, EVIDENCE_ESTIMATED };
}

static double now_ns(void) {
        struct timespec ts;

        (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
        return (double) ts.tv_sec * 1e9 + (double) ts.tv_nsec;
}

int main(void) {
        static uint8_t memory[16 << 20];
        static Policy policies[2];
        double best = 1e18, worst_tick = 0;
        EngineCounts counts = { 0 };
        Arena arena;

        arena_init(&arena, memory, sizeof(memory));

        for (unsigned round = 0; round < ROUNDS; round++) {
                EngineConfig config = { .seed = round,
                                        .tick_usec = 10 * USEC_PER_SEC,
                                        .tick_trial_usec = 2 * USEC_PER_SEC,
                                        .quiet_usec = 300 * USEC_PER_SEC,
                                        .trials_per_day = 288,
                                        .changes_per_hour = 3600,
                                        .own_cpu_ppm = 5000 };
                Engine *engine;
                Plan plan;
                usec_t at = 0;
                double spent = 0;

                arena_reset(&arena);
                make_plan(&plan, policies);
                if (engine_init(&arena, &config, &plan, &engine) != 0)
                        return 1;
                for (unsigned tick = 0; tick < TICKS; tick++) {
                        Sampling sampling;
                        Effect effect;
                        Frame frame;
                        double start, took;
                        usec_t interval;

                        engine_sampling(engine, &sampling);
                        interval = MAX(sampling.at_usec, at + 1000) - at;
                        at += interval;
                        fill(tick, interval);
                        frame = (Frame){ .at_usec = at,
                                         .interval_usec = interval,
                                         .trials_open = true,
                                         .n_online = 256,
                                         .reading = readings,
                                         .knob = knob_readings,
                                         .guard = { .free_level_ppm = KNOWN(20000000),
                                                    .parked_ppm = KNOWN(5000),
                                                    .parked_short_ppm = KNOWN(0),
                                                    .allocstall = KNOWN(0),
                                                    .reclaimed = KNOWN(0),
                                                    .psi_some_ppm = KNOWN(0),
                                                    .psi_full_ppm = KNOWN(0),
                                                    .slab_unreclaimable_bytes = KNOWN(1u << 30),
                                                    .memory_bytes = KNOWN(UINT64_C(1) << 40),
                                                    .failures = KNOWN(0),
                                                    .steal_ppm = KNOWN(0),
                                                    .zone_reclaim_mode = KNOWN(0) } };
                        start = now_ns();
                        if (engine_observe(engine, &frame) != 0)
                                return 1;
                        while (engine_next(engine, &effect) == 0) {
                                Outcome outcome = { .result = VERIFY_APPLIED,
                                                    .actual_known = true,
                                                    .actual = effect.to,
                                                    .at_usec = at };

                                knob_readings[effect.knob].value = effect.to;
                                if (engine_resolve(engine, &effect, &outcome) != 0)
                                        return 1;
                        }
                        took = now_ns() - start;
                        spent += took;
                        if (round > 0)
                                worst_tick = MAX(worst_tick, took);
                }
                best = MIN(best, spent / TICKS);
                engine_counts(engine, &counts);
        }
        printf("engine tick, %u caches, %u nodes, %zu watches: %.2f us (limit %.0f us), slowest single one %.0f us; last round: %llu trials, %llu writes\n",
               N_CACHES, N_NODES, ELEMENTSOF(watches), best / 1000, LIMIT_NS / 1000,
               worst_tick / 1000, (unsigned long long) counts.trials,
               (unsigned long long) counts.writes);
        return best <= LIMIT_NS && counts.trials > 0 ? 0 : 1;
}
