/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knobs that are one word or one number of the system, the alignment of mappings (which is a fact, not a
 * setting), and what is known of kernels. */
#include <string.h>

#include "core/control/advise-build.h"
#include "core/control/arm.h"
#include "core/control/kernel-range.h"

static const char *choose_word(const AdviseBuild *b, const Policy *policy, const Knob *knob) {
        for (unsigned i = 0; i < policy->n_arms; i++)
                if (arm_word_fits(b->in->knobs, knob, policy->arm[i].text))
                        return policy->arm[i].text;
        return NULL;
}

/* Of amounts: a switch, bits and a word need none. */
static const char *unit_of(const Knob *knob) {
        static const char *const amounts[] = { "kB", "ms", "pages", "percent" };

        for (size_t i = 0; i < ELEMENTSOF(amounts); i++)
                if (strcmp(knob->spec->unit, amounts[i]) == 0)
                        return amounts[i];
        return "";
}

static void say_nothing(AdviseBuild *b, const Policy *policy, const Knob *knob,
                        const TargetsView *targets, const char *more) {
        char text[900] = "";

        if (knob && knob->value[0])
                say(text, sizeof(text), "%s is %s%s%s (owner %s)", knob->name, knob->value,
                    unit_of(knob)[0] ? " " : "", unit_of(knob), knob_owner_to_string(knob->owner));
        else if (knob)
                say(text, sizeof(text), "%s: %s", knob->name,
                    knob->reason[0] ? knob->reason : knob_state_to_string(knob->state));
        else
                say(text, sizeof(text), "this machine does not have %s", policy->knob);
        if (more[0])
                say(text, sizeof(text), "; %s", more);
        if (targets->text[0])
                say(text, sizeof(text), "; %s", targets->text);
        if (targets->n_unknown > 0)
                say(text, sizeof(text), "; unknown: %s", targets->unknown);
        (void) advise_note(b, VERDICT_NOTHING, policy->name, policy->name, "%s", text);
}

static const char *enabled_pinned(const Knob *knob) {
        return strcmp(knob->name, "thp-enabled") == 0 && knob->value[0] &&
                               strcmp(knob->value, "always") != 0
                       ? "a choice that is respected: \"always\" is never proposed"
                       : "";
}

static void finish(AdviseBuild *b, const Policy *policy, const Knob *knob,
                   const TargetsView *targets, const GuardView *guards, Recommendation *rec) {
        advise_judge(b, policy, knob, targets, guards, rec);
        if (targets->state == TARGETS_NONE)
                rec->confidence = CONFIDENCE_MEDIUM;
}

void advise_word(AdviseBuild *b, const Policy *policy) {
        const Knob *knob = knob_set_find(b->in->knobs, policy->knob, NULL);
        Scope scope = scope_system();
        TargetsView targets;
        GuardView guards;
        Recommendation *rec;
        const char *word;

        targets_view(b, policy, &scope, &targets);
        guards_view(b, policy, &guards);
        word = knob && knob->value[0] ? choose_word(b, policy, knob) : NULL;
        if (!word || (targets.state != TARGETS_HOT && targets.state != TARGETS_NONE)) {
                say_nothing(b, policy, knob, &targets, knob ? enabled_pinned(knob) : "");
                return;
        }
        rec = advise_recommend(b, policy, knob->name, &scope);
        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(knob->value));
        (void) text_copy(rec->to, sizeof(rec->to), text_from(word));
        say(rec->how, sizeof(rec->how), "echo %s > %s", word, knob->path);
        rec->memory_bytes = KNOWN(0);
        say(rec->reason, sizeof(rec->reason), "%s%s%s", targets.text, targets.text[0] ? "; " : "",
            policy->about);
        say(rec->expect, sizeof(rec->expect), "keep it only if %s falls by %s or more",
            policy->cost, human_share(policy->least_gain_ppm).text);
        finish(b, policy, knob, &targets, &guards, rec);
}

