/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/idset.h"

#include "test.h"

TEST(ids_go_in_and_out) {
        IdSet s = {};

        ASSERT_TRUE(idset_add(&s, 0));
        ASSERT_TRUE(idset_add(&s, 63));
        ASSERT_TRUE(idset_add(&s, 64));
        ASSERT_TRUE(idset_add(&s, IDSET_MAX - 1));
        ASSERT_TRUE(!idset_add(&s, IDSET_MAX));
        ASSERT_TRUE(!idset_add(&s, UINT32_MAX));
        ASSERT_EQ_U(idset_count(&s), 4);
        ASSERT_TRUE(idset_has(&s, 64));
        ASSERT_TRUE(!idset_has(&s, 65));
        ASSERT_TRUE(!idset_has(&s, IDSET_MAX));
        idset_remove(&s, 63);
        idset_remove(&s, IDSET_MAX);
        ASSERT_TRUE(!idset_has(&s, 63));
        ASSERT_EQ_U(idset_count(&s), 3);
}

TEST(walk_visits_every_id_once_and_in_order) {
        static const unsigned ids[] = { 0, 1, 63, 64, 127, 4096, IDSET_MAX - 1 };
        IdSet s = {};
        size_t n = 0;

        for (size_t i = ELEMENTSOF(ids); i > 0; i--)
                ASSERT_TRUE(idset_add(&s, ids[i - 1]));
        IDSET_FOREACH(id, &s) {
                ASSERT_TRUE(n < ELEMENTSOF(ids));
                ASSERT_EQ_U(id, ids[n]);
                n++;
        }
        ASSERT_EQ_U(n, ELEMENTSOF(ids));
}

TEST(next_is_the_maximum_at_the_end) {
        IdSet s = {};

        ASSERT_EQ_U(idset_next(&s, 0), IDSET_MAX);
        ASSERT_TRUE(idset_add(&s, 5));
        ASSERT_EQ_U(idset_next(&s, 5), 5);
        ASSERT_EQ_U(idset_next(&s, 6), IDSET_MAX);
        ASSERT_EQ_U(idset_next(&s, IDSET_MAX), IDSET_MAX);
        ASSERT_EQ_U(idset_next(&s, UINT32_MAX), IDSET_MAX);
}

TEST(sets_intersect_and_compare) {
        IdSet a = {}, b = {};

        ASSERT_TRUE(idset_equal(&a, &b));
        ASSERT_TRUE(idset_add(&a, 1) && idset_add(&a, 2) && idset_add(&b, 2) && idset_add(&b, 70));
        ASSERT_EQ_U(idset_count_both(&a, &b), 1);
        ASSERT_TRUE(!idset_equal(&a, &b));
}

TEST_MAIN()
