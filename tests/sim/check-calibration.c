/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of fitted parameters on the check rows, which the fit has not seen, against marks. Usage:
 *
 *   check-calibration EVIDENCE FITTED    (FITTED: output of calibrate)
 *
 * Exit 1 when an error passes its mark. A mark that the model does not meet is not moved: the line says MISS with the figure
 * and the mark, and `known` holds the figure, so that it cannot grow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "sim/calibration.h"
#include "sim/evidence.h"

static const char *const check_batches[] = { "73", "165", "299", "424" };

/* The marks of means are of other rows. */
#define SUBSET "the mark is of fifteen rows, of which four are here"

/* Misses: a mark from another set of rows (fifteen batches, of which four are here) or of another model. */
static const struct {
        const char *what;
        double figure;
        const char *why;
} known[] = {
        /* clang-format off */
        { "skylake-ex: zone lock share, mean",      4.1, SUBSET },
        { "broadwell-ex: throughput, mean",         0.9, SUBSET },
        { "broadwell-ex: gain over 31, mean",       1.5, SUBSET },
        { "broadwell-ex: zone lock share, mean",    5.4, SUBSET },
        { "skylake-ep: zone lock share, mean",      7.3, SUBSET },
        { "westmere-ep: zone lock share, mean",     0.7, SUBSET },
        { "skylake-ex on broadwell-ex: gain, mean", 6.5, SUBSET },
        { "skylake-ex on broadwell-ex: zone share, mean",    9.4,  SUBSET },
        { "skylake-ex on broadwell-ex: zone share, largest", 18.4, "the mark is in whole points" },
        { "list lock: throughput, min_partial 64 at 50%",    13.4, "the model sees nothing of min_partial but slabs made" },
        { "list lock: share of cycles, 2x",         11.5, "shares are not fitted; the other three are within the mark" },
        { "builds: time of patch 7 (not fitted)",   9.9, "a build does not only allocate: the model takes all of its time to scale" },
        /* clang-format on */
};

static unsigned n_checks, n_missed, n_failed;

static void check(const char *what, double error, double mark, const char *unit) {
        double limit = mark;

        n_checks++;
        /* Marks have one digit behind the point: so have the errors. */
        error = round(10 * error) / 10;
        if (isfinite(error) && error <= mark) {
                printf("  %-58s %6.1f %-6s mark %g\n", what, error, unit, mark);
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(known); i++)
                if (strcmp(known[i].what, what) == 0) {
                        limit = known[i].figure;
                        if (isfinite(error) && error <= limit) {
                                n_missed++;
                                printf("  %-58s %6.1f %-6s mark %g MISS: %s\n", what, error, unit,
                                       mark, known[i].why);
                                return;
                        }
                }
        n_failed++;
        printf("  %-58s %6.1f %-6s mark %g FAIL\n", what, error, unit, limit);
}

/* Lines "MACHINE PARAMETER VALUE". */
static char *fitted;

static double fit(const char *machine, const char *param) {
        char key[128];

        snprintf(key, sizeof(key), "\n%s %s ", machine, param);
        const char *at = strstr(fitted, key);
        if (!at) {
                fprintf(stderr, "check-calibration: %s %s was not fitted\n", machine, param);
                exit(2);
        }
        return strtod(at + strlen(key), NULL);
}

static void read_fitted(const char *path) {
        FILE *f = fopen(path, "re");

        fitted = calloc(1, 1u << 16);
        if (!f || !fitted)
                exit(2);
        fitted[0] = '\n';
        fitted[1 + fread(fitted + 1, 1, (1u << 16) - 2, f)] = 0;
        fclose(f);
}

typedef struct Errors {
        double throughput_mean, throughput_max, gain_mean, gain_max, share_mean, share_max;
} Errors;

