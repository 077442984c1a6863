/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/policy-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/conf-load.h"
#include "conf/lookup.h"
#include "conf/policy-load.h"
#include "conf/setting.h"

/* The set of policies in force: every file that the lookup finds, then the profile over it. Each file
 * stands alone: its errors leave it out, the others go on. A profile works the same way policy by
 * policy: an override with an error leaves that policy as its file has it. */

static bool set_add(PolicySet *set, size_t *allocated, const Policy *policy,
                    PolicyOrigins *origins) {
        if (set->n == *allocated) {
                size_t wanted = *allocated == 0 ? 16 : *allocated * 2;
                Policy *policies = reallocarray(set->policies, wanted, sizeof(*policies));
                PolicyKeyOrigin **origin;
                size_t *n_origin;

                if (!policies)
                        return false;
                set->policies = policies;
                origin = reallocarray(set->origin, wanted, sizeof(*origin));
                if (!origin)
                        return false;
                set->origin = origin;
                n_origin = reallocarray(set->n_origin, wanted, sizeof(*n_origin));
                if (!n_origin)
                        return false;
                set->n_origin = n_origin;
                *allocated = wanted;
        }
        set->policies[set->n] = *policy;
        set->origin[set->n] = origins->items;
        set->n_origin[set->n] = origins->n;
        set->n++;
        *origins = (PolicyOrigins){ 0 };
        return true;
}

static unsigned line_of_name(const PolicyOrigins *origins) {
        const PolicyKeyOrigin *origin = policy_origins_find(origins, "name");

        return origin ? origin->line : 0;
}

static int load_file(PolicySet *set, size_t *allocated, ConfFile *file, bool named,
                     const Conf *conf, ConfIssues *issues) {
        PolicyOrigins origins = { 0 };
        const Policy *same;
        Policy policy;
        int r = conf_file_read(file, named, issues);

        if (r < 0)
                return r;
        if (file->state == CONF_FILE_USED) {
                r = policy_load_text(file->path, file->text, conf, &policy, &origins, issues);
                if (r < 0)
                        return r;
                same = r == 0 ? policy_set_find(set, policy.name) : NULL;
                if (same) {
                        conf_issues_add(issues, file->path, line_of_name(&origins), CONF_ERROR,
                                        "policy \"%s\" is in %s already, expected another name",
                                        policy.name, same->file);
                        r = 1;
                }
                if (r > 0)
                        file->state = CONF_FILE_REFUSED;
        }
        if (file->state != CONF_FILE_USED) {
                policy_origins_done(&origins);
                set->n_failed++;
                return 0;
        }
        if (!conf->apply)
                policy.apply = false;
        if (!set_add(set, allocated, &policy, &origins)) {
                policy_origins_done(&origins);
                return -ENOMEM;
        }
        return 0;
}

static Policy *find(PolicySet *set, const char *name) {
        for (size_t i = 0; i < set->n; i++)
                if (strcmp(set->policies[i].name, name) == 0)
                        return &set->policies[i];
        return NULL;
}

