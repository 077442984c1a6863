/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"
#include "core/sense/zoneinfo.h"

/* proc/buddyinfo: free blocks of 2^n pages in each zone. x86-64 has orders 0 to 10; other
 * configurations go to 15. */
#define BUDDY_ORDERS_MAX 16u

typedef struct BuddyZone {
        unsigned node;
        char name[ZONE_NAME_MAX];
        MaybeU64 blocks[BUDDY_ORDERS_MAX]; /* free blocks of 2^i pages */
        unsigned n_orders; /* columns in the line (those beyond the maximum excluded) */
        unsigned line;
} BuddyZone;

typedef struct BuddyInfo {
        BuddyZone *zones;
        size_t n;
} BuddyInfo;

_must_check_ int buddyinfo_parse(Arena *a, Text text, const char *path, BuddyInfo *ret,
                                 ParseLog *log);
_pure_ const BuddyZone *buddyinfo_find(const BuddyInfo *b, unsigned node, const char *name);
/* Free pages in blocks of at least this order; unknown if any column from there on is. */
_pure_ MaybeU64 buddy_zone_free_pages(const BuddyZone *z, unsigned order);
