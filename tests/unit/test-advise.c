/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advise-world.h"

TEST(hot_target_on_a_live_knob_is_tune_with_the_first_arm) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
        ASSERT_EQ_I(r->apply, APPLY_WRITE);
        /* default high 6 * 63 = 378; twice that is 756; 16,000,000 / 756 = 21,164 */
        ASSERT_STR(r->to, "21164");
        ASSERT_TRUE(strstr(r->reason, "85.6 %") != NULL);
        ASSERT_TRUE(strstr(r->reason, "from 1,200") != NULL); /* 48 CPUs / 0.04 */
        ASSERT_EQ_I(w.advice.verdict, VERDICT_TUNE);
}

TEST(cold_target_says_why_nothing_is_to_do) {
        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 19999, EVIDENCE_MEASURED);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
        ASSERT_EQ_U(w.advice.n_notes, 1);
        ASSERT_EQ_I(w.advice.verdict, VERDICT_NOTHING);
        ASSERT_TRUE(strstr(w.advice.notes[0].text, "2.0 %") != NULL);
}

TEST(evidence_below_the_grade_of_the_policy_advises) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        p->evidence = EVIDENCE_MEASURED;
        p->gate.use_ppm = p->gate.kernel_cpu_ppm = 0;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_ESTIMATED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_TRUE(strstr(r->reason, "evidence is estimated") != NULL);
}

TEST(recommend_mode_and_foreign_owner_advise) {
        const Recommendation *r;
        Policy *p;
        Knob *k;

        world_init(PCP_GEN_FRACTION, 0);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        k = add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        k->owner = OWNER_UNKNOWN;
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_WRITE); /* the design: advise with apply "write" */
        p->claim = true;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
        p->apply = false;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
}

TEST(guards_turn_tune_into_advise) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        add_signal("psi-memory-full", 10001, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_TRUE(strstr(r->reason, "psi-memory") != NULL);
}

TEST(low_free_memory_blocks_growth) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        w.zone.free = KNOWN(30999); /* half way between low 24,000 and high 38,000 is 31,000 */
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_TRUE(strstr(r->reason, "31,000") != NULL);
        w.zone.free = KNOWN(31000);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
}

TEST(tuning_kernel_is_left_alone_with_its_ceiling_named) {
        const Recommendation *r;

        world_init(PCP_GEN_AUTO, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_KERNEL, "0");
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_STR(r->to, "");
        /* 16,000,000 / 8 / 48 = 41,666 */
        ASSERT_TRUE(strstr(r->reason, "41,666") != NULL);
}

TEST(pinned_fraction_on_a_tuning_kernel_is_given_back) {
        const Recommendation *r;
        Policy *p;
        Knob *k;

        world_init(PCP_GEN_AUTO, 1024);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        p->claim = true;
        k = add_knob("pcp-high-fraction", KNOB_LIVE, "1024");
        k->owner = OWNER_UNKNOWN;
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
        ASSERT_STR(r->from, "1024");
        ASSERT_STR(r->to, "0");
        ASSERT_EQ_U(r->memory_bytes.value, 0);
}

TEST(long_holds_are_cut_to_four_batches) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_AUTO, 0);
        p = policy_on("pcp-high-fraction", "pcp-parked", 900000);
        arms(p, 1, (int64_t[]){ 0 }, (const char *[]){ "cap" });
        ASSERT_TRUE(policy_guard_init(&p->guard[p->n_guards], "hold-length"));
        p->guard[p->n_guards].limit_known = true;
        p->guard[p->n_guards].limit = 20000;
        p->guard[p->n_guards].action = GUARD_ACTION_CUT;
        p->guard[p->n_guards++].evidence = EVIDENCE_ESTIMATED;
        (void) add_knob("pcp-high-fraction", KNOB_KERNEL, "0");
        add_signal("pcp-hold-length", 90720, EVIDENCE_ESTIMATED); /* 2,016 pages * 45 ns */
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_CUT);
        /* smallest F with 16,000,000 / F / 48 <= 252: F = 1318 gives 252, 1317 gives 253 */
        ASSERT_STR(r->to, "1318");
        ASSERT_TRUE(strstr(r->reason, "90.7 us") != NULL);
        ASSERT_TRUE(strstr(r->reason, "high = 252") != NULL);
        ASSERT_EQ_I(r->evidence, EVIDENCE_ESTIMATED);
}

