/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* What a kernel log says that matters to an allocator. Lines may carry a dmesg time, a syslog
 * prefix, a priority, or nothing. Equal events are one row with a count. */
typedef enum KmsgKind {
        KMSG_ALLOCATION_FAILURE, /* "COMM: page allocation failure: order:N, mode:0x...(GFP_...)" */
        KMSG_ALLOCATION_STALL,   /* "COMM: page allocation stalls for ...ms, order:N" (4.x) */
        KMSG_SOFT_LOCKUP,        /* "watchdog: BUG: soft lockup - CPU#N stuck for Ns! [COMM:PID]" */
        KMSG_HARD_LOCKUP,        /* "Watchdog detected hard LOCKUP on cpu N" */
        KMSG_RCU_STALL,          /* "rcu: INFO: rcu_sched detected stalls", "self-detected stall" */
        KMSG_HUNG_TASK,          /* "INFO: task COMM:PID blocked for more than N seconds." */
        KMSG_OOM, /* "Out of memory: Killed process", "COMM invoked oom-killer: ..., order=N" */
        _KMSG_KIND_MAX,
} KmsgKind;

typedef struct KmsgEvent {
        KmsgKind kind;
        char comm[32]; /* "" if the line names none */
        char mode[96]; /* "0x40cc0(GFP_KERNEL|__GFP_COMP)"; "" if there is none */
        MaybeU64 order;
        unsigned first_line; /* from 1 */
        unsigned count;
} KmsgEvent;

#define KMSG_EVENTS_MAX 64u

typedef struct Kmsg {
        KmsgEvent *events; /* in the order of their first line */
        size_t n;
        unsigned n_more; /* events whose row did not fit; they are in count[] */
        unsigned count[_KMSG_KIND_MAX];
        unsigned n_failures_order0, n_failures_high; /* count[KMSG_ALLOCATION_FAILURE] by order */
        unsigned n_lines;
        unsigned n_binary; /* lines with bytes that no log has; all of them: this is no log */
} Kmsg;

_must_check_ int kmsg_parse(Arena *a, Text text, const char *path, Kmsg *ret, ParseLog *log);
_const_ const char *kmsg_kind_to_string(KmsgKind k);
