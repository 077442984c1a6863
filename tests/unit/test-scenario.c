/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf-root.h"
#include "conf/scenario.h"

static Scenario scenario;
static PlantMachine machine;

#define MACHINE                                                                            \
        "{ name = \"m\"; kernel = \"6.12\"; cpus = 8; nodes = 2; possible = 12; memory = " \
        "\"2GiB\"; }"

/* A good scenario with more lines inside, from line 4 on. */
static const char *with(const char *more) {
        static char text[16384];

        ASSERT_TRUE(
                text_format(text, sizeof(text),
                            "scenario = {\n  name = \"s\"; duration = \"1h\"; machine = %s;\n"
                            "  phases = ( { name = \"a\"; }, { name = \"b\"; pages = 0.5; } );\n"
                            "%s\n};\n",
                            MACHINE, more));
        return text;
}

static int parse(const char *text) {
        scenario_done(&scenario);
        conf_issues_done(&issues);
        return scenario_parse("s.scenario", text, strlen(text), &scenario, &issues);
}

/* All issues, one a line. */
static const char *said(void) {
        static char text[8192];
        size_t used = 0;

        text[0] = '\0';
        for (size_t i = 0; i < issues.n; i++) {
                ASSERT_TRUE(text_format(text + used, sizeof(text) - used, "%s:%u: %s\n",
                                        issues.items[i].file, issues.items[i].line,
                                        issues.items[i].text));
                used += strlen(text + used);
        }
        return text;
}

static void good(const char *more) {
        int r = parse(with(more));

        ASSERT_STR(said(), "");
        ASSERT_OK(r);
}

static void bad(const char *more, const char *expected) {
        int r = parse(with(more));

        ASSERT_STR(said(), expected);
        ASSERT_EQ_I(r, 1);
        conf_issues_done(&issues);
}

static void end(void) {
        scenario_done(&scenario);
        conf_issues_done(&issues);
}

TEST(name_duration_machine_and_a_phase_are_enough) {
        good("");
        ASSERT_STR(scenario.name, "s");
        ASSERT_EQ_U(scenario.duration_usec, 3600 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.tick_usec, 10 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.tick_trial_usec, 2 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.sim.noise, SIM_NOISE_CALM);
        ASSERT_FALSE(scenario.sim.events_plant);
        ASSERT_EQ_U(scenario.sim.seed, 1);
        ASSERT_EQ_U(scenario.sim.n_phases, 2);
        ASSERT_STR(scenario.sim.phase[1].name, "b");
        ASSERT_TRUE(scenario.sim.phase[0].pages == 1 && scenario.sim.phase[1].pages == 0.5);
        ASSERT_EQ_U(scenario.sim.n_events, 0);
        ASSERT_EQ_U(scenario.n_policies, 0);
        ASSERT_STR(scenario.sim.machine.kernel->name, "6.12");
        end();
}

TEST(a_machine_has_the_defaults_of_its_kind) {
        PlantParams params;

        good("");
        machine = scenario.sim.machine;
        plant_params_init(&params);
        ASSERT_EQ_U(machine.cpus, 8);
        ASSERT_EQ_U(machine.nodes, 2);
        ASSERT_EQ_U(machine.packages, 2);
        ASSERT_EQ_U(machine.possible, 12);
        ASSERT_EQ_U(machine.slab_boot_cpus, 0);
        ASSERT_EQ_U(machine.memory_bytes, (uint64_t) 2 << 30);
        ASSERT_EQ_U(machine.hertz_tick, 100);
        ASSERT_TRUE(machine.psi && !machine.hypervisor && !machine.lock_stat);
        ASSERT_TRUE(memcmp(&machine.params, &params, sizeof(params)) == 0);
        ASSERT_TRUE(machine.n_caches > 20);
        for (unsigned i = 0; i < machine.n_caches; i++) {
                ASSERT_TRUE(machine.caches[i].share == 0);
                ASSERT_GE_U(machine.caches[i].slab_size, machine.caches[i].object_size);
        }
        end();
}

