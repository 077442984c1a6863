/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* Sorts in place without memory of its own (heap sort: qsort() may allocate). Not stable: the order
 * must be total, or equal elements indistinguishable. */
typedef int (*SortCompare)(const void *a, const void *b);

void array_sort(void *base, size_t n, size_t size_bytes, SortCompare compare);
