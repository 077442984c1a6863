/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/config.h"

/* What alloctuned.conf(5) says of a session. Policies, store, boot id, seed and hours of trials are the caller's. */
void session_config_init(const Conf *conf, SenseExternal *externals, SessionConfig *ret) {
        *ret = (SessionConfig){
                .engine = { .tick_usec = conf->tick_usec,
                            .tick_trial_usec = conf->tick_trial_usec,
                            .quiet_usec = conf->quiet_usec,
                            .trials_per_day = conf->trials_per_day,
                            .changes_per_hour = conf->changes_per_hour,
                            .own_cpu_ppm = conf->own_cpu_ppm },
                .sense = { .externals = externals, .n_externals = conf->n_externals },
                .deny_knobs = (const char *const *) conf->deny_knobs,
                .n_deny_knobs = conf->n_deny_knobs,
                .deny_caches = (const char *const *) conf->deny_caches,
                .n_deny_caches = conf->n_deny_caches,
                .apply = conf->apply,
        };
        for (size_t i = 0; i < conf->n_externals; i++) {
                const ConfExternal *e = &conf->externals[i];

                externals[i] = (SenseExternal){ .max_age_usec = e->max_age_usec,
                                                .evidence = e->evidence,
                                                .higher_is_better = !e->lower_is_better };
                (void) text_copy(externals[i].name, sizeof(externals[i].name), text_from(e->name));
                (void) text_copy(externals[i].path, sizeof(externals[i].path), text_from(e->path));
        }
}
