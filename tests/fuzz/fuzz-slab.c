/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slab.h"
#include "fuzz.h"

#define ENTRIES_MAX 64u

static void attribute(Text text) {
        ParseLog log = {}, again = {};
        SlabAttr s, w;

        CHECK(slab_attr_parse(fuzz_arena(0), text, "sys/x", &s, &log) == 0);
        fuzz_check_log(&log, "sys/x", text);
        CHECK(slab_attr_parse(NULL, text, "sys/x", &w, &again) == 0);
        CHECK(fuzz_same(s.value, w.value) && fuzz_same(s.slabs, w.slabs) && s.n_parts == w.n_parts);
        CHECK(log.n_issues == again.n_issues && log.n_more == again.n_more && !w.parts);
        CHECK(s.n_parts <= fuzz_count(text, "="));
        fuzz_check_in_text(s.value, text);
        fuzz_check_in_text(s.slabs, text);
        for (unsigned i = 0; i < s.n_parts; i++) {
                fuzz_check_in_text(KNOWN(s.parts[i].index), text);
                fuzz_check_in_text(KNOWN(s.parts[i].value), text);
                fuzz_check_in_text(s.parts[i].slabs, text);
        }
        CHECK(s.value.known || !s.slabs.known);
}

static void attributes(Text text) {
        size_t n;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n);
        Arena *a = fuzz_arena(0);
        SlabCache cache = {};
        ParseLog log = {};

        for (size_t i = 0; i < n; i++)
                CHECK(slab_cache_set(a, &cache, &specs[i], text, "sys/x", &log) == 0);
        CHECK(fuzz_same(cache.order, cache.min_partial) && fuzz_same(cache.slabs, cache.partial));
        CHECK(cache.n_slabs_parts == cache.n_partial_parts);
        CHECK(fuzz_same(cache.cpu_partial_objects, cache.order));
}

/* Lines "NAME" are directories, "NAME -> TARGET" are links. */
static void tree(Text text) {
        SlabEntry entries[ENTRIES_MAX];
        Arena *strings = fuzz_arena(1);
        size_t n = 0, n_links = 0, n_aliases = 0;
        ParseLog log = {};
        SlabTree t;
        Text line;

        while (n < ENTRIES_MAX && text_next_line(&text, &line)) {
                size_t arrow = text_find_string(line, " -> ");

                entries[n] = (SlabEntry){ arena_strndup(strings, line.data, arrow), NULL };
                if (arrow < line.size)
                        entries[n].target = arena_strndup(strings, line.data + arrow + 4,
                                                          line.size - arrow - 4);
                CHECK(entries[n].name);
                n_links += entries[n++].target != NULL;
        }
        CHECK(slab_tree_build(fuzz_arena(0), entries, n, "sys/x", &t, &log) == 0);
        CHECK(t.n == n - n_links && t.n_links + t.n_dangling == n_links);
        for (size_t i = 0; i < t.n; i++) {
                CHECK(i == 0 || strcmp(t.caches[i - 1].dir, t.caches[i].dir) <= 0);
                CHECK(slab_tree_find(&t, t.caches[i].dir));
                for (unsigned k = 0; k < t.caches[i].n_aliases; k++) {
                        CHECK(k == 0 ||
                              strcmp(t.caches[i].aliases[k - 1], t.caches[i].aliases[k]) <= 0);
                        CHECK(slab_tree_find(&t, t.caches[i].aliases[k]));
                }
                n_aliases += t.caches[i].n_aliases;
        }
        CHECK(n_aliases == t.n_links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        attribute(fuzz_text(data, size));
        attributes(fuzz_text(data, size));
        tree(fuzz_text(data, size));
        return 0;
}
