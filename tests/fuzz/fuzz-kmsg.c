/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/kmsg.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        unsigned n_events = 0, n_rows = 0, n_lines = fuzz_lines(text);
        ParseLog log = {};
        Kmsg k;

        CHECK(kmsg_parse(fuzz_arena(0), text, "kmsg", &k, &log) == 0);
        fuzz_check_log(&log, "kmsg", text);
        CHECK(k.n <= KMSG_EVENTS_MAX && k.n_lines == n_lines);
        CHECK(k.n_more == 0 || k.n == KMSG_EVENTS_MAX);
        for (unsigned i = 0; i < _KMSG_KIND_MAX; i++) {
                CHECK(kmsg_kind_to_string(i)[0]);
                n_events += k.count[i];
        }
        CHECK(n_events <= n_lines && k.n_binary <= n_lines);
        CHECK(k.n_failures_order0 + k.n_failures_high == k.count[KMSG_ALLOCATION_FAILURE]);
        for (size_t i = 0; i < k.n; i++) {
                const KmsgEvent *e = &k.events[i];

                fuzz_check_string(e->comm, sizeof(e->comm));
                fuzz_check_string(e->mode, sizeof(e->mode));
                for (const char *p = e->comm; *p; p++)
                        CHECK(*p >= ' ' && *p <= '~');
                CHECK(e->count > 0 && e->first_line > 0 && e->first_line <= n_lines);
                CHECK(i == 0 || k.events[i - 1].first_line < e->first_line);
                fuzz_check_in_text(e->order, text);
                n_rows += e->count;
        }
        CHECK(n_rows + k.n_more == n_events);
        return 0;
}
