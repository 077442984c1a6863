/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/arena.h"

/* Maps an arena whose pages cost nothing until they are touched. -ENOMEM. */
_must_check_ int arena_map(Arena *a, size_t size_bytes);
void arena_unmap(Arena *a);
