/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"

#define MAIN "/etc/alloctuned/alloctuned.conf"
#define DROP "/etc/alloctuned/alloctuned.conf.d/"

static Conf *conf;

static void load(void) {
        ConfOptions options = { .prefix = root };

        conf = conf_free(conf);
        ASSERT_OK(conf_load(&options, &conf, &issues));
}

static void begin(void) {
        root_begin();
}

static void end(void) {
        conf = conf_free(conf);
        root_end();
}

/* One file with this text has these issues. */
static void expect_text(const char *text, const char *expected) {
        begin();
        root_write(MAIN, text);
        load();
        expect_issues(expected);
        end();
}

TEST(without_files_everything_is_at_its_default) {
        begin();
        load();
        expect_issues("");
        ASSERT_TRUE(conf->apply);
        ASSERT_TRUE(conf->restore_on_stop);
        ASSERT_TRUE(conf->keep_on_restart);
        ASSERT_FALSE(conf->trials.never);
        ASSERT_EQ_U(conf->trials.days, 127);
        ASSERT_EQ_U(conf->changes_per_hour, 4);
        ASSERT_EQ_I(conf->share_ppm, 1000000);
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        ASSERT_EQ_U(conf->tick_trial_usec, 2000000);
        ASSERT_EQ_U(conf->quiet_usec, 300000000);
        ASSERT_EQ_I(conf->profile, PROFILE_AUTO);
        ASSERT_EQ_I(conf->own_cpu_ppm, 5000);
        ASSERT_EQ_U(conf->n_deny_knobs + conf->n_deny_caches + conf->n_externals, 0);
        ASSERT_TRUE(conf->origin[0].file == NULL);
        end();
}

TEST(every_key_is_read) {
        begin();
        root_write(
                MAIN,
                "mode = \"recommend\";\non_stop = \"keep\";\non_restart = \"restore\";\n"
                "trials = \"Mon..Fri 01:00-05:00\";\ntrials_per_day = 3;\nchanges_per_hour = 2;\nshare = 500000;\n"
                "tick = \"5s\";\ntick_trial = \"500ms\";\nprofile = \"latency\";\nquiet = \"1h\";\nown_cpu = 10000;\n"
                "own_memory = \"32MiB\";\ndeny_knobs = ( \"thp-*\", \"slab-order\" );\n"
                "deny_caches = [ \"kmalloc-cg-*\" ];\n"
                "externals = ( { name = \"app-latency\"; path = \"/run/app/latency\"; unit = \"ns\"; better = \"lower\";\n"
                "  max_age = \"30s\"; evidence = \"measured\"; } );\n");
        load();
        expect_issues("");
        ASSERT_FALSE(conf->apply);
        ASSERT_FALSE(conf->restore_on_stop);
        ASSERT_FALSE(conf->keep_on_restart);
        ASSERT_EQ_U(conf->trials.days, 31);
        ASSERT_EQ_U(conf->trials_per_day, 3);
        ASSERT_EQ_U(conf->changes_per_hour, 2);
        ASSERT_EQ_I(conf->share_ppm, 500000);
        ASSERT_EQ_U(conf->tick_usec, 5000000);
        ASSERT_EQ_U(conf->tick_trial_usec, 500000);
        ASSERT_EQ_I(conf->profile, PROFILE_LATENCY);
        ASSERT_EQ_U(conf->quiet_usec, 3600000000);
        ASSERT_EQ_I(conf->own_cpu_ppm, 10000);
        ASSERT_EQ_U(conf->own_memory_bytes, 33554432);
        ASSERT_TRUE(conf_denies_knob(conf, "thp-defrag"));
        ASSERT_TRUE(conf_denies_knob(conf, "slab-order"));
        ASSERT_FALSE(conf_denies_knob(conf, "slab-cpu-partial"));
        ASSERT_TRUE(conf_denies_cache(conf, "kmalloc-cg-512"));
        ASSERT_FALSE(conf_denies_cache(conf, "kmalloc-512"));
        ASSERT_EQ_U(conf->n_externals, 1);
        ASSERT_STR(conf->externals[0].path, "/run/app/latency");
        ASSERT_EQ_I(conf->externals[0].evidence, EVIDENCE_MEASURED);
        ASSERT_EQ_U(conf->externals[0].line, 16);
        ASSERT_TRUE(conf_external_find(conf, "external:app-latency") == &conf->externals[0]);
        ASSERT_TRUE(conf_external_find(conf, "app-latency") == &conf->externals[0]);
        ASSERT_TRUE(conf_external_find(conf, "external:other") == NULL);
        end();
}

