/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/frame.h"
#include "core/sense/snapshot.h"
#include "core/signal/signal.h"

/* Inside sense.c: one reading of two snapshots. Pure. */
typedef enum ReadSource {
        READ_NONE,
        READ_ALLOC_RATE,
        READ_EVENTS,     /* growth of a vmstat key a second */
        READ_ALLOCSTALL, /* growth of their sum a second */
        READ_SHARE,      /* growth of a vmstat key in that of it and another */
        READ_STEAL,
        READ_KERNEL_CPU,
        READ_KERNEL_CPU_PER_KPAGE,
        READ_ZONE_USE,
        READ_PSI_SOME,
        READ_PSI_FULL,
        READ_LOCK_WAIT,
        READ_LOCK_WAIT_PER_KPAGE,
        READ_LOCK_HOLDS,
        READ_MEMINFO,
        READ_MEMINFO_SHARE,
        READ_GAUGE,    /* of the signals computed last: zone lists, slabs */
        READ_EXTERNAL, /* a number that an application writes */
} ReadSource;

/* How a watch is read: found once for each plan. */
typedef struct ReadPlan {
        ReadSource source;
        unsigned key, other; /* VmKey, MemKey or LockFamily; other: the rest of a share */
        bool one_zone;       /* alloc-rate, zone-lock-use: of one class of zones only */
        bool is_system;
} ReadPlan;

typedef struct ReadInput {
        const Snapshot *before, *now; /* before NULL: no growth */
        uint64_t clk_tck;             /* 0: unknown */
        unsigned n_online;            /* 0: unknown */
        const SignalSet *gauges;      /* signals as of the last look at slow files; NULL: none */
        bool gauges_fresh;            /* that look was in this tick */
} ReadInput;

void read_plan(const Watch *watch, ReadPlan *ret);
_pure_ bool read_plan_wants_lock_stat(const ReadPlan *p);
void read_watch(const ReadInput *in, const Watch *watch, const ReadPlan *p, Reading *ret);
