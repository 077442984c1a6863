/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <string.h>

#include "base/human.h"
#include "base/number.h"
#include "core/engine/engine-private.h"

/* One sentence for each record, with its numbers: what was seen against which limit, what was done, with which effect. */

typedef struct Say {
        char *buffer;
        size_t size, used;
        bool cut;
} Say;

static void say(Say *say, const char *format, ...) _printf_(2, 3);
static void say(Say *say, const char *format, ...) {
        va_list args;

        if (say->cut || say->used >= say->size)
                return;
        va_start(args, format);
        say->cut = !text_format_va(say->buffer + say->used, say->size - say->used, format, args);
        va_end(args);
        say->used += strlen(say->buffer + say->used);
}

static void say_value(Say *s, const Engine *e, const Record *r, bool known, int64_t value) {
        const KnobSpec *spec = r->knob < e->plan->n_knobs ? e->plan->knobs[r->knob].spec : NULL;
        char text[48];

        if (!known)
                say(s, "an unknown value");
        else if (spec && spec->words && knob_value_format(spec, value, text, sizeof(text)))
                say(s, "%s", text);
        else
                say(s, "%lld", (long long) value);
}

static void say_knob(Say *s, const Engine *e, const Record *r) {
        const PlanKnob *knob;

        if (r->knob >= e->plan->n_knobs) {
                say(s, "the knob");
                return;
        }
        knob = &e->plan->knobs[r->knob];
        say(s, "%s", knob->name);
        if (!scope_is_system(&knob->scope))
                say(s, " of %s", knob->scope.name);
}

static void say_change(Say *s, const Engine *e, const Record *r) {
        say_knob(s, e, r);
        say(s, " from ");
        say_value(s, e, r, r->from_known, r->from);
        say(s, " to ");
        say_value(s, e, r, r->to_known, r->to);
}

/* Shares as per cent with two digits, times and sizes as people read them, the rest in its unit; thousandths only below 10. */
static void say_milli(Say *s, const Watch *w, int64_t milli) {
        const char *unit = w->spec ? w->spec->unit : "";

        if (strcmp(unit, "ppm") == 0)
                say(s, "%lld.%02lld %%", (long long) (milli / 10000000),
                    (long long) (milli % 10000000 / 100000));
        else if (strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0)
                say(s, "%s", human_value(milli / 1000, 0, unit).text);
        else if (milli < 10000)
                say(s, "%lld.%03lld%s%s", (long long) (milli / 1000), (long long) (milli % 1000),
                    unit[0] ? " " : "", unit);
        else
                say(s, "%lld%s%s", (long long) (milli / 1000), unit[0] ? " " : "", unit);
}

static void say_watch(Say *s, const Engine *e, const Record *r, const char *relation) {
        const Watch *w;

        if (r->watch >= e->plan->n_watches || !r->value_known)
                return;
        w = &e->plan->watches[r->watch];
        say(s, "%s is ", w->name);
        say_milli(s, w, r->value_milli);
        if (r->target_known) {
                say(s, ", %s ", relation);
                say_milli(s, w, r->target_milli);
        }
        if (r->evidence > EVIDENCE_NONE)
                say(s, " (%s)", evidence_to_string(r->evidence));
}

static void say_percent(Say *s, int64_t ppm) {
        uint64_t size = ppm < 0 ? (uint64_t) 0 - (uint64_t) ppm : (uint64_t) ppm;

        say(s, "%c%llu.%02llu %%", ppm < 0 ? '-' : '+', (unsigned long long) (size / 10000),
            (unsigned long long) (size % 10000 / 100));
}

/* ln cost as such: within a few per cent it is the change of the cost itself. */
static void say_effect(Say *s, const Engine *e, const Record *r) {
        if (!r->effect_known)
                return;
        say(s, ": ");
        if (r->watch < e->plan->n_watches)
                say(s, "%s ", e->plan->watches[r->watch].name);
        else
                say(s, "cost ");
        say_percent(s, r->effect_ppm);
        if (r->low_ppm != r->high_ppm) {
                say(s, " (");
                say_percent(s, r->low_ppm);
                say(s, " to ");
                say_percent(s, r->high_ppm);
                say(s, ")");
        }
}

static void say_span(Say *s, int64_t seconds) {
        if (seconds >= 7200)
                say(s, "%lld h %lld min", (long long) (seconds / 3600),
                    (long long) (seconds % 3600 / 60));
        else if (seconds >= 120)
                say(s, "%lld min", (long long) (seconds / 60));
        else
                say(s, "%lld s", (long long) seconds);
}

/* Two digits after the point: what is over its limit shall look so. */
static void say_number(Say *s, int64_t value, const char *unit) {
        if (strcmp(unit, "ppm") == 0)
                say(s, "%lld.%02lld %%", (long long) (value / 10000),
                    (long long) (value % 10000 / 100));
        else
                say(s, "%s", human_value(value, 0, unit).text);
}

