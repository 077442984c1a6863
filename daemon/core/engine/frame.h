/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/plan.h"

/* One tick as the engine sees it: readings of the signals that the plan watches, values of the knobs
 * that it may write, and the numbers that guards compare. Time is in the frame; the engine has no
 * clock. Absent is not zero: a reading without a denominator says nothing.
 *
 * A reading is growth since the previous frame, as a numerator and a denominator, so that a window of
 * many frames has the exact ratio of its sums:
 *
 *   value = num * watch.scale / den     in the unit of the signal
 *
 *   alloc-rate                 num pages               den us passed               scale 10^6
 *   kernel-cpu                 num kernel ticks        den all ticks               scale 10^6
 *   kernel-cpu-per-kpage       num ns of kernel CPU    den pages                   scale 10^3
 *   zone-lock-wait (list, lru) num ns waited           den ns of CPU (dt * CPUs)   scale 10^6
 *   ...-wait-per-kpage         num ns waited           den pages                   scale 10^3
 *   zone-lock-holds            num acquisitions        den pages                   scale 10^3
 *   compact-stall, allocstall  num events              den us passed               scale 10^6
 *   psi-memory-some, -full     num us stalled          den us passed               scale 10^6
 *   thp-fault-rate             num faults              den us passed               scale 10^6
 *   zone-lock-use              num ns held at most     den ns passed               scale 10^6
 *   cpu-steal, ...-share, thp-fault-fallback: num part, den whole                  scale 10^6
 *   gauges, events, external   num value               den 1                       scale 1 */
typedef struct Reading {
        uint64_t num, den;
        Evidence evidence; /* EVIDENCE_NONE: not known in this frame */
} Reading;

/* The value of one knob of the plan now. */
typedef struct KnobReading {
        bool known; /* read in this tick */
        bool gone;  /* the file is no longer there (a cache went away) */
        int64_t value;
} KnobReading;

/* What guards compare. Shares are ppm, counts are growth since the previous frame. */
typedef struct GuardFrame {
        MaybeU64
                free_level_ppm; /* least of the zones that count: way from the low (0) to the high watermark
                                    (1000000); above is more */
        MaybeU64 parked_ppm; /* most of a zone that lies in per-CPU lists */
        MaybeU64
                parked_short_ppm; /* the same among zones with free memory under twice the high watermark;
                                      0: none is short */
        MaybeU64 allocstall; /* entries into direct reclaim */
        MaybeU64
                reclaimed; /* pages that kswapd or direct reclaim scanned: lists are cut to 4 batches
                                      meanwhile (kernel-owned), no trial of list sizes can tell anything */
        MaybeU64 psi_some_ppm, psi_full_ppm; /* avg10 */
        MaybeU64 slab_unreclaimable_bytes, memory_bytes;
        MaybeU64 compact_stall, compact_fail, compact_success;
        MaybeU64 thp_fault, thp_fallback;
        MaybeU64 failures; /* allocation failures in the kernel log */
        MaybeU64 steal_ppm;
        MaybeU64 hold_nsec; /* longest hold of zone->lock, estimated */
        Evidence hold_evidence;
        MaybeU64 own_cpu_ppm;    /* of one CPU */
        MaybeU64 slow_read_usec; /* longest read of a slow file in this tick */
        MaybeU64 zone_reclaim_mode;
        bool contained; /* container, read-only /proc/sys: advise only */
} GuardFrame;

typedef struct Frame {
        usec_t at_usec;
        usec_t interval_usec; /* since the previous frame; 0: the first */
        bool gap;             /* ticks were lost (suspend, overload): no window may span this */
        bool hotplug; /* CPUs or memory came or went, or a THP mode changed, since the last frame */
        bool trials_open; /* the configuration lets trials begin now (hours, share of a fleet) */
        unsigned n_online;
        const Reading *reading;  /* one for each plan->watches */
        const KnobReading *knob; /* one for each plan->knobs */
        GuardFrame guard;
} Frame;

/* Value of a reading in thousandths of its unit, rounded down, saturating. False: not known. */
_must_check_ bool reading_milli(const Reading *r, uint64_t scale, int64_t *ret_milli);
