/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slab knobs: the order, which only a boot parameter moves, and the per-cache integers that are files.
 * Caches are tuned one by one: those that cause the wait if that is known, those that a policy names,
 * and none ("cache:*", no value) if neither tells. */
#include <string.h>

#include "core/control/advise-build.h"

/* A slab trial changes up to three caches together. */
#define CACHES_A_TRIAL 3u
/* cpu_partial by CPU count: x2 from 96, x4 from 192 (224 CPUs: x2 +12.7..+40.7 %, x4 +34.9..+62.4 %,
 * linux-mm 2023-09-05). */
#define FEED_FORWARD_X2_CPUS 96u
#define FEED_FORWARD_X4_CPUS 192u

static const char *cache_pattern(const Policy *policy) {
        return strncmp(policy->scope, "cache:", 6) == 0 ? policy->scope + 6 : "*";
}

static bool matches(const AdviseBuild *b, const Policy *policy, const SlabCache *cache) {
        const char *pattern = cache_pattern(policy);

        if (advise_denies_cache(b, cache->dir))
                return false;
        if (text_glob(pattern, cache->dir))
                return true;
        for (unsigned i = 0; i < cache->n_aliases; i++)
                if (text_glob(pattern, cache->aliases[i]))
                        return true;
        return false;
}

static const SlabTree *slab_tree(const AdviseBuild *b) {
        return b->in->last ? b->in->last->slab : NULL;
}

/* Bytes in slabs of a cache, or 0. */
static uint64_t cache_bytes(const AdviseBuild *b, const SlabCache *cache) {
        if (!cache->slabs.known || !cache->order.known || cache->order.value > SLUB_MAX_ORDER)
                return 0;
        return u64_mul_sat(cache->slabs.value, advise_page_bytes(b) << cache->order.value);
}

/* The order that CPUs present now ask for, against the one that caches have. */
typedef struct OrderFit {
        size_t n_smaller, n_compared;
        const SlabCache *example;
        SlubOrder example_wanted;
        uint32_t wanted; /* objects per slab for the CPUs present */
        unsigned n_cpus;
} OrderFit;

static void fit_orders(const AdviseBuild *b, OrderFit *ret) {
        const SlubModel *m = b->in->slub;
        const SlabTree *tree = slab_tree(b);
        const Topology *t = &b->in->facts->topology;

        *ret = (OrderFit){ .n_cpus = t->n_present > 1 ? t->n_present
                                                      : MAX(t->n_possible, t->n_present) };
        ret->wanted = slub_wanted_objects(ret->n_cpus);
        for (size_t i = 0; tree && ret->n_cpus > 0 && i < tree->n; i++) {
                const SlabCache *cache = &tree->caches[i];
                SlubOrder wanted;
                uint64_t example_bytes = ret->example ? cache_bytes(b, ret->example) : 0;

                if (!cache->slab_size.known || !cache->order.known || !cache->objs_per_slab.known ||
                    slab_cache_is_debug(cache) ||
                    !slub_predict_order(m, cache->slab_size.value, ret->wanted, &wanted))
                        continue;
                ret->n_compared++;
                if (cache->objs_per_slab.value >= wanted.objects)
                        continue;
                ret->n_smaller++;
                if (!ret->example || cache_bytes(b, cache) > example_bytes) {
                        ret->example = cache;
                        ret->example_wanted = wanted;
                }
        }
}

static void boot_parameter(const AdviseBuild *b, Recommendation *rec, uint32_t objects,
                           const SlubInput *unused _unused_) {
        const char *name = slub_param_name(b->in->slub, SLUB_PARAM_MIN_OBJECTS);

        rec->apply = APPLY_BOOT;
        say(rec->to, sizeof(rec->to), "%s=%u", name, objects);
        say(rec->how, sizeof(rec->how), "%s=%u on the kernel command line, from the next boot on",
            name, objects);
}

/* Slabs of every cache that would grow, if each has as many as now: what the larger order may pin, one
 * partly used slab a CPU and min_partial a node. */
static uint64_t order_memory(const AdviseBuild *b, uint32_t objects) {
        const SlabTree *tree = slab_tree(b);
        const Topology *t = &b->in->facts->topology;
        uint64_t sum = 0;

        for (size_t i = 0; tree && i < tree->n; i++) {
                const SlabCache *cache = &tree->caches[i];
                SlubOrder wanted;

                if (!cache->slab_size.known || !cache->order.known ||
                    !slub_predict_order(b->in->slub, cache->slab_size.value, objects, &wanted) ||
                    wanted.order <= cache->order.value)
                        continue;
                sum = u64_add_sat(
                        sum,
                        u64_sub_sat(slub_order_worst(wanted.order, cache->min_partial.value,
                                                     advise_page_bytes(b), t->n_online, t->n_nodes),
                                    slub_order_worst((unsigned) cache->order.value,
                                                     cache->min_partial.value, advise_page_bytes(b),
                                                     t->n_online, t->n_nodes)));
        }
        return sum;
}

