/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/budget.h"

#include <errno.h>

int budget_init(Budget *b, Arena *arena, unsigned limit, usec_t span_usec) {
        *b = (Budget){ .limit = MIN(limit, (unsigned) BUDGET_MAX), .span_usec = span_usec };
        if (b->limit == 0)
                return 0;
        b->at = ARENA_ARRAY(arena, usec_t, b->limit);
        return b->at ? 0 : -ENOMEM;
}

bool budget_free(const Budget *b, usec_t now_usec) {
        if (b->limit == 0)
                return false;
        /* The oldest of the last `limit` events must be out of the span. */
        return b->n < b->limit || now_usec - b->at[b->next] >= b->span_usec;
}

void budget_take(Budget *b, usec_t now_usec) {
        if (b->limit == 0)
                return;
        b->at[b->next] = now_usec;
        b->next = (b->next + 1) % b->limit;
        b->n = MIN(b->n + 1, b->limit);
}
