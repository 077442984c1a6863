/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/setting.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "conf/value.h"

void setting_error(SettingReader *r, unsigned line, const char *format, ...) {
        va_list args;

        r->n_errors++;
        va_start(args, format);
        conf_issues_vadd(r->issues, r->file, line, CONF_ERROR, format, args);
        va_end(args);
}

void setting_warning(SettingReader *r, unsigned line, const char *format, ...) {
        va_list args;

        va_start(args, format);
        conf_issues_vadd(r->issues, r->file, line, CONF_WARNING, format, args);
        va_end(args);
}

unsigned setting_line(const config_setting_t *setting) {
        return config_setting_source_line(setting);
}

const char *setting_type_string(const config_setting_t *setting) {
        switch (config_setting_type(setting)) {
        case CONFIG_TYPE_GROUP:
                return "a group";
        case CONFIG_TYPE_INT:
        case CONFIG_TYPE_INT64:
                return "an integer";
        case CONFIG_TYPE_FLOAT:
                return "a fraction";
        case CONFIG_TYPE_STRING:
                return "a string";
        case CONFIG_TYPE_BOOL:
                return "true or false";
        case CONFIG_TYPE_ARRAY:
                return "an array";
        case CONFIG_TYPE_LIST:
                return "a list";
        default:
                return "nothing";
        }
}

const char *setting_read_text(SettingReader *r, const char *key, config_setting_t *setting,
                              size_t max) {
        const char *text = config_setting_get_string(setting);

        if (!text) {
                setting_error(r, setting_line(setting), "%s is %s, expected a string", key,
                              setting_type_string(setting));
                return NULL;
        }
        if (*text == '\0' || strlen(text) > max) {
                setting_error(r, setting_line(setting), "%s has %zu characters, expected 1 to %zu",
                              key, strlen(text), max);
                return NULL;
        }
        for (const char *p = text; *p; p++)
                if ((unsigned char) *p < 0x20 || *p == 0x7f) {
                        setting_error(r, setting_line(setting),
                                      "%s has a control character, expected one line of text", key);
                        return NULL;
                }
        return text;
}

bool setting_is_list(SettingReader *r, const char *key, config_setting_t *setting, const char *of) {
        int type = config_setting_type(setting);

        if (type == CONFIG_TYPE_LIST || type == CONFIG_TYPE_ARRAY)
                return true;
        setting_error(r, setting_line(setting), "%s is %s, expected a list of %s, in ( )", key,
                      setting_type_string(setting), of);
        return false;
}

bool setting_take_list(SettingReader *r, const char *key, config_setting_t *setting, const char *of,
                       int max, int *ret_n) {
        if (!setting_is_list(r, key, setting, of))
                return false;
        *ret_n = config_setting_length(setting);
        if (*ret_n <= max)
                return true;
        setting_error(r, setting_line(setting), "%s has %d members, expected at most %d", key,
                      *ret_n, max);
        return false;
}

static void *field(const ConfKey *key, void *object) {
        return (char *) object + key->offset;
}

static bool wrong_type(SettingReader *r, const ConfKey *key, const config_setting_t *setting) {
        char expected[256];

        (void) conf_key_describe(key, expected, sizeof(expected));
        setting_error(r, setting_line(setting), "%s is %s, expected %s", key->name,
                      setting_type_string(setting), expected);
        return false;
}

static bool wrong_value(SettingReader *r, const ConfKey *key, const config_setting_t *setting,
                        const char *written) {
        char expected[256];

        (void) conf_key_describe(key, expected, sizeof(expected));
        setting_error(r, setting_line(setting), "%s is %s, expected %s", key->name, written,
                      expected);
        return false;
}

static bool wrong_text(SettingReader *r, const ConfKey *key, const config_setting_t *setting,
                       const char *text) {
        char written[96];

        (void) text_format(written, sizeof(written), "\"%.80s\"", text);
        return wrong_value(r, key, setting, written);
}

static bool read_integer(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                         void *object) {
        int type = config_setting_type(setting);
        long long value = config_setting_get_int64(setting);
        char written[32];

        if (type == CONFIG_TYPE_INT)
                value = config_setting_get_int(setting);
        else if (type != CONFIG_TYPE_INT64)
                return wrong_type(r, key, setting);
        if (value < key->floor || value > key->ceiling) {
                (void) text_format(written, sizeof(written), "%lld", value);
                return wrong_value(r, key, setting, written);
        }
        if (key->store == STORE_UNSIGNED)
                *(unsigned *) field(key, object) = (unsigned) value;
        else
                *(int64_t *) field(key, object) = value;
        return true;
}

static bool read_word(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                      void *object) {
        const char *text = config_setting_get_string(setting);
        int index;

        if (!text)
                return wrong_type(r, key, setting);
        index = value_find_word(key->words, text);
        if (index < 0)
                return wrong_text(r, key, setting, text);
        if (key->store == STORE_FLAG)
                *(bool *) field(key, object) = index == 0;
        else
                *(unsigned *) field(key, object) = (unsigned) index + (unsigned) key->floor;
        return true;
}

static bool read_time(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                      void *object) {
        const char *text = config_setting_get_string(setting);
        usec_t usec;

        if (!text)
                return wrong_type(r, key, setting);
        if (!value_parse_time(text, &usec) || usec > INT64_MAX || (int64_t) usec < key->floor ||
            (int64_t) usec > key->ceiling)
                return wrong_text(r, key, setting, text);
        *(usec_t *) field(key, object) = usec;
        return true;
}

