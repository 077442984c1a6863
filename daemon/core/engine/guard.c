/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/guard.h"

#include <string.h>

#include "base/number.h"

/* Guards of a policy against one frame.
 *
 * A guard needs no proof: it looks at one frame, not at an average, and what it asks for only takes away
 * (ends a trial, stops growth, makes lists shorter). A reading that is absent never fires a guard, and
 * neither does one whose grade is below the one the guard acts on.
 *
 * Several guards may fire in one frame. The strongest verdict leads, in the order cut, abort, advise only,
 * hold growth, slow down; of equals the first in the policy. Were the first one to lead whatever it says,
 * a policy that lists "free" before "parked" (as the default does) would never cut a list while memory is
 * short, which is when the cut matters. The pause and the block are the longest that any of them asks for,
 * so nothing is lost by being second. A cut ends an open trial as an abort does. */

static unsigned strength(GuardVerdict v) {
        switch (v) {
        case GUARD_ALLOW:
                return 0;
        case GUARD_SLOW_DOWN:
                return 1;
        case GUARD_HOLD_GROWTH:
                return 2;
        case GUARD_ADVISE_ONLY:
                return 3;
        case GUARD_ABORT:
                return 4;
        case GUARD_CUT:
                return 5;
        }
        return 0;
}

static int64_t to_i64(uint64_t v) {
        return v > INT64_MAX ? INT64_MAX : (int64_t) v;
}

static uint64_t to_u64(int64_t v) {
        return v < 0 ? 0 : (uint64_t) v;
}

/* One check: context and frame in, a finding that so far is the strongest. */
typedef struct GuardCheck {
        const GuardContext *context;
        const Frame *frame;
        const PolicyGuard *guard;
        GuardFinding *best;
} GuardCheck;

static void fire(const GuardCheck *c, GuardVerdict verdict, uint64_t value, uint64_t limit,
                 const char *unit, const char *what) {
        c->best->pause_usec = MAX(c->best->pause_usec, c->guard->pause_usec);
        if (c->context->in_trial)
                c->best->block_usec = MAX(c->best->block_usec, c->guard->block_usec);
        if (strength(verdict) <= strength(c->best->verdict))
                return;
        c->best->verdict = verdict;
        c->best->guard = c->guard;
        c->best->value = to_i64(value);
        c->best->limit = to_i64(limit);
        c->best->unit = unit;
        c->best->what = what;
}

/* Fires with the action of the guard: without a trial there is nothing to abort, so growth waits. */
static void fire_action(const GuardCheck *c, uint64_t value, uint64_t limit, const char *unit,
                        const char *what) {
        GuardVerdict stop = c->context->in_trial ? GUARD_ABORT : GUARD_HOLD_GROWTH;

        switch (c->guard->action) {
        case GUARD_ACTION_DEFAULT:
        case GUARD_ACTION_ABORT:
                fire(c, stop, value, limit, unit, what);
                return;
        case GUARD_ACTION_CUT:
                fire(c, GUARD_CUT, value, limit, unit, what);
                return;
        }
}

static bool acts_on(const GuardCheck *c, Evidence evidence) {
        return evidence != EVIDENCE_NONE && evidence >= c->guard->evidence;
}

/* Events a second, rounded up: one event in any time is not none. */
static uint64_t per_second(const GuardCheck *c, uint64_t n) {
        uint64_t rate = u64_muldiv(n, USEC_PER_SEC, MAX(c->frame->interval_usec, (usec_t) 1));

        return n > 0 ? MAX(rate, UINT64_C(1)) : 0;
}

/* n events in the interval of the frame are more than `limit` a second. */
static bool faster_than(const GuardCheck *c, uint64_t n, uint64_t limit) {
        return u64_mul_sat(n, USEC_PER_SEC) > u64_mul_sat(limit, c->frame->interval_usec);
}

static bool base_known(const GuardCheck *c) {
        return c->context->in_trial && c->context->base && c->context->base->known;
}