TEST(a_machine_file_gives_every_number) {
        static const char text[] =
                "machine = {\n"
                "  name = \"ex\"; about = \"x\"; kernel = \"4.18\";\n"
                "  cpus = 192; nodes = 4; packages = 2; memory = \"768GiB\";\n"
                "  slab_boot_cpus = 96; hypervisor = true; lock_stat = true;\n"
                "  psi = false;\n"
                "  params = { zone_handover_ns = 1807.5; lru_ns = 212; };\n"
                "  caches = ( { name = \"kmalloc-512\"; object_size = \"512B\";\n"
                "    slab_size = \"576B\"; share = 0.5; } );\n"
                "};\n";

        conf_issues_done(&issues);
        ASSERT_OK(plant_machine_parse("ex.machine", text, sizeof(text) - 1, &machine, &issues));
        ASSERT_STR(machine.name, "ex");
        ASSERT_EQ_U(machine.cpus, 192);
        ASSERT_EQ_U(machine.packages, 2);
        ASSERT_EQ_U(machine.possible, 192);
        ASSERT_EQ_U(machine.slab_boot_cpus, 96);
        ASSERT_TRUE(machine.hypervisor && machine.lock_stat && !machine.psi);
        ASSERT_TRUE(machine.params.zone_handover_ns == 1807.5 && machine.params.lru_ns == 212);
        ASSERT_EQ_U(machine.n_caches, 1);
        ASSERT_EQ_U(machine.caches[0].slab_size, 576);
        ASSERT_TRUE(machine.caches[0].share == 0.5);
        end();
}

TEST(events_come_in_order_of_time) {
        good("events = ( { at = \"20min\"; what = \"cpu-offline\"; cpu = 3; },\n"
             "  { at = \"10min\"; what = \"phase\"; phase = \"b\"; },\n"
             "  { at = \"10min\"; what = \"write\"; path = \"/proc/sys/vm/x\"; value = 7; },\n"
             "  { at = \"5min\"; what = \"write-fault\"; path = \"sys/y\"; error = \"EBUSY\"; for = \"1min\"; } );");
        ASSERT_EQ_U(scenario.sim.n_events, 4);
        ASSERT_EQ_U(scenario.sim.event[0].kind, SIM_EVENT_WRITE_FAULT);
        ASSERT_EQ_U(scenario.sim.event[0].index, EBUSY);
        ASSERT_EQ_U(scenario.sim.event[0].for_usec, 60 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.sim.event[1].kind, SIM_EVENT_PHASE);
        ASSERT_EQ_U(scenario.sim.event[1].index, 1);
        ASSERT_STR(scenario.sim.event[2].path, "proc/sys/vm/x");
        ASSERT_STR(scenario.sim.event[2].text, "7");
        ASSERT_EQ_U(scenario.sim.event[3].index, 3);
        end();
}

TEST(every_is_the_events_it_stands_for) {
        good("every = ( { period = \"20min\"; phases = ( \"a\", \"b\" ); } );");
        ASSERT_EQ_U(scenario.sim.n_events, 3); /* 0, 20 and 40 min of 1 h */
        ASSERT_EQ_U(scenario.sim.event[1].at_usec, 1200 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.sim.event[0].index, 0);
        ASSERT_EQ_U(scenario.sim.event[1].index, 1);
        ASSERT_EQ_U(scenario.sim.event[2].index, 0);
        end();
}

TEST(parameters_are_replaced_or_multiplied) {
        PlantParams params;

        plant_params_init(&params);
        good("params = { zone_page_ns = \"*1.5\"; lru_ns = 10; pages = \"*2\"; };");
        ASSERT_TRUE(scenario.sim.machine.params.zone_page_ns == params.zone_page_ns * 1.5);
        ASSERT_TRUE(scenario.sim.machine.params.lru_ns == 10);
        ASSERT_TRUE(scenario.sim.phase[0].pages == 2 && scenario.sim.phase[1].pages == 1);
        end();
}

TEST(a_variant_has_its_changes) {
        good("variants = ( { name = \"v\"; params = { lru_ns = \"*0.7\"; list_factor = 2; };\n"
             "  set = ( { path = \"proc/sys/vm/x\"; value = \"1024\"; } ); slab_boot_cpus = 1; kernel = \"5.10\"; } );");
        ASSERT_EQ_U(scenario.n_variants, 1);
        ASSERT_EQ_U(scenario.variant[0].n_params, 2);
        ASSERT_STR(scenario.variant[0].param[0].name, "lru_ns");
        ASSERT_TRUE(scenario.variant[0].param[0].factor);
        ASSERT_TRUE(scenario.variant[0].param[0].value == 0.7);
        ASSERT_STR(scenario.variant[0].param[1].name, "workload.list_factor");
        ASSERT_FALSE(scenario.variant[0].param[1].factor);
        ASSERT_STR(scenario.variant[0].set[0].text, "1024");
        ASSERT_EQ_U(scenario.variant[0].slab_boot_cpus, 1);
        ASSERT_STR(scenario.variant[0].kernel, "5.10");
        end();
}

