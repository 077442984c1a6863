/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/keyed.h"

#include <string.h>

/* vmstat and meminfo.
 *
 * Kernels add, remove and reorder lines in every release (vmstat had 154 in 5.10 and 202 in
 * 7.3), so a line counts by its name only. Rows are sorted by name, and their place is the enum.
 * A key that stands twice keeps its last value and is named; a value that cannot be read makes
 * the key absent, never zero. */

static const KeySpec vmstat_table[] = {
        [VM_ALLOCSTALL_DEVICE] = { "allocstall_device", KEY_COUNTER,
                                   "entries into direct reclaim for ZONE_DEVICE" },
        [VM_ALLOCSTALL_DMA] = { "allocstall_dma", KEY_COUNTER,
                                "entries into direct reclaim for ZONE_DMA" },
        [VM_ALLOCSTALL_DMA32] = { "allocstall_dma32", KEY_COUNTER,
                                  "entries into direct reclaim for ZONE_DMA32" },
        [VM_ALLOCSTALL_HIGH] = { "allocstall_high", KEY_COUNTER,
                                 "entries into direct reclaim for ZONE_HIGHMEM" },
        [VM_ALLOCSTALL_MOVABLE] = { "allocstall_movable", KEY_COUNTER,
                                    "entries into direct reclaim for ZONE_MOVABLE" },
        [VM_ALLOCSTALL_NORMAL] = { "allocstall_normal", KEY_COUNTER,
                                   "entries into direct reclaim for ZONE_NORMAL" },
        [VM_COMPACT_DAEMON_WAKE] = { "compact_daemon_wake", KEY_COUNTER, "wake-ups of kcompactd" },
        [VM_COMPACT_FAIL] = { "compact_fail", KEY_COUNTER, "direct compactions that made no page" },
        [VM_COMPACT_FREE_SCANNED] = { "compact_free_scanned", KEY_COUNTER,
                                      "pages scanned for free ones" },
        [VM_COMPACT_ISOLATED] = { "compact_isolated", KEY_COUNTER,
                                  "pages isolated for compaction" },
        [VM_COMPACT_MIGRATE_SCANNED] = { "compact_migrate_scanned", KEY_COUNTER,
                                         "pages scanned for ones to move" },
        [VM_COMPACT_STALL] = { "compact_stall", KEY_COUNTER, "direct compactions, any high order" },
        [VM_COMPACT_SUCCESS] = { "compact_success", KEY_COUNTER,
                                 "direct compactions that made a page" },
        [VM_DROP_PAGECACHE] = { "drop_pagecache", KEY_COUNTER,
                                "writes to drop_caches (page cache)" },
        [VM_DROP_SLAB] = { "drop_slab", KEY_COUNTER, "writes to drop_caches (slab)" },
        [VM_NR_ACTIVE_ANON] = { "nr_active_anon", KEY_GAUGE, "pages" },
        [VM_NR_ACTIVE_FILE] = { "nr_active_file", KEY_GAUGE, "pages" },
        [VM_NR_ANON_PAGES] = { "nr_anon_pages", KEY_GAUGE, "anonymous pages, huge ones included" },
        [VM_NR_ANON_TRANSPARENT_HUGEPAGES] = { "nr_anon_transparent_hugepages", KEY_GAUGE,
                                               "anonymous huge pages (of PMD size, not base pages)" },
        [VM_NR_DIRTY] = { "nr_dirty", KEY_GAUGE, "pages" },
        [VM_NR_FILE_HUGEPAGES] = { "nr_file_hugepages", KEY_GAUGE, "huge pages" },
        [VM_NR_FILE_PAGES] = { "nr_file_pages", KEY_GAUGE, "pages" },
        [VM_NR_FREE_CMA] = { "nr_free_cma", KEY_GAUGE, "pages" },
        [VM_NR_FREE_PAGES] = { "nr_free_pages", KEY_GAUGE,
                               "pages in the buddy lists; those in per-CPU lists are not counted" },
        [VM_NR_FREE_PAGES_BLOCKS] = { "nr_free_pages_blocks", KEY_GAUGE,
                                      "free pages in whole pageblocks (7.2 and later)" },
        [VM_NR_INACTIVE_ANON] = { "nr_inactive_anon", KEY_GAUGE, "pages" },
        [VM_NR_INACTIVE_FILE] = { "nr_inactive_file", KEY_GAUGE, "pages" },
        [VM_NR_KERNEL_MISC_RECLAIMABLE] = { "nr_kernel_misc_reclaimable", KEY_GAUGE, "pages" },
        [VM_NR_KERNEL_STACK] = { "nr_kernel_stack", KEY_GAUGE, "KiB" },
        [VM_NR_PAGE_TABLE_PAGES] = { "nr_page_table_pages", KEY_GAUGE, "pages" },
        [VM_NR_SHMEM] = { "nr_shmem", KEY_GAUGE, "pages" },
        [VM_NR_SHMEM_HUGEPAGES] = { "nr_shmem_hugepages", KEY_GAUGE, "huge pages" },
        [VM_NR_SLAB_RECLAIMABLE] = { "nr_slab_reclaimable", KEY_GAUGE, "pages" },
        [VM_NR_SLAB_UNRECLAIMABLE] = { "nr_slab_unreclaimable", KEY_GAUGE, "pages" },
        [VM_NR_UNEVICTABLE] = { "nr_unevictable", KEY_GAUGE, "pages" },
        [VM_NR_VMALLOC] = { "nr_vmalloc", KEY_GAUGE, "pages (7.2 and later)" },
        [VM_NR_WRITEBACK] = { "nr_writeback", KEY_GAUGE, "pages" },
        [VM_NUMA_FOREIGN] = { "numa_foreign", KEY_COUNTER,
                              "pages meant for this node, taken elsewhere" },
        [VM_NUMA_HIT] = { "numa_hit", KEY_COUNTER,
                          "pages taken where meant; stands still while vm.numa_stat is 0" },
        [VM_NUMA_LOCAL] = { "numa_local", KEY_COUNTER, "pages taken by a CPU of the node" },
        [VM_NUMA_MISS] = { "numa_miss", KEY_COUNTER, "pages taken here, meant for another node" },
        [VM_NUMA_OTHER] = { "numa_other", KEY_COUNTER, "pages taken by a CPU of another node" },
        [VM_OOM_KILL] = { "oom_kill", KEY_COUNTER, "processes killed" },
        [VM_PGALLOC_DEVICE] = { "pgalloc_device", KEY_COUNTER,
                                "base pages handed out, from lists or buddy" },
        [VM_PGALLOC_DMA] = { "pgalloc_dma", KEY_COUNTER,
                             "base pages handed out, from lists or buddy" },
        [VM_PGALLOC_DMA32] = { "pgalloc_dma32", KEY_COUNTER,
                               "base pages handed out, from lists or buddy" },
        [VM_PGALLOC_HIGH] = { "pgalloc_high", KEY_COUNTER,
                              "base pages handed out, from lists or buddy" },
        [VM_PGALLOC_MOVABLE] = { "pgalloc_movable", KEY_COUNTER,
                                 "base pages handed out, from lists or buddy" },
        [VM_PGALLOC_NORMAL] = { "pgalloc_normal", KEY_COUNTER,
                                "base pages handed out, from lists or buddy" },
        [VM_PGFAULT] = { "pgfault", KEY_COUNTER, "page faults" },
        [VM_PGFREE] = { "pgfree", KEY_COUNTER,
                        "base pages freed; starts near the memory size (boot frees all)" },
        [VM_PGMAJFAULT] = { "pgmajfault", KEY_COUNTER, "page faults that read" },
        [VM_PGMIGRATE_FAIL] = { "pgmigrate_fail", KEY_COUNTER, "pages" },
        [VM_PGMIGRATE_SUCCESS] = { "pgmigrate_success", KEY_COUNTER, "pages" },
        [VM_PGSCAN_DIRECT] = { "pgscan_direct", KEY_COUNTER, "pages scanned in direct reclaim" },
        [VM_PGSCAN_KHUGEPAGED] = { "pgscan_khugepaged", KEY_COUNTER,
                                   "pages scanned for khugepaged" },
        [VM_PGSCAN_KSWAPD] = { "pgscan_kswapd", KEY_COUNTER, "pages scanned by kswapd" },
        [VM_PGSTEAL_DIRECT] = { "pgsteal_direct", KEY_COUNTER, "pages reclaimed directly" },
        [VM_PGSTEAL_KHUGEPAGED] = { "pgsteal_khugepaged", KEY_COUNTER,
                                    "pages reclaimed for khugepaged" },
        [VM_PGSTEAL_KSWAPD] = { "pgsteal_kswapd", KEY_COUNTER, "pages reclaimed by kswapd" },
        [VM_PSWPIN] = { "pswpin", KEY_COUNTER, "pages" },
        [VM_PSWPOUT] = { "pswpout", KEY_COUNTER, "pages" },
        [VM_SLABS_SCANNED] = { "slabs_scanned", KEY_COUNTER, "objects that shrinkers looked at" },
        [VM_THP_COLLAPSE_ALLOC] = { "thp_collapse_alloc", KEY_COUNTER,
                                    "huge pages allocated by khugepaged" },
        [VM_THP_COLLAPSE_ALLOC_FAILED] = { "thp_collapse_alloc_failed", KEY_COUNTER,
                                           "failed allocations of khugepaged" },
        [VM_THP_DEFERRED_SPLIT_PAGE] = { "thp_deferred_split_page", KEY_COUNTER,
                                         "huge pages queued because partly unmapped" },
        [VM_THP_FAULT_ALLOC] = { "thp_fault_alloc", KEY_COUNTER,
                                 "anonymous faults served with a huge page of PMD size" },
        [VM_THP_FAULT_FALLBACK] = { "thp_fault_fallback", KEY_COUNTER,
                                    "anonymous faults that got no huge page" },
        [VM_THP_FAULT_FALLBACK_CHARGE] = { "thp_fault_fallback_charge", KEY_COUNTER,
                                           "of them refused by a memory cgroup" },
        [VM_THP_FILE_ALLOC] = { "thp_file_alloc", KEY_COUNTER, "huge pages allocated for shmem" },
        [VM_THP_FILE_FALLBACK] = { "thp_file_fallback", KEY_COUNTER,
                                   "failed allocations for shmem" },
        [VM_THP_FILE_MAPPED] = { "thp_file_mapped", KEY_COUNTER, "shmem huge pages mapped" },
        [VM_THP_SPLIT_PAGE] = { "thp_split_page", KEY_COUNTER, "huge pages split" },
        [VM_THP_SPLIT_PAGE_FAILED] = { "thp_split_page_failed", KEY_COUNTER,
                                       "huge pages that could not be split" },
        [VM_THP_SPLIT_PMD] = { "thp_split_pmd", KEY_COUNTER,
                               "huge mappings split in the page table only" },
        [VM_THP_UNDERUSED_SPLIT_PAGE] = { "thp_underused_split_page", KEY_COUNTER,
                                          "huge pages split by shrink_underused" },
        [VM_THP_ZERO_PAGE_ALLOC] = { "thp_zero_page_alloc", KEY_COUNTER,
                                     "huge zero pages allocated" },
        [VM_THP_ZERO_PAGE_ALLOC_FAILED] = { "thp_zero_page_alloc_failed", KEY_COUNTER,
                                            "huge zero pages not allocated" },
        [VM_ZONE_RECLAIM_FAILED] = { "zone_reclaim_failed", KEY_COUNTER,
                                     "zone_reclaim_mode: node reclaims without result" },
        [VM_ZONE_RECLAIM_SUCCESS] = { "zone_reclaim_success", KEY_COUNTER,
                                      "zone_reclaim_mode: node reclaims with result" },
};

