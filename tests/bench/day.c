/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A virtual day with a tick a second, as the service would live it: texts, parsers, the whole loop, all shipped policies, 8 CPUs, 2 nodes,
 * 50 caches, slow files at their own slower periods. Limits: 20 s of CPU for all, 3 s for the model (time moved, no file read) and the engine
 * (the session's own plan, as many frames). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/policy-file.h"
#include "conf/scenario.h"
#include "machine/memory.h"
#include "session/config.h"

#define LIMIT_ALL_S 20.0
#define LIMIT_INNER_S 3.0
#define DAY_USEC ((usec_t) 86400 * USEC_PER_SEC)

static double cpu_s(void) {
        struct timespec ts;

        (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
        return (double) ts.tv_sec + (double) ts.tv_nsec * 1e-9;
}

static int make_scenario(Scenario *ret, ConfIssues *issues) {
        static char text[16384];
        FILE *f = fmemopen(text, sizeof(text), "w");

        if (!f)
                return -1;
        fputs("scenario = { name = \"day\"; duration = \"24h\"; tick = \"1s\"; tick_trial = \"1s\"; noise = \"normal\"; seed = 7;\n"
              "machine = { name = \"m\"; kernel = \"6.1\"; cpus = 8; nodes = 2; packages = 2; memory = \"12GiB\"; lock_stat = true;\n"
              "caches = (\n",
              f);
        for (unsigned i = 0; i < 50; i++)
                fprintf(f,
                        "%s { name = \"cache-%02u\"; object_size = \"%uB\"; slab_size = \"%uB\"; share = 0.02; }",
                        i ? ",\n" : "", i, 64 + 32 * i, 64 + 32 * i);
        fputs("); };\nphases = ( { name = \"load\"; list_factor = 40.0; }, { name = \"idle\"; busy = 0.05; } );\n"
              "every = ( { period = \"2h\"; phases = ( \"load\", \"idle\" ); } ); };\n",
              f);
        (void) fclose(f);
        return scenario_parse("day.scenario", text, strlen(text), ret, issues);
}

/* The engine alone: the plan of the session, frames with waits that open its gates now and then. */
static double engine_only(const Plan *plan, const EngineConfig *config, uint64_t n_frames) {
        Reading *reading = calloc(plan->n_watches + 1, sizeof(Reading));
        KnobReading *knob = calloc(plan->n_knobs + 1, sizeof(KnobReading));
        Engine *engine;
        Arena arena;
        double start;

        if (!reading || !knob || arena_map(&arena, (size_t) 64 << 20) < 0 ||
            engine_init(&arena, config, plan, &engine) != 0)
                exit(1);
        for (size_t k = 0; k < plan->n_knobs; k++)
                knob[k] = (KnobReading){ .known = plan->knobs[k].value_known,
                                         .value = plan->knobs[k].value };
        start = cpu_s();
        for (uint64_t i = 1; i <= n_frames; i++) {
                Frame frame = { .at_usec = i * USEC_PER_SEC,
                                .interval_usec = USEC_PER_SEC,
                                .trials_open = true,
                                .n_online = plan->n_online,
                                .reading = reading,
                                .knob = knob };
                Effect effect;

                for (size_t w = 0; w < plan->n_watches; w++)
                        reading[w] = (Reading){ i / 7200 % 2 ? 1000 + i % 13 : 1, 5000,
                                                EVIDENCE_MEASURED };
                if (engine_observe(engine, &frame) != 0)
                        exit(1);
                while (engine_next(engine, &effect) == 0) {
                        Outcome outcome = { .result = VERIFY_APPLIED,
                                            .actual_known = true,
                                            .actual = effect.to,
                                            .at_usec = frame.at_usec };

                        knob[effect.knob].value = effect.to;
                        if (engine_resolve(engine, &effect, &outcome) != 0)
                                exit(1);
                }
        }
        start = cpu_s() - start;
        arena_unmap(&arena);
        free(reading);
        free(knob);
        return start;
}

int main(void) {
        const char *source = getenv("SOURCE_ROOT");
        static char dir[512];
        static Scenario scenario;
        ConfIssues issues = { 0 };
        ConfOptions options = { .prefix = "/nonexistent", .policy_dir = dir };
        SenseExternal externals[1];
        SessionConfig config;
        PolicySet *set;
        Machine *machine;
        Session *session;
        EngineCounts counts;
        char why[256] = "";
        double all, model, engine;
        usec_t begin;

        (void) text_format(dir, sizeof(dir), "%s/policies", source ? source : ".");
        if (make_scenario(&scenario, &issues) != 0 ||
            policy_set_load(&options, NULL, PROFILE_DEFAULT, &set, &issues) != 0) {
                for (size_t i = 0; i < issues.n; i++)
                        fprintf(stderr, "%u: %s\n", issues.items[i].line, issues.items[i].text);
                return 1;
        }
        session_config_init(scenario.conf, externals, &config);
        config.policies = set->policies;
        config.n_policies = set->n;
        config.engine.seed = 7;

        if (sim_machine_new(&scenario.sim, &machine, why, sizeof(why)) != 0)
                return 1;
        all = cpu_s();
        if (session_new(machine, &config, &session) != 0)
                return 1;
        begin = session_now(session);
        while (session_now(session) < begin + DAY_USEC)
                if (session_tick(session) != 0)
                        return 1;
        all = cpu_s() - all;
        engine_counts(session_engine(session), &counts);
        engine = engine_only(session_plan(session), &config.engine, counts.frames);
        printf("a virtual day, %llu ticks, %zu watches, %zu knobs, %llu trials, %llu writes: %.1f s of CPU (limit %.0f), ",
               (unsigned long long) counts.frames, session_plan(session)->n_watches,
               session_plan(session)->n_knobs, (unsigned long long) counts.trials,
               (unsigned long long) counts.writes, all, LIMIT_ALL_S);
        session = session_free(session);
        machine = machine_free(machine);

        if (sim_machine_new(&scenario.sim, &machine, why, sizeof(why)) != 0)
                return 1;
        model = cpu_s();
        for (usec_t t = 1; t <= 86400; t++)
                if (machine_advance(machine, t * USEC_PER_SEC) != 0)
                        return 1;
        model = cpu_s() - model;
        machine = machine_free(machine);
        printf("model %.2f s and engine %.2f s (limit together %.0f)\n", model, engine,
               LIMIT_INNER_S);
        (void) policy_set_free(set);
        scenario_done(&scenario);
        conf_issues_done(&issues);
        return all <= LIMIT_ALL_S && model + engine <= LIMIT_INNER_S && counts.frames >= 86400 ? 0
                                                                                               : 1;
}
