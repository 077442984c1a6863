/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloctune simulate: scenarios with one or more seeds, or a table of static settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/front.h"
#include "cli/output.h"
#include "cli/print-simulate.h"
#include "cli/progress.h"
#include "conf/lookup.h"

#define GIB ((uint64_t) 1 << 30)

/* What one scenario runs with. */
typedef struct Loaded {
        Scenario *scenario;
        PolicySet *set;
        Policy *policies; /* those that the scenario names, with its overrides */
        size_t n_policies;
} Loaded;

typedef struct Simulation {
        const Options *options;
        Loaded *loaded; /* one for each argument */
        size_t n_loaded;
        SimulateRow *rows;
        size_t n_rows;
        ProgressLine progress;
} Simulation;

static void loaded_done(Loaded *l) {
        l->scenario = scenario_free(l->scenario);
        l->set = policy_set_free(l->set);
        free(l->policies);
}

/* The zone that decides between the profiles default and small: node 0 has DMA32 up to 3 GiB, the rest is Normal. */
static uint64_t largest_zone(const PlantMachine *m) {
        uint64_t node = m->memory_bytes / MAX(m->nodes, 1u);

        if (m->nodes > 1)
                return node;
        return node > 3 * GIB ? MAX(3 * GIB, node - 3 * GIB) : node;
}

/* A policy file beside the scenario. */
static int load_beside(const Scenario *s, const char *name, Policy *ret, ConfIssues *issues) {
        const char *slash = strrchr(s->file, '/');
        char path[512];
        ConfFile file = { 0 };
        ConfFileList list = { 0 };
        int r;

        if (!text_format(path, sizeof(path), "%.*s%s", slash ? (int) (slash - s->file) + 1 : 0,
                         s->file, name))
                return -ENAMETOOLONG;
        r = conf_file_list_add(&list, path, CONF_FILE_USED);
        if (r == 0)
                r = conf_file_read(&list.files[0], /* named= */ true, issues);
        if (r == 0) {
                file = list.files[0];
                r = file.state == CONF_FILE_USED
                            ? policy_parse(file.path, file.text, file.size, s->conf, ret, issues)
                            : 1;
        }
        conf_file_list_done(&list);
        return r;
}

static int take_policies(Loaded *l, ConfIssues *issues) {
        const Scenario *s = l->scenario;
        size_t most = s->n_policies > 0 ? s->n_policies : l->set->n;

        l->policies = calloc(most + 1, sizeof(*l->policies));
        if (!l->policies)
                return -ENOMEM;
        for (size_t i = 0; s->n_policies == 0 && i < l->set->n; i++)
                l->policies[l->n_policies++] = l->set->policies[i];
        for (unsigned i = 0; i < s->n_policies; i++) {
                const char *name = s->policies[i];
                const Policy *p = policy_set_find(l->set, name);

                if (text_ends(text_from(name), ".policy")) {
                        int r = load_beside(s, name, &l->policies[l->n_policies], issues);

                        if (r < 0)
                                return r;
                } else if (p) {
                        l->policies[l->n_policies] = *p;
                } else {
                        conf_issues_add(
                                issues, s->file, 0, CONF_ERROR,
                                "there is no policy \"%s\", expected one that is installed or in "
                                "--policy-dir, or NAME.policy beside the scenario",
                                name);
                }
                l->n_policies++;
        }
        return issues->n_errors > 0 ? 1 : scenario_override(s, l->policies, l->n_policies, issues);
}

static int load(const Options *options, const char *path, Loaded *l) {
        ConfOptions conf_options = cli_conf_options(options);
        ConfIssues issues = CONF_ISSUES_NULL;
        ConfProfile profile;
        int r = scenario_load(path, &l->scenario, &issues);

        if (r == 0) {
                profile = conf_profile_resolve(l->scenario->conf,
                                               largest_zone(&l->scenario->sim.machine));
                r = policy_set_load(&conf_options, l->scenario->conf, profile, &l->set, &issues);
        }
        if (r == 0)
                r = take_policies(l, &issues);
        for (size_t i = 0; i < issues.n; i++)
                cli_print_issue(&issues.items[i]);
        conf_issues_done(&issues);
        if (r < 0)
                return cli_errno(path, r);
        return r == 0 ? EXIT_FINE : EXIT_BAD_CONFIG;
}

/* Comparisons of variants do not depend on a seed. */
static unsigned seeds_of(const Simulation *s, const Loaded *l) {
        return l->scenario->compare_only ? 1 : s->options->seeds;
}

static int complain(const Scenario *s, int r, const char *why) {
        if (r < 0)
                return cli_errno(s->file, r);
        cli_error("%s: %s", s->file, why);
        return EXIT_BAD_CONFIG;
}

