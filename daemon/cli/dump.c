/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump-tables NAME: the tables of the program for tests, manual pages and completions. Rows of tab separated fields;
 * "man-NAME" is the same as a list for a manual page. */
#include <string.h>

#include "cli/front.h"
#include "cli/output.h"
#include "conf/conf-table.h"
#include "conf/scenario.h"

static void scopes_string(unsigned scopes, char *buffer, size_t size) {
        static const struct {
                unsigned bit;
                const char *name;
        } names[] = {
                { SCOPES_SYSTEM, "system" },
                { SCOPES_NODE, "node" },
                { SCOPES_ZONE, "zone" },
                { SCOPES_CACHE, "cache" },
        };

        buffer[0] = '\0';
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (scopes & names[i].bit)
                        (void) text_format(buffer + strlen(buffer), size - strlen(buffer), "%s%s",
                                           buffer[0] ? ", " : "", names[i].name);
}

/* For mdoc: a backslash and a leading dot or quote would be read as requests. */
static void write_roff(Output *o, const char *text) {
        for (const char *p = text; *p; p++) {
                if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n'))
                        output_print(o, "\\&");
                if (*p == '\\')
                        output_print(o, "\\e");
                else if (p[0] == '(' && p[1] == ')')
                        output_print(
                                o,
                                "\\&("); /* mandoc wants functions of C marked up: these are the kernel's */
                else
                        output_print(o, "%c", *p);
        }
}

static void write_field(Output *o, const char *label, const char *text) {
        if (!text || !text[0])
                return;
        output_print(o, ".br\n%s: ", label);
        write_roff(o, text);
        output_print(o, "\n");
}

static void write_path(Output *o, const KnobSpec *s) {
        const char *hole = strstr(s->path, "%s");

        if (hole)
                output_print(o, ".br\nFile:\n.Pa /%.*s%s%s\n", (int) (hole - s->path), s->path,
                             s->scopes & SCOPES_CACHE ? "CACHE" : "SIZE", hole + 2);
        else
                output_print(o, ".br\nFile:\n.Pa /%s\n", s->path);
}

static void dump_knobs(Output *o, bool man) {
        size_t n = 0;
        const KnobSpec *specs = knob_specs(&n);

        for (size_t i = 0; i < n; i++) {
                const KnobSpec *s = &specs[i];
                char scopes[64];

                scopes_string(s->scopes, scopes, sizeof(scopes));
                if (!man) {
                        output_print(o, "%s\t%s\t%s\t%s\t%s\n", s->name, scopes, s->unit,
                                     s->path ? s->path : "", s->legal);
                        continue;
                }
                output_print(o, ".It Va %s\n", s->name);
                write_roff(o, s->help);
                output_print(o, "\n");
                if (s->path)
                        write_path(o, s);
                write_field(o, "Scope", scopes);
                write_field(o, "Legal values", s->legal);
                write_field(o, "Unit", s->unit);
                write_field(o, "Memory at worst", s->memory);
                write_field(o, "Risk", s->risk);
                write_field(o, "A write is verified by", s->context_only ? NULL : s->verify);
                if (s->context_only)
                        output_print(o, ".br\nRead for context, never written.\n");
                else if (s->window_s > 0)
                        output_print(
                                o,
                                ".br\nTrial: windows of %u s with %u s to settle, %u s between writes.\n",
                                s->window_s, s->settle_s, s->write_gap_s);
                write_field(o, "Source", s->source);
        }
}

static void dump_signals(Output *o, bool man) {
        size_t n = 0;
        const SignalSpec *specs = signal_specs(&n);

        for (size_t i = 0; i < n; i++) {
                const SignalSpec *s = &specs[i];
                char scopes[64];

                scopes_string(s->scopes, scopes, sizeof(scopes));
                if (!man) {
                        output_print(o, "%s\t%s\t%s\t%s\t%s\n", s->name, scopes, s->unit,
                                     evidence_to_string(s->best), s->formula);
                        continue;
                }
                output_print(o, ".It Va %s\n",
                             strcmp(s->name, "external") == 0 ? "external:NAME" : s->name);
                write_roff(o, s->help);
                output_print(o, "\n");
                write_field(o, "Unit", s->unit[0] ? s->unit : "as configured");
                write_field(o, "Scope", scopes);
                write_field(o, "Best evidence", evidence_to_string(s->best));
                write_field(o, "Formula", s->formula);
                write_field(o, "Cost of reading", s->cost);
        }
}

static void dump_options(Output *o, bool man) {
        size_t n = 0;
        const OptionSpec *specs = option_specs(&n);

        for (size_t i = 0; i < n; i++) {
                const char *arg = specs[i].arg ? specs[i].arg : "";

                if (specs[i].hidden)
                        continue;
                if (!man) {
                        output_print(o, "--%s\t%s\t%s\n", specs[i].name, arg, specs[i].help);
                        continue;
                }
                output_print(o, ".It Fl -%s%s%s\n", specs[i].name, arg[0] ? " Ar " : "", arg);
                write_roff(o, specs[i].help);
                output_print(o, ".\n");
        }
}