static void check_free(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        uint64_t level = to_u64(c->guard->level_ppm), limit = to_u64(c->guard->limit);

        if (!acts_on(c, EVIDENCE_COUNTED))
                return;
        if (f->free_level_ppm.known && f->free_level_ppm.value < level)
                fire_action(c, f->free_level_ppm.value, level, "ppm", "free memory below the mark");
        else if (f->allocstall.known && faster_than(c, f->allocstall.value, limit))
                fire_action(c, per_second(c, f->allocstall.value), limit, "/s", "direct reclaim");
}

static void check_pressure(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        const PolicyGuard *g = c->guard;

        if (!acts_on(c, EVIDENCE_MEASURED))
                return;
        if (g->full_known && f->psi_full_ppm.known && f->psi_full_ppm.value > to_u64(g->full_ppm))
                fire_action(c, f->psi_full_ppm.value, to_u64(g->full_ppm), "ppm",
                            "every task waits for memory");
        else if (g->some_known && f->psi_some_ppm.known &&
                 f->psi_some_ppm.value > to_u64(g->some_ppm))
                fire_action(c, f->psi_some_ppm.value, to_u64(g->some_ppm), "ppm",
                            "tasks wait for memory");
        else if (base_known(c) && c->context->base->psi_some_ppm.known && f->psi_some_ppm.known) {
                uint64_t limit = u64_add_sat(c->context->base->psi_some_ppm.value,
                                             to_u64(g->rise_ppm));

                if (f->psi_some_ppm.value > limit)
                        fire_action(c, f->psi_some_ppm.value, limit, "ppm",
                                    "tasks wait for memory more than with the present value");
        }
}

/* Pages in the lists are no harm while memory is free, so what is seen counts only in zones that are short;
 * what is possible counts always, but only for values that we wrote. */
static void check_parked(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        const PolicyGuard *g = c->guard;
        const Policy *policy = c->context->policy;
        uint64_t seen = to_u64(g->limit_known             ? g->limit
                               : c->context->kernel_tunes ? policy->parked_seen_auto_ppm
                                                          : policy->parked_seen_ppm);
        uint64_t possible = to_u64(policy->parked_possible_ppm);

        if (f->parked_short_ppm.known && f->parked_short_ppm.value > seen &&
            acts_on(c, EVIDENCE_COUNTED))
                fire_action(c, f->parked_short_ppm.value, seen, "ppm",
                            "memory parked in per-CPU lists of a zone that is short");
        else if (c->context->ours && c->context->parked_possible_ppm > possible)
                fire_action(c, c->context->parked_possible_ppm, possible, "ppm",
                            "memory that our value could park");
}

static void check_hold_length(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;

        if (c->guard->limit_known && f->hold_nsec.known && acts_on(c, f->hold_evidence) &&
            f->hold_nsec.value > to_u64(c->guard->limit))
                fire_action(c, f->hold_nsec.value, to_u64(c->guard->limit), "ns",
                            "zone lock held for long");
}

static void check_slab(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        uint64_t share, limit, grown;

        if (!base_known(c) || !c->context->base->slab_unreclaimable_bytes.known ||
            !f->slab_unreclaimable_bytes.known || !acts_on(c, EVIDENCE_COUNTED))
                return;
        share = f->memory_bytes.known
                        ? u64_muldiv(f->memory_bytes.value, to_u64(c->guard->share_ppm), PPM)
                        : 0;
        limit = MAX(to_u64(c->guard->limit), share);
        grown = u64_sub_sat(f->slab_unreclaimable_bytes.value,
                            c->context->base->slab_unreclaimable_bytes.value);
        if (grown > limit)
                fire_action(c, grown, limit, "bytes", "unreclaimable slab memory has grown");
}

/* A share of few events says little. It counts when one event is no more than the rise that is asked for, and when
 * the excess over the base is above three standard deviations of a binomial with that base:
 * (s - p)^2 * n > 9 * p * (1 - p). */
static bool share_has_risen(uint64_t events, uint64_t all, uint64_t base_ppm, uint64_t rise_ppm,
                            uint64_t *ret_share_ppm) {
        uint64_t share, excess, base = MIN(base_ppm, PPM);

        if (all == 0 || events > all || u64_mul_sat(all, rise_ppm) < PPM)
                return false;
        share = u64_muldiv(events, PPM, all);
        excess = u64_sub_sat(share, base);
        *ret_share_ppm = share;
        return excess > rise_ppm && u64_mul_sat(excess * excess, all) > 9 * base * (PPM - base);
}