static int run_all(Simulation *s) {
        unsigned n = 0;

        for (size_t i = 0; i < s->n_loaded; i++)
                n += seeds_of(s, &s->loaded[i]);
        s->rows = calloc(n + 1u, sizeof(*s->rows));
        if (!s->rows)
                return cli_errno("simulate", -ENOMEM);
        progress_begin(&s->progress, n);
        for (size_t i = 0; i < s->n_loaded; i++) {
                const Loaded *l = &s->loaded[i];

                s->progress.name = l->scenario->name;
                for (unsigned k = 0; k < seeds_of(s, l); k++) {
                        SimulateRow *row = &s->rows[s->n_rows];
                        SimulateOptions options = { .seed = l->scenario->sim.seed + k,
                                                    .policies = l->policies,
                                                    .n_policies = l->n_policies,
                                                    .progress = progress_show,
                                                    .userdata = &s->progress };
                        char why[256] = "refused";
                        int r;

                        s->progress.at = (unsigned) s->n_rows;
                        r = simulate_run(l->scenario, &options, &row->result, why, sizeof(why));
                        if (r != 0) {
                                progress_end(&s->progress);
                                return complain(l->scenario, r, why);
                        }
                        row->of = l->scenario;
                        (void) text_copy(row->scenario, sizeof(row->scenario),
                                         text_from(l->scenario->name));
                        s->n_rows++;
                }
        }
        progress_end(&s->progress);
        return EXIT_FINE;
}

static json_t *rows_of(const Simulation *s) {
        json_t *array = json_array();

        for (size_t i = 0; array && i < s->n_rows; i++)
                if (json_array_append_new(array, json_simulate(&s->rows[i])) < 0) {
                        json_decref(array);
                        array = NULL;
                }
        return array;
}

static int print_runs(const Simulation *s) {
        Output out;
        int r;

        if (s->options->json)
                return cli_json_print(cli_json_document("simulate", rows_of(s)));
        output_open(&out, !s->options->no_pager);
        r = print_simulate(&out, s->rows, s->n_rows);
        if (r < 0) {
                (void) output_close(&out);
                return cli_errno("simulate", r);
        }
        return output_finish(&out);
}

static int runs(Simulation *s) {
        int code = run_all(s);

        if (code != EXIT_FINE)
                return code;
        code = print_runs(s);
        for (size_t i = 0; code == EXIT_FINE && i < s->n_rows; i++)
                if (!s->rows[i].result.ok)
                        code = EXIT_FAILED;
        return code;
}

/* Text as it comes, or one document of all. */
static int sweep_print(const Simulation *s, const SweepTable *t, Output *out, json_t *array) {
        int r;

        if (s->options->json)
                return json_sweep(array, t) ? EXIT_FINE : cli_errno("simulate", -ENOMEM);
        r = print_sweep(out, t);
        return r < 0 ? cli_errno("simulate", r) : EXIT_FINE;
}

static int sweeps(Simulation *s) {
        json_t *array = s->options->json ? json_array() : NULL;
        int code = EXIT_FINE, written;
        Output out = { 0 };

        if (!s->options->json)
                output_open(&out, !s->options->no_pager);
        for (size_t i = 0; i < s->n_loaded && code == EXIT_FINE; i++) {
                const Loaded *l = &s->loaded[i];
                SimulateOptions options = { .seed = l->scenario->sim.seed,
                                            .policies = l->policies,
                                            .n_policies = l->n_policies };
                SweepTable table = { .cpus = l->scenario->sim.machine.cpus };
                char why[256] = "refused";
                int r = simulate_sweep(l->scenario, &options, s->options->sweep, &table.points,
                                       &table.n, &table.unit, why, sizeof(why));

                if (r != 0) {
                        code = complain(l->scenario, r, why);
                        continue;
                }
                (void) text_copy(table.scenario, sizeof(table.scenario),
                                 text_from(l->scenario->name));
                (void) text_copy(table.knob, sizeof(table.knob), text_from(s->options->sweep));
                if (i > 0 && !s->options->json)
                        output_print(&out, "\n");
                code = sweep_print(s, &table, &out, array);
                free(table.points);
        }
        if (!s->options->json) {
                written = output_finish(&out);
                return code == EXIT_FINE ? written : code;
        }
        if (code == EXIT_FINE)
                return cli_json_print(cli_json_document("sweep", array));
        json_decref(array);
        return code;
}

int verb_simulate(const Options *options) {
        Simulation s = { .options = options };
        int code = EXIT_FINE;

        if (options->sweep && !knob_spec_find(text_from(options->sweep))) {
                cli_error("--sweep %s: there is no such knob, expected one of alloctuned.knobs(7)",
                          options->sweep);
                return EXIT_USAGE;
        }
        s.loaded = calloc((size_t) options->n_args + 1, sizeof(*s.loaded));
        if (!s.loaded)
                return cli_errno("simulate", -ENOMEM);
        for (int i = 0; i < options->n_args; i++) {
                int one = load(options, options->args[i], &s.loaded[s.n_loaded++]);

                code = code == EXIT_FINE ? one : code;
        }
        if (code == EXIT_FINE)
                code = options->sweep ? sweeps(&s) : runs(&s);
        for (size_t i = 0; i < s.n_loaded; i++)
                loaded_done(&s.loaded[i]);
        free(s.loaded);
        free(s.rows);
        return code;
}
