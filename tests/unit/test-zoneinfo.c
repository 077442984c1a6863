/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/zoneinfo.h"

#include <errno.h>
#include <time.h>

#include "sense.h"

static ZoneInfo zoneinfo(Text text, ParseLog *log) {
        ZoneInfo z;

        ASSERT_OK(zoneinfo_parse(sense_arena(), text, "proc/zoneinfo", &z, log));
        return z;
}

TEST(a_pageset_is_compact) {
        ASSERT_TRUE(sizeof(Pageset) <= 28);
}

TEST(figures_of_the_five_kernels) {
        /* awk over the files: pages of node 0's DMA32, the list of CPU 3 there, and the sum of
         * counts */
        static const struct {
                uint64_t free, high, managed, parked0, parked1;
                uint32_t count, cpu_high, batch, high_min, high_max, has;
        } rows[] = {
                { 231646, 12162, 243189, 1151, 1104, 118, 378, 63, 0, 0, 7 },
                { 227384, 12823, 253656, 11488, 10687, 1983, 2671, 63, 0, 0, 7 },
                { 221100, 12770, 253641, 17586, 18412, 2539, 4629, 63, 0, 0, 7 },
                { 248070, 12810, 253652, 1908, 5526, 427, 2668, 63, 2668, 7926, 31 },
                { 212869, 12150, 242459, 16971, 15815, 1220, 4565, 63, 2531, 7510, 31 },
        };

        for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
                Text text = sense_file(sense_kernels[k], "zoneinfo");
                ParseLog log = {};
                ZoneInfo z = zoneinfo(text, &log);
                const Zone *zone = zoneinfo_find(&z, 0, "DMA32");
                const Pageset *p;

                ASSERT_EQ_U(log.n_issues, 0);
                ASSERT_EQ_U(z.n, 10); /* 5 zones on 2 nodes */
                ASSERT_TRUE(z.has_high_minmax == (k >= 3));
                ASSERT_TRUE(zone);
                ASSERT_KNOWN(zone->free, rows[k].free);
                ASSERT_KNOWN(zone->high, rows[k].high);
                ASSERT_KNOWN(zone->managed, rows[k].managed);
                ASSERT_KNOWN(zone->start_pfn, 4096);
                ASSERT_TRUE(zone->promo.known == (k >= 2)); /* shown since 6.2 */
                ASSERT_TRUE(zone->boost.known == (k >= 1));
                ASSERT_EQ_U(zone->n_pagesets, 8);
                ASSERT_KNOWN(zone_parked(zone), rows[k].parked0);
                ASSERT_KNOWN(zone_parked(zoneinfo_find(&z, 1, "DMA32")), rows[k].parked1);
                p = zone_pageset(zone, 3);
                ASSERT_TRUE(p);
                ASSERT_EQ_U(p->count, rows[k].count);
                ASSERT_EQ_U(p->high, rows[k].cpu_high);
                ASSERT_EQ_U(p->batch, rows[k].batch);
                ASSERT_EQ_U(p->high_min, rows[k].high_min);
                ASSERT_EQ_U(p->high_max, rows[k].high_max);
                ASSERT_EQ_U(p->has, rows[k].has);
                ASSERT_TRUE(!zone_pageset(zone, 8));
                sense_free(text);
        }
}

TEST(watermarks_and_sizes_of_one_zone) {
        Text text = sense_file("7.3", "zoneinfo");
        ParseLog log = {};
        ZoneInfo z = zoneinfo(text, &log);
        const Zone *zone = zoneinfo_find(&z, 0, "DMA"); /* the head of the file */

        ASSERT_TRUE(zone && zone == z.zones);
        ASSERT_EQ_U(zone->line, 1);
        ASSERT_KNOWN(zone->free, 3776);
        ASSERT_KNOWN(zone->boost, 0);
        ASSERT_KNOWN(zone->min, 129);
        ASSERT_KNOWN(zone->low, 161);
        ASSERT_KNOWN(zone->high, 193);
        ASSERT_KNOWN(zone->promo, 225);
        ASSERT_KNOWN(zone->spanned, 4095);
        ASSERT_KNOWN(zone->present, 3998);
        ASSERT_KNOWN(zone->managed, 3840);
        ASSERT_KNOWN(zone->cma, 0);
        ASSERT_KNOWN(zone->start_pfn, 1);
        ASSERT_KNOWN(zone_parked(zone), 0);
        ASSERT_EQ_U(zone->pagesets[7].high, 0);
        ASSERT_EQ_U(zone->pagesets[7].high_max, 120);
        sense_free(text);
}

