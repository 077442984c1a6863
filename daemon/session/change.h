/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

/* One write with all that belongs to it: the one writer of the program. */
typedef struct Change {
        Machine *m;
        Ledger *ledger;
        Store *store; /* NULL: the ledger is kept in memory only */
        const char *boot_id;
} Change;

/* The first record of a run. 0 or -errno. */
_must_check_ int change_begin(Change *c);
/* Always gives an outcome. 0, or -errno of the store (an intent that was not stored: nothing was written). */
_must_check_ int change_carry_out(Change *c, const PlanKnob *knob, const Effect *effect,
                                  Outcome *ret);
