/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms of slab caches, of words and of plain numbers (the per-CPU lists: plan-pcp.c). */
#include <string.h>

#include "base/human.h"
#include "base/number.h"
#include "core/control/arm.h"
#include "core/engine/plan-private.h"

static void refuse(PlanArm *arm, const char *why) {
        (void) text_copy(arm->why, sizeof(arm->why), text_from(why));
}

static bool is_multiple(const PlanLevel *level) {
        return level->kind == ARM_STEP && level->multiple_milli > 0;
}

unsigned plan_levels(const Policy *policy, const KnobSpec *spec, PlanLevel ret[PLAN_LEVELS_MAX]) {
        unsigned n = 1;

        ret[0] = (PlanLevel){ .kind = ARM_DEFAULT, .text = "default" };
        for (unsigned i = 0; i < policy->n_arms && i < POLICY_ARMS_MAX; i++) {
                const PolicyArm *arm = &policy->arm[i];
                unsigned at = n;

                if (spec->kind == KNOB_KIND_WORD || arm->multiple_milli <= 1000)
                        continue;
                while (at > 1 && ret[at - 1].multiple_milli > arm->multiple_milli)
                        at--;
                if (at > 1 && ret[at - 1].multiple_milli == arm->multiple_milli)
                        continue;
                for (unsigned k = n; k > at; k--)
                        ret[k] = ret[k - 1];
                ret[at] = (PlanLevel){ .kind = ARM_STEP,
                                       .multiple_milli = arm->multiple_milli,
                                       .text = arm->text };
                n++;
        }
        for (unsigned i = 0; i < policy->n_arms && n < PLAN_LEVELS_MAX; i++) {
                const char *text = policy->arm[i].text;

                if (spec->kind != KNOB_KIND_WORD && policy->arm[i].multiple_milli > 0)
                        continue;
                ret[n++] = (PlanLevel){ .kind = spec->kind == KNOB_KIND_WORD  ? ARM_STEP
                                                : strcmp(text, "cap") == 0    ? ARM_CAP
                                                : strcmp(text, "kernel") == 0 ? ARM_KERNEL
                                                                              : ARM_STEP,
                                        .text = text };
        }
        return n;
}

unsigned plan_feed_forward(const PlanLevel *levels, const PlanArm *arms, unsigned n,
                           int64_t wanted_milli, unsigned steps) {
        unsigned best = 0, level = 0;
        int64_t distance = INT64_MAX;

        for (unsigned l = 1; l < n && wanted_milli > 0; l++) {
                int64_t d = levels[l].multiple_milli > wanted_milli
                                    ? levels[l].multiple_milli - wanted_milli
                                    : wanted_milli - levels[l].multiple_milli;

                if (is_multiple(&levels[l]) && d < distance) {
                        best = l;
                        distance = d;
                }
        }
        if (best == 0)
                return 0;
        for (unsigned l = 1; l < n && l <= best + steps; l++)
                if (is_multiple(&levels[l]) && arms[l].fits)
                        level = l;
        return level;
}

/* --- slab caches --- */

int plan_arms_slab(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                   PlanArm *arms) {
        const MachineFacts *facts = b->in->facts;
        const SlubModel *slub = b->in->slub;
        const SlabCache *cache = knob->cache;
        uint64_t bound, below;
        int present = 0;

        if (!slub || !cache || !knob->def_number.known || !knob->number.known ||
            knob->def_number.value > INT64_MAX) {
                for (unsigned l = 0; l < c->n_levels; l++)
                        refuse(&arms[l], "the present value or the kernel's default is unknown");
                return 0;
        }
        bound = facts->memory_bytes.known
                        ? u64_muldiv(facts->memory_bytes.value,
                                     (uint64_t) MAX(c->policy->memory_ppm, (int64_t) 0), PPM)
                        : 0;
        below = knob->def_number.value;
        for (unsigned l = 0; l < c->n_levels; l++) {
                PlanArm *arm = &arms[l];
                uint64_t value = below;
                MaybeU64 worst;

                if (l > 0 && !is_multiple(&levels[l])) {
                        refuse(arm, "no such arm of this knob");
                        continue;
                }
                if (l > 0)
                        value = arm_slab_value(slub, knob->spec, cache, knob->def_number.value,
                                               levels[l].multiple_milli);
                worst = arm_slab_worst(slub, facts, knob->spec, cache, value);
                arm->value = (int64_t) value;
                arm->memory_bytes = worst.known ? worst.value : UINT64_MAX;
                if (l == 0) {
                        arm->fits = true; /* the kernel's own choice needs no bound */
                        continue;
                }
                if (value <= below)
                        refuse(arm, "no more than the arm below");
                else if (!worst.known || bound == 0)
                        refuse(arm, "what it could hold cannot be computed here");
                else if (worst.value > bound)
                        (void) text_format(arm->why, sizeof(arm->why),
                                           "%s could hold %s (bound %s)", human_count(value).text,
                                           human_bytes(worst.value).text, human_bytes(bound).text);
                else {
                        arm->fits = true;
                        below = value;
                        if (knob->number.value >= value)
                                present = (int) l;
                }
        }
        if (knob->number.value < knob->def_number.value)
                present = -1;
        else if (knob->number.value > below)
                present = (int) c->n_levels - 1;
        return present;
}

