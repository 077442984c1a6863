/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people measured and put beside a capture: signals.json and kmsg. */
#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "machine/file-machine.h"
#include "machine/read.h"

#define REPORT_BYTES_MAX ((size_t) 4 << 20)
#define KMSG_BYTES_MAX ((size_t) 16 << 20)
#define REPORTS_MAX 4096u

static int read_top(Machine *m, const char *name, size_t max_bytes, Arena *arena, Text *ret_text) {
        FileMachine *f = (FileMachine *) m;

        if (m->kind != MACHINE_CAPTURE)
                return MACHINE_E_ABSENT;
        return root_read(&f->top, name, max_bytes, arena, ret_text, &m->error);
}

/* Waits and times count as measured, rates and amounts as counted, unless the row says otherwise. */
static Evidence default_evidence(const Signal *s) {
        return strcmp(s->unit, "ppm") == 0 && s->spec->lock_wait ? EVIDENCE_MEASURED
               : strcmp(s->unit, "ns") == 0                      ? EVIDENCE_MEASURED
               : strncmp(s->spec->name, "psi-", 4) == 0          ? EVIDENCE_MEASURED
                                                                 : EVIDENCE_COUNTED;
}

/* Units that people write for those of signals. */
static const struct {
        const char *written, *unit;
        double factor;
} unit_names[] = {
        { "us", "ns", 1e3 },      { "ms", "ns", 1e6 },         { "s", "ns", 1e9 },
        { "%", "ppm", 1e4 },      { "percent", "ppm", 1e4 },   { "KiB", "bytes", 1024 },
        { "kB", "bytes", 1024 },  { "MiB", "bytes", 1048576 }, { "GiB", "bytes", 1073741824 },
        { "1/s", "events/s", 1 },
};

/* What a value in the written unit is multiplied by; 0: the unit is none of the signal's. */
static double unit_factor(const char *written, const char *unit) {
        if (!written || strcmp(written, unit) == 0)
                return 1;
        for (size_t i = 0; i < ELEMENTSOF(unit_names); i++)
                if (strcmp(written, unit_names[i].written) == 0 &&
                    strcmp(unit, unit_names[i].unit) == 0)
                        return unit_names[i].factor;
        return 0;
}

unsigned read_json_line(Text text, int line) {
        unsigned n = 0;
        Text unused;

        while (text_next_line(&text, &unused))
                n++;
        return line < 1 || n == 0 ? 1 : MIN((unsigned) line, n);
}

static const char *string_of(const json_t *row, const char *key) {
        const json_t *value = json_object_get(row, key);

        return json_is_string(value) ? json_string_value(value) : NULL;
}

static void row_issue(ParseLog *log, size_t index, const char *what, const char *about) {
        char text[48];

        (void) text_format(text, sizeof(text), "row %zu: %s", index + 1, about ? about : "");
        parse_log_add(log, "signals.json", 0, what, text_from(text));
}

