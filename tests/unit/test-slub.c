/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/slub.h"

#include "test.h"

/* Expected numbers are computed by hand from mm/slub.c, or come from public reports: the sources
 * stand with the cases. What real machines show is in test-formulas.c. */

#define N_CACHES 8

/* A machine whose caches were made by a rule that the case chooses. */
typedef struct Bench {
        Topology topology;
        SlabCache caches[N_CACHES];
        SlabTree slab;
        SlubInput input;
} Bench;

static const uint64_t sizes[N_CACHES] = { 64, 192, 256, 1024, 2112, 4096, 8192, 9792 };

static void set_cpus(Bench *b, unsigned n_possible, unsigned n_present) {
        Topology *t = &b->topology;

        for (unsigned i = 0; i < n_possible; i++)
                (void) idset_add(&t->possible, i);
        for (unsigned i = 0; i < n_present; i++) {
                (void) idset_add(&t->present, i);
                (void) idset_add(&t->online, i);
        }
        t->n_possible = n_possible;
        t->n_present = t->n_online = n_present;
}

static Bench *make(Bench *b, SlubLoop loop, uint32_t min_objects, uint32_t max_order,
                   uint64_t page_bytes, const char *cmdline) {
        for (size_t i = 0; i < N_CACHES; i++) {
                SlubOrder o = { 0 };

                ASSERT_TRUE(slub_compute_order(loop, sizes[i], min_objects, 0, max_order,
                                               page_bytes, &o));
                b->caches[i] = (SlabCache){ .dir = "cache",
                                            .slab_size = KNOWN(sizes[i]),
                                            .order = KNOWN(o.order),
                                            .objs_per_slab = KNOWN(o.objects) };
        }
        b->slab = (SlabTree){ .caches = b->caches, .n = N_CACHES };
        b->input = (SlubInput){
                .slab = &b->slab,
                .topology = &b->topology,
                .cmdline = text_from(cmdline),
                .cmdline_known = cmdline != NULL,
                .page_bytes = KNOWN(page_bytes),
        };
        return b;
}

static void set_cpu_partial(Bench *b, SlubPerCpu p) {
        for (size_t i = 0; i < N_CACHES; i++) {
                uint64_t objects = 0;

                ASSERT_TRUE(slub_cpu_partial_default(p, sizes[i], b->input.page_bytes.value, false,
                                                     &objects));
                b->caches[i].cpu_partial = KNOWN(objects);
                if (p == SLUB_PER_CPU_SHEAVES)
                        b->caches[i].sheaf_capacity = KNOWN(
                                slub_sheaf_default(sizes[i], b->input.page_bytes.value, false));
        }
}

static SlubModel find(Bench *b) {
        SlubModel m;

        slub_model_find(&b->input, &m);
        return m;
}

static void expect_order(SlubLoop loop, uint64_t size, uint32_t min_objects, uint64_t page_bytes,
                         unsigned order, uint32_t objects) {
        SlubOrder o = { 0 };

        ASSERT_TRUE(slub_compute_order(loop, size, min_objects, 0, 3, page_bytes, &o));
        ASSERT_EQ_U(o.order, order);
        ASSERT_EQ_U(o.objects, objects);
}

