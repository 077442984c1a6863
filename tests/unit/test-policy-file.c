/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"
#include "conf/conf-load.h"
#include "conf/conf-table.h"

static Policy policy;

/* A good policy with more lines inside, from line 4 on. */
static const char *with(const char *more) {
        static char text[8192];

        ASSERT_TRUE(text_format(
                text, sizeof(text),
                "policy = {\n  name = \"p\"; knob = \"pcp-high-fraction\";\n"
                "  targets = ( { signal = \"zone-lock-wait\"; hot = 20000; } );\n%s\n};\n",
                more));
        return text;
}

static int parse(const char *text) {
        conf_issues_done(&issues);
        root[0] = '\0';
        return policy_parse("p.policy", text, strlen(text), NULL, &policy, &issues);
}

static void expect(const char *text, const char *expected) {
        int r = parse(text);

        ASSERT_STR(issues_text(), expected);
        ASSERT_EQ_I(r, issues.n_errors > 0 ? 1 : 0);
        conf_issues_done(&issues);
}

static void expect_more(const char *more, const char *expected) {
        expect(with(more), expected);
}

TEST(name_knob_and_targets_are_enough) {
        Policy defaults;

        expect(with(""), "");
        policy_init(&defaults);
        ASSERT_STR(policy.name, "p");
        ASSERT_FALSE(policy.note);
        ASSERT_STR(policy.scope, "system");
        ASSERT_EQ_I(policy.evidence, EVIDENCE_COUNTED);
        ASSERT_EQ_I(policy.controller, CONTROLLER_LADDER);
        ASSERT_EQ_U(policy.n_guards, 10);
        ASSERT_EQ_U(policy.n_guards, defaults.n_guards);
        ASSERT_EQ_I(policy.target[0].cool, 10000); /* half of hot */
        ASSERT_EQ_U(policy.target[0].windows_hot, 3);
        ASSERT_EQ_U(policy.target[0].windows_cool, 6);
        ASSERT_EQ_U(policy.target[0].line, 3);
        ASSERT_EQ_U(policy.window_usec, USEC_UNKNOWN);
        ASSERT_STR(policy.file, "p.policy");
}

TEST(a_target_of_one_cools_at_zero) {
        expect("policy = { name = \"p\"; knob = \"thp-defrag\"; targets = ( { signal = \"compact-stall\"; hot = 1; } ); };",
               "");
        ASSERT_EQ_I(policy.target[0].cool, 1);
}

/* The table's text of every default against what policy_init() has in force. */
TEST(the_table_has_the_defaults_in_force) {
        size_t n, compared = 0;
        const ConfKey *keys = policy_keys(&n);
        Policy defaults;
        PolicyTarget target = { .windows_hot = 3, .windows_cool = 6 };

        policy_init(&defaults);
        for (size_t i = 0; i < n; i++) {
                bool of_target = strncmp(keys[i].name, "targets.", 8) == 0 ||
                                 strncmp(keys[i].name, "fallback.", 9) == 0;
                char value[1400];

                if (!keys[i].def ||
                    !conf_key_format(&keys[i], of_target ? (void *) &target : (void *) &defaults,
                                     value, sizeof(value)))
                        continue;
                ASSERT_STR(value, keys[i].def);
                compared++;
        }
        ASSERT_GE_U(compared, 25);
        ASSERT_EQ_U(defaults.quads[0] * 10000 + defaults.quads[1] * 100 + defaults.quads[2], 30612);
        ASSERT_EQ_U(defaults.n_arms + defaults.n_must_not_rise + defaults.n_fallback, 0);
}

