/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/thp.h"

#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "core/sense/lists.h"

/* Transparent huge pages in sysfs (mm/huge_memory.c, mm/khugepaged.c, 5.10 to 7.3).
 *
 * A word file lists its choices with brackets around the one in force. Which words there are is
 * the kernel's business: they are kept as found. No bracket, or two, means that the file is not
 * understood; then the choice is not known, and the words are still listed. */

typedef enum WordError { WORD_FINE, WORD_MALFORMED, WORD_TOO_LONG } WordError;

static WordError word_read(Text field, Text *ret_word, bool *ret_chosen) {
        bool open = field.data[0] == '[', closed = field.data[field.size - 1] == ']';
        Text word = field;

        if (open != closed || (open && field.size < 3))
                return WORD_MALFORMED;
        if (open)
                word = (Text){ field.data + 1, field.size - 2 };
        for (size_t i = 0; i < word.size; i++)
                if (word.data[i] <= ' ' || word.data[i] > '~' || word.data[i] == '[' ||
                    word.data[i] == ']')
                        return WORD_MALFORMED;
        if (word.size >= THP_WORD_MAX)
                return WORD_TOO_LONG;
        *ret_word = word;
        *ret_chosen = open;
        return WORD_FINE;
}

static void word_add(Text field, const char *path, ThpChoice *c, unsigned *n_chosen,
                     ParseLog *log) {
        Text word = TEXT_NULL;
        bool chosen = false;

        switch (word_read(field, &word, &chosen)) {
        case WORD_MALFORMED:
                parse_log_add(log, path, 1, "malformed word", field);
                return;
        case WORD_TOO_LONG:
                parse_log_add(log, path, 1, "word too long", field);
                return;
        case WORD_FINE:
                break;
        }
        if (chosen && (*n_chosen)++ == 0)
                (void) text_copy(c->chosen, sizeof(c->chosen), word);
        if (c->n_words == THP_WORDS_MAX) {
                parse_log_add(log, path, 1, "too many words, this one is left out", field);
                return;
        }
        (void) text_copy(c->words[c->n_words++], THP_WORD_MAX, word);
}

int thp_choice_parse(Text text, const char *path, ThpChoice *ret, ParseLog *log) {
        ThpChoice c = {};
        unsigned n_chosen = 0;
        Text line = TEXT_NULL, field;

        (void) text_next_line(&text, &line);
        while (text_next_field(&line, &field))
                word_add(field, path, &c, &n_chosen, log);
        if (n_chosen != 1) {
                parse_log_add(log, path, 1,
                              n_chosen == 0 ? "no word in brackets"
                                            : "more than one word in brackets",
                              TEXT_NULL);
                c.chosen[0] = 0;
        }
        if (text_strip(text).size > 0)
                parse_log_add(log, path, 2, "more than one line, the rest is left out",
                              text_strip(text));
        c.known = n_chosen == 1;
        *ret = c;
        return 0;
}

bool thp_choice_is(const ThpChoice *c, const char *word) {
        return c->known && strcmp(c->chosen, word) == 0;
}

bool thp_choice_has(const ThpChoice *c, const char *word) {
        for (unsigned i = 0; i < c->n_words; i++)
                if (strcmp(c->words[i], word) == 0)
                        return true;
        return false;
}

#define TREE(f) offsetof(ThpTree, f)
#define SIZE(f) offsetof(ThpSize, f)

