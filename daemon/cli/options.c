/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/options.h"

#include <string.h>

#include "base/human.h"
#include "base/nearest.h"
#include "base/number.h"

static const OptionSpec specs[] = {
        { OPTION_CONFIG, "config", "FILE",
          .help = "read this configuration instead of the ones looked up" },
        { OPTION_DUMP_TABLES, "dump-tables", "NAME", .hidden = true,
          .help = "print a table of the program with tabs: conf, guards, knobs, options, policy, signals, verbs" },
        { OPTION_DURATION, "duration", "TIME",
          .help = "how long to watch the live machine: 10s, 2min; 0s: since boot" },
        { OPTION_EXIT_CODE, "exit-code", .help = "exit with 4 if there is something to recommend" },
        { OPTION_HELP, "help", .help = "show help, also for one verb" },
        { OPTION_INTERVAL, "interval", "TIME",
          .help = "time between looks at the live machine: 1s, 500ms" },
        { OPTION_JSON, "json", .help = "print JSON (one schema per verb) instead of text" },
        { OPTION_NO_PAGER, "no-pager",
          .help = "do not pipe long output on a terminal into a pager" },
        { OPTION_POLICY_DIR, "policy-dir", "DIR",
          .help = "read the policies of this directory alone" },
        { OPTION_ROOT, "root", "DIR",
          .help = "look at a tree with proc/ and sys/, or at a capture" },
        { OPTION_SEEDS, "seeds", "N", .help = "run each scenario with N seeds, from its own on" },
        { OPTION_SWEEP, "sweep", "KNOB",
          .help = "print what static values of a setting give, instead of running the engine" },
        { OPTION_VERSION, "version", .help = "show the version" },
};

_Static_assert(ELEMENTSOF(specs) == _OPTION_MAX, "one row for each option");

const OptionSpec *option_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(specs);
        return specs;
}

const VerbSpec *verb_spec_find(const VerbSpec *verbs, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(verbs[i].name, name) == 0)
                        return &verbs[i];
        return NULL;
}

typedef struct Parser {
        const VerbSpec *verbs;
        size_t n_verbs;
        Options *options;
        char *error;
        size_t error_size;
} Parser;

static _printf_(2, 3) bool fail(const Parser *p, const char *format, ...) {
        va_list args;

        va_start(args, format);
        (void) text_format_va(p->error, p->error_size, format, args);
        va_end(args);
        return false;
}

static bool unknown_option(const Parser *p, const char *word, size_t size) {
        char name[64];
        Nearest nearest = { .word = name };

        (void) text_copy(name, sizeof(name), (Text){ word, size });
        for (size_t i = 0; i < ELEMENTSOF(specs); i++)
                if (!specs[i].hidden)
                        nearest_offer(&nearest, specs[i].name);
        if (nearest.best)
                return fail(p, "unknown option --%s, did you mean --%s?", name, nearest.best);
        return fail(p, "unknown option --%s, expected one of those that --help lists", name);
}

static bool parse_time(const Parser *p, const OptionSpec *spec, const char *value, usec_t least,
                       usec_t *ret) {
        usec_t usec = 0;
        int r = number_parse_time(value, strlen(value), &usec);

        if (r != 0)
                return fail(p, "--%s %s: %s, expected a time with its unit: 250ms, 10s, 2min",
                            spec->name, value, number_error_string(r));
        if (usec < least || usec > OPTIONS_DURATION_MAX)
                return fail(p, "--%s %s: expected a time from %s to 24h", spec->name, value,
                            least > 0 ? "10ms" : "0s");
        *ret = usec;
        return true;
}

static bool parse_seeds(const Parser *p, const OptionSpec *spec, const char *value) {
        uint64_t n = 0;
        int r = number_parse_u64(value, strlen(value), &n);

        if (r != 0 || n == 0 || n > OPTIONS_SEEDS_MAX)
                return fail(p, "--%s %s: expected a number from 1 to %u", spec->name, value,
                            OPTIONS_SEEDS_MAX);
        p->options->seeds = (unsigned) n;
        return true;
}

static bool take_option(const Parser *p, const OptionSpec *spec, const char *value) {
        Options *o = p->options;

        if (spec->arg && spec->id != OPTION_DUMP_TABLES && value[0] == '\0')
                return fail(p, "--%s: empty, expected %s", spec->name, spec->arg);
        o->given |= OPTION_BIT(spec->id);
        switch (spec->id) {
        case OPTION_CONFIG:
                o->config = value;
                return true;
        case OPTION_DUMP_TABLES:
                o->dump_tables = value;
                return true;
        case OPTION_DURATION:
                return parse_time(p, spec, value, 0, &o->duration_usec);
        case OPTION_EXIT_CODE:
                o->exit_code = true;
                return true;
        case OPTION_HELP:
                o->help = true;
                return true;
        case OPTION_INTERVAL:
                return parse_time(p, spec, value, OPTIONS_INTERVAL_LEAST, &o->interval_usec);
        case OPTION_JSON:
                o->json = true;
                return true;
        case OPTION_NO_PAGER:
                o->no_pager = true;
                return true;
        case OPTION_POLICY_DIR:
                o->policy_dir = value;
                return true;
        case OPTION_ROOT:
                o->root = value;
                return true;
        case OPTION_SEEDS:
                return parse_seeds(p, spec, value);
        case OPTION_SWEEP:
                o->sweep = value;
                return true;
        case OPTION_VERSION:
                o->version = true;
                return true;
        case _OPTION_MAX:
                break;
        }
        return fail(p, "option --%s is not handled", spec->name);
}

