/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/buddyinfo.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        BuddyInfo b, w;

        CHECK(buddyinfo_parse(fuzz_arena(0), text, "proc/buddyinfo", &b, &log) == 0);
        fuzz_check_log(&log, "proc/buddyinfo", text);
        CHECK(buddyinfo_parse(fuzz_arena(1), fuzz_whole_lines(text), "proc/buddyinfo", &w,
                              &again) == 0);
        CHECK(b.n == w.n && b.n <= fuzz_count(text, "Node"));
        for (size_t i = 0; i < b.n; i++) {
                const BuddyZone *z = &b.zones[i];

                fuzz_check_string(z->name, sizeof(z->name));
                CHECK(z->n_orders <= BUDDY_ORDERS_MAX && z->n_orders == w.zones[i].n_orders);
                for (unsigned k = 0; k < BUDDY_ORDERS_MAX; k++) {
                        CHECK(fuzz_same(z->blocks[k], w.zones[i].blocks[k]));
                        CHECK(k < z->n_orders || !z->blocks[k].known);
                        fuzz_check_in_text(z->blocks[k], text);
                }
                CHECK(!buddy_zone_free_pages(z, 0).known || z->n_orders > 0);
                CHECK(!buddy_zone_free_pages(z, 0).known ||
                      buddy_zone_free_pages(z, 0).value >=
                              buddy_zone_free_pages(z, z->n_orders - 1).value);
                CHECK(buddyinfo_find(&b, z->node, z->name));
        }
        return 0;
}
