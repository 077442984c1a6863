/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/advice.h"
#include "cli/explain.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/match.h"
#include "cli/print-advice.h"

#define SIGNAL_WATCH (2 * USEC_PER_SEC)
#define ADVICE_WATCH (10 * USEC_PER_SEC)

typedef enum SubjectKind { SUBJECT_KNOB, SUBJECT_SIGNAL, SUBJECT_ADVICE } SubjectKind;

typedef struct Subject {
        SubjectKind kind;
        const KnobSpec *knob;
        const SignalSpec *signal;
        Match match; /* of knobs and signals */
} Subject;

typedef struct Explain {
        const Options *options;
        Subject subject;
        Conf *conf;
        PolicySet *policies;
        ConfIssues issues;
        Observation o;
} Explain;

static int unknown_subject(const Options *options, const PolicySet *policies) {
        const char *word = options->args[0];
        Nearest nearest = { .word = word };
        size_t n_knobs = 0, n_signals = 0;
        const KnobSpec *knobs = knob_specs(&n_knobs);
        const SignalSpec *signals = signal_specs(&n_signals);
        char text[512];

        for (size_t i = 0; i < n_knobs; i++)
                nearest_offer(&nearest, knobs[i].name);
        for (size_t i = 0; i < n_signals; i++)
                nearest_offer(&nearest, signals[i].name);
        for (size_t i = 0; i < policies->n; i++)
                nearest_offer(&nearest, policies->policies[i].name);
        if (nearest.best)
                (void) text_format(text, sizeof(text), "nothing is called '%s', did you mean '%s'?",
                                   word, nearest.best);
        else
                (void) text_format(text, sizeof(text),
                                   "nothing is called '%s', expected a knob, a signal, or an id "
                                   "POLICY/KNOB/SCOPE",
                                   word);
        return cli_usage(options, text);
}

/* Names of knobs and signals have no slash (but scopes do); ids of an advice have one, or are a policy's name. */
static SubjectKind find_subject(const char *word, Subject *ret) {
        *ret = (Subject){ .kind = SUBJECT_ADVICE };
        if (!match_parse(word, &ret->match))
                return ret->kind;
        ret->knob = knob_spec_find(text_from(ret->match.name));
        ret->signal = ret->knob ? NULL : signal_spec_find(text_from(ret->match.name));
        if (ret->knob)
                ret->kind = SUBJECT_KNOB;
        else if (ret->signal)
                ret->kind = SUBJECT_SIGNAL;
        return ret->kind;
}

typedef struct Row {
        const char *id, *kind;
        const Knob *knob;
        const Signal *signal;
        const Recommendation *recommendation;
        const Note *note;
        bool have_target;
        int64_t target;
} Row;

/* The keys are those of history: what is not known before any trial is null. */
static json_t *json_row(const Row *row) {
        const Knob *k = row->knob;
        const Signal *s = row->signal;
        const Recommendation *r = row->recommendation;
        const Note *n = row->note;
        const char *scope = k ? k->scope.name : s ? s->scope.name : r ? r->scope.name : NULL;
        const char *evidence = s   ? evidence_to_string(s->evidence)
                               : r ? evidence_to_string(r->evidence)
                                   : NULL;
        const char *verdict = r   ? verdict_to_string(r->verdict)
                              : n ? verdict_to_string(n->verdict)
                                  : NULL;
        const char *reason = k ? k->reason : s ? s->why : r ? r->reason : n ? n->text : NULL;
        const char *policy = r ? (r->policy ? r->policy->name : NULL) : n ? n->about : NULL;
        json_t *j = json_object();

        if (cli_json_set(j, "id", cli_json_text(row->id)) && cli_json_set(j, "time", json_null()) &&
            cli_json_set(j, "kind", cli_json_string(row->kind)) &&
            cli_json_set(j, "knob",
                         cli_json_text(k   ? k->name
                                       : r ? r->knob
                                           : NULL)) &&
            cli_json_set(j, "scope", cli_json_text(scope)) &&
            cli_json_set(j, "from",
                         cli_json_text(k   ? k->value
                                       : r ? r->from
                                           : NULL)) &&
            cli_json_set(j, "to", cli_json_text(r ? r->to : NULL)) &&
            cli_json_set(j, "policy", cli_json_text(policy)) &&
            cli_json_set(j, "signal", cli_json_text(s ? s->name : NULL)) &&
            cli_json_set(j, "value", s ? cli_json_signal_value(s) : json_null()) &&
            cli_json_set(j, "target", row->have_target ? json_integer(row->target) : json_null()) &&
            cli_json_set(j, "evidence", cli_json_text(evidence)) &&
            cli_json_set(j, "verdict", cli_json_text(verdict)) &&
            cli_json_set(j, "effect_ppm", json_null()) &&
            cli_json_set(j, "interval_ppm", json_null()) &&
            cli_json_set(j, "reason", cli_json_text(reason)))
                return j;
        json_decref(j);
        return NULL;
}

