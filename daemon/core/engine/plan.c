/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/plan.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "core/control/arm.h"
#include "core/control/may.h"
#include "core/engine/plan-private.h"
#include "core/sense/thp.h"

/* From policies, knobs and models of the kernel to what the engine works with: knobs by number, arms by level.
 *
 * Everything that forbids a write is found here and said in `why`: the order is that of how little can be done about
 * it. The same functions decide what the adviser says (core/control/may.h, arm.h), so what `recommend` calls
 * possible and what the service tries cannot drift apart.
 *
 * Of caches only those have knobs that may be written and for whose wait there is a name: a report that attributes
 * the wait, or the pattern of the policy. */

static void say_why(PlanController *c, const char *why) {
        if (c->why[0])
                return;
        (void) text_copy(c->why, sizeof(c->why), text_from(why));
        c->may_try = false;
}

/* Published shares of the wait that a knob removed: lists 19 -> 2 % of cycles at the zone lock on Broadwell-EP and about
 * half elsewhere, four times cpu_partial about half; min_partial 0 to 13 % of throughput (linux-mm 2018-10, 2023-09-05).
 * Nothing is published for the others. */
static unsigned expected_share(const KnobSpec *spec) {
        if (spec->kind == KNOB_KIND_PCP_FRACTION)
                return 500000;
        if (spec->attribute && strcmp(spec->attribute, "cpu_partial") == 0)
                return 500000;
        if (spec->attribute && strcmp(spec->attribute, "min_partial") == 0)
                return 100000;
        return 0;
}

/* Whatever moves watermarks resizes the lists (mm/khugepaged.c set_recommended_min_free_kbytes()), and huge pages change how
 * often they are used. */
static bool is_coupled(const KnobSpec *spec) {
        return spec->kind == KNOB_KIND_PCP_FRACTION || strcmp(spec->name, "watermark-scale") == 0 ||
               text_starts(text_from(spec->name), "thp-");
}

static usec_t time_of(usec_t policy, unsigned knob_s) {
        return policy != USEC_UNKNOWN ? policy : (usec_t) knob_s * USEC_PER_SEC;
}

static size_t knob_add(PlanBuild *b, const Policy *policy, const Knob *knob) {
        Plan *plan = b->plan;
        PlanKnob *k;

        if (plan->n_knobs == b->knobs_allocated) {
                size_t more = MAX((size_t) 16, 2 * b->knobs_allocated);

                k = arena_grow(b->arena, plan->knobs, b->knobs_allocated * sizeof(*k),
                               more * sizeof(*k), _Alignof(PlanKnob));
                if (!k) {
                        b->error = -ENOMEM;
                        return PLAN_NONE;
                }
                plan->knobs = k;
                b->knobs_allocated = more;
        }
        k = &plan->knobs[plan->n_knobs];
        *k = (PlanKnob){ .spec = knob->spec,
                         .scope = knob->scope,
                         .state = may_state(policy, knob),
                         .owner = knob->owner,
                         .wait_watch = PLAN_NONE };
        (void) text_copy(k->name, sizeof(k->name), text_from(knob->name));
        (void) text_copy(k->path, sizeof(k->path),
                         text_from(knob->path + (knob->path[0] == '/' ? 1 : 0)));
        k->value_known = plan_value(knob, knob->value, knob->number, &k->value);
        k->def_known = plan_value(knob, knob->def, knob->def_number, &k->def);
        return plan->n_knobs++;
}

