/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/human.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

Human human_count(uint64_t value) {
        char digits[24];
        Human h = { 0 };
        size_t n, at = 0;

        (void) text_format(digits, sizeof(digits), "%llu", (unsigned long long) value);
        n = strlen(digits);
        for (size_t i = 0; i < n; i++) {
                if (i > 0 && (n - i) % 3 == 0)
                        h.text[at++] = ',';
                h.text[at++] = digits[i];
        }
        return h;
}

/* value / scale with one decimal below `whole` units, none from there on. */
static void format_scaled(char *out, size_t size, uint64_t value, uint64_t scale, uint64_t whole,
                          const char *unit) {
        unsigned decimals = value >= u64_mul_sat(scale, whole) ? 0 : 1;
        uint64_t tenths = u64_muldiv_round(value, 10, scale);

        if (decimals == 0 || value % scale == 0)
                (void) text_format(out, size, "%s %s",
                                   human_count(u64_muldiv_round(value, 1, scale)).text, unit);
        else
                (void) text_format(out, size, "%llu.%llu %s", (unsigned long long) (tenths / 10),
                                   (unsigned long long) (tenths % 10), unit);
}

Human human_share(int64_t ppm) {
        Human h = { 0 };
        uint64_t p = ppm < 0 ? 0 : (uint64_t) ppm;

        if (p == 0)
                (void) text_format(h.text, sizeof(h.text), "0 %%");
        else if (p < 50)
                (void) text_format(h.text, sizeof(h.text), "under 0.01 %%");
        else if (p < 950)
                (void) text_format(h.text, sizeof(h.text), "0.0%llu %%",
                                   (unsigned long long) ((p + 50) / 100));
        else if (p >= 100000 && p % 10000 == 0)
                (void) text_format(h.text, sizeof(h.text), "%s %%", human_count(p / 10000).text);
        else
                (void) text_format(h.text, sizeof(h.text), "%s.%llu %%",
                                   human_count((p + 500) / 1000 / 10).text,
                                   (unsigned long long) ((p + 500) / 1000 % 10));
        return h;
}

Human human_bytes(uint64_t bytes) {
        static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
        Human h = { 0 };
        unsigned i = 0;

        while (i + 1 < ELEMENTSOF(units) && bytes >> (10 * (i + 1)) > 0)
                i++;
        format_scaled(h.text, sizeof(h.text), bytes, UINT64_C(1) << (10 * i), 100, units[i]);
        return h;
}

Human human_mib(uint64_t bytes) {
        Human h = { 0 };

        format_scaled(h.text, sizeof(h.text), bytes, UINT64_C(1) << 20, 10, "MiB");
        return h;
}

Human human_nsec(uint64_t nsec) {
        Human h = { 0 };

        if (nsec < 1000)
                format_scaled(h.text, sizeof(h.text), nsec, 1, 100, "ns");
        else if (nsec < 1000000)
                format_scaled(h.text, sizeof(h.text), nsec, 1000, 100, "us");
        else if (nsec < 10000000000ull)
                format_scaled(h.text, sizeof(h.text), nsec, 1000000, 100, "ms");
        else
                format_scaled(h.text, sizeof(h.text), nsec, 1000000000, 100, "s");
        return h;
}

Human human_seconds(uint64_t usec) {
        Human h = { 0 };

        if (usec < USEC_PER_SEC)
                format_scaled(h.text, sizeof(h.text), usec, USEC_PER_MSEC, 10, "ms");
        else if (usec < 600 * USEC_PER_SEC)
                format_scaled(h.text, sizeof(h.text), usec, USEC_PER_SEC, 10, "s");
        else if (usec < 6 * 3600 * USEC_PER_SEC)
                format_scaled(h.text, sizeof(h.text), usec, 60 * USEC_PER_SEC, 10, "min");
        else if (usec < 3 * 86400 * USEC_PER_SEC)
                format_scaled(h.text, sizeof(h.text), usec, 3600 * USEC_PER_SEC, 10, "h");
        else
                format_scaled(h.text, sizeof(h.text), usec, 86400 * USEC_PER_SEC, 10, "days");
        return h;
}

Human human_value(int64_t value, unsigned milli, const char *unit) {
        Human h = { 0 };
        uint64_t v = value < 0 ? 0 : (uint64_t) value;

        if (strcmp(unit, "ppm") == 0)
                return human_share(value);
        if (strcmp(unit, "ns") == 0)
                return human_nsec(v);
        if (strcmp(unit, "bytes") == 0)
                return human_bytes(v);
        if (value < 0)
                (void) text_format(h.text, sizeof(h.text), "-%s %s",
                                   human_count(UINT64_C(0) - (uint64_t) value).text, unit);
        else if (v < 100 && milli > 0)
                (void) text_format(h.text, sizeof(h.text), "%llu.%03u %s", (unsigned long long) v,
                                   milli, unit);
        else if (v == 1 && milli == 0 && strcmp(unit, "events") == 0)
                (void) text_format(h.text, sizeof(h.text), "1 event");
        else
                (void) text_format(h.text, sizeof(h.text), "%s%s%s", human_count(v).text,
                                   unit[0] ? " " : "", unit);
        return h;
}
