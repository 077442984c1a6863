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

int read_top(Machine *m, const char *name, size_t max_bytes, Arena *arena, Text *ret_text) {
        if (m->kind == MACHINE_SIMULATED)
                return machine_read(m, name, max_bytes, arena, ret_text);
        return root_read(&((FileMachine *) m)->top, name, max_bytes, arena, ret_text, &m->error);
}

/* Only captures and simulated machines have them. */
static int read_report(Machine *m, const char *name, size_t max_bytes, Arena *arena,
                       Text *ret_text) {
        if (m->kind != MACHINE_CAPTURE && m->kind != MACHINE_SIMULATED)
                return MACHINE_E_ABSENT;
        return read_top(m, name, max_bytes, arena, ret_text);
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

/* Where the rows of the array begin: jansson tells no lines of values. The text is known to be JSON. */
typedef struct RowCursor {
        Text rest;
        unsigned line; /* of the row at hand */
} RowCursor;

static char cursor_take(RowCursor *c) {
        char taken = c->rest.data[0];

        c->line += taken == '\n';
        c->rest = (Text){ c->rest.data + 1, c->rest.size - 1 };
        return taken;
}

static void cursor_skip_space(RowCursor *c) {
        while (c->rest.size > 0 && memchr(" \t\r\n", c->rest.data[0], 4))
                (void) cursor_take(c);
}

/* The text of a string whose opening quote is taken, as written. */
static Text cursor_skip_string(RowCursor *c) {
        const char *start = c->rest.data;

        while (c->rest.size > 0) {
                char taken = cursor_take(c);

                if (taken == '"')
                        return (Text){ start, (size_t) (c->rest.data - start) - 1 };
                if (taken == '\\' && c->rest.size > 0)
                        (void) cursor_take(c);
        }
        return TEXT_NULL;
}

/* Behind the bracket that opens the rows: that of the text, or that of the key "signals" of its object. */
static RowCursor cursor_begin(Text text) {
        RowCursor c = { .rest = text, .line = 1 };
        unsigned depth = 0;
        bool found = false;

        cursor_skip_space(&c);
        found = c.rest.size > 0 && c.rest.data[0] == '[';
        while (c.rest.size > 0) {
                char taken = cursor_take(&c);

                if (taken == '[' && found && depth <= 1)
                        break;
                if (taken == '{' || taken == '[')
                        depth++;
                else if (taken == '}' || taken == ']')
                        depth--;
                else if (taken == '"')
                        found = text_is(cursor_skip_string(&c), "signals") && depth == 1;
                else if (taken == ',')
                        found = false;
        }
        cursor_skip_space(&c);
        return c;
}

static void cursor_next_row(RowCursor *c) {
        unsigned depth = 0;

        while (c->rest.size > 0) {
                char taken = cursor_take(c);

                if (taken == '"')
                        (void) cursor_skip_string(c);
                else if (taken == '{' || taken == '[')
                        depth++;
                else if ((taken == '}' || taken == ']') && depth > 0)
                        depth--;
                else if (taken == ',' && depth == 0)
                        break;
        }
        cursor_skip_space(c);
}

typedef struct RowReader {
        Arena *arena;
        ParseLog *log;
        const json_t *row;
        size_t index;
        unsigned line;
} RowReader;

static void row_issue(const RowReader *r, const char *what, const char *about) {
        char text[48];

        (void) text_format(text, sizeof(text), "row %zu: %s", r->index + 1, about ? about : "");
        parse_log_add(r->log, "signals.json", r->line, what, text_from(text));
}

/* False, with an issue: there is a value, and it is no string. NULL: none, or null. */
static bool get_string(const RowReader *r, const char *key, const char **ret) {
        const json_t *value = json_object_get(r->row, key);

        *ret = json_string_value(value);
        if (!value || json_is_null(value) || *ret)
                return true;
        row_issue(r, "no string", key);
        return false;
}

/* "system", "node:N", "zone:N/NAME", "cache:DIR", as far as the signal has them; '*' for all of them. */
static bool scope_fits(const SignalSpec *spec, Text scope) {
        static const struct {
                const char *prefix;
                unsigned bit;
        } forms[] = { { "node:", SCOPES_NODE },
                      { "zone:", SCOPES_ZONE },
                      { "cache:", SCOPES_CACHE } };

        if (text_is(scope, "system"))
                return spec->scopes & SCOPES_SYSTEM;
        for (size_t i = 0; i < ELEMENTSOF(forms); i++) {
                size_t skip = strlen(forms[i].prefix), slash;
                uint64_t unused;

                if (!(spec->scopes & forms[i].bit) || !text_starts(scope, forms[i].prefix))
                        continue;
                scope = (Text){ scope.data + skip, scope.size - skip };
                slash = text_find(scope, '/');
                if (forms[i].bit == SCOPES_CACHE)
                        return scope.size > 0 && slash == scope.size;
                if ((forms[i].bit == SCOPES_ZONE) != (slash + 1 < scope.size))
                        return false;
                scope.size = slash;
                return text_is(scope, "*") ||
                       number_parse_u64(scope.data, scope.size, &unused) == 0;
        }
        return false;
}

/* False: no value that the signal can have. */
static bool read_value(const RowReader *r, double factor, Signal *ret) {
        const json_t *value = json_object_get(r->row, "value");
        double number = json_is_number(value) ? json_number_value(value) * factor : -1;

        if (json_is_null(value)) {
                ret->evidence = EVIDENCE_NONE;
                ret->why = "the report gives no value";
                return true;
        }
        if (!(number >= 0 && number < 9e18)) {
                row_issue(r, "value is no number from 0 to 9e18", ret->name);
                return false;
        }
        if (signal_is_share(ret) && number > (double) PPM) {
                row_issue(r, "a share above 1000000 ppm", ret->name);
                return false;
        }
        if (json_is_integer(value) && factor == 1)
                ret->value = json_integer_value(value);
        else
                ret->value = (int64_t) number;
        if (!json_is_integer(value))
                ret->milli = (unsigned) ((number - (double) ret->value) * 1000.0) % 1000;
        return true;
}

static void read_age(const RowReader *r, Signal *ret) {
        const json_t *age = json_object_get(r->row, "age_seconds");
        double seconds = json_is_number(age) ? json_number_value(age) : -1;

        if (!age || json_is_null(age))
                return;
        if (seconds >= 0 && seconds < 1e9)
                ret->age_usec = (usec_t) (seconds * 1e6);
        else
                row_issue(r, "age_seconds is no number from 0 to 1e9", ret->name);
}

/* One row of the array; false: it was not understood, and an issue says why. */
static bool parse_row(const RowReader *r, Signal *ret) {
        const char *name = NULL, *scope, *unit, *evidence;
        const SignalSpec *spec;
        double factor;

        if (!json_is_object(r->row) || !get_string(r, "name", &name) || !name) {
                row_issue(r, "no object with a name", NULL);
                return false;
        }
        spec = signal_spec_find(text_from(name));
        if (!spec) {
                row_issue(r, "no such signal", name);
                return false;
        }
        if (!get_string(r, "scope", &scope) || !get_string(r, "unit", &unit) ||
            !get_string(r, "evidence", &evidence))
                return false;
        *ret = (Signal){
                .spec = spec, .unit = spec->unit, .source = "report", .age_usec = USEC_UNKNOWN
        };
        if (!text_copy(ret->name, sizeof(ret->name), text_from(name)) ||
            !text_copy(ret->scope.name, sizeof(ret->scope.name),
                       text_from(scope ? scope : "system"))) {
                row_issue(r, "name or scope too long", name);
                return false;
        }
        if (!scope_fits(spec, text_from(ret->scope.name))) {
                row_issue(r, "no scope of this signal", ret->scope.name);
                return false;
        }
        factor = spec->unit[0] ? unit_factor(unit, spec->unit) : 1;
        if (factor == 0) {
                row_issue(r, "another unit than the signal has", name);
                return false;
        }
        if (unit && !spec->unit[0]) {
                ret->unit = arena_strndup(r->arena, unit, strlen(unit));
                if (!ret->unit)
                        ret->unit = "";
        }
        if (evidence && evidence_from_text(text_from(evidence), &ret->evidence) != 0) {
                row_issue(r, "no such evidence grade", evidence);
                return false;
        }
        if (!evidence)
                ret->evidence = default_evidence(ret);
        if (!read_value(r, factor, ret))
                return false;
        read_age(r, ret);
        return true;
}

static bool same_row(const Signal *a, const Signal *b) {
        return strcmp(a->name, b->name) == 0 && scope_equal(&a->scope, &b->scope);
}

/* The text of signals.json to rows; apart from the machine so that it can be fuzzed. */
int reports_parse(Arena *arena, Text text, Signal **ret_signals, size_t *ret_n, ParseLog *log) {
        json_error_t error;
        json_t *root = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
        const json_t *rows = root;
        RowCursor cursor;
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
        cursor = cursor_begin(text);
        for (size_t i = 0; signals && i < n_rows; i++, cursor_next_row(&cursor)) {
                RowReader reader = { arena, log, json_array_get(rows, i), i, cursor.line };

                if (!parse_row(&reader, &signals[n]))
                        continue;
                for (size_t k = 0; k < n; k++)
                        if (same_row(&signals[k], &signals[n])) {
                                row_issue(
                                        &reader,
                                        "a second row of this signal and scope replaces the first",
                                        signals[n].name);
                                signals[k] = signals[n--];
                                break;
                        }
                n++;
        }
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
        r = read_report(m, "signals.json", REPORT_BYTES_MAX, &m->scratch, &text);
        if (r == 0)
                r = reports_parse(arena, text, ret_signals, ret_n, log);
        else if (r != MACHINE_E_ABSENT)
                parse_log_add(log, "signals.json", 0,
                              r == MACHINE_E_TOO_LARGE ? "larger than 4 MiB" : "cannot be read",
                              TEXT_NULL);
        if (r < 0)
                return r;
        r = read_report(m, "kmsg", KMSG_BYTES_MAX, arena, ret_kmsg);
        if (r < 0 && r != -ENOMEM)
                return r;
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