static json_t *json_facts(const Facts *facts) {
        json_t *array = json_array();

        for (size_t i = 0; array && i < facts->n; i++) {
                json_t *j = json_object();

                if (!cli_json_set(j, "label", cli_json_string(facts->facts[i].label)) ||
                    !cli_json_set(j, "text", cli_json_string(facts->facts[i].text)) ||
                    json_array_append(array, j) < 0) {
                        json_decref(j);
                        json_decref(array);
                        return NULL;
                }
                json_decref(j);
        }
        return array;
}

/* Takes the rows. */
static int print_json(json_t *rows, const Facts *facts) {
        json_t *document = cli_json_document("explain", rows);

        if (!cli_json_set(document, "facts", json_facts(facts))) {
                json_decref(document);
                document = NULL;
        }
        return cli_json_print(document);
}

static int print_facts(const Explain *e, const Facts *facts, const char *name, const char *scope) {
        const char *last = "";
        Output out;

        output_open(&out, !e->options->no_pager);
        output_styled(&out, STYLE_BOLD, "%s%s%s", name, scope ? "  " : "", scope ? scope : "");
        output_print(&out, "\n");
        for (size_t i = 0; i < facts->n; i++) {
                const char *label = facts->facts[i].label;

                output_paragraph(&out, 2, 13, STYLE_DIM, strcmp(label, last) == 0 ? "" : label,
                                 facts->facts[i].text);
                last = label;
        }
        return output_finish(&out);
}

static int no_scope(const Explain *e) {
        const char *why = e->subject.knob ? match_no_scope(&e->subject.match, &e->o.knobs) : NULL;
        char text[512];

        if (why)
                (void) text_format(text, sizeof(text), "no scopes of %s are known: %s",
                                   e->subject.match.name, why);
        else
                (void) text_format(text, sizeof(text), "%s has no scope '%s' here",
                                   e->subject.match.name, e->subject.match.scope);
        return cli_usage(e->options, text);
}

static int explain_knobs(const Explain *e) {
        const Match *m = &e->subject.match;
        const KnobSet *set = &e->o.knobs;
        const Knob *only = NULL;
        json_t *rows = json_array();
        Facts facts = { 0 };
        size_t n = 0;
        int code;

        for (size_t i = 0; i < set->n; i++) {
                if (set->knobs[i].spec != e->subject.knob || !match_knob(m, &set->knobs[i]))
                        continue;
                only = n++ == 0 ? &set->knobs[i] : NULL;
                if (rows &&
                    json_array_append_new(
                            rows, json_row(&(Row){ .kind = "knob", .knob = &set->knobs[i] })) < 0) {
                        json_decref(rows);
                        rows = NULL;
                }
        }
        if (n == 0 && m->scope[0]) {
                json_decref(rows);
                return no_scope(e);
        }
        explain_knob(&facts, &e->o, e->policies, e->subject.knob, only);
        if (facts.failed || !rows) {
                json_decref(rows);
                code = cli_errno("explain", -ENOMEM);
        } else if (e->options->json) {
                code = print_json(rows, &facts);
        } else {
                json_decref(rows);
                code = print_facts(e, &facts, m->name,
                                   only && !scope_is_system(&only->scope) ? only->scope.name
                                                                          : NULL);
        }
        facts_done(&facts);
        return code;
}

