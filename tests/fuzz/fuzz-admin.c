/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/admin.h"
#include "fuzz.h"

typedef int (*Parse)(Arena *a, Text text, const char *path, AdminLines *ret, ParseLog *log);

static void parse_twice(Parse parse, Text text, const char *root) {
        ParseLog log = {}, again = {};
        AdminLines s, w;
        unsigned n_lines = fuzz_lines(text);

        CHECK(parse(fuzz_arena(0), text, "etc/x", &s, &log) == 0);
        fuzz_check_log(&log, "etc/x", text);
        CHECK(parse(fuzz_arena(1), text, "etc/x", &w, &again) == 0);
        CHECK(s.n == w.n && s.n_skipped == w.n_skipped);
        CHECK(s.n + s.n_skipped <= n_lines);
        CHECK(log.n_issues + log.n_more <= s.n_skipped);
        for (size_t i = 0; i < s.n; i++) {
                const AdminLine *a = &s.lines[i];

                CHECK(strcmp(a->path, w.lines[i].path) == 0 &&
                      strcmp(a->value, w.lines[i].value) == 0);
                CHECK(strncmp(a->path, root, strlen(root)) == 0);
                CHECK(a->line > 0 && a->line <= n_lines);
                CHECK(i == 0 || s.lines[i - 1].line < a->line);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        parse_twice(sysctl_conf_parse, fuzz_text(data, size), "/proc/sys/");
        parse_twice(tmpfiles_conf_parse, fuzz_text(data, size), "/");
        return 0;
}
