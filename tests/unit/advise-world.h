/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <string.h>

#include "core/control/advise.h"
#include "test.h"

/* One node, 48 CPUs, one zone of 16,000,000 pages (61 GiB): numbers that are easy to divide by hand. */
typedef struct World {
        uint8_t memory[4 << 20];
        Arena arena;
        MachineFacts facts;
        Node node;
        Zone zone;
        Pageset pagesets[48];
        ZoneInfo zoneinfo;
        PcpModel pcp;
        SlubModel slub;
        Snapshot last;
        Signal signals[16];
        SignalSet signal_set;
        Knob knobs[8];
        KnobSet knob_set;
        Policy policy[4];
        AdviseInput input;
        Advice advice;
} World;

static World w;

static inline void add_signal(const char *name, int64_t value, Evidence evidence) {
        size_t at = w.signal_set.n;
        Signal s = { .spec = signal_spec_find(text_from(name)),
                     .value = value,
                     .evidence = evidence,
                     .source = "test" };

        ASSERT_TRUE(s.spec != NULL);
        (void) text_copy(s.name, sizeof(s.name), text_from(name));
        s.unit = s.spec->unit;
        s.scope = scope_system();
        while (at > 0 && strcmp(w.signals[at - 1].name, name) > 0) {
                w.signals[at] = w.signals[at - 1];
                at--;
        }
        w.signals[at] = s;
        w.signal_set.n++;
}

static inline Knob *add_knob(const char *name, KnobState state, const char *value) {
        size_t at = w.knob_set.n;
        Knob k = { .spec = knob_spec_find(text_from(name)), .state = state, .owner = OWNER_KERNEL };
        uint64_t number;

        ASSERT_TRUE(k.spec != NULL);
        (void) text_copy(k.name, sizeof(k.name), text_from(name));
        (void) text_copy(k.value, sizeof(k.value), text_from(value));
        (void) text_format(k.path, sizeof(k.path), "/%s", k.spec->path);
        if (number_parse_u64(value, strlen(value), &number) == 0)
                k.number = KNOWN(number);
        k.scope = scope_system();
        while (at > 0 && strcmp(w.knobs[at - 1].name, name) > 0) {
                w.knobs[at] = w.knobs[at - 1];
                at--;
        }
        w.knobs[at] = k;
        w.knob_set.n++;
        return &w.knobs[at];
}

static inline Policy *policy_on(const char *knob, const char *signal, int64_t hot) {
        Policy *p = &w.policy[w.input.n_policies++];

        policy_init(p);
        (void) text_copy(p->name, sizeof(p->name), TEXT("under-test"));
        (void) text_copy(p->knob, sizeof(p->knob), text_from(knob));
        if (signal) {
                p->n_targets = 1;
                (void) text_copy(p->target[0].signal, sizeof(p->target[0].signal),
                                 text_from(signal));
                p->target[0].hot = hot;
                p->target[0].windows_hot = 1;
        }
        return p;
}

static inline void arms(Policy *p, unsigned n, const int64_t *milli, const char *const *texts) {
        p->n_arms = n;
        for (unsigned i = 0; i < n; i++) {
                p->arm[i].multiple_milli = milli[i];
                (void) text_copy(p->arm[i].text, sizeof(p->arm[i].text), text_from(texts[i]));
        }
}

static inline void growth_arms(Policy *p) {
        arms(p, 3, (int64_t[]){ 2000, 4000, 8000 }, (const char *[]){ "2", "4", "8" });
}

/* A machine of the given pcp generation with fraction F in force. */
static inline void world_init(PcpGen gen, uint64_t fraction) {
        PcpFiles files = gen == PCP_GEN_FRACTION ? PCP_FILES_FRACTION : PCP_FILES_HIGH_FRACTION;

        memset(&w, 0, sizeof(w));
        arena_init(&w.arena, w.memory, sizeof(w.memory));
        w.facts.page_bytes = KNOWN(4096);
        w.facts.memory_bytes = KNOWN(UINT64_C(16000000) * 4096);
        for (unsigned i = 0; i < 48; i++) {
                (void) idset_add(&w.node.cpus, i);
                (void) idset_add(&w.facts.topology.online, i);
                w.pagesets[i] = (Pageset){ .cpu = i,
                                           .batch = 63,
                                           .has = PAGESET_COUNT | PAGESET_HIGH | PAGESET_BATCH };
        }
        w.facts.topology.possible = w.facts.topology.present = w.facts.topology.online;
        w.facts.topology.n_online = w.facts.topology.n_present = w.facts.topology.n_possible = 48;
        w.node.n_online = 48;
        w.facts.topology.nodes = &w.node;
        w.facts.topology.n_nodes = 1;
        w.zone = (Zone){ .name = "Normal",
                         .free = KNOWN(8000000),
                         .min = KNOWN(10000),
                         .low = KNOWN(24000),
                         .high = KNOWN(38000),
                         .present = KNOWN(16000000),
                         .managed = KNOWN(16000000),
                         .pagesets = w.pagesets,
                         .n_pagesets = 48 };
        w.zoneinfo = (ZoneInfo){ .zones = &w.zone, .n = 1 };
        pcp_model_find(&w.zoneinfo, &w.facts.topology, files, KNOWN(fraction), KNOWN(4096), &w.pcp);
        w.pcp.gen = gen;
        w.signal_set.signals = w.signals;
        w.knob_set.knobs = w.knobs;
        w.last.zoneinfo = &w.zoneinfo;
        w.input = (AdviseInput){ .facts = &w.facts,
                                 .last = &w.last,
                                 .signals = &w.signal_set,
                                 .knobs = &w.knob_set,
                                 .pcp = &w.pcp,
                                 .slub = &w.slub,
                                 .policies = w.policy,
                                 .kind = WINDOW_CAPTURE,
                                 .window_usec = 10 * USEC_PER_SEC };
}

static inline const Recommendation *only_recommendation(void) {
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations, 1);
        return &w.advice.recommendations[0];
}
