/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* "name number" files: vmstat (system-wide and per node) and meminfo. Names are the kernel's;
 * order in the file does not matter, unknown names are counted and skipped. Rows of the key
 * tables stand in the order of the enums, which is the order of the names (a test checks that). */
typedef enum KeyKind {
        KEY_COUNTER, /* only grows, but for a reset */
        KEY_GAUGE,   /* moves both ways; some kernels print it negative for a moment */
} KeyKind;

typedef struct KeySpec {
        const char *name;
        KeyKind kind;
        const char *help; /* with the unit */
} KeySpec;

typedef enum VmKey {
        VM_ALLOCSTALL_DEVICE,
        VM_ALLOCSTALL_DMA,
        VM_ALLOCSTALL_DMA32,
        VM_ALLOCSTALL_HIGH,
        VM_ALLOCSTALL_MOVABLE,
        VM_ALLOCSTALL_NORMAL,
        VM_COMPACT_DAEMON_WAKE,
        VM_COMPACT_FAIL,
        VM_COMPACT_FREE_SCANNED,
        VM_COMPACT_ISOLATED,
        VM_COMPACT_MIGRATE_SCANNED,
        VM_COMPACT_STALL,
        VM_COMPACT_SUCCESS,
        VM_DROP_PAGECACHE,
        VM_DROP_SLAB,
        VM_NR_ACTIVE_ANON,
        VM_NR_ACTIVE_FILE,
        VM_NR_ANON_PAGES,
        VM_NR_ANON_TRANSPARENT_HUGEPAGES,
        VM_NR_DIRTY,
        VM_NR_FILE_HUGEPAGES,
        VM_NR_FILE_PAGES,
        VM_NR_FREE_CMA,
        VM_NR_FREE_PAGES,
        VM_NR_FREE_PAGES_BLOCKS,
        VM_NR_INACTIVE_ANON,
        VM_NR_INACTIVE_FILE,
        VM_NR_KERNEL_MISC_RECLAIMABLE,
        VM_NR_KERNEL_STACK,
        VM_NR_PAGE_TABLE_PAGES,
        VM_NR_SHMEM,
        VM_NR_SHMEM_HUGEPAGES,
        VM_NR_SLAB_RECLAIMABLE,
        VM_NR_SLAB_UNRECLAIMABLE,
        VM_NR_UNEVICTABLE,
        VM_NR_VMALLOC,
        VM_NR_WRITEBACK,
        VM_NUMA_FOREIGN,
        VM_NUMA_HIT,
        VM_NUMA_LOCAL,
        VM_NUMA_MISS,
        VM_NUMA_OTHER,
        VM_OOM_KILL,
        VM_PGALLOC_DEVICE,
        VM_PGALLOC_DMA,
        VM_PGALLOC_DMA32,
        VM_PGALLOC_HIGH,
        VM_PGALLOC_MOVABLE,
        VM_PGALLOC_NORMAL,
        VM_PGFAULT,
        VM_PGFREE,
        VM_PGMAJFAULT,
        VM_PGMIGRATE_FAIL,
        VM_PGMIGRATE_SUCCESS,
        VM_PGSCAN_DIRECT,
        VM_PGSCAN_KHUGEPAGED,
        VM_PGSCAN_KSWAPD,
        VM_PGSTEAL_DIRECT,
        VM_PGSTEAL_KHUGEPAGED,
        VM_PGSTEAL_KSWAPD,
        VM_PSWPIN,
        VM_PSWPOUT,
        VM_SLABS_SCANNED,
        VM_THP_COLLAPSE_ALLOC,
        VM_THP_COLLAPSE_ALLOC_FAILED,
        VM_THP_DEFERRED_SPLIT_PAGE,
        VM_THP_FAULT_ALLOC,
        VM_THP_FAULT_FALLBACK,
        VM_THP_FAULT_FALLBACK_CHARGE,
        VM_THP_FILE_ALLOC,
        VM_THP_FILE_FALLBACK,
        VM_THP_FILE_MAPPED,
        VM_THP_SPLIT_PAGE,
        VM_THP_SPLIT_PAGE_FAILED,
        VM_THP_SPLIT_PMD,
        VM_THP_UNDERUSED_SPLIT_PAGE,
        VM_THP_ZERO_PAGE_ALLOC,
        VM_THP_ZERO_PAGE_ALLOC_FAILED,
        VM_ZONE_RECLAIM_FAILED,
        VM_ZONE_RECLAIM_SUCCESS,
        _VM_KEY_MAX,
} VmKey;

typedef struct VmStat {
        MaybeU64 value[_VM_KEY_MAX];
        unsigned n_keys;    /* lines with a known name and a good number */
        unsigned n_unknown; /* lines whose name has no row */
} VmStat;

const KeySpec *vmstat_keys(size_t *ret_n);
_must_check_ int vmstat_parse(Text text, const char *path, VmStat *ret, ParseLog *log);
/* Pages handed out by the page allocator in all zone classes, and entries into direct reclaim.
 * Unknown if no row of the group is known; saturating. */
_pure_ MaybeU64 vmstat_pgalloc(const VmStat *v);
_pure_ MaybeU64 vmstat_allocstall(const VmStat *v);
/* The row of one zone class: "DMA32" -> VM_PGALLOC_DMA32; _VM_KEY_MAX: no such class. */
_pure_ VmKey vmstat_pgalloc_key(const char *zone_name);

typedef enum MemKey {
        MEM_ACTIVE,
        MEM_ANON_HUGE_PAGES,
        MEM_ANON_PAGES,
        MEM_BUFFERS,
        MEM_CACHED,
        MEM_COMMITTED_AS,
        MEM_DIRTY,
        MEM_FILE_HUGE_PAGES,
        MEM_HUGE_PAGES_FREE,  /* count of huge pages, not bytes */
        MEM_HUGE_PAGES_TOTAL, /* count of huge pages, not bytes */
        MEM_HUGEPAGESIZE,
        MEM_HUGETLB,
        MEM_INACTIVE,
        MEM_KRECLAIMABLE,
        MEM_KERNEL_STACK,
        MEM_MEM_AVAILABLE,
        MEM_MEM_FREE,
        MEM_MEM_TOTAL,
        MEM_PAGE_TABLES,
        MEM_PERCPU,
        MEM_SRECLAIMABLE,
        MEM_SUNRECLAIM,
        MEM_SHMEM,
        MEM_SHMEM_HUGE_PAGES,
        MEM_SLAB,
        MEM_SWAP_FREE,
        MEM_SWAP_TOTAL,
        MEM_WRITEBACK,
        _MEM_KEY_MAX,
} MemKey;

/* Bytes, but for the two counts. proc/meminfo and node<N>/meminfo (whose lines begin "Node N "). */
typedef struct MemInfo {
        MaybeU64 value[_MEM_KEY_MAX];
        unsigned n_keys;
        unsigned n_unknown;
} MemInfo;

const KeySpec *meminfo_keys(size_t *ret_n);
_must_check_ int meminfo_parse(Text text, const char *path, MemInfo *ret, ParseLog *log);
