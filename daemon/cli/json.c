/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/front.h"
#include "cli/output.h"

#define SCHEMA 1

json_t *cli_json_string(const char *text) {
        static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
        size_t size = strlen(text), at = 0;
        char *clean;
        json_t *j = json_string(text);

        if (j)
                return j;
        clean = calloc(size + 1, 3);
        if (!clean)
                return NULL;
        for (size_t i = 0; i < size;) {
                size_t n = output_utf8_length(text + i, size - i);

                if (n > 0) {
                        memcpy(clean + at, text + i, n);
                        at += n;
                        i += n;
                } else {
                        memcpy(clean + at, replacement, 3);
                        at += 3;
                        i++;
                }
        }
        j = json_string(clean);
        free(clean);
        return j;
}

json_t *cli_json_text(const char *text) {
        return text && text[0] ? cli_json_string(text) : json_null();
}

json_t *cli_json_u64(uint64_t value) {
        return json_integer((json_int_t) MIN(value, (uint64_t) INT64_MAX));
}

json_t *cli_json_maybe(MaybeU64 value) {
        return value.known ? cli_json_u64(value.value) : json_null();
}

json_t *cli_json_usec(usec_t usec) {
        if (usec == USEC_UNKNOWN)
                return json_null();
        return json_real((double) ((usec + 500) / 1000) / 1000.0);
}

bool cli_json_set(json_t *object, const char *key, json_t *value) {
        if (object)
                return json_object_set_new(object, key, value) ==
                       0; /* takes the value, also when it fails */
        json_decref(value);
        return false;
}

/* A row is built by one chain of sets: any failure frees it. */
static json_t *finish(json_t *object, bool good) {
        if (good)
                return object;
        json_decref(object);
        return NULL;
}

json_t *cli_json_signal_value(const Signal *s) {
        if (s->evidence == EVIDENCE_NONE)
                return json_null();
        if (s->milli == 0)
                return json_integer(s->value);
        return json_real((double) s->value + (double) s->milli / 1000.0);
}

json_t *cli_json_signal(const Signal *s) {
        json_t *j = json_object();

        return finish(j, cli_json_set(j, "name", cli_json_string(s->name)) &&
                                 cli_json_set(j, "scope", cli_json_string(s->scope.name)) &&
                                 cli_json_set(j, "value", cli_json_signal_value(s)) &&
                                 cli_json_set(j, "unit", cli_json_string(s->unit ? s->unit : "")) &&
                                 cli_json_set(j, "evidence",
                                              cli_json_string(evidence_to_string(s->evidence))) &&
                                 cli_json_set(j, "source",
                                              cli_json_string(s->source ? s->source : "none")) &&
                                 cli_json_set(j, "age_seconds",
                                              s->evidence == EVIDENCE_NONE
                                                      ? json_null()
                                                      : cli_json_usec(s->age_usec)));
}

static json_t *aliases(const SlabCache *cache) {
        json_t *array = json_array();

        for (unsigned i = 0; array && i < cache->n_aliases; i++)
                if (json_array_append_new(array, cli_json_string(cache->aliases[i])) < 0) {
                        json_decref(array);
                        return NULL;
                }
        return array;
}

json_t *cli_json_knob(const Knob *k) {
        json_t *j = json_object();
        bool good = cli_json_set(j, "name", cli_json_string(k->name)) &&
                    cli_json_set(j, "scope", cli_json_string(k->scope.name)) &&
                    cli_json_set(j, "state", cli_json_string(knob_state_to_string(k->state))) &&
                    cli_json_set(j, "inferred", json_boolean(k->inferred)) &&
                    cli_json_set(j, "value", cli_json_text(k->value)) &&
                    cli_json_set(j, "default", cli_json_text(k->def)) &&
                    cli_json_set(j, "path", cli_json_text(k->path)) &&
                    cli_json_set(j, "owner", cli_json_string(knob_owner_to_string(k->owner))) &&
                    cli_json_set(j, "reason", cli_json_string(k->reason));

        if (good && k->cache && k->cache->n_aliases > 0)
                good = cli_json_set(j, "aliases", aliases(k->cache));
        return finish(j, good);
}