/* One group of a profile over its policy. */
static int override(PolicySet *set, SettingReader *r, config_setting_t *group, const Conf *conf) {
        const char *name = config_setting_name(group);
        Policy *policy = find(set, name);
        PolicyOrigins origins;
        size_t i;
        int error;

        if (!policy) {
                Nearest nearest = { .word = name };

                for (i = 0; i < set->n; i++)
                        nearest_offer(&nearest, set->policies[i].name);
                setting_warning(r, setting_line(group),
                                "there is no policy \"%.64s\", ignored%s%s%s", name,
                                nearest.best ? "; did you mean \"" : "",
                                nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
                return 0;
        }
        i = (size_t) (policy - set->policies);
        origins = (PolicyOrigins){ .items = set->origin[i], .n = set->n_origin[i] };
        error = policy_load_override(r->file, group, conf, policy, &origins, r->issues);
        set->origin[i] = origins.items;
        set->n_origin[i] = origins.n;
        if (!conf->apply)
                policy->apply = false;
        return error < 0 ? error : 0;
}

int policy_profile_apply(PolicySet *set, const ConfFile *file, const Conf *conf,
                         ConfIssues *issues) {
        SettingReader r = { .file = file->path, .issues = issues };
        config_setting_t *profile, *policies, *about;
        config_t *config;
        int error;

        config = setting_parse(&r, file->text, &error);
        if (!config)
                return error;
        profile = config_setting_get_member(config_root_setting(config), "profile");
        if (!profile || config_setting_type(profile) != CONFIG_TYPE_GROUP) {
                setting_error(&r, profile ? setting_line(profile) : 0,
                              "no profile in the file, expected profile = { ... };");
                (void) setting_parse_free(config);
                return 0;
        }
        for (int i = 0; i < config_setting_length(profile); i++) {
                config_setting_t *setting = config_setting_get_elem(profile, (unsigned) i);
                const char *name = config_setting_name(setting);

                if (strcmp(name, "about") != 0 && strcmp(name, "policies") != 0)
                        setting_error(
                                &r, setting_line(setting),
                                "unknown key \"%.64s\" in profile, expected about and policies",
                                name);
        }
        about = config_setting_get_member(profile, "about");
        if (about)
                (void) setting_read_text(&r, "about", about, 255);
        policies = config_setting_get_member(profile, "policies");
        if (policies && config_setting_type(policies) != CONFIG_TYPE_GROUP)
                setting_error(&r, setting_line(policies),
                              "policies is %s, expected a group for each policy, in { }",
                              setting_type_string(policies));
        else if (policies)
                for (int i = 0; i < config_setting_length(policies) && error == 0; i++)
                        error = override(set, &r, config_setting_get_elem(policies, (unsigned) i),
                                         conf);
        (void) setting_parse_free(config);
        return error;
}

static int list_policies(const ConfOptions *options, ConfFileList *list, ConfIssues *issues) {
        if (options && options->policy_dir)
                return conf_lookup_dir(options->policy_dir, ".policy", /* must_exist= */ true, list,
                                       issues);
        return conf_lookup(options, NULL, "policies.d", ".policy", list, issues);
}

int policy_profile_list(const ConfOptions *options, ConfFileList *list, ConfIssues *issues) {
        char path[4096];

        if (!options || !options->policy_dir)
                return conf_lookup(options, NULL, "profiles", ".profile", list, issues);
        if (!text_format(path, sizeof(path), "%s/profiles", options->policy_dir)) {
                conf_issues_add(issues, options->policy_dir, 0, CONF_ERROR, "path too long");
                return 0;
        }
        return conf_lookup_dir(path, ".profile", /* must_exist= */ false, list, issues);
}

/* The file of the profile in force. Only one that somebody asked for by name must exist. */
static int load_profile(PolicySet *set, const ConfOptions *options, const Conf *conf,
                        ConfIssues *issues) {
        const char *name = conf_profile_to_string(set->profile);
        ConfFileList list = { 0 };
        ConfFile *used = NULL;
        char wanted[64];
        int r;

        (void) text_format(wanted, sizeof(wanted), "/%s.profile", name);
        r = policy_profile_list(options, &list, issues);
        for (size_t i = 0; i < list.n && r == 0; i++)
                if (list.files[i].state != CONF_FILE_REPLACED &&
                    text_ends(text_from(list.files[i].path), wanted))
                        used = &list.files[i];
        if (r == 0 && !used && set->profile != PROFILE_DEFAULT && conf->profile == set->profile)
                conf_issues_add(issues, options && options->policy_dir ? options->policy_dir : "",
                                0, CONF_ERROR,
                                "profile \"%s\" is in force, but there is no file profiles%s", name,
                                wanted);
        if (used && r == 0) {
                r = conf_file_list_add(&set->files, used->path, used->state);
                if (r == 0 && used->state == CONF_FILE_USED) {
                        ConfFile *file = &set->files.files[set->files.n - 1];

                        r = conf_file_read(file, options && options->policy_dir, issues);
                        if (r == 0 && file->state == CONF_FILE_USED)
                                r = policy_profile_apply(set, file, conf, issues);
                }
        }
        conf_file_list_done(&list);
        return r;
}

static void sort_by_name(PolicySet *set) {
        /* Insertion: a few dozen at most, and three arrays move together. */
        for (size_t i = 1; i < set->n; i++)
                for (size_t k = i;
                     k > 0 && strcmp(set->policies[k - 1].name, set->policies[k].name) > 0; k--) {
                        Policy policy = set->policies[k];
                        PolicyKeyOrigin *origin = set->origin[k];
                        size_t n_origin = set->n_origin[k];

                        set->policies[k] = set->policies[k - 1];
                        set->origin[k] = set->origin[k - 1];
                        set->n_origin[k] = set->n_origin[k - 1];
                        set->policies[k - 1] = policy;
                        set->origin[k - 1] = origin;
                        set->n_origin[k - 1] = n_origin;
                }
}

int policy_set_load(const ConfOptions *options, const Conf *conf, ConfProfile profile,
                    PolicySet **ret_set, ConfIssues *issues) {
        _cleanup_(policy_set_freep) PolicySet *set = calloc(1, sizeof(*set));
        _cleanup_(conf_freep) Conf *defaults = NULL;
        size_t allocated = 0;
        int r;

        if (!set)
                return -ENOMEM;
        if (!conf) {
                conf = defaults = conf_new();
                if (!conf)
                        return -ENOMEM;
        }
        set->profile = profile == PROFILE_AUTO ? PROFILE_DEFAULT : profile;
        r = list_policies(options, &set->files, issues);
        for (size_t i = 0; i < set->files.n && r == 0; i++)
                if (set->files.files[i].state == CONF_FILE_USED)
                        r = load_file(set, &allocated, &set->files.files[i],
                                      options && options->policy_dir, conf, issues);
        if (r < 0)
                return r;
        sort_by_name(set);
        r = load_profile(set, options, conf, issues);
        if (r < 0)
                return r;
        *ret_set = TAKE_PTR(set);
        return 0;
}

PolicySet *policy_set_free(PolicySet *set) {
        if (!set)
                return NULL;
        for (size_t i = 0; i < set->n; i++)
                free(set->origin[i]);
        free(set->origin);
        free(set->n_origin);
        free(set->policies);
        conf_file_list_done(&set->files);
        free(set);
        return NULL;
}

const Policy *policy_set_find(const PolicySet *set, const char *name) {
        for (size_t i = 0; i < set->n; i++)
                if (strcmp(set->policies[i].name, name) == 0)
                        return &set->policies[i];
        return NULL;
}
