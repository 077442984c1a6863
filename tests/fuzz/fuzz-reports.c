/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "machine/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        Signal *a, *b;
        size_t n, m;

        CHECK(reports_parse(fuzz_arena(0), text, &a, &n, &log) == 0);
        fuzz_check_log(&log, "signals.json", text);
        CHECK(reports_parse(fuzz_arena(1), text, &b, &m, &again) == 0);
        CHECK(n == m && log.n_issues == again.n_issues && log.n_more == again.n_more);
        /* the shortest row, {"name":"..."}, and its comma take more than 12 bytes */
        CHECK(n <= size / 12);
        for (size_t i = 0; i < n; i++) {
                CHECK(a[i].spec == signal_spec_find(text_from(a[i].name)) && a[i].spec != NULL);
                CHECK(strcmp(a[i].name, b[i].name) == 0 && a[i].value == b[i].value);
                CHECK(a[i].value >= 0 && a[i].milli < 1000 && a[i].evidence < _EVIDENCE_MAX);
                CHECK(a[i].unit != NULL && strcmp(a[i].source, "report") == 0);
                CHECK(strlen(a[i].scope.name) < SCOPE_MAX);
        }
        return 0;
}
