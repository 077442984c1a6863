/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <libconfig.h>

#include "conf/policy-file.h"

/* Where the keys of one policy came from; the last entry of a key is the one in force. */
typedef struct PolicyOrigins {
        PolicyKeyOrigin *items;
        size_t n;
} PolicyOrigins;

void policy_origins_done(PolicyOrigins *origins);
/* NULL: the default. */
_pure_ const PolicyKeyOrigin *policy_origins_find(const PolicyOrigins *origins, const char *key);

/* Reads the text of a policy file over the defaults. 0, 1 (errors) or -ENOMEM. file must outlive the
 * origins. */
_must_check_ int policy_load_text(const char *file, const char *text, const Conf *conf,
                                  Policy *ret_policy, PolicyOrigins *ret_origins,
                                  ConfIssues *issues);
/* Reads one group of a profile over a policy: 0, 1 (errors: the policy is untouched) or -ENOMEM. */
_must_check_ int policy_load_override(const char *file, config_setting_t *group, const Conf *conf,
                                      Policy *policy, PolicyOrigins *origins, ConfIssues *issues);

/* What the table of keys cannot say: names of knobs and signals, limits, pairs of numbers. Not
 * complete: keys had errors, so what is missing may only be unread. Returns the number of errors it
 * added. */
_must_check_ size_t policy_check(const Policy *policy, const PolicyOrigins *origins,
                                 const Conf *conf, bool complete, ConfIssues *issues);

/* Every profile that the lookup finds. 0 or -ENOMEM. */
_must_check_ int policy_profile_list(const ConfOptions *options, ConfFileList *list,
                                     ConfIssues *issues);
/* A profile file that was read, over a set. 0 or -ENOMEM; file must outlive the set. */
_must_check_ int policy_profile_apply(PolicySet *set, const ConfFile *file, const Conf *conf,
                                      ConfIssues *issues);
