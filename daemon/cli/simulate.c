/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One scenario, one seed. The machine is asked for the truth only here and in simulate-metric.c: the session sees files. */
#include "cli/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/simulate-check.h"
#include "session/config.h"

#define CHANGED_MAX 64u
#define READ_MAX 4096u
/* A value counts as worse than the default from here on (bound "worse-time"). */
#define WORSE_RATIO 1.03

typedef struct StartValue {
        char path[176];
        char text[64];
} StartValue;

/* Values that are ours now, as they were found: what a static setting is compared on. */
typedef struct Originals {
        const char *path[CHANGED_MAX + SIMULATE_GROUP_MAX], *text[CHANGED_MAX + SIMULATE_GROUP_MAX];
        size_t n;
} Originals;

typedef struct Run {
        const Scenario *scenario;
        const SimulateOptions *options;
        SimSpec *spec;
        Machine *m;
        Session *session;
        SenseExternal *externals;
        StartValue *start; /* of the knobs of the first plan */
        size_t n_start;
        usec_t start_usec;
        double shares[SIM_PHASES_MAX];
        /* worse-time: the last comparison, until something changes */
        bool watch_worse, worse;
        uint64_t seen_writes;
        unsigned seen_phase, seen_online;
        usec_t last_usec, worse_usec, whole_usec;
} Run;

static bool read_value(Machine *m, const char *path, char *buffer, size_t size) {
        Text text;

        arena_reset(&m->scratch);
        return machine_read(m, path, READ_MAX, &m->scratch, &text) == 0 &&
               text_copy(buffer, size, text_strip(text));
}

static int keep_start(Run *run) {
        const Plan *plan = session_plan(run->session);

        run->start = calloc(plan->n_knobs + 1, sizeof(*run->start));
        if (!run->start)
                return -ENOMEM;
        for (size_t i = 0; i < plan->n_knobs; i++) {
                StartValue *v = &run->start[run->n_start];

                (void) text_copy(v->path, sizeof(v->path), text_from(plan->knobs[i].path));
                run->n_start += read_value(run->m, v->path, v->text, sizeof(v->text));
        }
        return 0;
}

/* Somebody else's writes in the scenario are no affair of ours. */
static bool written_by_others(const Scenario *s, const char *path) {
        for (unsigned i = 0; i < s->sim.n_events; i++)
                if (s->sim.event[i].kind == SIM_EVENT_WRITE &&
                    strcmp(s->sim.event[i].path, path) == 0)
                        return true;
        return false;
}

static bool is_restored(const Run *run) {
        char text[64];

        for (size_t i = 0; i < run->n_start; i++) {
                const StartValue *v = &run->start[i];

                if (!written_by_others(run->scenario, v->path) &&
                    read_value(run->m, v->path, text, sizeof(text)) && strcmp(text, v->text) != 0)
                        return false;
        }
        return true;
}

static void originals(const Run *run, Originals *ret) {
        const Ledger *ledger = session_ledger(run->session);

        *ret = (Originals){ 0 };
        for (size_t i = 0; i < ledger->n && ret->n < CHANGED_MAX; i++) {
                const LedgerEntry *e = &ledger->entries[i];

                if (e->state != LEDGER_OURS && e->state != LEDGER_OPEN)
                        continue;
                ret->path[ret->n] = e->path;
                ret->text[ret->n] = e->original;
                ret->n++;
        }
}

static int begin(Run *run, char *why, size_t why_size) {
        SessionConfig config;
        int r;

        run->spec = calloc(1, sizeof(*run->spec));
        run->externals = calloc(run->scenario->conf->n_externals + 1, sizeof(*run->externals));
        if (!run->spec || !run->externals)
                return -ENOMEM;
        *run->spec = run->scenario->sim;
        run->spec->seed = run->options->seed;
        r = sim_machine_new(run->spec, &run->m, why, why_size);
        if (r < 0)
                return r == -EINVAL ? 1 : r;
        session_config_init(run->scenario->conf, run->externals, &config);
        config.engine.seed = run->options->seed;
        config.policies = run->options->policies;
        config.n_policies = run->options->n_policies;
        r = session_new(run->m, &config, &run->session);
        if (r > 0) {
                (void) text_copy(why, why_size, TEXT("the machine cannot be read"));
                return 1;
        }
        if (r == 0)
                r = keep_start(run);
        if (r < 0)
                return r;
        run->start_usec = run->last_usec = session_now(run->session);
        phase_shares(run->scenario, run->shares);
        return 0;
}

