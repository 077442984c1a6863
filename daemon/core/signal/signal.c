/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scopes, grades and look-up of signals. */
#include "core/signal/signal.h"

#include <string.h>

static const char *const evidence_names[] = {
        [EVIDENCE_NONE] = "none",
        [EVIDENCE_ESTIMATED] = "estimated",
        [EVIDENCE_COUNTED] = "counted",
        [EVIDENCE_MEASURED] = "measured",
};
static_assert(ELEMENTSOF(evidence_names) == _EVIDENCE_MAX, "a name for every grade");

const char *evidence_to_string(Evidence e) {
        return e >= 0 && e < _EVIDENCE_MAX ? evidence_names[e] : "none";
}

int evidence_from_text(Text text, Evidence *ret) {
        for (int e = 0; e < _EVIDENCE_MAX; e++)
                if (text_is(text, evidence_names[e])) {
                        *ret = (Evidence) e;
                        return 0;
                }
        return 1;
}

Scope scope_system(void) {
        return (Scope){ .name = "system" };
}

Scope scope_node(unsigned node) {
        Scope s = { 0 };

        (void) text_format(s.name, sizeof(s.name), "node:%u", node);
        return s;
}

Scope scope_zone(unsigned node, const char *zone) {
        Scope s = { 0 };

        (void) text_format(s.name, sizeof(s.name), "zone:%u/%s", node, zone);
        return s;
}

Scope scope_cache(const char *dir) {
        Scope s = { 0 };

        /* A cut name cannot happen for a cache: the kernel's names are shorter than SCOPE_MAX. */
        (void) text_format(s.name, sizeof(s.name), "cache:%s", dir);
        return s;
}

bool scope_equal(const Scope *a, const Scope *b) {
        return strcmp(a->name, b->name) == 0;
}

bool scope_is_system(const Scope *s) {
        return strcmp(s->name, "system") == 0;
}

bool signal_is_share(const Signal *s) {
        return strcmp(s->spec->unit, "ppm") == 0;
}

const Signal *signal_set_find(const SignalSet *set, const char *name, const Scope *scope) {
        const char *wanted = scope ? scope->name : "system";
        size_t low = 0, high = set->n;

        while (low < high) {
                size_t mid = low + (high - low) / 2;
                int c = strcmp(set->signals[mid].name, name);

                if (c == 0)
                        c = strcmp(set->signals[mid].scope.name, wanted);
                if (c == 0)
                        return &set->signals[mid];
                if (c < 0)
                        low = mid + 1;
                else
                        high = mid;
        }
        return NULL;
}
