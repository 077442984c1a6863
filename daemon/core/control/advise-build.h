/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/human.h"
#include "core/control/advise.h"

/* Inside core/control only: the advice under construction, and what the rules of all knobs share. */
typedef struct AdviseBuild {
        Arena *arena;
        const AdviseInput *in;
        Recommendation *recommendations;
        size_t n_recommendations, recommendations_allocated;
        Note *notes;
        size_t n_notes, notes_allocated;
        int error;
} AdviseBuild;

/* How the targets of a policy stand in one scope. */
typedef enum TargetsState {
        TARGETS_NONE,    /* the policy has no targets: the knob's own rule decides */
        TARGETS_UNKNOWN, /* no target, and no fallback, is known */
        TARGETS_COLD,
        TARGETS_HOT,
} TargetsState;

typedef struct TargetsView {
        TargetsState state;
        bool by_fallback;  /* the targets are unknown, a fallback is hot: advises only */
        bool by_guard;     /* a guard wants it: its own lowest grade was met */
        Evidence evidence; /* the weakest of the known ones; of a hot fallback, its own */
        unsigned n_known, n_unknown;
        const Signal *lead; /* first known signal, for ranking and texts; NULL */
        const PolicyTarget *lead_target;
        bool measured_wait; /* a lock wait among the targets was measured */
        char text[420];     /* "zone-lock-wait 86 % (hot at 2.0 %)" ... */
        char unknown[200];  /* names of unknown signals with why */
} TargetsView;

void targets_view(const AdviseBuild *b, const Policy *policy, const Scope *scope, TargetsView *ret);

/* A guard that stands in the way now. */
typedef struct GuardView {
        char blocks[300]; /* "" : none; why nothing may be tried now, guard by guard */
        bool cut;         /* a guard with a cut action is past its limit ... */
        char cut_text[300];
        const PolicyGuard *cut_guard; /* the one that decides how far: hold-length before parked */
        int64_t cut_value, cut_limit; /* its reading and its limit */
        Evidence cut_evidence;        /* of that reading */
        char blind[160];              /* guards whose signal is unknown */
} GuardView;

void guards_view(const AdviseBuild *b, const Policy *policy, GuardView *ret);

/* Idle by the gate of the policy: why, or "". */
void gate_view(const AdviseBuild *b, const Policy *policy, const TargetsView *targets,
               char *ret_text, size_t size);

Recommendation *advise_recommend(AdviseBuild *b, const Policy *policy, const char *knob,
                                 const Scope *scope);
_printf_(5, 6) Note *advise_note(AdviseBuild *b, Verdict verdict, const char *id, const char *about,
                                 const char *format, ...);
/* Appends to a text of fixed size; an overflow is cut with "...". */
_printf_(3, 4) void say(char *text, size_t size, const char *format, ...);
/* From the state of the world to the verdict of a change that is wanted: tune, or advise with what is
 * missing appended to the reason. Sets verdict, evidence, confidence and apply (write only when a write
 * is what remains to be done). */
void advise_judge(const AdviseBuild *b, const Policy *policy, const Knob *knob,
                  const TargetsView *targets, const GuardView *guards, Recommendation *rec);
_pure_ bool advise_denies_knob(const AdviseBuild *b, const char *knob);
/* System-scope value of a signal if it is known. */
_pure_ const Signal *advise_signal(const AdviseBuild *b, const char *name);
_pure_ const ZoneInfo *advise_zoneinfo(const AdviseBuild *b);
_pure_ uint64_t advise_page_bytes(const AdviseBuild *b);

_pure_ const SlabTree *advise_slab_tree(const AdviseBuild *b); /* NULL: not read */
/* Bytes in slabs of a cache, or 0. */
_pure_ uint64_t advise_cache_bytes(const AdviseBuild *b, const SlabCache *cache);
/* The targets are hot for this very cache: a row of the lead signal names it. */
_pure_ bool advise_is_attributed(const TargetsView *view, const Scope *scope);

/* Rules, one per kind of knob. Each adds recommendations, or one note that says why there is none. */
void advise_pcp(AdviseBuild *b, const Policy *policy);
void advise_slab_order(AdviseBuild *b, const Policy *policy);
void advise_slab_integer(AdviseBuild *b, const Policy *policy);
void advise_word(AdviseBuild *b, const Policy *policy);
void advise_integer(AdviseBuild *b, const Policy *policy);
void advise_alignment(AdviseBuild *b, const Policy *policy);
void advise_known_kernel(AdviseBuild *b, const Policy *policy);