static const KeySpec meminfo_table[] = {
        [MEM_ACTIVE] = { "Active", KEY_GAUGE, "bytes" },
        [MEM_ANON_HUGE_PAGES] = { "AnonHugePages", KEY_GAUGE,
                                  "bytes in anonymous huge pages of PMD size" },
        [MEM_ANON_PAGES] = { "AnonPages", KEY_GAUGE, "bytes of anonymous memory" },
        [MEM_BUFFERS] = { "Buffers", KEY_GAUGE, "bytes" },
        [MEM_CACHED] = { "Cached", KEY_GAUGE, "bytes" },
        [MEM_COMMITTED_AS] = { "Committed_AS", KEY_GAUGE, "bytes promised" },
        [MEM_DIRTY] = { "Dirty", KEY_GAUGE, "bytes" },
        [MEM_FILE_HUGE_PAGES] = { "FileHugePages", KEY_GAUGE, "bytes" },
        [MEM_HUGE_PAGES_FREE] = { "HugePages_Free", KEY_GAUGE, "hugetlb pages (a count)" },
        [MEM_HUGE_PAGES_TOTAL] = { "HugePages_Total", KEY_GAUGE, "hugetlb pages (a count)" },
        [MEM_HUGEPAGESIZE] = { "Hugepagesize", KEY_GAUGE, "bytes of one hugetlb page" },
        [MEM_HUGETLB] = { "Hugetlb", KEY_GAUGE, "bytes" },
        [MEM_INACTIVE] = { "Inactive", KEY_GAUGE, "bytes" },
        [MEM_KRECLAIMABLE] = { "KReclaimable", KEY_GAUGE, "bytes" },
        [MEM_KERNEL_STACK] = { "KernelStack", KEY_GAUGE, "bytes" },
        [MEM_MEM_AVAILABLE] = { "MemAvailable", KEY_GAUGE, "bytes, an estimate of the kernel" },
        [MEM_MEM_FREE] = { "MemFree", KEY_GAUGE, "bytes; pages in per-CPU lists are not counted" },
        [MEM_MEM_TOTAL] = { "MemTotal", KEY_GAUGE, "bytes" },
        [MEM_PAGE_TABLES] = { "PageTables", KEY_GAUGE, "bytes" },
        [MEM_PERCPU] = { "Percpu", KEY_GAUGE, "bytes" },
        [MEM_SRECLAIMABLE] = { "SReclaimable", KEY_GAUGE, "bytes of reclaimable slab" },
        [MEM_SUNRECLAIM] = { "SUnreclaim", KEY_GAUGE, "bytes of unreclaimable slab" },
        [MEM_SHMEM] = { "Shmem", KEY_GAUGE, "bytes" },
        [MEM_SHMEM_HUGE_PAGES] = { "ShmemHugePages", KEY_GAUGE, "bytes in shmem huge pages" },
        [MEM_SLAB] = { "Slab", KEY_GAUGE, "bytes of slab" },
        [MEM_SWAP_FREE] = { "SwapFree", KEY_GAUGE, "bytes" },
        [MEM_SWAP_TOTAL] = { "SwapTotal", KEY_GAUGE, "bytes" },
        [MEM_WRITEBACK] = { "Writeback", KEY_GAUGE, "bytes" },
};

