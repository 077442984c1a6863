/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/observe.h"
#include "cli/options.h"
#include "conf/conf.h"
#include "conf/policy-file.h"

/* What the verbs share: exit codes, messages, and the way from options to an observation and the
 * configuration. */
typedef enum ExitCode {
        EXIT_FINE = 0,
        EXIT_FAILED = 1, /* also: the directory is no machine */
        EXIT_USAGE = 2,
        EXIT_FOUND = 4,       /* with --exit-code: something to recommend */
        EXIT_NO_KNOBS = 5,    /* every knob is absent, removed or fixed */
        EXIT_BAD_CONFIG = 78, /* bad configuration, or any bad file given to check */
} ExitCode;

typedef struct ExitCodeSpec {
        ExitCode code;
        const char *help;
} ExitCodeSpec;

const ExitCodeSpec *exit_code_specs(size_t *ret_n);

/* "alloctune: TEXT" on stderr, control characters made harmless. */
_printf_(1, 2) void cli_error(const char *format, ...);
/* The same for a usage error, with a hint at --help. Returns EXIT_USAGE. */
int cli_usage(const Options *options, const char *text);
/* A fatal error of that action; negative errno. Returns EXIT_FAILED. */
int cli_errno(const char *what, int error);

/* Observes what the options name, with a line of progress if stderr is a terminal. conf names the files of other
 * programs to read (externals); NULL: none. EXIT_FINE, or an exit code after a message. The observation must be given
 * to observation_done() in every case. */
_must_check_ int cli_observe(const Options *options, const Conf *conf, Observation *ret);

/* The message for what machine_open() or observe() gave, and the exit code; EXIT_FINE for 0. */
_must_check_ int cli_machine_error(const Options *options, int error);
/* Shows progress on stderr; NULL: it is no terminal, or there is nothing to wait for. */
typedef void (*Progress)(void *userdata, usec_t passed_usec, usec_t whole_usec);
Progress cli_progress(const Options *options);

/* Loads the configuration: EXIT_FINE, or EXIT_BAD_CONFIG or EXIT_FAILED after messages. Warnings stay in the issues. */
_must_check_ int cli_load_conf(const Options *options, Conf **ret_conf, ConfIssues *issues);
/* Loads the policies for this machine; bad ones are in the issues. EXIT_FINE or EXIT_FAILED. */
_must_check_ int cli_load_policies(const Options *options, const Conf *conf, const Observation *o,
                                   PolicySet **ret_set, ConfIssues *issues);
ConfOptions cli_conf_options(const Options *options);
/* One issue as "FILE:LINE: severity: text" on stderr. */
void cli_print_issue(const ConfIssue *issue);

int verb_capture(const Options *options);
int verb_cat_config(const Options *options);
int verb_check(const Options *options);
int verb_explain(const Options *options);
int verb_knobs(const Options *options);
int verb_recommend(const Options *options);
int verb_replay(const Options *options);
int verb_signals(const Options *options);
int verb_simulate(const Options *options);

/* --help, and the hidden --dump-tables; both write to stdout and give an exit code. */
int cli_help(const Options *options);
int cli_dump_tables(const Options *options);