/* Parameters of one machine on the check rows of another (or its own). */
static void sweep_errors(const Evidence *e, const SweepMachine *params_of, const SweepMachine *m,
                         Errors *ret) {
        double params[SWEEP_PARAMS];
        SweepPoint at_31, at;

        for (size_t i = 0; i < SWEEP_PARAMS; i++)
                params[i] = fit(params_of->short_name, sweep_params[i]);
        sweep_predict(m, params, 31, &at_31);
        *ret = (Errors){ 0 };
        for (size_t i = 0; i < ELEMENTSOF(check_batches); i++) {
                const char *batch = check_batches[i];
                double work = evidence_value(e, m->row, NULL, NULL, batch, "score");
                double gain = evidence_value(e, m->row, NULL, NULL, batch, "score") /
                                      evidence_value(e, m->row, NULL, NULL, "31", "score") -
                              1;
                double zone = evidence_value(e, m->row, NULL, NULL, batch, "zone lock");

                sweep_predict(m, params, strtod(batch, NULL), &at);
                double throughput = 100 * fabs(at.work / work - 1);
                double points = 100 * fabs(at.work / at_31.work - 1 - gain);
                double share = fabs(at.zone_share - zone);
                double n = ELEMENTSOF(check_batches);
                ret->throughput_mean += throughput / n;
                ret->gain_mean += points / n;
                ret->share_mean += share / n;
                ret->throughput_max = fmax(ret->throughput_max, throughput);
                ret->gain_max = fmax(ret->gain_max, points);
                ret->share_max = fmax(ret->share_max, share);
        }
}

static void check_named(const char *name, const char *what, double error, double mark,
                        const char *unit) {
        char text[128];

        snprintf(text, sizeof(text), "%s: %s", name, what);
        check(text, error, mark, unit);
}

static void check_sweeps(const char *dir) {
        Evidence e;
        Errors r;

        evidence_load(dir, "pcp_batch_page_fault1", false, &e);
        printf("Batch sweep, batches 73 165 299 424 (fitted on 31 63 127 255 511):\n");
        for (size_t i = 0; i < SWEEP_MACHINES; i++) {
                const SweepMachine *m = &sweep_machines[i];

                sweep_errors(&e, m, m, &r);
                check_named(m->short_name, "throughput, mean", r.throughput_mean,
                            m->throughput_mean, "%");
                check_named(m->short_name, "throughput, largest", r.throughput_max,
                            m->throughput_max, "%");
                check_named(m->short_name, "gain over 31, mean", r.gain_mean, m->gain_mean,
                            "points");
                check_named(m->short_name, "gain over 31, largest", r.gain_max, m->gain_max,
                            "points");
                check_named(m->short_name, "zone lock share, mean", r.share_mean, m->share_mean,
                            "points");
                check_named(m->short_name, "zone lock share, largest", r.share_max, m->share_max,
                            "points");
        }
        printf("The same with the parameters of another machine:\n");
        sweep_errors(&e, &sweep_machines[0], &sweep_machines[1], &r);
        check("skylake-ex on broadwell-ex: throughput, mean", r.throughput_mean, 3.5, "%");
        check("skylake-ex on broadwell-ex: gain, mean", r.gain_mean, 6.0, "points");
        check("skylake-ex on broadwell-ex: gain, largest", r.gain_max, 8.2, "points");
        check("skylake-ex on broadwell-ex: zone share, mean", r.share_mean, 8, "points");
        check("skylake-ex on broadwell-ex: zone share, largest", r.share_max, 18, "points");
        sweep_errors(&e, &sweep_machines[3], &sweep_machines[4], &r);
        check("broadwell-ep on haswell-ep: throughput, mean", r.throughput_mean, 3.1, "%");
        check("broadwell-ep on haswell-ep: gain, mean", r.gain_mean, 1.0, "points");
        check("broadwell-ep on haswell-ep: zone share, mean", r.share_mean, 2.7, "points");
        evidence_free(&e);
}

