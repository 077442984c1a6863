/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advise-world.h"

/* Two caches of 512 bytes, order 3 (64 objects), default cpu_partial 52: one under its own name, one merged. */
static SlabCache caches[2];
static SlabTree tree = { .caches = caches, .n = 2 };
static const char *merged_names[] = { "filp", "vm_area_struct" };

static Scope cache_scope(const char *name) {
        Scope s = { 0 };

        (void) text_format(s.name, sizeof(s.name), "cache:%s", name);
        return s;
}

static void add_cache_wait(const char *name, int64_t value) {
        size_t at = 0;

        add_signal("list-lock-wait", value, EVIDENCE_MEASURED);
        while (at < w.signal_set.n && (strcmp(w.signals[at].name, "list-lock-wait") != 0 ||
                                       !scope_is_system(&w.signals[at].scope)))
                at++;
        w.signals[at].scope = cache_scope(name);
}

static Knob *slab_world(SlubPerCpu per_cpu, const char *attribute, KnobState state,
                        const char *value) {
        char knob[48];
        Knob *k;

        world_init(PCP_GEN_AUTO, 0);
        for (size_t i = 0; i < 2; i++)
                caches[i] = (SlabCache){ .dir = i == 0 ? ":A-0000512" : "kmalloc-512",
                                         .aliases = i == 0 ? merged_names : NULL,
                                         .n_aliases = i == 0 ? 2 : 0,
                                         .slab_size = KNOWN(512),
                                         .order = KNOWN(3),
                                         .objs_per_slab = KNOWN(64),
                                         .min_partial = KNOWN(5),
                                         .slabs = KNOWN(10) };
        tree.n = 2;
        w.last.slab = &tree;
        w.slub = (SlubModel){ .per_cpu = per_cpu,
                              .params = { .known = true, .max_order = 3 },
                              .loop = SLUB_LOOP_HALF,
                              .n_cpus = 48,
                              .min_objects = 28, /* 4 * (fls(48) + 1) */
                              .page_bytes = 4096 };
        ASSERT_TRUE(text_format(knob, sizeof(knob), "slab-%s", attribute));
        for (size_t i = 0; i < 2; i++) {
                k = add_knob(knob, state, value);
                k->scope = cache_scope(caches[i].dir);
                k->cache = &caches[i];
                k->def_number = KNOWN(strcmp(attribute, "cpu-partial") == 0 ? 52 : 5);
                (void) text_format(k->def, sizeof(k->def), "%llu",
                                   (unsigned long long) k->def_number.value);
        }
        /* add_knob() sorts by name only: bring the scopes in order. */
        if (strcmp(w.knobs[0].scope.name, w.knobs[1].scope.name) > 0) {
                Knob first = w.knobs[0];

                w.knobs[0] = w.knobs[1];
                w.knobs[1] = first;
        }
        return &w.knobs[1]; /* kmalloc-512 */
}

static Policy *waiting(const char *knob) {
        Policy *p = policy_on(knob, "list-lock-wait", 20000);

        (void) text_copy(p->scope, sizeof(p->scope), TEXT("cache:*"));
        arms(p, 2, (int64_t[]){ 2000, 4000 }, (const char *[]){ "2", "4" });
        return p;
}

static const Recommendation *find(const char *scope) {
        for (size_t i = 0; i < w.advice.n_recommendations; i++)
                if (strcmp(w.advice.recommendations[i].scope.name, scope) == 0)
                        return &w.advice.recommendations[i];
        return NULL;
}

TEST(isolated_cpus_deny_unless_the_policy_says_otherwise) {
        const Recommendation *r;
        Knob *k = slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_DENIED, "52");
        Policy *p = waiting("slab-cpu-partial");

        w.facts.euid_root = true;
        k->denied_isolated = true;
        (void) text_copy(k->reason, sizeof(k->reason),
                         TEXT("a write flushes every CPU, and CPUs are isolated here; 2 slabs"));
        add_cache_wait("kmalloc-512", 200000);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_STR(r->to, "104");
        ASSERT_STR(r->how, "");
        ASSERT_HAS(r->reason, "CPUs are isolated here");
        p->isolated = true;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_TUNE);
        ASSERT_EQ_I(r->apply, APPLY_WRITE);
        /* What is denied for another reason stays denied. */
        k->denied_isolated = false;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
}

TEST(a_removed_knob_says_what_remains) {
        const Recommendation *r;

        (void) slab_world(SLUB_PER_CPU_SHEAVES, "cpu-partial", KNOB_REMOVED, "0");
        (void) waiting("slab-cpu-partial");
        add_cache_wait("kmalloc-512", 200000);
        r = only_recommendation();
        ASSERT_STR(r->to, "");
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_HAS(r->expect, "slub_min_objects");
        ASSERT_HAS(r->expect, "min_partial");
        w.signals[0].scope = scope_system();
        r = only_recommendation();
        ASSERT_STR(r->scope.name, "cache:*");
        ASSERT_HAS(r->expect, "min_partial");
}

