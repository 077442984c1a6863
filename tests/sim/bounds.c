/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds that the controller promises, over many seeds: `bounds RUNS [PATTERN]`. Each line of its TAP output has the figure and
 * the limit. With few runs (the tests) limits on rare events allow for chance: three standard errors of the limit itself, so that
 * a controller that keeps the bound fails once in about 700 runs at most, and fixed seeds make that never or always.
 *
 * Limits are those the design set out to prove; which of them are ours to tighten is said in docs/decisions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "mc.h"

#define SECONDS(n) ((usec_t) (n) *USEC_PER_SEC)
#define HOURS(n) SECONDS((n) *3600u)
#define CURVES_MAX 16

static unsigned n_runs, n_tests, n_failed;
static McCurve published[CURVES_MAX];
static unsigned n_published;
static const char *pattern;

static void result(bool ok, const char *format, ...) _printf_(2, 3);
static void result(bool ok, const char *format, ...) {
        va_list args;

        va_start(args, format);
        printf("%s %u - ", ok ? "ok" : "not ok", ++n_tests);
        vprintf(format, args);
        putchar('\n');
        fflush(stdout);
        va_end(args);
        n_failed += !ok;
}

/* A share of n events may exceed its limit by chance. */
static double with_chance(double limit, double n) {
        return n > 0 ? limit + 3 * sqrt(limit * (1 - limit) / n) : 1;
}

/* Ladder of a policy as shipped, but with levels up to 16 times and a gate that is always open: the curves are those of a benchmark that
 * loads every CPU, and what is looked at is the climb. */
static Policy climbing_policy(bool gate_open) {
        const Policy *shipped = mc_policy("pcp-contention");
        Policy p;

        if (!shipped)
                exit(1);
        p = *shipped;
        p.n_arms = MC_LEVELS - 1;
        for (unsigned i = 0; i + 1 < MC_LEVELS; i++) {
                p.arm[i].multiple_milli = 2000ll << i;
                (void) text_format(p.arm[i].text, sizeof(p.arm[i].text), "%u", 2u << i);
        }
        if (gate_open) {
                p.gate.saving_ppm = p.gate.saving_cpus_milli = 0;
                for (unsigned i = 0; i < p.n_targets; i++)
                        p.target[i].hot = p.target[i].cool = 0;
        }
        return p;
}

static McCurve flat_curve(double effect, unsigned cpus) {
        McCurve c = { .cpus = cpus, .pages_per_s = 5e6, .kernel_share = 0.6 };

        (void) text_copy(c.name, sizeof(c.name), TEXT("flat"));
        for (unsigned l = 0; l < MC_LEVELS; l++) {
                c.cost[l] = 1000 * (l == 0 ? 1 : 1 + effect);
                c.zone_ppm[l] = 200000;
                c.lru_ppm[l] = 50000;
        }
        return c;
}

/* 1 and 2: accepts of an arm whose true effect is known, for each trial. */
static void false_accepts(double effect, double limit) {
        Policy policy = climbing_policy(true);
        McCurve curve = flat_curve(effect, 64);

        policy.must_not_rise[0][0] = 0;
        policy.n_must_not_rise = 0; /* the second condition would hide half of them */
        for (SimNoise noise = SIM_NOISE_CALM; noise < _SIM_NOISE_MAX; noise++) {
                uint64_t trials = 0, accepted = 0;

                for (unsigned i = 0; i < n_runs; i++) {
                        McRun run = { .policy = &policy,
                                      .curve = { &curve },
                                      .n_curves = 1,
                                      .noise = noise,
                                      .seed = 1000 + i,
                                      .duration_usec = HOURS(6),
                                      .stop_at_cooldown = true,
                                      .cooldowns = 3 };

                        mc_run(&run);
                        trials += run.counts.trials;
                        accepted += run.counts.accepted;
                }
                result(trials > 0 && (double) accepted <=
                                             with_chance(limit, (double) trials) * (double) trials,
                       "an arm %.0f %% worse is accepted in %.2f %% of %llu trials, noise %s (at most %.1f %%)",
                       effect * 100, trials ? 100.0 * (double) accepted / (double) trials : 0,
                       (unsigned long long) trials, sim_noise_spec(noise)->name, limit * 100);
        }
}

