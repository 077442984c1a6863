/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slab knobs that are files, one for each cache (the order: advise-slab-order.c). Caches are tuned one by
 * one: those that cause the wait if that is known, those that a policy names, and none ("cache:*", no
 * value) if neither tells. */
#include <string.h>

#include "core/control/advise-build.h"
#include "core/control/arm.h"
#include "core/control/may.h"

/* A slab trial changes up to three caches together. */
#define CACHES_A_TRIAL 3u
typedef struct Candidate {
        const SlabCache *cache;
        const Knob *knob;
        uint64_t weight; /* the value of the hot signal of this cache, else its bytes */
        TargetsView targets;
} Candidate;

typedef struct IntegerRule {
        AdviseBuild *b;
        const Policy *policy;
        GuardView guards;
        Candidate best[CACHES_A_TRIAL];
        unsigned n_best;
        unsigned n_matched, n_unattributed;
        bool attributed;      /* a row of the lead signal names its cache */
        char left_alone[200]; /* caches that wait and that deny_caches names */
} IntegerRule;

static void keep_best(IntegerRule *r, const Candidate *c) {
        unsigned at = r->n_best;

        while (at > 0 && r->best[at - 1].weight < c->weight)
                at--;
        if (at >= CACHES_A_TRIAL)
                return;
        r->n_best = MIN(r->n_best + 1, CACHES_A_TRIAL);
        for (unsigned i = r->n_best - 1; i > at; i--)
                r->best[i] = r->best[i - 1];
        r->best[at] = *c;
}

/* Worst case of a value of this knob, or unknown. */
static MaybeU64 worst_of(const IntegerRule *r, const Candidate *c, uint64_t value) {
        return arm_slab_worst(r->b->in->slub, r->b->in->facts, c->knob->spec, c->cache, value);
}

static unsigned first_arm(const IntegerRule *r, const Knob *knob) {
        int64_t milli = arm_slab_feed_forward(knob->spec, r->b->in->facts->topology.n_online);
        unsigned wanted = 0;

        while (wanted < r->policy->n_arms && r->policy->arm[wanted].multiple_milli < milli)
                wanted++;
        return wanted < r->policy->n_arms ? wanted : 0;
}

/* A value can be named where it can be read; whether it may be written is for advise_judge(). */
static bool may_name_value(const IntegerRule *r, const Knob *knob) {
        KnobState state = may_state(r->policy, knob);

        return state == KNOB_LIVE || state == KNOB_DENIED;
}

/* The first arm that changes something and stays within the memory bound; smaller ones after it. */
static bool choose_value(IntegerRule *r, const Candidate *c, Recommendation *rec,
                         uint64_t *ret_value) {
        const Knob *knob = c->knob;
        uint64_t memory = r->b->in->facts->memory_bytes.known ? r->b->in->facts->memory_bytes.value
                                                              : 0;
        uint64_t bound = u64_muldiv(memory, (uint64_t) MAX(r->policy->memory_ppm, (int64_t) 0),
                                    PPM);
        unsigned first = first_arm(r, knob), n = r->policy->n_arms;

        if (!knob->def_number.known || !knob->number.known) {
                say(rec->reason, sizeof(rec->reason),
                    "; the present value or the kernel's default is unknown");
                return false;
        }
        if (knob->number.value < knob->def_number.value) {
                *ret_value = knob->def_number.value;
                say(rec->reason, sizeof(rec->reason), "; %s is below the kernel's default of %s",
                    knob->value, knob->def);
                return true;
        }
        if (n == 0)
                say(rec->reason, sizeof(rec->reason), "; the policy names no arms");
        for (unsigned k = 0; k < n; k++) {
                unsigned i =
                        k < n - first
                                ? first + k
                                : n - 1 - k; /* upwards from the first, then the smaller ones */
                uint64_t value = arm_slab_value(r->b->in->slub, knob->spec, c->cache,
                                                knob->def_number.value,
                                                r->policy->arm[i].multiple_milli);
                MaybeU64 worst;

                if (value <= knob->number.value)
                        continue;
                worst = worst_of(r, c, value);
                if (memory > 0 && worst.known && worst.value > bound) {
                        say(rec->reason, sizeof(rec->reason), "; %s could hold %s (bound %s)",
                            human_count(value).text, human_bytes(worst.value).text,
                            human_bytes(bound).text);
                        continue;
                }
                *ret_value = value;
                say(rec->reason, sizeof(rec->reason), "; arm x%s of the kernel's default %s",
                    r->policy->arm[i].text, knob->def);
                return true;
        }
        say(rec->reason, sizeof(rec->reason), "; no arm is left: no change");
        return false;
}