static void dump_verbs(Output *o, bool man) {
        size_t n = 0, n_options = 0;
        const VerbSpec *verbs = verb_specs(&n);
        const OptionSpec *options = option_specs(&n_options);

        for (size_t i = 0; i < n; i++) {
                const char *separator = "";

                if (man) {
                        output_print(o, ".It Cm %s%s%s\n", verbs[i].name,
                                     verbs[i].synopsis[0] ? " Ar " : "", verbs[i].synopsis);
                        write_roff(o, verbs[i].about);
                        output_print(o, "\n.br\nOptions: ");
                        for (size_t k = 0; k < n_options; k++) {
                                if (!(verbs[i].options & OPTION_BIT(options[k].id)) ||
                                    options[k].id == OPTION_HELP || options[k].id == OPTION_VERSION)
                                        continue;
                                output_print(o, "%s%s", separator, options[k].name);
                                separator = ", ";
                        }
                        output_print(o, ".\n");
                        continue;
                }
                output_print(o, "%s\t%s\t", verbs[i].name, verbs[i].synopsis);
                for (size_t k = 0; k < n_options; k++) {
                        if (!(verbs[i].options & OPTION_BIT(options[k].id)))
                                continue;
                        output_print(o, "%s--%s", separator, options[k].name);
                        separator = " ";
                }
                output_print(o, "\t%s\n", verbs[i].help);
        }
}

static void dump_exits(Output *o, bool man) {
        size_t n = 0;
        const ExitCodeSpec *codes = exit_code_specs(&n);

        for (size_t i = 0; i < n; i++) {
                output_print(o, man ? ".It %d\n" : "%d\t", (int) codes[i].code);
                output_print(o, man ? "%s.\n" : "%s\n", codes[i].help);
        }
}

static void dump_keys(Output *o, bool man, const ConfKey *keys, size_t n) {
        if (man) {
                conf_render_man(keys, n, o->stream);
                return;
        }
        for (size_t i = 0; i < n; i++) {
                char described[256];

                (void) conf_key_describe(&keys[i], described, sizeof(described));
                output_print(o, "%s\t%s\t%s\t%s\n", keys[i].name, described,
                             keys[i].unit ? keys[i].unit : "", keys[i].def ? keys[i].def : "");
        }
}

static void dump_conf(Output *o, bool man) {
        size_t n = 0;
        const ConfKey *keys = conf_keys(&n);

        dump_keys(o, man, keys, n);
}

static void dump_policy(Output *o, bool man) {
        size_t n = 0;
        const ConfKey *keys = policy_keys(&n);

        dump_keys(o, man, keys, n);
}

static void dump_guards(Output *o, bool man) {
        size_t n = 0;
        const PolicyGuardKey *keys = policy_guard_keys(&n);

        if (man) {
                conf_render_man_guards(o->stream);
                return;
        }
        for (size_t i = 0; i < n; i++)
                output_print(o, "%s\t%s\t%s\t%s\n", keys[i].guard, keys[i].key, keys[i].unit,
                             keys[i].help);
}

static void dump_etc(Output *o, bool man) {
        (void) man;
        conf_render_file(o->stream);
}

/* Only pages list these: the tables are the loader's. */
static void dump_scenario(Output *o, bool man) {
        (void) man;
        scenario_render_man_keys(o->stream);
}

static void dump_parameters(Output *o, bool man) {
        (void) man;
        scenario_render_man_parameters(o->stream);
}

static void dump_workloads(Output *o, bool man) {
        (void) man;
        scenario_render_man_workloads(o->stream);
}

static const struct {
        const char *name;
        bool list; /* its man form is a plain list of .It, without the .Bl around it */
        void (*dump)(Output *o, bool man);
} tables[] = {
        { "conf", false, dump_conf },
        { "etc", false, dump_etc },
        { "exits", true, dump_exits },
        { "guards", false, dump_guards },
        { "knobs", true, dump_knobs },
        { "options", true, dump_options },
        { "parameters", false, dump_parameters },
        { "policy", false, dump_policy },
        { "scenario", false, dump_scenario },
        { "signals", true, dump_signals },
        { "verbs", true, dump_verbs },
        { "workloads", false, dump_workloads },
};

int cli_dump_tables(const Options *options) {
        const char *name = options->dump_tables;
        bool man = text_starts(text_from(name), "man-");
        Output o;

        name += man ? strlen("man-") : 0;
        for (size_t i = 0; i < ELEMENTSOF(tables); i++) {
                if (strcmp(tables[i].name, name) != 0)
                        continue;
                output_open(&o, /* paged= */ false);
                if (man && tables[i].list)
                        output_print(&o, ".Bl -tag -width Ds\n");
                tables[i].dump(&o, man);
                if (man && tables[i].list)
                        output_print(&o, ".El\n");
                return output_finish(&o);
        }
        return cli_usage(
                options,
                "--dump-tables: expected conf, etc, exits, guards, knobs, options, parameters, policy, scenario, signals, verbs or workloads");
}