/* 4 x (fls(n) + 1) */
TEST(wanted_objects_grow_with_the_logarithm_of_the_cpus) {
        static const struct {
                unsigned n, objects;
        } rows[] = { { 1, 8 },   { 2, 12 },   { 4, 16 },   { 8, 20 },   { 16, 24 },  { 63, 28 },
                     { 64, 32 }, { 127, 32 }, { 128, 36 }, { 224, 36 }, { 512, 44 }, { 1024, 48 } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                ASSERT_EQ_U(slub_wanted_objects(rows[i].n), rows[i].objects);
        ASSERT_EQ_U(slub_wanted_objects(0), 0);
}

/* linux-mm 2020-11-18, Power guest with 64 KiB pages: by possible CPUs (64 and more: 32 objects)
 * and by the one CPU that was online (8 objects). */
TEST(orders_of_a_power_guest_with_64_kib_pages_as_reported) {
        static const struct {
                uint64_t size;
                unsigned order_many, objects_many, order_one, objects_one;
        } rows[] = {
                { 4096, 1, 32, 0, 16 },
                { 8192, 2, 32, 0, 8 },
                { 16384, 3, 32, 1, 8 },
                { 32768, 3, 16, 2, 8 },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                expect_order(SLUB_LOOP_FEWER, rows[i].size, slub_wanted_objects(64), 65536,
                             rows[i].order_many, rows[i].objects_many);
                expect_order(SLUB_LOOP_FEWER, rows[i].size, slub_wanted_objects(1), 65536,
                             rows[i].order_one, rows[i].objects_one);
        }
        /* task_struct of about 9.7 KiB: 53 objects in 8 pages, 13 in 2. */
        expect_order(SLUB_LOOP_FEWER, 9856, 32, 65536, 3, 53);
        expect_order(SLUB_LOOP_FEWER, 9856, 8, 65536, 1, 13);
}

/* 4 KiB pages, 8 CPUs: 20 objects wanted. */
TEST(orders_with_4_kib_pages_by_hand) {
        expect_order(SLUB_LOOP_HALF, 8, 20, 4096, 0, 512);
        expect_order(SLUB_LOOP_HALF, 192, 20, 4096, 0, 21);  /* 20 x 192 = 3840; waste 64 */
        expect_order(SLUB_LOOP_HALF, 256, 20, 4096, 1, 32);  /* 5120 bytes */
        expect_order(SLUB_LOOP_HALF, 1024, 20, 4096, 3, 32); /* 20480 bytes */
        expect_order(SLUB_LOOP_HALF, 4096, 20, 4096, 3, 8);  /* 8 is all that order 3 holds */
        expect_order(SLUB_LOOP_HALF, 8192, 20, 4096, 3, 4);
        expect_order(SLUB_LOOP_HALF, 65536, 20, 4096, 4, 1); /* above max_order: one object */
        expect_order(SLUB_LOOP_FEWER, 65536, 20, 4096, 4, 1);
}

/* 1,216 bytes, 8 objects wanted (9,728 bytes): order 2 holds 13 and wastes 576, under 1/16 of
 * 16,384. */
TEST(waste_decides_between_orders) {
        expect_order(SLUB_LOOP_FEWER, 1216, 8, 4096, 2, 13);
        /* 5,440 bytes, order 3 holds 6 and wastes 128. */
        expect_order(SLUB_LOOP_FEWER, 5440, 8, 4096, 3, 6);
        /* 17,000 bytes: order 3 holds 1 and wastes 15,768, just under half: kept from 6.7 on;
         * before, the order of one object. */
        expect_order(SLUB_LOOP_HALF, 17000, 8, 4096, 3, 1);
        expect_order(SLUB_LOOP_FEWER, 17000, 8, 4096, 3, 1);
        /* 11,000 bytes: order 3 holds 2 and wastes 10,768, more than 1/4: later kernels accept
         * it; earlier ones go on with one object: 16,384 wastes 5,384, which the last resort
         * does not ask for. */
        expect_order(SLUB_LOOP_HALF, 11000, 8, 4096, 3, 2);
        expect_order(SLUB_LOOP_FEWER, 11000, 8, 4096, 2, 1);
}

TEST(objects_of_a_slab_are_counted_in_15_bits) {
        SlubOrder o = { 0 };

        /* 64 KiB << 3 by 8 bytes would be 65,536; 8 x 32,767 = 262,136 bytes is order 2, minus
         * 1. */
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 8, 20, 3, 3, 65536, &o));
        ASSERT_EQ_U(o.order, 1);
        ASSERT_EQ_U(o.objects, 16384);
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_HALF, 8, 40000, 0, 3, 65536, &o));
        ASSERT_EQ_U(o.order, 1);
        /* One object too many for a page: get_order() of 32,767 bytes is 0, and 0 - 1 is no
         * order. */
        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_HALF, 1, 20, 0, 3, 65536, &o));
}

/* Seen in booted kernels: slub_max_order=0, slub_min_objects=64, slub_min_order=2. */
TEST(boot_parameters_do_what_booted_kernels_showed) {
        SlubOrder o = { 0 };

        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 1024, 20, 0, 0, 4096, &o));
        ASSERT_EQ_U(o.order, 0);
        ASSERT_EQ_U(o.objects, 4);
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 256, 64, 0, 3, 4096, &o));
        ASSERT_EQ_U(o.order, 2);
        ASSERT_EQ_U(o.objects, 64);
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 192, 64, 0, 3, 4096, &o)); /* dentry */
        ASSERT_EQ_U(o.order, 2);
        ASSERT_EQ_U(o.objects, 85);
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 8, 20, 2, 3, 4096, &o));
        ASSERT_EQ_U(o.order, 2);
        /* min_order above max_order: nothing is accepted before the last resort. */
        ASSERT_TRUE(slub_compute_order(SLUB_LOOP_FEWER, 64, 20, 5, 3, 4096, &o));
        ASSERT_EQ_U(o.order, 5);
}

