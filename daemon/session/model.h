/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"
#include "machine/machine.h"

/* What is made of the snapshots of a window: models of the page lists and slabs, signals, knobs. The adviser and
 * the session build it alike. */
typedef struct ModelInput {
        Machine *machine;
        const MachineFacts *facts;
        const Snapshot *const *snapshots; /* in order of time */
        size_t n_snapshots;
        WindowKind kind;
        const Kmsg *kmsg; /* NULL: there is no log */
        const Signal *reports;
        size_t n_reports;
        const char *alignment; /* what a probe found; NULL: none ran */
        ParseLog *log;
} ModelInput;

typedef struct Model {
        KnobFile *files;
        size_t n_files;
        AdminSetting *settings;
        size_t n_settings;
        PcpModel pcp;
        SlubModel slub;
        SignalSet signals;
        KnobSet knobs;
} Model;

/* 0 or -ENOMEM. */
_must_check_ int model_build(Arena *arena, const ModelInput *input, Model *ret);
