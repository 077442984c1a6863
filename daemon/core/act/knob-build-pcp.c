/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/act/knob-build.h"

/* Rows of the per-CPU page lists. */

static uint64_t page_bytes(const KnobBuild *b) {
        MaybeU64 page = b->in->facts->page_bytes;

        return page.known && page.value > 0 ? page.value : 4096;
}

/* What the fraction does here, in numbers of the largest zone. */
static void explain_fraction(const KnobBuild *b, Knob *k, uint64_t fraction) {
        const PcpModel *m = &b->pcp;
        const Zone *zone = pcp_largest_zone(m->zoneinfo);
        PcpPrediction now, def;

        if (m->gen == PCP_GEN_UNKNOWN) {
                REASON(k, "zoneinfo shows no lists: whether this kernel tunes them is not known");
                return;
        }
        if (!zone || !pcp_predict(m, zone, 0, &def) || !pcp_predict(m, zone, fraction, &now)) {
                REASON(k, "%s; sizes not known", pcp_gen_to_string(m->gen));
                return;
        }
        if (fraction == 0 && pcp_gen_tunes(m->gen))
                REASON(k,
                       "the kernel tunes each list itself, %" PRIu64 " to %" PRIu64
                       " pages per CPU in zone %u/%s; any other value only lowers that ceiling",
                       now.high_min, now.high_max, zone->node, zone->name);
        else if (fraction == 0 && m->gen == PCP_GEN_FRACTION)
                REASON(k,
                       "%" PRIu64 " pages per CPU, batch %" PRIu64
                       ", in zone %u/%s; F gives every CPU %" PRIu64 " / F pages",
                       now.high_max, now.batch, zone->node, zone->name, zone->managed.value);
        else if (fraction == 0)
                REASON(k,
                       "%" PRIu64
                       " pages per CPU in zone %u/%s: low watermark / %u CPUs; F gives %" PRIu64
                       " / F / %u",
                       now.high_max, zone->node, zone->name, pcp_divisor(m, zone),
                       zone->managed.value, pcp_divisor(m, zone));
        else if (pcp_gen_tunes(m->gen))
                REASON(k,
                       "fixed at %" PRIu64
                       " pages per CPU in zone %u/%s; at 0 the kernel would tune %" PRIu64
                       " to %" PRIu64,
                       now.high_max, zone->node, zone->name, def.high_min, def.high_max);
        else
                REASON(k,
                       "%" PRIu64 " pages per CPU, batch %" PRIu64
                       ", in zone %u/%s; by default %" PRIu64,
                       now.high_max, now.batch, zone->node, zone->name, def.high_max);
}

void knob_build_pcp_fraction(KnobBuild *b, const KnobSpec *spec) {
        Knob *k = knob_build_add(b, spec, scope_system());
        const char *path = "proc/sys/vm/percpu_pagelist_fraction";
        PcpBound bound;
        uint64_t value = 0;
        Text text;

        if (!knob_file_find(b->in, path) || b->pcp.gen != PCP_GEN_FRACTION)
                path = spec->path;
        if (!knob_build_file(b, k, path, &text))
                return;
        knob_build_default(k, 0);
        if (number_parse_u64(text.data, text.size, &value) != 0) {
                k->state = KNOB_DENIED;
                REASON(k, "its content is no number");
                return;
        }
        knob_build_number(k, value);

        /* Not to know whether a kernel tunes is a reason not to stop it. */
        bool tunes = value == 0 && (pcp_gen_tunes(b->pcp.gen) || b->pcp.gen == PCP_GEN_UNKNOWN);

        if (k->state == KNOB_LIVE && tunes)
                k->state = KNOB_KERNEL;
        if (value == 0 && b->pcp.inferred)
                k->inferred = true;
        explain_fraction(b, k, value);

        pcp_parked_possible(&b->pcp, value, &bound);
        if (bound.n_unknown == 0 && bound.total_pages > 0) {
                k->memory_bytes = KNOWN(u64_mul_sat(bound.total_pages, page_bytes(b)));
                REASON(k, "; all lists together hold at most %" PRIu64 " MiB",
                       k->memory_bytes.value >> 20);
        }
        knob_build_owner(b, k);
}

void knob_build_pcp_batch(KnobBuild *b, const KnobSpec *spec) {
        const ZoneInfo *zi = b->in->last ? b->in->last->zoneinfo : NULL;
        size_t first = b->n;

        for (size_t i = 0; zi && i < zi->n; i++) {
                const Zone *zone = &zi->zones[i];
                PcpPrediction def;
                PcpSeen seen;

                pcp_zone_seen(&b->pcp, zone, &seen);
                if (seen.n == 0 || seen.batch_most == 0)
                        continue;

                Knob *k = knob_build_add(b, spec, scope_zone(zone->node, zone->name));

                k->state = KNOB_FIXED;
                knob_build_number(k, seen.batch_most);
                if (pcp_predict(&b->pcp, zone, 0, &def))
                        knob_build_default(k, def.batch);
                if (b->pcp.gen == PCP_GEN_FRACTION && b->pcp.fraction.known &&
                    b->pcp.fraction.value > 0)
                        REASON(k,
                               "a quarter of high under percpu_pagelist_fraction %" PRIu64
                               ": no file of its own moves it",
                               b->pcp.fraction.value);
                else
                        REASON(k,
                               "from the %" PRIu64 " managed pages of the zone; no file moves it",
                               zone->managed.known ? zone->managed.value : 0);
                knob_build_owner(b, k);
        }
        if (b->n > first)
                return;

        SenseState state = b->in->last ? b->in->last->state[SENSE_ZONEINFO] : SENSE_ABSENT;

        (void) knob_build_missing(b, spec, scope_system(), state, "a list in /proc/zoneinfo");
}
