/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/idset.h"
#include "core/sense/parse.h"

/* Small formats: lists of CPUs and nodes, distances, the command line, releases, uptime, one
 * number. */

/* "0-3,8,10-11", "0-15:1/4" (one of every four); an empty line is the empty set. A broken part
 * is an issue and is left out, the others count. Ids from IDSET_MAX on are an issue. */
_must_check_ int idlist_parse(Text text, const char *path, IdSet *ret, ParseLog *log);

/* "10 20 21": at most n_max distances; returns how many were good from the start. A broken one
 * ends the row (their place is their meaning). */
unsigned distances_parse(Text text, const char *path, uint16_t *ret, unsigned n_max, ParseLog *log);

/* One decimal number and nothing else but blanks and line ends: a sysctl or sysfs file. */
MaybeU64 number_file_parse(Text text, const char *path, ParseLog *log);

/* First field of proc/uptime in microseconds. */
MaybeU64 uptime_parse(Text text, const char *path, ParseLog *log);

/* A kernel parameter: the last one of that name before " -- ". Dashes and underscores are the
 * same, as in kernel/params.c parameqn(); values may be quoted. False: not there. ret_value.data
 * is NULL for a parameter without "=". */
bool cmdline_find(Text cmdline, const char *name, Text *ret_value);
/* Cuts the next parameter off the front; both forms as above. False at the end. */
bool cmdline_next(Text *rest, Text *ret_name, Text *ret_value);

/* "6.12.117+deb13-amd64", "5.14.0-427.el9.x86_64", "5.11.0-rc4", "6.18-rc2". */
#define RELEASE_NO_RC UINT32_MAX
typedef struct Release {
        uint32_t major, minor, patch; /* patch 0 when the text has none */
        uint32_t rc; /* RELEASE_NO_RC: no release candidate (sorts after all of them) */
        bool has_patch;
} Release;

_must_check_ int release_parse(Text text, Release *ret); /* 0, or RELEASE_E_MALFORMED */
_pure_ int release_compare(const Release *a, const Release *b);

enum { RELEASE_E_MALFORMED = 1 };

/* "6.7..6.11.6", "5.14..", "..6.6", "6.12": both ends included. An end without patch means every
 * release that begins with it: 6.7 starts at 6.7-rc1, and 6.11 as an upper end includes 6.11.99. */
typedef struct ReleaseRange {
        bool has_first, has_last;
        Release first, last;
} ReleaseRange;

_must_check_ int release_range_parse(Text text, ReleaseRange *ret); /* 0, or RELEASE_E_MALFORMED */
_pure_ bool release_in_range(const Release *r, const ReleaseRange *range);
