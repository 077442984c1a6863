/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/buddyinfo.h"

#include <errno.h>
#include <string.h>

/* proc/buddyinfo (mm/vmstat.c frag_show_print()): a line for each populated zone, a column for each
 * order from 0 upwards. Reading it takes every zone->lock up to 7.2. A broken column leaves its own
 * order unknown; the others keep their places. */

#define BUDDY_ZONES_MAX 8192u

static void columns_read(const ParseLines *l, Text rest, BuddyZone *zone) {
        bool too_many = false;
        Text field;

        while (text_next_field(&rest, &field)) {
                if (zone->n_orders == BUDDY_ORDERS_MAX) {
                        too_many = true;
                        break;
                }
                zone->blocks[zone->n_orders] = parse_lines_number(l, field, text_from(zone->name));
                zone->n_orders++;
        }
        if (too_many)
                parse_lines_issue(l, "more orders than known, the rest is left out",
                                  text_from(zone->name));
}

int buddyinfo_parse(Arena *a, Text text, const char *path, BuddyInfo *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        BuddyZone *zones = NULL;
        size_t n = 0, capacity = 0;
        Text line;

        while (parse_lines_next(&l, &line)) {
                BuddyZone zone = { .line = l.line };
                Text rest = line;
                int r;

                r = zone_header_parse(&rest, &zone.node, zone.name);
                if (r == ZONE_HEADER_E_OTHER)
                        continue;
                if (r != 0 || n == BUDDY_ZONES_MAX) {
                        parse_lines_issue(&l,
                                          r != 0 ? "malformed zone line, the zone is left out"
                                                 : "too many zones, this one is left out",
                                          text_strip(line));
                        continue;
                }
                columns_read(&l, rest, &zone);
                if (n == capacity) {
                        size_t more = capacity == 0 ? 8 : 2 * capacity;
                        BuddyZone *grown;

                        grown = arena_grow(a, zones, capacity * sizeof(*zones),
                                           more * sizeof(*zones), _Alignof(BuddyZone));
                        if (!grown)
                                return -ENOMEM;
                        zones = grown;
                        capacity = more;
                }
                zones[n++] = zone;
        }
        parse_lines_found(&l, n > 0, text);
        *ret = (BuddyInfo){ .zones = zones, .n = n };
        return 0;
}

const BuddyZone *buddyinfo_find(const BuddyInfo *b, unsigned node, const char *name) {
        for (size_t i = 0; i < b->n; i++)
                if (b->zones[i].node == node && strcmp(b->zones[i].name, name) == 0)
                        return &b->zones[i];
        return NULL;
}

MaybeU64 buddy_zone_free_pages(const BuddyZone *z, unsigned order) {
        uint64_t pages = 0;

        if (order >= z->n_orders)
                return UNKNOWN;
        for (unsigned i = order; i < z->n_orders; i++) {
                if (!z->blocks[i].known)
                        return UNKNOWN;
                pages = u64_add_sat(pages, u64_mul_sat(z->blocks[i].value, UINT64_C(1) << i));
        }
        return KNOWN(pages);
}
