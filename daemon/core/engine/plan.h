/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/pcp.h"
#include "core/act/slub.h"
#include "core/control/policy.h"

/* What the engine works with on one machine: which signals to watch, which knobs may be written, and
 * which arms each policy may try on them. It is made from policies, knobs and kernel models
 * (plan_build()) at start and again after hot-plug or a reload; tests and the Monte Carlo program
 * write plans by hand. The engine itself knows nothing of fractions, objects or words: an arm is a value to
 * be written and a level.
 *
 * Values are int64: of integer files the number, of word files the index into spec->words. */
#define PLAN_LEVELS_MAX (POLICY_ARMS_MAX + 1) /* the default and the arms of the policy */
#define PLAN_GROUP_MAX 3                      /* caches that one trial changes together */
#define PLAN_NONE SIZE_MAX

/* A signal to be read in every tick. The frame has one reading for each, in this order. */
typedef struct Watch {
        char name[64];
        Scope scope;
        uint64_t scale;        /* see frame.h */
        bool gauge;            /* num is a value, den 1 */
        bool higher_is_better; /* of externals: better = "higher"; costs are negated by the trial */
        const SignalSpec *spec;
} Watch;

typedef struct PlanKnob {
        const KnobSpec *spec;
        char name[48];
        Scope scope;
        char path[176]; /* relative to the root of the machine */
        KnobState state;
        KnobOwner owner;
        bool value_known, def_known;
        int64_t value, def; /* at the time of the plan */
        size_t wait_watch; /* of caches: index of the watch with its list-lock-wait, or PLAN_NONE */
} PlanKnob;

/* One arm of one knob. Level 0 is the kernel's default; levels follow the policy's arms, ascending
 * multiples 1, 2, ...; of words, in the order of the policy; "cap" and "kernel" have levels of their own
 * kind and are never part of the ladder upwards. */
typedef enum ArmKind { ARM_DEFAULT, ARM_STEP, ARM_CAP, ARM_KERNEL } ArmKind;

typedef struct PlanArm {
        ArmKind kind;
        unsigned level;
        int64_t value;
        char text[24];                /* as the policy names it: "2", "defer", "cap"; "default" */
        bool fits;                    /* within bounds, legal, and different from the arm below */
        uint64_t memory_bytes;        /* worst case at this arm; UINT64_MAX: not known */
        uint64_t parked_possible_ppm; /* of per-CPU lists; 0 else */
        char why[120];                /* why it does not fit */
} PlanArm;

/* Policies may share a knob (pcp-contention and pcp-memory): their controllers then have the same knob index. A cache
 * that two policies of one knob name belongs to the first of them.
 *
 * A policy at work: its knobs (one of system scope, or caches in order of their directory) and the arms of
 * each: arms[k * n_levels + l] for knob first_knob + k. arms[...][0] is the default. */
typedef struct PlanController {
        const Policy *policy;
        bool may_try; /* mode apply, knob settable (or kernel-owned and the arm gives it back), owner fine or claimed */
        char why[160];                                   /* why not: then it only advises */
        usec_t window_usec, settle_usec, write_gap_usec; /* the policy's, else the knob's */
        size_t target[POLICY_TARGETS_MAX],
                fallback[POLICY_TARGETS_MAX]; /* watches; PLAN_NONE: unknown here */
        size_t must_not_rise[POLICY_TARGETS_MAX];
        size_t cost, use, kernel_cpu, alloc_rate; /* watches; PLAN_NONE */
        size_t lead_wait; /* watch of the lock wait (ppm of CPU time) that the gate's saving is computed from; PLAN_NONE */
        size_t next_wait; /* watch of the wait at the lock behind (lru for zone); PLAN_NONE */
        size_t first_knob, n_knobs;
        const PlanArm *arms;
        const int *
                present_level; /* for each knob: the highest level that is not above the value at the time of the plan; -1: the
                                     value is below the default (or neither default nor arm, of words) */
        unsigned n_levels;     /* arms of a knob, the default included */
        unsigned feed_forward; /* level to try first; 0: none, the ladder starts at l + 1 */
        unsigned
                expected_share_ppm; /* e_k: share of the wait that this knob removed in published tables */
        bool cap_known;             /* an arm "cap" for safety cuts */
        PlanArm cap;                /* of the first knob */
        bool coupled_pcp; /* moves watermarks or lists: no trial of the other kind within a trial (THP and pcp) */
} PlanController;

typedef struct Plan {
        Watch *watches;
        size_t n_watches;
        PlanKnob *knobs;
        size_t n_knobs;
        PlanController *controllers; /* in order of policy name */
        size_t n_controllers;
        unsigned n_online;
} Plan;

typedef struct PlanInput {
        const MachineFacts *facts;
        const Snapshot *last; /* zoneinfo, slab */
        const SignalSet
                *signals; /* computed over the first window: which exist here, which caches wait */
        const KnobSet *knobs;
        const PcpModel *pcp;
        const SlubModel *slub;
        const Policy *policies;
        size_t n_policies;
        const struct PlanExternal {
                char name[48];
                bool higher_is_better;
        } * externals;
        size_t n_externals;
        const char *const *deny_knobs;
        size_t n_deny_knobs;
        const char *const *deny_caches;
        size_t n_deny_caches;
} PlanInput;

/* Builds a plan in the arena. Policies that only note or advise have no controller. 0 or -ENOMEM. */
_must_check_ int plan_build(Arena *arena, const PlanInput *input, Plan *ret);
/* Index of the watch, or PLAN_NONE. */
_pure_ size_t plan_watch_find(const Plan *plan, const char *name, const Scope *scope);
_pure_ const PlanArm *plan_arm(const PlanController *c, size_t knob,
                               unsigned level); /* knob: from 0 */

/* Text of a file to a value of the knob, and back as it is written (no newline). */
_must_check_ bool knob_value_parse(const KnobSpec *spec, Text text, int64_t *ret_value);
_must_check_ bool knob_value_format(const KnobSpec *spec, int64_t value, char *buffer, size_t size);