TEST(bounds_are_whole_numbers_or_thousandths_of_a_ratio) {
        good("variants = ( { name = \"v\"; } );\n"
             "expect = ( { what = \"regret\"; at_most = 12000; },\n"
             "  { what = \"metric\"; metric = \"zone-lock-wait\"; variant = \"v\"; at_least = 1.5; at_most = 3.0;\n"
             "    published = 2.2; source = \"somewhere\"; },\n"
             "  { what = \"state\"; policy = \"p\"; state = \"hold\"; },\n"
             "  { what = \"value\"; knob = \"pcp-high-fraction\"; value = 0; } );");
        ASSERT_EQ_U(scenario.n_expects, 4);
        ASSERT_EQ_U(scenario.expect[0].kind, EXPECT_REGRET);
        ASSERT_TRUE(!scenario.expect[0].least_known && scenario.expect[0].most_known);
        ASSERT_EQ_I(scenario.expect[0].most, 12000);
        ASSERT_EQ_I(scenario.expect[1].least, 1500);
        ASSERT_EQ_I(scenario.expect[1].most, 3000);
        ASSERT_EQ_I(scenario.expect[1].published_milli, 2200);
        ASSERT_STR(scenario.expect[1].metric, "zone-lock-wait");
        ASSERT_STR(scenario.expect[2].text, "hold");
        ASSERT_STR(scenario.expect[3].scope, "system");
        ASSERT_STR(scenario.expect[3].text, "0");
        end();
}

TEST(a_name_that_is_none_is_said_with_its_line) {
        bad("sweeep = \"x\";",
            "s.scenario:4: unknown key \"sweeep\" in scenario, did you mean \"sweep\"?\n");
        bad("\nparams = { lru_nss = 1; };",
            "s.scenario:5: unknown parameter \"lru_nss\", expected one of a machine or of a phase\n");
        bad("events = ( { at = \"1s\"; what = \"phase\"; phase = \"c\"; } );",
            "s.scenario:4: there is no phase \"c\"\n");
        bad("expect = ( { what = \"metric\"; metric = \"cost\"; variant = \"w\"; at_least = 1; } );",
            "s.scenario:4: there is no variant \"w\"\n");
        bad("sweep = \"nothing\";", "s.scenario:1: sweep: there is no knob \"nothing\"\n");
        ASSERT_EQ_I(parse(with("variants = ( { name = \"v\"; kernel = \"3.0\"; } );")), 1);
        ASSERT_HAS(said(), "s.scenario:4: kernel is \"3.0\", expected one of \"4.18\", \"5.10\", ");
        end();
}

TEST(an_event_has_what_it_needs_and_no_more) {
        bad("events = ( { at = \"1s\"; what = \"write\"; path = \"proc/x\"; } );",
            "s.scenario:4: event \"write\" needs value\n");
        bad("events = ( { at = \"1s\"; what = \"counter-reset\"; cpu = 1; } );",
            "s.scenario:4: event \"counter-reset\" has no cpu\n");
        bad("events = ( { at = \"1s\"; what = \"cpu-offline\"; cpu = 12; } );",
            "s.scenario:4: cpu is 12, but the machine has 12 possible CPUs\n");
        bad("events = ( { at = \"1h\"; what = \"counter-reset\"; } );",
            "s.scenario:4: the event is at or after the end of the scenario\n");
        bad("events = ( { at = \"1s\"; what = \"vanish\"; path = \"sys/../etc\"; } );",
            "s.scenario:4: path is \"sys/../etc\", expected no \".\" or \"..\"\n");
        end();
}

TEST(a_bound_that_cannot_fail_is_an_error) {
        bad("expect = ( { what = \"trials\"; } );",
            "s.scenario:4: expect \"trials\" needs at_least or at_most\n");
        bad("expect = ( { what = \"restored\"; at_most = 1; } );",
            "s.scenario:4: expect \"restored\" has no bounds\n");
        bad("expect = ( { what = \"trials\"; at_most = 1.5; } );",
            "s.scenario:4: at_most is 1.5, expected an integer\n");
        bad("expect = ( { what = \"metric\"; metric = \"cost\"; at_most = 1; } );",
            "s.scenario:4: expect \"metric\" needs variant or against\n");
        end();
}

TEST(a_machine_whose_nodes_differ_is_refused) {
        static const char text[] =
                "machine = { name = \"m\"; kernel = \"6.1\"; cpus = 9; nodes = 2;\n"
                "possible = 4; memory = \"300MiB\"; params = { smt_slowdown = 0.5; }; };";

        conf_issues_done(&issues);
        ASSERT_EQ_I(plant_machine_parse("m.machine", text, sizeof(text) - 1, &machine, &issues), 1);
        ASSERT_STR(said(), "m.machine:2: smt_slowdown is 0.5, expected 1 to 4\n");
        end();
}

