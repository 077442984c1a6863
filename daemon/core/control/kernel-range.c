/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/control/kernel-range.h"

#include <string.h>

#include "base/number.h"

/* A release is a point: major, minor, patch, release candidate. "6.7" as a lower end means its first
 * release candidate, because a change of a merge window is in -rc1; as an upper end it means the
 * last stable release. So a release that leaves parts away stands for a span, and a range goes from
 * the low end of its first to the high end of its last release. Distribution kernels carry later
 * fixes and other patch levels under an old name ("6.1.0-13-amd64"): what is found here is a hint
 * for a note, never the state of a knob. */
#define PART_MAX UINT32_MAX

typedef struct Release {
        uint32_t part[4]; /* major, minor, patch, rc; PART_MAX as rc: the release itself */
        unsigned n;       /* leading parts given: 2 or 3, with an rc always 4 */
} Release;

static size_t digits(Text t) {
        size_t n = 0;

        while (n < t.size && t.data[n] >= '0' && t.data[n] <= '9')
                n++;
        return n;
}

static Text skip(Text t, size_t n) {
        return (Text){ t.data + n, t.size - n };
}

static bool take_number(Text *t, uint32_t *ret) {
        size_t n = digits(*t);
        uint64_t value;

        if (number_parse_u64(t->data, n, &value) != 0 || value >= PART_MAX)
                return false;
        *t = skip(*t, n);
        *ret = (uint32_t) value;
        return true;
}

/* Takes "6.11.6" or "6.1-rc1" off the front. A patch level of 0 before an rc is what uname adds. */
static bool take_release(Text *t, Release *ret) {
        Release r = { .part = { 0, 0, 0, PART_MAX }, .n = 2 };
        Text rest = *t;

        if (!take_number(&rest, &r.part[0]) || rest.size == 0 || rest.data[0] != '.')
                return false;
        rest = skip(rest, 1);
        if (!take_number(&rest, &r.part[1]))
                return false;
        if (rest.size > 1 && rest.data[0] == '.' && digits(skip(rest, 1)) > 0) {
                rest = skip(rest, 1);
                if (!take_number(&rest, &r.part[2]))
                        return false;
                r.n = 3;
        }
        if (text_starts(rest, "-rc")) {
                Text after = skip(rest, 3);

                if (take_number(&after, &r.part[3])) {
                        r.n = 4;
                        rest = after;
                }
        }
        *ret = r;
        *t = rest;
        return true;
}

static int release_compare(const Release *a, const Release *b) {
        for (size_t i = 0; i < ELEMENTSOF(a->part); i++)
                if (a->part[i] != b->part[i])
                        return a->part[i] < b->part[i] ? -1 : 1;
        return 0;
}

static Release lowest(Release r) {
        if (r.n == 2)
                r.part[3] = 0; /* patch is 0 already: the first release candidate */
        return r;
}

static Release highest(Release r) {
        if (r.n == 2)
                r.part[2] = PART_MAX;
        return r;
}

/* One range of the list. */
static bool range_parse(Text t, Release *ret_low, Release *ret_high) {
        static const Release first = { .part = { 0, 0, 0, 0 }, .n = 4 };
        static const Release last = { .part = { PART_MAX, PART_MAX, PART_MAX, PART_MAX }, .n = 4 };
        Release low = first, high = last, r;
        bool some = false;

        t = text_strip(t);
        if (take_release(&t, &r)) {
                low = lowest(r);
                high = highest(r);
                some = true;
        }
        if (text_starts(t, "..")) {
                t = skip(t, 2);
                high = last;
                if (take_release(&t, &r)) {
                        high = highest(r);
                        some = true;
                }
        }
        if (!some || t.size > 0 || release_compare(&low, &high) > 0)
                return false;
        *ret_low = low;
        *ret_high = high;
        return true;
}

bool kernel_range_valid(Text range) {
        Text rest = range, one;
        Release low, high;

        if (text_strip(range).size == 0 || text_ends(text_strip(range), ","))
                return false;
        while (text_next_split(&rest, ',', &one))
                if (!range_parse(one, &low, &high))
                        return false;
        return true;
}

/* Release candidates that distributions name otherwise: "6.7.0-0.rc3.20231129git.fc40". */
static void release_find_rc(Text suffix, Release *r) {
        for (size_t i = 0; i + 4 < suffix.size; i++) {
                Text after = skip(suffix, i + 4);
                uint32_t rc;

                if (memcmp(suffix.data + i, "0.rc", 4) == 0 && take_number(&after, &rc)) {
                        r->part[3] = rc;
                        return;
                }
        }
}

bool kernel_range_has(Text range, Text release) {
        Text rest = range, one, suffix = text_strip(release);
        Release r, low, high;

        if (!take_release(&suffix, &r))
                return false;
        if (r.n != 4 && text_starts(suffix, "-0.rc"))
                release_find_rc(suffix, &r);
        while (text_next_split(&rest, ',', &one))
                if (range_parse(one, &low, &high) && release_compare(&low, &r) <= 0 &&
                    release_compare(&r, &high) <= 0)
                        return true;
        return false;
}
