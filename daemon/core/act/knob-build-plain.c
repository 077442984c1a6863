/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "core/act/knob-build.h"
#include "core/act/thp-alignment.h"
#include "core/sense/lists.h"
#include "core/sense/thp.h"

/* Rows of one file each: integers, words in brackets, and the alignment, which has no file. */

/* Defaults of the kernel; its sources stand in the rows of the knob table. PMD_*: from the pages
 * of a huge page. */
typedef enum DefaultKind {
        DEFAULT_NUMBER,
        DEFAULT_WORD,
        DEFAULT_PMD_TIMES,
        DEFAULT_PMD_DIVIDED,
        DEFAULT_PMD_LESS,
} DefaultKind;

typedef struct DefaultRow {
        const char *name;
        DefaultKind kind;
        uint64_t number;
        const char *word;
        const char *small; /* with less than 512 MiB of memory; NULL: the same */
} DefaultRow;

static const DefaultRow defaults[] = {
        { .name = "compaction-proactiveness", .number = 20 },
        { .name = "thp-defrag", .kind = DEFAULT_WORD, .word = "madvise", .small = "never" },
        { .name = "thp-enabled", .kind = DEFAULT_WORD, .word = "", .small = "never" },
        { .name = "thp-khugepaged-alloc-sleep-millisecs", .number = 60000 },
        { .name = "thp-khugepaged-defrag", .number = 1, .small = "0" },
        { .name = "thp-khugepaged-max-ptes-none", .kind = DEFAULT_PMD_LESS, .number = 1 },
        { .name = "thp-khugepaged-max-ptes-shared", .kind = DEFAULT_PMD_DIVIDED, .number = 2 },
        { .name = "thp-khugepaged-max-ptes-swap", .kind = DEFAULT_PMD_DIVIDED, .number = 8 },
        { .name = "thp-khugepaged-pages-to-scan", .kind = DEFAULT_PMD_TIMES, .number = 8 },
        { .name = "thp-khugepaged-scan-sleep-millisecs", .number = 10000 },
        { .name = "thp-shmem-enabled", .kind = DEFAULT_WORD, .word = "never" },
        { .name = "thp-shrink-underused", .number = 1 },
        { .name = "watermark-scale", .number = 10 },
        { .name = "zone-reclaim-mode", .number = 0 },
};

/* hugepage_init(): totalram_pages() < 512 MiB. MemTotal has grown since by what boot gave back
 * (128 MiB are allowed for an initial RAM disk): in between nobody can tell. */
#define SMALL_BYTES (UINT64_C(512) << 20)
#define SMALL_UNSURE_BYTES (UINT64_C(640) << 20)

static void set_default(const KnobBuild *b, Knob *k) {
        const MachineFacts *f = b->in->facts;
        const DefaultRow *row = NULL;
        uint64_t pmd_pages = 0;

        for (size_t i = 0; i < ELEMENTSOF(defaults); i++)
                if (strcmp(defaults[i].name, k->spec->name) == 0)
                        row = &defaults[i];
        if (!row)
                return;

        if (row->small && (!f->memory_bytes.known || f->memory_bytes.value < SMALL_UNSURE_BYTES)) {
                uint64_t number = 0;

                if (!f->memory_bytes.known || f->memory_bytes.value >= SMALL_BYTES)
                        return;
                (void) text_format(k->def, sizeof(k->def), "%s", row->small);
                if (number_parse_u64(row->small, strlen(row->small), &number) == 0)
                        k->def_number = KNOWN(number);
                return;
        }
        if (f->page_bytes.known && f->page_bytes.value > 0 && f->hpage_pmd_bytes.known)
                pmd_pages = f->hpage_pmd_bytes.value / f->page_bytes.value;

        switch (row->kind) {
        case DEFAULT_NUMBER:
                knob_build_default(k, row->number);
                break;
        case DEFAULT_WORD:
                (void) text_format(k->def, sizeof(k->def), "%s", row->word);
                break;
        case DEFAULT_PMD_TIMES:
                if (pmd_pages > 0)
                        knob_build_default(k, u64_mul_sat(pmd_pages, row->number));
                break;
        case DEFAULT_PMD_DIVIDED:
                if (pmd_pages > 0)
                        knob_build_default(k, pmd_pages / row->number);
                break;
        case DEFAULT_PMD_LESS:
                if (pmd_pages > 0)
                        knob_build_default(k, u64_sub_sat(pmd_pages, row->number));
                break;
        }
}

/* The content of the file as value. False, and denied: something that we do not understand is
 * not written over. */
static bool set_value(Knob *k, Text text, ThpChoice *ret_choice) {
        uint64_t number = 0;
        ParseLog log = { 0 };

        *ret_choice = (ThpChoice){ 0 };
        if (k->spec->kind == KNOB_KIND_WORD) {
                if (thp_choice_parse(text, k->path, ret_choice, &log) == 0 && ret_choice->known &&
                    text_format(k->value, sizeof(k->value), "%s", ret_choice->chosen))
                        return true;
                k->value[0] = '\0';
                k->state = KNOB_DENIED;
                REASON(k, "its content has not exactly one word in brackets");
                return false;
        }
        if (number_parse_u64(text.data, text.size, &number) != 0) {
                k->state = KNOB_DENIED;
                REASON(k, "its content is no number");
                return false;
        }
        knob_build_number(k, number);
        return true;
}

