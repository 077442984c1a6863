/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/stat.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        ParseLog log = {}, again = {};
        CpuStat s, w;

        CHECK(cpustat_parse(fuzz_arena(0), text, "proc/stat", &s, &log) == 0);
        fuzz_check_log(&log, "proc/stat", text);
        CHECK(cpustat_parse(NULL, fuzz_whole_lines(text), "proc/stat", &w, &again) == 0);
        CHECK(s.n_cpus == w.n_cpus && s.n_cpus <= fuzz_count(text, "cpu"));
        CHECK(fuzz_same(s.user, w.user) && fuzz_same(s.system, w.system) &&
              fuzz_same(s.idle, w.idle));
        CHECK(fuzz_same(s.guest_nice, w.guest_nice) && fuzz_same(s.boot_time_sec, w.boot_time_sec));
        fuzz_check_in_text(s.user, text);
        fuzz_check_in_text(s.steal, text);
        fuzz_check_in_text(s.boot_time_sec, text);
        for (unsigned i = 0; i < s.n_cpus && i < 4; i++) {
                fuzz_check_in_text(KNOWN(s.cpus[i].cpu), text);
                fuzz_check_in_text(s.cpus[i].steal, text);
        }
        CHECK(!cpustat_kernel(&s).known || cpustat_kernel(&s).value >= s.system.value);
        CHECK(!cpustat_total(&s).known || cpustat_total(&s).value >= cpustat_kernel(&s).value);
        return 0;
}