/* Where cpu_partial is gone. */
static void say_remaining(const IntegerRule *r, Recommendation *rec) {
        say(rec->expect, sizeof(rec->expect),
            "nothing from this knob; what remains: larger slabs from the next boot on (%s=, policy slab-order) and "
            "min_partial of the same cache (knob slab-min-partial)",
            slub_param_name(r->b->in->slub, SLUB_PARAM_MIN_OBJECTS));
}

static void recommend_cache(IntegerRule *r, const Candidate *c) {
        Scope scope = scope_cache(c->cache->dir);
        Recommendation *rec = advise_recommend(r->b, r->policy, c->knob->name, &scope);
        uint64_t value = 0;

        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(c->knob->value));
        say(rec->reason, sizeof(rec->reason), "%s", c->targets.text);
        if (c->knob->aliases[0])
                say(rec->reason, sizeof(rec->reason), "; this cache also serves %.200s",
                    c->knob->aliases);
        if (may_name_value(r, c->knob) && choose_value(r, c, rec, &value)) {
                MaybeU64 worst = worst_of(r, c, value);

                say(rec->to, sizeof(rec->to), "%llu", (unsigned long long) value);
                say(rec->how, sizeof(rec->how), "echo %llu > %s", (unsigned long long) value,
                    c->knob->path);
                rec->memory_bytes = worst;
                say(rec->expect, sizeof(rec->expect), "keep it only if %s falls by %s or more",
                    r->policy->cost, human_share(r->policy->least_gain_ppm).text);
        } else if (c->knob->state == KNOB_REMOVED)
                say_remaining(r, rec);
        else
                say(rec->expect, sizeof(rec->expect),
                    "nothing while no value is left to try; larger slabs from the next boot on may help (policy slab-order)");
        advise_judge(r->b, r->policy, c->knob, &c->targets, &r->guards, rec);
}

/* A report names a cache whose files are not here: what it says is not lost. */
static bool recommend_unseen(IntegerRule *r, const KnobSpec *spec) {
        const AdviseBuild *b = r->b;
        const SlabTree *tree = advise_slab_tree(b);
        unsigned n = 0;

        for (size_t i = 0; i < b->in->signals->n && r->policy->n_targets > 0 && n < CACHES_A_TRIAL;
             i++) {
                const Signal *s = &b->in->signals->signals[i];
                const char *name = s->scope.name + strlen("cache:");
                Knob absent = { .spec = spec, .state = KNOB_ABSENT, .owner = OWNER_KERNEL };
                Recommendation *rec;
                TargetsView view;
                bool here = false;

                if (strcmp(s->name, r->policy->target[0].signal) != 0 ||
                    !text_starts(text_from(s->scope.name), "cache:") ||
                    !text_glob(may_cache_pattern(r->policy), name))
                        continue;
                for (size_t k = 0; tree && k < tree->n && !here; k++)
                        here = strcmp(tree->caches[k].dir, name) == 0;
                targets_view(b, r->policy, &s->scope, &view);
                if (here || view.state != TARGETS_HOT || !advise_is_attributed(&view, &s->scope))
                        continue;
                rec = advise_recommend(r->b, r->policy, spec->name, &s->scope);
                if (!rec)
                        return true;
                (void) text_copy(absent.name, sizeof(absent.name), text_from(spec->name));
                say(absent.reason, sizeof(absent.reason), "%s",
                    tree ? "no cache of that name is in /sys/kernel/slab here"
                         : "/sys/kernel/slab is not in this tree, or cannot be read");
                say(rec->reason, sizeof(rec->reason), "%s", view.text);
                say(rec->expect, sizeof(rec->expect),
                    "a value and its cost where the files of the cache can be read");
                advise_judge(b, r->policy, &absent, &view, &r->guards, rec);
                n++;
        }
        return n > 0;
}

