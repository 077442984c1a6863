/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/zoneinfo.h"

#include <errno.h>
#include <string.h>

/* Per-zone and per-CPU state of the page allocator (mm/vmstat.c zoneinfo_show_print(), 4.18 to
 * 7.3).
 *
 * The file is a sequence of zones, and each zone has up to four parts, told apart by what stands
 * at their heads: "per-node stats" (only in the first populated zone of a node), "pages free N"
 * with the watermarks and sizes, then zone counters, then "pagesets" with a group for each
 * online CPU. Labels are padded differently in each release and groups grow new lines, so
 * indentation counts for nothing and unknown labels are skipped. The same word means different
 * things in different parts: "high" is a watermark, "high:" the limit of one CPU's list.
 *
 * On a big machine nearly all of the text is pageset lines (1,024 CPUs x 18 zones: 3 MiB), so
 * these are told apart by length and first letters, and numbers of up to nine digits are read
 * inline.
 *
 * Invariant: while a zone is read, its pagesets are the last thing in the arena, so they grow in
 * place. */

#define ZONES_MAX 8192u         /* 1,024 nodes x 6 zones, and room */
#define PAGESETS_ZONE_MAX 8192u /* NR_CPUS of x86-64 */

typedef struct ZoneItem {
        struct ZoneItem *next;
        Zone zone;
} ZoneItem;

typedef enum Part { PART_NONE, PART_HEAD, PART_PAGES, PART_PAGESETS } Part;

typedef struct Reader {
        Arena *arena;
        ParseLines lines;
        ZoneItem *first, *last;
        size_t n_zones;
        size_t capacity;   /* pagesets allocated for the open zone */
        size_t start_mark; /* of the arena, where the pagesets of the open zone begin */
        Pageset *pageset;  /* the group being read, or NULL */
        Part part;
        bool has_high_minmax;
        bool too_many;
} Reader;

int zone_header_parse(Text *line, unsigned *ret_node, char ret_name[static ZONE_NAME_MAX]) {
        Text word, number, name, rest = *line;
        uint64_t node = 0;
        char copy[ZONE_NAME_MAX];

        if (!text_next_field(&rest, &word) || !text_is(word, "Node"))
                return ZONE_HEADER_E_OTHER;
        if (!text_next_field(&rest, &number) || number.size < 2 ||
            number.data[number.size - 1] != ',' ||
            number_parse_u64(number.data, number.size - 1, &node) != 0 || node > UINT32_MAX)
                return ZONE_HEADER_E_MALFORMED;
        if (!text_next_field(&rest, &word) || !text_is(word, "zone") ||
            !text_next_field(&rest, &name) || memchr(name.data, 0, name.size) ||
            !text_copy(copy, sizeof(copy), name))
                return ZONE_HEADER_E_MALFORMED;
        *line = rest;
        *ret_node = (unsigned) node;
        memcpy(ret_name, copy, sizeof(copy));
        return 0;
}

/* Gives back what the closed zone's pagesets did not use. */
static void zone_close(Reader *r) {
        Zone *zone;

        r->pageset = NULL;
        if (!r->last || r->capacity == 0)
                return;
        zone = &r->last->zone;
        arena_release(r->arena,
                      arena_mark(r->arena) - (r->capacity - zone->n_pagesets) * sizeof(Pageset));
        r->capacity = 0;
}

static int zone_open(Reader *r, Text line) {
        ZoneItem *item;
        unsigned node = 0;
        char name[ZONE_NAME_MAX];

        zone_close(r);
        r->part = PART_NONE;
        if (zone_header_parse(&line, &node, name) != 0) {
                parse_lines_issue(&r->lines, "malformed zone line, the zone is left out",
                                  text_strip(line));
                return 0;
        }
        if (r->n_zones == ZONES_MAX) {
                parse_lines_issue(&r->lines, "too many zones, this one is left out",
                                  text_strip(line));
                return 0;
        }
        item = ARENA_NEW(r->arena, ZoneItem);
        if (!item)
                return -ENOMEM;
        item->zone.node = node;
        memcpy(item->zone.name, name, sizeof(name));
        item->zone.line = r->lines.line;
        if (r->last)
                r->last->next = item;
        else
                r->first = item;
        r->last = item;
        r->n_zones++;
        r->part = PART_HEAD;
        r->too_many = false;
        return 0;
}

