/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 63

unsigned nearest_distance(const char *a, const char *b) {
        size_t n = strnlen(a, WORD_MAX), m = strnlen(b, WORD_MAX);
        unsigned row[WORD_MAX + 1];

        for (size_t j = 0; j <= m; j++)
                row[j] = (unsigned) j;
        for (size_t i = 1; i <= n; i++) {
                unsigned diagonal = row[0];

                row[0] = (unsigned) i;
                for (size_t j = 1; j <= m; j++) {
                        unsigned replace = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
                        unsigned shift = MIN(row[j], row[j - 1]) + 1; /* a delete or an insert */

                        diagonal = row[j];
                        row[j] = MIN(shift, replace);
                }
        }
        return row[m];
}

void nearest_offer(Nearest *n, const char *candidate) {
        unsigned far = MAX(2u, (unsigned) strnlen(n->word, WORD_MAX) / 3);
        unsigned distance = nearest_distance(n->word, candidate);

        if (distance > far || distance >= strnlen(candidate, WORD_MAX))
                return;
        if (n->best && distance >= n->best_distance)
                return;
        n->best = candidate;
        n->best_distance = distance;
}
