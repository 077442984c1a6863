/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Truth without noise: costs of static settings, and metrics of variants against each other.
 *
 * A metric that is not a share or a rate of its own kind is for each unit of work: what a benchmark of fixed work reports at its end
 * (seconds, lock waits, refills) is this times the work, so that the ratio of two runs is the ratio of the metric. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulate.h"

void phase_shares(const Scenario *s, double *shares) {
        usec_t at = 0, end = MAX(s->duration_usec, (usec_t) 1);
        unsigned phase = 0;

        for (unsigned i = 0; i < SIM_PHASES_MAX; i++)
                shares[i] = 0;
        for (unsigned i = 0; i < s->sim.n_events; i++) {
                const SimEvent *e = &s->sim.event[i];
                usec_t until = MIN(e->at_usec, end);

                if (e->kind != SIM_EVENT_PHASE || e->index >= s->sim.n_phases || until < at)
                        continue;
                shares[phase] += (double) (until - at) / (double) end;
                at = until;
                phase = e->index;
        }
        shares[phase] += (double) (end - at) / (double) end;
}

/* Sums of what is asked of rates here; the waits of single caches stay those of the last phase. */
static void add(PlantRates *sum, const PlantRates *r, double share) {
        static const size_t fields[] = {
                offsetof(PlantRates, work),
                offsetof(PlantRates, pages),
                offsetof(PlantRates, kernel_cpus),
                offsetof(PlantRates, user_cpus),
                offsetof(PlantRates, idle_cpus),
                offsetof(PlantRates, zone_wait),
                offsetof(PlantRates, list_wait),
                offsetof(PlantRates, lru_wait),
                offsetof(PlantRates, zone_holds),
                offsetof(PlantRates, list_holds),
                offsetof(PlantRates, zone_hold_cpus),
                offsetof(PlantRates, pcp_pages_per_cpu),
                offsetof(PlantRates, refill_pages),
                offsetof(PlantRates, slab_pages),
                offsetof(PlantRates, partial_refills),
                offsetof(PlantRates, thp_faults),
                offsetof(PlantRates, thp_fallbacks),
                offsetof(PlantRates, compact_stalls),
                offsetof(PlantRates, compact_fails),
                offsetof(PlantRates, stall_some),
                offsetof(PlantRates, stall_full),
                offsetof(PlantRates, reclaim_scanned),
                offsetof(PlantRates, allocstalls),
        };

        for (size_t i = 0; i < ELEMENTSOF(fields); i++) {
                double *to = (double *) (void *) ((char *) sum + fields[i]);
                const double *from = (const double *) (const void *) ((const char *) r + fields[i]);

                *to += *from * share;
        }
}

int mixed_rates(const Machine *m, const double *shares, unsigned n_phases, const char *const *paths,
                const char *const *texts, size_t n, PlantRates *ret) {
        PlantRates *one = calloc(1, sizeof(*one));

        if (!one)
                return -ENOMEM;
        *ret = (PlantRates){ 0 };
        for (unsigned i = 0; i < n_phases; i++) {
                int r = shares[i] > 0 ? sim_what_if(m, i, paths, texts, n, one) : 0;

                if (r != 0) {
                        free(one);
                        return r < 0 ? r : 1;
                }
                if (shares[i] > 0)
                        add(ret, one, shares[i]);
        }
        free(one);
        return 0;
}

/* ns of kernel CPU for 1,000 pages: 10^9 ns a CPU-second, 10^3 pages. Without pages: for 1,000 units of work. */
static double kernel_cost(const PlantRates *r) {
        double pages = r->pages > 0 ? r->pages : r->work;

        return pages > 0 ? 1e12 * r->kernel_cpus / pages : 0;
}

/* ppm of the time in which some task waits; one more, so that a machine without stalls is no division by zero. */
static double stall_cost(const PlantRates *r) {
        return 1e6 * r->stall_some + 1;
}

static double time_cost(const PlantRates *r) {
        return r->work > 0 ? 1e9 / r->work : 0;
}

/* An application's number is what the scenario lets it write: its throughput (here as time for a unit of work), or our cost. */
const CostKind *cost_kind(const Scenario *s, const Policy *policy) {
        static const CostKind kernel = { "ns", kernel_cost }, stall = { "ppm", stall_cost },
                              work = { "ns", time_cost };

        if (!policy)
                return &kernel;
        if (strncmp(policy->cost, "psi-memory", strlen("psi-memory")) == 0)
                return &stall;
        for (unsigned i = 0; i < s->sim.n_events; i++)
                if (strncmp(policy->cost, "external:", strlen("external:")) == 0 &&
                    s->sim.event[i].kind == SIM_EVENT_EXTERNAL &&
                    strcmp(s->sim.event[i].text, "throughput") == 0)
                        return &work;
        return &kernel;
}

/* Costs of phases by their time, not the cost of mean rates: an idle phase has few pages, and its time counts all the same. */
int mixed_cost(const Machine *m, const double *shares, unsigned n_phases, const CostKind *kind,
               const char *const *paths, const char *const *texts, size_t n, double *ret) {
        PlantRates *one = calloc(1, sizeof(*one));
        double sum = 0;

        if (!one)
                return -ENOMEM;
        for (unsigned i = 0; i < n_phases; i++) {
                int r = shares[i] > 0 ? sim_what_if(m, i, paths, texts, n, one) : 0;

                if (r != 0) {
                        free(one);
                        return r < 0 ? r : 1;
                }
                if (shares[i] > 0)
                        sum += kind->of(one) * shares[i];
        }
        free(one);
        *ret = sum;
        return 0;
}

