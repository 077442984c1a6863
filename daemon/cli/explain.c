/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cli/print-advice.h"

void facts_add(Facts *f, const char *label, const char *format, ...) {
        char text[2048];
        va_list args;

        va_start(args, format);
        if (!text_format_va(text, sizeof(text), format, args))
                memcpy(text + sizeof(text) - 4, "...", 4);
        va_end(args);
        if (f->n == f->allocated) {
                size_t wanted = f->allocated > 0 ? 2 * f->allocated : 16;
                Fact *facts = reallocarray(f->facts, wanted, sizeof(*facts));

                if (!facts) {
                        f->failed = true;
                        return;
                }
                f->facts = facts;
                f->allocated = wanted;
        }
        f->facts[f->n] = (Fact){ .label = label, .text = strdup(text) };
        if (f->facts[f->n].text)
                f->n++;
        else
                f->failed = true;
}

void facts_done(Facts *f) {
        for (size_t i = 0; i < f->n; i++)
                free(f->facts[i].text);
        free(f->facts);
        *f = (Facts){ 0 };
}

static void add_policies_of_knob(Facts *f, const PolicySet *policies, const KnobSpec *spec) {
        for (size_t i = 0; i < policies->n; i++) {
                const Policy *p = &policies->policies[i];

                if (!p->note && knob_spec_find(text_from(p->knob)) == spec)
                        facts_add(f, "policy", "%s, %s: %s", p->name,
                                  p->apply ? "may try values" : "advises only", p->about);
        }
}

static void add_states(Facts *f, const KnobSet *set, const KnobSpec *spec) {
        unsigned n[_KNOB_STATE_MAX] = { 0 }, n_set = 0;
        uint64_t memory = 0;
        bool memory_known = false;

        for (size_t i = 0; i < set->n; i++) {
                const Knob *k = &set->knobs[i];

                if (k->spec != spec)
                        continue;
                n[k->state]++;
                n_set += k->number.known && k->def_number.known &&
                         k->number.value != k->def_number.value;
                if (k->memory_bytes.known) {
                        memory = u64_add_sat(memory, k->memory_bytes.value);
                        memory_known = true;
                }
        }
        for (KnobState s = 0; s < _KNOB_STATE_MAX; s++)
                if (n[s] > 0)
                        facts_add(f, "here", "%s: %s", knob_state_to_string(s),
                                  human_count(n[s]).text);
        facts_add(f, "here", "%s away from the kernel's default",
                  n_set > 0 ? human_count(n_set).text : "none");
        if (memory_known)
                facts_add(f, "memory", "at most %s in all, at the present values",
                          human_bytes(memory).text);
}

static void add_row(Facts *f, const Knob *k) {
        facts_add(f, "state", "%s%s%s%s", knob_state_to_string(k->state),
                  k->inferred ? ", a guess" : "", k->reason[0] ? ": " : "", k->reason);
        facts_add(f, "value", "%s", k->value[0] ? k->value : "unknown");
        facts_add(f, "default", "%s", k->def[0] ? k->def : "unknown");
        facts_add(f, "owner", "%s", knob_owner_to_string(k->owner));
        if (k->path[0])
                facts_add(f, "file", "%s", k->path);
        if (k->cache && k->cache->n_aliases > 0)
                facts_add(f, "names", "%s", k->aliases);
        if (k->memory_bytes.known)
                facts_add(f, "memory", "at most %s at the present value",
                          human_bytes(k->memory_bytes.value).text);
}

void explain_knob(Facts *f, const Observation *o, const PolicySet *policies, const KnobSpec *spec,
                  const Knob *k) {
        facts_add(f, "what", "%s", spec->help);
        if (k)
                add_row(f, k);
        else
                add_states(f, &o->knobs, spec);
        facts_add(f, "legal", "%s (%s)", spec->legal, spec->unit);
        explain_knob_numbers(f, o, spec, k);
        facts_add(f, "cost", "%s", spec->memory);
        facts_add(f, "risk", "%s", spec->risk);
        if (spec->context_only)
                facts_add(f, "write", "never written: read for context");
        else if (spec->window_s > 0)
                facts_add(f, "trial",
                          "windows of %u s, of which %u s to settle; at least %u s between writes",
                          spec->window_s, spec->settle_s, spec->write_gap_s);
        facts_add(f, "verify", "%s", spec->verify);
        add_policies_of_knob(f, policies, spec);
        facts_add(f, "source", "%s", spec->source);
}

