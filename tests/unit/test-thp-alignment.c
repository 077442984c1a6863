/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/thp-alignment.h"

#include "test.h"

static const char *of(const char *release) {
        return thp_alignment_to_string(thp_alignment_from_release(text_from(release)));
}

TEST(releases_with_the_defect_align_every_mapping) {
        static const char *const releases[] = { "6.1.0-rc1", "6.1-rc7",          "6.7.0",
                                                "6.7",       "6.8.0-51-generic", "6.10.3",
                                                "6.11.6",    "6.12.0-rc5" };

        for (size_t i = 0; i < ELEMENTSOF(releases); i++)
                ASSERT_STR(of(releases[i]), "always");
}

TEST(releases_with_the_fix_align_multiples) {
        static const char *const releases[] = { "6.11.7",     "6.11.11-amd64",
                                                "6.12.0-rc6", "6.12.117+deb13-amd64",
                                                "6.18.1",     "7.3.4+deb13-amd64" };

        for (size_t i = 0; i < ELEMENTSOF(releases); i++)
                ASSERT_STR(of(releases[i]), "multiple");
}

TEST(older_releases_never_align) {
        static const char *const releases[] = { "5.10.0-32-amd64", "6.1.0-40-amd64", "6.1.0-rc8",
                                                "6.6.99", "4.18.0-553.el8_10.x86_64" };

        for (size_t i = 0; i < ELEMENTSOF(releases); i++)
                ASSERT_STR(of(releases[i]), "never");
}

TEST(no_release_is_unknown) {
        ASSERT_STR(of(""), "unknown");
        ASSERT_STR(of("linux"), "unknown");
        ASSERT_STR(of(NULL), "unknown");
}

TEST_MAIN()
