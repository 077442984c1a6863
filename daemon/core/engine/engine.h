/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/verify.h"
#include "core/engine/frame.h"
#include "core/report.h"

/* The engine: feedback that holds contention targets. It never calls out. Its shell is a loop that the
 * service, replay, simulations and tests share (session/session.h):
 *
 *   engine_observe(frame);  while (engine_next(&effect) == 0) { carry out; engine_resolve(&effect, &outcome); }
 *
 * Everything is sized at engine_init(); nothing is allocated later. The same frames and outcomes with the
 * same seed give the same records, byte for byte, on every compiler: numbers are integers. */
typedef enum ControllerState {
        CONTROLLER_ABSENT,  /* no knob here that could be written (or removed) */
        CONTROLLER_YIELDED, /* somebody else wrote the knob: until the operator resumes it */
        CONTROLLER_OBSERVE,
        CONTROLLER_ARMED, /* hot; waits for the token (one trial machine-wide), budgets and hours */
        CONTROLLER_TRIAL,
        CONTROLLER_PROBATION,
        CONTROLLER_HOLD,
        CONTROLLER_COOLDOWN,
        CONTROLLER_BLOCKED, /* every arm left is blocked */
        CONTROLLER_PAUSED,
        _CONTROLLER_STATE_MAX,
} ControllerState;

_const_ const char *controller_state_to_string(ControllerState s);

/* A verdict of an earlier trial, kept over restarts: orders the arms of later trials, applies nothing. */
typedef struct Prior {
        char policy[64];
        char scope[SCOPE_MAX];
        unsigned level;
        bool kept; /* accepted and past probation; else rejected */
        int64_t effect_ppm;
} Prior;

typedef struct EngineConfig {
        uint64_t seed; /* order of arms in time, jitter: from the machine id in service */
        usec_t tick_usec, tick_trial_usec, quiet_usec;
        unsigned trials_per_day, changes_per_hour;
        int64_t own_cpu_ppm; /* of one CPU, for every 64 CPUs */
        const Prior *priors;
        size_t n_priors;
} EngineConfig;

typedef enum EngineError {
        ENGINE_E_DONE = 1, /* engine_next(): nothing to carry out now */
        ENGINE_E_ORDER, /* engine_resolve(): not the effect that is open; engine_observe(): an effect is open, or time ran back */
} EngineError;

/* One write to be carried out: compare the file with `from`, write `to`, read back. A growth or trial write, its
 * taking back, and a safety cut look the same: one writer in the program. */
typedef struct Effect {
        uint64_t serial; /* counts from 1 */
        size_t knob;     /* index into plan->knobs */
        int64_t from, to;
        bool restore;       /* gives a value back: needs no new intent in the ledger */
        bool first;         /* the first write of a change: ledger it with the original */
        char decision[320]; /* POLICY/KNOB/SCOPE#N */
        const Policy *policy;
} Effect;

/* What the machine answered. */
typedef struct Outcome {
        VerifyResult result;
        bool actual_known;
        int64_t actual;
        int error; /* errno of a refused write */
        usec_t at_usec;
} Outcome;

/* What happened, for people and for the journal: numbers; record_reason() makes the sentence. */
typedef enum RecordKind {
        RECORD_HOT,
        RECORD_COOL,
        RECORD_ARMED,
        RECORD_TRIAL_BEGIN,
        RECORD_WRITE,
        RECORD_VERDICT,
        RECORD_VOID,
        RECORD_PROBATION,
        RECORD_HOLD,
        RECORD_STEP_DOWN,
        RECORD_REVALIDATE,
        RECORD_CUT,
        RECORD_ABORT,
        RECORD_BLOCK,
        RECORD_COOLDOWN,
        RECORD_YIELD,
        RECORD_RESUME,
        RECORD_REFUSED,
        RECORD_WORKLOAD,
        RECORD_GUARD,
        RECORD_ADVISE,
        _RECORD_KIND_MAX
} RecordKind;

typedef enum TrialVerdict {
        TRIAL_PENDING,
        TRIAL_ACCEPT,
        TRIAL_FUTILE,
        TRIAL_REJECT,
        TRIAL_ABORT,
        TRIAL_INCONCLUSIVE,
        _TRIAL_VERDICT_MAX
} TrialVerdict;