/* The zone nearest to running dry, for the administrator who has to choose a watermark. */
static void say_watermarks(const AdviseBuild *b, char *text, size_t size) {
        const ZoneInfo *info = advise_zoneinfo(b);
        const Zone *tightest = NULL;
        uint64_t tightest_share = UINT64_MAX, kb = advise_page_bytes(b) / 1024;

        for (size_t i = 0; info && i < info->n; i++) {
                const Zone *zone = &info->zones[i];
                uint64_t share;

                if (!zone_is_populated(zone) || !zone->free.known || !zone->min.known ||
                    zone->min.value == 0 || strcmp(zone->name, "DMA") == 0)
                        continue;
                share = u64_muldiv(zone->free.value, 1000, zone->min.value);
                if (share < tightest_share) {
                        tightest_share = share;
                        tightest = zone;
                }
        }
        if (!tightest)
                return;
        say(text, size,
            "; node %u zone %s has %llu kB free with watermarks min %llu kB, low %llu kB, high %llu kB",
            tightest->node, tightest->name,
            (unsigned long long) u64_mul_sat(tightest->free.value, kb),
            (unsigned long long) u64_mul_sat(tightest->min.value, kb),
            (unsigned long long) u64_mul_sat(tightest->low.value, kb),
            (unsigned long long) u64_mul_sat(tightest->high.value, kb));
}

/* What the kernel log says of failed allocations, first event first: who asked for what. */
static void say_failures(const AdviseBuild *b, const char *signal, char *text, size_t size) {
        bool high = strcmp(signal, "alloc-failure-high-order") == 0;

        if (!b->in->kmsg || (!high && strcmp(signal, "alloc-failure-order0") != 0))
                return;
        for (size_t i = 0; i < b->in->kmsg->n; i++) {
                const KmsgEvent *e = &b->in->kmsg->events[i];

                if (e->kind != KMSG_ALLOCATION_FAILURE ||
                    (e->order.known && e->order.value > 0) != high)
                        continue;
                say(text, size, "; kernel log line %u: %s%sorder %llu%s%s, %u time%s",
                    e->first_line, e->comm, e->comm[0] ? ", " : "",
                    (unsigned long long) e->order.value, e->mode[0] ? ", mode " : "", e->mode,
                    e->count, e->count == 1 ? "" : "s");
                return;
        }
}

/* The value that the first fitting arm names: a multiple of the default for a ladder, itself otherwise. */
static bool choose_integer(const Policy *policy, const Knob *knob, char *ret_text, size_t size) {
        for (unsigned i = 0; i < policy->n_arms; i++) {
                const PolicyArm *arm = &policy->arm[i];

                if (policy->controller == CONTROLLER_LADDER && arm->multiple_milli > 0) {
                        uint64_t value;

                        if (!knob->def_number.known || !knob->number.known)
                                continue;
                        value = u64_muldiv(knob->def_number.value, (uint64_t) arm->multiple_milli,
                                           1000);
                        if (value <= knob->number.value ||
                            value > (uint64_t) MAX(knob->spec->ceiling, (int64_t) 0))
                                continue;
                        (void) text_format(ret_text, size, "%llu", (unsigned long long) value);
                        return true;
                }
                if (strcmp(arm->text, knob->value) != 0) {
                        (void) text_copy(ret_text, size, text_from(arm->text));
                        return true;
                }
        }
        return false;
}

void advise_integer(AdviseBuild *b, const Policy *policy) {
        const Knob *knob = knob_set_find(b->in->knobs, policy->knob, NULL);
        Scope scope = scope_system();
        TargetsView targets;
        GuardView guards;
        Recommendation *rec;
        char value[64] = "";
        bool numa = !knob || strcmp(knob->name, "zone-reclaim-mode") != 0 ||
                    b->in->facts->topology.n_nodes != 1;

        targets_view(b, policy, &scope, &targets);
        guards_view(b, policy, &guards);
        if (!knob || knob->state == KNOB_ABSENT ||
            (targets.state != TARGETS_HOT && targets.state != TARGETS_NONE) || !numa ||
            (policy->n_arms > 0 &&
             (!knob->value[0] || !choose_integer(policy, knob, value, sizeof(value))))) {
                say_nothing(b, policy, knob, &targets,
                            numa ? "" : "one node: nothing to reclaim from");
                return;
        }
        rec = advise_recommend(b, policy, knob->name, &scope);
        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(knob->value));
        (void) text_copy(rec->to, sizeof(rec->to), text_from(value));
        say(rec->reason, sizeof(rec->reason), "%s%s%s", targets.text, targets.text[0] ? "; " : "",
            policy->about);
        if (strcmp(knob->name, "min-free") == 0 || strcmp(knob->name, "watermark-scale") == 0)
                say_watermarks(b, rec->reason, sizeof(rec->reason));
        if (targets.lead)
                say_failures(b, targets.lead->name, rec->reason, sizeof(rec->reason));
        if (rec->to[0])
                say(rec->how, sizeof(rec->how), "echo %s > %s", rec->to, knob->path);
        finish(b, policy, knob, &targets, &guards, rec);
}