TEST(a_removed_value_returns_to_its_default_on_reload) {
        begin();
        root_write(MAIN, "tick = \"30s\";\ndeny_knobs = ( \"thp-*\" );\n");
        load();
        ASSERT_EQ_U(conf->tick_usec, 30000000);
        ASSERT_EQ_U(conf->n_deny_knobs, 1);
        root_write(MAIN, "# nothing\n");
        load();
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        ASSERT_EQ_U(conf->n_deny_knobs, 0);
        expect_issues("");
        end();
}

TEST(drop_ins_win_key_by_key_in_order_of_name) {
        begin();
        root_write(MAIN, "tick = \"20s\";\nquiet = \"1min\";\nchanges_per_hour = 1;\n");
        root_write(DROP "20-b.conf", "quiet = \"3min\";\n");
        root_write(DROP "10-a.conf", "quiet = \"2min\"; changes_per_hour = 2;\n");
        root_write("/usr/lib/alloctuned/alloctuned.conf.d/15-c.conf", "changes_per_hour = 3;\n");
        load();
        expect_issues("");
        ASSERT_EQ_U(conf->tick_usec, 20000000);
        ASSERT_EQ_U(conf->quiet_usec, 180000000);
        ASSERT_EQ_U(conf->changes_per_hour, 3);
        ASSERT_EQ_U(conf->files.n, 4);
        ASSERT_HAS(conf->files.files[0].path, "/etc/alloctuned/alloctuned.conf");
        ASSERT_HAS(conf->files.files[1].path, "10-a.conf");
        ASSERT_HAS(conf->files.files[2].path, "15-c.conf");
        ASSERT_HAS(conf->files.files[3].path, "20-b.conf");
        end();
}

TEST(a_file_in_an_earlier_directory_replaces_one_of_the_same_name) {
        begin();
        root_write("/usr/lib/alloctuned/alloctuned.conf", "tick = \"20s\"; quiet = \"1min\";\n");
        root_write("/usr/local/lib/alloctuned/alloctuned.conf.d/10-a.conf",
                   "changes_per_hour = 7;\n");
        root_write("/run/alloctuned/alloctuned.conf", "quiet = \"2min\";\n");
        root_write("/run/alloctuned/alloctuned.conf.d/10-a.conf", "trials_per_day = 5;\n");
        load();
        expect_issues("");
        ASSERT_EQ_U(conf->tick_usec, 10000000); /* the whole file is replaced, not merged */
        ASSERT_EQ_U(conf->quiet_usec, 120000000);
        ASSERT_EQ_U(conf->changes_per_hour, 4);
        ASSERT_EQ_U(conf->trials_per_day, 5);
        ASSERT_EQ_U(conf->files.n, 4);
        ASSERT_EQ_I(conf->files.files[1].state, CONF_FILE_REPLACED);
        end();
}

TEST(a_link_to_dev_null_masks) {
        begin();
        root_write("/usr/lib/alloctuned/alloctuned.conf.d/10-a.conf", "changes_per_hour = 7;\n");
        root_link(DROP "10-a.conf", "/dev/null");
        load();
        expect_issues("");
        ASSERT_EQ_U(conf->changes_per_hour, 4);
        ASSERT_EQ_U(conf->files.n, 2);
        ASSERT_EQ_I(conf->files.files[0].state, CONF_FILE_MASKED);
        ASSERT_EQ_I(conf->files.files[1].state, CONF_FILE_REPLACED);
        end();
}

