/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static settings of one knob: the kernel's default, the arms that policies may try here, and values between them, four to an octave. Of
 * caches, those with traffic are changed together by the same multiple, as no list can be judged without the others. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulate.h"

#define STEPS_OF_AN_OCTAVE 4
#define SETTINGS_MAX 256u
/* Far beyond what policies try: fractions from the least legal one on, multiples of a cache's default. */
#define WIDE_OCTAVES 16
#define WIDE_MULTIPLE 16.0
#define WIDE_LEAST 0.125

void setting_list_done(SettingList *list) {
        free(list->items);
        *list = (SettingList){ 0 };
}

static Setting *next(SettingList *list) {
        if (list->n >= SETTINGS_MAX)
                return NULL;
        list->items[list->n] = (Setting){ .n = 0 };
        return &list->items[list->n++];
}

static bool write_add(Setting *s, const PlanKnob *knob, int64_t value) {
        char text[32];

        if (s->n == SIMULATE_GROUP_MAX || !knob_value_format(knob->spec, value, text, sizeof(text)))
                return false;
        (void) text_copy(s->write[s->n].path, sizeof(s->write[0].path), text_from(knob->path));
        (void) text_copy(s->write[s->n].text, sizeof(s->write[0].text), text_from(text));
        s->n++;
        return true;
}

/* One value of one knob; twice the same is left out. */
static void add_value(SettingList *list, const PlanKnob *knob, int64_t value) {
        Setting *s = next(list);

        if (!s)
                return;
        if (!write_add(s, knob, value)) {
                list->n--;
                return;
        }
        (void) text_copy(s->value, sizeof(s->value), text_from(s->write[0].text));
        for (size_t i = 0; i + 1 < list->n; i++)
                if (strcmp(list->items[i].value, s->value) == 0) {
                        list->n--;
                        return;
                }
}

typedef struct Range {
        int64_t least, most; /* of the arms that fit */
        double multiple;     /* largest of them to the default */
        bool known;
        bool tried; /* the policy of the list is one that may try */
} Range;

static void arms_of(const Plan *plan, size_t k, SettingList *list, Range *range) {
        for (size_t i = 0; i < plan->n_controllers; i++) {
                const PlanController *c = &plan->controllers[i];

                if (k < c->first_knob || k >= c->first_knob + c->n_knobs)
                        continue;
                if (!list->policy || (c->may_try && !range->tried)) {
                        list->policy = c->policy;
                        range->tried = c->may_try;
                }
                for (unsigned l = 1; l < c->n_levels; l++) {
                        const PlanArm *arm = plan_arm(c, k - c->first_knob, l);

                        if (!arm || !arm->fits)
                                continue;
                        add_value(list, &plan->knobs[k], arm->value);
                        range->least = range->known ? MIN(range->least, arm->value) : arm->value;
                        range->most = range->known ? MAX(range->most, arm->value) : arm->value;
                        range->known = true;
                }
        }
        if (range->known && plan->knobs[k].def > 0)
                range->multiple = (double) range->most / (double) plan->knobs[k].def;
}

static void between(SettingList *list, const PlanKnob *knob, double least, double most) {
        for (unsigned i = 0; i <= WIDE_OCTAVES * STEPS_OF_AN_OCTAVE; i++) {
                double value = floor(least * exp2((double) i / STEPS_OF_AN_OCTAVE) + 0.5);

                if (value > most || value > (double) knob->spec->ceiling)
                        return;
                add_value(list, knob, (int64_t) value);
        }
}

static void one_knob(const Plan *plan, size_t k, bool wide, SettingList *list) {
        const PlanKnob *knob = &plan->knobs[k];
        Range range = { 0 };

        if (knob->def_known)
                add_value(list, knob, knob->def);
        arms_of(plan, k, list, &range);
        if (knob->spec->words) {
                for (int64_t i = 0; wide && knob->spec->words[i]; i++)
                        add_value(list, knob, i);
                return;
        }
        if (wide)
                between(list, knob, MAX((double) knob->spec->floor, 8), 1e9);
        else if (range.known)
                between(list, knob, (double) range.least, (double) range.most);
}

static double share_of(const PlantMachine *machine, const PlanKnob *knob) {
        for (unsigned i = 0; i < machine->n_caches; i++) {
                char scope[SCOPE_MAX];

                (void) text_format(scope, sizeof(scope), "cache:%s", machine->caches[i].name);
                if (strcmp(scope, knob->scope.name) == 0)
                        return machine->caches[i].share;
        }
        return 0;
}

static void add_multiple(SettingList *list, const Plan *plan, const size_t *knobs, unsigned n,
                         double multiple) {
        Setting *s = next(list);
        bool good = s != NULL;

        if (!s)
                return;
        for (unsigned i = 0; i < n && good; i++) {
                const PlanKnob *knob = &plan->knobs[knobs[i]];
                double value = floor((double) knob->def * multiple + 0.5);

                value = MIN(MAX(value, (double) knob->spec->floor), (double) knob->spec->ceiling);
                good = write_add(s, knob, (int64_t) value);
        }
        if (!good) {
                list->n--;
                return;
        }
        (void) text_format(s->value, sizeof(s->value), "%s (x%.3g)", s->write[0].text, multiple);
        for (size_t i = 0; i + 1 < list->n; i++)
                if (strcmp(list->items[i].write[0].text, s->write[0].text) == 0) {
                        list->n--;
                        return;
                }
}

static void caches(const Plan *plan, const size_t *knobs, unsigned n, bool wide,
                   SettingList *list) {
        double most = wide ? WIDE_MULTIPLE : 1;

        for (unsigned i = 0; i < n; i++) {
                SettingList arms = { .items = calloc(SETTINGS_MAX, sizeof(Setting)) };
                Range range = { 0 };

                if (!arms.items)
                        return;
                arms_of(plan, knobs[i], &arms, &range);
                if (!list->policy)
                        list->policy = arms.policy;
                most = MAX(most, range.multiple);
                setting_list_done(&arms);
        }
        add_multiple(list, plan, knobs, n, 1);
        for (double x = wide ? WIDE_LEAST : 1; x <= most * 1.0001;
             x *= exp2(1.0 / STEPS_OF_AN_OCTAVE))
                add_multiple(list, plan, knobs, n, x);
}

int setting_list_make(const Plan *plan, const PlantMachine *machine, const char *knob, bool wide,
                      SettingList *ret) {
        SettingList list = { .items = calloc(SETTINGS_MAX, sizeof(Setting)) };
        size_t group[SIMULATE_GROUP_MAX];
        unsigned n = 0;

        if (!list.items)
                return -ENOMEM;
        for (size_t i = 0; i < plan->n_knobs; i++) {
                const PlanKnob *k = &plan->knobs[i];

                if (strcmp(k->name, knob) != 0)
                        continue;
                if (scope_is_system(&k->scope)) {
                        if (list.n == 0)
                                one_knob(plan, i, wide, &list);
                } else if (n < ELEMENTSOF(group) && k->def_known && share_of(machine, k) > 0)
                        group[n++] = i;
        }
        if (n > 0)
                caches(plan, group, n, wide, &list);
        *ret = list;
        return 0;
}