/* The wait is hot, and nothing says which cache causes it. */
static void recommend_unattributed(IntegerRule *r, const TargetsView *targets,
                                   const KnobSpec *spec) {
        Scope scope = { .name = "cache:*" };
        Recommendation *rec = advise_recommend(r->b, r->policy, spec->name, &scope);
        Knob any = { .spec = spec, .state = KNOB_LIVE, .owner = OWNER_KERNEL };
        const SlubModel *slub = r->b->in->slub;

        if (!rec)
                return;
        (void) text_copy(any.name, sizeof(any.name), text_from(spec->name));
        say(rec->reason, sizeof(rec->reason), "%s", targets->text);
        if (r->left_alone[0]) {
                say(rec->reason, sizeof(rec->reason), "; deny_caches of the configuration names %s",
                    r->left_alone);
                say(rec->expect, sizeof(rec->expect), "nothing: the cache is left alone");
        } else if (spec->attribute && strcmp(spec->attribute, "cpu_partial") == 0 && slub &&
                   slub->per_cpu == SLUB_PER_CPU_SHEAVES) {
                any.state = KNOB_REMOVED;
                say(any.reason, sizeof(any.reason),
                    "this kernel keeps sheaves of fixed size instead of cpu_partial");
                say_remaining(r, rec);
        } else {
                unsigned arm = first_arm(r, &any);

                say(rec->reason, sizeof(rec->reason),
                    "; which cache causes it is not known here: the change would be x%s of the default on the caches that "
                    "wait most (perf lock contention names them)",
                    r->policy->n_arms > 0 ? r->policy->arm[arm].text : "?");
                say(rec->expect, sizeof(rec->expect),
                    "once a cache is named (signals.json of a capture), its own value and cost");
        }
        advise_judge(r->b, r->policy, &any, targets, &r->guards, rec);
}

static void note_nothing(IntegerRule *r, const TargetsView *targets, const char *gate) {
        char text[900] = "";

        if (r->n_matched == 0)
                say(text, sizeof(text),
                    "no cache of this machine matches %s, or its knob cannot be read",
                    r->policy->scope);
        else if (targets->text[0])
                say(text, sizeof(text), "%s", targets->text);
        if (r->left_alone[0])
                say(text, sizeof(text), "%sdeny_caches of the configuration names %s",
                    text[0] ? "; " : "", r->left_alone);
        if (gate[0])
                say(text, sizeof(text), "%sidle: %s", text[0] ? "; " : "", gate);
        if (targets->n_unknown > 0)
                say(text, sizeof(text), "%sunknown: %s", text[0] ? "; " : "", targets->unknown);
        if (!text[0] && !r->b->in->facts->memory_bytes.known)
                say(text, sizeof(text),
                    "the size of memory is unknown: whether a value of %s is too large cannot be told",
                    r->policy->knob);
        else if (!text[0])
                say(text, sizeof(text),
                    "no value of %s above the kernel's default could keep more than %s a cache (%u caches)",
                    r->policy->knob,
                    human_bytes(u64_muldiv(r->b->in->facts->memory_bytes.value,
                                           (uint64_t) MAX(r->policy->memory_ppm, (int64_t) 0), PPM))
                            .text,
                    r->n_matched);
        (void) advise_note(r->b, VERDICT_NOTHING, r->policy->name, r->policy->name, "%s", text);
}

