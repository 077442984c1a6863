/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits machine parameters to the fit rows of tests/evidence and prints them; check rows are dropped where files are read. Usage:
 *
 *   calibrate EVIDENCE               lines "MACHINE PARAMETER VALUE", and "# ..." for people
 *   calibrate --strip EVIDENCE OUT   copies of the files without check rows
 *
 * Non-linear least squares (GSL, Levenberg-Marquardt, numeric Jacobian) on logarithms of the parameters, from several starts; the
 * best sum wins. A residual is (model - row) / what a row is good for: 0.5 % for a throughput, 2 points for a wait share. A weak pull
 * towards usual values (four to six e-folds count as one residual) decides where rows do not: a desktop's zone lock, a memory bus that
 * is not felt. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "sim/calibration.h"
#include "sim/evidence.h"

#define THROUGHPUT_SIGMA 0.005
#define SHARE_SIGMA 2.0
#define PARAMS_MAX 8
#define ROWS_MAX 64

typedef struct Problem Problem;
struct Problem {
        size_t n_params, n_rows;
        double usual[PARAMS_MAX], spread[PARAMS_MAX], floor[PARAMS_MAX];
        void (*residuals)(const Problem *p, const double *params, double *ret); /* n_rows */
        const void *data;
        double best[PARAMS_MAX], sum; /* out */
};

/* Parameters are floor + exp(x). */
static void unpack(const Problem *p, const gsl_vector *x, double *ret) {
        for (size_t i = 0; i < p->n_params; i++)
                ret[i] = p->floor[i] + exp(fmin(fmax(gsl_vector_get(x, i), -30), 30));
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *f) {
        const Problem *p = data;
        double params[PARAMS_MAX], rows[ROWS_MAX];

        unpack(p, x, params);
        p->residuals(p, params, rows);
        for (size_t i = 0; i < p->n_rows; i++)
                gsl_vector_set(f, i, isfinite(rows[i]) ? rows[i] : 1e6);
        for (size_t i = 0; i < p->n_params; i++)
                gsl_vector_set(f, p->n_rows + i,
                               (gsl_vector_get(x, i) - log(p->usual[i])) / p->spread[i]);
        return GSL_SUCCESS;
}

static void solve(Problem *p) {
        gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
        size_t n = p->n_rows + p->n_params;
        gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust,
                                                                       &how, n, p->n_params);
        gsl_multifit_nlinear_fdf fdf = { .f = residuals, .n = n, .p = p->n_params, .params = p };
        gsl_vector *x = gsl_vector_alloc(p->n_params);

        p->sum = INFINITY;
        /* Starts: the usual values, and each parameter times and divided by three. */
        for (size_t start = 0; start <= 2 * p->n_params; start++) {
                double sum;
                int info;

                for (size_t i = 0; i < p->n_params; i++)
                        gsl_vector_set(x, i, log(p->usual[i]));
                if (start > 0)
                        gsl_vector_set(x, (start - 1) / 2,
                                       log(p->usual[(start - 1) / 2]) +
                                               (start % 2 ? log(3) : -log(3)));
                gsl_multifit_nlinear_init(x, &fdf, w);
                (void) gsl_multifit_nlinear_driver(300, 1e-10, 1e-10, 0, NULL, NULL, &info, w);
                gsl_blas_ddot(gsl_multifit_nlinear_residual(w), gsl_multifit_nlinear_residual(w),
                              &sum);
                if (sum < p->sum * (1 - 1e-6)) {
                        p->sum = sum;
                        unpack(p, gsl_multifit_nlinear_position(w), p->best);
                }
        }
        gsl_vector_free(x);
        gsl_multifit_nlinear_free(w);
}

static void print(const char *machine, const char *param, double value) {
        printf("%s %s %.4g\n", machine, param, value);
}

static void missing(const char *what) {
        fprintf(stderr, "calibrate: fit row missing: %s\n", what);
        exit(2);
}

/* Batch sweep of one machine. */
typedef struct SweepData {
        const SweepMachine *machine;
        double batch[16], work[16], zone[16], lru[16];
        size_t n;
} SweepData;