TEST(other_links_are_followed_and_other_names_are_not_read) {
        begin();
        root_write("/elsewhere.conf", "changes_per_hour = 7;\n");
        root_link(DROP "10-a.conf", root_path("/elsewhere.conf"));
        root_write(DROP "20-b.conf~", "broken");
        root_write(DROP ".hidden.conf", "broken");
        root_write(DROP ".conf", "broken");
        root_write(DROP "README", "broken");
        load();
        expect_issues("");
        ASSERT_EQ_U(conf->changes_per_hour, 7);
        ASSERT_EQ_U(conf->files.n, 1);
        end();
}

TEST(an_unknown_key_is_a_warning) {
        begin();
        root_write(MAIN, "tick = \"20s\";\n\ntik = \"5s\";\nqwertyuiop = 1;\n");
        load();
        expect_issues(MAIN ":3: warning: unknown key \"tik\", did you mean \"tick\"?\n" MAIN
                           ":4: warning: unknown key \"qwertyuiop\", ignored");
        ASSERT_EQ_U(conf->tick_usec, 20000000);
        end();
}

TEST(wrong_types_are_said_with_file_and_line) {
        expect_text(
                "\ntick = 10;\n", MAIN
                ":2: error: tick is an integer, expected a time from \"1s\" to \"10min\" (units us, ms, s, min, h, d)");
        expect_text("changes_per_hour = \"4\";", MAIN
                    ":1: error: changes_per_hour is a string, expected an integer from 0 to 3600");
        expect_text(
                "changes_per_hour = 1.5;", MAIN
                ":1: error: changes_per_hour is a fraction, expected an integer from 0 to 3600");
        expect_text("mode = true;",
                    MAIN ":1: error: mode is true or false, expected \"apply\" or \"recommend\"");
        expect_text(
                "own_memory = 64;", MAIN
                ":1: error: own_memory is an integer, expected a size from \"8MiB\" to \"1GiB\" (units KiB, MiB, GiB)");
        expect_text("deny_knobs = \"thp-*\";",
                    MAIN ":1: error: deny_knobs is a string, expected a list of names, in ( )");
        expect_text("deny_caches = ( 5 );",
                    MAIN ":1: error: deny_caches is an integer, expected a string");
        expect_text("externals = { };",
                    MAIN ":1: error: externals is a group, expected a list of groups, in ( )");
        expect_text("externals = ( 1 );",
                    MAIN ":1: error: externals is an integer, expected a group of keys, in { }");
}

TEST(values_out_of_range_are_said) {
        expect_text("changes_per_hour = 5000;",
                    MAIN ":1: error: changes_per_hour is 5000, expected an integer from 0 to 3600");
        expect_text("changes_per_hour = -1;",
                    MAIN ":1: error: changes_per_hour is -1, expected an integer from 0 to 3600");
        expect_text("share = 1000001L;",
                    MAIN ":1: error: share is 1000001, expected an integer from 0 to 1000000 ppm");
        expect_text(
                "tick = \"1ms\";", MAIN
                ":1: error: tick is \"1ms\", expected a time from \"1s\" to \"10min\" (units us, ms, s, min, h, d)");
        expect_text(
                "tick = \"10\";", MAIN
                ":1: error: tick is \"10\", expected a time from \"1s\" to \"10min\" (units us, ms, s, min, h, d)");
        expect_text("mode = \"aply\";",
                    MAIN ":1: error: mode is \"aply\", expected \"apply\" or \"recommend\"");
        expect_text(
                "profile = \"tiny\";", MAIN
                ":1: error: profile is \"tiny\", expected \"auto\", \"default\", \"small\" or \"latency\"");
        expect_text("trials = \"sometimes\";", MAIN
                    ":1: error: trials is \"sometimes\", expected \"any\", \"never\" or a window "
                    "such as \"Mon..Fri 01:00-05:00\"");
        expect_text("own_memory = \"1MiB\";", MAIN
                    ":1: error: own_memory is \"1MiB\", expected a size from \"8MiB\" to \"1GiB\" "
                    "(units KiB, MiB, GiB)");
}