TEST(a_machine_is_found_beside_or_in_machines) {
        Scenario *s = NULL;
        static const char text[] =
                "scenario = { name = \"s\"; duration = \"1h\"; machine = \"one\";\n"
                "phases = ( { name = \"a\"; } ); };\n";
        static const char one[] =
                "machine = { name = \"beside\"; kernel = \"6.1\"; cpus = 2; memory = \"1GiB\"; };";

        root_begin();
        root_write("/scenarios/s.scenario", text);
        ASSERT_EQ_I(scenario_load(root_path("/scenarios/s.scenario"), &s, &issues), 1);
        ASSERT_HAS(said(), "s.scenario:1: no machine \"one\" beside the scenario");
        conf_issues_done(&issues);
        root_write(
                "/machines/one.machine",
                "machine = { name = \"other\"; kernel = \"6.1\"; cpus = 2; memory = \"1GiB\"; };");
        ASSERT_OK(scenario_load(root_path("/scenarios/s.scenario"), &s, &issues));
        ASSERT_STR(s->sim.machine.name, "other");
        s = scenario_free(s);
        root_write("/scenarios/one.machine", one);
        ASSERT_OK(scenario_load(root_path("/scenarios/s.scenario"), &s, &issues));
        ASSERT_STR(s->sim.machine.name, "beside");
        s = scenario_free(s);
        root_end();
        end();
}

TEST(overrides_change_the_policies_they_name) {
        Policy policies[2] = { 0 };
        static const char policy[] =
                "policy = { name = \"p\"; knob = \"pcp-high-fraction\"; arms = ( 2, 4 );\n"
                "targets = ( { signal = \"zone-lock-wait\"; hot = 20000; } ); };";

        conf_issues_done(&issues);
        ASSERT_OK(
                policy_parse("p.policy", policy, sizeof(policy) - 1, NULL, &policies[1], &issues));
        good("overrides = ( { policy = \"p\"; settings = { claim = true; arms = ( 2, 4, 8 ); }; } );");
        ASSERT_FALSE(policies[1].claim);
        ASSERT_OK(scenario_override(&scenario, policies, 2, &issues));
        ASSERT_TRUE(policies[1].claim);
        ASSERT_EQ_U(policies[1].n_arms, 3);
        good("overrides = ( { policy = \"q\"; settings = { claim = true; }; },\n"
             "  { policy = \"p\"; settings = {\n clam = true; }; } );");
        ASSERT_EQ_I(scenario_override(&scenario, policies, 2, &issues), 1);
        ASSERT_STR(said(), "s.scenario:4: overrides: no policy \"q\" takes part\n"
                           "s.scenario:6: unknown key \"clam\", did you mean \"claim\"?\n");
        end();
}

TEST(the_configuration_has_the_keys_of_the_scenario) {
        const ConfExternal *e;

        good("tick = \"5s\"; conf = { quiet = \"1min\"; trials_per_day = 288; tick_trial = \"1s\";\n"
             "  externals = ( { name = \"p99\"; path = \"/run/p99\"; unit = \"us\"; } ); };");
        ASSERT_EQ_U(scenario.conf->quiet_usec, 60 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.conf->trials_per_day, 288);
        ASSERT_EQ_U(scenario.conf->changes_per_hour, 4); /* alloctuned.conf(5) */
        ASSERT_EQ_U(scenario.conf->tick_usec, 5 * USEC_PER_SEC);
        ASSERT_EQ_U(scenario.conf->tick_trial_usec, USEC_PER_SEC);
        ASSERT_EQ_U(scenario.tick_trial_usec, USEC_PER_SEC);
        e = conf_external_find(scenario.conf, "p99");
        ASSERT_TRUE(e != NULL);
        ASSERT_STR(e->file, "s.scenario");
        bad("\nconf = { quite = \"1min\"; };",
            "s.scenario:5: unknown key \"quite\", did you mean \"quiet\"?\n");
        bad("conf = ( );",
            "s.scenario:4: scenario.conf is a list, expected a group of keys, in { }\n");
        bad("conf = { tick = \"1s\"; };",
            "s.scenario:1: tick_trial is longer than tick, expected at most as long\n");
        end();
}

TEST(every_kind_of_bound_has_its_name_in_the_files) {
        char text[256];

        for (unsigned i = 0; i < _EXPECT_MAX; i++) {
                const char *kind = expect_kind_to_string((ExpectKind) i);

                ASSERT_TRUE(text_format(
                        text, sizeof(text),
                        "expect = ( { what = \"%s\"; %s } ); variants = ( { name = \"v\"; } );",
                        kind,
                        i == EXPECT_VALUE      ? "knob = \"thp-defrag\"; value = \"defer\";"
                        : i == EXPECT_STATE    ? "policy = \"p\"; state = \"observe\";"
                        : i == EXPECT_RESTORED ? ""
                        : i == EXPECT_METRIC   ? "metric = \"cost\"; variant = \"v\"; at_most = 1;"
                                               : "at_most = 1;"));
                good(text);
                ASSERT_EQ_U(scenario.expect[0].kind, i);
        }
        end();
}

TEST_MAIN()