static bool read_size(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                      void *object) {
        const char *text = config_setting_get_string(setting);
        uint64_t bytes;

        if (!text)
                return wrong_type(r, key, setting);
        if (!value_parse_size(text, &bytes) || bytes > INT64_MAX || (int64_t) bytes < key->floor ||
            (int64_t) bytes > key->ceiling)
                return wrong_text(r, key, setting, text);
        *(uint64_t *) field(key, object) = bytes;
        return true;
}

static bool read_chars(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                       void *object) {
        const char *text = setting_read_text(r, key->name, setting, (size_t) key->ceiling);

        return text && text_copy(field(key, object), (size_t) key->ceiling + 1, text_from(text));
}

bool setting_read_value(SettingReader *r, const ConfKey *key, config_setting_t *setting,
                        void *object) {
        switch (key->store) {
        case STORE_FLAG:
                if (key->type == KEY_WORD)
                        return read_word(r, key, setting, object);
                if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
                        return wrong_type(r, key, setting);
                *(bool *) field(key, object) = config_setting_get_bool(setting) != 0;
                return true;
        case STORE_WORD:
                return read_word(r, key, setting, object);
        case STORE_INT:
        case STORE_UNSIGNED:
                return read_integer(r, key, setting, object);
        case STORE_SIZE:
                return read_size(r, key, setting, object);
        case STORE_TIME:
                return read_time(r, key, setting, object);
        case STORE_CHARS:
                return read_chars(r, key, setting, object);
        case STORE_SPECIAL: {
                size_t before = r->n_errors;

                r->special(r, key, setting, object);
                return r->n_errors == before;
        }
        }
        return false;
}

/* "use" of group "gate" is the key "gate.use". */
static bool full_name(const char *group_name, const char *name, char *buffer, size_t size) {
        return text_format(buffer, size, "%s%s%s", group_name ? group_name : "",
                           group_name ? "." : "", name);
}

/* The part of a key's name behind the group's, or NULL when it is no direct member of the group. */
static const char *member_name(const ConfKey *key, const char *group_name) {
        const char *rest = key->name;

        if (group_name) {
                size_t n = strlen(group_name);

                if (strncmp(rest, group_name, n) != 0 || rest[n] != '.')
                        return NULL;
                rest += n + 1;
        }
        return strchr(rest, '.') ? NULL : rest;
}

static void unknown_key(SettingReader *r, const config_setting_t *setting, const char *group_name) {
        Nearest nearest = { .word = config_setting_name(setting) };
        char where[80] = "";

        for (size_t i = 0; i < r->n_keys; i++) {
                const char *name = member_name(&r->keys[i], group_name);

                if (name)
                        nearest_offer(&nearest, name);
        }
        if (group_name)
                (void) text_format(where, sizeof(where), " in %s", group_name);
        (r->unknown == CONF_ERROR ? setting_error : setting_warning)(
                r, setting_line(setting), "unknown key \"%.64s\"%s%s%s%s", nearest.word, where,
                nearest.best               ? ", did you mean \""
                : r->unknown == CONF_ERROR ? ""
                                           : ", ignored",
                nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

void setting_read_group(SettingReader *r, config_setting_t *group, const char *group_name,
                        void *object) {
        int n;

        if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
                setting_error(r, setting_line(group), "%s is %s, expected a group of keys, in { }",
                              group_name ? group_name : "the file", setting_type_string(group));
                return;
        }
        n = config_setting_length(group);
        for (int i = 0; i < n; i++) {
                config_setting_t *setting = config_setting_get_elem(group, (unsigned) i);
                const ConfKey *key = NULL;
                char name[96];

                if (full_name(group_name, config_setting_name(setting), name, sizeof(name)))
                        key = conf_key_find(r->keys, r->n_keys, name);
                if (!key || !member_name(key, group_name)) {
                        unknown_key(r, setting, group_name);
                        continue;
                }
                if (key->type == KEY_GROUP) {
                        setting_read_group(r, setting, key->name, object);
                        continue;
                }
                if (setting_read_value(r, key, setting, object) && r->origin)
                        r->origin(r, key, setting_line(setting));
        }
        for (size_t i = 0; i < r->n_keys; i++) {
                const char *name = member_name(&r->keys[i], group_name);

                if (name && r->keys[i].required && !config_setting_get_member(group, name))
                        setting_error(r, setting_line(group), "%s is missing", r->keys[i].name);
        }
}

config_t *setting_parse_free(config_t *config) {
        if (config) {
                config_destroy(config);
                free(config);
        }
        return NULL;
}

config_t *setting_parse(SettingReader *r, const char *text, int *ret_error) {
        config_t *config = calloc(1, sizeof(*config));

        *ret_error = 0;
        if (!config) {
                *ret_error = -ENOMEM;
                return NULL;
        }
        config_init(config);
        if (config_read_string(config, text) == CONFIG_TRUE)
                return config;
        if (config_error_type(config) == CONFIG_ERR_PARSE) {
                const char *what = config_error_text(config);

                setting_error(r, (unsigned) MAX(config_error_line(config), 0), "%s%s",
                              what ? what : "syntax error",
                              what && strcmp(what, "syntax error") == 0
                                      ? ", expected NAME = VALUE; here or just before"
                                      : "");
        } else
                *ret_error = -ENOMEM;
        return setting_parse_free(config);
}
