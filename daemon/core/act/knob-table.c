/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/knob.h"

/* The table of knobs: one row is one setting that a kernel may have, with all that is known of
 * it without a machine. Sorted by name. What a machine makes of a row is in knob-build*.c.
 * Bounds are those within which we would ever write, not what the kernel accepts (legal). "%s"
 * of a path is the directory of the cache, or the size in kB. Words leave out those that we
 * never write (deny, force). */

static const char *const words_defrag[] = { "always",  "defer", "defer+madvise",
                                            "madvise", "never", NULL };
static const char *const words_enabled[] = { "always", "madvise", "never", NULL };
static const char *const words_shmem_enabled[] = { "always", "within_size", "advise", "never",
                                                   NULL };
static const char *const words_size_enabled[] = { "always", "inherit", "madvise", "never", NULL };

static const KnobSpec specs[] = {
        {
                .name = "compaction-proactiveness",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "proc/sys/vm/compaction_proactiveness",
                .legal = "0 to 100",
                .unit = "percent",
                .ceiling = 100,
                .context_only = true,
                .memory = "none: never written",
                .verify = "never written",
                .risk = "a non-zero write starts compaction of all memory at once on new kernels",
                .help = "How hard the kernel compacts memory in the background, before anybody "
                        "waits for it. Read for context: compaction that cannot win (compact_fail "
                        "near compact_stall) is worth knowing before blaming huge pages.",
                .source = "mm/compaction.c sysctl_compaction_proactiveness = 20, 5.10 to 7.3",
        },
        {
                .name = "min-free",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "proc/sys/vm/min_free_kbytes",
                .legal = "kB",
                .unit = "kB",
                .ceiling = INT32_MAX,
                .context_only = true,
                .memory = "none: never written",
                .verify = "never written",
                .risk = "a written value is a floor until the next boot: later automatic values "
                        "may only be higher",
                .help = "Memory that only the kernel itself may use up, from which all watermarks "
                        "follow, and with them the default size of the per-CPU page lists. Huge "
                        "pages raise it: their recommended value is 11 page blocks for each zone.",
                .source = "mm/page_alloc.c calculate_min_free_kbytes(), mm/khugepaged.c "
                          "set_recommended_min_free_kbytes()",
        },
        {
                .name = "pcp-batch",
                .kind = KNOB_KIND_PCP_BATCH,
                .scopes = SCOPES_ZONE,
                .legal = "chosen by the kernel",
                .unit = "pages",
                .floor = 1,
                .ceiling = 63,
                .memory = "part of pcp-high-fraction",
                .verify = "zoneinfo, line batch",
                .risk = "none: it cannot be set by itself",
                .help = "Pages that a CPU moves between its list and the zone in one go: a power "
                        "of two minus 1 from the size of the zone, 63 for 256 MiB and more. No "
                        "file sets it; percpu_pagelist_fraction of kernels before 5.14 moves it "
                        "along with high (a quarter of high, 1 to 96).",
                .source = "mm/page_alloc.c zone_batchsize(), 5.10 to 7.3; pageset_set_high(), 5.10",
        },
        {
                .name = "pcp-high-fraction",
                .kind = KNOB_KIND_PCP_FRACTION,
                .scopes = SCOPES_SYSTEM,
                .path = "proc/sys/vm/percpu_pagelist_high_fraction",
                .legal = "0, or 8 to 2147483647",
                .unit = "divisor",
                .floor = PCP_FRACTION_FLOOR,
                .ceiling = PCP_FRACTION_CEILING,
                .window_s = 10,
                .settle_s = 2,
                .write_gap_s = 5,
                .memory = "per zone: online CPUs x high pages; high = managed / F / local CPUs "
                          "(before 5.14: managed / F)",
                .verify = "the sysctl reads back the same; zoneinfo shows the predicted high (6.13 "
                          "and later: high_min and high_max; 6.7 to 6.12: as CPUs get active)",
                .risk = "a small fraction parks memory on idle CPUs, which nobody sees as free; "
                        "on kernels that tune (6.7 and later) any value but 0 turns the tuner and "
                        "its shrinking under pressure off",
                .help = "How many free pages each CPU may keep for itself, as 1/F of each zone. "
                        "Larger lists take zone->lock less often; they hold more memory and make "
                        "single holds of the lock longer. 0 gives the choice back to the kernel.",
                .source = "mm/page_alloc.c zone_highsize(), zone_set_pageset_high_and_batch(), 6.1 "
                          "to 7.3; pageset_set_high(), 5.10",
        },
        {
                .name = "slab-cpu-partial",
                .kind = KNOB_KIND_SLAB_INTEGER,
                .scopes = SCOPES_CACHE,
                .path = "sys/kernel/slab/%s/cpu_partial",
                .attribute = "cpu_partial",
                .legal = "0 to 4294967295; 7.0 and later: 0 only",
                .unit = "objects",
                .ceiling = SLUB_CPU_PARTIAL_CEILING,
                .window_s = 60,
                .settle_s = 10,
                .write_gap_s = 50,
                .flushes_every_cpu = true,
                .memory = "online CPUs x slabs x slab size; slabs = ceil(2 x objects / objects per "
                          "slab), before 5.16: objects + 1",
                .verify = "reads back the same; the slabs that it becomes are computed, "
                          "slabs_cpu_partial follows",
                .risk = "each write flushes the cache on every CPU and waits for all of them; "
                        "lowering it moves parked slabs to the node lists in one burst",
                .help = "How many free objects each CPU may keep in partly used slabs of this "
                        "cache before it has to take the list_lock of the node. More means less "
                        "waiting for list_lock and more memory held.",
                .source = "mm/slub.c set_cpu_partial(), slub_set_cpu_partial(), 5.10 to 6.12; "
                          "cpu_partial_store(), 7.2",
        },
        {
                .name = "slab-min-partial",
                .kind = KNOB_KIND_SLAB_INTEGER,
                .scopes = SCOPES_CACHE,
                .path = "sys/kernel/slab/%s/min_partial",
                .attribute = "min_partial",
                .legal = "0 or more; before 5.16 clamped to 5 to 10",
                .unit = "slabs a node",
                .ceiling = SLUB_MIN_PARTIAL_CEILING,
                .window_s = 60,
                .settle_s = 10,
                .write_gap_s = 50,
                .memory = "nodes x min_partial x slab size, of empty slabs",
                .verify = "reads back the same; another value: this kernel clamps to 5 to 10",
                .risk = "large values keep empty slabs for ever and stop reuse across nodes",
                .help = "How many partly used or empty slabs each node keeps before empty ones go "
                        "back to the page allocator. It spares zone->lock where a cache shrinks "
                        "and grows all the time; expect little.",
                .source = "mm/slub.c set_min_partial(), 5.10; do_kmem_cache_create(), "
                          "min_partial_store(), 6.1 to 7.3",
        },
        {
                .name = "slab-order",
                .kind = KNOB_KIND_SLAB_ORDER,
                .scopes = SCOPES_CACHE,
                .path = "sys/kernel/slab/%s/order",
                .attribute = "order",
                .legal = "at boot: slub_min_objects, slub_max_order, slub_min_order (slab_... from "
                         "6.8)",
                .unit = "order",
                .ceiling = 4,
                .memory = "(online CPUs + nodes x min_partial) x slab size",
                .verify = "after the next boot: order and objs_per_slab",
                .risk = "higher orders are harder to get when memory is fragmented; one parameter "
                        "is for all caches",
                .help = "Size of a slab as a power of two of pages. More objects per slab means "
                        "fewer trips to the node's list_lock. The kernel wants 4 x (fls(CPUs) + "
                        "1) objects; the CPUs are counted once, when caches are made.",
                .source = "mm/slub.c calculate_order(), 5.10 to 7.3",
        },
        {
                .name = "slab-remote-defrag",
                .kind = KNOB_KIND_SLAB_INTEGER,
                .scopes = SCOPES_CACHE,
                .path = "sys/kernel/slab/%s/remote_node_defrag_ratio",
                .attribute = "remote_node_defrag_ratio",
                .legal = "0 to 100",
                .unit = "percent",
                .ceiling = 100,
                .window_s = 30,
                .settle_s = 5,
                .write_gap_s = 10,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "0 never takes partly used slabs from other nodes: memory of one node may "
                        "grow",
                .help = "How often a node without partly used slabs looks on other nodes before "
                        "it makes a new slab. Lower keeps memory local and spares remote "
                        "list_locks.",
                .source = "mm/slub.c get_any_partial(), remote_node_defrag_ratio_store(), 5.10 to "
                          "7.3",
        },
        {
                .name = "slab-sheaf-capacity",
                .kind = KNOB_KIND_SLAB_INTEGER,
                .scopes = SCOPES_CACHE,
                .path = "sys/kernel/slab/%s/sheaf_capacity",
                .attribute = "sheaf_capacity",
                .legal = "chosen by the kernel when the cache is made",
                .unit = "objects",
                .memory =
                        "(online CPUs x 3 + nodes x 10) x capacity objects, each holding its slab",
                .verify = "never written",
                .risk = "none: it cannot be set",
                .help = "Objects in each array (sheaf) that a CPU keeps of this cache. Since 7.0 "
                        "sheaves take the place of cpu_partial. There is no file and no boot "
                        "parameter to change it.",
                .source = "mm/slub.c calculate_sheaf_capacity(), 7.2 and 7.3",
        },
        {
                .name = "thp-alignment",
                .kind = KNOB_KIND_ALIGNMENT,
                .scopes = SCOPES_SYSTEM,
                .legal = "always, multiple, never: behaviour of the kernel",
                .unit = "word",
                .memory = "none",
                .verify = "a probe that maps memory",
                .risk = "none: it cannot be set",
                .help = "Which private anonymous mappings start at a multiple of a huge page: all "
                        "of a huge page or more (always), only those whose length is a multiple "
                        "(multiple), none (never). No setting changes it for private memory.",
                .source = "mm/mmap.c __get_unmapped_area(), mm/huge_memory.c "
                          "__thp_get_unmapped_area(), 6.7 and later",
        },
        {
                .name = "thp-defrag",
                .kind = KNOB_KIND_WORD,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/defrag",
                .legal = "always, defer, defer+madvise, madvise, never",
                .words = words_defrag,
                .unit = "word",
                .window_s = 30,
                .settle_s = 5,
                .write_gap_s = 10,
                .memory = "none by itself",
                .verify = "the word in brackets",
                .risk = "never and defer give fewer huge pages at fault; always stalls every "
                        "fault that needs one",
                .help = "What a page fault does when no huge page is free: reclaim and compact at "
                        "once (a stall inside the fault), wake the background workers, or give "
                        "up. madvise stalls for marked regions only.",
                .source = "mm/huge_memory.c vma_thp_gfp_mask(), 5.10 to 7.3",
        },
        {
                .name = "thp-enabled",
                .kind = KNOB_KIND_WORD,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/enabled",
                .legal = "always, madvise, never",
                .words = words_enabled,
                .unit = "word",
                .memory = "up to one huge page for each used small one",
                .verify = "the word in brackets; min_free_kbytes and pcp high move with it",
                .risk = "each write recomputes watermarks and the per-CPU page lists, up to "
                        "tenfold on small machines",
                .help = "Who gets huge pages: every mapping, marked ones only, or none. Often a "
                        "known wish of an application; never changed without a policy that names "
                        "it.",
                .source = "mm/huge_memory.c enabled_store(), mm/khugepaged.c "
                          "start_stop_khugepaged(), 5.10 to 7.3",
        },
        {
                .name = "thp-khugepaged-alloc-sleep-millisecs",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/alloc_sleep_millisecs",
                .legal = "0 to 4294967295",
                .unit = "ms",
                .floor = 1000,
                .ceiling = 3600000,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "short sleeps keep a busy machine compacting",
                .help = "How long khugepaged waits after it could not get a huge page.",
                .source = "mm/khugepaged.c, 60000 in 5.10 to 7.3",
        },
        {
                .name = "thp-khugepaged-defrag",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
                .legal = "0 or 1",
                .unit = "switch",
                .ceiling = 1,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "0: huge pages only where one is free already",
                .help = "Whether khugepaged may reclaim and compact to get a huge page.",
                .source = "mm/huge_memory.c transparent_hugepage_flags, 5.10 to 7.3",
        },
        {
                .name = "thp-khugepaged-max-ptes-none",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none",
                .legal = "0 to huge page pages - 1",
                .unit = "pages",
                .ceiling = 511,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "high values fill huge pages with memory nobody used",
                .help = "How many pages of a range may be untouched when khugepaged makes it a "
                        "huge page. While it is at its maximum shrink_underused does nothing.",
                .source = "mm/khugepaged.c khugepaged_init(): pages of a huge page - 1",
        },
        {
                .name = "thp-khugepaged-max-ptes-shared",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_shared",
                .legal = "0 to huge page pages - 1",
                .unit = "pages",
                .ceiling = 511,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "high values copy shared memory",
                .help = "How many pages of a range may be shared with other processes.",
                .source = "mm/khugepaged.c khugepaged_init(): pages of a huge page / 2",
        },
        {
                .name = "thp-khugepaged-max-ptes-swap",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_swap",
                .legal = "0 to huge page pages - 1",
                .unit = "pages",
                .ceiling = 511,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "high values read swap back in",
                .help = "How many pages of a range may be swapped out.",
                .source = "mm/khugepaged.c khugepaged_init(): pages of a huge page / 8",
        },
        {
                .name = "thp-khugepaged-pages-to-scan",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan",
                .legal = "1 to 4294967295",
                .unit = "pages",
                .floor = 1,
                .ceiling = 262144,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "high values cost CPU time",
                .help = "Pages that khugepaged looks at before it sleeps.",
                .source = "mm/khugepaged.c khugepaged_init(): pages of a huge page x 8",
        },
        {
                .name = "thp-khugepaged-scan-sleep-millisecs",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs",
                .legal = "0 to 4294967295",
                .unit = "ms",
                .floor = 1000,
                .ceiling = 3600000,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "0 scans without a pause",
                .help = "How long khugepaged sleeps between two rounds.",
                .source = "mm/khugepaged.c, 10000 in 5.10 to 7.3",
        },
        {
                .name = "thp-shmem-enabled",
                .kind = KNOB_KIND_WORD,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/shmem_enabled",
                .legal = "always, within_size, advise, never, deny, force",
                .words = words_shmem_enabled,
                .unit = "word",
                .memory = "up to one huge page for each used small one of shared memory",
                .verify = "the word in brackets",
                .risk = "shared memory of all programs may grow",
                .help = "Huge pages for shared anonymous memory. The only file that also changes "
                        "where (shared) mappings are placed.",
                .source = "mm/shmem.c shmem_get_unmapped_area(), 5.10 to 7.3",
        },
        {
                .name = "thp-shrink-underused",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/shrink_underused",
                .legal = "0 or 1",
                .unit = "switch",
                .ceiling = 1,
                .memory = "none by itself",
                .verify = "reads back the same",
                .risk = "little: splitting costs CPU time under pressure",
                .help = "Whether huge pages that are mostly zero are split and given back under "
                        "memory pressure. Without effect while max_ptes_none is at its maximum.",
                .source = "mm/huge_memory.c thp_underused(), 6.12 and later",
        },
        {
                .name = "thp-size-<kB>-enabled",
                .kind = KNOB_KIND_WORD,
                .scopes = SCOPES_SYSTEM,
                .path = "sys/kernel/mm/transparent_hugepage/hugepages-%skB/enabled",
                .legal = "always, inherit, madvise, never",
                .words = words_size_enabled,
                .unit = "word",
                .memory = "up to one page of this size for each used small one",
                .verify = "the word in brackets",
                .risk = "64 kB to 1 MiB pages bypass the per-CPU lists: each takes zone->lock "
                        "when it is allocated and when it is freed",
                .help = "The same choice for one size of multi-size huge pages; inherit follows "
                        "thp-enabled.",
                .source = "mm/huge_memory.c anon_enabled_store(), 6.8 and later",
        },
        {
                .name = "watermark-scale",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "proc/sys/vm/watermark_scale_factor",
                .legal = "1 to 3000",
                .unit = "1/10000 of a zone",
                .floor = 1,
                .ceiling = 3000,
                .memory = "managed pages x factor / 10000 for each step between the watermarks",
                .verify = "reads back the same; zoneinfo shows new watermarks",
                .risk = "raising it reserves memory; the same value only makes the kernel "
                        "recompute",
                .help = "Distance between the watermarks of a zone. Written with its own value it "
                        "makes the kernel recompute the per-CPU lists (after a CPU came online); "
                        "raised it lifts the floor of the kernel's tuner.",
                .source = "mm/page_alloc.c __setup_per_zone_wmarks(), watermark_scale_factor = 10, "
                          "5.10 to 7.3",
        },
        {
                .name = "zone-reclaim-mode",
                .kind = KNOB_KIND_INTEGER,
                .scopes = SCOPES_SYSTEM,
                .path = "proc/sys/vm/zone_reclaim_mode",
                .legal = "0 to 7 (bits)",
                .unit = "bits",
                .ceiling = 7,
                .context_only = true,
                .memory = "none: never written",
                .verify = "never written",
                .risk = "not ours to change",
                .help = "Whether a full node reclaims its own cache before it uses memory of "
                        "another node. While it is not 0 free memory of a node misleads and "
                        "nothing here grows.",
                .source = "mm/vmscan.c node_reclaim_mode, 0 by default, 5.10 to 7.3",
        },
};

const KnobSpec *knob_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(specs);
        return specs;
}
