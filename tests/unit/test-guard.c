/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each guard at its limits. Bases, cuts and frames of any numbers: test-guard-any.c. */
#include "guard-world.h"

TEST(a_calm_frame_is_allowed) {
        calm();
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        ASSERT_TRUE(g.found.guard == NULL);
}

TEST(what_is_not_known_fires_nothing) {
        calm();
        g.frame.guard = (GuardFrame){ 0 };
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        /* Nor does a frame of zeros for everything that is only growth. */
        g.frame.interval_usec = 0;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(free_memory_below_half_way_between_low_and_high_ends_a_trial) {
        calm();
        g.frame.guard.free_level_ppm = KNOWN(500000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.free_level_ppm = KNOWN(499999);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("free", 499999, 500000);
        ASSERT_EQ_U(g.found.pause_usec, 10 * MINUTE);
        ASSERT_EQ_U(g.found.block_usec, 0);
}

TEST(one_direct_reclaim_ends_a_trial) {
        calm();
        g.frame.guard.allocstall = KNOWN(1);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("free", 1, 0); /* half an event a second is not none */
        g.frame.interval_usec = 0;
        ASSERT_EQ_I(check(), GUARD_ABORT);
}

TEST(direct_reclaim_is_compared_with_its_limit_a_second) {
        calm();
        g.policy.guard[0].limit = 5;
        g.frame.guard.allocstall = KNOWN(10); /* in 2 s */
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.allocstall = KNOWN(12);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("free", 6, 5);
}

TEST(without_a_trial_growth_waits_instead_of_an_abort) {
        calm();
        g.context.in_trial = false;
        g.frame.guard.allocstall = KNOWN(4);
        ASSERT_EQ_I(check(), GUARD_HOLD_GROWTH);
        ASSERT_EQ_U(g.found.pause_usec, 10 * MINUTE);
}

TEST(pressure_fires_on_some_on_full_and_on_a_rise) {
        calm();
        g.base.psi_some_ppm = KNOWN(45000);
        g.frame.guard.psi_some_ppm = KNOWN(50000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.psi_some_ppm = KNOWN(50001);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("psi-memory", 50001, 50000);
        ASSERT_EQ_U(g.found.pause_usec, 30 * MINUTE);
        calm();
        g.frame.guard.psi_full_ppm = KNOWN(10001);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("psi-memory", 10001, 10000);
        /* 2 points over the 0.1 % of the present value. */
        calm();
        g.frame.guard.psi_some_ppm = KNOWN(21000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.psi_some_ppm = KNOWN(21001);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("psi-memory", 21001, 21000);
        g.base.known = false;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.base.known = true;
        g.context.in_trial = false;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(parked_memory_counts_only_where_memory_is_short) {
        calm();
        g.frame.guard.parked_ppm = KNOWN(90000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.parked_short_ppm = KNOWN(20000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.parked_short_ppm = KNOWN(20001);
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("parked", 20001, 20000);
}

TEST(lists_that_the_kernel_tunes_have_a_limit_of_their_own) {
        calm();
        g.context.kernel_tunes = true;
        g.context.ours = false;
        g.frame.guard.parked_short_ppm = KNOWN(30000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.parked_short_ppm = KNOWN(30001);
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("parked", 30001, 30000);
}

TEST(a_limit_of_the_guard_stands_for_both_bounds) {
        calm();
        only("parked");
        g.policy.guard[0].limit = 15000;
        g.policy.guard[0].limit_known = true;
        g.frame.guard.parked_short_ppm = KNOWN(15001);
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("parked", 15001, 15000);
        g.context.kernel_tunes = true;
        ASSERT_EQ_I(check(), GUARD_CUT);
        g.frame.guard.parked_short_ppm = KNOWN(15000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(what_could_be_parked_counts_only_for_values_of_ours) {
        calm();
        g.context.parked_possible_ppm = 40000;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.context.parked_possible_ppm = 40001;
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("parked", 40001, 40000);
        g.context.ours = false;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(growth_of_slab_memory_is_measured_from_the_start_of_the_trial) {
        calm();
        /* 0.5 % of 8 GiB is 40.96 MiB, so 64 MiB count. */
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(1064 * MIB);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(1064 * MIB + 1);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("slab-unreclaimable", (int64_t) (64 * MIB + 1), (int64_t) (64 * MIB));
        ASSERT_EQ_U(g.found.block_usec, 7 * DAY);
        /* Of 64 GiB, 0.5 % are 327.68 MiB. */
        g.frame.guard.memory_bytes = KNOWN(65536 * MIB);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(1328 * MIB);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        /* Less than at the start is no growth, and outside a trial there is no start. */
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(1);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(9000 * MIB);
        g.context.in_trial = false;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(compaction_fires_when_it_doubles_and_is_more_than_one_a_second) {
        calm();
        /* The base is 3 a second: 6 a second are 12 in the frame. */
        g.frame.guard.compact_stall = KNOWN(12);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.compact_stall = KNOWN(13);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("fragmentation", 6, 6);
        /* Twice nothing is quiet up to one a second. */
        g.base.compact_stall_per_s_milli = KNOWN(0);
        g.frame.guard.compact_stall = KNOWN(2);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.compact_stall = KNOWN(3);
        ASSERT_EQ_I(check(), GUARD_ABORT);
}

TEST(compaction_fires_when_more_than_half_of_it_fails) {
        calm();
        g.frame.guard.compact_fail = KNOWN(2);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.compact_fail = KNOWN(3);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("fragmentation", 750000, 500000);
        /* Also without a trial; but not one failure in a quiet second. */
        g.context.in_trial = false;
        ASSERT_EQ_I(check(), GUARD_HOLD_GROWTH);
        g.frame.guard.compact_stall = KNOWN(1);
        g.frame.guard.compact_fail = KNOWN(1);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(huge_page_faults_that_fall_back_fire_on_a_rise_of_five_points) {
        calm();
        /* Base 10 %: of 1000 faults 150 are exactly five points more, 160 six. */
        g.frame.guard.thp_fault = KNOWN(850);
        g.frame.guard.thp_fallback = KNOWN(150);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.thp_fault = KNOWN(840);
        g.frame.guard.thp_fallback = KNOWN(160);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("fragmentation", 160000, 150000);
        g.base.fallback_ppm = UNKNOWN;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(a_rise_in_few_faults_is_chance) {
        calm();
        /* 19 faults: one of them is more than five points. */
        g.base.fallback_ppm = KNOWN(0);
        g.frame.guard.thp_fault = KNOWN(9);
        g.frame.guard.thp_fallback = KNOWN(10);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.thp_fault = KNOWN(10);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        /* Base 20 %, 100 faults: sigma is 4 points, so 32 (three sigma) do not fire and 33 do. */
        calm();
        g.base.fallback_ppm = KNOWN(200000);
        g.frame.guard.thp_fault = KNOWN(68);
        g.frame.guard.thp_fallback = KNOWN(32);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.thp_fault = KNOWN(67);
        g.frame.guard.thp_fallback = KNOWN(33);
        ASSERT_EQ_I(check(), GUARD_ABORT);
}

TEST(a_failed_allocation_blocks_the_arm_or_growth_for_a_week) {
        calm();
        g.frame.guard.failures = KNOWN(1);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("allocation-failure", 1, 0);
        ASSERT_EQ_U(g.found.block_usec, 7 * DAY);
        ASSERT_EQ_U(g.found.pause_usec, 0);
        g.context.in_trial = false;
        ASSERT_EQ_I(check(), GUARD_HOLD_GROWTH);
        ASSERT_EQ_U(g.found.block_usec, 0);
        ASSERT_EQ_U(g.found.pause_usec, 7 * DAY);
}

TEST(our_own_cost_has_a_limit_for_every_64_cpus) {
        calm();
        g.frame.guard.own_cpu_ppm = KNOWN(5000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.own_cpu_ppm = KNOWN(5001);
        ASSERT_EQ_I(check(), GUARD_SLOW_DOWN);
        assert_found("own-cost", 5001, 5000);
        g.context.n_online = 65; /* two parts of 64 */
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.own_cpu_ppm = KNOWN(10001);
        ASSERT_EQ_I(check(), GUARD_SLOW_DOWN);
        assert_found("own-cost", 10001, 10000);
        /* The configuration allows less. */
        g.context.own_cpu_ppm = 1000;
        g.frame.guard.own_cpu_ppm = KNOWN(2001);
        ASSERT_EQ_I(check(), GUARD_SLOW_DOWN);
        assert_found("own-cost", 2001, 2000);
}

TEST(a_slow_read_slows_down) {
        calm();
        g.frame.guard.slow_read_usec = KNOWN(50000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.slow_read_usec = KNOWN(50001);
        ASSERT_EQ_I(check(), GUARD_SLOW_DOWN);
        assert_found("own-cost", 50001, 50000);
}

TEST(a_container_or_stolen_time_leaves_only_advice) {
        calm();
        g.frame.guard.contained = true;
        ASSERT_EQ_I(check(), GUARD_ADVISE_ONLY);
        ASSERT_STR(g.found.guard->name, "contained");
        calm();
        g.frame.guard.steal_ppm = KNOWN(100000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.steal_ppm = KNOWN(100001);
        ASSERT_EQ_I(check(), GUARD_ADVISE_ONLY);
        assert_found("contained", 100001, 100000);
}

TEST(nothing_grows_with_zone_reclaim) {
        calm();
        g.frame.guard.zone_reclaim_mode = KNOWN(1);
        ASSERT_EQ_I(check(), GUARD_HOLD_GROWTH);
        assert_found("zone-reclaim", 1, 0);
}

TEST(the_length_of_holds_counts_only_with_a_limit_and_its_grade) {
        calm();
        g.frame.guard.hold_nsec = KNOWN(90000);
        g.frame.guard.hold_evidence = EVIDENCE_ESTIMATED;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        only("hold-length");
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.policy.guard[0].limit = 20000;
        g.policy.guard[0].limit_known = true;
        ASSERT_EQ_I(check(), GUARD_ALLOW); /* it acts on counts, this is an estimate */
        g.policy.guard[0].evidence = EVIDENCE_ESTIMATED;
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("hold-length", 90000, 20000);
        g.frame.guard.hold_nsec = KNOWN(20000);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST(a_grade_above_that_of_a_reading_silences_the_guard) {
        calm();
        for (unsigned i = 0; i < g.policy.n_guards; i++)
                g.policy.guard[i].evidence = EVIDENCE_MEASURED;
        g.frame.guard.free_level_ppm = KNOWN(0);
        g.frame.guard.parked_short_ppm = KNOWN(900000);
        g.frame.guard.failures = KNOWN(9);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(9000 * MIB);
        g.frame.guard.compact_stall = KNOWN(900);
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        g.frame.guard.psi_full_ppm = KNOWN(900000); /* PSI is measured */
        ASSERT_EQ_I(check(), GUARD_ABORT);
        ASSERT_STR(g.found.guard->name, "psi-memory");
}

TEST(the_action_of_a_guard_is_the_policys) {
        calm();
        only("psi-memory");
        g.policy.guard[0].action = GUARD_ACTION_CUT;
        g.frame.guard.psi_some_ppm = KNOWN(60000);
        ASSERT_EQ_I(check(), GUARD_CUT);
        only("parked");
        g.policy.guard[0].action = GUARD_ACTION_ABORT;
        g.frame.guard.parked_short_ppm = KNOWN(60000);
        ASSERT_EQ_I(check(), GUARD_ABORT);
}

TEST(short_memory_cuts_lists_although_free_stands_first) {
        calm();
        g.frame.guard.free_level_ppm = KNOWN(100000);
        g.frame.guard.parked_short_ppm = KNOWN(50000);
        g.frame.guard.slow_read_usec = KNOWN(90000);
        ASSERT_EQ_I(check(), GUARD_CUT);
        assert_found("parked", 50000, 20000);
        ASSERT_EQ_U(g.found.pause_usec, 10 * MINUTE); /* free still asks for its pause */
}

TEST(of_equals_the_first_of_the_policy_leads) {
        calm();
        g.frame.guard.psi_full_ppm = KNOWN(50000);
        g.frame.guard.free_level_ppm = KNOWN(100000);
        g.frame.guard.slab_unreclaimable_bytes = KNOWN(9000 * MIB);
        ASSERT_EQ_I(check(), GUARD_ABORT);
        assert_found("free", 100000, 500000);
        ASSERT_EQ_U(g.found.pause_usec, 30 * MINUTE); /* of psi-memory */
        ASSERT_EQ_U(g.found.block_usec, 7 * DAY);     /* of slab-unreclaimable */
}

TEST(a_policy_without_a_guard_is_not_guarded_by_it) {
        calm();
        only("zone-reclaim");
        g.frame.guard.free_level_ppm = KNOWN(0);
        g.frame.guard.failures = KNOWN(3);
        g.frame.guard.contained = true;
        ASSERT_EQ_I(check(), GUARD_ALLOW);
        /* The engine compares values itself. */
        only("foreign-write");
        ASSERT_EQ_I(check(), GUARD_ALLOW);
}

TEST_MAIN()
