/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <string.h>

#include "test.h"

TEST(memory_is_aligned_and_zeroed) {
        _Alignas(64) uint8_t memory[256];
        Arena a;
        uint64_t *p;

        memset(memory, 0, sizeof(memory)); /* fresh pages are zero: that is the arena's contract */
        arena_init(&a, memory, sizeof(memory));
        ASSERT_TRUE(arena_alloc(&a, 1, 1));
        p = ARENA_NEW(&a, uint64_t);
        ASSERT_TRUE(p);
        ASSERT_EQ_U((uintptr_t) p % _Alignof(uint64_t), 0);
        ASSERT_EQ_U(*p, 0);
}

TEST(memory_is_zeroed_again_after_a_reset) {
        uint8_t memory[64] = {};
        Arena a;
        uint8_t *p;

        arena_init(&a, memory, sizeof(memory));
        p = arena_alloc(&a, 32, 1);
        ASSERT_TRUE(p);
        memset(p, 0xaa, 32);
        arena_reset(&a);
        p = arena_alloc(&a, 48, 1);
        ASSERT_TRUE(p);
        for (size_t i = 0; i < 48; i++)
                ASSERT_EQ_U(p[i], 0);
}

TEST(a_full_arena_gives_null_and_stays_usable) {
        uint8_t memory[64] = {};
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_TRUE(!arena_alloc(&a, 65, 1));
        ASSERT_TRUE(arena_alloc(&a, 64, 1));
        ASSERT_TRUE(!arena_alloc(&a, 1, 1));
        ASSERT_TRUE(arena_alloc(&a, 0, 1));
}

TEST(sizes_that_overflow_give_null) {
        uint8_t memory[64] = {};
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_TRUE(!arena_alloc(&a, SIZE_MAX, 8));
        ASSERT_TRUE(!arena_alloc_array(&a, SIZE_MAX / 2, 3, 8));
        ASSERT_TRUE(!arena_strndup(&a, "x", SIZE_MAX));
}

TEST(strings_are_copied_with_a_nul) {
        uint8_t memory[64];
        Arena a;
        char *s;

        memset(memory, 0xff, sizeof(memory));
        arena_init(&a, memory, sizeof(memory));
        s = arena_strndup(&a, "abcdef", 3);
        ASSERT_TRUE(s);
        ASSERT_STR(s, "abc");
        s = arena_strndup(&a, NULL, 0);
        ASSERT_TRUE(s);
        ASSERT_STR(s, "");
}

TEST(growth_at_the_top_stays_in_place) {
        _Alignas(8) uint8_t memory[256] = {};
        Arena a;
        uint8_t *p, *q;

        arena_init(&a, memory, sizeof(memory));
        p = arena_alloc(&a, 8, 8);
        ASSERT_TRUE(p);
        memset(p, 7, 8);
        q = arena_grow(&a, p, 8, 16, 8);
        ASSERT_TRUE(q == p);
        ASSERT_EQ_U(q[7], 7);
        ASSERT_EQ_U(q[8], 0);
        ASSERT_EQ_U(arena_mark(&a), 16);
}

TEST(growth_below_the_top_moves_and_keeps_the_content) {
        _Alignas(8) uint8_t memory[256] = {};
        Arena a;
        uint8_t *p, *q;

        arena_init(&a, memory, sizeof(memory));
        p = arena_alloc(&a, 8, 8);
        ASSERT_TRUE(p);
        memset(p, 7, 8);
        ASSERT_TRUE(arena_alloc(&a, 1, 1));
        q = arena_grow(&a, p, 8, 16, 8);
        ASSERT_TRUE(q && q != p);
        ASSERT_EQ_U(q[0], 7);
        ASSERT_EQ_U(q[7], 7);
        ASSERT_EQ_U(q[15], 0);
        ASSERT_TRUE(!arena_grow(&a, q, 16, 4096, 8));
        ASSERT_EQ_U(q[7], 7);
}

TEST(release_takes_back_what_came_after_the_mark) {
        uint8_t memory[64] = {};
        Arena a;
        uint8_t *p;
        size_t mark;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_TRUE(arena_alloc(&a, 8, 1));
        mark = arena_mark(&a);
        p = arena_alloc(&a, 8, 1);
        ASSERT_TRUE(p);
        p[0] = 9;
        arena_release(&a, mark);
        ASSERT_TRUE(arena_alloc(&a, 8, 1) == (void *) p);
        ASSERT_EQ_U(p[0], 0);
}

TEST_MAIN()
