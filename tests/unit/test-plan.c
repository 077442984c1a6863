/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/plan.h"

#include "advise-world.h"

/* Plans of the world of advise-world.h: 48 CPUs on one node, one zone of 16,000,000 pages with a low watermark of 24,000, so that the
 * default list of 5.14 to 6.6 is 24,000 / 48 = 500 pages. */
static Plan plan;
static struct PlanExternal externals[1];
static const char *const *deny_knobs, *const *deny_caches;
static size_t n_deny_knobs, n_deny_caches, n_externals;

static const PlanController *build(void) {
        PlanInput in = { .facts = &w.facts,
                         .last = &w.last,
                         .signals = &w.signal_set,
                         .knobs = &w.knob_set,
                         .pcp = &w.pcp,
                         .slub = &w.slub,
                         .policies = w.policy,
                         .n_policies = w.input.n_policies,
                         .externals = externals,
                         .n_externals = n_externals,
                         .deny_knobs = deny_knobs,
                         .n_deny_knobs = n_deny_knobs,
                         .deny_caches = deny_caches,
                         .n_deny_caches = n_deny_caches };

        ASSERT_OK(plan_build(&w.arena, &in, &plan));
        ASSERT_TRUE(plan.n_controllers > 0);
        return &plan.controllers[0];
}

/* A reading of a scope, in order of name and scope. */
static void reading(const char *name, const char *scope, int64_t value, Evidence evidence) {
        Signal s = { .spec = signal_spec_find(text_from(name)),
                     .value = value,
                     .evidence = evidence };
        size_t at = w.signal_set.n;

        ASSERT_TRUE(s.spec != NULL && at < ELEMENTSOF(w.signals));
        s.unit = s.spec->unit;
        (void) text_copy(s.name, sizeof(s.name), text_from(name));
        (void) text_copy(s.scope.name, sizeof(s.scope.name), text_from(scope));
        while (at > 0 && (strcmp(w.signals[at - 1].name, name) > 0 ||
                          (strcmp(w.signals[at - 1].name, name) == 0 &&
                           strcmp(w.signals[at - 1].scope.name, scope) > 0))) {
                w.signals[at] = w.signals[at - 1];
                at--;
        }
        w.signals[at] = s;
        w.signal_set.n++;
}

static void fresh(PcpGen gen, uint64_t fraction) {
        world_init(gen, fraction);
        deny_knobs = deny_caches = NULL;
        n_deny_knobs = n_deny_caches = n_externals = 0;
        w.facts.topology.n_packages = 2;
}

/* pcp-contention in short, on a kernel of that generation. */
static Policy *contention(PcpGen gen, const char *value) {
        uint64_t fraction = 0;
        Policy *p;
        Knob *k;

        ASSERT_EQ_I(number_parse_u64(value, strlen(value), &fraction), 0);
        fresh(gen, fraction);
        k = add_knob("pcp-high-fraction",
                     pcp_gen_tunes(gen) && fraction == 0 ? KNOB_KERNEL : KNOB_LIVE, value);
        k->def_number = KNOWN(0);
        (void) text_copy(k->def, sizeof(k->def), TEXT("0"));
        reading("zone-lock-wait", "system", 50000, EVIDENCE_MEASURED);
        reading("zone-lock-wait-per-kpage", "system", 0,
                EVIDENCE_NONE); /* no page in this window */
        reading("lru-lock-wait", "system", 10000, EVIDENCE_MEASURED);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        p->n_targets = 2;
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal),
                         TEXT("zone-lock-wait-per-kpage"));
        p->n_fallback = 1;
        (void) text_copy(p->fallback[0].signal, sizeof(p->fallback[0].signal),
                         TEXT("zone-lock-use"));
        p->n_must_not_rise = 1;
        (void) text_copy(p->must_not_rise[0], sizeof(p->must_not_rise[0]),
                         TEXT("zone-lock-wait-per-kpage"));
        growth_arms(p);
        return p;
}

/* --- lists --- */

