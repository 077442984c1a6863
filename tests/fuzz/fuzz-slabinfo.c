/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slabinfo.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        SlabInfo s, w;

        CHECK(slabinfo_parse(fuzz_arena(0), text, "proc/slabinfo", &s, &log) == 0);
        fuzz_check_log(&log, "proc/slabinfo", text);
        CHECK(slabinfo_parse(fuzz_arena(1), fuzz_whole_lines(text), "proc/slabinfo", &w, &again) ==
              0);
        CHECK(s.n == w.n && s.n <= fuzz_count(text, " : tunables"));
        for (size_t i = 0; i < s.n; i++) {
                const SlabInfoRow *a = &s.rows[i], *b = &w.rows[i];

                CHECK(a->name[0] && strcmp(a->name, b->name) == 0 && a->line == b->line);
                CHECK(text_find_string(text, a->name) < text.size);
                CHECK(fuzz_same(a->active_objects, b->active_objects) &&
                      fuzz_same(a->objects, b->objects));
                CHECK(fuzz_same(a->object_bytes, b->object_bytes) && fuzz_same(a->slabs, b->slabs));
                CHECK(fuzz_same(a->pages_per_slab, b->pages_per_slab));
                fuzz_check_in_text(a->objects, text);
                fuzz_check_in_text(a->slabs, text);
                CHECK(slabinfo_find(&s, a->name));
        }
        CHECK(!slabinfo_pages(&s).known || s.n > 0);
        return 0;
}
