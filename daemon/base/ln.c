/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logarithm and exponential in integers, the same on every compiler and CPU.
 *
 * ln: x = 2^k * m with m in [1, 2). The binary digits of log2(m) come out one by one: square m; when the square is 2 or more the
 * digit is 1 and the square is halved. 48 digits: a rounding error of 2^-63 in step j weighs 2^-j, so log2 is off by at most 2^-47,
 * the result by 5e-9 of its unit, and is the nearest millionth unless the true one is that near to a half.
 *
 * exp: y = k * ln 2 + r with r in [0, ln 2), and e^r by its series. */
#include "base/ln.h"

typedef unsigned __int128 u128;

#define LOG2_DIGITS 48
#define LN2_MICRO_44 UINT64_C(0xa939b2e392d34125) /* ln 2 * 10^6 * 2^44 */
#define LN2_62 INT64_C(0x2c5c85fdf473de6b)        /* ln 2 * 2^62 */
#define MICRO 1000000

int64_t ln_micro(uint64_t x) {
        unsigned k;
        uint64_t m, log2;

        if (x <= 1)
                return 0;
        k = 63 - (unsigned) __builtin_clzll(x);
        m = x << (63 - k); /* 2^63 is 1 */
        log2 = k;
        for (unsigned i = 0; i < LOG2_DIGITS; i++) {
                u128 square = (u128) m * m; /* 2^126 is 1 */
                bool digit = (uint64_t) (square >> 127) != 0;

                m = (uint64_t) (square >> (63 + digit));
                log2 = (log2 << 1) | digit;
        }
        return (int64_t) (((u128) log2 * LN2_MICRO_44 + ((u128) 1 << (LOG2_DIGITS + 43))) >>
                          (LOG2_DIGITS + 44));
}

uint64_t exp_micro(int64_t micro, uint64_t unit) {
        __int128 y;
        int k = 0;
        uint64_t sum, term, r;
        u128 product;

        if (unit == 0)
                return 0;
        if (micro > 45 * MICRO) /* e^45 is more than 2^64 */
                return UINT64_MAX;
        if (micro < -46 * MICRO) /* 2^64 * e^-46 is less than a half */
                return 0;
        y = (__int128) micro * ((__int128) 1 << 62) / MICRO;
        k = (int) (y / LN2_62);
        if ((__int128) k * LN2_62 > y)
                k--;
        r = (uint64_t) (y - (__int128) k * LN2_62);
        sum = term = UINT64_C(1) << 62;
        for (unsigned i = 1; term > 0; i++) {
                term = (uint64_t) (((u128) term * r) >> 62) / i;
                sum += term;
        }
        product = (u128) unit * sum; /* times 2^k / 2^62 */
        if (k >= 62)
                return product >> 64 || (uint64_t) product > UINT64_MAX >> (k - 62)
                               ? UINT64_MAX
                               : (uint64_t) product << (k - 62);
        if (62 - k > 127)
                return 0;
        product = (product >> (61 - k)) + 1;
        return product >> 65 ? UINT64_MAX : (uint64_t) (product >> 1);
}
