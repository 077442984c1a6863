/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variants of a scenario, and the bounds that must hold. A bound that names nothing that exists is an error when it is read, not a
 * check that never fails. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "conf/conf-table.h"
#include "conf/scenario-parse.h"
#include "conf/value.h"
#include "core/act/knob.h"

static const ConfKey *key_of(const char *name) {
        size_t n;
        const ConfKey *keys = scenario_keys(&n);

        return conf_key_find(keys, n, name);
}

/* Names are written once: in the table of keys. */
static const char *const kind_names[] = {
        [EXPECT_REGRET] = "regret",
        [EXPECT_ACCEPTED] = "accepted",
        [EXPECT_TRIALS] = "trials",
        [EXPECT_WRITES] = "writes",
        [EXPECT_CUTS] = "cuts",
        [EXPECT_GUARD_EVENTS] = "guard-events",
        [EXPECT_YIELDS] = "yields",
        [EXPECT_PARKED] = "parked",
        [EXPECT_OVERWRITTEN] = "overwritten",
        [EXPECT_SECONDS_TO_HOLD] = "seconds-to-hold",
        [EXPECT_VALUE] = "value",
        [EXPECT_STATE] = "state",
        [EXPECT_WORSE_TIME] = "worse-time",
        [EXPECT_METRIC] = "metric",
        [EXPECT_RESTORED] = "restored",
};

_Static_assert(ELEMENTSOF(kind_names) == _EXPECT_MAX, "a name for every kind");

const char *expect_kind_to_string(ExpectKind kind) {
        return (unsigned) kind < _EXPECT_MAX ? kind_names[kind] : "unknown";
}

/* NAME = 1.5; replaces, NAME = "*1.3"; multiplies. */
static bool read_change(SettingReader *r, config_setting_t *setting, double floor, double ceiling,
                        double *ret_value, bool *ret_factor) {
        const char *text = config_setting_get_string(setting);
        uint64_t millionths;

        *ret_factor = text != NULL;
        if (!text)
                return scenario_read_number(r, config_setting_name(setting), setting, floor,
                                            ceiling, ret_value);
        if (text[0] != '*' ||
            number_parse_millionths(text + 1, strlen(text + 1), &millionths) != 0) {
                setting_error(r, setting_line(setting),
                              "%.64s is \"%.40s\", expected a number, or \"*1.3\"",
                              config_setting_name(setting), text);
                return false;
        }
        *ret_value = (double) millionths / 1e6;
        return true;
}

typedef void (*ParamChange)(SettingReader *r, config_setting_t *setting, const char *name,
                            bool workload, size_t offset, double floor, double ceiling, void *data);

static void each_param(SettingReader *r, config_setting_t *group, ParamChange change, void *data) {
        if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
                setting_error(r, setting_line(group), "params is %s, expected a group, in { }",
                              setting_type_string(group));
                return;
        }
        for (int i = 0; i < config_setting_length(group); i++) {
                config_setting_t *setting = config_setting_get_elem(group, (unsigned) i);
                const char *name = config_setting_name(setting);
                const PlantParamSpec *param = plant_param_find(name);
                const PlantWorkloadSpec *cause = plant_workload_find(name);

                if (param)
                        change(r, setting, name, false, param->offset, param->floor, param->ceiling,
                               data);
                else if (cause)
                        change(r, setting, name, true, cause->offset, cause->floor, cause->ceiling,
                               data);
                else
                        setting_error(
                                r, setting_line(setting),
                                "unknown parameter \"%.64s\", expected one of a machine or of a phase",
                                name);
        }
}

static void change_field(SettingReader *r, const config_setting_t *setting, void *object,
                         size_t offset, double value, bool factor, double floor, double ceiling) {
        double *field = (double *) (void *) ((char *) object + offset), next;

        next = factor ? *field * value : value;
        if (next >= floor && next <= ceiling)
                *field = next;
        else
                setting_error(r, setting_line(setting), "%.64s becomes %g, expected %g to %g",
                              config_setting_name(setting), next, floor, ceiling);
}

