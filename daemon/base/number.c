/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <string.h>

int number_parse_u64(const char *text, size_t size, uint64_t *ret_value) {
        uint64_t value = 0;

        if (size == 0)
                return NUMBER_E_EMPTY;
        if (text[0] == '-' && size > 1 && text[1] >= '0' && text[1] <= '9')
                return NUMBER_E_NEGATIVE;
        for (size_t i = 0; i < size; i++)
                if (text[i] < '0' || text[i] > '9')
                        return NUMBER_E_GARBAGE;
        for (size_t i = 0; i < size; i++) {
                uint64_t digit = (uint64_t) (text[i] - '0');

                if (__builtin_mul_overflow(value, (uint64_t) 10, &value) ||
                    __builtin_add_overflow(value, digit, &value))
                        return NUMBER_E_OVERFLOW;
        }
        *ret_value = value;
        return 0;
}

int number_parse_i64(const char *text, size_t size, int64_t *ret_value) {
        bool negative = size > 0 && text[0] == '-';
        uint64_t value = 0;
        int r;

        r = number_parse_u64(text + (negative ? 1 : 0), size - (negative ? 1 : 0), &value);
        if (r == NUMBER_E_NEGATIVE)
                return NUMBER_E_GARBAGE;
        if (r != 0)
                return r;
        if (value > (uint64_t) INT64_MAX + (negative ? 1 : 0))
                return NUMBER_E_OVERFLOW;
        *ret_value = negative ? (value == 0 ? 0 : -(int64_t) (value - 1) - 1) : (int64_t) value;
        return 0;
}

int number_parse_millionths(const char *text, size_t size, uint64_t *ret_value) {
        const char *dot = size > 0 ? memchr(text, '.', size) : NULL;
        uint64_t whole = 0, fraction = 0, scale = 100000;
        int r;

        r = number_parse_u64(text, dot ? (size_t) (dot - text) : size, &whole);
        if (r != 0)
                return r;
        if (dot) {
                const char *end = text + size;

                if (dot + 1 == end)
                        return NUMBER_E_GARBAGE;
                for (const char *p = dot + 1; p < end; p++) {
                        if (*p < '0' || *p > '9')
                                return NUMBER_E_GARBAGE;
                        fraction += (uint64_t) (*p - '0') * scale;
                        scale /= 10;
                }
        }
        if (__builtin_mul_overflow(whole, PPM, &whole) ||
            __builtin_add_overflow(whole, fraction, &whole))
                return NUMBER_E_OVERFLOW;
        *ret_value = whole;
        return 0;
}

int number_parse_time(const char *text, size_t size, usec_t *ret_usec) {
        static const struct {
                const char *suffix;
                usec_t usec;
        } units[] = {
                { "us", 1 },
                { "ms", USEC_PER_MSEC },
                { "s", USEC_PER_SEC },
                { "min", 60 * USEC_PER_SEC },
                { "h", 3600 * USEC_PER_SEC },
                { "d", 86400 * USEC_PER_SEC },
        };
        size_t digits = 0;
        uint64_t millionths = 0;
        int r;

        while (digits < size && ((text[digits] >= '0' && text[digits] <= '9') ||
                                 text[digits] == '.' || text[digits] == '-'))
                digits++;
        r = number_parse_millionths(text, digits, &millionths);
        if (r != 0)
                return r;
        for (size_t i = 0; i < ELEMENTSOF(units); i++) {
                size_t n = strlen(units[i].suffix);

                if (size - digits == n && memcmp(text + digits, units[i].suffix, n) == 0) {
                        uint64_t usec = u64_muldiv(millionths, units[i].usec, PPM);

                        if (usec > INT64_MAX)
                                return NUMBER_E_OVERFLOW;
                        *ret_usec = usec;
                        return 0;
                }
        }
        return NUMBER_E_GARBAGE;
}

const char *number_error_string(int error) {
        switch (error) {
        case NUMBER_E_EMPTY:
                return "number missing";
        case NUMBER_E_GARBAGE:
                return "malformed number";
        case NUMBER_E_NEGATIVE:
                return "negative number";
        case NUMBER_E_OVERFLOW:
                return "number too large";
        }
        return "no error";
}

uint64_t u64_add_sat(uint64_t a, uint64_t b) {
        uint64_t sum;

        return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t u64_sub_sat(uint64_t a, uint64_t b) {
        return a > b ? a - b : 0;
}

uint64_t u64_mul_sat(uint64_t a, uint64_t b) {
        uint64_t product;

        return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t u64_muldiv(uint64_t a, uint64_t b, uint64_t c) {
        unsigned __int128 product = (unsigned __int128) a * b;

        if (c == 0)
                return product == 0 ? 0 : UINT64_MAX;
        product /= c;
        return product > UINT64_MAX ? UINT64_MAX : (uint64_t) product;
}

uint64_t u64_muldiv_round(uint64_t a, uint64_t b, uint64_t c) {
        unsigned __int128 product = (unsigned __int128) a * b;

        if (c == 0)
                return product == 0 ? 0 : UINT64_MAX;
        product = (product + c / 2) / c;
        return product > UINT64_MAX ? UINT64_MAX : (uint64_t) product;
}

uint64_t u64_div_up(uint64_t a, uint64_t b) {
        return b == 0 ? UINT64_MAX : a / b + (a % b != 0);
}

unsigned u64_fls(uint64_t a) {
        return a == 0 ? 0 : 64u - (unsigned) __builtin_clzll(a);
}
