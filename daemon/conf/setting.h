/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <libconfig.h>

#include "conf/conf-table.h"
#include "conf/conf.h"

/* From a libconfig tree to the fields of a struct, by a table of keys. */
typedef struct SettingReader SettingReader;

struct SettingReader {
        const char *file;
        ConfIssues *issues; /* NULL: say nothing (the second pass over a good file) */
        size_t n_errors;
        ConfSeverity unknown; /* what an unknown key is */
        const ConfKey *keys;
        size_t n_keys;
        /* A key of STORE_SPECIAL. */
        void (*special)(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                        void *object);
        /* A key was read without error; NULL. */
        void (*origin)(SettingReader *r, const ConfKey *key, unsigned line);
        void *userdata;
};

_printf_(3, 4) void setting_error(SettingReader *r, unsigned line, const char *format, ...);
_printf_(3, 4) void setting_warning(SettingReader *r, unsigned line, const char *format, ...);
_pure_ unsigned setting_line(const config_setting_t *setting);
/* "integer", "string"...: what was written. */
_pure_ const char *setting_type_string(const config_setting_t *setting);

/* Reads every key of a group into the object. group_name is NULL at the top, else "gate" or
 * "targets": the keys of the table are then "gate.use". Unknown and missing keys are said. */
void setting_read_group(SettingReader *r, config_setting_t *group, const char *group_name,
                        void *object);
/* One value into its field. False: an error was said. */
bool setting_read_value(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                        void *object);
/* The string of a setting that must be one of 1 to max bytes without control characters; NULL: an error was said. */
const char *setting_read_text(SettingReader *r, const char *key, config_setting_t *setting,
                              size_t max);
/* False: an error was said, naming what it must be ("list of names"). */
bool setting_is_list(SettingReader *r, const char *key, config_setting_t *setting, const char *of);
/* The same, and at most max members. */
bool setting_take_list(SettingReader *r, const char *key, config_setting_t *setting, const char *of,
                       int max, int *ret_n);

/* Parses a checked text. NULL: a syntax error was said, or *ret_error is -ENOMEM. */
config_t *setting_parse(SettingReader *r, const char *text, int *ret_error);
config_t *setting_parse_free(config_t *config);