static void change_scenario(SettingReader *r, config_setting_t *setting, const char *name _unused_,
                            bool workload, size_t offset, double floor, double ceiling,
                            void *data) {
        Scenario *s = data;
        double value;
        bool factor;

        if (!read_change(r, setting, floor, ceiling, &value, &factor))
                return;
        if (!workload)
                change_field(r, setting, &s->sim.machine.params, offset, value, factor, floor,
                             ceiling);
        for (unsigned i = 0; workload && i < s->sim.n_phases; i++)
                change_field(r, setting, &s->sim.phase[i], offset, value, factor, floor, ceiling);
}

void scenario_read_params(SettingReader *r, config_setting_t *group, Scenario *s) {
        config_setting_t *params = config_setting_get_member(group, "params");

        if (params)
                each_param(r, params, change_scenario, s);
}

static void change_variant(SettingReader *r, config_setting_t *setting, const char *name,
                           bool workload, size_t offset _unused_, double floor, double ceiling,
                           void *data) {
        ScenarioVariant *v = data;
        double value;
        bool factor;

        if (!read_change(r, setting, floor, ceiling, &value, &factor))
                return;
        if (v->n_params == ELEMENTSOF(v->param)) {
                setting_error(r, setting_line(setting), "more than %zu params in a variant",
                              ELEMENTSOF(v->param));
                return;
        }
        v->param[v->n_params].value = value;
        v->param[v->n_params].factor = factor;
        (void) text_format(v->param[v->n_params].name, sizeof(v->param[0].name), "%s%s",
                           workload ? "workload." : "", name);
        v->n_params++;
}

static void read_set(SettingReader *r, config_setting_t *item, void *data) {
        ScenarioVariant *v = data;
        SetKeys keys = { 0 };
        size_t before = r->n_errors;

        setting_read_group(r, item, "set", &keys);
        if (r->n_errors != before ||
            !scenario_read_path(r, setting_line(item), keys.path, sizeof(keys.path)))
                return;
        (void) text_copy(v->set[v->n_sets].path, sizeof(v->set[0].path), text_from(keys.path));
        (void) text_copy(v->set[v->n_sets].text, sizeof(v->set[0].text), text_from(keys.value));
        v->n_sets++;
}

static const ScenarioVariant *variant_find(const Scenario *s, const char *name) {
        for (unsigned i = 0; i < s->n_variants; i++)
                if (strcmp(s->variant[i].name, name) == 0)
                        return &s->variant[i];
        return NULL;
}

static void read_variant(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        ScenarioVariant *v = &s->variant[s->n_variants];
        unsigned line = setting_line(item);
        size_t before = r->n_errors;
        config_setting_t *params;

        *v = (ScenarioVariant){ .line = line };
        setting_read_group(r, item, "scenario.variants", v);
        if (r->n_errors != before)
                return;
        if (variant_find(s, v->name))
                setting_error(r, line, "scenario.variants has \"%s\" twice", v->name);
        if (v->kernel[0])
                (void) scenario_read_kernel(r, line, v->kernel);
        params = config_setting_get_member(item, "params");
        if (params)
                each_param(r, params, change_variant, v);
        scenario_each(r, item, "set", "scenario.variants.set", ELEMENTSOF(v->set), read_set, v);
        s->n_variants++;
}

void scenario_read_variants(SettingReader *r, config_setting_t *group, Scenario *s) {
        scenario_each(r, group, "variants", "scenario.variants", ELEMENTSOF(s->variant),
                      read_variant, s);
}

/* A bound in whole units, or of a ratio in thousandths. */
static bool take_bound(SettingReader *r, config_setting_t *item, const char *name, double value,
                       bool milli, int64_t *ret) {
        double scaled = milli ? value * 1000 : value;
        int64_t rounded = (int64_t) (scaled + 0.5);
        config_setting_t *setting = config_setting_get_member(item, name);

        if (!setting)
                return false;
        if (!milli && (double) rounded != value)
                setting_error(r, setting_line(setting), "%s is %g, expected an integer", name,
                              value);
        *ret = rounded;
        return true;
}

