/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"
#include "conf/check.h"
#include "conf/conf-load.h"

#define DIR "/etc/alloctuned/policies.d/"
#define PROFILES "/etc/alloctuned/profiles/"

static PolicySet *set;

static void load_as(const Conf *conf, ConfProfile profile) {
        ConfOptions options = { .prefix = root };

        set = policy_set_free(set);
        ASSERT_OK(policy_set_load(&options, conf, profile, &set, &issues));
}

static void load(void) {
        load_as(NULL, PROFILE_DEFAULT);
}

static void end(void) {
        set = policy_set_free(set);
        root_end();
}

static void write_policy(const char *path, const char *name, const char *more) {
        char text[2048];

        ASSERT_TRUE(
                text_format(text, sizeof(text),
                            "policy = { name = \"%s\"; knob = \"pcp-high-fraction\";\n"
                            "targets = ( { signal = \"zone-lock-wait\"; hot = 20000; } ); %s };\n",
                            name, more));
        root_write(path, text);
}

TEST(a_bad_policy_does_not_stop_the_others) {
        root_begin();
        write_policy(DIR "10-a.policy", "a", "");
        write_policy(DIR "20-b.policy", "b", "nonsense = 1;");
        root_write(DIR "30-c.policy", "{{{");
        write_policy("/usr/lib/alloctuned/policies.d/40-d.policy", "d", "");
        load();
        expect_issues(DIR "20-b.policy:2: error: unknown key \"nonsense\"\n" DIR
                          "30-c.policy:1: error: unexpected {, expected a name");
        ASSERT_EQ_U(set->n, 2);
        ASSERT_EQ_U(set->n_failed, 2);
        ASSERT_STR(set->policies[0].name, "a");
        ASSERT_STR(set->policies[1].name, "d");
        ASSERT_HAS(policy_set_find(set, "d")->file, "/usr/lib/alloctuned/policies.d/40-d.policy");
        ASSERT_TRUE(policy_set_find(set, "b") == NULL);
        end();
}

TEST(the_same_name_twice_is_an_error_of_the_later_file) {
        root_begin();
        write_policy(DIR "10-a.policy", "same", "");
        write_policy(DIR "20-b.policy", "same", "least_gain = 1;");
        load();
        ASSERT_EQ_U(issues.n, 1);
        ASSERT_HAS(issues_text(), DIR "20-b.policy:1: error: policy \"same\" is in ");
        ASSERT_HAS(issues_text(), "10-a.policy already, expected another name");
        ASSERT_EQ_U(set->n, 1);
        ASSERT_EQ_I(set->policies[0].least_gain_ppm, 20000);
        end();
}

TEST(an_admins_file_replaces_or_masks_a_shipped_one) {
        root_begin();
        write_policy("/usr/lib/alloctuned/policies.d/a.policy", "a", "");
        write_policy("/usr/lib/alloctuned/policies.d/b.policy", "b", "");
        write_policy(DIR "a.policy", "a", "least_gain = 1;");
        root_link(DIR "b.policy", "/dev/null");
        load();
        expect_issues("");
        ASSERT_EQ_U(set->n, 1);
        ASSERT_EQ_I(set->policies[0].least_gain_ppm, 1);
        end();
}

TEST(policies_that_others_can_write_are_refused) {
        root_begin();
        write_policy(DIR "a.policy", "a", "");
        ASSERT_EQ_I(chmod(root_path(DIR "a.policy"), 0666), 0);
        load();
        expect_issues(
                DIR
                "a.policy:0: error: file refused: group or others can write it (mode 0666), expected at most 0644");
        ASSERT_EQ_U(set->n, 0);
        ASSERT_EQ_U(set->n_failed, 1);
        end();
}

TEST(a_named_directory_is_the_whole_set) {
        ConfOptions options = { .prefix = root };

        root_begin();
        write_policy(DIR "a.policy", "a", "");
        write_policy("/mine/b.policy", "b", "");
        options.policy_dir = root_path("/mine");
        ASSERT_OK(policy_set_load(&options, NULL, PROFILE_SMALL, &set, &issues));
        expect_issues(""); /* a profile that nobody asked for by name need not exist */
        ASSERT_EQ_U(set->n, 1);
        ASSERT_STR(set->policies[0].name, "b");
        set = policy_set_free(set);
        options.policy_dir = root_path("/none");
        ASSERT_OK(policy_set_load(&options, NULL, PROFILE_DEFAULT, &set, &issues));
        expect_issues("/none:0: error: cannot open the directory: No such file or directory");
        end();
}