static int explain_signals(const Explain *e) {
        const Match *m = &e->subject.match;
        const SignalSet *set = &e->o.signals;
        const Snapshot *last = observation_last(&e->o);
        const Signal *shown = NULL;
        json_t *rows = json_array();
        Facts facts = { 0 };
        size_t n = 0;
        int code;

        for (size_t i = 0; i < set->n; i++) {
                const Signal *s = &set->signals[i];
                Row row = { .kind = "signal", .signal = s };

                if (!match_signal(m, s, last ? last->slab : NULL))
                        continue;
                n++;
                if (!shown || scope_is_system(&s->scope))
                        shown = s;
                row.have_target = cli_signal_target(e->policies, s->name, &row.target);
                if (rows && json_array_append_new(rows, json_row(&row)) < 0) {
                        json_decref(rows);
                        rows = NULL;
                }
        }
        if (n == 0 && m->scope[0]) {
                json_decref(rows);
                return no_scope(e);
        }
        explain_signal(&facts, &e->o, e->policies, e->subject.signal, shown);
        if (n > 1 && !m->scope[0])
                facts_add(&facts, "scopes", "%zu rows: alloctune signals '%s'", n, m->name);
        if (facts.failed || !rows) {
                json_decref(rows);
                code = cli_errno("explain", -ENOMEM);
        } else if (e->options->json) {
                code = print_json(rows, &facts);
        } else {
                json_decref(rows);
                code = print_facts(e, &facts, m->name,
                                   shown && !scope_is_system(&shown->scope) ? shown->scope.name
                                                                            : NULL);
        }
        facts_done(&facts);
        return code;
}

/* Of the policy that an id begins with; "POLICY" alone means all of it. */
static bool id_has(const char *word, const char *id, const char *policy) {
        return strcmp(word, id) == 0 || strcmp(word, policy) == 0;
}

static int print_advice(const Explain *e, const Advice *advice, const Policy *policy) {
        const char *word = e->options->args[0];
        size_t n = 0;
        Output out;

        output_open(&out, !e->options->no_pager);
        cli_print_head(&out, &e->o);
        output_print(&out, "\n");
        if (policy) {
                output_paragraph(&out, 2, 13, STYLE_DIM, "policy", policy->name);
                output_paragraph(&out, 2, 13, STYLE_DIM, "about", policy->about);
                output_paragraph(&out, 2, 13, STYLE_DIM, "file", policy->file);
                output_print(&out, "\n");
        }
        for (size_t i = 0; i < advice->n_recommendations; i++) {
                const Recommendation *r = &advice->recommendations[i];

                if (id_has(word, r->id, r->policy ? r->policy->name : "")) {
                        cli_print_recommendation(&out, r);
                        n++;
                }
        }
        for (size_t i = 0; n == 0 && i < advice->n_notes; i++) {
                const Note *note = &advice->notes[i];

                if (strcmp(word, note->id) == 0 ||
                    (policy && strcmp(note->about, policy->name) == 0))
                        output_paragraph(&out, 2, 13, STYLE_DIM, verdict_to_string(note->verdict),
                                         note->text);
        }
        if (n == 0)
                output_print(&out, "\n  this is not recommended here now\n");
        return output_finish(&out);
}

