/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/output.h"
#include "store/capture.h"

static json_t *document(const char *dir, const CaptureResult *result) {
        json_t *j = json_object();

        if (cli_json_set(j, "schema", json_integer(1)) &&
            cli_json_set(j, "directory", cli_json_string(dir)) &&
            cli_json_set(j, "snapshots", json_integer(result->n_snapshots)) &&
            cli_json_set(j, "files", cli_json_u64(result->n_files)) &&
            cli_json_set(j, "denied", cli_json_u64(result->n_denied)))
                return j;
        json_decref(j);
        return NULL;
}

static int print_text(const char *dir, const CaptureResult *result) {
        Output out;

        output_open(&out, /* paged= */ false);
        output_styled(&out, STYLE_PLAIN, "%s: %u snapshot%s, %s files", dir, result->n_snapshots,
                      result->n_snapshots == 1 ? "" : "s", human_count(result->n_files).text);
        output_print(&out, "\n");
        if (result->n_denied > 0)
                output_print(
                        &out,
                        "%s files of each could not be read by this user: sudo captures them\n",
                        human_count(result->n_denied).text);
        output_styled(&out, STYLE_DIM, "Next: alloctune recommend --root %s", dir);
        output_print(&out, "\n");
        return output_finish(&out);
}

int verb_capture(const Options *options) {
        CaptureOptions capture_options = {
                .dir = options->args[0],
                .duration_usec = options->duration_usec,
                .interval_usec = options->interval_usec,
                .progress = cli_progress(options),
        };
        CaptureResult result = { 0 };
        Machine *m = NULL;
        int r = machine_open(options->root, &m), code;

        code = cli_machine_error(options, r);
        if (code == EXIT_FINE) {
                r = capture_write(m, &capture_options, &result);
                if (r == CAPTURE_E_EXISTS) {
                        cli_error("%s: exists already, expected a new name or an empty directory",
                                  options->args[0]);
                        code = EXIT_FAILED;
                } else if (r < 0) {
                        code = cli_errno(options->args[0], r);
                }
        }
        m = machine_free(m);
        if (code != EXIT_FINE)
                return code;
        return options->json ? cli_json_print(document(options->args[0], &result))
                             : print_text(options->args[0], &result);
}
