/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sense/parse.h"

/* What the fuzz targets of the parsers share. A target is not content with "no crash": it checks
 * that the log is well formed, that a second run gives the same, that what is known stands in
 * the text, and that a part which was cut off changes nothing before the cut. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): the targets are also built with NDEBUG. */
#define CHECK(condition)                                                               \
        do {                                                                           \
                if (!(condition)) {                                                    \
                        fprintf(stderr, "%s:%d: %s is not true\n", __FILE__, __LINE__, \
                                #condition);                                           \
                        abort();                                                       \
                }                                                                      \
        } while (0)

#define FUZZ_ARENAS 2u
#define FUZZ_ARENA_BYTES ((size_t) 16 << 20)

/* An empty arena; 0 and 1 are two. Full of what the input before left there, which must not
 * show. */
static inline Arena *fuzz_arena(unsigned which) {
        static uint8_t memory[FUZZ_ARENAS][FUZZ_ARENA_BYTES];
        static Arena arenas[FUZZ_ARENAS];

        CHECK(which < FUZZ_ARENAS);
        if (!arenas[which].base)
                arena_init(&arenas[which], memory[which], FUZZ_ARENA_BYTES);
        arena_reset(&arenas[which]);
        return &arenas[which];
}

static inline Text fuzz_text(const uint8_t *data, size_t size) {
        return (Text){ (const char *) data, size };
}

/* The text up to its last LF: what a parser of a kernel file reads. */
static inline Text fuzz_whole_lines(Text text) {
        while (text.size > 0 && text.data[text.size - 1] != '\n')
                text.size--;
        return text;
}

static inline size_t fuzz_count(Text text, const char *string) {
        size_t n = 0, at = 0;

        while ((at = text_find_string(text, string)) < text.size) {
                n++;
                text = (Text){ text.data + at + 1, text.size - at - 1 };
        }
        return n;
}

static inline unsigned fuzz_lines(Text text) {
        unsigned n = 0;
        Text line;

        while (text_next_line(&text, &line))
                n++;
        return n;
}

static inline void fuzz_check_log(const ParseLog *log, const char *path, Text text) {
        unsigned n_lines = MAX(fuzz_lines(text), 1u);

        CHECK(log->n_issues <= PARSE_ISSUES_MAX);
        CHECK(log->n_more == 0 || log->n_issues == PARSE_ISSUES_MAX);
        for (unsigned i = 0; i < log->n_issues; i++) {
                const ParseIssue *issue = &log->issue[i];

                CHECK(strcmp(issue->path, path) == 0);
                CHECK(issue->what && issue->what[0]);
                CHECK(issue->line <= n_lines);
                CHECK(memchr(issue->about, 0, sizeof(issue->about)));
                for (const char *p = issue->about; *p; p++)
                        CHECK(*p >= ' ' && *p <= '~');
        }
}

static inline bool fuzz_same(MaybeU64 a, MaybeU64 b) {
        return a.known == b.known && (!a.known || a.value == b.value);
}

/* A known number of a file without units stands in its text (leading zeros aside). */
static inline void fuzz_check_in_text(MaybeU64 m, Text text) {
        char digits[24];

        if (!m.known)
                return;
        CHECK(text_format(digits, sizeof(digits), "%llu", (unsigned long long) m.value));
        CHECK(text_find_string(text, digits) < text.size);
}

static inline void fuzz_check_string(const char *string, size_t size) {
        CHECK(memchr(string, 0, size));
}
