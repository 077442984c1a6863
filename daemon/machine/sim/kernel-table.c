/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generations of kernels that can be simulated, one row each. What differs between them in mm/ as far as a controller can meet
 * it; everything read in the stable trees named by `release` (4.18, 6.7 and 6.18: from the records of the changes, since nothing but
 * those moved in between). Sources, by commit of the mainline tree:
 *
 *   batch cap 1 MiB          d8a759b57035 "mm, page_alloc: double zone's batchsize" (4.20); 512 KiB before: batch 31, high 186
 *   high fraction            bbbecb35a41c "mm/page_alloc: delete vm.percpu_pagelist_fraction", 74f44822097c (5.14)
 *   cached orders 1-3, PMD   44042b449872 "mm/page_alloc: allow high-order pages to be stored on the per-cpu lists" (5.14)
 *   high-order free drains   f26b3fa04611 (5.19); after batch frees 6ccdcb6d3a74 (6.7); + high_min / 2 c544a952ba61 (6.16)
 *   tuned high, batch scale  90b41691b988, 51a755c56dc0, 52166607ecc9 (6.7); shown in zoneinfo from 6.13
 *   bulk frees in pieces     mm/page_alloc.c free_frozen_page_commit() of 7.2 and 7.3
 *   slabs a CPU              b47291ef02b0 "mm, slub: change percpu partial accounting from objects to pages" (5.16)
 *   sheaves for every cache  mm/slub.c of 7.2 and 7.3 (6.18 has them for caches that ask only: counted as SLABS here)
 *   wanted objects           nr_cpu_ids up to 5.10; present CPUs 3286222fc609 (5.12, back-ported to 5.11)
 *   order loop               calculate_order() accepts up to half as waste: 0fe2735d5e2e (6.7)
 *   order read-only          32a6f409b693 "mm, slub: remove runtime allocation order changes" (5.9)
 *   min_partial limits       MIN_PARTIAL 5, MAX_PARTIAL 10 applied to writes: gone after 5.15 (read in 5.10.223 and 6.1.192)
 *   slab_* boot parameters   671776b32b26 (6.8); hugepages-*kB 3485b88390b0 (6.8)
 *   THP alignment            efa7df3e3bb5 (6.7), d4148aeab412 "only on multiples" (6.12, back-ported to 6.11.7) */
#include "base/text.h"
#include "core/act/thp-alignment.h"
#include "machine/sim/plant.h"

#define KIB UINT64_C(1024)
#define BATCH_SCALE_MAX 5 /* CONFIG_PCP_BATCH_SCALE_MAX, its default */

static const PlantKernel kernels[] = {
        { .name = "4.18",
          .release = "4.18.20",
          .pcp = PCP_GEN_FRACTION,
          .batch_cap_bytes = 512 * KIB,
          .slab = PLANT_SLAB_OBJECTS,
          .slab_cpus = SLUB_CPUS_POSSIBLE,
          .slab_loop = SLUB_LOOP_FEWER,
          .order_writable = true,
          .min_partial_clamped = true,
          .thp_alignment = THP_ALIGNMENT_NEVER },
        { .name = "5.10",
          .release = "5.10.223",
          .pcp = PCP_GEN_FRACTION,
          .batch_cap_bytes = 1024 * KIB,
          .slab = PLANT_SLAB_OBJECTS,
          .slab_cpus = SLUB_CPUS_POSSIBLE,
          .slab_loop = SLUB_LOOP_FEWER,
          .min_partial_clamped = true,
          .thp_alignment = THP_ALIGNMENT_NEVER },
        { .name = "6.1",
          .release = "6.1.192",
          .pcp = PCP_GEN_HIGH,
          .batch_cap_bytes = 1024 * KIB,
          .free_high_batches = 1,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SLABS,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_FEWER,
          .thp_alignment = THP_ALIGNMENT_NEVER },
        { .name = "6.7",
          .release = "6.7.12",
          .pcp = PCP_GEN_AUTO,
          .batch_cap_bytes = 1024 * KIB,
          .batch_scale_max = BATCH_SCALE_MAX,
          .free_high_batches = 1,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SLABS,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_HALF,
          .thp_alignment = THP_ALIGNMENT_ALWAYS },
        { .name = "6.12",
          .release = "6.12.117",
          .pcp = PCP_GEN_AUTO,
          .batch_cap_bytes = 1024 * KIB,
          .batch_scale_max = BATCH_SCALE_MAX,
          .free_high_batches = 1,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SLABS,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_HALF,
          .thp_sizes = true,
          .slab_names = true,
          .thp_alignment = THP_ALIGNMENT_MULTIPLE },
        { .name = "6.18",
          .release = "6.18.5",
          .pcp = PCP_GEN_AUTO_SHOWN,
          .batch_cap_bytes = 1024 * KIB,
          .batch_scale_max = BATCH_SCALE_MAX,
          .free_high_batches = 1,
          .free_high_half_min = true,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SLABS,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_HALF,
          .pcp_shown = true,
          .thp_sizes = true,
          .slab_names = true,
          .thp_alignment = THP_ALIGNMENT_MULTIPLE },
        { .name = "7.2",
          .release = "7.2.12",
          .pcp = PCP_GEN_AUTO_SHOWN,
          .batch_cap_bytes = 1024 * KIB,
          .batch_scale_max = BATCH_SCALE_MAX,
          .split_free = true,
          .free_high_batches = 1,
          .free_high_half_min = true,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SHEAVES,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_HALF,
          .pcp_shown = true,
          .thp_sizes = true,
          .slab_names = true,
          .thp_alignment = THP_ALIGNMENT_MULTIPLE },
        { .name = "7.3",
          .release = "7.3.4",
          .pcp = PCP_GEN_AUTO_SHOWN,
          .batch_cap_bytes = 1024 * KIB,
          .batch_scale_max = BATCH_SCALE_MAX,
          .split_free = true,
          .free_high_batches = 1,
          .free_high_half_min = true,
          .high_order_lists = true,
          .slab = PLANT_SLAB_SHEAVES,
          .slab_cpus = SLUB_CPUS_PRESENT,
          .slab_loop = SLUB_LOOP_HALF,
          .pcp_shown = true,
          .thp_sizes = true,
          .slab_names = true,
          .thp_alignment = THP_ALIGNMENT_MULTIPLE },
};

const PlantKernel *plant_kernels(size_t *ret_n) {
        *ret_n = ELEMENTSOF(kernels);
        return kernels;
}

const PlantKernel *plant_kernel_find(const char *name) {
        for (size_t i = 0; name && i < ELEMENTSOF(kernels); i++)
                if (text_is(text_from(name), kernels[i].name))
                        return &kernels[i];
        return NULL;
}
