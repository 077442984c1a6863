/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "conf/policy-file.h"
#include "machine/memory.h"

/* The watches of the plan, in order. */
enum { W_ALLOC, W_KCPU, W_COST, W_LRU, W_ZONE, W_ZONE_KPAGE, W_USE, _W_MAX };

#define VALUE_OF(level) ((level) == 0 ? 0 : 4096 >> (level))
#define ARENA_SIZE ((size_t) 16 << 20)

const Policy *mc_policy(const char *name) {
        static PolicySet *set; /* lives as long as the program */
        static char dir[512];
        const char *source = getenv("SOURCE_ROOT");
        ConfIssues issues = { 0 };
        ConfOptions options = { .prefix = "/nonexistent", .policy_dir = dir };
        const Policy *p;

        (void) text_format(dir, sizeof(dir), "%s/policies", source ? source : ".");
        if (!set && policy_set_load(&options, NULL, PROFILE_DEFAULT, &set, &issues) < 0)
                return NULL;
        p = policy_set_find(set, name);
        if (!p)
                printf("# no policy %s in %s\n", name, dir);
        return p;
}

int64_t mc_regret_ppm(const McCurve *curve, unsigned level) {
        double best = curve->cost[0];

        for (unsigned l = 1; l < MC_LEVELS; l++)
                best = MIN(best, curve->cost[l]);
        return (int64_t) ((curve->cost[level] / best - 1) * 1e6);
}

typedef struct World {
        McRun *run;
        Plan plan;
        Watch watches[_W_MAX];
        PlanKnob knob;
        PlanController controller;
        PlanArm arms[MC_LEVELS];
        int present_level;
        Engine *engine;
        SimNoiseState cost_noise, load_noise;
        Random random;
        int64_t value;
        unsigned level, regime;
        usec_t now_usec, foreign_usec, guard_usec, changed_usec;
        bool foreign_done;
        uint64_t slab_bytes, n_records;
        unsigned entries[MC_LEVELS];
        unsigned n_climbs;
        ControllerState state;
        usec_t trial_since_usec;
} World;

static void set_watch(World *w, unsigned i, const char *name, uint64_t scale) {
        (void) text_copy(w->watches[i].name, sizeof(w->watches[i].name), text_from(name));
        w->watches[i].scope = scope_system();
        w->watches[i].scale = scale;
        w->watches[i].spec = signal_spec_find(text_from(name));
}

static size_t watch_of(const World *w, const char *name) {
        for (size_t i = 0; i < _W_MAX; i++)
                if (strcmp(w->watches[i].name, name) == 0)
                        return i;
        return PLAN_NONE;
}

