/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include "test.h"

typedef struct Row {
        uint32_t key;
        uint8_t odd[3]; /* a size that is no power of two */
} Row;

static int compare(const void *a, const void *b) {
        const Row *x = a, *y = b;

        return x->key < y->key ? -1 : x->key > y->key;
}

TEST(random_rows_of_every_length_end_up_ascending_and_complete) {
        uint32_t seed = 1;

        for (size_t n = 0; n < 200; n++) {
                Row rows[200];
                uint64_t sum = 0, after = 0;

                for (size_t i = 0; i < n; i++) {
                        seed = seed * 1664525u + 1013904223u; /* Numerical Recipes' LCG */
                        rows[i] = (Row){ .key = seed >> 24 };
                        rows[i].odd[2] = (uint8_t) rows[i].key;
                        sum += rows[i].key;
                }
                array_sort(rows, n, sizeof(Row), compare);
                for (size_t i = 0; i < n; i++) {
                        ASSERT_TRUE(i == 0 || rows[i - 1].key <= rows[i].key);
                        ASSERT_EQ_U(rows[i].odd[2], rows[i].key);
                        after += rows[i].key;
                }
                ASSERT_EQ_U(after, sum);
        }
}

TEST(sorted_and_reversed_rows) {
        Row rows[64];

        for (uint32_t i = 0; i < 64; i++)
                rows[i] = (Row){ .key = 63 - i };
        array_sort(rows, 64, sizeof(Row), compare);
        array_sort(rows, 64, sizeof(Row), compare);
        for (uint32_t i = 0; i < 64; i++)
                ASSERT_EQ_U(rows[i].key, i);
}

TEST_MAIN()