static void say_guard(Say *s, const Record *r) {
        say(s, "guard %s: %s", r->guard, r->why ? r->why : "");
        if (r->unit) {
                say(s, " (");
                say_number(s, r->number_a, r->unit);
                say(s, ", limit ");
                say_number(s, r->number_b, r->unit);
                say(s, ")");
        }
}

static void say_verdict(Say *s, const Engine *e, const Record *r) {
        say(s, "%s ", trial_verdict_to_string(r->verdict));
        say_change(s, e, r);
        if (r->number_a > 0)
                say(s, " after %lld quads", (long long) r->number_a);
        if (r->number_b > 0)
                say(s, " and %lld lost ones", (long long) r->number_b);
        say_effect(s, e, r);
        if (r->why)
                say(s, "; %s", r->why);
}

static void say_record(Say *s, const Engine *e, const Record *r) {
        switch (r->kind) {
        case RECORD_HOT:
                say_watch(s, e, r, "hot from");
                break;
        case RECORD_COOL:
                say_watch(s, e, r, "cool below");
                break;
        case RECORD_ARMED:
                say(s, "waits for its turn: ");
                say_watch(s, e, r, "hot from");
                break;
        case RECORD_TRIAL_BEGIN:
                say(s, "tries ");
                say_change(s, e, r);
                if (r->number_a > 1)
                        say(s, ", one of %lld together", (long long) r->number_a);
                if (r->value_known) {
                        say(s, ": ");
                        say_watch(s, e, r, "hot from");
                }
                break;
        case RECORD_WRITE:
                say(s, "wrote ");
                say_change(s, e, r);
                if (r->why)
                        say(s, "; %s", r->why);
                break;
        case RECORD_VERDICT:
                say_verdict(s, e, r);
                break;
        case RECORD_VOID:
                say(s, "a quad is lost: %s", r->why ? r->why : "");
                break;
        case RECORD_PROBATION:
                say(s, "on probation for ");
                say_span(s, r->number_a);
                say(s, ": ");
                say_knob(s, e, r);
                say(s, " ");
                say_value(s, e, r, r->to_known, r->to);
                break;
        case RECORD_HOLD:
                say(s, "keeps ");
                say_knob(s, e, r);
                say(s, " ");
                say_value(s, e, r, r->to_known, r->to);
                say_effect(s, e, r);
                break;
        case RECORD_STEP_DOWN:
                say(s, "steps down: nothing waits and the lists hold memory; ");
                say_change(s, e, r);
                break;
        case RECORD_REVALIDATE:
                say(s, "compares with the kernel's default again: ");
                say_change(s, e, r);
                if (r->why)
                        say(s, "; %s", r->why);
                break;
        case RECORD_CUT:
                say_guard(s, r);
                if (r->to_known) {
                        say(s, "; cuts ");
                        say_change(s, e, r);
                } else
                        say(s, "; the value before comes back");
                break;
        case RECORD_ABORT:
                say_guard(s, r);
                say(s, "; the value before comes back");
                break;
        case RECORD_BLOCK:
                say_knob(s, e, r);
                say(s, " ");
                say_value(s, e, r, r->to_known, r->to);
                say(s, " is not tried again for ");
                say_span(s, r->number_a);
                say(s, ": %s", r->why ? r->why : "");
                break;
        case RECORD_COOLDOWN:
                say(s, "pauses for ");
                say_span(s, r->number_a);
                if (r->number_b > 0)
                        say(s, " after %lld %s in a row", (long long) r->number_b,
                            r->number_b == 1 ? "failure" : "failures");
                break;
        case RECORD_YIELD:
                say(s, "somebody else changed ");
                say_change(s, e, r);
                say(s, ": it is left alone until it is resumed");
                break;
        case RECORD_RESUME:
                say(s, "resumed ");
                say_knob(s, e, r);
                break;
        case RECORD_REFUSED:
                say(s, "could not write ");
                say_change(s, e, r);
                say(s, ": %s", r->why ? r->why : "");
                if (r->number_a != 0)
                        say(s, " (error %lld)", (long long) r->number_a);
                break;
        case RECORD_WORKLOAD:
                say(s, "%s", r->why ? r->why : "the workload changed");
                break;
        case RECORD_GUARD:
                if (r->guard)
                        say_guard(s, r);
                else {
                        say(s, "%s: ", r->why ? r->why : "");
                        say_watch(s, e, r, "the first one fell by");
                }
                break;
        case RECORD_ADVISE:
                say(s, "only advises: %s", r->why ? r->why : "");
                if (r->value_known) {
                        say(s, "; ");
                        say_watch(s, e, r, "hot from");
                } else if (r->to_known) {
                        say(s, "; ");
                        say_change(s, e, r);
                }
                break;
        case _RECORD_KIND_MAX:
                break;
        }
}

