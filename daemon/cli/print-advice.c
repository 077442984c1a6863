/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print-advice.h"

#include <stdlib.h>
#include <string.h>

#include "cli/table.h"

#define HOT_SCOPES_SHOWN 5u
#define LABEL_WIDTH_MOST 24u

/* Shown although no policy has a target for them: they say how busy the machine was. */
static const char *const context[] = { "alloc-rate", "kernel-cpu", "kernel-cpu-per-kpage",
                                       "lru-lock-wait" };

bool cli_signal_target(const PolicySet *policies, const char *signal, int64_t *ret_hot) {
        bool found = false;

        for (size_t i = 0; i < policies->n; i++)
                for (unsigned t = 0; t < policies->policies[i].n_targets; t++) {
                        const PolicyTarget *target = &policies->policies[i].target[t];

                        if (strcmp(target->signal, signal) != 0 ||
                            (found && *ret_hot <= target->hot))
                                continue;
                        *ret_hot = target->hot;
                        found = true;
                }
        return found;
}

Human cli_evidence(const Signal *s) {
        Human h = { 0 };

        if (s->evidence == EVIDENCE_NONE)
                (void) text_copy(h.text, sizeof(h.text), TEXT("none"));
        else
                (void) text_format(h.text, sizeof(h.text), "%s (%s)",
                                   evidence_to_string(s->evidence), s->source ? s->source : "?");
        return h;
}

void cli_print_head(Output *out, const Observation *o) {
        const MachineFacts *f = &o->facts;
        const Topology *t = &f->topology;
        char facts[256], window[64], nodes[32] = "";

        if (t->n_nodes > 0)
                (void) text_format(nodes, sizeof(nodes), " on %u node%s", t->n_nodes,
                                   t->n_nodes == 1 ? "" : "s");
        (void) text_format(facts, sizeof(facts), "Linux %s, ",
                           f->release[0] ? f->release : "(release unknown)");
        if (t->n_online > 0)
                (void) text_format(facts + strlen(facts), sizeof(facts) - strlen(facts),
                                   "%s CPU%s%s", human_count(t->n_online).text,
                                   t->n_online == 1 ? "" : "s", nodes);
        else
                (void) text_format(facts + strlen(facts), sizeof(facts) - strlen(facts),
                                   "CPUs unknown");
        if (f->memory_bytes.known)
                (void) text_format(facts + strlen(facts), sizeof(facts) - strlen(facts), ", %s",
                                   human_bytes(f->memory_bytes.value).text);
        if (o->kind == WINDOW_LIVE)
                (void) text_format(window, sizeof(window), "watched for %s",
                                   human_seconds(o->window_usec).text);
        else if (o->kind == WINDOW_CAPTURE)
                (void) text_format(window, sizeof(window), "capture of %s",
                                   human_seconds(o->window_usec).text);
        else if (o->window_usec > 0)
                (void) text_format(window, sizeof(window), "since boot, %s",
                                   human_seconds(o->window_usec).text);
        else
                (void) text_copy(window, sizeof(window), TEXT("one look, no rates"));
        if (strlen("alloctune " ALLOCTUNED_VERSION) + strlen(facts) + 3 > out->columns) {
                /* people name their own kernels */
                output_paragraph(out, 0, 3, STYLE_BOLD, "alloctune " ALLOCTUNED_VERSION, facts);
                output_print(out, "   %s\n", window);
                return;
        }
        output_styled(out, STYLE_BOLD, "alloctune %s", ALLOCTUNED_VERSION);
        output_styled(out, STYLE_PLAIN, "   %s", facts);
        if (strlen("alloctune " ALLOCTUNED_VERSION) + strlen(facts) + strlen(window) + 6 >
            out->columns)
                output_print(out, "\n");
        output_print(out, "   %s\n", window);
}

static bool is_context(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(context); i++)
                if (strcmp(context[i], name) == 0)
                        return true;
        return false;
}

static void add_signal(Table *table, const Signal *s, bool have_target, int64_t hot) {
        char name[64 + SCOPE_MAX + 2];
        bool above = have_target && s->value >= hot;

        if (scope_is_system(&s->scope))
                (void) text_copy(name, sizeof(name), text_from(s->name));
        else
                (void) text_format(name, sizeof(name), "%s %s", s->name, s->scope.name);
        table_add(table, STYLE_PLAIN, "%s", name);
        table_add(table, above ? STYLE_WARN : STYLE_PLAIN, "%s",
                  human_value(s->value, s->milli, s->unit).text);
        table_add(table, STYLE_PLAIN, "%s", have_target ? human_value(hot, 0, s->unit).text : "-");
        table_add(table, STYLE_PLAIN, "%s", cli_evidence(s).text);
        table_add(table, STYLE_WARN, "%s", above ? "above" : "");
}

