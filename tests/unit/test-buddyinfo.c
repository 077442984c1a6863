/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/buddyinfo.h"

#include <errno.h>

#include "sense.h"

static BuddyInfo buddyinfo(Text text, ParseLog *log) {
        BuddyInfo b;

        ASSERT_OK(buddyinfo_parse(sense_arena(), text, "proc/buddyinfo", &b, log));
        return b;
}

TEST(figures_of_the_five_kernels) {
        /* the DMA32 line of node 1, as it stands in the files */
        static const uint64_t rows[][11] = {
                { 5, 4, 6, 6, 4, 7, 13, 16, 2, 1, 230 },
                { 52, 18, 6, 249, 168, 30, 14, 7, 1, 3, 210 },
                { 9, 14, 49, 24, 36, 43, 37, 18, 7, 3, 201 },
                { 4, 5, 4, 3, 2, 4, 1, 1, 3, 2, 227 },
                { 17, 40, 6, 1, 5, 1, 30, 10, 6, 3, 212 },
        };

        for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
                Text text = sense_file(sense_kernels[k], "buddyinfo");
                ParseLog log = {};
                BuddyInfo b = buddyinfo(text, &log);
                const BuddyZone *z = buddyinfo_find(&b, 1, "DMA32");
                uint64_t pages = 0;

                ASSERT_EQ_U(log.n_issues, 0);
                ASSERT_EQ_U(b.n, 3);
                ASSERT_TRUE(z);
                ASSERT_EQ_U(z->line, 3);
                ASSERT_EQ_U(z->n_orders, 11);
                for (unsigned i = 0; i < 11; i++) {
                        ASSERT_KNOWN(z->blocks[i], rows[k][i]);
                        pages += rows[k][i] << i;
                }
                ASSERT_KNOWN(buddy_zone_free_pages(z, 0), pages);
                ASSERT_KNOWN(buddy_zone_free_pages(z, 10), rows[k][10] * 1024);
                ASSERT_UNKNOWN(buddy_zone_free_pages(z, 11));
                ASSERT_TRUE(!buddyinfo_find(&b, 2, "DMA32"));
                sense_free(text);
        }
}

TEST(a_broken_column_keeps_the_places_of_the_others) {
        ParseLog log = {};
        BuddyInfo b = buddyinfo(TEXT("Node 0, zone   Normal      1      x      -3      4 \n"),
                                &log);

        ASSERT_EQ_U(b.n, 1);
        ASSERT_EQ_U(b.zones[0].n_orders, 4);
        ASSERT_KNOWN(b.zones[0].blocks[0], 1);
        ASSERT_UNKNOWN(b.zones[0].blocks[1]);
        ASSERT_UNKNOWN(b.zones[0].blocks[2]);
        ASSERT_KNOWN(b.zones[0].blocks[3], 4);
        ASSERT_UNKNOWN(buddy_zone_free_pages(&b.zones[0], 0));
        ASSERT_KNOWN(buddy_zone_free_pages(&b.zones[0], 3), 32);
        ASSERT_EQ_U(log.n_issues, 2);
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_ISSUE(&log, 1, 1, "negative number");
}

TEST(more_orders_than_known_and_sums_that_overflow) {
        ParseLog log = {};
        BuddyInfo b = buddyinfo(
                TEXT("Node 0, zone DMA 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7\n"),
                &log);

        ASSERT_EQ_U(b.zones[0].n_orders, 16);
        ASSERT_KNOWN(buddy_zone_free_pages(&b.zones[0], 0), UINT64_MAX);
        ASSERT_ISSUE(&log, 0, 1, "more orders than known, the rest is left out");
}

TEST(malformed_lines_lose_themselves_only) {
        ParseLog log = {};
        BuddyInfo b = buddyinfo(
                TEXT("Node 0 zone DMA 1\ngarbage\n\nNode 0, zone DMA 2\nNode 1, zone DMA 3"), &log);

        ASSERT_EQ_U(b.n, 1);
        ASSERT_KNOWN(b.zones[0].blocks[0], 2);
        ASSERT_EQ_U(log.n_issues, 2);
        ASSERT_ISSUE(&log, 0, 1, "malformed zone line, the zone is left out");
        ASSERT_ISSUE(&log, 1, 5, "the file ends inside this line");
}

TEST(a_zone_without_columns_is_there_and_knows_nothing) {
        ParseLog log = {};
        BuddyInfo b = buddyinfo(TEXT("Node 0, zone DMA\n"), &log);

        ASSERT_EQ_U(b.n, 1);
        ASSERT_EQ_U(b.zones[0].n_orders, 0);
        ASSERT_UNKNOWN(buddy_zone_free_pages(&b.zones[0], 0));
}

TEST(a_file_cut_anywhere_keeps_its_earlier_values) {
        Text text = sense_file("7.3", "buddyinfo");
        ParseLog log = {};
        static uint8_t memory[8192];
        size_t last = 0;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        for (size_t n = 0; n <= text.size; n++) {
                Text cut = sense_copy((Text){ text.data, n });
                BuddyInfo b;

                arena_reset(&a);
                ASSERT_OK(buddyinfo_parse(&a, cut, "proc/buddyinfo", &b, &log));
                ASSERT_TRUE(b.n >= last && b.n <= last + 1);
                last = b.n;
                if (b.n > 1)
                        ASSERT_KNOWN(b.zones[1].blocks[10], 202);
                sense_free(cut);
        }
        ASSERT_EQ_U(last, 3);
        sense_free(text);
}

TEST(a_full_arena_is_enomem) {
        Text text = sense_file("7.3", "buddyinfo");
        uint8_t memory[64];
        ParseLog log = {};
        BuddyInfo b;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_EQ_I(buddyinfo_parse(&a, text, "proc/buddyinfo", &b, &log), -ENOMEM);
        sense_free(text);
}

TEST_MAIN()
