/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <signal.h>

#include "base/macro.h"
#include "base/units.h"

/* Work that must not be left half done asks between its steps whether somebody wants it to stop. While
 * it is held, SIGINT, SIGTERM and SIGHUP wait; interrupt_release() gives the process to the one that came.
 * A signal that the program was started with as ignored (nohup) stays ignored. */
typedef struct Interrupt {
        sigset_t waited, before;
        int came; /* 0: none */
} Interrupt;

void interrupt_hold(Interrupt *i);
/* Waits up to that time. */
_must_check_ bool interrupt_came(Interrupt *i, usec_t wait_usec);
/* Ends the process if one came, unless the caller's own mask holds it. */
void interrupt_release(Interrupt *i);
