/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "conf/lex.h"
#include "conf/policy-parse.h"

/* From a policy file to a Policy. What can be said key by key is in policy-table.c and here; what
 * needs the knobs, the signals or two keys at once is in policy-check.c. */

void policy_origins_done(PolicyOrigins *origins) {
        free(origins->items);
        *origins = (PolicyOrigins){ 0 };
}

const PolicyKeyOrigin *policy_origins_find(const PolicyOrigins *origins, const char *key) {
        for (size_t i = origins->n; i > 0; i--)
                if (strcmp(origins->items[i - 1].key, key) == 0)
                        return &origins->items[i - 1];
        return NULL;
}

void policy_note_origin(SettingReader *r, const char *key, unsigned line) {
        PolicyPass *pass = r->userdata;
        PolicyOrigins *origins = pass->origins;
        PolicyKeyOrigin *items = reallocarray(origins->items, origins->n + 1, sizeof(*items));
        PolicyKeyOrigin origin = { .file = pass->file, .line = line };

        if (!items) {
                pass->no_memory = true;
                return;
        }
        origins->items = items;
        (void) text_copy(origin.key, sizeof(origin.key), text_from(key));
        items[origins->n++] = origin;
}

static void note_origin(SettingReader *r, const ConfKey *key, unsigned line) {
        /* Members of lists go with the list. */
        if (strncmp(key->name, "targets.", 8) != 0 && strncmp(key->name, "fallback.", 9) != 0)
                policy_note_origin(r, key->name, line);
}

static void read_targets(SettingReader *r, const char *key, config_setting_t *setting,
                         PolicyTarget *targets, unsigned *ret_n) {
        int n;

        if (!setting_take_list(r, key, setting, "groups", POLICY_TARGETS_MAX, &n))
                return;
        for (int i = 0; i < n; i++) {
                config_setting_t *item = config_setting_get_elem(setting, (unsigned) i);
                PolicyTarget t = {
                        .cool = -1, .windows_hot = 3, .windows_cool = 6, .line = setting_line(item)
                };

                setting_read_group(r, item, key, &t);
                if (t.cool < 0)
                        t.cool = t.hot / 2 + t.hot % 2; /* hot = 1 must cool at 0 */
                targets[i] = t;
        }
        *ret_n = (unsigned) n;
}

static void read_must_not_rise(SettingReader *r, const char *key, config_setting_t *setting,
                               Policy *p) {
        int n;

        if (!setting_take_list(r, key, setting, "names of signals", POLICY_TARGETS_MAX, &n))
                return;
        for (int i = 0; i < n; i++) {
                const char *name = setting_read_text(r, key,
                                                     config_setting_get_elem(setting, (unsigned) i),
                                                     sizeof(p->must_not_rise[0]) - 1);

                if (name)
                        (void) text_copy(p->must_not_rise[i], sizeof(p->must_not_rise[i]),
                                         text_from(name));
        }
        p->n_must_not_rise = (unsigned) n;
}

#define ARM_NUMBER_MAX 2147483647

/* "2", "1.5", a word; what the knob can have is for policy-check.c. */
static bool read_arm(SettingReader *r, config_setting_t *item, PolicyArm *ret_arm) {
        PolicyArm arm = { 0 };
        uint64_t millionths;
        int type = config_setting_type(item);

        if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64) {
                long long value = type == CONFIG_TYPE_INT ? config_setting_get_int(item)
                                                          : config_setting_get_int64(item);

                if (value < 0 || value > ARM_NUMBER_MAX) {
                        setting_error(r, setting_line(item), "arms has %lld, expected 0 to %d",
                                      value, ARM_NUMBER_MAX);
                        return false;
                }
                (void) text_format(arm.text, sizeof(arm.text), "%lld", value);
                arm.multiple_milli = value * 1000;
        } else if (type == CONFIG_TYPE_STRING) {
                const char *text = setting_read_text(r, "arms", item, sizeof(arm.text) - 1);

                if (!text)
                        return false;
                (void) text_copy(arm.text, sizeof(arm.text), text_from(text));
                if (number_parse_millionths(text, strlen(text), &millionths) == 0) {
                        if (millionths > ARM_NUMBER_MAX * PPM) {
                                setting_error(r, setting_line(item),
                                              "arms has \"%s\", expected 0 to %d", text,
                                              ARM_NUMBER_MAX);
                                return false;
                        }
                        arm.multiple_milli = (int64_t) (millionths / 1000);
                }
        } else {
                setting_error(r, setting_line(item),
                              "arms has %s, expected integers and strings (\"1.5\")",
                              setting_type_string(item));
                return false;
        }
        *ret_arm = arm;
        return true;
}

