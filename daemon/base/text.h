/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>

#include "base/arena.h"
#include "base/macro.h"

/* A piece of text that need not end in NUL and may hold any byte. Nothing here allocates but
 * text_printf into a buffer or an arena. */
typedef struct Text {
        const char *data;
        size_t size;
} Text;

#define TEXT(literal) ((Text){ (literal), sizeof(literal) - 1 })
#define TEXT_NULL ((Text){ NULL, 0 })

_pure_ Text text_from(const char *string); /* NULL gives an empty text */
_pure_ bool text_equal(Text a, Text b);
_pure_ bool text_is(Text a, const char *string);
_pure_ bool text_starts(Text a, const char *prefix);
_pure_ bool text_ends(Text a, const char *suffix);
_pure_ int text_compare(Text a, Text b); /* bytes, then length */
_pure_ Text text_strip(Text a);          /* blanks, tabs, CR and LF at both ends */
/* Index of the first byte c, or a.size. */
_pure_ size_t text_find(Text a, char c);
/* Index of the first place where the string stands, or a.size. */
_pure_ size_t text_find_string(Text a, const char *string);

/* Cuts the next line (without its LF, and CR) off the front. False at the end of the text. */
bool text_next_line(Text *rest, Text *ret_line);
/* Cuts the next field off the front; fields are separated by blanks and tabs. False at the end. */
bool text_next_field(Text *rest, Text *ret_field);
/* Cuts up to the separator (consumed) off the front. "a,,b" has an empty field. False at the end. */
bool text_next_split(Text *rest, char separator, Text *ret_field);

/* Shell-like match of * and ? only (cache globs); linear in practice, no recursion. */
_pure_ bool text_glob(const char *pattern, const char *string);

/* snprintf that says whether it fitted: false and a NUL-terminated cut text when not. */
_printf_(3, 4) bool text_format(char *buffer, size_t size, const char *format, ...);
_printf_(3, 0) bool text_format_va(char *buffer, size_t size, const char *format, va_list args);
/* Copies a text into a buffer with a NUL; false when cut. */
bool text_copy(char *buffer, size_t size, Text text);
