/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/frame.h"

/* Guards while values are ours: checked on every frame. The strongest verdict leads (cut, abort, advise only, hold growth, slow
 * down), of equals the first of the policy; a cut ends an open trial as an abort does. What compares with
 * the windows of the present value (rise of pressure, compaction stalls, slab growth) needs a base, taken when
 * a trial or probation begins and updated over windows of the incumbent. */
typedef enum GuardVerdict {
        GUARD_ALLOW,
        GUARD_HOLD_GROWTH, /* nothing grows for pause_usec; what is held stays */
        GUARD_ABORT,       /* the open trial ends now, back to the incumbent; then as HOLD_GROWTH */
        GUARD_CUT, /* safety cut: H <- max(H default, H * max(1/2, 1 - (g - limit) / limit)) */
        GUARD_SLOW_DOWN,   /* own cost: periods times four */
        GUARD_ADVISE_ONLY, /* contained */
} GuardVerdict;

typedef struct GuardBase {
        bool known;
        MaybeU64 psi_some_ppm; /* mean of avg10 over the incumbent's windows */
        MaybeU64 compact_stall_per_s_milli;
        MaybeU64 fallback_ppm;
        MaybeU64 slab_unreclaimable_bytes; /* at the start of the trial */
} GuardBase;

/* Sums that make a base. */
typedef struct GuardBaseSums {
        uint64_t n_psi, psi_sum, usec, stalls, faults, fallbacks;
        MaybeU64 slab_start_bytes;
} GuardBaseSums;

void guard_base_add(GuardBaseSums *sums, const Frame *frame);
void guard_base_make(const GuardBaseSums *sums, GuardBase *ret);

typedef struct GuardFinding {
        GuardVerdict verdict;
        const PolicyGuard *guard; /* NULL: allowed */
        int64_t value, limit;
        const char *
                unit; /* of both: "ppm", "ns", "us", "bytes", "/s"; "": a count; NULL: they say nothing */
        usec_t pause_usec,
                block_usec; /* longest of all that fired; block: the arm on trial; 0: not */
        const char *what;   /* constant phrase: "direct reclaim", "free memory below the mark" */
} GuardFinding;

typedef struct GuardContext {
        const Policy *policy;
        const GuardBase *base; /* NULL or not known: comparisons with it are left out */
        bool in_trial;         /* a trial or probation of this policy is open */
        bool ours;             /* the values in force are written by us: parked_possible counts */
        uint64_t parked_possible_ppm; /* of the value in force */
        bool kernel_tunes;            /* the kernel tunes the lists now: parked_seen_auto */
        unsigned n_online;
        int64_t own_cpu_ppm; /* budget, of one CPU for every 64 CPUs */
} GuardContext;

void guard_check(const GuardContext *context, const Frame *frame, GuardFinding *ret);
/* The value after a safety cut: max(def, high * max(1/2, 1 - |g - limit| / limit)), in thousandths of the default:
 * multiple is high / default in thousandths. Never up: a multiple below 1000 stays. */
_const_ uint64_t guard_cut_multiple(uint64_t multiple_milli, int64_t value, int64_t limit);