static void make_plan(World *w) {
        const Policy *p = w->run->policy;
        PlanController *c = &w->controller;

        set_watch(w, W_ALLOC, "alloc-rate", 1000000);
        set_watch(w, W_KCPU, "kernel-cpu", 1000000);
        set_watch(w, W_COST, "kernel-cpu-per-kpage", 1000);
        set_watch(w, W_LRU, "lru-lock-wait", 1000000);
        set_watch(w, W_ZONE, "zone-lock-wait", 1000000);
        set_watch(w, W_ZONE_KPAGE, "zone-lock-wait-per-kpage", 1000);
        set_watch(w, W_USE, "zone-lock-use", 1);
        w->watches[W_USE].gauge = true;
        w->knob = (PlanKnob){ .spec = knob_spec_find(TEXT("pcp-high-fraction")),
                              .scope = scope_system(),
                              .state = KNOB_LIVE,
                              .owner = OWNER_KERNEL,
                              .value_known = true,
                              .def_known = true,
                              .wait_watch = PLAN_NONE };
        (void) text_copy(w->knob.name, sizeof(w->knob.name), TEXT("pcp-high-fraction"));
        for (unsigned l = 0; l < MC_LEVELS; l++) {
                w->arms[l] = (PlanArm){
                        .kind = l == 0 ? ARM_DEFAULT : ARM_STEP,
                        .level = l,
                        .value = VALUE_OF(l),
                        .fits = true,
                        .parked_possible_ppm = l == 0 ? 0 : w->run->parked_ppm_per_level << l
                };
                (void) text_format(w->arms[l].text, sizeof(w->arms[l].text), "%u", 1u << l);
                if (w->arms[l].parked_possible_ppm > (uint64_t) p->parked_possible_ppm)
                        w->arms[l].fits = false;
        }
        *c = (PlanController){ .policy = p,
                               .may_try = true,
                               .window_usec = 10 * USEC_PER_SEC,
                               .settle_usec = 2 * USEC_PER_SEC,
                               .write_gap_usec = 5 * USEC_PER_SEC,
                               .cost = watch_of(w, p->cost),
                               .use = W_USE,
                               .kernel_cpu = W_KCPU,
                               .alloc_rate = W_ALLOC,
                               .lead_wait = W_ZONE,
                               .next_wait = W_LRU,
                               .n_knobs = 1,
                               .arms = w->arms,
                               .present_level = &w->present_level,
                               .n_levels = MC_LEVELS,
                               .feed_forward = w->run->feed_forward,
                               .expected_share_ppm = 500000,
                               .coupled_pcp = true };
        for (unsigned i = 0; i < p->n_targets; i++)
                c->target[i] = watch_of(w, p->target[i].signal);
        for (unsigned i = 0; i < p->n_fallback; i++)
                c->fallback[i] = watch_of(w, p->fallback[i].signal);
        for (unsigned i = 0; i < p->n_must_not_rise; i++)
                c->must_not_rise[i] = watch_of(w, p->must_not_rise[i]);
        w->plan = (Plan){ .watches = w->watches,
                          .n_watches = _W_MAX,
                          .knobs = &w->knob,
                          .n_knobs = 1,
                          .controllers = c,
                          .n_controllers = 1,
                          .n_online = w->run->curve[0]->cpus };
}

static const McCurve *curve_now(World *w) {
        unsigned regime = 0;

        if (w->run->n_curves > 1)
                regime = (unsigned) (w->now_usec / w->run->switch_usec) % w->run->n_curves;
        if (regime != w->regime) {
                w->regime = regime;
                memset(w->entries, 0, sizeof(w->entries));
        }
        return w->run->curve[regime];
}

static uint64_t whole(double x) {
        return x <= 0 ? 0 : (uint64_t) x;
}