/* Why the policy as a whole writes nothing here. */
static void judge_policy(const PlanBuild *b, PlanController *c, const KnobSpec *spec) {
        const MachineFacts *facts = b->in->facts;
        char why[160];

        if (facts->contained)
                say_why(c, facts->contained_why[0] ? facts->contained_why : "inside a container");
        if (spec->context_only || spec->kind == KNOB_KIND_PCP_BATCH ||
            spec->kind == KNOB_KIND_ALIGNMENT)
                say_why(c, "this knob is read for context, never written");
        if (spec->kind == KNOB_KIND_SLAB_ORDER)
                say_why(c, "the order of slabs is chosen at boot");
        if (may_deny(b->in->deny_knobs, b->in->n_deny_knobs, c->policy->knob))
                say_why(c, "deny_knobs of the configuration names it");
        if (!c->policy->apply)
                say_why(c, "the mode of the policy is \"recommend\"");
        if (c->window_usec == 0 || c->window_usec <= c->settle_usec)
                say_why(c, "this knob has no times for a trial");
        if (c->cost == PLAN_NONE) {
                (void) text_format(why, sizeof(why), "nothing here tells its cost, %s",
                                   c->policy->cost);
                say_why(c, why);
        }
}

/* Why this knob is not to be written, or "". */
static void judge_knob(const PlanController *c, const Knob *knob, const PlanKnob *k, char *ret_why,
                       size_t size) {
        ret_why[0] = 0;
        /* A kernel that tunes is taken over only by a guard, with the cap; its steps do not fit. */
        if (k->state != KNOB_LIVE && k->state != KNOB_KERNEL)
                may_state_why(knob, ret_why, size);
        else if (!k->path[0] || !k->value_known)
                (void) text_copy(ret_why, size, TEXT("its present value is unknown"));
        else
                may_owner(c->policy, knob, ret_why, size);
}

static int arms_of(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                   PlanArm *arms) {
        for (unsigned l = 0; l < c->n_levels; l++) {
                arms[l] = (PlanArm){ .kind = levels[l].kind,
                                     .level = l,
                                     .memory_bytes = UINT64_MAX };
                (void) text_copy(arms[l].text, sizeof(arms[l].text), text_from(levels[l].text));
        }
        switch (knob->spec->kind) {
        case KNOB_KIND_PCP_FRACTION:
                return plan_arms_pcp(b, c, knob, levels, arms);
        case KNOB_KIND_SLAB_INTEGER:
                return plan_arms_slab(b, c, knob, levels, arms);
        case KNOB_KIND_WORD:
                return plan_arms_word(b, c, knob, levels, arms);
        case KNOB_KIND_INTEGER:
                return plan_arms_integer(b, c, knob, levels, arms);
        case KNOB_KIND_PCP_BATCH:
        case KNOB_KIND_SLAB_ORDER:
        case KNOB_KIND_ALIGNMENT:
                break;
        }
        return 0;
}

/* Whether some write could follow: an arm above the default, the default itself, or a cut. */
static bool has_move(const PlanController *c, const PlanArm *arms, int present) {
        if (c->cap_known || (present < 0 && arms[0].fits))
                return true;
        for (unsigned l = 1; l < c->n_levels; l++)
                if (arms[l].fits)
                        return true;
        return false;
}

static const char *first_why(const PlanController *c, const PlanArm *arms) {
        for (unsigned l = 1; l < c->n_levels; l++)
                if (arms[l].why[0])
                        return arms[l].why;
        return "the policy names no arms";
}

static void build_system(PlanBuild *b, PlanController *c, const KnobSpec *spec,
                         const PlanLevel *levels) {
        const Knob *knob = knob_set_find(b->in->knobs, c->policy->knob, NULL);
        PlanArm *arms;
        int *present;
        char why[160];
        size_t at = PLAN_NONE;

        if (!knob || knob->state == KNOB_ABSENT || spec->kind == KNOB_KIND_ALIGNMENT) {
                say_why(c, knob && knob->reason[0] ? knob->reason
                                                   : "this machine does not have the knob");
                return;
        }
        for (size_t i = 0; i < b->plan->n_knobs; i++)
                if (strcmp(b->plan->knobs[i].name, knob->name) == 0 &&
                    scope_equal(&b->plan->knobs[i].scope, &knob->scope) &&
                    b->plan->knobs[i].state == may_state(c->policy, knob))
                        at = i;
        if (at == PLAN_NONE)
                at = knob_add(b, c->policy, knob);
        arms = ARENA_ARRAY(b->arena, PlanArm, c->n_levels);
        present = ARENA_ARRAY(b->arena, int, 1);
        if (at == PLAN_NONE || !arms || !present) {
                b->error = -ENOMEM;
                return;
        }
        *present = arms_of(b, c, knob, levels, arms);
        c->first_knob = at;
        c->n_knobs = 1;
        c->arms = arms;
        c->present_level = present;
        judge_knob(c, knob, &b->plan->knobs[at], why, sizeof(why));
        if (why[0])
                say_why(c, why);
        if (!has_move(c, arms, *present))
                say_why(c, first_why(c, arms));
}

