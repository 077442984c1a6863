/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/gate.h"

#include "base/ln.h"
#include "base/number.h"

/* Signals that come late (waits of single caches, read once a minute) stay valid for this long. */
#define STALE_USEC ((usec_t) 300 * USEC_PER_SEC)
/* Room for differences in 64 bits; no signal comes near. */
#define MILLI_MAX (INT64_MAX / 4)

void gate_reset(Gate *g) {
        *g = (Gate){ 0 };
}

/* y += (x - y) * (1 - e^(-dt / tau)). */
static int64_t smooth(int64_t y, int64_t x, usec_t dt_usec, usec_t tau_usec) {
        uint64_t exponent = u64_muldiv(dt_usec, PPM, tau_usec), keep;

        if (tau_usec == 0 || exponent > 40 * PPM)
                return x;
        keep = exp_micro(-(int64_t) exponent, PPM);
        return x + (int64_t) ((__int128) (y - x) * (int64_t) MIN(keep, PPM) / (int64_t) PPM);
}

static void value_frame(GateValue *v, size_t watch, usec_t tau_usec, usec_t stale_usec,
                        const Plan *plan, const Frame *frame) {
        int64_t x;

        if (watch >= plan->n_watches)
                return;
        if (!reading_milli(&frame->reading[watch], plan->watches[watch].scale, &x)) {
                if (v->known && frame->at_usec - v->seen_usec > stale_usec)
                        *v = (GateValue){ 0 };
                return;
        }
        x = MIN(x, MILLI_MAX);
        v->y_milli = v->known ? smooth(v->y_milli, x, frame->at_usec - v->seen_usec, tau_usec) : x;
        v->known = true;
        v->seen_usec = frame->at_usec;
        v->evidence = frame->reading[watch].evidence;
}

static int64_t milli_of(int64_t value) {
        return value > MILLI_MAX / 1000 ? MILLI_MAX : value < 0 ? 0 : value * 1000;
}

static void count(GateValue *v, const PolicyTarget *t) {
        if (!v->known) {
                v->n_hot = v->n_cool = 0;
                return;
        }
        v->n_hot = v->y_milli >= milli_of(t->hot) ? MIN(v->n_hot + 1, 1000000u) : 0;
        v->n_cool = v->y_milli < milli_of(t->cool) ? MIN(v->n_cool + 1, 1000000u) : 0;
}

/* A wait that was measured is kernel CPU time and bounds the saving; what is only estimated needs a busy lock and a
 * busy kernel beside it. The adviser judges the same way. */
static GateIdle idle_of(const Gate *g, const PlanController *c, const Plan *plan,
                        const Frame *frame) {
        const PolicyGate *numbers = &c->policy->gate;
        bool waits = false, measured = g->lead.known && g->lead.evidence == EVIDENCE_MEASURED;

        for (unsigned i = 0; i < c->policy->n_targets; i++)
                if (c->target[i] < plan->n_watches && plan->watches[c->target[i]].spec &&
                    plan->watches[c->target[i]].spec->lock_wait)
                        waits = true;
        if (measured) {
                uint64_t share_milli = g->lead.y_milli < 0 ? 0 : (uint64_t) g->lead.y_milli;

                if (share_milli < u64_mul_sat((uint64_t) MAX(numbers->saving_ppm, 0), 1000))
                        return GATE_IDLE_SAVING;
                /* ppm of all CPUs to thousandths of one: x N / 1000, and thousandths of ppm once more. */
                if (u64_muldiv(share_milli, frame->n_online, 1000000) <
                    (uint64_t) MAX(numbers->saving_cpus_milli, 0))
                        return GATE_IDLE_SAVING_CPUS;
                return GATE_BUSY;
        }
        if (!waits && g->evidence != EVIDENCE_ESTIMATED)
                return GATE_BUSY;
        if (g->use.known && g->use.y_milli < milli_of(numbers->use_ppm))
                return GATE_IDLE_USE;
        if (g->kernel_cpu.known && g->kernel_cpu.y_milli < milli_of(numbers->kernel_cpu_ppm))
                return GATE_IDLE_KERNEL_CPU;
        return GATE_BUSY;
}

