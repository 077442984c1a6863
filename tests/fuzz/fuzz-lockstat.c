/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lockstat.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        unsigned n_classes = 0;
        LockStat s, w;

        CHECK(lockstat_parse(fuzz_arena(0), text, "proc/lock_stat", &s, &log) == 0);
        fuzz_check_log(&log, "proc/lock_stat", text);
        CHECK(lockstat_parse(fuzz_arena(1), fuzz_whole_lines(text), "proc/lock_stat", &w, &again) ==
              0);
        CHECK(s.n == w.n && s.collecting == w.collecting && s.n <= fuzz_count(text, ":"));
        for (size_t i = 0; i < s.n; i++) {
                const LockClass *a = &s.classes[i], *b = &w.classes[i];

                fuzz_check_string(a->name, sizeof(a->name));
                CHECK(strcmp(a->name, b->name) == 0 && a->mode == b->mode);
                CHECK(a->mode == 0 || a->mode == 'R' || a->mode == 'W');
                CHECK(fuzz_same(a->contentions, b->contentions));
                CHECK(fuzz_same(a->wait_total_nsec, b->wait_total_nsec));
                CHECK(fuzz_same(a->hold_total_nsec, b->hold_total_nsec));
                fuzz_check_in_text(a->contentions, text);
                fuzz_check_in_text(a->acquisitions, text);
        }
        for (unsigned f = 0; f < _LOCK_FAMILY_MAX; f++) {
                CHECK(s.total[f].n_classes > 0 || !s.total[f].contentions.known);
                CHECK(lock_family_to_string(f)[0]);
                n_classes += s.total[f].n_classes;
        }
        CHECK(n_classes == s.n);
        CHECK(lockstat_family(text) < _LOCK_FAMILY_MAX);
        return 0;
}