static void sweep_residuals(const Problem *p, const double *params, double *ret) {
        const SweepData *d = p->data;

        for (size_t i = 0; i < d->n; i++) {
                SweepPoint at;

                sweep_predict(d->machine, params, d->batch[i], &at);
                *ret++ = log(at.work / d->work[i]) / THROUGHPUT_SIGMA;
                *ret++ = (at.zone_share - d->zone[i]) / SHARE_SIGMA;
                *ret++ = (at.lru_share - d->lru[i]) / SHARE_SIGMA;
        }
}

static void fit_sweep(const Evidence *e, const SweepMachine *m) {
        SweepData d = { .machine = m };

        for (size_t i = 0; i < e->n && d.n < ELEMENTSOF(d.batch); i++) {
                const EvidenceRow *r = &e->rows[i];

                if (strcmp(r->machine, m->row) != 0 || !strstr(r->metric, "score"))
                        continue;
                d.batch[d.n] = strtod(r->knob_value, NULL);
                d.work[d.n] = r->value;
                d.zone[d.n] = evidence_value(e, m->row, NULL, NULL, r->knob_value, "zone lock");
                d.lru[d.n] = evidence_value(e, m->row, NULL, NULL, r->knob_value, "lru lock");
                d.n++;
        }
        if (d.n == 0)
                missing(m->row);
        Problem p = { .n_params = SWEEP_PARAMS,
                      .n_rows = 3 * d.n,
                      .usual = { 2000, 130, 190, 1500, 1 },
                      .spread = { 4, 4, 4, 6, 6 },
                      .residuals = sweep_residuals,
                      .data = &d };
        solve(&p);
        printf("# %s: %zu batches, sum of squares %.1f\n", m->row, d.n, p.sum);
        for (size_t i = 0; i < SWEEP_PARAMS; i++)
                print(m->short_name, sweep_params[i], p.best[i]);
}

/* Hold times: a line through mean hold against batch, allocation and free together. */
static void fit_holds(const Evidence *e, const char *machine, const char *name, double *ret_fixed,
                      double *ret_page) {
        double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

        for (size_t i = 0; i < e->n; i++) {
                const EvidenceRow *r = &e->rows[i];

                if (!strstr(r->machine, machine) || !strstr(r->metric, "bulk alloc"))
                        continue;
                /* Relative weights: a long hold must not drown the short ones. */
                double x = strtod(r->knob_value, NULL), w = 1 / (x * x);
                double y = 1000 * (r->value + evidence_value(e, machine, NULL, NULL, r->knob_value,
                                                             "bulk free"));
                n += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
        }
        if (n <= 0)
                missing(machine);
        *ret_page = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        *ret_fixed = (sy - *ret_page * sx) / n;
        printf("# holds of %s: %.0f ns + %.1f ns a page, allocation and free together\n", machine,
               *ret_fixed, *ret_page);
        print(name, "hold_page_ns", *ret_page);
}

static const struct {
        const char *knob_value, *load;
        double k, processes;
} list_rows[] = {
        { "base (max order 3)", "25%", 1, 0.25 },
        { "base (max order 3)", "50%", 1, 0.5 },
        { "base (max order 3)", "100%", 1, 1 },
        { "2x", "50%", 2, 0.5 },
        { "2x", "100%", 2, 1 },
        { "4x", "25%", 4, 0.25 },
        { "4x", "50%", 4, 0.5 },
};

typedef struct ListData {
        double each[ELEMENTSOF(list_rows)];
} ListData;

static void list_residuals(const Problem *p, const double *params, double *ret) {
        const ListData *d = p->data;
        double all[LIST_PARAMS], each, share;

        memcpy(all, params, LIST_ORDER * sizeof(*all));
        all[LIST_ORDER] = 1; /* no row has another order */
        for (size_t i = 0; i < ELEMENTSOF(list_rows); i++) {
                list_predict(all, list_rows[i].processes, list_rows[i].k, 0, 0, &each, &share);
                ret[i] = log(each / d->each[i]) / (4 * THROUGHPUT_SIGMA);
        }
}

