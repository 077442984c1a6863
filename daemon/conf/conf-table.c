/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf-table.h"

#include <string.h>

#include "base/text.h"
#include "conf/conf.h"
#include "conf/value.h"

#define SECONDS(n) ((int64_t) (n) * (int64_t) USEC_PER_SEC)
#define MILLISECONDS(n) ((int64_t) (n) * (int64_t) USEC_PER_MSEC)
#define HOURS(n) SECONDS((n) *3600)
#define MIB(n) ((int64_t) (n) << 20)

static const ConfKey keys[] = {
        { .name = "mode",
          .type = KEY_WORD,
          .store = STORE_FLAG,
          .offset = offsetof(Conf, apply),
          .words = "apply recommend",
          .def = "\"apply\"",
          .help = "Apply what is found, within the bounds and guards of the policies, or only recommend it. The service is "
                  "disabled after installation: enabling it is the consent to apply." },
        { .name = "on_stop",
          .type = KEY_WORD,
          .store = STORE_FLAG,
          .offset = offsetof(Conf, restore_on_stop),
          .words = "restore keep",
          .def = "\"restore\"",
          .help = "When the service stops: put the values back that were found, or keep ours. After a failure they are "
                  "always put back." },
        { .name = "on_restart",
          .type = KEY_WORD,
          .store = STORE_FLAG,
          .offset = offsetof(Conf, keep_on_restart),
          .words = "keep restore",
          .def = "\"keep\"",
          .help = "When the service restarts, as in an upgrade: keep our values and go on, or put back what was found." },
        { .name = "trials",
          .type = KEY_TRIALS,
          .store = STORE_SPECIAL,
          .def = "\"any\"",
          .help = "When trials may run, in local time. A window that ends before it starts ends on the next day." },
        { .name = "trials_per_day",
          .type = KEY_INT,
          .store = STORE_UNSIGNED,
          .offset = offsetof(Conf, trials_per_day),
          .floor = 0,
          .ceiling = 288,
          .def = "24",
          .help = "Trials of all knobs together in 24 hours." },
        { .name = "changes_per_hour",
          .type = KEY_INT,
          .store = STORE_UNSIGNED,
          .offset = offsetof(Conf, changes_per_hour),
          .floor = 0,
          .ceiling = 3600,
          .def = "4",
          .help = "Changes of all knobs together in an hour. A trial counts as one change; a cut by a guard is not "
                  "counted." },
        { .name = "share",
          .type = KEY_INT,
          .store = STORE_INT,
          .offset = offsetof(Conf, share_ppm),
          .unit = "ppm",
          .floor = 0,
          .ceiling = 1000000,
          .def = "1000000",
          .help = "Part of a fleet that runs trials at all, chosen by machine id. The others follow their policies only "
                  "in advice and cuts." },
        { .name = "tick",
          .type = KEY_TIME,
          .store = STORE_TIME,
          .offset = offsetof(Conf, tick_usec),
          .floor = SECONDS(1),
          .ceiling = SECONDS(600),
          .def = "\"10s\"",
          .help = "How often the kernel's counters are read." },
        { .name = "tick_trial",
          .type = KEY_TIME,
          .store = STORE_TIME,
          .offset = offsetof(Conf, tick_trial_usec),
          .floor = MILLISECONDS(250),
          .ceiling = SECONDS(60),
          .def = "\"2s\"",
          .help = "The same while a trial runs; not longer than tick." },
        { .name = "profile",
          .type = KEY_WORD,
          .store = STORE_WORD,
          .offset = offsetof(Conf, profile),
          .words = "auto default small latency",
          .def = "\"auto\"",
          .help = "Overrides for a kind of machine. \"auto\" takes \"small\" where the largest zone is under 4 GiB." },
        { .name = "quiet",
          .type = KEY_TIME,
          .store = STORE_TIME,
          .offset = offsetof(Conf, quiet_usec),
          .floor = 0,
          .ceiling = HOURS(24),
          .def = "\"5min\"",
          .help = "Time between two trials in which nothing is changed." },
        { .name = "own_cpu",
          .type = KEY_INT,
          .store = STORE_INT,
          .offset = offsetof(Conf, own_cpu_ppm),
          .unit = "ppm",
          .floor = 100,
          .ceiling = 1000000,
          .def = "5000",
          .help = "CPU time the daemon may use, of one CPU, for every 64 CPUs online or part of them. Above it the "
                  "daemon looks less often." },
        { .name = "own_memory",
          .type = KEY_SIZE,
          .store = STORE_SIZE,
          .offset = offsetof(Conf, own_memory_bytes),
          .floor = MIB(8),
          .ceiling = MIB(1024),
          .def = "\"64MiB\"",
          .help = "Memory the daemon may use." },
        { .name = "deny_knobs",
          .type = KEY_NAMES,
          .store = STORE_SPECIAL,
          .def = "( )",
          .help = "Knobs that are never written, as names or with * and ?, such as ( \"thp-*\" )." },
        { .name = "deny_caches",
          .type = KEY_NAMES,
          .store = STORE_SPECIAL,
          .def = "( )",
          .help = "Slab caches that are never written, such as ( \"kmalloc-cg-*\" )." },
        { .name = "externals",
          .type = KEY_GROUPS,
          .store = STORE_SPECIAL,
          .def = "( )",
          .help = "Numbers of other programs, each read from a file that holds one integer, and used in policies as "
                  "signal external:NAME." },
        { .name = "externals.name",
          .type = KEY_TEXT,
          .store = STORE_CHARS,
          .offset = offsetof(ConfExternal, name),
          .floor = 1,
          .ceiling = 47,
          .required = true,
          .help = "Lower case letters, digits, - . and _." },
        { .name = "externals.path",
          .type = KEY_TEXT,
          .store = STORE_CHARS,
          .offset = offsetof(ConfExternal, path),
          .floor = 1,
          .ceiling = 255,
          .required = true,
          .help = "Absolute path of the file." },
        { .name = "externals.unit",
          .type = KEY_TEXT,
          .store = STORE_CHARS,
          .offset = offsetof(ConfExternal, unit),
          .floor = 1,
          .ceiling = 15,
          .required = true,
          .help = "Unit of the number, such as \"ns\"." },
        { .name = "externals.better",
          .type = KEY_WORD,
          .store = STORE_FLAG,
          .offset = offsetof(ConfExternal, lower_is_better),
          .words = "lower higher",
          .def = "\"lower\"",
          .help = "Which way is better." },
        { .name = "externals.max_age",
          .type = KEY_TIME,
          .store = STORE_TIME,
          .offset = offsetof(ConfExternal, max_age_usec),
          .floor = MILLISECONDS(100),
          .ceiling = HOURS(24 * 7),
          .def = "\"30s\"",
          .help = "An older file is no evidence." },
        { .name = "externals.evidence",
          .type = KEY_WORD,
          .store = STORE_WORD,
          .offset = offsetof(ConfExternal, evidence),
          .words = "estimated counted measured",
          .floor = EVIDENCE_ESTIMATED,
          .def = "\"counted\"",
          .help = "What the number is: a time that was measured, events that were counted, or an estimate." },
};

