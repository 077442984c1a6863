/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rules of all knobs share: targets, gate, and the step from "wanted" to a verdict. */
#include "core/control/advise-build.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/control/may.h"

void say(char *text, size_t size, const char *format, ...) {
        size_t used = strlen(text);
        va_list args;
        bool fits;

        va_start(args, format);
        fits = text_format_va(text + used, size - used, format, args);
        va_end(args);
        if (!fits && size >= 4)
                memcpy(text + size - 4, "...", 4);
}

Recommendation *advise_recommend(AdviseBuild *b, const Policy *policy, const char *knob,
                                 const Scope *scope) {
        Recommendation *r;

        if (b->n_recommendations == b->recommendations_allocated) {
                size_t more = MAX((size_t) 8, 2 * b->recommendations_allocated);

                r = arena_grow(b->arena, b->recommendations,
                               b->recommendations_allocated * sizeof(*r), more * sizeof(*r),
                               _Alignof(Recommendation));
                if (!r) {
                        b->error = -ENOMEM;
                        return NULL;
                }
                b->recommendations = r;
                b->recommendations_allocated = more;
        }
        r = &b->recommendations[b->n_recommendations++];
        memset(r, 0, sizeof(*r));
        r->policy = policy;
        r->knob = knob;
        r->scope = *scope;
        r->verdict = VERDICT_ADVISE;
        r->apply = APPLY_NONE;
        say(r->id, sizeof(r->id), "%s/%s/%s", policy->name, knob ? knob : "-", scope->name);
        return r;
}

Note *advise_note(AdviseBuild *b, Verdict verdict, const char *id, const char *about,
                  const char *format, ...) {
        Note *n;
        va_list args;

        if (b->n_notes == b->notes_allocated) {
                size_t more = MAX((size_t) 32, 2 * b->notes_allocated);

                n = arena_grow(b->arena, b->notes, b->notes_allocated * sizeof(*n),
                               more * sizeof(*n), _Alignof(Note));
                if (!n) {
                        b->error = -ENOMEM;
                        return NULL;
                }
                b->notes = n;
                b->notes_allocated = more;
        }
        n = &b->notes[b->n_notes++];
        memset(n, 0, sizeof(*n));
        n->verdict = verdict;
        say(n->id, sizeof(n->id), "%s", id);
        say(n->about, sizeof(n->about), "%s", about);
        va_start(args, format);
        if (!text_format_va(n->text, sizeof(n->text), format, args))
                memcpy(n->text + sizeof(n->text) - 4, "...", 4);
        va_end(args);
        return n;
}

const Signal *advise_signal(const AdviseBuild *b, const char *name) {
        const Signal *s = signal_set_find(b->in->signals, name, NULL);

        return s && s->evidence != EVIDENCE_NONE ? s : NULL;
}

const ZoneInfo *advise_zoneinfo(const AdviseBuild *b) {
        return b->in->pcp ? b->in->pcp->zoneinfo : NULL;
}

uint64_t advise_page_bytes(const AdviseBuild *b) {
        return b->in->facts->page_bytes.known ? b->in->facts->page_bytes.value : 4096;
}

bool advise_denies_knob(const AdviseBuild *b, const char *knob) {
        return may_deny(b->in->deny_knobs, b->in->n_deny_knobs, knob);
}

/* The row of the same scope, else the one of the system: a wait that nobody attributed to a cache still
 * counts for all of them. */
static const Signal *target_signal(const AdviseBuild *b, const char *name, const Scope *scope) {
        const Signal *s = signal_set_find(b->in->signals, name, scope);

        if (!s || s->evidence == EVIDENCE_NONE) {
                const Signal *system = signal_set_find(b->in->signals, name, NULL);

                s = system && (!s || system->evidence != EVIDENCE_NONE) ? system : s;
        }
        return s;
}

/* "a, b (why both are unknown), c (another reason)". */
static void say_unknown(TargetsView *view, const char *signal, const char *why) {
        char reason[120];
        size_t used = strlen(view->unknown), n;

        (void) text_format(reason, sizeof(reason), " (%s)", why);
        n = strlen(reason);
        if (used >= n && strcmp(view->unknown + used - n, reason) == 0)
                view->unknown[used - n] = 0;
        say(view->unknown, sizeof(view->unknown), "%s%s%s", used > 0 ? ", " : "", signal, reason);
}