/* transparent_hugepage=, transparent_hugepage_shmem=: what the command line asked for. */
static void set_boot_owner(const KnobBuild *b, Knob *k) {
        const char *name = strcmp(k->spec->name, "thp-enabled") == 0 ? "transparent_hugepage"
                           : strcmp(k->spec->name, "thp-shmem-enabled") == 0
                                   ? "transparent_hugepage_shmem"
                                   : NULL;
        Text value;

        if (!name || !cmdline_find(b->in->facts->cmdline, name, &value) || !value.data)
                return;
        if (text_is(value, k->value)) {
                k->owner = OWNER_ADMIN;
                REASON(k, "; boot parameter %s=%s", name, k->value);
        }
}

static void add_words(Knob *k, const ThpChoice *choice) {
        REASON(k, "of");
        for (unsigned i = 0; i < choice->n_words; i++)
                REASON(k, " %s", choice->words[i]);
}

static void explain_plain(const KnobBuild *b, Knob *k) {
        const Zone *zone = pcp_largest_zone(b->pcp.zoneinfo);

        if (k->spec->context_only)
                REASON(k, "read for context, never written");
        else if (strcmp(k->spec->name, "watermark-scale") == 0 && zone && zone->low.known &&
                 zone->high.known)
                REASON(k,
                       "zone %u/%s: low %" PRIu64 ", high %" PRIu64
                       " pages; the same value written again makes the kernel"
                       " recompute its lists",
                       zone->node, zone->name, zone->low.value, zone->high.value);
        else if (strcmp(k->spec->name, "thp-shrink-underused") == 0)
                REASON(k, "acts only while max_ptes_none is below its maximum");
        else
                REASON(k, "%s; legal: %s", k->spec->unit, k->spec->legal);
}

void knob_build_plain(KnobBuild *b, const KnobSpec *spec) {
        Knob *k = knob_build_add(b, spec, scope_system());
        ThpChoice choice;
        Text text;

        if (!knob_build_file(b, k, spec->path, &text))
                return;
        set_default(b, k);
        if (!set_value(k, text, &choice))
                return;
        if (spec->kind == KNOB_KIND_WORD)
                add_words(k, &choice);
        else
                explain_plain(b, k);
        set_boot_owner(b, k);
        knob_build_owner(b, k);
}

/* "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled" -> 64 */
static bool size_of_path(const char *path, uint64_t *ret_kb) {
        static const char folder[] = KNOB_SIZE_FOLDER "/", file[] = "/" KNOB_SIZE_FILE;
        Text name = text_from(path);

        if (!text_starts(name, folder) || !text_ends(name, file) ||
            name.size < sizeof(folder) + sizeof(file) - 2)
                return false;
        name.data += sizeof(folder) - 1;
        name.size -= sizeof(folder) - 1 + sizeof(file) - 1;
        return thp_size_name_parse(name, ret_kb);
}

void knob_build_sizes(KnobBuild *b, const KnobSpec *spec) {
        const MachineFacts *f = b->in->facts;
        size_t first = b->n;

        for (size_t i = 0; i < b->in->n_files; i++) {
                const KnobFile *file = &b->in->files[i];
                ThpChoice choice;
                uint64_t kb = 0;
                Text text;

                if (!size_of_path(file->path, &kb) || file->state == SENSE_ABSENT ||
                    file->state == SENSE_NOT_DUE)
                        continue;

                Knob *k = knob_build_add(b, spec, scope_system());

                (void) text_format(k->name, sizeof(k->name), "thp-size-%" PRIu64 "-enabled", kb);
                if (!knob_build_file(b, k, file->path, &text))
                        continue;
                if (f->hpage_pmd_bytes.known)
                        (void) text_format(k->def, sizeof(k->def), "%s",
                                           u64_mul_sat(kb, 1024) == f->hpage_pmd_bytes.value
                                                   ? "inherit"
                                                   : "never");
                if (!set_value(k, text, &choice))
                        continue;
                add_words(k, &choice);
                knob_build_owner(b, k);
        }
        if (b->n == first)
                (void) knob_build_missing(b, spec, scope_system(), SENSE_ABSENT,
                                          "/" KNOB_SIZE_FOLDER "/hugepages-*kB");
}

void knob_build_alignment(KnobBuild *b, const KnobSpec *spec) {
        const MachineFacts *f = b->in->facts;
        Knob *k = knob_build_add(b, spec, scope_system());
        const char *probed = b->in->alignment;
        ThpAlignment guess = thp_alignment_from_release(text_from(f->release));

        k->state = KNOB_FIXED;
        k->owner = OWNER_KERNEL;
        k->inferred = probed == NULL;
        (void) text_format(k->value, sizeof(k->value), "%s",
                           probed ? probed : thp_alignment_to_string(guess));
        if (probed)
                REASON(k, "found by mapping memory and looking at the addresses");
        else if (guess == THP_ALIGNMENT_UNKNOWN)
                REASON(k, "neither a live machine nor a release that tells");
        else
                REASON(k, "guessed from the release %s: a distribution may have changed it",
                       f->release);
}
