/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise: the means over 10 s windows have the sigma and the correlation of their class, however long ticks are and wherever windows begin.
 * Bands are four standard errors of the estimate. */
#include <math.h>

#include "machine/sim/sim.h"
#include "test.h"

#define WINDOWS 20000

typedef struct Moments {
        double mean, sigma, rho; /* of ln of window means, differences from the walk left out */
} Moments;

/* Sigma and correlation of window means of the ratio between the stream and its slow parts (walk, jumps). */
static Moments measure(SimNoise noise, double dt, unsigned offset_ticks, double *ret_factor_mean) {
        static double mean[WINDOWS];
        SimNoiseState s;
        Moments m = { 0 };
        unsigned ticks = (unsigned) lround(10 / dt);
        double sum = 0, factors = 0;

        sim_noise_init(&s, noise, 42, 7);
        for (unsigned i = 0; i < offset_ticks; i++)
                (void) sim_noise_next(&s, dt);
        for (unsigned w = 0; w < WINDOWS; w++) {
                double window = 0;

                for (unsigned i = 0; i < ticks; i++) {
                        double f = sim_noise_next(&s, dt);

                        window += f / exp(s.walk + s.jump);
                }
                factors += window / ticks;
                mean[w] = log(window / ticks);
                sum += mean[w];
        }
        m.mean = sum / WINDOWS;
        for (unsigned w = 0; w < WINDOWS; w++)
                m.sigma += (mean[w] - m.mean) * (mean[w] - m.mean);
        for (unsigned w = 0; w + 1 < WINDOWS; w++)
                m.rho += (mean[w] - m.mean) * (mean[w + 1] - m.mean);
        m.rho /= m.sigma;
        m.sigma = sqrt(m.sigma / WINDOWS);
        *ret_factor_mean = factors / WINDOWS;
        return m;
}

TEST(windows_have_the_sigma_and_the_correlation_of_their_class) {
        static const double ticks[] = { 1, 2, 10 };

        for (unsigned n = SIM_NOISE_CALM; n < _SIM_NOISE_MAX; n++)
                for (size_t i = 0; i < ELEMENTSOF(ticks); i++)
                        for (unsigned offset = 0; offset < 4; offset += 3) {
                                const SimNoiseSpec *spec = sim_noise_spec((SimNoise) n);
                                double factor;
                                Moments m = measure((SimNoise) n, ticks[i], offset, &factor);

                                printf("# %-8s tick %2.0f s: sigma %.4f rho %.3f mean %.4f\n",
                                       spec->name, ticks[i], m.sigma, m.rho, factor);
                                /* se of sigma: sigma / sqrt(2 n (1 - rho) / (1 + rho)); of rho: 1 / sqrt(n) */
                                ASSERT_TRUE(fabs(m.sigma / spec->sigma - 1) < 0.04);
                                ASSERT_TRUE(fabs(m.rho - spec->rho) < 0.05);
                                ASSERT_TRUE(fabs(factor - 1) < 0.01);
                        }
}

TEST(without_noise_every_factor_is_one) {
        SimNoiseState s;

        sim_noise_init(&s, SIM_NOISE_NONE, 1, 1);
        for (unsigned i = 0; i < 100; i++)
                ASSERT_TRUE(sim_noise_next(&s, 1 + i % 7) == 1.0);
}

TEST(the_same_seed_and_stream_give_the_same_factors_and_others_do_not) {
        SimNoiseState a, b, c, d;
        unsigned n_same_stream = 0, n_same_seed = 0;

        sim_noise_init(&a, SIM_NOISE_WILD, 5, 1);
        sim_noise_init(&b, SIM_NOISE_WILD, 5, 1);
        sim_noise_init(&c, SIM_NOISE_WILD, 5, 2);
        sim_noise_init(&d, SIM_NOISE_WILD, 6, 1);
        for (unsigned i = 0; i < 1000; i++) {
                double x = sim_noise_next(&a, 2);

                ASSERT_TRUE(x == sim_noise_next(&b, 2));
                ASSERT_TRUE(x > 0 && isfinite(x));
                n_same_stream += x == sim_noise_next(&c, 2);
                n_same_seed += x == sim_noise_next(&d, 2);
        }
        ASSERT_EQ_U(n_same_stream, 0);
        ASSERT_EQ_U(n_same_seed, 0);
}

/* The walk moves by sqrt(n) steps within minutes and stays near 1 for a week. */
TEST(the_walk_drifts_within_minutes_and_stays_for_days) {
        const SimNoiseSpec *spec = sim_noise_spec(SIM_NOISE_DRIFTING);
        double squares = 0, largest = 0;
        unsigned n = 0;
        SimNoiseState s;

        sim_noise_init(&s, SIM_NOISE_DRIFTING, 3, 1);
        for (unsigned w = 0; w < 60480; w += 8) { /* 7 days in stretches of 80 s */
                double from = s.walk;

                for (unsigned i = 0; i < 8; i++)
                        (void) sim_noise_next(&s, 10);
                squares += (s.walk - from) * (s.walk - from);
                largest = fmax(largest, fabs(s.walk));
                n++;
        }
        /* the pull takes a part of it: 8 steps of a chain that forgets 0.72 % a step */
        ASSERT_TRUE(fabs(sqrt(squares / n) / (spec->walk * sqrt(8)) - 1) < 0.06);
        ASSERT_TRUE(largest > 0.25 && largest < 0.25 * 5);
}

/* Jumps flip between two levels `jump` apart, in the share of windows that the class says. */
TEST(jumps_have_their_size_and_their_share) {
        const SimNoiseSpec *spec = sim_noise_spec(SIM_NOISE_ROUGH);
        unsigned n = 0;
        SimNoiseState s;

        sim_noise_init(&s, SIM_NOISE_ROUGH, 9, 1);
        for (unsigned i = 0; i < 100000; i++) {
                double before = s.jump;

                (void) sim_noise_next(&s, 10);
                if (s.jump != before) {
                        ASSERT_TRUE(fabs(fabs(s.jump - before) - spec->jump_size) < 1e-12);
                        n++;
                }
        }
        /* 2000 expected, sigma 45 */
        ASSERT_GE_U(n, 1820);
        ASSERT_LE_U(n, 2180);
}

TEST(names_of_classes_are_found) {
        SimNoise n = SIM_NOISE_NONE;

        ASSERT_TRUE(sim_noise_from_string("rough", &n));
        ASSERT_EQ_I(n, SIM_NOISE_ROUGH);
        ASSERT_FALSE(sim_noise_from_string("loud", &n));
        ASSERT_FALSE(sim_noise_from_string(NULL, &n));
        ASSERT_EQ_I(n, SIM_NOISE_ROUGH);
}

TEST_MAIN()
