/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The per-CPU page lists. There is one value for all zones, and what it does depends on the kernel:
 *
 *   before 5.14      fraction sets high and batch of every CPU to managed / F: too small an F parks the zone
 *   5.14 to 6.6      the same, divided by the CPUs of the node; batch stays
 *   6.7 and later    0 lets the kernel tune between high_min and high_max; any value ends that, and only 8
 *                    reaches the same ceiling: growth has no arm here, but a pinned value can be given back
 *
 * Arms: multiples of the kernel's default high (growth), "kernel" (0), "cap" (4 batches, 252 pages). */
#include <string.h>

#include "core/control/advise-pcp.h"

/* From 13 local CPUs on two sockets the measured best is near twice the default; on machines of four
 * sockets or 96 CPUs one level more (page_fault1 batch sweep, linux-mm 2018-10). */
#define FEED_FORWARD_WIDE_CPUS 96u
/* Kernels before 5.14 divide by nothing: a zone that serves 5 % of allocations must keep the 378 pages
 * of the default (6 x 63; mm/page_alloc.c pageset_set_batch(), 5.10). */
#define FRACTION_SHARE_PPM 50000
#define FRACTION_LEAST_HIGH 378u

static bool has_arm(const Policy *policy, const char *word) {
        for (unsigned i = 0; i < policy->n_arms; i++)
                if (strcmp(policy->arm[i].text, word) == 0)
                        return true;
        return false;
}

static bool has_multiple(const Policy *policy) {
        for (unsigned i = 0; i < policy->n_arms; i++)
                if (policy->arm[i].multiple_milli > 0)
                        return true;
        return false;
}

/* A policy about memory in the lists: it also says what stands out there without any target. */
static bool speaks_of_parked(const Policy *policy) {
        for (unsigned i = 0; i < policy->n_targets; i++)
                if (strcmp(policy->target[i].signal, "pcp-parked") == 0)
                        return true;
        return false;
}

/* The part of the kernel that stays as it is: why a value cannot help where the kernel tunes. */
static void say_tuner(const PcpRule *r, char *text, size_t size) {
        PcpPrediction p;

        if (r->busiest && pcp_predict(r->m, r->busiest, 0, &p))
                say(text, size,
                    "the kernel tunes the lists itself here (0); any value would only lower its ceiling of %s pages "
                    "per CPU",
                    human_count(p.high_max).text);
        else
                say(text, size,
                    "the kernel tunes the lists itself here (0); any value would only lower its ceiling");
}

static bool sockets_wide(const PcpRule *r) {
        const Topology *t = &r->b->in->facts->topology;

        return t->n_online >= FEED_FORWARD_WIDE_CPUS || t->n_packages >= 4;
}

/* Whether a fraction is one that may be tried: legal, within the parked bound, no zone starved. */
static bool arm_fits(PcpRule *r, uint64_t fraction, char *why, size_t size) {
        PcpBound bound;

        pcp_parked_possible(r->m, fraction, &bound);
        if (bound.share_ppm > (uint64_t) r->policy->parked_possible_ppm) {
                say(why, size, "; fraction %llu could park %s of %s (bound %s)",
                    (unsigned long long) fraction, human_share((int64_t) bound.share_ppm).text,
                    bound.zone ? bound.zone->name : "a zone",
                    human_share(r->policy->parked_possible_ppm).text);
                return false;
        }
        if (r->m->gen != PCP_GEN_FRACTION)
                return true;
        for (size_t i = 0; r->m->zoneinfo && i < r->m->zoneinfo->n; i++) {
                const Zone *zone = &r->m->zoneinfo->zones[i];
                char class_scope[SCOPE_MAX];
                Scope scope = { 0 };
                const Signal *part, *whole = advise_signal(r->b, "alloc-rate");
                PcpPrediction p;

                (void) text_format(class_scope, sizeof(class_scope), "zone:*/%s", zone->name);
                (void) text_copy(scope.name, sizeof(scope.name), text_from(class_scope));
                part = signal_set_find(r->b->in->signals, "alloc-rate", &scope);
                if (!whole || whole->value <= 0 || !part || part->value <= 0 ||
                    u64_muldiv((uint64_t) part->value, PPM, (uint64_t) whole->value) <
                            FRACTION_SHARE_PPM)
                        continue;
                if (pcp_predict(r->m, zone, fraction, &p) && p.high_max < FRACTION_LEAST_HIGH) {
                        say(why, size,
                            "; fraction %llu leaves zone %s, which serves allocations, lists of %s pages (default %u)",
                            (unsigned long long) fraction, zone->name, human_count(p.high_max).text,
                            FRACTION_LEAST_HIGH);
                        return false;
                }
        }
        return true;
}

