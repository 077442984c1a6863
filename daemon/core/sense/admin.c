/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/admin.h"

#include <errno.h>
#include <string.h>

/* Values that an administrator's files set, as systemd 252 to 257 read them
 * (src/sysctl/sysctl.c, src/tmpfiles/tmpfiles.c). Their result is only compared with what the
 * kernel says and shown to people, so a line that cannot be followed is left out and named,
 * never guessed. The last line need not end in LF: these files are written by people. */

#define ADMIN_LINES_MAX 65536u

typedef struct Builder {
        Arena *arena;
        const char *path;
        ParseLog *log;
        AdminLines result;
        size_t capacity;
        unsigned line;
} Builder;

static void skip(Builder *b, const char *what, Text about) {
        b->result.n_skipped++;
        if (what)
                parse_log_add(b->log, b->path, b->line, what, about);
}

/* path and value are in the arena. */
static int add(Builder *b, AdminLine line) {
        AdminLine *grown;

        if (b->result.n == ADMIN_LINES_MAX) {
                skip(b, "too many lines, this one is left out", text_from(line.path));
                return 0;
        }
        if (b->result.n == b->capacity) {
                size_t more = b->capacity == 0 ? 64 : 2 * b->capacity;

                grown = arena_grow(b->arena, b->result.lines, b->capacity * sizeof(AdminLine),
                                   more * sizeof(AdminLine), _Alignof(AdminLine));
                if (!grown)
                        return -ENOMEM;
                b->result.lines = grown;
                b->capacity = more;
        }
        line.line = b->line;
        b->result.lines[b->result.n++] = line;
        return 0;
}

static bool has_glob(Text text) {
        return text_find(text, '*') < text.size || text_find(text, '?') < text.size ||
               text_find(text, '[') < text.size;
}

/* sysctl_normalize(): the first separator decides; behind a dot, dots and slashes change places, so
 * that "net.ipv4.conf.eth0/1.x" names the interface eth0.1. */
static char *sysctl_path(Arena *a, Text key) {
        static const char root[] = "/proc/sys/";
        char *path, *p;
        bool dots;

        if (text_starts(key, root))
                key = (Text){ key.data + strlen(root), key.size - strlen(root) };
        dots = text_find(key, '.') < text_find(key, '/');
        path = arena_alloc(a, strlen(root) + key.size + 1, 1);
        if (!path)
                return NULL;
        memcpy(path, root, strlen(root));
        p = path + strlen(root);
        for (size_t i = 0; i < key.size; i++) {
                char c = key.data[i];

                if (dots && c == '.')
                        c = '/';
                else if (dots && c == '/')
                        c = '.';
                *p++ = c;
        }
        *p = 0;
        return path;
}

static int sysctl_line(Builder *b, Text line) {
        size_t equals = text_find(line, '=');
        AdminLine out = {};
        Text key, value;

        if (line.size == 0 || line.data[0] == '#' || line.data[0] == ';')
                return 0;
        out.may_fail = line.data[0] == '-';
        if (equals == line.size) {
                if (out.may_fail)
                        skip(b, NULL, TEXT_NULL); /* "-key": takes the key out of later globs */
                else
                        skip(b, "no assignment", line);
                return 0;
        }
        key = text_strip((Text){ line.data, equals });
        if (out.may_fail)
                key = text_strip((Text){ key.data + 1, key.size - 1 });
        value = text_strip((Text){ line.data + equals + 1, line.size - equals - 1 });
        if (key.size == 0 || memchr(line.data, 0, line.size)) {
                skip(b, "malformed assignment", line);
                return 0;
        }
        if (has_glob(key)) {
                skip(b, "a key with wildcards is not followed", key);
                return 0;
        }
        out.path = sysctl_path(b->arena, key);
        out.value = arena_strndup(b->arena, value.data, value.size);
        if (!out.path || !out.value)
                return -ENOMEM;
        return add(b, out);
}

static int lines_read(Builder *b, Text text, int (*read)(Builder *b, Text line)) {
        Text line;

        while (text_next_line(&text, &line)) {
                int r;

                b->line++;
                r = read(b, text_strip(line));
                if (r < 0)
                        return r;
        }
        return 0;
}

int sysctl_conf_parse(Arena *a, Text text, const char *path, AdminLines *ret, ParseLog *log) {
        Builder b = { .arena = a, .path = path, .log = log };
        int r;

        r = lines_read(&b, text, sysctl_line);
        if (r < 0)
                return r;
        *ret = b.result;
        return 0;
}

static int hex_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        if (c >= 'A' && c <= 'F')
                return c - 'A' + 10;
        return -1;
}

/* One escape behind a backslash (src/basic/escape.c cunescape_one(), without \u). Gives the
 * number of bytes used up, or 0 for a malformed one. */
static size_t unescape_one(Text rest, char *ret) {
        static const char from[] = "abfnrtv\\\"'s", to[] = "\a\b\f\n\r\t\v\\\"' ";
        const char *p;
        int value = 0;

        if (rest.size == 0 || rest.data[0] == 0)
                return 0;
        p = strchr(from, rest.data[0]);
        if (p) {
                *ret = to[p - from];
                return 1;
        }
        if (rest.data[0] == 'x') {
                int high = rest.size > 1 ? hex_digit(rest.data[1]) : -1;
                int low = rest.size > 2 ? hex_digit(rest.data[2]) : -1;

                if (high < 0 || low < 0 || high + low == 0)
                        return 0;
                *ret = (char) (high * 16 + low);
                return 3;
        }
        for (size_t i = 0; i < 3; i++) {
                if (i >= rest.size || rest.data[i] < '0' || rest.data[i] > '7')
                        return 0;
                value = value * 8 + (rest.data[i] - '0');
        }
        if (value == 0 || value > 255)
                return 0;
        *ret = (char) value;
        return 3;
}