static_assert(ELEMENTSOF(vmstat_table) == _VM_KEY_MAX, "a row for each key");
static_assert(ELEMENTSOF(meminfo_table) == _MEM_KEY_MAX, "a row for each key");

const KeySpec *vmstat_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(vmstat_table);
        return vmstat_table;
}

const KeySpec *meminfo_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(meminfo_table);
        return meminfo_table;
}

/* Names to rows in about one look. A tick has some 250 lines: a binary search for each took longer than
 * all else that is done with them. Made anew for each file, on the stack: core has no state. */
#define INDEX_SLOTS 512u
#define INDEX_FREE UINT8_MAX

typedef struct KeyIndex {
        const KeySpec *table;
        uint8_t slot[INDEX_SLOTS]; /* row, or INDEX_FREE */
} KeyIndex;

static_assert(_VM_KEY_MAX < INDEX_FREE && _MEM_KEY_MAX < INDEX_FREE, "a row fits a slot");

/* Both ends and the length tell the kernel's names apart well enough; others only cost a few looks
 * more. */
static unsigned key_hash(const char *name, size_t size) {
        uint64_t first = 0, last = 0;

        memcpy(&first, name, MIN(size, sizeof(first)));
        if (size > sizeof(last))
                memcpy(&last, name + size - sizeof(last), sizeof(last));
        return (unsigned) ((first * UINT64_C(0x9e3779b97f4a7c15) ^
                            (last + size) * UINT64_C(0xc2b2ae3d27d4eb4f)) *
                                   UINT64_C(0x165667b19e3779f9) >>
                           55); /* 9 bits: INDEX_SLOTS */
}