TEST(integers_beyond_32_and_64_bits_are_refused_not_wrapped) {
        /* libconfig 1.5 would read 4294967300 as 4. */
        expect_text("changes_per_hour = 4294967300;",
                    MAIN ":1: error: 4294967300 needs more than 32 bits, expected 4294967300L");
        expect_text(
                "changes_per_hour = 4294967300L;", MAIN
                ":1: error: changes_per_hour is 4294967300, expected an integer from 0 to 3600");
        expect_text("changes_per_hour = 18446744073709551620L;",
                    MAIN ":1: error: 18446744073709551620L needs more than 64 bits");
        expect_text("changes_per_hour = 0x100000004;",
                    MAIN ":1: error: 0x100000004 needs more than 32 bits, expected 0x100000004L");
}

TEST(syntax_errors_have_a_line) {
        expect_text(
                "tick = \"10s\"\nquiet == 5;\n", MAIN
                ":2: error: unexpected =, expected a value: a number, a \"string\", true, false, ( ), [ ] or { }");
        expect_text("tick = \"10s\";\ntick = \"20s\";\n", MAIN ":2: error: duplicate setting name");
        expect_text(
                "\n@include \"/etc/shadow\"\n", MAIN
                ":2: error: @include is not supported, expected a file in the drop-in directory instead");
}

TEST(externals_are_checked) {
        expect_text("externals = ( { name = \"a\"; path = \"/run/a\"; } );",
                    MAIN ":1: error: externals.unit is missing");
        expect_text(
                "externals = (\n{ name = \"A b\"; path = \"/run/a\"; unit = \"ns\"; } );", MAIN
                ":2: error: externals.name is \"A b\", expected lower case letters, digits, - . and _");
        expect_text("externals = ( { name = \"a\"; path = \"run/a\"; unit = \"ns\"; } );",
                    MAIN ":1: error: externals.path is \"run/a\", expected an absolute path");
        expect_text(
                "externals = ( { name = \"a\"; path = \"/a\"; unit = \"ns\"; },\n { name = \"a\"; path = \"/b\"; unit = \"ns\"; } );",
                MAIN ":2: error: externals names \"a\" twice");
        expect_text(
                "externals = ( { name = \"a\"; path = \"/a\"; unit = \"ns\"; bettr = \"lower\"; } );",
                MAIN ":1: warning: unknown key \"bettr\" in externals, did you mean \"better\"?");
        expect_text(
                "externals = ( { name = \"a\"; path = \"/a\"; unit = \"ns\"; better = \"best\"; } );",
                MAIN ":1: error: externals.better is \"best\", expected \"lower\" or \"higher\"");
}

TEST(a_denied_knob_that_does_not_exist_is_a_warning) {
        expect_text(
                "deny_knobs = ( \"slab-ordr\", \"nothing*\", \"thp-size-64-enabled\", \"thp-*\" );",
                MAIN
                ":1: warning: deny_knobs names \"slab-ordr\", but there is no such knob, did you mean \"slab-order\"?\n" MAIN
                ":1: warning: deny_knobs names \"nothing*\", but there is no such knob");
}

TEST(a_trial_tick_longer_than_the_tick_is_refused_across_files) {
        begin();
        root_write(MAIN, "tick_trial = \"5s\";\n");
        root_write(DROP "a.conf", "\ntick = \"3s\";\n");
        load();
        expect_issues(MAIN ":1: error: tick_trial is longer than tick, expected at most as long");
        root_write(MAIN, "\n");
        root_write(DROP "a.conf", "\ntick = \"1s\";\n");
        load();
        expect_issues(DROP
                      "a.conf:2: error: tick_trial is longer than tick, expected at most as long");
        end();
}

TEST(all_errors_of_a_file_are_said_and_the_file_contributes_nothing) {
        begin();
        root_write(MAIN, "changes_per_hour = 9;\ntick = 5;\nmode = \"x\";\n");
        root_write(DROP "a.conf", "quiet = \"1min\";\n");
        load();
        ASSERT_EQ_U(issues.n_errors, 2);
        ASSERT_EQ_U(issues.items[0].line, 2);
        ASSERT_EQ_U(issues.items[1].line, 3);
        ASSERT_EQ_I(conf->files.files[0].state, CONF_FILE_REFUSED);
        ASSERT_EQ_U(conf->changes_per_hour, 4);
        ASSERT_EQ_U(conf->quiet_usec, 60000000); /* the others go on */
        end();
}

