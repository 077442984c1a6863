/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "core/act/thp-alignment.h"

/* How this kernel aligns private anonymous mappings, found by making some. Nothing is touched: the
 * mappings have no pages, and all of them are gone when the probe returns. */
typedef struct MapApi {
        void *(*map)(void *userdata, size_t size_bytes); /* without a hint; NULL: failed */
        void (*unmap)(void *userdata, void *address, size_t size_bytes);
        void *userdata;
} MapApi;

const MapApi *thp_probe_system(void); /* mmap() and munmap() of this process */
/* Sizes of a page and of a huge page; 0: not known, the answer is unknown. 64-bit processes only. */
ThpAlignment thp_probe(const MapApi *api, size_t page_bytes, size_t hpage_pmd_bytes);
