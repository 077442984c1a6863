/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/zoneinfo.h"
#include "core/topology.h"

/* What the kernel computes for the per-CPU page lists (pcp) of a zone. Four generations of
 * kernels do it in different ways; which one runs is found from files and their behaviour, not
 * from its release. All numbers are base pages unless named otherwise. Everything here is total:
 * absurd input gives saturated or unknown results. */
typedef enum PcpGen {
        PCP_GEN_UNKNOWN,
        PCP_GEN_FRACTION, /* percpu_pagelist_fraction sets high and batch (up to 5.13) */
        PCP_GEN_HIGH,     /* percpu_pagelist_high_fraction, a fixed high (5.14 to 6.6) */
        PCP_GEN_AUTO, /* the same file, but at 0 the kernel tunes; limits not shown (6.7 to 6.12) */
        PCP_GEN_AUTO_SHOWN, /* zoneinfo shows high_min and high_max (6.13 and later) */
        _PCP_GEN_MAX,
} PcpGen;

_const_ const char *pcp_gen_to_string(
        PcpGen gen);                    /* for people: "fixed lists, divided by local CPUs" */
_const_ bool pcp_gen_tunes(PcpGen gen); /* the kernel tunes by itself while the fraction is 0 */

#define PCP_FRACTION_FLOOR 8u /* smallest legal fraction but 0; MIN_PERCPU_PAGELIST_HIGH_FRACTION */
#define PCP_FRACTION_CEILING 2147483647u /* INT_MAX */
#define PCP_BATCH_SCALE_MAX 5u /* CONFIG_PCP_BATCH_SCALE_MAX, default; not visible from outside */

/* Which of the two sysctls the machine has. */
typedef enum PcpFiles {
        PCP_FILES_UNKNOWN, /* proc/sys/vm is not in the tree, or cannot be listed */
        PCP_FILES_FRACTION,
        PCP_FILES_HIGH_FRACTION,
} PcpFiles;

typedef struct PcpModel {
        PcpGen gen;
        bool inferred;     /* gen is a guess from behaviour */
        MaybeU64 fraction; /* value in force; unknown: predictions must be asked for a given one */
        MaybeU64 page_bytes;      /* unknown: 4 KiB are taken */
        uint64_t batch_cap_bytes; /* of batch x 4: 1 MiB; 512 KiB before 4.20 (inferred) */
        unsigned n_online;        /* CPUs that own lists: 0 if not known */
        const Topology *topology;
        const ZoneInfo *zoneinfo;
} PcpModel;

/* Finds the generation. zoneinfo may be NULL (then only the files tell). The model keeps both
 * pointers. */
void pcp_model_find(const ZoneInfo *zoneinfo, const Topology *topology, PcpFiles files,
                    MaybeU64 fraction, MaybeU64 page_bytes, PcpModel *ret);

typedef struct PcpPrediction {
        uint64_t batch;
        uint64_t high_min; /* fixed kernels: high_min == high_max == high */
        uint64_t high_max;
} PcpPrediction;

/* What the kernel would compute for this zone after a recompute with this fraction. False
 * (nothing set) if the generation, managed pages, the low watermark (at 0) or the CPU count is
 * not known, or the kernel would refuse the fraction (1 to 7, above INT_MAX). */
_must_check_ bool pcp_predict(const PcpModel *m, const Zone *zone, uint64_t fraction,
                              PcpPrediction *ret);

/* The same on plain numbers: for simulations and tests. local_cpus as topology_local_cpus()
 * gives it. */
typedef struct PcpZoneNumbers {
        uint64_t managed, low;
        unsigned local_cpus;
        uint64_t page_bytes;      /* 0: 4096 */
        uint64_t batch_cap_bytes; /* 0: 1 MiB */
} PcpZoneNumbers;

_must_check_ bool pcp_compute(PcpGen gen, const PcpZoneNumbers *zone, uint64_t fraction,
                              PcpPrediction *ret);

/* CPUs among which the kernel divides the pages of this zone; 1 for PCP_GEN_FRACTION; 0: not
 * known. */
