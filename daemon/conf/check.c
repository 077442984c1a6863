/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/check.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "conf/conf-load.h"
#include "conf/lookup.h"
#include "conf/policy-load.h"

static int check_conf(const ConfFile *file, ConfIssues *issues) {
        _cleanup_(conf_freep) Conf *conf = conf_new();
        int r;

        if (!conf)
                return -ENOMEM;
        r = conf_apply_text(conf, file->path, file->text, issues);
        if (r == 0)
                conf_check_whole(conf, issues);
        return r < 0 ? r : 0;
}

static int check_policy(const ConfFile *file, const Conf *conf, ConfIssues *issues) {
        PolicyOrigins origins = { 0 };
        Policy policy;
        int r = policy_load_text(file->path, file->text, conf, &policy, &origins, issues);

        if (r == 0)
                policy_origins_done(&origins);
        return r < 0 ? r : 0;
}

/* A profile only means something over the policies there are. */
static int check_profile(const ConfOptions *options, const ConfFile *file, const Conf *conf,
                         ConfIssues *issues) {
        _cleanup_(policy_set_freep) PolicySet *set = NULL;
        ConfIssues elsewhere = CONF_ISSUES_NULL;
        int r = policy_set_load(options, conf, PROFILE_DEFAULT, &set, &elsewhere);

        conf_issues_done(&elsewhere);
        if (r < 0)
                return r;
        return policy_profile_apply(set, file, conf, issues);
}

int conf_check_file(const ConfOptions *options, const char *path, ConfIssues *issues) {
        _cleanup_(conf_freep) Conf *conf = conf_new();
        ConfFileList list = { 0 };
        Text name = text_from(path);
        int r;

        if (!conf)
                return -ENOMEM;
        r = conf_file_list_add(&list, path, CONF_FILE_USED);
        if (r == 0)
                r = conf_file_read(&list.files[0], /* named= */ true, issues);
        if (r == 0 && list.files[0].state == CONF_FILE_USED) {
                if (text_ends(name, ".policy"))
                        r = check_policy(&list.files[0], conf, issues);
                else if (text_ends(name, ".profile"))
                        r = check_profile(options, &list.files[0], conf, issues);
                else
                        r = check_conf(&list.files[0], issues);
        }
        conf_file_list_done(&list);
        return r;
}

int conf_check_all(const ConfOptions *options, ConfIssues *issues) {
        _cleanup_(conf_freep) Conf *conf = NULL;
        _cleanup_(policy_set_freep) PolicySet *set = NULL;
        ConfIssues elsewhere =
                CONF_ISSUES_NULL; /* a bad directory: policy_set_load() says it too */
        ConfFileList profiles = { 0 };
        int r = conf_load(options, &conf, issues);

        if (r < 0)
                return r;
        r = policy_set_load(options, conf, PROFILE_DEFAULT, &set, issues);
        if (r == 0 && set->n == 0 && issues->n_errors == 0)
                conf_issues_add(issues,
                                options && options->policy_dir ? options->policy_dir : "policies.d",
                                0, CONF_WARNING, "no policy was found: nothing can be advised");
        if (r == 0)
                r = policy_profile_list(options, &profiles, &elsewhere);
        conf_issues_done(&elsewhere);
        for (size_t i = 0; i < profiles.n && r == 0; i++) {
                ConfFile *file = &profiles.files[i];

                /* policy_set_load() has read this one. */
                if (file->state != CONF_FILE_USED ||
                    text_ends(text_from(file->path), "/default.profile"))
                        continue;
                r = conf_file_read(file, options && options->policy_dir, issues);
                if (r == 0 && file->state == CONF_FILE_USED)
                        r = check_profile(options, file, conf, issues);
        }
        conf_file_list_done(&profiles);
        return r;
}
