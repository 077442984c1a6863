/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/thp-probe.h"

#include <sys/mman.h>

/* Eight tries a length, each behind a spacer of another odd number of pages; a chance hit has odds of
 * 1 in 512. Six of eight count as "aligned". */
#define TRIES 8u
#define ENOUGH 6u
#define HPAGE_LEAST_PAGES 64u
#define HPAGE_MOST ((size_t) 1 << 30)

static void *system_map(void *userdata, size_t size_bytes) {
        void *p = mmap(NULL, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                       0);

        (void) userdata;
        return p == MAP_FAILED ? NULL : p;
}

static void system_unmap(void *userdata, void *address, size_t size_bytes) {
        (void) userdata;
        (void) munmap(address, size_bytes);
}

const MapApi *thp_probe_system(void) {
        static const MapApi api = { .map = system_map, .unmap = system_unmap };

        return &api;
}

typedef struct Mapping {
        void *address;
        size_t size;
} Mapping;

/* Aligned mappings among the tries of one length; UINT32_MAX: a mapping failed. Maps stay until the end of
 * the length, so that none takes the place of another. */
static unsigned count_aligned(const MapApi *api, size_t page, size_t hpage, size_t length) {
        Mapping maps[2 * TRIES];
        unsigned n = 0, hits = 0;
        bool failed = false;

        for (unsigned i = 0; i < TRIES && !failed; i++) {
                size_t sizes[2] = { (2 * i + 1) * page, length };

                for (unsigned k = 0; k < 2 && !failed; k++) {
                        void *p = api->map(api->userdata, sizes[k]);

                        failed = !p;
                        if (p)
                                maps[n++] = (Mapping){ p, sizes[k] };
                        if (p && k == 1 && (uintptr_t) p % hpage == 0)
                                hits++;
                }
        }
        while (n-- > 0)
                api->unmap(api->userdata, maps[n].address, maps[n].size);
        return failed ? UINT32_MAX : hits;
}

ThpAlignment thp_probe(const MapApi *api, size_t page, size_t hpage) {
        unsigned one, two, more, less;

        if (sizeof(void *) < 8 || page < 4096 || hpage / page < HPAGE_LEAST_PAGES ||
            hpage > HPAGE_MOST || (page & (page - 1)) != 0 || (hpage & (hpage - 1)) != 0)
                return THP_ALIGNMENT_UNKNOWN;
        one = count_aligned(api, page, hpage, hpage);
        two = count_aligned(api, page, hpage, 2 * hpage);
        more = count_aligned(api, page, hpage, hpage + page);
        less = count_aligned(api, page, hpage, hpage - page);
        if (one == UINT32_MAX || two == UINT32_MAX || more == UINT32_MAX || less == UINT32_MAX)
                return THP_ALIGNMENT_UNKNOWN;
        if (less >= ENOUGH)
                return THP_ALIGNMENT_UNKNOWN; /* something else aligns everything here: no statement */
        if (one >= ENOUGH && two >= ENOUGH)
                return more >= ENOUGH          ? THP_ALIGNMENT_ALWAYS
                       : more < TRIES - ENOUGH ? THP_ALIGNMENT_MULTIPLE
                                               : THP_ALIGNMENT_UNKNOWN;
        return one < TRIES - ENOUGH && two < TRIES - ENOUGH && more < TRIES - ENOUGH
                       ? THP_ALIGNMENT_NEVER
                       : THP_ALIGNMENT_UNKNOWN;
}
