/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formulas of the knobs with the numbers of this machine. */
#include <string.h>

#include "base/human.h"
#include "cli/explain.h"

#define LLU(v) ((unsigned long long) (v))

static uint64_t page_bytes(const Observation *o) {
        return o->facts.page_bytes.known ? o->facts.page_bytes.value : 4096;
}

static void add_fraction(Facts *f, const Observation *o, const Zone *zone, uint64_t fraction,
                         const char *about) {
        PcpPrediction p;
        PcpBound bound;

        if (!pcp_predict(&o->pcp, zone, fraction, &p))
                return;
        pcp_parked_possible(&o->pcp, fraction, &bound);
        if (p.high_min == p.high_max)
                facts_add(f, "fraction",
                          "%llu%s: %s pages a CPU, batch %llu; all CPUs and zones at most %s",
                          LLU(fraction), about, human_count(p.high_max).text, LLU(p.batch),
                          human_bytes(u64_mul_sat(bound.total_pages, page_bytes(o))).text);
        else
                facts_add(f, "fraction",
                          "%llu%s: the kernel chooses from %s to %s pages a CPU, batch %llu",
                          LLU(fraction), about, human_count(p.high_min).text,
                          human_count(p.high_max).text, LLU(p.batch));
}

static void pcp_numbers(Facts *f, const Observation *o) {
        const PcpModel *m = &o->pcp;
        const Zone *zone = m->zoneinfo ? pcp_largest_zone(m->zoneinfo) : NULL;

        facts_add(f, "kernel", "%s%s", pcp_gen_to_string(m->gen),
                  m->inferred ? " (a guess from what zoneinfo shows)" : "");
        if (!zone || !zone->managed.known)
                return;
        facts_add(
                f, "formula", "%s",
                m->gen == PCP_GEN_FRACTION
                        ? "high = managed / F, batch = high / 4 within 1 and 96; with 0: high = 6 x batch"
                : pcp_gen_tunes(m->gen)
                        ? "high = managed / F / local CPUs, at least 4 x batch; with 0 the kernel tunes between "
                          "low watermark / local CPUs and managed / 8 / local CPUs"
                        : "high = managed / F / local CPUs, at least 4 x batch; with 0: low watermark / local CPUs");
        facts_add(f, "numbers",
                  "largest zone %u/%s: %s managed pages, low watermark %s, divided by %u CPU%s",
                  zone->node, zone->name, human_count(zone->managed.value).text,
                  zone->low.known ? human_count(zone->low.value).text : "unknown",
                  pcp_divisor(m, zone), pcp_divisor(m, zone) == 1 ? "" : "s");
        add_fraction(f, o, zone, 0, ", the default");
        if (m->fraction.known && m->fraction.value != 0)
                add_fraction(f, o, zone, m->fraction.value, ", now");
        if (!m->fraction.known || m->fraction.value != PCP_FRACTION_FLOOR)
                add_fraction(f, o, zone, PCP_FRACTION_FLOOR, ", the largest lists");
}

static const SlabCache *cache_of(const Observation *o, const Knob *k) {
        const Snapshot *last = observation_last(o);

        if (k && k->cache)
                return k->cache;
        return last && last->slab ? slab_tree_find(last->slab, "kmalloc-512") : NULL;
}

static void slab_order_numbers(Facts *f, const Observation *o, const SlabCache *c) {
        const SlubModel *m = &o->slub;
        SlubOrder order;

        if (m->min_objects > 0 && m->cpus != SLUB_CPUS_BOOT)
                facts_add(f, "numbers",
                          "%u CPUs counted when caches were made: %u objects wanted per slab",
                          m->n_cpus, m->min_objects);
        else if (m->min_objects > 0)
                facts_add(f, "numbers", "%u objects wanted per slab by %s=", m->min_objects,
                          slub_param_name(m, SLUB_PARAM_MIN_OBJECTS));
        if (o->facts.topology.n_present > 0)
                facts_add(f, "numbers", "for the %u CPUs present now: %u",
                          o->facts.topology.n_present,
                          slub_wanted_objects(o->facts.topology.n_present));
        if (m->n_caches > 0)
                facts_add(f, "numbers", "the formula explains %zu of %zu caches", m->n_explained,
                          m->n_caches);
        if (c && c->slab_size.known && slub_predict_order(m, c->slab_size.value, 0, &order))
                facts_add(
                        f, "example",
                        "%s: objects of %llu bytes, by the formula order %u with %u a slab; here %s%llu",
                        c->dir, LLU(c->slab_size.value), order.order, order.objects,
                        c->order.known ? "order " : "unknown ",
                        LLU(c->order.known ? c->order.value : 0));
        facts_add(f, "boot", "%s=, %s=, %s= on the kernel command line; they act on all caches",
                  slub_param_name(m, SLUB_PARAM_MIN_OBJECTS),
                  slub_param_name(m, SLUB_PARAM_MAX_ORDER),
                  slub_param_name(m, SLUB_PARAM_MIN_ORDER));
}

static void slab_numbers(Facts *f, const Observation *o, const KnobSpec *spec, const Knob *k) {
        const SlubModel *m = &o->slub;
        const SlabCache *c = cache_of(o, k);
        uint64_t def = 0;

        facts_add(f, "kernel", "%s", slub_per_cpu_to_string(m->per_cpu));
        if (strcmp(spec->attribute, "order") == 0) {
                slab_order_numbers(f, o, c);
                return;
        }
        if (!c)
                return;
        if (strcmp(spec->attribute, "cpu_partial") == 0 && c->slab_size.known) {
                if (slub_cpu_partial_default(m->per_cpu, c->slab_size.value, page_bytes(o),
                                             slab_cache_is_debug(c), &def))
                        facts_add(f, "example", "%s: objects of %llu bytes, by default %llu",
                                  c->dir, LLU(c->slab_size.value), LLU(def));
                if (m->per_cpu == SLUB_PER_CPU_SLABS && c->cpu_partial.known &&
                    c->objs_per_slab.known)
                        facts_add(
                                f, "formula",
                                "slabs a CPU = ceil(2 x cpu_partial / objects per slab): "
                                "ceil(2 x %llu / %llu) = %u",
                                LLU(c->cpu_partial.value), LLU(c->objs_per_slab.value),
                                slub_effective_slabs(c->cpu_partial.value, c->objs_per_slab.value));
        } else if (strcmp(spec->attribute, "min_partial") == 0 && c->slab_size.known) {
                facts_add(f, "formula",
                          "log2(object size) / 2 within 5 and 10: %llu for the %llu bytes of %s",
                          LLU(slub_min_partial_default(c->slab_size.value)),
                          LLU(c->slab_size.value), c->dir);
        }
}

void explain_knob_numbers(Facts *f, const Observation *o, const KnobSpec *spec, const Knob *k) {
        switch (spec->kind) {
        case KNOB_KIND_PCP_FRACTION:
        case KNOB_KIND_PCP_BATCH:
                pcp_numbers(f, o);
                break;
        case KNOB_KIND_SLAB_ORDER:
        case KNOB_KIND_SLAB_INTEGER:
                slab_numbers(f, o, spec, k);
                break;
        case KNOB_KIND_ALIGNMENT:
                facts_add(f, "kernel", "%s", o->alignment ? o->alignment : "unknown");
                break;
        case KNOB_KIND_WORD:
        case KNOB_KIND_INTEGER:
                break;
        }
}