static void make_frame(World *w, usec_t at_usec, Reading reading[], KnobReading *knob,
                       Frame *frame) {
        McRun *run = w->run;
        double dt = (double) (at_usec - w->now_usec) * 1e-6;
        const McCurve *c;
        double pages, kernel_ns, cpu_ns;

        w->now_usec = at_usec;
        c = curve_now(w);
        cpu_ns = dt * 1e9 * c->cpus;
        pages = c->pages_per_s * dt * sim_noise_next(&w->load_noise, dt);
        /* Kernel time follows pages at the cost of the level; noise moves the cost, not the pages. */
        kernel_ns = c->kernel_share * 1e9 * c->cpus * pages / c->pages_per_s * c->cost[w->level] /
                    c->cost[0] * sim_noise_next(&w->cost_noise, dt);
        *frame = (Frame){ .at_usec = at_usec,
                          .interval_usec = (usec_t) (dt * 1e6 + 0.5),
                          .trials_open = true,
                          .n_online = c->cpus,
                          .reading = reading,
                          .knob = knob };
        reading[W_ALLOC] = (Reading){ whole(pages), frame->interval_usec, EVIDENCE_COUNTED };
        reading[W_KCPU] = (Reading){ whole(kernel_ns / 1e7 * 10), whole(cpu_ns / 1e7 * 10),
                                     EVIDENCE_COUNTED };
        reading[W_COST] = (Reading){ whole(kernel_ns), whole(pages), EVIDENCE_COUNTED };
        reading[W_LRU] = (Reading){ whole(cpu_ns * c->lru_ppm[w->level] * 1e-6), whole(cpu_ns),
                                    EVIDENCE_MEASURED };
        reading[W_ZONE] = (Reading){ whole(cpu_ns * c->zone_ppm[w->level] * 1e-6), whole(cpu_ns),
                                     EVIDENCE_MEASURED };
        reading[W_ZONE_KPAGE] = (Reading){ reading[W_ZONE].num, whole(pages), EVIDENCE_MEASURED };
        reading[W_USE] = (Reading){ 500000, 1, EVIDENCE_ESTIMATED };
        *knob = (KnobReading){ .known = true, .value = w->value };
        frame->guard = (GuardFrame){ .free_level_ppm = KNOWN(20000000),
                                     .parked_ppm = KNOWN(5000),
                                     .parked_short_ppm = KNOWN(0),
                                     .allocstall = KNOWN(0),
                                     .reclaimed = KNOWN(0),
                                     .psi_some_ppm = KNOWN(0),
                                     .psi_full_ppm = KNOWN(0),
                                     .slab_unreclaimable_bytes = KNOWN(w->slab_bytes),
                                     .memory_bytes = KNOWN((uint64_t) 256 << 30),
                                     .compact_stall = KNOWN(0),
                                     .compact_fail = KNOWN(0),
                                     .compact_success = KNOWN(0),
                                     .thp_fault = KNOWN(0),
                                     .thp_fallback = KNOWN(0),
                                     .failures = KNOWN(0),
                                     .steal_ppm = KNOWN(0),
                                     .own_cpu_ppm = KNOWN(100),
                                     .zone_reclaim_mode = KNOWN(0) };
        switch (run->disturb) {
        case MC_DISTURB_NONE:
        case MC_DISTURB_FOREIGN:
                break;
        case MC_DISTURB_GUARD:
                /* One sample in about 300 shows direct reclaim. */
                if (random_below(&w->random, 300) == 0) {
                        frame->guard.allocstall = KNOWN(40);
                        frame->guard.free_level_ppm = KNOWN(100000);
                        w->guard_usec = at_usec;
                }
                break;
        case MC_DISTURB_LEAK:
                w->slab_bytes += whole(dt * (8 << 20));
                break;
        case MC_DISTURB_RECLAIM:
                frame->guard.reclaimed = KNOWN(whole(dt * 20000) + 1);
                break;
        }
}

static bool is_better_or_same(const McCurve *c, unsigned from, unsigned to) {
        return c->cost[to] <= c->cost[from];
}

static void take_records(World *w, const McCurve *c) {
        uint64_t n = engine_record_count(w->engine);

        for (; w->n_records < n; w->n_records++) {
                uint64_t back = n - w->n_records;
                uint64_t kept = MIN(n, (uint64_t) ENGINE_RECORDS);
                const Record *r;
                unsigned from = 0, to = 0;
                char text[512];

                if (back > kept)
                        continue;
                r = engine_record(w->engine, (size_t) (kept - back));
                (void) record_reason(w->engine, r, text, sizeof(text));
                for (const char *t = text; *t; t++)
                        w->run->hash = (w->run->hash ^ (uint8_t) *t) * 0x100000001b3u;
                w->run->hash = (w->run->hash ^ r->at_usec ^ (uint64_t) r->effect_ppm) *
                               0x100000001b3u;
                if (r->kind != RECORD_VERDICT || r->verdict != TRIAL_ACCEPT)
                        continue;
                for (unsigned l = 0; l < MC_LEVELS; l++) {
                        if (r->from_known && r->from == VALUE_OF(l))
                                from = l;
                        if (r->to_known && r->to == VALUE_OF(l))
                                to = l;
                }
                if (!is_better_or_same(c, from, to))
                        w->run->harmful++;
                if (r->at_usec > (usec_t) 86400 * USEC_PER_SEC)
                        w->run->accepted_after_day++;
        }
}

