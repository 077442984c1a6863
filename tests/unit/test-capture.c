/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing captures, and that reading them back gives what was there. */
#include "store/capture.h"

#include <sys/wait.h>

#include "tree.h"

static void unpack(const char *name) {
        const char *trees = getenv("TEST_TREES");
        char file[1024];
        int status = 0;
        pid_t pid;

        ASSERT_TRUE(
                text_format(file, sizeof(file), "%s/%s.tgz", trees ? trees : "tests/trees", name));
        (void) tree_mkdirs("real/");
        pid = fork();
        ASSERT_TRUE(pid >= 0);
        if (pid == 0) {
                execlp("tar", "tar", "-xpzf", file, "-C", tree_path("real"), "00000000",
                       (char *) NULL);
                _exit(127);
        }
        ASSERT_EQ_I(waitpid(pid, &status, 0), pid);
        ASSERT_EQ_I(status, 0);
}

static void write_capture(const char *root, const char *to, CaptureResult *ret) {
        CaptureOptions options = { .dir = tree_path(to) };
        Machine *m;

        ASSERT_OK(machine_open(root, &m));
        ASSERT_OK(capture_write(m, &options, ret));
        m = machine_free(m);
}

static void put_small(void) {
        tree_begin();
        tree_put("src/proc/vmstat", "nr_free_pages 7\n");
        tree_put("src/proc/secret", "not in any table\n");
        tree_put("src/sys/kernel/slab/:0000064/order", "0\n");
        tree_put("src/sys/kernel/slab/:0000064/objects", "1\n");
        tree_put("src/sys/kernel/slab/:0000064/alloc_calls", "1\n");
        tree_link("src/sys/kernel/slab/pid", ":0000064");
}

static void snapshot_of(Machine *m, Snapshot *ret) {
        ASSERT_OK(sample_take(m, &tree_arena, SENSE_ALL & ~SENSE_BIT(SENSE_SLABINFO), ret,
                              &tree_log));
        ret->at_usec = 0;
}

static void compare_zones(const ZoneInfo *a, const ZoneInfo *b) {
        ASSERT_EQ_U(a->n, b->n);
        for (size_t i = 0; i < a->n; i++) {
                ASSERT_STR(a->zones[i].name, b->zones[i].name);
                ASSERT_EQ_U(a->zones[i].managed.value, b->zones[i].managed.value);
                ASSERT_EQ_U(a->zones[i].n_pagesets, b->zones[i].n_pagesets);
                if (a->zones[i].n_pagesets > 0)
                        ASSERT_TRUE(memcmp(a->zones[i].pagesets, b->zones[i].pagesets,
                                           a->zones[i].n_pagesets * sizeof(Pageset)) == 0);
        }
}

static void compare_caches(const SlabTree *a, const SlabTree *b) {
        size_t n_specs;
        const SlabAttributeSpec *specs = slab_attribute_specs(&n_specs);

        ASSERT_EQ_U(a->n, b->n);
        ASSERT_EQ_U(a->n_links, b->n_links);
        for (size_t i = 0; i < a->n; i++) {
                const SlabCache *x = &a->caches[i], *y = &b->caches[i];

                ASSERT_STR(x->dir, y->dir);
                ASSERT_EQ_U(x->n_aliases, y->n_aliases);
                for (unsigned k = 0; k < x->n_aliases; k++)
                        ASSERT_STR(x->aliases[k], y->aliases[k]);
                for (size_t k = 0; k < n_specs; k++)
                        if (specs[k].offset != SIZE_MAX) {
                                const MaybeU64 *v = (const void *) ((const char *) x +
                                                                    specs[k].offset);
                                const MaybeU64 *w = (const void *) ((const char *) y +
                                                                    specs[k].offset);

                                ASSERT_EQ_U(v->known, w->known);
                                ASSERT_EQ_U(v->value, w->value);
                        }
                ASSERT_TRUE(x->order_mode.known);
                ASSERT_EQ_U(x->order_mode.mode, y->order_mode.mode);
                ASSERT_EQ_U(x->cpu_partial_mode.known, y->cpu_partial_mode.known);
                ASSERT_EQ_U(x->cpu_partial_mode.mode, y->cpu_partial_mode.mode);
                ASSERT_EQ_U(x->min_partial_mode.mode, y->min_partial_mode.mode);
        }
}