TEST(every_key_is_read) {
        expect("policy = { name = \"q\"; about = \"x\"; mode = \"recommend\"; knob = \"slab-cpu-partial\"; scope = \"cache:kmalloc-*\";\n"
               "evidence = \"measured\"; gate = { use = 1; kernel_cpu = 2; saving = 3; saving_cpus_milli = 4; smooth = \"5s\"; };\n"
               "targets = ( { signal = \"list-lock-wait\"; hot = 20000; cool = 7; windows_hot = 8; windows_cool = 9; } );\n"
               "fallback = ( { signal = \"zone-lock-use\"; hot = 300000; cool = 150000; } );\n"
               "cost = \"psi-memory-some\"; least_gain = 10; most_loss = 11; must_not_rise = ( \"alloc-rate\", \"compact-stall\" );\n"
               "controller = \"fixed\"; arms = ( 2, \"1.5\" ); bounds = { parked_seen = 12; parked_seen_auto = 13; parked_possible = 14;\n"
               "memory = 15; }; guards = ( \"free\", { name = \"psi-memory\"; some = 16; full = 17; } ); quads = [ 7, 8, 11 ];\n"
               "window = \"80s\"; settle = \"9s\"; write_gap = \"20s\"; probation = \"1h\"; cooldown = \"2h\"; revalidate = \"3h\";\n"
               "claim = true; isolated = true; kernel = \"6.7..\"; cpus_at_least = 18; text = \"t\"; reference = \"r\"; };",
               "");
        ASSERT_FALSE(policy.apply);
        ASSERT_STR(policy.scope, "cache:kmalloc-*");
        ASSERT_EQ_I(policy.evidence, EVIDENCE_MEASURED);
        ASSERT_EQ_I(policy.gate.use_ppm, 1);
        ASSERT_EQ_I(policy.gate.kernel_cpu_ppm, 2);
        ASSERT_EQ_I(policy.gate.saving_ppm, 3);
        ASSERT_EQ_I(policy.gate.saving_cpus_milli, 4);
        ASSERT_EQ_U(policy.gate.smooth_usec, 5000000);
        ASSERT_EQ_I(policy.target[0].cool, 7);
        ASSERT_EQ_U(policy.target[0].windows_hot, 8);
        ASSERT_EQ_U(policy.target[0].windows_cool, 9);
        ASSERT_EQ_U(policy.n_fallback, 1);
        ASSERT_STR(policy.cost, "psi-memory-some");
        ASSERT_EQ_I(policy.least_gain_ppm, 10);
        ASSERT_EQ_I(policy.most_loss_ppm, 11);
        ASSERT_EQ_U(policy.n_must_not_rise, 2);
        ASSERT_STR(policy.must_not_rise[1], "compact-stall");
        ASSERT_EQ_I(policy.controller, CONTROLLER_FIXED);
        ASSERT_EQ_U(policy.n_arms, 2);
        ASSERT_EQ_I(policy.arm[0].multiple_milli, 2000);
        ASSERT_EQ_I(policy.arm[1].multiple_milli, 1500);
        ASSERT_STR(policy.arm[1].text, "1.5");
        ASSERT_EQ_I(policy.parked_seen_ppm, 12);
        ASSERT_EQ_I(policy.parked_seen_auto_ppm, 13);
        ASSERT_EQ_I(policy.parked_possible_ppm, 14);
        ASSERT_EQ_I(policy.memory_ppm, 15);
        ASSERT_EQ_U(policy.n_guards, 2);
        ASSERT_EQ_I(policy.guard[1].some_ppm, 16);
        ASSERT_EQ_I(policy.guard[1].full_ppm, 17);
        ASSERT_EQ_I(policy.guard[1].rise_ppm, 20000); /* not named: its default */
        ASSERT_EQ_U(policy.quads[2], 11);
        ASSERT_EQ_U(policy.window_usec, 80000000);
        ASSERT_EQ_U(policy.settle_usec, 9000000);
        ASSERT_EQ_U(policy.write_gap_usec, 20000000);
        ASSERT_EQ_U(policy.revalidate_usec, 10800000000);
        ASSERT_TRUE(policy.claim);
        ASSERT_TRUE(policy.isolated);
        ASSERT_STR(policy.kernel, "6.7..");
        ASSERT_EQ_U(policy.cpus_at_least, 18);
}