_pure_ unsigned pcp_divisor(const PcpModel *m, const Zone *zone);

/* How the lists that zoneinfo shows compare with the prediction for the fraction in force. */
typedef enum PcpMatch {
        PCP_MATCH_UNKNOWN, /* nothing to compare */
        PCP_MATCH_EXACT,
        PCP_MATCH_GROWING, /* up to 2.5 % below: managed pages grew since the recompute */
        PCP_MATCH_UNUSED,  /* 6.7 and later: only zeros: no CPU used the zone yet */
        PCP_MATCH_PENDING, /* 6.7 to 6.12: outside; a limit applies when a list is next used */
        PCP_MATCH_DIFFERS, /* computed otherwise, or not recomputed (a CPU came online) */
} PcpMatch;

/* "named rule" of the tests: managed pages still grow while the limits printed at boot were
 * computed. */
#define PCP_GROWTH_PPM 25000u

typedef struct PcpSeen {
        size_t n; /* lists with a high */
        uint32_t high_least, high_most, batch_least, batch_most;
        uint64_t high_sum;  /* of all lists: what they may hold together now */
        uint64_t count_sum; /* parked now */
        bool has_count;
        PcpMatch match;
} PcpSeen;

void pcp_zone_seen(const PcpModel *m, const Zone *zone, PcpSeen *ret);

/* Worst case of one zone: every online CPU owns a list for every zone, local or not. */
_pure_ MaybeU64 pcp_zone_worst_pages(const PcpModel *m, const Zone *zone, uint64_t fraction);

/* What a fraction that we write could park: the highest share of a zone (alloctuned.policy(5), bounds).
 * Left out: zones whose predicted high is no larger than under the kernel's default (on tuning
 * kernels: than its floor high_min), and zones with less than 1 % of the managed pages. Fraction
 * 0 is exempt: share 0. */
typedef struct PcpBound {
        uint64_t share_ppm;   /* rounded up */
        uint64_t pages;       /* of that zone */
        uint64_t total_pages; /* of all zones, those left out too; of each at most what it has */
        const Zone *zone;     /* NULL: every zone is left out */
        unsigned n_counted, n_left_out, n_unknown;
} PcpBound;

void pcp_parked_possible(const PcpModel *m, uint64_t fraction, PcpBound *ret);
/* The smallest fraction whose bound is at most limit_ppm; unknown if none, or nothing is known. */
_pure_ MaybeU64 pcp_fraction_within(const PcpModel *m, uint64_t limit_ppm);

/* The fraction of an arm that gives this zone a high of at least `high`: managed / (high x
 * divisor), not below 8. */
_pure_ MaybeU64 pcp_fraction_for_high(const PcpModel *m, const Zone *zone, uint64_t high);
/* The smallest fraction with managed / F / divisor <= high in every zone with 1 % of the managed
 * pages or more. */
_pure_ MaybeU64 pcp_fraction_capping(const PcpModel *m, uint64_t high);
/* The kernel's default high of the zone: fixed kernels' high at 0; tuning kernels' high_min. */
_pure_ MaybeU64 pcp_default_high(const PcpModel *m, const Zone *zone);
/* 4 x batch: the least high of a kernel that divides, and what reclaim leaves of any; 252 pages
 * for big zones. */
_pure_ MaybeU64 pcp_least_high(const PcpModel *m, const Zone *zone);
/* The zone with the most managed pages: the busiest where nothing else is known; NULL. */
_pure_ const Zone *pcp_largest_zone(const ZoneInfo *zoneinfo);

/* Most pages that one hold of zone->lock moves: batch (PCP_GEN_FRACTION), else min(batch << 5,
 * high - batch), at least batch. An upper bound on kernels that split the bulk free (7.x):
 * nothing tells them from outside. */
_const_ uint64_t pcp_pages_per_hold(PcpGen gen, uint64_t high, uint64_t batch);
#define PCP_NSEC_PER_PAGE \
        45u /* of a hold, estimated (79..108 ns for alloc and free together, measured) */
_const_ uint64_t pcp_hold_nsec(PcpGen gen, uint64_t high, uint64_t batch);
