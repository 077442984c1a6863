/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text.h"
#include "base/units.h"

/* The command line: one table of options and one of verbs, which the parser, --help, the manual page and the
 * shell completions all follow. */
typedef enum OptionId {
        OPTION_CONFIG,
        OPTION_DUMP_TABLES,
        OPTION_DURATION,
        OPTION_EXIT_CODE,
        OPTION_HELP,
        OPTION_INTERVAL,
        OPTION_JSON,
        OPTION_NO_PAGER,
        OPTION_POLICY_DIR,
        OPTION_ROOT,
        OPTION_SEEDS,
        OPTION_SWEEP,
        OPTION_VERSION,
        _OPTION_MAX,
} OptionId;

#define OPTION_BIT(id) (1u << (id))

typedef struct OptionSpec {
        OptionId id;
        const char *name; /* without the dashes */
        const char *arg;  /* "TIME"; NULL: takes none */
        bool hidden;
        const char *help; /* one line */
} OptionSpec;

const OptionSpec *option_specs(size_t *ret_n); /* sorted by name, in the order of OptionId */

typedef struct Options Options;

typedef struct VerbSpec {
        const char *name;
        const char *synopsis; /* of the arguments: "[FILE...]"; "": none */
        const char *help;     /* one line */
        const char *about;    /* for VERB --help: a few sentences */
        unsigned options;     /* OPTION_BIT()s of those it takes */
        int args_least, args_most;
        usec_t duration_usec;               /* unless --duration tells */
        int (*run)(const Options *options); /* gives the exit code */
} VerbSpec;

const VerbSpec *verb_specs(size_t *ret_n); /* in the order of --help */
_pure_ const VerbSpec *verb_spec_find(const VerbSpec *verbs, size_t n, const char *name);

#define OPTIONS_ARGS_MAX 256

struct Options {
        const VerbSpec *verb;            /* NULL: none was given */
        const char *root;                /* "/": the live machine */
        const char *config, *policy_dir; /* NULL: looked up */
        const char *dump_tables;
        const char *sweep; /* --sweep KNOB; NULL: not given */
        unsigned seeds;    /* --seeds N; 1 unless given */
        usec_t duration_usec, interval_usec;
        bool json, no_pager, exit_code, help, version;
        unsigned given; /* OPTION_BIT()s of those on the command line */
        const char *args[OPTIONS_ARGS_MAX];
        int n_args;
};

#define OPTIONS_DURATION_MAX ((usec_t) 86400 * USEC_PER_SEC)
#define OPTIONS_SEEDS_MAX 100000u
#define OPTIONS_INTERVAL_LEAST (10 * USEC_PER_MSEC)

/* Options may stand before, behind and between arguments; "--" ends them. False: error is one line that says
 * what is wrong and what was expected. */
_must_check_ bool options_parse(int argc, const char *const *argv, const VerbSpec *verbs,
                                size_t n_verbs, Options *ret, char *error, size_t error_size);
