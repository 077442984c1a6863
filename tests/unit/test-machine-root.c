/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files below a root, and the three machines that are files. */
#include <sys/resource.h>

#include "tree.h"

static void a_tree(void) {
        tree_begin();
        tree_put("proc/vmstat", "nr_free_pages 1\n");
}

TEST(a_tree_is_read_and_its_text_ends_in_nul) {
        Machine *m;
        Text text;

        a_tree();
        m = tree_open();
        ASSERT_EQ_I(m->kind, MACHINE_TREE);
        ASSERT_OK(tree_read(m, "proc/vmstat", &text));
        ASSERT_TEXT(text, "nr_free_pages 1\n");
        ASSERT_EQ_I(text.data[text.size], 0);
        ASSERT_EQ_I(machine_advance(m, 0), MACHINE_E_END);
        ASSERT_EQ_U(machine_now(m), 0);
        m = machine_free(m);
        tree_end();
}

TEST(what_is_not_there_is_absent) {
        Machine *m;
        Text text;
        DirEntry *entries;
        size_t n;
        unsigned mode;

        a_tree();
        m = tree_open();
        ASSERT_EQ_I(tree_read(m, "proc/zoneinfo", &text), MACHINE_E_ABSENT);
        ASSERT_EQ_I(tree_read(m, "sys/kernel/slab/x/order", &text), MACHINE_E_ABSENT);
        ASSERT_EQ_I(tree_read(m, "proc/vmstat/below/a/file", &text), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_list(m, "sys/kernel/slab", &tree_arena, &entries, &n),
                    MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_list(m, "proc/vmstat", &tree_arena, &entries, &n), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_mode(m, "proc/vmstat", &mode), MACHINE_E_ABSENT); /* no modes here */
        m = machine_free(m);
        tree_end();
}

TEST(links_of_a_tree_stay_inside) {
        Machine *m;
        Text text;

        tree_begin();
        tree_put("inside/proc/vmstat", "inside\n");
        tree_put("secret", "outside\n");
        tree_link("inside/proc/up", "../../secret");
        tree_link("inside/proc/far", "../../../../../../../../etc/passwd");
        tree_link("inside/proc/absolute", "/etc/passwd");
        tree_link("inside/proc/within", "/proc/vmstat");
        tree_link("inside/sys", "/");
        tree_link("inside/up", "..");
        tree_put("inside/secret", "the root's own\n");
        ASSERT_OK(machine_open(tree_path("inside"), &m));
        /* As in the machine it was taken from: ".." of its root is its root. */
        ASSERT_OK(tree_read(m, "proc/up", &text));
        ASSERT_TEXT(text, "the root's own\n");
        ASSERT_EQ_I(tree_read(m, "proc/far", &text), MACHINE_E_ABSENT);
        ASSERT_EQ_I(tree_read(m, "proc/absolute", &text), MACHINE_E_ABSENT);
        ASSERT_OK(tree_read(m, "proc/within", &text));
        ASSERT_TEXT(text, "inside\n");
        ASSERT_OK(tree_read(m, "sys/proc/vmstat", &text));
        ASSERT_TEXT(text, "inside\n");
        ASSERT_OK(tree_read(m, "up/secret", &text));
        ASSERT_TEXT(text, "the root's own\n");
        m = machine_free(m);
        tree_end();
}

TEST(links_in_a_circle_are_an_error_not_a_hang) {
        Machine *m;
        Text text;

        a_tree();
        tree_link("proc/a", "b");
        tree_link("proc/b", "a");
        m = tree_open();
        ASSERT_EQ_I(tree_read(m, "proc/a", &text), MACHINE_E_FAILED);
        ASSERT_EQ_I(m->error, ELOOP);
        m = machine_free(m);
        tree_end();
}