static void key_index(KeyIndex *x, const KeySpec *table, size_t n) {
        x->table = table;
        memset(x->slot, INDEX_FREE, sizeof(x->slot));
        for (size_t i = 0; i < n; i++) {
                unsigned at = key_hash(table[i].name, strlen(table[i].name));

                while (x->slot[at] != INDEX_FREE)
                        at = (at + 1) % INDEX_SLOTS;
                x->slot[at] = (uint8_t) i;
        }
}

/* Row of the name, or SIZE_MAX. */
static size_t key_find(const KeyIndex *x, Text name) {
        unsigned at = key_hash(name.data, name.size);

        for (; x->slot[at] != INDEX_FREE; at = (at + 1) % INDEX_SLOTS)
                if (text_is(name, x->table[x->slot[at]].name))
                        return x->slot[at];
        return SIZE_MAX;
}

/* The kernel prints unsigned longs: a gauge whose per-CPU parts sum to less than zero shows up as a
 * number beyond 2^63 (mm/vmstat.c vmstat_show(), 5.10 to 7.3). */
static MaybeU64 gauge_check(const ParseLines *l, const KeySpec *spec, MaybeU64 value, Text name) {
        if (spec->kind == KEY_GAUGE && value.known && value.value > (uint64_t) INT64_MAX) {
                parse_lines_issue(l, number_error_string(NUMBER_E_NEGATIVE), name);
                return UNKNOWN;
        }
        return value;
}