TEST(mode_recommend_of_the_configuration_overrules_policies) {
        _cleanup_(conf_freep) Conf *conf = conf_new();

        root_begin();
        write_policy(DIR "a.policy", "a", "");
        root_write(PROFILES "latency.profile",
                   "profile = { policies = { a = { mode = \"apply\"; }; }; };");
        load_as(conf, PROFILE_DEFAULT);
        ASSERT_TRUE(set->policies[0].apply);
        conf->apply = false;
        load_as(conf, PROFILE_LATENCY);
        ASSERT_FALSE(set->policies[0].apply);
        expect_issues("");
        end();
}

TEST(a_profile_changes_key_by_key_and_guard_by_guard) {
        const Policy *a;

        root_begin();
        write_policy(DIR "a.policy", "a",
                     "bounds = { parked_seen = 1000; memory = 7; }; arms = ( 2, 4 );");
        write_policy(DIR "b.policy", "b", "");
        root_write(
                PROFILES "small.profile",
                "profile = { about = \"x\"; policies = { a = {\n bounds = { parked_seen = 500; }; arms = ( 2 );\n"
                " guards = ( { name = \"free\"; level = 900000; }, { name = \"hold-length\"; limit = 5000; } );\n"
                " targets = ( { signal = \"zone-lock-wait\"; hot = 1000; } ); }; }; };");
        load_as(NULL, PROFILE_SMALL);
        expect_issues("");
        a = policy_set_find(set, "a");
        ASSERT_EQ_I(a->parked_seen_ppm, 500);
        ASSERT_EQ_I(a->memory_ppm, 7);
        ASSERT_EQ_U(a->n_arms, 1);
        ASSERT_EQ_U(a->n_guards, 11);
        ASSERT_EQ_I(policy_guard_find(a, "free")->level_ppm, 900000);
        ASSERT_EQ_I(policy_guard_find(a, "hold-length")->limit, 5000);
        ASSERT_EQ_I(a->target[0].hot, 1000);
        ASSERT_EQ_I(policy_set_find(set, "b")->target[0].hot, 20000);
        end();
}

TEST(a_bad_override_leaves_its_policy_as_it_was) {
        root_begin();
        write_policy(DIR "a.policy", "first-a", "");
        write_policy(DIR "b.policy", "b", "");
        root_write(PROFILES "small.profile",
                   "profile = { policies = {\n first-a = { least_gain = 5;\n nonsense = 1; };\n"
                   " b = { least_gain = 6; };\n c = { };\n first-b = { name = \"x\"; }; }; };");
        load_as(NULL, PROFILE_SMALL);
        expect_issues(
                PROFILES
                "small.profile:3: error: unknown key \"nonsense\"\n" PROFILES
                "small.profile:5: warning: there is no policy \"c\", ignored\n" PROFILES
                "small.profile:6: warning: there is no policy \"first-b\", ignored; did you mean \"first-a\"?");
        ASSERT_EQ_I(policy_set_find(set, "first-a")->least_gain_ppm, 20000);
        ASSERT_EQ_I(policy_set_find(set, "b")->least_gain_ppm, 6);
        root_write(
                PROFILES "small.profile",
                "profile = { policies = { first-a = { knob = \"thp-defrag\"; }; }; polices = 1; };");
        load_as(NULL, PROFILE_SMALL);
        expect_issues(
                PROFILES
                "small.profile:1: error: unknown key \"polices\" in profile, expected about and policies\n" PROFILES
                "small.profile:1: error: knob of a policy cannot be overridden in a profile");
        ASSERT_STR(policy_set_find(set, "first-a")->knob, "pcp-high-fraction");
        end();
}

TEST(a_profile_asked_for_by_name_must_exist) {
        _cleanup_(conf_freep) Conf *conf = conf_new();

        root_begin();
        conf->profile = PROFILE_LATENCY;
        load_as(conf, PROFILE_LATENCY);
        expect_issues(
                ":0: error: profile \"latency\" is in force, but there is no file profiles/latency.profile");
        end();
}