_const_ const char *record_kind_to_string(RecordKind k);
_const_ const char *trial_verdict_to_string(TrialVerdict v);

typedef struct Record {
        uint64_t number; /* counts from 1 */
        usec_t at_usec;
        RecordKind kind;
        const Policy *policy;
        size_t knob; /* PLAN_NONE */
        bool from_known, to_known;
        int64_t from, to;
        uint64_t decision; /* counter of the decision id; 0: none */
        size_t watch;      /* the signal that mattered; PLAN_NONE */
        bool value_known, target_known;
        int64_t value_milli, target_milli; /* thousandths of its unit */
        Evidence evidence;
        TrialVerdict verdict;
        bool effect_known;
        int64_t effect_ppm, low_ppm,
                high_ppm;           /* change of ln cost; -50000 is 5 % less; interval of it */
        const char *guard;          /* name of a guard; NULL */
        const char *why;            /* a constant phrase; NULL */
        int64_t number_a, number_b; /* numbers of that phrase, see record_reason() */
        const char *unit;           /* of the numbers of a guard: guard.h */
} Record;

#define ENGINE_RECORDS 1024 /* kept; older ones are overwritten (their numbers tell) */

typedef struct Engine Engine;

/* The engine for a plan, in the arena; plan and config must outlive it. 0 or -ENOMEM. */
_must_check_ int engine_init(Arena *arena, const EngineConfig *config, const Plan *plan,
                             Engine **ret_engine);
/* After hot-plug or a reload: the state of controllers whose policy and knob still exist is kept, windows and open
 * quads are voided. No effect may be open. A value of ours that no policy may hold any more goes back if the new plan still names its
 * knob. The arena of engine_init() stays in use; that of the plan before is not needed any more. 0, ENGINE_E_ORDER or -ENOMEM (then
 * the old plan stays in force). */
_must_check_ int engine_replan(Engine *e, Arena *arena, const Plan *plan);

/* Samples in, with their own time. 0 or ENGINE_E_ORDER. */
_must_check_ int engine_observe(Engine *e, const Frame *frame);
/* 0 and an effect to carry out, or ENGINE_E_DONE. One effect is open at a time. */
_must_check_ int engine_next(Engine *e, Effect *ret);
/* What the machine answered, and when. 0 or ENGINE_E_ORDER. */
_must_check_ int engine_resolve(Engine *e, const Effect *effect, const Outcome *outcome);
/* Record i counted from the oldest kept, or NULL. */
_pure_ const Record *engine_record(const Engine *e, size_t i);
/* Records ever made; the kept ones are the last ENGINE_RECORDS of them. */
_pure_ uint64_t engine_record_count(const Engine *e);
/* One sentence with its numbers. False: cut. */
bool record_reason(const Engine *e, const Record *r, char *buffer, size_t size);

/* When the next frame is wanted, and what it must hold (bits 1 << SENSE_x beyond the cheap files). */
typedef struct Sampling {
        usec_t at_usec;
        unsigned files;
} Sampling;

void engine_sampling(const Engine *e, Sampling *ret);

/* The operator: resume a yielded or paused knob, pause it, give everything back (stop: effects follow). */
_must_check_ int engine_resume(Engine *e, size_t knob, usec_t now_usec);
_must_check_ int engine_pause(Engine *e, size_t knob, usec_t now_usec);
void engine_stop(Engine *e, usec_t now_usec);

/* For status, simulate and tests. */
typedef struct ControllerView {
        const Policy *policy;
        ControllerState state;
        unsigned level;       /* in force; 127: the arm "cap", after a safety cut */
        unsigned trial_level; /* on trial */
        usec_t since_usec;
        bool hot;
        size_t group[PLAN_GROUP_MAX]; /* knobs of the open trial or the last one */
        unsigned n_group;
} ControllerView;

_must_check_ bool engine_controller(const Engine *e, size_t i, ControllerView *ret);
/* Why controller i does what it does now, with the numbers: one sentence. False: cut, or no such controller. */
bool engine_controller_reason(const Engine *e, size_t i, char *buffer, size_t size);

typedef struct EngineCounts {
        uint64_t frames, writes, trials, accepted, rejected, inconclusive, aborted, cuts,
                guard_events, yields;
        usec_t first_hold_usec; /* USEC_UNKNOWN: never */
} EngineCounts;

void engine_counts(const Engine *e, EngineCounts *ret);
