/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"
#include "conf/check.h"

/* The policies and profiles of the source tree, as they are installed. */
static char policy_dir[512];
static PolicySet *set;

static const ConfOptions *shipped(void) {
        static ConfOptions options;
        const char *source = getenv("SOURCE_ROOT");

        ASSERT_TRUE(
                text_format(policy_dir, sizeof(policy_dir), "%s/policies", source ? source : "."));
        options = (ConfOptions){ .prefix = "/nonexistent", .policy_dir = policy_dir };
        return &options;
}

static void load(ConfProfile profile) {
        set = policy_set_free(set);
        ASSERT_OK(policy_set_load(shipped(), NULL, profile, &set, &issues));
        ASSERT_STR(issues_text(), "");
        ASSERT_EQ_U(set->n_failed, 0);
}

static const Policy *policy(const char *name) {
        const Policy *p = policy_set_find(set, name);

        ASSERT_TRUE(p != NULL);
        return p;
}

TEST(every_shipped_policy_loads_without_an_issue) {
        static const char *const named[] = { "pcp-contention", "pcp-memory",  "slab-order",
                                             "slab-partial",   "slab-memory", "thp-defrag",
                                             "thp-alignment" };

        load(PROFILE_DEFAULT);
        ASSERT_EQ_U(set->n, set->files.n - 1); /* all but the profile */
        for (size_t i = 0; i < ELEMENTSOF(named); i++)
                ASSERT_FALSE(policy(named[i])->note);
        set = policy_set_free(set);
}

TEST(every_profile_loads_without_an_issue) {
        ASSERT_OK(conf_check_all(shipped(), &issues));
        ASSERT_STR(issues_text(), "");
        load(PROFILE_SMALL);
        load(PROFILE_LATENCY);
        set = policy_set_free(set);
}

TEST(a_policy_is_in_the_file_of_its_name) {
        load(PROFILE_DEFAULT);
        for (size_t i = 0; i < set->n; i++) {
                char wanted[128];

                ASSERT_TRUE(
                        text_format(wanted, sizeof(wanted), "/%s.policy", set->policies[i].name));
                ASSERT_HAS(set->policies[i].file, wanted);
                ASSERT_TRUE(set->policies[i].about[0] != '\0');
                if (i > 0)
                        ASSERT_LE_U(1, (unsigned) (strcmp(set->policies[i].name,
                                                          set->policies[i - 1].name) > 0));
        }
        set = policy_set_free(set);
}

TEST(pcp_contention_has_the_numbers_of_the_design) {
        const Policy *p;

        load(PROFILE_DEFAULT);
        p = policy("pcp-contention");
        ASSERT_STR(p->knob, "pcp-high-fraction");
        ASSERT_TRUE(p->apply);
        ASSERT_EQ_U(p->n_targets, 2);
        ASSERT_STR(p->target[0].signal, "zone-lock-wait");
        ASSERT_EQ_I(p->target[0].hot, 20000);
        ASSERT_EQ_I(p->target[0].cool, 10000);
        ASSERT_EQ_I(p->target[1].hot, 100000);
        ASSERT_EQ_I(p->target[1].cool, 50000);
        ASSERT_EQ_U(p->n_fallback, 1);
        ASSERT_EQ_I(p->fallback[0].hot, 300000);
        ASSERT_EQ_U(p->n_arms, 3);
        ASSERT_EQ_I(p->arm[0].multiple_milli, 2000);
        ASSERT_EQ_I(p->arm[2].multiple_milli, 8000);
        ASSERT_STR(p->arm[2].text, "8");
        ASSERT_EQ_I(p->parked_possible_ppm, 40000);
        ASSERT_EQ_U(p->n_guards, 10);
        ASSERT_EQ_I(p->most_loss_ppm, 0);
        ASSERT_TRUE(policy_guard_find(p, "hold-length") == NULL);
        set = policy_set_free(set);
}

TEST(profile_latency_adds_the_hold_length_guard) {
        const PolicyGuard *g;
        const Policy *p;

        load(PROFILE_LATENCY);
        p = policy("pcp-contention");
        g = policy_guard_find(p, "hold-length");
        ASSERT_TRUE(g != NULL);
        ASSERT_TRUE(g->limit_known);
        ASSERT_EQ_I(g->limit, 20000);
        ASSERT_EQ_I(g->action, GUARD_ACTION_CUT);
        ASSERT_EQ_I(g->evidence, EVIDENCE_ESTIMATED);
        ASSERT_EQ_I(p->most_loss_ppm, 30000);
        ASSERT_EQ_U(p->n_guards, 11);
        ASSERT_EQ_I(p->parked_possible_ppm, 40000);
        set = policy_set_free(set);
}

TEST(profile_small_halves_the_parked_bounds) {
        const Policy *p;

        load(PROFILE_SMALL);
        p = policy("pcp-contention");
        ASSERT_EQ_I(p->parked_seen_ppm, 10000);
        ASSERT_EQ_I(p->parked_possible_ppm, 20000);
        ASSERT_EQ_I(p->parked_seen_auto_ppm, 30000);
        ASSERT_EQ_I(p->memory_ppm, 2500);
        ASSERT_EQ_U(p->n_guards, 10);
        set = policy_set_free(set);
}

TEST(notes_have_no_knob_and_say_something) {
        unsigned n = 0;

        load(PROFILE_DEFAULT);
        for (size_t i = 0; i < set->n; i++) {
                const Policy *p = &set->policies[i];

                ASSERT_TRUE(p->note == (p->knob[0] == '\0'));
                ASSERT_TRUE(p->note == text_starts(text_from(p->name), "note-"));
                if (p->note) {
                        n++;
                        ASSERT_TRUE(p->text[0] != '\0');
                }
        }
        ASSERT_GE_U(n, 4);
        ASSERT_EQ_U(policy("note-kernel-free-high")->cpus_at_least, 256);
        ASSERT_TRUE(policy("note-lru-lock")->not_ours);
        set = policy_set_free(set);
}

TEST_MAIN()
