/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/knob.h"

#include "knob-rows.h"

/* The rows that real captures get. States are those of the kernel sources that the table names; the
 * captures ran as root with known modes. */

/* --- all captures --- */

TEST(rows_of_every_capture_are_sorted_complete_and_explained) {
        const Captures *c = captures();
        size_t n_specs = 0, n_rows = 0;
        const KnobSpec *specs = knob_specs(&n_specs);

        for (unsigned i = 0; i < c->n; i++) {
                KnobSet set = build(c->snapshots[i]);

                for (size_t k = 0; k < set.n; k++) {
                        const Knob *a = &set.knobs[k], *b = k > 0 ? &set.knobs[k - 1] : NULL;

                        ASSERT_TRUE(a->reason[0]);
                        ASSERT_TRUE(strlen(a->reason) < sizeof(a->reason) - 1); /* not cut */
                        ASSERT_TRUE(!b || strcmp(b->name, a->name) < 0 ||
                                    (strcmp(b->name, a->name) == 0 &&
                                     strcmp(b->scope.name, a->scope.name) < 0));
                        ASSERT_TRUE(knob_set_find(&set, a->name, &a->scope) == a);
                        ASSERT_EQ_U(a->value[0] == '\0', a->state == KNOB_ABSENT);
                        ASSERT_FALSE(a->inferred && a->state == KNOB_ABSENT);
                }
                for (size_t k = 0; k < n_specs; k++) {
                        bool found = false;

                        for (size_t r = 0; r < set.n; r++)
                                found = found || set.knobs[r].spec == &specs[k];
                        ASSERT_TRUE(found);
                }
                n_rows += set.n;
        }
        printf("# %zu rows\n", n_rows);
}

/* Nobody touched these machines but for the fraction of "tuned" and the boot parameter of
 * "nothp". */
TEST(untouched_values_belong_to_the_kernel_in_every_capture) {
        const Captures *c = captures();

        for (unsigned i = 0; i < c->n; i++) {
                const CaptureSnapshot *s = c->snapshots[i];
                KnobSet set = build(s);

                for (size_t k = 0; k < set.n; k++) {
                        const Knob *a = &set.knobs[k];
                        bool unknown = strcmp(a->name, "min-free") == 0 ||
                                       strcmp(a->name, "thp-enabled") == 0;

                        if (a->state == KNOB_ABSENT || unknown)
                                continue;
                        if (strstr(s->name, "-tuned") && text_starts(text_from(a->name), "pcp-"))
                                continue;
                        if (a->owner != OWNER_KERNEL)
                                printf("# %s: %s %s is %s, default %s\n", s->name, a->name,
                                       a->scope.name, a->value, a->def);
                        ASSERT_STR(owner(a), "kernel");
                }
        }
}

