/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: signals, what forbids a write, words, numbers, and values as text. Arms of lists and caches: test-plan-arms.c. */
#include "plan-world.h"

/* --- signals --- */

TEST(targets_have_watches_with_the_scale_of_their_unit) {
        const PlanController *c;
        const Watch *watch;

        contention(PCP_GEN_HIGH, "0");
        c = build();
        watch = &plan.watches[c->target[0]];
        ASSERT_STR(watch->name, "zone-lock-wait");
        ASSERT_EQ_U(watch->scale, 1000000);
        ASSERT_FALSE(watch->gauge);
        watch = &plan.watches[c->target[1]];
        ASSERT_STR(watch->name, "zone-lock-wait-per-kpage");
        ASSERT_EQ_U(watch->scale, 1000);
        ASSERT_TRUE(c->must_not_rise[0] == c->target[1]); /* one watch for both */
        ASSERT_TRUE(c->target[2] == PLAN_NONE);
        ASSERT_STR(plan.watches[c->fallback[0]].name, "zone-lock-use");
        ASSERT_STR(plan.watches[c->cost].name, "kernel-cpu-per-kpage");
        ASSERT_STR(plan.watches[c->use].name, "zone-lock-use");
        ASSERT_STR(plan.watches[c->kernel_cpu].name, "kernel-cpu");
        ASSERT_STR(plan.watches[c->alloc_rate].name, "alloc-rate");
        ASSERT_TRUE(c->lead_wait == c->target[0]);
        ASSERT_STR(plan.watches[c->next_wait].name, "lru-lock-wait");
}

TEST(a_wait_that_nothing_measures_has_no_watch) {
        const PlanController *c;

        contention(PCP_GEN_HIGH, "0");
        for (size_t i = 0; i < w.signal_set.n; i++)
                w.signals[i].evidence = EVIDENCE_NONE;
        c = build();
        ASSERT_TRUE(c->target[0] == PLAN_NONE);
        ASSERT_TRUE(c->target[1] == PLAN_NONE);
        ASSERT_TRUE(c->must_not_rise[0] == PLAN_NONE);
        ASSERT_TRUE(c->lead_wait == PLAN_NONE);
        ASSERT_TRUE(c->next_wait == PLAN_NONE);
        /* A bound from the allocation rate needs no source but vmstat. */
        ASSERT_TRUE(c->fallback[0] != PLAN_NONE);
        ASSERT_TRUE(c->may_try);
}

TEST(every_signal_has_a_scale) {
        size_t n;
        const SignalSpec *specs = signal_specs(&n);
        unsigned n_gauges = 0;

        for (size_t i = 0; i < n; i++) {
                const PlanController *c;
                char name[64];
                Policy *p;

                fresh(PCP_GEN_HIGH, 0);
                (void) text_format(name, sizeof(name), "%s%s", specs[i].name,
                                   strcmp(specs[i].name, "external") == 0 ? ":app" : "");
                externals[0] = (struct PlanExternal){ .name = "app" };
                n_externals = 1;
                if (strcmp(specs[i].name, "external") != 0)
                        reading(specs[i].name, "system", 1, EVIDENCE_MEASURED);
                if (text_ends(text_from(name), "-wait-per-kpage")) {
                        char wait[64];

                        (void) text_copy(wait, sizeof(wait),
                                         (Text){ name, strlen(name) - strlen("-per-kpage") });
                        reading(wait, "system", 1, EVIDENCE_MEASURED);
                }
                p = policy_on("pcp-high-fraction", "zone-lock-wait", 1);
                (void) text_copy(p->target[0].signal, sizeof(p->target[0].signal), text_from(name));
                c = build();
                ASSERT_TRUE(c->target[0] != PLAN_NONE);
                ASSERT_TRUE(plan.watches[c->target[0]].scale > 0);
                n_gauges += plan.watches[c->target[0]].gauge;
                if (plan.watches[c->target[0]].gauge)
                        ASSERT_EQ_U(plan.watches[c->target[0]].scale, 1);
                /* A rate or a share of growth is no gauge. */
                if (text_ends(text_from(specs[i].unit), "/s"))
                        ASSERT_FALSE(plan.watches[c->target[0]].gauge);
        }
        ASSERT_EQ_U(n_gauges, 11);
}