TEST(rows_say_where_each_value_comes_from) {
        ConfRows rows;
        unsigned seen = 0;

        root_begin();
        write_policy(DIR "a.policy", "a", "\nleast_gain = 5; arms = ( 2, \"cap\" );");
        root_write(
                PROFILES "small.profile",
                "profile = { policies = { a = {\n\n most_loss = 7;\n guards = ( { name = \"hold-length\"; limit = 5000; } ); }; }; };");
        load_as(NULL, PROFILE_SMALL);
        expect_issues("");
        ASSERT_OK(conf_rows(NULL, set, &rows));
        for (size_t i = 0; i < rows.n; i++) {
                const ConfRow *row = &rows.rows[i];

                ASSERT_STR(row->policy, "a");
                if (strcmp(row->key, "least_gain") == 0) {
                        ASSERT_STR(row->value, "5");
                        ASSERT_HAS(row->file, "a.policy");
                        ASSERT_EQ_U(row->line, 3);
                        seen |= 1;
                } else if (strcmp(row->key, "most_loss") == 0) {
                        ASSERT_STR(row->value, "7");
                        ASSERT_HAS(row->file, "small.profile");
                        ASSERT_EQ_U(row->line, 3);
                        seen |= 2;
                } else if (strcmp(row->key, "guards.hold-length") == 0) {
                        ASSERT_STR(
                                row->value,
                                "{ name = \"hold-length\"; limit = 5000; action = \"cut\"; evidence = \"counted\"; }");
                        ASSERT_EQ_U(row->line, 4);
                        seen |= 4;
                } else if (strcmp(row->key, "targets") == 0) {
                        ASSERT_STR(
                                row->value,
                                "( { signal = \"zone-lock-wait\"; hot = 20000; cool = 10000; windows_hot = 3; windows_cool = 6; } )");
                        ASSERT_EQ_U(row->line, 2);
                        seen |= 8;
                } else if (strcmp(row->key, "cost") == 0) {
                        ASSERT_STR(row->value, "\"kernel-cpu-per-kpage\"");
                        ASSERT_TRUE(row->file == NULL);
                        seen |= 16;
                } else if (strcmp(row->key, "arms") == 0) {
                        ASSERT_STR(row->value, "( 2, \"cap\" )");
                        seen |= 32;
                } else if (strcmp(row->key, "window") == 0)
                        seen |= 64; /* the knob's own: no row */
        }
        ASSERT_EQ_U(seen, 63);
        conf_rows_done(&rows);
        end();
}

TEST(reading_a_row_back_gives_the_same_policy) {
        char text[16384];
        size_t used = 0;
        ConfRows rows;
        Policy again;

        root_begin();
        write_policy(DIR "a.policy", "a",
                     "arms = ( 2, \"1.5\" ); about = \"x \\\"y\\\" \\\\z\"; window = \"20s\";");
        load();
        expect_issues("");
        ASSERT_OK(conf_rows(NULL, set, &rows));
        ASSERT_TRUE(text_format(text, sizeof(text), "policy = {\n"));
        for (size_t i = 0; i < rows.n; i++) {
                used = strlen(text);
                /* Dotted keys are written as groups; empty texts are not written at all. */
                if (!strchr(rows.rows[i].key, '.') && strcmp(rows.rows[i].value, "\"\"") != 0)
                        ASSERT_TRUE(text_format(text + used, sizeof(text) - used, "%s = %s;\n",
                                                rows.rows[i].key, rows.rows[i].value));
        }
        used = strlen(text);
        ASSERT_TRUE(text_format(text + used, sizeof(text) - used, "};\n"));
        conf_rows_done(&rows);
        ASSERT_OK(policy_parse(set->policies[0].file, text, strlen(text), NULL, &again, &issues));
        again.target[0].line = set->policies[0].target[0].line;
        ASSERT_STR(again.about, "x \"y\" \\z");
        ASSERT_TRUE(memcmp(&again, &set->policies[0], sizeof(again)) == 0);
        end();
}

TEST_MAIN()