static void view_target(const AdviseBuild *b, const PolicyTarget *t, const Scope *scope,
                        bool fallback, TargetsView *view, bool *all_hot, bool *any_hot) {
        const Signal *s = target_signal(b, t->signal, scope);
        bool hot, decides;

        if (!s || s->evidence == EVIDENCE_NONE) {
                view->n_unknown++;
                say_unknown(view, t->signal, s && s->why ? s->why : "no such reading");
                return;
        }
        hot = s->value >= t->hot;
        /* All targets decide together; of stand-ins, the first hot one. */
        decides = view->n_known == 0 || (fallback && hot && !*any_hot);
        if (decides || (!fallback && s->evidence < view->evidence))
                view->evidence = s->evidence;
        if (decides) {
                view->lead = s;
                view->lead_target = t;
        }
        view->n_known++;
        *all_hot = *all_hot && hot;
        *any_hot = *any_hot || hot;
        view->measured_wait = view->measured_wait ||
                              (s->spec->lock_wait && s->evidence == EVIDENCE_MEASURED);
        say(view->text, sizeof(view->text), "%s%s %s %s (%s, hot at %s)", view->text[0] ? ", " : "",
            t->signal, s->evidence == EVIDENCE_ESTIMATED ? "about" : "is",
            human_value(s->value, s->milli, s->unit).text, evidence_to_string(s->evidence),
            human_value(t->hot, 0, s->unit).text);
}

void targets_view(const AdviseBuild *b, const Policy *policy, const Scope *scope,
                  TargetsView *ret) {
        bool all_hot = true, any_hot = false;

        *ret = (TargetsView){ .state = TARGETS_NONE, .evidence = EVIDENCE_MEASURED };
        if (policy->n_targets == 0 && policy->n_fallback == 0)
                return;
        for (unsigned i = 0; i < policy->n_targets; i++)
                view_target(b, &policy->target[i], scope, /* fallback= */ false, ret, &all_hot,
                            &any_hot);
        if (ret->n_known > 0) {
                ret->state = all_hot ? TARGETS_HOT : TARGETS_COLD;
                return;
        }
        /* Stand-ins: any hot one is worth a word, none of them is worth a write. */
        any_hot = false;
        for (unsigned i = 0; i < policy->n_fallback; i++)
                view_target(b, &policy->fallback[i], scope, /* fallback= */ true, ret, &all_hot,
                            &any_hot);
        ret->by_fallback = ret->n_known > 0;
        ret->state = ret->n_known == 0 ? TARGETS_UNKNOWN : any_hot ? TARGETS_HOT : TARGETS_COLD;
}

void gate_view(const AdviseBuild *b, const Policy *policy, const TargetsView *targets,
               char *ret_text, size_t size) {
        const PolicyGate *gate = &policy->gate;
        const Signal *kernel_cpu = advise_signal(b, "kernel-cpu");
        const Signal *use = advise_signal(b, "zone-lock-use");
        bool waits = targets->lead && targets->lead->spec->lock_wait;
        unsigned cpus = b->in->facts->topology.n_online;

        ret_text[0] = 0;
        /* Waiting that was measured is kernel CPU time, and says more than any bound from a rate. */
        if (targets->measured_wait) {
                int64_t share = targets->lead->spec->lock_wait &&
                                                strcmp(targets->lead->unit, "ppm") == 0
                                        ? targets->lead->value
                                        : INT64_MAX;

                if (share < gate->saving_ppm)
                        say(ret_text, size, "at most %s of CPU time could be saved (gate: %s)",
                            human_share(share).text, human_share(gate->saving_ppm).text);
                else if (share != INT64_MAX && cpus > 0 &&
                         u64_muldiv((uint64_t) share, cpus, 1000) <
                                 (uint64_t) gate->saving_cpus_milli)
                        say(ret_text, size,
                            "at most 0.%03u of one CPU could be saved (gate: %lld.%03lld)",
                            (unsigned) u64_muldiv((uint64_t) share, cpus, 1000) % 1000,
                            (long long) gate->saving_cpus_milli / 1000,
                            (long long) gate->saving_cpus_milli % 1000);
                return;
        }
        if (!waits)
                return;
        if (use && use->value < gate->use_ppm)
                say(ret_text, size, "zone locks are held at most %s of the time (gate: %s)",
                    human_share(use->value).text, human_share(gate->use_ppm).text);
        else if (kernel_cpu && kernel_cpu->value < gate->kernel_cpu_ppm)
                say(ret_text, size, "the kernel uses %s of CPU time (gate: %s)",
                    human_share(kernel_cpu->value).text, human_share(gate->kernel_cpu_ppm).text);
}