/* Running out of descriptors is no property of a file: nothing could be said of any. */
TEST(without_descriptors_nothing_is_called_absent) {
        struct rlimit before, none;
        Machine *m = NULL, *other = NULL;
        Text text;
        DirEntry *entries;
        size_t n;
        int lowest;

        a_tree();
        tree_put("capture/00000000/proc/vmstat", "");
        m = tree_open();
        lowest = open("/", O_RDONLY | O_CLOEXEC);
        ASSERT_TRUE(lowest >= 0);
        (void) close(lowest);
        ASSERT_EQ_I(getrlimit(RLIMIT_NOFILE, &before), 0);
        for (int more = 0; more < 2; more++) {
                none = (struct rlimit){ .rlim_cur = (rlim_t) (lowest + more),
                                        .rlim_max = before.rlim_max };
                ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &none), 0);
                ASSERT_EQ_I(machine_open(tree_path("capture"), &other), -EMFILE);
                ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &before), 0);
        }
        none.rlim_cur = (rlim_t) lowest;
        ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &none), 0);
        ASSERT_EQ_I(tree_read(m, "proc/vmstat", &text), -EMFILE);
        ASSERT_EQ_I(machine_list(m, "proc", &tree_arena, &entries, &n), -EMFILE);
        ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &before), 0);
        ASSERT_OK(tree_read(m, "proc/vmstat", &text));
        m = machine_free(m);
        tree_end();
}

TEST(pipes_devices_and_folders_are_refused) {
        Machine *m;
        Text text;

        a_tree();
        ASSERT_EQ_I(mkfifo(tree_mkdirs("proc/zoneinfo"), 0644), 0);
        tree_put("sys/order/x", "");
        tree_link("proc/pipe", "zoneinfo");
        if (geteuid() == 0 && mknod(tree_path("proc/stat"), S_IFCHR | 0644, 1 << 8 | 5) == 0)
                ASSERT_EQ_I(tree_read(m = tree_open(), "proc/stat", &text), MACHINE_E_FAILED);
        else
                m = tree_open();
        ASSERT_EQ_I(tree_read(m, "proc/zoneinfo", &text), MACHINE_E_FAILED);
        ASSERT_EQ_I(m->error, EINVAL);
        ASSERT_EQ_I(tree_read(m, "proc/pipe", &text), MACHINE_E_FAILED);
        ASSERT_EQ_I(tree_read(m, "sys/order", &text), MACHINE_E_FAILED);
        m = machine_free(m);
        tree_end();
}

TEST(every_size_around_the_pieces_is_read_whole) {
        static char data[300000];
        static const size_t sizes[] = { 0,     1,     4094,  4095,   4096,   4097,   8191,  8192,
                                        65535, 65536, 65537, 131071, 131072, 131073, 300000 };
        Machine *m;

        tree_begin();
        tree_put("proc/x", "");
        for (size_t i = 0; i < sizeof(data); i++)
                data[i] = (char) (i * 31 + i / 251);
        m = tree_open();
        for (size_t i = 0; i < ELEMENTSOF(sizes); i++) {
                Text text;
                size_t used = tree_arena.used_bytes;

                tree_put_bytes("proc/x", data, sizes[i]);
                ASSERT_OK(tree_read(m, "proc/x", &text));
                ASSERT_EQ_U(text.size, sizes[i]);
                ASSERT_TRUE(memcmp(text.data, data, sizes[i]) == 0);
                ASSERT_EQ_I(text.data[text.size], 0);
                /* nothing but the text and its NUL stays in the arena */
                ASSERT_EQ_U(tree_arena.used_bytes - used, sizes[i] + 1);
        }
        m = machine_free(m);
        tree_end();
}

TEST(a_file_over_the_limit_is_too_large_however_large) {
        Machine *m;
        Text text;
        size_t used;

        a_tree();
        ASSERT_EQ_I(truncate(tree_path("proc/vmstat"), (off_t) 1 << 40), 0); /* sparse: 1 TiB */
        m = tree_open();
        used = tree_arena.used_bytes;
        ASSERT_EQ_I(tree_read(m, "proc/vmstat", &text), MACHINE_E_TOO_LARGE);
        ASSERT_EQ_U(tree_arena.used_bytes, used);
        ASSERT_EQ_I(truncate(tree_path("proc/vmstat"), (1 << 20) + 1), 0);
        ASSERT_EQ_I(tree_read(m, "proc/vmstat", &text), MACHINE_E_TOO_LARGE);
        ASSERT_EQ_I(truncate(tree_path("proc/vmstat"), 1 << 20), 0);
        ASSERT_OK(tree_read(m, "proc/vmstat", &text));
        m = machine_free(m);
        tree_end();
}