TEST(the_fraction_is_kernel_only_while_a_tuner_runs) {
        static const struct {
                const char *name, *state, *value, *path, *owner;
        } rows[] = {
                { "5.10-std-sockets", "live", "0", "/proc/sys/vm/percpu_pagelist_fraction",
                  "kernel" },
                { "5.10-std-tuned", "live", "100", "/proc/sys/vm/percpu_pagelist_fraction",
                  "unknown" },
                { "6.1-std-idle", "live", "0", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "kernel" },
                { "6.1-std-tuned", "live", "1024", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "unknown" },
                { "6.12-std-idle", "kernel", "0", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "kernel" },
                { "6.12-std-tuned", "live", "64", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "unknown" },
                { "7.2-std-idle", "kernel", "0", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "kernel" },
                { "7.3-std-tuned", "live", "8", "/proc/sys/vm/percpu_pagelist_high_fraction",
                  "unknown" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                KnobSet set = build(capture(rows[i].name));
                const Knob *k = row(&set, "pcp-high-fraction", NULL);

                printf("# %s: %s\n", rows[i].name, k->reason);
                ASSERT_STR(state(k), rows[i].state);
                ASSERT_STR(k->value, rows[i].value);
                ASSERT_STR(k->path, rows[i].path);
                ASSERT_STR(owner(k), rows[i].owner);
                ASSERT_STR(k->def, "0");
                ASSERT_TRUE(k->memory_bytes.known);
        }
}

/* 5.10 with fraction 100: managed / 100 of each zone on 8 CPUs, from zoneinfo by hand (below:
 * awk). */
TEST(worst_case_of_the_lists_is_their_sum) {
        const CaptureSnapshot *s = capture("5.10-std-tuned");
        KnobSet set = build(s);
        uint64_t pages = 0;

        for (size_t i = 0; i < s->snapshot.zoneinfo->n; i++)
                for (size_t k = 0; k < s->snapshot.zoneinfo->zones[i].n_pagesets; k++)
                        pages += s->snapshot.zoneinfo->zones[i].pagesets[k].high;
        ASSERT_EQ_U(row(&set, "pcp-high-fraction", NULL)->memory_bytes.value, pages * 4096);
}

TEST(batch_is_fixed_and_moves_only_with_the_old_fraction) {
        KnobSet set = build(capture("6.12-std-idle"));
        const Knob *k = row(&set, "pcp-batch", "zone:0/DMA32");

        ASSERT_STR(state(k), "fixed");
        ASSERT_STR(k->value, "63");
        ASSERT_STR(k->def, "63");
        set = build(capture("5.10-std-tuned"));
        k = row(&set, "pcp-batch", "zone:0/DMA32");
        ASSERT_STR(k->value, "96"); /* managed / 100 / 4 is above 96 */
        ASSERT_STR(k->def, "63");
        ASSERT_HAS(k->reason, "percpu_pagelist_fraction 100");
        k = row(&set, "pcp-batch", "zone:0/DMA");
        ASSERT_TRUE(k->number.known);
}

TEST(slab_knobs_of_a_kernel_with_partial_slabs) {
        KnobSet set = build(capture("6.12-std-idle"));
        const Knob *k = row(&set, "slab-cpu-partial", "cache:kmalloc-512");

        ASSERT_STR(state(k), "live");
        ASSERT_STR(k->value, "52");
        ASSERT_STR(k->path, "/sys/kernel/slab/kmalloc-512/cpu_partial");
        /* 32 objects a slab of 16 KiB: 52 objects are 4 slabs, on 8 CPUs. */
        ASSERT_EQ_U(k->memory_bytes.value, 8 * 4 * 16384);
        ASSERT_HAS(k->reason, "4 slabs");
        ASSERT_STR(state(row(&set, "slab-order", "cache:kmalloc-512")), "boot");
        ASSERT_HAS(row(&set, "slab-order", "cache:kmalloc-512")->reason, "slab_min_objects");
        ASSERT_STR(row(&set, "slab-min-partial", "cache:kmalloc-512")->value, "5");
        ASSERT_STR(row(&set, "slab-remote-defrag", "cache:kmalloc-512")->value, "100");
        ASSERT_STR(state(row(&set, "slab-sheaf-capacity", "cache:*")), "absent");
}

TEST(slab_knobs_of_a_kernel_with_sheaves) {
        KnobSet set = build(capture("7.3-std-idle"));
        const Knob *k = row(&set, "slab-cpu-partial", "cache:kmalloc-512");

        ASSERT_STR(state(k), "removed");
        ASSERT_STR(k->value, "0");
        k = row(&set, "slab-sheaf-capacity", "cache:kmalloc-512");
        ASSERT_STR(state(k), "fixed");
        ASSERT_STR(k->value, "28");
        ASSERT_STR(owner(k), "kernel");
        ASSERT_STR(state(row(&set, "slab-min-partial", "cache:kmalloc-512")), "live");
}

TEST(old_kernels_are_told_under_their_own_parameter_names) {
        KnobSet set = build(capture("5.10-std-sockets"));
        const Knob *k = row(&set, "slab-order", "cache:kmalloc-512");

        ASSERT_HAS(k->reason, "slub_min_objects");
        ASSERT_TRUE(!strstr(k->reason, "slab_min_objects"));
        ASSERT_HAS(row(&set, "slab-min-partial", "cache:kmalloc-512")->reason, "5 to 10");
}

TEST(merged_caches_are_one_row_with_aliases) {
        const CaptureSnapshot *s = capture("7.3-std-idle");
        const SlabCache *acpi = slab_tree_find(s->snapshot.slab, "Acpi-Operand");
        KnobSet set = build(s);
        Scope scope;

        ASSERT_TRUE(acpi);
        scope = scope_cache(acpi->dir);
        ASSERT_HAS(knob_set_find(&set, "slab-order", &scope)->aliases, "Acpi-Operand");
        scope = scope_cache("Acpi-Operand");
        ASSERT_TRUE(!knob_set_find(&set, "slab-order", &scope));
}

TEST(huge_page_knobs_have_their_defaults) {
        KnobSet set = build(capture("6.12-std-idle"));

        ASSERT_STR(row(&set, "thp-enabled", NULL)->value, "always");
        ASSERT_STR(row(&set, "thp-enabled", NULL)->def, "");
        ASSERT_STR(owner(row(&set, "thp-enabled", NULL)), "unknown");
        ASSERT_STR(row(&set, "thp-defrag", NULL)->def, "madvise");
        ASSERT_STR(row(&set, "thp-khugepaged-max-ptes-none", NULL)->def, "511");
        ASSERT_STR(row(&set, "thp-khugepaged-max-ptes-swap", NULL)->def, "64");
        ASSERT_STR(row(&set, "thp-khugepaged-max-ptes-shared", NULL)->def, "256");
        ASSERT_STR(row(&set, "thp-khugepaged-pages-to-scan", NULL)->def, "4096");
        ASSERT_STR(row(&set, "thp-size-2048-enabled", NULL)->def, "inherit");
        ASSERT_STR(row(&set, "thp-size-2048-enabled", NULL)->value, "inherit");
        ASSERT_STR(row(&set, "thp-size-64-enabled", NULL)->value, "never");
        ASSERT_STR(state(row(&set, "thp-size-64-enabled", NULL)), "live");
        set = build(capture("6.1-std-idle"));
        ASSERT_STR(state(row(&set, KNOB_SIZE_NAME, NULL)), "absent");
        ASSERT_STR(state(row(&set, "thp-shrink-underused", NULL)), "absent");
}

TEST(a_boot_parameter_makes_huge_pages_the_admins) {
        KnobSet set = build(capture("6.12-std-nothp"));
        const Knob *k = row(&set, "thp-enabled", NULL);

        ASSERT_STR(k->value, "never");
        ASSERT_STR(owner(k), "admin");
        ASSERT_HAS(k->reason, "transparent_hugepage=never");
}

/* The small machine has 512 MiB: all huge page flags start at 0 (mm/huge_memory.c
 * hugepage_init()). */
TEST(less_than_512_mib_starts_without_huge_pages) {
        KnobSet set = build(capture("6.1-small-idle"));

        ASSERT_STR(row(&set, "thp-enabled", NULL)->value, "never");
        ASSERT_STR(row(&set, "thp-enabled", NULL)->def, "never");
        ASSERT_STR(row(&set, "thp-defrag", NULL)->value, "never");
        ASSERT_STR(row(&set, "thp-defrag", NULL)->def, "never");
        ASSERT_STR(row(&set, "thp-khugepaged-defrag", NULL)->def, "0");
}

TEST(alignment_is_probed_or_guessed) {
        KnobInput in = captures_input(capture("6.12-std-idle"));
        KnobSet set = build_input(&in);
        const Knob *k = row(&set, "thp-alignment", NULL);

        ASSERT_STR(k->value, "multiple");
        ASSERT_TRUE(k->inferred);
        ASSERT_STR(state(k), "fixed");
        in.alignment = "always";
        set = build_input(&in);
        k = row(&set, "thp-alignment", NULL);
        ASSERT_STR(k->value, "always");
        ASSERT_FALSE(k->inferred);
}

/* --- rights --- */

TEST(without_root_everything_that_is_live_is_denied) {
        KnobInput in = captures_input(capture("6.12-std-idle"));
        KnobSet set;

        in.may_write = false;
        set = build_input(&in);
        for (size_t i = 0; i < set.n; i++)
                ASSERT_TRUE(set.knobs[i].state != KNOB_LIVE && set.knobs[i].state != KNOB_KERNEL);
        ASSERT_STR(state(row(&set, "pcp-high-fraction", NULL)), "denied");
        ASSERT_HAS(row(&set, "pcp-high-fraction", NULL)->reason, "needs root");
        ASSERT_STR(row(&set, "pcp-high-fraction", NULL)->value, "0");
        ASSERT_STR(state(row(&set, "slab-order", "cache:kmalloc-512")), "boot");
}

TEST(an_unreadable_slab_folder_is_denied_not_absent) {
        CaptureSnapshot s = *capture("6.12-std-idle");
        KnobInput in;
        KnobSet set;
        const Knob *k;

        s.snapshot.slab = NULL;
        s.snapshot.state[SENSE_SLAB] = SENSE_DENIED;
        in = captures_input(&s);
        set = build_input(&in);
        k = row(&set, "slab-cpu-partial", "cache:*");
        ASSERT_STR(state(k), "denied");
        ASSERT_HAS(k->reason, "root");
        s.snapshot.state[SENSE_SLAB] = SENSE_ABSENT;
        in = captures_input(&s);
        set = build_input(&in);
        ASSERT_STR(state(row(&set, "slab-cpu-partial", "cache:*")), "absent");
}

TEST(a_container_may_only_be_advised) {
        CaptureSnapshot s = *capture("6.1-std-idle");
        KnobInput in;
        KnobSet set;

        s.facts.contained = true;
        ASSERT_TRUE(
                text_format(s.facts.contained_why, sizeof(s.facts.contained_why), "a container"));
        in = captures_input(&s);
        set = build_input(&in);
        ASSERT_STR(state(row(&set, "pcp-high-fraction", NULL)), "denied");
        ASSERT_HAS(row(&set, "pcp-high-fraction", NULL)->reason, "a container");
}

TEST(flushing_knobs_are_denied_beside_isolated_cpus_and_rt) {
        CaptureSnapshot s = *capture("6.1-std-idle");
        KnobInput in;
        KnobSet set;

        s.facts.isolated_cpus = true;
        in = captures_input(&s);
        set = build_input(&in);
        ASSERT_STR(state(row(&set, "slab-cpu-partial", "cache:kmalloc-512")), "denied");
        ASSERT_HAS(row(&set, "slab-cpu-partial", "cache:kmalloc-512")->reason, "isolated");
        ASSERT_STR(state(row(&set, "slab-min-partial", "cache:kmalloc-512")), "live");
        ASSERT_STR(state(row(&set, "pcp-high-fraction", NULL)), "live");
        s.facts.isolated_cpus = false;
        s.facts.rt = true;
        in = captures_input(&s);
        set = build_input(&in);
        ASSERT_HAS(row(&set, "slab-cpu-partial", "cache:kmalloc-512")->reason, "PREEMPT_RT");
}

/* --- owners --- */

static KnobSet with_setting(const char *capture_name, const AdminSetting *setting,
                            const char *alignment) {
        KnobInput in = captures_input(capture(capture_name));

        in.settings = setting;
        in.n_settings = 1;
        in.alignment = alignment;
        return build_input(&in);
}

TEST(a_value_that_a_file_sets_is_the_admins_with_its_line) {
        AdminSetting s = { "/proc/sys/vm/percpu_pagelist_high_fraction", "1024",
                           "/etc/sysctl.d/90-pcp.conf", 3 };
        KnobSet set = with_setting("6.1-std-tuned", &s, NULL);
        const Knob *k = row(&set, "pcp-high-fraction", NULL);

        ASSERT_STR(owner(k), "admin");
        ASSERT_HAS(k->reason, "/etc/sysctl.d/90-pcp.conf:3");
}

TEST(a_file_that_asks_for_another_value_owns_nothing) {
        AdminSetting s = { "/proc/sys/vm/percpu_pagelist_high_fraction", "8",
                           "/etc/sysctl.d/90-pcp.conf", 3 };
        KnobSet set = with_setting("6.1-std-tuned", &s, NULL);
        const Knob *k = row(&set, "pcp-high-fraction", NULL);

        ASSERT_STR(owner(k), "unknown");
        ASSERT_HAS(k->reason, "asks for 8");
}

/* On a live machine a value that is not the default was somebody's decision. */
TEST(a_live_value_off_its_default_is_the_admins) {
        AdminSetting none = { "/proc/sys/vm/swappiness", "1", "/etc/sysctl.conf", 1 };
        KnobSet set = with_setting("6.1-std-tuned", &none, "never");

        ASSERT_STR(owner(row(&set, "pcp-high-fraction", NULL)), "admin");
}

TEST(a_file_may_name_a_merged_cache_by_an_alias_and_by_a_glob) {
        const SlabCache *acpi = slab_tree_find(capture("7.3-std-idle")->snapshot.slab,
                                               "Acpi-Operand");
        AdminSetting alias = { "/sys/kernel/slab/Acpi-Operand/min_partial", "5",
                               "/etc/tmpfiles.d/s.conf", 1 };
        AdminSetting glob = { "/sys/kernel/slab/*/min_partial", "5", "/etc/tmpfiles.d/s.conf", 2 };
        char scope[200];
        KnobSet set;

        ASSERT_TRUE(text_format(scope, sizeof(scope), "cache:%s", acpi->dir));
        set = with_setting("7.3-std-idle", &alias, NULL);
        ASSERT_STR(owner(row(&set, "slab-min-partial", scope)), "admin");
        ASSERT_STR(owner(row(&set, "slab-min-partial", "cache:kmalloc-512")), "kernel");
        set = with_setting("7.3-std-idle", &glob, NULL);
        ASSERT_STR(owner(row(&set, "slab-min-partial", "cache:kmalloc-512")), "admin");
}

/* --- bad content --- */

TEST(content_that_is_not_understood_is_never_written_over) {
        static const struct {
                const char *path, *name, *text;
        } rows[] = {
                { "proc/sys/vm/percpu_pagelist_high_fraction", "pcp-high-fraction", "eight" },
                { "proc/sys/vm/watermark_scale_factor", "watermark-scale", "" },
                { "proc/sys/vm/zone_reclaim_mode", "zone-reclaim-mode", "-1" },
                { "sys/kernel/mm/transparent_hugepage/defrag", "thp-defrag",
                  "always madvise never" },
                { "sys/kernel/mm/transparent_hugepage/enabled", "thp-enabled", "[always] [never]" },
                { "sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "thp-khugepaged-defrag",
                  "\001\377" },
        };
        MachineFacts facts = { 0 };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                KnobFile file = { .path = rows[i].path,
                                  .state = SENSE_OK,
                                  .text = text_from(rows[i].text) };
                KnobInput in = { .facts = &facts, .files = &file, .n_files = 1, .may_write = true };
                KnobSet set = build_input(&in);
                const Knob *k = row(&set, rows[i].name, NULL);

                ASSERT_STR(state(k), "denied");
                ASSERT_STR(k->value, "");
                ASSERT_TRUE(k->reason[0]);
        }
}

