/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/scenario.h"
#include "conf/setting.h"

/* Inside the loader of machines and scenarios. One table has the keys of both (scenario-table.c); a key that is STORE_SPECIAL is either a
 * number or a text of one field (scenario_special()), or something that the loader of its group takes afterwards, in the order it needs. */
const ConfKey *scenario_keys(size_t *ret_n);

/* What a group of the lists "events", "expect", "overrides", "initial", "every" has, before it is judged. */
typedef struct EventKeys {
        usec_t at_usec, for_usec;
        unsigned what;
        unsigned cpu;
        char phase[48], path[176], value[64], text[200], error[16];
} EventKeys;

typedef struct ExpectKeys {
        unsigned what;
        unsigned metric_word, state_word; /* 0: none */
        double at_least, at_most, published;
        char knob[48], scope[SCOPE_MAX], policy[64], value[64];
        char variant[32], against[32], source[256];
} ExpectKeys;

typedef struct SetKeys {
        char path[176], value[64];
} SetKeys;

typedef struct OverrideKeys {
        char policy[64];
} OverrideKeys;

typedef struct EveryKeys {
        usec_t period_usec;
} EveryKeys;

SettingReader scenario_reader(const char *file, ConfIssues *issues);
/* A number of any kind within limits. False: an error was said. */
bool scenario_read_number(SettingReader *r, const char *key, config_setting_t *setting,
                          double floor, double ceiling, double *ret);
/* Member i of a list of groups: every item is read as a group of that name. */
typedef void (*ScenarioItem)(SettingReader *r, config_setting_t *item, void *data);
void scenario_each(SettingReader *r, config_setting_t *group, const char *key, const char *name,
                   int max, ScenarioItem item, void *data);
/* Relative to the root of the machine; says what is wrong with it. */
bool scenario_read_path(SettingReader *r, unsigned line, char *path, size_t size);

/* A machine group. dir: of the file. */
void scenario_read_machine(SettingReader *r, config_setting_t *group, PlantMachine *ret);
/* Says which there are when the name is none of them. */
const PlantKernel *scenario_read_kernel(SettingReader *r, unsigned line, const char *name);
/* machine = "name": finds NAME.machine. 0 or -ENOMEM; an error was said. */
_must_check_ int scenario_find_machine(SettingReader *r, unsigned line, const char *name,
                                       PlantMachine *ret);
void scenario_read_events(SettingReader *r, config_setting_t *group, Scenario *s);
void scenario_read_variants(SettingReader *r, config_setting_t *group, Scenario *s);
void scenario_read_expects(SettingReader *r, config_setting_t *group, Scenario *s);
/* The machine of the scenario with the parameter (of it, or of every phase) changed. */
void scenario_read_params(SettingReader *r, config_setting_t *group, Scenario *s);

/* A text that was checked, whose only setting is `name` = { ... }. NULL: an error was said, or *ret_error is -ENOMEM. */
config_t *scenario_open(SettingReader *r, const char *text, size_t size, const char *name,
                        config_setting_t **ret_group, int *ret_error);
