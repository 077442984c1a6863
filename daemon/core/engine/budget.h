/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/arena.h"
#include "base/units.h"

/* At most `limit` events within `span`: a ring of their times. A limit of 0 allows none. */
typedef struct Budget {
        usec_t *at; /* ring of `limit` times */
        unsigned limit, n, next;
        usec_t span_usec;
} Budget;

#define BUDGET_MAX \
        4096 /* larger limits are no limits to a controller that waits minutes between two trials */

/* 0 or -ENOMEM. */
_must_check_ int budget_init(Budget *b, Arena *arena, unsigned limit, usec_t span_usec);
_pure_ bool budget_free(const Budget *b, usec_t now_usec);
void budget_take(Budget *b, usec_t now_usec);