static void check_fragmentation(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        const PolicyGuard *g = c->guard;
        const GuardBase *base = base_known(c) ? c->context->base : NULL;
        uint64_t share;

        if (!acts_on(c, EVIDENCE_COUNTED))
                return;
        if (f->compact_stall.known && faster_than(c, f->compact_stall.value, to_u64(g->limit))) {
                uint64_t rate = u64_muldiv(f->compact_stall.value, 1000 * USEC_PER_SEC,
                                           MAX(c->frame->interval_usec, (usec_t) 1));

                if (f->compact_fail.known &&
                    u64_muldiv(f->compact_fail.value, PPM, f->compact_stall.value) >
                            to_u64(g->fail_ppm)) {
                        fire_action(c,
                                    u64_muldiv(f->compact_fail.value, PPM, f->compact_stall.value),
                                    to_u64(g->fail_ppm), "ppm", "direct compactions that fail");
                        return;
                }
                if (base && base->compact_stall_per_s_milli.known) {
                        uint64_t limit = u64_muldiv(base->compact_stall_per_s_milli.value,
                                                    to_u64(g->times_milli), 1000);

                        if (rate > limit) {
                                fire_action(c, per_second(c, f->compact_stall.value),
                                            MAX(limit / 1000, to_u64(g->limit)), "/s",
                                            "direct compactions more often than with the present "
                                            "value");
                                return;
                        }
                }
        }
        if (base && base->fallback_ppm.known && f->thp_fault.known && f->thp_fallback.known &&
            share_has_risen(f->thp_fallback.value,
                            u64_add_sat(f->thp_fault.value, f->thp_fallback.value),
                            base->fallback_ppm.value, to_u64(g->fallback_ppm), &share))
                fire_action(c, share,
                            u64_add_sat(base->fallback_ppm.value, to_u64(g->fallback_ppm)), "ppm",
                            "huge page faults that fell back");
}

/* Where no trial is open there is no arm to block: growth waits for as long. */
static void check_failures(const GuardCheck *c) {
        if (!c->frame->guard.failures.known || c->frame->guard.failures.value == 0 ||
            !acts_on(c, EVIDENCE_COUNTED))
                return;
        fire_action(c, c->frame->guard.failures.value, 0, "",
                    "failed allocations in the kernel log");
        if (!c->context->in_trial)
                c->best->pause_usec = MAX(c->best->pause_usec, c->guard->block_usec);
}

/* The budget of the configuration and the limit of the guard are in one unit; the smaller holds. */
static void check_own_cost(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;
        uint64_t each = to_u64(c->guard->limit), limit;

        if (c->context->own_cpu_ppm > 0)
                each = MIN(each, to_u64(c->context->own_cpu_ppm));
        limit = u64_mul_sat(each, u64_div_up(MAX(c->context->n_online, 1u), 64));
        if (f->own_cpu_ppm.known && f->own_cpu_ppm.value > limit)
                fire(c, GUARD_SLOW_DOWN, f->own_cpu_ppm.value, limit, "ppm", "our own CPU time");
        else if (f->slow_read_usec.known && f->slow_read_usec.value > c->guard->read_usec)
                fire(c, GUARD_SLOW_DOWN, f->slow_read_usec.value, c->guard->read_usec, "us",
                     "one read of a slow file");
}

static void check_contained(const GuardCheck *c) {
        const GuardFrame *f = &c->frame->guard;

        if (f->contained)
                fire(c, GUARD_ADVISE_ONLY, 1, 0, NULL, "inside a container");
        else if (f->steal_ppm.known && f->steal_ppm.value > to_u64(c->guard->steal_ppm) &&
                 acts_on(c, EVIDENCE_COUNTED))
                fire(c, GUARD_ADVISE_ONLY, f->steal_ppm.value, to_u64(c->guard->steal_ppm), "ppm",
                     "CPU time stolen by the hypervisor");
}