static void carry_out(World *w) {
        Effect effect;

        while (engine_next(w->engine, &effect) == 0) {
                Outcome outcome = { .result = VERIFY_APPLIED,
                                    .actual_known = true,
                                    .actual = effect.to,
                                    .at_usec = w->now_usec + 1000 };

                if (w->value != effect.from) {
                        outcome.result = VERIFY_FOREIGN;
                        outcome.actual = w->value;
                } else {
                        if (w->foreign_done)
                                w->run->writes_after_foreign++;
                        w->value = effect.to;
                        w->changed_usec = w->now_usec;
                        for (unsigned l = 0; l < MC_LEVELS; l++)
                                if (w->value == VALUE_OF(l) && l != w->level) {
                                        w->level = l;
                                }
                        w->run->most_parked_ppm = MAX(w->run->most_parked_ppm,
                                                      w->arms[w->level].parked_possible_ppm);
                }
                if (engine_resolve(w->engine, &effect, &outcome) != 0)
                        abort();
        }
}

/* States as a run sees them: how long trials took, when the climb was over. */
static bool follow_state(World *w) {
        ControllerView view;

        if (!engine_controller(w->engine, 0, &view))
                abort();
        if (view.state == CONTROLLER_TRIAL && w->state != CONTROLLER_TRIAL)
                w->trial_since_usec = w->now_usec;
        if (view.state != CONTROLLER_TRIAL && w->state == CONTROLLER_TRIAL && w->n_climbs == 0)
                w->run->trial_usec += w->now_usec - w->trial_since_usec;
        if (view.state == CONTROLLER_PROBATION && w->state == CONTROLLER_TRIAL &&
            view.level < MC_LEVELS) {
                w->entries[view.level]++;
                if (view.level > 0)
                        w->run->most_entries = MAX(w->run->most_entries, w->entries[view.level]);
        }
        if (view.state == CONTROLLER_HOLD && w->run->hold_usec == USEC_UNKNOWN)
                w->run->hold_usec = w->now_usec;
        if ((view.state == CONTROLLER_COOLDOWN || view.state == CONTROLLER_BLOCKED) &&
            w->state != view.state) {
                if (w->n_climbs == 0)
                        w->run->climb_usec = w->now_usec;
                w->n_climbs++;
        }
        w->state = view.state;
        return w->run->stop_at_cooldown && w->n_climbs >= MAX(w->run->cooldowns, 1u);
}

void mc_run(McRun *run) {
        World w = { .run = run };
        Reading reading[_W_MAX];
        KnobReading knob;
        Arena arena;
        EngineConfig config = { .seed = run->seed,
                                .tick_usec = 10 * USEC_PER_SEC,
                                .tick_trial_usec = 2 * USEC_PER_SEC,
                                .quiet_usec = 300 * USEC_PER_SEC,
                                .trials_per_day = 24,
                                .changes_per_hour = 4,
                                .own_cpu_ppm = 5000 };
        Sampling sampling = { 0 };

        if (arena_map(&arena, ARENA_SIZE) < 0)
                abort();
        run->hold_usec = run->climb_usec = USEC_UNKNOWN;
        run->hash = 0xcbf29ce484222325u;
        random_seed(&w.random, run->seed, 77);
        sim_noise_init(&w.cost_noise, run->noise, run->seed, 1);
        /* The load of these machines is steady: a benchmark. What moves is the cost. */
        sim_noise_init(&w.load_noise, SIM_NOISE_CALM, run->seed, 2);
        w.slab_bytes = (uint64_t) 1 << 30;
        make_plan(&w);
        if (engine_init(&arena, &config, &w.plan, &w.engine) != 0)
                abort();
        if (run->disturb == MC_DISTURB_FOREIGN)
                w.foreign_usec = (usec_t) (600 + random_below(&w.random, 7200)) * USEC_PER_SEC;
        while (w.now_usec < run->duration_usec) {
                Frame frame;
                usec_t before = w.now_usec, next;
                const McCurve *c;
                unsigned level = w.level;

                engine_sampling(w.engine, &sampling);
                next = MAX(sampling.at_usec, w.now_usec + 1000);
                if (next > run->duration_usec)
                        next = run->duration_usec;
                if (w.foreign_usec != 0 && !w.foreign_done && next >= w.foreign_usec) {
                        w.value = 512 + 3; /* no arm of ours */
                        w.foreign_done = true;
                }
                make_frame(&w, next, reading, &knob, &frame);
                c = run->curve[w.regime];
                if (c->cost[level] > c->cost[0] * 1.03)
                        run->worse_usec += w.now_usec - before;
                if (engine_observe(w.engine, &frame) != 0)
                        abort();
                carry_out(&w);
                if (w.guard_usec == w.now_usec && w.changed_usec == w.now_usec)
                        run->slowest_guard_usec = MAX(run->slowest_guard_usec,
                                                      w.now_usec - before + 1000);
                take_records(&w, c);
                run->frames++;
                if (follow_state(&w))
                        break;
        }
        run->level = w.level;
        engine_counts(w.engine, &run->counts);
        if (!w.foreign_done) {
                engine_stop(w.engine, w.now_usec + 1000);
                carry_out(&w);
                run->restored = w.value == VALUE_OF(0);
        }
        arena_unmap(&arena);
}

