/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloctune replay: the engine over a capture. Its writes are not carried out, so that a trial that it would have begun ends there: the past
 * does not react. Records become rows at once, as what they name is of the plan of their time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/number.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/table.h"
#include "session/config.h"

/* Windows are of this length unless a knob or policy says otherwise. */
#define WINDOW_USEC (10 * USEC_PER_SEC)

typedef struct Row {
        char id[320], kind[24], knob[48], scope[SCOPE_MAX], from[32], to[32], policy[64],
                signal[64], unit[16], evidence[16], verdict[24], reason[512];
        usec_t at_usec;
        bool value_known, target_known, effect_known;
        int64_t value_milli, target_milli, effect_ppm, low_ppm, high_ppm;
} Row;

/* A controller at the end: most often what there is to say is why it did nothing. */
typedef struct End {
        char policy[64], state[16], reason[512];
} End;

typedef struct Replay {
        const Options *options;
        End *ends;
        size_t n_ends;
        Row *rows;
        size_t n, allocated;
        uint64_t seen; /* number of the last record taken */
        usec_t start_usec, end_usec;
        unsigned frames;
} Replay;

static Row *next_row(Replay *r) {
        if (r->n == r->allocated) {
                size_t more = r->allocated ? r->allocated * 2 : 64;
                Row *rows = reallocarray(r->rows, more, sizeof(*rows));

                if (!rows)
                        return NULL;
                r->rows = rows;
                r->allocated = more;
        }
        r->rows[r->n] = (Row){ 0 };
        return &r->rows[r->n++];
}

static void take_knob(const Plan *plan, const Record *record, Row *row) {
        const PlanKnob *knob = record->knob < plan->n_knobs ? &plan->knobs[record->knob] : NULL;

        if (!knob)
                return;
        (void) text_copy(row->knob, sizeof(row->knob), text_from(knob->name));
        (void) text_copy(row->scope, sizeof(row->scope), text_from(knob->scope.name));
        if (record->from_known &&
            !knob_value_format(knob->spec, record->from, row->from, sizeof(row->from)))
                row->from[0] = 0;
        if (record->to_known &&
            !knob_value_format(knob->spec, record->to, row->to, sizeof(row->to)))
                row->to[0] = 0;
}

static bool take_record(Replay *r, const Engine *engine, const Plan *plan, const Record *record) {
        Row *row = next_row(r);
        const char *policy = record->policy ? record->policy->name : "";

        if (!row)
                return false;
        take_knob(plan, record, row);
        row->at_usec = record->at_usec;
        (void) text_copy(row->kind, sizeof(row->kind),
                         text_from(record_kind_to_string(record->kind)));
        (void) text_copy(row->policy, sizeof(row->policy), text_from(policy));
        if (record->decision > 0 && row->knob[0])
                (void) text_format(row->id, sizeof(row->id), "%s/%s/%s#%" PRIu64, policy, row->knob,
                                   row->scope, record->decision);
        if (record->watch < plan->n_watches) {
                const Watch *w = &plan->watches[record->watch];

                (void) text_copy(row->signal, sizeof(row->signal), text_from(w->name));
                (void) text_copy(row->unit, sizeof(row->unit),
                                 text_from(w->spec && w->spec->unit ? w->spec->unit : ""));
        }
        (void) text_copy(row->evidence, sizeof(row->evidence),
                         text_from(evidence_to_string(record->evidence)));
        if (record->verdict != TRIAL_PENDING)
                (void) text_copy(row->verdict, sizeof(row->verdict),
                                 text_from(trial_verdict_to_string(record->verdict)));
        row->value_known = record->value_known;
        row->value_milli = record->value_milli;
        row->target_known = record->target_known;
        row->target_milli = record->target_milli;
        row->effect_known = record->effect_known;
        row->effect_ppm = record->effect_ppm;
        row->low_ppm = record->low_ppm;
        row->high_ppm = record->high_ppm;
        (void) record_reason(engine, record, row->reason, sizeof(row->reason));
        return true;
}

static int take_records(Replay *r, const Session *session) {
        const Engine *engine = session_engine(session);
        const Record *record;

        for (size_t i = 0; (record = engine_record(engine, i)); i++) {
                if (record->number <= r->seen)
                        continue;
                r->seen = record->number;
                if (!take_record(r, engine, session_plan(session), record))
                        return -ENOMEM;
        }
        return 0;
}