json_t *cli_json_recommendation(const Recommendation *r) {
        json_t *j = json_object(), *cost = json_object();
        bool good = cli_json_set(cost, "memory_bytes", cli_json_maybe(r->memory_bytes));

        if (!good) {
                json_decref(cost);
                cost = NULL;
        }
        good = cli_json_set(j, "id", cli_json_string(r->id)) &&
               cli_json_set(j, "verdict", cli_json_string(verdict_to_string(r->verdict))) &&
               cli_json_set(j, "policy", cli_json_text(r->policy ? r->policy->name : NULL)) &&
               cli_json_set(j, "knob", cli_json_text(r->knob)) &&
               cli_json_set(j, "scope", cli_json_string(r->scope.name)) &&
               cli_json_set(j, "from", cli_json_text(r->from)) &&
               cli_json_set(j, "to", cli_json_text(r->to)) &&
               cli_json_set(j, "apply", cli_json_string(apply_to_string(r->apply))) &&
               cli_json_set(j, "how", cli_json_text(r->how)) &&
               cli_json_set(j, "reason", cli_json_string(r->reason)) &&
               cli_json_set(j, "evidence", cli_json_string(evidence_to_string(r->evidence)));
        if (good) {
                good = cli_json_set(j, "cost", cost);
                cost = NULL;
        }
        json_decref(cost);
        return finish(j,
                      good && cli_json_set(j, "expect", cli_json_string(r->expect)) &&
                              cli_json_set(j, "confidence",
                                           cli_json_string(confidence_to_string(r->confidence))));
}

json_t *cli_json_note(const Note *n) {
        json_t *j = json_object();

        return finish(j, cli_json_set(j, "id", cli_json_string(n->id)) &&
                                 cli_json_set(j, "verdict",
                                              cli_json_string(verdict_to_string(n->verdict))) &&
                                 cli_json_set(j, "about", cli_json_string(n->about)) &&
                                 cli_json_set(j, "text", cli_json_string(n->text)));
}

json_t *cli_json_issue(const ConfIssue *issue) {
        json_t *j = json_object();

        return finish(
                j,
                cli_json_set(j, "file", cli_json_text(issue->file)) &&
                        cli_json_set(j, "line",
                                     issue->line > 0 ? json_integer(issue->line) : json_null()) &&
                        cli_json_set(j, "severity",
                                     cli_json_string(conf_severity_to_string(issue->severity))) &&
                        cli_json_set(j, "text", cli_json_string(issue->text)));
}

static bool append_all(json_t *array, json_t *(*row)(const void *), const void *rows, size_t n,
                       size_t size) {
        for (size_t i = 0; array && i < n; i++)
                if (json_array_append_new(array, row((const char *) rows + i * size)) < 0)
                        return false;
        return array != NULL;
}

static json_t *signal_row(const void *p) {
        return cli_json_signal(p);
}
static json_t *knob_row(const void *p) {
        return cli_json_knob(p);
}
static json_t *recommendation_row(const void *p) {
        return cli_json_recommendation(p);
}
static json_t *note_row(const void *p) {
        return cli_json_note(p);
}

static json_t *rows_of(json_t *(*row)(const void *), const void *rows, size_t n, size_t size) {
        json_t *array = json_array();

        return finish(array, append_all(array, row, rows, n, size));
}

static json_t *machine(const Observation *o) {
        const MachineFacts *f = &o->facts;
        const Topology *t = &f->topology;
        json_t *j = json_object();

        return finish(
                j,
                cli_json_set(j, "kernel", cli_json_text(f->release)) &&
                        cli_json_set(j, "cpus_online",
                                     t->n_online > 0 ? json_integer(t->n_online) : json_null()) &&
                        cli_json_set(j, "cpus_possible",
                                     t->n_possible > 0 ? json_integer(t->n_possible)
                                                       : json_null()) &&
                        cli_json_set(j, "nodes",
                                     t->n_nodes > 0 ? json_integer(t->n_nodes) : json_null()) &&
                        cli_json_set(j, "memory_bytes", cli_json_maybe(f->memory_bytes)) &&
                        cli_json_set(j, "page_bytes", cli_json_maybe(f->page_bytes)) &&
                        cli_json_set(j, "hpage_pmd_bytes", cli_json_maybe(f->hpage_pmd_bytes)) &&
                        cli_json_set(j, "thp_alignment",
                                     cli_json_string(o->alignment ? o->alignment : "unknown")));
}