bool record_reason(const Engine *e, const Record *r, char *buffer, size_t size) {
        Say s = { .buffer = buffer, .size = size };

        if (size == 0)
                return false;
        buffer[0] = 0;
        say_record(&s, e, r);
        return !s.cut;
}

static void say_gate_value(Say *s, const Plan *plan, size_t watch, const GateValue *v,
                           const PolicyTarget *t) {
        const Watch *w = &plan->watches[watch];
        bool ppm = w->spec && strcmp(w->spec->unit, "ppm") == 0;

        say(s, "%s is ", w->name);
        say_milli(s, w, v->y_milli);
        say(s, ", hot from ");
        say_number(s, t->hot, ppm ? "ppm" : w->spec ? w->spec->unit : "");
        if (v->n_hot > 0 && v->n_hot < t->windows_hot)
                say(s, " for %u windows, so far %u", t->windows_hot, v->n_hot);
}

static const char *idle_to_string(GateIdle idle) {
        switch (idle) {
        case GATE_BUSY:
                return "";
        case GATE_IDLE_SAVING:
        case GATE_IDLE_SAVING_CPUS:
                return "; too little CPU time could be saved";
        case GATE_IDLE_USE:
                return "; the zone locks are hardly held";
        case GATE_IDLE_KERNEL_CPU:
                return "; the kernel takes little CPU time";
        }
        return "";
}

/* The target that keeps the gate shut: the first known one that is not hot, else the first known. */
static void say_gate(Say *s, const Engine *e, const Slot *slot) {
        const Policy *p = slot->plan->policy;
        const Gate *g = &slot->gate;
        unsigned chosen = POLICY_TARGETS_MAX;

        for (unsigned i = p->n_targets; i-- > 0;)
                if (g->target[i].known && slot->plan->target[i] < e->plan->n_watches &&
                    (chosen == POLICY_TARGETS_MAX || g->target[i].n_hot < p->target[i].windows_hot))
                        chosen = i;
        if (chosen < POLICY_TARGETS_MAX) {
                say_gate_value(s, e->plan, slot->plan->target[chosen], &g->target[chosen],
                               &p->target[chosen]);
                say(s, "%s", idle_to_string(g->idle));
                return;
        }
        say(s, "nothing to go by:");
        for (unsigned i = 0; i < p->n_targets; i++)
                say(s, "%s %s", i > 0 ? "," : "", p->target[i].signal);
        say(s, "%s not known here", p->n_targets == 1 ? " is" : " are");
        for (unsigned i = 0; i < p->n_fallback; i++)
                if (g->fallback[i].known && slot->plan->fallback[i] < e->plan->n_watches) {
                        say(s, "; ");
                        say_gate_value(s, e->plan, slot->plan->fallback[i], &g->fallback[i],
                                       &p->fallback[i]);
                }
}

static void say_wait(Say *s, const Engine *e, const char *what, usec_t until_usec) {
        say(s, "%s", what);
        if (until_usec > e->now_usec && until_usec != USEC_UNKNOWN) {
                say(s, ", for another ");
                say_span(s, (int64_t) ((until_usec - e->now_usec) / USEC_PER_SEC));
        }
}

static void say_state(Say *s, const Engine *e, const Slot *slot) {
        const char *why = slot->plan->why;

        switch (slot->state) {
        case CONTROLLER_ABSENT:
                say(s, "%s", why[0] ? why : "no such setting here that could be written");
                return;
        case CONTROLLER_YIELDED:
                say(s, "somebody else wrote it: left alone until it is resumed");
                return;
        case CONTROLLER_OBSERVE:
                say_gate(s, e, slot);
                break;
        case CONTROLLER_ARMED:
                say(s, "waits for its turn: ");
                say_gate(s, e, slot);
                break;
        case CONTROLLER_TRIAL:
                say(s, "on trial, %u quads so far", e->run.trial.n);
                return;
        case CONTROLLER_PROBATION:
                say_wait(s, e, "on probation",
                         u64_add_sat(slot->probation_usec, slot->plan->policy->probation_usec));
                return;
        case CONTROLLER_HOLD:
                say(s, "holds its value");
                return;
        case CONTROLLER_COOLDOWN:
                say_wait(s, e, "pauses after a trial", slot->cooldown_usec);
                return;
        case CONTROLLER_BLOCKED:
                say_wait(s, e, "nothing left to try", slot->blocked_usec);
                return;
        case CONTROLLER_PAUSED:
                say(s, "paused by the operator");
                return;
        case _CONTROLLER_STATE_MAX:
                return;
        }
        if (!slot->plan->may_try && why[0])
                say(s, "; it could only advise: %s", why);
}

bool engine_controller_reason(const Engine *e, size_t i, char *buffer, size_t size) {
        Say s = { .buffer = buffer, .size = size };

        if (size == 0)
                return false;
        buffer[0] = 0;
        if (i >= e->plan->n_controllers)
                return false;
        say_state(&s, e, &e->slots[i]);
        return !s.cut;
}