static int take_ends(Replay *r, const Session *session) {
        const Engine *engine = session_engine(session);
        size_t n = session_plan(session)->n_controllers;
        ControllerView view;

        r->ends = calloc(n + 1, sizeof(*r->ends));
        if (!r->ends)
                return -ENOMEM;
        for (size_t i = 0; i < n && engine_controller(engine, i, &view); i++) {
                End *end = &r->ends[r->n_ends++];

                (void) text_copy(end->policy, sizeof(end->policy), text_from(view.policy->name));
                (void) text_copy(end->state, sizeof(end->state),
                                 text_from(controller_state_to_string(view.state)));
                (void) engine_controller_reason(engine, i, end->reason, sizeof(end->reason));
        }
        return 0;
}

static int run(Replay *r, Machine *m, const Conf *conf, const PolicySet *policies) {
        SenseExternal *externals = calloc(conf->n_externals + 1, sizeof(*externals));
        SessionConfig config;
        Session *session = NULL;
        usec_t first = machine_now(m);
        int error;

        if (!externals)
                return -ENOMEM;
        session_config_init(conf, externals, &config);
        config.policies = policies->policies;
        config.n_policies = policies->n;
        config.apply = false;
        config.engine.seed = 1; /* the same capture gives the same rows */
        error = session_new(m, &config, &session);
        r->start_usec = first;
        r->frames = error == 0 && session_now(session) > first; /* the second look, for rates */
        while (error == 0) {
                r->end_usec = session_now(session);
                error = take_records(r, session);
                if (error == 0)
                        error = session_tick(session);
                r->frames += error == 0;
        }
        if (error == MACHINE_E_END) {
                int ends = take_ends(r, session);

                error = ends < 0 ? ends : error;
        }
        session = session_free(session);
        free(externals);
        return error == MACHINE_E_END ? 0 : error;
}

static json_t *milli(bool known, int64_t value) {
        if (!known)
                return json_null();
        return value % 1000 == 0 ? json_integer(value / 1000) : json_real((double) value / 1000.0);
}

static json_t *interval(const Row *row) {
        json_t *array;

        if (!row->effect_known)
                return json_null();
        array = json_array();
        if (array && (json_array_append_new(array, json_integer(row->low_ppm)) < 0 ||
                      json_array_append_new(array, json_integer(row->high_ppm)) < 0)) {
                json_decref(array);
                return NULL;
        }
        return array;
}

static json_t *json_row(const Replay *r, const Row *row) {
        json_t *j = json_object();
        bool good = cli_json_set(j, "id", cli_json_text(row->id)) &&
                    cli_json_set(j, "time",
                                 cli_json_usec(u64_sub_sat(row->at_usec, r->start_usec))) &&
                    cli_json_set(j, "kind", cli_json_string(row->kind)) &&
                    cli_json_set(j, "knob", cli_json_text(row->knob)) &&
                    cli_json_set(j, "scope", cli_json_text(row->scope)) &&
                    cli_json_set(j, "from", cli_json_text(row->from)) &&
                    cli_json_set(j, "to", cli_json_text(row->to)) &&
                    cli_json_set(j, "policy", cli_json_text(row->policy)) &&
                    cli_json_set(j, "signal", cli_json_text(row->signal)) &&
                    cli_json_set(j, "value", milli(row->value_known, row->value_milli)) &&
                    cli_json_set(j, "target", milli(row->target_known, row->target_milli)) &&
                    cli_json_set(j, "evidence", cli_json_string(row->evidence)) &&
                    cli_json_set(j, "verdict", cli_json_text(row->verdict)) &&
                    cli_json_set(j, "effect_ppm",
                                 row->effect_known ? json_integer(row->effect_ppm) : json_null()) &&
                    cli_json_set(j, "interval_ppm", interval(row)) &&
                    cli_json_set(j, "reason", cli_json_string(row->reason));

        if (good)
                return j;
        json_decref(j);
        return NULL;
}

static unsigned windows(const Replay *r) {
        return (unsigned) (u64_sub_sat(r->end_usec, r->start_usec) / WINDOW_USEC);
}

static json_t *json_ends(const Replay *r) {
        json_t *array = json_array();

        for (size_t i = 0; array && i < r->n_ends; i++) {
                json_t *j = json_object();
                bool good = cli_json_set(j, "policy", cli_json_string(r->ends[i].policy)) &&
                            cli_json_set(j, "state", cli_json_string(r->ends[i].state)) &&
                            cli_json_set(j, "reason", cli_json_string(r->ends[i].reason));

                if (!good)
                        json_decref(j);
                if (!good || json_array_append_new(array, j) < 0) {
                        json_decref(array);
                        return NULL;
                }
        }
        return array;
}