static void judge(Gate *g, const PlanController *c, const Plan *plan, const Frame *frame) {
        const Policy *p = c->policy;
        bool any = false, all_hot = true, any_cool = false, all_hot_fallback = false;
        unsigned windows_idle = p->n_targets > 0 ? p->target[0].windows_cool : 1;

        g->evidence = EVIDENCE_MEASURED;
        for (unsigned i = 0; i < p->n_targets; i++) {
                count(&g->target[i], &p->target[i]);
                if (!g->target[i].known)
                        continue;
                any = true;
                g->evidence = MIN(g->evidence, g->target[i].evidence);
                all_hot = all_hot && g->target[i].n_hot >= p->target[i].windows_hot;
                any_cool = any_cool || g->target[i].n_cool >= p->target[i].windows_cool;
        }
        if (!any)
                g->evidence = EVIDENCE_NONE;
        for (unsigned i = 0; i < p->n_fallback; i++) {
                count(&g->fallback[i], &p->fallback[i]);
                if (!any && g->fallback[i].known &&
                    g->fallback[i].n_hot >= p->fallback[i].windows_hot)
                        all_hot_fallback = true;
        }
        g->idle = idle_of(g, c, plan, frame);
        g->n_idle = g->idle == GATE_BUSY ? 0 : MIN(g->n_idle + 1, 1000000u);
        if (!any || any_cool || g->n_idle >= windows_idle)
                g->hot = false;
        else if (all_hot && g->idle == GATE_BUSY)
                g->hot = true;
        g->cool = any_cool || (any && g->n_idle >= windows_idle);
        g->advise = all_hot_fallback || (g->hot && g->evidence < p->evidence);
        if (g->evidence < p->evidence)
                g->hot = false;
}

bool gate_frame(Gate *g, const PlanController *c, const Plan *plan, const Frame *frame) {
        const Policy *p = c->policy;
        usec_t tau = p->gate.smooth_usec,
               stale = u64_add_sat(STALE_USEC, u64_mul_sat(3, c->window_usec));

        /* What passed in a gap (suspend) is not what the machine does now. */
        if (!frame->gap) {
                for (unsigned i = 0; i < p->n_targets; i++)
                        value_frame(&g->target[i], c->target[i], tau, stale, plan, frame);
                for (unsigned i = 0; i < p->n_fallback; i++)
                        value_frame(&g->fallback[i], c->fallback[i], tau, stale, plan, frame);
                value_frame(&g->use, c->use, tau, stale, plan, frame);
                value_frame(&g->kernel_cpu, c->kernel_cpu, tau, stale, plan, frame);
                value_frame(&g->lead, c->lead_wait, tau, stale, plan, frame);
        }
        if (g->window_end_usec == 0 || frame->gap) {
                g->window_end_usec = u64_add_sat(frame->at_usec, c->window_usec);
                return false;
        }
        if (frame->at_usec < g->window_end_usec)
                return false;
        g->window_end_usec = u64_add_sat(frame->at_usec, c->window_usec);
        judge(g, c, plan, frame);
        return true;
}

unsigned gate_first(const Gate *g, const PlanController *c, bool *ret_fallback) {
        *ret_fallback = false;
        for (unsigned i = 0; i < c->policy->n_targets; i++)
                if (g->target[i].known)
                        return i;
        *ret_fallback = true;
        for (unsigned i = 0; i < c->policy->n_fallback; i++)
                if (g->fallback[i].known)
                        return i;
        return POLICY_TARGETS_MAX;
}

int64_t gate_saving_milli(const Gate *g, const PlanController *c, unsigned n_online,
                          unsigned steps) {
        uint64_t share_milli = g->lead.known && g->lead.y_milli > 0 ? (uint64_t) g->lead.y_milli
                                                                    : 0;
        uint64_t cpus_milli = u64_muldiv(u64_muldiv(share_milli, c->expected_share_ppm, PPM),
                                         n_online, 1000000);

        /* 0.1 % of N CPUs is N thousandths of one. */
        return (int64_t) MIN(cpus_milli, (uint64_t) INT64_MAX / 2) -
               (int64_t) u64_mul_sat(n_online, steps);
}