/* Caches in order of their directory, as the set has them. */
static void build_caches(PlanBuild *b, PlanController *c, const PlanLevel *levels) {
        const KnobSet *set = b->in->knobs;
        bool any = strcmp(may_cache_pattern(c->policy), "*") == 0;
        size_t n_matched = 0, n_unnamed = 0, most = 0;
        char why[160], first[160] = "";
        PlanArm *arms;
        int *present;

        if (c->why[0])
                return;
        for (size_t i = 0; i < set->n; i++)
                most += strcmp(set->knobs[i].name, c->policy->knob) == 0;
        arms = ARENA_ARRAY(b->arena, PlanArm, most * c->n_levels);
        present = ARENA_ARRAY(b->arena, int, most);
        if (most > 0 && (!arms || !present)) {
                b->error = -ENOMEM;
                return;
        }
        c->first_knob = b->plan->n_knobs;
        c->arms = arms;
        c->present_level = present;
        for (size_t i = 0; i < set->n && b->error == 0; i++) {
                const Knob *knob = &set->knobs[i];
                PlanArm *row = arms + c->n_knobs * c->n_levels;
                const Signal *wait;
                size_t at;

                if (strcmp(knob->name, c->policy->knob) != 0 || !knob->cache ||
                    !may_cache(c->policy, knob->cache) ||
                    may_deny_cache(b->in->deny_caches, b->in->n_deny_caches, knob->cache))
                        continue;
                n_matched++;
                wait = signal_set_find(b->in->signals, "list-lock-wait", &knob->scope);
                if (any && (!wait || wait->evidence == EVIDENCE_NONE)) {
                        n_unnamed++;
                        continue;
                }
                at = knob_add(b, c->policy, knob);
                if (at == PLAN_NONE)
                        return;
                present[c->n_knobs] = arms_of(b, c, knob, levels, row);
                judge_knob(c, knob, &b->plan->knobs[at], why, sizeof(why));
                if (!why[0] && !has_move(c, row, present[c->n_knobs]))
                        (void) text_copy(why, sizeof(why), text_from(first_why(c, row)));
                if (why[0]) {
                        if (!first[0])
                                (void) text_copy(first, sizeof(first), text_from(why));
                        b->plan->n_knobs = at;
                        continue;
                }
                if (wait && wait->evidence != EVIDENCE_NONE)
                        b->plan->knobs[at].wait_watch = plan_watch_add(b, "list-lock-wait",
                                                                       &knob->scope);
                if (c->n_knobs == 0) {
                        int64_t milli = arm_slab_feed_forward(knob->spec, b->plan->n_online);

                        c->feed_forward = plan_feed_forward(levels, row, c->n_levels, milli, 0);
                }
                c->n_knobs++;
        }
        if (c->n_knobs > 0)
                return;
        if (first[0])
                say_why(c, first);
        else if (n_unnamed > 0)
                say_why(c, "which cache causes the wait is not known here");
        else
                say_why(c,
                        n_matched > 0
                                ? "no cache may be written"
                                : "no cache of this machine matches, or its knob cannot be read");
}