void advise_slab_order(AdviseBuild *b, const Policy *policy) {
        const SlubModel *m = b->in->slub;
        Scope scope = { .name = "cache:*" };
        TargetsView targets;
        OrderFit fit;
        Recommendation *rec;
        char gate[200];

        fit_orders(b, &fit);
        targets_view(b, policy, &(Scope){ .name = "system" }, &targets);
        if (!m || fit.n_compared == 0) {
                (void) advise_note(b, VERDICT_NOTHING, policy->name, policy->name,
                                   "the orders of slab caches could not be read (%s)",
                                   slab_tree(b) ? "no cache shows its order and size"
                                                : "no /sys/kernel/slab");
                return;
        }
        if (m->params.any) {
                (void) advise_note(
                        b, VERDICT_NOTHING, policy->name, policy->name,
                        "the command line sets the order already (%u objects per slab wanted): the administrator's",
                        m->min_objects);
                return;
        }
        /* Feed-forward: an order that follows fewer CPUs than there are needs no measurement. */
        if (fit.n_smaller > 0 && m->min_objects > 0 && m->min_objects < fit.wanted) {
                rec = advise_recommend(b, policy, policy->knob, &scope);
                if (!rec)
                        return;
                boot_parameter(b, rec, fit.wanted, NULL);
                rec->evidence = EVIDENCE_COUNTED;
                rec->confidence = CONFIDENCE_MEDIUM;
                rec->memory_bytes = KNOWN(order_memory(b, fit.wanted));
                say(rec->reason, sizeof(rec->reason),
                    "slabs were sized for %u objects, as for %u CPUs; %u for %u CPUs would be right: %s of %s caches have "
                    "smaller slabs, such as %s with %llu objects instead of %u (order %llu, would be %u)",
                    m->min_objects, m->n_cpus, fit.wanted, fit.n_cpus,
                    human_count(fit.n_smaller).text, human_count(fit.n_compared).text,
                    fit.example->dir, (unsigned long long) fit.example->objs_per_slab.value,
                    fit.example_wanted.objects, (unsigned long long) fit.example->order.value,
                    fit.example_wanted.order);
                say(rec->expect, sizeof(rec->expect),
                    "fewer trips to node lists and zones per object; published: 224 CPUs 9.1 s against 3.2 s in hackbench");
                return;
        }
        if (targets.state == TARGETS_HOT)
                gate_view(b, policy, &targets, gate, sizeof(gate));
        if (targets.state == TARGETS_HOT && !gate[0] && m->min_objects > 0) {
                rec = advise_recommend(b, policy, policy->knob, &scope);
                if (!rec)
                        return;
                boot_parameter(b, rec, 2 * m->min_objects, NULL);
                rec->evidence = targets.evidence;
                rec->confidence = CONFIDENCE_LOW;
                rec->memory_bytes = KNOWN(order_memory(b, 2 * m->min_objects));
                say(rec->reason, sizeof(rec->reason),
                    "%s; orders fit %u CPUs (wanted %u objects per slab); twice as many objects are one order more for most "
                    "caches (slab_max_order permitting)",
                    targets.text, fit.n_cpus, m->min_objects);
                say(rec->expect, sizeof(rec->expect),
                    "published: order + 1 gave about what four times cpu_partial gave on 224 "
                    "CPUs; it can only be judged across a reboot");
                return;
        }
        (void) advise_note(
                b, VERDICT_NOTHING, policy->name, policy->name,
                "slab order fits %u CPUs (wanted %u objects per slab, %s caches compared)%s%s",
                fit.n_cpus, fit.wanted, human_count(fit.n_compared).text,
                targets.text[0] ? "; " : "", targets.text);
}

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
        bool attributed; /* a row of the lead signal names its cache */
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
        const Topology *t = &r->b->in->facts->topology;
        const char *attribute = c->knob->spec->attribute;
        uint64_t page = advise_page_bytes(r->b);

        if (!c->cache->order.known || !attribute || c->cache->order.value > SLUB_MAX_ORDER)
                return UNKNOWN;
        if (strcmp(attribute, "cpu_partial") == 0 && c->cache->objs_per_slab.known)
                return KNOWN(slub_cpu_partial_worst(
                        r->b->in->slub->per_cpu, value, c->cache->objs_per_slab.value,
                        (unsigned) c->cache->order.value, page, t->n_online));
        if (strcmp(attribute, "min_partial") == 0)
                return KNOWN(slub_min_partial_worst(value, (unsigned) c->cache->order.value, page,
                                                    MAX(t->n_nodes, 1u)));
        return KNOWN(0);
}

