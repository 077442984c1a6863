/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots, knob files and settings of a machine, good ones and broken ones. */
#include "machine/sample.h"
#include "tree.h"

static const Snapshot *take(void) {
        static Snapshot snapshot;
        Machine *m = tree_open();

        ASSERT_OK(sample_take(m, &tree_arena, SENSE_ALL, &snapshot, &tree_log));
        m = machine_free(m);
        return &snapshot;
}

/* --- snapshots --- */

TEST(absent_files_are_absent_not_zero) {
        const Snapshot *s;

        tree_begin();
        tree_mkdirs("proc/");
        s = take();
        for (size_t i = 0; i < _SENSE_FILE_MAX; i++)
                ASSERT_EQ_I(s->state[i], SENSE_ABSENT);
        ASSERT_TRUE(!s->vmstat && !s->zoneinfo && !s->buddyinfo && !s->slabinfo && !s->meminfo &&
                    !s->stat && !s->pressure_memory && !s->thp && !s->slab && !s->lock_stat);
        ASSERT_FALSE(s->uptime_usec.known);
        ASSERT_STR(tree_issues(&tree_log), "");
        tree_end();
}

TEST(only_what_is_due_is_read) {
        Snapshot s;
        Machine *m;

        tree_begin();
        tree_put("proc/vmstat", "nr_free_pages 7\n");
        tree_put("proc/zoneinfo", "Node 0, zone   Normal\n  pages free     1\n");
        m = tree_open();
        ASSERT_OK(sample_take(m, &tree_arena, SENSE_BIT(SENSE_VMSTAT), &s, &tree_log));
        ASSERT_EQ_I(s.state[SENSE_VMSTAT], SENSE_OK);
        ASSERT_EQ_I(s.state[SENSE_ZONEINFO], SENSE_NOT_DUE);
        ASSERT_EQ_U(s.vmstat->value[VM_NR_FREE_PAGES].value, 7);
        ASSERT_TRUE(s.zoneinfo == NULL);
        m = machine_free(m);
        tree_end();
}

static const char *const plain_files[] = { "proc/vmstat",         "proc/stat",      "proc/meminfo",
                                           "proc/zoneinfo",       "proc/buddyinfo", "proc/slabinfo",
                                           "proc/pressure/memory" };

TEST(an_empty_file_is_named) {
        for (size_t i = 0; i < ELEMENTSOF(plain_files); i++) {
                char expected[64];

                tree_begin();
                tree_put(plain_files[i], "");
                (void) take();
                ASSERT_TRUE(text_format(expected, sizeof(expected), "%s:0: empty file",
                                        plain_files[i]));
                ASSERT_HAS(tree_issues(&tree_log), expected);
                tree_end();
        }
}

TEST(a_binary_file_is_named) {
        static uint8_t noise[20000];
        uint32_t x = 1;

        for (size_t i = 0; i < sizeof(noise); i++)
                noise[i] = (uint8_t) ((x = x * 1664525u + 1013904223u) >> 24);
        for (size_t i = 0; i < ELEMENTSOF(plain_files); i++) {
                tree_begin();
                tree_put_bytes(plain_files[i], noise, sizeof(noise));
                (void) take();
                ASSERT_HAS(tree_issues(&tree_log), plain_files[i]);
                tree_end();
        }
}

TEST(an_enormous_file_is_named_and_the_others_are_read) {
        const Snapshot *s;

        tree_begin();
        tree_put("proc/vmstat", "nr_free_pages 7\n");
        tree_put("proc/meminfo", "");
        tree_put("proc/zoneinfo", "");
        ASSERT_EQ_I(truncate(tree_path("proc/meminfo"), (off_t) 1 << 40), 0);
        ASSERT_EQ_I(truncate(tree_path("proc/zoneinfo"), (off_t) 1 << 40), 0);
        s = take();
        ASSERT_EQ_I(s->state[SENSE_MEMINFO], SENSE_FAILED);
        ASSERT_EQ_I(s->state[SENSE_ZONEINFO], SENSE_FAILED);
        ASSERT_EQ_I(s->state[SENSE_VMSTAT], SENSE_OK);
        ASSERT_HAS(tree_issues(&tree_log), "proc/meminfo:0: file larger than any kernel makes it");
        ASSERT_HAS(tree_issues(&tree_log), "proc/zoneinfo:0: file larger than any kernel makes it");
        tree_end();
}

