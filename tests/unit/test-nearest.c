/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/nearest.h"
#include "test.h"

static const char *nearest_of(const char *word, const char *const *candidates) {
        Nearest n = { .word = word };

        for (const char *const *c = candidates; *c; c++)
                nearest_offer(&n, *c);
        return n.best;
}

TEST(distance_counts_edits) {
        ASSERT_EQ_U(nearest_distance("", ""), 0);
        ASSERT_EQ_U(nearest_distance("abc", "abc"), 0);
        ASSERT_EQ_U(nearest_distance("abc", ""), 3);
        ASSERT_EQ_U(nearest_distance("kitten", "sitting"), 3);
        ASSERT_EQ_U(nearest_distance("tick", "tack"), 1);
}

TEST(the_nearest_candidate_wins) {
        static const char *const names[] = { "zone-lock-wait", "zone-lock-use", "list-lock-wait",
                                             "mode", NULL };

        ASSERT_STR(nearest_of("zone-lock-wiat", names), "zone-lock-wait");
        ASSERT_STR(nearest_of("zone-lock-ues", names), "zone-lock-use");
        ASSERT_STR(nearest_of("mod", names), "mode");
}

TEST(far_words_get_no_suggestion) {
        static const char *const names[] = { "mode", "tick", NULL };

        ASSERT_STR(nearest_of("percpu", names), NULL);
        ASSERT_STR(nearest_of("", names), NULL);
        ASSERT_STR(nearest_of("a", names), NULL);
}

TEST(long_words_are_cut_not_overrun) {
        char a[300], b[300];

        memset(a, 'a', sizeof(a) - 1);
        memset(b, 'b', sizeof(b) - 1);
        a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
        ASSERT_EQ_U(nearest_distance(a, b), 63);
}

TEST_MAIN()