/* The numbers that went into the signal, where they are not the signal itself. */
static void add_signal_numbers(Facts *f, const Observation *o, const SignalSpec *spec) {
        const Signal *rate = signal_set_find(&o->signals, "alloc-rate", NULL);
        const Topology *t = &o->facts.topology;

        if (text_ends(text_from(spec->name), "-per-kpage") && rate &&
            rate->evidence != EVIDENCE_NONE)
                facts_add(f, "numbers", "alloc-rate %s, %u CPUs online",
                          human_value(rate->value, rate->milli, rate->unit).text, t->n_online);
        else if (spec->lock_wait && spec->best == EVIDENCE_MEASURED && t->n_online > 0)
                facts_add(f, "numbers", "%u CPUs online: 100 %% are %u CPU seconds a second",
                          t->n_online, t->n_online);
        if (strcmp(spec->name, "pcp-hold-length") == 0) {
                const Zone *zone = o->pcp.zoneinfo ? pcp_largest_zone(o->pcp.zoneinfo) : NULL;
                PcpPrediction p;

                if (zone && o->pcp.fraction.known &&
                    pcp_predict(&o->pcp, zone, o->pcp.fraction.value, &p))
                        facts_add(
                                f, "numbers",
                                "zone %u/%s, %s: batch %llu, high up to %llu: at most %llu pages a hold, %s",
                                zone->node, zone->name, pcp_gen_to_string(o->pcp.gen),
                                (unsigned long long) p.batch, (unsigned long long) p.high_max,
                                (unsigned long long) pcp_pages_per_hold(o->pcp.gen, p.high_max,
                                                                        p.batch),
                                human_nsec(pcp_hold_nsec(o->pcp.gen, p.high_max, p.batch)).text);
        }
        if (o->kind == WINDOW_BOOT)
                facts_add(f, "window",
                          o->window_usec > 0 ? "since boot, %s" : "one look without an uptime%.0s",
                          human_seconds(o->window_usec).text);
        else
                facts_add(f, "window", "%s, %zu looks", human_seconds(o->window_usec).text,
                          o->n_snapshots);
}

static void add_targets_of(Facts *f, const Policy *p, const PolicyTarget *targets, unsigned n,
                           const char *name, const char *unit, const char *remark) {
        for (unsigned t = 0; t < n; t++)
                if (strcmp(targets[t].signal, name) == 0)
                        facts_add(f, "target", "%s: hot at %s, cool below %s%s (%s:%u)", p->name,
                                  human_value(targets[t].hot, 0, unit).text,
                                  human_value(targets[t].cool, 0, unit).text, remark, p->file,
                                  targets[t].line);
}

static void add_targets(Facts *f, const PolicySet *policies, const char *name, const char *unit) {
        for (size_t i = 0; i < policies->n; i++) {
                const Policy *p = &policies->policies[i];

                add_targets_of(f, p, p->target, p->n_targets, name, unit, "");
                add_targets_of(f, p, p->fallback, p->n_fallback, name, unit,
                               ", where no target is known");
        }
}

void explain_signal(Facts *f, const Observation *o, const PolicySet *policies,
                    const SignalSpec *spec, const Signal *s) {
        const char *unit = s && s->unit ? s->unit : spec->unit;

        facts_add(f, "what", "%s", spec->help);
        if (s && s->evidence != EVIDENCE_NONE)
                facts_add(f, "value", "%s", human_value(s->value, s->milli, unit).text);
        else
                facts_add(f, "value", "unknown");
        facts_add(f, "evidence", "%s; at best %s", s ? cli_evidence(s).text : "none",
                  evidence_to_string(spec->best));
        if (s && s->why)
                facts_add(f, "remark", "%s", s->why);
        facts_add(f, "formula", "%s", spec->formula);
        add_signal_numbers(f, o, spec);
        facts_add(f, "unit", "%s", strcmp(unit, "ppm") == 0 ? "ppm, printed in per cent" : unit);
        facts_add(f, "cost", "%s", spec->cost);
        add_targets(f, policies, s ? s->name : spec->name, unit);
}
