/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text.h"

/* How the kernel aligns private anonymous mappings (no knob moves it). The live machine is probed
 * (machine/thp-probe.h); of a tree only the release can tell, and that is a guess. */
typedef enum ThpAlignment {
        THP_ALIGNMENT_UNKNOWN,
        THP_ALIGNMENT_NEVER,    /* before 6.7 (but 6.1-rc1..rc7) */
        THP_ALIGNMENT_MULTIPLE, /* lengths that are a multiple of a huge page: 6.12 and later */
        THP_ALIGNMENT_ALWAYS,   /* every length of a huge page or more: 6.7 to 6.11.6 */
        _THP_ALIGNMENT_MAX,
} ThpAlignment;

_const_ const char *thp_alignment_to_string(
        ThpAlignment a); /* "always", "multiple", "never", "unknown" */
_pure_ ThpAlignment thp_alignment_from_release(Text release);