TEST(steps_of_fixed_lists_are_multiples_of_the_default) {
        const PlanController *c;
        static const int64_t fractions[] = { 0, 333, 166, 83 };
        /* floor(16,000,000 / F) / 48: 1001, 2008, 4016 pages */
        static const uint64_t highs[] = { 500, 1001, 2008, 4016 };

        contention(PCP_GEN_HIGH, "0");
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_EQ_U(c->n_knobs, 1);
        ASSERT_EQ_U(c->n_levels, 4);
        for (unsigned l = 0; l < 4; l++) {
                const PlanArm *arm = plan_arm(c, 0, l);

                ASSERT_EQ_I(arm->value, fractions[l]);
                ASSERT_TRUE(arm->fits);
                ASSERT_EQ_I(arm->kind, l == 0 ? ARM_DEFAULT : ARM_STEP);
                ASSERT_EQ_U(arm->level, l);
                ASSERT_EQ_U(arm->memory_bytes, 48 * highs[l] * 4096);
                /* 48 x high of 16,000,000, rounded up; the default is exempt */
                ASSERT_EQ_U(arm->parked_possible_ppm,
                            l == 0 ? 0 : (48 * highs[l] * 1000000 + 15999999) / 16000000);
        }
        ASSERT_STR(plan_arm(c, 0, 0)->text, "default");
        ASSERT_STR(plan_arm(c, 0, 2)->text, "4");
        ASSERT_TRUE(plan_arm(c, 0, 4) == NULL);
        ASSERT_TRUE(plan_arm(c, 1, 0) == NULL);
        ASSERT_EQ_I(c->present_level[0], 0);
        ASSERT_EQ_U(c->expected_share_ppm, 500000);
        ASSERT_TRUE(c->coupled_pcp);
}

TEST(the_knob_has_its_file_value_and_default) {
        const PlanController *c;

        contention(PCP_GEN_HIGH, "1000");
        c = build();
        ASSERT_STR(plan.knobs[c->first_knob].path, "proc/sys/vm/percpu_pagelist_high_fraction");
        ASSERT_STR(plan.knobs[c->first_knob].name, "pcp-high-fraction");
        ASSERT_TRUE(plan.knobs[c->first_knob].value_known);
        ASSERT_EQ_I(plan.knobs[c->first_knob].value, 1000);
        ASSERT_TRUE(plan.knobs[c->first_knob].def_known);
        ASSERT_EQ_I(plan.knobs[c->first_knob].def, 0);
        ASSERT_TRUE(plan.knobs[c->first_knob].wait_watch == PLAN_NONE);
}

TEST(lists_of_kernels_that_do_not_divide_are_computed_so) {
        const PlanController *c;

        contention(PCP_GEN_FRACTION, "0");
        c = build();
        ASSERT_TRUE(c->may_try);
        /* 16,000,000 / 756 and / 1512 and / 3024 */
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 21164);
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 10582);
        ASSERT_EQ_I(plan_arm(c, 0, 3)->value, 5291);
        ASSERT_TRUE(plan_arm(c, 0, 3)->fits);
}

/* A second zone of 1,000,000 pages that serves 6 % of all allocations: at F = 5291 its lists have 189 pages. */
TEST(before_5_14_a_zone_that_serves_keeps_378_pages) {
        static Zone zones[2];
        const PlanController *c;

        contention(PCP_GEN_FRACTION, "0");
        zones[0] = w.zone;
        zones[1] = w.zone;
        zones[0].managed = zones[0].present = KNOWN(1000000);
        (void) text_copy(zones[0].name, sizeof(zones[0].name), TEXT("DMA32"));
        w.zoneinfo = (ZoneInfo){ .zones = zones, .n = 2 };
        reading("alloc-rate", "system", 1000000, EVIDENCE_COUNTED);
        reading("alloc-rate", "zone:*/DMA32", 60000, EVIDENCE_COUNTED);
        c = build();
        ASSERT_FALSE(plan_arm(c, 0, 1)->fits); /* 47 pages */
        ASSERT_HAS(plan_arm(c, 0, 1)->why, "DMA32");
        ASSERT_FALSE(plan_arm(c, 0, 3)->fits);
        /* With 4 % it need not. */
        for (size_t i = 0; i < w.signal_set.n; i++)
                if (strcmp(w.signals[i].scope.name, "zone:*/DMA32") == 0)
                        w.signals[i].value = 40000;
        c = build();
        ASSERT_TRUE(plan_arm(c, 0, 1)->fits);
}

