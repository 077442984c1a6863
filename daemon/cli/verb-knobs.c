/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "base/nearest.h"
#include "cli/front.h"
#include "cli/json.h"
#include "cli/match.h"
#include "cli/output.h"
#include "cli/table.h"

static const TableColumn columns[] = {
        { "knob", .least = 30 },
        { "value", .right = true, .least = 8 },
        { "default", .right = true, .least = 7 },
        { "state" },
        { "owner" },
};

static bool wanted(const Options *options, const Knob *k) {
        for (int i = 0; i < options->n_args; i++) {
                Match m;

                if (match_parse(options->args[i], &m) && match_knob(&m, k))
                        return true;
        }
        return options->n_args == 0;
}

/* Every argument must name something: a spelling mistake must not read as "there is none". */
static int check_arguments(const Options *options, const KnobSet *set) {
        size_t n_specs = 0;
        const KnobSpec *specs = knob_specs(&n_specs);

        for (int i = 0; i < options->n_args; i++) {
                Match m = { 0 };
                bool fits = match_parse(options->args[i], &m), found = false, named = false;
                Nearest nearest = { .word = m.name };
                char text[512];

                for (size_t k = 0; fits && !found && k < set->n; k++) {
                        found = match_knob(&m, &set->knobs[k]);
                        named = named || text_glob(m.name, set->knobs[k].name);
                }
                if (found)
                        continue;
                for (size_t k = 0; k < n_specs; k++)
                        nearest_offer(&nearest, specs[k].name);
                if (named && match_no_scope(&m, set))
                        (void) text_format(text, sizeof(text), "no scopes of %s are known: %s",
                                           m.name, match_no_scope(&m, set));
                else if (named)
                        (void) text_format(text, sizeof(text), "knob %s has no scope '%s' here",
                                           m.name, m.scope);
                else if (nearest.best)
                        (void) text_format(text, sizeof(text),
                                           "unknown knob '%s', did you mean '%s'?",
                                           options->args[i], nearest.best);
                else
                        (void) text_format(text, sizeof(text),
                                           "unknown knob '%s', expected one of those that "
                                           "alloctune knobs lists",
                                           options->args[i]);
                return cli_usage(options, text);
        }
        return EXIT_FINE;
}

static Style state_style(KnobState s) {
        switch (s) {
        case KNOB_LIVE:
                return STYLE_GOOD;
        case KNOB_DENIED:
        case KNOB_YIELDED:
        case KNOB_PAUSED:
                return STYLE_WARN;
        case KNOB_REMOVED:
        case KNOB_ABSENT:
                return STYLE_DIM;
        case KNOB_BOOT:
        case KNOB_KERNEL:
        case KNOB_FIXED:
        case _KNOB_STATE_MAX:
                break;
        }
        return STYLE_PLAIN;
}

static void add_knob(Table *t, const Knob *k) {
        table_add(t, STYLE_PLAIN, "%s%s%s", k->name, scope_is_system(&k->scope) ? "" : " ",
                  scope_is_system(&k->scope) ? "" : k->scope.name);
        table_add(t, STYLE_BOLD, "%s", k->value[0] ? k->value : "-");
        table_add(t, STYLE_PLAIN, "%s", k->def[0] ? k->def : "-");
        table_add(t, state_style(k->state), "%s%s", knob_state_to_string(k->state),
                  k->inferred ? " ?" : "");
        table_add(t, STYLE_PLAIN, "%s", knob_owner_to_string(k->owner));
}

/* Zones or caches of one knob in one state: how many, from which value to which, and how many differ from the kernel's
 * default. */
