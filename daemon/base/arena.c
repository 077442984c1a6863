/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <string.h>

#include "base/number.h"

void arena_init(Arena *a, void *base, size_t size_bytes) {
        *a = (Arena){ .base = base, .size_bytes = size_bytes };
}

void *arena_alloc(Arena *a, size_t size_bytes, size_t align) {
        uintptr_t top = (uintptr_t) a->base + a->used_bytes;
        size_t pad = (size_t) (-top & (align - 1));
        size_t start, end;

        assert(align > 0 && (align & (align - 1)) == 0);
        if (__builtin_add_overflow(a->used_bytes, pad, &start) ||
            __builtin_add_overflow(start, size_bytes, &end) || end > a->size_bytes)
                return NULL;
        if (start < a->dirty_bytes)
                memset(a->base + start, 0, MIN(end, a->dirty_bytes) - start);
        a->used_bytes = end;
        a->dirty_bytes = MAX(a->dirty_bytes, end);
        return a->base + start;
}

void *arena_alloc_array(Arena *a, size_t n, size_t size_bytes, size_t align) {
        size_t total;

        if (__builtin_mul_overflow(n, size_bytes, &total))
                return NULL;
        return arena_alloc(a, total, align);
}

char *arena_strndup(Arena *a, const char *text, size_t size) {
        char *copy;

        if (size == SIZE_MAX)
                return NULL;
        copy = arena_alloc(a, size + 1, 1);
        if (!copy)
                return NULL;
        if (size > 0)
                memcpy(copy, text, size);
        copy[size] = 0;
        return copy;
}

void *arena_grow(Arena *a, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
        uint8_t *old = p, *moved;

        if (old && old + old_bytes == a->base + a->used_bytes && new_bytes >= old_bytes) {
                void *more = arena_alloc(a, new_bytes - old_bytes, 1);

                return more ? p : NULL;
        }
        moved = arena_alloc(a, new_bytes, align);
        if (!moved)
                return NULL;
        if (old && old_bytes > 0)
                memcpy(moved, old, MIN(old_bytes, new_bytes));
        return moved;
}

size_t arena_mark(const Arena *a) {
        return a->used_bytes;
}

void arena_release(Arena *a, size_t mark) {
        assert(mark <= a->used_bytes);
        a->used_bytes = mark;
}

void arena_reset(Arena *a) {
        a->used_bytes = 0;
}
