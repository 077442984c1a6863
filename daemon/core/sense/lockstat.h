/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* proc/lock_stat, version 0.3 and 0.4 (CONFIG_LOCK_STAT; no stock kernel has it). Times are printed
 * in microseconds with two decimals; kept in nanoseconds. */
#define LOCK_NAME_MAX 64

typedef struct LockClass {
        char name[LOCK_NAME_MAX]; /* without -W and -R */
        char mode; /* 'W', 'R', or 0: the class was never taken for reading (or writing) */
        MaybeU64 contention_bounces, contentions;
        MaybeU64 wait_min_nsec, wait_max_nsec, wait_total_nsec;
        MaybeU64 acquisition_bounces, acquisitions;
        MaybeU64 hold_min_nsec, hold_max_nsec, hold_total_nsec;
        unsigned line;
} LockClass;

typedef enum LockFamily {
        LOCK_ZONE, /* zone->lock */
        LOCK_LIST, /* list_lock of SLUB's kmem_cache_node */
        LOCK_LRU,  /* lru_lock of a node (5.10) or of an lruvec */
        LOCK_BARN, /* lock of SLUB's node_barn (6.18 and later) */
        LOCK_OTHER,
        _LOCK_FAMILY_MAX,
} LockFamily;

/* Sum over the classes of a family; saturating. Unknown only if no class of it is known. */
typedef struct LockTotal {
        unsigned n_classes;
        MaybeU64 contentions, wait_total_nsec, acquisitions, hold_total_nsec;
} LockTotal;

typedef struct LockStat {
        bool collecting; /* false: lock debugging is disabled, says the file; numbers stand still */
        LockClass *classes;
        size_t n;
        LockTotal total[_LOCK_FAMILY_MAX];
} LockStat;

_must_check_ int lockstat_parse(Arena *a, Text text, const char *path, LockStat *ret,
                                ParseLog *log);
/* "&zone->lock", "&(&zone->lock)->rlock", "&zone->lock#2/1" -> LOCK_ZONE ... */
_pure_ LockFamily lockstat_family(Text name);
_const_ const char *lock_family_to_string(LockFamily f);
