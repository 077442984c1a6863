/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include "fuzz.h"

/* Another way to read a number: digit by digit in 128 bits. */
static bool reference(Text text, uint64_t *ret) {
        unsigned __int128 value = 0;

        if (text.size == 0)
                return false;
        for (size_t i = 0; i < text.size; i++) {
                if (text.data[i] < '0' || text.data[i] > '9')
                        return false;
                value = value * 10 + (unsigned) (text.data[i] - '0');
                if (value > UINT64_MAX)
                        return false;
        }
        *ret = (uint64_t) value;
        return true;
}

static void numbers(Text text) {
        uint64_t u = 7, expected = 0;
        int64_t i = 7;
        usec_t usec = 7;
        bool is_number = reference(text, &expected);
        int r;

        r = number_parse_u64(text.data, text.size, &u);
        CHECK((r == 0) == is_number && u == (is_number ? expected : 7));
        CHECK(r >= 0 && r <= NUMBER_E_OVERFLOW && number_error_string(r)[0]);
        r = number_parse_i64(text.data, text.size, &i);
        CHECK(r == 0 || i == 7);
        CHECK(!is_number || (r == 0) == (expected <= INT64_MAX));
        u = 7;
        r = number_parse_millionths(text.data, text.size, &u);
        CHECK(r == 0 || u == 7);
        CHECK(!is_number || (r == 0) == (expected <= UINT64_MAX / PPM));
        r = number_parse_time(text.data, text.size, &usec);
        CHECK(r == 0 ? usec <= INT64_MAX : usec == 7);
}

/* The text is cut in two at its first LF: pattern and string. */
static void glob(Text text) {
        Arena *a = fuzz_arena(0);
        size_t cut = text_find(text, '\n');
        char *pattern = arena_strndup(a, text.data, cut);
        char *string = cut < text.size ? arena_strndup(a, text.data + cut + 1, text.size - cut - 1)
                                       : NULL;

        CHECK(pattern);
        CHECK(text_glob("*", pattern));
        if (!strpbrk(pattern, "*?"))
                CHECK(text_glob(pattern, pattern));
        if (string && !strpbrk(pattern, "*?"))
                CHECK(text_glob(pattern, string) == (strcmp(pattern, string) == 0));
        else if (string)
                (void) text_glob(pattern, string);
}

static void pieces(Text text) {
        Text rest = text, piece;
        size_t size = 0, n = 0;

        while (text_next_split(&rest, ',', &piece)) {
                size += piece.size;
                n++;
        }
        CHECK(size <= text.size && size + n >= text.size && rest.size == 0);
        rest = text;
        while (text_next_field(&rest, &piece))
                CHECK(piece.size > 0 && text_find(piece, ' ') == piece.size);
        rest = text_strip(text);
        CHECK(text_equal(text_strip(rest), rest));
        CHECK(text_compare(text, text) == 0 && text_equal(text, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        numbers(fuzz_text(data, size));
        glob(fuzz_text(data, size));
        pieces(fuzz_text(data, size));
        return 0;
}