TEST(a_pipe_in_place_of_a_file_is_named) {
        const Snapshot *s;

        tree_begin();
        ASSERT_EQ_I(mkfifo(tree_mkdirs("proc/vmstat"), 0644), 0);
        s = take();
        ASSERT_EQ_I(s->state[SENSE_VMSTAT], SENSE_FAILED);
        ASSERT_HAS(tree_issues(&tree_log), "proc/vmstat:0: ");
        tree_end();
}

TEST(a_file_cut_in_the_middle_keeps_what_came_before) {
        const Snapshot *s;

        tree_begin();
        tree_put("proc/vmstat", "nr_free_pages 7\npgfault 12345\npgmajfault 6");
        s = take();
        ASSERT_EQ_U(s->vmstat->value[VM_NR_FREE_PAGES].value, 7);
        ASSERT_EQ_U(s->vmstat->value[VM_PGFAULT].value, 12345);
        ASSERT_FALSE(s->vmstat->value[VM_PGMAJFAULT].known); /* 6, or 60? */
        ASSERT_HAS(tree_issues(&tree_log), "proc/vmstat:3: ");
        tree_end();
}

TEST(slab_caches_are_read_once_whatever_links_point_at_them) {
        const Snapshot *s;

        tree_begin();
        tree_put("sys/kernel/slab/:0000064/order", "0\n");
        tree_put("sys/kernel/slab/:0000064/slab_size", "64\n");
        tree_put("sys/kernel/slab/:0000064/slabs", "36 N0=25 N1=11\n");
        tree_put("sys/kernel/slab/:0000064/cpu_partial", "120\n");
        tree_put("sys/kernel/slab/:0000064/objects", "9\n");
        tree_link("sys/kernel/slab/pid", ":0000064");
        tree_link("sys/kernel/slab/anon_vma", ":0000064");
        tree_link("sys/kernel/slab/gone", ":0000128");
        tree_put("sys/kernel/slab/kmalloc-8/order", "x\n");
        s = take();
        ASSERT_EQ_I(s->state[SENSE_SLAB], SENSE_OK);
        ASSERT_EQ_U(s->slab->n, 2);
        ASSERT_STR(s->slab->caches[0].dir, ":0000064");
        ASSERT_EQ_U(s->slab->caches[0].n_aliases, 2);
        ASSERT_EQ_U(s->slab->caches[0].slabs.value, 36);
        ASSERT_EQ_U(s->slab->caches[0].cpu_partial.value, 120);
        ASSERT_FALSE(s->slab->caches[0].cpu_partial_mode.known); /* no modes in this tree */
        ASSERT_FALSE(s->slab->caches[0].min_partial.known);
        ASSERT_FALSE(s->slab->caches[1].order.known);
        ASSERT_HAS(tree_issues(&tree_log), "sys/kernel/slab/kmalloc-8/order:1: ");
        tree_end();
}

TEST(attributes_that_walk_lists_are_never_wanted) {
        static const char *const never[] = { "objects",    "objects_partial", "alloc_calls",
                                             "free_calls", "validate",        "shrink" };
        size_t n;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n);
        unsigned n_wanted = 0;

        for (size_t i = 0; i < n; i++) {
                n_wanted += slab_attribute_wanted(&specs[i]);
                for (size_t k = 0; k < ELEMENTSOF(never); k++)
                        ASSERT_FALSE(strcmp(specs[i].name, never[k]) == 0 &&
                                     slab_attribute_wanted(&specs[i]));
        }
        ASSERT_EQ_U(n_wanted, 15);
}