TEST(not_to_know_whether_a_kernel_tunes_is_a_reason_not_to_stop_it) {
        MachineFacts facts = { 0 };
        KnobFile file = { .path = "proc/sys/vm/percpu_pagelist_high_fraction",
                          .state = SENSE_OK,
                          .text = TEXT("0"),
                          .mode = 0644,
                          .mode_known = true };
        KnobInput in = { .facts = &facts, .files = &file, .n_files = 1, .may_write = true };
        KnobSet set = build_input(&in);
        const Knob *k = row(&set, "pcp-high-fraction", NULL);

        ASSERT_STR(state(k), "kernel");
        ASSERT_TRUE(k->inferred);
        file.text = TEXT("64");
        set = build_input(&in);
        k = row(&set, "pcp-high-fraction", NULL);
        ASSERT_STR(state(k), "live");
        ASSERT_FALSE(k->inferred);
}

TEST(a_tree_without_modes_has_the_kernels_and_says_so) {
        MachineFacts facts = { 0 };
        KnobFile file = { .path = "proc/sys/vm/watermark_scale_factor",
                          .state = SENSE_OK,
                          .text = TEXT("10") };
        KnobInput in = { .facts = &facts, .files = &file, .n_files = 1, .may_write = true };
        KnobSet set = build_input(&in);
        const Knob *k = row(&set, "watermark-scale", NULL);

        ASSERT_STR(state(k), "live");
        ASSERT_TRUE(k->inferred);
        file.mode_known = true;
        file.mode = 0444;
        set = build_input(&in);
        k = row(&set, "watermark-scale", NULL);
        ASSERT_STR(state(k), "fixed");
        ASSERT_FALSE(k->inferred);
        file.state = SENSE_DENIED;
        set = build_input(&in);
        ASSERT_STR(state(row(&set, "watermark-scale", NULL)), "denied");
}

TEST(an_empty_machine_has_a_row_for_every_knob) {
        MachineFacts facts = { 0 };
        KnobInput in = { .facts = &facts, .may_write = true };
        KnobSet set = build_input(&in);
        size_t n = 0;

        (void) knob_specs(&n);
        ASSERT_EQ_U(set.n, n);
        for (size_t i = 0; i < set.n; i++)
                ASSERT_TRUE(set.knobs[i].state == KNOB_ABSENT ||
                            set.knobs[i].spec->kind == KNOB_KIND_ALIGNMENT);
}

TEST(a_full_arena_is_an_error) {
        static uint8_t memory[4096];
        MachineFacts facts = { 0 };
        KnobInput in = { .facts = &facts };
        Arena arena;
        KnobSet set;

        arena_init(&arena, memory, sizeof(memory));
        ASSERT_EQ_I(knobs_build(&arena, &in, &set), -ENOMEM);
}

TEST_MAIN()