/* Limits as published for each guard, in the order of the table of guards. */
TEST(guards_by_bare_name_take_the_published_limits) {
        const PolicyGuard *g;

        expect(with(""), "");
        g = policy_guard_find(&policy, "free");
        ASSERT_EQ_I(g->level_ppm, 500000); /* low + (high - low) / 2 */
        ASSERT_EQ_I(g->limit, 0);
        ASSERT_EQ_U(g->pause_usec, 600000000);
        g = policy_guard_find(&policy, "psi-memory");
        ASSERT_EQ_I(g->some_ppm, 50000);
        ASSERT_EQ_I(g->full_ppm, 10000);
        ASSERT_EQ_I(g->rise_ppm, 20000);
        ASSERT_EQ_U(g->pause_usec, 1800000000);
        g = policy_guard_find(&policy, "parked");
        ASSERT_EQ_I(g->action, GUARD_ACTION_CUT);
        ASSERT_FALSE(g->limit_known);
        g = policy_guard_find(&policy, "slab-unreclaimable");
        ASSERT_EQ_I(g->limit, 67108864);
        ASSERT_EQ_I(g->share_ppm, 5000);
        ASSERT_EQ_U(g->block_usec, UINT64_C(604800000000));
        g = policy_guard_find(&policy, "fragmentation");
        ASSERT_EQ_I(g->times_milli, 2000);
        ASSERT_EQ_I(g->limit, 1);
        ASSERT_EQ_I(g->fail_ppm, 500000);
        ASSERT_EQ_I(g->fallback_ppm, 50000);
        g = policy_guard_find(&policy, "own-cost");
        ASSERT_EQ_I(g->limit, 5000);
        ASSERT_EQ_U(g->read_usec, 50000);
        ASSERT_EQ_I(policy_guard_find(&policy, "contained")->steal_ppm, 100000);
        ASSERT_TRUE(policy_guard_find(&policy, "hold-length") == NULL);
}

