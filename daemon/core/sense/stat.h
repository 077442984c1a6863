/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* proc/stat: CPU time in clock ticks (USER_HZ) since boot. guest is part of user, guest_nice of
 * nice. */
typedef struct CpuTime {
        unsigned cpu;
        MaybeU64 system, idle, irq, softirq, steal; /* ticks */
} CpuTime;

typedef struct CpuStat {
        MaybeU64 user, nice, system, idle, iowait, irq, softirq, steal, guest,
                guest_nice;     /* ticks, all CPUs */
        unsigned n_cpus;        /* cpuN lines: online CPUs */
        CpuTime *cpus;          /* in the order of the file; NULL if parsed without an arena */
        MaybeU64 boot_time_sec; /* btime */
} CpuStat;

/* With a == NULL the lines of single CPUs are only counted. */
_must_check_ int cpustat_parse(Arena *a, Text text, const char *path, CpuStat *ret, ParseLog *log);
/* Kernel time: system + irq + softirq; unknown if one of them is. */
_pure_ MaybeU64 cpustat_kernel(const CpuStat *s);
/* All time that passed on all CPUs: user to steal (guest is inside user). */
_pure_ MaybeU64 cpustat_total(const CpuStat *s);
