/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/knob.h"

#include "test.h"

/* The table of knobs. */

TEST(names_are_sorted_and_unique) {
        size_t n = 0;
        const KnobSpec *specs = knob_specs(&n);

        ASSERT_EQ_U(n, 24);
        for (size_t i = 1; i < n; i++)
                ASSERT_TRUE(strcmp(specs[i - 1].name, specs[i].name) < 0);
}

TEST(every_row_is_filled) {
        size_t n = 0;
        const KnobSpec *specs = knob_specs(&n);

        for (size_t i = 0; i < n; i++) {
                const KnobSpec *s = &specs[i];
                bool has_file = s->kind != KNOB_KIND_ALIGNMENT && s->kind != KNOB_KIND_PCP_BATCH;

                ASSERT_TRUE(s->legal && s->unit && s->memory && s->verify && s->risk && s->help &&
                            s->source);
                ASSERT_TRUE(strlen(s->help) >= 40);
                ASSERT_TRUE(s->floor <= s->ceiling);
                ASSERT_EQ_U(s->path != NULL, has_file);
                ASSERT_TRUE(!s->path || text_starts(text_from(s->path), "proc/") ||
                            text_starts(text_from(s->path), "sys/"));
                ASSERT_EQ_U(s->attribute != NULL, s->scopes == SCOPES_CACHE);
                ASSERT_EQ_U(s->words != NULL, s->kind == KNOB_KIND_WORD);
                /* A window includes its settle time and is longer than the gap between writes. */
                ASSERT_TRUE(s->window_s == 0 ||
                            (s->settle_s < s->window_s && s->write_gap_s < s->window_s));
                ASSERT_FALSE(s->context_only && s->window_s > 0);
        }
}

TEST(trials_have_the_times_of_the_design) {
        static const struct {
                const char *name;
                unsigned window, settle, gap;
        } rows[] = { { "pcp-high-fraction", 10, 2, 5 },
                     { "slab-cpu-partial", 60, 10, 50 },
                     { "slab-min-partial", 60, 10, 50 },
                     { "thp-defrag", 30, 5, 10 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                const KnobSpec *s = knob_spec_find(text_from(rows[i].name));

                ASSERT_TRUE(s);
                ASSERT_EQ_U(s->window_s, rows[i].window);
                ASSERT_EQ_U(s->settle_s, rows[i].settle);
                ASSERT_EQ_U(s->write_gap_s, rows[i].gap);
        }
        ASSERT_TRUE(knob_spec_find(TEXT("slab-cpu-partial"))->flushes_every_cpu);
        ASSERT_FALSE(knob_spec_find(TEXT("pcp-high-fraction"))->flushes_every_cpu);
}

TEST(sizes_share_one_row) {
        ASSERT_STR(knob_spec_find(TEXT("thp-size-64-enabled"))->name, KNOB_SIZE_NAME);
        ASSERT_STR(knob_spec_find(TEXT(KNOB_SIZE_NAME))->name, KNOB_SIZE_NAME);
        ASSERT_TRUE(!knob_spec_find(TEXT("thp-size--enabled")));
        ASSERT_TRUE(!knob_spec_find(TEXT("thp-size-6x-enabled")));
        ASSERT_TRUE(!knob_spec_find(TEXT("thp-size")));
        ASSERT_TRUE(!knob_spec_find(TEXT("")));
}

/* Every path of a system-scope row is read, and the older name of the fraction besides. */
TEST(paths_to_read_agree_with_the_table) {
        size_t n_paths = 0, n_specs = 0, n = 1;
        const char *const *paths = knob_paths(&n_paths);
        const KnobSpec *specs = knob_specs(&n_specs);

        for (size_t i = 1; i < n_paths; i++)
                ASSERT_TRUE(strcmp(paths[i - 1], paths[i]) < 0);
        for (size_t i = 0; i < n_specs; i++) {
                bool found = false;

                if (specs[i].scopes != SCOPES_SYSTEM || !specs[i].path ||
                    strstr(specs[i].path, "%s"))
                        continue;
                n++;
                for (size_t k = 0; k < n_paths; k++)
                        found = found || strcmp(paths[k], specs[i].path) == 0;
                ASSERT_TRUE(found);
        }
        ASSERT_EQ_U(n, n_paths);
}

TEST_MAIN()