TEST(orders_of_absurd_input_are_refused) {
        SlubOrder o = { .order = 7 };

        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_FEWER, 0, 20, 0, 3, 4096, &o));
        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_HALF, UINT64_MAX, 20, 0, 3, 4096, &o));
        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_HALF, 64, 0, 0, 3, 4096, &o));
        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_HALF, 64, 20, 0, 11, 4096, &o));
        ASSERT_FALSE(slub_compute_order(SLUB_LOOP_HALF, 64, 20, 0, 3, 0, &o));
        ASSERT_FALSE(
                slub_compute_order(SLUB_LOOP_HALF, UINT32_MAX, 20, 0, 3, 4096, &o)); /* 4 GiB */
        ASSERT_EQ_U(o.order, 7);
}

/* --- boot parameters --- */

static SlubParams params(const char *cmdline, bool knows_slab_names) {
        SlubParams p;

        slub_params_parse(text_from(cmdline), true, knows_slab_names, &p);
        return p;
}

TEST(boot_parameters_are_read_under_the_names_that_the_kernel_knows) {
        SlubParams p = params("quiet slub_min_objects=36 slab_max_order=1", false);

        ASSERT_EQ_U(p.min_objects, 36);
        ASSERT_EQ_U(p.max_order, 3);
        ASSERT_TRUE(p.any);
        p = params("quiet slub_min_objects=36 slab_max_order=1", true);
        ASSERT_EQ_U(p.max_order, 1);
        p = params("slub-min-objects=0x10 slub_min_order=02", false);
        ASSERT_EQ_U(p.min_objects, 16);
        ASSERT_EQ_U(p.min_order, 2);
        p = params("quiet slub_debug=P slab_nomerge", true);
        ASSERT_FALSE(p.any);
        ASSERT_EQ_U(p.max_order, 3);
        ASSERT_EQ_U(params("slub_max_order=99", false).max_order, 10);
}

TEST(boot_parameters_that_are_no_numbers_stop_prediction) {
        ASSERT_TRUE(params("slub_max_order=", false).unusable);
        ASSERT_TRUE(params("slub_min_objects=-1", false).unusable);
        ASSERT_TRUE(params("slub_min_order=11", false).unusable);
        ASSERT_TRUE(params("slub_min_objects=4k", false).unusable);
        ASSERT_TRUE(params("slub_min_objects", false).unusable);
        ASSERT_TRUE(params("slub_min_objects=99999999999", false).unusable);
        ASSERT_FALSE(params("", false).unusable);
}

/* 6.8 and later keep min_order at or below max_order, by the order of the command line. */
TEST(newer_kernels_raise_max_order_to_min_order) {
        ASSERT_EQ_U(params("slab_min_order=5", true).max_order, 5);
        ASSERT_EQ_U(params("slab_min_order=5 slab_max_order=2", true).min_order, 2);
        ASSERT_EQ_U(params("slub_min_order=5", false).max_order, 3);
}

/* --- the model --- */

TEST(present_cpus_explain_new_kernels_and_possible_ones_5_10) {
        Bench b = { 0 }, c = { 0 };
        SlubModel m;

        set_cpus(&b, 512, 8);
        set_cpu_partial(make(&b, SLUB_LOOP_FEWER, 20, 3, 4096, ""), SLUB_PER_CPU_SLABS);
        m = find(&b);
        ASSERT_EQ_I((int) m.cpus, (int) SLUB_CPUS_PRESENT);
        ASSERT_EQ_I((int) m.per_cpu, (int) SLUB_PER_CPU_SLABS);
        ASSERT_EQ_U(m.n_cpus, 8);
        ASSERT_EQ_U(m.min_objects, 20);
        ASSERT_EQ_U(m.n_explained, N_CACHES);

        set_cpus(&c, 512, 8);
        set_cpu_partial(make(&c, SLUB_LOOP_FEWER, 44, 3, 4096, ""), SLUB_PER_CPU_OBJECTS);
        m = find(&c);
        ASSERT_EQ_I((int) m.cpus, (int) SLUB_CPUS_POSSIBLE);
        ASSERT_EQ_I((int) m.per_cpu, (int) SLUB_PER_CPU_OBJECTS);
        ASSERT_EQ_U(m.n_cpus, 512);
        ASSERT_EQ_U(m.min_objects, 44);
}

