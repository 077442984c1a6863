/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/conf.h"
#include "core/control/policy.h"

/* Policy files: policies.d/NAME.policy in the lookup directories of conf.h with the same rules, or
 * --policy-dir DIR alone (DIR/NAME.policy). One file holds one policy. A profile is a file of
 * overrides by policy name, profiles/NAME.profile below the same directories (DIR/profiles). Its
 * groups change key by key, its lists replace, but guards are added or exchanged one by one:
 *
 *   profile = { about = "..."; policies = { pcp-contention = { most_loss = 30000; bounds = { ... }; }; }; };
 */
typedef struct PolicyKeyOrigin {
        char key[48];     /* "targets", "gate.use", "guards.parked", "bounds.memory" */
        const char *file; /* owned by the set */
        unsigned line;
} PolicyKeyOrigin;

typedef struct PolicySet {
        Policy *policies; /* sorted by name, without those that have errors; Policy.file says where each was read */
        size_t n;
        size_t n_failed; /* files refused or with errors: named in the issues */
        ConfProfile profile;
        ConfFileList files;
        PolicyKeyOrigin **origin; /* one array per policy: the keys that are not at their default */
        size_t *n_origin;
} PolicySet;

/* Loads every policy and applies the overrides of the profile (never PROFILE_AUTO: see
 * conf_profile_resolve). conf says which externals exist and, with mode = "recommend", makes every
 * policy advise only; NULL: the default configuration. 0, or -ENOMEM. A policy with errors is left
 * out and does not stop the others. */
_must_check_ int policy_set_load(const ConfOptions *options, const Conf *conf, ConfProfile profile,
                                 PolicySet **ret_set, ConfIssues *issues);
PolicySet *policy_set_free(PolicySet *set); /* NULL is fine; returns NULL */
_pure_ const Policy *policy_set_find(const PolicySet *set, const char *name);

/* One policy from text in memory, for tests and fuzzers. file is used in messages and kept in
 * Policy.file. 0: fine; 1: issues has at least one error and ret_policy is untouched; -ENOMEM. */
_must_check_ int policy_parse(const char *file, const char *text, size_t size, const Conf *conf,
                              Policy *ret_policy, ConfIssues *issues);

static inline void policy_set_freep(PolicySet **set) {
        *set = policy_set_free(*set);
}
