/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/memory.h"

#include <errno.h>
#include <sys/mman.h>

int arena_map(Arena *a, size_t size_bytes) {
        void *base = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (base == MAP_FAILED)
                return -ENOMEM;
        /* Huge pages would make memory of what was only touched at its edge. */
        (void) madvise(base, size_bytes, MADV_NOHUGEPAGE);
        arena_init(a, base, size_bytes);
        return 0;
}

void arena_unmap(Arena *a) {
        if (a->base)
                (void) munmap(a->base, a->size_bytes);
        *a = (Arena){ 0 };
}
