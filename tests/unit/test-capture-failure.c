/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures that fail or are interrupted: nothing half done is left, and nothing of the user's is gone. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/capture.h"
#include "tree.h"

static void put_small(void) {
        tree_begin();
        tree_put("src/proc/vmstat", "nr_free_pages 7\n");
        tree_put("src/sys/kernel/slab/:0000064/order", "0\n");
        tree_link("src/sys/kernel/slab/pid", ":0000064");
}

/* The number of entries in a folder of the tree, and that none is a half-written capture. */
static unsigned count_entries(void) {
        Machine *m;
        DirEntry *entries;
        size_t n;

        ASSERT_OK(machine_open(tree_path("src"), &m));
        m = machine_free(m);
        (void) tree_mkdirs("proc/");
        m = tree_open();
        ASSERT_OK(machine_list(m, ".", &tree_arena, &entries, &n));
        for (size_t i = 0; i < n; i++)
                ASSERT_TRUE(strstr(entries[i].name, ".part-") == NULL);
        m = machine_free(m);
        return (unsigned) n;
}

TEST(a_full_disk_leaves_nothing_behind) {
        struct rlimit old, small;
        CaptureResult result;
        CaptureOptions options = { .dir = NULL };
        static char large[20000];
        unsigned before;
        Machine *m;
        int r;

        put_small();
        memset(large, 'x', sizeof(large));
        tree_put_bytes("src/proc/zoneinfo", large, sizeof(large));
        before = count_entries();
        ASSERT_OK(machine_open(tree_path("src"), &m));
        ASSERT_EQ_I(getrlimit(RLIMIT_FSIZE, &old), 0);
        small = old;
        small.rlim_cur = 10000;
        ASSERT_TRUE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
        ASSERT_EQ_I(setrlimit(RLIMIT_FSIZE, &small), 0);
        options.dir = tree_path("copy");
        r = capture_write(m, &options, &result);
        ASSERT_EQ_I(setrlimit(RLIMIT_FSIZE, &old), 0);
        ASSERT_EQ_I(r, -EFBIG);
        ASSERT_EQ_U(count_entries(), before);
        m = machine_free(m);
        tree_end();
}

/* The folder that was named is the user's: a capture that fails does not take it away. */
TEST(an_empty_folder_outlives_a_capture_that_failed) {
        struct rlimit old, small;
        CaptureResult result;
        CaptureOptions options = { .dir = NULL };
        static char large[20000];
        Machine *m;

        put_small();
        memset(large, 'x', sizeof(large));
        tree_put_bytes("src/proc/zoneinfo", large, sizeof(large));
        (void) tree_mkdirs("mine/");
        ASSERT_EQ_I(chmod(tree_path("mine"), 0700), 0);
        ASSERT_OK(machine_open(tree_path("src"), &m));
        ASSERT_EQ_I(getrlimit(RLIMIT_FSIZE, &old), 0);
        small = old;
        small.rlim_cur = 10000;
        ASSERT_TRUE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
        ASSERT_EQ_I(setrlimit(RLIMIT_FSIZE, &small), 0);
        options.dir = tree_path("mine");
        ASSERT_EQ_I(capture_write(m, &options, &result), -EFBIG);
        ASSERT_EQ_I(setrlimit(RLIMIT_FSIZE, &old), 0);
        ASSERT_EQ_I(access(tree_path("mine"), F_OK), 0);
        (void) count_entries();
        m = machine_free(m);
        tree_end();
}

TEST(names_that_cannot_be_given_are_refused_before_the_work) {
        static const char *const names[] = { "mine/.", "mine/..", "mine/../.", "mine/.//" };
        CaptureResult result;
        Machine *m;

        put_small();
        (void) tree_mkdirs("mine/");
        ASSERT_OK(machine_open(tree_path("src"), &m));
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                CaptureOptions options = { .dir = tree_path(names[i]) };

                ASSERT_EQ_I(capture_write(m, &options, &result), CAPTURE_E_EXISTS);
                ASSERT_EQ_U(result.n_files, 0);
        }
        ASSERT_EQ_I(capture_write(m, &(CaptureOptions){ .dir = "/" }, &result), CAPTURE_E_EXISTS);
        ASSERT_EQ_I(access(tree_path("mine"), F_OK), 0);
        m = machine_free(m);
        tree_end();
}

TEST(without_descriptors_nothing_is_left_behind) {
        CaptureResult result;
        struct rlimit old, small;
        Machine *m;
        unsigned before;
        int lowest;

        put_small();
        before = count_entries();
        ASSERT_OK(machine_open(tree_path("src"), &m));
        lowest = open("/", O_RDONLY | O_CLOEXEC);
        ASSERT_TRUE(lowest >= 0);
        (void) close(lowest);
        ASSERT_EQ_I(getrlimit(RLIMIT_NOFILE, &old), 0);
        for (int more = 0; more < 4; more++) { /* 4: for one folder, one snapshot and MODES */
                CaptureOptions options = { .dir = tree_path("copy") };
                int r;

                small = old;
                small.rlim_cur = (rlim_t) (lowest + more);
                ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &small), 0);
                r = capture_write(m, &options, &result);
                ASSERT_EQ_I(setrlimit(RLIMIT_NOFILE, &old), 0);
                ASSERT_EQ_I(r, -EMFILE);
                ASSERT_EQ_U(count_entries(), before);
        }
        m = machine_free(m);
        tree_end();
}

static void interrupt_progress(void *userdata, usec_t passed _unused_, usec_t whole _unused_) {
        (void) raise(*(const int *) userdata);
}

/* In a process of its own, since it must end by that signal; its status. */
static int capture_interrupted(int number, bool ignored) {
        CaptureOptions options = { .dir = tree_path("copy"),
                                   .duration_usec = 60 * USEC_PER_SEC,
                                   .interval_usec = USEC_PER_SEC,
                                   .progress = interrupt_progress,
                                   .userdata = &number };
        int status = 0;
        pid_t pid = fork();

        ASSERT_TRUE(pid >= 0);
        if (pid == 0) {
                CaptureResult result;
                Machine *m;

                /* These tests may themselves run under nohup. */
                (void) signal(number, ignored ? SIG_IGN : SIG_DFL);
                if (machine_open(tree_path("src"), &m) != 0)
                        _exit(3);
                _exit(capture_write(m, &options, &result) == 0 ? 0 : 1);
        }
        ASSERT_EQ_I(waitpid(pid, &status, 0), pid);
        return status;
}

TEST(a_capture_that_is_interrupted_leaves_nothing_behind) {
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
        unsigned before;

        put_small();
        before = count_entries();
        for (size_t i = 0; i < ELEMENTSOF(signals); i++) {
                int status = capture_interrupted(signals[i], false);

                ASSERT_TRUE(WIFSIGNALED(status));
                ASSERT_EQ_I(WTERMSIG(status), signals[i]);
                ASSERT_EQ_U(count_entries(), before);
        }
        /* nohup: what is ignored stays so */
        ASSERT_EQ_I(capture_interrupted(SIGHUP, true), 0);
        ASSERT_EQ_I(access(tree_path("copy/MODES"), F_OK), 0);
        tree_end();
}

TEST_MAIN()
