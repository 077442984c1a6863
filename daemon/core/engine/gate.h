/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/frame.h"

/* When a policy may act. Targets are smoothed (time constant gate.smooth) and judged once a window of the
 * policy: all known targets at or above `hot` for windows_hot windows in a row open the gate, any one below
 * `cool` for windows_cool closes it. Targets that are unknown are left out; when none is known the
 * fallback may only advise. Below the gate's own numbers (saving, use of the lock, kernel CPU) a policy is idle. */
typedef struct GateValue {
        bool known;
        int64_t y_milli;   /* smoothed, thousandths of the unit */
        usec_t seen_usec;  /* last frame that had it */
        Evidence evidence; /* of that frame */
        unsigned n_hot, n_cool;
} GateValue;

typedef enum GateIdle {
        GATE_BUSY,
        GATE_IDLE_SAVING,      /* at most so much of CPU time could be saved */
        GATE_IDLE_SAVING_CPUS, /* ... or so much of a CPU */
        GATE_IDLE_USE,         /* zone locks are hardly held */
        GATE_IDLE_KERNEL_CPU,  /* the kernel hardly works */
} GateIdle;

typedef struct Gate {
        GateValue target[POLICY_TARGETS_MAX], fallback[POLICY_TARGETS_MAX];
        GateValue use, kernel_cpu, lead;
        usec_t window_end_usec; /* 0: not begun */
        unsigned n_idle;        /* windows in a row under the gate's numbers */
        bool hot;               /* open */
        bool cool;              /* some target is cool */
        bool advise;            /* only the fallback, or evidence below the policy's, says hot */
        GateIdle idle;
        Evidence evidence; /* lowest of the known targets */
} Gate;

void gate_reset(Gate *g);
/* One frame. True: a window of the gate ended and hot, cool and advise were judged anew. */
bool gate_frame(Gate *g, const PlanController *c, const Plan *plan, const Frame *frame);
/* The first known target (else fallback), or POLICY_TARGETS_MAX. */
unsigned gate_first(const Gate *g, const PlanController *c, bool *ret_fallback);
/* Expected saving in thousandths of a CPU, less 0.1 % of all CPUs for each step of memory: orders the queue. */
_pure_ int64_t gate_saving_milli(const Gate *g, const PlanController *c, unsigned n_online,
                                 unsigned steps);
