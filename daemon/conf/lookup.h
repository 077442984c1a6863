/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "conf/conf.h"

#define CONF_FILE_BYTES_MAX (1u << 20)

/* Finds the files of one kind in the lookup directories, in the order in which they apply, with the
 * states USED, MASKED and REPLACED, and appends them to the list. name is a whole file name
 * ("alloctuned.conf") in the directories themselves, or NULL; then folder ("policies.d") and suffix
 * (".policy") say what to take. 0 or -ENOMEM. */
_must_check_ int conf_lookup(const ConfOptions *options, const char *name, const char *folder,
                             const char *suffix, ConfFileList *list, ConfIssues *issues);
/* The same for one directory that somebody named. */
_must_check_ int conf_lookup_dir(const char *dir, const char *suffix, bool must_exist,
                                 ConfFileList *list, ConfIssues *issues);
/* A file that somebody named. */
_must_check_ int conf_file_list_add(ConfFileList *list, const char *path, ConfFileState state);
void conf_file_list_done(ConfFileList *list);

/* Reads a file and checks its text (lex.h). named: somebody named it, so its owner is their affair;
 * otherwise it must belong to root or to us. Files that group or others can write are refused in any
 * case. On any problem the state becomes REFUSED and the issues say why. 0 or -ENOMEM. */
_must_check_ int conf_file_read(ConfFile *file, bool named, ConfIssues *issues);
