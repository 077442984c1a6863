/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

#include "base/macro.h"
#include "base/units.h"

/* Every key that people can write, with type, unit, default, range and help: the loader validates
 * against these tables, etc/alloctuned.conf and the manual pages are renderings of them. */
typedef enum KeyType {
        KEY_WORD,   /* one of the words */
        KEY_TEXT,   /* free text with a maximum length */
        KEY_INT,    /* integer */
        KEY_BOOL,
        KEY_TIME,   /* "10s" */
        KEY_SIZE,   /* "64MiB" */
        KEY_TRIALS, /* "any", "never" or "Mon..Fri 01:00-05:00" */
        KEY_NAMES,  /* list of strings */
        KEY_QUADS,  /* three rising integers */
        KEY_GROUP,  /* its own keys follow with a dotted name */
        KEY_GROUPS, /* list of groups; their keys follow with a dotted name */
} KeyType;

typedef struct KeySpec {
        const char *name;   /* "tick"; of keys in a group "gate.use" */
        KeyType type;
        const char *unit;   /* "ppm", "ns"...; NULL: none */
        const char *def;    /* as written in a file; NULL: none, the key must be given or stays unset */
        int64_t floor, ceiling; /* of integers; of times in microseconds; of sizes in bytes; of texts the length */
        const char *words;  /* of KEY_WORD: "apply recommend" */
        bool required;
        const char *help;   /* whole sentences */
        size_t offset;      /* of the field that the loader fills */
} KeySpec;

const KeySpec *conf_keys(size_t *ret_n);   /* alloctuned.conf */
const KeySpec *policy_keys(size_t *ret_n); /* *.policy */

/* etc/alloctuned.conf: every key commented out at its default. */
void conf_render_file(FILE *out);
/* The key list of alloctuned.conf(5) or alloctuned.policy(5) as roff. */
void conf_render_man(const KeySpec *keys, size_t n, FILE *out);
