/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text.h"

/* Ranges of kernel releases, for the notes on known kernels. Both ends are inclusive:
 *
 *   "6.7..6.11.6"     from 6.7 (with its release candidates) to 6.11.6
 *   "6.12"            every 6.12, from its first release candidate to its last stable release
 *   "..6.6"  "7.0.."  open at one end
 *   "6.1-rc1, 6.7..6.11.6"  several
 */
_must_check_ bool kernel_range_valid(Text range);
/* release as uname gives it: "6.12.117+deb13-amd64", "5.11.0-rc4". False also when it cannot be read. */
_must_check_ bool kernel_range_has(Text range, Text release);
