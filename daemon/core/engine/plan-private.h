/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/plan.h"

/* Inside plan*.c only. */
typedef struct PlanBuild {
        Arena *arena;
        const PlanInput *in;
        Plan *plan;
        size_t watches_allocated, knobs_allocated;
        int error;
} PlanBuild;

/* Watch of that signal, added if it is new; PLAN_NONE: nothing here tells it. */
size_t plan_watch_add(PlanBuild *b, const char *name, const Scope *scope);
/* All watches of a policy. */
void plan_watches(PlanBuild *b, PlanController *c);

/* Levels of a policy: the default, its multiples above 1 in ascending order, its words. */
typedef struct PlanLevel {
        ArmKind kind;
        int64_t multiple_milli; /* 0: a word */
        const char *text;
} PlanLevel;

unsigned plan_levels(const Policy *policy, const KnobSpec *spec, PlanLevel ret[PLAN_LEVELS_MAX]);

/* The arms of one knob: c->n_levels entries of arms, named and cleared already. Returns the level of the present
 * value. */
int plan_arms_pcp(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                  PlanArm *arms);
int plan_arms_slab(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                   PlanArm *arms);
int plan_arms_word(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                   PlanArm *arms);
int plan_arms_integer(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                      PlanArm *arms);

/* The level whose multiple is nearest to the wanted one, so many steps above it, but not above the last that fits; 0: none. */
unsigned plan_feed_forward(const PlanLevel *levels, const PlanArm *arms, unsigned n,
                           int64_t wanted_milli, unsigned steps);
/* Value of the knob as the plan counts it. */
_must_check_ bool plan_value(const Knob *knob, const char *text, MaybeU64 number,
                             int64_t *ret_value);
