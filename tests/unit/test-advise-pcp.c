/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advise-world.h"

/* The world of advise-world.h: 16,000,000 managed pages, low watermark 24,000, 48 local CPUs. */

static Policy *contention(void) {
        Policy *p = policy_on("pcp-high-fraction", "zone-lock-wait", 20000);

        growth_arms(p);
        return p;
}

static Policy *cutting(const char *guard, int64_t limit) {
        Policy *p = policy_on("pcp-high-fraction", "pcp-parked", 900000);
        PolicyGuard *g = &p->guard[0];

        p->n_guards = 1;
        ASSERT_TRUE(policy_guard_init(g, guard));
        g->limit_known = true;
        g->limit = limit;
        g->action = GUARD_ACTION_CUT;
        g->evidence = EVIDENCE_ESTIMATED;
        p->parked_possible_ppm = 1000000;
        return p;
}

static void parked(uint32_t count_each, uint64_t free) {
        for (unsigned i = 0; i < 48; i++)
                w.pagesets[i].count = count_each;
        w.zone.free = KNOWN(free);
}

TEST(fraction_8_already_reaches_the_ceiling_of_the_tuner) {
        const Recommendation *r;

        world_init(PCP_GEN_AUTO, 8);
        contention()->claim = true;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "8");
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_STR(r->to, "");
        ASSERT_HAS(r->reason, "41,666"); /* 16,000,000 / 8 / 48 */
}

TEST(what_a_tuning_kernel_does_is_said_once) {
        const Recommendation *r;
        Knob *k;

        world_init(PCP_GEN_AUTO, 0);
        (void) contention();
        k = add_knob("pcp-high-fraction", KNOB_KERNEL, "0");
        (void) text_copy(k->reason, sizeof(k->reason), TEXT("the kernel tunes each list itself"));
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_HAS(r->reason, "41,666");
        ASSERT_TRUE(strstr(r->reason, "no trial") == NULL);
}

TEST(a_guard_takes_the_command_away_and_keeps_the_value) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 0);
        (void) contention();
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        w.zone.free = KNOWN(24000);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_STR(r->to, "21164"); /* 16,000,000 / (2 * 378) */
        ASSERT_STR(r->how, "");
}

TEST(what_forbids_every_write_leaves_no_command) {
        static const char *const deny[] = { "pcp-*" };
        const Recommendation *r;
        Knob *k;

        world_init(PCP_GEN_FRACTION, 0);
        (void) contention();
        k = add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        w.input.deny_knobs = deny;
        w.input.n_deny_knobs = 1;
        r = only_recommendation();
        ASSERT_STR(r->how, "");
        ASSERT_HAS(r->reason, "deny_knobs");
        w.input.n_deny_knobs = 0;
        w.facts.contained = true;
        (void) text_copy(w.facts.contained_why, sizeof(w.facts.contained_why), TEXT("a container"));
        r = only_recommendation();
        ASSERT_STR(r->how, "");
        ASSERT_HAS(r->reason, "no trial: a container");
        /* Who is only not root may still do it as root. */
        w.facts.contained = false;
        k->state = KNOB_DENIED;
        (void) text_copy(k->reason, sizeof(k->reason), TEXT("needs root; 378 pages"));
        r = only_recommendation();
        ASSERT_EQ_I(r->apply, APPLY_NONE);
        ASSERT_HAS(r->how, "echo 21164 > ");
        ASSERT_HAS(r->reason, "no trial: needs root");
        ASSERT_TRUE(strstr(r->reason, "378 pages;") == NULL);
}

TEST(stolen_time_leaves_it_at_advice) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 0);
        (void) contention();
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        add_signal("cpu-steal", 100000, EVIDENCE_COUNTED); /* the limit itself */
        ASSERT_EQ_I(only_recommendation()->verdict, VERDICT_TUNE);
        w.signals[0].value = 100001;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_HAS(r->reason, "guard contained");
}

