/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"
#include "conf/check.h"
#include "conf/conf-table.h"

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

TEST(cat_config_says_where_each_value_comes_from) {
        char *text = NULL;
        size_t size;
        FILE *f;

        begin();
        root_write(MAIN, "\ntick = \"20s\";");
        root_write(DROP "a.conf", "deny_knobs = ( \"thp-*\" );\n");
        root_link(DROP "b.conf", "/dev/null");
        load();
        f = open_memstream(&text, &size);
        ASSERT_OK(conf_cat(conf, NULL, f));
        ASSERT_EQ_I(fclose(f), 0);
        ASSERT_HAS(text, MAIN "\n\ntick = \"20s\";\n\n");
        ASSERT_HAS(text, DROP "b.conf (masked: a link to /dev/null)\n");
        ASSERT_HAS(text, "\ntick = \"20s\"; # from ");
        ASSERT_HAS(text, "alloctuned.conf:2\n");
        ASSERT_HAS(text, "\ndeny_knobs = ( \"thp-*\" ); # from ");
        ASSERT_HAS(text, "a.conf:1\n");
        ASSERT_HAS(text, "\nmode = \"apply\"; # default\n");
        ASSERT_HAS(text, "\ntrials = \"any\"; # default\n");
        ASSERT_HAS(text, "\nquiet = \"5min\"; # default\n");
        free(text);
        f = fopen("/dev/full", "we");
        ASSERT_EQ_I(conf_cat(conf, NULL, f), -EIO);
        (void) fclose(f);
        end();
}

/* Every value in force, printed as it would be written, is the default of the table. */
TEST(the_table_has_the_defaults_in_force) {
        size_t n;
        const ConfKey *keys = conf_keys(&n);
        ConfRows rows;

        begin();
        load();
        ASSERT_OK(conf_rows(conf, NULL, &rows));
        for (size_t i = 0; i < rows.n; i++) {
                const ConfKey *key = conf_key_find(keys, n, rows.rows[i].key);

                ASSERT_TRUE(key != NULL);
                ASSERT_STR(strcmp(rows.rows[i].value, "( )") == 0 ? "( )" : rows.rows[i].value,
                           key->def);
                ASSERT_TRUE(rows.rows[i].file == NULL);
        }
        ASSERT_GE_U(rows.n, 16);
        conf_rows_done(&rows);
        end();
}

static char *rendered(void) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        ASSERT_TRUE(f != NULL);
        conf_render_file(f);
        ASSERT_EQ_I(fclose(f), 0);
        return text;
}

TEST(etc_is_the_rendering_of_the_table) {
        const char *source = getenv("SOURCE_ROOT"), *build = getenv("BUILD_ROOT");
        char path[512], *text = rendered();
        static char file[65536];
        size_t n;
        FILE *f;

        ASSERT_TRUE(
                text_format(path, sizeof(path), "%s/etc/alloctuned.conf", source ? source : "."));
        f = fopen(path, "re");
        n = f ? fread(file, 1, sizeof(file) - 1, f) : 0;
        file[n] = '\0';
        if (f)
                (void) fclose(f);
        if (strcmp(file, text) != 0 && build) {
                ASSERT_TRUE(text_format(path, sizeof(path), "%s/alloctuned.conf", build));
                f = fopen(path, "we");
                if (f) {
                        (void) fputs(text, f);
                        (void) fclose(f);
                        printf("# etc/alloctuned.conf is not what the table renders: see %s\n",
                               path);
                }
        }
        ASSERT_STR(file, text);
        free(text);
}

/* Take the # away from every default: still a good file, and nothing changes. */
TEST(the_rendered_defaults_are_a_valid_file) {
        char *text = rendered(), *to = text, *from = text;

        for (bool line_start = true; *from; from++) {
                if (!(line_start && from[0] == '#' && from[1] >= 'a' && from[1] <= 'z'))
                        *to++ = *from;
                line_start = *from == '\n';
        }
        *to = '\0';
        begin();
        root_write(MAIN, text);
        free(text);
        load();
        expect_issues("");
        ASSERT_TRUE(conf->apply);
        ASSERT_TRUE(conf->origin[0].file != NULL);
        ASSERT_EQ_U(conf->tick_usec, 10000000);
        end();
}

TEST(check_tells_files_apart_by_their_suffix) {
        ConfOptions options = { .prefix = root };

        begin();
        root_write("/a.conf", "tik = 1;\n");
        ASSERT_OK(conf_check_file(&options, root_path("/a.conf"), &issues));
        expect_issues("/a.conf:1: warning: unknown key \"tik\", did you mean \"tick\"?");
        root_write("/a.policy", "tik = 1;\n");
        ASSERT_OK(conf_check_file(&options, root_path("/a.policy"), &issues));
        expect_issues("/a.policy:1: error: unknown key \"tik\", expected policy = { ... }; alone\n"
                      "/a.policy:0: error: no policy in the file, expected policy = { ... };");
        root_write("/a.profile", "tik = 1;\n");
        ASSERT_OK(conf_check_file(&options, root_path("/a.profile"), &issues));
        expect_issues("/a.profile:0: error: no profile in the file, expected profile = { ... };");
        ASSERT_OK(conf_check_file(&options, root_path("/none"), &issues));
        expect_issues("/none:0: error: cannot open: No such file or directory");
        end();
}

TEST(renderings_for_the_manual_name_every_key) {
        size_t n;
        const ConfKey *keys = conf_keys(&n);
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        conf_render_man(keys, n, f);
        conf_render_man_guards(f);
        ASSERT_EQ_I(fclose(f), 0);
        for (size_t i = 0; i < n; i++) {
                char wanted[80];

                ASSERT_TRUE(text_format(wanted, sizeof(wanted), ".It Va %s\n", keys[i].name));
                ASSERT_HAS(text, wanted);
        }
        ASSERT_HAS(text, ".It Va hold-length\n");
        free(text);
}

TEST_MAIN()
