/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/output.h"

/* A table for people: columns as wide as their content, two blanks apart. Where that is wider than the output, columns
 * that may shrink are made narrower, the widest first, and their cells go on in further lines. */
#define TABLE_COLUMNS_MAX 8

typedef struct TableColumn {
        const char *title;
        bool right;     /* numbers */
        unsigned least; /* narrowest; 0: never shrunk */
} TableColumn;

typedef struct TableCell {
        char *text;
        Style style;
} TableCell;

typedef struct Table {
        const TableColumn *columns;
        size_t n_columns;
        unsigned indent;
        TableCell *cells; /* row by row */
        size_t n_cells, allocated;
        bool failed; /* out of memory: table_print() says so */
} Table;

#define TABLE(spec) ((Table){ .columns = (spec), .n_columns = ELEMENTSOF(spec) })

/* Cells are given in order, row after row. The text is made harmless. */
_printf_(3, 4) void table_add(Table *t, Style style, const char *format, ...);
/* 0 or -ENOMEM. With no row: nothing is printed. */
_must_check_ int table_print(Table *t, Output *o);
void table_done(Table *t);
