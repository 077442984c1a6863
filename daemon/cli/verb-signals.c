/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/match.h"
#include "cli/print-advice.h"
#include "cli/table.h"

static const SlabTree *slab_of(const Observation *o) {
        const Snapshot *last = observation_last(o);

        return last ? last->slab : NULL;
}

static bool wanted(const Options *options, const Observation *o, const Signal *s) {
        for (int i = 0; i < options->n_args; i++) {
                Match m;

                if (match_parse(options->args[i], &m) && match_signal(&m, s, slab_of(o)))
                        return true;
        }
        return options->n_args == 0;
}

static int check_arguments(const Options *options, const Observation *o) {
        size_t n_specs = 0;
        const SignalSpec *specs = signal_specs(&n_specs);

        for (int i = 0; i < options->n_args; i++) {
                Match m = { 0 };
                bool fits = match_parse(options->args[i], &m), found = false, named = false,
                     known = false;
                Nearest nearest = { .word = m.name };
                char text[512];

                for (size_t k = 0; fits && !found && k < o->signals.n; k++) {
                        found = match_signal(&m, &o->signals.signals[k], slab_of(o));
                        named = named || text_glob(m.name, o->signals.signals[k].name);
                }
                if (found)
                        continue;
                for (size_t k = 0; k < n_specs; k++) {
                        known = known || text_glob(m.name, specs[k].name);
                        nearest_offer(&nearest, specs[k].name);
                }
                if (named)
                        (void) text_format(text, sizeof(text), "signal %s has no scope '%s' here",
                                           m.name, m.scope);
                else if (known)
                        (void) text_format(text, sizeof(text),
                                           "signal %s has no value here: what it reads is absent, "
                                           "or for root only",
                                           m.name);
                else if (text_starts(text_from(m.name), "external:"))
                        (void) text_format(text, sizeof(text),
                                           "no '%s' here, expected one that the configuration or "
                                           "signals.json names",
                                           m.name);
                else if (nearest.best)
                        (void) text_format(text, sizeof(text),
                                           "unknown signal '%s', did you mean '%s'?",
                                           options->args[i], nearest.best);
                else
                        (void) text_format(text, sizeof(text),
                                           "unknown signal '%s', expected one of those that "
                                           "alloctune signals lists",
                                           options->args[i]);
                return cli_usage(options, text);
        }
        return EXIT_FINE;
}

static void add_signal(Table *t, const Signal *s) {
        bool known = s->evidence != EVIDENCE_NONE;

        if (!scope_is_system(&s->scope))
                table_add(t, STYLE_PLAIN, "%s %s", s->name, s->scope.name);
        else
                table_add(t, STYLE_PLAIN, "%s", s->name);
        table_add(t, known ? STYLE_BOLD : STYLE_DIM, "%s",
                  known ? human_value(s->value, s->milli, s->unit).text : "-");
        table_add(t, known ? STYLE_PLAIN : STYLE_DIM, "%s", cli_evidence(s).text);
        table_add(t, STYLE_DIM, "%s", s->why ? s->why : "");
}

static int print_table(const Options *options, const Observation *o) {
        static const TableColumn columns[] = {
                { "signal", .least = 24 },
                { "value", .right = true, .least = 12 },
                { "evidence", .least = 9 },
                { "remark", .least = 18 },
        };
        Table t = TABLE(columns);
        size_t n_more = 0;
        Output out;
        int r;

        output_open(&out, !options->no_pager);
        cli_print_head(&out, o);
        output_print(&out, "\n");
        for (size_t i = 0; i < o->signals.n; i++) {
                const Signal *s = &o->signals.signals[i];

                if (options->n_args == 0 && !scope_is_system(&s->scope))
                        n_more++;
                else if (wanted(options, o, s))
                        add_signal(&t, s);
        }
        r = table_print(&t, &out);
        table_done(&t);
        if (r < 0) {
                (void) output_close(&out);
                return cli_errno("signals", r);
        }
        output_print(&out, "\n");
        if (n_more > 0) {
                output_styled(&out, STYLE_DIM,
                              "%s more of nodes, zones and caches: alloctune signals '*'",
                              human_count(n_more).text);
                output_print(&out, "\n");
        }
        output_styled(&out, STYLE_DIM, "More: alloctune explain SIGNAL");
        output_print(&out, "\n");
        return output_finish(&out);
}

static int print_json(const Options *options, const Observation *o) {
        json_t *rows = json_array();

        for (size_t i = 0; rows && i < o->signals.n; i++)
                if (wanted(options, o, &o->signals.signals[i]) &&
                    json_array_append_new(rows, cli_json_signal(&o->signals.signals[i])) < 0) {
                        json_decref(rows);
                        rows = NULL;
                }
        return cli_json_print(cli_json_document("signals", rows));
}

int verb_signals(const Options *options) {
        _cleanup_(conf_freep) Conf *conf = NULL;
        ConfIssues issues = CONF_ISSUES_NULL;
        Observation o = { 0 };
        int code = cli_load_conf(options, &conf, &issues);

        if (code == EXIT_FINE)
                code = cli_observe(options, conf, &o);
        if (code == EXIT_FINE)
                code = check_arguments(options, &o);
        if (code == EXIT_FINE)
                code = options->json ? print_json(options, &o) : print_table(options, &o);
        observation_done(&o);
        conf_issues_done(&issues);
        return code;
}
