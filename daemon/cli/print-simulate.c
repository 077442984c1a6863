/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print-simulate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "cli/simulate-check.h"
#include "cli/table.h"

static uint64_t whole(double value) {
        return (uint64_t) fmin(fmax(floor(value + 0.5), 0), 9e15);
}

/* "x to y" of a cost, each as its unit is read. */
static Human cost_text(double cost, const char *unit) {
        if (strcmp(unit, "ppm") == 0)
                return human_share((int64_t) whole(cost));
        return human_nsec(whole(cost));
}

static Human signed_share(int64_t ppm) {
        Human h = human_share(ppm < 0 ? -ppm : ppm), out;

        (void) text_format(out.text, sizeof(out.text), "%s%s", ppm < 0 ? "-" : "", h.text);
        return out;
}

static void add_cost(Table *t, const SimulateResult *r, double cost, const char *value) {
        if (!r->cost_known)
                table_add(t, STYLE_DIM, "-");
        else if (value[0])
                table_add(t, STYLE_PLAIN, "%s at %s", cost_text(cost, r->unit).text, value);
        else
                table_add(t, STYLE_PLAIN, "%s", cost_text(cost, r->unit).text);
}

static void add_row(Table *t, const SimulateRow *row) {
        const SimulateResult *r = &row->result;

        table_add(t, STYLE_BOLD, "%s #%" PRIu64, row->scenario, r->seed);
        add_cost(t, r, r->cost_default, "");
        add_cost(t, r, r->cost_best, r->value_best);
        add_cost(t, r, r->cost_reached, r->value_reached);
        if (r->cost_known)
                table_add(t, STYLE_PLAIN, "%s", signed_share(r->regret_ppm).text);
        else
                table_add(t, STYLE_DIM, "-");
        if (r->ran)
                table_add(t, STYLE_PLAIN, "%" PRIu64 " of %" PRIu64, r->counts.accepted,
                          r->counts.trials);
        else
                table_add(t, STYLE_DIM, "-");
        table_add(t, STYLE_PLAIN, "%s",
                  r->hold_usec == USEC_UNKNOWN ? "-" : human_seconds(r->hold_usec).text);
        table_add(t, r->ok ? STYLE_GOOD : STYLE_BAD, "%s", r->ok ? "ok" : "no");
}

static void print_check(Output *o, const SimulateCheck *c) {
        char name[160] = "", wanted[160] = "", got[96] = "", published[32] = "";

        (void) check_name(c->expect, name, sizeof(name));
        (void) check_wanted(c->expect, wanted, sizeof(wanted));
        (void) check_got(c, got, sizeof(got));
        output_clean(name, sizeof(name));
        output_clean(wanted, sizeof(wanted));
        output_clean(got, sizeof(got));
        output_print(o, "  ");
        output_styled(o, c->ok ? STYLE_GOOD : STYLE_BAD, "%s", c->ok ? "ok" : "no");
        output_print(o, "  %s: %s, expected %s", name, got, wanted);
        if (c->expect->published_milli > 0) {
                (void) milli_text(c->expect->published_milli, published, sizeof(published));
                output_print(o, ", published %s", published);
        }
        output_print(o, "\n");
        if (c->expect->source[0])
                output_paragraph(o, 6, 6, STYLE_PLAIN, "", c->expect->source);
}

int print_simulate(Output *o, const SimulateRow *rows, size_t n) {
        static const TableColumn columns[] = {
                { "scenario", .least = 14 },  { "default", .right = true },
                { "best", .least = 10 },      { "reached", .least = 10 },
                { "regret", .right = true },  { "changes", .right = true },
                { "to hold", .right = true }, { "" },
        };
        Table t = TABLE(columns);
        int r;

        for (size_t i = 0; i < n; i++)
                add_row(&t, &rows[i]);
        r = table_print(&t, o);
        table_done(&t);
        for (size_t i = 0; i < n && r == 0; i++) {
                const SimulateResult *result = &rows[i].result;

                if (result->n_checks == 0)
                        continue;
                output_print(o, "\n%s #%" PRIu64 ": %" PRIu64 " guard events, %" PRIu64 " cuts\n",
                             rows[i].scenario, result->seed, result->counts.guard_events,
                             result->counts.cuts);
                for (unsigned k = 0; k < result->n_checks; k++)
                        print_check(o, &result->check[k]);
        }
        return r;
}

static json_t *finish(json_t *object, bool good) {
        if (good)
                return object;
        json_decref(object);
        return NULL;
}

/* Thousandths as a number. */
static json_t *milli(bool known, int64_t value) {
        if (!known)
                return json_null();
        return value % 1000 == 0 ? json_integer(value / 1000) : json_real((double) value / 1000.0);
}

static json_t *bound(const ScenarioExpect *e, bool known, int64_t value) {
        if (e->kind == EXPECT_METRIC)
                return milli(known, value);
        return known ? json_integer(value) : json_null();
}

static json_t *got(const SimulateCheck *c) {
        return c->text[0] ? cli_json_string(c->text) : bound(c->expect, c->known, c->got);
}

static json_t *json_check(const SimulateCheck *c) {
        const ScenarioExpect *e = c->expect;
        char name[160] = "", wanted[160] = "";
        json_t *j = json_object();

        (void) check_name(e, name, sizeof(name));
        (void) check_wanted(e, wanted, sizeof(wanted));
        return finish(j, cli_json_set(j, "expectation", cli_json_string(name)) &&
                                 cli_json_set(j, "got", got(c)) &&
                                 cli_json_set(j, "wanted", cli_json_string(wanted)) &&
                                 cli_json_set(j, "at_least", bound(e, e->least_known, e->least)) &&
                                 cli_json_set(j, "at_most", bound(e, e->most_known, e->most)) &&
                                 cli_json_set(j, "published",
                                              milli(e->published_milli > 0, e->published_milli)) &&
                                 cli_json_set(j, "source", cli_json_text(e->source)) &&
                                 cli_json_set(j, "ok", json_boolean(c->ok)));
}