void advise_alignment(AdviseBuild *b, const Policy *policy) {
        const Knob *knob = knob_set_find(b->in->knobs, policy->knob, NULL);
        Scope scope = scope_system();
        TargetsView targets;
        Recommendation *rec;

        targets_view(b, policy, &scope, &targets);
        if (!knob || strcmp(knob->value, "always") != 0 || targets.state == TARGETS_COLD) {
                say_nothing(
                        b, policy, knob, &targets,
                        knob && strcmp(knob->value, "multiple") == 0
                                ? "only mappings of a multiple of the huge page size are aligned"
                        : knob && strcmp(knob->value, "never") == 0
                                ? "anonymous mappings are not aligned"
                                : "");
                return;
        }
        rec = advise_recommend(b, policy, knob->name, &scope);
        if (!rec)
                return;
        (void) text_copy(rec->from, sizeof(rec->from), text_from(knob->value));
        say(rec->to, sizeof(rec->to), "multiple");
        say(rec->reason, sizeof(rec->reason), "%s; %s", policy->about,
            knob->reason[0] ? knob->reason : "found by mapping");
        rec->evidence = knob->inferred ? EVIDENCE_ESTIMATED : EVIDENCE_MEASURED;
        rec->confidence = knob->inferred ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
        say(rec->expect, sizeof(rec->expect), "%s", policy->text);
}

void advise_known_kernel(AdviseBuild *b, const Policy *policy) {
        const MachineFacts *facts = b->in->facts;
        Scope scope = scope_system();
        TargetsView targets;
        bool holds;

        if (policy->kernel[0] &&
            !kernel_range_has(text_from(policy->kernel), text_from(facts->release)))
                return;
        targets_view(b, policy, &scope, &targets);
        holds = (policy->cpus_at_least > 0 && facts->topology.n_online >= policy->cpus_at_least) ||
                targets.state == TARGETS_HOT;
        if (holds) {
                char why[600] = "";

                if (targets.state == TARGETS_HOT)
                        say(why, sizeof(why), "%s", targets.text);
                if (targets.state == TARGETS_HOT && targets.lead)
                        say_failures(b, targets.lead->name, why, sizeof(why));
                if (policy->cpus_at_least > 0 && facts->topology.n_online >= policy->cpus_at_least)
                        say(why, sizeof(why), "%s%u CPUs (from %u on)", why[0] ? "; " : "",
                            facts->topology.n_online, policy->cpus_at_least);
                (void) advise_note(b, policy->not_ours ? VERDICT_NOT_OURS : VERDICT_ADVISE,
                                   policy->name, policy->name, "%s: %s", why, policy->text);
        } else if (policy->kernel[0]) {
                char sign[400] = "";

                if (policy->cpus_at_least > 0)
                        say(sign, sizeof(sign), "said from %u CPUs on, here %u",
                            policy->cpus_at_least, facts->topology.n_online);
                if (targets.text[0])
                        say(sign, sizeof(sign), "%s%s", sign[0] ? "; " : "", targets.text);
                if (targets.n_unknown > 0)
                        say(sign, sizeof(sign), "%sunknown: %s", sign[0] ? "; " : "",
                            targets.unknown);
                (void) advise_note(b, VERDICT_NOTHING, policy->name, policy->name,
                                   "known of kernel %s: %s%s%s%s", facts->release, policy->about,
                                   sign[0] ? " (" : "", sign, sign[0] ? ")" : "");
        }
}
