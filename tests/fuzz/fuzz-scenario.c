/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/idset.h"
#include "conf/scenario.h"
#include "fuzz.h"

/* A scenario and a machine file: what passes is what a simulated machine relies on, whatever the text. Floating point numbers are where
 * texts are most inventive: none may be outside its limits, or no number. */
static void check_machine(const PlantMachine *m) {
        size_t n;
        const PlantParamSpec *specs = plant_param_specs(&n);

        CHECK(m->kernel && m->name[0]);
        CHECK(m->cpus > 0 && m->nodes > 0 && m->packages > 0 && m->nodes <= PLANT_NODES_MAX);
        CHECK(m->cpus % m->nodes == 0 && m->cpus % m->packages == 0);
        CHECK(m->possible >= m->cpus && m->possible <= IDSET_MAX);
        CHECK(m->memory_bytes >= (uint64_t) m->nodes << 28);
        CHECK(m->n_caches <= PLANT_CACHES_MAX);
        for (size_t i = 0; i < n; i++) {
                double value = *(const double *) (const void *) ((const char *) &m->params +
                                                                 specs[i].offset);

                CHECK(value >= specs[i].floor && value <= specs[i].ceiling);
        }
        for (unsigned i = 0; i < m->n_caches; i++) {
                fuzz_check_string(m->caches[i].name, sizeof(m->caches[i].name));
                CHECK(m->caches[i].object_size > 0);
                CHECK(m->caches[i].slab_size >= m->caches[i].object_size);
                CHECK(m->caches[i].share >= 0 && m->caches[i].share <= 1);
        }
}

static void check_path(const char *path, size_t size) {
        fuzz_check_string(path, size);
        CHECK(path[0] && path[0] != '/' && !strstr(path, ".."));
}

static void check_events(const Scenario *s) {
        usec_t before = 0;

        CHECK(s->sim.n_events <= SIM_EVENTS_MAX);
        for (unsigned i = 0; i < s->sim.n_events; i++) {
                const SimEvent *e = &s->sim.event[i];

                CHECK(e->at_usec >= before && e->at_usec < s->duration_usec);
                CHECK(e->kind < _SIM_EVENT_MAX);
                CHECK(e->kind != SIM_EVENT_PHASE || e->index < s->sim.n_phases);
                if (e->kind == SIM_EVENT_CPU_OFFLINE || e->kind == SIM_EVENT_CPU_ONLINE)
                        CHECK(e->index < s->sim.machine.possible);
                if (e->path[0])
                        check_path(e->path, sizeof(e->path));
                before = e->at_usec;
        }
}

static void check_scenario(const Scenario *s) {
        size_t n;
        const PlantWorkloadSpec *specs = plant_workload_specs(&n);

        check_machine(&s->sim.machine);
        CHECK(s->sim.n_phases > 0 && s->sim.n_phases <= SIM_PHASES_MAX);
        for (unsigned k = 0; k < s->sim.n_phases; k++)
                for (size_t i = 0; i < n; i++) {
                        double value = *(
                                const double *) (const void *) ((const char *) &s->sim.phase[k] +
                                                                specs[i].offset);

                        CHECK(value >= specs[i].floor && value <= specs[i].ceiling);
                }
        CHECK(s->tick_trial_usec <= s->tick_usec && s->tick_trial_usec > 0);
        CHECK(s->sim.noise < _SIM_NOISE_MAX);
        check_events(s);
        for (unsigned i = 0; i < s->sim.n_initial; i++)
                check_path(s->sim.initial[i].path, sizeof(s->sim.initial[i].path));
        for (unsigned i = 0; i < s->n_variants; i++)
                CHECK(s->variant[i].name[0] && s->variant[i].n_params <= 16 &&
                      s->variant[i].n_sets <= 16);
        for (unsigned i = 0; i < s->n_expects; i++) {
                const ScenarioExpect *e = &s->expect[i];

                CHECK(e->kind < _EXPECT_MAX && e->line > 0);
                CHECK(!e->least_known || !e->most_known || e->least <= e->most);
                CHECK(e->least >= 0 && e->most >= 0 && e->published_milli >= 0);
                fuzz_check_string(e->scope, sizeof(e->scope));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static Scenario scenario;
        static PlantMachine machine;
        ConfIssues issues = CONF_ISSUES_NULL;
        Policy policy;
        int r = scenario_parse("f", (const char *) data, size, &scenario, &issues);

        CHECK(r == 0 || r == 1);
        CHECK(r == (issues.n_errors > 0 ? 1 : 0));
        if (r == 0) {
                check_scenario(&scenario);
                policy_init(&policy);
                r = scenario_override(&scenario, &policy, 1, &issues);
                CHECK(r == 0 || r == 1);
                scenario_done(&scenario);
        }
        conf_issues_done(&issues);
        r = plant_machine_parse("f", (const char *) data, size, &machine, &issues);
        CHECK(r == 0 || r == 1);
        CHECK(r == (issues.n_errors > 0 ? 1 : 0));
        if (r == 0)
                check_machine(&machine);
        conf_issues_done(&issues);
        return 0;
}
