/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/engine.h"
#include "machine/machine.h"

/* From files to frames: reads what is due, keeps the previous counters, and fills the readings that a plan watches. Memory is its own and
 * of fixed size after the start: ticks allocate nothing but arena space that is reset. */
typedef struct Sense Sense;

typedef struct SenseExternal {
        char name[48];
        char path[256]; /* absolute, below the root of the machine */
        usec_t max_age_usec;
        Evidence evidence;
        bool higher_is_better;
} SenseExternal;

typedef struct SenseConfig {
        const SenseExternal *externals;
        size_t n_externals;
        usec_t slow_usec; /* zoneinfo, slab, THP and knob files that are not ours: at most this often (60 s) */
} SenseConfig;

_must_check_ int sense_new(Machine *m, const SenseConfig *config, const MachineFacts *facts,
                           Sense **ret);
Sense *sense_free(Sense *s);
/* The plan whose watches and knobs the frames follow. */
_must_check_ int sense_plan(Sense *s, const Plan *plan);
/* A knob of the plan that has our value: read in every tick. */
void sense_own(Sense *s, size_t knob, bool ours);
#define SENSE_LOOK (1u << 31) /* with the slow files, due or not */
/* One tick: reads the cheap files, those of `files` (bits 1 << SENSE_x), and what is due. The frame lives until the next call. 0 or -errno. */
_must_check_ int sense_tick(Sense *s, unsigned files, Frame *ret_frame);
/* The last tick once more, as the plan that was made of it sees it. There was a tick, and there is a plan. */
_must_check_ int sense_again(Sense *s, Frame *ret_frame);
/* A CPU or node came or went, caches appeared: a new plan is due (after it settled). */
_pure_ bool sense_replan_due(const Sense *s);
const Snapshot *sense_last(const Sense *s); /* zoneinfo and slab of the last time they were read */
/* The ticks that rates are made of: the one before the last one, and the last with everything known. NULL: there is none. */
const Snapshot *sense_before(const Sense *s);
/* Rows of signals.json and numbers of applications, as of the last time they were read: they stand in for what nothing measures here. */
const Signal *sense_reports(const Sense *s, size_t *ret_n);
