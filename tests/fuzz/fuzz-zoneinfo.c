/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/zoneinfo.h"
#include "fuzz.h"

static void same_zone(const Zone *a, const Zone *b) {
        CHECK(a->node == b->node && strcmp(a->name, b->name) == 0 && a->line == b->line);
        CHECK(fuzz_same(a->free, b->free) && fuzz_same(a->min, b->min) &&
              fuzz_same(a->low, b->low));
        CHECK(fuzz_same(a->high, b->high) && fuzz_same(a->promo, b->promo));
        CHECK(fuzz_same(a->managed, b->managed) && fuzz_same(a->present, b->present));
        CHECK(a->n_pagesets == b->n_pagesets);
        for (size_t i = 0; i < a->n_pagesets; i++)
                CHECK(memcmp(&a->pagesets[i], &b->pagesets[i], sizeof(Pageset)) == 0);
}

static void zone_check(const Zone *zone, Text text) {
        fuzz_check_string(zone->name, sizeof(zone->name));
        CHECK(zone->name[0] && zone->line > 0 && zone->line <= fuzz_lines(text));
        fuzz_check_in_text(zone->free, text);
        fuzz_check_in_text(zone->high, text);
        fuzz_check_in_text(zone->managed, text);
        for (size_t i = 0; i < zone->n_pagesets; i++) {
                const Pageset *p = &zone->pagesets[i];

                CHECK((p->has & ~31u) == 0);
                CHECK((p->has & PAGESET_COUNT) != 0 || p->count == 0);
                CHECK(zone_pageset(zone, p->cpu));
                if (i < 4 && (p->has & PAGESET_HIGH) != 0)
                        fuzz_check_in_text(KNOWN(p->high), text);
        }
        CHECK(!zone_parked(zone).known || zone->n_pagesets > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        Arena *a = fuzz_arena(0);
        ParseLog log = {}, again = {};
        size_t n_pagesets = 0, used;
        ZoneInfo z, w;

        CHECK(zoneinfo_parse(a, text, "proc/zoneinfo", &z, &log) == 0);
        used = arena_mark(a);
        fuzz_check_log(&log, "proc/zoneinfo", text);
        CHECK(zoneinfo_parse(fuzz_arena(1), fuzz_whole_lines(text), "proc/zoneinfo", &w, &again) ==
              0);
        CHECK(z.n == w.n && z.has_high_minmax == w.has_high_minmax);
        CHECK(z.n <= fuzz_count(text, "Node "));
        for (size_t i = 0; i < z.n; i++) {
                same_zone(&z.zones[i], &w.zones[i]);
                zone_check(&z.zones[i], text);
                CHECK(zoneinfo_find(&z, z.zones[i].node, z.zones[i].name));
                n_pagesets += z.zones[i].n_pagesets;
        }
        CHECK(n_pagesets <= fuzz_count(text, "cpu:"));
        /* a zone stands in a list item and in the array; padding is less than 16 bytes each */
        CHECK(used <= n_pagesets * sizeof(Pageset) + z.n * (2 * sizeof(Zone) + 32));
        return 0;
}
