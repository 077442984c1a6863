/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>

#include "cli/observe.h"
#include "cli/options.h"
#include "conf/check.h"
#include "core/report.h"

/* The documents of schema 1 (docs/schema). Unknown is null, never 0; keys keep their order; the same input gives the
 * same bytes. Every function gives a new reference, or NULL without memory, and takes NULL as that. */
json_t *cli_json_text(const char *text);   /* bytes that are no UTF-8 become U+FFFD; "" is null */
json_t *cli_json_string(const char *text); /* the same, but "" is "" */
json_t *cli_json_u64(uint64_t value);
json_t *cli_json_maybe(MaybeU64 value);
json_t *cli_json_usec(usec_t usec); /* seconds, to the millisecond */
json_t *cli_json_signal(const Signal *s);
json_t *cli_json_signal_value(const Signal *s);
json_t *cli_json_knob(const Knob *k);
json_t *cli_json_recommendation(const Recommendation *r);
json_t *cli_json_note(const Note *n);
json_t *cli_json_issue(const ConfIssue *issue);

/* Takes the references of the rows, also when it fails. */
json_t *cli_json_document(const char *name, json_t *rows);
json_t *cli_json_recommend(const Observation *o, const Advice *advice);
json_t *cli_json_check(const ConfIssues *issues, json_t *files);

/* Writes the document to stdout and frees it. An exit code. */
_must_check_ int cli_json_print(json_t *document);
/* Adds and takes the value; false without memory. */
_must_check_ bool cli_json_set(json_t *object, const char *key, json_t *value);