TEST(any_name_of_a_merged_cache_denies_it) {
        static const char *const deny[] = { "filp" };
        Knob *k = slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_LIVE, "52");

        (void) k;
        (void) waiting("slab-cpu-partial");
        add_cache_wait(":A-0000512", 200000);
        ASSERT_EQ_I(only_recommendation()->verdict, VERDICT_TUNE);
        w.input.deny_caches = deny;
        w.input.n_deny_caches = 1;
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
        ASSERT_HAS(w.advice.notes[0].text, "deny_caches of the configuration names :A-0000512");
}

TEST(a_cache_that_is_not_in_the_tree_is_still_heard) {
        const Recommendation *r;

        (void) slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_LIVE, "52");
        (void) waiting("slab-cpu-partial");
        add_cache_wait("btrfs_inode", 438000);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_STR(r->scope.name, "cache:btrfs_inode");
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_HAS(r->reason, "43.8 %");
        ASSERT_HAS(r->reason, "no cache of that name");
        w.last.slab = NULL;
        r = only_recommendation();
        ASSERT_HAS(r->reason, "not in this tree");
}

/* 2 * 28 objects of 512 bytes are 28 KiB: order 3 holds 64 already. */
TEST(a_boot_parameter_that_changes_nothing_is_not_advised) {
        (void) slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_LIVE, "52");
        w.facts.topology.n_present = 48;
        (void) waiting("slab-order");
        add_cache_wait("kmalloc-512", 200000);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 0);
        ASSERT_HAS(w.advice.notes[0].text, "(56) would not enlarge the slabs of kmalloc-512");
}

/* 28 * 128 bytes are order 0 (32 objects), 56 * 128 are order 1. */
TEST(a_boot_parameter_names_the_cache_that_grows) {
        const Recommendation *r;

        (void) slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_LIVE, "52");
        w.facts.topology.n_present = 48;
        caches[1].slab_size = KNOWN(128);
        caches[1].order = KNOWN(0);
        caches[1].objs_per_slab = KNOWN(32);
        (void) waiting("slab-order");
        add_cache_wait("kmalloc-512", 200000);
        r = only_recommendation();
        ASSERT_EQ_I(r->apply, APPLY_BOOT);
        ASSERT_STR(r->to, "slub_min_objects=56");
        ASSERT_HAS(r->reason,
                   "slabs of 1 of 2 caches larger, those of kmalloc-512 from order 0 to 1");
}

/* 48 CPUs, order 3, 4,096 slabs a node: 128 MiB against 0.25 % of 61 GiB = 156 MiB; 65,536: 2 GiB. */
TEST(what_is_too_large_already_does_not_grow) {
        Knob *k = slab_world(SLUB_PER_CPU_SLABS, "min-partial", KNOB_LIVE, "5");
        const Recommendation *r;

        (void) waiting("slab-min-partial");
        (void) text_copy(k->value, sizeof(k->value), TEXT("65536"));
        k->number = KNOWN(65536);
        add_cache_wait("kmalloc-512", 200000);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 1);
        r = find("cache:kmalloc-512");
        ASSERT_TRUE(r != NULL);
        ASSERT_STR(r->to, "5");
        ASSERT_HAS(r->reason, "keep 2 GiB, bound 156 MiB");
}

/* Kernels that count objects store at most 10 (mm/slub.c set_min_partial(), 5.10). */
TEST(min_partial_is_no_more_than_the_kernel_takes) {
        (void) slab_world(SLUB_PER_CPU_OBJECTS, "min-partial", KNOB_LIVE, "5");
        (void) waiting("slab-min-partial");
        w.policy[0].arm[0].multiple_milli = 4000; /* 20 */
        add_cache_wait("kmalloc-512", 200000);
        ASSERT_STR(only_recommendation()->to, "10");
        w.slub.per_cpu = SLUB_PER_CPU_SLABS;
        ASSERT_STR(only_recommendation()->to, "20");
}

TEST(advice_without_a_trial_promises_none) {
        Knob *k = slab_world(SLUB_PER_CPU_SLABS, "cpu-partial", KNOB_LIVE, "52");
        Policy *p = waiting("slab-cpu-partial");

        (void) k;
        add_cache_wait("kmalloc-512", 200000);
        ASSERT_TRUE(text_starts(text_from(only_recommendation()->expect), "keep it only if"));
        p->apply = false;
        ASSERT_TRUE(text_starts(text_from(only_recommendation()->expect), "keep it only if"));
}

TEST_MAIN()
