/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/idset.h"

#include <string.h>

bool idset_add(IdSet *s, unsigned id) {
        if (id >= IDSET_MAX)
                return false;
        s->word[id / 64] |= UINT64_C(1) << (id % 64);
        return true;
}

void idset_remove(IdSet *s, unsigned id) {
        if (id < IDSET_MAX)
                s->word[id / 64] &= ~(UINT64_C(1) << (id % 64));
}

bool idset_has(const IdSet *s, unsigned id) {
        return id < IDSET_MAX && (s->word[id / 64] >> (id % 64) & 1) != 0;
}

unsigned idset_count(const IdSet *s) {
        return idset_count_both(s, s);
}

unsigned idset_count_both(const IdSet *a, const IdSet *b) {
        unsigned n = 0;

        for (size_t i = 0; i < ELEMENTSOF(a->word); i++)
                n += (unsigned) __builtin_popcountll(a->word[i] & b->word[i]);
        return n;
}

unsigned idset_next(const IdSet *s, unsigned from) {
        for (unsigned i = from / 64; i < ELEMENTSOF(s->word); i++) {
                uint64_t w = s->word[i];

                if (i == from / 64)
                        w &= ~UINT64_C(0) << (from % 64);
                if (w != 0)
                        return i * 64 + (unsigned) __builtin_ctzll(w);
        }
        return IDSET_MAX;
}

bool idset_equal(const IdSet *a, const IdSet *b) {
        return memcmp(a->word, b->word, sizeof(a->word)) == 0;
}
