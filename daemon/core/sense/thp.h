/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* sys/kernel/mm/transparent_hugepage. Its word files show all choices and brackets around the
 * one in force: "always [madvise] never". */
#define THP_WORD_MAX 24
#define THP_WORDS_MAX 10

typedef struct ThpChoice {
        bool known;                              /* exactly one bracketed word was found */
        char chosen[THP_WORD_MAX];               /* "" unless known */
        char words[THP_WORDS_MAX][THP_WORD_MAX]; /* all choices, in the order of the file */
        unsigned n_words;
} ThpChoice;

_must_check_ int thp_choice_parse(Text text, const char *path, ThpChoice *ret, ParseLog *log);
_pure_ bool thp_choice_is(const ThpChoice *c, const char *word);  /* known, and this one */
_pure_ bool thp_choice_has(const ThpChoice *c, const char *word); /* among the choices */

/* One "hugepages-64kB". Counters since boot but for the nr_ gauges. */
typedef struct ThpSize {
        uint64_t kb;
        ThpChoice enabled; /* not known: the size has no file (8 kB), or it could not be read */
        ThpChoice shmem_enabled;
        MaybeU64 anon_fault_alloc, anon_fault_fallback, anon_fault_fallback_charge;
        MaybeU64 split, split_failed, split_deferred;
        MaybeU64 swpout, swpout_fallback;
        MaybeU64 shmem_alloc, shmem_fallback;
        MaybeU64 nr_anon, nr_anon_partially_mapped;     /* gauges */
        MaybeU64 collapse_alloc, collapse_alloc_failed; /* 7.x */
} ThpSize;

typedef struct ThpTree {
        ThpChoice enabled, defrag, shmem_enabled;
        MaybeU64 use_zero_page, shrink_underused; /* 0 or 1 */
        MaybeU64 hpage_pmd_bytes;
        MaybeU64 khugepaged_defrag, pages_to_scan, scan_sleep_msec, alloc_sleep_msec;
        MaybeU64 max_ptes_none, max_ptes_swap, max_ptes_shared;
        MaybeU64 pages_collapsed, full_scans; /* counters */
        ThpSize *sizes;                       /* ascending kb */
        size_t n_sizes;
} ThpTree;

/* One file of the tree. */
typedef struct ThpFileSpec {
        const char *path; /* relative to transparent_hugepage/, or to the folder of a size */
        bool is_choice;   /* else a number */
        size_t offset;    /* in ThpTree, or in ThpSize */
} ThpFileSpec;

const ThpFileSpec *thp_file_specs(size_t *ret_n);      /* offsets in ThpTree */
const ThpFileSpec *thp_size_file_specs(size_t *ret_n); /* offsets in ThpSize */

/* "hugepages-64kB" -> 64; false: the name is none of that form. */
_must_check_ bool thp_size_name_parse(Text name, uint64_t *ret_kb);
/* An empty tree with the sizes among these names of entries. Names of no size are skipped. */
_must_check_ int thp_tree_build(Arena *a, const char *const *names, size_t n, ThpTree *ret);
/* Stores the content of one file; object is the ThpTree or the ThpSize that the spec belongs to. */
_must_check_ int thp_file_set(void *object, const ThpFileSpec *spec, Text text, const char *path,
                              ParseLog *log);
_pure_ const ThpSize *thp_tree_size(const ThpTree *t, uint64_t kb); /* NULL */
