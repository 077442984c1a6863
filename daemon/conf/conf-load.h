/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <libconfig.h>

#include "conf/conf.h"

/* A configuration with every value at its default and no files. NULL: no memory. */
_must_check_ Conf *conf_new(void);
/* Applies the text of one file. Twice over the same tree: first into a scratch configuration, to find
 * every error, then, if there was none, into conf. 0, 1 (errors: conf is untouched) or -ENOMEM. file
 * must live as long as conf. */
_must_check_ int conf_apply_text(Conf *conf, const char *file, const char *text,
                                 ConfIssues *issues);
/* The same of a group of keys; unknown: what a key is that is none. */
_must_check_ int conf_apply_group(Conf *conf, const char *file, config_setting_t *group,
                                  ConfSeverity unknown, ConfIssues *issues);
/* What only the whole configuration can show. */
void conf_check_whole(const Conf *conf, ConfIssues *issues);
