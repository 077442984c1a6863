/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* Microseconds on a clock that the caller names. USEC_UNKNOWN: not known. */
typedef uint64_t usec_t;

#define USEC_UNKNOWN UINT64_MAX
#define USEC_PER_MSEC ((usec_t) 1000)
#define USEC_PER_SEC ((usec_t) 1000000)
#define NSEC_PER_USEC ((uint64_t) 1000)
#define NSEC_PER_SEC ((uint64_t) 1000000000)
#define PPM ((uint64_t) 1000000)