static void end(Run *run) {
        run->session = session_free(run->session);
        run->m = machine_free(run->m);
        free(run->spec);
        free(run->externals);
        free(run->start);
}

/* Whether what is set now is worse than what was found, in the phase and with the CPUs of now: asked again only when one of them changed. */
static int look_worse(Run *run) {
        const CostKind *kind;
        double one[SIM_PHASES_MAX] = { 0 }, now, was;
        unsigned online = session_plan(run->session)->n_online;
        usec_t at = session_now(run->session);
        SimTruth *truth = calloc(1, sizeof(*truth));
        Originals back;
        int r = 0;

        if (!truth)
                return -ENOMEM;
        sim_truth(run->m, truth);
        run->whole_usec += at - run->last_usec;
        if (run->worse)
                run->worse_usec += at - run->last_usec;
        run->last_usec = at;
        if (truth->n_writes != run->seen_writes || truth->phase != run->seen_phase ||
            online != run->seen_online) {
                originals(run, &back);
                one[truth->phase] = 1;
                kind = cost_kind(run->scenario,
                                 run->options->n_policies ? &run->options->policies[0] : NULL);
                r = mixed_cost(run->m, one, run->spec->n_phases, kind, NULL, NULL, 0, &now);
                if (r == 0)
                        r = mixed_cost(run->m, one, run->spec->n_phases, kind, back.path, back.text,
                                       back.n, &was);
                if (r == 0)
                        run->worse = now > was * WORSE_RATIO;
                run->seen_writes = truth->n_writes;
                run->seen_phase = truth->phase;
                run->seen_online = online;
        }
        free(truth);
        return r < 0 ? r : 0;
}

static int go(Run *run, char *why, size_t why_size) {
        usec_t end_usec = u64_add_sat(run->start_usec, run->scenario->duration_usec), now;
        unsigned share_shown = 0;
        int r = 0;

        while ((now = session_now(run->session)) < end_usec) {
                usec_t passed = now - run->start_usec;
                unsigned share = (unsigned) (passed * 200 /
                                             MAX(run->scenario->duration_usec, (usec_t) 1));

                if (run->options->progress && (share != share_shown || passed == 0))
                        run->options->progress(run->options->userdata, passed,
                                               run->scenario->duration_usec);
                share_shown = share;
                r = session_tick(run->session);
                if (r == 0 && run->watch_worse)
                        r = look_worse(run);
                if (r != 0)
                        break;
        }
        if (r > 0) {
                (void) text_copy(why, why_size, TEXT("the machine ended early"));
                return 1;
        }
        return r;
}

/* The knob that static settings are looked for of: as the scenario says, else that of the first policy at work. */
static const char *swept_knob(const Run *run) {
        const Plan *plan = session_plan(run->session);
        const PlanController *first = NULL;

        if (run->scenario->sweep_knob[0])
                return run->scenario->sweep_knob;
        for (size_t i = 0; i < plan->n_controllers; i++) {
                const PlanController *c = &plan->controllers[i];

                if (c->n_knobs > 0 && (!first || (c->may_try && !first->may_try)))
                        first = c;
        }
        return first ? first->policy->knob : "";
}

static int cost_of(const Run *run, const CostKind *kind, const Originals *back, const Setting *s,
                   double *ret) {
        Originals all = *back;

        for (unsigned i = 0; s && i < s->n; i++) {
                all.path[all.n] = s->write[i].path;
                all.text[all.n] = s->write[i].text;
                all.n++;
        }
        return mixed_cost(run->m, run->shares, run->spec->n_phases, kind, all.path, all.text, all.n,
                          ret);
}

