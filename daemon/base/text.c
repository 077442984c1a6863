/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

Text text_from(const char *string) {
        return (Text){ string, string ? strlen(string) : 0 };
}

bool text_equal(Text a, Text b) {
        return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool text_is(Text a, const char *string) {
        return text_equal(a, text_from(string));
}

bool text_starts(Text a, const char *prefix) {
        size_t n = strlen(prefix);

        return a.size >= n && (n == 0 || memcmp(a.data, prefix, n) == 0);
}

bool text_ends(Text a, const char *suffix) {
        size_t n = strlen(suffix);

        return a.size >= n && (n == 0 || memcmp(a.data + a.size - n, suffix, n) == 0);
}

int text_compare(Text a, Text b) {
        size_t n = MIN(a.size, b.size);
        int r = n > 0 ? memcmp(a.data, b.data, n) : 0;

        if (r != 0)
                return r;
        return a.size < b.size ? -1 : a.size > b.size;
}

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Text text_strip(Text a) {
        while (a.size > 0 && is_blank(a.data[0])) {
                a.data++;
                a.size--;
        }
        while (a.size > 0 && is_blank(a.data[a.size - 1]))
                a.size--;
        return a;
}

size_t text_find(Text a, char c) {
        const char *p = a.size > 0 ? memchr(a.data, c, a.size) : NULL;

        return p ? (size_t) (p - a.data) : a.size;
}

size_t text_find_string(Text a, const char *string) {
        size_t n = strlen(string), from = 0;

        if (n == 0)
                return 0;
        while (a.size - from >= n) {
                Text tail = { a.data + from, a.size - from - (n - 1) };
                size_t at = text_find(tail, string[0]);

                if (at == tail.size)
                        break;
                if (memcmp(tail.data + at, string, n) == 0)
                        return from + at;
                from += at + 1;
        }
        return a.size;
}

bool text_next_line(Text *rest, Text *ret_line) {
        if (!text_next_split(rest, '\n', ret_line))
                return false;
        if (ret_line->size > 0 && ret_line->data[ret_line->size - 1] == '\r')
                ret_line->size--;
        return true;
}

bool text_next_field(Text *rest, Text *ret_field) {
        const char *at = rest->data, *end, *start;

        if (rest->size == 0)
                return false;
        end = at + rest->size;
        while (at < end && (*at == ' ' || *at == '\t'))
                at++;
        start = at;
        while (at < end && *at != ' ' && *at != '\t')
                at++;
        *rest = (Text){ at, (size_t) (end - at) };
        if (at == start)
                return false;
        *ret_field = (Text){ start, (size_t) (at - start) };
        return true;
}

bool text_next_split(Text *rest, char separator, Text *ret_field) {
        size_t n;

        if (rest->size == 0)
                return false;
        n = text_find(*rest, separator);
        *ret_field = (Text){ rest->data, n };
        if (n < rest->size)
                n++;
        rest->data += n;
        rest->size -= n;
        return true;
}

bool text_glob(const char *pattern, const char *string) {
        const char *star = NULL, *resume = NULL;

        while (*string) {
                if (*pattern == '*') {
                        star = pattern++;
                        resume = string;
                } else if (*pattern == '?' || *pattern == *string) {
                        pattern++;
                        string++;
                } else if (star) {
                        pattern = star + 1;
                        string = ++resume;
                } else {
                        return false;
                }
        }
        while (*pattern == '*')
                pattern++;
        return *pattern == 0;
}

bool text_format_va(char *buffer, size_t size, const char *format, va_list args) {
        int n = vsnprintf(buffer, size, format, args);

        if (n < 0) {
                if (size > 0)
                        buffer[0] = 0;
                return false;
        }
        return (size_t) n < size;
}

bool text_format(char *buffer, size_t size, const char *format, ...) {
        va_list args;
        bool fits;

        va_start(args, format);
        fits = text_format_va(buffer, size, format, args);
        va_end(args);
        return fits;
}

bool text_copy(char *buffer, size_t size, Text text) {
        size_t n = size > 0 ? MIN(text.size, size - 1) : 0;

        if (n > 0)
                memcpy(buffer, text.data, n);
        if (size > 0)
                buffer[n] = 0;
        return n == text.size;
}
