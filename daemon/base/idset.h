/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* A set of small ids: CPUs (x86-64 kernels go to 8192) or nodes (1024). */
#define IDSET_MAX 8192u

typedef struct IdSet {
        uint64_t word[IDSET_MAX / 64];
} IdSet;

bool idset_add(IdSet *s, unsigned id); /* false when the id is IDSET_MAX or more */
void idset_remove(IdSet *s, unsigned id);
_pure_ bool idset_has(const IdSet *s, unsigned id);
_pure_ unsigned idset_count(const IdSet *s);
_pure_ unsigned idset_count_both(const IdSet *a, const IdSet *b); /* size of the intersection */
/* The first id >= from, or IDSET_MAX. */
_pure_ unsigned idset_next(const IdSet *s, unsigned from);
_pure_ bool idset_equal(const IdSet *a, const IdSet *b);

#define IDSET_FOREACH(id, s) \
        for (unsigned id = idset_next((s), 0); id < IDSET_MAX; id = idset_next((s), id + 1))