TEST(a_step_past_the_parked_bound_does_not_fit) {
        Policy *p = contention(PCP_GEN_HIGH, "0");
        const PlanController *c;

        p->parked_possible_ppm = 6000; /* level 2 could park 6024 ppm */
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_TRUE(plan_arm(c, 0, 1)->fits);
        ASSERT_FALSE(plan_arm(c, 0, 2)->fits);
        ASSERT_FALSE(plan_arm(c, 0, 3)->fits);
        ASSERT_HAS(plan_arm(c, 0, 2)->why, "could park");
        ASSERT_EQ_U(plan_arm(c, 0, 2)->parked_possible_ppm, 6024);
}

TEST(a_kernel_that_tunes_has_a_cap_and_no_steps) {
        const PlanController *c;

        contention(PCP_GEN_AUTO_SHOWN, "0");
        c = build();
        ASSERT_TRUE(c->may_try); /* for a cut */
        for (unsigned l = 1; l < c->n_levels; l++) {
                ASSERT_FALSE(plan_arm(c, 0, l)->fits);
                ASSERT_HAS(plan_arm(c, 0, l)->why, "41,666"); /* 16,000,000 / 8 / 48 */
        }
        ASSERT_EQ_I(plan_arm(c, 0, 0)->value, 0);
        ASSERT_EQ_U(c->feed_forward, 0);
        ASSERT_EQ_I(c->present_level[0], 0);
        ASSERT_TRUE(c->cap_known);
        /* The least fraction whose lists have no more than 252 pages: 16,000,000 / 1318 / 48 = 252, / 1317 / 48 = 253. */
        ASSERT_EQ_I(c->cap.value, 1318);
        ASSERT_EQ_I(c->cap.kind, ARM_CAP);
        ASSERT_EQ_U(c->cap.parked_possible_ppm, 0); /* no longer than the floor of the tuner */
}

TEST(a_pinned_value_where_the_kernel_tunes_is_below_the_default) {
        contention(PCP_GEN_AUTO, "1024");
        ASSERT_EQ_I(build()->present_level[0], -1);
        /* 8 is as wide as the tuner could get: nothing to try. */
        contention(PCP_GEN_AUTO, "8");
        ASSERT_EQ_I(build()->present_level[0], 3);
}

TEST(a_present_value_has_the_level_that_it_reaches) {
        contention(PCP_GEN_HIGH, "1000"); /* 333 pages, default 500 */
        ASSERT_EQ_I(build()->present_level[0], -1);
        contention(PCP_GEN_HIGH, "500"); /* 666 */
        ASSERT_EQ_I(build()->present_level[0], 0);
        contention(PCP_GEN_HIGH, "166");
        ASSERT_EQ_I(build()->present_level[0], 2);
        contention(PCP_GEN_HIGH, "100"); /* 3333 */
        ASSERT_EQ_I(build()->present_level[0], 2);
        contention(PCP_GEN_HIGH, "40"); /* 8333: above all arms */
        ASSERT_EQ_I(build()->present_level[0], 3);
}

TEST(feed_forward_follows_sockets_and_local_cpus) {
        contention(PCP_GEN_HIGH, "0");
        ASSERT_EQ_U(build()->feed_forward, 1); /* 48 CPUs, 2 sockets: twice */
        w.facts.topology.n_packages = 4;
        ASSERT_EQ_U(build()->feed_forward, 2);
        /* What does not fit is not where to begin. */
        w.policy[0].parked_possible_ppm = 4000;
        ASSERT_EQ_U(build()->feed_forward, 1);
        w.policy[0].parked_possible_ppm = 40000;
        /* One socket with up to 24 CPUs, and any node with up to 12: none. */
        w.node.n_online = 24;
        w.facts.topology.n_packages = 1;
        ASSERT_EQ_U(build()->feed_forward, 0);
        w.facts.topology.n_packages = 2;
        ASSERT_EQ_U(build()->feed_forward, 1);
        w.node.n_online = 12;
        ASSERT_EQ_U(build()->feed_forward, 0);
}

