/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/lex.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* Tokens of libconfig (lib/scanner.l, 1.5 to 1.7): names [A-Za-z*][-A-Za-z0-9_*]*, numbers with an
 * optional sign and a suffix L or LL, strings with backslash escapes that may span lines, comments
 * of three kinds. A number is taken as the longest run of characters that could belong to one, so
 * that nothing libconfig would read as a number goes by unseen: "5x" is refused here although
 * libconfig would read two tokens. */
typedef struct Lexer {
        const char *file;
        const char *text;
        size_t size, at;
        unsigned line;
        ConfIssues *issues;
        size_t n_errors;
        struct {
                char bracket;
                unsigned line;
        } open[CONF_DEPTH_MAX];
        unsigned depth;
        bool too_deep; /* said once */
        unsigned n_settings;
} Lexer;

#define COMPLAIN(l, at_line, ...)                                                            \
        do {                                                                                 \
                (l)->n_errors++;                                                             \
                conf_issues_add((l)->issues, (l)->file, (at_line), CONF_ERROR, __VA_ARGS__); \
        } while (false)

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char peek(const Lexer *l, size_t ahead) {
        return l->at + ahead < l->size ? l->text[l->at + ahead] : '\0';
}

static void advance(Lexer *l) {
        if (l->text[l->at] == '\n')
                l->line++;
        l->at++;
}

static void skip_line_comment(Lexer *l) {
        while (l->at < l->size && l->text[l->at] != '\n')
                l->at++;
}

static void skip_block_comment(Lexer *l) {
        unsigned line = l->line;

        l->at += 2;
        while (l->at < l->size) {
                if (peek(l, 0) == '*' && peek(l, 1) == '/') {
                        l->at += 2;
                        return;
                }
                advance(l);
        }
        COMPLAIN(l, line, "comment without end, expected */");
}

static void skip_string(Lexer *l) {
        unsigned line = l->line;

        l->at++;
        while (l->at < l->size) {
                char c = peek(l, 0);

                if (c == '"') {
                        l->at++;
                        return;
                }
                if (c == '\\' && peek(l, 1) == 'x' && peek(l, 2) == '0' && peek(l, 3) == '0')
                        COMPLAIN(l, l->line, "a NUL character in a string");
                if (c == '\\' && l->at + 1 < l->size)
                        advance(l);
                advance(l);
        }
        COMPLAIN(l, line, "string without end, expected \"");
}

/* Whole decimal digits; magnitude of the value. */
static void check_decimal(Lexer *l, Text digits, bool negative, bool is_long, Text written) {
        uint64_t limit = is_long ? (uint64_t) INT64_MAX : (uint64_t) INT32_MAX;
        uint64_t value;
        int r = number_parse_u64(digits.data, digits.size, &value);

        if (negative)
                limit++;
        if (r == 0 && value <= limit)
                return;
        if (!is_long && r == 0 && value <= (uint64_t) INT64_MAX)
                COMPLAIN(l, l->line, "%.*s needs more than 32 bits, expected %.*sL",
                         (int) MIN(written.size, 40u), written.data, (int) MIN(written.size, 40u),
                         written.data);
        else
                COMPLAIN(l, l->line, "%.*s needs more than 64 bits", (int) MIN(written.size, 40u),
                         written.data);
}

static void check_hex(Lexer *l, Text digits, bool is_long, Text written) {
        size_t zeros = 0, significant;

        while (zeros < digits.size && digits.data[zeros] == '0')
                zeros++;
        significant = digits.size - zeros;
        /* The sign bit is left out too: libconfig would read 0xFFFFFFFF as -1. */
        if (significant < (is_long ? 16u : 8u) ||
            (significant == (is_long ? 16u : 8u) && digits.data[zeros] >= '1' &&
             digits.data[zeros] <= '7'))
                return;
        if (!is_long && significant <= 15)
                COMPLAIN(l, l->line, "%.*s needs more than 32 bits, expected %.*sL",
                         (int) MIN(written.size, 40u), written.data, (int) MIN(written.size, 40u),
                         written.data);
        else
                COMPLAIN(l, l->line, "%.*s needs more than %s bits", (int) MIN(written.size, 40u),
                         written.data, is_long ? "64" : "32");
}

/* digits [. digits] [e [sign] digits], with digits somewhere before the e. */
static bool is_float(Text t) {
        size_t i = 0, n = 0;
        bool point = false, exponent = false;

        for (; i < t.size && (is_digit(t.data[i]) || (t.data[i] == '.' && !point)); i++) {
                if (t.data[i] == '.')
                        point = true;
                else
                        n++;
        }
        if (n == 0)
                return false;
        if (i < t.size && (t.data[i] == 'e' || t.data[i] == 'E')) {
                exponent = true;
                i++;
                if (i < t.size && (t.data[i] == '+' || t.data[i] == '-'))
                        i++;
                if (i >= t.size)
                        return false;
                while (i < t.size && is_digit(t.data[i]))
                        i++;
        }
        return i == t.size && (point || exponent);
}