static unsigned first_arm(const IntegerRule *r, const Knob *knob) {
        unsigned cpus = r->b->in->facts->topology.n_online, wanted = 0;
        int64_t milli;

        if (!knob->spec->attribute || strcmp(knob->spec->attribute, "cpu_partial") != 0)
                return 0;
        milli = cpus >= FEED_FORWARD_X4_CPUS ? 4000 : cpus >= FEED_FORWARD_X2_CPUS ? 2000 : 0;
        while (wanted < r->policy->n_arms && r->policy->arm[wanted].multiple_milli < milli)
                wanted++;
        return wanted < r->policy->n_arms ? wanted : 0;
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
                uint64_t value = u64_muldiv(
                        knob->def_number.value,
                        (uint64_t) MAX(r->policy->arm[i].multiple_milli, (int64_t) 0), 1000);
                MaybeU64 worst;

                value = MIN(value, (uint64_t) MAX(knob->spec->ceiling, (int64_t) 0));
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
        if (c->knob->state == KNOB_LIVE && choose_value(r, c, rec, &value)) {
                MaybeU64 worst = worst_of(r, c, value);

                say(rec->to, sizeof(rec->to), "%llu", (unsigned long long) value);
                say(rec->how, sizeof(rec->how), "echo %llu > %s", (unsigned long long) value,
                    c->knob->path);
                rec->memory_bytes = worst;
                say(rec->expect, sizeof(rec->expect), "kept only if %s falls by %s or more",
                    r->policy->cost, human_share(r->policy->least_gain_ppm).text);
        }
        advise_judge(r->b, r->policy, c->knob, &c->targets, &r->guards, rec);
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
        if (spec->attribute && strcmp(spec->attribute, "cpu_partial") == 0 && slub &&
            slub->per_cpu == SLUB_PER_CPU_SHEAVES) {
                any.state = KNOB_REMOVED;
                say(any.reason, sizeof(any.reason),
                    "this kernel keeps sheaves of fixed size instead of cpu_partial");
        } else {
                unsigned arm = first_arm(r, &any);

                say(rec->reason, sizeof(rec->reason),
                    "; which cache causes it is not known here: the change would be x%s of the default on the caches that "
                    "wait most (perf lock contention names them)",
                    r->policy->n_arms > 0 ? r->policy->arm[arm].text : "?");
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
        if (gate[0])
                say(text, sizeof(text), "%sidle: %s", text[0] ? "; " : "", gate);
        if (targets->n_unknown > 0)
                say(text, sizeof(text), "%sunknown: %s", text[0] ? "; " : "", targets->unknown);
        if (!text[0])
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
            c->knob->state != KNOB_LIVE || c->knob->number.value <= c->knob->def_number.value)
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
        advise_judge(r->b, r->policy, c->knob, &targets, &none, rec);
        return true;
}

void advise_slab_integer(AdviseBuild *b, const Policy *policy) {
        IntegerRule r = { .b = b, .policy = policy };
        const KnobSpec *spec = knob_spec_find(text_from(policy->knob));
        const SlabTree *tree = slab_tree(b);
        bool any_glob = strcmp(cache_pattern(policy), "*") == 0, wide = false;
        Scope system = scope_system();
        TargetsView whole;
        char gate[200] = "";

        targets_view(b, policy, &system, &whole);
        guards_view(b, policy, &r.guards);
        for (size_t i = 0; tree && i < tree->n; i++) {
                const SlabCache *cache = &tree->caches[i];
                Scope scope = scope_cache(cache->dir);
                Candidate c = { .cache = cache };

                if (!matches(b, policy, cache))
                        continue;
                c.knob = knob_set_find(b->in->knobs, policy->knob, &scope);
                if (!c.knob)
                        continue;
                r.n_matched++;
                wide = recommend_too_wide(&r, &c) || wide;
                targets_view(b, policy, &scope, &c.targets);
                if (c.targets.state != TARGETS_HOT)
                        continue;
                if (c.targets.lead && strcmp(c.targets.lead->scope.name, scope.name) == 0) {
                        r.attributed = true;
                        c.weight = c.targets.lead->value > 0 ? (uint64_t) c.targets.lead->value : 0;
                        c.weight = u64_mul_sat(c.weight,
                                               UINT64_C(1) << 20); /* before any unattributed one */
                } else {
                        r.n_unattributed++;
                        c.weight = MIN(cache_bytes(b, cache), (UINT64_C(1) << 20) - 1);
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
