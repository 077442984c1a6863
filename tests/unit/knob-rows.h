/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "captures.h"

/* Knob rows for tests: of a capture, or of an input that the case makes. */

static inline KnobSet build_input(const KnobInput *in) {
        static uint8_t memory[32 << 20];
        static Arena arena;
        KnobSet set;

        if (!arena.base)
                arena_init(&arena, memory, sizeof(memory));
        arena_reset(&arena);
        ASSERT_OK(knobs_build(&arena, in, &set));
        return set;
}

static inline KnobSet build(const CaptureSnapshot *s) {
        KnobInput in = captures_input(s);

        return build_input(&in);
}

static inline const CaptureSnapshot *capture(const char *name) {
        const Captures *c = captures();

        for (unsigned i = 0; i < c->n; i++)
                if (strcmp(c->snapshots[i]->name, name) == 0)
                        return c->snapshots[i];
        test_fail(__FILE__, __LINE__, "no capture %s", name);
}

static inline const Knob *row(const KnobSet *set, const char *name, const char *scope) {
        Scope s = { 0 };
        const Knob *k;

        ASSERT_TRUE(text_format(s.name, sizeof(s.name), "%s", scope ? scope : "system"));
        k = knob_set_find(set, name, &s);
        if (!k)
                printf("# no row %s %s\n", name, s.name);
        ASSERT_TRUE(k);
        return k;
}

static inline const char *state(const Knob *k) {
        return knob_state_to_string(k->state);
}

static inline const char *owner(const Knob *k) {
        return knob_owner_to_string(k->owner);
}