TEST(unpopulated_zones_have_no_lists_and_park_nothing_known) {
        Text text = sense_file("6.12", "zoneinfo");
        ParseLog log = {};
        ZoneInfo z = zoneinfo(text, &log);
        const Zone *zone = zoneinfo_find(&z, 0, "Movable");

        ASSERT_TRUE(zone);
        ASSERT_TRUE(!zone_is_populated(zone));
        ASSERT_EQ_U(zone->n_pagesets, 0);
        ASSERT_KNOWN(zone->min, 32); /* 6.12 gives even an empty movable zone its floor */
        ASSERT_KNOWN(zone->managed, 0);
        ASSERT_UNKNOWN(zone_parked(zone));
        ASSERT_TRUE(zone_is_populated(zoneinfo_find(&z, 0, "DMA32")));
        ASSERT_TRUE(!zoneinfo_find(&z, 2, "DMA32"));
        ASSERT_TRUE(!zoneinfo_find(&z, 0, "dma32"));
        sense_free(text);
}

/* Counts the groups and adds up the numbers of the file with sscanf, in another way than the
 * parser. */
TEST(sums_of_every_kernel_agree_with_another_reader) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "zoneinfo"), rest = text, line;
                ParseLog log = {};
                ZoneInfo z = zoneinfo(text, &log);
                uint64_t groups = 0, counts = 0, highs = 0, marks = 0;
                uint64_t read_groups = 0, read_counts = 0, read_highs = 0, read_marks = 0;

                while (text_next_line(&rest, &line)) {
                        char copy[128];
                        unsigned long long value;

                        ASSERT_TRUE(text_copy(copy, sizeof(copy), line));
                        if (sscanf(copy, " cpu: %llu", &value) == 1)
                                groups++;
                        else if (sscanf(copy, " count: %llu", &value) == 1)
                                counts += value;
                        else if (sscanf(copy, " high: %llu", &value) == 1)
                                highs += value;
                        else if (sscanf(copy, " high %llu", &value) == 1)
                                marks += value;
                }
                for (size_t i = 0; i < z.n; i++) {
                        read_marks += z.zones[i].high.value;
                        read_groups += z.zones[i].n_pagesets;
                        for (size_t j = 0; j < z.zones[i].n_pagesets; j++) {
                                read_counts += z.zones[i].pagesets[j].count;
                                read_highs += z.zones[i].pagesets[j].high;
                        }
                }
                ASSERT_EQ_U(read_groups, groups);
                ASSERT_EQ_U(read_counts, counts);
                ASSERT_EQ_U(read_highs, highs);
                ASSERT_EQ_U(read_marks, marks);
                ASSERT_TRUE(groups == 24);
                sense_free(text);
        }
}