TEST(a_full_arena_is_an_error_and_is_left_as_it_was) {
        static uint8_t memory[8192];
        Arena small;
        Machine *m;
        Text text;

        a_tree();
        ASSERT_EQ_I(truncate(tree_path("proc/vmstat"), 100000), 0);
        m = tree_open();
        arena_init(&small, memory, sizeof(memory));
        ASSERT_EQ_I(machine_read(m, "proc/vmstat", 1 << 20, &small, &text), -ENOMEM);
        ASSERT_EQ_U(small.used_bytes, 0);
        m = machine_free(m);
        tree_end();
}

TEST(folders_are_listed_by_name_with_links_and_their_targets) {
        Machine *m;
        DirEntry *entries;
        size_t n;

        a_tree();
        tree_put("sys/kernel/slab/:0000064/order", "0\n");
        tree_link("sys/kernel/slab/pid", ":0000064");
        tree_link("sys/kernel/slab/anon", ":0000064");
        tree_put("sys/kernel/slab/file", "");
        m = tree_open();
        ASSERT_OK(machine_list(m, "sys/kernel/slab", &tree_arena, &entries, &n));
        ASSERT_EQ_U(n, 4);
        ASSERT_STR(entries[0].name, ":0000064");
        ASSERT_TRUE(entries[0].is_dir && !entries[0].link);
        ASSERT_STR(entries[1].name, "anon");
        ASSERT_STR(entries[1].link, ":0000064");
        ASSERT_TRUE(!entries[1].is_dir);
        ASSERT_STR(entries[2].name, "file");
        ASSERT_TRUE(!entries[2].is_dir && !entries[2].link);
        ASSERT_STR(entries[3].name, "pid");
        m = machine_free(m);
        tree_end();
}

TEST(a_folder_is_a_machine_only_with_proc_or_sys_or_snapshots) {
        Machine *m = NULL;

        tree_begin();
        ASSERT_EQ_I(machine_open(tree, &m), MACHINE_E_ABSENT);
        tree_put("notes/00000001", "");
        tree_put("0000001/proc/vmstat", ""); /* seven digits are no snapshot */
        tree_mkdirs("00000002/");            /* and neither is one without proc and sys */
        tree_put("00000003", "");            /* nor a file */
        ASSERT_EQ_I(machine_open(tree, &m), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_open(tree_path("none"), &m), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_open(tree_path("00000003"), &m), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_open("", &m), MACHINE_E_ABSENT);
        ASSERT_TRUE(m == NULL);
        tree_end();
}

TEST(snapshots_come_in_order_of_time_each_once) {
        static const char *const names[] = { "00000000", "00001000", "00000500", "123456789",
                                             "000000500" };
        static const usec_t times[] = { 0, 500000, 1000000, 123456789000 };
        Machine *m;
        Text text;

        tree_begin();
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char path[64];

                ASSERT_TRUE(text_format(path, sizeof(path), "%s/proc/name", names[i]));
                tree_put(path, names[i]);
        }
        m = tree_open();
        ASSERT_EQ_I(m->kind, MACHINE_CAPTURE);
        for (size_t i = 0; i < ELEMENTSOF(times); i++) {
                ASSERT_EQ_U(machine_now(m), times[i]);
                ASSERT_OK(tree_read(m, "proc/name", &text));
                ASSERT_EQ_I(machine_advance(m, 0), i + 1 < ELEMENTSOF(times) ? 0 : MACHINE_E_END);
        }
        ASSERT_TEXT(text, "123456789");
        m = machine_free(m);
        tree_end();
}

