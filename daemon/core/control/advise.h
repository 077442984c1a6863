/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/pcp.h"
#include "core/act/slub.h"
#include "core/report.h"

/* The adviser: policies against signals and knobs, before any trial. It proposes; it never writes.
 * Numbers that decide (targets, limits, bounds) come from the policies; the rules here know what a
 * knob can do on which kernel. */
typedef struct AdviseInput {
        const MachineFacts *facts;
        const Snapshot *last; /* newest snapshot */
        const SignalSet *signals;
        const KnobSet *knobs;
        const PcpModel *pcp;
        const SlubModel *slub;
        const Kmsg *kmsg; /* NULL: no log */
        const Policy *policies;
        size_t n_policies;
        WindowKind kind;
        usec_t window_usec;
        const char *const *deny_knobs; /* globs */
        size_t n_deny_knobs;
        const char *const *deny_caches;
        size_t n_deny_caches;
} AdviseInput;

/* Fills ret with recommendations (strongest verdict first, then by id) and notes (one for every policy that
 * recommends nothing, and what else is worth knowing). 0, or -ENOMEM when the arena is full. */
_must_check_ int advise(Arena *arena, const AdviseInput *input, Advice *ret);