static void build_controller(PlanBuild *b, const Policy *policy, const KnobSpec *spec) {
        PlanController *c = &b->plan->controllers[b->plan->n_controllers++];
        PlanLevel levels[PLAN_LEVELS_MAX];

        *c = (PlanController){
                .policy = policy,
                .may_try = true,
                .window_usec = time_of(policy->window_usec, spec->window_s),
                .settle_usec = time_of(policy->settle_usec, spec->settle_s),
                .write_gap_usec = time_of(policy->write_gap_usec, spec->write_gap_s),
                .n_levels = plan_levels(policy, spec, levels),
                .expected_share_ppm = expected_share(spec),
                .coupled_pcp = is_coupled(spec),
        };
        plan_watches(b, c);
        judge_policy(b, c, spec);
        if (spec->scopes & SCOPES_CACHE)
                build_caches(b, c, levels);
        else
                build_system(b, c, spec, levels);
}

static int compare_policies(const void *a, const void *b) {
        const Policy *const *x = a, *const *y = b;

        return strcmp((*x)->name, (*y)->name);
}

int plan_build(Arena *arena, const PlanInput *input, Plan *ret) {
        Plan plan = { .n_online = input->facts->topology.n_online };
        PlanBuild b = { .arena = arena, .in = input, .plan = &plan };
        const Policy **policies = ARENA_ARRAY(arena, const Policy *, input->n_policies);
        size_t n = 0;

        plan.controllers = ARENA_ARRAY(arena, PlanController, input->n_policies);
        if (input->n_policies > 0 && (!policies || !plan.controllers))
                return -ENOMEM;
        for (size_t i = 0; i < input->n_policies; i++) {
                const Policy *p = &input->policies[i];

                if (!p->note && p->controller != CONTROLLER_ADVISE &&
                    may_machine(p, input->facts) && knob_spec_find(text_from(p->knob)))
                        policies[n++] = p;
        }
        array_sort(policies, n, sizeof(*policies), compare_policies);
        for (size_t i = 0; i < n && b.error == 0; i++)
                build_controller(&b, policies[i], knob_spec_find(text_from(policies[i]->knob)));
        if (b.error)
                return b.error;
        *ret = plan;
        return 0;
}

const PlanArm *plan_arm(const PlanController *c, size_t knob, unsigned level) {
        return knob < c->n_knobs && level < c->n_levels ? &c->arms[knob * c->n_levels + level]
                                                        : NULL;
}

bool knob_value_parse(const KnobSpec *spec, Text text, int64_t *ret_value) {
        uint64_t number;
        ThpChoice choice;
        ParseLog log = { 0 };

        text = text_strip(text);
        if (spec->kind == KNOB_KIND_ALIGNMENT)
                return false;
        if (spec->kind != KNOB_KIND_WORD) {
                if (number_parse_u64(text.data, text.size, &number) != 0 || number > INT64_MAX)
                        return false;
                *ret_value = (int64_t) number;
                return true;
        }
        /* "always [madvise] never" as the file says it, or the word alone as we write it. */
        for (int64_t i = 0; spec->words && spec->words[i]; i++)
                if (text_is(text, spec->words[i])) {
                        *ret_value = i;
                        return true;
                }
        if (thp_choice_parse(text, spec->path, &choice, &log) != 0 || !choice.known)
                return false;
        for (int64_t i = 0; spec->words && spec->words[i]; i++)
                if (strcmp(spec->words[i], choice.chosen) == 0) {
                        *ret_value = i;
                        return true;
                }
        return false;
}

bool knob_value_format(const KnobSpec *spec, int64_t value, char *buffer, size_t size) {
        if (value < 0 || spec->kind == KNOB_KIND_ALIGNMENT)
                return false;
        if (spec->kind != KNOB_KIND_WORD)
                return text_format(buffer, size, "%lld", (long long) value);
        for (int64_t i = 0; spec->words && spec->words[i]; i++)
                if (i == value)
                        return text_format(buffer, size, "%s", spec->words[i]);
        return false;
}