TEST(huge_page_sizes_are_those_of_the_folder) {
        const Snapshot *s;

        tree_begin();
        tree_put(KNOB_SIZE_FOLDER "/enabled", "always [madvise] never\n");
        tree_put(KNOB_SIZE_FOLDER "/hugepages-2048kB/enabled", "always [inherit] madvise never\n");
        tree_put(KNOB_SIZE_FOLDER "/hugepages-64kB/enabled", "always inherit madvise never\n");
        tree_put(KNOB_SIZE_FOLDER "/hugepages-64kB/stats/anon_fault_alloc", "5\n");
        tree_put(KNOB_SIZE_FOLDER "/hugepages-x/enabled", "");
        s = take();
        ASSERT_STR(s->thp->enabled.chosen, "madvise");
        ASSERT_EQ_U(s->thp->n_sizes, 2);
        ASSERT_EQ_U(s->thp->sizes[0].kb, 64);
        ASSERT_FALSE(s->thp->sizes[0].enabled.known);
        ASSERT_EQ_U(s->thp->sizes[0].anon_fault_alloc.value, 5);
        ASSERT_STR(s->thp->sizes[1].enabled.chosen, "inherit");
        ASSERT_HAS(tree_issues(&tree_log), "hugepages-64kB/enabled:1: ");
        tree_end();
}

/* --- knob files and settings --- */

static const KnobFile *find_file(const KnobFile *files, size_t n, const char *path) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(files[i].path, path) == 0)
                        return &files[i];
        test_fail(__FILE__, __LINE__, "%s is not among the knob files", path);
}

TEST(knob_files_have_text_state_and_mode) {
        const KnobFile *f;
        KnobFile *files;
        Machine *m;
        size_t n;

        tree_begin();
        tree_put("00000000/proc/sys/vm/percpu_pagelist_high_fraction", "8\n");
        tree_put("00000000/" KNOB_SIZE_FOLDER "/hugepages-64kB/enabled", "always [never]\n");
        tree_put("MODES", "0644 proc/sys/vm/percpu_pagelist_high_fraction\n");
        m = tree_open();
        ASSERT_OK(sample_knob_files(m, &tree_arena, &files, &n, &tree_log));
        f = find_file(files, n, "proc/sys/vm/percpu_pagelist_high_fraction");
        ASSERT_EQ_I(f->state, SENSE_OK);
        ASSERT_TEXT(f->text, "8");
        ASSERT_TRUE(f->mode_known);
        ASSERT_EQ_U(f->mode, 0644);
        f = find_file(files, n, KNOB_SIZE_FOLDER "/hugepages-64kB/enabled");
        ASSERT_TEXT(f->text, "always [never]");
        ASSERT_FALSE(f->mode_known);
        f = find_file(files, n, "proc/sys/vm/percpu_pagelist_fraction");
        ASSERT_EQ_I(f->state, SENSE_ABSENT);
        m = machine_free(m);
        tree_end();
}

static const AdminSetting *find_setting(const AdminSetting *s, size_t n, const char *path) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(s[i].path, path) == 0)
                        return &s[i];
        return NULL;
}