TEST(words_of_the_arms_have_levels_above_the_steps) {
        Policy *p = contention(PCP_GEN_HIGH, "0");
        const PlanController *c;

        arms(p, 5, (int64_t[]){ 0, 4000, 2000, 0, 2000 },
             (const char *[]){ "cap", "4", "2", "kernel", "2" });
        c = build();
        ASSERT_EQ_U(c->n_levels, 5);
        ASSERT_STR(plan_arm(c, 0, 1)->text, "2");
        ASSERT_STR(plan_arm(c, 0, 2)->text, "4");
        ASSERT_EQ_I(plan_arm(c, 0, 3)->kind, ARM_CAP);
        ASSERT_EQ_I(plan_arm(c, 0, 3)->value, c->cap.value);
        ASSERT_EQ_U(c->cap.level, 3);
        ASSERT_EQ_I(plan_arm(c, 0, 4)->kind, ARM_KERNEL);
        ASSERT_FALSE(plan_arm(c, 0, 4)->fits);
}

TEST(eight_arms_and_the_default_are_nine_levels) {
        Policy *p = contention(PCP_GEN_HIGH, "0");

        arms(p, 8, (int64_t[]){ 1100, 1200, 1300, 1400, 1500, 1600, 1700, 500 },
             (const char *[]){ "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "0.5" });
        ASSERT_EQ_U(build()->n_levels, 8); /* half of the default is no step */
        p->arm[7].multiple_milli = 1800;
        ASSERT_EQ_U(build()->n_levels, 9);
        ASSERT_EQ_U(PLAN_LEVELS_MAX, 9);
}

TEST(lists_that_cannot_be_computed_are_left_alone) {
        const PlanController *c;

        contention(PCP_GEN_HIGH, "0");
        w.zone.low = UNKNOWN;
        c = build();
        ASSERT_FALSE(c->may_try);
        ASSERT_HAS(c->why, "cannot be computed");
        ASSERT_FALSE(c->cap_known);
}

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

static void assert_advises(const char *why) {
        const PlanController *c = build();

        ASSERT_FALSE(c->may_try);
        ASSERT_HAS(c->why, why);
}

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

/* --- caches --- */

static SlabCache caches[3];
static const char *const aliases[] = { "filp", "vm_area_struct" };

/* Three caches of 256 bytes: 16 objects in a page (order 0), default cpu_partial 52 (7 slabs: ceil(104 / 16)), min_partial 5.
 * Of 61 GiB, 0.25 % are 163,840,000 bytes. */
static Policy *slab_world(SlubPerCpu per_cpu, const char *knob, const char *value) {
        static const char *const dirs[] = { ":A-0000256", "dentry", "kmalloc-256" };
        Policy *p;

        fresh(PCP_GEN_AUTO, 0);
        w.slub.per_cpu = per_cpu;
        for (size_t i = 0; i < 3; i++) {
                Knob *k = add_knob(knob, KNOB_LIVE, value);

                caches[i] = (SlabCache){ .dir = dirs[i],
                                         .slab_size = KNOWN(256),
                                         .order = KNOWN(0),
                                         .objs_per_slab = KNOWN(16) };
                k->def_number = KNOWN(strcmp(knob, "slab-cpu-partial") == 0 ? 52 : 5);
                (void) text_format(k->path, sizeof(k->path), "/sys/kernel/slab/%s/%s", dirs[i],
                                   k->spec->attribute);
        }
        for (size_t i = 0; i < 3; i++) {
                w.knobs[i].cache = &caches[i];
                w.knobs[i].scope = scope_cache(dirs[i]);
                (void) text_format(w.knobs[i].path, sizeof(w.knobs[i].path),
                                   "/sys/kernel/slab/%s/%s", dirs[i], w.knobs[i].spec->attribute);
        }
        caches[0].aliases = (const char **) (uintptr_t) aliases;
        caches[0].n_aliases = 2;
        reading("list-lock-wait", "system", 90000, EVIDENCE_MEASURED);
        p = policy_on(knob, "list-lock-wait", 20000);
        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:*"));
        arms(p, 2, (int64_t[]){ 2000, 4000 }, (const char *[]){ "2", "4" });
        return p;
}

TEST(caches_whose_wait_has_a_name_are_tuned_in_order_of_directory) {
        const PlanController *c;

        slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        reading("list-lock-wait", "cache::A-0000256", 0, EVIDENCE_MEASURED);
        c = build();
        ASSERT_TRUE(c->may_try);
        ASSERT_EQ_U(c->n_knobs, 2);
        ASSERT_STR(plan.knobs[c->first_knob].scope.name, "cache::A-0000256");
        ASSERT_STR(plan.knobs[c->first_knob + 1].scope.name, "cache:kmalloc-256");
        ASSERT_STR(plan.knobs[c->first_knob + 1].path, "sys/kernel/slab/kmalloc-256/cpu_partial");
        ASSERT_STR(plan.watches[plan.knobs[c->first_knob + 1].wait_watch].scope.name,
                   "cache:kmalloc-256");
        ASSERT_EQ_I(plan_arm(c, 1, 0)->value, 52);
        ASSERT_EQ_I(plan_arm(c, 1, 1)->value, 104);
        ASSERT_EQ_I(plan_arm(c, 1, 2)->value, 208);
        /* 48 CPUs x ceil(416 / 16) slabs x 4 KiB */
        ASSERT_EQ_U(plan_arm(c, 1, 2)->memory_bytes, 48ul * 26 * 4096);
        ASSERT_EQ_I(c->present_level[1], 0);
        ASSERT_FALSE(c->coupled_pcp);
        ASSERT_EQ_U(c->window_usec, 60 * USEC_PER_SEC);
}

TEST(without_a_name_only_a_pattern_picks_caches) {
        Policy *p = slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        static const char *const denied[] = { "dentry" };

        assert_advises("which cache");
        ASSERT_EQ_U(plan.controllers[0].n_knobs, 0);
        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:*m*"));
        build(); /* kmalloc-256, and vm_area_struct, which lies in :A-0000256 */
        ASSERT_EQ_U(plan.controllers[0].n_knobs, 2);
        ASSERT_TRUE(plan.knobs[0].wait_watch == PLAN_NONE);
        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:d*"));
        ASSERT_EQ_U(build()->n_knobs, 1);
        deny_caches = denied;
        n_deny_caches = 1;
        assert_advises("no cache");
}

TEST(one_alias_denies_a_merged_cache) {
        static const char *const denied[] = { "fil?" };
        Policy *p = slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");

        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:[x"));
        assert_advises("no cache");
        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:?*"));
        ASSERT_EQ_U(build()->n_knobs, 3);
        deny_caches = denied;
        n_deny_caches = 1;
        ASSERT_EQ_U(build()->n_knobs, 2);
        ASSERT_STR(plan.knobs[0].scope.name, "cache:dentry");
}

TEST(a_multiple_that_changes_no_slab_is_raised_until_it_does) {
        const PlanController *c;

        slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        caches[2].objs_per_slab = KNOWN(512); /* 52, 104 and 208 objects are all one slab */
        caches[2].order = KNOWN(3);
        c = build();
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 512);  /* 2 slabs x 512 / 2 */
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 1024); /* 4 slabs */
        ASSERT_TRUE(plan_arm(c, 0, 2)->fits);
        /* 48 x 4 x 32 KiB */
        ASSERT_EQ_U(plan_arm(c, 0, 2)->memory_bytes, 48ul * 4 * 32768);
}

TEST(memory_bounds_the_arms_of_a_cache) {
        Policy *p = slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        const PlanController *c;

        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        p->memory_ppm =
                50; /* of 65,536,000,000 bytes: 3,276,800; x2 holds 48 x 13 x 4096 = 2,555,904, x4 5,111,808 */
        c = build();
        ASSERT_TRUE(plan_arm(c, 0, 1)->fits);
        ASSERT_FALSE(plan_arm(c, 0, 2)->fits);
        ASSERT_HAS(plan_arm(c, 0, 2)->why, "bound");
        p->memory_ppm = 0;
        assert_advises("cannot be computed");
        p->memory_ppm = 2500;
        w.facts.memory_bytes = UNKNOWN;
        assert_advises("cannot be computed");
}

TEST(min_partial_stops_at_10_where_the_kernel_clamps_and_at_64_elsewhere) {
        Policy *p = slab_world(SLUB_PER_CPU_OBJECTS, "slab-min-partial", "5");
        const PlanController *c;

        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        arms(p, 2, (int64_t[]){ 4000, 16000 }, (const char *[]){ "4", "16" });
        c = build();
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 10);
        ASSERT_TRUE(plan_arm(c, 0, 1)->fits);
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 10);
        ASSERT_FALSE(plan_arm(c, 0, 2)->fits); /* no more than the arm below */
        ASSERT_EQ_U(c->expected_share_ppm, 100000);
        w.slub.per_cpu = SLUB_PER_CPU_SLABS;
        c = build();
        ASSERT_EQ_I(plan_arm(c, 0, 1)->value, 20);
        ASSERT_EQ_I(plan_arm(c, 0, 2)->value, 64);
}

