/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/conf-load.h"
#include "conf/conf-table.h"
#include "conf/lookup.h"
#include "conf/setting.h"
#include "conf/value.h"
#include "core/act/knob.h"

/* A load always starts from the defaults and reads every file again, so a value that was removed
 * from a file is back at its default after a reload, and nothing of the old set is touched: the
 * caller exchanges the two when the new one is good. */

const char *conf_profile_to_string(ConfProfile profile) {
        switch (profile) {
        case PROFILE_AUTO:
                return "auto";
        case PROFILE_DEFAULT:
                return "default";
        case PROFILE_SMALL:
                return "small";
        case PROFILE_LATENCY:
                return "latency";
        case _PROFILE_MAX:
                break;
        }
        return "unknown";
}

static void names_done(char ***names, size_t *n) {
        for (size_t i = 0; i < *n; i++)
                free((*names)[i]);
        free(*names);
        *names = NULL;
        *n = 0;
}

static bool names_add(char ***names, size_t *n, const char *name) {
        char **grown = reallocarray(*names, *n + 1, sizeof(*grown));

        if (!grown)
                return false;
        *names = grown;
        grown[*n] = strdup(name);
        if (!grown[*n])
                return false;
        (*n)++;
        return true;
}

/* For the second pass and for what a key needs to know of the load. */
typedef struct ConfPass {
        Conf *conf;
        const char *file;
        bool no_memory;
} ConfPass;

