/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guards as the adviser sees them: before any trial, so what compares with the windows of a trial
 * (rise of pressure, growth of slab memory) has nothing to say yet. */
#include <string.h>

#include "core/control/advise-build.h"
#include "core/engine/guard-frame.h"

static void block(GuardView *view, const char *format, ...) _printf_(2, 3);
static void block(GuardView *view, const char *format, ...) {
        char text[200];
        va_list args;

        va_start(args, format);
        (void) text_format_va(text, sizeof(text), format, args);
        va_end(args);
        say(view->blocks, sizeof(view->blocks), "%s%s", view->blocks[0] ? "; " : "", text);
}

static void blind(GuardView *view, const char *name) {
        say(view->blind, sizeof(view->blind), "%s%s", view->blind[0] ? ", " : "", name);
}

/* Several guards may want a cut: all are said, and hold-length, which cuts deepest, decides how far. */
static void cut(GuardView *view, const PolicyGuard *g, int64_t value, int64_t limit,
                Evidence evidence, const char *text) {
        say(view->cut_text, sizeof(view->cut_text), "%s%s", view->cut_text[0] ? "; " : "", text);
        if (view->cut && strcmp(view->cut_guard->name, "hold-length") == 0)
                return;
        view->cut = true;
        view->cut_guard = g;
        view->cut_value = value;
        view->cut_limit = limit;
        view->cut_evidence = evidence;
}

static void guard_free(const AdviseBuild *b, const PolicyGuard *g, GuardView *view) {
        const ZoneInfo *info = advise_zoneinfo(b);
        const Signal *stall = advise_signal(b, "allocstall");
        uint64_t total = guard_managed_total(info);
        bool seen = false;

        for (size_t i = 0; info && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                uint64_t limit;

                if (!guard_zone_counts(zone, total) || !zone->free.known || !zone->low.known ||
                    !zone->high.known)
                        continue;
                seen = true;
                limit = zone->low.value + u64_muldiv(u64_sub_sat(zone->high.value, zone->low.value),
                                                     (uint64_t) g->level_ppm, PPM);
                if (zone->free.value < limit) {
                        block(view, "guard free: node %u zone %s has %s pages free, below %s",
                              zone->node, zone->name, human_count(zone->free.value).text,
                              human_count(limit).text);
                        break;
                }
        }
        /* Averages since boot: one stall long ago is no reason. */
        if (stall &&
            (b->in->kind == WINDOW_BOOT
                     ? stall->value > g->limit
                     : stall->value > g->limit || (stall->value == g->limit && stall->milli > 0)))
                block(view, "guard free: direct reclaim %s",
                      human_value(stall->value, stall->milli, stall->unit).text);
        if (!seen && !stall)
                blind(view, "free");
}

static void guard_pressure(const AdviseBuild *b, const PolicyGuard *g, GuardView *view) {
        const Signal *some = advise_signal(b, "psi-memory-some"),
                     *full = advise_signal(b, "psi-memory-full");

        if (some && g->some_known && some->value > g->some_ppm)
                block(view, "guard psi-memory: some is %s, limit %s", human_share(some->value).text,
                      human_share(g->some_ppm).text);
        if (full && g->full_known && full->value > g->full_ppm)
                block(view, "guard psi-memory: full is %s, limit %s", human_share(full->value).text,
                      human_share(g->full_ppm).text);
        if (!some && !full)
                blind(view, "psi-memory");
}

/* Pages parked are no harm while memory is free: the limit counts only together with free memory under
 * twice the high watermark. */
static void guard_parked(const AdviseBuild *b, const Policy *policy, const PolicyGuard *g,
                         GuardView *view) {
        const ZoneInfo *info = advise_zoneinfo(b);
        uint64_t total = guard_managed_total(info);
        bool tunes = b->in->pcp && pcp_gen_tunes(b->in->pcp->gen) &&
                     !(b->in->pcp->fraction.known && b->in->pcp->fraction.value != 0);
        int64_t limit = g->limit_known ? g->limit
                        : tunes        ? policy->parked_seen_auto_ppm
                                       : policy->parked_seen_ppm;

        for (size_t i = 0; info && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                MaybeU64 parked = zone_parked(zone);
                uint64_t share;

                if (!guard_zone_counts(zone, total) || !parked.known || !zone->free.known ||
                    !zone->high.known)
                        continue;
                share = u64_muldiv(parked.value, PPM, zone->managed.value);
                if (share <= (uint64_t) limit || g->evidence > EVIDENCE_COUNTED ||
                    zone->free.value >= u64_mul_sat(2, zone->high.value))
                        continue;
                block(view,
                      "guard parked: node %u zone %s has %s of its memory in per-CPU lists (limit %s) and only %s pages "
                      "free, under twice the high watermark of %s",
                      zone->node, zone->name, human_share((int64_t) share).text,
                      human_share(limit).text, human_count(zone->free.value).text,
                      human_count(zone->high.value).text);
                if (g->action == GUARD_ACTION_CUT) {
                        char text[200] = "";

                        say(text, sizeof(text),
                            "%s of node %u zone %s lies in per-CPU lists, limit %s, while only %s pages are free "
                            "(under twice the high watermark of %s)",
                            human_share((int64_t) share).text, zone->node, zone->name,
                            human_share(limit).text, human_count(zone->free.value).text,
                            human_count(zone->high.value).text);
                        cut(view, g, (int64_t) share, limit, EVIDENCE_COUNTED, text);
                }
                return;
        }
}

