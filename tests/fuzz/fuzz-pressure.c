/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/pressure.h"
#include "fuzz.h"

static void same_line(const PressureLine *a, const PressureLine *b) {
        CHECK(a->present == b->present);
        CHECK(a->present || (!a->avg10_ppm.known && !a->total_usec.known));
        CHECK(fuzz_same(a->avg10_ppm, b->avg10_ppm) && fuzz_same(a->avg60_ppm, b->avg60_ppm));
        CHECK(fuzz_same(a->avg300_ppm, b->avg300_ppm) && fuzz_same(a->total_usec, b->total_usec));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        Pressure p, w;

        CHECK(pressure_parse(text, "proc/pressure/memory", &p, &log) == 0);
        fuzz_check_log(&log, "proc/pressure/memory", text);
        CHECK(pressure_parse(fuzz_whole_lines(text), "proc/pressure/memory", &w, &again) == 0);
        same_line(&p.some, &w.some);
        same_line(&p.full, &w.full);
        fuzz_check_in_text(p.some.total_usec, text);
        fuzz_check_in_text(p.full.total_usec, text);
        CHECK(!p.some.present || text_find_string(text, "some") < text.size);
        CHECK(p.some.present || p.full.present || log.n_issues > 0);
        return 0;
}
