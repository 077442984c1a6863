/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/ln.h"
#include "base/number.h"
#include "core/engine/engine-private.h"

/* The open experiment: windows of a trial, of a check on probation or of a revalidation.
 *
 * A window is settle time and a measured part; it begins when the values of its arm are written and read back, or at once
 * when they are in force already. Only frames that lie wholly inside the measured part count. All four windows of a quad
 * are equally long, so that most of a steady drift cancels; the length of each quad is drawn anew within 10 %,
 * so that no rhythm of the load can follow the quads. It never falls below the write gap and 2 s.
 *
 * A trial compares a candidate (B) with the value in force (A) in the order the coin says. Once B is in force, checks compare in
 * reversed quads, new old old new: two writes for each, and the value in force at both ends. */

bool run_is(const Engine *e, const Slot *s) {
        return e->run.open && e->run.slot == slot_index(e, s);
}

static Slot *run_slot(Engine *e) {
        return &e->slots[e->run.slot];
}

static TrialArm run_arm(const Run *run) {
        if (run->kind == RUN_TRIAL)
                return trial_arm(&run->trial);
        return run->window == 1 || run->window == 2 ? TRIAL_A : TRIAL_B;
}

/* The arm that stays when the run is disturbed. */
static TrialArm arm_in_force(const Run *run) {
        return run->kind == RUN_TRIAL ? TRIAL_A : TRIAL_B;
}

static bool first_window(const Run *run) {
        return run->kind == RUN_TRIAL ? run->trial.window == 0 : run->window == 0;
}

static void want_arm(Engine *e, TrialArm arm) {
        Slot *s = run_slot(e);

        for (unsigned i = 0; i < s->n_group; i++)
                (void) write_want(e, s, s->group[i], arm == TRIAL_A ? s->a[i] : s->b[i], false);
}

static void window_start(Engine *e, usec_t at_usec) {
        Run *run = &e->run;
        const PlanController *c = run_slot(e)->plan;

        run->measuring = true;
        run->start_usec = at_usec;
        run->settle_end_usec = u64_add_sat(at_usec, c->settle_usec);
        run->end_usec = u64_add_sat(at_usec, run->length_usec);
        run->cost = run->rate = run->lead = run->next = (Ratio){ 0 };
        memset(run->watch, 0, sizeof(run->watch));
        run->n_frames = 0;
}

/* The next window: its arm is written if it is not in force. */
static void window_next(Engine *e, usec_t at_usec) {
        Run *run = &e->run;
        Slot *s = run_slot(e);
        const PlanController *c = s->plan;

        if (first_window(run)) {
                usec_t least = MAX(u64_add_sat(c->write_gap_usec, 2 * USEC_PER_SEC),
                                   u64_add_sat(c->settle_usec, e->config->tick_trial_usec));

                run->length_usec = MAX(engine_jitter(e, c->window_usec, 10), least);
        }
        run->measuring = false;
        run->resting = false;
        run->wait_since_usec = e->now_usec;
        want_arm(e, run_arm(run));
        if (run->open && !write_pending(e, s))
                window_start(e, at_usec);
}

void run_begin(Engine *e, Slot *s, RunKind kind, const Frame *frame) {
        const Policy *p = s->plan->policy;
        Run *run = &e->run;

        *run = (Run){ .open = true,
                      .kind = kind,
                      .slot = slot_index(e, s),
                      .n_wanted = kind == RUN_REVALIDATE ? 6 : 2 };
        if (kind == RUN_TRIAL) {
                size_t cost = s->plan->cost;
                bool known = cost < e->plan->n_watches;
                TrialSpec spec = {
                        .looks = { p->quads[0], p->quads[1], p->quads[2] },
                        .least_gain_ppm = p->least_gain_ppm,
                        /* Only CPU time per page is never 0 while the machine allocates. */
                        .zero_costs = !known || strcmp(e->plan->watches[cost].name,
                                                       "kernel-cpu-per-kpage") != 0,
                        .higher_is_better = known && e->plan->watches[cost].higher_is_better,
                };

                trial_begin(&run->trial, &spec, &e->random);
        }
        window_next(e, frame->at_usec);
}