static json_t *json_checks(const SimulateResult *r) {
        json_t *array = json_array();
        bool good = array != NULL;

        for (unsigned i = 0; good && i < r->n_checks; i++)
                good = json_array_append_new(array, json_check(&r->check[i])) == 0;
        return finish(array, good);
}

/* To the thousandth of its unit. */
static json_t *cost(bool known, double value) {
        return known ? json_real(floor(value * 1000 + 0.5) / 1000) : json_null();
}

static json_t *count(const SimulateResult *r, uint64_t value) {
        return r->ran ? cli_json_u64(value) : json_null();
}

json_t *json_simulate(const SimulateRow *row) {
        const SimulateResult *r = &row->result;
        json_t *j = json_object(),
               *hold = r->hold_usec == USEC_UNKNOWN ? json_null() : cli_json_usec(r->hold_usec);

        return finish(
                j,
                cli_json_set(j, "scenario", cli_json_string(row->scenario)) &&
                        cli_json_set(j, "seed", cli_json_u64(r->seed)) &&
                        cli_json_set(j, "default", cost(r->cost_known, r->cost_default)) &&
                        cli_json_set(j, "best", cost(r->cost_known, r->cost_best)) &&
                        cli_json_set(j, "best_value", cli_json_text(r->value_best)) &&
                        cli_json_set(j, "reached", cost(r->cost_known, r->cost_reached)) &&
                        cli_json_set(j, "reached_value", cli_json_text(r->value_reached)) &&
                        cli_json_set(j, "regret_ppm",
                                     r->cost_known ? json_integer(r->regret_ppm) : json_null()) &&
                        cli_json_set(j, "changes", count(r, r->counts.accepted)) &&
                        cli_json_set(j, "trials", count(r, r->counts.trials)) &&
                        cli_json_set(j, "seconds_to_hold", hold) &&
                        cli_json_set(j, "guard_events", count(r, r->counts.guard_events)) &&
                        cli_json_set(j, "ok", json_boolean(r->ok)) &&
                        cli_json_set(j, "checks", json_checks(r)));
}

/* Share of all CPUs. */
static int64_t wait_ppm(double cpus_waiting, unsigned cpus) {
        return (int64_t) whole(1e6 * cpus_waiting / MAX(cpus, 1u));
}

int print_sweep(Output *o, const SweepTable *s) {
        static const TableColumn columns[] = {
                { "value" },
                { "cost", .right = true },
                { "throughput", .right = true },
                { "zone wait", .right = true },
                { "list wait", .right = true },
                { "lru wait", .right = true },
                { "parked per CPU", .right = true },
                { "stalls", .right = true },
        };
        Table t = TABLE(columns);
        int r;

        output_print(o, "%s: %s\n\n", s->scenario, s->knob);
        for (size_t i = 0; i < s->n; i++) {
                const SweepPoint *p = &s->points[i];

                table_add(&t, STYLE_BOLD, "%s%s", p->value, i == 0 ? " (default)" : "");
                table_add(&t, STYLE_PLAIN, "%s", cost_text(p->cost, s->unit).text);
                table_add(&t, STYLE_PLAIN, "%s", human_count(whole(p->rates.work)).text);
                table_add(&t, STYLE_PLAIN, "%s",
                          human_share(wait_ppm(p->rates.zone_wait, s->cpus)).text);
                table_add(&t, STYLE_PLAIN, "%s",
                          human_share(wait_ppm(p->rates.list_wait, s->cpus)).text);
                table_add(&t, STYLE_PLAIN, "%s",
                          human_share(wait_ppm(p->rates.lru_wait, s->cpus)).text);
                table_add(&t, STYLE_PLAIN, "%s",
                          human_count(whole(p->rates.pcp_pages_per_cpu)).text);
                table_add(&t, STYLE_PLAIN, "%s",
                          human_share((int64_t) whole(1e6 * p->rates.stall_some)).text);
        }
        r = table_print(&t, o);
        table_done(&t);
        return r;
}

bool json_sweep(json_t *array, const SweepTable *s) {
        bool good = array != NULL;

        for (size_t i = 0; good && i < s->n; i++) {
                const SweepPoint *p = &s->points[i];
                json_t *j = json_object();

                good = cli_json_set(j, "scenario", cli_json_string(s->scenario)) &&
                       cli_json_set(j, "knob", cli_json_string(s->knob)) &&
                       cli_json_set(j, "value", cli_json_string(p->value)) &&
                       cli_json_set(j, "cost", cost(true, p->cost)) &&
                       cli_json_set(j, "unit", cli_json_string(s->unit)) &&
                       cli_json_set(j, "throughput", cost(true, p->rates.work)) &&
                       cli_json_set(j, "zone_lock_wait_ppm",
                                    json_integer(wait_ppm(p->rates.zone_wait, s->cpus))) &&
                       cli_json_set(j, "list_lock_wait_ppm",
                                    json_integer(wait_ppm(p->rates.list_wait, s->cpus))) &&
                       cli_json_set(j, "lru_lock_wait_ppm",
                                    json_integer(wait_ppm(p->rates.lru_wait, s->cpus))) &&
                       cli_json_set(j, "parked_pages_per_cpu",
                                    cost(true, p->rates.pcp_pages_per_cpu)) &&
                       cli_json_set(j, "memory_stall_ppm",
                                    json_integer((json_int_t) whole(1e6 * p->rates.stall_some)));
                if (!good)
                        json_decref(j);
                else
                        good = json_array_append_new(array, j) == 0;
        }
        return good;
}
