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
#include "core/control/arm.h"

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
        char why[200];

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
        if (arm_pcp_feed_forward(
                    &r->b->in->facts->topology,
                    topology_local_cpus(&r->b->in->facts->topology, r->busiest->node)) > 2000 &&
            r->policy->n_arms > 1)
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
                        if (!arm_pcp_fits(r->m, r->b->in->signals, r->policy->parked_possible_ppm,
                                          f.value, why, sizeof(why))) {
                                say(rec->reason, sizeof(rec->reason), "; %s", why);
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
        if (arm_named(r->policy, "cap") && capped.known) {
                pcp_rule_set_change(r, rec, capped.value);
                pcp_rule_say_choice(r, rec, capped.value);
                say(rec->expect, sizeof(rec->expect),
                    "shorter holds of the zone lock, more of them");
        } else if (arm_named(r->policy, "kernel") && pcp_rule_fraction(r) != 0) {
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
        PcpRule r = {
                .b = b, .policy = policy, .m = b->in->pcp, .grows = arm_has_multiple(policy)
        };
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
