/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/signal/signal.h"
#include "machine/sample.h"
#include "session/sense-read.h"
#include "session/sense.h"

/* Inside sense.c and sense-look.c. */
#define SENSE_SLOW (SENSE_BIT(SENSE_ZONEINFO) | SENSE_BIT(SENSE_SLAB) | SENSE_BIT(SENSE_THP))

struct Sense {
        Machine *m;
        SenseConfig config;
        SenseExternal *externals; /* a copy */
        const MachineFacts *facts;

        Arena tick[2], slow[2];
        Snapshot snapshot[2], slow_snapshot[2];
        Snapshot guard[2]; /* the tick with what the slow look of the same tick saw */
        Snapshot last;     /* the newest of everything */
        unsigned at, slow_at;
        bool have_tick, have_before, have_slow;
        usec_t next_slow_usec;

        SignalSet gauges;
        Signal *reports;
        size_t n_reports;
        PcpModel pcp;
        PcpFiles pcp_files;
        MaybeU64 pcp_value;
        MaybeU64 zone_reclaim_mode;
        MaybeU64 failures; /* lines of failed allocations in the kernel log so far */
        size_t log_bytes;

        const Plan *plan;
        ReadPlan *reads;
        Reading *readings;
        KnobReading *knobs;
        bool *ours;
        Frame frame; /* the last one */
        bool wants_lock_stat;
        bool replan;
        ParseLog log;
};

/* A small file into the scratch arena: 0, a condition or -errno. */
_must_check_ int sense_read_small(Sense *s, const char *path, Text *ret);
/* The files of `s` that were read replace those of `last`. */
void sense_take_newest(Snapshot *last, const Snapshot *s);
/* The look at slow files. */
_must_check_ int sense_look(Sense *s, usec_t now, Frame *frame, MaybeU64 *ret_read_usec);
/* Signals that are states, of one snapshot, with the reports over them. */
_must_check_ int sense_gauges(Sense *s, Arena *arena, const Snapshot *now, SignalSet *ret);
/* The model of the page lists keeps the zoneinfo it was made from: made anew when that is another one. */
void sense_model(Sense *s);
/* Allocations that failed since the last tick, by the log of a machine that shows one as a file. */
_must_check_ int sense_log(Sense *s, Arena *arena, MaybeU64 *ret_growth);