static void check_knob_glob(SettingReader *r, const char *glob, unsigned line) {
        Nearest nearest = { .word = glob };
        size_t n_specs;
        const KnobSpec *specs = knob_specs(&n_specs);

        if (knob_spec_find(text_from(glob)))
                return;
        for (size_t i = 0; i < n_specs; i++) {
                if (text_glob(glob, specs[i].name))
                        return;
                nearest_offer(&nearest, specs[i].name);
        }
        setting_warning(r, line, "deny_knobs names \"%.64s\", but there is no such knob%s%s%s",
                        glob, nearest.best ? ", did you mean \"" : "",
                        nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

static void read_names(SettingReader *r, const char *key, config_setting_t *setting, char ***names,
                       size_t *n_names, bool are_knobs) {
        ConfPass *pass = r->userdata;
        int n;

        if (!setting_is_list(r, key, setting, "names"))
                return;
        names_done(names, n_names);
        n = config_setting_length(setting);
        for (int i = 0; i < n; i++) {
                config_setting_t *item = config_setting_get_elem(setting, (unsigned) i);
                const char *name = setting_read_text(r, key, item, 255);

                if (!name)
                        continue;
                if (are_knobs)
                        check_knob_glob(r, name, setting_line(item));
                if (!names_add(names, n_names, name))
                        pass->no_memory = true;
        }
}

static void read_external(SettingReader *r, config_setting_t *item, ConfExternal *external) {
        size_t before = r->n_errors;

        *external = (ConfExternal){
                .lower_is_better = true,
                .max_age_usec = 30 * USEC_PER_SEC,
                .evidence = EVIDENCE_COUNTED,
                .file = ((ConfPass *) r->userdata)->file,
                .line = setting_line(item),
        };
        setting_read_group(r, item, "externals", external);
        if (r->n_errors != before)
                return;
        if (!value_is_name(external->name))
                setting_error(
                        r, external->line,
                        "externals.name is \"%s\", expected lower case letters, digits, - . and _",
                        external->name);
        if (external->path[0] != '/')
                setting_error(r, external->line,
                              "externals.path is \"%.200s\", expected an absolute path",
                              external->path);
}

#define EXTERNALS_MAX 64

static void read_externals(SettingReader *r, config_setting_t *setting) {
        ConfPass *pass = r->userdata;
        Conf *conf = pass->conf;
        ConfExternal *externals;
        int n;

        if (!setting_take_list(r, "externals", setting, "groups", EXTERNALS_MAX, &n))
                return;
        externals = calloc((size_t) n + 1, sizeof(*externals));
        if (!externals) {
                pass->no_memory = true;
                return;
        }
        free(conf->externals);
        conf->externals = externals;
        conf->n_externals = 0;
        for (int i = 0; i < n; i++) {
                ConfExternal *external = &externals[conf->n_externals];

                read_external(r, config_setting_get_elem(setting, (unsigned) i), external);
                if (external->name[0] != '\0' && conf_external_find(conf, external->name))
                        setting_error(r, external->line, "externals names \"%s\" twice",
                                      external->name);
                conf->n_externals++;
        }
}

static void read_special(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                         void *object) {
        Conf *conf = object;

        if (key->type == KEY_TRIALS) {
                const char *text = setting_read_text(r, key->name, setting,
                                                     sizeof(conf->trials_text) - 1);
                char expected[128];

                if (!text)
                        return;
                if (value_parse_trials(text, &conf->trials)) {
                        (void) text_copy(conf->trials_text, sizeof(conf->trials_text),
                                         text_from(text));
                        return;
                }
                (void) conf_key_describe(key, expected, sizeof(expected));
                setting_error(r, setting_line(setting), "trials is \"%s\", expected %s", text,
                              expected);
        } else if (key->type == KEY_GROUPS)
                read_externals(r, setting);
        else if (strcmp(key->name, "deny_knobs") == 0)
                read_names(r, key->name, setting, &conf->deny_knobs, &conf->n_deny_knobs,
                           /* are_knobs= */ true);
        else
                read_names(r, key->name, setting, &conf->deny_caches, &conf->n_deny_caches,
                           /* are_knobs= */ false);
}

static void note_origin(SettingReader *r, const ConfKey *key, unsigned line) {
        ConfPass *pass = r->userdata;

        if (!strchr(key->name, '.'))
                pass->conf->origin[key - r->keys] = (ConfOrigin){ .file = pass->file,
                                                                  .line = line };
}

/* Two passes: the first into a Conf that is thrown away, so that a file with an error changes nothing. */
int conf_apply_group(Conf *conf, const char *file, config_setting_t *group, ConfSeverity unknown,
                     ConfIssues *issues) {
        ConfPass pass = { .file = file };
        SettingReader r = {
                .file = file,
                .issues = issues,
                .unknown = unknown,
                .special = read_special,
                .origin = note_origin,
                .userdata = &pass,
        };
        int error = 0;

        r.keys = conf_keys(&r.n_keys);
        pass.conf = conf_new();
        if (pass.conf)
                setting_read_group(&r, group, NULL, pass.conf);
        if (!pass.conf || pass.no_memory)
                error = -ENOMEM;
        else if (r.n_errors > 0)
                error = 1;
        pass.conf = conf_free(pass.conf);
        if (error == 0) {
                r.issues = NULL;
                pass.conf = conf;
                setting_read_group(&r, group, NULL, conf);
                if (pass.no_memory)
                        error = -ENOMEM;
        }
        return error;
}

int conf_apply_text(Conf *conf, const char *file, const char *text, ConfIssues *issues) {
        SettingReader r = { .file = file, .issues = issues };
        config_t *config;
        int error;

        config = setting_parse(&r, text, &error);
        if (!config)
                return error < 0 ? error : 1;
        error = conf_apply_group(conf, file, config_root_setting(config), CONF_WARNING, issues);
        (void) setting_parse_free(config);
        return error;
}

Conf *conf_new(void) {
        size_t n_keys;
        const ConfKey *keys = conf_keys(&n_keys);
        Conf *conf = calloc(1, sizeof(*conf));
        char text[2048];
        size_t used = 0;

        if (!conf)
                return NULL;
        /* The defaults go the way of a file: the table's text is the only place that has them. */
        for (size_t i = 0; i < n_keys; i++) {
                if (strchr(keys[i].name, '.') || keys[i].type == KEY_GROUPS ||
                    keys[i].type == KEY_NAMES)
                        continue;
                if (!text_format(text + used, sizeof(text) - used, "%s = %s;\n", keys[i].name,
                                 keys[i].def))
                        return conf_free(conf);
                used += strlen(text + used);
        }
        {
                ConfPass pass = { .conf = conf, .file = NULL };
                SettingReader r = { .file = "",
                                    .keys = keys,
                                    .n_keys = n_keys,
                                    .special = read_special,
                                    .userdata = &pass };
                int error;
                config_t *config = setting_parse(&r, text, &error);

                if (!config)
                        return conf_free(conf);
                setting_read_group(&r, config_root_setting(config), NULL, conf);
                (void) setting_parse_free(config);
                if (r.n_errors > 0 || pass.no_memory)
                        return conf_free(conf);
        }
        return conf;
}

static const ConfOrigin *origin_of(const Conf *conf, const char *name) {
        size_t n_keys;
        const ConfKey *keys = conf_keys(&n_keys);

        return &conf->origin[conf_key_find(keys, n_keys, name) - keys];
}

void conf_check_whole(const Conf *conf, ConfIssues *issues) {
        const ConfOrigin *origin = origin_of(conf, "tick_trial");

        if (!origin->file)
                origin = origin_of(conf, "tick");
        if (conf->tick_trial_usec > conf->tick_usec)
                conf_issues_add(issues, origin->file, origin->line, CONF_ERROR,
                                "tick_trial is longer than tick, expected at most as long");
}

int conf_load(const ConfOptions *options, Conf **ret_conf, ConfIssues *issues) {
        _cleanup_(conf_freep) Conf *conf = conf_new();
        bool named = options && options->config;
        int r;

        if (!conf)
                return -ENOMEM;
        if (named)
                r = conf_file_list_add(&conf->files, options->config, CONF_FILE_USED);
        else {
                r = conf_lookup(options, "alloctuned.conf", NULL, NULL, &conf->files, issues);
                if (r == 0)
                        r = conf_lookup(options, NULL, "alloctuned.conf.d", ".conf", &conf->files,
                                        issues);
        }
        for (size_t i = 0; i < conf->files.n && r == 0; i++) {
                ConfFile *file = &conf->files.files[i];

                if (file->state != CONF_FILE_USED)
                        continue;
                r = conf_file_read(file, named, issues);
                if (r < 0 || file->state != CONF_FILE_USED)
                        continue;
                r = conf_apply_text(conf, file->path, file->text, issues);
                if (r > 0) {
                        file->state = CONF_FILE_REFUSED;
                        r = 0;
                }
        }
        if (r < 0)
                return r;
        conf_check_whole(conf, issues);
        *ret_conf = TAKE_PTR(conf);
        return 0;
}

Conf *conf_free(Conf *conf) {
        if (!conf)
                return NULL;
        names_done(&conf->deny_knobs, &conf->n_deny_knobs);
        names_done(&conf->deny_caches, &conf->n_deny_caches);
        free(conf->externals);
        conf_file_list_done(&conf->files);
        free(conf);
        return NULL;
}

ConfProfile conf_profile_resolve(const Conf *conf, uint64_t largest_zone_bytes) {
        if (conf->profile != PROFILE_AUTO)
                return conf->profile;
        return largest_zone_bytes > 0 && largest_zone_bytes < ((uint64_t) 4 << 30)
                       ? PROFILE_SMALL
                       : PROFILE_DEFAULT;
}

static bool any_glob(char *const *globs, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (text_glob(globs[i], name))
                        return true;
        return false;
}

bool conf_denies_knob(const Conf *conf, const char *name) {
        return any_glob(conf->deny_knobs, conf->n_deny_knobs, name);
}

bool conf_denies_cache(const Conf *conf, const char *cache) {
        return any_glob(conf->deny_caches, conf->n_deny_caches, cache);
}

const ConfExternal *conf_external_find(const Conf *conf, const char *name) {
        if (text_starts(text_from(name), "external:"))
                name += strlen("external:");
        for (size_t i = 0; i < conf->n_externals; i++)
                if (strcmp(conf->externals[i].name, name) == 0)
                        return &conf->externals[i];
        return NULL;
}