TEST(an_external_cost_needs_its_line_in_the_configuration) {
        Policy *p = contention(PCP_GEN_HIGH, "0");
        const PlanController *c;

        (void) text_copy(p->cost, sizeof(p->cost), TEXT("external:latency"));
        c = build();
        ASSERT_TRUE(c->cost == PLAN_NONE);
        ASSERT_FALSE(c->may_try);
        ASSERT_HAS(c->why, "external:latency");
        externals[0] = (struct PlanExternal){ .name = "latency", .higher_is_better = true };
        n_externals = 1;
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_TRUE(plan.watches[c->cost].higher_is_better);
        ASSERT_TRUE(plan.watches[c->cost].gauge);
        ASSERT_TRUE(plan_watch_find(&plan, "external:latency", NULL) == c->cost);
        ASSERT_TRUE(plan_watch_find(&plan, "external:other", NULL) == PLAN_NONE);
}

/* --- what forbids --- */

TEST(whatever_forbids_a_write_is_said) {
        static const char *const globs[] = { "slab-*", "pcp-*" };
        Policy *p = contention(PCP_GEN_HIGH, "0");

        p->apply = false;
        assert_advises("recommend");
        p = contention(PCP_GEN_HIGH, "0");
        deny_knobs = globs;
        n_deny_knobs = 1;
        ASSERT_TRUE(build()->may_try);
        n_deny_knobs = 2;
        assert_advises("deny_knobs");
        contention(PCP_GEN_HIGH, "0");
        w.facts.contained = true;
        (void) text_copy(w.facts.contained_why, sizeof(w.facts.contained_why), TEXT("in a box"));
        assert_advises("in a box");
        contention(PCP_GEN_HIGH, "0");
        w.knobs[0].state = KNOB_DENIED;
        (void) text_copy(w.knobs[0].reason, sizeof(w.knobs[0].reason), TEXT("not root; mode 0444"));
        assert_advises("not root");
        ASSERT_TRUE(strstr(plan.controllers[0].why, "0444") == NULL);
        contention(PCP_GEN_HIGH, "0");
        w.knob_set.n = 0;
        assert_advises("does not have the knob");
        ASSERT_EQ_U(plan.controllers[0].n_knobs, 0);
}

TEST(a_value_of_the_administrator_needs_claim) {
        Policy *p = contention(PCP_GEN_HIGH, "166");

        w.knobs[0].owner = OWNER_ADMIN;
        assert_advises("administrator");
        w.knobs[0].owner = OWNER_UNKNOWN;
        assert_advises("claim");
        p->claim = true;
        ASSERT_TRUE(build()->may_try);
        p->claim = false;
        w.knobs[0].owner = OWNER_ALLOCTUNED;
        ASSERT_TRUE(build()->may_try);
}

TEST(a_value_that_cannot_be_read_is_not_written_over) {
        contention(PCP_GEN_HIGH, "0");
        w.knobs[0].number = UNKNOWN;
        assert_advises("unknown");
}

TEST(a_policy_of_another_kernel_or_machine_has_no_controller) {
        Policy *p = contention(PCP_GEN_HIGH, "0");
        Policy *other = policy_on("pcp-high-fraction", "zone-lock-wait", 1);

        (void) text_copy(other->name, sizeof(other->name), TEXT("always-here"));
        (void) text_copy(w.facts.release, sizeof(w.facts.release), TEXT("6.1.0-18-amd64"));
        (void) text_copy(p->kernel, sizeof(p->kernel), TEXT("6.7.."));
        build();
        ASSERT_EQ_U(plan.n_controllers, 1);
        ASSERT_STR(plan.controllers[0].policy->name, "always-here");
        (void) text_copy(p->kernel, sizeof(p->kernel), TEXT("..6.6"));
        build();
        ASSERT_EQ_U(plan.n_controllers, 2);
        p->cpus_at_least = 49;
        build();
        ASSERT_EQ_U(plan.n_controllers, 1);
}

TEST(policies_that_note_or_advise_have_no_controller) {
        Policy *p = contention(PCP_GEN_HIGH, "0"), *second;

        p->controller = CONTROLLER_ADVISE;
        second = policy_on("pcp-high-fraction", "zone-lock-wait", 1);
        second->note = true;
        second = policy_on("thp-defrag", "psi-memory-some", 1);
        build();
        ASSERT_EQ_U(plan.n_controllers, 1);
        ASSERT_TRUE(plan.controllers[0].policy == second);
}

