/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recursion of Reiser and Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks" (Journal of the ACM 27(2), 1980):
 * a customer that arrives at a station among n finds the mean queue of the network with n - 1,
 *
 *   R_i(n) = D_i (1 + Q_i(n-1)),   X(n) = n / (Z + sum R_i(n)),   Q_i(n) = X(n) R_i(n)
 *
 * exact for exponential service; for other laws an approximation that is good where a lock is either idle or saturated. Invariant:
 * think + waits + serves of all stations = customers (Little). */
#include <math.h>

#include "base/macro.h"
#include "machine/sim/mva.h"

#define CUSTOMERS_MAX 65536.0 /* bounds the time of one solution */

static double clean(double x) {
        return isfinite(x) && x > 0 ? x : 0;
}

void mva_solve(const double *demand, size_t n_stations, double think, double customers, Mva *ret) {
        double d[MVA_STATIONS_MAX], queue[MVA_STATIONS_MAX];
        double z = clean(think), n = fmin(clean(customers), CUSTOMERS_MAX), total = z;
        size_t m = MIN(n_stations, (size_t) MVA_STATIONS_MAX);

        *ret = (Mva){ 0 };
        for (size_t i = 0; i < m; i++) {
                d[i] = clean(demand[i]);
                queue[i] = 0;
                total += d[i];
        }
        if (total <= 0 || n <= 0)
                return;

        /* The last step is the whole number above; its share is the fraction. */
        unsigned whole = (unsigned) floor(n);
        double part = n - whole;
        for (unsigned k = 1; k <= whole + (part > 0); k++) {
                double r[MVA_STATIONS_MAX], sum = z;

                for (size_t i = 0; i < m; i++)
                        sum += r[i] = d[i] * (1 + queue[i]);

                double x = k / sum;
                double weight = k < whole ? 0 : k == whole ? 1 - part : part;
                ret->throughput += weight * x;
                for (size_t i = 0; i < m; i++) {
                        queue[i] = x * r[i];
                        ret->serve[i] += weight * x * d[i];
                        ret->wait[i] += weight * x * (r[i] - d[i]);
                }
        }
}