_Static_assert(ELEMENTSOF(keys) <= CONF_KEYS_MAX, "Conf.origin has a place for every key");

const ConfKey *conf_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(keys);
        return keys;
}

const ConfKey *conf_key_find(const ConfKey *table, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(table[i].name, name) == 0)
                        return &table[i];
        return NULL;
}

static bool describe_words(const char *words, char *buffer, size_t size) {
        size_t used = 0;
        Text word, next;

        buffer[0] = '\0';
        for (unsigned i = 0; (word = value_word(words, i)).size > 0; i++) {
                next = value_word(words, i + 1);
                if (!text_format(buffer + used, size - used, "%s\"%.*s\"",
                                 i == 0           ? ""
                                 : next.size == 0 ? " or "
                                                  : ", ",
                                 (int) word.size, word.data))
                        return false;
                used += strlen(buffer + used);
        }
        return true;
}

bool conf_key_describe(const ConfKey *key, char *buffer, size_t size) {
        char low[40], high[40];

        switch (key->type) {
        case KEY_WORD:
                return describe_words(key->words, buffer, size);
        case KEY_TEXT:
                return text_format(buffer, size, "text of up to %lld characters",
                                   (long long) key->ceiling);
        case KEY_INT:
                if (key->ceiling == INT64_MAX)
                        return text_format(buffer, size, "an integer of at least %lld%s%s",
                                           (long long) key->floor, key->unit ? " " : "",
                                           key->unit ? key->unit : "");
                return text_format(buffer, size, "an integer from %lld to %lld%s%s",
                                   (long long) key->floor, (long long) key->ceiling,
                                   key->unit ? " " : "", key->unit ? key->unit : "");
        case KEY_BOOL:
                return text_copy(buffer, size, TEXT("true or false"));
        case KEY_TIME:
                return value_format_time((usec_t) key->floor, low, sizeof(low)) &&
                       value_format_time((usec_t) key->ceiling, high, sizeof(high)) &&
                       text_format(buffer, size,
                                   "a time from \"%s\" to \"%s\" (units us, ms, s, min, h, d)", low,
                                   high);
        case KEY_SIZE:
                return value_format_size((uint64_t) key->floor, low, sizeof(low)) &&
                       value_format_size((uint64_t) key->ceiling, high, sizeof(high)) &&
                       text_format(buffer, size,
                                   "a size from \"%s\" to \"%s\" (units KiB, MiB, GiB)", low, high);
        case KEY_TRIALS:
                return text_copy(
                        buffer, size,
                        TEXT("\"any\", \"never\" or a window such as \"Mon..Fri 01:00-05:00\""));
        case KEY_NAMES:
                return text_copy(buffer, size, TEXT("a list of names, in ( )"));
        case KEY_ARMS:
                return text_copy(buffer, size, TEXT("a list of numbers and words, in ( )"));
        case KEY_GUARDS:
                return text_copy(buffer, size, TEXT("a list of names and groups, in ( )"));
        case KEY_QUADS:
                return text_copy(buffer, size, TEXT("three rising integers from 3 to 12, in [ ]"));
        case KEY_GROUP:
                return text_copy(buffer, size, TEXT("a group of keys, in { }"));
        case KEY_GROUPS:
                return text_copy(buffer, size, TEXT("a list of groups, in ( )"));
        }
        return false;
}

