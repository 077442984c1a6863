/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

static void swap(uint8_t *a, uint8_t *b, size_t size_bytes) {
        for (size_t i = 0; i < size_bytes; i++) {
                uint8_t t = a[i];

                a[i] = b[i];
                b[i] = t;
        }
}

/* Lets the element at root sink until both children are smaller. */
static void sift(uint8_t *base, size_t root, size_t n, size_t size_bytes, SortCompare compare) {
        while (root < n / 2) {
                size_t child = 2 * root + 1;

                if (child + 1 < n &&
                    compare(base + child * size_bytes, base + (child + 1) * size_bytes) < 0)
                        child++;
                if (compare(base + root * size_bytes, base + child * size_bytes) >= 0)
                        return;
                swap(base + root * size_bytes, base + child * size_bytes, size_bytes);
                root = child;
        }
}

void array_sort(void *base, size_t n, size_t size_bytes, SortCompare compare) {
        uint8_t *b = base;

        for (size_t i = n / 2; i > 0; i--)
                sift(b, i - 1, n, size_bytes, compare);
        for (size_t i = n; i > 1; i--) {
                swap(b, b + (i - 1) * size_bytes, size_bytes);
                sift(b, 0, i - 1, size_bytes, compare);
        }
}
