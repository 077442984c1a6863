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

typedef enum PolicyController {
        CONTROLLER_LADDER,
        CONTROLLER_FIXED,
        CONTROLLER_ADVISE
} PolicyController;

typedef struct PolicyTarget {
        char signal[64];
        int64_t hot, cool; /* hot >= cool; HOT at value >= hot, COOL at value < cool */
        unsigned windows_hot, windows_cool;
        unsigned line;
} PolicyTarget;

typedef struct PolicyGate {
        int64_t use_ppm;        /* zone-lock-use below this: idle (lock waits and estimates only) */
        int64_t kernel_cpu_ppm; /* kernel CPU share below this: idle */
        int64_t saving_ppm;     /* expected saving below this share of CPUs: idle */
        int64_t saving_cpus_milli; /* ... or below this many thousandths of a CPU */
        usec_t smooth_usec;
} PolicyGate;

typedef enum PolicyGuardAction {
        GUARD_ACTION_DEFAULT,
        GUARD_ACTION_ABORT,
        GUARD_ACTION_CUT
} PolicyGuardAction;

/* One guard with its numbers. A guard by bare name has the defaults of policy_guard_specs(). */
typedef struct PolicyGuard {
        char name[32];
        bool limit_known, some_known, full_known;
        int64_t limit;              /* unit of the guard: see policy_guard_keys() */
        int64_t some_ppm, full_ppm; /* psi-memory: avg10 */
        int64_t rise_ppm; /* psi-memory: rise of some over the windows of the present value */
        int64_t level_ppm; /* free: way from the low (0) to the high watermark (1000000) below which it fires */
        int64_t share_ppm; /* slab-unreclaimable: growth as a share of RAM; the larger of it and limit counts */
        int64_t times_milli; /* fragmentation: compaction stalls against those of the present value, thousandths */
        int64_t fail_ppm;     /* fragmentation: compact_fail / compact_stall */
        int64_t fallback_ppm; /* fragmentation: rise of the share of huge page faults that fell back */
        int64_t steal_ppm;    /* contained: CPU time stolen from this guest */
        usec_t read_usec;     /* own-cost: one read of slabinfo */
        usec_t pause_usec;    /* no growth for this long after it fired */
        usec_t block_usec;    /* the arm on trial is blocked for this long */
        PolicyGuardAction action;
        Evidence evidence; /* lowest grade it acts on */
        unsigned line;
} PolicyGuard;

/* A guard there is, and what its bare name means. */
typedef struct PolicyGuardSpec {
        const char *name;
        bool by_default;          /* in the list of a policy that names no guards */
        PolicyGuardAction action; /* DEFAULT: neither abort nor cut; help says what */
        const char *help;
} PolicyGuardSpec;

/* A number of a guard. */
typedef struct PolicyGuardKey {
        const char *guard, *key;
        const char *unit; /* "us": a time, written "10min" */
        bool set;         /* has a default */
        int64_t def, floor, ceiling;
        const char *help;
} PolicyGuardKey;

typedef struct PolicyArm {
        char text[24];          /* as written: "2", "kernel", "cap", "defer" */
        int64_t multiple_milli; /* of the kernel's default, thousandths; 0 for words */
} PolicyArm;

typedef struct Policy {
        char name[64];
        char about[256];
        char file[256]; /* where it was read from */
        bool apply;     /* mode = "apply" (and not overruled by the configuration) */
        bool note;      /* a note policy: no knob */
        char knob[48];
        char scope[SCOPE_MAX]; /* pattern: "system", "cache:*", "cache:kmalloc-*", "node:*" */
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
        int64_t memory_ppm; /* bounds.memory: worst case of a slab knob, share of RAM */
        PolicyGuard guard[POLICY_GUARDS_MAX];
        unsigned n_guards;
        unsigned quads[3];
        usec_t window_usec, settle_usec, write_gap_usec; /* USEC_UNKNOWN: the knob's own */
        usec_t probation_usec, cooldown_usec, revalidate_usec;
        bool claim, isolated;
        /* note policies */
        char kernel
                [64]; /* "6.7..6.11.6": releases, see kernel-range.h; "": any. Also of knob policies: elsewhere silent */
        unsigned cpus_at_least; /* 0: any */
        bool not_ours;          /* verdict = "not-ours": a real problem, but no allocator setting */
        char text[1024]; /* of knob policies: said beside a recommendation, what else would help */
        char reference[256]; /* optional: where the fact is published */
} Policy;

/* The policy with every default, nothing named. */
void policy_init(Policy *p);
/* The guard of that name in the policy, or NULL. */
_pure_ const PolicyGuard *policy_guard_find(const Policy *p, const char *name);

const PolicyGuardSpec *policy_guard_specs(size_t *ret_n);
_pure_ const PolicyGuardSpec *policy_guard_spec_find(const char *name);
const PolicyGuardKey *policy_guard_keys(size_t *ret_n);
_pure_ const PolicyGuardKey *policy_guard_key_find(const char *guard, const char *key);
/* What the bare name means. False: no such guard. */
_must_check_ bool policy_guard_init(PolicyGuard *g, const char *name);
void policy_guard_set(PolicyGuard *g, const PolicyGuardKey *key, int64_t value);
/* False: the number is not set. */
_must_check_ bool policy_guard_get(const PolicyGuard *g, const PolicyGuardKey *key,
                                   int64_t *ret_value);

_const_ const char *policy_controller_to_string(PolicyController c);
_const_ const char *policy_guard_action_to_string(PolicyGuardAction a);