static void check_lists(const char *dir) {
        static const struct {
                const char *knob, *value, *load;
                double processes;
                unsigned order, min_partial;
        } rows[] = {
                { "slab order", "order+1 (max order 4)", "25%", 0.25, 1, 0 },
                { "slab order", "order+1 (max order 4)", "50%", 0.5, 1, 0 },
                { "min_partial", "64/128 (base 5/10)", "25%", 0.25, 0, 64 },
                { "min_partial", "64/128 (base 5/10)", "50%", 0.5, 0, 64 },
                { "min_partial", "64/128 (base 5/10)", "100%", 1, 0, 64 },
        };
        static const struct {
                const char *knob, *value;
                double k;
                unsigned order;
        } shares[] = { { "cpu_partial", "base", 1, 0 },
                       { "cpu_partial", "2x", 2, 0 },
                       { "cpu_partial", "4x", 4, 0 },
                       { "slab order", "order+1 (max order 4)", 1, 1 } };
        double params[LIST_PARAMS], each, share;
        Evidence e;
        char text[128];

        evidence_load(dir, "slub_listlock", false, &e);
        for (size_t i = 0; i < LIST_PARAMS; i++)
                params[i] = fit("sapphire-rapids-224", list_params[i]);
        printf("List lock on 224 CPUs (fitted on the cpu_partial series; order from the arm64 pair):\n");
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                snprintf(text, sizeof(text), "processes %s", rows[i].load);
                double row = evidence_value(&e, NULL, text, rows[i].knob, rows[i].value,
                                            "throughput (");
                list_predict(params, rows[i].processes, 1, rows[i].order, rows[i].min_partial,
                             &each, &share);
                snprintf(text, sizeof(text), "list lock: throughput, %s at %s",
                         rows[i].order ? "order + 1" : "min_partial 64", rows[i].load);
                check(text, 100 * fabs(each / row - 1), 11, "%");
        }
        for (size_t i = 0; i < ELEMENTSOF(shares); i++) {
                double row = evidence_value(&e, NULL, "processes 50%", shares[i].knob,
                                            shares[i].value, "slowpath");

                list_predict(params, 0.5, shares[i].k, shares[i].order, 0, &each, &share);
                snprintf(text, sizeof(text), "list lock: share of cycles, %s", shares[i].value);
                check(text, fabs(share - row), 10, "points");
        }
        evidence_free(&e);
}

static void check_orders(const char *dir) {
        static PlantRates one, all;
        SlabLoad load;
        PlantParams p;
        PlantWorkload w;
        Evidence e;
        const char *online = "num_online_cpus (vanilla)", *possible = "nr_cpu_ids (revert)";

        plant_params_init(&p);
        p.list_ns = fit("arm64-224", "list_ns");
        p.list_order_factor = fit("arm64-224", "list_order_factor");
        p.think_ns = fit("arm64-224", "think_ns");
        p.list_exponent = fit("sapphire-rapids-224", "list_exponent");
        p.slab_run_mu = fit("all", "slab_run_mu");
        p.zone_handover_ns = fit("hackbench-80", "zone_handover_ns");
        p.zone_page_ns = fit("hackbench-80", "zone_page_ns");
        p.lru_ns = 0;
        hackbench_80(fit("hackbench-80", "workload.process_objects"), &load, &w);
        w.pages = fit("hackbench-80", "workload.pages");
        w.high_order = fit("hackbench-80", "workload.high_order");
        slab_predict(&load, &p, &w, 1, &one);
        slab_predict(&load, &p, &w, 0, &all);

        evidence_load(dir, "seed0_lockstat", false, &e);
        double wait = evidence_value(&e, NULL, NULL, NULL, online, "waittime-total") /
                      evidence_value(&e, NULL, NULL, NULL, possible, "waittime-total");
        double taken = evidence_value(&e, NULL, NULL, NULL, online, "lock acquisitions") /
                       evidence_value(&e, NULL, NULL, NULL, possible, "lock acquisitions");
        double wait_model = (one.zone_wait / one.work) / (all.zone_wait / all.work);
        double taken_model = (one.zone_holds / one.work) / (all.zone_holds / all.work);
        double slower = 100 * (all.work / one.work - 1);
        evidence_free(&e);

        printf("Orders by one CPU against orders by 80 (fitted on totals of the first):\n");
        printf("  zone lock wait: %.2f times (row %.2f), acquisitions: %.2f times (row %.2f), hackbench: %.0f %% slower (rows 7 to 33, one 8 %% faster)\n",
               wait_model, wait, taken_model, taken, slower);
        /* Marks of this program, as those of the statistics below: a factor of two, and the range of the rows. Both were set after the
         * errors were known, and the structure was chosen with the first ratio in view: see README.md. */
        check("orders: zone lock wait, factor off", fmax(wait_model / wait, wait / wait_model), 2,
              "times");
        check("orders: zone lock acquisitions, factor off",
              fmax(taken_model / taken, taken / taken_model), 2, "times");
        check("orders: slower by more than 7 %", 7 - slower, 0, "points");
        check("orders: slower by less than 33 %", slower - 33, 0, "points");
}