static void bound_false_accepts(void) {
        false_accepts(0, 0.05);
}

static void bound_harm(void) {
        false_accepts(0.03, 0.02);
        false_accepts(0.10, 0.005);
}

/* 3, 4 and 5: the climb on published curves. */
static void climb(SimNoise noise, double mean_limit, double max_limit, unsigned cooldowns) {
        Policy policy = climbing_policy(true);
        double sum_regret = 0, worst_mean = 0, sum_trials = 0, sum_trial_s = 0, sum_climb_s = 0,
               worst_harm = 0;
        const char *worst_name = "";

        for (unsigned m = 0; m < n_published; m++) {
                double regret = 0, harm = 0, trials = 0, trial_s = 0, climb_s = 0;
                unsigned final[MC_LEVELS] = { 0 };

                for (unsigned i = 0; i < n_runs; i++) {
                        McRun run = { .policy = &policy,
                                      .curve = { &published[m] },
                                      .n_curves = 1,
                                      .noise = noise,
                                      .seed = 5000 + i,
                                      .duration_usec = HOURS(48),
                                      .stop_at_cooldown = true,
                                      .cooldowns = cooldowns };

                        mc_run(&run);
                        regret += (double) mc_regret_ppm(&published[m], run.level) * 1e-6;
                        harm += run.harmful;
                        trials += (double) run.counts.trials;
                        trial_s += (double) run.trial_usec * 1e-6;
                        climb_s += run.climb_usec == USEC_UNKNOWN ? 48 * 3600
                                                                  : (double) run.climb_usec * 1e-6;
                        final[run.level]++;
                }
                printf("#   %-26s regret %5.2f %%, trials %.2f (%.0f s in trials, %.0f s in all), harmful %.3f, final levels %u %u %u %u %u\n",
                       published[m].name, 100 * regret / n_runs, trials / n_runs, trial_s / n_runs,
                       climb_s / n_runs, harm / n_runs, final[0], final[1], final[2], final[3],
                       final[4]);
                sum_regret += regret / n_runs;
                if (regret / n_runs > worst_mean) {
                        worst_mean = regret / n_runs;
                        worst_name = published[m].name;
                }
                worst_harm = MAX(worst_harm, harm / n_runs);
                sum_trials += trials / n_runs;
                sum_trial_s += trial_s / n_runs;
                sum_climb_s += climb_s / n_runs;
        }
        result(n_published > 0 && sum_regret / n_published <= mean_limit,
               "mean regret on %u published curves is %.2f %% after %u cooldown%s, noise %s (at most %.1f %%)",
               n_published, 100 * sum_regret / n_published, cooldowns, cooldowns == 1 ? "" : "s",
               sim_noise_spec(noise)->name, 100 * mean_limit);
        result(worst_mean <= max_limit,
               "the worst curve has %.2f %% regret (%s), noise %s (at most %.1f %%)",
               100 * worst_mean, worst_name, sim_noise_spec(noise)->name, 100 * max_limit);
        result(worst_harm <= cooldowns * with_chance(0.05, n_runs),
               "harmful accepted steps a run: %.3f at worst in %u climb%s, noise %s (at most 0.05 a climb)",
               worst_harm, cooldowns, cooldowns == 1 ? "" : "s", sim_noise_spec(noise)->name);
        if (cooldowns == 1) {
                result(n_published > 0 && sum_trials / n_published <= 4,
                       "a climb takes %.2f trials on average, noise %s (at most 4)",
                       sum_trials / n_published, sim_noise_spec(noise)->name);
                result(sum_trial_s / n_published <= 1330,
                       "a climb spends %.0f s in trials on average (%.0f s with waiting and probation), noise %s (at most 1330 s)",
                       sum_trial_s / n_published, sum_climb_s / n_published,
                       sim_noise_spec(noise)->name);
        }
}