TEST(owner_is_named_with_file_and_line) {
        AdminSetting setting = { .file = "/etc/sysctl.d/10-net.conf", .line = 7 };
        const Recommendation *r;
        Knob *k;

        world_init(PCP_GEN_AUTO, 1024);
        (void) contention();
        k = add_knob("pcp-high-fraction", KNOB_LIVE, "1024");
        k->owner = OWNER_ADMIN;
        k->set_by = &setting;
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->apply, APPLY_WRITE);
        ASSERT_HAS(r->reason, "/etc/sysctl.d/10-net.conf:7");
}

TEST(a_value_that_cannot_be_read_is_not_0) {
        const Recommendation *r;
        Knob *k;

        world_init(PCP_GEN_AUTO, 0);
        w.pcp.fraction = UNKNOWN;
        (void) contention();
        k = add_knob("pcp-high-fraction", KNOB_DENIED, "");
        (void) text_copy(k->reason, sizeof(k->reason), TEXT("its content is no number"));
        add_signal("zone-lock-wait", 10000, EVIDENCE_MEASURED);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_notes, 1);
        ASSERT_HAS(w.advice.notes[0].text, "present value is unknown");
        ASSERT_TRUE(strstr(w.advice.notes[0].text, "tunes the lists itself") == NULL);
        w.signals[0].value = 300000;
        r = only_recommendation();
        ASSERT_STR(r->from, "");
        ASSERT_STR(r->to, "");
        ASSERT_HAS(r->reason, "its content is no number");
}

/* A cap of 252 pages is no cut where the lists are shorter already. */
TEST(a_cut_never_makes_lists_longer) {
        static const struct {
                PcpGen gen;
                uint64_t fraction;
        } cases[] = {
                { PCP_GEN_FRACTION, 1000000 }, /* high 16 */
                { PCP_GEN_HIGH, 2000000 },     /* the floor of 4 batches */
                { PCP_GEN_AUTO, 2000000 },
                { PCP_GEN_AUTO, 1318 }, /* what the cap would write */
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                world_init(cases[i].gen, cases[i].fraction);
                cutting("hold-length", 20000)->claim = true;
                (void) add_knob("pcp-high-fraction", KNOB_LIVE, "1");
                add_signal("pcp-hold-length", 449775, EVIDENCE_MEASURED);
                ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
                ASSERT_EQ_U(w.advice.n_recommendations, 0);
                ASSERT_HAS(w.advice.notes[0].text, "nothing left to cut");
        }
}

TEST(a_target_that_wants_shorter_lists_never_makes_them_longer) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_FRACTION, 1000000);
        p = policy_on("pcp-high-fraction", "pcp-hold-length", 100000);
        arms(p, 1, (int64_t[]){ 0 }, (const char *[]){ "cap" });
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "1000000");
        add_signal("pcp-hold-length", 449775, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_STR(r->to, "");
        ASSERT_HAS(r->reason, "as small as this knob makes them");
}

TEST(a_cut_shows_the_grade_of_the_reading_not_of_the_guard) {
        const Recommendation *r;

        world_init(PCP_GEN_AUTO, 0);
        (void) cutting("hold-length", 20000);
        (void) add_knob("pcp-high-fraction", KNOB_KERNEL, "0");
        add_signal("pcp-hold-length", 449775, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_CUT);
        ASSERT_EQ_I(r->evidence, EVIDENCE_MEASURED);
        w.signals[0].evidence = EVIDENCE_ESTIMATED;
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_CUT);
        ASSERT_EQ_I(r->evidence, EVIDENCE_ESTIMATED);
        ASSERT_TRUE(r->confidence < CONFIDENCE_HIGH);
}

/* 16,000,000 / 20 / 48 = 16,666 pages a list; default 24,000 / 48 = 500. */
TEST(a_parked_cut_follows_the_excess_and_halves_at_most) {
        const Recommendation *r;

        world_init(PCP_GEN_HIGH, 20);
        cutting("parked", 40000)->claim = true;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "20");
        /* 16,000 * 48 = 768,000 pages, 4.8 %: 20 % above the limit; high * 0.8 = 13,332; 16,000,000 / (13,332 * 48) = 25 */
        parked(16000, 70000);
        r = only_recommendation();
        ASSERT_EQ_I(r->verdict, VERDICT_CUT);
        ASSERT_STR(r->to, "25");
        ASSERT_HAS(r->reason, "high = 13,333 pages (16,000,000 managed / 25 / 48 CPUs)");
        /* 8 %: twice the limit; half of 16,666 is 8,333: F = 40 */
        parked(26667, 70000);
        r = only_recommendation();
        ASSERT_STR(r->to, "40");
        ASSERT_TRUE(strstr(r->expect, "0 %") == NULL);
}

