/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* Numbers as people read them, the same in reasons, tables and notes. Integer arithmetic only, no
 * locale: the same number gives the same text everywhere. */
typedef struct Human {
        char text[40];
} Human;

Human human_count(uint64_t value);  /* "7,926" */
Human human_share(int64_t ppm);     /* "0.4 %", "12.0 %", "85 %", "0.06 %", "under 0.01 %", "0 %" */
Human human_bytes(uint64_t bytes);  /* "512 KiB", "1.0 MiB", "26,094 MiB" is human_mib() */
Human human_mib(uint64_t bytes);    /* always MiB, with separators: "26,094 MiB" */
Human human_nsec(uint64_t nsec);    /* "212 us", "1.5 ms", "90 us" */
Human human_seconds(uint64_t usec); /* "10 s", "2.5 s", "24 min", "3.2 h" */
/* By the unit of a signal: "ppm" as a share, "ns" as a time, "bytes" as a size, else a count and the unit;
 * milli: thousandths above value. */
Human human_value(int64_t value, unsigned milli, const char *unit);
