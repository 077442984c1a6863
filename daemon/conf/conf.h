/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/units.h"
#include "conf/issue.h"
#include "core/signal/signal.h"

/* The configuration: alloctuned.conf and alloctuned.conf.d/NAME.conf, looked up in /etc/alloctuned,
 * /run/alloctuned, /usr/local/lib/alloctuned and /usr/lib/alloctuned. A file in an earlier directory
 * replaces one of the same name, a link to /dev/null masks it, files apply in order of name
 * (alloctuned.conf first), a later value wins key by key. */
typedef struct ConfOptions {
        const char
                *prefix; /* put before the lookup directories; NULL or "/": none (tests use it) */
        const char *config; /* --config FILE: this file alone; NULL: look up */
        const char *
                policy_dir; /* --policy-dir DIR: DIR/NAME.policy and DIR/profiles/NAME.profile alone; NULL: look up */
} ConfOptions;

typedef enum ConfProfile {
        PROFILE_AUTO,
        PROFILE_DEFAULT,
        PROFILE_SMALL,
        PROFILE_LATENCY,
        _PROFILE_MAX
} ConfProfile;

_const_ const char *conf_profile_to_string(ConfProfile profile);

/* When trials may run: any time, never, or in a window of the week (local time). A window whose end
 * is not after its start ends on the next day. */
typedef struct ConfTrials {
        bool never;
        unsigned
                days; /* bit 0 Monday .. bit 6 Sunday: days on which a window starts; 127: every day */
        unsigned start_minute; /* of the day, 0..1439 */
        unsigned end_minute;   /* 0..1440; start 0, end 1440: the whole day */
} ConfTrials;

/* A number of somebody else, read from a file and used as signal "external:NAME". */
typedef struct ConfExternal {
        char name[48];
        char path[256]; /* absolute */
        char unit[16];
        bool lower_is_better;
        usec_t max_age_usec;
        Evidence evidence;
        const char *file; /* where it was configured; owned by the Conf */
        unsigned line;
} ConfExternal;

/* A file that took part in a lookup, in order of application. */
typedef enum ConfFileState {
        CONF_FILE_USED,
        CONF_FILE_MASKED,   /* a link to /dev/null */
        CONF_FILE_REPLACED, /* a file of the same name in an earlier directory stands in for it */
        CONF_FILE_REFUSED,  /* errors: see the issues */
} ConfFileState;

typedef struct ConfFile {
        char *path;
        ConfFileState state;
        char *text; /* content of a used or refused file, NULL otherwise; ends in NUL */
        size_t size;
} ConfFile;

typedef struct ConfFileList {
        ConfFile *files;
        size_t n;
} ConfFileList;

/* Where a value came from. */
typedef struct ConfOrigin {
        const char *file; /* NULL: the default */
        unsigned line;
} ConfOrigin;

#define CONF_KEYS_MAX 24

typedef struct Conf {
        bool apply;           /* mode: "apply", not "recommend" */
        bool restore_on_stop; /* on_stop */
        bool keep_on_restart; /* on_restart */
        ConfTrials trials;
        char trials_text[48]; /* as written */
        unsigned trials_per_day;
        unsigned changes_per_hour;
        int64_t share_ppm; /* part of a fleet that tries */
        usec_t tick_usec, tick_trial_usec, quiet_usec;
        ConfProfile profile;
        int64_t own_cpu_ppm; /* of one CPU, for every 64 CPUs online or part of them */
        uint64_t own_memory_bytes;
        char **deny_knobs; /* globs; n_deny_knobs of them */
        size_t n_deny_knobs;
        char **deny_caches;
        size_t n_deny_caches;
        ConfExternal *externals;
        size_t n_externals;
        ConfFileList files;
        ConfOrigin origin[CONF_KEYS_MAX]; /* in the order of conf_keys() */
} Conf;

/* Loads the whole configuration. 0, or -ENOMEM. A file with errors contributes nothing (its state is
 * CONF_FILE_REFUSED, issues->n_errors counts): the caller that wants all or nothing looks there. A
 * --config FILE that cannot be read is an error; a lookup that finds no file is fine. */
_must_check_ int conf_load(const ConfOptions *options, Conf **ret_conf, ConfIssues *issues);
Conf *conf_free(Conf *conf); /* NULL is fine; returns NULL */

/* The profile in force: auto is small where the largest zone is under 4 GiB (0: unknown, then default). */
_pure_ ConfProfile conf_profile_resolve(const Conf *conf, uint64_t largest_zone_bytes);
/* Globs of deny_knobs and deny_caches. name: "slab-order"; cache: a directory of /sys/kernel/slab. */
_pure_ bool conf_denies_knob(const Conf *conf, const char *name);
_pure_ bool conf_denies_cache(const Conf *conf, const char *cache);
/* "external:NAME" or NAME; NULL: not configured. */
_pure_ const ConfExternal *conf_external_find(const Conf *conf, const char *name);

static inline void conf_freep(Conf **conf) {
        *conf = conf_free(*conf);
}
