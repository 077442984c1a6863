/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text without printf: the files of a tick are some 350 numbers, and a format string for each of them would cost more than
 * the rest of the machine. A text that does not fit is marked, never written beyond its end. */
#include <string.h>

#include "machine/sim/sim-private.h"

#define DIGITS_MAX 20u

void sim_out(SimOut *o, const char *text, size_t size) {
        if ((size_t) (o->end - o->at) < size) {
                o->full = true;
                return;
        }
        memcpy(o->at, text, size);
        o->at += size;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

/* Digits at the end of a buffer; gives where they begin. */
static char *digits(char end[static DIGITS_MAX], uint64_t n) {
        char *at = end + DIGITS_MAX;

        while (n >= 100) {
                at -= 2;
                memcpy(at, &pairs[n % 100 * 2], 2);
                n /= 100;
        }
        if (n >= 10) {
                at -= 2;
                memcpy(at, &pairs[n * 2], 2);
        } else {
                *--at = (char) ('0' + n);
        }
        return at;
}

void sim_out_padded(SimOut *o, uint64_t n, unsigned width) {
        char buffer[DIGITS_MAX], *at = digits(buffer, n);
        size_t size = (size_t) (buffer + DIGITS_MAX - at);

        for (size_t i = size; i < width; i++)
                sim_out(o, " ", 1);
        sim_out(o, at, size);
}

void sim_out_u64(SimOut *o, uint64_t n) {
        sim_out_padded(o, n, 0);
}

void sim_out_hundredths(SimOut *o, uint64_t hundredths, unsigned width) {
        sim_out_padded(o, hundredths / 100, width > 3 ? width - 3 : 0);
        sim_out(o, ".", 1);
        sim_out(o, &pairs[hundredths % 100 * 2], 2);
}
