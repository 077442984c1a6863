/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/verify.h"

#include <errno.h>
#include <string.h>

/* What became of a write: its errno, then what the file says afterwards. The kernel either refuses a value or
 * takes it as it is, with one known exception: min_partial of kernels before 5.16 is clamped to 5 to 10
 * (mm/slub.c set_min_partial(), 5.10). Any other value that is neither the old nor the new one was written by
 * somebody else. */
#define MIN_PARTIAL_LEAST 5
#define MIN_PARTIAL_MOST 10

static const char *const names[] = {
        [VERIFY_APPLIED] = "applied", [VERIFY_ROUNDED] = "rounded",
        [VERIFY_IGNORED] = "ignored", [VERIFY_FOREIGN] = "foreign",
        [VERIFY_REFUSED] = "refused", [VERIFY_TRANSIENT] = "transient",
        [VERIFY_VOID] = "void",
};
static_assert(ELEMENTSOF(names) == _VERIFY_MAX, "a name for every result");

const char *verify_result_to_string(VerifyResult r) {
        return r >= 0 && r < _VERIFY_MAX ? names[r] : "unknown";
}

/* What may go away by itself; all else is how this kernel answers this value here, and asking again is no use. */
VerifyResult verify_errno(int error) {
        static const int transient[] = { EINTR, EAGAIN, EBUSY, ENOMEM };

        if (error == 0)
                return VERIFY_APPLIED;
        for (size_t i = 0; i < ELEMENTSOF(transient); i++)
                if (error == transient[i] || error == -transient[i])
                        return VERIFY_TRANSIENT;
        return VERIFY_REFUSED;
}

static bool is_clamped(const KnobSpec *spec, int64_t wanted, int64_t actual) {
        if (!spec || !spec->attribute || strcmp(spec->attribute, "min_partial") != 0)
                return false;
        return (wanted < MIN_PARTIAL_LEAST && actual == MIN_PARTIAL_LEAST) ||
               (wanted > MIN_PARTIAL_MOST && actual == MIN_PARTIAL_MOST);
}

/* A clamp onto the old value looks like a write that was ignored, and is one: nothing changed. */
VerifyResult verify_readback(const KnobSpec *spec, int64_t from, int64_t wanted, int64_t actual) {
        if (actual == wanted)
                return VERIFY_APPLIED;
        if (actual == from)
                return VERIFY_IGNORED;
        return is_clamped(spec, wanted, actual) ? VERIFY_ROUNDED : VERIFY_FOREIGN;
}