/* A number that fits 32 bits, at the end of a label. */
static bool number_u32(const ParseLines *l, Text rest, Text about, uint32_t *ret) {
        size_t i = 0;
        uint32_t value = 0;
        MaybeU64 slow;

        while (i < rest.size && rest.data[i] == ' ')
                i++;
        rest = (Text){ rest.data + i, rest.size - i };
        for (i = 0; i < rest.size && i < 9 && rest.data[i] >= '0' && rest.data[i] <= '9'; i++)
                value = value * 10 + (uint32_t) (rest.data[i] - '0');
        if (i > 0 && i == rest.size) {
                *ret = value;
                return true;
        }
        slow = parse_lines_number(l, text_strip(rest), about);
        if (slow.known && slow.value > UINT32_MAX) {
                parse_lines_issue(l, number_error_string(NUMBER_E_OVERFLOW), about);
                return false;
        }
        if (slow.known)
                *ret = (uint32_t) slow.value;
        return slow.known;
}

static int pageset_open(Reader *r, Text rest) {
        Zone *zone = &r->last->zone;
        uint32_t cpu = 0;

        r->pageset = NULL;
        if (!number_u32(&r->lines, rest, TEXT("cpu"), &cpu))
                return 0; /* the group of an unknown CPU is skipped */
        if (zone->n_pagesets == PAGESETS_ZONE_MAX) {
                if (!r->too_many)
                        parse_lines_issue(&r->lines, "too many CPUs, the rest is left out",
                                          text_strip(rest));
                r->too_many = true;
                return 0;
        }
        if (zone->n_pagesets == r->capacity) {
                size_t more = r->capacity == 0 ? 16 : 2 * r->capacity;
                Pageset *grown;

                grown = arena_grow(r->arena, zone->pagesets, r->capacity * sizeof(Pageset),
                                   more * sizeof(Pageset), _Alignof(Pageset));
                if (!grown)
                        return -ENOMEM;
                zone->pagesets = grown;
                r->capacity = more;
        }
        if (zone->n_pagesets > 0 && zone->pagesets[zone->n_pagesets - 1].cpu >= cpu)
                parse_lines_issue(&r->lines, "CPUs out of order", text_strip(rest));
        r->pageset = &zone->pagesets[zone->n_pagesets++];
        *r->pageset = (Pageset){ .cpu = cpu };
        return 0;
}

static int pageset_line(Reader *r, Text line) {
        static const struct {
                Text label;
                unsigned bit;
                size_t offset;
        } labels[] = {
                { { "count:", 6 }, PAGESET_COUNT, offsetof(Pageset, count) },
                { { "high:", 5 }, PAGESET_HIGH, offsetof(Pageset, high) },
                { { "batch:", 6 }, PAGESET_BATCH, offsetof(Pageset, batch) },
                { { "high_min:", 9 }, PAGESET_HIGH_MIN, offsetof(Pageset, high_min) },
                { { "high_max:", 9 }, PAGESET_HIGH_MAX, offsetof(Pageset, high_max) },
        };

        if (line.data[0] == 'v')
                return 0; /* vm stats threshold: */
        if (line.size >= 4 && memcmp(line.data, "cpu:", 4) == 0)
                return pageset_open(r, (Text){ line.data + 4, line.size - 4 });
        for (size_t i = 0; i < ELEMENTSOF(labels); i++) {
                Text label = labels[i].label;
                Text rest;
                uint32_t value = 0;

                if (line.data[0] != label.data[0] || line.size < label.size ||
                    memcmp(line.data, label.data, label.size) != 0)
                        continue;
                if (!r->pageset)
                        return 0;
                rest = (Text){ line.data + label.size, line.size - label.size };
                label.size--;
                if ((r->pageset->has & labels[i].bit) != 0)
                        parse_lines_issue(&r->lines, "duplicate key, the last one counts", label);
                r->pageset->has &= ~labels[i].bit;
                if (number_u32(&r->lines, rest, label, &value)) {
                        r->pageset->has |= labels[i].bit;
                        if ((labels[i].bit & (PAGESET_HIGH_MIN | PAGESET_HIGH_MAX)) != 0)
                                r->has_high_minmax = true;
                }
                /* 0 when malformed: an absent field shows no value of an earlier line. */
                memcpy((uint8_t *) r->pageset + labels[i].offset, &value, sizeof(value));
                return 0;
        }
        if (line.size > 10 && memcmp(line.data, "start_pfn:", 10) == 0) {
                Text rest = text_strip((Text){ line.data + 10, line.size - 10 });

                r->last->zone.start_pfn = parse_lines_number(&r->lines, rest, TEXT("start_pfn"));
        }
        return 0;
}