static const ThpFileSpec tree_files[] = {
        { "enabled", true, TREE(enabled) },
        { "defrag", true, TREE(defrag) },
        { "shmem_enabled", true, TREE(shmem_enabled) },
        { "use_zero_page", false, TREE(use_zero_page) },
        { "shrink_underused", false, TREE(shrink_underused) },
        { "hpage_pmd_size", false, TREE(hpage_pmd_bytes) },
        { "khugepaged/defrag", false, TREE(khugepaged_defrag) },
        { "khugepaged/pages_to_scan", false, TREE(pages_to_scan) },
        { "khugepaged/scan_sleep_millisecs", false, TREE(scan_sleep_msec) },
        { "khugepaged/alloc_sleep_millisecs", false, TREE(alloc_sleep_msec) },
        { "khugepaged/max_ptes_none", false, TREE(max_ptes_none) },
        { "khugepaged/max_ptes_swap", false, TREE(max_ptes_swap) },
        { "khugepaged/max_ptes_shared", false, TREE(max_ptes_shared) },
        { "khugepaged/pages_collapsed", false, TREE(pages_collapsed) },
        { "khugepaged/full_scans", false, TREE(full_scans) },
};

static const ThpFileSpec size_files[] = {
        { "enabled", true, SIZE(enabled) },
        { "shmem_enabled", true, SIZE(shmem_enabled) },
        { "stats/anon_fault_alloc", false, SIZE(anon_fault_alloc) },
        { "stats/anon_fault_fallback", false, SIZE(anon_fault_fallback) },
        { "stats/anon_fault_fallback_charge", false, SIZE(anon_fault_fallback_charge) },
        { "stats/split", false, SIZE(split) },
        { "stats/split_failed", false, SIZE(split_failed) },
        { "stats/split_deferred", false, SIZE(split_deferred) },
        { "stats/swpout", false, SIZE(swpout) },
        { "stats/swpout_fallback", false, SIZE(swpout_fallback) },
        { "stats/shmem_alloc", false, SIZE(shmem_alloc) },
        { "stats/shmem_fallback", false, SIZE(shmem_fallback) },
        { "stats/nr_anon", false, SIZE(nr_anon) },
        { "stats/nr_anon_partially_mapped", false, SIZE(nr_anon_partially_mapped) },
        { "stats/collapse_alloc", false, SIZE(collapse_alloc) },
        { "stats/collapse_alloc_failed", false, SIZE(collapse_alloc_failed) },
};

const ThpFileSpec *thp_file_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(tree_files);
        return tree_files;
}

const ThpFileSpec *thp_size_file_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(size_files);
        return size_files;
}

bool thp_size_name_parse(Text name, uint64_t *ret_kb) {
        size_t head = strlen("hugepages-"), tail = strlen("kB");
        uint64_t kb = 0;

        if (!text_starts(name, "hugepages-") || !text_ends(name, "kB") || name.size < head + tail ||
            number_parse_u64(name.data + head, name.size - head - tail, &kb) != 0 || kb == 0)
                return false;
        *ret_kb = kb;
        return true;
}

static int size_compare(const void *a, const void *b) {
        const ThpSize *x = a, *y = b;

        return x->kb < y->kb ? -1 : x->kb > y->kb;
}

int thp_tree_build(Arena *a, const char *const *names, size_t n, ThpTree *ret) {
        ThpTree t = {};
        uint64_t kb = 0;
        size_t n_sizes = 0;

        for (size_t i = 0; i < n; i++)
                n_sizes += thp_size_name_parse(text_from(names[i]), &kb);
        t.sizes = ARENA_ARRAY(a, ThpSize, n_sizes);
        if (!t.sizes)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (thp_size_name_parse(text_from(names[i]), &kb))
                        t.sizes[t.n_sizes++].kb = kb;
        array_sort(t.sizes, t.n_sizes, sizeof(ThpSize), size_compare);
        *ret = t;
        return 0;
}

int thp_file_set(void *object, const ThpFileSpec *spec, Text text, const char *path,
                 ParseLog *log) {
        void *slot = (uint8_t *) object + spec->offset;

        if (spec->is_choice)
                return thp_choice_parse(text, path, slot, log);
        *(MaybeU64 *) slot = number_file_parse(text, path, log);
        return 0;
}

const ThpSize *thp_tree_size(const ThpTree *t, uint64_t kb) {
        for (size_t i = 0; i < t->n_sizes; i++)
                if (t->sizes[i].kb == kb)
                        return &t->sizes[i];
        return NULL;
}
