/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"

/* Natural logarithm of integers, in millionths, rounded to nearest: integer arithmetic, because libm differs in the last bit
 * between versions and CPUs, and replays must not. x of 0 is taken as 1. */
_const_ int64_t ln_micro(uint64_t x);
/* exp of millionths, times `unit`, rounded to nearest, saturating: for texts (-50000 -> 0.951 of the unit). */
_const_ uint64_t exp_micro(int64_t micro, uint64_t unit);
