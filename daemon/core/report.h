/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"
#include "core/control/policy.h"
#include "core/signal/signal.h"

/* What the adviser says. Verdicts, strongest first. */
typedef enum Verdict {
        VERDICT_CUT,
        VERDICT_TUNE,
        VERDICT_ADVISE,
        VERDICT_NOT_OURS,
        VERDICT_NOTHING,
        _VERDICT_MAX,
} Verdict;

_const_ const char *verdict_to_string(Verdict v);

typedef enum Apply { APPLY_WRITE, APPLY_BOOT, APPLY_NONE } Apply;

_const_ const char *apply_to_string(Apply a);

typedef enum Confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH } Confidence;

_const_ const char *confidence_to_string(Confidence c);

typedef struct Recommendation {
        char id[300]; /* POLICY/KNOB/SCOPE */
        Verdict verdict;
        const Policy *policy;
        const char *knob; /* NULL: none (JSON null) */
        Scope scope;
        char from[64]; /* "" is JSON null */
        char to[64];   /* "" is JSON null */
        Apply apply;
        char how[256]; /* the command, or the boot parameter; "" is JSON null */
        char reason[1024];
        Evidence evidence;
        MaybeU64 memory_bytes;
        char expect[512];
        Confidence confidence;
} Recommendation;

typedef struct Note {
        char id[128];
        Verdict verdict;
        char about[64]; /* a policy, a knob, a signal or a file */
        char text[1024];
} Note;

typedef struct Advice {
        Verdict verdict; /* the strongest of all */
        Recommendation *recommendations;
        size_t n_recommendations;
        Note *notes;
        size_t n_notes;
} Advice;
