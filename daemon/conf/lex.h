/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/macro.h"
#include "base/text.h"
#include "conf/issue.h"

/* A look at the text before libconfig gets it: the tokens (lex.c) and the grammar (grammar.c) of its
 * language. libconfig 1.5 wraps integers that do not fit, opens what @include names without any check,
 * stops at a NUL byte, recurses as deep as the text asks and leaks on syntax errors; this pass refuses
 * all of that with a line, and says what was expected, alike on every version.
 * Returns the number of errors it added. */
_must_check_ size_t conf_text_check(const char *file, const char *text, size_t size,
                                    ConfIssues *issues);

#define CONF_DEPTH_MAX 16u
#define CONF_SETTINGS_MAX 4096u /* libconfig compares every name of a group with every other */

typedef enum ConfTokenKind {
        TOKEN_END,
        TOKEN_BAD, /* said; the rest of the text makes no sense */
        TOKEN_NAME,
        TOKEN_EQUALS, /* = or : */
        TOKEN_COMMA,
        TOKEN_SEMICOLON,
        TOKEN_OPEN, /* { ( [ */
        TOKEN_CLOSE,
        /* Scalars: an array has one kind of them. */
        TOKEN_STRING,
        TOKEN_INT,
        TOKEN_INT64,
        TOKEN_FLOAT,
        TOKEN_BOOL,
} ConfTokenKind;

typedef struct ConfToken {
        ConfTokenKind kind;
        Text text;
        unsigned line; /* where it begins */
        char bracket;  /* of TOKEN_OPEN and TOKEN_CLOSE */
} ConfToken;

typedef struct ConfLexer {
        const char *file;
        const char *text;
        size_t size, at;
        unsigned line;
        ConfIssues *issues; /* NULL: only count */
        size_t n_errors;
        bool open_comment;
} ConfLexer;

/* The next token. What is wrong with it (a number that does not fit) is said. */
ConfToken conf_lex(ConfLexer *l);
_printf_(3, 4) void conf_lex_error(ConfLexer *l, unsigned line, const char *format, ...);