static void check_zone_reclaim(const GuardCheck *c) {
        if (c->frame->guard.zone_reclaim_mode.known && c->frame->guard.zone_reclaim_mode.value != 0)
                fire(c, GUARD_HOLD_GROWTH, c->frame->guard.zone_reclaim_mode.value, 0, NULL,
                     "zone_reclaim_mode is not 0");
}

/* "foreign-write" has no row: the engine compares every reading of a knob with what it wrote. */
static const struct {
        const char *name;
        void (*check)(const GuardCheck *c);
} checks[] = {
        { "free", check_free },
        { "psi-memory", check_pressure },
        { "parked", check_parked },
        { "slab-unreclaimable", check_slab },
        { "fragmentation", check_fragmentation },
        { "allocation-failure", check_failures },
        { "own-cost", check_own_cost },
        { "contained", check_contained },
        { "zone-reclaim", check_zone_reclaim },
        { "hold-length", check_hold_length },
};

void guard_check(const GuardContext *context, const Frame *frame, GuardFinding *ret) {
        GuardFinding best = { .verdict = GUARD_ALLOW };
        GuardCheck check = { .context = context, .frame = frame, .best = &best };

        for (unsigned i = 0; i < context->policy->n_guards && i < POLICY_GUARDS_MAX; i++)
                for (size_t k = 0; k < ELEMENTSOF(checks); k++)
                        if (strcmp(context->policy->guard[i].name, checks[k].name) == 0) {
                                check.guard = &context->policy->guard[i];
                                checks[k].check(&check);
                                break;
                        }
        *ret = best;
}

/* --- what it was before --- */

void guard_base_add(GuardBaseSums *sums, const Frame *frame) {
        const GuardFrame *f = &frame->guard;

        if (f->psi_some_ppm.known) {
                sums->n_psi++;
                sums->psi_sum = u64_add_sat(sums->psi_sum, f->psi_some_ppm.value);
        }
        if (f->compact_stall.known) {
                sums->usec = u64_add_sat(sums->usec, frame->interval_usec);
                sums->stalls = u64_add_sat(sums->stalls, f->compact_stall.value);
        }
        if (f->thp_fault.known && f->thp_fallback.known) {
                sums->faults = u64_add_sat(sums->faults, f->thp_fault.value);
                sums->fallbacks = u64_add_sat(sums->fallbacks, f->thp_fallback.value);
        }
        if (!sums->slab_start_bytes.known)
                sums->slab_start_bytes = f->slab_unreclaimable_bytes;
}

void guard_base_make(const GuardBaseSums *sums, GuardBase *ret) {
        uint64_t attempts = u64_add_sat(sums->faults, sums->fallbacks);
        GuardBase base = { .slab_unreclaimable_bytes = sums->slab_start_bytes };

        if (sums->n_psi > 0)
                base.psi_some_ppm = KNOWN(sums->psi_sum / sums->n_psi);
        if (sums->usec > 0)
                base.compact_stall_per_s_milli = KNOWN(
                        u64_muldiv(sums->stalls, 1000 * USEC_PER_SEC, sums->usec));
        if (attempts > 0)
                base.fallback_ppm = KNOWN(u64_muldiv(sums->fallbacks, PPM, attempts));
        base.known = base.psi_some_ppm.known || base.compact_stall_per_s_milli.known ||
                     base.fallback_ppm.known || base.slab_unreclaimable_bytes.known;
        *ret = base;
}

/* The law of DAMOS goals, floored at one half (mm/damon/core.c damon_feed_loop_next_input()): how far the value is
 * past its limit, on whichever side (of free memory: below it), is how much goes. Never below the kernel's
 * default, and never up. */
uint64_t guard_cut_multiple(uint64_t multiple_milli, int64_t value, int64_t limit) {
        uint64_t g = to_u64(value), whole = MAX(to_u64(limit), UINT64_C(1));
        uint64_t over = g > whole ? g - whole : whole - g;
        uint64_t cut = u64_muldiv(multiple_milli, u64_sub_sat(whole, over), whole);

        cut = MAX(cut, multiple_milli / 2);
        return MIN(multiple_milli, MAX(cut, UINT64_C(1000)));
}
