/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cli/front.h"
#include "cli/json.h"
#include "cli/output.h"
#include "conf/check.h"

static json_t *file_rows(const Options *options) {
        json_t *files = json_array();

        for (int i = 0; files && i < options->n_args; i++)
                if (json_array_append_new(files, cli_json_string(options->args[i])) < 0) {
                        json_decref(files);
                        return NULL;
                }
        return files;
}

static int print_text(const Options *options, const ConfIssues *issues) {
        size_t n_warnings = 0;
        Output out;

        for (size_t i = 0; i < issues->n; i++) {
                cli_print_issue(&issues->items[i]);
                n_warnings += issues->items[i].severity == CONF_WARNING;
        }
        if (issues->n_dropped > 0)
                cli_error("%zu more problems are not shown", issues->n_dropped);
        if (issues->n_errors > 0)
                return EXIT_FINE;
        output_open(&out, /* paged= */ false);
        if (options->n_args > 0)
                output_print(&out, "%d file%s", options->n_args, options->n_args == 1 ? "" : "s");
        else
                output_print(&out, "configuration and policies");
        if (n_warnings > 0)
                output_print(&out, ": no error, %zu warning%s\n", n_warnings,
                             n_warnings == 1 ? "" : "s");
        else
                output_print(&out, ": good\n");
        return output_finish(&out);
}

int verb_check(const Options *options) {
        ConfOptions conf_options = cli_conf_options(options);
        ConfIssues issues = CONF_ISSUES_NULL;
        int r = 0, code;

        for (int i = 0; r == 0 && i < options->n_args; i++)
                r = conf_check_file(&conf_options, options->args[i], &issues);
        if (options->n_args == 0)
                r = conf_check_all(&conf_options, &issues);
        if (r < 0)
                code = cli_errno("check", r);
        else
                code = options->json ? cli_json_print(cli_json_check(&issues, file_rows(options)))
                                     : print_text(options, &issues);
        if (code == EXIT_FINE && issues.n_errors > 0)
                code = EXIT_BAD_CONFIG;
        conf_issues_done(&issues);
        return code;
}
