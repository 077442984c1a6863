/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lists.h"
#include "fuzz.h"

/* Writes the set as the kernel would and reads it back. */
static void set_round_trip(const IdSet *set) {
        static char text[IDSET_MAX * 6];
        size_t used = 0;
        ParseLog log = {};
        IdSet again;

        for (unsigned first = idset_next(set, 0); first < IDSET_MAX;) {
                unsigned last = first;

                while (last + 1 < IDSET_MAX && idset_has(set, last + 1))
                        last++;
                CHECK(text_format(text + used, sizeof(text) - used, "%s%u-%u", used > 0 ? "," : "",
                                  first, last));
                used += strlen(text + used);
                first = idset_next(set, last + 1);
        }
        CHECK(idlist_parse((Text){ text, used }, "sys/x", &again, &log) == 0);
        CHECK(log.n_issues == 0 && idset_equal(set, &again));
}

static void lists(Text text) {
        uint16_t distances[8] = {};
        ParseLog log = {};
        unsigned n;
        IdSet set;

        CHECK(idlist_parse(text, "sys/x", &set, &log) == 0);
        fuzz_check_log(&log, "sys/x", text);
        if (log.n_issues == 0)
                set_round_trip(&set);
        log = (ParseLog){};
        n = distances_parse(text, "sys/x", distances, ELEMENTSOF(distances), &log);
        CHECK(n <= ELEMENTSOF(distances));
        for (unsigned i = 0; i < n; i++)
                fuzz_check_in_text(KNOWN(distances[i]), text);
        fuzz_check_log(&log, "sys/x", text);
        log = (ParseLog){};
        fuzz_check_in_text(number_file_parse(text, "sys/x", &log), text);
        (void) uptime_parse(text, "sys/x", &log);
        fuzz_check_log(&log, "sys/x", text);
}

static void cmdline(Text text) {
        Text rest = text, name, value, found;

        while (cmdline_next(&rest, &name, &value)) {
                char copy[64];

                CHECK(name.data >= text.data && name.data + name.size <= text.data + text.size);
                if (value.data)
                        CHECK(value.data >= text.data &&
                              value.data + value.size <= text.data + text.size);
                if (text_is(name, "--") && !value.data)
                        break;
                if (!memchr(name.data, 0, name.size) && text_copy(copy, sizeof(copy), name))
                        CHECK(cmdline_find(text, copy, &found));
        }
}

static void releases(Text text) {
        ReleaseRange range;
        Release r, copy;

        if (release_parse(text, &r) == 0) {
                char again[64];

                CHECK(release_compare(&r, &r) == 0);
                if (r.rc == RELEASE_NO_RC)
                        CHECK(text_format(again, sizeof(again), "%u.%u.%u", r.major, r.minor,
                                          r.patch));
                else
                        CHECK(text_format(again, sizeof(again), "%u.%u.%u-rc%u", r.major, r.minor,
                                          r.patch, r.rc));
                CHECK(release_parse(text_from(again), &copy) == 0 &&
                      release_compare(&r, &copy) == 0);
                CHECK(release_range_parse(text_from(again), &range) == 0 &&
                      release_in_range(&r, &range));
        }
        if (release_range_parse(text, &range) == 0) {
                CHECK(range.has_first || range.has_last);
                if (range.has_first)
                        CHECK(release_in_range(&range.first, &range));
                if (range.has_last)
                        CHECK(release_in_range(&range.last, &range));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        lists(fuzz_text(data, size));
        cmdline(fuzz_text(data, size));
        releases(fuzz_text(data, size));
        return 0;
}
