/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/frame.h"

#include "base/number.h"

/* A reading is a ratio of growths: the sums of many frames over each other are the exact mean of their
 * window, which a mean of rates is not. */
bool reading_milli(const Reading *r, uint64_t scale, int64_t *ret_milli) {
        uint64_t milli;

        if (r->evidence == EVIDENCE_NONE || r->den == 0)
                return false;
        milli = u64_muldiv(r->num, u64_mul_sat(scale, 1000), r->den);
        *ret_milli = milli > INT64_MAX ? INT64_MAX : (int64_t) milli;
        return true;
}
