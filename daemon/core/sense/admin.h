/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* Files in which administrators set kernel values: sysctl.d(5) and tmpfiles.d(5). One file at a
 * time; which file wins is the caller's business. Within a file the caller takes the last line
 * of a path. */
typedef struct AdminLine {
        const char
                *path; /* absolute: "/proc/sys/vm/...", "/sys/..."; tmpfiles paths may hold globs */
        const char *value;
        unsigned line;
        bool may_fail;  /* sysctl "-key", tmpfiles "w-" */
        bool boot_only; /* tmpfiles "w!" */
        bool append;    /* tmpfiles "w+" */
        bool has_glob;  /* path holds *, ? or [ */
} AdminLine;

typedef struct AdminLines {
        AdminLine *lines; /* in the order of the file */
        size_t n;
        /* Lines that set nothing we can follow: globs of sysctl.d, other tmpfiles types. */
        unsigned n_skipped;
} AdminLines;

_must_check_ int sysctl_conf_parse(Arena *a, Text text, const char *path, AdminLines *ret,
                                   ParseLog *log);
_must_check_ int tmpfiles_conf_parse(Arena *a, Text text, const char *path, AdminLines *ret,
                                     ParseLog *log);
