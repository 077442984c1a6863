/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

#include "conf/conf.h"
#include "conf/issue.h"
#include "core/control/policy.h"
#include "machine/sim/sim.h"

/* Machine descriptions (NAME.machine) and scenarios (NAME.scenario), alloctuned.scenario(5): data files in libconfig's language that
 * administrators can write too. Names in a scenario ("skylake-ex") are looked up beside it, in ../machines, and in the
 * installed folder. */
typedef enum ExpectKind {
        EXPECT_REGRET,   /* ppm, at most */
        EXPECT_ACCEPTED, /* accepted changes, at_least / at_most */
        EXPECT_TRIALS,
        EXPECT_WRITES,
        EXPECT_CUTS,
        EXPECT_GUARD_EVENTS,
        EXPECT_YIELDS,
        EXPECT_PARKED,      /* ppm of a zone, largest seen, at most */
        EXPECT_OVERWRITTEN, /* writes over a foreign value: at most */
        EXPECT_SECONDS_TO_HOLD,
        EXPECT_VALUE, /* knob has text at the end */
        EXPECT_STATE, /* controller of policy is in state text at the end */
        EXPECT_WORSE_TIME, /* ppm of the time spent with a value worse than the default by more than 3 % */
        EXPECT_METRIC, /* a metric of one variant against another: ratio in thousandths, at_least / at_most; published: said beside it */
        EXPECT_RESTORED, /* after the stop every knob has the value of the start */
        _EXPECT_MAX
} ExpectKind;

typedef struct ScenarioExpect {
        ExpectKind kind;
        bool least_known, most_known;
        int64_t least, most;
        char knob[48], scope[SCOPE_MAX], policy[64], text[64];
        char metric
                [32]; /* "throughput", "cost", "system-cpu", "elapsed", "zone-lock-wait", "list-lock-wait", "lru-lock-wait", "zone-lock-holds",
                                          "list-lock-holds", "partial-refills", "slab-pages", "parked", "compact-stall" */
        char variant[32], against[32];
        int64_t published_milli; /* of the source; 0: none */
        char source[256];
        unsigned line;
} ScenarioExpect;

/* A machine or workload that differs in parameters or knob values: for comparisons of static settings. */
typedef struct ScenarioVariant {
        char name[32];
        struct {
                char name[48];
                double value;
                bool factor;
        } param[16]; /* of the machine or of the workload ("workload.list_factor") */
        unsigned n_params;
        struct {
                char path[176];
                char text[64];
        } set[16];
        unsigned n_sets;
        unsigned slab_boot_cpus; /* 0: as the scenario */
        char kernel[16];         /* "": as the scenario */
        unsigned line;
} ScenarioVariant;

typedef struct Scenario {
        char name[64];
        char about[256];
        char file[256];
        SimSpec sim;
        usec_t duration_usec;
        usec_t tick_usec, tick_trial_usec; /* those of conf */
        char policies
                [16]
                [64]; /* names of shipped policies, or files beside the scenario; empty: all shipped ones */
        unsigned n_policies;
        struct {
                char policy[64];
                struct config_setting_t *settings; /* of the document; see scenario_override() */
                unsigned line;
        } override[16]; /* keys over a policy: settings = { claim = true; }; */
        unsigned n_overrides;
        char sweep_knob[48]; /* for the best static setting; "": the knob of the first policy */
        ScenarioVariant variant[16];
        unsigned n_variants;
        ScenarioExpect expect[32];
        unsigned n_expects;
        bool compare_only; /* variants only: no engine runs */
        Conf *conf; /* owned: the defaults of alloctuned.conf(5), the keys of scenario.conf, and the ticks */
        struct config_t *document; /* owned: what the overrides point into */
        char *file_kept;           /* owned: what the conf points to */
} Scenario;

/* 0; 1: issues has errors; -ENOMEM. */
_must_check_ int scenario_load(const char *path, Scenario **ret, ConfIssues *issues);
Scenario *scenario_free(Scenario *s); /* NULL is fine; returns NULL */
_must_check_ int plant_machine_load(const char *path, PlantMachine *ret, ConfIssues *issues);
/* The same from memory, for tests and fuzzers: file is used in messages, and machines are looked up beside it. ret is set only
 * when 0 is returned; scenario_done() frees what it holds. */
_must_check_ int scenario_parse(const char *file, const char *text, size_t size, Scenario *ret,
                                ConfIssues *issues);
void scenario_done(Scenario *s);
_must_check_ int plant_machine_parse(const char *file, const char *text, size_t size,
                                     PlantMachine *ret, ConfIssues *issues);
/* Puts the scenario's overrides over the policies that the caller loaded. 0; 1: issues has errors (no such policy, a key that is
 * none); -ENOMEM. */
_must_check_ int scenario_override(const Scenario *s, Policy *policies, size_t n,
                                   ConfIssues *issues);
/* The lists of keys, of parameters of machines and of causes of workloads, for the manual page. */
void scenario_render_man_keys(FILE *out);
void scenario_render_man_parameters(FILE *out);
void scenario_render_man_workloads(FILE *out);
/* "regret", "seconds-to-hold"... */
_const_ const char *expect_kind_to_string(ExpectKind kind);

static inline void scenario_freep(Scenario **s) {
        *s = scenario_free(*s);
}