TEST(unknown_names_are_errors_with_the_nearest_one) {
        expect_more("  contrller = \"ladder\";",
                    "p.policy:4: error: unknown key \"contrller\", did you mean \"controller\"?");
        expect_more("  gate = {\n    uze = 1; };",
                    "p.policy:5: error: unknown key \"uze\" in gate, did you mean \"use\"?");
        expect("policy = { name = \"p\"; knob = \"pcp-high-frction\";\n targets = ( ); };",
               "p.policy:1: error: unknown knob \"pcp-high-frction\", did you mean \"pcp-high-fraction\"?");
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = (\n { signal = \"zone-lock-wiat\"; hot = 1; } ); };",
               "p.policy:2: error: unknown signal \"zone-lock-wiat\", did you mean \"zone-lock-wait\"?");
        expect_more(
                "guards = ( \"free\",\n \"psi-memroy\" );",
                "p.policy:5: error: unknown guard \"psi-memroy\", did you mean \"psi-memory\"?");
        expect_more(
                "guards = ( { name = \"psi-memory\";\n sme = 5; } );",
                "p.policy:5: error: unknown key \"sme\" in guard psi-memory, did you mean \"some\"?");
        expect_more(
                "must_not_rise = ( \"kernel-cpu-per-page\" );",
                "p.policy:4: error: unknown signal \"kernel-cpu-per-page\", did you mean \"kernel-cpu-per-kpage\"?");
        expect_more("cost = \"nothing-like-it\";",
                    "p.policy:4: error: unknown signal \"nothing-like-it\"");
}

TEST(missing_keys_are_said) {
        expect("policy = {\n };",
               "p.policy:1: error: name is missing\np.policy:1: error: targets is missing");
        expect("policy = { name = \"p\"; targets = ( { hot = 5; } ); };",
               "p.policy:1: error: targets.signal is missing");
        expect("policy = { name = \"p\"; targets = ( { signal = \"alloc-rate\"; hot = 5; } ); };",
               "p.policy:1: error: knob is missing (or, for a note, controller = \"advise\";)");
        expect("x = 1;", "p.policy:1: error: unknown key \"x\", expected policy = { ... }; alone\n"
                         "p.policy:0: error: no policy in the file, expected policy = { ... };");
        expect("", "p.policy:0: error: no policy in the file, expected policy = { ... };");
        expect("policy = 5;",
               "p.policy:1: error: the file is an integer, expected a group of keys, in { }");
}

TEST(wrong_types_and_ranges_are_said) {
        expect_more(
                "least_gain = \"2%\";",
                "p.policy:4: error: least_gain is a string, expected an integer from 0 to 1000000 ppm");
        expect_more(
                "least_gain = 1000001;",
                "p.policy:4: error: least_gain is 1000001, expected an integer from 0 to 1000000 ppm");
        expect_more("claim = 1;", "p.policy:4: error: claim is an integer, expected true or false");
        expect_more("targets = 5;", "p.policy:4: error: duplicate setting name");
        expect_more(
                "arms = ( 2.5 );",
                "p.policy:4: error: arms has a fraction, expected integers and strings (\"1.5\")");
        expect_more("arms = ( -1 );", "p.policy:4: error: arms has -1, expected 0 to 2147483647");
        expect_more("arms = ( 1, 2, 3, 4, 5, 6, 7, 8, 9 );",
                    "p.policy:4: error: arms has 9 members, expected at most 8");
        expect_more("quads = [ 6, 9 ];", "p.policy:4: error: quads has 2 members, expected three");
        expect_more(
                "quads = [ 2, 9, 12 ];",
                "p.policy:4: error: quads must be three rising integers from 3 to 12, such as [ 3, 6, 12 ]");
        expect_more(
                "quads = [ 9, 9, 12 ];",
                "p.policy:4: error: quads must be three rising integers from 3 to 12, such as [ 3, 6, 12 ]");
        expect_more(
                "guards = ( { name = \"psi-memory\"; some = 2000000; } );",
                "p.policy:4: error: guards.psi-memory.some is 2000000, expected an integer from 0 to 1000000 ppm");
        expect_more(
                "guards = ( { name = \"free\"; pause = 5; } );",
                "p.policy:4: error: guards.free.pause is an integer, expected a time from \"0us\" to \"7d\" (units us, ms, s, "
                "min, h, d)");
        expect_more("guards = ( { some = 5; } );", "p.policy:4: error: a guard has no name");
        expect_more("guards = ( \"free\", \"free\" );",
                    "p.policy:4: error: guards names \"free\" twice");
        expect_more(
                "guards = ( \"hold-length\" );",
                "p.policy:4: error: guard hold-length has no limit, expected limit = NANOSECONDS");
        expect_more("guards = ( { name = \"contained\"; action = \"cut\"; } );",
                    "p.policy:4: error: guard contained has no action to choose");
        expect_more("about = \"two\nlines\";",
                    "p.policy:4: error: about has a control character, expected one line of text");
        expect_more(
                "cpus_at_least = 4294967297L;",
                "p.policy:4: error: cpus_at_least is 4294967297, expected an integer from 0 to 8192 CPUs");
}

TEST(limits_must_be_reachable_and_in_order) {
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = (\n"
               " { signal = \"zone-lock-wait\"; hot = 10000; cool = 20000; } ); };",
               "p.policy:2: error: zone-lock-wait: hot is 10000 and cool 20000, expected hot of at least cool");
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = (\n"
               " { signal = \"zone-lock-wait\"; hot = 1000001; } ); };",
               "p.policy:2: error: zone-lock-wait: hot is 1000001 ppm, expected at most 1000000");
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = (\n"
               " { signal = \"zone-lock-wait\"; hot = 0; } ); };",
               "p.policy:2: error: zone-lock-wait: hot is 0, which always holds, expected at least 1");
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = (\n"
               " { signal = \"zone-lock-wait-per-kpage\"; hot = 3000000000L; } ); };",
               ""); /* ns have no such end */
        expect_more(
                "bounds = { parked_possible = 5; };",
                "p.policy:4: error: bounds.parked_possible is 5, expected at least bounds.parked_seen (20000)");
        expect_more("targets_x = 1;",
                    "p.policy:4: error: unknown key \"targets_x\", did you mean \"targets\"?");
}

TEST(arms_must_be_values_of_the_knob) {
        expect_more("arms = ( \"cap\", \"kernel\", 2 );", "");
        expect_more(
                "arms = ( \"double\" );",
                "p.policy:4: error: arms has \"double\", but knob pcp-high-fraction takes \"kernel\", "
                "\"cap\" or multiples of its default from 0.001 to 1000000");
        expect("policy = { name = \"p\"; knob = \"thp-defrag\"; targets = ( { signal = \"compact-stall\"; hot = 1; } );\n"
               "arms = ( \"defer\", \"later\" ); };",
               "p.policy:2: error: arms has \"later\", but knob thp-defrag takes \"always\", \"defer\", \"defer+madvise\", "
               "\"madvise\", \"never\"");
        expect("policy = { name = \"p\"; knob = \"zone-reclaim-mode\"; controller = \"advise\"; targets = ( );\narms = ( 8 ); };",
               "p.policy:2: error: arms has \"8\", but knob zone-reclaim-mode takes 0 to 7");
        expect("policy = { name = \"p\"; knob = \"zone-reclaim-mode\"; controller = \"advise\"; targets = ( );\narms = ( 0 ); };",
               "");
        expect("policy = { name = \"p\"; knob = \"slab-order\"; scope = \"cache:*\"; controller = \"advise\"; targets = ( );\n"
               "arms = ( 2 ); };",
               "p.policy:2: error: arms has \"2\", but knob slab-order is never written, expected ( )");
        /* The ceiling of min_partial is 64: 100 times any default is above it. */
        expect("policy = { name = \"p\"; knob = \"slab-min-partial\"; scope = \"cache:*\";\n"
               "targets = ( { signal = \"list-lock-wait\"; hot = 1; } ); arms = ( 100 ); };",
               "p.policy:2: error: arms has \"100\", but knob slab-min-partial takes multiples of its default from 0.001 to 64");
}

TEST(scopes_must_be_ones_of_the_knob) {
        expect_more(
                "scope = \"cache:*\";",
                "p.policy:4: error: scope is \"cache:*\", but knob pcp-high-fraction has \"system\"");
        expect("policy = { name = \"p\"; knob = \"slab-cpu-partial\"; targets = ( { signal = \"list-lock-wait\"; hot = 1; } ); };",
               "p.policy:1: error: scope is \"system\", but knob slab-cpu-partial has \"cache:*\"");
        expect("policy = { name = \"p\"; knob = \"slab-cpu-partial\"; scope = \"cache:\";"
               "targets = ( { signal = \"list-lock-wait\"; hot = 1; } ); };",
               "p.policy:1: error: scope is \"cache:\", but knob slab-cpu-partial has \"cache:*\"");
}

TEST(windows_must_hold_the_writes) {
        expect_more(
                "window = \"7s\";",
                "p.policy:4: error: window is 7s, expected nine tenths of it to be at least write_gap (5s) and 2s");
        expect_more("settle = \"10s\";",
                    "p.policy:4: error: settle is 10s, expected less than the window of 10s");
        expect_more("window = \"8s\";", "");
}

TEST(knobs_that_are_never_written_can_only_be_advised_on) {
        expect("policy = { name = \"p\"; knob = \"min-free\"; targets = ( { signal = \"allocstall\"; hot = 1; } );\n"
               "controller = \"ladder\"; };",
               "p.policy:2: error: knob min-free is never written, expected controller = \"advise\"");
        expect("policy = { name = \"p\"; knob = \"min-free\"; targets = ( { signal = \"allocstall\"; hot = 1; } );\n"
               "controller = \"advise\"; };",
               "");
        expect("policy = { name = \"p\"; knob = \"pcp-high-fraction\"; targets = ( ); };",
               "p.policy:1: error: targets is empty, expected a target or controller = \"advise\"");
}

TEST(notes_have_text_and_a_reason_to_speak) {
        expect("policy = { name = \"n\"; controller = \"advise\"; kernel = \"6.7..6.11.6\"; targets = ( ); text = \"known\"; };",
               "");
        ASSERT_TRUE(policy.note);
        ASSERT_FALSE(policy.not_ours);
        expect("policy = { name = \"n\"; controller = \"advise\"; verdict = \"not-ours\"; text = \"known\";\n"
               "targets = ( { signal = \"lru-lock-wait\"; hot = 20000; } ); };",
               "");
        ASSERT_TRUE(policy.not_ours);
        expect("policy = { name = \"n\"; controller = \"advise\"; kernel = \"6.7..\"; targets = ( ); };",
               "p.policy:1: error: a note has no text");
        expect("policy = { name = \"n\"; controller = \"advise\"; targets = ( ); text = \"known\"; };",
               "p.policy:1: error: a note has no targets, no kernel and no cpus_at_least: it could never speak");
        expect("policy = { name = \"n\"; controller = \"advise\"; targets = ( ); text = \"known\";\nkernel = \"6.7-6.9\"; };",
               "p.policy:2: error: kernel is \"6.7-6.9\", expected releases such as \"6.7..6.11.6\" or \"7.0..\"");
        expect_more("verdict = \"not-ours\";",
                    "p.policy:4: error: verdict is for notes, expected no knob");
        expect("policy = { name = \"N 1\"; controller = \"advise\"; kernel = \"6.7..\"; targets = ( ); text = \"known\"; };",
               "p.policy:1: error: name is \"N 1\", expected lower case letters, digits, - . and _");
}

TEST(externals_are_signals) {
        _cleanup_(conf_freep) Conf *conf = conf_new();
        static const char text[] = "policy = { name = \"p\"; knob = \"thp-defrag\"; targets = (\n"
                                   "{ signal = \"external:stall\"; hot = 5; } ); };";
        static const char cost[] =
                "policy = { name = \"p\"; knob = \"thp-defrag\"; cost = \"external:stall\";\n"
                "targets = ( { signal = \"compact-stall\"; hot = 5; } ); };";

        expect(text, ""); /* not configured: the adviser says it is unknown */
        ASSERT_OK(conf_apply_text(
                conf, "c",
                "externals = ( { name = \"stall\"; path = \"/s\"; unit = \"ns\"; better = \"higher\"; } );",
                &issues));
        ASSERT_EQ_I(policy_parse("p.policy", text, sizeof(text) - 1, conf, &policy, &issues), 1);
        expect_issues(
                "p.policy:2: error: signal \"external:stall\" is better when higher, expected one that is better when lower");
        /* A trial turns it around. */
        ASSERT_OK(policy_parse("p.policy", cost, sizeof(cost) - 1, conf, &policy, &issues));
        ASSERT_STR(policy.cost, "external:stall");
        expect_issues("");
        expect("policy = { name = \"p\"; knob = \"thp-defrag\"; targets = (\n{ signal = \"external:\"; hot = 5; } ); };",
               "p.policy:2: error: signal \"external:\", expected external:NAME with lower case letters, digits, - . _");
        expect("policy = { name = \"p\"; knob = \"thp-defrag\"; targets = (\n{ signal = \"external\"; hot = 5; } ); };",
               "p.policy:2: error: unknown signal \"external\"");
}

TEST(all_errors_of_a_policy_are_said) {
        expect("policy = {\n name = \"p\";\n knob = \"pcp-high-frction\";\n mode = \"x\";\n unknown = 1;\n"
               " targets = ( { signal = \"nope\"; hot = 1; },\n { signal = \"zone-lock-wait\"; hot = 1; cool = 2; } );\n};",
               "p.policy:4: error: mode is \"x\", expected \"apply\" or \"recommend\"\n"
               "p.policy:5: error: unknown key \"unknown\"\n"
               "p.policy:6: error: unknown signal \"nope\"\n"
               "p.policy:7: error: zone-lock-wait: hot is 1 and cool 2, expected hot of at least cool\n"
               "p.policy:3: error: unknown knob \"pcp-high-frction\", did you mean \"pcp-high-fraction\"?");
}

TEST(include_and_overflow_are_refused_in_policies_too) {
        expect_more(
                "@include \"/etc/shadow\"",
                "p.policy:4: error: @include is not supported, expected a file in the drop-in directory instead");
        expect_more("least_gain = 4294967297;",
                    "p.policy:4: error: 4294967297 needs more than 32 bits, expected 4294967297L");
        expect_more("least_gain = 18446744073709551617L;",
                    "p.policy:4: error: 18446744073709551617L needs more than 64 bits");
}

TEST_MAIN()
