/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guards: what trials are compared with, how far a cut goes, and frames of any numbers. */
#include "base/random.h"
#include "guard-world.h"

TEST(absurd_numbers_are_only_large) {
        calm();
        g.frame.interval_usec = UINT64_MAX;
        g.frame.guard.allocstall = KNOWN(UINT64_MAX);
        g.frame.guard.compact_stall = KNOWN(UINT64_MAX);
        g.frame.guard.compact_fail = KNOWN(UINT64_MAX);
        g.frame.guard.thp_fault = KNOWN(UINT64_MAX);
        g.frame.guard.thp_fallback = KNOWN(UINT64_MAX);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(UINT64_MAX);
        g.frame.guard.memory_bytes = KNOWN(UINT64_MAX);
        g.base.fallback_ppm = KNOWN(UINT64_MAX);
        g.base.psi_some_ppm = KNOWN(UINT64_MAX);
        g.base.compact_stall_per_s_milli = KNOWN(UINT64_MAX);
        for (unsigned i = 0; i < g.policy.n_guards; i++)
                g.policy.guard[i].limit = g.policy.guard[i].share_ppm = INT64_MIN;
        g.frame.guard.parked_short_ppm = KNOWN(UINT64_MAX);
        ASSERT_EQ_I(check(), GUARD_CUT);
        ASSERT_EQ_I(g.found.value, INT64_MAX);
}

TEST(a_base_is_the_mean_of_the_windows_of_the_present_value) {
        GuardBaseSums sums = { 0 };
        GuardBase base;

        calm();
        g.frame.guard.psi_some_ppm = KNOWN(3000);
        guard_base_add(&sums, &g.frame);
        /* The second frame has no pressure file, and slab memory has grown since. */
        g.frame.guard.psi_some_ppm = UNKNOWN;
        g.frame.guard.compact_stall = KNOWN(8);
        g.frame.guard.thp_fallback = KNOWN(300);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(2000 * MIB);
        guard_base_add(&sums, &g.frame);
        g.frame.guard.psi_some_ppm = KNOWN(5000);
        g.frame.guard.compact_stall = UNKNOWN;
        g.frame.guard.thp_fault = UNKNOWN;
        guard_base_add(&sums, &g.frame);
        guard_base_make(&sums, &base);
        ASSERT_TRUE(base.known);
        ASSERT_EQ_U(base.psi_some_ppm.value, 4000);
        ASSERT_EQ_U(base.compact_stall_per_s_milli.value, 3000); /* 12 in 4 s */
        ASSERT_EQ_U(base.fallback_ppm.value, 181818);            /* 400 of 2200 */
        ASSERT_EQ_U(base.slab_unreclaimable_bytes.value, 1000 * MIB);
}

TEST(a_base_of_nothing_is_not_known) {
        GuardBaseSums sums = { 0 };
        GuardBase base;

        calm();
        g.frame.guard = (GuardFrame){ 0 };
        guard_base_add(&sums, &g.frame);
        guard_base_make(&sums, &base);
        ASSERT_FALSE(base.known);
        ASSERT_FALSE(base.compact_stall_per_s_milli.known);
}

TEST(a_cut_follows_how_far_the_limit_is_passed_down_to_half) {
        /* 25 % past: three quarters; 100 % and more: half; at the limit: nothing. */
        ASSERT_EQ_U(guard_cut_multiple(8000, 25000, 20000), 6000);
        ASSERT_EQ_U(guard_cut_multiple(8000, 40000, 20000), 4000);
        ASSERT_EQ_U(guard_cut_multiple(8000, 900000, 20000), 4000);
        ASSERT_EQ_U(guard_cut_multiple(8000, 20000, 20000), 8000);
        /* Free memory passes its limit downwards. */
        ASSERT_EQ_U(guard_cut_multiple(8000, 375000, 500000), 6000);
        /* Not below the default, not up, not by nonsense. */
        ASSERT_EQ_U(guard_cut_multiple(1500, 900000, 20000), 1000);
        ASSERT_EQ_U(guard_cut_multiple(600, 900000, 20000), 600);
        ASSERT_EQ_U(guard_cut_multiple(8000, INT64_MAX, INT64_MIN), 4000);
        ASSERT_EQ_U(guard_cut_multiple(8000, INT64_MIN, INT64_MAX), 4000);
        ASSERT_EQ_U(guard_cut_multiple(UINT64_MAX, 0, 0), UINT64_MAX / 2);
}

/* Numbers of every size, and often none. */
static MaybeU64 any(Random *random) {
        uint64_t value = (uint64_t) random_u32(random) << 32 | random_u32(random);

        return random_below(random, 4) == 0 ? UNKNOWN : KNOWN(value >> random_below(random, 64));
}

TEST(any_frame_has_a_finding_that_agrees_with_itself) {
        unsigned n_fired = 0;
        Random random;

        random_seed(&random, 7, 7);
        for (unsigned i = 0; i < 20000; i++) {
                GuardFrame *f = &g.frame.guard;
                MaybeU64 *const readings[] = {
                        &f->free_level_ppm,
                        &f->parked_ppm,
                        &f->parked_short_ppm,
                        &f->allocstall,
                        &f->psi_some_ppm,
                        &f->psi_full_ppm,
                        &f->slab_unreclaimable_bytes,
                        &f->memory_bytes,
                        &f->compact_stall,
                        &f->compact_fail,
                        &f->thp_fault,
                        &f->thp_fallback,
                        &f->failures,
                        &f->steal_ppm,
                        &f->hold_nsec,
                        &f->own_cpu_ppm,
                        &f->slow_read_usec,
                        &f->zone_reclaim_mode,
                        &g.base.psi_some_ppm,
                        &g.base.compact_stall_per_s_milli,
                        &g.base.fallback_ppm,
                        &g.base.slab_unreclaimable_bytes,
                };

                calm();
                for (size_t k = 0; k < ELEMENTSOF(readings); k++)
                        if (random_coin(&random))
                                *readings[k] = any(&random);
                g.frame.interval_usec = any(&random).value;
                g.context.in_trial = random_coin(&random);
                g.context.parked_possible_ppm = any(&random).value;
                check();
                n_fired += g.found.verdict != GUARD_ALLOW;
                ASSERT_EQ_U(g.found.guard == NULL, g.found.verdict == GUARD_ALLOW);
                ASSERT_TRUE(g.found.verdict != GUARD_ABORT || g.context.in_trial);
                ASSERT_TRUE(g.found.block_usec == 0 || g.context.in_trial);
                ASSERT_TRUE(g.found.value >= 0 && g.found.limit >= 0);
                /* Past its limit, and only free memory passes it downwards. */
                if (g.found.guard && strcmp(g.found.guard->name, "free") != 0)
                        ASSERT_TRUE(g.found.value > g.found.limit || g.found.value == INT64_MAX ||
                                    strcmp(g.found.guard->name, "fragmentation") == 0);
        }
        ASSERT_TRUE(n_fired > 5000 && n_fired < 20000);
}

TEST(a_cut_never_grows_and_never_takes_more_than_half) {
        Random random;

        random_seed(&random, 8, 8);
        for (unsigned i = 0; i < 20000; i++) {
                uint64_t multiple = any(&random).value;
                int64_t value = (int64_t) any(&random).value, limit = (int64_t) any(&random).value;
                uint64_t cut = guard_cut_multiple(multiple, value, limit);

                ASSERT_LE_U(cut, multiple);
                ASSERT_GE_U(cut, MIN(multiple, MAX(multiple / 2, 1000ul)));
        }
}

TEST_MAIN()