/* A snapshot of a real kernel, read as a tree, captured, and read again. */
/* Member by member: the bytes between members are nobody's. */
static void compare_values(const MaybeU64 *a, const MaybeU64 *b, size_t n) {
        for (size_t i = 0; i < n; i++) {
                ASSERT_EQ_U(a[i].known, b[i].known);
                ASSERT_EQ_U(a[i].value, b[i].value);
        }
}

static void compare_pressure(const PressureLine *a, const PressureLine *b) {
        ASSERT_EQ_U(a->present, b->present);
        compare_values(&a->avg10_ppm, &b->avg10_ppm, 1);
        compare_values(&a->avg60_ppm, &b->avg60_ppm, 1);
        compare_values(&a->avg300_ppm, &b->avg300_ppm, 1);
        compare_values(&a->total_usec, &b->total_usec, 1);
}

static void compare_size(const ThpSize *a, const ThpSize *b) {
        ASSERT_EQ_U(a->kb, b->kb);
        ASSERT_EQ_U(a->enabled.known, b->enabled.known);
        ASSERT_STR(a->enabled.chosen, b->enabled.chosen);
        ASSERT_EQ_U(a->enabled.n_words, b->enabled.n_words);
        ASSERT_STR(a->shmem_enabled.chosen, b->shmem_enabled.chosen);
        compare_values(&a->anon_fault_alloc, &b->anon_fault_alloc, 1);
        compare_values(&a->anon_fault_fallback, &b->anon_fault_fallback, 1);
        compare_values(&a->split, &b->split, 1);
        compare_values(&a->swpout, &b->swpout, 1);
        compare_values(&a->nr_anon, &b->nr_anon, 1);
        compare_values(&a->collapse_alloc, &b->collapse_alloc, 1);
}

static void round_trip(const char *name) {
        Snapshot a, b;
        MachineFacts fa, fb;
        CaptureResult result;
        KnobFile *ka, *kb;
        size_t na, nb;
        Machine *x, *y;

        tree_begin();
        unpack(name);
        write_capture(tree_path("real/00000000"), "copy", &result);
        ASSERT_EQ_U(result.n_snapshots, 1);
        ASSERT_EQ_U(result.n_denied, 0);
        ASSERT_GE_U(result.n_files, 1000);
        ASSERT_OK(machine_open(tree_path("real/00000000"), &x));
        ASSERT_OK(machine_open(tree_path("copy"), &y));
        ASSERT_EQ_I(x->kind, MACHINE_TREE);
        ASSERT_EQ_I(y->kind, MACHINE_CAPTURE);
        ASSERT_TRUE(x->have_modes && y->have_modes);
        ASSERT_OK(sample_facts(x, &tree_arena, &fa, &tree_log));
        ASSERT_OK(sample_facts(y, &tree_arena, &fb, &tree_log));
        ASSERT_STR(fa.release, fb.release);
        ASSERT_TRUE(text_equal(fa.cmdline, fb.cmdline));
        ASSERT_EQ_U(fa.memory_bytes.value, fb.memory_bytes.value);
        ASSERT_EQ_U(fa.hpage_pmd_bytes.value, fb.hpage_pmd_bytes.value);
        ASSERT_EQ_U(fb.page_bytes.value, 4096);
        ASSERT_EQ_U(fa.topology.n_nodes, fb.topology.n_nodes);
        ASSERT_EQ_U(fa.topology.n_online, fb.topology.n_online);
        ASSERT_EQ_U(fa.topology.n_packages, fb.topology.n_packages);
        for (unsigned i = 0; i < fa.topology.n_nodes; i++) {
                const Node *p = &fa.topology.nodes[i], *q = &fb.topology.nodes[i];

                ASSERT_EQ_U(p->id, q->id);
                ASSERT_TRUE(idset_equal(&p->cpus, &q->cpus));
                ASSERT_EQ_U(p->memory_bytes.value, q->memory_bytes.value);
        }
        snapshot_of(x, &a);
        snapshot_of(y, &b);
        for (size_t i = 0; i < _SENSE_FILE_MAX; i++)
                ASSERT_EQ_I(a.state[i], b.state[i]);
        ASSERT_EQ_U(a.uptime_usec.value, b.uptime_usec.value);
        compare_values(a.vmstat->value, b.vmstat->value, _VM_KEY_MAX);
        compare_values(a.meminfo->value, b.meminfo->value, _MEM_KEY_MAX);
        compare_pressure(&a.pressure_memory->some, &b.pressure_memory->some);
        compare_pressure(&a.pressure_memory->full, &b.pressure_memory->full);
        ASSERT_EQ_U(a.stat->n_cpus, b.stat->n_cpus);
        ASSERT_EQ_U(a.thp->n_sizes, b.thp->n_sizes);
        for (size_t i = 0; i < a.thp->n_sizes; i++)
                compare_size(&a.thp->sizes[i], &b.thp->sizes[i]);
        compare_zones(a.zoneinfo, b.zoneinfo);
        compare_caches(a.slab, b.slab);
        ASSERT_OK(sample_knob_files(x, &tree_arena, &ka, &na, &tree_log));
        ASSERT_OK(sample_knob_files(y, &tree_arena, &kb, &nb, &tree_log));
        ASSERT_EQ_U(na, nb);
        for (size_t i = 0; i < na; i++) {
                ASSERT_STR(ka[i].path, kb[i].path);
                ASSERT_EQ_I(ka[i].state, kb[i].state);
                ASSERT_TRUE(text_equal(ka[i].text, kb[i].text));
                ASSERT_EQ_U(ka[i].mode_known, kb[i].mode_known);
                ASSERT_EQ_U(ka[i].mode, kb[i].mode);
        }
        ASSERT_STR(tree_issues(&tree_log), "");
        x = machine_free(x);
        y = machine_free(y);
        tree_end();
}

