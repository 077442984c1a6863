/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-CPU page lists, the half that follows bounds: cuts that guards want, kernels that compute lists far
 * above their formula, and values that could park more memory than the policy allows. */
#include <string.h>

#include "core/control/advise-pcp.h"
#include "core/control/arm.h"

uint64_t pcp_rule_fraction(const PcpRule *r) {
        return r->m->fraction.known ? r->m->fraction.value : 0;
}

/* Pages that all lists of the machine may hold at a fraction; what cannot be predicted is left out. */
static uint64_t worst_pages(const PcpModel *m, uint64_t fraction) {
        uint64_t sum = 0;

        for (size_t i = 0; m->zoneinfo && i < m->zoneinfo->n; i++) {
                MaybeU64 pages = pcp_zone_worst_pages(m, &m->zoneinfo->zones[i], fraction);

                if (pages.known)
                        sum = u64_add_sat(sum, pages.value);
        }
        return sum;
}

void pcp_rule_set_change(PcpRule *r, Recommendation *rec, uint64_t fraction) {
        uint64_t now = worst_pages(r->m, pcp_rule_fraction(r)), then = worst_pages(r->m, fraction);

        (void) text_copy(rec->from, sizeof(rec->from), text_from(r->knob->value));
        say(rec->to, sizeof(rec->to), "%llu", (unsigned long long) fraction);
        say(rec->how, sizeof(rec->how), "echo %llu > %s", (unsigned long long) fraction,
            r->knob->path);
        rec->memory_bytes = KNOWN(
                fraction == 0 ? 0 : u64_mul_sat(u64_sub_sat(then, now), advise_page_bytes(r->b)));
}

MaybeU64 pcp_rule_cap(const PcpRule *r) {
        MaybeU64 capped = arm_pcp_cap(r->m), now = arm_pcp_longest(r->m, pcp_rule_fraction(r)),
                 then;

        if (!capped.known)
                return UNKNOWN;
        then = arm_pcp_longest(r->m, capped.value);
        return now.known && then.known && then.value < now.value ? capped : UNKNOWN;
}

void pcp_rule_say_choice(const PcpRule *r, Recommendation *rec, uint64_t fraction) {
        unsigned cpus = pcp_divisor(r->m, r->busiest);
        PcpPrediction p;

        if (!pcp_predict(r->m, r->busiest, fraction, &p))
                return;
        say(rec->reason, sizeof(rec->reason),
            "; fraction chosen so that high = %s pages (%s managed / %llu",
            human_count(p.high_max).text, human_count(r->busiest->managed.value).text,
            (unsigned long long) fraction);
        if (cpus > 1)
                say(rec->reason, sizeof(rec->reason), " / %u CPUs", cpus);
        say(rec->reason, sizeof(rec->reason), "), at most %s pages a hold",
            human_count(pcp_pages_per_hold(r->m->gen, p.high_max, p.batch)).text);
}

/* H * max(1/2, 1 - (g - g*) / g*), g the reading of the guard and g* its limit, but not below the default:
 * the law of DAMOS goals, floored (mm/damon/core.c damon_feed_loop_next_input()). */
static uint64_t cut_high(const GuardView *g, uint64_t high, uint64_t def) {
        uint64_t value = (uint64_t) MAX(g->cut_value, (int64_t) 0),
                 limit = (uint64_t) MAX(g->cut_limit, (int64_t) 1);
        uint64_t left = MIN(u64_sub_sat(u64_mul_sat(2, limit), value), limit);
        uint64_t cut = MAX(high / 2, u64_muldiv(high, left, limit));

        return MAX(def, cut);
}

/* Cuts are made without proof, so they only undo: down to the kernel's default, or to four batches. */
void pcp_rule_cut(PcpRule *r) {
        Scope scope = scope_system();
        bool hold = strcmp(r->guards.cut_guard->name, "hold-length") == 0;
        uint64_t fraction = pcp_rule_fraction(r), to;
        PcpPrediction now;
        bool tunes = pcp_gen_tunes(r->m->gen) && fraction == 0;
        Recommendation *rec;

        if (!r->busiest || !pcp_predict(r->m, r->busiest, fraction, &now)) {
                (void) advise_note(
                        r->b, VERDICT_ADVISE, r->policy->name, r->policy->name,
                        "%s, but what this kernel would make of a value cannot be computed: no cut",
                        r->guards.cut_text);
                return;
        }
        if (hold || tunes) {
                MaybeU64 capped = pcp_rule_cap(r);

                if (!capped.known) {
                        (void) advise_note(
                                r->b, VERDICT_NOTHING, r->policy->name, r->policy->name,
                                "%s; the lists are at %s pages already: nothing left to cut",
                                r->guards.cut_text, human_count(now.high_max).text);
                        return;
                }
                to = capped.value;
        } else {
                MaybeU64 def = pcp_default_high(r->m, r->busiest), f;
                uint64_t high;

                if (fraction == 0 || !def.known || now.high_max <= def.value) {
                        (void) advise_note(
                                r->b, VERDICT_NOTHING, r->policy->name, r->policy->name,
                                "%s; the lists are at %s pages, no more than the kernel's default: nothing to cut",
                                r->guards.cut_text, human_count(now.high_max).text);
                        return;
                }
                high = cut_high(&r->guards, now.high_max, def.value);
                f = pcp_fraction_for_high(r->m, r->busiest, high);
                to = !f.known || high <= def.value ? 0 : MAX(f.value, fraction + 1);
        }
        rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);
        if (!rec)
                return;
        pcp_rule_set_change(r, rec, to);
        say(rec->reason, sizeof(rec->reason), "%s", r->guards.cut_text);
        if (to > 0)
                pcp_rule_say_choice(r, rec, to);
        else
                say(rec->reason, sizeof(rec->reason), "; back to the kernel's own size");
        say(rec->expect, sizeof(rec->expect), "%s",
            hold ? "shorter holds of the zone lock"
                 : "memory out of sight of MemFree comes back as the lists are used");
        if (r->policy->most_loss_ppm > 0)
                say(rec->expect, sizeof(rec->expect),
                    "; kernel CPU per page may rise, up to %s is accepted",
                    human_share(r->policy->most_loss_ppm).text);
        r->targets.state = TARGETS_HOT;
        r->targets.evidence = r->guards.cut_evidence;
        r->targets.by_guard = true;
        r->targets.n_unknown = 0;
        r->targets.by_fallback = false;
        r->guards.blocks[0] = 0; /* a cut is what guards are for */
        advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
        if (rec->verdict == VERDICT_TUNE)
                rec->verdict = VERDICT_CUT;
}