static void bound_climb_calm(void) {
        climb(SIM_NOISE_CALM, 0.012, 0.035, 1);
}

static void bound_climb_drifting(void) {
        climb(SIM_NOISE_DRIFTING, 0.023, 0.035, 1);
}

static void bound_climb_rough(void) {
        climb(SIM_NOISE_ROUGH, 0.031, 0.154, 1);
        climb(SIM_NOISE_ROUGH, 0.031, 0.04, 3);
}

/* With the gate as shipped, machines whose zone lock hardly waits are never touched. A machine whose published wait, in whole per cent,
 * lies within a third of a threshold may be on either side of it: Westmere-EP, 99 us where 100 open the gate. */
static void bound_gate(void) {
        Policy policy = climbing_policy(false);

        for (unsigned m = 0; m < n_published; m++) {
                uint64_t trials = 0;
                double wait_kpage = published[m].zone_ppm[0] * 1e-6 * published[m].cpus * 1e9 /
                                    (published[m].pages_per_s / 1000);
                bool hot = published[m].zone_ppm[0] >= 20000 && wait_kpage >= 100000;

                if (published[m].zone_ppm[0] > 0 && wait_kpage > 75000 && wait_kpage < 133000) {
                        printf("#   %s: %.0f us per 1,000 pages, too near the threshold to say\n",
                               published[m].name, wait_kpage / 1000);
                        continue;
                }

                for (unsigned i = 0; i < MIN(n_runs, 50u); i++) {
                        McRun run = { .policy = &policy,
                                      .curve = { &published[m] },
                                      .n_curves = 1,
                                      .noise = SIM_NOISE_NORMAL,
                                      .seed = 300 + i,
                                      .duration_usec = HOURS(4) };

                        mc_run(&run);
                        trials += run.counts.trials;
                }
                result(hot == (trials > 0),
                       "%s: zone-lock-wait %.0f %%, %.0f us per 1,000 pages: %llu trials",
                       published[m].name, published[m].zone_ppm[0] / 1e4, wait_kpage / 1000,
                       (unsigned long long) trials);
        }
}

/* 6: seven days at zero effect. */
static void bound_no_limit_cycle(void) {
        Policy policy = climbing_policy(true);
        McCurve curve = flat_curve(0, 64);
        static const SimNoise classes[] = { SIM_NOISE_NORMAL, SIM_NOISE_ROUGH };

        policy.n_must_not_rise = 0;
        for (unsigned k = 0; k < ELEMENTSOF(classes); k++) {
                double first = 0, later = 0, writes = 0;
                unsigned runs = MAX(n_runs / 10, 10u), entries = 0;

                for (unsigned i = 0; i < runs; i++) {
                        McRun run = { .policy = &policy,
                                      .curve = { &curve },
                                      .n_curves = 1,
                                      .noise = classes[k],
                                      .seed = 700 + i,
                                      .duration_usec = HOURS(7 * 24) };

                        mc_run(&run);
                        first += (double) run.counts.accepted - run.accepted_after_day;
                        later += run.accepted_after_day;
                        writes += (double) run.counts.writes;
                        entries = MAX(entries, run.most_entries);
                }
                result(first / runs <= 0.6 + 3 * sqrt(0.6 / runs),
                       "seven days at zero effect: %.2f accepted moves on day one, noise %s (at most 0.6; %.0f writes a week)",
                       first / runs, sim_noise_spec(classes[k])->name, writes / runs);
                result(later / runs / 6 <= 0.08 + 3 * sqrt(0.08 / 6 / runs),
                       "seven days at zero effect: %.3f accepted moves a day after that, noise %s (at most 0.08)",
                       later / runs / 6, sim_noise_spec(classes[k])->name);
                result(entries <= 2,
                       "no level is entered more than twice in a week of one regime: %u at most, noise %s",
                       entries, sim_noise_spec(classes[k])->name);
        }
}

