/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV of RFC 4180 with one header line; the split into fit rows and check rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "sim/evidence.h"

const char *const evidence_files[] = {
        "pcp_autotune",
        "pcp_batch_latency",
        "pcp_batch_page_fault1",
        "seed0_hackbench",
        "seed0_lockstat",
        "seed1_cpu_partial",
        "seed2_thp_align",
        "seed3_hackbench_sched",
        "seed4_batch_peaks",
        "slub_listlock",
        "slub_order",
        NULL,
};

static bool is(const char *a, const char *b) {
        return strcmp(a, b) == 0;
}

static bool has(const char *a, const char *part) {
        return strstr(a, part) != NULL;
}

/* The rule. What is not named is a check row. */
static bool row_is_check(const char *file, const EvidenceRow *r) {
        if (is(file, "pcp_batch_page_fault1")) {
                static const char *const batches[] = { "31", "63", "127", "255", "511" };
                for (size_t i = 0; i < ELEMENTSOF(batches); i++)
                        if (is(r->knob_value, batches[i]))
                                return false;
                return true;
        }
        if (is(file, "pcp_batch_latency")) /* hold times per batch */
                return !has(r->metric, "mean");
        if (is(file,
               "slub_listlock")) { /* the cpu_partial series and its base: seven throughputs */
                bool series = is(r->knob, "cpu_partial") || is(r->knob_value, "base (max order 3)");
                return !series || !has(r->workload, "mmap1") || !has(r->metric, "throughput");
        }
        if (is(file, "seed0_lockstat")) /* totals of the unchanged kernel, and who waited to free */
                return !has(r->knob_value, "vanilla") ||
                       (has(r->metric, " at ") && !has(r->metric, "waiter at free_"));
        if (is(file, "pcp_autotune")) /* kernel builds: base and the patch that tunes */
                return !has(r->workload, "8 instances, make") || !has(r->source, "-V3") ||
                       !(is(r->knob_value, "base") || is(r->knob_value, "patch7"));
        if (is(file, "slub_order")) /* the arm64 pair */
                return !has(r->machine, "arm64") || !is(r->metric, "elapsed mean") ||
                       !(is(r->knob_value, "v5.11-rc4") || is(r->knob_value, "v5.10"));
        if (is(file, "seed1_cpu_partial")) /* slabs made, before the accounting changed */
                return !has(r->knob_value, "(before)") ||
                       !(is(r->metric, "PageAlloc alloc") || is(r->metric, "Total alloc"));
        return true;
}

/* One record from *text on: fields are unquoted in place. Returns how many there are, 0 at the end. */
static size_t record_next(char **text, char **fields, size_t n_fields) {
        char *at = *text, *to;
        size_t n = 0;

        if (!*at)
                return 0;
        for (;;) {
                bool quoted = *at == '"';

                if (n < n_fields)
                        fields[n] = at;
                n++;
                to = at;
                if (quoted)
                        at++;
                while (*at && (quoted || (*at != ',' && *at != '\n'))) {
                        if (quoted && *at == '"') {
                                if (at[1] != '"') {
                                        quoted = false;
                                        at++;
                                        continue;
                                }
                                at++;
                        }
                        *to++ = *at++;
                }
                char end = *at;
                if (end)
                        at++;
                *to = 0;
                if (end != ',')
                        break;
        }
        *text = at;
        return n;
}

static char *file_read(const char *dir, const char *name) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s.csv", dir, name);
        FILE *f = fopen(path, "re");
        char *text = calloc(1, 1u << 20);
        size_t size = f && text ? fread(text, 1, (1u << 20) - 1, f) : 0;

        if (!f || !text || ferror(f) || !feof(f)) {
                fprintf(stderr, "%s: cannot be read, or is larger than 1 MiB\n", path);
                exit(2);
        }
        text[size] = 0;
        fclose(f);
        return text;
}

static bool row_take(char **at, EvidenceRow *ret) {
        char *f[10], *end;
        size_t n = record_next(at, f, ELEMENTSOF(f));

        if (n == 0)
                return false;
        if (n != ELEMENTSOF(f)) {
                fprintf(stderr, "a row with %zu fields\n", n);
                exit(2);
        }
        *ret = (EvidenceRow){ f[0], f[1], f[2], f[3], f[4],  f[5], f[6],
                              f[7], f[8], f[9], NAN,  false, 0 };
        double value = strtod(f[7], &end);
        if (end != f[7])
                ret->value = value;
        return true;
}

void evidence_load(const char *dir, const char *name, bool fit_only, Evidence *ret) {
        size_t room = 0;
        EvidenceRow row;

        *ret = (Evidence){ .text = file_read(dir, name) };
        for (const char *c = ret->text; *c; c++)
                room += *c == '\n';
        ret->rows = calloc(room + 1, sizeof(*ret->rows));
        if (!ret->rows)
                exit(2);
        char *at = ret->text;
        for (unsigned line = 1; row_take(&at, &row); line++) {
                if (line == 1)
                        continue;
                row.line = line;
                row.check = row_is_check(name, &row);
                if (!fit_only || !row.check)
                        ret->rows[ret->n++] = row;
        }
}

void evidence_free(Evidence *e) {
        free(e->rows);
        free(e->text);
        *e = (Evidence){ 0 };
}

void evidence_strip(const char *dir, const char *name, const char *out) {
        char path[1024];
        char *text = file_read(dir, name), *whole = strdup(text), *at = text;
        EvidenceRow row;

        snprintf(path, sizeof(path), "%s/%s.csv", out, name);
        FILE *f = fopen(path, "we");
        if (!f || !whole) {
                fprintf(stderr, "%s: cannot be written\n", path);
                exit(2);
        }
        for (unsigned line = 1;; line++) {
                size_t from = (size_t) (at - text);

                if (!row_take(&at, &row))
                        break;
                if (line == 1 || !row_is_check(name, &row))
                        fwrite(whole + from, 1, (size_t) (at - text) - from, f);
        }
        if (fclose(f) != 0)
                exit(2);
        free(whole);
        free(text);
}

const EvidenceRow *evidence_find(const Evidence *e, const char *machine, const char *workload,
                                 const char *knob, const char *knob_value, const char *metric) {
        for (size_t i = 0; i < e->n; i++) {
                const EvidenceRow *r = &e->rows[i];

                if ((!machine || has(r->machine, machine)) &&
                    (!workload || has(r->workload, workload)) && (!knob || has(r->knob, knob)) &&
                    (!knob_value || is(r->knob_value, knob_value)) &&
                    (!metric || has(r->metric, metric)))
                        return r;
        }
        return NULL;
}

double evidence_value(const Evidence *e, const char *machine, const char *workload,
                      const char *knob, const char *knob_value, const char *metric) {
        const EvidenceRow *r = evidence_find(e, machine, workload, knob, knob_value, metric);
        return r ? r->value : NAN;
}