static void reached_value(const Run *run, const Setting *s, char *buffer, size_t size) {
        const Plan *plan = session_plan(run->session);
        char raw[READ_MAX];
        int64_t value;

        for (size_t i = 0; s && s->n > 0 && i < plan->n_knobs; i++)
                if (strcmp(plan->knobs[i].path, s->write[0].path) == 0 &&
                    read_value(run->m, s->write[0].path, raw, sizeof(raw)) &&
                    knob_value_parse(plan->knobs[i].spec, text_from(raw), &value) &&
                    !knob_value_format(plan->knobs[i].spec, value, buffer, size))
                        buffer[0] = 0;
}

static int compare(const Run *run, SimulateResult *ret) {
        const Originals none = { 0 };
        const char *knob = swept_knob(run);
        const CostKind *kind;
        SettingList list;
        Originals back;
        double cost;
        int r = setting_list_make(session_plan(run->session), &run->spec->machine, knob,
                                  /* wide= */ false, &list);

        if (r < 0)
                return r;
        originals(run, &back);
        kind = cost_kind(run->scenario, list.policy);
        ret->unit = kind->unit;
        (void) text_copy(ret->knob, sizeof(ret->knob), text_from(knob));
        r = cost_of(run, kind, &back, list.n > 0 ? &list.items[0] : NULL, &ret->cost_default);
        if (r == 0)
                r = cost_of(run, kind, &none, NULL, &ret->cost_reached);
        ret->cost_known = r == 0;
        ret->cost_best = ret->cost_default;
        (void) text_copy(ret->value_best, sizeof(ret->value_best),
                         text_from(list.n > 0 ? list.items[0].value : ""));
        for (size_t i = 1; r == 0 && i < list.n; i++) {
                int refused = cost_of(run, kind, &back, &list.items[i], &cost);

                if (refused < 0)
                        r = refused;
                if (refused != 0 || cost >= ret->cost_best)
                        continue;
                ret->cost_best = cost;
                (void) text_copy(ret->value_best, sizeof(ret->value_best),
                                 text_from(list.items[i].value));
        }
        reached_value(run, list.n > 0 ? &list.items[0] : NULL, ret->value_reached,
                      sizeof(ret->value_reached));
        if (ret->cost_known && ret->cost_best > 0)
                ret->regret_ppm = (int64_t) fmin(
                        fmax(floor((ret->cost_reached / ret->cost_best - 1) * 1e6 + 0.5), -1e12),
                        1e12);
        setting_list_done(&list);
        return r < 0 ? r : 0;
}

static bool wants(const Scenario *s, ExpectKind kind) {
        for (unsigned i = 0; i < s->n_expects; i++)
                if (s->expect[i].kind == kind)
                        return true;
        return false;
}

static int finish_run(Run *run, SimulateResult *ret) {
        SimTruth *truth = calloc(1, sizeof(*truth));
        RunFacts facts = { .scenario = run->scenario,
                           .m = run->m,
                           .session = run->session,
                           .result = ret,
                           .truth = truth,
                           .worse_known = run->watch_worse && run->whole_usec > 0 };
        int r;

        if (!truth)
                return -ENOMEM;
        sim_truth(run->m, truth);
        engine_counts(session_engine(run->session), &ret->counts);
        if (ret->counts.first_hold_usec != USEC_UNKNOWN)
                ret->hold_usec = u64_sub_sat(ret->counts.first_hold_usec, run->start_usec);
        if (facts.worse_known)
                facts.worse_ppm = (int64_t) (1000000 * run->worse_usec / run->whole_usec);
        r = compare(run, ret);
        for (unsigned i = 0; r == 0 && i < run->scenario->n_expects; i++)
                check_run(&facts, &run->scenario->expect[i], &ret->check[i]);
        if (r == 0 && wants(run->scenario, EXPECT_RESTORED)) {
                r = session_stop(run->session);
                facts.restored = r == 0 && is_restored(run);
                for (unsigned i = 0; r == 0 && i < run->scenario->n_expects; i++)
                        if (run->scenario->expect[i].kind == EXPECT_RESTORED)
                                check_run(&facts, &run->scenario->expect[i], &ret->check[i]);
        }
        free(truth);
        return r;
}

