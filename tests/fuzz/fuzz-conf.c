/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/check.h"
#include "conf/conf-load.h"
#include "conf/conf-table.h"
#include "conf/lex.h"
#include "fuzz.h"

/* A configuration file: bad ones change nothing and say why; good ones are in range, and what is
 * printed of them, read again, prints the same. */
static char *print(const Conf *conf) {
        ConfRows rows = {};
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        CHECK(f);
        CHECK(conf_rows(conf, NULL, &rows) == 0);
        for (size_t i = 0; i < rows.n; i++)
                CHECK(fprintf(f, "%s = %s;\n", rows.rows[i].key, rows.rows[i].value) > 0);
        CHECK(fclose(f) == 0);
        conf_rows_done(&rows);
        return text;
}

static void check_issues(const ConfIssues *issues, size_t n_errors, unsigned n_lines) {
        CHECK(issues->n_errors >= n_errors);
        for (size_t i = 0; i < issues->n; i++) {
                CHECK(issues->items[i].text[0]);
                CHECK(issues->items[i].line <= n_lines + 1);
                for (const char *p = issues->items[i].text; *p; p++)
                        CHECK((unsigned char) *p >= ' ' && *p != 0x7f);
        }
}

static void check_values(const Conf *conf) {
        CHECK(conf->changes_per_hour <= 3600 && conf->trials_per_day <= 288);
        CHECK(conf->share_ppm >= 0 && conf->share_ppm <= 1000000);
        CHECK(conf->tick_usec >= 1000000 && conf->tick_usec <= 600000000);
        CHECK(conf->tick_trial_usec >= 250000 && conf->tick_trial_usec <= 60000000);
        CHECK(conf->profile < _PROFILE_MAX);
        CHECK(conf->trials.days < 128 && conf->trials.start_minute < 1440 &&
              conf->trials.end_minute <= 1440);
        CHECK(conf->own_memory_bytes >= (8 << 20) && conf->own_memory_bytes <= (1 << 30));
        for (size_t i = 0; i < conf->n_externals; i++) {
                CHECK(conf->externals[i].path[0] == '/');
                CHECK(conf_external_find(conf, conf->externals[i].name) == &conf->externals[i]);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        ConfIssues issues = CONF_ISSUES_NULL;
        size_t n_errors = conf_text_check("f", (const char *) data, size, &issues);
        unsigned n_lines = fuzz_lines(fuzz_text(data, size));
        Conf *conf, *again;
        char *text, *before, *after, *reread;
        int r;

        check_issues(&issues, n_errors, n_lines);
        if (n_errors > 0) {
                conf_issues_done(&issues);
                return 0;
        }
        text = calloc(1, size + 1);
        conf = conf_new();
        CHECK(text && conf);
        if (size > 0)
                memcpy(text, data, size);
        CHECK(strlen(text) == size);
        before = print(conf);
        r = conf_apply_text(conf, "f", text, &issues);
        CHECK(r == 0 || r == 1);
        check_issues(&issues, r == 1 ? 1 : 0, n_lines);
        CHECK(r == 1 || issues.n_errors == 0);
        check_values(conf);
        after = print(conf);
        if (r == 1)
                CHECK(strcmp(before, after) == 0);
        again = conf_new();
        CHECK(again);
        CHECK(conf_text_check("g", after, strlen(after), NULL) == 0);
        CHECK(conf_apply_text(again, "g", after, NULL) == 0);
        reread = print(again);
        CHECK(strcmp(after, reread) == 0);

        free(reread);
        free(after);
        free(before);
        free(text);
        (void) conf_free(again);
        (void) conf_free(conf);
        conf_issues_done(&issues);
        return 0;
}
