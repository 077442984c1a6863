/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/value.h"

#include <string.h>

#include "base/number.h"

bool value_parse_time(const char *text, usec_t *ret_usec) {
        return number_parse_time(text, strlen(text), ret_usec) == 0;
}

static const struct {
        const char *suffix;
        uint64_t bytes;
} size_units[] = {
        /* Longest first: "B" ends all of them. */
        { "KiB", 1024 },
        { "MiB", 1024 * 1024 },
        { "GiB", 1024 * 1024 * 1024 },
        { "B", 1 },
};

bool value_parse_size(const char *text, uint64_t *ret_bytes) {
        Text t = text_from(text);

        for (size_t i = 0; i < ELEMENTSOF(size_units); i++) {
                uint64_t value;

                if (!text_ends(t, size_units[i].suffix))
                        continue;
                t.size -= strlen(size_units[i].suffix);
                if (number_parse_u64(t.data, t.size, &value) != 0 ||
                    value > UINT64_MAX / size_units[i].bytes)
                        return false;
                *ret_bytes = value * size_units[i].bytes;
                return true;
        }
        return false;
}

bool value_format_size(uint64_t bytes, char *buffer, size_t size) {
        static const unsigned order[] = { 2, 1, 0 }; /* largest first */

        for (size_t i = 0; i < ELEMENTSOF(order); i++) {
                uint64_t unit = size_units[order[i]].bytes;

                if (bytes >= unit && bytes % unit == 0)
                        return text_format(buffer, size, "%llu%s",
                                           (unsigned long long) (bytes / unit),
                                           size_units[order[i]].suffix);
        }
        return text_format(buffer, size, "%lluB", (unsigned long long) bytes);
}

bool value_format_time(usec_t usec, char *buffer, size_t size) {
        static const struct {
                const char *suffix;
                usec_t usec;
                usec_t at_least;
        } units[] = {
                /* 24h and 36h read better than 1d; from 2 days on days do. */
                { "d", 86400 * USEC_PER_SEC, 2 * 86400 * USEC_PER_SEC },
                { "h", 3600 * USEC_PER_SEC, 3600 * USEC_PER_SEC },
                { "min", 60 * USEC_PER_SEC, 60 * USEC_PER_SEC },
                { "s", USEC_PER_SEC, USEC_PER_SEC },
                { "ms", USEC_PER_MSEC, USEC_PER_MSEC },
        };

        for (size_t i = 0; i < ELEMENTSOF(units); i++)
                if (usec >= units[i].at_least && usec % units[i].usec == 0)
                        return text_format(buffer, size, "%llu%s",
                                           (unsigned long long) (usec / units[i].usec),
                                           units[i].suffix);
        return text_format(buffer, size, "%lluus", (unsigned long long) usec);
}

static const char *const day_names[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };

static bool parse_day(Text t, unsigned *ret_day) {
        for (unsigned i = 0; i < ELEMENTSOF(day_names); i++)
                if (text_is(t, day_names[i])) {
                        *ret_day = i;
                        return true;
                }
        return false;
}

/* "Mon..Fri,Sun"; a range may wrap around the end of the week. */
static bool parse_days(Text t, unsigned *ret_days) {
        unsigned days = 0;
        Text one;

        while (text_next_split(&t, ',', &one)) {
                unsigned first, last;

                if (one.size == 3) {
                        if (!parse_day(one, &first))
                                return false;
                        last = first;
                } else if (one.size == 8 && one.data[3] == '.' && one.data[4] == '.') {
                        if (!parse_day((Text){ one.data, 3 }, &first) ||
                            !parse_day((Text){ one.data + 5, 3 }, &last))
                                return false;
                } else
                        return false;
                for (unsigned day = first;; day = (day + 1) % 7) {
                        days |= 1u << day;
                        if (day == last)
                                break;
                }
        }
        if (days == 0)
                return false;
        *ret_days = days;
        return true;
}

/* "05:00", 24:00 only as an end. */
static bool parse_clock(Text t, unsigned *ret_minute) {
        uint64_t hour, minute;

        if (t.size != 5 || t.data[2] != ':' || number_parse_u64(t.data, 2, &hour) != 0 ||
            number_parse_u64(t.data + 3, 2, &minute) != 0 || minute > 59 ||
            hour * 60 + minute > 1440)
                return false;
        *ret_minute = (unsigned) (hour * 60 + minute);
        return true;
}

bool value_parse_trials(const char *text, ConfTrials *ret_trials) {
        ConfTrials trials = { .days = 127, .start_minute = 0, .end_minute = 1440 };
        Text t = text_from(text), field;

        if (strcmp(text, "any") == 0) {
                *ret_trials = trials;
                return true;
        }
        if (strcmp(text, "never") == 0) {
                *ret_trials = (ConfTrials){ .never = true };
                return true;
        }
        if (!text_next_field(&t, &field))
                return false;
        if (field.size > 0 && (field.data[0] < '0' || field.data[0] > '9')) {
                if (!parse_days(field, &trials.days) || !text_next_field(&t, &field))
                        return false;
        }
        if (field.size != 11 || field.data[5] != '-' ||
            !parse_clock((Text){ field.data, 5 }, &trials.start_minute) ||
            !parse_clock((Text){ field.data + 6, 5 }, &trials.end_minute) ||
            trials.start_minute == 1440 || trials.start_minute == trials.end_minute ||
            text_next_field(&t, &field))
                return false;
        *ret_trials = trials;
        return true;
}

int value_find_word(const char *words, const char *word) {
        Text rest = text_from(words), one;

        for (int i = 0; text_next_field(&rest, &one); i++)
                if (text_is(one, word))
                        return i;
        return -1;
}

Text value_word(const char *words, unsigned index) {
        Text rest = text_from(words), one;

        for (unsigned i = 0; text_next_field(&rest, &one); i++)
                if (i == index)
                        return one;
        return TEXT_NULL;
}

bool value_is_name(const char *text) {
        for (const char *p = text; *p; p++) {
                bool alphanumeric = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');

                if (!alphanumeric && (p == text || !strchr("-._", *p)))
                        return false;
        }
        return *text != '\0';
}