static int metrics(const Scenario *s, SimulateResult *ret, char *why, size_t why_size) {
        for (unsigned i = 0; i < s->n_expects; i++) {
                SimulateCheck *c = &ret->check[i];
                double ratio = 0;
                int r;

                if (s->expect[i].kind != EXPECT_METRIC)
                        continue;
                *c = (SimulateCheck){ .expect = &s->expect[i] };
                r = metric_ratio(s, c->expect, &c->known, &ratio, why, why_size);
                if (r != 0)
                        return r;
                c->got = (int64_t) floor(fmin(ratio, 1e12) * 1000 + 0.5);
                check_bounds(c);
        }
        return 0;
}

int simulate_run(const Scenario *s, const SimulateOptions *options, SimulateResult *ret, char *why,
                 size_t why_size) {
        Run run = { .scenario = s,
                    .options = options,
                    .watch_worse = wants(s, EXPECT_WORSE_TIME),
                    .seen_writes = UINT64_MAX };
        int r = 0;

        *ret = (SimulateResult){ .seed = options->seed,
                                 .unit = "ns",
                                 .hold_usec = USEC_UNKNOWN,
                                 .n_checks = s->n_expects,
                                 .ok = true };
        for (unsigned i = 0; i < s->n_expects; i++)
                ret->check[i].expect = &s->expect[i];
        if (!s->compare_only) {
                r = begin(&run, why, why_size);
                if (r == 0)
                        r = go(&run, why, why_size);
                if (r == 0)
                        r = finish_run(&run, ret);
                ret->ran = r == 0;
                end(&run);
        }
        if (r == 0)
                r = metrics(s, ret, why, why_size);
        for (unsigned i = 0; i < ret->n_checks; i++)
                ret->ok = ret->ok && ret->check[i].ok;
        return r;
}

int simulate_sweep(const Scenario *s, const SimulateOptions *options, const char *knob,
                   SweepPoint **ret_points, size_t *ret_n, const char **ret_unit, char *why,
                   size_t why_size) {
        Run run = { .scenario = s, .options = options };
        SettingList list = { 0 };
        SweepPoint *points = NULL;
        size_t n = 0;
        int r = begin(&run, why, why_size);

        if (r == 0)
                r = setting_list_make(session_plan(run.session), &run.spec->machine, knob,
                                      /* wide= */ true, &list);
        if (r == 0 && list.n == 0) {
                (void) text_format(why, why_size,
                                   "no policy of the scenario can set the knob %s here", knob);
                r = 1;
        }
        if (r == 0) {
                points = calloc(list.n, sizeof(*points));
                r = points ? 0 : -ENOMEM;
        }
        *ret_unit = cost_kind(s, list.policy)->unit;
        for (size_t i = 0; r == 0 && i < list.n; i++) {
                const Originals none = { 0 };
                const char *paths[SIMULATE_GROUP_MAX], *texts[SIMULATE_GROUP_MAX];
                SweepPoint *p = &points[n];
                int refused = cost_of(&run, cost_kind(s, list.policy), &none, &list.items[i],
                                      &p->cost);

                for (unsigned k = 0; k < list.items[i].n; k++) {
                        paths[k] = list.items[i].write[k].path;
                        texts[k] = list.items[i].write[k].text;
                }
                if (refused == 0)
                        refused = mixed_rates(run.m, run.shares, run.spec->n_phases, paths, texts,
                                              list.items[i].n, &p->rates);
                if (refused < 0)
                        r = refused;
                if (refused != 0)
                        continue;
                (void) text_copy(p->value, sizeof(p->value), text_from(list.items[i].value));
                n++;
        }
        setting_list_done(&list);
        end(&run);
        if (r != 0) {
                free(points);
                return r;
        }
        *ret_points = points;
        *ret_n = n;
        return 0;
}
