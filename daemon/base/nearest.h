/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* "Did you mean": the candidate that needs the fewest edits to become the word, or NULL when none is
 * near (more than a third of the word's length away, at least 2). Start with best = NULL and
 * best_distance = 0, offer every candidate. */
typedef struct Nearest {
        const char *word;
        const char *best;
        unsigned best_distance;
} Nearest;

void nearest_offer(Nearest *n, const char *candidate);
/* Edits (insert, delete, replace one byte) from a to b; words are looked at up to 63 bytes. */
_pure_ unsigned nearest_distance(const char *a, const char *b);
