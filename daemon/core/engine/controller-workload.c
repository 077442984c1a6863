/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ln.h"
#include "base/number.h"
#include "core/engine/engine-private.h"

/* Whether the machine still does what it did when a value was proved: three detectors over blocks of 60 s, of ln cost, ln allocation
 * rate and of the share of CPU time that waits. They see only the value in force (no windows of a candidate, no settle time), and
 * start anew whenever that value changes: what we cause ourselves is no change of workload.
 *
 * A change voids the open quad, sends HOLD back to OBSERVE with its value, and makes that value due for revalidation: it was proved for
 * another workload. It also frees arms that lost under the old workload, unless only the cost changed: that is what noise does, and an
 * arm that lost by noise would be tried again and again (eight of 1,000 days with nothing to find had two accepted moves). Nor does it free
 * those that a guard blocked, or that lost twice, which of loads that take turns every turn would try again. */
#define BLOCK_USEC MINUTES_USEC(1)
/* What matters: a cost as different as a trial must show, 5 % of the allocation rate, half a per cent of CPU time. */
#define RATE_LEAST_PPM 50000
#define WAIT_LEAST_MILLI 5000000

static void add(Ratio *sum, const Plan *plan, const Frame *frame, size_t watch) {
        if (watch >= plan->n_watches || frame->reading[watch].evidence == EVIDENCE_NONE)
                return;
        sum->num = u64_add_sat(sum->num, frame->reading[watch].num);
        sum->den = u64_add_sat(sum->den, frame->reading[watch].den);
}

static bool milli(const Ratio *sum, const Plan *plan, size_t watch, int64_t *ret) {
        const Reading r = { .num = sum->num, .den = sum->den, .evidence = EVIDENCE_COUNTED };

        return watch < plan->n_watches && reading_milli(&r, plan->watches[watch].scale, ret);
}

/* A detector counts in sigmas, and on a steady machine a sigma is next to nothing: what it finds must also be as large as what
 * matters. The last blocks against those before. */
static bool detect(Detector *d, int64_t x, int64_t least) {
        int64_t before = median_of(d->cusum.block, d->cusum.n);
        __int128 away = 0;

        d->last[d->next] = x;
        d->next = (d->next + 1) % DETECTOR_LAST;
        d->n = MIN(d->n + 1, (unsigned) DETECTOR_LAST);
        if (!cusum_add(&d->cusum, x))
                return false;
        for (unsigned i = 0; i < d->n; i++)
                away += (__int128) d->last[i] - before;
        return (away < 0 ? -away : away) >= (__int128) least * d->n;
}

static void workload_reset(Workload *w) {
        *w = (Workload){ 0 };
        cusum_reset(&w->cost_detector.cusum);
        cusum_reset(&w->rate_detector.cusum);
        cusum_reset(&w->wait_detector.cusum);
}

void engine_workload_reset(Engine *e) {
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                workload_reset(&e->slots[i].workload);
}

void slot_workload_changed(Engine *e, Slot *s, bool frees, const char *why) {
        Record *r = record_add(e, RECORD_WORKLOAD, s, PLAN_NONE);

        r->why = why;
        workload_reset(&s->workload);
        if (frees)
                slot_unblock(s);
        if (s->state == CONTROLLER_TRIAL || s->state == CONTROLLER_PROBATION || run_is(e, s)) {
                s->recheck = s->recheck || s->state == CONTROLLER_PROBATION;
                if (run_is(e, s))
                        run_void(e, why);
                return;
        }
        for (size_t k = 0; k < s->plan->n_knobs; k++)
                if (s->knob[k].revalidate_usec > 0 && s->knob[k].level != LEVEL_CAP)
                        s->knob[k].revalidate_usec = MAX(e->now_usec, (usec_t) 1);
        for (unsigned i = 0; i < POLICY_TARGETS_MAX; i++)
                s->gate.target[i].n_hot = s->gate.target[i].n_cool = 0;
        s->cool_since_usec = 0;
        if (s->state == CONTROLLER_HOLD) {
                s->gate.hot = false;
                slot_set_state(e, s, CONTROLLER_OBSERVE);
        } else if (s->state == CONTROLLER_BLOCKED)
                slot_rest(e, s);
}

void slot_workload(Engine *e, Slot *s, const Frame *frame) {
        Workload *w = &s->workload;
        const PlanController *c = s->plan;
        int64_t cost, rate, wait;
        bool cost_changed = false, changed = false;

        if (frame->hotplug) {
                slot_workload_changed(e, s, true, "CPUs, memory or a huge page mode changed");
                return;
        }
        if (frame->gap || frame->interval_usec == 0 || !run_in_force(e, frame))
                return;
        add(&w->cost, e->plan, frame, c->cost);
        add(&w->rate, e->plan, frame, c->alloc_rate);
        add(&w->wait, e->plan, frame, c->lead_wait);
        w->usec = u64_add_sat(w->usec, frame->interval_usec);
        if (w->usec < BLOCK_USEC)
                return;
        if (milli(&w->cost, e->plan, c->cost, &cost))
                cost_changed = detect(&w->cost_detector, ln_micro((uint64_t) cost + 1),
                                      c->policy->least_gain_ppm);
        if (milli(&w->rate, e->plan, c->alloc_rate, &rate))
                changed = detect(&w->rate_detector, ln_micro((uint64_t) rate + 1), RATE_LEAST_PPM);
        if (milli(&w->wait, e->plan, c->lead_wait, &wait))
                changed = detect(&w->wait_detector, wait, WAIT_LEAST_MILLI) || changed;
        w->cost = w->rate = w->wait = (Ratio){ 0 };
        w->usec = 0;
        if (changed || cost_changed)
                slot_workload_changed(e, s, changed,
                                      changed ? "the workload changed" : "the cost changed");
}