static void check_expect(SettingReader *r, config_setting_t *item, const Scenario *s,
                         const ExpectKeys *keys, const ScenarioExpect *e) {
        unsigned line = e->line;
        const char *what = expect_kind_to_string(e->kind);

        if (e->kind == EXPECT_VALUE || e->kind == EXPECT_STATE || e->kind == EXPECT_RESTORED) {
                if (e->least_known || e->most_known)
                        setting_error(r, line, "expect \"%s\" has no bounds", what);
        } else if (!e->least_known && !e->most_known)
                setting_error(r, line, "expect \"%s\" needs at_least or at_most", what);
        if (e->least_known && e->most_known && e->least > e->most)
                setting_error(r, line, "at_least is above at_most");
        if (e->kind == EXPECT_VALUE && (keys->knob[0] == '\0' || keys->value[0] == '\0'))
                setting_error(r, line, "expect \"value\" needs knob and value");
        if (keys->knob[0] && !knob_spec_find(text_from(keys->knob)))
                setting_error(r, line, "there is no knob \"%s\"", keys->knob);
        if (e->kind == EXPECT_STATE && (keys->policy[0] == '\0' || keys->state_word == 0))
                setting_error(r, line, "expect \"state\" needs policy and state");
        if (e->kind == EXPECT_METRIC) {
                if (keys->metric_word == 0)
                        setting_error(r, line, "expect \"metric\" needs metric");
                if (keys->variant[0] == '\0' && keys->against[0] == '\0')
                        setting_error(r, line, "expect \"metric\" needs variant or against");
                if (strcmp(keys->variant, keys->against) == 0 && keys->variant[0])
                        setting_error(r, line, "variant \"%s\" against itself", keys->variant);
        } else if (config_setting_get_member(item, "metric") ||
                   config_setting_get_member(item, "published"))
                setting_error(r, line, "expect \"%s\" has no metric and nothing published", what);
        if (keys->variant[0] && !variant_find(s, keys->variant))
                setting_error(r, line, "there is no variant \"%s\"", keys->variant);
        if (keys->against[0] && !variant_find(s, keys->against))
                setting_error(r, line, "there is no variant \"%s\"", keys->against);
        if (keys->published > 0 && keys->source[0] == '\0')
                setting_error(r, line, "published needs its source");
}

static void read_expect(SettingReader *r, config_setting_t *item, void *data) {
        Scenario *s = data;
        ScenarioExpect *e = &s->expect[s->n_expects];
        ExpectKeys keys = { 0 };
        size_t before = r->n_errors;
        Text metric;
        bool milli;

        setting_read_group(r, item, "scenario.expect", &keys);
        if (r->n_errors != before)
                return;
        *e = (ScenarioExpect){ .kind = (ExpectKind) keys.what, .line = setting_line(item) };
        milli = e->kind == EXPECT_METRIC;
        e->least_known = take_bound(r, item, "at_least", keys.at_least, milli, &e->least);
        e->most_known = take_bound(r, item, "at_most", keys.at_most, milli, &e->most);
        e->published_milli = (int64_t) (keys.published * 1000 + 0.5);
        check_expect(r, item, s, &keys, e);
        if (r->n_errors != before)
                return;
        (void) text_copy(e->knob, sizeof(e->knob), text_from(keys.knob));
        (void) text_copy(e->scope, sizeof(e->scope),
                         text_from(keys.scope[0] || !keys.knob[0] ? keys.scope : "system"));
        (void) text_copy(e->policy, sizeof(e->policy), text_from(keys.policy));
        (void) text_copy(
                e->text, sizeof(e->text),
                e->kind == EXPECT_STATE
                        ? value_word(key_of("scenario.expect.state")->words, keys.state_word - 1)
                        : text_from(keys.value));
        (void) text_copy(e->variant, sizeof(e->variant), text_from(keys.variant));
        (void) text_copy(e->against, sizeof(e->against), text_from(keys.against));
        (void) text_copy(e->source, sizeof(e->source), text_from(keys.source));
        metric = keys.metric_word > 0
                         ? value_word(key_of("scenario.expect.metric")->words, keys.metric_word - 1)
                         : TEXT_NULL;
        (void) text_copy(e->metric, sizeof(e->metric), metric);
        s->n_expects++;
}

void scenario_read_expects(SettingReader *r, config_setting_t *group, Scenario *s) {
        scenario_each(r, group, "expect", "scenario.expect", ELEMENTSOF(s->expect), read_expect, s);
}