/* tests/evidence/pcp_batch_page_fault1.csv: nine machines; CPUs are assumed where the source does not say (tests/sim/README.md). */
static const struct {
        const char *machine;
        unsigned cpus;
} machines[] = {
        { "Skylake-EX (4 sockets)", 192 }, { "Broadwell-EX (4 sockets)", 192 },
        { "Skylake-EP (2 sockets)", 112 }, { "Broadwell-EP (2 sockets)", 88 },
        { "Haswell-EP (2 sockets)", 72 },  { "Westmere-EP (2 sockets)", 24 },
        { "Skylake-Desktop", 8 },          { "Haswell-Desktop", 8 },
        { "Sandybridge-Desktop", 4 },
};

/* Cuts the next field of a line of CSV off the front, quotes removed. */
static bool csv_field(Text *rest, Text *ret) {
        if (rest->size == 0)
                return false;
        if (rest->data[0] == '"') {
                rest->data++;
                rest->size--;
                (void) text_next_split(rest, '"', ret);
                if (rest->size > 0) {
                        rest->data++;
                        rest->size--;
                }
                return true;
        }
        return text_next_split(rest, ',', ret);
}

unsigned mc_curves(McCurve curves[], unsigned max) {
        const char *source = getenv("SOURCE_ROOT");
        char path[512], line[4096];
        unsigned n = MIN(max, (unsigned) ELEMENTSOF(machines));
        FILE *f;

        (void) text_format(path, sizeof(path), "%s/tests/evidence/pcp_batch_page_fault1.csv",
                           source ? source : ".");
        f = fopen(path, "re");
        if (!f)
                return 0;
        for (unsigned i = 0; i < n; i++) {
                curves[i] = (McCurve){ .cpus = machines[i].cpus, .kernel_share = 0.9 };
                (void) text_copy(curves[i].name, sizeof(curves[i].name),
                                 text_from(machines[i].machine));
        }
        while (fgets(line, sizeof(line), f)) {
                Text rest = text_from(line), field[9];
                unsigned k = 0;

                while (k < ELEMENTSOF(field) && csv_field(&rest, &field[k]))
                        k++;
                for (unsigned i = 0; k == ELEMENTSOF(field) && i < n; i++) {
                        unsigned level = MC_LEVELS;
                        double value = strtod(field[7].data, NULL);
                        uint64_t batch;

                        if (!text_is(field[0], machines[i].machine) ||
                            number_parse_u64(field[5].data, field[5].size, &batch) != 0)
                                continue;
                        for (unsigned l = 0; l < MC_LEVELS; l++)
                                if (batch + 1 == (uint64_t) 32 << l)
                                        level = l;
                        if (level == MC_LEVELS)
                                continue;
                        if (text_starts(field[6], "score")) {
                                curves[i].cost[level] = 1e12 / value;
                                if (level == 0)
                                        curves[i].pages_per_s = value;
                        } else if (text_starts(field[6], "zone lock"))
                                curves[i].zone_ppm[level] = value * 1e4;
                        else if (text_starts(field[6], "lru lock"))
                                curves[i].lru_ppm[level] = value * 1e4;
                }
        }
        (void) fclose(f);
        return n;
}
