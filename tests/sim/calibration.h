/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/sim/plant.h"

/* What the fit and its check have in common: the machines of the published rows as the model sees them. Their rows say neither CPU
 * counts nor memory: those are assumed, and where they matter the tables say so. */

/* The nine machines of the batch sweep (commit d8a759b57035, Linux 4.19: page_fault1, processes = CPUs, high = 6 * batch). */
typedef struct SweepMachine {
        const char *row;              /* as the rows name it */
        const char *short_name;       /* of the machine file */
        unsigned nodes, cpus_of_node; /* assumed */
        /* Marks for the check rows: a fit with the same structure on the same five batches, tested on the fifteen others of the
         * source's twenty; four of those fifteen are in the copied rows. Throughput in %, gain and zone share in points. */
        double throughput_mean, throughput_max, gain_mean, gain_max, share_mean, share_max;
} SweepMachine;

extern const SweepMachine sweep_machines[];
#define SWEEP_MACHINES 9

enum { SWEEP_A, SWEEP_B, SWEEP_LRU, SWEEP_THINK, SWEEP_MEMORY, SWEEP_PARAMS };
extern const char *const sweep_params[SWEEP_PARAMS]; /* names of machine parameters */

/* Everything is static in there: not for threads. batch with high = 6 * batch, all CPUs busy with page faults. */
typedef struct SweepPoint {
        double work;                  /* per second */
        double zone_share, lru_share; /* % of CPU time */
} SweepPoint;
void sweep_predict(const SweepMachine *m, const double params[static SWEEP_PARAMS], double batch,
                   SweepPoint *ret);

/* List lock: will-it-scale mmap1 on 224 CPUs of two sockets, linux-mm 2023-09-05 (kernel 6.5). */
enum { LIST_D1, LIST_THINK, LIST_SMT, LIST_SOCKET, LIST_EXPONENT, LIST_ORDER, LIST_PARAMS };
extern const char *const list_params[LIST_PARAMS];
/* Throughput of one process and the share of CPU time that waits, %. load: processes / CPUs; k: cpu_partial factor; order: added. */
void list_predict(const double params[static LIST_PARAMS], double load, double k, unsigned order,
                  unsigned min_partial, double *ret_each, double *ret_share);

/* hackbench and other loads of slab caches. boot_cpus: CPUs that decided on orders; 0: all of the machine. */
typedef struct SlabLoad {
        const char *kernel;
        unsigned cpus, nodes;
        struct {
                const char *name;
                unsigned size;
                double share, turnover;
                unsigned cpu_partial; /* 0: the kernel's default */
        } cache[4];
} SlabLoad;
/* A message of hackbench is a kmalloc-512 and an skbuff head of 256 bytes. On the machine with lock totals a third cache stands for the
 * objects of processes that come and go (sockets, signals, memory maps: about 1 KiB each), `objects` of them a message; their slabs are
 * made and freed whole. */
extern const SlabLoad hackbench_arm64, guest_objects, guest_slabs_13, guest_slabs_52;
#define MESSAGE_PAGES (768.0 / 4096)
void hackbench_80(double objects, SlabLoad *ret, PlantWorkload *ret_workload);
void slab_predict(const SlabLoad *l, const PlantParams *p, const PlantWorkload *w,
                  unsigned boot_cpus, PlantRates *ret);

/* Kernel builds: two sockets, 224 CPUs, 256 GiB (assumed: the machine of the list-lock rows). high: of a list. */
enum { BUILD_MU, BUILD_SIGMA, BUILD_THINK, BUILD_PARAMS };
extern const char *const build_params[BUILD_PARAMS];
#define BUILD_HIGH_BASE 400.0  /* low watermark / 112 CPUs of a node of 128 GiB */
#define BUILD_HIGH_MAX 37449.0 /* managed / 8 / 112 */
void build_predict(const double params[static BUILD_PARAMS], double page_ns, double handover_ns,
                   double high, SweepPoint *ret, double *ret_passing);