static int print_advice_json(const Explain *e, const Advice *advice, const Policy *policy) {
        const char *word = e->options->args[0];
        json_t *rows = json_array();
        Facts facts = { 0 };
        bool good = rows != NULL;
        int code;

        for (size_t i = 0; good && i < advice->n_recommendations; i++) {
                const Recommendation *r = &advice->recommendations[i];

                if (id_has(word, r->id, r->policy ? r->policy->name : ""))
                        good = json_array_append_new(rows,
                                                     json_row(&(Row){ .id = r->id,
                                                                      .kind = "recommendation",
                                                                      .recommendation = r })) == 0;
        }
        for (size_t i = 0; good && json_array_size(rows) == 0 && i < advice->n_notes; i++) {
                const Note *note = &advice->notes[i];

                if (strcmp(word, note->id) == 0 ||
                    (policy && strcmp(note->about, policy->name) == 0))
                        good = json_array_append_new(rows, json_row(&(Row){ .id = note->id,
                                                                            .kind = "note",
                                                                            .note = note })) == 0;
        }
        if (policy) {
                facts_add(&facts, "policy", "%s", policy->name);
                facts_add(&facts, "about", "%s", policy->about);
                facts_add(&facts, "file", "%s", policy->file);
        }
        if (!good || facts.failed) {
                json_decref(rows);
                code = cli_errno("explain", -ENOMEM);
        } else {
                code = print_json(rows, &facts);
        }
        facts_done(&facts);
        return code;
}

static const Policy *policy_of_id(const PolicySet *policies, const char *id) {
        char name[64];

        if (!text_copy(name, sizeof(name), (Text){ id, strcspn(id, "/") }))
                return NULL;
        return policy_set_find(policies, name);
}

static int explain_advice(Explain *e) {
        Advice advice;
        int r = advice_make(&e->o, e->conf, e->policies, &e->issues, &advice);
        const Policy *policy = policy_of_id(e->policies, e->options->args[0]);

        if (r < 0)
                return cli_errno("explain", r);
        return e->options->json ? print_advice_json(e, &advice, policy)
                                : print_advice(e, &advice, policy);
}

/* What cannot be explained must be said before anybody waits for a window. */
static int check_subject(Explain *e) {
        int code = EXIT_FINE;

        if (find_subject(e->options->args[0], &e->subject) != SUBJECT_ADVICE)
                return EXIT_FINE;
        code = cli_load_policies(e->options, e->conf, NULL, &e->policies, &e->issues);
        if (code == EXIT_FINE && !policy_of_id(e->policies, e->options->args[0])) {
                /* A policy may be unknown because its file is bad. */
                for (size_t i = 0; i < e->issues.n; i++)
                        cli_print_issue(&e->issues.items[i]);
                code = unknown_subject(e->options, e->policies);
        }
        e->policies = policy_set_free(e->policies);
        conf_issues_done(&e->issues);
        return code;
}

static int explain_subject(Explain *e) {
        switch (e->subject.kind) {
        case SUBJECT_KNOB:
                return explain_knobs(e);
        case SUBJECT_SIGNAL:
                return explain_signals(e);
        case SUBJECT_ADVICE:
                break;
        }
        return explain_advice(e);
}

int verb_explain(const Options *options) {
        Options watch = *options;
        Explain e = { .options = options };
        int code = cli_load_conf(options, &e.conf, &e.issues);

        if (code == EXIT_FINE)
                code = check_subject(&e);
        if (!(options->given & OPTION_BIT(OPTION_DURATION)))
                watch.duration_usec = e.subject.kind == SUBJECT_KNOB     ? 0
                                      : e.subject.kind == SUBJECT_SIGNAL ? SIGNAL_WATCH
                                                                         : ADVICE_WATCH;
        if (code == EXIT_FINE)
                code = cli_observe(&watch, e.conf, &e.o);
        if (code == EXIT_FINE)
                code = cli_load_policies(options, e.conf, &e.o, &e.policies, &e.issues);
        if (code == EXIT_FINE)
                code = explain_subject(&e);
        observation_done(&e.o);
        e.policies = policy_set_free(e.policies);
        e.conf = conf_free(e.conf);
        conf_issues_done(&e.issues);
        return code;
}