TEST(modes_of_a_capture_come_from_its_list) {
        Machine *m;
        unsigned mode;

        tree_begin();
        tree_put("00000000/proc/vmstat", "");
        tree_put("00000000/sys/a b", "");
        tree_put("MODES", "0644 proc/sys/vm/x\n"
                          "0400 /sys/kernel/slab/a/order\n"
                          "garbage\n"
                          "99 proc/bad\n"
                          "077777777777777 proc/large\n"
                          "\n"
                          "0600 00000000/sys/a b\n"
                          "0444");
        m = tree_open();
        ASSERT_TRUE(m->have_modes);
        ASSERT_OK(machine_mode(m, "proc/sys/vm/x", &mode));
        ASSERT_EQ_U(mode, 0644);
        ASSERT_OK(machine_mode(m, "sys/kernel/slab/a/order", &mode));
        ASSERT_EQ_U(mode, 0400);
        ASSERT_OK(machine_mode(m, "sys/a b", &mode));
        ASSERT_EQ_U(mode, 0600);
        ASSERT_EQ_I(machine_mode(m, "proc/bad", &mode), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_mode(m, "proc/large", &mode), MACHINE_E_ABSENT);
        ASSERT_EQ_I(machine_mode(m, "proc/vmstat", &mode), MACHINE_E_ABSENT);
        m = machine_free(m);
        tree_end();
}

TEST(modes_on_the_disk_count_only_where_they_look_like_a_kernels) {
        Machine *m;
        unsigned mode;

        tree_begin();
        tree_put("proc/vmstat", "");
        tree_put("proc/slabinfo", "");
        m = tree_open();
        ASSERT_FALSE(m->have_modes); /* 0644 everywhere: git, or an archive */
        m = machine_free(m);
        ASSERT_EQ_I(chmod(tree_path("proc/vmstat"), 0444), 0);
        ASSERT_EQ_I(chmod(tree_path("proc/slabinfo"), 0400), 0);
        m = tree_open();
        ASSERT_TRUE(m->have_modes);
        ASSERT_OK(machine_mode(m, "proc/slabinfo", &mode));
        ASSERT_EQ_U(mode, 0400);
        m = machine_free(m);
        tree_end();
}

TEST(the_live_machine_reads_the_same_file_again_and_again) {
        Machine *m;
        Text text, first = TEXT_NULL;
        usec_t start;
        unsigned mode;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        ASSERT_EQ_I(m->kind, MACHINE_LIVE);
        ASSERT_TRUE(m->have_modes);
        for (unsigned i = 0; i < 3; i++) {
                ASSERT_OK(tree_read(m, "proc/vmstat", &text));
                ASSERT_TRUE(text_starts(text, "nr_free_pages "));
                ASSERT_TRUE(text_ends(text, "\n"));
                first = first.data ? first : text;
        }
        ASSERT_TRUE(first.data != text.data);
        ASSERT_OK(tree_read(m, "proc/sys/vm/min_free_kbytes", &text));
        ASSERT_TRUE(text_ends(text, "\n"));
        ASSERT_OK(machine_mode(m, "proc/sys/vm/min_free_kbytes", &mode));
        ASSERT_EQ_U(mode & 0222, 0200);
        ASSERT_EQ_I(tree_read(m, "proc/no-such-file", &text), MACHINE_E_ABSENT);
        start = machine_now(m);
        ASSERT_OK(machine_advance(m, start + 2000));
        ASSERT_GE_U(machine_now(m), start + 2000);
        ASSERT_OK(machine_advance(m, start)); /* the past does not wait */
        m = machine_free(m);
        tree_end();
}

TEST(a_text_of_the_live_machine_equals_a_plain_read) {
        static const char *const paths[] = { "proc/version", "proc/cmdline",
                                             "proc/sys/kernel/osrelease",
                                             "sys/devices/system/cpu/possible" };
        Machine *m;

        tree_begin();
        ASSERT_OK(machine_open("/", &m));
        for (size_t i = 0; i < ELEMENTSOF(paths); i++) {
                static char plain[65536];
                char absolute[128];
                Text text;
                FILE *f;
                size_t n;

                ASSERT_TRUE(text_format(absolute, sizeof(absolute), "/%s", paths[i]));
                f = fopen(absolute, "re");
                if (!f)
                        continue;
                n = fread(plain, 1, sizeof(plain), f);
                (void) fclose(f);
                ASSERT_OK(tree_read(m, paths[i], &text));
                ASSERT_TRUE(text_equal(text, (Text){ plain, n }));
        }
        m = machine_free(m);
        tree_end();
}

TEST_MAIN()
