/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "advise-world.h"
#include "core/engine/plan.h"

/* Plans of the world of advise-world.h: 48 CPUs on one node, one zone of 16,000,000 pages with a low watermark of 24,000, so that the
 * default list of 5.14 to 6.6 is 24,000 / 48 = 500 pages. */
static Plan plan;
static struct PlanExternal externals[1];
static const char *const *deny_knobs, *const *deny_caches;
static size_t n_deny_knobs, n_deny_caches, n_externals;

_unused_ static const PlanController *build(void) {
        PlanInput in = { .facts = &w.facts,
                         .last = &w.last,
                         .signals = &w.signal_set,
                         .knobs = &w.knob_set,
                         .pcp = &w.pcp,
                         .slub = &w.slub,
                         .policies = w.policy,
                         .n_policies = w.input.n_policies,
                         .externals = externals,
                         .n_externals = n_externals,
                         .deny_knobs = deny_knobs,
                         .n_deny_knobs = n_deny_knobs,
                         .deny_caches = deny_caches,
                         .n_deny_caches = n_deny_caches };

        ASSERT_OK(plan_build(&w.arena, &in, &plan));
        ASSERT_TRUE(plan.n_controllers > 0);
        return &plan.controllers[0];
}

/* A reading of a scope, in order of name and scope. */
_unused_ static void reading(const char *name, const char *scope, int64_t value,
                             Evidence evidence) {
        Signal s = { .spec = signal_spec_find(text_from(name)),
                     .value = value,
                     .evidence = evidence };
        size_t at = w.signal_set.n;

        ASSERT_TRUE(s.spec != NULL && at < ELEMENTSOF(w.signals));
        s.unit = s.spec->unit;
        (void) text_copy(s.name, sizeof(s.name), text_from(name));
        (void) text_copy(s.scope.name, sizeof(s.scope.name), text_from(scope));
        while (at > 0 && (strcmp(w.signals[at - 1].name, name) > 0 ||
                          (strcmp(w.signals[at - 1].name, name) == 0 &&
                           strcmp(w.signals[at - 1].scope.name, scope) > 0))) {
                w.signals[at] = w.signals[at - 1];
                at--;
        }
        w.signals[at] = s;
        w.signal_set.n++;
}

_unused_ static void fresh(PcpGen gen, uint64_t fraction) {
        world_init(gen, fraction);
        deny_knobs = deny_caches = NULL;
        n_deny_knobs = n_deny_caches = n_externals = 0;
        w.facts.topology.n_packages = 2;
}

/* pcp-contention in short, on a kernel of that generation. */
_unused_ static Policy *contention(PcpGen gen, const char *value) {
        uint64_t fraction = 0;
        Policy *p;
        Knob *k;

        ASSERT_EQ_I(number_parse_u64(value, strlen(value), &fraction), 0);
        fresh(gen, fraction);
        k = add_knob("pcp-high-fraction",
                     pcp_gen_tunes(gen) && fraction == 0 ? KNOB_KERNEL : KNOB_LIVE, value);
        k->def_number = KNOWN(0);
        (void) text_copy(k->def, sizeof(k->def), TEXT("0"));
        reading("zone-lock-wait", "system", 50000, EVIDENCE_MEASURED);
        reading("zone-lock-wait-per-kpage", "system", 0,
                EVIDENCE_NONE); /* no page in this window */
        reading("lru-lock-wait", "system", 10000, EVIDENCE_MEASURED);
        p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);
        p->n_targets = 2;
        (void) text_copy(p->target[1].signal, sizeof(p->target[1].signal),
                         TEXT("zone-lock-wait-per-kpage"));
        p->n_fallback = 1;
        (void) text_copy(p->fallback[0].signal, sizeof(p->fallback[0].signal),
                         TEXT("zone-lock-use"));
        p->n_must_not_rise = 1;
        (void) text_copy(p->must_not_rise[0], sizeof(p->must_not_rise[0]),
                         TEXT("zone-lock-wait-per-kpage"));
        growth_arms(p);
        return p;
}

_unused_ static void assert_advises(const char *why) {
        const PlanController *c = build();

        ASSERT_FALSE(c->may_try);
        ASSERT_HAS(c->why, why);
}