static double fit_list(const Evidence *e) {
        ListData d = { 0 };

        for (size_t i = 0; i < ELEMENTSOF(list_rows); i++) {
                char workload[32];

                snprintf(workload, sizeof(workload), "processes %s", list_rows[i].load);
                d.each[i] = evidence_value(e, NULL, workload, NULL, list_rows[i].knob_value,
                                           "throughput (");
                if (!isfinite(d.each[i]))
                        missing("list lock");
        }
        Problem p = { .n_params = LIST_ORDER,
                      .n_rows = ELEMENTSOF(list_rows),
                      .usual = { 600, 3000, 1, 0.2, 0.5 },
                      .spread = { 3, 3, 3, 3, 3 },
                      .floor = { 0, 0, 1, 1, 0 },
                      .residuals = list_residuals,
                      .data = &d };
        solve(&p);
        printf("# list lock: %zu rows, sum of squares %.1f\n", ELEMENTSOF(list_rows), p.sum);
        for (size_t i = 0; i < LIST_ORDER; i++)
                print("sapphire-rapids-224", list_params[i], p.best[i]);
        return p.best[LIST_EXPONENT];
}

/* Slabs made for each object: a small guest, statistics of one cache before the accounting changed. */
static void run_residuals(const Problem *p, const double *params, double *ret) {
        static PlantRates r;
        PlantParams m;
        PlantWorkload w;

        plant_params_init(&m);
        m.slab_run_mu = params[0];
        plant_workload_init(&w);
        w.pages = 0;
        w.list_factor = 256.0 / 4096; /* an object a unit of work */
        slab_predict(&guest_objects, &m, &w, 0, &r);
        /* Order 1: two pages a slab. */
        ret[0] = log(r.slab_pages / 2 / r.work / *(const double *) p->data) / 0.01;
}

static double fit_run(const Evidence *e) {
        const char *before = "page->pobjects accounting (before)";
        double made = evidence_value(e, NULL, NULL, NULL, before, "PageAlloc alloc") /
                      evidence_value(e, NULL, NULL, NULL, before, "Total alloc");

        if (!isfinite(made))
                missing("slab statistics");
        Problem p = { .n_params = 1,
                      .n_rows = 1,
                      .usual = { 10 },
                      .spread = { 3 },
                      .floor = { -10 },
                      .residuals = run_residuals,
                      .data = &made };
        solve(&p);
        printf("# slabs made for an object: %.3g, sum of squares %.3f\n", made, p.sum);
        print("all", "slab_run_mu", p.best[0]);
        return p.best[0];
}

/* arm64 pair: orders by one CPU against orders by all. hackbench -l 16000 -g 16 sends 16 * 20 * 20 * 16000 messages. */
#define PAIR_MESSAGES (16.0 * 20 * 20 * 16000)

typedef struct PairData {
        double all, one; /* seconds */
        double exponent, run_mu;
} PairData;

static void pair_residuals(const Problem *p, const double *params, double *ret) {
        static PlantRates r;
        const PairData *d = p->data;
        PlantParams m;
        PlantWorkload w;

        plant_params_init(&m);
        m.list_ns = params[0];
        m.list_order_factor = params[1];
        m.think_ns = params[2];
        m.list_exponent = d->exponent;
        m.slab_run_mu = d->run_mu;
        plant_workload_init(&w);
        w.pages = 0;
        w.list_factor = MESSAGE_PAGES;
        slab_predict(&hackbench_arm64, &m, &w, 0, &r);
        ret[0] = log(PAIR_MESSAGES / r.work / d->all) / 0.01;
        slab_predict(&hackbench_arm64, &m, &w, 1, &r);
        ret[1] = log(PAIR_MESSAGES / r.work / d->one) / 0.01;
}

static void fit_pair(const Evidence *e, double exponent, double run_mu, double best[static 3]) {
        PairData d = {
                .all = evidence_value(e, "arm64", "hackbench", NULL, "v5.10", "elapsed mean"),
                .one = evidence_value(e, "arm64", "hackbench", NULL, "v5.11-rc4", "elapsed mean"),
                .exponent = exponent,
                .run_mu = run_mu
        };

        if (!isfinite(d.all) || !isfinite(d.one))
                missing("arm64 pair");
        Problem p = { .n_params = 3,
                      .n_rows = 2,
                      .usual = { 300, 0.6, 4000 },
                      .spread = { 1, 0.5, 0.5 },
                      .residuals = pair_residuals,
                      .data = &d };
        solve(&p);
        printf("# arm64 pair: sum of squares %.2f\n", p.sum);
        print("arm64-224", "list_ns", p.best[0]);
        print("arm64-224", "list_order_factor", p.best[1]);
        print("arm64-224", "think_ns", p.best[2]);
        print("arm64-224", "list_exponent", exponent);
        memcpy(best, p.best, 3 * sizeof(*best));
}

