/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

#include "conf/conf.h"
#include "conf/policy-file.h"

/* Back ends of `alloctune check` and `alloctune cat-config`. */

/* Checks one file by its suffix: .policy, .profile, anything else is a configuration. 0, or -ENOMEM;
 * what is wrong is in the issues. */
_must_check_ int conf_check_file(const ConfOptions *options, const char *path, ConfIssues *issues);
/* Checks everything that the lookup finds: configuration, policies, every profile. */
_must_check_ int conf_check_all(const ConfOptions *options, ConfIssues *issues);

/* One resolved key, for the view of people and for JSON. */
typedef struct ConfRow {
        const char *policy; /* NULL: a key of the configuration */
        char key[48];       /* "tick"; of policies also "gate.use", "guards.parked" */
        char *value;        /* as it would be written in a file */
        const char *file;   /* NULL: the default */
        unsigned line;
} ConfRow;

typedef struct ConfRows {
        ConfRow *rows;
        size_t n, allocated;
} ConfRows;

/* Every key of the configuration, then every key of every policy (set may be NULL). The rows point
 * into conf and set. 0 or -ENOMEM. */
_must_check_ int conf_rows(const Conf *conf, const PolicySet *set, ConfRows *ret_rows);
void conf_rows_done(ConfRows *rows);

/* cat-config: every file with a header line, then the resolved view "key = value;  # FILE:LINE" or
 * "# default". 0, -ENOMEM, or -EIO when the stream failed. */
_must_check_ int conf_cat(const Conf *conf, const PolicySet *set, FILE *out);
