/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes: what each generation takes, stores, rounds and refuses. Expected values are those seen on booted kernels (Debian 5.10.223, 6.1.192,
 * 6.12.117, 7.2.12, 7.3.4: guests with 8 CPUs, 2 nodes, 2 GiB) or the kernel's formulas by hand. */
#include <math.h>

#include "sim-world.h"

#define VM "proc/sys/vm/"
#define THP "sys/kernel/mm/transparent_hugepage/"
#define SLAB "sys/kernel/slab/"

static const char *const kernels[] = { "4.18", "5.10", "6.1", "6.7", "6.12", "6.18", "7.2", "7.3" };

static const char *fraction_path(void) {
        return spec.machine.kernel->pcp == PCP_GEN_FRACTION ? VM "percpu_pagelist_fraction"
                                                            : VM "percpu_pagelist_high_fraction";
}

static const Zone *zone(unsigned node, const char *name) {
        const Zone *z = zoneinfo_find(world_take()->zoneinfo, node, name);

        ASSERT_TRUE(z && z->n_pagesets > 0);
        return z;
}

TEST(fractions_that_every_kernel_refuses_leave_the_old_one) {
        static const char *const refused[] = { "1",
                                               "7",
                                               "-1",
                                               "2147483648",
                                               "8.5",
                                               "eight",
                                               "",
                                               "\n",
                                               "0x8",
                                               "8,",
                                               "99999999999999999999999" };

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                world_begin(kernels[i]);
                ASSERT_EQ_I(world_write(fraction_path(), "16\n"), 0);
                for (size_t k = 0; k < ELEMENTSOF(refused); k++)
                        ASSERT_EQ_I(world_write(fraction_path(), refused[k]), EINVAL);
                ASSERT_STR(world_read(fraction_path()), "16\n");
                ASSERT_EQ_I(world_write(fraction_path(), "8 9"), 0);
                ASSERT_STR(world_read(fraction_path()), "8\n");
                ASSERT_EQ_I(world_write(fraction_path(), " 2147483647\n"), 0);
                ASSERT_STR(world_read(fraction_path()), "2147483647\n");
                ASSERT_EQ_I(world_write(fraction_path(), "0"), 0);
                world_close();
        }
}

TEST(only_one_of_the_two_fraction_files_is_there) {
        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                world_begin(kernels[i]);
                ASSERT_EQ_I(world_write(spec.machine.kernel->pcp == PCP_GEN_FRACTION
                                                ? VM "percpu_pagelist_high_fraction"
                                                : VM "percpu_pagelist_fraction",
                                        "0"),
                            ENOENT);
                world_close();
        }
}

/* 5.10, booted: f = 8: high = managed / 8, batch 96; f = 0: 378, 63; 0 in DMA. */
TEST(a_fraction_of_5_10_moves_high_and_batch_of_every_cpu) {
        const Zone *z;

        world_begin("5.10");
        z = zone(0, "DMA32");
        ASSERT_EQ_U(z->pagesets[0].high, 378);
        ASSERT_EQ_U(z->pagesets[0].batch, 63);
        ASSERT_EQ_U(zone(0, "DMA")->pagesets[0].high, 0);
        ASSERT_EQ_I(world_write(fraction_path(), "8"), 0);
        z = zone(1, "DMA32");
        ASSERT_EQ_U(z->n_pagesets, 8);
        for (size_t i = 0; i < z->n_pagesets; i++) {
                ASSERT_EQ_U(z->pagesets[i].high, z->managed.value / 8);
                ASSERT_EQ_U(z->pagesets[i].batch, 96);
        }
        world_close();
}

/* 4.18: batch x 4 is capped at 512 KiB: batch 31, high 6 x 31. */
TEST(lists_of_4_18_are_half_as_long) {
        world_begin("4.18");
        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].high, 186);
        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].batch, 31);
        world_close();
}

TEST(a_fraction_of_6_1_is_divided_by_the_cpus_of_the_node) {
        const Zone *z;

        world_begin("6.1");
        z = zone(0, "DMA32");
        ASSERT_EQ_U(z->pagesets[0].high, z->low.value / 4);
        ASSERT_EQ_I(world_write(fraction_path(), "8"), 0);
        z = zone(0, "DMA32");
        ASSERT_EQ_U(z->pagesets[0].high, z->managed.value / 8 / 4);
        ASSERT_EQ_U(z->pagesets[0].batch, 63);
        ASSERT_EQ_I(world_write(fraction_path(), "100000"), 0);
        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].high, 4 * 63); /* never less */
        world_close();
}