static bool format_word(const ConfKey *key, unsigned index, char *buffer, size_t size) {
        Text word = value_word(key->words, index);

        return text_format(buffer, size, "\"%.*s\"", (int) word.size, word.data);
}

/* A string as a file has it. */
static bool format_chars(const char *text, char *buffer, size_t size) {
        size_t used = 0;

        if (size < 3)
                return false;
        buffer[used++] = '"';
        for (const char *p = text; *p; p++) {
                if (used + 4 > size)
                        break;
                if (*p == '"' || *p == '\\')
                        buffer[used++] = '\\';
                buffer[used++] = *p;
        }
        buffer[used++] = '"';
        buffer[used] = '\0';
        return true;
}

bool conf_key_format(const ConfKey *key, const void *object, char *buffer, size_t size) {
        const void *field = (const char *) object + key->offset;
        usec_t usec;

        switch (key->store) {
        case STORE_SPECIAL:
                return false;
        case STORE_FLAG:
                if (key->type == KEY_WORD)
                        return format_word(key, *(const bool *) field ? 0 : 1, buffer, size);
                return text_format(buffer, size, "%s", *(const bool *) field ? "true" : "false");
        case STORE_WORD:
                return format_word(key, *(const unsigned *) field - (unsigned) key->floor, buffer,
                                   size);
        case STORE_INT: {
                int64_t value = *(const int64_t *) field;

                /* Beyond 32 bits libconfig wants the L. */
                return text_format(buffer, size, "%lld%s", (long long) value,
                                   value > INT32_MAX || value < INT32_MIN ? "L" : "");
        }
        case STORE_UNSIGNED:
                return text_format(buffer, size, "%u", *(const unsigned *) field);
        case STORE_SIZE: {
                char text[40];

                return value_format_size(*(const uint64_t *) field, text, sizeof(text)) &&
                       text_format(buffer, size, "\"%s\"", text);
        }
        case STORE_TIME:
                usec = *(const usec_t *) field;
                if (usec == USEC_UNKNOWN)
                        return text_copy(buffer, size, TEXT_NULL);
                {
                        char text[40];

                        return value_format_time(usec, text, sizeof(text)) &&
                               text_format(buffer, size, "\"%s\"", text);
                }
        case STORE_CHARS:
                return format_chars(field, buffer, size);
        }
        return false;
}
