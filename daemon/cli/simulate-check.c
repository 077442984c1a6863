/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds of a scenario against what happened. What is not known holds no bound. */
#include "cli/simulate-check.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"

void check_bounds(SimulateCheck *c) {
        const ScenarioExpect *e = c->expect;

        c->ok = c->known && (!e->least_known || c->got >= e->least) &&
                (!e->most_known || c->got <= e->most);
}

static void number(SimulateCheck *c, uint64_t value) {
        c->known = true;
        c->got = (int64_t) MIN(value, (uint64_t) INT64_MAX);
        check_bounds(c);
}

static void word(SimulateCheck *c, const char *text) {
        (void) text_copy(c->text, sizeof(c->text), text_from(text));
        c->known = true;
        c->ok = strcmp(c->text, c->expect->text) == 0;
}

static const PlanKnob *plan_knob(const Plan *plan, const char *name, const char *scope) {
        for (size_t i = 0; i < plan->n_knobs; i++)
                if (strcmp(plan->knobs[i].name, name) == 0 &&
                    strcmp(plan->knobs[i].scope.name, scope) == 0)
                        return &plan->knobs[i];
        return NULL;
}

/* The file itself, through the knob's own reading of it ("always [madvise] never" is "madvise"). Knobs that no policy of the scenario has are
 * read where their file is known. */
static void check_value(const RunFacts *f, SimulateCheck *c) {
        const PlanKnob *knob = plan_knob(session_plan(f->session), c->expect->knob,
                                         c->expect->scope);
        const KnobSpec *spec = knob ? knob->spec : knob_spec_find(text_from(c->expect->knob));
        char text[SIMULATE_VALUE_MAX], path[192];
        const char *cache = strchr(c->expect->scope, ':');
        int64_t value;
        Text raw;

        if (!spec || !spec->path)
                return;
        if (knob)
                (void) text_copy(path, sizeof(path), text_from(knob->path));
        else if (strstr(spec->path, "%s") == NULL)
                (void) text_copy(path, sizeof(path), text_from(spec->path));
        else if (!cache || !spec->attribute ||
                 !text_format(path, sizeof(path), "sys/kernel/slab/%s/%s", cache + 1,
                              spec->attribute))
                return;
        arena_reset(&f->m->scratch);
        if (machine_read(f->m, path, 4096, &f->m->scratch, &raw) != 0)
                return;
        if (knob_value_parse(spec, raw, &value) &&
            knob_value_format(spec, value, text, sizeof(text)))
                word(c, text);
        else if (text_copy(text, sizeof(text), text_strip(raw)))
                word(c, text);
}

static void check_state(const RunFacts *f, SimulateCheck *c) {
        ControllerView view;

        for (size_t i = 0; engine_controller(session_engine(f->session), i, &view); i++)
                if (view.policy && strcmp(view.policy->name, c->expect->policy) == 0)
                        word(c, controller_state_to_string(view.state));
}

void check_run(const RunFacts *f, const ScenarioExpect *e, SimulateCheck *ret) {
        const EngineCounts *counts = &f->result->counts;
        SimulateCheck *c = ret;

        *c = (SimulateCheck){ .expect = e };
        switch (e->kind) {
        case EXPECT_REGRET:
                c->known = f->result->cost_known;
                c->got = f->result->regret_ppm;
                check_bounds(c);
                return;
        case EXPECT_ACCEPTED:
                number(c, counts->accepted);
                return;
        case EXPECT_TRIALS:
                number(c, counts->trials);
                return;
        case EXPECT_WRITES:
                number(c, f->truth->n_writes);
                return;
        case EXPECT_CUTS:
                number(c, counts->cuts);
                return;
        case EXPECT_GUARD_EVENTS:
                number(c, counts->guard_events);
                return;
        case EXPECT_YIELDS:
                number(c, counts->yields);
                return;
        case EXPECT_PARKED:
                number(c, (uint64_t) f->truth->parked_max_ppm);
                return;
        case EXPECT_OVERWRITTEN:
                number(c, f->truth->foreign_overwritten);
                return;
        case EXPECT_SECONDS_TO_HOLD:
                if (f->result->hold_usec != USEC_UNKNOWN)
                        number(c, f->result->hold_usec / USEC_PER_SEC);
                return;
        case EXPECT_VALUE:
                check_value(f, c);
                return;
        case EXPECT_STATE:
                check_state(f, c);
                return;
        case EXPECT_WORSE_TIME:
                c->known = f->worse_known;
                c->got = f->worse_ppm;
                check_bounds(c);
                return;
        case EXPECT_RESTORED:
                c->known = true;
                c->ok = f->restored;
                (void) text_copy(c->text, sizeof(c->text), f->restored ? TEXT("yes") : TEXT("no"));
                return;
        case EXPECT_METRIC:
        case _EXPECT_MAX:
                return;
        }
}

bool milli_text(int64_t milli, char *buffer, size_t size) {
        uint64_t whole = (uint64_t) (milli < 0 ? -milli : milli) / 1000,
                 part = (uint64_t) (milli < 0 ? -milli : milli) % 1000;
        const char *sign = milli < 0 ? "-" : "";

        if (part == 0)
                return text_format(buffer, size, "%s%" PRIu64, sign, whole);
        if (part % 100 == 0)
                return text_format(buffer, size, "%s%" PRIu64 ".%" PRIu64, sign, whole, part / 100);
        return text_format(buffer, size, "%s%" PRIu64 ".%03" PRIu64, sign, whole, part);
}

bool check_name(const ScenarioExpect *e, char *buffer, size_t size) {
        const char *what = expect_kind_to_string(e->kind);

        if (e->kind == EXPECT_METRIC)
                return text_format(buffer, size, "%s of %s / %s", e->metric,
                                   e->variant[0] ? e->variant : "scenario",
                                   e->against[0] ? e->against : "scenario");
        if (e->kind == EXPECT_VALUE)
                return text_format(buffer, size, "value of %s%s%s", e->knob,
                                   strcmp(e->scope, "system") == 0 ? "" : " ",
                                   strcmp(e->scope, "system") == 0 ? "" : e->scope);
        if (e->kind == EXPECT_STATE)
                return text_format(buffer, size, "state of %s", e->policy);
        return text_copy(buffer, size, text_from(what));
}

static bool bound_text(const ScenarioExpect *e, int64_t value, char *buffer, size_t size) {
        if (e->kind == EXPECT_METRIC)
                return milli_text(value, buffer, size);
        return text_format(buffer, size, "%" PRId64, value);
}

bool check_wanted(const ScenarioExpect *e, char *buffer, size_t size) {
        char least[32] = "", most[32] = "";

        if (e->kind == EXPECT_RESTORED)
                return text_copy(buffer, size, TEXT("yes"));
        if (e->kind == EXPECT_VALUE || e->kind == EXPECT_STATE)
                return text_copy(buffer, size, text_from(e->text));
        (void) bound_text(e, e->least, least, sizeof(least));
        (void) bound_text(e, e->most, most, sizeof(most));
        if (e->least_known && e->most_known)
                return text_format(buffer, size, "%s to %s", least, most);
        return text_format(buffer, size, e->least_known ? "at least %s" : "at most %s",
                           e->least_known ? least : most);
}

bool check_got(const SimulateCheck *c, char *buffer, size_t size) {
        if (!c->known)
                return text_copy(buffer, size, TEXT("-"));
        if (c->text[0])
                return text_copy(buffer, size, text_from(c->text));
        return bound_text(c->expect, c->got, buffer, size);
}