static bool take_argument(const Parser *p, const char *word) {
        Options *o = p->options;

        if (!o->verb) {
                Nearest nearest = { .word = word };

                o->verb = verb_spec_find(p->verbs, p->n_verbs, word);
                if (!o->verb && strcmp(word, "help") == 0)
                        o->help = true;
                if (o->verb || o->help)
                        return true;
                for (size_t i = 0; i < p->n_verbs; i++)
                        nearest_offer(&nearest, p->verbs[i].name);
                if (nearest.best)
                        return fail(p, "unknown verb '%s', did you mean '%s'?", word, nearest.best);
                return fail(p, "unknown verb '%s', expected one of those that --help lists", word);
        }
        if (o->n_args == OPTIONS_ARGS_MAX)
                return fail(p, "more than %d arguments", OPTIONS_ARGS_MAX);
        o->args[o->n_args++] = word;
        return true;
}

/* argv[*i] begins with "--"; *i moves on if the value is the next word. */
static bool take_long(const Parser *p, int argc, const char *const *argv, int *i) {
        const char *word = argv[*i] + 2;
        const char *equals = strchr(word, '=');
        size_t size = equals ? (size_t) (equals - word) : strlen(word);
        const OptionSpec *spec = NULL;

        for (size_t k = 0; k < ELEMENTSOF(specs); k++)
                if (text_is((Text){ word, size }, specs[k].name))
                        spec = &specs[k];
        if (!spec)
                return unknown_option(p, word, size);
        if (!spec->arg) {
                if (equals)
                        return fail(p, "--%s takes no value", spec->name);
                return take_option(p, spec, "");
        }
        if (equals)
                return take_option(p, spec, equals + 1);
        if (*i + 1 >= argc)
                return fail(p, "--%s: expected %s behind it", spec->name, spec->arg);
        *i += 1;
        return take_option(p, spec, argv[*i]);
}

/* One command line serves every verb (a shell alias, say): of the common options, a verb that has no use
 * for one lets it pass. Another machine than the one that was asked for would be a lie. */
#define COMMON_OPTIONS                                                                             \
        (OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_POLICY_DIR) | OPTION_BIT(OPTION_DURATION) | \
         OPTION_BIT(OPTION_INTERVAL) | OPTION_BIT(OPTION_EXIT_CODE) | OPTION_BIT(OPTION_JSON) |    \
         OPTION_BIT(OPTION_NO_PAGER))

/* What fits together only once everything was read. */
static bool check_whole(const Parser *p) {
        Options *o = p->options;
        const VerbSpec *verb = o->verb;

        if (o->help || o->version || o->dump_tables)
                return true;
        if (!verb)
                return fail(p, "no verb was given, expected one of those that --help lists");
        for (size_t i = 0; i < ELEMENTSOF(specs); i++)
                if (o->given & OPTION_BIT(specs[i].id) & ~(verb->options | COMMON_OPTIONS))
                        return fail(p, "--%s means nothing to the verb %s", specs[i].name,
                                    verb->name);
        if (o->n_args < verb->args_least)
                return fail(p, "%s: too few arguments, expected %s", verb->name, verb->synopsis);
        if (o->n_args > verb->args_most)
                return fail(p, "%s: too many arguments from '%s' on, expected %s", verb->name,
                            o->args[verb->args_most], verb->synopsis[0] ? verb->synopsis : "none");
        for (int i = 0; i < o->n_args; i++)
                if (o->args[i][0] == '\0')
                        return fail(p, "%s: an empty argument, expected %s", verb->name,
                                    verb->synopsis);
        if (!(o->given & OPTION_BIT(OPTION_DURATION)))
                o->duration_usec = verb->duration_usec;
        return true;
}

bool options_parse(int argc, const char *const *argv, const VerbSpec *verbs, size_t n_verbs,
                   Options *ret, char *error, size_t error_size) {
        Parser p = { verbs, n_verbs, ret, error, error_size };
        bool only_arguments = false;

        *ret = (Options){ .root = "/", .interval_usec = USEC_PER_SEC, .seeds = 1 };
        for (int i = 1; i < argc; i++) {
                const char *word = argv[i];

                if (only_arguments || word[0] != '-' || word[1] == '\0') {
                        if (!take_argument(&p, word))
                                return false;
                } else if (strcmp(word, "--") == 0) {
                        only_arguments = true;
                } else if (word[1] == '-') {
                        if (!take_long(&p, argc, argv, &i))
                                return false;
                } else if (strcmp(word, "-h") == 0) {
                        ret->help = true;
                } else {
                        return fail(&p,
                                    "unknown option %s, options are written out: --help lists them",
                                    word);
                }
        }
        return check_whole(&p);
}