TEST(controllers_stand_in_order_of_name_and_share_a_knob) {
        Policy *p = contention(PCP_GEN_HIGH, "0"), *second;

        second = policy_on("pcp-high-fraction", "pcp-parked", 100000);
        (void) text_copy(second->name, sizeof(second->name), TEXT("a-first"));
        arms(second, 1, (int64_t[]){ 0 }, (const char *[]){ "cap" });
        build();
        ASSERT_EQ_U(plan.n_controllers, 2);
        ASSERT_TRUE(plan.controllers[0].policy == second);
        ASSERT_TRUE(plan.controllers[1].policy == p);
        ASSERT_EQ_U(plan.n_knobs, 1);
        ASSERT_EQ_U(plan.controllers[0].first_knob, plan.controllers[1].first_knob);
        ASSERT_EQ_I(plan_arm(&plan.controllers[0], 0, 1)->kind, ARM_CAP);
}

TEST(times_are_the_policys_or_the_knobs) {
        Policy *p = contention(PCP_GEN_HIGH, "0");

        ASSERT_EQ_U(build()->window_usec, 10 * USEC_PER_SEC);
        ASSERT_EQ_U(build()->settle_usec, 2 * USEC_PER_SEC);
        ASSERT_EQ_U(build()->write_gap_usec, 5 * USEC_PER_SEC);
        p->window_usec = 20 * USEC_PER_SEC;
        ASSERT_EQ_U(build()->window_usec, 20 * USEC_PER_SEC);
        p->settle_usec = 20 * USEC_PER_SEC;
        assert_advises("times");
}

/* --- words and numbers --- */

static Policy *defrag_world(const char *enabled, const char *value) {
        Policy *p;
        Knob *k;

        fresh(PCP_GEN_AUTO, 0);
        k = add_knob("thp-defrag", KNOB_LIVE, value);
        (void) text_copy(k->def, sizeof(k->def), TEXT("madvise"));
        add_knob("thp-enabled", KNOB_LIVE, enabled);
        p = policy_on("thp-defrag", "psi-memory-some", 10000);
        (void) text_copy(p->cost, sizeof(p->cost), TEXT("psi-memory-some"));
        arms(p, 2, (int64_t[]){ 0, 0 }, (const char *[]){ "defer+madvise", "defer" });
        return p;
}

TEST(words_stand_in_the_order_of_the_policy_and_must_take_a_stall_away) {
        const PlanController *c;

        defrag_world("always", "madvise");
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_EQ_U(c->n_levels, 3);
        ASSERT_EQ_I(c->present_level[0], 0);
        /* always, defer, defer+madvise, madvise, never */
        ASSERT_EQ_I(plan_arm(c, 0, 0)->value, 3);
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 2);
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 1);
        ASSERT_FALSE(plan_arm(c, 0, 1)->fits); /* marked regions stall with both */
        ASSERT_TRUE(plan_arm(c, 0, 2)->fits);
        ASSERT_TRUE(c->coupled_pcp);
        ASSERT_TRUE(c->lead_wait == PLAN_NONE);
        defrag_world("never", "madvise");
        ASSERT_FALSE(build()->may_try);
}

TEST(a_word_that_is_neither_default_nor_arm_begins_at_the_default_if_that_helps) {
        const PlanController *c;

        defrag_world("always", "always");
        c = build();
        ASSERT_EQ_I(c->present_level[0], -1);
        ASSERT_EQ_I(plan_arm(c, 0, 0)->value, 3);
        ASSERT_TRUE(plan_arm(c, 0, 1)->fits); /* others stall no more */
        /* From never, the default would only add stalls. */
        defrag_world("always", "never");
        c = build();
        ASSERT_EQ_I(c->present_level[0], 0);
        ASSERT_EQ_I(plan_arm(c, 0, 0)->value, 4);
        ASSERT_STR(plan_arm(c, 0, 0)->text, "present");
        ASSERT_FALSE(c->may_try);
        /* An arm already. */
        defrag_world("always", "defer");
        c = build();
        ASSERT_EQ_I(c->present_level[0], 2);
        ASSERT_EQ_I(plan_arm(c, 0, 0)->value, 3);
}

TEST(numbers_are_multiples_of_the_default_within_their_bounds) {
        Policy *p;
        Knob *k;
        const PlanController *c;

        fresh(PCP_GEN_AUTO, 0);
        k = add_knob("watermark-scale", KNOB_LIVE, "10");
        k->def_number = KNOWN(10);
        (void) text_copy(k->def, sizeof(k->def), TEXT("10"));
        p = policy_on("watermark-scale", "zone-lock-wait", 1);
        arms(p, 2, (int64_t[]){ 2000, 1000000 }, (const char *[]){ "2", "1000" });
        assert_advises("times"); /* the knob has none */
        p->window_usec = 60 * USEC_PER_SEC;
        p->settle_usec = 5 * USEC_PER_SEC;
        p->memory_ppm = 5000;
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 20);
        /* 2 x 20 / 10000 of 65,536,000,000 */
        ASSERT_EQ_U(plan_arm(c, 0, 1)->memory_bytes, 262144000);
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 3000);
        ASSERT_FALSE(plan_arm(c, 0, 2)->fits);
        p->memory_ppm = 2500; /* 163,840,000 */
        ASSERT_FALSE(build()->may_try);
}

