/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* A bump allocator over memory of the caller. Core code has no malloc: the floors above map a large
 * range whose pages cost nothing until touched (machine/memory.h), hand it down, and reset it per
 * tick. A full arena gives NULL, which callers report as -ENOMEM. Memory comes zeroed. */
typedef struct Arena {
        uint8_t *base;
        size_t size_bytes;
        size_t used_bytes;
        size_t dirty_bytes; /* high-water mark: below it memory must be zeroed again */
} Arena;

void arena_init(Arena *a, void *base, size_t size_bytes);
_must_check_ void *arena_alloc(Arena *a, size_t size_bytes, size_t align);
_must_check_ void *arena_alloc_array(Arena *a, size_t n, size_t size_bytes, size_t align);
/* Copies text and appends a NUL. */
_must_check_ char *arena_strndup(Arena *a, const char *text, size_t size);
/* Grows the last allocation in place if p ends at the top (else moves). Old content is kept. */
_must_check_ void *arena_grow(Arena *a, void *p, size_t old_bytes, size_t new_bytes, size_t align);
/* Mark and release: everything allocated since the mark is gone. */
size_t arena_mark(const Arena *a);
void arena_release(Arena *a, size_t mark);
void arena_reset(Arena *a);

#define ARENA_NEW(a, type) ((type *) arena_alloc((a), sizeof(type), _Alignof(type)))
#define ARENA_ARRAY(a, type, n) ((type *) arena_alloc_array((a), (n), sizeof(type), _Alignof(type)))