TEST(files_that_others_can_write_are_refused) {
        begin();
        root_write(MAIN, "tick = \"20s\";\n");
        ASSERT_EQ_I(chmod(root_path(MAIN), 0664), 0);
        load();
        expect_issues(
                MAIN
                ":0: error: file refused: group or others can write it (mode 0664), expected at most 0644");
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        ASSERT_EQ_I(chmod(root_path(MAIN), 0646), 0);
        load();
        expect_issues(
                MAIN
                ":0: error: file refused: group or others can write it (mode 0646), expected at most 0644");
        end();
}

TEST(directories_that_others_can_write_are_refused) {
        begin();
        root_write(DROP "a.conf", "tick = \"20s\";\n");
        ASSERT_EQ_I(chmod(root_path(DROP), 0777), 0);
        load();
        expect_issues(
                "/etc/alloctuned/alloctuned.conf.d:0: error: directory refused: group or others can write it (mode 0777), "
                "expected at most 0755");
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        end();
}

TEST(files_of_other_owners_are_refused) {
        begin();
        root_write(MAIN, "tick = \"20s\";\n");
        if (chown(root_path(MAIN), 12345, 12345) < 0) {
                end();
                SKIP("only root can give a file away");
        }
        load();
        expect_issues(MAIN ":0: error: file refused: it belongs to uid 12345, expected root");
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        end();
}

TEST(what_is_no_plain_file_is_refused) {
        begin();
        root_mkdirs(MAIN);
        ASSERT_EQ_I(mkfifo(root_path(MAIN), 0600), 0); /* must not hang either */
        root_mkdirs(DROP "a.conf/");
        root_link(DROP "b.conf", "/nonexistent");
        load();
        expect_issues(MAIN ":0: error: not a regular file\n" DROP
                           "a.conf:0: error: not a regular file\n" DROP
                           "b.conf:0: error: cannot open: No such file or directory");
        end();
}

TEST(enormous_binary_and_empty_files_are_survived) {
        static char big[(1 << 20) + 1];

        begin();
        memset(big, ' ', sizeof(big));
        root_write_size(MAIN, big, sizeof(big));
        load();
        expect_issues(MAIN ":0: error: file too large, expected at most 1048576 bytes");
        root_write_size(MAIN, big, sizeof(big) - 1);
        load();
        expect_issues("");
        root_write_size(MAIN, "tick\0= 5;", 9);
        load();
        expect_issues(MAIN ":1: error: a NUL byte, expected text");
        root_write_size(MAIN,
                        "\x7f"
                        "ELF\x02\x01",
                        6);
        load();
        expect_issues(MAIN ":1: error: unexpected byte 0x7f");
        root_write(MAIN, "");
        load();
        expect_issues("");
        end();
}

TEST(a_named_file_is_the_whole_configuration) {
        ConfOptions options = { .prefix = root };

        begin();
        root_write(MAIN, "tick = \"20s\";\n");
        root_write("/mine.conf", "quiet = \"1min\";\n");
        options.config = root_path("/mine.conf");
        ASSERT_OK(conf_load(&options, &conf, &issues));
        expect_issues("");
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        ASSERT_EQ_U(conf->quiet_usec, 60000000);
        conf = conf_free(conf);
        options.config = root_path("/none.conf");
        ASSERT_OK(conf_load(&options, &conf, &issues));
        expect_issues("/none.conf:0: error: cannot open: No such file or directory");
        end();
}

TEST(profile_auto_follows_the_largest_zone) {
        begin();
        load();
        ASSERT_EQ_I(conf_profile_resolve(conf, UINT64_C(4294967295)), PROFILE_SMALL);
        ASSERT_EQ_I(conf_profile_resolve(conf, UINT64_C(4294967296)), PROFILE_DEFAULT);
        ASSERT_EQ_I(conf_profile_resolve(conf, 0), PROFILE_DEFAULT);
        conf->profile = PROFILE_LATENCY;
        ASSERT_EQ_I(conf_profile_resolve(conf, 1), PROFILE_LATENCY);
        end();
}

TEST_MAIN()
