/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <stdlib.h>

#include "test.h"

static char *dump(json_t *j) {
        char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_PRESERVE_ORDER |
                                           JSON_REAL_PRECISION(15));

        json_decref(j);
        return text;
}

#define ASSERT_JSON(j, expected)             \
        do {                                 \
                char *text_ = dump(j);       \
                ASSERT_STR(text_, expected); \
                free(text_);                 \
        } while (0)

TEST(unknown_is_null_and_zero_is_zero) {
        ASSERT_JSON(cli_json_maybe(UNKNOWN), "null");
        ASSERT_JSON(cli_json_maybe(KNOWN(0)), "0");
        ASSERT_JSON(cli_json_text(""), "null");
        ASSERT_JSON(cli_json_text(NULL), "null");
        ASSERT_JSON(cli_json_string(""), "\"\"");
        ASSERT_JSON(cli_json_usec(USEC_UNKNOWN), "null");
}

TEST(numbers_beyond_json_integers_stick_at_the_end) {
        ASSERT_JSON(cli_json_u64(UINT64_MAX), "9223372036854775807");
        ASSERT_JSON(cli_json_u64(INT64_MAX), "9223372036854775807");
}

TEST(seconds_are_rounded_to_the_millisecond) {
        ASSERT_JSON(cli_json_usec(10 * USEC_PER_SEC), "10.0");
        ASSERT_JSON(cli_json_usec(400000), "0.4");
        ASSERT_JSON(cli_json_usec(1499), "0.001");
        ASSERT_JSON(cli_json_usec(1500), "0.002");
}

TEST(bytes_that_are_no_utf8_become_the_replacement_character) {
        ASSERT_JSON(cli_json_string("a\xff"
                                    "b"),
                    "\"a\xef\xbf\xbd"
                    "b\"");
        ASSERT_JSON(cli_json_string("\xc3\xbc\xe2\x82"), "\"\xc3\xbc\xef\xbf\xbd\xef\xbf\xbd\"");
        ASSERT_JSON(cli_json_string("\033\n"), "\"\\u001B\\n\"");
}

TEST(a_signal_has_the_keys_of_the_schema_in_order) {
        Signal s = { .spec = signal_spec_find(TEXT("allocstall")),
                     .name = "allocstall",
                     .scope = scope_system(),
                     .value = 2,
                     .milli = 250,
                     .evidence = EVIDENCE_COUNTED,
                     .unit = "events/s",
                     .source = "vmstat",
                     .age_usec = 400000 };

        ASSERT_JSON(
                cli_json_signal(&s),
                "{\"name\":\"allocstall\",\"scope\":\"system\",\"value\":2.25,\"unit\":\"events/s\","
                "\"evidence\":\"counted\",\"source\":\"vmstat\",\"age_seconds\":0.4}");
        s.milli = 0;
        s.value = 31250;
        ASSERT_JSON(cli_json_signal_value(&s), "31250");
        s.evidence = EVIDENCE_NONE;
        ASSERT_JSON(
                cli_json_signal(&s),
                "{\"name\":\"allocstall\",\"scope\":\"system\",\"value\":null,\"unit\":\"events/s\","
                "\"evidence\":\"none\",\"source\":\"vmstat\",\"age_seconds\":null}");
}

TEST(a_knob_has_the_keys_of_the_schema_in_order) {
        Knob k = { .spec = knob_spec_find(TEXT("min-free")),
                   .name = "min-free",
                   .scope = scope_system(),
                   .state = KNOB_DENIED,
                   .inferred = true,
                   .owner = OWNER_UNKNOWN,
                   .value = "67584",
                   .reason = "why" };

        ASSERT_JSON(
                cli_json_knob(&k),
                "{\"name\":\"min-free\",\"scope\":\"system\",\"state\":\"denied\",\"inferred\":true,"
                "\"value\":\"67584\",\"default\":null,\"path\":null,\"owner\":\"unknown\",\"reason\":\"why\"}");
}

TEST(merged_names_of_a_cache_are_an_array) {
        const char *names[] = { "a", "b" };
        SlabCache cache = { .dir = ":0000064", .aliases = names, .n_aliases = 2 };
        Knob k = { .spec = knob_spec_find(TEXT("slab-order")),
                   .name = "slab-order",
                   .cache = &cache };
        char *text;

        k.scope = scope_cache(":0000064");
        text = dump(cli_json_knob(&k));
        ASSERT_HAS(text, "\"scope\":\"cache::0000064\"");
        ASSERT_HAS(text, "\"aliases\":[\"a\",\"b\"]");
        free(text);
}

TEST(a_recommendation_without_a_value_has_nulls) {
        Recommendation r = { .id = "p/k/system",
                             .verdict = VERDICT_ADVISE,
                             .scope = scope_system(),
                             .apply = APPLY_NONE,
                             .reason = "r",
                             .expect = "e",
                             .memory_bytes = KNOWN(0) };

        ASSERT_JSON(
                cli_json_recommendation(&r),
                "{\"id\":\"p/k/system\",\"verdict\":\"advise\",\"policy\":null,\"knob\":null,\"scope\":\"system\","
                "\"from\":null,\"to\":null,\"apply\":\"none\",\"how\":null,\"reason\":\"r\",\"evidence\":\"none\","
                "\"cost\":{\"memory_bytes\":0},\"expect\":\"e\",\"confidence\":\"low\"}");
}

TEST(arrays_are_wrapped_with_the_schema) {
        ASSERT_JSON(cli_json_document("knobs", json_array()), "{\"schema\":1,\"knobs\":[]}");
        ASSERT_TRUE(cli_json_document("knobs", NULL) == NULL);
}

TEST_MAIN()
