/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/* Exact mean value analysis of a closed network with one class of customers (CPUs): single-server stations with a queue (locks,
 * a memory bus) and one delay without a queue (the think time). Times are nanoseconds a unit of work. */
#define MVA_STATIONS_MAX 520

typedef struct Mva {
        double throughput; /* units of work per ns, of all customers */
        double wait
                [MVA_STATIONS_MAX]; /* customers that wait for a station: queueing, not service */
        double serve[MVA_STATIONS_MAX]; /* customers that it serves: its utilisation, 0..1 */
} Mva;

/* demand: service time of each station per unit of work. customers may be a fraction: between two whole numbers the results
 * are interpolated, below one they are that share of one. Everything is total: negative and not finite inputs count as 0, and a
 * network without any time has throughput 0. */
void mva_solve(const double *demand, size_t n_stations, double think, double customers, Mva *ret);
