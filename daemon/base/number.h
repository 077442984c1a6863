/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/units.h"

/* Checked numbers. Text to number never guesses: every result but 0 is one of the named conditions
 * and leaves *ret_value untouched. No locale, no sign tricks, no white space skipped. */
typedef enum NumberError {
        NUMBER_E_EMPTY = 1, /* no digit at all */
        NUMBER_E_GARBAGE,   /* a character that is no digit */
        NUMBER_E_NEGATIVE,  /* a minus where only unsigned is legal */
        NUMBER_E_OVERFLOW,  /* more than the type holds */
} NumberError;

_must_check_ int number_parse_u64(const char *text, size_t size, uint64_t *ret_value);
_must_check_ int number_parse_i64(const char *text, size_t size, int64_t *ret_value);
/* Decimal with at most 6 fraction digits used ("0.25"), scaled by 10^6: "1.5" -> 1500000. */
_must_check_ int number_parse_millionths(const char *text, size_t size, uint64_t *ret_value);
/* Time with unit ("250ms", "10s", "2min", "30min", "24h", "7d", "5us"); a bare number is refused (NUMBER_E_GARBAGE). */
_must_check_ int number_parse_time(const char *text, size_t size, usec_t *ret_usec);

/* "malformed number", "negative number", "number too large"... for messages. */
_const_ const char *number_error_string(int error);

/* Saturating arithmetic: the result sticks at the end of the type instead of wrapping. */
_const_ uint64_t u64_add_sat(uint64_t a, uint64_t b);
_const_ uint64_t u64_sub_sat(uint64_t a, uint64_t b); /* not below 0 */
_const_ uint64_t u64_mul_sat(uint64_t a, uint64_t b);
/* a * b / c in 128 bits, rounded down, saturating; c of 0 gives UINT64_MAX (0 when a or b is 0). */
_const_ uint64_t u64_muldiv(uint64_t a, uint64_t b, uint64_t c);
/* The same, rounded to nearest. */
_const_ uint64_t u64_muldiv_round(uint64_t a, uint64_t b, uint64_t c);
_const_ uint64_t u64_div_up(uint64_t a, uint64_t b);
/* Position of the highest set bit, from 1; 0 for 0 (the kernel's fls()). */
_const_ unsigned u64_fls(uint64_t a);
