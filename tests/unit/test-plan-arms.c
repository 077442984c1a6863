/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms of plans: per-CPU lists and slab caches. */
#include "base/random.h"
#include "plan-world.h"

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

/* 100,000 pages: twice the default would need fraction 2; 8 is the least, and gives 12,500 / 48 = 260 pages. */
TEST(a_step_that_no_fraction_reaches_does_not_fit) {
        Policy *p = contention(PCP_GEN_HIGH, "0");
        const PlanController *c;

        p->parked_possible_ppm = 1000000;
        w.zone.managed = w.zone.present = KNOWN(100000);
        c = build();
        for (unsigned l = 1; l < 4; l++) {
                ASSERT_FALSE(plan_arm(c, 0, l)->fits);
                ASSERT_HAS(plan_arm(c, 0, l)->why, "no fraction");
        }
        ASSERT_EQ_U(c->feed_forward, 0);
}

/* A low watermark of 4,800 pages is 100 for each CPU: the lists have four batches, 252 pages, by default. */
TEST(a_cap_that_is_no_shorter_than_the_default_is_none) {
        contention(PCP_GEN_HIGH, "0");
        ASSERT_TRUE(build()->cap_known);
        w.zone.low = KNOWN(4800);
        ASSERT_FALSE(build()->cap_known);
}

TEST(whatever_the_zone_arms_are_legal_longer_than_those_below_and_within_the_bound) {
        static const PcpGen gens[] = { PCP_GEN_FRACTION, PCP_GEN_HIGH, PCP_GEN_AUTO,
                                       PCP_GEN_AUTO_SHOWN };
        unsigned n_fit = 0;
        Random random;

        random_seed(&random, 1, 1);
        for (unsigned i = 0; i < 4000; i++) {
                PcpGen gen = gens[random_below(&random, 4)];
                uint64_t fraction = random_coin(&random) ? 0 : 8 + random_below(&random, 100000);
                const PlanController *c;
                PcpPrediction below, now;
                char value[24];
                Policy *p;

                (void) text_format(value, sizeof(value), "%llu", (unsigned long long) fraction);
                p = contention(gen, value);
                p->parked_possible_ppm = random_below(&random, 200000);
                w.zone.managed = w.zone.present = KNOWN(random_u32(&random) >>
                                                        random_below(&random, 30));
                w.zone.low = KNOWN(w.zone.managed.value / (1 + random_below(&random, 3000)));
                w.node.n_online = w.pcp.n_online = w.facts.topology.n_online = 1 +
                                                                               random_below(&random,
                                                                                            400);
                c = build();
                ASSERT_TRUE(c->present_level[0] >= -1 && c->present_level[0] < (int) c->n_levels);
                ASSERT_TRUE(c->feed_forward == 0 || plan_arm(c, 0, c->feed_forward)->fits);
                if (!pcp_predict(&w.pcp, &w.zone, 0, &below))
                        continue;
                ASSERT_TRUE(pcp_predict(&w.pcp, &w.zone, fraction, &now));
                ASSERT_TRUE((c->present_level[0] == -1) == (now.high_max < below.high_max));
                for (unsigned l = 1; l < c->n_levels; l++) {
                        const PlanArm *arm = plan_arm(c, 0, l);
                        PcpPrediction here;

                        if (!arm->fits) {
                                ASSERT_TRUE(arm->why[0] != 0);
                                continue;
                        }
                        n_fit++;
                        ASSERT_TRUE(arm->value >= 8 && arm->value <= INT32_MAX);
                        ASSERT_LE_U(arm->parked_possible_ppm, p->parked_possible_ppm);
                        ASSERT_TRUE(pcp_predict(&w.pcp, &w.zone, (uint64_t) arm->value, &here));
                        ASSERT_TRUE(here.high_max > below.high_max);
                        below = here;
                }
        }
        ASSERT_TRUE(n_fit > 500);
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

TEST_MAIN()
