/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/guard.h"
#include "test.h"

/* Defaults of the policy, an open trial, and a frame of 2 s in which nothing is wrong. */
static struct {
        Policy policy;
        GuardBase base;
        GuardContext context;
        Frame frame;
        GuardFinding found;
} g;

#define MIB (UINT64_C(1) << 20)
#define MINUTE (60 * USEC_PER_SEC)
#define DAY (24 * 60 * MINUTE)

_unused_ static void calm(void) {
        memset(&g, 0, sizeof(g));
        policy_init(&g.policy);
        g.base = (GuardBase){ .known = true,
                              .psi_some_ppm = KNOWN(1000),
                              .compact_stall_per_s_milli = KNOWN(3000),
                              .fallback_ppm = KNOWN(100000),
                              .slab_unreclaimable_bytes = KNOWN(1000 * MIB) };
        g.context = (GuardContext){ .policy = &g.policy,
                                    .base = &g.base,
                                    .in_trial = true,
                                    .ours = true,
                                    .parked_possible_ppm = 20000,
                                    .n_online = 48 };
        g.frame = (Frame){ .at_usec = 100 * USEC_PER_SEC,
                           .interval_usec = 2 * USEC_PER_SEC,
                           .n_online = 48 };
        g.frame.guard = (GuardFrame){ .free_level_ppm = KNOWN(900000),
                                      .parked_ppm = KNOWN(10000),
                                      .parked_short_ppm = KNOWN(0),
                                      .allocstall = KNOWN(0),
                                      .psi_some_ppm = KNOWN(1000),
                                      .psi_full_ppm = KNOWN(0),
                                      .slab_unreclaimable_bytes = KNOWN(1000 * MIB),
                                      .memory_bytes = KNOWN(8192 * MIB),
                                      .compact_stall = KNOWN(4),
                                      .compact_fail = KNOWN(1),
                                      .compact_success = KNOWN(3),
                                      .thp_fault = KNOWN(900),
                                      .thp_fallback = KNOWN(100),
                                      .failures = KNOWN(0),
                                      .steal_ppm = KNOWN(0),
                                      .own_cpu_ppm = KNOWN(1000),
                                      .slow_read_usec = KNOWN(2000),
                                      .zone_reclaim_mode = KNOWN(0) };
}

_unused_ static GuardVerdict check(void) {
        guard_check(&g.context, &g.frame, &g.found);
        return g.found.verdict;
}

_unused_ static void only(const char *name) {
        g.policy.n_guards = 1;
        ASSERT_TRUE(policy_guard_init(&g.policy.guard[0], name));
}

_unused_ static void assert_found(const char *name, int64_t value, int64_t limit) {
        ASSERT_TRUE(g.found.guard != NULL);
        ASSERT_STR(g.found.guard->name, name);
        ASSERT_EQ_I(g.found.value, value);
        ASSERT_EQ_I(g.found.limit, limit);
        ASSERT_TRUE(g.found.what && g.found.what[0]);
}
