/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which signals a plan watches. A wait for a lock needs a source (lock_stat, a report, BPF) that is there from the start or
 * is not: where the first window has no such row there is no watch, and the target is unknown. All else may be
 * without a reading for a while (no page was allocated, time was stolen, an application has not written its file
 * yet) and is watched in any case. */
#include <errno.h>
#include <string.h>

#include "core/engine/plan-private.h"

#define SHARE \
        { .scale = PPM }
#define RATE \
        { .scale = USEC_PER_SEC }
#define PER_KPAGE \
        { .scale = 1000 }
#define GAUGE \
        { .scale = 1, .gauge = true }

/* How a reading becomes a value (frame.h), in order of name as in the table of signals. */
static const struct {
        const char *name;
        struct {
                uint64_t scale;
                bool gauge;
        } as;
} rows[] = {
        { "alloc-failure-high-order", GAUGE },
        { "alloc-failure-order0", GAUGE },
        { "alloc-rate", RATE },
        { "allocstall", RATE },
        { "compact-fail-share", SHARE },
        { "compact-stall", RATE },
        { "cpu-steal", SHARE },
        { "external", GAUGE },
        { "kernel-cpu", SHARE },
        { "kernel-cpu-per-kpage", PER_KPAGE },
        { "kernel-lockups", GAUGE },
        { "list-lock-holds", PER_KPAGE },
        { "list-lock-wait", SHARE },
        { "list-lock-wait-per-kpage", PER_KPAGE },
        { "lru-lock-wait", SHARE },
        { "node-free-spread", GAUGE },
        { "pcp-hold-length", GAUGE },
        { "pcp-parked", GAUGE },
        { "pcp-tuner-level", GAUGE },
        { "psi-memory-full", SHARE },
        { "psi-memory-some", SHARE },
        { "slab-unreclaimable", GAUGE },
        { "slab-use", GAUGE },
        { "thp-anon-share", GAUGE },
        { "thp-fault-fallback", SHARE },
        { "thp-fault-rate", RATE },
        { "zone-lock-holds", PER_KPAGE },
        { "zone-lock-use", SHARE },
        { "zone-lock-wait", SHARE },
        { "zone-lock-wait-per-kpage", PER_KPAGE },
};

static const struct PlanExternal *find_external(const PlanInput *in, const char *name) {
        for (size_t i = 0; i < in->n_externals; i++)
                if (text_starts(text_from(name), "external:") &&
                    strcmp(in->externals[i].name, name + strlen("external:")) == 0)
                        return &in->externals[i];
        return NULL;
}

/* The per-page form of a wait has a source where the wait has one: no page in the first window is no lack of a source. */
static bool has_source(const PlanInput *in, const SignalSpec *spec, const Scope *scope) {
        char wait[64];
        Text name = text_from(spec->name);
        const Signal *s;

        if (!spec->lock_wait || spec->best != EVIDENCE_MEASURED)
                return true;
        if (text_ends(name, "-per-kpage"))
                name.size -= strlen("-per-kpage");
        (void) text_copy(wait, sizeof(wait), name);
        s = signal_set_find(in->signals, wait, scope);
        return s && s->evidence != EVIDENCE_NONE;
}

size_t plan_watch_find(const Plan *plan, const char *name, const Scope *scope) {
        for (size_t i = 0; i < plan->n_watches; i++)
                if (strcmp(plan->watches[i].name, name) == 0 &&
                    (scope ? scope_equal(&plan->watches[i].scope, scope)
                           : scope_is_system(&plan->watches[i].scope)))
                        return i;
        return PLAN_NONE;
}

size_t plan_watch_add(PlanBuild *b, const char *name, const Scope *scope) {
        Plan *plan = b->plan;
        const SignalSpec *spec = signal_spec_find(text_from(name));
        const struct PlanExternal *external = find_external(b->in, name);
        size_t at = plan_watch_find(plan, name, scope);
        Watch watch = { .scope = *scope, .spec = spec };

        if (at != PLAN_NONE || b->error)
                return at;
        if (!spec || !has_source(b->in, spec, scope) ||
            (strcmp(spec->name, "external") == 0 && !external) ||
            !text_copy(watch.name, sizeof(watch.name), text_from(name)))
                return PLAN_NONE;
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (strcmp(rows[i].name, spec->name) == 0) {
                        watch.scale = rows[i].as.scale;
                        watch.gauge = rows[i].as.gauge;
                }
        if (watch.scale == 0)
                return PLAN_NONE;
        watch.higher_is_better = external && external->higher_is_better;
        if (plan->n_watches == b->watches_allocated) {
                size_t more = MAX((size_t) 16, 2 * b->watches_allocated);
                Watch *w = arena_grow(b->arena, plan->watches, b->watches_allocated * sizeof(*w),
                                      more * sizeof(*w), _Alignof(Watch));

                if (!w) {
                        b->error = -ENOMEM;
                        return PLAN_NONE;
                }
                plan->watches = w;
                b->watches_allocated = more;
        }
        plan->watches[plan->n_watches] = watch;
        return plan->n_watches++;
}

/* The share of CPU time that waits for one lock: "zone-lock-wait", not "...-per-kpage", not "zone-lock-use". */
static bool is_wait_share(const PolicyTarget *t) {
        const SignalSpec *spec = signal_spec_find(text_from(t->signal));

        return spec && spec->lock_wait && text_ends(text_from(spec->name), "-wait");
}

void plan_watches(PlanBuild *b, PlanController *c) {
        const Policy *p = c->policy;
        Scope system = scope_system();

        for (unsigned i = 0; i < POLICY_TARGETS_MAX; i++)
                c->target[i] = c->fallback[i] = c->must_not_rise[i] = PLAN_NONE;
        c->lead_wait = c->next_wait = PLAN_NONE;
        for (unsigned i = 0; i < p->n_targets && i < POLICY_TARGETS_MAX; i++) {
                c->target[i] = plan_watch_add(b, p->target[i].signal, &system);
                if (c->lead_wait == PLAN_NONE && is_wait_share(&p->target[i]))
                        c->lead_wait = c->target[i];
        }
        for (unsigned i = 0; i < p->n_fallback && i < POLICY_TARGETS_MAX; i++)
                c->fallback[i] = plan_watch_add(b, p->fallback[i].signal, &system);
        for (unsigned i = 0; i < p->n_must_not_rise && i < POLICY_TARGETS_MAX; i++)
                c->must_not_rise[i] = plan_watch_add(b, p->must_not_rise[i], &system);
        c->cost = plan_watch_add(b, p->cost, &system);
        c->use = plan_watch_add(b, "zone-lock-use", &system);
        c->kernel_cpu = plan_watch_add(b, "kernel-cpu", &system);
        c->alloc_rate = plan_watch_add(b, "alloc-rate", &system);
        if (c->lead_wait != PLAN_NONE &&
            strcmp(b->plan->watches[c->lead_wait].name, "zone-lock-wait") == 0)
                c->next_wait = plan_watch_add(b, "lru-lock-wait", &system);
}
