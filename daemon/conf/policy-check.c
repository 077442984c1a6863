/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/policy-load.h"
#include "conf/value.h"
#include "core/act/knob.h"
#include "core/control/kernel-range.h"

/* A policy that passes here can be acted on: its knob exists and has such scopes, its signals exist,
 * its limits can be reached and its windows can hold the writes of a trial. A signal that this machine
 * cannot give is no error: the adviser leaves it out and says so. */
typedef struct PolicyCheck {
        const Policy *policy;
        const PolicyOrigins *origins;
        const Conf *conf;
        ConfIssues *issues;
        const KnobSpec *knob;
        bool complete;
        size_t n_errors;
} PolicyCheck;

static void complain(PolicyCheck *c, const char *key, unsigned line, const char *format, ...)
        _printf_(4, 5);

/* line 0: where the key was written, else where the policy begins. */
static void complain(PolicyCheck *c, const char *key, unsigned line, const char *format, ...) {
        const PolicyKeyOrigin *origin = policy_origins_find(c->origins, key);
        va_list args;

        if (!origin)
                origin = policy_origins_find(c->origins, "policy");
        c->n_errors++;
        va_start(args, format);
        conf_issues_vadd(c->issues, origin ? origin->file : c->policy->file,
                         line > 0 ? line
                         : origin ? origin->line
                                  : 0,
                         CONF_ERROR, format, args);
        va_end(args);
}

static void check_names(PolicyCheck *c) {
        const Policy *p = c->policy;

        if (p->name[0] != '\0' && !value_is_name(p->name))
                complain(c, "name", 0,
                         "name is \"%s\", expected lower case letters, digits, - . and _", p->name);
        if (p->kernel[0] != '\0' && !kernel_range_valid(text_from(p->kernel)))
                complain(c, "kernel", 0,
                         "kernel is \"%s\", expected releases such as \"6.7..6.11.6\" or \"7.0..\"",
                         p->kernel);
}

static void check_signal(PolicyCheck *c, const char *key, const char *name, unsigned line,
                         const SignalSpec **ret_spec) {
        Text text = text_from(name);
        Nearest nearest = { .word = name };
        const SignalSpec *spec = NULL;
        const SignalSpec *specs;
        size_t n;

        *ret_spec = NULL;
        if (name[0] == '\0')
                return; /* said already */
        if (text_starts(text, "external:")) {
                const ConfExternal *external = c->conf ? conf_external_find(c->conf, name) : NULL;

                if (!value_is_name(name + strlen("external:")))
                        complain(
                                c, key, line,
                                "signal \"%s\", expected external:NAME with lower case letters, digits, - . _",
                                name);
                else if (external && !external->lower_is_better && strcmp(key, "cost") != 0)
                        /* a trial turns a cost around; targets and bounds compare */
                        complain(
                                c, key, line,
                                "signal \"%s\" is better when higher, expected one that is better when lower",
                                name);
                return;
        }
        if (strcmp(name, "external") != 0)
                spec = signal_spec_find(text);
        *ret_spec = spec;
        if (spec)
                return;
        specs = signal_specs(&n);
        for (size_t i = 0; i < n; i++)
                nearest_offer(&nearest, strcmp(specs[i].name, "external") == 0 ? "external:NAME"
                                                                               : specs[i].name);
        complain(c, key, line, "unknown signal \"%s\"%s%s%s", name,
                 nearest.best ? ", did you mean \"" : "", nearest.best ? nearest.best : "",
                 nearest.best ? "\"?" : "");
}

static void check_target(PolicyCheck *c, const char *key, const PolicyTarget *t) {
        const SignalSpec *spec;

        check_signal(c, key, t->signal, t->line, &spec);
        if (t->hot < t->cool)
                complain(c, key, t->line,
                         "%s: hot is %lld and cool %lld, expected hot of at least cool", t->signal,
                         (long long) t->hot, (long long) t->cool);
        if (spec && strcmp(spec->unit, "ppm") == 0 && t->hot > (int64_t) PPM)
                complain(c, key, t->line, "%s: hot is %lld ppm, expected at most 1000000",
                         t->signal, (long long) t->hot);
        if (t->hot == 0 && c->complete)
                complain(c, key, t->line, "%s: hot is 0, which always holds, expected at least 1",
                         t->signal);
}

static void check_signals(PolicyCheck *c) {
        const Policy *p = c->policy;
        const SignalSpec *spec;

        for (unsigned i = 0; i < p->n_targets; i++)
                check_target(c, "targets", &p->target[i]);
        for (unsigned i = 0; i < p->n_fallback; i++)
                check_target(c, "fallback", &p->fallback[i]);
        check_signal(c, "cost", p->cost, 0, &spec);
        for (unsigned i = 0; i < p->n_must_not_rise; i++)
                check_signal(c, "must_not_rise", p->must_not_rise[i], 0, &spec);
}