/* 7: guards. */
static void bound_guards(void) {
        Policy policy = climbing_policy(true);
        McCurve curve = published[0];
        usec_t slowest = 0;
        uint64_t parked = 0, guards = 0;

        for (unsigned i = 0; i < n_runs; i++) {
                McRun run = { .policy = &policy,
                              .curve = { &curve },
                              .n_curves = 1,
                              .noise = SIM_NOISE_NORMAL,
                              .seed = 900 + i,
                              .duration_usec = HOURS(6),
                              .disturb = MC_DISTURB_GUARD,
                              .parked_ppm_per_level = 6000 };

                mc_run(&run);
                slowest = MAX(slowest, run.slowest_guard_usec);
                parked = MAX(parked, run.most_parked_ppm);
                guards += run.counts.guard_events;
        }
        result(guards > 0 && slowest > 0 && slowest <= 3 * USEC_PER_SEC,
               "%llu guard events: the value is back %.1f s after the sample before at worst (at most 3 s)",
               (unsigned long long) guards, (double) slowest * 1e-6);
        result(parked > 0 && parked <= (uint64_t) policy.parked_possible_ppm,
               "values in force could park %.1f %% of a zone at most (bound %.1f %%)",
               (double) parked / 1e4, (double) policy.parked_possible_ppm / 1e4);
}

/* 8: three regimes that take turns. In the first larger lists help, in the second they hurt, in the third they do nothing. */
static void bound_switching(void) {
        Policy policy = climbing_policy(true);
        McCurve a = published[0], b = flat_curve(0.06, 192), c = flat_curve(0, 192);
        double worse = 0;

        b.pages_per_s = c.pages_per_s = a.pages_per_s;
        for (unsigned i = 0; i < n_runs; i++) {
                McRun run = { .policy = &policy,
                              .curve = { &a, &b, &c },
                              .n_curves = 3,
                              .switch_usec = SECONDS(1200),
                              .noise = SIM_NOISE_NORMAL,
                              .seed = 1100 + i,
                              .duration_usec = HOURS(24) };

                mc_run(&run);
                worse += (double) run.worse_usec / (double) run.duration_usec;
        }
        result(worse / n_runs < 0.05,
               "regimes that change every 20 min: %.2f %% of the time in a value more than 3 %% worse than the default (under 5 %%)",
               100 * worse / n_runs);
}

/* 9: somebody else writes; a stop gives everything back. */
static void bound_foreign(void) {
        Policy policy = climbing_policy(true);
        uint64_t after = 0, yields = 0;
        unsigned not_restored = 0, n = 0;

        for (unsigned i = 0; i < n_runs; i++) {
                McRun run = { .policy = &policy,
                              .curve = { &published[i % n_published] },
                              .n_curves = 1,
                              .noise = SIM_NOISE_NORMAL,
                              .seed = 1300 + i,
                              .duration_usec = HOURS(6),
                              .disturb = MC_DISTURB_FOREIGN };
                McRun stop = { .policy = &policy,
                               .curve = { &published[i % n_published] },
                               .n_curves = 1,
                               .noise = SIM_NOISE_NORMAL,
                               .seed = 1300 + i,
                               .duration_usec = SECONDS(400 + 61 * i % 9000) };

                mc_run(&run);
                after += run.writes_after_foreign;
                yields += run.counts.yields;
                mc_run(&stop);
                not_restored += !stop.restored;
                n++;
        }
        result(yields == n && after == 0,
               "%u foreign writes: %llu yields, %llu writes to the knob after (0)", n,
               (unsigned long long) yields, (unsigned long long) after);
        result(not_restored == 0,
               "stopped at %u different times: %u did not give the value of the start back (0)", n,
               not_restored);
}

