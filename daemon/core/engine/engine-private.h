/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/random.h"
#include "core/engine/budget.h"
#include "core/engine/engine.h"
#include "core/engine/gate.h"
#include "core/engine/guard.h"
#include "core/engine/ladder.h"
#include "core/trial/cusum.h"
#include "core/trial/trial.h"

/* Inside of the engine. One Slot for each controller of the plan, one KnobSlot for each file that may be written, and one Run: the
 * experiment that holds the token (a trial, a check of a value on probation, or a revalidation), so that no two can overlap.
 *
 * Knobs are addressed by their index in the plan. Several policies may name the same file: the first index with that
 * path stands for it (Engine.same), and whoever holds it has it to itself. */
#define MINUTES_USEC(n) ((usec_t) (n) *60 * USEC_PER_SEC)
#define HOURS_USEC(n) ((usec_t) (n) *3600 * USEC_PER_SEC)
#define COOLDOWN_MAX_USEC HOURS_USEC(24)
#define BLOCK_FIRST_USEC HOURS_USEC(24)
#define BLOCK_AGAIN_USEC HOURS_USEC(24 * 7)
#define NEXT_LOCK_USEC HOURS_USEC(24)
#define STEP_DOWN_USEC MINUTES_USEC(30)
#define STEAL_VOID_PPM 50000 /* more of the CPU time stolen: a window says nothing */
#define VOIDS_MAX 4u         /* lost quads that end a check, as those of a trial */
#define WRITE_TRIES 3u
#define LEVEL_CAP 127 /* the value of the arm "cap", outside of the ladder */

typedef struct Ratio {
        uint64_t num, den;
} Ratio;

/* Recent value of a watch: this minute and the one before. */
typedef struct WatchSum {
        Ratio now, before;
        usec_t seen_usec; /* last frame that had it; 0: none */
} WatchSum;

typedef struct KnobSlot {
        bool known;    /* value is */
        int64_t value; /* last seen, or written and read back */
        bool ours;     /* differs from `original` by our hand */
        int64_t original;
        uint64_t order; /* serial of the first write since it was clean */
        size_t holder;  /* controller whose change is in force or on trial; PLAN_NONE */
        bool yielded, paused;
        bool out;  /* refused for good */
        bool gone; /* the file went away */
        bool wanted, urgent,
                wanted_ours; /* a write is wanted: at once; for a change (not to give something back) */
        int64_t want;
        size_t want_index; /* knob of the plan, controller and decision in whose name */
        size_t want_slot;
        uint64_t want_decision;
        usec_t not_before_usec;
        unsigned n_tries;
        bool written;
        usec_t written_usec;
} KnobSlot;

/* An arm of one knob that is not to be tried. */
typedef struct Block {
        usec_t until_usec;
        uint8_t strikes;
        bool guard; /* a guard's: outlives a change of workload, and closes the levels above too */
} Block;

typedef struct SlotKnob {
        int level; /* in force: LADDER_OTHER, LEVEL_CAP */
        unsigned failures;
        usec_t revalidate_usec; /* when it is due; 0: nothing to revalidate */
        Block block[LADDER_LEVELS_MAX];
} SlotKnob;

/* Sums of a block of 60 s for the detectors of a new workload. */
#define DETECTOR_LAST 5
typedef struct Detector {
        Cusum cusum;
        int64_t last[DETECTOR_LAST]; /* ring of blocks */
        unsigned n, next;
} Detector;

typedef struct Workload {
        Detector cost_detector, rate_detector, wait_detector;
        Ratio cost, rate, wait;
        usec_t usec;
} Workload;

typedef struct Slot {
        const PlanController *plan;
        ControllerState state;
        usec_t since_usec;
        Gate gate;
        SlotKnob *knob; /* plan->n_knobs */
        /* What is on trial or on probation, or was last: members of the group from 0, values and levels before and with the arm. */
        size_t group[PLAN_GROUP_MAX];
        unsigned n_group;
        int64_t a[PLAN_GROUP_MAX], b[PLAN_GROUP_MAX];
        int level_a[PLAN_GROUP_MAX];
        unsigned level_b; /* of a step down: LADDER_OTHER cannot be, it is a level */
        uint64_t decision;
        bool second,
                second_known; /* the first candidate failed: second_level is next, for the same group */
        unsigned second_level;
        bool step_down;    /* what is on probation is a step down */
        unsigned failures; /* in a row */
        unsigned broken;   /* accepted values that failed later, at broken_usec the last one */
        usec_t broken_usec;
        bool moved; /* the last climb only moved the wait on */
        usec_t cooldown_usec, blocked_usec, growth_off_usec, next_lock_usec, step_down_off_usec,
                cut_usec;
        usec_t probation_usec; /* since */
        unsigned checks;
        int64_t probation_sum;
        unsigned probation_n, probation_voids;
        usec_t cool_since_usec; /* 0: not cool and parked */
        bool recheck;           /* workload changed while something was on probation */
        Workload workload;
        GuardBaseSums sums, sums_before;
        GuardBase base;
        const PolicyGuard *guard; /* of the last finding; NULL: none */
        bool said_hot, said_cool, said_advise;
} Slot;

typedef enum RunKind { RUN_TRIAL, RUN_CHECK, RUN_REVALIDATE } RunKind;

typedef struct Run {
        bool open;
        RunKind kind;
        size_t slot;
        Trial trial; /* RUN_TRIAL */
        /* Else reversed quads: new old old new. The value in force is B. */
        unsigned window, n, n_wanted, n_void;
        int64_t sum_new, sum_old, sum_d, most_d;
        bool measuring, resting; /* neither: waits for writes */
        usec_t start_usec, settle_end_usec, end_usec, length_usec, wait_since_usec, rest_since_usec,
                rest_end_usec;
        Ratio cost, rate, watch[POLICY_TARGETS_MAX], lead, next;
        unsigned n_frames;
        Ratio lead_arm[2], next_arm[2];
        Evidence evidence;
} Run;

