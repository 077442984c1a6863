/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/verify.h"

#include "test.h"

static const KnobSpec *knob(const char *name) {
        const KnobSpec *spec = knob_spec_find(text_from(name));

        ASSERT_TRUE(spec != NULL);
        return spec;
}

TEST(an_errno_that_may_go_away_is_transient_and_all_others_are_final) {
        static const struct {
                int error;
                VerifyResult result;
        } rows[] = {
                { 0, VERIFY_APPLIED },        { EINTR, VERIFY_TRANSIENT },
                { EAGAIN, VERIFY_TRANSIENT }, { EBUSY, VERIFY_TRANSIENT },
                { ENOMEM, VERIFY_TRANSIENT }, { EINVAL, VERIFY_REFUSED },
                { EACCES, VERIFY_REFUSED },   { EPERM, VERIFY_REFUSED },
                { EIO, VERIFY_REFUSED },      { ERANGE, VERIFY_REFUSED },
                { EROFS, VERIFY_REFUSED },    { ENOENT, VERIFY_REFUSED },
                { ENODEV, VERIFY_REFUSED },   { 100000, VERIFY_REFUSED },
                { -EBUSY, VERIFY_TRANSIENT }, { -EINVAL, VERIFY_REFUSED },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                ASSERT_EQ_I(verify_errno(rows[i].error), rows[i].result);
}

TEST(a_file_that_has_what_was_written_took_it) {
        ASSERT_EQ_I(verify_readback(knob("pcp-high-fraction"), 0, 440, 440), VERIFY_APPLIED);
        /* Also where nothing changed. */
        ASSERT_EQ_I(verify_readback(knob("pcp-high-fraction"), 440, 440, 440), VERIFY_APPLIED);
}

TEST(a_file_that_has_what_it_had_ignored_the_write) {
        ASSERT_EQ_I(verify_readback(knob("slab-cpu-partial"), 30, 60, 30), VERIFY_IGNORED);
        /* 5.10: 20 over 10 is clamped to 10: nothing changed, whatever the reason. */
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 10, 20, 10), VERIFY_IGNORED);
}

TEST(min_partial_clamped_to_5_to_10_is_rounded) {
        /* mm/slub.c set_min_partial(), 5.10: 0 -> 5, 20 -> 10. */
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 5, 20, 10), VERIFY_ROUNDED);
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 7, 0, 5), VERIFY_ROUNDED);
}

TEST(a_value_that_no_clamp_makes_is_foreign) {
        /* Within 5 to 10 the kernel takes the value as it is. */
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 5, 8, 10), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 5, 20, 9), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 7, 20, 5), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(knob("slab-min-partial"), 7, 0, 10), VERIFY_FOREIGN);
        /* No other knob is clamped. */
        ASSERT_EQ_I(verify_readback(knob("slab-cpu-partial"), 30, 60, 10), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(knob("pcp-high-fraction"), 0, 440, 8), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(knob("thp-defrag"), 1, 2, 0), VERIFY_FOREIGN);
        ASSERT_EQ_I(verify_readback(NULL, 1, 20, 10), VERIFY_FOREIGN);
}

TEST(every_result_has_a_name_of_its_own) {
        for (int i = 0; i < _VERIFY_MAX; i++)
                for (int k = 0; k < i; k++)
                        ASSERT_TRUE(strcmp(verify_result_to_string((VerifyResult) i),
                                           verify_result_to_string((VerifyResult) k)) != 0);
        ASSERT_STR(verify_result_to_string(_VERIFY_MAX), "unknown");
}

TEST_MAIN()
