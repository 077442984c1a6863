/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms of the per-CPU page lists. There is one value for all zones; a level is a length of the lists of the largest zone,
 * a multiple of the kernel's default there, and its value is the fraction that gives it.
 *
 *   up to 6.6        level 0 is fraction 0; steps make the lists longer, within the parked bound
 *   6.7 and later    level 0 gives the lists back to the kernel's own tuning, which no value can better: there are
 *                    no steps, only the cap for guards and the latency profile
 *
 * The cap is four batches, 252 pages: the least that a kernel that divides keeps, and what reclaim leaves of any. */
#include <string.h>

#include "base/human.h"
#include "base/number.h"
#include "core/control/arm.h"
#include "core/engine/plan-private.h"

static void set_fraction(const PcpModel *m, PlanArm *arm, uint64_t fraction) {
        uint64_t page_bytes = m->page_bytes.known ? m->page_bytes.value : 4096;
        PcpBound bound;

        pcp_parked_possible(m, fraction, &bound);
        arm->value = (int64_t) fraction;
        arm->parked_possible_ppm = bound.share_ppm;
        arm->memory_bytes = bound.n_unknown == 0 && bound.total_pages > 0
                                    ? u64_mul_sat(bound.total_pages, page_bytes)
                                    : UINT64_MAX;
}

/* A cap that is no shorter than the kernel's own lists cuts nothing. */
static void set_cap(PlanController *c, const PcpModel *m, unsigned level) {
        MaybeU64 fraction = arm_pcp_cap(m), capped, by_kernel = arm_pcp_longest(m, 0);

        if (!fraction.known)
                return;
        capped = arm_pcp_longest(m, fraction.value);
        if (!capped.known || !by_kernel.known || capped.value >= by_kernel.value)
                return;
        c->cap_known = true;
        c->cap = (PlanArm){ .kind = ARM_CAP, .level = level, .fits = true };
        (void) text_copy(c->cap.text, sizeof(c->cap.text), TEXT("cap"));
        set_fraction(m, &c->cap, fraction.value);
}

static void refuse(PlanArm *arm, const char *why) {
        (void) text_copy(arm->why, sizeof(arm->why), text_from(why));
}

int plan_arms_pcp(PlanBuild *b, PlanController *c, const Knob *knob, const PlanLevel *levels,
                  PlanArm *arms) {
        const PcpModel *m = b->in->pcp;
        const Zone *zone = m && m->zoneinfo ? pcp_largest_zone(m->zoneinfo) : NULL;
        bool tunes = m && pcp_gen_tunes(m->gen);
        PcpPrediction def, now;
        uint64_t high;
        int present = 0;

        if (!zone || !knob->number.known || !pcp_predict(m, zone, 0, &def) ||
            !pcp_predict(m, zone, knob->number.value, &now)) {
                for (unsigned l = 0; l < c->n_levels; l++)
                        refuse(&arms[l],
                               "what this kernel would make of a value cannot be computed here");
                return 0;
        }
        set_cap(c, m, c->n_levels);
        set_fraction(m, &arms[0], 0);
        arms[0].fits = true;
        high = tunes ? def.high_max : def.high_min;
        if (now.high_max < high)
                present = -1;
        for (unsigned l = 1; l < c->n_levels; l++) {
                PlanArm *arm = &arms[l];
                PcpPrediction then;
                MaybeU64 f;

                switch (levels[l].kind) {
                case ARM_DEFAULT:
                case ARM_KERNEL:
                        set_fraction(m, arm, 0);
                        refuse(arm, "0 is the default");
                        continue;
                case ARM_CAP:
                        if (c->cap_known) {
                                c->cap.level = l;
                                *arm = c->cap;
                        } else
                                refuse(arm, "the kernel's own lists are as short");
                        continue;
                case ARM_STEP:
                        break;
                }
                if (levels[l].multiple_milli <= 0) {
                        refuse(arm, "no such arm of this knob");
                        continue;
                }
                if (tunes) {
                        (void) text_format(
                                arm->why, sizeof(arm->why),
                                "the kernel tunes the lists itself here; any value would only lower its ceiling of %s pages",
                                human_count(def.high_max).text);
                        continue;
                }
                f = pcp_fraction_for_high(
                        m, zone,
                        u64_muldiv(def.high_min, (uint64_t) levels[l].multiple_milli, 1000));
                if (!f.known || !pcp_predict(m, zone, f.value, &then) || then.high_max <= high) {
                        refuse(arm, "no fraction makes the lists longer than the arm below");
                        continue;
                }
                set_fraction(m, arm, f.value);
                if (!arm_pcp_fits(m, b->in->signals, c->policy->parked_possible_ppm, f.value,
                                  arm->why, sizeof(arm->why)))
                        continue;
                arm->fits = true;
                high = then.high_max;
                if (present >= 0 && now.high_max >= high)
                        present = (int) l;
        }
        /* Above every arm, or as long as the tuner could make them: nothing to try. */
        if (present >= 0 && (tunes ? knob->number.value != 0 : now.high_max > high))
                present = (int) c->n_levels - 1;
        if (!tunes) {
                int64_t milli = arm_pcp_feed_forward(
                        &b->in->facts->topology,
                        topology_local_cpus(&b->in->facts->topology, zone->node));

                c->feed_forward = plan_feed_forward(levels, arms, c->n_levels, milli > 0 ? 2000 : 0,
                                                    milli > 2000 ? 1 : 0);
        }
        return present;
}
