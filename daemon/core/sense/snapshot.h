/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/buddyinfo.h"
#include "core/sense/keyed.h"
#include "core/sense/lockstat.h"
#include "core/sense/pressure.h"
#include "core/sense/slab.h"
#include "core/sense/slabinfo.h"
#include "core/sense/stat.h"
#include "core/sense/thp.h"
#include "core/sense/zoneinfo.h"
#include "core/topology.h"

/* Everything that was read in one tick, parsed. A NULL pointer or an unset bit means that the
 * file was absent, denied or not due in this tick: never zero. Files are read one after the
 * other, so each rate uses the time stamp of its own file. Memory belongs to the arena of the
 * tick. */
typedef enum SenseFile {
        SENSE_VMSTAT,
        SENSE_ZONEINFO,
        SENSE_BUDDYINFO,
        SENSE_SLABINFO,
        SENSE_MEMINFO,
        SENSE_STAT,
        SENSE_PRESSURE_MEMORY,
        SENSE_THP,
        SENSE_SLAB,
        SENSE_LOCK_STAT,
        _SENSE_FILE_MAX,
} SenseFile;

/* What became of one file (or folder) in this snapshot. */
typedef enum SenseState {
        SENSE_NOT_DUE, /* not asked for in this tick */
        SENSE_OK,
        SENSE_ABSENT,
        SENSE_DENIED,
        SENSE_FAILED, /* read error, or too large */
} SenseState;

typedef struct Snapshot {
        usec_t at_usec;                    /* start of the snapshot on the machine's clock */
        usec_t file_usec[_SENSE_FILE_MAX]; /* when each file was read */
        SenseState state[_SENSE_FILE_MAX];
        MaybeU64 uptime_usec; /* proc/uptime, first field */
        VmStat *vmstat;       /* system-wide */
        ZoneInfo *zoneinfo;
        BuddyInfo *buddyinfo;
        SlabInfo *slabinfo;
        MemInfo *meminfo;
        CpuStat *stat;
        Pressure *pressure_memory;
        ThpTree *thp;
        SlabTree *slab; /* sysfs, attributes of every real directory */
        LockStat *lock_stat;
} Snapshot;

/* Things that do not change within a run (or change only by writes and hot-plug), read once. */
typedef struct Machine Machine;
typedef struct MachineFacts {
        Topology topology;
        char release[72]; /* sys/kernel/osrelease, else third word of proc/version; "" unknown */
        Text cmdline;     /* proc/cmdline; empty: unknown or empty (see cmdline_known) */
        bool cmdline_known;
        MaybeU64 page_bytes;
        MaybeU64 hpage_pmd_bytes;
        MaybeU64 clk_tck;
        bool clk_tck_assumed;
        MaybeU64 memory_bytes; /* MemTotal */
        bool rt;               /* PREEMPT_RT: proc/version says so, or sys/kernel/realtime is 1 */
        bool isolated_cpus;    /* isolcpus= or nohz_full= on the command line (or sysfs lists) */
        bool hypervisor;       /* running in a guest; false also when unknown */
        bool contained;        /* container or foreign user namespace: advise only */
        char contained_why[96];
        bool euid_root; /* this process (live), or as the capture says; trees: true */
} MachineFacts;