TEST(knobs_that_are_only_read_are_never_written) {
        fresh(PCP_GEN_AUTO, 0);
        add_knob("zone-reclaim-mode", KNOB_LIVE, "1")->def_number = KNOWN(0);
        policy_on("zone-reclaim-mode", "node-free-spread", 1)->window_usec = 60 * USEC_PER_SEC;
        assert_advises("read for context");
}

TEST(an_arena_that_is_full_is_said) {
        PlanInput in = { .facts = &w.facts,
                         .signals = &w.signal_set,
                         .knobs = &w.knob_set,
                         .pcp = &w.pcp,
                         .slub = &w.slub,
                         .policies = w.policy,
                         .n_policies = 1 };
        static uint8_t memory[1 << 16];
        bool done = false;
        Arena a;

        contention(PCP_GEN_HIGH, "0");
        for (size_t size = 0; size <= sizeof(memory); size += 64) {
                int r;

                arena_init(&a, memory, size);
                r = plan_build(&a, &in, &plan);
                ASSERT_TRUE(r == 0 || (r == -ENOMEM && !done));
                done = r == 0;
        }
        ASSERT_TRUE(done);
}

/* --- texts --- */

TEST(values_are_read_as_the_file_says_them_and_written_as_one_word) {
        const KnobSpec *defrag = knob_spec_find(TEXT("thp-defrag"));
        const KnobSpec *lists = knob_spec_find(TEXT("pcp-high-fraction"));
        int64_t v = -7;
        char text[32];

        ASSERT_TRUE(
                knob_value_parse(defrag, TEXT("always defer [defer+madvise] madvise never\n"), &v));
        ASSERT_EQ_I(v, 2);
        ASSERT_TRUE(knob_value_parse(defrag, TEXT("never"), &v));
        ASSERT_EQ_I(v, 4);
        ASSERT_TRUE(knob_value_format(defrag, 2, text, sizeof(text)));
        ASSERT_STR(text, "defer+madvise");
        ASSERT_TRUE(knob_value_parse(lists, TEXT("1318\n"), &v));
        ASSERT_EQ_I(v, 1318);
        ASSERT_TRUE(knob_value_format(lists, 1318, text, sizeof(text)));
        ASSERT_STR(text, "1318");
        ASSERT_TRUE(knob_value_format(lists, INT64_MAX, text, sizeof(text)));
        ASSERT_STR(text, "9223372036854775807");
        ASSERT_TRUE(knob_value_parse(lists, TEXT("9223372036854775807"), &v));
}

TEST(what_is_no_value_changes_nothing) {
        const KnobSpec *defrag = knob_spec_find(TEXT("thp-defrag"));
        const KnobSpec *lists = knob_spec_find(TEXT("pcp-high-fraction"));
        const KnobSpec *alignment = knob_spec_find(TEXT("thp-alignment"));
        int64_t v = -7;
        char text[4];

        ASSERT_FALSE(knob_value_parse(lists, TEXT(""), &v));
        ASSERT_FALSE(knob_value_parse(lists, TEXT("-1"), &v));
        ASSERT_FALSE(knob_value_parse(lists, TEXT("8x"), &v));
        ASSERT_FALSE(knob_value_parse(lists, TEXT("9223372036854775808"), &v));
        ASSERT_FALSE(knob_value_parse(defrag, TEXT("always madvise never"), &v));
        ASSERT_FALSE(knob_value_parse(defrag, TEXT("[always] [never]"), &v));
        ASSERT_FALSE(knob_value_parse(defrag, TEXT("always [often]"), &v));
        ASSERT_FALSE(knob_value_parse(defrag, TEXT(""), &v));
        ASSERT_FALSE(knob_value_parse(alignment, TEXT("always"), &v));
        ASSERT_EQ_I(v, -7);
        ASSERT_FALSE(knob_value_format(defrag, 5, text, sizeof(text)));
        ASSERT_FALSE(knob_value_format(defrag, -1, text, sizeof(text)));
        ASSERT_FALSE(knob_value_format(lists, -1, text, sizeof(text)));
        ASSERT_FALSE(knob_value_format(lists, 12345, text, sizeof(text)));
        ASSERT_FALSE(knob_value_format(alignment, 0, text, sizeof(text)));
}

TEST_MAIN()
