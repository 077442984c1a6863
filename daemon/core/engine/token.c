/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/engine/engine-private.h"

/* Who may open the next run. There is one token for the machine.
 *
 * Checks of values on probation come first (they are short, and a value that is not confirmed should not wait), then
 * revalidations, then armed controllers: of huge pages first, then by expected saving. Trials keep quiet time between them, hours, and budgets; checks
 * do not: they end what a trial began. Policies that move the same things (per-CPU lists, and watermarks by way of
 * huge pages) leave each other one window of rest. */

/* Another policy, or a huge page mode that changed, has just moved the watermarks or the lists that this one works on. */
static bool coupled_rest(const Engine *e, const Slot *s) {
        if (!s->plan->coupled_pcp)
                return false;
        if (e->hotplug_usec > 0 && e->now_usec - e->hotplug_usec < s->plan->window_usec)
                return true;
        return e->coupled_slot != PLAN_NONE && e->coupled_slot != slot_index(e, s) &&
               e->now_usec - e->coupled_usec < s->plan->window_usec;
}

/* Pages were reclaimed a moment ago: the kernel holds its lists short, and no trial of their size can tell anything. */
static bool reclaim_rest(const Engine *e, const Slot *s) {
        const PlanKnob *knob = &e->plan->knobs[s->plan->first_knob];

        return knob->spec && knob->spec->kind == KNOB_KIND_PCP_FRACTION && e->reclaim_usec > 0 &&
               e->now_usec - e->reclaim_usec < s->plan->window_usec;
}

/* Was there a cost within the last two minutes, or three ticks? */
static bool cost_known(const Engine *e, size_t cost) {
        usec_t most = MAX(MINUTES_USEC(2), u64_mul_sat(e->config->tick_usec, 3));

        return cost < e->plan->n_watches && e->sums[cost].seen_usec > 0 &&
               e->now_usec - e->sums[cost].seen_usec <= most;
}

/* Checks do not ask for a cost: without one they are lost, and what they cannot confirm goes back soon. */
static bool may_check(const Engine *e, const Slot *s) {
        return s->plan->n_knobs > 0 && s->plan->cost < e->plan->n_watches && !coupled_rest(e, s) &&
               !reclaim_rest(e, s);
}

static bool may_try(const Engine *e, const Slot *s, const Frame *frame) {
        return may_check(e, s) && cost_known(e, s->plan->cost) && frame->trials_open &&
               !frame->gap && !frame->hotplug && e->now_usec >= e->quiet_until_usec &&
               budget_free(&e->changes, e->now_usec);
}

static bool may_grow(const Engine *e, const Slot *s, const Frame *frame) {
        return may_try(e, s, frame) && s->plan->may_try && e->now_usec >= s->growth_off_usec &&
               e->now_usec >= s->next_lock_usec && budget_free(&e->trials, e->now_usec);
}

/* Huge pages move watermarks, and so the lists; and no saving of theirs is known. They go before what they would disturb. */
static bool goes_first(const Slot *s) {
        return s->plan->policy && text_starts(text_from(s->plan->policy->knob), "thp-");
}

void token_frame(Engine *e, const Frame *frame) {
        Slot *best = NULL;
        Choice best_choice = { 0 };
        int64_t most = 0;

        if (e->run.open)
                return;
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                if (slot_check_due(e, &e->slots[i]) && may_check(e, &e->slots[i])) {
                        run_begin(e, &e->slots[i], RUN_CHECK, frame);
                        return;
                }
        for (size_t i = 0; i < e->plan->n_controllers; i++)
                if (slot_revalidate_due(e, &e->slots[i]) && may_try(e, &e->slots[i], frame)) {
                        slot_revalidate_begin(e, &e->slots[i], frame);
                        return;
                }
        for (size_t i = 0; i < e->plan->n_controllers; i++) {
                Slot *s = &e->slots[i];
                Choice choice;
                int64_t saving;

                if (s->state != CONTROLLER_ARMED || !may_grow(e, s, frame) || write_pending(e, s))
                        continue;
                /* Arms may have been blocked, and knobs lost, since it was armed. */
                if (!slot_choose(e, s, &choice)) {
                        if (s->second)
                                slot_cooldown(e, s, true);
                        else
                                slot_rest(e, s);
                        continue;
                }
                saving = gate_saving_milli(&s->gate, s->plan, frame->n_online, choice.steps);
                if (!best || (goes_first(s) && !goes_first(best)) ||
                    (goes_first(s) == goes_first(best) && saving > most)) {
                        best = s;
                        best_choice = choice;
                        most = saving;
                }
        }
        if (best)
                slot_trial_begin(e, best, &best_choice, frame);
}
