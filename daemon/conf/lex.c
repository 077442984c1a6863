/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/lex.h"

#include <string.h>

#include "base/number.h"

/* Tokens of libconfig (lib/scanner.l, 1.5 to 1.7): names [A-Za-z*][-A-Za-z0-9_*]*, numbers with an
 * optional sign and a suffix L or LL, strings with backslash escapes that may span lines, comments
 * of three kinds. A number is taken as the longest run of characters that could belong to one, so
 * that nothing libconfig would read as a number goes by unseen: "5x" is refused here although
 * libconfig would read two tokens. */
void conf_lex_error(ConfLexer *l, unsigned line, const char *format, ...) {
        va_list args;

        l->n_errors++;
        va_start(args, format);
        conf_issues_vadd(l->issues, l->file, line, CONF_ERROR, format, args);
        va_end(args);
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char peek(const ConfLexer *l, size_t ahead) {
        return l->at + ahead < l->size ? l->text[l->at + ahead] : '\0';
}

static void advance(ConfLexer *l) {
        if (l->text[l->at] == '\n')
                l->line++;
        l->at++;
}

static void skip_line_comment(ConfLexer *l) {
        while (l->at < l->size && l->text[l->at] != '\n')
                l->at++;
}

static void skip_block_comment(ConfLexer *l) {
        unsigned line = l->line;

        l->at += 2;
        while (l->at < l->size) {
                if (peek(l, 0) == '*' && peek(l, 1) == '/') {
                        l->at += 2;
                        return;
                }
                advance(l);
        }
        conf_lex_error(l, line, "comment without end, expected */");
        l->open_comment = true;
}

static bool skip_string(ConfLexer *l) {
        unsigned line = l->line;

        l->at++;
        while (l->at < l->size) {
                char c = peek(l, 0);

                if (c == '"') {
                        l->at++;
                        return true;
                }
                if (c == '\\' && peek(l, 1) == 'x' && peek(l, 2) == '0' && peek(l, 3) == '0')
                        conf_lex_error(l, l->line, "a NUL character in a string");
                if (c == '\\' && l->at + 1 < l->size)
                        advance(l);
                advance(l);
        }
        conf_lex_error(l, line, "string without end, expected \"");
        return false;
}

/* Whole decimal digits; magnitude of the value. */
static void check_decimal(ConfLexer *l, Text digits, bool negative, bool is_long, Text written) {
        uint64_t limit = is_long ? (uint64_t) INT64_MAX : (uint64_t) INT32_MAX;
        uint64_t value;
        int r = number_parse_u64(digits.data, digits.size, &value);

        if (negative)
                limit++;
        if (r == 0 && value <= limit)
                return;
        if (!is_long && r == 0 && value <= (uint64_t) INT64_MAX)
                conf_lex_error(l, l->line, "%.*s needs more than 32 bits, expected %.*sL",
                               (int) MIN(written.size, 40u), written.data,
                               (int) MIN(written.size, 40u), written.data);
        else
                conf_lex_error(l, l->line, "%.*s needs more than 64 bits",
                               (int) MIN(written.size, 40u), written.data);
}

static void check_hex(ConfLexer *l, Text digits, bool is_long, Text written) {
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
                conf_lex_error(l, l->line, "%.*s needs more than 32 bits, expected %.*sL",
                               (int) MIN(written.size, 40u), written.data,
                               (int) MIN(written.size, 40u), written.data);
        else
                conf_lex_error(l, l->line, "%.*s needs more than %s bits",
                               (int) MIN(written.size, 40u), written.data, is_long ? "64" : "32");
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

static ConfTokenKind take_number(ConfLexer *l) {
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
                        return is_long ? TOKEN_INT64 : TOKEN_INT;
                }
        } else if (!hex) {
                size_t i = 0;

                while (i < body.size && is_digit(body.data[i]))
                        i++;
                if (i == body.size && i > 0) {
                        check_decimal(l, body, negative, is_long, written);
                        return is_long ? TOKEN_INT64 : TOKEN_INT;
                }
                if (!is_long && is_float(body))
                        return TOKEN_FLOAT;
        }
        conf_lex_error(l, l->line, "malformed number \"%.*s\"", (int) MIN(written.size, 40u),
                       written.data);
        return TOKEN_INT; /* said; go on as if it were one */
}

static bool is_boolean(Text t) {
        static const char *const words[] = { "true", "false" };

        for (size_t i = 0; i < ELEMENTSOF(words); i++) {
                size_t n = 0;

                while (n < t.size && words[i][n] && (t.data[n] | 0x20) == words[i][n])
                        n++;
                if (n == t.size && words[i][n] == '\0')
                        return true;
        }
        return false;
}

static ConfTokenKind take_name(ConfLexer *l, size_t start) {
        while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)) ||
               (peek(l, 0) != '\0' && strchr("-_*", peek(l, 0))))
                l->at++;
        return is_boolean((Text){ l->text + start, l->at - start }) ? TOKEN_BOOL : TOKEN_NAME;
}

/* Blanks, comments and @include. */
static void skip_space(ConfLexer *l) {
        while (l->at < l->size) {
                char c = peek(l, 0);

                if (c == '#' || (c == '/' && peek(l, 1) == '/'))
                        skip_line_comment(l);
                else if (c == '/' && peek(l, 1) == '*')
                        skip_block_comment(l);
                else if (c == '@') {
                        conf_lex_error(
                                l, l->line,
                                "@include is not supported, expected a file in the drop-in directory instead");
                        skip_line_comment(l);
                } else if (c != '\0' && strchr(" \t\r\n\f", c))
                        advance(l);
                else
                        return;
        }
}

static ConfTokenKind take_other(ConfLexer *l, char c) {
        unsigned char byte = (unsigned char) c;

        if (c != '\0' && strchr("{}()[]", c)) {
                l->at++;
                return c == '{' || c == '(' || c == '[' ? TOKEN_OPEN : TOKEN_CLOSE;
        }
        if (c == '=' || c == ':') {
                l->at++;
                return TOKEN_EQUALS;
        }
        if (c == ',' || c == ';') {
                l->at++;
                return c == ',' ? TOKEN_COMMA : TOKEN_SEMICOLON;
        }
        if (byte > 0x20 && byte < 0x7f)
                conf_lex_error(l, l->line, "unexpected character \"%c\"", c);
        else
                conf_lex_error(l, l->line, "unexpected byte 0x%02x", byte);
        return TOKEN_BAD;
}

ConfToken conf_lex(ConfLexer *l) {
        ConfToken token = { .kind = TOKEN_END };
        size_t before = l->n_errors;
        char c;

        skip_space(l);
        token.line = l->line;
        token.text = (Text){ l->text + l->at, 0 };
        if (l->at >= l->size) {
                /* A comment without end has been said: nothing more is to be said of the end. */
                token.kind = l->n_errors > before && l->open_comment ? TOKEN_BAD : TOKEN_END;
                return token;
        }
        c = peek(l, 0);
        token.bracket = c;
        if (c == '"') {
                token.kind = skip_string(l) ? TOKEN_STRING : TOKEN_BAD;
        } else if (is_digit(c) || c == '-' || c == '+' || c == '.')
                token.kind = take_number(l);
        else if (is_letter(c) || c == '*')
                token.kind = take_name(l, l->at);
        else
                token.kind = take_other(l, c);
        token.text.size = (size_t) (l->text + l->at - token.text.data);
        return token;
}