static void find_knob(PolicyCheck *c) {
        const char *name = c->policy->knob;
        Nearest nearest = { .word = name };
        const KnobSpec *specs;
        size_t n;

        c->knob = knob_spec_find(text_from(name));
        if (c->knob)
                return;
        specs = knob_specs(&n);
        for (size_t i = 0; i < n; i++)
                nearest_offer(&nearest, specs[i].name);
        complain(c, "knob", 0, "unknown knob \"%s\"%s%s%s", name,
                 nearest.best ? ", did you mean \"" : "", nearest.best ? nearest.best : "",
                 nearest.best ? "\"?" : "");
}

static void check_scope(PolicyCheck *c) {
        static const struct {
                const char *prefix;
                const char *name;
                unsigned bit;
        } kinds[] = {
                { "node:", "node:*", SCOPES_NODE },
                { "zone:", "zone:*", SCOPES_ZONE },
                { "cache:", "cache:*", SCOPES_CACHE },
        };
        const char *scope = c->policy->scope;
        char allowed[64] = "";
        size_t used = 0;

        if (strcmp(scope, "system") == 0 && (c->knob->scopes & SCOPES_SYSTEM) != 0)
                return;
        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (text_starts(text_from(scope), kinds[i].prefix) &&
                    scope[strlen(kinds[i].prefix)] != '\0' && (c->knob->scopes & kinds[i].bit) != 0)
                        return;
        if ((c->knob->scopes & SCOPES_SYSTEM) != 0)
                (void) text_format(allowed, sizeof(allowed), "\"system\"");
        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                used = strlen(allowed);
                if ((c->knob->scopes & kinds[i].bit) != 0)
                        (void) text_format(allowed + used, sizeof(allowed) - used, "%s\"%s\"",
                                           used > 0 ? " or " : "", kinds[i].name);
        }
        complain(c, "scope", 0, "scope is \"%s\", but knob %s has %s", scope, c->policy->knob,
                 allowed);
}

static bool word_is_legal(const KnobSpec *knob, const char *word) {
        for (const char *const *w = knob->words; w && *w; w++)
                if (strcmp(*w, word) == 0)
                        return true;
        return false;
}

static void check_word(PolicyCheck *c, const char *word) {
        char words[160] = "";
        size_t used = 0;

        if (word_is_legal(c->knob, word))
                return;
        for (const char *const *w = c->knob->words; w && *w; w++) {
                used = strlen(words);
                (void) text_format(words + used, sizeof(words) - used, "%s\"%s\"",
                                   used > 0 ? ", " : "", *w);
        }
        complain(c, "arms", 0, "arms has \"%s\", but knob %s takes %s", word, c->policy->knob,
                 words);
}

/* Times the kernel's default: 0.001 to what the knob can hold. */
static void check_multiple(PolicyCheck *c, const PolicyArm *arm, const char *words) {
        int64_t most = c->knob->ceiling > 0 ? MIN(c->knob->ceiling, (int64_t) 1000000) : 1000000;

        if (arm->multiple_milli < 1 || arm->multiple_milli / 1000 > most)
                complain(
                        c, "arms", 0,
                        "arms has \"%s\", but knob %s takes %smultiples of its default from 0.001 to %lld",
                        arm->text, c->policy->knob, words, (long long) most);
}

static void check_value(PolicyCheck *c, const PolicyArm *arm) {
        int64_t value = arm->multiple_milli / 1000;
        char plain[32];

        (void) text_format(plain, sizeof(plain), "%lld", (long long) value);
        if (strcmp(plain, arm->text) != 0 || value < c->knob->floor || value > c->knob->ceiling)
                complain(c, "arms", 0, "arms has \"%s\", but knob %s takes %lld to %lld", arm->text,
                         c->policy->knob, (long long) c->knob->floor, (long long) c->knob->ceiling);
}

static void check_arms(PolicyCheck *c) {
        const Policy *p = c->policy;

        for (unsigned i = 0; i < p->n_arms; i++) {
                const PolicyArm *arm = &p->arm[i];

                switch (c->knob->kind) {
                case KNOB_KIND_PCP_FRACTION:
                        if (strcmp(arm->text, "kernel") != 0 && strcmp(arm->text, "cap") != 0)
                                check_multiple(c, arm, "\"kernel\", \"cap\" or ");
                        break;
                case KNOB_KIND_SLAB_INTEGER:
                        check_multiple(c, arm, "");
                        break;
                case KNOB_KIND_INTEGER:
                        if (p->controller == CONTROLLER_LADDER)
                                check_multiple(c, arm, "");
                        else
                                check_value(c, arm);
                        break;
                case KNOB_KIND_WORD:
                        check_word(c, arm->text);
                        break;
                case KNOB_KIND_PCP_BATCH:
                case KNOB_KIND_SLAB_ORDER:
                case KNOB_KIND_ALIGNMENT:
                        complain(c, "arms", 0,
                                 "arms has \"%s\", but knob %s is never written, expected ( )",
                                 arm->text, p->knob);
                        break;
                }
        }
}

