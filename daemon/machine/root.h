/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"

/* Files below one directory. Nothing outside of it can be reached: absolute and ".." links of a foreign
 * tree stay inside (openat2 RESOLVE_IN_ROOT; kernels without it follow no links at all). */
typedef struct Root {
        int fd;
        int dir_fd; /* the directory of the last file, kept: slab attributes come 15 to a directory */
        char dir[200];
        bool no_openat2;
        bool live; /* the kernel's own files; others are foreign: devices and pipes are not opened */
} Root;

#define ROOT_NULL ((Root){ .fd = -1, .dir_fd = -1 })

/* 0, MACHINE_E_ABSENT, MACHINE_E_DENIED or -errno. */
_must_check_ int root_open(const char *dir, Root *ret);
void root_close(Root *r);
/* An open regular file, or a MACHINE_E_ condition with its errno. */
_must_check_ int root_open_file(Root *r, const char *path, int *ret_fd, int *ret_errno);
/* The content of an open file from its start, into the arena, with a NUL behind it. first_bytes: how much
 * the first read asks for (0: 4 KiB); the best is a little more than there is. short_is_end: the source
 * gives all it has if there is room, so that a short read is the end. */
_must_check_ int fd_read_all(int fd, size_t first_bytes, bool short_is_end, size_t max_bytes,
                             Arena *arena, Text *ret_text, int *ret_errno);
/* Both in one, and the file closed again. */
_must_check_ int root_read(Root *r, const char *path, size_t max_bytes, Arena *arena,
                           Text *ret_text, int *ret_errno);
_must_check_ int root_list(Root *r, const char *path, Arena *arena, DirEntry **ret_entries,
                           size_t *ret_n, int *ret_errno);
_must_check_ int root_mode(Root *r, const char *path, unsigned *ret_mode, int *ret_errno);
/* Time since the last write, by the wall clock of the file system. */
_must_check_ int root_age(Root *r, const char *path, usec_t *ret_usec, int *ret_errno);
/* errno of a file operation as a condition. */
_const_ int machine_condition(int error);
