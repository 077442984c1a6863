/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/policy-parse.h"

/* The guards of a policy: a name, or a group of a name and some of the numbers of policy_guard_keys(). */

static void unknown_guard(SettingReader *r, const char *name, unsigned line) {
        Nearest nearest = { .word = name };
        size_t n;
        const PolicyGuardSpec *specs = policy_guard_specs(&n);

        for (size_t i = 0; i < n; i++)
                nearest_offer(&nearest, specs[i].name);
        setting_error(r, line, "unknown guard \"%.64s\"%s%s%s", name,
                      nearest.best ? ", did you mean \"" : "", nearest.best ? nearest.best : "",
                      nearest.best ? "\"?" : "");
}

static void unknown_guard_key(SettingReader *r, const char *guard, const char *name,
                              unsigned line) {
        Nearest nearest = { .word = name };
        size_t n;
        const PolicyGuardKey *keys = policy_guard_keys(&n);

        for (size_t i = 0; i < n; i++)
                if (strcmp(keys[i].guard, guard) == 0)
                        nearest_offer(&nearest, keys[i].key);
        nearest_offer(&nearest, "action");
        nearest_offer(&nearest, "evidence");
        setting_error(r, line, "unknown key \"%.64s\" in guard %s%s%s%s", name, guard,
                      nearest.best ? ", did you mean \"" : "", nearest.best ? nearest.best : "",
                      nearest.best ? "\"?" : "");
}

/* Numbers of guards have a table of their own: it becomes a key for one reading. */
static void read_guard_number(SettingReader *r, const PolicyGuardKey *spec,
                              config_setting_t *setting, PolicyGuard *g) {
        bool is_time = strcmp(spec->unit, "us") == 0;
        char name[64];
        int64_t number = 0;
        usec_t usec = 0;
        ConfKey key = {
                .name = name,
                .type = is_time ? KEY_TIME : KEY_INT,
                .store = is_time ? STORE_TIME : STORE_INT,
                .unit = spec->unit,
                .floor = spec->floor,
                .ceiling = spec->ceiling,
        };

        (void) text_format(name, sizeof(name), "guards.%s.%s", spec->guard, spec->key);
        if (setting_read_value(r, &key, setting, is_time ? (void *) &usec : (void *) &number))
                policy_guard_set(g, spec, is_time ? (int64_t) usec : number);
}

static void read_guard_word(SettingReader *r, const char *name, const char *words, unsigned floor,
                            config_setting_t *setting, unsigned *value) {
        const ConfKey key = {
                .name = name, .type = KEY_WORD, .store = STORE_WORD, .words = words, .floor = floor
        };

        (void) setting_read_value(r, &key, setting, value);
}

static bool read_guard_group(SettingReader *r, config_setting_t *item, PolicyGuard *ret_guard) {
        config_setting_t *name_setting = config_setting_get_member(item, "name");
        const char *name;
        int n = config_setting_length(item);

        if (!name_setting) {
                setting_error(r, setting_line(item), "a guard has no name");
                return false;
        }
        name = setting_read_text(r, "guards.name", name_setting, sizeof(ret_guard->name) - 1);
        if (!name)
                return false;
        if (!policy_guard_init(ret_guard, name)) {
                unknown_guard(r, name, setting_line(name_setting));
                return false;
        }
        for (int i = 0; i < n; i++) {
                config_setting_t *setting = config_setting_get_elem(item, (unsigned) i);
                const char *key_name = config_setting_name(setting);
                const PolicyGuardKey *key = policy_guard_key_find(name, key_name);
                unsigned word;

                if (key)
                        read_guard_number(r, key, setting, ret_guard);
                else if (strcmp(key_name, "action") == 0 &&
                         ret_guard->action != GUARD_ACTION_DEFAULT) {
                        word = ret_guard->action;
                        read_guard_word(r, "guards.action", "abort cut", GUARD_ACTION_ABORT,
                                        setting, &word);
                        ret_guard->action = (PolicyGuardAction) word;
                } else if (strcmp(key_name, "action") == 0)
                        setting_error(r, setting_line(setting), "guard %s has no action to choose",
                                      name);
                else if (strcmp(key_name, "evidence") == 0) {
                        word = (unsigned) ret_guard->evidence;
                        read_guard_word(r, "guards.evidence", "estimated counted measured",
                                        EVIDENCE_ESTIMATED, setting, &word);
                        ret_guard->evidence = (Evidence) word;
                } else if (strcmp(key_name, "name") != 0)
                        unknown_guard_key(r, name, key_name, setting_line(setting));
        }
        return true;
}

static bool read_guard(SettingReader *r, config_setting_t *item, PolicyGuard *ret_guard) {
        const char *name;

        if (config_setting_type(item) == CONFIG_TYPE_GROUP) {
                if (!read_guard_group(r, item, ret_guard))
                        return false;
        } else {
                name = setting_read_text(r, "guards", item, sizeof(ret_guard->name) - 1);
                if (!name)
                        return false;
                if (!policy_guard_init(ret_guard, name)) {
                        unknown_guard(r, name, setting_line(item));
                        return false;
                }
        }
        ret_guard->line = setting_line(item);
        if (strcmp(ret_guard->name, "hold-length") == 0 && !ret_guard->limit_known) {
                setting_error(r, ret_guard->line,
                              "guard hold-length has no limit, expected limit = NANOSECONDS");
                return false;
        }
        return true;
}

void policy_read_guards(SettingReader *r, config_setting_t *setting, Policy *p) {
        PolicyPass *pass = r->userdata;
        bool seen[POLICY_GUARDS_MAX] = { false };
        int n;

        if (!setting_take_list(r, "guards", setting, "names and groups", POLICY_GUARDS_MAX, &n))
                return;
        if (!pass->override)
                p->n_guards = 0;
        for (int i = 0; i < n; i++) {
                PolicyGuard guard = { 0 };
                const PolicyGuard *same;
                char key[48];
                size_t at;

                if (!read_guard(r, config_setting_get_elem(setting, (unsigned) i), &guard))
                        continue;
                same = policy_guard_find(p, guard.name);
                at = same ? (size_t) (same - p->guard) : p->n_guards;
                if (at >= POLICY_GUARDS_MAX) {
                        setting_error(r, guard.line, "too many guards, expected at most %d",
                                      POLICY_GUARDS_MAX);
                        return;
                }
                if (seen[at])
                        setting_error(r, guard.line, "guards names \"%s\" twice", guard.name);
                seen[at] = true;
                p->guard[at] = guard;
                if (!same)
                        p->n_guards++;
                (void) text_format(key, sizeof(key), "guards.%s", guard.name);
                policy_note_origin(r, key, guard.line);
        }
}
