/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/control/may.h"

#include <string.h>

#include "core/control/kernel-range.h"

KnobState may_state(const Policy *policy, const Knob *knob) {
        return knob->state == KNOB_DENIED && knob->denied_isolated && policy->isolated
                       ? KNOB_LIVE
                       : knob->state;
}

void may_state_why(const Knob *knob, char *ret_text, size_t size) {
        char *end;

        (void) text_copy(
                ret_text, size,
                text_from(knob->reason[0] ? knob->reason : knob_state_to_string(knob->state)));
        end = strchr(ret_text, ';');
        if (end)
                *end = 0;
}

void may_owner(const Policy *policy, const Knob *knob, char *ret_text, size_t size) {
        const char *who = NULL;

        ret_text[0] = 0;
        switch (knob->owner) {
        case OWNER_KERNEL:
        case OWNER_ALLOCTUNED:
        case _OWNER_MAX:
                break;
        case OWNER_ADMIN:
                who = "the administrator set the present value";
                break;
        case OWNER_UNKNOWN:
                who = knob->def[0]
                              ? "somebody set the present value; it is treated as the administrator's"
                              : "whether somebody set the present value is unknown; it is treated as the "
                                "administrator's";
                break;
        }
        if (!who || policy->claim)
                return;
        if (knob->set_by)
                (void) text_format(ret_text, size, "%s in %s:%u (claim = true would hand it over)",
                                   who, knob->set_by->file, knob->set_by->line);
        else
                (void) text_format(ret_text, size, "%s (claim = true would hand it over)", who);
}

bool may_machine(const Policy *policy, const MachineFacts *facts) {
        return (!policy->kernel[0] ||
                kernel_range_has(text_from(policy->kernel), text_from(facts->release))) &&
               policy->cpus_at_least <= facts->topology.n_online;
}

bool may_deny(const char *const *globs, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (text_glob(globs[i], name))
                        return true;
        return false;
}

const char *may_cache_pattern(const Policy *policy) {
        return strncmp(policy->scope, "cache:", 6) == 0 ? policy->scope + 6 : "*";
}

bool may_cache(const Policy *policy, const SlabCache *cache) {
        const char *pattern = may_cache_pattern(policy);
        bool named = text_glob(pattern, cache->dir);

        for (unsigned i = 0; i < cache->n_aliases; i++)
                named = named || text_glob(pattern, cache->aliases[i]);
        return named;
}

bool may_deny_cache(const char *const *globs, size_t n, const SlabCache *cache) {
        bool denied = may_deny(globs, n, cache->dir);

        for (unsigned i = 0; i < cache->n_aliases; i++)
                denied = denied || may_deny(globs, n, cache->aliases[i]);
        return denied;
}