static void pages_line(Reader *r, Text line) {
        static const struct {
                const char *label;
                size_t offset;
        } labels[] = {
                { "boost", offsetof(Zone, boost) },     { "min", offsetof(Zone, min) },
                { "low", offsetof(Zone, low) },         { "high", offsetof(Zone, high) },
                { "promo", offsetof(Zone, promo) },     { "spanned", offsetof(Zone, spanned) },
                { "present", offsetof(Zone, present) }, { "managed", offsetof(Zone, managed) },
                { "cma", offsetof(Zone, cma) },
        };
        Zone *zone = &r->last->zone;
        Text label, number = TEXT_NULL;

        if (!text_next_field(&line, &label))
                return;
        for (size_t i = 0; i < ELEMENTSOF(labels); i++) {
                MaybeU64 *slot;

                if (!text_is(label, labels[i].label))
                        continue;
                slot = (MaybeU64 *) (void *) ((uint8_t *) zone + labels[i].offset);
                if (slot->known)
                        parse_lines_issue(&r->lines, "duplicate key, the last one counts", label);
                (void) text_next_field(&line, &number);
                *slot = parse_lines_number(&r->lines, number, label);
                return;
        }
}

static int zone_line(Reader *r, Text line) {
        switch (r->part) {
        case PART_NONE:
                return 0;
        case PART_HEAD:
        case PART_PAGES:
                if (text_starts(line, "pages free")) {
                        Text rest = text_strip((Text){ line.data + 10, line.size - 10 });

                        r->part = PART_PAGES;
                        r->last->zone.free = parse_lines_number(&r->lines, rest, TEXT("free"));
                        return 0;
                }
                if (text_starts(line, "pagesets")) {
                        r->part = PART_PAGESETS;
                        return 0;
                }
                if (r->part == PART_PAGES)
                        pages_line(r, line);
                return 0;
        case PART_PAGESETS:
                return pageset_line(r, line);
        }
        return 0;
}

static int zones_collect(Reader *r, ZoneInfo *ret) {
        Zone *zones = NULL;
        size_t n = 0;

        zone_close(r);
        if (r->n_zones > 0) {
                zones = ARENA_ARRAY(r->arena, Zone, r->n_zones);
                if (!zones)
                        return -ENOMEM;
        }
        for (const ZoneItem *i = r->first; i; i = i->next)
                zones[n++] = i->zone;
        *ret = (ZoneInfo){ .zones = zones, .n = n, .has_high_minmax = r->has_high_minmax };
        return 0;
}

int zoneinfo_parse(Arena *a, Text text, const char *path, ZoneInfo *ret, ParseLog *log) {
        Reader r = { .arena = a, .lines = parse_lines(text, path, log) };
        Text line;
        int e;

        while (parse_lines_next(&r.lines, &line)) {
                size_t blanks = 0;

                while (blanks < line.size &&
                       (line.data[blanks] == ' ' || line.data[blanks] == '\t'))
                        blanks++;
                if (blanks == line.size)
                        continue;
                line = (Text){ line.data + blanks, line.size - blanks };
                if (line.size >= 5 && memcmp(line.data, "Node ", 5) == 0)
                        e = zone_open(&r, line);
                else
                        e = zone_line(&r, line);
                if (e < 0)
                        return e;
        }
        parse_lines_found(&r.lines, r.n_zones > 0, text);
        return zones_collect(&r, ret);
}

const Zone *zoneinfo_find(const ZoneInfo *z, unsigned node, const char *name) {
        for (size_t i = 0; i < z->n; i++)
                if (z->zones[i].node == node && strcmp(z->zones[i].name, name) == 0)
                        return &z->zones[i];
        return NULL;
}

bool zone_is_populated(const Zone *zone) {
        return zone->present.known ? zone->present.value > 0 : zone->n_pagesets > 0;
}

const Pageset *zone_pageset(const Zone *zone, unsigned cpu) {
        if (cpu < zone->n_pagesets && zone->pagesets[cpu].cpu == cpu)
                return &zone->pagesets[cpu];
        for (size_t i = 0; i < zone->n_pagesets; i++)
                if (zone->pagesets[i].cpu == cpu)
                        return &zone->pagesets[i];
        return NULL;
}

MaybeU64 zone_parked(const Zone *zone) {
        MaybeU64 sum = UNKNOWN;

        for (size_t i = 0; i < zone->n_pagesets; i++)
                if ((zone->pagesets[i].has & PAGESET_COUNT) != 0)
                        sum = maybe_add(sum, KNOWN(zone->pagesets[i].count));
        return sum;
}
