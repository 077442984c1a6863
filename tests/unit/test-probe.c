/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/thp-probe.h"

#include <unistd.h>

#include "test.h"

/* A kernel that places mappings from the top down, as x86 does, and aligns as told. Nothing is mapped. */
typedef struct FakeKernel {
        size_t page, hpage;
        ThpAlignment alignment;
        uintptr_t top;
        unsigned n_maps, n_unmaps, fail_at; /* fail_at 0: never */
        size_t bytes_mapped, bytes_most;
        uintptr_t seen[128];
        size_t sizes[128];
        bool everything; /* aligns every mapping, whatever its size */
} FakeKernel;

static void *fake_map(void *userdata, size_t size) {
        FakeKernel *k = userdata;
        size_t whole = (size + k->page - 1) / k->page * k->page;
        bool align = k->everything || (k->alignment == THP_ALIGNMENT_ALWAYS && whole >= k->hpage) ||
                     (k->alignment == THP_ALIGNMENT_MULTIPLE && whole % k->hpage == 0);

        if (++k->n_maps == k->fail_at)
                return NULL;
        ASSERT_TRUE(k->n_maps < ELEMENTSOF(k->seen));
        k->top -= whole;
        if (align)
                k->top -= k->top % k->hpage;
        k->seen[k->n_maps] = k->top;
        k->sizes[k->n_maps] = size;
        k->bytes_mapped += whole;
        k->bytes_most = MAX(k->bytes_most, k->bytes_mapped);
        return (void *) k->top;
}

static void fake_unmap(void *userdata, void *address, size_t size) {
        FakeKernel *k = userdata;
        bool found = false;

        for (unsigned i = 1; i <= k->n_maps && !found; i++)
                if (k->seen[i] == (uintptr_t) address && k->sizes[i] == size) {
                        k->seen[i] = 0;
                        found = true;
                }
        ASSERT_TRUE(found);
        k->n_unmaps++;
        k->bytes_mapped -= (size + k->page - 1) / k->page * k->page;
}

#define KERNEL(p, h, a) \
        { .page = (p), .hpage = (h), .alignment = (a), .top = 0x7f1234567000u & ~((p) -1) }

static ThpAlignment probe(FakeKernel *k) {
        MapApi api = { .map = fake_map, .unmap = fake_unmap, .userdata = k };

        return thp_probe(&api, k->page, k->hpage);
}

static const struct {
        size_t page, hpage;
} sizes[] = {
        { 4096, (size_t) 2 << 20 },    /* x86-64, arm64 */
        { 16384, (size_t) 32 << 20 },  /* arm64 with 16 KiB pages */
        { 65536, (size_t) 512 << 20 }, /* arm64 with 64 KiB pages */
        { 65536, (size_t) 2 << 20 },   /* ppc64 hash */
};

TEST(each_kind_of_kernel_is_told_at_every_page_size) {
        static const ThpAlignment kinds[] = { THP_ALIGNMENT_ALWAYS, THP_ALIGNMENT_MULTIPLE,
                                              THP_ALIGNMENT_NEVER };

        for (size_t i = 0; i < ELEMENTSOF(sizes); i++)
                for (size_t a = 0; a < ELEMENTSOF(kinds); a++) {
                        FakeKernel k = KERNEL(sizes[i].page, sizes[i].hpage, kinds[a]);

                        if (sizes[i].hpage / sizes[i].page < 64)
                                continue; /* too few pages to tell chance from rule: see below */
                        ASSERT_EQ_I(probe(&k), kinds[a]);
                }
}

TEST(a_huge_page_of_few_pages_is_not_judged) {
        FakeKernel k = KERNEL(65536, (size_t) 2 << 20, THP_ALIGNMENT_MULTIPLE);

        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_UNKNOWN);
        ASSERT_EQ_U(k.n_maps, 0);
}

TEST(every_mapping_is_gone_afterwards_with_the_size_it_had) {
        FakeKernel k = KERNEL(4096, (size_t) 2 << 20, THP_ALIGNMENT_MULTIPLE);

        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_MULTIPLE);
        ASSERT_EQ_U(k.n_maps, 4 * 2 * 8); /* four lengths, a spacer and a try each, eight times */
        ASSERT_EQ_U(k.n_unmaps, k.n_maps);
        ASSERT_EQ_U(k.bytes_mapped, 0);
}

TEST(at_most_eight_of_the_longest_length_and_spacers_are_mapped_at_once) {
        FakeKernel k = KERNEL(4096, (size_t) 2 << 20, THP_ALIGNMENT_NEVER);

        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_NEVER);
        /* 8 x 4 MiB and spacers of 1 + 3 + ... + 15 = 64 pages */
        ASSERT_LE_U(k.bytes_most, 8 * ((size_t) 4 << 20) + 64 * 4096);
}

TEST(spacers_are_odd_and_differ) {
        FakeKernel k = KERNEL(4096, (size_t) 2 << 20, THP_ALIGNMENT_NEVER);

        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_NEVER);
        for (unsigned i = 1; i < 16; i += 2) {
                ASSERT_EQ_U(k.sizes[i] / 4096 % 2, 1);
                if (i > 2)
                        ASSERT_NE_U(k.sizes[i], k.sizes[i - 2]);
        }
}

TEST(lengths_are_those_that_tell_the_kernels_apart) {
        const size_t P = (size_t) 2 << 20, wanted[] = { P, 2 * P, P + 4096, P - 4096 };
        FakeKernel k = KERNEL(4096, P, THP_ALIGNMENT_NEVER);

        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_NEVER);
        for (unsigned i = 0; i < 4; i++)
                ASSERT_EQ_U(k.sizes[16 * i + 2], wanted[i]);
}

TEST(a_failed_mapping_is_unknown_and_leaves_nothing) {
        for (unsigned fail_at = 1; fail_at <= 64; fail_at++) {
                FakeKernel k = KERNEL(4096, (size_t) 2 << 20, THP_ALIGNMENT_ALWAYS);

                k.fail_at = fail_at;
                ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_UNKNOWN);
                ASSERT_EQ_U(k.n_unmaps, k.n_maps - 1);
                ASSERT_EQ_U(k.bytes_mapped, 0);
        }
}

TEST(something_that_aligns_everything_is_no_statement) {
        FakeKernel k = KERNEL(4096, (size_t) 2 << 20, THP_ALIGNMENT_ALWAYS);

        k.everything = true;
        ASSERT_EQ_I(probe(&k), THP_ALIGNMENT_UNKNOWN);
}

TEST(sizes_that_no_machine_has_are_unknown) {
        static const size_t bad[][2] = { { 0, 2 << 20 },     { 4096, 0 },
                                         { 4096, 3 << 20 },  { 12288, 2 << 20 },
                                         { 4096, 4096 },     { 4096, (size_t) 2 << 30 },
                                         { 4096, SIZE_MAX }, { SIZE_MAX, 4096 },
                                         { 1, 2 << 20 } };

        for (size_t i = 0; i < ELEMENTSOF(bad); i++)
                ASSERT_EQ_I(thp_probe(thp_probe_system(), bad[i][0], bad[i][1]),
                            THP_ALIGNMENT_UNKNOWN);
}

TEST(this_machine_gives_the_same_answer_twice) {
        size_t page = (size_t) sysconf(_SC_PAGESIZE);
        ThpAlignment first = thp_probe(thp_probe_system(), page, (size_t) 2 << 20);

        ASSERT_EQ_I(thp_probe(thp_probe_system(), page, (size_t) 2 << 20), first);
        ASSERT_TRUE(thp_alignment_to_string(first) != NULL);
}

TEST_MAIN()