TEST(a_captured_6_12_reads_as_the_original) {
        round_trip("6.12-std-idle");
}

TEST(a_captured_5_10_with_a_memoryless_node_reads_as_the_original) {
        round_trip("5.10-memless-idle");
}

TEST(a_captured_7_3_with_a_cpuless_node_reads_as_the_original) {
        round_trip("7.3-wide-idle");
}

TEST(only_files_of_the_tables_are_copied) {
        CaptureResult result;
        char target[64] = "";

        put_small();
        write_capture(tree_path("src"), "copy", &result);
        ASSERT_EQ_I(access(tree_path("copy/00000000/proc/vmstat"), F_OK), 0);
        ASSERT_EQ_I(access(tree_path("copy/00000000/sys/kernel/slab/:0000064/order"), F_OK), 0);
        ASSERT_EQ_I(access(tree_path("copy/00000000/proc/secret"), F_OK), -1);
        ASSERT_EQ_I(access(tree_path("copy/00000000/sys/kernel/slab/:0000064/objects"), F_OK), -1);
        ASSERT_EQ_I(access(tree_path("copy/00000000/sys/kernel/slab/:0000064/alloc_calls"), F_OK),
                    -1);
        ASSERT_EQ_I(readlink(tree_path("copy/00000000/sys/kernel/slab/pid"), target,
                             sizeof(target) - 1),
                    8);
        ASSERT_STR(target, ":0000064");
        ASSERT_EQ_U(result.n_files, 2);
        tree_end();
}

TEST(slabinfo_is_copied_only_where_sysfs_has_no_slabs) {
        CaptureResult result;

        put_small();
        tree_put("src/proc/slabinfo", "slabinfo - version: 2.1\n");
        write_capture(tree_path("src"), "with", &result);
        ASSERT_EQ_I(access(tree_path("with/00000000/proc/slabinfo"), F_OK), -1);
        ASSERT_EQ_I(rename(tree_path("src/sys/kernel/slab"), tree_path("src/sys/kernel/none")), 0);
        write_capture(tree_path("src"), "without", &result);
        ASSERT_EQ_I(access(tree_path("without/00000000/proc/slabinfo"), F_OK), 0);
        tree_end();
}

TEST(what_exists_is_not_overwritten_but_an_empty_folder_is_taken) {
        CaptureResult result;
        CaptureOptions options = { .dir = NULL };
        Machine *m;

        put_small();
        tree_put("full/file", "mine\n");
        tree_put("file", "mine\n");
        (void) tree_mkdirs("empty/");
        ASSERT_OK(machine_open(tree_path("src"), &m));
        options.dir = tree_path("full");
        ASSERT_EQ_I(capture_write(m, &options, &result), CAPTURE_E_EXISTS);
        options.dir = tree_path("file");
        ASSERT_EQ_I(capture_write(m, &options, &result), CAPTURE_E_EXISTS);
        options.dir = tree_path("empty");
        ASSERT_OK(capture_write(m, &options, &result));
        options.dir = tree_path("slash/");
        ASSERT_OK(capture_write(m, &options, &result));
        options.dir = tree_path("slash/");
        ASSERT_EQ_I(capture_write(m, &options, &result), CAPTURE_E_EXISTS);
        options.dir = tree_path("no/such/parent");
        ASSERT_EQ_I(capture_write(m, &options, &result), -ENOENT);
        options.dir = "";
        ASSERT_EQ_I(capture_write(m, &options, &result), -ENOENT);
        ASSERT_EQ_I(access(tree_path("full/file"), F_OK), 0);
        ASSERT_EQ_I(access(tree_path("empty/MODES"), F_OK), 0);
        m = machine_free(m);
        tree_end();
}

