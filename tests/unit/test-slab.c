/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slab.h"

#include <errno.h>

#include "sense.h"

static SlabAttr attr(const char *text, ParseLog *log) {
        SlabAttr s;
        Text copy = sense_copy(text_from(text));

        ASSERT_OK(slab_attr_parse(sense_arena(), copy, "sys/kernel/slab/x/y", &s, log));
        sense_free(copy);
        return s;
}

static const SlabAttributeSpec *spec(const char *name) {
        size_t n;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n);

        for (size_t i = 0; i < n; i++)
                if (strcmp(specs[i].name, name) == 0)
                        return &specs[i];
        return NULL;
}

/* Contents as the five kernels give them. */
TEST(values_of_real_files) {
        ParseLog log = {};
        SlabAttr s;

        s = attr("52\n", &log);
        ASSERT_KNOWN(s.value, 52);
        ASSERT_UNKNOWN(s.slabs);
        ASSERT_EQ_U(s.n_parts, 0);
        s = attr("40 N0=19 N1=21\n", &log); /* slabs of kmalloc-256, 7.3 */
        ASSERT_KNOWN(s.value, 40);
        ASSERT_EQ_U(s.n_parts, 2);
        ASSERT_EQ_U(s.parts[1].index, 1);
        ASSERT_EQ_U(s.parts[1].value, 21);
        ASSERT_UNKNOWN(s.parts[1].slabs);
        s = attr("168(6) C1=84(3) C2=28(1) C3=28(1) C7=28(1)\n", &log); /* 6.12 */
        ASSERT_KNOWN(s.value, 168);
        ASSERT_KNOWN(s.slabs, 6);
        ASSERT_EQ_U(s.n_parts, 4);
        ASSERT_EQ_U(s.parts[3].index, 7);
        ASSERT_KNOWN(s.parts[0].slabs, 3);
        s = attr("12(4) C2=2(2) C7=10(2)\n", &log); /* 5.10 */
        ASSERT_KNOWN(s.slabs, 4);
        s = attr("0(0)", &log); /* 7.3 */
        ASSERT_KNOWN(s.value, 0);
        ASSERT_KNOWN(s.slabs, 0);
        s = attr("18446744073709551615\n", &log); /* min_partial takes any unsigned long */
        ASSERT_KNOWN(s.value, UINT64_MAX);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(malformed_values_are_absent_and_parts_are_still_read) {
        ParseLog log = {};
        SlabAttr s;

        s = attr("", &log);
        ASSERT_UNKNOWN(s.value);
        ASSERT_ISSUE(&log, 0, 1, "number missing");
        s = attr("x N0=1", &log);
        ASSERT_UNKNOWN(s.value);
        ASSERT_EQ_U(s.n_parts, 1);
        s = attr("-1", &log);
        ASSERT_ISSUE(&log, 2, 1, "negative number");
        s = attr("18446744073709551616", &log);
        ASSERT_ISSUE(&log, 3, 1, "number too large");
        s = attr("5(", &log);
        ASSERT_UNKNOWN(s.value);
        ASSERT_ISSUE(&log, 4, 1, "malformed number");
        s = attr("5(6", &log);
        ASSERT_UNKNOWN(s.value);
        s = attr("5()", &log);
        ASSERT_UNKNOWN(s.value);
        ASSERT_ISSUE(&log, 6, 1, "number missing");
        log = (ParseLog){};
        s = attr("7 N0 N=1 X0=1 N99999999999=1 N8192=1 N1=x =5 N2=3 C1=4(", &log);
        ASSERT_KNOWN(s.value, 7);
        ASSERT_EQ_U(s.n_parts, 1);
        ASSERT_EQ_U(s.parts[0].index, 2);
        ASSERT_EQ_U(log.n_issues, 8);
        ASSERT_ISSUE(&log, 7, 1, "malformed part");
}

TEST(parts_cost_no_more_memory_than_they_need) {
        Arena *a = sense_arena();
        ParseLog log = {};
        SlabAttr s;

        ASSERT_OK(slab_attr_parse(a, TEXT("5 N0=1 N1=1 N2=1 N3=1 N4=1"), "x", &s, &log));
        ASSERT_EQ_U(s.n_parts, 5);
        ASSERT_EQ_U(arena_mark(a), 5 * sizeof(SlabPart));
        ASSERT_OK(slab_attr_parse(NULL, TEXT("5 N0=1 N1=1"), "x", &s, &log));
        ASSERT_EQ_U(s.n_parts, 2);
        ASSERT_TRUE(!s.parts);
}

TEST(the_table_is_sorted_and_forbids_what_takes_the_lock) {
        static const char *const forbidden[] = { "objects",    "objects_partial", "alloc_calls",
                                                 "free_calls", "validate",        "shrink" };
        size_t n;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n);

        for (size_t i = 1; i < n; i++)
                ASSERT_TRUE(strcmp(specs[i - 1].name, specs[i].name) < 0);
        for (size_t i = 0; i < ELEMENTSOF(forbidden); i++) {
                ASSERT_TRUE(spec(forbidden[i]));
                ASSERT_EQ_U(spec(forbidden[i])->cost, SLAB_COST_FORBIDDEN);
                ASSERT_TRUE(spec(forbidden[i])->offset == SIZE_MAX);
        }
        for (size_t i = 0; i < n; i++)
                ASSERT_TRUE(specs[i].cost == SLAB_COST_FORBIDDEN ||
                            specs[i].offset < sizeof(SlabCache));
        ASSERT_EQ_U(spec("cpu_slabs")->cost, SLAB_COST_PER_CPU);
        ASSERT_EQ_U(spec("slabs_cpu_partial")->cost, SLAB_COST_PER_CPU);
        ASSERT_EQ_U(spec("slabs")->cost, SLAB_COST_CHEAP);
}

