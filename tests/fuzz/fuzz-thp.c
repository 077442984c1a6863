/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/thp.h"
#include "fuzz.h"

static void choice(Text text) {
        ParseLog log = {}, again = {};
        ThpChoice c, w;

        CHECK(thp_choice_parse(text, "sys/x", &c, &log) == 0);
        fuzz_check_log(&log, "sys/x",
                       (Text){ "\n\n", 2 }); /* line 2 is named though it may be empty */
        CHECK(thp_choice_parse(text, "sys/x", &w, &again) == 0);
        CHECK(c.known == w.known && c.n_words == w.n_words && strcmp(c.chosen, w.chosen) == 0);
        fuzz_check_string(c.chosen, sizeof(c.chosen));
        CHECK(c.known == (c.chosen[0] != 0));
        CHECK(c.known || log.n_issues > 0);
        CHECK(c.n_words <= THP_WORDS_MAX);
        if (c.known) {
                char bracketed[THP_WORD_MAX + 2];

                CHECK(thp_choice_is(&c, c.chosen));
                CHECK(c.n_words == THP_WORDS_MAX || thp_choice_has(&c, c.chosen));
                CHECK(text_format(bracketed, sizeof(bracketed), "[%s]", c.chosen));
                CHECK(text_find_string(text, bracketed) < text.size);
        }
        for (unsigned i = 0; i < c.n_words; i++) {
                fuzz_check_string(c.words[i], THP_WORD_MAX);
                CHECK(c.words[i][0] && text_find_string(text, c.words[i]) < text.size);
        }
}

#define NAMES_MAX 32u

static void tree(Text text) {
        const char *names[NAMES_MAX];
        Arena *strings = fuzz_arena(1);
        size_t n = 0;
        ThpTree t;
        Text line;

        while (n < NAMES_MAX && text_next_line(&text, &line)) {
                names[n] = arena_strndup(strings, line.data, line.size);
                CHECK(names[n++]);
        }
        CHECK(thp_tree_build(fuzz_arena(0), names, n, &t) == 0);
        CHECK(t.n_sizes <= n);
        for (size_t i = 0; i < t.n_sizes; i++) {
                CHECK(t.sizes[i].kb > 0 && (i == 0 || t.sizes[i - 1].kb <= t.sizes[i].kb));
                CHECK(thp_tree_size(&t, t.sizes[i].kb));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        choice(fuzz_text(data, size));
        tree(fuzz_text(data, size));
        return 0;
}