static void read_arms(SettingReader *r, config_setting_t *setting, Policy *p) {
        int n;

        if (!setting_take_list(r, "arms", setting, "numbers and words", POLICY_ARMS_MAX, &n))
                return;
        p->n_arms = 0;
        for (int i = 0; i < n; i++)
                if (read_arm(r, config_setting_get_elem(setting, (unsigned) i), &p->arm[p->n_arms]))
                        p->n_arms++;
}

static void read_quads(SettingReader *r, config_setting_t *setting, Policy *p) {
        unsigned quads[3];

        if (!setting_is_list(r, "quads", setting, "three integers"))
                return;
        if (config_setting_length(setting) != (int) ELEMENTSOF(quads)) {
                setting_error(r, setting_line(setting), "quads has %d members, expected three",
                              config_setting_length(setting));
                return;
        }
        for (unsigned i = 0; i < ELEMENTSOF(quads); i++) {
                config_setting_t *item = config_setting_get_elem(setting, i);
                int value = config_setting_type(item) == CONFIG_TYPE_INT
                                    ? config_setting_get_int(item)
                                    : 0;

                /* A quad is two throws: fewer than 3 cannot reach p = 1/64 (2^-6); 12 is what the exact test can sum. */
                if (value < 3 || value > 12 || (i > 0 && (unsigned) value <= quads[i - 1])) {
                        setting_error(
                                r, setting_line(setting),
                                "quads must be three rising integers from 3 to 12, such as [ 3, 6, 12 ]");
                        return;
                }
                quads[i] = (unsigned) value;
        }
        memcpy(p->quads, quads, sizeof(quads));
}

static void read_special(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                         void *object) {
        Policy *p = object;

        switch (key->type) {
        case KEY_GROUPS:
                if (strcmp(key->name, "targets") == 0)
                        read_targets(r, key->name, setting, p->target, &p->n_targets);
                else
                        read_targets(r, key->name, setting, p->fallback, &p->n_fallback);
                break;
        case KEY_NAMES:
                read_must_not_rise(r, key->name, setting, p);
                break;
        case KEY_ARMS:
                read_arms(r, setting, p);
                break;
        case KEY_GUARDS:
                policy_read_guards(r, setting, p);
                break;
        case KEY_QUADS:
                read_quads(r, setting, p);
                break;
        case KEY_WORD:
        case KEY_TEXT:
        case KEY_INT:
        case KEY_BOOL:
        case KEY_TIME:
        case KEY_SIZE:
        case KEY_TRIALS:
        case KEY_GROUP:
                break;
        }
}

static SettingReader reader_of(const char *file, PolicyPass *pass, ConfIssues *issues) {
        SettingReader r = {
                .file = file,
                .issues = issues,
                .unknown = CONF_ERROR,
                .special = read_special,
                .origin = note_origin,
                .userdata = pass,
        };

        r.keys = policy_keys(&r.n_keys);
        return r;
}