TEST(every_attribute_lands_in_its_own_field) {
        size_t n;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n);
        SlabCache cache = {};
        ParseLog log = {};

        for (size_t i = 0; i < n; i++) {
                char text[32];

                ASSERT_TRUE(text_format(text, sizeof(text), "%zu\n", 100 + i));
                ASSERT_OK(slab_cache_set(sense_arena(), &cache, &specs[i], text_from(text), "x",
                                         &log));
        }
        for (size_t i = 0; i < n; i++)
                if (specs[i].offset != SIZE_MAX)
                        ASSERT_KNOWN(*(MaybeU64 *) (void *) ((uint8_t *) &cache + specs[i].offset),
                                     100 + i);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(a_cache_as_6_12_shows_it) {
        SlabCache cache = {};
        ParseLog log = {};
        Arena *a = sense_arena();

        ASSERT_OK(slab_cache_set(a, &cache, spec("slabs"), TEXT("36 N0=25 N1=11\n"), "x", &log));
        ASSERT_OK(slab_cache_set(a, &cache, spec("partial"), TEXT("2 N1=2\n"), "x", &log));
        ASSERT_OK(slab_cache_set(a, &cache, spec("slabs_cpu_partial"),
                                 TEXT("128(4) C2=96(3) C4=32(1)\n"), "x", &log));
        ASSERT_OK(slab_cache_set(a, &cache, spec("cpu_partial"), TEXT("52\n"), "x", &log));
        slab_cache_set_mode(&cache, spec("cpu_partial"), 0600);
        slab_cache_set_mode(&cache, spec("order"), 0400);
        slab_cache_set_mode(&cache, spec("slabs"), 0400);
        ASSERT_KNOWN(cache.slabs, 36);
        ASSERT_EQ_U(cache.n_slabs_parts, 2);
        ASSERT_EQ_U(cache.slabs_parts[0].value, 25);
        ASSERT_EQ_U(cache.n_partial_parts, 1);
        ASSERT_EQ_U(cache.partial_parts[0].index, 1);
        ASSERT_KNOWN(cache.cpu_partial_objects, 128);
        ASSERT_KNOWN(cache.slabs_cpu_partial, 4);
        ASSERT_TRUE(cache.cpu_partial_mode.known && cache.cpu_partial_mode.mode == 0600);
        ASSERT_TRUE(cache.order_mode.known && cache.order_mode.mode == 0400);
        ASSERT_TRUE(!cache.min_partial_mode.known);
        ASSERT_UNKNOWN(cache.sheaf_capacity);
        ASSERT_TRUE(!slab_cache_is_debug(&cache));
        ASSERT_OK(slab_cache_set(a, &cache, spec("poison"), TEXT("0\n"), "x", &log));
        ASSERT_TRUE(!slab_cache_is_debug(&cache));
        ASSERT_OK(slab_cache_set(a, &cache, spec("poison"), TEXT("1\n"), "x", &log));
        ASSERT_TRUE(slab_cache_is_debug(&cache));
}