static void grow(PcpRule *r) {
        Scope scope = scope_system();
        Recommendation *rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);
        uint64_t fraction = pcp_rule_fraction(r);
        MaybeU64 def = r->busiest ? pcp_default_high(r->m, r->busiest) : UNKNOWN;
        uint64_t refused = 0;
        PcpPrediction now = { 0 }, then;
        bool predicted = r->busiest && pcp_predict(r->m, r->busiest, fraction, &now);
        MaybeU64 within = pcp_fraction_within(r->m, (uint64_t) r->policy->parked_possible_ppm);
        unsigned first = 0;

        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(r->knob->value));
        say(rec->reason, sizeof(rec->reason), "%s", r->targets.text);
        if (pcp_gen_tunes(r->m->gen)) {
                PcpPrediction tuned;

                if (fraction != 0 && predicted && pcp_predict(r->m, r->busiest, 0, &tuned) &&
                    now.high_max >= tuned.high_max) {
                        say(rec->reason, sizeof(rec->reason),
                            "; fraction %llu pins the lists at %s pages, as many as the kernel's own tuning could reach: no "
                            "value makes them larger",
                            (unsigned long long) fraction, human_count(now.high_max).text);
                        say(rec->expect, sizeof(rec->expect), "no value of this knob can help");
                } else if (fraction != 0) {
                        pcp_rule_set_change(r, rec, 0);
                        say(rec->reason, sizeof(rec->reason),
                            "; fraction %llu pins the lists at %s pages and keeps the kernel's own tuning off",
                            (unsigned long long) fraction,
                            predicted ? human_count(now.high_max).text : "?");
                        say(rec->expect, sizeof(rec->expect),
                            "the kernel sizes the lists again; fewer trips to the zone");
                } else {
                        say(rec->reason, sizeof(rec->reason), "; ");
                        say_tuner(r, rec->reason, sizeof(rec->reason));
                        say(rec->expect, sizeof(rec->expect),
                            "no value of this knob can help; vm.watermark_scale_factor raises the floor of the tuner at the "
                            "price of reserved memory");
                }
                advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
                return;
        }
        if (!def.known || !predicted) {
                say(rec->reason, sizeof(rec->reason),
                    "; what this kernel would make of a value cannot be computed here");
                advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
                return;
        }
        if (fraction != 0 && now.high_max < def.value) {
                /* The first arm from below the default is the default. */
                pcp_rule_set_change(r, rec, 0);
                say(rec->reason, sizeof(rec->reason),
                    "; fraction %llu holds the lists at %s pages, below the default of %s",
                    (unsigned long long) fraction, human_count(now.high_max).text,
                    human_count(def.value).text);
                say(rec->expect, sizeof(rec->expect),
                    "the kernel's own size of the lists; fewer trips to the zone");
                advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
                return;
        }
        if (sockets_wide(r) && has_multiple(r->policy) && r->policy->n_arms > 1)
                first = 1;
        for (unsigned pass = 0; pass < 2 && !rec->to[0]; pass++)
                for (unsigned i = pass == 0 ? first : 0;
                     i < (pass == 0 ? r->policy->n_arms : first) && !rec->to[0]; i++) {
                        uint64_t high = u64_muldiv(
                                def.value, (uint64_t) r->policy->arm[i].multiple_milli, 1000);
                        MaybeU64 f = pcp_fraction_for_high(r->m, r->busiest, high);

                        if (r->policy->arm[i].multiple_milli <= 0 || high <= now.high_max ||
                            !f.known || f.value == refused ||
                            !pcp_predict(r->m, r->busiest, f.value, &then) ||
                            then.high_max <= now.high_max)
                                continue;
                        if (!arm_fits(r, f.value, rec->reason, sizeof(rec->reason))) {
                                refused = f.value;
                                continue;
                        }
                        pcp_rule_set_change(r, rec, f.value);
                        say(rec->reason, sizeof(rec->reason),
                            "; first arm: lists of %s pages per CPU instead of %s (%s times the default of node %u zone %s)",
                            human_count(then.high_max).text, human_count(now.high_max).text,
                            r->policy->arm[i].text, r->busiest->node, r->busiest->name);
                }
        if (within.known)
                say(rec->reason, sizeof(rec->reason), "; the bound of %s allows fractions from %s",
                    human_share(r->policy->parked_possible_ppm).text,
                    human_count(within.value).text);
        if (!rec->to[0])
                say(rec->reason, sizeof(rec->reason), "; no arm fits: no change");
        else
                say(rec->expect, sizeof(rec->expect),
                    "fewer trips to the zone; keep it only if kernel CPU per 1,000 pages falls by %s or more",
                    human_share(r->policy->least_gain_ppm).text);
        advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
}

