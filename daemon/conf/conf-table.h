/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

#include "base/macro.h"
#include "base/units.h"

/* Every key that people can write, with type, unit, default, range and help: the loader validates
 * against these tables, etc/alloctuned.conf and the manual pages are renderings of them. */
typedef enum ConfKeyType {
        KEY_WORD, /* one of the words */
        KEY_TEXT, /* free text of one line */
        KEY_INT,  /* integer */
        KEY_BOOL,
        KEY_TIME,   /* "10s" */
        KEY_SIZE,   /* "64MiB" */
        KEY_TRIALS, /* "any", "never" or "Mon..Fri 01:00-05:00" */
        KEY_NAMES,  /* list of names */
        KEY_ARMS,   /* list of numbers and words */
        KEY_GUARDS, /* list of names and groups */
        KEY_QUADS,  /* three rising integers */
        KEY_GROUP,  /* its keys follow with a dotted name */
        KEY_GROUPS, /* list of groups; their keys follow with a dotted name */
} ConfKeyType;

/* How the field behind a key is stored. */
typedef enum ConfKeyStore {
        STORE_SPECIAL,  /* the loader of the table knows */
        STORE_FLAG,     /* bool: a KEY_BOOL, or true for the first of the words */
        STORE_WORD,     /* unsigned: index of the word, plus floor */
        STORE_INT,      /* int64_t */
        STORE_UNSIGNED, /* unsigned */
        STORE_SIZE,     /* uint64_t */
        STORE_TIME,     /* usec_t */
        STORE_CHARS,    /* char[ceiling + 1] */
} ConfKeyStore;

typedef struct ConfKey {
        const char *name; /* "tick"; of keys in a group "gate.use" */
        ConfKeyType type;
        ConfKeyStore store;
        size_t offset;    /* of the field in the struct, or in the item of a KEY_GROUPS */
        const char *unit; /* "ppm", "ns"...; NULL: none */
        const char *def;  /* as written in a file; NULL: none */
        int64_t floor,
                ceiling; /* of integers; of times in microseconds; of sizes in bytes; of texts the length */
        const char *words; /* of KEY_WORD: "apply recommend" */
        bool required;
        const char *help; /* whole sentences */
} ConfKey;

const ConfKey *conf_keys(
        size_t *ret_n); /* alloctuned.conf, into a Conf; externals.* into a ConfExternal */
const ConfKey *policy_keys(
        size_t *ret_n); /* NAME.policy, into a Policy; targets.* into a PolicyTarget */
_pure_ const ConfKey *conf_key_find(const ConfKey *keys, size_t n, const char *name);

/* For people: "integer from 0 to 3600", "\"apply\" or \"recommend\"". False when cut. */
bool conf_key_describe(const ConfKey *key, char *buffer, size_t size);
/* The field as it would be written in a file; not for STORE_SPECIAL. False when cut. */
bool conf_key_format(const ConfKey *key, const void *object, char *buffer, size_t size);

/* etc/alloctuned.conf: every key commented out at its default. */
void conf_render_file(FILE *out);
/* The list of keys of alloctuned.conf(5) or alloctuned.policy(5), as mdoc. */
void conf_render_man(const ConfKey *keys, size_t n, FILE *out);
/* The numbers of the guards, as mdoc. */
void conf_render_man_guards(FILE *out);