struct Engine {
        const EngineConfig *config;
        const Plan *plan;
        Random random;
        usec_t now_usec, frame_usec;
        bool begun, stopped;
        Slot *slots; /* plan->n_controllers */
        KnobSlot *knobs;
        size_t *same, *pending;
        size_t n_pending;
        WatchSum *sums;
        usec_t sums_usec; /* when this minute began */
        Run run;
        bool open;         /* an effect is */
        bool open_at_stop; /* it was when the stop came */
        Effect effect;
        uint64_t serial, decisions;
        Budget trials, changes;
        usec_t quiet_until_usec, coupled_usec, hotplug_usec;
        size_t coupled_slot;
        usec_t reclaim_usec; /* last frame in which pages were reclaimed; 0: none */
        usec_t slow_until_usec;
        EngineCounts counts;
        Record *records; /* ring */
        uint64_t n_records;
};

/* engine.c */
int engine_plan_slots(Engine *e, Arena *arena, const Plan *plan);
KnobSlot *engine_knob(Engine *e, const Slot *s, size_t k);
bool knob_usable(const Engine *e, const Slot *s, size_t k);
void slot_set_state(Engine *e, Slot *s, ControllerState state);
/* The state of a controller with nothing open. */
void slot_rest(Engine *e, Slot *s);
bool slot_holds(const Engine *e, const Slot *s); /* some value of ours above level 0, or a cap */
int slot_level_of(const Slot *s, size_t k, int64_t value);
size_t slot_index(const Engine *e, const Slot *s);
usec_t engine_jitter(Engine *e, usec_t usec, unsigned percent);

/* record.c */
Record *record_add(Engine *e, RecordKind kind, const Slot *s, size_t k);
void record_gate(const Slot *s, Record *r);

/* engine-write.c */
/* Wants a value in a knob. False: it cannot be written. */
bool write_want(Engine *e, Slot *s, size_t k, int64_t value, bool urgent);
bool write_pending(const Engine *e, const Slot *s);
void write_drop(Engine *e, size_t rep);
void write_back(Engine *e, size_t rep); /* our value: the original is wanted, now */

/* engine-run.c */
void run_begin(Engine *e, Slot *s, RunKind kind, const Frame *frame);
void run_frame(Engine *e, const Frame *frame);
void run_written(Engine *e, usec_t at_usec); /* an effect was resolved */
void run_void(Engine *e, const char *why);
bool run_is(const Engine *e, const Slot *s);
/* The value in force is what the machine runs with now, settled: what detectors and bases may look at. */
bool run_in_force(const Engine *e, const Frame *frame);

/* controller-choose.c */
typedef struct Choice {
        unsigned n, level, second_level, steps;
        bool second_known;
        size_t group[PLAN_GROUP_MAX];
        usec_t blocked_usec; /* nothing to try until then; 0: nothing above at all */
        const char *why;
} Choice;

bool slot_choose(const Engine *e, const Slot *s, Choice *ret);
void slot_block(Engine *e, Slot *s, size_t k, unsigned level, usec_t usec, bool guard);
void slot_unblock(Slot *s); /* all but those of guards, and those that lost twice */

/* controller.c */
void slot_frame(Engine *e, Slot *s, const Frame *frame);
void slot_trial_begin(Engine *e, Slot *s, const Choice *choice, const Frame *frame);
void slot_trial_done(Engine *e, Slot *s, TrialVerdict verdict, const char *why);
/* No trial may run any more: the open one ends, and its values go back. */
void slot_trial_closed(Engine *e, Slot *s);
void slot_cooldown(Engine *e, Slot *s, bool failed);
/* The open run ends without a verdict of its own, everything of the group goes back to what was in force before. */
void slot_end(Engine *e, Slot *s, bool urgent);

/* controller-hold.c */
unsigned slot_broken(const Engine *e, const Slot *s); /* what counts of them today */
void slot_probation_begin(Engine *e, Slot *s);
bool slot_check_due(const Engine *e, const Slot *s);
void slot_check_done(Engine *e, Slot *s, bool voids);
bool slot_revalidate_due(const Engine *e, const Slot *s);
void slot_revalidate_begin(Engine *e, Slot *s, const Frame *frame);
void slot_revalidate_done(Engine *e, Slot *s, bool voids);
void slot_probation_frame(Engine *e, Slot *s);
void slot_hold_frame(Engine *e, Slot *s, const Frame *frame);
void slot_back(Engine *e, Slot *s, bool urgent); /* the group to its values before */

/* controller-guard.c */
void slot_guard(Engine *e, Slot *s, const Frame *frame);

/* controller-workload.c */
void slot_workload(Engine *e, Slot *s, const Frame *frame);
void engine_workload_reset(Engine *e);
void slot_workload_changed(Engine *e, Slot *s, bool frees, const char *why);

/* controller-foreign.c */
void knobs_frame(Engine *e, const Frame *frame);
void knob_yield(Engine *e, size_t rep, bool known, int64_t value);
/* A write of the knob failed: refused for good, or too often. */
void knob_refused(Engine *e, size_t rep, const Effect *effect, const Outcome *outcome);
/* Ends what is open about this knob in every controller; others of a group are given back. */
void knob_lost(Engine *e, size_t rep, const char *why);

/* token.c */
void token_frame(Engine *e, const Frame *frame);
