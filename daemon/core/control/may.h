/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/control/policy.h"

/* Whether a policy may touch a knob of this machine: what the adviser says and what the engine obeys are one. */

/* The state for this policy: "denied" by isolated CPUs is "live" where it says isolated = true. */
_pure_ KnobState may_state(const Policy *policy, const Knob *knob);
/* The part of the reason that says what forbids a write; numbers for people follow it. */
void may_state_why(const Knob *knob, char *ret_text, size_t size);
/* Why the present value is not ours to change, or "". */
void may_owner(const Policy *policy, const Knob *knob, char *ret_text, size_t size);
/* The policy speaks of this machine: release and number of CPUs. */
_pure_ bool may_machine(const Policy *policy, const MachineFacts *facts);
/* One of the globs matches. */
_pure_ bool may_deny(const char *const *globs, size_t n, const char *name);

/* Merged caches are one: any of their names picks it, and any denies it. */
_pure_ const char *may_cache_pattern(const Policy *policy);
_pure_ bool may_cache(const Policy *policy, const SlabCache *cache);
_pure_ bool may_deny_cache(const char *const *globs, size_t n, const SlabCache *cache);