static int print_json(const Replay *r) {
        json_t *array = json_array(), *j;

        for (size_t i = 0; array && i < r->n; i++)
                if (json_array_append_new(array, json_row(r, &r->rows[i])) < 0) {
                        json_decref(array);
                        array = NULL;
                }
        j = cli_json_document("replay", array);
        if (j &&
            !(cli_json_set(j, "seconds", cli_json_usec(u64_sub_sat(r->end_usec, r->start_usec))) &&
              cli_json_set(j, "frames", json_integer(r->frames)) &&
              cli_json_set(j, "windows", json_integer(windows(r))) &&
              cli_json_set(j, "controllers", json_ends(r)))) {
                json_decref(j);
                j = NULL;
        }
        return cli_json_print(j);
}

static int print_rows(const Replay *r, Output *out) {
        static const TableColumn columns[] = {
                { "time", .right = true },
                { "what", .least = 10 },
                { "policy", .least = 12 },
                { "reason", .least = 24 },
        };
        Table t = TABLE(columns);
        int error;

        for (size_t i = 0; i < r->n; i++) {
                const Row *row = &r->rows[i];

                table_add(&t, STYLE_PLAIN, "%s",
                          human_seconds(u64_sub_sat(row->at_usec, r->start_usec)).text);
                table_add(&t, STYLE_BOLD, "%s", row->kind);
                table_add(&t, STYLE_PLAIN, "%s", row->policy);
                table_add(&t, STYLE_PLAIN, "%s", row->reason);
        }
        error = r->n > 0 ? table_print(&t, out) : 0;
        table_done(&t);
        if (r->n > 0)
                output_print(out, "\n");
        return error;
}

static int print_ends(const Replay *r, Output *out) {
        static const TableColumn columns[] = {
                { "policy", .least = 12 },
                { "in the end", .least = 10 },
                { "why", .least = 24 },
        };
        Table t = TABLE(columns);
        int error;

        for (size_t i = 0; i < r->n_ends; i++) {
                table_add(&t, STYLE_PLAIN, "%s", r->ends[i].policy);
                table_add(&t, STYLE_BOLD, "%s", r->ends[i].state);
                table_add(&t, STYLE_PLAIN, "%s", r->ends[i].reason);
        }
        error = r->n_ends > 0 ? table_print(&t, out) : 0;
        table_done(&t);
        if (r->n_ends > 0)
                output_print(out, "\n");
        return error;
}

static int print_text(const Replay *r) {
        Output out;
        int error;

        output_open(&out, !r->options->no_pager);
        error = print_rows(r, &out);
        if (error == 0)
                error = print_ends(r, &out);
        if (error < 0) {
                (void) output_close(&out);
                return cli_errno("replay", error);
        }
        output_print(&out, "%s %s, %u %s of 10 s, %s\n", human_count(r->frames + 1).text,
                     r->frames == 0 ? "look" : "looks", windows(r),
                     windows(r) == 1 ? "window" : "windows",
                     human_seconds(u64_sub_sat(r->end_usec, r->start_usec)).text);
        output_paragraph(
                &out, 0, 0, STYLE_PLAIN, "",
                r->n == 0 ? "Nothing would have been done."
                          : "What the engine would have done. The past cannot react: no write "
                            "took effect, and what a trial would have found is not known.");
        return output_finish(&out);
}

int verb_replay(const Options *options) {
        _cleanup_(conf_freep) Conf *conf = NULL;
        _cleanup_(policy_set_freep) PolicySet *policies = NULL;
        ConfIssues issues = CONF_ISSUES_NULL;
        Options there = *options; /* messages name the folder */
        Replay replay = { .options = options };
        Machine *m = NULL;
        int code = cli_load_conf(options, &conf, &issues), r;

        there.root = options->args[0];
        if (code == EXIT_FINE)
                code = cli_machine_error(&there, machine_open(there.root, &m));
        if (code == EXIT_FINE && m->kind != MACHINE_CAPTURE) {
                cli_error("%s: no capture, expected a directory that alloctune capture made",
                          there.root);
                code = EXIT_FAILED;
        }
        if (code == EXIT_FINE)
                code = cli_load_policies(options, conf, NULL, &policies, &issues);
        for (size_t i = 0; code == EXIT_FINE && i < issues.n; i++)
                cli_print_issue(&issues.items[i]);
        if (code == EXIT_FINE) {
                r = run(&replay, m, conf, policies);
                code = r == 0 ? EXIT_FINE : cli_machine_error(&there, r);
        }
        if (code == EXIT_FINE)
                code = options->json ? print_json(&replay) : print_text(&replay);
        m = machine_free(m);
        free(replay.rows);
        free(replay.ends);
        conf_issues_done(&issues);
        return code;
}
