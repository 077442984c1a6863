/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/observe.h"
#include "conf/policy-file.h"

/* What there is to say of a knob or signal: pairs of a label and a text, in order. */
typedef struct Fact {
        const char *label; /* constant */
        char *text;
} Fact;

typedef struct Facts {
        Fact *facts;
        size_t n, allocated;
        bool failed; /* out of memory */
} Facts;

_printf_(3, 4) void facts_add(Facts *f, const char *label, const char *format, ...);
void facts_done(Facts *f);

/* k: the row asked for; NULL: the knob has many scopes, and none was named. */
void explain_knob(Facts *f, const Observation *o, const PolicySet *policies, const KnobSpec *spec,
                  const Knob *k);
/* The formula of the knob with the numbers of this machine. */
void explain_knob_numbers(Facts *f, const Observation *o, const KnobSpec *spec, const Knob *k);
/* s: the row asked for; NULL: this machine has none of the name. */
void explain_signal(Facts *f, const Observation *o, const PolicySet *policies,
                    const SignalSpec *spec, const Signal *s);