static void shrink(PcpRule *r) {
        Scope scope = scope_system();
        MaybeU64 capped = pcp_rule_cap(r);
        Recommendation *rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);

        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(r->knob->value));
        say(rec->reason, sizeof(rec->reason), "%s", r->targets.text);
        if (has_arm(r->policy, "cap") && capped.known) {
                pcp_rule_set_change(r, rec, capped.value);
                pcp_rule_say_choice(r, rec, capped.value);
                say(rec->expect, sizeof(rec->expect),
                    "shorter holds of the zone lock, more of them");
        } else if (has_arm(r->policy, "kernel") && pcp_rule_fraction(r) != 0) {
                pcp_rule_set_change(r, rec, 0);
                say(rec->expect, sizeof(rec->expect), "the kernel's own size of the lists");
        } else {
                say(rec->reason, sizeof(rec->reason),
                    "; the lists are as small as this knob makes them");
        }
        r->guards.blocks[0] = 0; /* less is always allowed */
        advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
}

/* What lies in the lists and what could, in all: the line for people who miss MemFree. */
static void say_parked(const PcpRule *r, char *text, size_t size) {
        const ZoneInfo *info = r->m->zoneinfo;
        const Signal *share = advise_signal(r->b, "pcp-parked");
        uint64_t count = 0, most = 0;

        for (size_t i = 0; info && i < info->n; i++) {
                PcpSeen seen;

                if (!zone_is_populated(&info->zones[i]))
                        continue;
                pcp_zone_seen(r->m, &info->zones[i], &seen);
                count = u64_add_sat(count, seen.count_sum);
                most = u64_add_sat(most, seen.high_sum);
        }
        if (most == 0 && count == 0)
                return;
        say(text, size, "parked %s", human_mib(u64_mul_sat(count, advise_page_bytes(r->b))).text);
        if (share)
                say(text, size, " (%s)", human_share(share->value).text);
        say(text, size, ", at most %s as the lists stand; drained on demand, free in all but name",
            human_mib(u64_mul_sat(most, advise_page_bytes(r->b))).text);
}

static void nothing(PcpRule *r, const char *gate) {
        char text[900] = "";
        bool tunes = pcp_gen_tunes(r->m->gen) && pcp_rule_fraction(r) == 0;

        if (speaks_of_parked(r->policy))
                say_parked(r, text, sizeof(text));
        else if (r->grows && tunes)
                say_tuner(r, text, sizeof(text));
        if (r->targets.text[0])
                say(text, sizeof(text), "%s%s", text[0] ? "; " : "", r->targets.text);
        if (gate[0])
                say(text, sizeof(text), "%sidle: %s", text[0] ? "; " : "", gate);
        if (r->targets.n_unknown > 0)
                say(text, sizeof(text), "%sunknown: %s", text[0] ? "; " : "", r->targets.unknown);
        if (!text[0])
                say(text, sizeof(text), "nothing to judge by");
        (void) advise_note(r->b, VERDICT_NOTHING, r->policy->name, r->policy->name, "%s", text);
}

/* A value that cannot be read is not 0: nothing is computed from it, and nothing is written over it. */
static void unread(PcpRule *r) {
        Scope scope = scope_system();
        Recommendation *rec;

        targets_view(r->b, r->policy, &scope, &r->targets);
        guards_view(r->b, r->policy, &r->guards);
        if (r->targets.state != TARGETS_HOT) {
                (void) advise_note(r->b, VERDICT_NOTHING, r->policy->name, r->policy->name,
                                   "the present value is unknown (%s)%s%s", r->knob->reason,
                                   r->targets.text[0] ? "; " : "", r->targets.text);
                return;
        }
        rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);
        if (!rec)
                return;
        say(rec->reason, sizeof(rec->reason),
            "%s; the present value is unknown, so no other can be chosen", r->targets.text);
        advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
}

void advise_pcp(AdviseBuild *b, const Policy *policy) {
        PcpRule r = { .b = b, .policy = policy, .m = b->in->pcp, .grows = has_multiple(policy) };
        Scope scope = scope_system();
        char gate[200] = "";

        r.knob = knob_set_find(b->in->knobs, policy->knob, NULL);
        if (!r.knob || !r.m || r.knob->state == KNOB_ABSENT) {
                (void) advise_note(
                        b, VERDICT_NOTHING, policy->name, policy->name, "%s: %s", policy->knob,
                        r.knob && r.knob->reason[0] ? r.knob->reason
                                                    : "this machine does not have the knob");
                return;
        }
        if (!r.m->fraction.known) {
                unread(&r);
                return;
        }
        r.busiest = r.m->zoneinfo ? pcp_largest_zone(r.m->zoneinfo) : NULL;
        targets_view(b, policy, &scope, &r.targets);
        guards_view(b, policy, &r.guards);
        if (r.guards.cut) {
                pcp_rule_cut(&r);
                return;
        }
        if (speaks_of_parked(policy) && (pcp_rule_defect(&r) || pcp_rule_pinned_too_wide(&r)))
                return;
        if (r.targets.state == TARGETS_HOT)
                gate_view(b, policy, &r.targets, gate, sizeof(gate));
        if (r.targets.state != TARGETS_HOT || gate[0])
                nothing(&r, gate);
        else if (r.grows)
                grow(&r);
        else
                shrink(&r);
}