TEST(one_present_cpu_means_possible_ones) {
        Bench b = { 0 };
        SlubModel m;

        set_cpus(&b, 64, 1);
        set_cpu_partial(make(&b, SLUB_LOOP_FEWER, 32, 3, 4096, ""), SLUB_PER_CPU_SLABS);
        m = find(&b);
        ASSERT_EQ_I((int) m.cpus, (int) SLUB_CPUS_PRESENT);
        ASSERT_EQ_U(m.n_cpus, 64);
        ASSERT_EQ_U(m.min_objects, 32);
        ASSERT_EQ_U(m.n_explained, N_CACHES);
}

/* lkml 2021-01-22: 224 CPUs, caches made while one was online. */
TEST(caches_made_too_early_are_found_out) {
        Bench b = { 0 };
        SlubModel m;
        SlubOrder now, wanted;

        set_cpus(&b, 224, 224);
        set_cpu_partial(make(&b, SLUB_LOOP_FEWER, 8, 3, 4096, ""), SLUB_PER_CPU_OBJECTS);
        m = find(&b);
        ASSERT_EQ_I((int) m.cpus, (int) SLUB_CPUS_FITTED);
        ASSERT_EQ_U(m.min_objects, 8);
        ASSERT_EQ_U(m.n_cpus, 1);
        ASSERT_EQ_U(m.n_explained, N_CACHES);
        ASSERT_TRUE(slub_predict_order(&m, 256, 0, &now));
        ASSERT_TRUE(slub_predict_order(&m, 256, slub_wanted_objects(224), &wanted));
        ASSERT_EQ_U(now.order, 0);
        ASSERT_EQ_U(wanted.order, 2); /* 36 x 256 = 9216 bytes */
}

/* linux-mm 2020-11-18, the other way round: more possible CPUs than were there, all there now. */
TEST(hot_added_cpus_fit_the_possible_ones) {
        Bench b = { 0 };
        SlubModel m;

        set_cpus(&b, 64, 64);
        set_cpu_partial(make(&b, SLUB_LOOP_FEWER, 32, 3, 65536, ""), SLUB_PER_CPU_OBJECTS);
        m = find(&b);
        ASSERT_EQ_U(m.min_objects, slub_wanted_objects(64));
        ASSERT_TRUE(m.cpus != SLUB_CPUS_FITTED);
        ASSERT_EQ_U(m.n_explained, N_CACHES);
}

TEST(a_boot_parameter_wins_over_any_number_of_cpus) {
        Bench b = { 0 };
        SlubModel m;

        set_cpus(&b, 224, 224);
        set_cpu_partial(
                make(&b, SLUB_LOOP_HALF, 64, 5, 4096, "slab_min_objects=64 slab_max_order=5"),
                SLUB_PER_CPU_SLABS);
        b.input.has_thp_sizes = true;
        m = find(&b);
        ASSERT_EQ_I((int) m.cpus, (int) SLUB_CPUS_BOOT);
        ASSERT_EQ_U(m.min_objects, 64);
        ASSERT_EQ_U(m.n_explained, N_CACHES);
        ASSERT_TRUE(m.knows_slab_names);
        ASSERT_STR(slub_param_name(&m, SLUB_PARAM_MIN_OBJECTS), "slab_min_objects");
}

TEST(parameter_names_follow_what_the_kernel_shows) {
        Bench b = { 0 };
        SlubModel m;

        set_cpus(&b, 8, 8);
        make(&b, SLUB_LOOP_FEWER, 20, 3, 4096, "");
        m = find(&b);
        ASSERT_FALSE(m.knows_slab_names);
        ASSERT_STR(slub_param_name(&m, SLUB_PARAM_MIN_OBJECTS), "slub_min_objects");
        ASSERT_STR(slub_param_name(&m, SLUB_PARAM_MAX_ORDER), "slub_max_order");
        set_cpu_partial(&b, SLUB_PER_CPU_SHEAVES);
        m = find(&b);
        ASSERT_TRUE(m.knows_slab_names);
        ASSERT_EQ_I((int) m.per_cpu, (int) SLUB_PER_CPU_SHEAVES);
        ASSERT_STR(slub_param_name(&m, SLUB_PARAM_MIN_ORDER), "slab_min_order");
}

