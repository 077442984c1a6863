/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every policy gets its say, in order of name: a recommendation for each change it wants, or one note
 * with the reason why it wants none. Two policies may want the same knob: the stronger verdict stands,
 * the other is told in a note. */
#include "core/control/advise.h"

#include <string.h>

#include "base/sort.h"
#include "core/control/advise-build.h"
#include "core/control/may.h"

static const char *const verdict_names[] = {
        [VERDICT_CUT] = "cut",           [VERDICT_TUNE] = "tune",       [VERDICT_ADVISE] = "advise",
        [VERDICT_NOT_OURS] = "not-ours", [VERDICT_NOTHING] = "nothing",
};
static_assert(ELEMENTSOF(verdict_names) == _VERDICT_MAX, "a name for every verdict");

const char *verdict_to_string(Verdict v) {
        return v >= 0 && v < _VERDICT_MAX ? verdict_names[v] : "nothing";
}

const char *apply_to_string(Apply a) {
        switch (a) {
        case APPLY_WRITE:
                return "write";
        case APPLY_BOOT:
                return "boot";
        case APPLY_NONE:
                return "none";
        }
        return "none";
}

const char *confidence_to_string(Confidence c) {
        switch (c) {
        case CONFIDENCE_LOW:
                return "low";
        case CONFIDENCE_MEDIUM:
                return "medium";
        case CONFIDENCE_HIGH:
                return "high";
        }
        return "low";
}

static void advise_policy(AdviseBuild *b, const Policy *policy) {
        const KnobSpec *spec;

        if (policy->note) {
                advise_known_kernel(b, policy);
                return;
        }
        if (!may_machine(policy, b->in->facts))
                return;
        spec = knob_spec_find(text_from(policy->knob));
        if (!spec) {
                (void) advise_note(b, VERDICT_NOTHING, policy->name, policy->name,
                                   "there is no knob %s", policy->knob);
                return;
        }
        switch (spec->kind) {
        case KNOB_KIND_PCP_FRACTION:
                advise_pcp(b, policy);
                return;
        case KNOB_KIND_SLAB_ORDER:
                advise_slab_order(b, policy);
                return;
        case KNOB_KIND_SLAB_INTEGER:
                advise_slab_integer(b, policy);
                return;
        case KNOB_KIND_WORD:
                advise_word(b, policy);
                return;
        case KNOB_KIND_PCP_BATCH:
        case KNOB_KIND_INTEGER:
                advise_integer(b, policy);
                return;
        case KNOB_KIND_ALIGNMENT:
                advise_alignment(b, policy);
                return;
        }
}

static int compare_recommendations(const void *a, const void *b) {
        const Recommendation *x = a, *y = b;

        if (x->verdict != y->verdict)
                return x->verdict < y->verdict ? -1 : 1;
        return strcmp(x->id, y->id);
}

/* Which of two policies speaks for a knob: the stronger verdict, then the one that has something to do,
 * then the better evidence. */
static int compare_weight(const void *a, const void *b) {
        const Recommendation *x = a, *y = b;

        if (x->verdict != y->verdict)
                return x->verdict < y->verdict ? -1 : 1;
        if (!x->to[0] != !y->to[0])
                return x->to[0] ? -1 : 1;
        if (x->evidence != y->evidence)
                return x->evidence > y->evidence ? -1 : 1;
        return strcmp(x->id, y->id);
}

static int compare_notes(const void *a, const void *b) {
        const Note *x = a, *y = b;
        int c;

        if (x->verdict != y->verdict)
                return x->verdict < y->verdict ? -1 : 1;
        c = strcmp(x->about, y->about);
        if (c == 0)
                c = strcmp(x->id, y->id);
        return c != 0 ? c : strcmp(x->text, y->text);
}

/* One recommendation for a knob and scope: the first of the list sorted by weight. */
static void keep_strongest(AdviseBuild *b) {
        size_t kept = 0;

        for (size_t i = 0; i < b->n_recommendations; i++) {
                Recommendation *r = &b->recommendations[i], *same = NULL;

                for (size_t k = 0; k < kept && !same; k++)
                        if (r->knob && b->recommendations[k].knob &&
                            strcmp(b->recommendations[k].knob, r->knob) == 0 &&
                            scope_equal(&b->recommendations[k].scope, &r->scope))
                                same = &b->recommendations[k];
                if (same)
                        (void) advise_note(b, VERDICT_NOTHING, r->policy->name, r->policy->name,
                                           "also speaks of %s: %.800s", r->knob, r->reason);
                else
                        b->recommendations[kept++] = *r;
        }
        b->n_recommendations = kept;
}

/* What else would help, said once for each policy that recommends something. */
static void add_hints(AdviseBuild *b) {
        for (size_t i = 0; i < b->n_recommendations; i++) {
                const Policy *policy = b->recommendations[i].policy;
                bool first = policy->text[0] != 0;

                for (size_t k = 0; k < i; k++)
                        first = first && b->recommendations[k].policy != policy;
                if (first && !b->recommendations[i].expect[0])
                        say(b->recommendations[i].expect, sizeof(b->recommendations[i].expect),
                            "%s", policy->text);
                else if (first && strcmp(b->recommendations[i].expect, policy->text) != 0)
                        (void) advise_note(b, VERDICT_NOTHING, policy->name, policy->name, "%s",
                                           policy->text);
        }
}

int advise(Arena *arena, const AdviseInput *input, Advice *ret) {
        AdviseBuild b = { .arena = arena, .in = input };
        Verdict strongest = VERDICT_NOTHING;

        for (size_t i = 0; i < input->n_policies && b.error == 0; i++)
                advise_policy(&b, &input->policies[i]);
        array_sort(b.recommendations, b.n_recommendations, sizeof(Recommendation), compare_weight);
        keep_strongest(&b);
        array_sort(b.recommendations, b.n_recommendations, sizeof(Recommendation),
                   compare_recommendations);
        add_hints(&b);
        array_sort(b.notes, b.n_notes, sizeof(Note), compare_notes);
        if (b.error)
                return b.error;
        for (size_t i = 0; i < b.n_recommendations; i++)
                strongest = MIN(strongest, b.recommendations[i].verdict);
        for (size_t i = 0; i < b.n_notes; i++)
                strongest = MIN(strongest, b.notes[i].verdict);
        *ret = (Advice){ .verdict = strongest,
                         .recommendations = b.recommendations,
                         .n_recommendations = b.n_recommendations,
                         .notes = b.notes,
                         .n_notes = b.n_notes };
        return 0;
}