/* A value that somebody set and that could pin more memory than the bound. */
static bool recommend_too_wide(IntegerRule *r, const Candidate *c) {
        uint64_t memory = r->b->in->facts->memory_bytes.known ? r->b->in->facts->memory_bytes.value
                                                              : 0;
        uint64_t bound = u64_muldiv(memory, (uint64_t) MAX(r->policy->memory_ppm, (int64_t) 0),
                                    PPM);
        MaybeU64 worst;
        Recommendation *rec;
        Scope scope = scope_cache(c->cache->dir);
        TargetsView targets = { .state = TARGETS_HOT, .evidence = EVIDENCE_COUNTED };
        GuardView none = { 0 };

        if (memory == 0 || !c->knob->number.known || !c->knob->def_number.known ||
            !may_name_value(r, c->knob) || c->knob->number.value <= c->knob->def_number.value)
                return false;
        worst = worst_of(r, c, c->knob->number.value);
        if (!worst.known || worst.value <= bound)
                return false;
        rec = advise_recommend(r->b, r->policy, c->knob->name, &scope);
        if (!rec)
                return true;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(c->knob->value));
        say(rec->to, sizeof(rec->to), "%s", c->knob->def);
        say(rec->how, sizeof(rec->how), "echo %s > %s", c->knob->def, c->knob->path);
        rec->memory_bytes = KNOWN(0);
        say(rec->reason, sizeof(rec->reason),
            "%s lets the cache keep %s, bound %s; the kernel's default is %s", c->knob->value,
            human_bytes(worst.value).text, human_bytes(bound).text, c->knob->def);
        say(rec->expect, sizeof(rec->expect), "at most %s of empty or idle slabs less",
            human_bytes(worst.value).text);
        advise_judge(r->b, r->policy, c->knob, &targets, &none, rec);
        return true;
}

void advise_slab_integer(AdviseBuild *b, const Policy *policy) {
        IntegerRule r = { .b = b, .policy = policy };
        const KnobSpec *spec = knob_spec_find(text_from(policy->knob));
        const SlabTree *tree = advise_slab_tree(b);
        bool any_glob = strcmp(may_cache_pattern(policy), "*") == 0, wide = false;
        Scope system = scope_system();
        TargetsView whole;
        char gate[200] = "";

        targets_view(b, policy, &system, &whole);
        guards_view(b, policy, &r.guards);
        for (size_t i = 0; tree && i < tree->n; i++) {
                const SlabCache *cache = &tree->caches[i];
                Scope scope = scope_cache(cache->dir);
                Candidate c = { .cache = cache };

                if (!may_cache(policy, cache))
                        continue;
                c.knob = knob_set_find(b->in->knobs, policy->knob, &scope);
                if (!c.knob)
                        continue;
                targets_view(b, policy, &scope, &c.targets);
                if (may_deny_cache(b->in->deny_caches, b->in->n_deny_caches, cache)) {
                        if (c.targets.state == TARGETS_HOT &&
                            advise_is_attributed(&c.targets, &scope))
                                say(r.left_alone, sizeof(r.left_alone), "%s%s",
                                    r.left_alone[0] ? ", " : "", cache->dir);
                        continue;
                }
                r.n_matched++;
                if (recommend_too_wide(&r, &c)) {
                        wide = true; /* what is too large already does not grow */
                        continue;
                }
                if (c.targets.state != TARGETS_HOT)
                        continue;
                if (advise_is_attributed(&c.targets, &scope)) {
                        r.attributed = true;
                        c.weight = c.targets.lead->value > 0 ? (uint64_t) c.targets.lead->value : 0;
                        c.weight = u64_mul_sat(c.weight,
                                               UINT64_C(1) << 20); /* before any unattributed one */
                } else {
                        r.n_unattributed++;
                        c.weight = MIN(advise_cache_bytes(b, cache), (UINT64_C(1) << 20) - 1);
                }
                gate_view(b, policy, &c.targets, gate, sizeof(gate));
                if (!gate[0])
                        keep_best(&r, &c);
        }
        if (r.n_best > 0 && (r.attributed || !any_glob)) {
                for (unsigned i = 0; i < r.n_best; i++)
                        if (!r.attributed || r.best[i].weight >= UINT64_C(1) << 20)
                                recommend_cache(&r, &r.best[i]);
                return;
        }
        if (spec && recommend_unseen(&r, spec))
                return;
        if (whole.state == TARGETS_HOT) {
                gate_view(b, policy, &whole, gate, sizeof(gate));
                if (!gate[0] && spec && any_glob) {
                        recommend_unattributed(&r, &whole, spec);
                        return;
                }
        }
        if (!wide)
                note_nothing(&r, &whole, gate);
}
