/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/arena.h"
#include "base/number.h"
#include "base/text.h"

/* What every parser shares. A parser takes the text of one file, fills a struct whose fields
 * carry presence bits, and logs what was malformed. It never stops at a bad line: the rest is
 * still read. */

/* One thing that was wrong. The path is the file's, relative to the root ("proc/vmstat"). */
typedef struct ParseIssue {
        const char *path;
        unsigned line;    /* from 1; 0: the file as a whole */
        const char *what; /* constant text: "malformed number" */
        char about[48];   /* the key or field it concerns, printable, may be cut */
} ParseIssue;

#define PARSE_ISSUES_MAX 32

typedef struct ParseLog {
        ParseIssue issue[PARSE_ISSUES_MAX];
        unsigned n_issues;
        unsigned n_more; /* issues that did not fit: counted, not lost */
} ParseLog;

/* Adds an issue. Unprintable bytes of about become '?'. The path must outlive the log. */
void parse_log_add(ParseLog *log, const char *path, unsigned line, const char *what, Text about);

/* A number with its presence. */
typedef struct MaybeU64 {
        uint64_t value;
        bool known;
} MaybeU64;

#define KNOWN(v) ((MaybeU64){ .value = (v), .known = true })
#define UNKNOWN ((MaybeU64){ .known = false })

/* The lines of a file that the kernel writes, which always end in LF: a last line without one
 * was cut off, may show half a number, and is dropped with an issue. */
typedef struct ParseLines {
        Text rest;
        const char *path;
        ParseLog *log;
        unsigned line; /* number of the line given last; 0 at first */
} ParseLines;

ParseLines parse_lines(Text text, const char *path, ParseLog *log);
bool parse_lines_next(ParseLines *l, Text *ret_line);
/* One unsigned number of the present line; malformed: unknown, and an issue about that key. */
MaybeU64 parse_lines_number(const ParseLines *l, Text field, Text about);
/* Adds an issue about the present line. */
void parse_lines_issue(const ParseLines *l, const char *what, Text about);
/* An issue about the file as a whole if nothing in it was recognised. */
void parse_lines_found(const ParseLines *l, bool found, Text text);
/* Sum of two counts of which either may be unknown (then: the other). Saturates. */
_const_ MaybeU64 maybe_add(MaybeU64 a, MaybeU64 b);
