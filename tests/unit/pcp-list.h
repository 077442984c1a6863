/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/sim/plant-events.h"
#include "test.h"

/* Page lists of one CPU for tests. */
static const PcpZoneFlags calm = { 0 };

_unused_ static PcpList list_new(const char *kernel, uint64_t batch, uint64_t high,
                                 uint64_t high_min, uint64_t high_max) {
        PcpList l;

        ASSERT_TRUE(plant_kernel_find(kernel));
        pcp_list_init(&l, plant_kernel_find(kernel), batch, high, high_min, high_max);
        return l;
}

/* Puts pages in the list that were somewhere before. */
_unused_ static void list_fill(PcpList *l, uint64_t pages) {
        l->blocks[0] += pages;
        l->count += pages;
}

_unused_ static void take(PcpList *l, unsigned n) {
        for (unsigned i = 0; i < n; i++)
                (void) pcp_list_alloc(l, calm, 0);
}

_unused_ static void give_back(PcpList *l, unsigned n) {
        for (unsigned i = 0; i < n; i++)
                (void) pcp_list_free(l, calm, 0);
}

/* A process that maps, touches and unmaps n pages, r times, alone on its CPU. */
_unused_ static void loops(PcpList *l, unsigned n, unsigned r) {
        for (unsigned i = 0; i < r; i++) {
                take(l, n);
                give_back(l, n);
        }
}