TEST(padding_and_new_lines_do_not_matter) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(TEXT("Node 3, zone   Normal\n"
                                   "  pages free     10\n"
                                   "        min      1\n"
                                   "\tlow\t2\n"
                                   "        high     3\n"
                                   "        frobs    4\n"
                                   "        managed  9\n"
                                   "        protection: (0, 0)\n"
                                   "  pagesets\n"
                                   "    cpu: 5\n"
                                   "count: 7\n"
                                   "              high:     8\n"
                                   "              quota:    8\n"
                                   "              batch:\t63\n"
                                   "  vm stats threshold: 8\n"
                                   "  start_pfn:           77\n"),
                              &log);

        ASSERT_EQ_U(log.n_issues, 0);
        ASSERT_EQ_U(z.n, 1);
        ASSERT_EQ_U(z.zones[0].node, 3);
        ASSERT_KNOWN(z.zones[0].low, 2);
        ASSERT_KNOWN(z.zones[0].high, 3);
        ASSERT_EQ_U(z.zones[0].n_pagesets, 1);
        ASSERT_EQ_U(z.zones[0].pagesets[0].cpu, 5);
        ASSERT_EQ_U(z.zones[0].pagesets[0].count, 7);
        ASSERT_EQ_U(z.zones[0].pagesets[0].high, 8);
        ASSERT_EQ_U(z.zones[0].pagesets[0].batch, 63);
        ASSERT_KNOWN(z.zones[0].start_pfn, 77);
        ASSERT_TRUE(!z.has_high_minmax);
        ASSERT_TRUE(zone_is_populated(&z.zones[0])); /* present is not known, lists are there */
        ASSERT_TRUE(zone_pageset(&z.zones[0], 5) == z.zones[0].pagesets);
}

TEST(per_node_statistics_are_not_watermarks) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(
                TEXT("Node 0, zone DMA\n  per-node stats\n  high 5\n  pages free 1\n  high 6\n"),
                &log);

        ASSERT_KNOWN(z.zones[0].high, 6);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(malformed_values_are_absent_and_named) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(TEXT("Node 0, zone Normal\n"
                                   "  pages free x\n"
                                   "  min -1\n"
                                   "  low\n"
                                   "  managed 99999999999999999999\n"
                                   "  present 5\n"
                                   "  pagesets\n"
                                   "    cpu: 0\n"
                                   "  count: -1\n"
                                   "  high: 4294967296\n"
                                   "  batch: 4294967295\n"
                                   "  high_min: 12x\n"
                                   "  high_max:\n"
                                   "    cpu: zero\n"
                                   "  count: 9\n"
                                   "    cpu: 1\n"
                                   "  count: 2\n"
                                   "  count: 3\n"),
                              &log);
        const Zone *zone = &z.zones[0];

        ASSERT_EQ_U(z.n, 1);
        ASSERT_UNKNOWN(zone->free);
        ASSERT_UNKNOWN(zone->min);
        ASSERT_UNKNOWN(zone->low);
        ASSERT_UNKNOWN(zone->managed);
        ASSERT_KNOWN(zone->present, 5);
        ASSERT_EQ_U(zone->n_pagesets, 2);
        ASSERT_EQ_U(zone->pagesets[0].has, PAGESET_BATCH);
        ASSERT_EQ_U(zone->pagesets[0].batch, UINT32_MAX);
        ASSERT_EQ_U(zone->pagesets[1].cpu, 1);
        ASSERT_EQ_U(zone->pagesets[1].count, 3);
        ASSERT_TRUE(!z.has_high_minmax);
        ASSERT_EQ_U(log.n_issues, 10);
        ASSERT_ISSUE(&log, 0, 2, "malformed number");
        ASSERT_STR(log.issue[0].about, "free");
        ASSERT_ISSUE(&log, 1, 3, "negative number");
        ASSERT_ISSUE(&log, 2, 4, "number missing");
        ASSERT_ISSUE(&log, 3, 5, "number too large");
        ASSERT_ISSUE(&log, 4, 9, "negative number");
        ASSERT_STR(log.issue[4].about, "count");
        ASSERT_ISSUE(&log, 5, 10, "number too large");
        ASSERT_ISSUE(&log, 6, 12, "malformed number");
        ASSERT_ISSUE(&log, 7, 13, "number missing");
        ASSERT_ISSUE(&log, 8, 14, "malformed number");
        ASSERT_STR(log.issue[8].about, "cpu");
        ASSERT_ISSUE(&log, 9, 18, "duplicate key, the last one counts");
}

