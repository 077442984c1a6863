/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"
#include "machine/sim/plant.h"

/* The simulated machine: a Machine whose files are texts made from a model in virtual time, and whose knobs take, round and refuse
 * writes as the kernel generation does. machine_advance() moves the time; machine_read() gives the text of that moment.
 * Files: proc/{vmstat,zoneinfo,buddyinfo,meminfo,stat,uptime,version,cmdline,lock_stat,pressure/memory,slabinfo},
 * proc/sys/vm/..., proc/sys/kernel/osrelease, sys/kernel/slab/..., sys/kernel/mm/transparent_hugepage/..., sys/devices/system/...,
 * and what a script says (an application's number, kmsg, signals.json with the waits of single caches). */
typedef enum SimNoise {
        SIM_NOISE_NONE,
        SIM_NOISE_CALM,
        SIM_NOISE_NORMAL,
        SIM_NOISE_DRIFTING,
        SIM_NOISE_ROUGH,
        SIM_NOISE_WILD,
        _SIM_NOISE_MAX
} SimNoise;

/* Noise of the kernel's CPU time and of the load, of a 10 s window: sigma (ln), autocorrelation rho of the part that changes from window
 * to window, walk per window, and the share of windows in which the load jumps, with the size of a jump. The classes are those
 * on which the trials were designed (see the table in sim-noise.c). */
typedef struct SimNoiseSpec {
        const char *name;
        double sigma, rho, walk, jump_share, jump_size;
} SimNoiseSpec;

const SimNoiseSpec *sim_noise_spec(SimNoise n);
_must_check_ bool sim_noise_from_string(const char *name, SimNoise *ret);

/* A stream of factors (around 1) with that noise, for ticks of any length. */
typedef struct SimNoiseState {
        SimNoise noise;
        double ar, walk, jump; /* ln */
        double dt, keep,
                spread; /* of the last length of a tick: part of `ar` that stays, sigma of a tick (ln) */
        double rate; /* 1/s: the part that changes forgets itself */
        uint64_t random[2];
} SimNoiseState;

void sim_noise_init(SimNoiseState *s, SimNoise noise, uint64_t seed, uint64_t stream);
/* Factor for the next tick of dt seconds: its mean over a 10 s window has the sigma of the class. */
double sim_noise_next(SimNoiseState *s, double dt);

typedef enum SimEventKind {
        SIM_EVENT_PHASE,       /* the workload changes to number `index` */
        SIM_EVENT_CPU_OFFLINE, /* CPU `index` */
        SIM_EVENT_CPU_ONLINE,
        SIM_EVENT_WRITE, /* somebody else writes `text` to `path` */
        SIM_EVENT_READ_FAULT, /* reads of `path` fail with `index` (errno), for `for_usec`; 0: for ever */
        SIM_EVENT_WRITE_FAULT,   /* writes of `path` fail with `index` */
        SIM_EVENT_VANISH,        /* `path` is gone (a cache), for for_usec */
        SIM_EVENT_COUNTER_RESET, /* vmstat counters start anew */
        SIM_EVENT_KMSG,          /* `text` is added to the kernel log */
        SIM_EVENT_EXTERNAL, /* file `path` follows expression: text "cost" (ns of kernel CPU per 1,000 pages), "throughput", or a number */
        SIM_EVENT_SKIP,     /* time jumps by for_usec (suspend) */
        _SIM_EVENT_MAX,
} SimEventKind;

typedef struct SimEvent {
        usec_t at_usec, for_usec;
        SimEventKind kind;
        unsigned index;
        char path[176];
        char text[200];
} SimEvent;

#define SIM_PHASES_MAX 16
#define SIM_EVENTS_MAX 128

typedef struct SimSpec {
        PlantMachine machine;
        PlantWorkload phase[SIM_PHASES_MAX];
        unsigned n_phases;              /* phase 0 runs at the start */
        SimEvent event[SIM_EVENTS_MAX]; /* in order of time */
        unsigned n_events;
        SimNoise noise;
        bool events_plant; /* rates from plant_events() (cached for each setting), else plant_analytic() */
        uint64_t seed;
        /* values at start that differ from the kernel's default: an admin's, or a harmful setting */
        struct {
                char path[176];
                char text[64];
        } initial[32];
        unsigned n_initial;
} SimSpec;

/* 0 or -ENOMEM, or -EINVAL (an initial value or event that this kernel refuses: said in ret_why). spec must outlive it. */
_must_check_ int sim_machine_new(const SimSpec *spec, Machine **ret_machine, char *ret_why,
                                 size_t why_size);

/* What the tests and `simulate` know and no kernel tells: noise-free truth. */
typedef struct SimTruth {
        PlantRates rates;             /* of the settings and workload in force */
        double cost_ns;               /* kernel CPU per 1,000 pages without noise */
        double parked_max_ppm;        /* largest share of a zone parked so far */
        uint64_t foreign_overwritten; /* writes by us over a value that somebody else had written */
        uint64_t n_writes;            /* machine_write() calls that took effect */
        unsigned phase;
} SimTruth;

void sim_truth(const Machine *m, SimTruth *ret);
/* Noise-free rates of phase i with other values: paths and texts as they would be written; "" leaves. For sweeps. 0, or a positive number: this
 * kernel refuses value i - 1. */
_must_check_ int sim_what_if(const Machine *m, unsigned phase, const char *const *paths,
                             const char *const *texts, size_t n, PlantRates *ret);
/* Same truth for the start state (before any of our writes): initial values in force. */