static double of_work(const PlantRates *r, double value) {
        return r->work > 0 ? value / r->work : 0;
}

static double metric_value(const char *name, const PlantRates *r) {
        const struct {
                const char *name;
                double value;
        } metrics[] = {
                { "throughput", r->work },
                { "cost", kernel_cost(r) },
                { "system-cpu", of_work(r, r->kernel_cpus) },
                { "elapsed", of_work(r, 1) },
                { "zone-lock-wait", of_work(r, r->zone_wait) },
                { "list-lock-wait", of_work(r, r->list_wait) },
                { "lru-lock-wait", of_work(r, r->lru_wait) },
                { "zone-lock-holds", of_work(r, r->zone_holds) },
                { "list-lock-holds", of_work(r, r->list_holds) },
                { "partial-refills", of_work(r, r->partial_refills) },
                { "slab-pages", of_work(r, r->slab_pages) },
                { "parked", r->pcp_pages_per_cpu },
                { "compact-stall", of_work(r, r->compact_stalls) },
        };

        for (size_t i = 0; i < ELEMENTSOF(metrics); i++)
                if (strcmp(metrics[i].name, name) == 0)
                        return metrics[i].value;
        return 0;
}

static void change_number(void *object, size_t offset, double value, bool factor) {
        double *field = (double *) (void *) ((char *) object + offset);

        *field = factor ? *field * value : value;
}

static void change_params(SimSpec *spec, const ScenarioVariant *v) {
        static const char workload[] = "workload.";

        for (unsigned i = 0; i < v->n_params; i++) {
                const char *name = v->param[i].name;
                const PlantParamSpec *param;
                const PlantWorkloadSpec *cause;

                if (strncmp(name, workload, sizeof(workload) - 1) != 0) {
                        param = plant_param_find(name);
                        if (param)
                                change_number(&spec->machine.params, param->offset,
                                              v->param[i].value, v->param[i].factor);
                        continue;
                }
                cause = plant_workload_find(name + sizeof(workload) - 1);
                for (unsigned k = 0; cause && k < spec->n_phases; k++)
                        change_number(&spec->phase[k], cause->offset, v->param[i].value,
                                      v->param[i].factor);
        }
}

static const ScenarioVariant *variant_of(const Scenario *s, const char *name) {
        for (unsigned i = 0; i < s->n_variants; i++)
                if (strcmp(s->variant[i].name, name) == 0)
                        return &s->variant[i];
        return NULL;
}

/* A machine of its own, without noise and events, settled with the values of the variant; NULL: the scenario itself. */
static int variant_rates(const Scenario *s, const ScenarioVariant *v, PlantRates *ret, char *why,
                         size_t why_size) {
        const char *paths[ELEMENTSOF(v->set)], *texts[ELEMENTSOF(v->set)];
        double shares[SIM_PHASES_MAX];
        SimSpec *spec = calloc(1, sizeof(*spec));
        Machine *m = NULL;
        int r;

        if (!spec)
                return -ENOMEM;
        *spec = s->sim;
        spec->noise = SIM_NOISE_NONE;
        spec->n_events = 0;
        if (v && v->kernel[0])
                spec->machine.kernel = plant_kernel_find(v->kernel);
        if (v && v->slab_boot_cpus > 0)
                spec->machine.slab_boot_cpus = v->slab_boot_cpus;
        if (v)
                change_params(spec, v);
        r = sim_machine_new(spec, &m, why, why_size);
        for (unsigned i = 0; v && i < v->n_sets; i++) {
                paths[i] = v->set[i].path;
                texts[i] = v->set[i].text;
        }
        phase_shares(s, shares);
        if (r == 0)
                r = mixed_rates(m, shares, spec->n_phases, paths, texts, v ? v->n_sets : 0, ret);
        if (r == 1)
                (void) text_format(why, why_size, "variant %s: the kernel refuses a value",
                                   v ? v->name : s->name);
        if (r == -EINVAL)
                r = 1;
        m = machine_free(m);
        free(spec);
        return r;
}

int metric_ratio(const Scenario *s, const ScenarioExpect *expect, bool *ret_known,
                 double *ret_ratio, char *why, size_t why_size) {
        PlantRates *rates = calloc(2, sizeof(*rates));
        double above, below;
        int r;

        if (!rates)
                return -ENOMEM;
        r = variant_rates(s, variant_of(s, expect->variant), &rates[0], why, why_size);
        if (r == 0)
                r = variant_rates(s, variant_of(s, expect->against), &rates[1], why, why_size);
        if (r == 0) {
                above = metric_value(expect->metric, &rates[0]);
                below = metric_value(expect->metric, &rates[1]);
                *ret_known = below > 0 && isfinite(above / below);
                *ret_ratio = *ret_known ? above / below : 0;
        }
        free(rates);
        return r;
}
