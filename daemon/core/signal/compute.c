/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the list of signals together: computed rows, then the rows that a capture's signals.json reports
 * (they replace computed ones of the same name and scope), then what is derived from both. */
#include "core/signal/compute.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "base/units.h"

Signal *signal_build_add(SignalBuild *b, const char *name, Scope scope) {
        Signal *s;

        if (b->n == b->capacity) {
                size_t capacity = b->capacity ? 2 * b->capacity : 128;
                Signal *rows = arena_grow(b->arena, b->rows, b->capacity * sizeof(Signal),
                                          capacity * sizeof(Signal), _Alignof(Signal));

                if (!rows) {
                        b->error = -ENOMEM;
                        return NULL;
                }
                b->rows = rows;
                b->capacity = capacity;
        }
        s = &b->rows[b->n++];
        memset(s, 0, sizeof(*s));
        s->spec = signal_spec_find(text_from(name));
        assert(s->spec);
        (void) text_copy(s->name, sizeof(s->name), text_from(name));
        s->scope = scope;
        s->unit = s->spec->unit;
        s->source = "none";
        s->age_usec = USEC_UNKNOWN;
        return s;
}

void signal_set(Signal *s, Evidence evidence, int64_t value, const char *source, usec_t age_usec) {
        s->evidence = evidence;
        s->value = value;
        s->milli = 0;
        s->source = source;
        s->age_usec = age_usec;
}

void signal_set_milli(Signal *s, Evidence evidence, uint64_t milli, const char *source,
                      usec_t age_usec) {
        signal_set(s, evidence, (int64_t) MIN(milli / 1000, (uint64_t) INT64_MAX), source,
                   age_usec);
        s->milli = (unsigned) (milli % 1000);
}

const Signal *signal_build_find(const SignalBuild *b, const char *name, const char *scope) {
        for (size_t i = 0; i < b->n; i++)
                if (strcmp(b->rows[i].name, name) == 0 && strcmp(b->rows[i].scope.name, scope) == 0)
                        return &b->rows[i];
        return NULL;
}

const Snapshot *signal_build_last(const SignalBuild *b, SenseFile file) {
        for (size_t i = b->input->n_snapshots; i-- > 0;)
                if (b->input->snapshots[i]->state[file] == SENSE_OK)
                        return b->input->snapshots[i];
        return NULL;
}

SenseState signal_build_state(const SignalBuild *b, SenseFile file) {
        SenseState state = SENSE_NOT_DUE;

        for (size_t i = 0; i < b->input->n_snapshots; i++) {
                SenseState s = b->input->snapshots[i]->state[file];

                if (s == SENSE_OK)
                        return s;
                if (s != SENSE_NOT_DUE)
                        state = s;
        }
        return state;
}

usec_t signal_build_age(const SignalBuild *b, SenseFile file) {
        const Snapshot *s = signal_build_last(b, file);

        if (!s || b->input->kind == WINDOW_BOOT)
                return s ? 0 : USEC_UNKNOWN;
        return u64_sub_sat(b->last->at_usec, s->at_usec);
}

static int compare_rows(const void *a, const void *b) {
        const Signal *x = a, *y = b;
        int c = strcmp(x->name, y->name);

        return c != 0 ? c : strcmp(x->scope.name, y->scope.name);
}

/* People name a cache by any of its names; merged names are one cache, whose row has the real one. */
static Scope real_scope(const SignalBuild *b, const Scope *scope) {
        static const char prefix[] = "cache:";
        const Snapshot *s = signal_build_last(b, SENSE_SLAB);
        const SlabTree *tree = s ? s->slab : NULL;
        const char *name = scope->name + sizeof(prefix) - 1;

        if (!text_starts(text_from(scope->name), prefix))
                return *scope;
        for (size_t i = 0; tree && i < tree->n; i++)
                for (unsigned k = 0; k < tree->caches[i].n_aliases; k++)
                        if (strcmp(tree->caches[i].aliases[k], name) == 0)
                                return scope_cache(tree->caches[i].dir);
        return *scope;
}

/* A wait under one more name of the same cache adds to that of the others. */
static void merge_report(Signal *row, const Signal *report) {
        int64_t sum = row->value;

        if (!row->spec->lock_wait || row->evidence == EVIDENCE_NONE ||
            report->evidence == EVIDENCE_NONE || __builtin_add_overflow(sum, report->value, &sum)) {
                if (report->value > row->value)
                        *row = *report;
                return;
        }
        row->value = sum;
        row->evidence = MIN(row->evidence, report->evidence);
}

static void apply_reports(SignalBuild *b) {
        size_t n = b->input->n_reports;
        Scope *real = ARENA_ARRAY(b->arena, Scope, n + 1);

        if (!real) {
                b->error = -ENOMEM;
                return;
        }
        for (size_t i = 0; i < n; i++) {
                Signal report = b->input->reports[i];
                Scope written = report.scope;
                Signal *row = NULL;
                bool merged = false;

                report.scope = real[i] = real_scope(b, &written);
                for (size_t k = 0; k < i && !merged; k++)
                        merged = scope_equal(&real[k], &real[i]) &&
                                 strcmp(b->input->reports[k].name, report.name) == 0 &&
                                 !scope_equal(&b->input->reports[k].scope, &written);
                for (size_t k = 0; k < b->n && !row; k++)
                        if (compare_rows(&b->rows[k], &report) == 0)
                                row = &b->rows[k];
                if (!row)
                        row = signal_build_add(b, report.name, report.scope);
                if (row && merged)
                        merge_report(row, &report);
                else if (row)
                        *row = report;
        }
}

/* More than the whole cannot be: a file was wrong, or two were read at odds. What is just above it is
 * the skew between two readings; an estimate may say how far a lock is overloaded. */
#define SHARE_SKEW_PPM 50000

static void check_shares(SignalBuild *b) {
        for (size_t i = 0; i < b->n; i++) {
                Signal *s = &b->rows[i];

                if (!signal_is_share(s) || s->evidence <= EVIDENCE_ESTIMATED ||
                    s->value <= (int64_t) PPM)
                        continue;
                if (s->value > (int64_t) PPM + SHARE_SKEW_PPM) {
                        s->evidence = EVIDENCE_NONE;
                        s->why = "more than 100 %: a number in its file cannot be";
                }
                s->value = s->evidence == EVIDENCE_NONE ? 0 : (int64_t) PPM;
                s->milli = 0;
        }
}

int signals_compute(Arena *arena, const SignalInput *input, SignalSet *ret_set) {
        SignalBuild b = { .arena = arena, .input = input };

        if (input->n_snapshots > 0) {
                b.last = input->snapshots[input->n_snapshots - 1];
                signals_add_rates(&b);
                signals_add_gauges(&b);
        }
        apply_reports(&b);
        check_shares(&b);
        if (b.last)
                signals_add_derived(&b);
        if (b.error)
                return b.error;
        array_sort(b.rows, b.n, sizeof(Signal), compare_rows);
        *ret_set = (SignalSet){ .signals = b.rows, .n = b.n };
        return 0;
}
