/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/thp-alignment.h"

#include "core/sense/lists.h"

/* mm/mmap.c __get_unmapped_area(). Aligning every mapping of a huge page or more came with
 * f35b5d7d676e in 6.1-rc1, was taken back in 6.1-rc8, came again with efa7df3e3bb5 in 6.7, and
 * was limited to exact multiples by d4148aeab412 in 6.12-rc6, which 6.11.7 carries. Distribution
 * kernels may differ: of a tree this stays a guess. */

const char *thp_alignment_to_string(ThpAlignment a) {
        switch (a) {
        case THP_ALIGNMENT_UNKNOWN:
                return "unknown";
        case THP_ALIGNMENT_NEVER:
                return "never";
        case THP_ALIGNMENT_MULTIPLE:
                return "multiple";
        case THP_ALIGNMENT_ALWAYS:
                return "always";
        case _THP_ALIGNMENT_MAX:
                break;
        }
        return "unknown";
}

static bool in_range(const Release *r, const char *range) {
        ReleaseRange parsed;

        return release_range_parse(text_from(range), &parsed) == 0 && release_in_range(r, &parsed);
}

ThpAlignment thp_alignment_from_release(Text release) {
        Release r;

        if (release.size == 0 || release_parse(release, &r) != 0)
                return THP_ALIGNMENT_UNKNOWN;
        if (in_range(&r, "6.7..6.11.6"))
                return THP_ALIGNMENT_ALWAYS;
        if (r.major == 6 && r.patch == 0 &&
            ((r.minor == 1 && r.rc <= 7) || (r.minor == 12 && r.rc <= 5)))
                return THP_ALIGNMENT_ALWAYS;
        if (in_range(&r, "6.11.7.."))
                return THP_ALIGNMENT_MULTIPLE;
        return THP_ALIGNMENT_NEVER;
}
