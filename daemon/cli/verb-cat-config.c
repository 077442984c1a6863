/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "cli/front.h"
#include "cli/json.h"
#include "cli/output.h"
#include "conf/check.h"

static const char *state_string(ConfFileState state) {
        switch (state) {
        case CONF_FILE_USED:
                return "used";
        case CONF_FILE_MASKED:
                return "masked";
        case CONF_FILE_REPLACED:
                return "replaced";
        case CONF_FILE_REFUSED:
                break;
        }
        return "refused";
}

static bool add_files(json_t *rows, const ConfFileList *list) {
        for (size_t i = 0; rows && i < list->n; i++) {
                json_t *row = json_object();

                if (!cli_json_set(row, "path", cli_json_string(list->files[i].path)) ||
                    !cli_json_set(row, "state",
                                  cli_json_string(state_string(list->files[i].state)))) {
                        json_decref(row);
                        return false;
                }
                if (json_array_append_new(rows, row) < 0)
                        return false;
        }
        return rows != NULL;
}

static json_t *setting(const ConfRow *r) {
        json_t *j = json_object();

        if (cli_json_set(j, "policy", cli_json_text(r->policy)) &&
            cli_json_set(j, "key", cli_json_string(r->key)) &&
            cli_json_set(j, "value", cli_json_text(r->value)) &&
            cli_json_set(j, "file", cli_json_text(r->file)) &&
            cli_json_set(j, "line", r->file && r->line > 0 ? json_integer(r->line) : json_null()))
                return j;
        json_decref(j);
        return NULL;
}

static json_t *settings(const ConfRows *rows) {
        json_t *array = json_array();

        for (size_t i = 0; array && i < rows->n; i++)
                if (json_array_append_new(array, setting(&rows->rows[i])) < 0) {
                        json_decref(array);
                        return NULL;
                }
        return array;
}

static int print_json(const Conf *conf, const PolicySet *policies, const ConfIssues *issues) {
        json_t *files = json_array(), *problems = json_array(), *document = NULL;
        ConfRows rows = { 0 };
        bool good = add_files(files, &conf->files) && add_files(files, &policies->files) &&
                    conf_rows(conf, policies, &rows) == 0;

        for (size_t i = 0; good && i < issues->n; i++)
                good = json_array_append_new(problems, cli_json_issue(&issues->items[i])) == 0;
        if (good) {
                document = cli_json_document("files", files);
                files = NULL;
                good = cli_json_set(document, "settings", settings(&rows));
        }
        if (good) {
                good = cli_json_set(document, "issues", problems);
                problems = NULL;
        }
        json_decref(files);
        json_decref(problems);
        if (!good) {
                json_decref(document);
                document = NULL;
        }
        conf_rows_done(&rows);
        return cli_json_print(document);
}

static int print_text(const Options *options, const Conf *conf, const PolicySet *policies,
                      const ConfIssues *issues) {
        Output out;
        int r;

        for (size_t i = 0; i < issues->n; i++)
                cli_print_issue(&issues->items[i]);
        output_open(&out, !options->no_pager);
        r = conf_cat(conf, policies, out.stream);
        if (r == -ENOMEM) {
                (void) output_close(&out);
                return cli_errno("cat-config", r);
        }
        /* A failed write stays in the stream's error flag. */
        return output_finish(&out);
}

int verb_cat_config(const Options *options) {
        _cleanup_(conf_freep) Conf *conf = NULL;
        _cleanup_(policy_set_freep) PolicySet *policies = NULL;
        ConfOptions conf_options = cli_conf_options(options);
        ConfIssues issues = CONF_ISSUES_NULL;
        Options look = *options;
        Observation o = { 0 };
        int code = EXIT_FINE, r = conf_load(&conf_options, &conf, &issues);
        bool bad = issues.n_errors > 0;

        if (r < 0)
                code = cli_errno("configuration", r);
        /* A bad file is shown with the rest, and told by the exit code. Profile "auto" depends on the machine. */
        if (code == EXIT_FINE && conf->profile == PROFILE_AUTO)
                code = cli_observe(&look, NULL, &o);
        if (code == EXIT_FINE)
                code = cli_load_policies(options, conf, o.machine ? &o : NULL, &policies, &issues);
        if (code == EXIT_FINE)
                code = options->json ? print_json(conf, policies, &issues)
                                     : print_text(options, conf, policies, &issues);
        if (code == EXIT_FINE && bad)
                code = EXIT_BAD_CONFIG;
        observation_done(&o);
        conf_issues_done(&issues);
        return code;
}
