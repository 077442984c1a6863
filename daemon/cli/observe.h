/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/conf.h"
#include "core/act/pcp.h"
#include "core/act/slub.h"
#include "core/sense/kmsg.h"
#include "machine/machine.h"
#include "machine/sample.h"

/* One look at a machine, for every verb: facts, the snapshots of a window, and the signals and knobs
 * made of them. Memory belongs to the arena of the observation. */
typedef struct ObserveOptions {
        const char *root; /* "/" is the live machine */
        usec_t duration_usec; /* of the window on the live machine; 0: one snapshot, averages since boot */
        usec_t interval_usec; /* between snapshots of the live machine */
        void (*progress)(void *userdata, usec_t passed_usec, usec_t whole_usec); /* NULL: none */
        void *userdata;
        const ConfExternal *externals; /* numbers of applications: signals external:NAME */
        size_t n_externals;
} ObserveOptions;

typedef struct Observation {
        Machine *machine;
        Arena arena;
        MachineFacts facts;
        const Snapshot **snapshots; /* of the window, in order of time */
        size_t n_snapshots;
        WindowKind kind;
        usec_t window_usec;
        KnobFile *files;
        size_t n_files;
        AdminSetting *settings;
        size_t n_settings;
        Kmsg kmsg;
        bool have_kmsg;
        PcpModel pcp;
        SlubModel slub;
        SignalSet signals;
        KnobSet knobs;
        const char *alignment; /* "always", "multiple", "never", "unknown" */
        ParseLog log;
        unsigned n_boots_cut;      /* snapshots left out because the machine booted in between */
        unsigned n_left_out;       /* snapshots in the middle for which there was no room */
        bool cpus_changed;         /* CPUs came or went within the window */
        bool zones_changed;        /* zones of memory did */
        bool clocks_disagree;      /* the times of the snapshots and proc/uptime */
        usec_t uptime_window_usec; /* what proc/uptime says, if they do */
} Observation;

/* 0; MACHINE_E_ABSENT or MACHINE_E_DENIED: the directory is no machine; -errno. The observation must
 * be given to observation_done() in every case. */
_must_check_ int observe(const ObserveOptions *options, Observation *ret);
void observation_done(Observation *o);

static inline const Snapshot *observation_last(const Observation *o) {
        return o->n_snapshots > 0 ? o->snapshots[o->n_snapshots - 1] : NULL;
}