void run_written(Engine *e, usec_t at_usec) {
        if (e->run.open && !e->run.measuring && !e->run.resting && !write_pending(e, run_slot(e)))
                window_start(e, at_usec);
}

bool run_in_force(const Engine *e, const Frame *frame) {
        const Run *run = &e->run;

        if (!run->open)
                return true;
        return run->measuring && run_arm(run) == arm_in_force(run) &&
               frame->at_usec - frame->interval_usec >= run->settle_end_usec;
}

static void rest(Engine *e) {
        Run *run = &e->run;

        run->measuring = false;
        if (!run->resting) {
                run->resting = true;
                run->rest_since_usec = e->now_usec;
        }
        run->rest_end_usec = u64_add_sat(e->now_usec, run_slot(e)->plan->window_usec);
        want_arm(e, arm_in_force(run));
}

static void give_up(Engine *e, const char *why) {
        Slot *s = run_slot(e);

        switch (e->run.kind) {
        case RUN_TRIAL:
                slot_trial_done(e, s, TRIAL_INCONCLUSIVE, why);
                break;
        case RUN_CHECK:
                slot_check_done(e, s, true);
                break;
        case RUN_REVALIDATE:
                slot_revalidate_done(e, s, true);
                break;
        }
}

/* The open quad is lost. The value in force comes back, and the next quad begins after one quiet window. */
void run_void(Engine *e, const char *why) {
        Run *run = &e->run;
        Slot *s;
        Record *r;
        bool over;

        if (!run->open || run->resting)
                return;
        s = run_slot(e);
        r = record_add(e, RECORD_VOID, s, s->plan->first_knob + s->group[0]);
        r->decision = s->decision;
        r->why = why;
        if (run->kind == RUN_TRIAL) {
                over = trial_void(&run->trial, &e->random) == TRIAL_STATUS_INCONCLUSIVE;
        } else {
                run->window = 0;
                run->sum_new = run->sum_old = 0;
                over = ++run->n_void >= VOIDS_MAX;
        }
        if (over)
                give_up(e, why);
        else
                rest(e);
}

/* Why no window can tell anything now, or NULL. */
static const char *disturbance(const Engine *e, const Slot *s, const Frame *frame) {
        const GuardFrame *g = &frame->guard;
        const PlanKnob *knob = &e->plan->knobs[s->plan->first_knob];

        if (frame->gap)
                return "ticks were lost";
        if (frame->hotplug)
                return "CPUs, memory or a huge page mode changed";
        if (g->steal_ppm.known && g->steal_ppm.value > STEAL_VOID_PPM)
                return "CPU time was stolen";
        /* The kernel cuts its lists to four batches meanwhile, whatever we write. */
        if (knob->spec && knob->spec->kind == KNOB_KIND_PCP_FRACTION && g->reclaimed.known &&
            g->reclaimed.value > 0)
                return "pages are reclaimed";
        return NULL;
}

static void add(Ratio *sum, const Plan *plan, const Frame *frame, size_t watch) {
        const Reading *r;

        if (watch >= plan->n_watches)
                return;
        r = &frame->reading[watch];
        if (r->evidence == EVIDENCE_NONE)
                return;
        sum->num = u64_add_sat(sum->num, r->num);
        sum->den = u64_add_sat(sum->den, r->den);
}

static bool milli(const Ratio *sum, const Plan *plan, size_t watch, int64_t *ret) {
        const Reading r = { .num = sum->num, .den = sum->den, .evidence = EVIDENCE_COUNTED };

        return watch < plan->n_watches && reading_milli(&r, plan->watches[watch].scale, ret);
}

