/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/control/policy.h"

/* What the arms of a policy are on this machine: values, what they cost, and where to begin. The adviser names the
 * first of them, the engine tries them. */

/* The policy names the arm; it has a multiple. */
_pure_ bool arm_named(const Policy *policy, const char *word);
_pure_ bool arm_has_multiple(const Policy *policy);

/* --- per-CPU page lists --- */

/* Whether a fraction may be tried: within the parked bound, no zone that serves allocations starved. why: what is wrong. */
_must_check_ bool arm_pcp_fits(const PcpModel *m, const SignalSet *signals,
                               int64_t parked_possible_ppm, uint64_t fraction, char *ret_why,
                               size_t size);
/* The fraction whose lists have four batches of the largest zone. */
_pure_ MaybeU64 arm_pcp_cap(const PcpModel *m);
/* The longest list that any zone would allow, or unknown. */
_pure_ MaybeU64 arm_pcp_longest(const PcpModel *m, uint64_t fraction);
/* The multiple of the default (thousandths) that the published sweeps put first, 0: none. local_cpus: of the busiest
 * node. */
_pure_ int64_t arm_pcp_feed_forward(const Topology *topology, unsigned local_cpus);

/* --- slab caches --- */

/* Worst case of a value in bytes, or unknown. */
_pure_ MaybeU64 arm_slab_worst(const SlubModel *slub, const MachineFacts *facts,
                               const KnobSpec *spec, const SlabCache *cache, uint64_t value);
/* The largest value that we would write and the kernel would take. */
_pure_ uint64_t arm_slab_ceiling(const SlubModel *slub, const KnobSpec *spec);
/* A multiple of the default that changes something. */
_pure_ uint64_t arm_slab_value(const SlubModel *slub, const KnobSpec *spec, const SlabCache *cache,
                               uint64_t def, int64_t multiple_milli);
/* The multiple that the published figures put first; 0: none. */
_pure_ int64_t arm_slab_feed_forward(const KnobSpec *spec, unsigned n_online);

/* --- words --- */

/* Whether the word may replace the present one: it takes stalls away, and never widens the use of huge pages. */
_pure_ bool arm_word_fits(const KnobSet *knobs, const Knob *knob, const char *word);
