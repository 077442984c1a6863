/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenario files, alloctuned.scenario(5). The keys of a group are read in the order in which they stand; what one needs of another
 * (an event its phase, a bound its variant) is taken afterwards in an order of our own, so that a file may have any. */
#include "conf/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/conf-load.h"
#include "conf/lookup.h"
#include "conf/policy-load.h"
#include "conf/scenario-parse.h"
#include "core/act/knob.h"

static void read_phase(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        PlantWorkload *w = &s->sim.phase[s->sim.n_phases];
        size_t n_specs, before = r->n_errors;
        const PlantWorkloadSpec *specs = plant_workload_specs(&n_specs);

        plant_workload_init(w);
        for (int i = 0; i < config_setting_length(item); i++) {
                config_setting_t *setting = config_setting_get_elem(item, (unsigned) i);
                const char *name = config_setting_name(setting), *text;
                const PlantWorkloadSpec *spec = plant_workload_find(name);
                Nearest nearest = { .word = name };

                if (strcmp(name, "name") == 0) {
                        text = setting_read_text(r, "scenario.phases.name", setting,
                                                 sizeof(w->name) - 1);
                        if (text)
                                (void) text_copy(w->name, sizeof(w->name), text_from(text));
                        continue;
                }
                if (spec) {
                        (void) scenario_read_number(
                                r, spec->name, setting, spec->floor, spec->ceiling,
                                (double *) (void *) ((char *) w + spec->offset));
                        continue;
                }
                for (size_t k = 0; k < n_specs; k++)
                        nearest_offer(&nearest, specs[k].name);
                setting_error(r, setting_line(setting),
                              "unknown key \"%.64s\" in scenario.phases%s%s%s", name,
                              nearest.best ? ", did you mean \"" : "",
                              nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
        if (w->name[0] == '\0' && r->n_errors == before)
                setting_error(r, setting_line(item), "scenario.phases.name is missing");
        for (unsigned i = 0; i < s->sim.n_phases; i++)
                if (strcmp(s->sim.phase[i].name, w->name) == 0 && r->n_errors == before)
                        setting_error(r, setting_line(item), "scenario.phases has \"%s\" twice",
                                      w->name);
        s->sim.n_phases++;
}

static void read_initial(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        SetKeys keys = { 0 };
        size_t before = r->n_errors;

        setting_read_group(r, item, "set", &keys);
        if (r->n_errors != before ||
            !scenario_read_path(r, setting_line(item), keys.path, sizeof(keys.path)))
                return;
        (void) text_copy(s->sim.initial[s->sim.n_initial].path, sizeof(s->sim.initial[0].path),
                         text_from(keys.path));
        (void) text_copy(s->sim.initial[s->sim.n_initial].text, sizeof(s->sim.initial[0].text),
                         text_from(keys.value));
        s->sim.n_initial++;
}

static void read_override(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        OverrideKeys keys = { 0 };
        config_setting_t *settings = config_setting_get_member(item, "settings");
        size_t before = r->n_errors;

        setting_read_group(r, item, "scenario.overrides", &keys);
        if (r->n_errors != before)
                return;
        if (config_setting_type(settings) != CONFIG_TYPE_GROUP) {
                setting_error(
                        r, setting_line(settings),
                        "scenario.overrides.settings is %s, expected keys of a policy, in { }",
                        setting_type_string(settings));
                return;
        }
        (void) text_copy(s->override[s->n_overrides].policy, sizeof(s->override[0].policy),
                         text_from(keys.policy));
        s->override[s->n_overrides].settings = settings;
        s->override[s->n_overrides].line = setting_line(item);
        s->n_overrides++;
}

static void read_policies(SettingReader *r, config_setting_t *group, Scenario *s) {
        config_setting_t *list = config_setting_get_member(group, "policies");
        int n;

        if (!list || !setting_take_list(r, "scenario.policies", list, "names of policies",
                                        ELEMENTSOF(s->policies), &n))
                return;
        for (int i = 0; i < n; i++) {
                const char *name = setting_read_text(r, "scenario.policies",
                                                     config_setting_get_elem(list, (unsigned) i),
                                                     sizeof(s->policies[0]) - 1);

                if (name)
                        (void) text_copy(s->policies[s->n_policies++], sizeof(s->policies[0]),
                                         text_from(name));
        }
}

static int read_machine(SettingReader *r, config_setting_t *group, Scenario *s) {
        config_setting_t *machine = config_setting_get_member(group, "machine");
        const char *name;

        if (!machine)
                return 0; /* said */
        if (config_setting_type(machine) == CONFIG_TYPE_GROUP) {
                scenario_read_machine(r, machine, &s->sim.machine);
                return 0;
        }
        name = setting_read_text(r, "scenario.machine", machine, sizeof(s->sim.machine.name) - 1);
        return name ? scenario_find_machine(r, setting_line(machine), name, &s->sim.machine) : 0;
}

/* The ticks of the scenario win: they are what a scenario usually says of the configuration. */
static int read_conf(SettingReader *r, config_setting_t *group, Scenario *s) {
        config_setting_t *conf = config_setting_get_member(group, "conf");
        int error = 0;

        s->conf = conf_new();
        if (!s->conf)
                return -ENOMEM;
        if (conf && config_setting_type(conf) != CONFIG_TYPE_GROUP)
                setting_error(r, setting_line(conf),
                              "scenario.conf is %s, expected a group of keys, in { }",
                              setting_type_string(conf));
        else if (conf)
                error = conf_apply_group(s->conf, s->file_kept, conf, CONF_ERROR, r->issues);
        if (error < 0)
                return error;
        r->n_errors += error > 0;
        if (config_setting_get_member(group, "tick"))
                s->conf->tick_usec = s->tick_usec;
        if (config_setting_get_member(group, "tick_trial"))
                s->conf->tick_trial_usec = s->tick_trial_usec;
        s->tick_usec = s->conf->tick_usec;
        s->tick_trial_usec = s->conf->tick_trial_usec;
        if (s->tick_trial_usec > s->tick_usec)
                setting_error(r, setting_line(group),
                              "tick_trial is longer than tick, expected at most as long");
        return 0;
}

static int read_scenario(SettingReader *r, config_setting_t *group, Scenario *s) {
        unsigned line = setting_line(group);
        int error;

        setting_read_group(r, group, "scenario", s);
        if (config_setting_type(group) != CONFIG_TYPE_GROUP)
                return 0;
        error = read_conf(r, group, s);
        if (error < 0)
                return error;
        if (s->sweep_knob[0] && !knob_spec_find(text_from(s->sweep_knob)))
                setting_error(r, line, "sweep: there is no knob \"%s\"", s->sweep_knob);
        error = read_machine(r, group, s);
        if (error < 0)
                return error;
        read_policies(r, group, s);
        scenario_each(r, group, "overrides", "scenario.overrides", ELEMENTSOF(s->override),
                      read_override, s);
        scenario_each(r, group, "initial", "scenario.initial", ELEMENTSOF(s->sim.initial),
                      read_initial, s);
        scenario_each(r, group, "phases", "scenario.phases", SIM_PHASES_MAX, read_phase, s);
        if (s->sim.n_phases == 0 && r->n_errors == 0)
                setting_error(r, line, "scenario.phases is empty, expected at least one");
        scenario_read_params(r, group, s);
        scenario_read_events(r, group, s);
        scenario_read_variants(r, group, s);
        scenario_read_expects(r, group, s);
        if (s->compare_only && s->n_variants == 0)
                setting_error(r, line, "compare_only without variants");
        return 0;
}

void scenario_done(Scenario *s) {
        s->document = setting_parse_free(s->document);
        s->conf = conf_free(s->conf);
        free(s->file_kept);
        s->file_kept = NULL;
        s->n_overrides = 0;
}

Scenario *scenario_free(Scenario *s) {
        if (s)
                scenario_done(s);
        free(s);
        return NULL;
}

int scenario_parse(const char *file, const char *text, size_t size, Scenario *ret,
                   ConfIssues *issues) {
        SettingReader r = scenario_reader(file, issues);
        config_setting_t *group;
        Scenario *s;
        int error;
        config_t *config = scenario_open(&r, text, size, "scenario", &group, &error);

        if (!config)
                return error < 0 ? error : 1;
        s = calloc(1, sizeof(*s));
        if (!s) {
                (void) setting_parse_free(config);
                return -ENOMEM;
        }
        s->document = config;
        s->file_kept = strdup(file);
        s->sim.noise = SIM_NOISE_CALM;
        s->sim.seed = 1;
        if (!text_copy(s->file, sizeof(s->file), text_from(file)))
                setting_error(&r, 0, "the name of the file is too long");
        error = s->file_kept ? read_scenario(&r, group, s) : -ENOMEM;
        if (error == 0 && r.n_errors > 0)
                error = 1;
        if (error == 0) {
                *ret = *s;
                free(s);
        } else
                (void) scenario_free(s);
        return error;
}

int scenario_load(const char *path, Scenario **ret, ConfIssues *issues) {
        ConfFileList list = { 0 };
        Scenario *s = calloc(1, sizeof(*s));
        int r = s ? conf_file_list_add(&list, path, CONF_FILE_USED) : -ENOMEM;

        if (r == 0)
                r = conf_file_read(&list.files[0], /* named= */ true, issues);
        if (r == 0)
                r = list.files[0].state == CONF_FILE_USED
                            ? scenario_parse(path, list.files[0].text, list.files[0].size, s,
                                             issues)
                            : 1;
        conf_file_list_done(&list);
        if (r == 0)
                *ret = TAKE_PTR(s);
        free(s);
        return r;
}

int scenario_override(const Scenario *s, Policy *policies, size_t n, ConfIssues *issues) {
        int result = 0;

        for (unsigned i = 0; i < s->n_overrides; i++) {
                PolicyOrigins origins = { 0 };
                Policy *policy = NULL;
                int r;

                for (size_t k = 0; k < n; k++)
                        if (strcmp(policies[k].name, s->override[i].policy) == 0)
                                policy = &policies[k];
                if (!policy) {
                        conf_issues_add(issues, s->file, s->override[i].line, CONF_ERROR,
                                        "overrides: no policy \"%s\" takes part",
                                        s->override[i].policy);
                        result = 1;
                        continue;
                }
                r = policy_load_override(s->file_kept, s->override[i].settings, s->conf, policy,
                                         &origins, issues);
                policy_origins_done(&origins);
                if (r < 0)
                        return r;
                if (r > 0)
                        result = 1;
        }
        return result;
}