static void take(Engine *e, const Frame *frame) {
        Run *run = &e->run;
        const PlanController *c = run_slot(e)->plan;

        add(&run->cost, e->plan, frame, c->cost);
        add(&run->rate, e->plan, frame, c->alloc_rate);
        add(&run->lead, e->plan, frame, c->lead_wait);
        add(&run->next, e->plan, frame, c->next_wait);
        for (unsigned i = 0; i < c->policy->n_must_not_rise; i++)
                add(&run->watch[i], e->plan, frame, c->must_not_rise[i]);
        if (c->cost < e->plan->n_watches)
                run->evidence = frame->reading[c->cost].evidence;
        run->n_frames++;
}

/* Accepted values that did not keep their promise make the next proof harder (16 times for each, until a day has passed for each), so does
 * a step up from a value of ours (16 times) and the second candidate of a climb (twice): more candidates are more chances. All against the
 * widest level of the looks. With 4, 1 and 2 times, six of 1,000 days with nothing to find had two accepted moves; with 8, 2 and 8, two;
 * so, none. The price is 0.3 points of regret on the curve with two true steps (Broadwell-EX, calm). */
#define TRIAL_LEVEL 40u /* p <= 1/40 at the last look: trial.h */

static bool proved(const Engine *e, const Slot *s) {
        const Trial *t = &e->run.trial;
        unsigned n = 2 * MIN(t->n, (unsigned) TRIAL_QUADS_MAX);
        unsigned shift = 4 * slot_broken(e, s) + s->second + (s->level_a[0] > 0 ? 4 : 0);

        return shift == 0 ||
               (uint64_t) signflip_count(t->steady, n) * ((uint64_t) TRIAL_LEVEL << shift) <=
                       (uint64_t) 1 << n;
}

static void trial_status(Engine *e, TrialStatus status) {
        Slot *s = run_slot(e);

        switch (status) {
        case TRIAL_STATUS_GO_ON:
                return;
        case TRIAL_STATUS_ACCEPT:
                if (!proved(e, s)) {
                        if (e->run.trial.n >=
                            MIN(s->plan->policy->quads[2], (unsigned) TRIAL_QUADS_MAX))
                                slot_trial_done(e, s, TRIAL_REJECT,
                                                "the proof is too weak after what failed before");
                        return;
                }
                for (unsigned i = 0; i < s->plan->policy->n_must_not_rise; i++)
                        if (trial_watch_rose(&e->run.trial, i)) {
                                slot_trial_done(e, s, TRIAL_REJECT, "what must not rise rose");
                                return;
                        }
                slot_trial_done(e, s, TRIAL_ACCEPT, NULL);
                return;
        case TRIAL_STATUS_FUTILE:
                slot_trial_done(e, s, TRIAL_FUTILE, NULL);
                return;
        case TRIAL_STATUS_REJECT:
                slot_trial_done(e, s, TRIAL_REJECT, NULL);
                return;
        case TRIAL_STATUS_ABORT:
                slot_trial_done(e, s, TRIAL_ABORT, "it costs much more");
                return;
        case TRIAL_STATUS_INCONCLUSIVE:
                slot_trial_done(e, s, TRIAL_INCONCLUSIVE, "the allocation rate changed too much");
                return;
        }
}

/* Where the lock behind takes over what the first one loses, larger lists only move the wait. */
static void arm_sums(Run *run, TrialArm arm) {
        run->lead_arm[arm].num = u64_add_sat(run->lead_arm[arm].num, run->lead.num);
        run->lead_arm[arm].den = u64_add_sat(run->lead_arm[arm].den, run->lead.den);
        run->next_arm[arm].num = u64_add_sat(run->next_arm[arm].num, run->next.num);
        run->next_arm[arm].den = u64_add_sat(run->next_arm[arm].den, run->next.den);
}

/* ln of a cost as the trials take it, for the reversed quads. */
static int64_t check_cost(const Engine *e, const Slot *s, int64_t cost_milli) {
        const Watch *watch = &e->plan->watches[s->plan->cost];
        bool zero = strcmp(watch->name, "kernel-cpu-per-kpage") != 0;
        int64_t x = ln_micro((uint64_t) cost_milli + (zero ? 1000 : 0));

        return watch->higher_is_better ? -x : x;
}