TEST(two_guards_that_cut_are_both_said_and_the_deeper_cut_is_made) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_HIGH, 20);
        p = cutting("hold-length", 20000);
        p->claim = true;
        p->n_guards = 2;
        ASSERT_TRUE(policy_guard_init(&p->guard[1], "parked"));
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "20");
        add_signal("pcp-hold-length", 90720, EVIDENCE_ESTIMATED);
        parked(16000, 70000);
        r = only_recommendation();
        /* Smallest F with 16,000,000 / F / 48 <= 252. */
        ASSERT_STR(r->to, "1318");
        ASSERT_HAS(r->reason, "90.7 us, limit 20 us; 4.8 %");
}

TEST(a_list_of_more_than_the_zone_holds_the_zone) {
        const Recommendation *r;

        world_init(PCP_GEN_FRACTION, 8);
        (void) policy_on("pcp-high-fraction", "pcp-parked", 900000);
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "8");
        r = only_recommendation();
        ASSERT_STR(r->to, "1200"); /* 48 CPUs / 4 % */
        ASSERT_HAS(r->reason, "hold all of node 0 zone Normal (61.0 GiB)");
}

/* Of two policies without a trial, the one that has something to do speaks for the knob. */
TEST(advice_with_a_value_comes_before_advice_without) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_AUTO, 0);
        (void) contention();
        p = policy_on("pcp-high-fraction", "pcp-hold-length", 100000);
        (void) text_copy(p->name, sizeof(p->name), TEXT("z-holds"));
        arms(p, 1, (int64_t[]){ 0 }, (const char *[]){ "cap" });
        p->apply = false;
        (void) add_knob("pcp-high-fraction", KNOB_KERNEL, "0");
        add_signal("zone-lock-wait", 300000, EVIDENCE_MEASURED);
        add_signal("pcp-hold-length", 449775, EVIDENCE_MEASURED);
        r = only_recommendation();
        ASSERT_STR(r->policy->name, "z-holds");
        ASSERT_STR(r->to, "1318");
}

TEST(a_policy_for_large_machines_is_silent_on_small_ones) {
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        p = contention();
        p->cpus_at_least = 49;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-wait", 855800, EVIDENCE_MEASURED);
        ASSERT_EQ_I(advise(&w.arena, &w.input, &w.advice), 0);
        ASSERT_EQ_U(w.advice.n_recommendations + w.advice.n_notes, 0);
        p->cpus_at_least = 48;
        ASSERT_EQ_I(only_recommendation()->verdict, VERDICT_TUNE);
}

TEST(of_fallbacks_the_hot_one_gives_the_grade) {
        const Recommendation *r;
        Policy *p;

        world_init(PCP_GEN_FRACTION, 0);
        p = contention();
        p->n_fallback = 2;
        (void) text_copy(p->fallback[0].signal, sizeof(p->fallback[0].signal),
                         TEXT("zone-lock-use"));
        p->fallback[0].hot = 300000;
        (void) text_copy(p->fallback[1].signal, sizeof(p->fallback[1].signal), TEXT("alloc-rate"));
        p->fallback[1].hot = 1000;
        (void) add_knob("pcp-high-fraction", KNOB_LIVE, "0");
        add_signal("zone-lock-use", 200000, EVIDENCE_ESTIMATED); /* cold */
        add_signal("alloc-rate", 2000, EVIDENCE_COUNTED);        /* hot */
        r = only_recommendation();
        ASSERT_EQ_I(r->evidence, EVIDENCE_COUNTED);
        ASSERT_EQ_I(r->verdict, VERDICT_ADVISE);
        ASSERT_EQ_I(r->apply, APPLY_NONE);
}

TEST_MAIN()