/* Zone lock of the unchanged kernel (orders by one CPU) on 80 CPUs: mean hold, mean wait of an acquisition, frees of single
 * blocks against bulk frees among those that waited. Half of the acquisitions are taken to be for slabs of objects of processes (assumed). Slab parameters are those of the arm64 pair. */
typedef struct TotalsData {
        double hold_ns, wait_ns, single_to_bulk;
        double pair[3], exponent, run_mu;
} TotalsData;

static void totals_residuals(const Problem *p, const double *params, double *ret) {
        static PlantRates all, slabs;
        const TotalsData *d = p->data;
        SlabLoad load;
        PlantParams m;
        PlantWorkload w;

        plant_params_init(&m);
        m.list_ns = d->pair[0];
        m.list_order_factor = d->pair[1];
        m.think_ns = d->pair[2];
        m.list_exponent = d->exponent;
        m.zone_handover_ns = params[0];
        m.zone_page_ns =
                0; /* one mean is known for holds of one block and of 63 pages: taken as equal */
        m.lru_ns = 0;
        m.slab_run_mu = d->run_mu;
        hackbench_80(params[1], &load, &w);
        w.pages = params[2];
        w.high_order = fmin(params[3], 1);
        slab_predict(&load, &m, &w, 1, &all);
        w.pages = 0;
        slab_predict(&load, &m, &w, 1, &slabs);
        double bulk = params[2] * (1 - w.high_order) /
                      63; /* frees a unit of work: through page lists, in batches */
        double single = all.zone_holds / all.work / 2 - bulk;
        ret[0] = log(all.zone_hold_cpus / all.zone_holds * 1e9 / d->hold_ns) / 0.01;
        ret[1] = log(all.zone_wait / all.zone_holds * 1e9 / d->wait_ns) / 0.01;
        ret[2] = log(2 * (slabs.zone_holds / slabs.work) / (all.zone_holds / all.work)) / 0.01;
        ret[3] = log(single / bulk / d->single_to_bulk) / 0.01;
}

static void fit_totals(const Evidence *e, double exponent, double run_mu,
                       const double pair[static 3]) {
        double n = evidence_value(e, NULL, NULL, NULL, "num_online_cpus (vanilla)",
                                  "zone->lock acquisitions");
        TotalsData d = {
                .hold_ns = 1000 / n *
                           evidence_value(e, NULL, NULL, NULL, "num_online_cpus (vanilla)",
                                          "zone->lock holdtime-total"),
                .wait_ns = 1000 / n *
                           evidence_value(e, NULL, NULL, NULL, "num_online_cpus (vanilla)",
                                          "zone->lock waittime-total"),
                .single_to_bulk = evidence_value(e, NULL, NULL, NULL, "num_online_cpus (vanilla)",
                                                 "waiter at free_one_page") /
                                  evidence_value(e, NULL, NULL, NULL, "num_online_cpus (vanilla)",
                                                 "waiter at free_pcppages_bulk"),
                .exponent = exponent,
                .run_mu = run_mu,
        };

        if (!isfinite(d.hold_ns) || !isfinite(d.wait_ns) || !isfinite(d.single_to_bulk))
                missing("zone lock totals");
        memcpy(d.pair, pair, sizeof(d.pair));
        Problem p = { .n_params = 4,
                      .n_rows = 4,
                      .usual = { 800, 0.03, 0.3, 0.1 },
                      .spread = { 3, 3, 3, 3 },
                      .residuals = totals_residuals,
                      .data = &d };
        solve(&p);
        printf("# zone lock totals of 80 CPUs: hold %.0f ns, wait %.0f ns an acquisition, sum of squares %.2f\n",
               d.hold_ns, d.wait_ns, p.sum);
        print("hackbench-80", "zone_handover_ns", p.best[0]);
        print("hackbench-80", "zone_page_ns", 0);
        print("hackbench-80", "workload.process_objects", p.best[1]);
        print("hackbench-80", "workload.pages", p.best[2]);
        print("hackbench-80", "workload.high_order", fmin(p.best[3], 1));
        SlabLoad load;
        PlantWorkload w;
        hackbench_80(p.best[1], &load, &w);
        print("hackbench-80", "workload.list_factor", w.list_factor);
        for (size_t i = 0; i < ELEMENTSOF(load.cache) && load.cache[i].name; i++) {
                char text[64];

                snprintf(text, sizeof(text), "share.%s", load.cache[i].name);
                print("hackbench-80", text, load.cache[i].share);
        }
        print("hackbench-80", "list_ns", pair[0]);
        print("hackbench-80", "list_order_factor", pair[1]);
        print("hackbench-80", "list_exponent", exponent);
        print("hackbench-80", "think_ns", pair[2]);
}