/* A kernel whose printed lists are far above its own formula: known for nodes without CPUs (5.13-rc). */
bool pcp_rule_defect(PcpRule *r) {
        const ZoneInfo *info = r->m->zoneinfo;
        uint64_t online = r->m->n_online;

        for (size_t i = 0; info && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                uint64_t pages = zone->managed.known ? zone->managed.value : zone->present.value,
                         worst, share;
                PcpPrediction p;
                PcpSeen seen;
                Recommendation *rec;
                Scope scope = scope_system();
                uint64_t page_bytes = advise_page_bytes(r->b);

                if (!zone_is_populated(zone) || pages == 0)
                        continue;
                pcp_zone_seen(r->m, zone, &seen);
                if (seen.match != PCP_MATCH_DIFFERS ||
                    !pcp_predict(r->m, zone, pcp_rule_fraction(r), &p) ||
                    seen.high_most <= u64_mul_sat(2, p.high_max))
                        continue;
                worst = u64_mul_sat(seen.high_most, MAX(online, (uint64_t) seen.n));
                share = u64_muldiv(worst, PPM, pages);
                if (share <= (uint64_t) r->policy->parked_possible_ppm)
                        continue;
                rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);
                if (!rec)
                        return true;
                (void) text_copy(rec->from, sizeof(rec->from), text_from(r->knob->value));
                rec->verdict = VERDICT_ADVISE;
                rec->evidence = EVIDENCE_COUNTED;
                rec->confidence = CONFIDENCE_MEDIUM;
                say(rec->reason, sizeof(rec->reason),
                    "kernel defect: node %u zone %s shows lists of %s pages on each of %llu CPUs, where released kernels compute "
                    "%s (%u CPUs share the zone); worst case %s (%s), %s of the zone",
                    zone->node, zone->name, human_count(seen.high_most).text,
                    (unsigned long long) MAX(online, (uint64_t) seen.n),
                    human_count(p.high_max).text, pcp_divisor(r->m, zone),
                    human_mib(u64_mul_sat(worst, page_bytes)).text,
                    human_bytes(u64_mul_sat(worst, page_bytes)).text,
                    human_share((int64_t) share).text);
                if (!zone->free.known)
                        say(rec->reason, sizeof(rec->reason), "; free memory is unknown: no cut");
                say(rec->expect, sizeof(rec->expect),
                    "a kernel that divides by all online CPUs where a node has none (5.14 "
                    "and later) parks at most %s there",
                    human_bytes(u64_mul_sat(u64_mul_sat(p.high_max, online), page_bytes)).text);
                return true;
        }
        return false;
}

/* A pinned value that could park more than the bound: the administrator's, so it is only said. */
bool pcp_rule_pinned_too_wide(PcpRule *r) {
        uint64_t fraction = pcp_rule_fraction(r), page_bytes = advise_page_bytes(r->b);
        PcpBound bound;
        MaybeU64 within;
        Recommendation *rec;
        Scope scope = scope_system();

        if (fraction == 0)
                return false;
        pcp_parked_possible(r->m, fraction, &bound);
        if (!bound.zone || bound.share_ppm <= (uint64_t) r->policy->parked_possible_ppm)
                return false;
        within = pcp_fraction_within(r->m, (uint64_t) r->policy->parked_possible_ppm);
        rec = advise_recommend(r->b, r->policy, r->knob->name, &scope);
        if (!rec)
                return true;
        pcp_rule_set_change(r, rec, pcp_gen_tunes(r->m->gen) || !within.known ? 0 : within.value);
        say(rec->reason, sizeof(rec->reason),
            "fraction %llu lets the lists hold %s of node %u zone %s (%s), bound %s",
            (unsigned long long) fraction,
            bound.share_ppm > PPM ? "all" : human_share((int64_t) bound.share_ppm).text,
            bound.zone->node, bound.zone->name,
            human_bytes(u64_mul_sat(MIN(bound.pages, bound.zone->managed.value), page_bytes)).text,
            human_share(r->policy->parked_possible_ppm).text);
        r->targets.state = TARGETS_HOT;
        r->targets.evidence = EVIDENCE_COUNTED;
        r->targets.n_unknown = 0;
        r->targets.by_fallback = false;
        r->guards.blocks[0] = 0; /* less is always allowed */
        advise_judge(r->b, r->policy, r->knob, &r->targets, &r->guards, rec);
        say(rec->expect, sizeof(rec->expect),
            "less memory out of sight of MemFree; zone-lock waiting may rise");
        return true;
}