TEST(a_malformed_duplicate_leaves_nothing_of_the_first) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(TEXT("Node 0, zone DMA\n pagesets\n cpu: 0\n count: 7\n count: x\n"),
                              &log);

        ASSERT_EQ_U(z.zones[0].pagesets[0].has, 0);
        ASSERT_EQ_U(z.zones[0].pagesets[0].count, 0);
        ASSERT_UNKNOWN(zone_parked(&z.zones[0]));
        ASSERT_EQ_U(log.n_issues, 2);
}

TEST(a_malformed_zone_line_loses_that_zone_only) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(
                TEXT("Node 0, zone Normal\n  pages free 1\n"
                     "Node x, zone Normal\n  pages free 2\n  pagesets\n  cpu: 0\n  count: 5\n"
                     "Node 1, zone ANameThatIsMuchTooLong\n  pages free 3\n"
                     "Node 2\n  pages free 3\n"
                     "Node 4294967296, zone DMA\n"
                     "Node 1, zone Normal\n  pages free 4\n"),
                &log);

        ASSERT_EQ_U(z.n, 2);
        ASSERT_KNOWN(z.zones[0].free, 1);
        ASSERT_EQ_U(z.zones[0].n_pagesets, 0);
        ASSERT_EQ_U(z.zones[1].node, 1);
        ASSERT_KNOWN(z.zones[1].free, 4);
        ASSERT_EQ_U(log.n_issues, 4);
        ASSERT_ISSUE(&log, 0, 3, "malformed zone line, the zone is left out");
        ASSERT_ISSUE(&log, 1, 8, "malformed zone line, the zone is left out");
}

TEST(cpus_out_of_order_are_kept_and_named) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(
                TEXT("Node 0, zone DMA\n  pagesets\n cpu: 4\n count: 1\n cpu: 2\n count: 3\n"),
                &log);

        ASSERT_EQ_U(z.zones[0].n_pagesets, 2);
        ASSERT_EQ_U(zone_pageset(&z.zones[0], 2)->count, 3);
        ASSERT_ISSUE(&log, 0, 5, "CPUs out of order");
}

static void zoneinfo_write(Text *out, size_t capacity, unsigned n_nodes, unsigned n_cpus) {
        size_t used = 0;
        char *to = (char *) (uintptr_t) out->data;

        for (unsigned node = 0; node < n_nodes; node++) {
                used += (size_t) snprintf(
                        to + used, capacity - used,
                        "Node %u, zone   Normal\n  pages free     %u\n        min      11\n"
                        "        low      22\n        high     33\n        managed  44\n  pagesets\n",
                        node, node);
                for (unsigned cpu = 0; cpu < n_cpus; cpu++)
                        used += (size_t) snprintf(
                                to + used, capacity - used,
                                "    cpu: %u\n              count:    %u\n              high:     %u\n"
                                "              batch:    63\n              high_min: 2531\n"
                                "              high_max: 7510\n  vm stats threshold: 125\n",
                                cpu, cpu + node, 2 * cpu);
        }
        ASSERT_TRUE(used < capacity);
        out->size = used;
}