static void print_signals(Output *out, const Observation *o, const PolicySet *policies) {
        static const TableColumn columns[] = {
                { "signal", .least = 24 },
                { "now", .right = true },
                { "target", .right = true },
                { "evidence", .least = 9 },
                { "" },
        };
        Table table = TABLE(columns);
        char unknown[1024] = "";
        unsigned n_hot = 0;

        table.indent = 2;
        for (size_t i = 0; i < o->signals.n; i++) {
                const Signal *s = &o->signals.signals[i];
                int64_t hot = 0;
                bool have_target = cli_signal_target(policies, s->name, &hot),
                     system = scope_is_system(&s->scope);

                if (s->evidence == EVIDENCE_NONE) {
                        if (have_target && system)
                                (void) text_format(unknown + strlen(unknown),
                                                   sizeof(unknown) - strlen(unknown), "%s%s",
                                                   unknown[0] ? ", " : "", s->name);
                        continue;
                }
                if (system ? !have_target && !is_context(s->name) : !have_target || s->value < hot)
                        continue;
                if (system || n_hot++ < HOT_SCOPES_SHOWN)
                        add_signal(&table, s, have_target, hot);
        }
        if (table_print(&table, out) < 0)
                output_print(out, "  (out of memory)\n");
        if (n_hot > HOT_SCOPES_SHOWN)
                output_print(out, "  and %u more above target: alloctune signals shows them\n",
                             n_hot - HOT_SCOPES_SHOWN);
        if (unknown[0])
                output_paragraph(out, 2, 11, STYLE_DIM, "unknown", unknown);
        output_print(out, "\n");
        table_done(&table);
}

/* A command may be copied from the screen: lines that go on end in a backslash. */
static void print_command(Output *out, unsigned margin, const char *text) {
        char copy[512];
        const char *rest = copy;

        (void) text_copy(copy, sizeof(copy), text_from(text));
        output_clean(copy, sizeof(copy));
        output_styled(out, STYLE_DIM, "    do");
        output_print(out, "%*s", (int) margin - 6, "");
        if (margin + output_width(copy, strlen(copy)) <= out->columns) {
                output_styled(out, STYLE_BOLD, "%s", copy);
                output_print(out, "\n");
                return;
        }
        for (bool first = true; *rest; first = false) {
                const char *line = rest;
                size_t size = output_wrap(line, out->columns - margin - 2, &rest);

                output_print(out, "%*s", first ? 0 : (int) margin, "");
                output_styled(out, STYLE_BOLD, "%.*s%s", (int) size, line, *rest ? " \\" : "");
                output_print(out, "\n");
        }
}

static Style verdict_style(Verdict v) {
        switch (v) {
        case VERDICT_CUT:
                return STYLE_BAD;
        case VERDICT_TUNE:
        case VERDICT_ADVISE:
        case VERDICT_NOT_OURS:
                return STYLE_WARN;
        case VERDICT_NOTHING:
        case _VERDICT_MAX:
                break;
        }
        return STYLE_GOOD;
}