TEST(limits_of_7_3_are_shown_at_once_and_a_fraction_pins_them) {
        const Zone *z;

        world_begin("7.3");
        z = zone(1, "DMA32");
        ASSERT_EQ_U(z->pagesets[7].high_min, z->low.value / 4);
        ASSERT_EQ_U(z->pagesets[7].high_max, z->managed.value / 8 / 4);
        ASSERT_EQ_I(world_write(fraction_path(), "64"), 0);
        z = zone(1, "DMA32");
        ASSERT_EQ_U(z->pagesets[7].high_min, z->managed.value / 64 / 4);
        ASSERT_EQ_U(z->pagesets[7].high_max, z->pagesets[7].high_min);
        world_run(2, 1);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[7].high, z->pagesets[7].high_min);
        world_close();
}

/* 6.7 to 6.12: "nothing visible until that CPU next allocates or frees in that zone". */
TEST(a_fraction_of_6_12_is_seen_when_lists_are_next_used) {
        uint32_t before;

        world_begin("6.12");
        world_run(30, 1);
        before = zone(1, "DMA32")->pagesets[7].high;
        ASSERT_EQ_I(world_write(fraction_path(), "64"), 0);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[7].high, before);
        world_run(1, 1);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[7].high, zone(1, "DMA32")->managed.value / 64 / 4);
        ASSERT_EQ_U(zone(0, "DMA")->pagesets[0].high, 0); /* nobody used it */
        world_close();
}

/* min_free 67584 kB on 2 GiB with 3 zones: 11 x 512 pages x 3. Booted 6.1, 6.12, 7.3: "never" gives 5540 kB (their
 * reserved memory differs by some pages); high 252. A larger user value stays. 5.10 keeps 67584. */
TEST(thp_moves_min_free_and_with_it_the_lists) {
        static const char *const names[] = { "5.10", "6.1", "6.12", "7.3" };

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                uint64_t kb;

                world_begin(names[i]);
                ASSERT_STR(world_read(VM "min_free_kbytes"), "67584\n");
                ASSERT_EQ_I(world_write(THP "enabled", "never"), 0);
                ASSERT_STR(world_read(THP "enabled"), "always madvise [never]\n");
                kb = strtoull(world_read(VM "min_free_kbytes"), NULL, 10);
                if (i == 0)
                        ASSERT_EQ_U(kb, 67584);
                else {
                        ASSERT_GE_U(kb, 5400);
                        ASSERT_LE_U(kb, 5700);
                        world_run(2, 1);
                        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].batch, 63);
                }
                if (i == 1)
                        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].high, 252);
                ASSERT_EQ_I(world_write(THP "enabled", "always\n"), 0);
                ASSERT_STR(world_read(VM "min_free_kbytes"), "67584\n");
                ASSERT_EQ_I(world_write(VM "min_free_kbytes", "200000"), 0);
                ASSERT_EQ_I(world_write(THP "enabled", "never"), 0);
                ASSERT_STR(world_read(VM "min_free_kbytes"), "200000\n");
                world_close();
        }
}

/* Booted 6.1 and later: the other node of a CPU that comes online is divided by one too many (2697 -> 2158), until something recomputes;
 * the fraction written again is no recompute, the scale factor is. */
TEST(a_cpu_that_comes_leaves_the_other_node_wrong_until_a_recompute) {
        uint64_t low, right;

        world_begin("6.1");
        low = zone(1, "DMA32")->low.value;
        right = low / 4;
        ASSERT_EQ_I(world_write("sys/devices/system/cpu/cpu2/online", "0"), 0);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[0].high, right);
        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].high, zone(0, "DMA32")->low.value / 3);
        ASSERT_EQ_I(world_write("sys/devices/system/cpu/cpu2/online", "1"), 0);
        ASSERT_EQ_U(zone(0, "DMA32")->pagesets[0].high, zone(0, "DMA32")->low.value / 4);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[0].high, low / 5);
        ASSERT_EQ_I(world_write(fraction_path(), "0"), 0);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[0].high, low / 5);
        ASSERT_EQ_I(world_write(VM "watermark_scale_factor", "10"), 0);
        ASSERT_EQ_U(zone(1, "DMA32")->pagesets[0].high, right);
        world_close();
}

TEST(watermarks_follow_min_free_and_the_scale_factor) {
        const Zone *z;

        world_begin("6.12");
        ASSERT_EQ_I(world_write(VM "watermark_scale_factor", "0"), EINVAL);
        ASSERT_EQ_I(world_write(VM "watermark_scale_factor", "3001"), EINVAL);
        ASSERT_EQ_I(world_write(VM "watermark_scale_factor", "1000"), 0);
        z = zone(1, "DMA32");
        ASSERT_EQ_U(z->low.value - z->min.value, z->managed.value / 10);
        ASSERT_EQ_U(z->high.value - z->low.value, z->managed.value / 10);
        ASSERT_EQ_U(z->pagesets[0].high_min, 0); /* 6.12 does not show it */
        world_close();
}