static void add_group(Table *t, const KnobSet *set, size_t first, size_t end, KnobState state) {
        const Knob *k = NULL;
        uint64_t least = UINT64_MAX, most = 0;
        unsigned n = 0, n_known = 0, n_set = 0;
        bool inferred = false;

        for (size_t i = first; i < end; i++) {
                if (set->knobs[i].state != state)
                        continue;
                k = &set->knobs[i];
                n++;
                inferred = inferred || k->inferred;
                n_set += k->owner != OWNER_KERNEL && k->number.known && k->def_number.known &&
                         k->number.value != k->def_number.value;
                if (!k->number.known)
                        continue;
                n_known++;
                least = MIN(least, k->number.value);
                most = MAX(most, k->number.value);
        }
        if (!k)
                return;
        if (n == 1) {
                add_knob(t, k);
                return;
        }
        table_add(t, STYLE_PLAIN, "%s, %s %s", k->name, human_count(n).text,
                  text_starts(text_from(k->scope.name), "cache:") ? "caches" : "zones");
        if (n_known == 0)
                table_add(t, STYLE_PLAIN, "-");
        else if (least == most)
                table_add(t, STYLE_BOLD, "%llu", (unsigned long long) least);
        else
                table_add(t, STYLE_BOLD, "%llu..%llu", (unsigned long long) least,
                          (unsigned long long) most);
        if (n_set > 0)
                table_add(t, STYLE_WARN, "%u differ", n_set);
        else
                table_add(t, STYLE_PLAIN, "-");
        table_add(t, state_style(state), "%s%s", knob_state_to_string(state), inferred ? " ?" : "");
        table_add(t, STYLE_PLAIN, "%s", n_set > 0 ? "mixed" : "kernel");
}

static void add_all(Table *t, const Options *options, const KnobSet *set) {
        for (size_t first = 0, end; first < set->n; first = end) {
                for (end = first + 1;
                     end < set->n && strcmp(set->knobs[end].name, set->knobs[first].name) == 0;
                     end++)
                        ;
                if (options->n_args > 0 || end - first == 1) {
                        for (size_t i = first; i < end; i++)
                                if (wanted(options, &set->knobs[i]))
                                        add_knob(t, &set->knobs[i]);
                        continue;
                }
                for (KnobState s = 0; s < _KNOB_STATE_MAX; s++)
                        add_group(t, set, first, end, s);
        }
}

static int print_table(const Options *options, const Observation *o) {
        Table t = TABLE(columns);
        bool inferred = false;
        Output out;
        int r;

        output_open(&out, !options->no_pager);
        add_all(&t, options, &o->knobs);
        for (size_t i = 0; i < o->knobs.n; i++)
                inferred = inferred ||
                           (o->knobs.knobs[i].inferred && wanted(options, &o->knobs.knobs[i]));
        r = table_print(&t, &out);
        table_done(&t);
        if (r < 0) {
                (void) output_close(&out);
                return cli_errno("knobs", r);
        }
        output_print(&out, "\n");
        if (inferred)
                output_styled(&out, STYLE_DIM, "?: a guess, this tree does not tell. ");
        output_styled(&out, STYLE_DIM, "More: alloctune explain KNOB[@SCOPE]");
        output_print(&out, "\n");
        return output_finish(&out);
}

static int print_json(const Options *options, const Observation *o) {
        json_t *rows = json_array();

        for (size_t i = 0; rows && i < o->knobs.n; i++)
                if (wanted(options, &o->knobs.knobs[i]) &&
                    json_array_append_new(rows, cli_json_knob(&o->knobs.knobs[i])) < 0) {
                        json_decref(rows);
                        rows = NULL;
                }
        return cli_json_print(cli_json_document("knobs", rows));
}

static bool any_applies(const KnobSet *set) {
        for (size_t i = 0; i < set->n; i++)
                switch (set->knobs[i].state) {
                case KNOB_LIVE:
                case KNOB_BOOT:
                case KNOB_KERNEL:
                case KNOB_DENIED:
                case KNOB_YIELDED:
                case KNOB_PAUSED:
                        return true;
                case KNOB_FIXED:
                case KNOB_REMOVED:
                case KNOB_ABSENT:
                case _KNOB_STATE_MAX:
                        break;
                }
        return false;
}

int verb_knobs(const Options *options) {
        Observation o = { 0 };
        int code = cli_observe(options, NULL, &o);

        if (code == EXIT_FINE)
                code = check_arguments(options, &o.knobs);
        if (code == EXIT_FINE)
                code = options->json ? print_json(options, &o) : print_table(options, &o);
        if (code == EXIT_FINE && !any_applies(&o.knobs))
                code = EXIT_NO_KNOBS;
        observation_done(&o);
        return code;
}
