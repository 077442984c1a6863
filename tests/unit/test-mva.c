/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "machine/sim/mva.h"
#include "test.h"

static Mva got;

static bool near(double a, double b, double relative) {
        return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

TEST(one_station_is_the_machine_repair_model) {
        /* p0 of M/M/1//N: 1 / sum N! / (N - k)! (D / Z)^k; the station serves 1 - p0 of the time. */
        double d = 200, z = 3000;

        for (unsigned n = 1; n <= 64; n++) {
                double sum = 0, term = 1;

                for (unsigned k = 0; k <= n; k++) {
                        sum += term;
                        term *= (n - k) * d / z;
                }
                mva_solve(&d, 1, z, n, &got);
                ASSERT_TRUE(near(got.throughput, (1 - 1 / sum) / d, 1e-12));
        }
}

TEST(a_balanced_network_without_think_time_has_a_closed_form) {
        /* X = N / (D (N + M - 1)) */
        double d[5] = { 70, 70, 70, 70, 70 };

        for (unsigned m = 1; m <= 5; m++)
                for (unsigned n = 1; n <= 20; n++) {
                        mva_solve(d, m, 0, n, &got);
                        ASSERT_TRUE(near(got.throughput, n / (70.0 * (n + m - 1)), 1e-12));
                }
}

/* Buzen's convolution: G(n) over stations, the delay as z^n / n!; X = G(N - 1) / G(N). */
static double convolution(const double *d, size_t m, double z, unsigned n) {
        double g[64] = { 1 };

        for (unsigned k = 1; k <= n; k++)
                g[k] = g[k - 1] * z / k;
        for (size_t i = 0; i < m; i++)
                for (unsigned k = 1; k <= n; k++)
                        g[k] += d[i] * g[k - 1];
        return g[n - 1] / g[n];
}

TEST(networks_agree_with_buzens_convolution) {
        Random r;

        random_seed(&r, 7, 1);
        for (unsigned i = 0; i < 200; i++) {
                double d[4],
                        z = random_below(&r, 5000) / 1000.0; /* microseconds: G stays in range */
                size_t m = 1 + random_below(&r, 4);
                unsigned n = 1 + random_below(&r, 40);

                for (size_t k = 0; k < m; k++)
                        d[k] = (1 + random_below(&r, 400)) / 1000.0;
                mva_solve(d, m, z, n, &got);
                ASSERT_TRUE(near(got.throughput, convolution(d, m, z, n), 1e-9));
        }
}

TEST(everybody_thinks_waits_or_is_served) {
        Random r;

        random_seed(&r, 8, 1);
        for (unsigned i = 0; i < 200; i++) {
                double d[6], z = random_below(&r, 5000), all, n = 1 + random_below(&r, 100);

                for (size_t k = 0; k < 6; k++)
                        d[k] = random_below(&r, 300);
                mva_solve(d, 6, z, n, &got);
                all = got.throughput * z;
                for (size_t k = 0; k < 6; k++) {
                        all += got.wait[k] + got.serve[k];
                        ASSERT_TRUE(got.serve[k] <= 1 + 1e-9);
                }
                ASSERT_TRUE(got.throughput == 0 || near(all, n, 1e-9));
        }
}

TEST(throughput_keeps_the_asymptotic_bounds) {
        double d[3] = { 261, 221, 40 };

        for (unsigned n = 1; n <= 200; n++) {
                mva_solve(d, 3, 2600, n, &got);
                ASSERT_TRUE(got.throughput <= fmin(n / (2600.0 + 522), 1 / 261.0) * (1 + 1e-12));
        }
        ASSERT_TRUE(near(got.throughput, 1 / 261.0, 1e-2));
}

TEST(a_part_of_a_customer_is_between_its_neighbours) {
        double d = 200, low, high;

        mva_solve(&d, 1, 3000, 7, &got);
        low = got.throughput;
        mva_solve(&d, 1, 3000, 8, &got);
        high = got.throughput;
        mva_solve(&d, 1, 3000, 7.25, &got);
        ASSERT_TRUE(near(got.throughput, low + 0.25 * (high - low), 1e-12));
        mva_solve(&d, 1, 3000, 0.5, &got); /* half of one that never waits */
        ASSERT_TRUE(near(got.throughput, 0.5 / 3200, 1e-12));
        ASSERT_TRUE(got.wait[0] == 0);
}

TEST(nonsense_gives_zero_and_never_more) {
        double bad[4] = { NAN, -5, INFINITY, -INFINITY };

        mva_solve(bad, 4, NAN, 10, &got);
        ASSERT_TRUE(got.throughput == 0);
        mva_solve(bad, 4, 100, 10, &got); /* four stations without demand */
        ASSERT_TRUE(near(got.throughput, 0.1, 1e-12));
        mva_solve(bad, 4, 100, NAN, &got);
        ASSERT_TRUE(got.throughput == 0);
        mva_solve(bad, 4, 100, -3, &got);
        ASSERT_TRUE(got.throughput == 0);
        mva_solve(NULL, 0, 10, 2, &got);
        ASSERT_TRUE(near(got.throughput, 0.2, 1e-12));
}

TEST_MAIN()