/* Puts a value into its slot; a second one replaces the first, and is named. */
static void slot_set(const ParseLines *l, bool *seen, MaybeU64 *slot, MaybeU64 value, Text name) {
        if (*seen)
                parse_lines_issue(l, "duplicate key, the last one counts", name);
        *seen = true;
        *slot = value;
}

static unsigned count_known(const MaybeU64 *values, size_t n) {
        unsigned known = 0;

        for (size_t i = 0; i < n; i++)
                known += values[i].known;
        return known;
}

int vmstat_parse(Text text, const char *path, VmStat *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        bool seen[_VM_KEY_MAX] = {};
        VmStat v = {};
        KeyIndex index;
        bool any = false;
        Text line;

        key_index(&index, vmstat_table, ELEMENTSOF(vmstat_table));
        while (parse_lines_next(&l, &line)) {
                Text name, number = TEXT_NULL;
                MaybeU64 value;
                size_t i;

                if (!text_next_field(&line, &name))
                        continue;
                i = key_find(&index, name);
                if (i == SIZE_MAX) {
                        v.n_unknown++;
                        continue;
                }
                any = true;
                (void) text_next_field(&line, &number);
                value = parse_lines_number(&l, number, name);
                value = gauge_check(&l, &vmstat_table[i], value, name);
                slot_set(&l, &seen[i], &v.value[i], value, name);
        }
        parse_lines_found(&l, any, text);
        v.n_keys = count_known(v.value, ELEMENTSOF(v.value));
        *ret = v;
        return 0;
}

