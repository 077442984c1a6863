/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2u

void table_add(Table *t, Style style, const char *format, ...) {
        char text[1400];
        char *copy;
        va_list args;

        va_start(args, format);
        if (!text_format_va(text, sizeof(text), format, args))
                memcpy(text + sizeof(text) - 4, "...", 4);
        va_end(args);
        output_clean(text, sizeof(text));
        if (t->n_cells == t->allocated) {
                size_t wanted = t->allocated > 0 ? 2 * t->allocated : 64;
                TableCell *cells = reallocarray(t->cells, wanted, sizeof(*cells));

                if (!cells) {
                        t->failed = true;
                        return;
                }
                t->cells = cells;
                t->allocated = wanted;
        }
        copy = strdup(text);
        if (!copy) {
                t->failed = true;
                return;
        }
        t->cells[t->n_cells++] = (TableCell){ .text = copy, .style = style };
}

static void find_widths(const Table *t, unsigned columns, unsigned *widths) {
        unsigned total = t->indent;

        for (size_t c = 0; c < t->n_columns; c++)
                widths[c] = output_width(t->columns[c].title, strlen(t->columns[c].title));
        for (size_t i = 0; i < t->n_cells; i++) {
                unsigned width = output_width(t->cells[i].text, strlen(t->cells[i].text));

                widths[i % t->n_columns] = MAX(widths[i % t->n_columns], width);
        }
        for (size_t c = 0; c < t->n_columns; c++)
                total += widths[c] + (c > 0 ? GAP : 0);
        while (total > columns) {
                size_t widest = t->n_columns;

                for (size_t c = 0; c < t->n_columns; c++)
                        if (t->columns[c].least > 0 && widths[c] > t->columns[c].least &&
                            (widest == t->n_columns || widths[c] > widths[widest]))
                                widest = c;
                if (widest == t->n_columns)
                        return; /* wider than the output: nothing is cut off */
                widths[widest]--;
                total--;
        }
}

static void print_row(const Table *t, Output *o, const unsigned *widths, const char *const *texts,
                      const Style *styles) {
        const char *rest[TABLE_COLUMNS_MAX];
        bool more = true;

        for (size_t c = 0; c < t->n_columns; c++)
                rest[c] = texts[c];
        while (more) {
                unsigned blanks = t->indent;

                more = false;
                for (size_t c = 0; c < t->n_columns; c++) {
                        const char *line = rest[c];
                        size_t size = output_wrap(line, widths[c], &rest[c]);
                        unsigned pad = widths[c] - MIN(output_width(line, size), widths[c]);

                        if (size > 0) {
                                output_print(o, "%*s",
                                             (int) (blanks + (t->columns[c].right ? pad : 0)), "");
                                output_styled(o, styles[c], "%.*s", (int) size, line);
                                blanks = t->columns[c].right ? 0 : pad;
                        } else {
                                blanks += widths[c];
                        }
                        blanks += GAP;
                        more = more || *rest[c];
                }
                output_print(o, "\n");
        }
}

int table_print(Table *t, Output *o) {
        unsigned widths[TABLE_COLUMNS_MAX] = { 0 };
        const char *texts[TABLE_COLUMNS_MAX];
        Style styles[TABLE_COLUMNS_MAX];

        if (t->failed)
                return -ENOMEM;
        if (t->n_cells == 0)
                return 0;
        find_widths(t, o->columns, widths);
        for (size_t c = 0; c < t->n_columns; c++) {
                texts[c] = t->columns[c].title;
                styles[c] = STYLE_DIM;
        }
        print_row(t, o, widths, texts, styles);
        for (size_t i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns) {
                for (size_t c = 0; c < t->n_columns; c++) {
                        texts[c] = t->cells[i + c].text;
                        styles[c] = t->cells[i + c].style;
                }
                print_row(t, o, widths, texts, styles);
        }
        return 0;
}

void table_done(Table *t) {
        for (size_t i = 0; i < t->n_cells; i++)
                free(t->cells[i].text);
        free(t->cells);
        *t = (Table){ 0 };
}