TEST(cpu_partial_begins_higher_on_wide_machines) {
        slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        ASSERT_EQ_U(build()->feed_forward, 0);
        w.facts.topology.n_online = 95;
        ASSERT_EQ_U(build()->feed_forward, 0);
        w.facts.topology.n_online = 96;
        ASSERT_EQ_U(build()->feed_forward, 1);
        w.facts.topology.n_online = 192;
        ASSERT_EQ_U(build()->feed_forward, 2);
}

TEST(levels_of_present_values_of_caches) {
        slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "0");
        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        ASSERT_EQ_I(build()->present_level[0], -1);
        w.knobs[2].number = KNOWN(103);
        ASSERT_EQ_I(build()->present_level[0], 0);
        w.knobs[2].number = KNOWN(104);
        ASSERT_EQ_I(build()->present_level[0], 1);
        w.knobs[2].number = KNOWN(999);
        ASSERT_EQ_I(build()->present_level[0], 2);
}

TEST(a_cache_that_may_not_be_written_is_no_knob) {
        Policy *p = slab_world(SLUB_PER_CPU_SHEAVES, "slab-cpu-partial", "0");

        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        w.knobs[2].state = KNOB_REMOVED;
        (void) text_copy(w.knobs[2].reason, sizeof(w.knobs[2].reason),
                         TEXT("sheaves took its place"));
        assert_advises("sheaves");
        ASSERT_EQ_U(plan.n_knobs, 0);
        slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");
        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        reading("list-lock-wait", "cache:dentry", 50000, EVIDENCE_MEASURED);
        w.knobs[1].owner = OWNER_ADMIN;
        ASSERT_EQ_U(build()->n_knobs, 1);
        p = &w.policy[0];
        p->claim = true;
        ASSERT_EQ_U(build()->n_knobs, 2);
}

TEST(isolated_cpus_deny_unless_the_policy_says_so) {
        Policy *p = slab_world(SLUB_PER_CPU_SLABS, "slab-cpu-partial", "52");

        reading("list-lock-wait", "cache:kmalloc-256", 50000, EVIDENCE_MEASURED);
        w.knobs[2].state = KNOB_DENIED;
        w.knobs[2].denied_isolated = true;
        (void) text_copy(w.knobs[2].reason, sizeof(w.knobs[2].reason), TEXT("isolated CPUs"));
        assert_advises("isolated");
        p->isolated = true;
        ASSERT_TRUE(build()->may_try);
        ASSERT_EQ_I(plan.knobs[0].state, KNOB_LIVE);
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