/* 10: what larger lists cannot help. Waits are there, cost does not follow. */
static void bound_negative(void) {
        Policy policy = climbing_policy(true);
        static const struct {
                const char *name;
                McDisturb disturb;
                double zone, lru;
        } controls[] = {
                { "lru-bound", MC_DISTURB_NONE, 50000, 600000 },
                { "memory-bound", MC_DISTURB_NONE, 60000, 20000 },
                { "an application's own lock", MC_DISTURB_NONE, 30000, 10000 },
                { "slab leak", MC_DISTURB_LEAK, 200000, 50000 },
                { "reclaim storm", MC_DISTURB_RECLAIM, 300000, 100000 },
        };

        for (unsigned k = 0; k < ELEMENTSOF(controls); k++) {
                McCurve curve = flat_curve(0, 64);
                unsigned most = 0, beyond = 0;
                double sum = 0;

                for (unsigned l = 0; l < MC_LEVELS; l++) {
                        curve.zone_ppm[l] = controls[k].zone / (1u << l);
                        curve.lru_ppm[l] = controls[k].lru + controls[k].zone - curve.zone_ppm[l];
                }
                for (unsigned i = 0; i < n_runs; i++) {
                        McRun run = { .policy = &policy,
                                      .curve = { &curve },
                                      .n_curves = 1,
                                      .noise = SIM_NOISE_NORMAL,
                                      .seed = 1700 + i,
                                      .duration_usec = HOURS(24),
                                      .disturb = controls[k].disturb };

                        mc_run(&run);
                        most = MAX(most, (unsigned) run.counts.accepted);
                        beyond += run.counts.accepted > 1;
                        sum += (double) run.counts.accepted;
                }
                result(most <= 1,
                       "%s, a day: %u accepted moves at most, more than one in %u of %u runs, %.3f on average (at most 1)",
                       controls[k].name, most, beyond, n_runs, sum / n_runs);
        }
}

/* The same frames give the same records. */
static void bound_replay(void) {
        Policy policy = climbing_policy(true);
        unsigned differ = 0, n = MIN(n_runs, 20u);
        uint64_t hash = 0;

        for (unsigned i = 0; i < n; i++) {
                McRun a = { .policy = &policy,
                            .curve = { &published[i % n_published] },
                            .n_curves = 1,
                            .noise = SIM_NOISE_ROUGH,
                            .seed = 40 + i,
                            .duration_usec = HOURS(8) },
                      b = a;

                mc_run(&a);
                mc_run(&b);
                differ += a.hash != b.hash;
                hash = hash * 31 + a.hash;
        }
        result(n > 0 && differ == 0, "the same frames give the same records in %u of %u runs",
               n - differ, n);
        printf("# records %016llx\n", (unsigned long long) hash);
}

static const struct {
        const char *name;
        void (*run)(void);
} bounds[] = {
        { "false-accepts", bound_false_accepts },
        { "harm", bound_harm },
        { "climb-calm", bound_climb_calm },
        { "climb-drifting", bound_climb_drifting },
        { "climb-rough", bound_climb_rough },
        { "gate", bound_gate },
        { "no-limit-cycle", bound_no_limit_cycle },
        { "guards", bound_guards },
        { "switching", bound_switching },
        { "foreign", bound_foreign },
        { "negative", bound_negative },
        { "replay", bound_replay },
};

int main(int argc, char *argv[]) {
        uint64_t runs = 20;

        if (argc > 1 && (number_parse_u64(argv[1], strlen(argv[1]), &runs) != 0 || runs < 10 ||
                         runs > 1000000)) {
                fprintf(stderr, "usage: bounds [RUNS (10..)] [NAME]\n");
                return 2;
        }
        n_runs = (unsigned) runs;
        pattern = argc > 2 ? argv[2] : "*";
        n_published = mc_curves(published, CURVES_MAX);
        for (unsigned m = 0; m < n_published; m++)
                for (unsigned l = 0; l < MC_LEVELS; l++)
                        if (published[m].cost[l] <= 0) {
                                printf("Bail out! %s: no score for batch %u\n", published[m].name,
                                       (32u << l) - 1);
                                return 1;
                        }
        if (n_published == 0) {
                printf("Bail out! no published curves\n");
                return 1;
        }
        for (size_t i = 0; i < ELEMENTSOF(bounds); i++)
                if (text_glob(pattern, bounds[i].name))
                        bounds[i].run();
        printf("1..%u\n", n_tests);
        return n_tests > 0 && n_failed == 0 ? 0 : 1;
}
