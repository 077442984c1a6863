/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/keyed.h"
#include "fuzz.h"

static void vmstat(Text text) {
        ParseLog log = {}, again = {};
        VmStat v, w;
        unsigned n_known = 0;

        CHECK(vmstat_parse(text, "proc/vmstat", &v, &log) == 0);
        fuzz_check_log(&log, "proc/vmstat", text);
        CHECK(vmstat_parse(fuzz_whole_lines(text), "proc/vmstat", &w, &again) == 0);
        for (size_t i = 0; i < _VM_KEY_MAX; i++) {
                CHECK(fuzz_same(v.value[i], w.value[i]));
                fuzz_check_in_text(v.value[i], text);
                n_known += v.value[i].known;
        }
        CHECK(v.n_keys == n_known && v.n_keys == w.n_keys && v.n_unknown == w.n_unknown);
        CHECK(v.n_keys + v.n_unknown <= fuzz_lines(text));
        CHECK(!vmstat_pgalloc(&v).known || n_known > 0);
}

static void meminfo(Text text) {
        ParseLog log = {}, again = {};
        MemInfo m, w;

        CHECK(meminfo_parse(text, "proc/meminfo", &m, &log) == 0);
        fuzz_check_log(&log, "proc/meminfo", text);
        CHECK(meminfo_parse(fuzz_whole_lines(text), "proc/meminfo", &w, &again) == 0);
        for (size_t i = 0; i < _MEM_KEY_MAX; i++) {
                bool is_count = i == MEM_HUGE_PAGES_FREE || i == MEM_HUGE_PAGES_TOTAL;

                CHECK(fuzz_same(m.value[i], w.value[i]));
                CHECK(is_count || !m.value[i].known || m.value[i].value % 1024 == 0);
                if (m.value[i].known && !is_count)
                        m.value[i].value /= 1024;
                fuzz_check_in_text(m.value[i], text);
        }
        CHECK(m.n_keys + m.n_unknown <= fuzz_lines(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        vmstat(fuzz_text(data, size));
        meminfo(fuzz_text(data, size));
        return 0;
}