/* Kernel builds: share of CPU time that waits for zone->lock and pages that pass it, before and with tuned lists. */
typedef struct BuildData {
        double wait_base, wait_tuned, passing, page_ns, handover_ns;
} BuildData;

static void build_residuals(const Problem *p, const double *params, double *ret) {
        const BuildData *d = p->data;
        SweepPoint base, tuned;
        double passing_base, passing_tuned;

        build_predict(params, d->page_ns, d->handover_ns, BUILD_HIGH_BASE, &base, &passing_base);
        build_predict(params, d->page_ns, d->handover_ns, BUILD_HIGH_MAX, &tuned, &passing_tuned);
        ret[0] = (base.zone_share - d->wait_base) / 1;
        ret[1] = (tuned.zone_share - d->wait_tuned) / 1;
        ret[2] = log(passing_tuned / passing_base / d->passing) / 0.05;
}

static void fit_build(const Evidence *e, double page_ns, double handover_ns) {
        BuildData d = {
                .wait_base = evidence_value(e, NULL, NULL, NULL, "base", "zone lock"),
                .wait_tuned = evidence_value(e, NULL, NULL, NULL, "patch7", "zone lock"),
                .passing = evidence_value(e, NULL, NULL, NULL, "patch7", "pages allocated") / 100,
                .page_ns = page_ns,
                .handover_ns = handover_ns,
        };

        if (!isfinite(d.wait_base) || !isfinite(d.wait_tuned) || !isfinite(d.passing))
                missing("kernel builds");
        Problem p = { .n_params = BUILD_PARAMS,
                      .n_rows = 3,
                      .usual = { 6, 1.5, 10000 },
                      .spread = { 1, 0.7, 3 },
                      .residuals = build_residuals,
                      .data = &d };
        solve(&p);
        printf("# kernel builds: sum of squares %.2f\n", p.sum);
        print("sapphire-rapids-224", "zone_page_ns", page_ns);
        print("sapphire-rapids-224", "zone_handover_ns", handover_ns);
        print("sapphire-rapids-224", "run_mu", p.best[BUILD_MU]);
        print("sapphire-rapids-224", "run_sigma", p.best[BUILD_SIGMA]);
        print("sapphire-rapids-224", "build.think_ns", p.best[BUILD_THINK]);
}

int main(int argc, char **argv) {
        Evidence e;
        double fixed, page, pair[3];

        if (argc == 4 && strcmp(argv[1], "--strip") == 0) {
                for (size_t i = 0; evidence_files[i]; i++)
                        evidence_strip(argv[2], evidence_files[i], argv[3]);
                return 0;
        }
        if (argc != 2) {
                fprintf(stderr, "usage: calibrate EVIDENCE | calibrate --strip EVIDENCE OUT\n");
                return 2;
        }
        gsl_set_error_handler_off();

        evidence_load(argv[1], "pcp_batch_page_fault1", true, &e);
        for (size_t i = 0; i < SWEEP_MACHINES; i++)
                fit_sweep(&e, &sweep_machines[i]);
        evidence_free(&e);

        evidence_load(argv[1], "pcp_batch_latency", true, &e);
        fit_holds(&e, "Sapphire Rapids", "sapphire-rapids-224", &fixed, &page);
        evidence_free(&e);

        evidence_load(argv[1], "pcp_autotune", true, &e);
        fit_build(&e, page, fixed);
        evidence_free(&e);

        evidence_load(argv[1], "seed1_cpu_partial", true, &e);
        double run_mu = fit_run(&e);
        evidence_free(&e);

        evidence_load(argv[1], "slub_listlock", true, &e);
        double exponent = fit_list(&e);
        evidence_free(&e);

        evidence_load(argv[1], "slub_order", true, &e);
        fit_pair(&e, exponent, run_mu, pair);
        print("sapphire-rapids-224", "list_order_factor", pair[1]);
        evidence_free(&e);

        evidence_load(argv[1], "seed0_lockstat", true, &e);
        fit_totals(&e, exponent, run_mu, pair);
        evidence_free(&e);
        return 0;
}