static void check_statistics(const char *dir) {
        static PlantRates r;
        const SlabLoad *load[] = { &guest_objects, &guest_slabs_13, &guest_slabs_52 };
        const char *value[] = { "page->pobjects accounting (before)",
                                "page->pages accounting (after patch 1)",
                                "page->pages, higher defaults (after patch 2)" };
        double refills[3], made[3], row_refills[3], row_made[3];
        PlantParams p;
        PlantWorkload w;
        Evidence e;
        char text[128];

        evidence_load(dir, "seed1_cpu_partial", false, &e);
        plant_params_init(&p);
        p.slab_run_mu = fit("all", "slab_run_mu");
        plant_workload_init(&w);
        w.pages = 0;
        w.list_factor = 256.0 / 4096;
        printf("Slab statistics of a guest (fitted on slabs made before the change):\n");
        for (size_t i = 0; i < 3; i++) {
                double objects = evidence_value(&e, NULL, "skbuff", NULL, value[i], "Total alloc");

                slab_predict(load[i], &p, &w, 0, &r);
                refills[i] = r.partial_refills / r.work;
                made[i] = r.slab_pages / 2 / r.work;
                row_refills[i] = evidence_value(&e, NULL, "skbuff", NULL, value[i],
                                                "RemovePartial alloc") /
                                 objects;
                row_made[i] = evidence_value(&e, NULL, "skbuff", NULL, value[i],
                                             "PageAlloc alloc") /
                              objects;
                printf("  %-46s refills per 1000 objects %.1f (row %.1f), slabs made per million %.1f (row %.1f)\n",
                       value[i], 1000 * refills[i], 1000 * row_refills[i], 1e6 * made[i],
                       1e6 * row_made[i]);
        }
        for (size_t i = 0; i < 3; i++) {
                snprintf(text, sizeof(text), "statistics: refills, factor off, case %zu", i + 1);
                check(text, fmax(refills[i] / row_refills[i], row_refills[i] / refills[i]), 1.3,
                      "times");
                snprintf(text, sizeof(text), "statistics: slabs made, factor off, case %zu", i + 1);
                check(text, fmax(made[i] / row_made[i], row_made[i] / made[i]), 1.3, "times");
        }
        evidence_free(&e);
}

static void check_builds(const char *dir) {
        double params[BUILD_PARAMS], passing[2], page, handover;
        SweepPoint at[2];
        Evidence e;

        for (size_t i = 0; i < BUILD_PARAMS; i++)
                params[i] = fit("sapphire-rapids-224",
                                i == BUILD_THINK ? "build.think_ns" : build_params[i]);
        page = fit("sapphire-rapids-224", "zone_page_ns");
        handover = fit("sapphire-rapids-224", "zone_handover_ns");
        build_predict(params, page, handover, BUILD_HIGH_BASE, &at[0], &passing[0]);
        build_predict(params, page, handover, BUILD_HIGH_MAX, &at[1], &passing[1]);
        evidence_load(dir, "pcp_autotune", false, &e);
        double time = evidence_value(&e, NULL, NULL, NULL, "patch7", "build time") / 100;
        double pages = evidence_value(&e, NULL, NULL, NULL, "patch9", "pages allocated") / 100;
        evidence_free(&e);

        printf("Kernel builds with tuned lists (fitted on lock shares and pages of base and patch 7):\n");
        check("builds: time of patch 7 (not fitted)", 100 * fabs(at[0].work / at[1].work - time), 8,
              "points");
        check("builds: pages that pass the zone, patch 9",
              100 * fabs(passing[1] / passing[0] - pages), 8, "points");
}

int main(int argc, char **argv) {
        if (argc != 3) {
                fprintf(stderr, "usage: check-calibration EVIDENCE FITTED\n");
                return 2;
        }
        read_fitted(argv[2]);
        check_sweeps(argv[1]);
        check_lists(argv[1]);
        check_orders(argv[1]);
        check_statistics(argv[1]);
        check_builds(argv[1]);
        free(fitted);
        printf("%u checks, %u miss their mark as known, %u fail\n", n_checks, n_missed, n_failed);
        return n_failed > 0;
}