TEST(settings_follow_the_precedence_of_sysctl_d_and_tmpfiles_d) {
        AdminSetting *settings;
        const AdminSetting *s;
        Machine *m;
        size_t n;

        tree_begin();
        tree_mkdirs("proc/");
        /* the same name: /etc hides /usr/lib */
        tree_put("etc/sysctl.d/50-a.conf", "# mine\nvm.min_free_kbytes = 1\n");
        tree_put("usr/lib/sysctl.d/50-a.conf", "vm.zone_reclaim_mode = 1\n");
        /* another name: the later name wins, wherever it lies */
        tree_put("usr/lib/sysctl.d/60-b.conf", "vm/watermark_scale_factor = 2\nvm.swappiness=1\n");
        tree_put("run/sysctl.d/55-c.conf", "vm.watermark_scale_factor = 3\n");
        /* masked */
        tree_link("etc/sysctl.d/70-d.conf", "/dev/null");
        tree_put("usr/lib/sysctl.d/70-d.conf", "vm.compaction_proactiveness = 9\n");
        /* no .conf, a folder, a line of nobody's */
        tree_put("etc/sysctl.d/README", "vm.compaction_proactiveness = 9\n");
        tree_put("etc/sysctl.d/x.conf/y", "");
        tree_put("etc/sysctl.d/80-net.conf", "net.ipv4.ip_forward = 1\n");
        tree_put("etc/tmpfiles.d/thp.conf",
                 "w /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n");
        tree_put("etc/sysctl.conf", "vm.swappiness = 10\n");
        m = tree_open();
        ASSERT_OK(sample_admin_settings(m, &tree_arena, &settings, &n, &tree_log));
        s = find_setting(settings, n, "/proc/sys/vm/min_free_kbytes");
        ASSERT_STR(s->value, "1");
        ASSERT_STR(s->file, "/etc/sysctl.d/50-a.conf");
        ASSERT_EQ_U(s->line, 2);
        ASSERT_TRUE(!find_setting(settings, n, "/proc/sys/vm/zone_reclaim_mode"));
        s = find_setting(settings, n, "/proc/sys/vm/watermark_scale_factor");
        ASSERT_STR(s->value, "2");
        ASSERT_STR(s->file, "/usr/lib/sysctl.d/60-b.conf");
        ASSERT_TRUE(!find_setting(settings, n, "/proc/sys/vm/compaction_proactiveness"));
        s = find_setting(settings, n, "/sys/kernel/mm/transparent_hugepage/enabled");
        ASSERT_STR(s->value, "never");
        ASSERT_STR(s->file, "/etc/tmpfiles.d/thp.conf");
        s = find_setting(settings, n, "/proc/sys/vm/swappiness");
        ASSERT_STR(s->value, "10");
        ASSERT_EQ_U(n, 4);
        m = machine_free(m);
        tree_end();
}

TEST(a_link_of_sysctl_d_is_read_where_it_points_in_the_tree) {
        AdminSetting *settings;
        Machine *m;
        size_t n;

        tree_begin();
        tree_mkdirs("proc/");
        tree_put("etc/sysctl.conf", "vm.min_free_kbytes = 7\n");
        tree_link("etc/sysctl.d/99-sysctl.conf", "../sysctl.conf");
        m = tree_open();
        ASSERT_OK(sample_admin_settings(m, &tree_arena, &settings, &n, &tree_log));
        ASSERT_EQ_U(n, 1);
        ASSERT_STR(settings[0].value, "7");
        m = machine_free(m);
        tree_end();
}

TEST(settings_of_a_capture_lie_in_its_snapshots_or_beside_them) {
        AdminSetting *settings;
        Machine *m;
        size_t n;

        tree_begin();
        tree_put("00000000/proc/uptime", "1.00 1.00\n");
        tree_put("etc/sysctl.d/a.conf", "vm.zone_reclaim_mode = 1\n");
        m = tree_open();
        ASSERT_OK(sample_admin_settings(m, &tree_arena, &settings, &n, &tree_log));
        ASSERT_EQ_U(n, 1);
        ASSERT_STR(settings[0].path, "/proc/sys/vm/zone_reclaim_mode");
        m = machine_free(m);
        /* those of the snapshot are nearer to its time */
        tree_put("00000000/etc/sysctl.d/a.conf", "vm.min_free_kbytes = 1\n");
        m = tree_open();
        ASSERT_OK(sample_admin_settings(m, &tree_arena, &settings, &n, &tree_log));
        ASSERT_EQ_U(n, 1);
        ASSERT_STR(settings[0].path, "/proc/sys/vm/min_free_kbytes");
        m = machine_free(m);
        tree_end();
}