static const char *window_kind(WindowKind kind) {
        switch (kind) {
        case WINDOW_LIVE:
                return "live";
        case WINDOW_CAPTURE:
                return "capture";
        case WINDOW_BOOT:
                break;
        }
        return "boot";
}

static json_t *window(const Observation *o) {
        bool unknown = o->kind == WINDOW_BOOT && o->window_usec == 0;
        json_t *j = json_object();

        return finish(
                j, cli_json_set(j, "kind", cli_json_string(window_kind(o->kind))) &&
                           cli_json_set(j, "seconds",
                                        cli_json_usec(unknown ? USEC_UNKNOWN : o->window_usec)) &&
                           cli_json_set(j, "samples", cli_json_u64(o->n_snapshots)));
}

static json_t *program(void) {
        json_t *j = json_object();

        return finish(j, cli_json_set(j, "name", cli_json_string("alloctune")) &&
                                 cli_json_set(j, "version", cli_json_string(ALLOCTUNED_VERSION)));
}

json_t *cli_json_recommend(const Observation *o, const Advice *a) {
        json_t *j = json_object();

        return finish(
                j,
                cli_json_set(j, "schema", json_integer(SCHEMA)) &&
                        cli_json_set(j, "program", program()) &&
                        cli_json_set(j, "machine", machine(o)) &&
                        cli_json_set(j, "window", window(o)) &&
                        cli_json_set(j, "verdict",
                                     cli_json_string(verdict_to_string(a->verdict))) &&
                        cli_json_set(j, "signals",
                                     rows_of(signal_row, o->signals.signals, o->signals.n,
                                             sizeof(Signal))) &&
                        cli_json_set(j, "knobs",
                                     rows_of(knob_row, o->knobs.knobs, o->knobs.n, sizeof(Knob))) &&
                        cli_json_set(j, "recommendations",
                                     rows_of(recommendation_row, a->recommendations,
                                             a->n_recommendations, sizeof(Recommendation))) &&
                        cli_json_set(j, "notes",
                                     rows_of(note_row, a->notes, a->n_notes, sizeof(Note))));
}

json_t *cli_json_document(const char *name, json_t *rows) {
        json_t *j = json_object();
        bool good = cli_json_set(j, "schema", json_integer(SCHEMA));

        if (good) {
                good = cli_json_set(j, name, rows);
                rows = NULL;
        }
        json_decref(rows);
        return finish(j, good);
}

json_t *cli_json_check(const ConfIssues *issues, json_t *files) {
        json_t *array = json_array(), *j;
        bool good = array != NULL;

        for (size_t i = 0; good && i < issues->n; i++)
                good = json_array_append_new(array, cli_json_issue(&issues->items[i])) == 0;
        if (!good) {
                json_decref(array);
                array = NULL;
        }
        j = cli_json_document("files", files);
        good = j && cli_json_set(j, "ok", json_boolean(issues->n_errors == 0)) &&
               cli_json_set(j, "errors", cli_json_u64(issues->n_errors)) &&
               cli_json_set(j, "dropped", cli_json_u64(issues->n_dropped));
        if (good)
                good = cli_json_set(j, "issues", array);
        else
                json_decref(array);
        return finish(j, good);
}

int cli_json_print(json_t *document) {
        Output o;

        if (!document)
                return cli_errno("cannot make the JSON document", -ENOMEM);
        output_open(&o, /* paged= */ false);
        /* A failed write stays in the stream's error flag. */
        if (json_dumpf(document, o.stream,
                       JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15)) == 0)
                (void) fputc('\n', o.stream);
        json_decref(document);
        return output_finish(&o);
}