/* 6.18: two caches have sheaves, cpu_partial still works. */
TEST(sheaves_beside_cpu_partial_leave_it_in_force) {
        Bench b = { 0 };

        set_cpus(&b, 8, 8);
        set_cpu_partial(make(&b, SLUB_LOOP_HALF, 20, 3, 4096, ""), SLUB_PER_CPU_SLABS);
        for (size_t i = 0; i < N_CACHES; i++)
                b.caches[i].sheaf_capacity = KNOWN(i == 2 ? 32 : 0);
        ASSERT_EQ_I((int) find(&b).per_cpu, (int) SLUB_PER_CPU_SLABS);
}

TEST(a_few_tuned_caches_do_not_hide_the_unit) {
        Bench b = { 0 };

        set_cpus(&b, 8, 8);
        set_cpu_partial(make(&b, SLUB_LOOP_FEWER, 20, 3, 4096, ""), SLUB_PER_CPU_SLABS);
        b.caches[0].cpu_partial = KNOWN(30);
        b.caches[1].cpu_partial = KNOWN(0);
        ASSERT_EQ_I((int) find(&b).per_cpu, (int) SLUB_PER_CPU_SLABS);
}

TEST(no_caches_and_no_cpus_predict_nothing) {
        SlubInput input = { 0 };
        SlubModel m;
        SlubOrder o;

        slub_model_find(&input, &m);
        ASSERT_EQ_I((int) m.per_cpu, (int) SLUB_PER_CPU_UNKNOWN);
        ASSERT_TRUE(m.inferred);
        ASSERT_EQ_U(m.n_cpus, 0);
        ASSERT_FALSE(slub_predict_order(&m, 64, 0, &o));
        ASSERT_TRUE(slub_predict_order(&m, 64, 36, &o));
        ASSERT_EQ_U(o.order, 0);
}

/* --- defaults --- */

static uint64_t cpu_partial(SlubPerCpu p, uint64_t size, uint64_t page_bytes, bool debug) {
        uint64_t objects = 0;

        ASSERT_TRUE(slub_cpu_partial_default(p, size, page_bytes, debug, &objects));
        return objects;
}

TEST(cpu_partial_has_four_classes_of_size) {
        static const struct {
                uint64_t size, objects, slabs, sheaf;
        } rows[] = {
                { 8, 30, 120, 60 },   { 255, 30, 120, 60 }, { 256, 13, 52, 28 },
                { 1023, 13, 52, 28 }, { 1024, 6, 24, 12 },  { 4095, 6, 24, 12 },
                { 4096, 2, 6, 4 },    { 1 << 20, 2, 6, 4 },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_OBJECTS, rows[i].size, 4096, false),
                            rows[i].objects);
                ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_SLABS, rows[i].size, 4096, false),
                            rows[i].slabs);
                ASSERT_EQ_U(slub_sheaf_default(rows[i].size, 4096, false), rows[i].sheaf);
        }
        /* The first class begins at a page. */
        ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_SLABS, 4096, 65536, false), 24);
        ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_SLABS, 65536, 65536, false), 6);
}

TEST(debugging_and_sheaves_leave_no_cpu_partial) {
        ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_SLABS, 64, 4096, true), 0);
        ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_OBJECTS, 64, 4096, true), 0);
        ASSERT_EQ_U(cpu_partial(SLUB_PER_CPU_SHEAVES, 64, 4096, false), 0);
        ASSERT_EQ_U(slub_sheaf_default(64, 4096, true), 0);
        ASSERT_FALSE(
                slub_cpu_partial_default(SLUB_PER_CPU_UNKNOWN, 64, 4096, false, &(uint64_t){ 0 }));
}