TEST(slab_files_take_what_the_generation_takes) {
        static const struct {
                const char *kernel, *file, *text;
                int error;
                const char *after;
        } rows[] = {
                /* order: 4.18 has it, later kernels refuse to open it */
                { "4.18", "kmalloc-512/order", "1", 0, "1\n" },
                { "4.18", "kmalloc-512/order", "4", EINVAL, "2\n" },
                { "5.10", "kmalloc-512/order", "1", EACCES, "2\n" },
                { "7.3", "kmalloc-512/order", "1", EACCES, "2\n" },
                /* defaults: 5.10 13 objects from 256 bytes on, 6.1 52; 2k: 6, 24; 8 bytes: 30, 120; 7.x a stub */
                { "5.10", "kmalloc-512/cpu_partial", "", EINVAL, "13\n" },
                { "6.1", "kmalloc-512/cpu_partial", "x", EINVAL, "52\n" },
                { "6.1", "kmalloc-2k/cpu_partial", "-1", EINVAL, "24\n" },
                { "6.1", "kmalloc-8/cpu_partial", " 7", EINVAL, "120\n" },
                { "6.1", "kmalloc-8/cpu_partial", "5 6", EINVAL, "120\n" },
                { "6.1", "kmalloc-8/cpu_partial", "4294967296", ERANGE, "120\n" },
                { "6.1", "kmalloc-8/cpu_partial", "4294967295\n", 0, "4294967295\n" },
                { "6.12", "kmalloc-512/cpu_partial", "104\n", 0, "104\n" },
                { "7.2", "kmalloc-512/cpu_partial", "52", EINVAL, "0\n" },
                { "7.3", "kmalloc-512/cpu_partial", "0", 0, "0\n" },
                /* min_partial: 5.10 stores 5..10; log2(512) / 2 = 4 -> 5 */
                { "5.10", "kmalloc-512/min_partial", "20", 0, "10\n" },
                { "5.10", "kmalloc-512/min_partial", "0", 0, "5\n" },
                { "6.1", "kmalloc-512/min_partial", "20", 0, "20\n" },
                { "7.3", "kmalloc-512/min_partial", "0", 0, "0\n" },
                { "7.3", "kmalloc-512/min_partial", "18446744073709551615", 0,
                  "18446744073709551615\n" },
                { "7.3", "kmalloc-512/min_partial", "18446744073709551616", ERANGE, "5\n" },
                { "6.1", "kmalloc-512/remote_node_defrag_ratio", "101", ERANGE, "100\n" },
                { "6.1", "kmalloc-512/remote_node_defrag_ratio", "50", 0, "50\n" },
                { "6.1", "kmalloc-512/objs_per_slab", "50", EACCES, "32\n" },
                { "6.1", "kmalloc-512/slabs", "0", EACCES, NULL },
                { "6.1", "kmalloc-512/shrink", "0", EINVAL, "" },
                { "6.1", "kmalloc-512/shrink", "1", 0, "" },
                { "6.1", "kmalloc-512/validate", "1", EINVAL, "" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                char path[128];

                world_begin(rows[i].kernel);
                (void) text_format(path, sizeof(path), SLAB "%s", rows[i].file);
                printf("# row %zu: %s %s\n", i, rows[i].kernel, path);
                ASSERT_EQ_I(world_write(path, rows[i].text), rows[i].error);
                if (rows[i].after)
                        ASSERT_STR(world_read(path), rows[i].after);
                world_close();
        }
}

TEST(files_that_a_generation_lacks_are_absent) {
        static const struct {
                const char *kernel, *path;
                int error;
        } rows[] = {
                { "6.1", SLAB "kmalloc-512/sheaf_capacity", ENOENT },
                { "7.3", SLAB "kmalloc-512/sheaf_capacity", EACCES },
                { "6.1", SLAB "kmalloc-513/order", ENOENT },
                { "6.1", SLAB "kmalloc-512", ENOENT },
                { "6.1", THP "hugepages-64kB/enabled", ENOENT },
                { "6.12", THP "hugepages-64kB/enabled", EINVAL },
                { "6.12", THP "hugepages-4kB/enabled", ENOENT },
                { "6.1", "proc/vmstat", EACCES },
                { "6.1", "proc/nothing", ENOENT },
                { "6.1", "", ENOENT },
                { "6.1", "/proc/vmstat", ENOENT },
                { "6.1", "proc/pressure/memory", EACCES },
                { "6.1", "sys/devices/system/cpu/cpu0/online", ENOENT },
                { "6.1", "sys/devices/system/cpu/cpu8/online", ENOENT },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                world_begin(rows[i].kernel);
                printf("# %s %s\n", rows[i].kernel, rows[i].path);
                ASSERT_EQ_I(world_write(rows[i].path, "x"), rows[i].error);
                world_close();
        }
}

TEST(words_are_taken_whole_and_numbers_of_khugepaged_within_limits) {
        world_begin("7.3");
        ASSERT_STR(world_read(THP "defrag"), "always defer defer+madvise [madvise] never\n");
        ASSERT_EQ_I(world_write(THP "defrag", "defer+madvise\n"), 0);
        ASSERT_STR(world_read(THP "defrag"), "always defer [defer+madvise] madvise never\n");
        ASSERT_EQ_I(world_write(THP "defrag", "defer never"), EINVAL);
        ASSERT_EQ_I(world_write(THP "defrag", "Defer"), EINVAL);
        ASSERT_EQ_I(world_write(THP "defrag", ""), EINVAL);
        ASSERT_EQ_I(world_write(THP "khugepaged/max_ptes_none", "512"), EINVAL);
        ASSERT_EQ_I(world_write(THP "khugepaged/max_ptes_none", "0"), 0);
        ASSERT_EQ_I(world_write(THP "khugepaged/pages_to_scan", "0"), EINVAL);
        ASSERT_EQ_I(world_write(THP "hugepages-64kB/enabled", "inherit"), 0);
        ASSERT_STR(world_read(THP "hugepages-64kB/enabled"), "always [inherit] madvise never\n");
        ASSERT_EQ_I(world_write(THP "hugepages-2048kB/enabled", "never"), 0);
        ASSERT_TRUE(strtoul(world_read(VM "min_free_kbytes"), NULL, 10) < 6000);
        world_close();
}

/* Objects a slab on 8 CPUs: 4 x (fls(8) + 1) = 20 wanted: 10,240 bytes need order 2 (32 objects), as in the captures. Counted while one CPU
 * was up: 8 wanted, order 0 holds them. */
TEST(orders_follow_the_cpus_that_are_counted) {
        world_begin("6.1");
        ASSERT_STR(world_read(SLAB "kmalloc-512/order"), "2\n");
        ASSERT_STR(world_read(SLAB "kmalloc-512/objs_per_slab"), "32\n");
        world_close();
        world_spec("6.1");
        spec.machine.slab_boot_cpus = 1;
        world_open();
        ASSERT_STR(world_read(SLAB "kmalloc-512/order"), "0\n");
        ASSERT_STR(world_read(SLAB "kmalloc-512/objs_per_slab"), "8\n");
        world_close();
        world_spec("5.10");
        spec.machine.possible = 256;
        world_open();
        ASSERT_STR(world_read(SLAB "kmalloc-512/order"),
                   "3\n"); /* 40 wanted: 20 KiB, at most 32 KiB */
        world_close();
}

TEST(values_that_the_kernel_refuses_at_the_start_are_said) {
        world_spec("6.1");
        world_initial(VM "percpu_pagelist_high_fraction", "7");
        ASSERT_EQ_I(sim_machine_new(&spec, &world, world_why, sizeof(world_why)), -EINVAL);
        ASSERT_HAS(world_why, "percpu_pagelist_high_fraction");
        ASSERT_HAS(world_why, "EINVAL");
        world_spec("6.1");
        world_initial(VM "percpu_pagelist_high_fraction", "1024");
        world_open();
        ASSERT_STR(world_read(VM "percpu_pagelist_high_fraction"), "1024\n");
        world_close();
        world_spec("7.3");
        world_event(5, SIM_EVENT_WRITE, 0, SLAB "kmalloc-512/cpu_partial", "8");
        ASSERT_EQ_I(sim_machine_new(&spec, &world, world_why, sizeof(world_why)), -EINVAL);
        ASSERT_HAS(world_why, "cpu_partial");
}

/* Bytes that no kernel expects: an error, never a crash, and a legal value still works. */
TEST(writes_are_total) {
        uint32_t x = 7;
        char noise[40];

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                static const char *const paths[] = { VM "min_free_kbytes", THP "enabled",
                                                     SLAB "dentry/cpu_partial",
                                                     SLAB "dentry/min_partial",
                                                     VM "watermark_scale_factor" };

                world_begin(kernels[i]);
                for (unsigned k = 0; k < 2000; k++) {
                        size_t n = (x >> 5) % sizeof(noise);

                        for (size_t b = 0; b < n; b++) {
                                x = x * 1664525u + 1013904223u;
                                noise[b] = "0123456789 -+\n.xX\0\xff"[(x >> 24) % 19];
                        }
                        x = x * 1664525u + 1013904223u;
                        ASSERT_TRUE(machine_write(world, paths[(x >> 20) % ELEMENTSOF(paths)],
                                                  (Text){ noise, n }) >= 0);
                }
                world_run(3, 1);
                ASSERT_EQ_I(world_write(VM "min_free_kbytes", "70000"), 0);
                ASSERT_STR(world_read(VM "min_free_kbytes"), "70000\n");
                world_close();
        }
}

TEST_MAIN()