int policy_load_text(const char *file, const char *text, const Conf *conf, Policy *ret_policy,
                     PolicyOrigins *ret_origins, ConfIssues *issues) {
        PolicyOrigins origins = { 0 };
        PolicyPass pass = { .file = file, .origins = &origins };
        SettingReader r = reader_of(file, &pass, issues);
        Policy policy;
        config_setting_t *root, *group = NULL;
        config_t *config;
        int error;

        config = setting_parse(&r, text, &error);
        if (!config)
                return error < 0 ? error : 1;
        policy_init(&policy);
        (void) text_copy(policy.file, sizeof(policy.file), text_from(file));
        root = config_root_setting(config);
        for (int i = 0; i < config_setting_length(root); i++) {
                config_setting_t *setting = config_setting_get_elem(root, (unsigned) i);

                if (strcmp(config_setting_name(setting), "policy") == 0)
                        group = setting;
                else
                        setting_error(&r, setting_line(setting),
                                      "unknown key \"%.64s\", expected policy = { ... }; alone",
                                      config_setting_name(setting));
        }
        if (group) {
                policy_note_origin(&r, "policy", setting_line(group));
                setting_read_group(&r, group, NULL, &policy);
                policy.note = policy.knob[0] == '\0';
                r.n_errors += policy_check(&policy, &origins, conf, /* complete= */ r.n_errors == 0,
                                           issues);
        } else
                setting_error(&r, 0, "no policy in the file, expected policy = { ... };");
        (void) setting_parse_free(config);
        if (pass.no_memory)
                error = -ENOMEM;
        else if (r.n_errors > 0)
                error = 1;
        if (error == 0) {
                *ret_policy = policy;
                *ret_origins = origins;
        } else
                policy_origins_done(&origins);
        return error;
}

int policy_load_override(const char *file, config_setting_t *group, const Conf *conf,
                         Policy *policy, PolicyOrigins *origins, ConfIssues *issues) {
        PolicyPass pass = { .file = file, .origins = origins, .override = true };
        SettingReader r = reader_of(file, &pass, issues);
        size_t n_before = origins->n;
        Policy changed = *policy;
        static const char *const fixed[] = { "name",   "knob",          "scope",
                                             "kernel", "cpus_at_least", "verdict" };
        ConfKey keys[64];
        int error = 0;

        /* In an override nothing is required. */
        if (r.n_keys > ELEMENTSOF(keys))
                return -ENOMEM;
        for (size_t i = 0; i < r.n_keys; i++) {
                keys[i] = r.keys[i];
                keys[i].required = keys[i].required && strchr(keys[i].name, '.');
        }
        r.keys = keys;
        for (size_t i = 0; i < ELEMENTSOF(fixed); i++) {
                const config_setting_t *setting = config_setting_type(group) == CONFIG_TYPE_GROUP
                                                          ? config_setting_get_member(group,
                                                                                      fixed[i])
                                                          : NULL;

                if (setting)
                        setting_error(&r, setting_line(setting),
                                      "%s of a policy cannot be overridden in a profile", fixed[i]);
        }
        setting_read_group(&r, group, NULL, &changed);
        r.n_errors += policy_check(&changed, origins, conf, /* complete= */ r.n_errors == 0,
                                   issues);
        if (pass.no_memory)
                error = -ENOMEM;
        else if (r.n_errors > 0)
                error = 1;
        if (error == 0)
                *policy = changed;
        else
                origins->n = n_before;
        return error;
}

int policy_parse(const char *file, const char *text, size_t size, const Conf *conf,
                 Policy *ret_policy, ConfIssues *issues) {
        PolicyOrigins origins = { 0 };
        size_t errors = conf_text_check(file, text, size, issues);
        char *copy;
        int r;

        if (errors > 0)
                return 1;
        copy = calloc(1, size + 1);
        if (!copy)
                return -ENOMEM;
        if (size > 0)
                memcpy(copy, text, size);
        r = policy_load_text(file, copy, conf, ret_policy, &origins, issues);
        if (r == 0)
                policy_origins_done(&origins);
        free(copy);
        return r;
}
