/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/scenario.h"
#include "session/session.h"

/* A scenario with one seed, from its start to its end: the session of the service on a simulated machine, and what nobody could know on a
 * real one: costs without noise, and the best static setting.
 *
 * A cost is that which the policy of the swept knob accepts by (kernel CPU per 1,000 pages unless it names another), without noise and settled,
 * weighted by the time that each phase of the workload has in the scenario. Default, best and reached are all taken on the machine as it is at the end
 * (CPUs may have come and gone), with every other knob of ours given back for the first two. */
#define SIMULATE_GROUP_MAX 8 /* caches that a static setting changes together */
#define SIMULATE_VALUE_MAX 64

/* One static setting: what is written where, and how people call it. */
typedef struct Setting {
        char value[SIMULATE_VALUE_MAX];
        unsigned n;
        struct {
                char path[176];
                char text[32];
        } write[SIMULATE_GROUP_MAX];
} Setting;

typedef struct SettingList {
        Setting *items; /* the first is the kernel's default */
        size_t n;
        const Policy *policy; /* of the knob; owned by the caller of the session */
} SettingList;

typedef struct SimulateCheck {
        const ScenarioExpect *expect;
        bool known, ok;
        int64_t got;                   /* in the unit of the bounds; of metrics thousandths */
        char text[SIMULATE_VALUE_MAX]; /* of values and states */
} SimulateCheck;

typedef struct SimulateResult {
        uint64_t seed;
        bool ran;        /* the daemon ran: false, variants were compared only */
        bool cost_known; /* default, best and reached */
        const char *unit;
        char knob[48];
        double cost_default, cost_best, cost_reached;
        char value_best[SIMULATE_VALUE_MAX], value_reached[SIMULATE_VALUE_MAX];
        int64_t regret_ppm;
        EngineCounts counts;
        usec_t hold_usec; /* since the start; USEC_UNKNOWN: never held */
        SimulateCheck check[32];
        unsigned n_checks;
        bool ok;
} SimulateResult;

typedef struct SimulateOptions {
        uint64_t seed;
        const Policy *policies; /* with the overrides of the scenario */
        size_t n_policies;
        void (*progress)(void *userdata, usec_t passed_usec, usec_t whole_usec); /* NULL: none */
        void *userdata;
} SimulateOptions;

/* 0; 1: why says what the machine refuses; -errno. */
_must_check_ int simulate_run(const Scenario *s, const SimulateOptions *options,
                              SimulateResult *ret, char *why, size_t why_size);

/* One point of a sweep, of all phases by their time. */
typedef struct SweepPoint {
        char value[SIMULATE_VALUE_MAX];
        double cost;
        PlantRates rates;
} SweepPoint;

/* Every legal value of a coarse grid, far beyond the arms; points are the caller's to free. 0; 1: why; -errno. */
_must_check_ int simulate_sweep(const Scenario *s, const SimulateOptions *options, const char *knob,
                                SweepPoint **ret_points, size_t *ret_n, const char **ret_unit,
                                char *why, size_t why_size);

/* What the parts of it share. */

/* Settings of the knob that the plan may try, with values between its arms; wide: any that are legal. 0 or -ENOMEM; no such knob: n is 0. */
_must_check_ int setting_list_make(const Plan *plan, const PlantMachine *machine, const char *knob,
                                   bool wide, SettingList *ret);
void setting_list_done(SettingList *list);

/* Shares of the time that phases have in a scenario: they sum to 1. */
void phase_shares(const Scenario *s, double *shares);
/* Settled rates with those values, each phase by its share of the time. 0; 1: refused, or -errno. */
_must_check_ int mixed_rates(const Machine *m, const double *shares, unsigned n_phases,
                             const char *const *paths, const char *const *texts, size_t n,
                             PlantRates *ret);
/* The cost that the policy accepts by, in the unit. */
typedef struct CostKind {
        const char *unit;
        double (*of)(const PlantRates *rates);
} CostKind;
_pure_ const CostKind *cost_kind(const Scenario *s, const Policy *policy);
_must_check_ int mixed_cost(const Machine *m, const double *shares, unsigned n_phases,
                            const CostKind *kind, const char *const *paths,
                            const char *const *texts, size_t n, double *ret);
/* The ratio of a metric expectation. 0; 1: why says what is refused; -errno. known: false if the divisor is 0. */
_must_check_ int metric_ratio(const Scenario *s, const ScenarioExpect *expect, bool *ret_known,
                              double *ret_ratio, char *why, size_t why_size);
