/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "core/engine/engine-private.h"

/* Records are numbers in a ring; their sentences are in record-reason.c. */

Record *record_add(Engine *e, RecordKind kind, const Slot *s, size_t k) {
        Record *r = &e->records[e->n_records % ENGINE_RECORDS];

        *r = (Record){ .number = ++e->n_records,
                       .at_usec = e->now_usec,
                       .kind = kind,
                       .policy = s ? s->plan->policy : NULL,
                       .knob = k,
                       .watch = PLAN_NONE };
        return r;
}

void record_gate(const Slot *s, Record *r) {
        bool fallback;
        unsigned i = gate_first(&s->gate, s->plan, &fallback);
        const GateValue *v;
        const PolicyTarget *t;

        if (i >= POLICY_TARGETS_MAX)
                return;
        v = fallback ? &s->gate.fallback[i] : &s->gate.target[i];
        t = fallback ? &s->plan->policy->fallback[i] : &s->plan->policy->target[i];
        r->watch = fallback ? s->plan->fallback[i] : s->plan->target[i];
        r->evidence = v->evidence;
        r->value_known = true;
        r->value_milli = v->y_milli;
        r->target_known = true;
        r->target_milli = r->kind == RECORD_COOL ? t->cool : t->hot;
        r->target_milli = r->target_milli > INT64_MAX / 1000 ? INT64_MAX : r->target_milli * 1000;
}

const Record *engine_record(const Engine *e, size_t i) {
        uint64_t kept = MIN(e->n_records, (uint64_t) ENGINE_RECORDS);

        if (i >= kept)
                return NULL;
        return &e->records[(e->n_records - kept + i) % ENGINE_RECORDS];
}

uint64_t engine_record_count(const Engine *e) {
        return e->n_records;
}

const char *controller_state_to_string(ControllerState s) {
        switch (s) {
        case CONTROLLER_ABSENT:
                return "absent";
        case CONTROLLER_YIELDED:
                return "yielded";
        case CONTROLLER_OBSERVE:
                return "observe";
        case CONTROLLER_ARMED:
                return "armed";
        case CONTROLLER_TRIAL:
                return "trial";
        case CONTROLLER_PROBATION:
                return "probation";
        case CONTROLLER_HOLD:
                return "hold";
        case CONTROLLER_COOLDOWN:
                return "cooldown";
        case CONTROLLER_BLOCKED:
                return "blocked";
        case CONTROLLER_PAUSED:
                return "paused";
        case _CONTROLLER_STATE_MAX:
                break;
        }
        return "unknown";
}

const char *record_kind_to_string(RecordKind k) {
        switch (k) {
        case RECORD_HOT:
                return "hot";
        case RECORD_COOL:
                return "cool";
        case RECORD_ARMED:
                return "armed";
        case RECORD_TRIAL_BEGIN:
                return "trial-begin";
        case RECORD_WRITE:
                return "write";
        case RECORD_VERDICT:
                return "verdict";
        case RECORD_VOID:
                return "void";
        case RECORD_PROBATION:
                return "probation";
        case RECORD_HOLD:
                return "hold";
        case RECORD_STEP_DOWN:
                return "step-down";
        case RECORD_REVALIDATE:
                return "revalidate";
        case RECORD_CUT:
                return "cut";
        case RECORD_ABORT:
                return "abort";
        case RECORD_BLOCK:
                return "block";
        case RECORD_COOLDOWN:
                return "cooldown";
        case RECORD_YIELD:
                return "yield";
        case RECORD_RESUME:
                return "resume";
        case RECORD_REFUSED:
                return "refused";
        case RECORD_WORKLOAD:
                return "workload";
        case RECORD_GUARD:
                return "guard";
        case RECORD_ADVISE:
                return "advise";
        case _RECORD_KIND_MAX:
                break;
        }
        return "unknown";
}

const char *trial_verdict_to_string(TrialVerdict v) {
        switch (v) {
        case TRIAL_PENDING:
                return "pending";
        case TRIAL_ACCEPT:
                return "accept";
        case TRIAL_FUTILE:
                return "futile";
        case TRIAL_REJECT:
                return "reject";
        case TRIAL_ABORT:
                return "abort";
        case TRIAL_INCONCLUSIVE:
                return "inconclusive";
        case _TRIAL_VERDICT_MAX:
                break;
        }
        return "unknown";
}