TEST(files_that_cannot_be_read_are_counted_and_their_modes_kept) {
        CaptureResult result;
        Machine *m;
        unsigned mode;

        put_small();
        tree_put("src/proc/slabinfo", "");
        ASSERT_EQ_I(chmod(tree_path("src/proc/slabinfo"), 0400), 0);
        ASSERT_EQ_I(chmod(tree_path("src/proc/vmstat"), 0444), 0);
        ASSERT_EQ_I(mkfifo(tree_path("src/proc/zoneinfo"), 0444), 0); /* refused, whoever we are */
        write_capture(tree_path("src"), "copy", &result);
        ASSERT_EQ_U(result.n_denied, 1);
        ASSERT_OK(machine_open(tree_path("copy"), &m));
        ASSERT_OK(machine_mode(m, "proc/vmstat", &mode));
        ASSERT_EQ_U(mode, 0444);
        ASSERT_OK(machine_mode(m, "proc/zoneinfo", &mode));
        ASSERT_EQ_U(mode, 0444);
        m = machine_free(m);
        tree_end();
}

TEST(a_capture_of_a_capture_has_its_snapshots) {
        CaptureResult result;
        CaptureOptions options = { .duration_usec = 20 * USEC_PER_SEC,
                                   .interval_usec = USEC_PER_SEC };
        Machine *m;

        tree_begin();
        tree_put("src/00000000/proc/vmstat", "nr_free_pages 1\n");
        tree_put("src/00005000/proc/vmstat", "nr_free_pages 2\n");
        tree_put("src/00009000/proc/vmstat", "nr_free_pages 3\n");
        ASSERT_OK(machine_open(tree_path("src"), &m));
        options.dir = tree_path("copy");
        ASSERT_OK(capture_write(m, &options, &result));
        m = machine_free(m);
        ASSERT_EQ_U(result.n_snapshots, 3);
        ASSERT_EQ_I(access(tree_path("copy/00009000/proc/vmstat"), F_OK), 0);
        tree_end();
}

static void count_progress(void *userdata, usec_t passed, usec_t whole) {
        unsigned *n = userdata;

        ASSERT_LE_U(passed, whole);
        (*n)++;
}

TEST(the_live_machine_is_captured_over_time) {
        unsigned n_progress = 0;
        CaptureResult result;
        CaptureOptions options = { .duration_usec = 300 * USEC_PER_MSEC,
                                   .interval_usec = 100 * USEC_PER_MSEC,
                                   .progress = count_progress,
                                   .userdata = &n_progress };
        MachineFacts facts;
        Machine *m;
        usec_t before = 0;
        unsigned n = 0;

        tree_begin();
        options.dir = tree_path("live");
        ASSERT_OK(machine_open("/", &m));
        ASSERT_OK(capture_write(m, &options, &result));
        m = machine_free(m);
        ASSERT_GE_U(result.n_snapshots, 2);
        ASSERT_LE_U(result.n_snapshots, 4);
        ASSERT_GE_U(n_progress, 2);
        ASSERT_OK(machine_open(tree_path("live"), &m));
        ASSERT_OK(sample_facts(m, &tree_arena, &facts, &tree_log));
        ASSERT_EQ_U(facts.page_bytes.value, sysconf(_SC_PAGESIZE));
        ASSERT_FALSE(facts.clk_tck_assumed);
        ASSERT_EQ_U(facts.euid_root, geteuid() == 0);
        do {
                Snapshot s;

                ASSERT_TRUE(n == 0 || machine_now(m) > before);
                before = machine_now(m);
                ASSERT_OK(sample_take(m, &tree_arena, SENSE_ALL, &s, &tree_log));
                ASSERT_TRUE(s.vmstat && s.zoneinfo);
                n++;
        } while (machine_advance(m, 0) == 0);
        ASSERT_EQ_U(n, result.n_snapshots);
        m = machine_free(m);
        tree_end();
}

TEST_MAIN()