/* --- words --- */

static bool word_index(const KnobSpec *spec, const char *word, int64_t *ret_index) {
        for (int64_t i = 0; spec->words && spec->words[i]; i++)
                if (strcmp(spec->words[i], word) == 0) {
                        *ret_index = i;
                        return true;
                }
        return false;
}

bool plan_value(const Knob *knob, const char *text, MaybeU64 number, int64_t *ret_value) {
        if (knob->spec->kind == KNOB_KIND_WORD)
                return word_index(knob->spec, text, ret_value);
        if (!number.known || number.value > INT64_MAX)
                return false;
        *ret_value = (int64_t) number.value;
        return true;
}

/* Level 0 is the default; but where the present word is no arm of ours and the default would be a step back (it allows
 * stalls that the present word does not), level 0 is the present word. */
int plan_arms_word(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                   PlanArm *arms) {
        int64_t now = 0, def = 0;
        bool is_arm = false;
        int present;

        if (!word_index(knob->spec, knob->value, &now)) {
                for (unsigned l = 0; l < c->n_levels; l++)
                        refuse(&arms[l],
                               "the present word is unknown, or none that we would write");
                return 0;
        }
        for (unsigned l = 1; l < c->n_levels; l++)
                is_arm = is_arm || strcmp(levels[l].text, knob->value) == 0;
        if (!word_index(knob->spec, knob->def, &def) ||
            (def != now && !is_arm && !arm_word_fits(b->in->knobs, knob, knob->def))) {
                def = now;
                (void) text_copy(arms[0].text, sizeof(arms[0].text), TEXT("present"));
        }
        present = def == now ? 0 : -1;
        for (unsigned l = 0; l < c->n_levels; l++) {
                int64_t value = def;

                arms[l].memory_bytes = 0;
                if (l > 0 && !word_index(knob->spec, levels[l].text, &value)) {
                        refuse(&arms[l], "no word that we would write");
                        continue;
                }
                arms[l].value = value;
                if (l > 0 && value == def)
                        refuse(&arms[l], "the same as level 0");
                else if (l > 0 && value != now &&
                         !arm_word_fits(b->in->knobs, knob, levels[l].text))
                        refuse(&arms[l], "takes no stall away that the present word allows");
                else
                        arms[l].fits = true;
                if (l > 0 && value == now && value != def)
                        present = (int) l;
        }
        return present;
}

/* --- plain numbers --- */

/* watermark_scale_factor: two steps between three watermarks, each of memory * factor / 10000
 * (mm/page_alloc.c __setup_per_zone_wmarks(), 5.10 to 7.3). Other numbers hold no memory by themselves. */
static uint64_t integer_memory(const PlanBuild *b, const KnobSpec *spec, uint64_t value) {
        if (strcmp(spec->name, "watermark-scale") != 0)
                return 0;
        return b->in->facts->memory_bytes.known
                       ? u64_muldiv(b->in->facts->memory_bytes.value, u64_mul_sat(2, value), 10000)
                       : UINT64_MAX;
}

int plan_arms_integer(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                      PlanArm *arms) {
        uint64_t ceiling = (uint64_t) MAX(knob->spec->ceiling, (int64_t) 0), below, bound;
        int present = 0;

        if (!knob->def_number.known || !knob->number.known || knob->def_number.value > INT64_MAX) {
                for (unsigned l = 0; l < c->n_levels; l++)
                        refuse(&arms[l], "the present value or the kernel's default is unknown");
                return 0;
        }
        below = knob->def_number.value;
        bound = b->in->facts->memory_bytes.known
                        ? u64_muldiv(b->in->facts->memory_bytes.value,
                                     (uint64_t) MAX(c->policy->memory_ppm, (int64_t) 0), PPM)
                        : 0;
        for (unsigned l = 0; l < c->n_levels; l++) {
                PlanArm *arm = &arms[l];
                uint64_t value = below;

                if (l > 0 && !is_multiple(&levels[l])) {
                        refuse(arm, "no such arm of this knob");
                        continue;
                }
                if (l > 0)
                        value = MIN(u64_muldiv(knob->def_number.value,
                                               (uint64_t) levels[l].multiple_milli, 1000),
                                    ceiling);
                arm->value = (int64_t) value;
                arm->memory_bytes = integer_memory(b, knob->spec, value);
                if (l == 0)
                        arm->fits = true;
                else if (value <= below)
                        refuse(arm, "no more than the arm below");
                else if (arm->memory_bytes > bound)
                        refuse(arm, "could hold more memory than bounds.memory");
                else {
                        arm->fits = true;
                        below = value;
                        if (knob->number.value >= value)
                                present = (int) l;
                }
        }
        if (knob->number.value < knob->def_number.value)
                present = -1;
        else if (knob->number.value > below)
                present = (int) c->n_levels - 1;
        return present;
}
