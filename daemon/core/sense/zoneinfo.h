/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* proc/zoneinfo: watermarks of every zone and the per-CPU page lists (pcp), all layouts from
 * 4.18 to 7.3. Beware: the zone's own watermark is called "high" and the limit of a list
 * "high:". */
enum {
        PAGESET_COUNT = 1,
        PAGESET_HIGH = 2,
        PAGESET_BATCH = 4,
        PAGESET_HIGH_MIN = 8,
        PAGESET_HIGH_MAX = 16,
};

/* One CPU's list of one zone: 28 bytes, for 1,024 CPUs times 18 zones are 18,432 of them. */
typedef struct Pageset {
        uint32_t cpu;
        uint32_t count;    /* base pages parked now */
        uint32_t high;     /* base pages; 0 on a CPU that never used the zone (6.7 and later) */
        uint32_t batch;    /* base pages */
        uint32_t high_min; /* 6.13 and later */
        uint32_t high_max; /* 6.13 and later */
        uint32_t has;      /* PAGESET_* bits of the fields that the file gave */
} Pageset;

#define ZONE_NAME_MAX 16

typedef struct Zone {
        unsigned node;
        char name[ZONE_NAME_MAX]; /* "DMA", "DMA32", "Normal", "HighMem", "Movable", "Device" */
        MaybeU64 free, boost, min, low, high, promo, spanned, present, managed, cma; /* pages */
        MaybeU64 start_pfn;
        Pageset *pagesets; /* in the order of the file (ascending CPU); NULL: not populated */
        size_t n_pagesets;
        unsigned line; /* of its "Node N, zone NAME" */
} Zone;

typedef struct ZoneInfo {
        Zone *zones; /* in the order of the file: by node, then from DMA upwards */
        size_t n;
        bool has_high_minmax; /* any list shows high_min or high_max */
} ZoneInfo;

_must_check_ int zoneinfo_parse(Arena *a, Text text, const char *path, ZoneInfo *ret,
                                ParseLog *log);

/* Cuts "Node N, zone NAME" off the front of a line (also of buddyinfo). 0, or a named condition. */
enum {
        ZONE_HEADER_E_OTHER = 1, /* the line does not begin with "Node" */
        ZONE_HEADER_E_MALFORMED,
};
_must_check_ int zone_header_parse(Text *line, unsigned *ret_node,
                                   char ret_name[static ZONE_NAME_MAX]);

_pure_ const Zone *zoneinfo_find(const ZoneInfo *z, unsigned node, const char *name); /* NULL */
/* The kernel's populated_zone(): has pages present (where that is not known: has lists). */
_pure_ bool zone_is_populated(const Zone *zone);
/* The list of a CPU, or NULL. */
_pure_ const Pageset *zone_pageset(const Zone *zone, unsigned cpu);
/* Pages parked in all lists of the zone; unknown when the zone shows no count. */
_pure_ MaybeU64 zone_parked(const Zone *zone);