static MaybeU64 sum_keys(const VmStat *v, VmKey first, VmKey last) {
        MaybeU64 sum = UNKNOWN;

        for (unsigned i = first; i <= last; i++)
                sum = maybe_add(sum, v->value[i]);
        return sum;
}

MaybeU64 vmstat_pgalloc(const VmStat *v) {
        return sum_keys(v, VM_PGALLOC_DEVICE, VM_PGALLOC_NORMAL);
}

MaybeU64 vmstat_allocstall(const VmStat *v) {
        return sum_keys(v, VM_ALLOCSTALL_DEVICE, VM_ALLOCSTALL_NORMAL);
}

VmKey vmstat_pgalloc_key(const char *zone_name) {
        static const struct {
                const char *zone;
                VmKey key;
        } rows[] = {
                { "DMA", VM_PGALLOC_DMA },         { "DMA32", VM_PGALLOC_DMA32 },
                { "Normal", VM_PGALLOC_NORMAL },   { "HighMem", VM_PGALLOC_HIGH },
                { "Movable", VM_PGALLOC_MOVABLE }, { "Device", VM_PGALLOC_DEVICE },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (strcmp(rows[i].zone, zone_name) == 0)
                        return rows[i].key;
        return _VM_KEY_MAX;
}

/* The number of one meminfo line with its unit: "2053896 kB" in bytes, counts without unit as
 * they are. */
static MaybeU64 meminfo_value(const ParseLines *l, Text rest, size_t key, Text name) {
        bool is_count = key == MEM_HUGE_PAGES_FREE || key == MEM_HUGE_PAGES_TOTAL;
        Text number = TEXT_NULL, unit = TEXT_NULL;
        MaybeU64 value;

        (void) text_next_field(&rest, &number);
        (void) text_next_field(&rest, &unit);
        value = parse_lines_number(l, number, name);
        if (!value.known)
                return value;
        if (unit.size == 0 && is_count)
                return value;
        if (is_count || !text_is(unit, "kB")) {
                parse_lines_issue(l, unit.size == 0 ? "unit missing" : "unknown unit", name);
                return UNKNOWN;
        }
        if (__builtin_mul_overflow(value.value, (uint64_t) 1024, &value.value)) {
                parse_lines_issue(l, number_error_string(NUMBER_E_OVERFLOW), name);
                return UNKNOWN;
        }
        return value;
}

int meminfo_parse(Text text, const char *path, MemInfo *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        bool seen[_MEM_KEY_MAX] = {};
        MemInfo m = {};
        KeyIndex index;
        bool any = false;
        Text line;

        key_index(&index, meminfo_table, ELEMENTSOF(meminfo_table));
        while (parse_lines_next(&l, &line)) {
                Text name, skipped;
                MaybeU64 value;
                size_t i;

                if (!text_next_field(&line, &name))
                        continue;
                if (text_is(name, "Node") &&
                    !(text_next_field(&line, &skipped) && text_next_field(&line, &name)))
                        continue;
                if (name.size > 0 && name.data[name.size - 1] == ':')
                        name.size--;
                i = key_find(&index, name);
                if (i == SIZE_MAX) {
                        m.n_unknown++;
                        continue;
                }
                any = true;
                value = meminfo_value(&l, line, i, name);
                value = gauge_check(&l, &meminfo_table[i], value, name);
                slot_set(&l, &seen[i], &m.value[i], value, name);
        }
        parse_lines_found(&l, any, text);
        m.n_keys = count_known(m.value, ELEMENTSOF(m.value));
        *ret = m;
        return 0;
}