/* Cuts the next word, with quotes removed and escapes resolved, off the front. *ret is NULL at
 * the end of the line. 0, -ENOMEM, or ADMIN_E_MALFORMED. */
enum { ADMIN_E_MALFORMED = 1 };

static int word_cut(Arena *a, Text *rest, char **ret) {
        char quote = 0, *word;
        size_t n = 0, i;

        *rest = text_strip(*rest);
        *ret = NULL;
        if (rest->size == 0)
                return 0;
        word = arena_alloc(a, rest->size + 1, 1);
        if (!word)
                return -ENOMEM;
        for (i = 0; i < rest->size; i++) {
                char c = rest->data[i];

                if (c == '\\') {
                        size_t used = unescape_one((Text){ rest->data + i + 1, rest->size - i - 1 },
                                                   &c);

                        if (used == 0)
                                return ADMIN_E_MALFORMED;
                        word[n++] = c;
                        i += used;
                } else if (quote ? c == quote : c == '"' || c == '\'') {
                        quote = quote ? 0 : c;
                } else if (!quote && (c == ' ' || c == '\t')) {
                        break;
                } else {
                        word[n++] = c;
                }
        }
        if (quote)
                return ADMIN_E_MALFORMED;
        word[n] = 0;
        *rest = text_strip((Text){ rest->data + i, rest->size - i });
        *ret = word;
        return 0;
}

/* The argument: the rest of the line, escapes resolved, quotes kept. "%%" is a percent sign;
 * what other specifiers stand for depends on the machine. *ret NULL: it holds one, or a bad
 * escape. */
static int argument_read(Arena *a, Text rest, char **ret) {
        char *value = arena_alloc(a, rest.size + 1, 1);
        size_t n = 0;

        *ret = NULL;
        if (!value)
                return -ENOMEM;
        for (size_t i = 0; i < rest.size; i++) {
                char c = rest.data[i];

                if (c == '\\') {
                        size_t used = unescape_one((Text){ rest.data + i + 1, rest.size - i - 1 },
                                                   &c);

                        if (used == 0)
                                return 0;
                        i += used;
                } else if (c == '%') {
                        if (i + 1 >= rest.size || rest.data[i + 1] != '%')
                                return 0;
                        i++;
                }
                value[n++] = c;
        }
        value[n] = 0;
        *ret = value;
        return 0;
}

/* Double slashes say nothing. */
static void path_simplify(char *path) {
        char *to = path;

        for (const char *from = path; *from; from++)
                if (*from != '/' || to == path || to[-1] != '/')
                        *to++ = *from;
        *to = 0;
}

static int tmpfiles_write_line(Builder *b, const char *type, Text rest, AdminLine *out) {
        char *path = NULL, *ignored = NULL, *value = NULL;
        int r;

        out->boot_only = strchr(type, '!') != NULL;
        out->append = strchr(type, '+') != NULL;
        out->may_fail = strchr(type, '-') != NULL;
        r = word_cut(b->arena, &rest, &path);
        for (size_t i = 0; r == 0 && i < 4; i++) /* mode, user, group, age */
                r = word_cut(b->arena, &rest, &ignored);
        if (r < 0)
                return r;
        if (r != 0) {
                skip(b, "malformed quoting or escape", rest);
                return 0;
        }
        if (!path || path[0] != '/' || strchr(path, '%')) {
                skip(b, "path is not absolute, or holds a specifier", text_from(path));
                return 0;
        }
        if (rest.size == 0 || text_is(rest, "-")) {
                skip(b, "argument missing", text_from(path));
                return 0;
        }
        r = argument_read(b->arena, rest, &value);
        if (r < 0)
                return r;
        if (!value) {
                skip(b, "argument holds a specifier or a malformed escape", rest);
                return 0;
        }
        path_simplify(path);
        out->path = path;
        out->value = value;
        out->has_glob = has_glob(text_from(path));
        return add(b, *out);
}

static int tmpfiles_line(Builder *b, Text line) {
        Text rest = line;
        AdminLine out = {};
        char *type = NULL;
        int r;

        if (line.size == 0 || line.data[0] == '#')
                return 0;
        if (memchr(line.data, 0, line.size)) {
                skip(b, "malformed line", line);
                return 0;
        }
        r = word_cut(b->arena, &rest, &type);
        if (r < 0)
                return r;
        if (r != 0 || !type || type[0] == 0) {
                skip(b, "malformed line", line);
                return 0;
        }
        if (type[0] != 'w') {
                skip(b, NULL, TEXT_NULL);
                return 0;
        }
        if (type[1 + strspn(type + 1, "!-+=~^$?")] != 0) {
                skip(b, "unknown modifier of the type", text_from(type));
                return 0;
        }
        return tmpfiles_write_line(b, type, rest, &out);
}

int tmpfiles_conf_parse(Arena *a, Text text, const char *path, AdminLines *ret, ParseLog *log) {
        Builder b = { .arena = a, .path = path, .log = log };
        int r;

        r = lines_read(&b, text, tmpfiles_line);
        if (r < 0)
                return r;
        *ret = b.result;
        return 0;
}