/* One row of the array; false: it was not understood, and an issue says why. */
static bool parse_row(Arena *arena, const json_t *row, size_t index, Signal *ret, ParseLog *log) {
        const char *name = string_of(row, "name"), *scope = string_of(row, "scope"),
                   *unit = string_of(row, "unit"), *evidence = string_of(row, "evidence");
        const json_t *value = json_object_get(row, "value"),
                     *age = json_object_get(row, "age_seconds");
        const SignalSpec *spec = name ? signal_spec_find(text_from(name)) : NULL;
        double number, factor;

        if (!json_is_object(row) || !name) {
                row_issue(log, index, "no object with a name", NULL);
                return false;
        }
        if (!spec) {
                row_issue(log, index, "no such signal", name);
                return false;
        }
        *ret = (Signal){
                .spec = spec, .unit = spec->unit, .source = "report", .age_usec = USEC_UNKNOWN
        };
        if (!text_copy(ret->name, sizeof(ret->name), text_from(name)) ||
            !text_copy(ret->scope.name, sizeof(ret->scope.name),
                       text_from(scope ? scope : "system"))) {
                row_issue(log, index, "name or scope too long", name);
                return false;
        }
        factor = spec->unit[0] ? unit_factor(unit, spec->unit) : 1;
        if (factor == 0) {
                row_issue(log, index, "another unit than the signal has", name);
                return false;
        }
        if (unit && !spec->unit[0]) {
                ret->unit = arena_strndup(arena, unit, strlen(unit));
                if (!ret->unit)
                        ret->unit = "";
        }
        if (evidence && evidence_from_text(text_from(evidence), &ret->evidence) != 0) {
                row_issue(log, index, "no such evidence grade", evidence);
                return false;
        }
        if (!evidence)
                ret->evidence = default_evidence(ret);
        if (json_is_null(value)) {
                ret->evidence = EVIDENCE_NONE;
                ret->why = "the report gives no value";
                return true;
        }
        number = json_is_number(value) ? json_number_value(value) * factor : -1;
        if (!(number >= 0 && number < 9e18)) {
                row_issue(log, index, "value is no number from 0 to 9e18", name);
                return false;
        }
        if (json_is_integer(value) && factor == 1)
                ret->value = json_integer_value(value);
        else
                ret->value = (int64_t) number;
        if (!json_is_integer(value))
                ret->milli = (unsigned) ((number - (double) ret->value) * 1000.0) % 1000;
        if (json_is_number(age) && json_number_value(age) >= 0 && json_number_value(age) < 1e9)
                ret->age_usec = (usec_t) (json_number_value(age) * 1e6);
        return true;
}

/* The text of signals.json to rows; apart from the machine so that it can be fuzzed. */
int reports_parse(Arena *arena, Text text, Signal **ret_signals, size_t *ret_n, ParseLog *log) {
        json_error_t error;
        json_t *root = json_loadb(text.data, text.size, 0, &error);
        const json_t *rows = root;
        Signal *signals;
        size_t n = 0, n_rows;

        *ret_signals = NULL;
        *ret_n = 0;
        if (!root) {
                parse_log_add(log, "signals.json", read_json_line(text, error.line), "no JSON",
                              text_from(error.text));
                return 0;
        }
        if (json_is_object(root))
                rows = json_object_get(root,
                                       "signals"); /* as "alloctune signals --json" prints it */
        if (!json_is_array(rows)) {
                parse_log_add(log, "signals.json", 1, "no array of rows", TEXT_NULL);
                json_decref(root);
                return 0;
        }
        n_rows = json_array_size(rows);
        if (n_rows > REPORTS_MAX) {
                parse_log_add(log, "signals.json", 0, "more than 4096 rows; the rest is left out",
                              TEXT_NULL);
                n_rows = REPORTS_MAX;
        }
        signals = ARENA_ARRAY(arena, Signal, n_rows + 1);
        for (size_t i = 0; signals && i < n_rows; i++)
                if (parse_row(arena, json_array_get(rows, i), i, &signals[n], log))
                        n++;
        json_decref(root);
        if (!signals)
                return -ENOMEM;
        *ret_signals = signals;
        *ret_n = n;
        return 0;
}

int sample_reports(Machine *m, Arena *arena, Signal **ret_signals, size_t *ret_n, Text *ret_kmsg,
                   ParseLog *log) {
        Text text;
        int r;

        *ret_signals = NULL;
        *ret_n = 0;
        *ret_kmsg = TEXT_NULL;
        arena_reset(&m->scratch);
        r = read_top(m, "signals.json", REPORT_BYTES_MAX, &m->scratch, &text);
        if (r == 0)
                r = reports_parse(arena, text, ret_signals, ret_n, log);
        else if (r != MACHINE_E_ABSENT)
                parse_log_add(log, "signals.json", 0,
                              r == MACHINE_E_TOO_LARGE ? "larger than 4 MiB" : "cannot be read",
                              TEXT_NULL);
        if (r == -ENOMEM)
                return r;
        r = read_top(m, "kmsg", KMSG_BYTES_MAX, arena, ret_kmsg);
        if (r != 0) {
                *ret_kmsg = TEXT_NULL;
                if (r != MACHINE_E_ABSENT)
                        parse_log_add(log, "kmsg", 0,
                                      r == MACHINE_E_TOO_LARGE ? "larger than 16 MiB"
                                                               : "cannot be read",
                                      TEXT_NULL);
        }
        arena_reset(&m->scratch);
        return 0;
}