static bool only_advises(const KnobSpec *knob) {
        return knob->context_only || knob->kind == KNOB_KIND_SLAB_ORDER ||
               knob->kind == KNOB_KIND_PCP_BATCH || knob->kind == KNOB_KIND_ALIGNMENT;
}

static usec_t own_or(usec_t usec, unsigned seconds) {
        return usec == USEC_UNKNOWN ? (usec_t) seconds * USEC_PER_SEC : usec;
}

/* Windows are jittered by a tenth and hold one write: the shortest must outlast the gap by 2 s. */
static void check_windows(PolicyCheck *c) {
        const Policy *p = c->policy;
        usec_t window = own_or(p->window_usec, c->knob->window_s),
               settle = own_or(p->settle_usec, c->knob->settle_s);
        usec_t gap = own_or(p->write_gap_usec, c->knob->write_gap_s);
        const char *key = p->window_usec != USEC_UNKNOWN   ? "window"
                          : p->settle_usec != USEC_UNKNOWN ? "settle"
                                                           : "write_gap";
        char shown[2][32];

        if (window == 0) {
                complain(
                        c, "knob", 0,
                        "knob %s has no window of its own, expected controller = \"advise\" or a window and "
                        "a settle time",
                        p->knob);
                return;
        }
        (void) value_format_time(window, shown[0], sizeof(shown[0]));
        if (settle >= window) {
                (void) value_format_time(settle, shown[1], sizeof(shown[1]));
                complain(c, key, 0, "settle is %s, expected less than the window of %s", shown[1],
                         shown[0]);
        }
        if (window / 10 * 9 < gap + 2 * USEC_PER_SEC) {
                (void) value_format_time(gap, shown[1], sizeof(shown[1]));
                complain(
                        c, key, 0,
                        "window is %s, expected nine tenths of it to be at least write_gap (%s) and 2s",
                        shown[0], shown[1]);
        }
}

static void check_knob_policy(PolicyCheck *c) {
        const Policy *p = c->policy;

        find_knob(c);
        if (!c->knob)
                return;
        check_scope(c);
        check_arms(c);
        if (p->controller != CONTROLLER_ADVISE) {
                if (only_advises(c->knob))
                        complain(c,
                                 policy_origins_find(c->origins, "controller") ? "controller"
                                                                               : "knob",
                                 0, "knob %s is never written, expected controller = \"advise\"",
                                 p->knob);
                else
                        check_windows(c);
                if (c->complete && p->n_targets == 0)
                        complain(c, "targets", 0,
                                 "targets is empty, expected a target or controller = \"advise\"");
        }
        if (p->not_ours)
                complain(c, "verdict", 0, "verdict is for notes, expected no knob");
}

static void check_note(PolicyCheck *c) {
        const Policy *p = c->policy;

        if (!c->complete)
                return;
        if (p->controller != CONTROLLER_ADVISE)
                complain(c, "controller", 0,
                         "knob is missing (or, for a note, controller = \"advise\";)");
        else if (p->text[0] == '\0')
                complain(c, "text", 0, "a note has no text");
        else if (p->n_targets == 0 && p->cpus_at_least == 0 && p->kernel[0] == '\0')
                complain(
                        c, "targets", 0,
                        "a note has no targets, no kernel and no cpus_at_least: it could never speak");
        if (p->n_arms > 0)
                complain(c, "arms", 0, "a note has arms, expected a knob");
}

size_t policy_check(const Policy *policy, const PolicyOrigins *origins, const Conf *conf,
                    bool complete, ConfIssues *issues) {
        PolicyCheck c = { .policy = policy,
                          .origins = origins,
                          .conf = conf,
                          .issues = issues,
                          .complete = complete };

        check_names(&c);
        check_signals(&c);
        if (policy->note)
                check_note(&c);
        else
                check_knob_policy(&c);
        if (policy->parked_possible_ppm < policy->parked_seen_ppm)
                complain(
                        &c, "bounds.parked_possible", 0,
                        "bounds.parked_possible is %lld, expected at least bounds.parked_seen (%lld)",
                        (long long) policy->parked_possible_ppm,
                        (long long) policy->parked_seen_ppm);
        return c.n_errors;
}
