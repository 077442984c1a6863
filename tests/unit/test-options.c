/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/options.h"

#include "test.h"

static int run_nothing(const Options *options) {
        (void) options;
        return 0;
}

#define ALL (OPTION_BIT(_OPTION_MAX) - 1)

static const VerbSpec verbs[] = {
        { "look", "", "help", "about", .options = ALL & ~OPTION_BIT(OPTION_EXIT_CODE),
          .duration_usec = 7, .run = run_nothing },
        { "name", "FILE...", "help", "about", .options = ALL, .args_least = 1, .args_most = 2,
          .run = run_nothing },
        { "still", "", "help", "about", .options = ALL & ~OPTION_BIT(OPTION_ROOT),
          .run = run_nothing },
};

static char error[512];

#define PARSE(o, ...)                                                                        \
        ({                                                                                   \
                const char *const argv_[] = { "alloctune", __VA_ARGS__ };                    \
                options_parse((int) ELEMENTSOF(argv_), argv_, verbs, ELEMENTSOF(verbs), (o), \
                              error, sizeof(error));                                         \
        })

TEST(defaults_are_the_live_machine_and_the_duration_of_the_verb) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "look"));
        ASSERT_STR(o.root, "/");
        ASSERT_STR(o.verb->name, "look");
        ASSERT_EQ_U(o.duration_usec, 7);
        ASSERT_EQ_U(o.interval_usec, USEC_PER_SEC);
        ASSERT_TRUE(o.config == NULL && o.policy_dir == NULL && !o.json && !o.no_pager);
}

TEST(options_may_stand_anywhere_and_take_values_both_ways) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "--json", "name", "a", "--root", "x", "b", "--config=y=z",
                          "--duration", "250ms"));
        ASSERT_TRUE(o.json);
        ASSERT_STR(o.root, "x");
        ASSERT_STR(o.config, "y=z");
        ASSERT_EQ_U(o.duration_usec, 250000);
        ASSERT_EQ_I(o.n_args, 2);
        ASSERT_STR(o.args[0], "a");
        ASSERT_STR(o.args[1], "b");
}

TEST(two_dashes_end_the_options) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "name", "--", "--json"));
        ASSERT_FALSE(o.json);
        ASSERT_STR(o.args[0], "--json");
}

TEST(a_single_dash_is_an_argument) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "name", "-"));
        ASSERT_STR(o.args[0], "-");
}

TEST(zero_is_a_duration_and_no_interval) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "look", "--duration", "0s"));
        ASSERT_EQ_U(o.duration_usec, 0);
        ASSERT_FALSE(PARSE(&o, "look", "--interval", "0s"));
        ASSERT_HAS(error, "10ms");
}

TEST(help_needs_neither_verb_nor_arguments) {
        Options o;

        ASSERT_TRUE(PARSE(&o, "--help"));
        ASSERT_TRUE(o.help && !o.verb);
        ASSERT_TRUE(PARSE(&o, "name", "--help"));
        ASSERT_STR(o.verb->name, "name");
        ASSERT_TRUE(PARSE(&o, "help"));
        ASSERT_TRUE(o.help);
}

TEST(errors_say_what_was_expected) {
        Options o;

        ASSERT_FALSE(PARSE(&o, "look", "--rot", "x"));
        ASSERT_HAS(error, "did you mean --root?");
        ASSERT_FALSE(PARSE(&o, "lok"));
        ASSERT_HAS(error, "did you mean 'look'?");
        ASSERT_FALSE(PARSE(&o, "look", "--root"));
        ASSERT_HAS(error, "expected DIR");
        ASSERT_FALSE(PARSE(&o, "look", "--duration", "5"));
        ASSERT_HAS(error, "with its unit");
        ASSERT_TRUE(PARSE(&o, "look", "--exit-code")); /* common: of no use to it, but no error */
        ASSERT_FALSE(PARSE(&o, "still", "--root", "x"));
        ASSERT_HAS(error, "--root means nothing to the verb still");
        ASSERT_FALSE(PARSE(&o, "name", "a", "b", "c"));
        ASSERT_HAS(error, "'c'");
        ASSERT_FALSE(PARSE(&o, "name"));
        ASSERT_HAS(error, "FILE...");
}

TEST(the_hidden_option_is_never_suggested) {
        Options o;

        ASSERT_FALSE(PARSE(&o, "look", "--dump-table"));
        ASSERT_TRUE(strstr(error, "dump-tables") == NULL);
}

TEST(more_arguments_than_fit_are_an_error) {
        static const char *argv[OPTIONS_ARGS_MAX + 3];
        Options o;

        argv[0] = "alloctune";
        argv[1] = "name";
        for (size_t i = 2; i < ELEMENTSOF(argv); i++)
                argv[i] = "x";
        ASSERT_FALSE(options_parse((int) ELEMENTSOF(argv), argv, verbs, ELEMENTSOF(verbs), &o,
                                   error, sizeof(error)));
        ASSERT_HAS(error, "256");
}

TEST_MAIN()