TEST(unknown_target_is_left_out_with_a_note_and_unknown_targets_use_the_fallback) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        p->n_targets = 2;
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal),
                         TEXT("zone-lock-wait-per-kpage"));
        p->target[1].hot = 100000;
        p->target[1].windows_hot = 1;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
        ASSERT_TRUE(r->confidence <= CONFIDENCE_MEDIUM);
        ASSERT_TRUE(strstr(r->reason, "left out: zone-lock-wait-per-kpage") != NULL);

        w.signal_set.n = 0;
        p->n_fallback = 1;
        (void) text_copy(p->fallback[0].signal, sizeof(p->fallback[0].signal),
                         TEXT("zone-lock-use"));
        p->fallback[0].hot = 300000;
        add_signal("zone-lock-use", 400000, EVIDENCE_ESTIMATED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);

        w.signal_set.n = 0;
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
        ASSERT_EQ_I(w.advice.verdict, VERDICT_NOTHING);
}

TEST(a_reason_that_two_unknown_signals_share_is_said_once) {
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        p->n_targets = 2;
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal),
                         TEXT("zone-lock-wait-per-kpage"));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_notes, 1);
        ASSERT_HAS(w.advice.notes[0].text,
                   "unknown: zone-lock-wait, zone-lock-wait-per-kpage (no such reading)");
}

TEST(two_policies_on_one_knob_leave_the_stronger_verdict) {
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        growth_arms(p);
        p->apply = false;
        (void) text_copy(p->name, sizeof(p->name), TEXT("weaker"));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 1);
        ASSERT_STR(w.advice.recommendations[0].policy->name, "under-test");
        ASSERT_EQ_U(w.advice.n_notes, 1);
        ASSERT_STR(w.advice.notes[0].about, "weaker");
}

TEST(stalls_in_marked_regions_want_defer_and_others_defer_madvise) {
        const Recommendation *r;
        Policy *p;
        Knob *defrag;

        world_init(PCP_GEN_FRACTION, 0);
        p = policy_on("thp-defrag", "psi-memory-some", 10000);
        arms(p, 2, (int64_t[]){ 0, 0 }, (const char *[]){ "defer+madvise", "defer" });
        p->n_guards = 0;
        (void) add_knob("thp-enabled", KNOB_LIVE, "madvise");
        defrag = add_knob("thp-defrag", KNOB_LIVE, "madvise");
        add_signal("psi-memory-some", 30000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_STR(r->to, "defer");
        (void) text_copy(defrag->value, sizeof(defrag->value), TEXT("always"));
        (void) text_copy(w.knobs[1].value, sizeof(w.knobs[1].value),
                         TEXT("always")); /* thp-enabled */
        r = only_recommendation();
        ASSERT_STR(r->to, "defer+madvise");
        (void) text_copy(w.knobs[1].value, sizeof(w.knobs[1].value), TEXT("never"));
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
}

TEST(note_of_a_kernel_needs_its_sign) {
        Policy *p;

        world_init(PCP_GEN_AUTO, 0);
        p = policy_on("", NULL, 0);
        p->note = true;
        p->n_targets = 0;
        p->cpus_at_least = 49;
        (void) text_copy(p->kernel, sizeof(p->kernel), TEXT("6.7..6.12"));
        (void) text_copy(w.facts.release, sizeof(w.facts.release), TEXT("6.10.3-1-amd64"));
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_I(w.advice.verdict, VERDICT_NOTHING);
        p->cpus_at_least = 48;
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_I(w.advice.verdict, VERDICT_ADVISE);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
        (void) text_copy(w.facts.release, sizeof(w.facts.release), TEXT("6.13.0"));
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_notes, 0);
}

TEST(full_arena_is_an_error) {
        world_init(PCP_GEN_FRACTION, 0);
        growth_arms(policy_on("pcp-high-fraction", "zone-lock-wait", 20000));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        arena_init(&w.arena, w.memory, 512);
        ASSERT_TRUE(advise(&w.arena, &w.input, &w.advice) < 0);
}

TEST_MAIN()