/* clamp(log2(size) / 2, 5, 10) */
TEST(min_partial_follows_half_the_logarithm) {
        ASSERT_EQ_U(slub_min_partial_default(8), 5);
        ASSERT_EQ_U(slub_min_partial_default(2047), 5); /* log2 is 10 */
        ASSERT_EQ_U(slub_min_partial_default(4095), 5); /* 11 / 2 */
        ASSERT_EQ_U(slub_min_partial_default(4096), 6);
        ASSERT_EQ_U(slub_min_partial_default(8192), 6);
        ASSERT_EQ_U(slub_min_partial_default(16384), 7);
        ASSERT_EQ_U(slub_min_partial_default(1 << 20), 10);
        ASSERT_EQ_U(slub_min_partial_default(UINT64_MAX), 10);
        ASSERT_EQ_U(slub_min_partial_default(0), 5);
}

TEST(cpu_partial_becomes_slabs_that_are_half_full) {
        ASSERT_EQ_U(slub_effective_slabs(52, 32), 4); /* 104 / 32 = 3.25 */
        ASSERT_EQ_U(slub_effective_slabs(120, 64), 4);
        ASSERT_EQ_U(slub_effective_slabs(52, 8), 13);
        ASSERT_EQ_U(slub_effective_slabs(0, 32), 0);
        ASSERT_EQ_U(slub_effective_slabs(1, 32), 1);
        ASSERT_EQ_U(slub_effective_slabs(5, 0), 0);
}

/* Booted kernels: 2147483647, 2147483648 and 4294967295 all behave like 0. */
TEST(huge_cpu_partial_wraps_to_no_slabs) {
        ASSERT_EQ_U(slub_effective_slabs(2147483648, 32), 0);
        ASSERT_EQ_U(slub_effective_slabs(2147483647, 32), 0); /* 2^32 - 2 + 31 wraps to 29 */
        ASSERT_EQ_U(slub_effective_slabs(4294967295, 32), 0);
        ASSERT_EQ_U(slub_effective_slabs(1000000, 32), 62500);
}

TEST(wanted_slabs_get_the_smallest_cpu_partial) {
        for (uint64_t objs = 2; objs < 90; objs++)
                for (uint64_t slabs = 1; slabs < 70; slabs++) {
                        uint64_t least = slub_cpu_partial_for_slabs(slabs, objs);

                        ASSERT_EQ_U(slub_effective_slabs(least, objs), slabs);
                        ASSERT_TRUE(slub_effective_slabs(least - 1, objs) < slabs);
                        ASSERT_EQ_U(slub_effective_slabs(slub_cpu_partial_round(slabs, objs), objs),
                                    slabs);
                }
        ASSERT_EQ_U(slub_cpu_partial_round(8, 26), 104);
        ASSERT_EQ_U(slub_cpu_partial_for_slabs(0, 26), 0);
}

/* --- memory --- */

TEST(memory_worst_cases_by_hand) {
        /* 8 CPUs, 13 slabs of 32 KiB. */
        ASSERT_EQ_U(slub_cpu_partial_worst(SLUB_PER_CPU_SLABS, 52, 8, 3, 4096, 8), 8 * 13 * 32768);
        /* 6.1 keeps one slab even at 0; 5.10 keeps none. */
        ASSERT_EQ_U(slub_cpu_partial_worst(SLUB_PER_CPU_SLABS, 0, 8, 3, 4096, 8), 8 * 32768);
        ASSERT_EQ_U(slub_cpu_partial_worst(SLUB_PER_CPU_OBJECTS, 0, 8, 3, 4096, 8), 0);
        ASSERT_EQ_U(slub_cpu_partial_worst(SLUB_PER_CPU_OBJECTS, 30, 8, 0, 4096, 8), 8 * 31 * 4096);
        ASSERT_EQ_U(slub_cpu_partial_worst(SLUB_PER_CPU_SHEAVES, 0, 8, 3, 4096, 8), 0);
        ASSERT_EQ_U(slub_min_partial_worst(5, 3, 4096, 2), 5 * 2 * 32768);
        /* 3 sheaves a CPU, 10 a node, each object in a slab of its own. */
        ASSERT_EQ_U(slub_sheaf_worst(28, 1, 4096, 8, 2), 28 * (3 * 8 + 10 * 2) * 8192);
        ASSERT_EQ_U(slub_order_worst(3, 5, 4096, 8, 2), (8 + 10) * 32768);
        ASSERT_EQ_U(slub_min_partial_worst(UINT64_MAX, 3, 4096, 2), UINT64_MAX);
        ASSERT_EQ_U(slub_order_worst(64, 5, 4096, 8, 2), UINT64_MAX);
}

TEST_MAIN()