static Confidence confidence_of(const AdviseBuild *b, const Policy *policy,
                                const TargetsView *targets) {
        unsigned windows = 1; /* the whole duration is one window */

        for (unsigned i = 0; i < policy->n_targets; i++)
                if (policy->target[i].windows_hot > windows)
                        return CONFIDENCE_LOW;
        if (b->in->kind == WINDOW_BOOT || targets->by_fallback)
                return CONFIDENCE_LOW;
        return targets->n_unknown > 0 || targets->evidence < EVIDENCE_MEASURED ? CONFIDENCE_MEDIUM
                                                                               : CONFIDENCE_HIGH;
}

/* What stands between a wanted change and a trial, in the reason, one after the other. */
typedef struct Missing {
        Recommendation *rec;
        bool any;
} Missing;

static void say_missing(Missing *m, const char *what) {
        say(m->rec->reason, sizeof(m->rec->reason), "%s%s",
            m->any              ? ", and "
            : m->rec->reason[0] ? "; no trial: "
                                : "no trial: ",
            what);
        m->any = true;
        m->rec->verdict = VERDICT_ADVISE;
}

static void say_state(Missing *m, const Knob *knob) {
        char why[sizeof(knob->reason)];

        may_state_why(knob, why, sizeof(why));
        say_missing(m, why);
}

void advise_judge(const AdviseBuild *b, const Policy *policy, const Knob *knob,
                  const TargetsView *targets, const GuardView *guards, Recommendation *rec) {
        const MachineFacts *facts = b->in->facts;
        KnobState state = may_state(policy, knob);
        bool settable = state == KNOB_LIVE || (state == KNOB_KERNEL && rec->to[0]);
        bool needs_root = state == KNOB_DENIED && !knob->denied_isolated && !facts->euid_root;
        bool no_command = false;
        Missing missing = { .rec = rec };
        char owner[300];

        rec->evidence = targets->state == TARGETS_NONE ? EVIDENCE_COUNTED : targets->evidence;
        rec->confidence = confidence_of(b, policy, targets);
        rec->verdict = VERDICT_TUNE;
        rec->apply = APPLY_WRITE;
        if (guards->blocks[0]) {
                say_missing(&missing, guards->blocks);
                /* Words only take work away from faults; anything else that is wanted here grows. */
                no_command = knob->spec->kind != KNOB_KIND_WORD;
        }
        if (facts->contained) {
                say_missing(&missing, facts->contained_why);
                no_command = true;
        } else if (!settable && state != KNOB_KERNEL) {
                /* Of a kernel that tunes, the rule has said why there is no value to try. */
                say_state(&missing, knob);
                no_command = no_command || !needs_root;
        }
        if (knob->spec->context_only) {
                say_missing(&missing, "this knob is read for context, never written");
                no_command = true;
        }
        if (advise_denies_knob(b, knob->name)) {
                say_missing(&missing, "deny_knobs of the configuration names it");
                no_command = true;
        }
        /* A command beside the reason not to run it would be run. */
        if (no_command)
                rec->how[0] = 0;
        if (missing.any || !rec->to[0]) {
                rec->verdict = VERDICT_ADVISE;
                rec->apply = APPLY_NONE;
                return;
        }
        /* From here on the write itself is sound; what is missing is a right to make it unasked. */
        if (targets->by_fallback) {
                say_missing(&missing,
                            "the targets themselves are unknown, a fallback only advises");
                rec->apply = APPLY_NONE;
        } else if (rec->evidence < policy->evidence && !targets->by_guard) {
                char why[80] = "";

                say(why, sizeof(why), "evidence is %s, the policy acts on %s",
                    evidence_to_string(rec->evidence), evidence_to_string(policy->evidence));
                say_missing(&missing, why);
                rec->apply = APPLY_NONE;
        }
        if (!policy->apply) {
                say_missing(&missing, "the mode of the policy is \"recommend\"");
                rec->apply = APPLY_NONE;
        }
        may_owner(policy, knob, owner, sizeof(owner));
        if (owner[0])
                say_missing(&missing, owner);
        if (targets->n_unknown > 0 && !targets->by_fallback)
                say(rec->reason, sizeof(rec->reason), "; left out: %s", targets->unknown);
        if (guards->blind[0])
                say(rec->reason, sizeof(rec->reason), "; guards without a reading: %s",
                    guards->blind);
}