TEST(too_many_settings_are_cut_and_named) {
        static char text[1200 * 64];
        AdminSetting *settings;
        Machine *m;
        size_t n, used = 0;

        tree_begin();
        tree_mkdirs("proc/");
        for (unsigned i = 0; i < 1200; i++) {
                ASSERT_TRUE(text_format(text + used, sizeof(text) - used, "vm.x%u = 1\n", i));
                used += strlen(text + used);
        }
        tree_put("etc/sysctl.d/a.conf", text);
        m = tree_open();
        ASSERT_OK(sample_admin_settings(m, &tree_arena, &settings, &n, &tree_log));
        ASSERT_EQ_U(n, 1024);
        ASSERT_STR(
                tree_issues(&tree_log),
                "etc/sysctl.d/a.conf:1025: more than 1024 settings: from here on they are left out "
                "(/proc/sys/vm/x1024)");
        m = machine_free(m);
        tree_end();
}

TEST(a_live_snapshot_is_in_order_of_time) {
        Snapshot s;
        Machine *m;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        ASSERT_OK(
                sample_take(m, &tree_arena, SENSE_ALL & ~SENSE_BIT(SENSE_SLABINFO), &s, &tree_log));
        ASSERT_EQ_I(s.state[SENSE_VMSTAT], SENSE_OK);
        ASSERT_EQ_I(s.state[SENSE_ZONEINFO], SENSE_OK);
        ASSERT_EQ_I(s.state[SENSE_SLABINFO], SENSE_NOT_DUE);
        ASSERT_TRUE(s.zoneinfo->n > 0);
        ASSERT_TRUE(s.uptime_usec.known);
        for (size_t i = 0; i < _SENSE_FILE_MAX; i++)
                if (s.state[i] != SENSE_NOT_DUE)
                        ASSERT_GE_U(s.file_usec[i], s.at_usec);
        ASSERT_STR(tree_issues(&tree_log), "");
        m = machine_free(m);
        tree_end();
}

/* Counts reads of each path, by standing in for the vtable of a machine. */
static struct {
        const MachineVtable *real;
        const char *paths[20000];
        unsigned n, n_twice;
} reads;

static int counting_read(Machine *m, const char *path, size_t max_bytes, Arena *arena, Text *ret) {
        for (unsigned i = 0; i < reads.n; i++)
                reads.n_twice += strcmp(reads.paths[i], path) == 0;
        ASSERT_TRUE(reads.n < ELEMENTSOF(reads.paths));
        reads.paths[reads.n] = arena_strndup(&tree_arena, path, strlen(path));
        ASSERT_TRUE(reads.paths[reads.n++] != NULL);
        return reads.real->read(m, path, max_bytes, arena, ret);
}

TEST(a_live_tick_reads_each_file_once_and_none_that_walks_lists) {
        MachineVtable counting;
        Snapshot s;
        Machine *m;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        reads.real = m->vtable;
        counting = *m->vtable;
        counting.read = counting_read;
        m->vtable = &counting;
        for (unsigned tick = 0; tick < 2; tick++) {
                reads.n = reads.n_twice = 0;
                ASSERT_OK(sample_take(m, &tree_arena, SENSE_ALL & ~SENSE_BIT(SENSE_SLABINFO), &s,
                                      &tree_log));
                ASSERT_GE_U(reads.n, 8);
                ASSERT_EQ_U(reads.n_twice, 0);
                for (unsigned i = 0; i < reads.n; i++) {
                        ASSERT_TRUE(strstr(reads.paths[i], "/objects") == NULL);
                        ASSERT_TRUE(strstr(reads.paths[i], "slabinfo") == NULL);
                        ASSERT_TRUE(strstr(reads.paths[i], "pagetypeinfo") == NULL);
                }
        }
        reads.n = 0;
        ASSERT_OK(sample_take(m, &tree_arena, SENSE_CHEAP, &s, &tree_log));
        for (unsigned i = 0; i < reads.n; i++) /* these take zone->lock */
                ASSERT_TRUE(strstr(reads.paths[i], "zoneinfo") == NULL &&
                            strstr(reads.paths[i], "buddyinfo") == NULL);
        m->vtable = reads.real;
        m = machine_free(m);
        tree_end();
}

TEST_MAIN()