static void guard_hold_length(const AdviseBuild *b, const PolicyGuard *g, GuardView *view) {
        const Signal *hold = advise_signal(b, "pcp-hold-length");

        if (!g->limit_known)
                return;
        if (!hold) {
                blind(view, "hold-length");
                return;
        }
        if (hold->value <= g->limit || hold->evidence < g->evidence)
                return;
        if (g->action == GUARD_ACTION_CUT) {
                char text[120] = "";

                say(text, sizeof(text), "hold %s %s, limit %s",
                    hold->evidence == EVIDENCE_ESTIMATED ? "estimate" : "length",
                    human_nsec((uint64_t) hold->value).text, human_nsec((uint64_t) g->limit).text);
                cut(view, g, hold->value, g->limit, hold->evidence, text);
        } else {
                block(view, "guard hold-length: %s, limit %s",
                      human_nsec((uint64_t) hold->value).text,
                      human_nsec((uint64_t) g->limit).text);
        }
}

static void guard_fragmentation(const AdviseBuild *b, const PolicyGuard *g, GuardView *view) {
        const Signal *fail = advise_signal(b, "compact-fail-share");

        if (fail && fail->value > g->fail_ppm)
                block(view, "guard fragmentation: %s of direct compactions fail, limit %s",
                      human_share(fail->value).text, human_share(g->fail_ppm).text);
}

static void guard_failures(const AdviseBuild *b, GuardView *view) {
        const Signal *order0 = advise_signal(b, "alloc-failure-order0");
        const Signal *high = advise_signal(b, "alloc-failure-high-order");
        int64_t n = (order0 ? order0->value : 0) + (high ? high->value : 0);

        if (n > 0)
                block(view,
                      "guard allocation-failure: the kernel log reports %lld failed allocation%s; nothing grows for 7 days",
                      (long long) n, n == 1 ? "" : "s");
}

/* The container itself is a fact, not a reading: advise_judge(). */
static void guard_contained(const AdviseBuild *b, const PolicyGuard *g, GuardView *view) {
        const Signal *steal = advise_signal(b, "cpu-steal");

        if (steal && steal->value > g->steal_ppm)
                block(view, "guard contained: the hypervisor takes %s of CPU time, limit %s",
                      human_share(steal->value).text, human_share(g->steal_ppm).text);
}

static void guard_zone_reclaim(const AdviseBuild *b, GuardView *view) {
        const Knob *knob = knob_set_find(b->in->knobs, "zone-reclaim-mode", NULL);

        if (knob && knob->number.known && knob->number.value != 0)
                block(view,
                      "guard zone-reclaim: zone_reclaim_mode is %llu, free memory of a node says little",
                      (unsigned long long) knob->number.value);
}

void guards_view(const AdviseBuild *b, const Policy *policy, GuardView *ret) {
        *ret = (GuardView){ 0 };
        for (unsigned i = 0; i < policy->n_guards; i++) {
                const PolicyGuard *g = &policy->guard[i];

                if (strcmp(g->name, "free") == 0)
                        guard_free(b, g, ret);
                else if (strcmp(g->name, "psi-memory") == 0)
                        guard_pressure(b, g, ret);
                else if (strcmp(g->name, "parked") == 0)
                        guard_parked(b, policy, g, ret);
                else if (strcmp(g->name, "hold-length") == 0)
                        guard_hold_length(b, g, ret);
                else if (strcmp(g->name, "fragmentation") == 0)
                        guard_fragmentation(b, g, ret);
                else if (strcmp(g->name, "allocation-failure") == 0)
                        guard_failures(b, ret);
                else if (strcmp(g->name, "zone-reclaim") == 0)
                        guard_zone_reclaim(b, ret);
                else if (strcmp(g->name, "contained") == 0)
                        guard_contained(b, g, ret);
                /* The others compare with a trial. */
        }
}