static void take_number(Lexer *l) {
        Text written = { l->text + l->at, 0 }, body;
        bool negative = peek(l, 0) == '-', is_long = false, hex;
        size_t n = 0;

        if (peek(l, 0) == '-' || peek(l, 0) == '+')
                n++;
        hex = peek(l, n) == '0' && (peek(l, n + 1) == 'x' || peek(l, n + 1) == 'X');
        for (;; n++) {
                char c = peek(l, n);

                if (is_digit(c) || is_letter(c) || c == '.' || c == '_')
                        continue;
                if ((c == '+' || c == '-') && !hex && n > 0 &&
                    (peek(l, n - 1) == 'e' || peek(l, n - 1) == 'E'))
                        continue;
                break;
        }
        written.size = n;
        l->at += n;

        body = written;
        if (body.size > 0 && (body.data[0] == '-' || body.data[0] == '+'))
                body = (Text){ body.data + 1, body.size - 1 };
        if (text_ends(body, "L")) {
                is_long = true;
                body.size -= text_ends(body, "LL") ? 2 : 1;
        }
        if (hex && body.data == written.data && body.size > 2) { /* no sign before 0x */
                Text digits = { body.data + 2, body.size - 2 };
                size_t i = 0;

                while (i < digits.size && is_hex(digits.data[i]))
                        i++;
                if (i == digits.size) {
                        check_hex(l, digits, is_long, written);
                        return;
                }
        } else if (!hex) {
                size_t i = 0;

                while (i < body.size && is_digit(body.data[i]))
                        i++;
                if (i == body.size && i > 0) {
                        check_decimal(l, body, negative, is_long, written);
                        return;
                }
                if (!is_long && is_float(body))
                        return;
        }
        COMPLAIN(l, l->line, "malformed number \"%.*s\"", (int) MIN(written.size, 40u),
                 written.data);
}

static void open_bracket(Lexer *l, char c) {
        if (l->depth < CONF_DEPTH_MAX) {
                l->open[l->depth].bracket = c;
                l->open[l->depth].line = l->line;
                l->depth++;
        } else if (!l->too_deep) {
                l->too_deep = true;
                COMPLAIN(l, l->line, "nested too deep, expected at most %u levels", CONF_DEPTH_MAX);
        }
}

/* False: the rest of the text makes no sense. */
static bool close_bracket(Lexer *l, char c) {
        char wanted = c == '}' ? '{' : c == ')' ? '(' : '[';

        if (l->depth == 0) {
                COMPLAIN(l, l->line, "%c closes nothing", c);
                return false;
        }
        l->depth--;
        if (l->open[l->depth].bracket != wanted) {
                COMPLAIN(l, l->line, "%c does not close the %c of line %u", c,
                         l->open[l->depth].bracket, l->open[l->depth].line);
                return false;
        }
        return true;
}

/* One token. False: give up. */
static bool take_token(Lexer *l) {
        char c = peek(l, 0);

        switch (c) {
        case '"':
                skip_string(l);
                return true;
        case '#':
                skip_line_comment(l);
                return true;
        case '/':
                if (peek(l, 1) == '/')
                        skip_line_comment(l);
                else if (peek(l, 1) == '*')
                        skip_block_comment(l);
                else {
                        COMPLAIN(l, l->line, "unexpected character \"/\"");
                        return false;
                }
                return true;
        case '{':
        case '(':
        case '[':
                open_bracket(l, c);
                l->at++;
                return !l->too_deep;
        case '}':
        case ')':
        case ']':
                l->at++;
                return close_bracket(l, c);
        case '@':
                COMPLAIN(
                        l, l->line,
                        "@include is not supported, expected a file in the drop-in directory instead");
                skip_line_comment(l);
                return true;
        default:
                break;
        }
        if (is_digit(c) || c == '-' || c == '+' || c == '.') {
                take_number(l);
                return true;
        }
        if (is_letter(c) || c == '*') {
                while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)) ||
                       (peek(l, 0) != '\0' && strchr("-_*", peek(l, 0))))
                        l->at++;
                return true;
        }
        if ((c == '=' || c == ':') && ++l->n_settings > CONF_SETTINGS_MAX) {
                COMPLAIN(l, l->line, "too many settings, expected at most %u in a file",
                         CONF_SETTINGS_MAX);
                return false;
        }
        if (c == '\0' || !strchr(" \t\r\n\f=:;,", c)) {
                unsigned char byte = (unsigned char) c;

                if (byte > 0x20 && byte < 0x7f)
                        COMPLAIN(l, l->line, "unexpected character \"%c\"", c);
                else
                        COMPLAIN(l, l->line, "unexpected byte 0x%02x", byte);
                return false;
        }
        advance(l);
        return true;
}

size_t conf_text_check(const char *file, const char *text, size_t size, ConfIssues *issues) {
        Lexer l = { .file = file, .text = text, .size = size, .line = 1, .issues = issues };
        const char *nul = size > 0 ? memchr(text, '\0', size) : NULL;

        if (nul) {
                unsigned line = 1;

                for (const char *p = text; p < nul; p++)
                        if (*p == '\n')
                                line++;
                COMPLAIN(&l, line, "a NUL byte, expected text");
                return l.n_errors;
        }
        while (l.at < l.size)
                if (!take_token(&l))
                        return l.n_errors;
        for (unsigned i = 0; i < l.depth; i++)
                COMPLAIN(&l, l.open[i].line, "%c without end", l.open[i].bracket);
        return l.n_errors;
}
