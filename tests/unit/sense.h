/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sense/parse.h"
#include "test.h"

/* What the tests of the parsers share. */

static const char *const sense_kernels[] = { "5.10", "6.1", "6.12", "7.2", "7.3" };

/* An empty arena; each call takes back what the call before gave. */
static inline Arena *sense_arena(void) {
        static uint8_t memory[64 << 20];
        static Arena arena;

        if (!arena.base)
                arena_init(&arena, memory, sizeof(memory));
        arena_reset(&arena);
        return &arena;
}

/* One file of tests/data/sense, in memory of its own size so that a sanitizer sees reads beyond
 * it. The caller frees ret.data. */
static inline Text sense_file(const char *kernel, const char *name) {
        char path[512], *data;
        FILE *f;
        long size;

        ASSERT_TRUE(text_format(path, sizeof(path), "%s/sense/%s/%s", test_data(), kernel, name));
        f = fopen(path, "re");
        ASSERT_TRUE(f);
        ASSERT_OK(fseek(f, 0, SEEK_END));
        size = ftell(f);
        ASSERT_TRUE(size >= 0);
        rewind(f);
        data = malloc((size_t) size + (size == 0));
        ASSERT_TRUE(data);
        ASSERT_EQ_U(fread(data, 1, (size_t) size, f), (size_t) size);
        ASSERT_OK(fclose(f));
        return (Text){ data, (size_t) size };
}

/* A copy in memory of its own size. */
static inline Text sense_copy(Text text) {
        char *data = malloc(text.size + (text.size == 0));

        ASSERT_TRUE(data);
        if (text.size > 0)
                memcpy(data, text.data, text.size);
        return (Text){ data, text.size };
}

static inline void sense_free(Text text) {
        free((void *) (uintptr_t) text.data);
}

#define ASSERT_KNOWN(m, v)                                 \
        do {                                               \
                MaybeU64 _known = (m);                     \
                ASSERT_TRUE(_known.known);                 \
                ASSERT_EQ_U(_known.value, (uint64_t) (v)); \
        } while (0)
#define ASSERT_UNKNOWN(m) ASSERT_TRUE(!(m).known)
#define ASSERT_ISSUE(log, i, l, w)                                 \
        do {                                                       \
                ASSERT_TRUE((log)->n_issues > (i));                \
                ASSERT_EQ_U((log)->issue[i].line, (unsigned) (l)); \
                ASSERT_STR((log)->issue[i].what, (w));             \
        } while (0)