TEST(links_become_aliases_of_the_real_directory) {
        static const SlabEntry entries[] = {
                { "kmalloc-64", NULL }, { "filp", ":0000256" },
                { ":0000256", NULL },   { "cred", "../slab/:0000256" },
                { ":a-0000104", NULL }, { "buffer_head", ":a-0000104" },
                { "lost", ":0000999" }, { "chained", "filp" },
        };
        ParseLog log = {};
        SlabTree t;

        ASSERT_OK(slab_tree_build(sense_arena(), entries, ELEMENTSOF(entries), "sys/kernel/slab",
                                  &t, &log));
        ASSERT_EQ_U(t.n, 3);
        ASSERT_STR(t.caches[0].dir, ":0000256");
        ASSERT_STR(t.caches[1].dir, ":a-0000104");
        ASSERT_STR(t.caches[2].dir, "kmalloc-64");
        ASSERT_EQ_U(t.caches[0].n_aliases, 2);
        ASSERT_STR(t.caches[0].aliases[0], "cred");
        ASSERT_STR(t.caches[0].aliases[1], "filp");
        ASSERT_EQ_U(t.caches[2].n_aliases, 0);
        ASSERT_EQ_U(t.n_links, 3);
        ASSERT_EQ_U(t.n_dangling, 2); /* a link to a link is none to a cache: sysfs makes none */
        ASSERT_ISSUE(&log, 0, 0, "link to no cache");
        ASSERT_STR(log.issue[0].about, "chained");
        ASSERT_TRUE(slab_tree_find(&t, "filp") == &t.caches[0]);
        ASSERT_TRUE(slab_tree_find(&t, ":0000256") == &t.caches[0]);
        ASSERT_TRUE(slab_tree_find(&t, "kmalloc-64") == &t.caches[2]);
        ASSERT_TRUE(!slab_tree_find(&t, "kmalloc"));
        ASSERT_UNKNOWN(t.caches[0].order);
}

TEST(no_entries_give_no_caches) {
        ParseLog log = {};
        SlabTree t;

        ASSERT_OK(slab_tree_build(sense_arena(), NULL, 0, "sys/kernel/slab", &t, &log));
        ASSERT_EQ_U(t.n, 0);
        ASSERT_TRUE(!slab_tree_find(&t, "x"));
}

TEST(a_full_arena_is_enomem) {
        static const SlabEntry entries[] = { { "kmalloc-64", NULL }, { "x", "kmalloc-64" } };
        static uint8_t memory[4096];
        bool fitted = false;

        for (size_t size = 0; size < sizeof(memory); size += 8) {
                ParseLog log = {};
                SlabTree t;
                Arena a;
                int r;

                memset(memory, 0, sizeof(memory));
                arena_init(&a, memory, size);
                r = slab_tree_build(&a, entries, ELEMENTSOF(entries), "sys/kernel/slab", &t, &log);
                ASSERT_TRUE(r == 0 || r == -ENOMEM);
                ASSERT_TRUE(!fitted || r == 0);
                fitted = r == 0;
                if (fitted)
                        ASSERT_STR(t.caches[0].aliases[0], "x");
        }
        ASSERT_TRUE(fitted);
}

TEST_MAIN()
