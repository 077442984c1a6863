/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/slabinfo.h"

#include <errno.h>
#include <string.h>

/* proc/slabinfo 2.1 (mm/slab_common.c cache_show(), 5.10 to 7.3):
 *
 *   name active num size perslab pages : tunables l b s : slabdata active num shared [: globalstat ...]
 *
 * Names may hold blanks and colons (caches of out-of-tree modules), so a line is cut at " :
 * tunables" and the five numbers before it are taken from the right; what stands before them is
 * the name. What follows the slab counts (statistics of the old SLAB) is skipped. */

#define SLABINFO_ROWS_MAX 65536u

/* Cuts the last field off the end. False if there is none. */
static bool last_field(Text *rest, Text *ret_field) {
        size_t n = 0;

        *rest = text_strip(*rest);
        if (rest->size == 0)
                return false;
        while (n < rest->size && rest->data[rest->size - n - 1] != ' ' &&
               rest->data[rest->size - n - 1] != '\t')
                n++;
        *ret_field = (Text){ rest->data + rest->size - n, n };
        rest->size -= n;
        return true;
}

static void head_read(const ParseLines *l, Text head, SlabInfoRow *row, Text *ret_name) {
        Text field[5] = {};
        size_t n = 0;

        while (n < ELEMENTSOF(field) && last_field(&head, &field[n]))
                n++;
        *ret_name = text_strip(head);
        if (n < ELEMENTSOF(field) || ret_name->size == 0)
                return;
        row->pages_per_slab = parse_lines_number(l, field[0], *ret_name);
        row->objs_per_slab = parse_lines_number(l, field[1], *ret_name);
        row->object_bytes = parse_lines_number(l, field[2], *ret_name);
        row->objects = parse_lines_number(l, field[3], *ret_name);
        row->active_objects = parse_lines_number(l, field[4], *ret_name);
}

/* False: the line is no row (which is said, unless it is a heading). */
static bool row_read(const ParseLines *l, Text line, SlabInfoRow *row, Text *ret_name) {
        size_t cut = text_find_string(line, " : tunables");
        size_t data = text_find_string(line, " : slabdata");
        Text tail, field;

        *ret_name = TEXT_NULL;
        if (cut < line.size)
                head_read(l, (Text){ line.data, cut }, row, ret_name);
        if (ret_name->size == 0 || memchr(ret_name->data, 0, ret_name->size)) {
                parse_lines_issue(l, "malformed row, the cache is left out", text_strip(line));
                return false;
        }
        if (data == line.size) {
                parse_lines_issue(l, "slab counts missing", *ret_name);
                return true;
        }
        tail = (Text){ line.data + data + strlen(" : slabdata"),
                       line.size - data - strlen(" : slabdata") };
        field = TEXT_NULL;
        (void) text_next_field(&tail, &field);
        row->active_slabs = parse_lines_number(l, field, *ret_name);
        field = TEXT_NULL;
        (void) text_next_field(&tail, &field);
        row->slabs = parse_lines_number(l, field, *ret_name);
        return true;
}

int slabinfo_parse(Arena *a, Text text, const char *path, SlabInfo *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        SlabInfoRow *rows = NULL;
        size_t n = 0, capacity = 0;
        bool version_seen = false;
        Text line;

        /* Names lie between the rows, so rows that outgrow their place move: with 512 to begin with
         * that happens on no real machine. */
        while (parse_lines_next(&l, &line)) {
                SlabInfoRow row = { .line = l.line };
                Text name;

                if (text_starts(line, "slabinfo - version: ")) {
                        Text version = { line.data + 20, line.size - 20 };

                        version_seen = true;
                        if (!text_starts(version, "2.1") ||
                            (version.size > 3 && version.data[3] != ' '))
                                parse_lines_issue(&l, "unknown version, read as 2.1", version);
                        continue;
                }
                if (text_strip(line).size == 0 || line.data[0] == '#')
                        continue;
                if (!row_read(&l, line, &row, &name))
                        continue;
                if (n == SLABINFO_ROWS_MAX) {
                        parse_lines_issue(&l, "too many caches, this one is left out", name);
                        continue;
                }
                if (n == capacity) {
                        size_t more = capacity == 0 ? 512 : 2 * capacity;
                        SlabInfoRow *grown;

                        grown = arena_grow(a, rows, capacity * sizeof(*rows), more * sizeof(*rows),
                                           _Alignof(SlabInfoRow));
                        if (!grown)
                                return -ENOMEM;
                        rows = grown;
                        capacity = more;
                }
                row.name = arena_strndup(a, name.data, name.size);
                if (!row.name)
                        return -ENOMEM;
                rows[n++] = row;
        }
        if (n > 0 && !version_seen)
                parse_log_add(log, path, 0, "version missing, read as 2.1", TEXT_NULL);
        parse_lines_found(&l, n > 0 || version_seen, text);
        *ret = (SlabInfo){ .rows = rows, .n = n };
        return 0;
}

const SlabInfoRow *slabinfo_find(const SlabInfo *s, const char *name) {
        for (size_t i = 0; i < s->n; i++)
                if (strcmp(s->rows[i].name, name) == 0)
                        return &s->rows[i];
        return NULL;
}

MaybeU64 slabinfo_pages(const SlabInfo *s) {
        MaybeU64 sum = UNKNOWN;

        for (size_t i = 0; i < s->n; i++)
                if (s->rows[i].slabs.known && s->rows[i].pages_per_slab.known)
                        sum = maybe_add(sum, KNOWN(u64_mul_sat(s->rows[i].slabs.value,
                                                               s->rows[i].pages_per_slab.value)));
        return sum;
}