void cli_print_recommendation(Output *out, const Recommendation *r) {
        char head[400], tail[96];
        unsigned margin = 12, width;

        (void) text_format(head, sizeof(head), "%s",
                           r->knob     ? r->knob
                           : r->policy ? r->policy->name
                                       : "");
        if (strcmp(r->scope.name, "cache:*") == 0)
                (void) text_format(head + strlen(head), sizeof(head) - strlen(head),
                                   "  all caches");
        else if (!scope_is_system(&r->scope))
                (void) text_format(head + strlen(head), sizeof(head) - strlen(head), "  %s",
                                   text_starts(text_from(r->scope.name), "cache:")
                                           ? r->scope.name + 6
                                           : r->scope.name);
        if (r->to[0])
                (void) text_format(head + strlen(head), sizeof(head) - strlen(head), "   %s%s%s",
                                   r->from, r->from[0] ? " -> " : "-> ", r->to);
        else if (r->from[0])
                (void) text_format(head + strlen(head), sizeof(head) - strlen(head), "   now %s",
                                   r->from);
        (void) text_format(tail, sizeof(tail), "%s, confidence %s", verdict_to_string(r->verdict),
                           confidence_to_string(r->confidence));
        output_print(out, "  ");
        output_styled(out, STYLE_BOLD, "%s", head);
        width = 2 + output_width(head, strlen(head)) + (unsigned) strlen(tail);
        if (width + 2 > out->columns) {
                output_print(out, "\n    ");
                width = 4 + (unsigned) strlen(tail);
        }
        output_print(out, "%*s", width < out->columns ? (int) (out->columns - width) : 2, "");
        output_styled(out, verdict_style(r->verdict), "%s", tail);
        output_print(out, "\n");
        output_paragraph(out, 4, margin, STYLE_DIM, "why", r->reason);
        if (!r->memory_bytes.known)
                output_paragraph(out, 4, margin, STYLE_DIM, "cost", "memory not known");
        else if (r->memory_bytes.value == 0)
                output_paragraph(out, 4, margin, STYLE_DIM, "cost", "no memory");
        else {
                char cost[64];

                (void) text_format(cost, sizeof(cost), "at most %s",
                                   human_bytes(r->memory_bytes.value).text);
                output_paragraph(out, 4, margin, STYLE_DIM, "cost", cost);
        }
        if (!r->how[0])
                output_paragraph(out, 4, margin, STYLE_DIM, "do",
                                 r->to[0] ? "nothing now: why says what stands against it"
                                          : "no command: no value is proposed");
        else if (r->apply == APPLY_WRITE)
                print_command(out, margin, r->how);
        else
                output_paragraph(out, 4, margin, STYLE_DIM,
                                 r->apply == APPLY_BOOT ? "at boot" : "do", r->how);
        if (r->expect[0])
                output_paragraph(out, 4, margin, STYLE_DIM,
                                 r->how[0] || r->to[0] ? "expect" : "hint", r->expect);
        output_paragraph(out, 4, margin, STYLE_DIM, "id", r->id);
        output_print(out, "\n");
}

typedef enum NoteGroup { NOTES_FOUND, NOTES_NOTHING, NOTES_OTHER } NoteGroup;

static NoteGroup note_group(const Note *n, const PolicySet *policies) {
        if (n->verdict != VERDICT_NOTHING)
                return NOTES_FOUND;
        return policy_set_find(policies, n->about) ? NOTES_NOTHING : NOTES_OTHER;
}

static void print_notes(Output *out, const Advice *advice, const PolicySet *policies,
                        NoteGroup group, const char *title) {
        unsigned widest = 0;

        for (size_t i = 0; i < advice->n_notes; i++)
                if (note_group(&advice->notes[i], policies) == group)
                        widest = MAX(widest, output_width(advice->notes[i].about,
                                                          strlen(advice->notes[i].about)));
        if (widest == 0)
                return;
        output_styled(out, STYLE_BOLD, "  %s", title);
        output_print(out, "\n");
        for (size_t i = 0; i < advice->n_notes; i++) {
                const Note *n = &advice->notes[i];

                if (note_group(n, policies) == group)
                        output_paragraph(out, 2, 4 + MIN(widest, LABEL_WIDTH_MOST),
                                         verdict_style(n->verdict), n->about, n->text);
        }
        output_print(out, "\n");
}

void cli_print_advice(Output *out, const Observation *o, const PolicySet *policies,
                      const Advice *advice) {
        cli_print_head(out, o);
        output_print(out, "\n");
        print_signals(out, o, policies);
        if (advice->n_recommendations == 0)
                output_styled(out, STYLE_GOOD, "  nothing to recommend");
        else
                output_styled(out, STYLE_BOLD, "  %zu recommendation%s", advice->n_recommendations,
                              advice->n_recommendations == 1 ? "" : "s");
        output_print(out, "\n\n");
        for (size_t i = 0; i < advice->n_recommendations; i++)
                cli_print_recommendation(out, &advice->recommendations[i]);
        print_notes(out, advice, policies, NOTES_FOUND, "also found");
        print_notes(out, advice, policies, NOTES_NOTHING, "nothing to do");
        print_notes(out, advice, policies, NOTES_OTHER, "notes");
        output_styled(out, STYLE_DIM,
                      "  more: alloctune explain KNOB, SIGNAL or ID; --json has every number");
        output_print(out, "\n");
}