TEST(a_thousand_cpus_times_eighteen_zones) {
        size_t capacity = 8 << 20;
        Text text = { malloc(capacity), 0 };
        ParseLog log = {};
        ZoneInfo z;
        Arena *a = sense_arena();
        struct timespec from, to;

        ASSERT_TRUE(text.data);
        zoneinfo_write(&text, capacity, 18, 1024);
        ASSERT_TRUE(text.size > 2 << 20);
        (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        ASSERT_OK(zoneinfo_parse(a, text, "proc/zoneinfo", &z, &log));
        (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        printf("# %zu KiB in %ld us\n", text.size >> 10,
               (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
        ASSERT_EQ_U(z.n, 18);
        ASSERT_EQ_U(log.n_issues, 0);
        for (unsigned node = 0; node < 18; node++) {
                const Zone *zone = zoneinfo_find(&z, node, "Normal");

                ASSERT_EQ_U(zone->n_pagesets, 1024);
                ASSERT_KNOWN(zone_parked(zone), 1023 * 1024 / 2 + 1024 * node);
                ASSERT_EQ_U(zone_pageset(zone, 1023)->high, 2046);
        }
        /* 18 x 1,024 lists of 28 bytes are 504 KiB; nothing that growing needed is left over */
        ASSERT_TRUE(arena_mark(a) < 560 << 10);
        sense_free(text);
}

TEST(a_full_arena_is_enomem_wherever_it_happens) {
        Text text = sense_file("7.3", "zoneinfo");
        static uint8_t memory[16 << 10];
        bool fitted = false;

        for (size_t size = 0; size <= sizeof(memory); size += 24) {
                ParseLog log = {};
                ZoneInfo z;
                Arena a;
                int r;

                memset(memory, 0, sizeof(memory)); /* an arena takes its memory as fresh pages */
                arena_init(&a, memory, size);
                r = zoneinfo_parse(&a, text, "proc/zoneinfo", &z, &log);
                ASSERT_TRUE(r == 0 || r == -ENOMEM);
                ASSERT_TRUE(!fitted || r == 0);
                fitted = r == 0;
        }
        ASSERT_TRUE(fitted);
        sense_free(text);
}

static void prefix_agrees(const ZoneInfo *whole, const ZoneInfo *z) {
        ASSERT_TRUE(z->n <= whole->n);
        for (size_t i = 0; i < z->n; i++) {
                const Zone *a = &whole->zones[i], *b = &z->zones[i];

                ASSERT_TRUE(a->node == b->node && strcmp(a->name, b->name) == 0);
                ASSERT_TRUE(!b->free.known || b->free.value == a->free.value);
                ASSERT_TRUE(!b->high.known || b->high.value == a->high.value);
                ASSERT_TRUE(!b->managed.known || b->managed.value == a->managed.value);
                ASSERT_TRUE(b->n_pagesets <= a->n_pagesets);
                for (size_t j = 0; j < b->n_pagesets; j++) {
                        ASSERT_EQ_U(b->pagesets[j].cpu, a->pagesets[j].cpu);
                        ASSERT_EQ_U(b->pagesets[j].has & a->pagesets[j].has, b->pagesets[j].has);
                        ASSERT_TRUE((b->pagesets[j].has & PAGESET_COUNT) == 0 ||
                                    b->pagesets[j].count == a->pagesets[j].count);
                        ASSERT_TRUE((b->pagesets[j].has & PAGESET_HIGH) == 0 ||
                                    b->pagesets[j].high == a->pagesets[j].high);
                }
        }
}

TEST(a_file_cut_anywhere_keeps_its_earlier_values) {
        static uint8_t memory[1 << 20];
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "zoneinfo");
                ParseLog log = {};
                ZoneInfo whole = zoneinfo(text, &log), z;

                for (size_t n = 0; n < text.size && n < 9000; n++) {
                        Text cut = sense_copy((Text){ text.data, n });

                        arena_reset(&a);
                        ASSERT_OK(zoneinfo_parse(&a, cut, "proc/zoneinfo", &z, &log));
                        prefix_agrees(&whole, &z);
                        sense_free(cut);
                }
                sense_free(text);
        }
}

TEST(empty_and_foreign_files_are_named) {
        ParseLog log = {};
        ZoneInfo z = zoneinfo(TEXT_NULL, &log);

        ASSERT_EQ_U(z.n, 0);
        ASSERT_ISSUE(&log, 0, 0, "the file is empty");
        z = zoneinfo(TEXT("\0\0\0\0\n\xff\xfe\n"), &log);
        ASSERT_EQ_U(z.n, 0);
        ASSERT_ISSUE(&log, 1, 0, "nothing in this file is known");
}

TEST_MAIN()
