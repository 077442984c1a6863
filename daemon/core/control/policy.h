/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"
#include "core/signal/signal.h"

/* A policy binds signals with targets to a knob through a controller. It is data: files of libconfig
 * syntax become this struct (conf/policy-file.h), which both the adviser and the engine read. All
 * numbers are in the unit of their signal; shares are ppm. */
#define POLICY_TARGETS_MAX 8
#define POLICY_ARMS_MAX 8
#define POLICY_GUARDS_MAX 16

typedef enum PolicyController { CONTROLLER_LADDER, CONTROLLER_FIXED, CONTROLLER_ADVISE } PolicyController;

typedef struct PolicyTarget {
        char signal[64];
        int64_t hot, cool; /* hot >= cool; HOT at value >= hot, COOL at value < cool */
        unsigned windows_hot, windows_cool;
        unsigned line;
} PolicyTarget;

typedef struct PolicyGate {
        int64_t use_ppm;           /* zone-lock-use below this: idle (lock waits and estimates only) */
        int64_t kernel_cpu_ppm;    /* kernel CPU share below this: idle */
        int64_t saving_ppm;        /* expected saving below this share of CPUs: idle */
        int64_t saving_cpus_milli; /* ... or below this many thousandths of a CPU */
        usec_t smooth_usec;
} PolicyGate;

typedef enum PolicyGuardAction { GUARD_ACTION_DEFAULT, GUARD_ACTION_ABORT, GUARD_ACTION_CUT } PolicyGuardAction;

typedef struct PolicyGuard {
        char name[32];
        bool limit_known, some_known, full_known;
        int64_t limit;             /* unit of the guard (hold-length: ns; parked: ppm) */
        int64_t some_ppm, full_ppm; /* psi-memory */
        PolicyGuardAction action;
        Evidence evidence;         /* lowest grade it acts on */
        unsigned line;
} PolicyGuard;

typedef struct PolicyArm {
        char text[24];     /* as written: "2", "kernel", "cap", "defer" */
        int64_t multiple_milli; /* of the kernel's default, thousandths; 0 for words */
} PolicyArm;

typedef struct Policy {
        char name[64];
        char about[256];
        char file[256];            /* where it was read from */
        bool apply;                /* mode = "apply" (and not overruled by the configuration) */
        bool note;                 /* a note policy: no knob */
        char knob[48];
        char scope[SCOPE_MAX];     /* pattern: "system", "cache:*", "cache:kmalloc-*", "node:*" */
        Evidence evidence;
        PolicyGate gate;
        PolicyTarget target[POLICY_TARGETS_MAX];
        unsigned n_targets;
        PolicyTarget fallback[POLICY_TARGETS_MAX];
        unsigned n_fallback;
        char cost[64];
        int64_t least_gain_ppm, most_loss_ppm;
        char must_not_rise[POLICY_TARGETS_MAX][64];
        unsigned n_must_not_rise;
        PolicyController controller;
        PolicyArm arm[POLICY_ARMS_MAX];
        unsigned n_arms;
        int64_t parked_seen_ppm, parked_seen_auto_ppm, parked_possible_ppm;
        int64_t memory_ppm;        /* bounds.memory: worst case of a slab knob, share of RAM */
        PolicyGuard guard[POLICY_GUARDS_MAX];
        unsigned n_guards;
        unsigned quads[3];
        usec_t window_usec, settle_usec, write_gap_usec; /* USEC_UNKNOWN: the knob's own */
        usec_t probation_usec, cooldown_usec, revalidate_usec;
        bool claim, isolated;
        /* note policies */
        char kernel[64];           /* "6.7..6.11.6": inclusive range of releases */
        unsigned cpus_at_least;    /* 0: any */
        char text[1024];
        char reference[256];       /* optional: where the fact is published */
} Policy;

/* The policy with every default, nothing named. */
void policy_init(Policy *p);
/* What a guard by bare name limits. */
_pure_ const PolicyGuard *policy_guard_find(const Policy *p, const char *name);
