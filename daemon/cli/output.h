/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "base/text.h"

/* Where a verb writes: stdout, or a pager if stdout is a terminal. Text is wrapped to the width of the terminal
 * ($COLUMNS, else its size, else 80) and coloured only there (NO_COLOR and TERM=dumb turn that off). */
typedef enum Style {
        STYLE_PLAIN,
        STYLE_BOLD,
        STYLE_DIM,
        STYLE_GOOD,
        STYLE_WARN,
        STYLE_BAD,
        _STYLE_MAX
} Style;

typedef struct Output {
        FILE *stream;
        unsigned columns;
        bool color;
        pid_t pager; /* 0: none */
} Output;

#define OUTPUT_COLUMNS_LEAST 40u
#define OUTPUT_COLUMNS_MOST 200u

_must_check_ bool output_is_terminal(int fd);
/* paged: a pager may be started. Nothing fails: without a pager the stream is stdout. */
void output_open(Output *o, bool paged);
/* Flushes, ends the pager, and checks that everything was written: 0, or -errno. -EPIPE: the reader went away, which
 * nobody needs to be told. A pager that was left early is fine. */
int output_close(Output *o);
/* The same, and says what went wrong: EXIT_FINE or EXIT_FAILED. */
_must_check_ int output_finish(Output *o);

/* Everything that was not written by this program (names in a tree, texts of files) passes through here: control
 * characters and broken UTF-8 become '?'. */
void output_clean(char *text, size_t size);
/* Columns that a text takes. */
_pure_ unsigned output_width(const char *text, size_t size);
/* Length in bytes of the valid UTF-8 sequence at the start, 0: none. */
_pure_ size_t output_utf8_length(const char *text, size_t size);

_printf_(2, 3) void output_print(Output *o, const char *format, ...);
void output_style(Output *o, Style style); /* STYLE_PLAIN ends every other */
_printf_(3, 4) void output_styled(Output *o, Style style, const char *format, ...);
/* A paragraph: the label in columns `indent` to `margin`, the text from `margin` on, wrapped at blanks. */
void output_paragraph(Output *o, unsigned indent, unsigned margin, Style label_style,
                      const char *label, const char *text);
/* Cuts the next line of at most `width` columns off a text: at a blank if there is one, else hard. Returns its
 * bytes; *ret_next is where the next line begins. */
size_t output_wrap(const char *text, unsigned width, const char **ret_next);
