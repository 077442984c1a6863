/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* proc/slabinfo, version 2.1. What it calls active counts objects in CPU slabs and sheaves: caching
 * looks like use. */
typedef struct SlabInfoRow {
        const char *name;
        MaybeU64 active_objects;
        MaybeU64 objects;
        MaybeU64 object_bytes; /* the slab_size of sysfs: with metadata and padding */
        MaybeU64 objs_per_slab;
        MaybeU64 pages_per_slab;
        MaybeU64 active_slabs; /* equals slabs with SLUB */
        MaybeU64 slabs;
        unsigned line;
} SlabInfoRow;

typedef struct SlabInfo {
        SlabInfoRow *rows; /* in the order of the file */
        size_t n;
} SlabInfo;

_must_check_ int slabinfo_parse(Arena *a, Text text, const char *path, SlabInfo *ret,
                                ParseLog *log);
_pure_ const SlabInfoRow *slabinfo_find(const SlabInfo *s,
                                        const char *name); /* the first, or NULL */
/* Pages in use by all caches whose row is complete; unknown if there is none. */
_pure_ MaybeU64 slabinfo_pages(const SlabInfo *s);
