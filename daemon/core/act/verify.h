/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"

/* What a read-back says about a write. */
typedef enum VerifyResult {
        VERIFY_APPLIED,
        VERIFY_ROUNDED, /* the kernel took another value than was written (min_partial of 5.10 clamps to 5..10) */
        VERIFY_IGNORED, /* the file still has the old value */
        VERIFY_FOREIGN, /* before the write, or after it: a value that neither we nor the kernel made */
        VERIFY_REFUSED, /* the kernel refused for good (EINVAL, EACCES, EIO, ERANGE, EROFS, ENOENT): not this knob here */
        VERIFY_TRANSIENT, /* EINTR, EAGAIN, EBUSY, ENOMEM: may work later */
        VERIFY_VOID,      /* not carried out (replay, dry run): the past cannot react */
        _VERIFY_MAX,
} VerifyResult;

_const_ const char *verify_result_to_string(VerifyResult r);

/* errno of a write as a result: VERIFY_REFUSED or VERIFY_TRANSIENT; 0 is VERIFY_APPLIED. */
_const_ VerifyResult verify_errno(int error);
/* from: what the file had just before the write; wanted: what was written; actual: what it has now. A value that
 * is neither is ROUNDED where this knob is known to be clamped by the kernel within [wanted, legal range], else FOREIGN. */
_pure_ VerifyResult verify_readback(const KnobSpec *spec, int64_t from, int64_t wanted,
                                    int64_t actual);
