/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/front.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/output.h"
#include "conf/lookup.h"

static const ExitCodeSpec exit_codes[] = {
        { EXIT_FINE, "fine" },
        { EXIT_FAILED,
          "failure, or the directory given with --root is no machine, or a bound of a scenario does not hold" },
        { EXIT_USAGE, "wrong usage" },
        { EXIT_FOUND, "recommend --exit-code: there is something to recommend" },
        { EXIT_NO_KNOBS, "knobs: every knob is absent, removed or fixed" },
        { EXIT_BAD_CONFIG, "bad configuration, or any bad file given to check" },
};

const ExitCodeSpec *exit_code_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(exit_codes);
        return exit_codes;
}

void cli_error(const char *format, ...) {
        char text[1024];
        va_list args;

        va_start(args, format);
        if (!text_format_va(text, sizeof(text), format, args))
                memcpy(text + sizeof(text) - 4, "...", 4);
        va_end(args);
        output_clean(text, sizeof(text));
        /* Nothing can be done about a stderr that cannot be written. */
        (void) fprintf(stderr, "alloctune: %s\n", text);
}

int cli_usage(const Options *options, const char *text) {
        cli_error("%s", text);
        if (options->verb)
                (void) fprintf(stderr, "See: alloctune %s --help\n", options->verb->name);
        else
                (void) fputs("See: alloctune --help\n", stderr);
        return EXIT_USAGE;
}

int cli_errno(const char *what, int error) {
        char text[128];

        cli_error("%s: %s", what, strerror_r(error < 0 ? -error : error, text, sizeof(text)));
        return EXIT_FAILED;
}

static void show_progress(void *userdata, usec_t passed_usec, usec_t whole_usec) {
        (void) userdata;
        if (passed_usec >= whole_usec)
                (void) fputs("\r\033[K", stderr);
        else
                (void) fprintf(stderr, "\rwatching the machine: %llu of %s \033[K",
                               (unsigned long long) (passed_usec / USEC_PER_SEC),
                               human_seconds(whole_usec).text);
        (void) fflush(stderr);
}

Progress cli_progress(const Options *options) {
        return options->duration_usec > 0 && output_is_terminal(STDERR_FILENO) ? show_progress
                                                                               : NULL;
}

int cli_machine_error(const Options *options, int error) {
        if (error == 0)
                return EXIT_FINE;
        if (error < 0)
                return cli_errno(options->root, error);
        if (error == MACHINE_E_DENIED)
                cli_error("%s: permission denied", options->root);
        else
                cli_error(
                        "%s: no machine, expected / (this one), a tree with proc/ or sys/ in it, or a capture",
                        options->root);
        return EXIT_FAILED;
}

int cli_observe(const Options *options, const Conf *conf, Observation *ret) {
        ObserveOptions observe_options = {
                .root = options->root,
                .duration_usec = options->duration_usec,
                .interval_usec = options->interval_usec,
                .progress = cli_progress(options),
                .externals = conf ? conf->externals : NULL,
                .n_externals = conf ? conf->n_externals : 0,
        };

        return cli_machine_error(options, observe(&observe_options, ret));
}

ConfOptions cli_conf_options(const Options *options) {
        return (ConfOptions){ .config = options->config, .policy_dir = options->policy_dir };
}

void cli_print_issue(const ConfIssue *issue) {
        const char *warning = issue->severity == CONF_WARNING ? "warning: " : "";

        if (issue->file[0] == '\0')
                cli_error("%s%s", warning, issue->text);
        else if (issue->line > 0)
                cli_error("%s:%u: %s%s", issue->file, issue->line, warning, issue->text);
        else
                cli_error("%s: %s%s", issue->file, warning, issue->text);
}

/* A directory that was named and cannot be used leaves nothing to say: an error, before anybody waits. */
static int check_policy_dir(const Options *options, ConfIssues *issues) {
        ConfFileList list = { 0 };
        int r = 0;

        if (options->policy_dir)
                r = conf_lookup_dir(options->policy_dir, ".policy", /* must_exist= */ true, &list,
                                    issues);
        conf_file_list_done(&list);
        return r;
}

int cli_load_conf(const Options *options, Conf **ret_conf, ConfIssues *issues) {
        ConfOptions conf_options = cli_conf_options(options);
        int r = conf_load(&conf_options, ret_conf, issues);

        if (r == 0)
                r = check_policy_dir(options, issues);
        if (r < 0)
                return cli_errno("configuration", r);
        if (issues->n_errors == 0)
                return EXIT_FINE;
        for (size_t i = 0; i < issues->n; i++)
                cli_print_issue(&issues->items[i]);
        return EXIT_BAD_CONFIG;
}

int cli_load_policies(const Options *options, const Conf *conf, const Observation *o,
                      PolicySet **ret_set, ConfIssues *issues) {
        ConfOptions conf_options = cli_conf_options(options);
        const Snapshot *last = o ? observation_last(o) : NULL;
        const Zone *zone = last && last->zoneinfo ? pcp_largest_zone(last->zoneinfo) : NULL;
        uint64_t page_bytes = o && o->facts.page_bytes.known ? o->facts.page_bytes.value : 4096,
                 largest = 0;
        int r;

        if (zone && zone->managed.known)
                largest = u64_mul_sat(zone->managed.value, page_bytes);
        r = policy_set_load(&conf_options, conf, conf_profile_resolve(conf, largest), ret_set,
                            issues);
        return r < 0 ? cli_errno("policies", r) : EXIT_FINE;
}