static bool check_window(Engine *e, int64_t cost_milli) {
        Run *run = &e->run;
        int64_t x = check_cost(e, run_slot(e), cost_milli), d;

        if (run_arm(run) == TRIAL_B)
                run->sum_new += x;
        else
                run->sum_old += x;
        if (++run->window < 4)
                return false;
        d = (run->sum_new - run->sum_old) / 2;
        run->most_d = run->n == 0 ? d : MAX(run->most_d, d);
        run->sum_d += d;
        run->n++;
        run->window = 0;
        run->sum_new = run->sum_old = 0;
        return run->n >= run->n_wanted;
}

/* A window is over. */
static void window_end(Engine *e, const Frame *frame) {
        Run *run = &e->run;
        Slot *s = run_slot(e);
        const PlanController *c = s->plan;
        TrialWindow w = { .n_watch = MIN(c->policy->n_must_not_rise,
                                         (unsigned) ELEMENTSOF(w.watch_milli)) };
        int64_t rate;
        unsigned slot = (unsigned) run->slot;

        if (run->n_frames == 0 || !milli(&run->cost, e->plan, c->cost, &w.cost_milli)) {
                run_void(e, "the cost is not known");
                return;
        }
        if (milli(&run->rate, e->plan, c->alloc_rate, &rate) && rate > 0)
                w.rate_milli = (uint64_t) rate;
        for (unsigned i = 0; i < w.n_watch; i++)
                if (!milli(&run->watch[i], e->plan, c->must_not_rise[i], &w.watch_milli[i]))
                        w.watch_milli[i] = -1;
        arm_sums(run, run_arm(run));
        if (run->kind == RUN_TRIAL) {
                if (trial_arm(&run->trial) == TRIAL_A)
                        guard_base_make(&s->sums, &s->base);
                trial_status(e, trial_window(&run->trial, &w, &e->random));
        } else if (check_window(e, w.cost_milli)) {
                if (run->kind == RUN_CHECK)
                        slot_check_done(e, s, false);
                else
                        slot_revalidate_done(e, s, false);
        }
        if (run->open && run->slot == slot && !run->resting)
                window_next(e, frame->at_usec);
}

void run_frame(Engine *e, const Frame *frame) {
        Run *run = &e->run;
        Slot *s;
        const char *why;

        if (!run->open)
                return;
        s = run_slot(e);
        if (!frame->trials_open && run->kind == RUN_TRIAL) {
                slot_trial_closed(e, s);
                return;
        }
        if (!frame->trials_open && run->kind == RUN_REVALIDATE) {
                slot_end(e, s, true);
                slot_rest(e, s);
                return;
        }
        why = disturbance(e, s, frame);
        if (run->resting) {
                if (why)
                        run->rest_end_usec = u64_add_sat(e->now_usec, s->plan->window_usec);
                if (e->now_usec - run->rest_since_usec > u64_mul_sat(s->plan->window_usec, 20))
                        give_up(e, why ? why : "the disturbance went on");
                else if (e->now_usec >= run->rest_end_usec && !write_pending(e, s))
                        window_next(e, frame->at_usec);
                return;
        }
        if (why) {
                run_void(e, why);
                return;
        }
        if (!run->measuring) {
                /* A value that cannot be given back is tried for ever, but not with the token in the hand. */
                if (e->now_usec - run->wait_since_usec > u64_mul_sat(s->plan->window_usec, 20))
                        give_up(e, "a write did not succeed");
                return;
        }
        if (frame->interval_usec > 0 && frame->at_usec >= frame->interval_usec &&
            frame->at_usec - frame->interval_usec >= run->settle_end_usec &&
            frame->at_usec <= run->end_usec) {
                take(e, frame);
                if (run->kind == RUN_TRIAL && trial_arm(&run->trial) == TRIAL_A)
                        guard_base_add(&s->sums, frame);
        }
        if (frame->at_usec >= run->end_usec)
                window_end(e, frame);
}
