/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distribution kernels carry later fixes and other patch levels under an old name ("6.1.0-13-amd64"): what
 * is found here is a hint for a note, never the state of a knob. */
#include "core/control/kernel-range.h"

#include "core/sense/lists.h"

static bool next_range(Text *rest, bool *ret_good, ReleaseRange *ret) {
        Text part;

        if (!text_next_split(rest, ',', &part))
                return false;
        *ret_good = release_range_parse(part, ret) == 0;
        return true;
}

bool kernel_range_valid(Text range) {
        ReleaseRange part;
        bool good = false, any = false;

        if (range.size == 0 || range.data[range.size - 1] == ',')
                return false;
        while (next_range(&range, &good, &part)) {
                any = true;
                if (!good)
                        return false;
        }
        return any;
}

bool kernel_range_has(Text range, Text release) {
        Release r;
        ReleaseRange part;
        bool good;

        if (release_parse(release, &r) != 0)
                return false;
        while (next_range(&range, &good, &part))
                if (good && release_in_range(&r, &part))
                        return true;
        return false;
}
