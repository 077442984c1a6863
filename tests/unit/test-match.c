/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/match.h"

#include "test.h"

static Knob knob(const char *name, Scope scope, const SlabCache *cache) {
        Knob k = { .spec = knob_spec_find(text_from(name)), .scope = scope, .cache = cache };

        (void) text_copy(k.name, sizeof(k.name), text_from(name));
        return k;
}

static bool matches(const char *argument, const Knob *k) {
        Match m;

        return match_parse(argument, &m) && match_knob(&m, k);
}

TEST(a_name_alone_means_every_scope) {
        Knob k = knob("pcp-batch", scope_zone(0, "Normal"), NULL);

        ASSERT_TRUE(matches("pcp-batch", &k));
        ASSERT_TRUE(matches("pcp-*", &k));
        ASSERT_FALSE(matches("pcp", &k));
        ASSERT_FALSE(matches("", &k));
}

TEST(a_scope_is_a_pattern_too) {
        Knob k = knob("pcp-batch", scope_zone(0, "Normal"), NULL);

        ASSERT_TRUE(matches("pcp-batch@zone:0/Normal", &k));
        ASSERT_TRUE(matches("*@zone:?/N*", &k));
        ASSERT_FALSE(matches("pcp-batch@zone:1/Normal", &k));
        ASSERT_FALSE(matches("pcp-batch@Normal", &k));
}

TEST(a_cache_is_named_by_directory_or_any_merged_name) {
        const char *names[] = { "dentry", "kmalloc-64" };
        SlabCache cache = { .dir = ":0000064", .aliases = names, .n_aliases = 2 };
        Knob k = knob("slab-order", scope_cache(":0000064"), &cache);

        ASSERT_TRUE(matches("slab-order@cache::0000064", &k));
        ASSERT_TRUE(matches("slab-order@:0000064", &k));
        ASSERT_TRUE(matches("slab-order@kmalloc-*", &k));
        ASSERT_TRUE(matches("slab-order@cache:dentry", &k));
        ASSERT_FALSE(matches("slab-order@inode", &k));
}

TEST(the_row_of_all_sizes_means_each_of_them) {
        Knob k = knob("thp-size-64-enabled", scope_system(), NULL);

        ASSERT_TRUE(matches("thp-size-<kB>-enabled", &k));
        ASSERT_TRUE(matches("thp-size-64-enabled", &k));
        ASSERT_FALSE(matches("thp-size-32-enabled", &k));
}

TEST(where_all_scopes_are_one_row_its_reason_is_known) {
        Knob rows[] = { knob("pcp-batch", scope_zone(0, "Normal"), NULL),
                        knob("slab-order", scope_cache("*"), NULL) };
        KnobSet set = { .knobs = rows, .n = 2 };
        Match m;

        (void) text_copy(rows[1].reason, sizeof(rows[1].reason), text_from("for root only"));
        ASSERT_TRUE(match_parse("slab-order@kmalloc-64", &m));
        ASSERT_STR(match_no_scope(&m, &set), "for root only");
        ASSERT_TRUE(match_parse("pcp-batch@zone:1/Normal", &m));
        ASSERT_TRUE(match_no_scope(&m, &set) == NULL);
}

TEST(signals_match_by_merged_names_where_the_caches_are_known) {
        const char *names[] = { "kmalloc-64" };
        SlabCache cache = { .dir = ":0000064", .aliases = names, .n_aliases = 1 };
        SlabTree tree = { .caches = &cache, .n = 1 };
        Signal s = { .name = "slab-use" };
        Match m;

        s.scope = scope_cache(":0000064");
        ASSERT_TRUE(match_parse("slab-use@kmalloc-64", &m));
        ASSERT_TRUE(match_signal(&m, &s, &tree));
        ASSERT_FALSE(match_signal(&m, &s, NULL));
}

TEST(an_argument_too_long_for_any_name_is_refused) {
        char longer[300];
        Match m;

        memset(longer, 'a', sizeof(longer) - 1);
        longer[sizeof(longer) - 1] = '\0';
        ASSERT_FALSE(match_parse(longer, &m));
        longer[0] = 'x';
        longer[1] = '@';
        ASSERT_FALSE(match_parse(longer, &m));
}

TEST_MAIN()
