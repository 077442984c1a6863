/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "conf/lex.h"

/* The grammar of libconfig (lib/grammar.y), as far as 1.5 and 1.7 agree: no comma before a closing
 * bracket. No recursion: a frame for each open bracket, and in each what may come next. */
typedef enum Next {
        NEXT_NAME, /* in a group: a name, or its end */
        NEXT_EQUALS,
        NEXT_VALUE,
        NEXT_FIRST_VALUE, /* in a list: or its end */
        NEXT_SEPARATOR,   /* behind a value */
} Next;

typedef struct Frame {
        char bracket; /* '\0': the file itself, a group without braces */
        unsigned line;
        Next next;
        ConfTokenKind last;    /* scalar in front, or TOKEN_END */
        ConfTokenKind members; /* of an array: their kind, or TOKEN_END */
} Frame;

typedef struct Grammar {
        ConfLexer lexer;
        Frame frames[CONF_DEPTH_MAX + 1];
        unsigned depth; /* of open brackets */
        unsigned n_settings;
        Text name; /* last one seen */
} Grammar;

static bool is_group(const Frame *f) {
        return f->bracket == '\0' || f->bracket == '{';
}

static bool is_scalar(const ConfToken *t) {
        return t->kind >= TOKEN_STRING;
}

static char closing(char bracket) {
        return bracket == '{' ? '}' : bracket == '(' ? ')' : ']';
}

/* False, for callers to return. */
static bool unexpected(Grammar *g, const ConfToken *t, const char *expected) {
        if (t->kind == TOKEN_END && g->depth > 0)
                for (unsigned i = 1; i <= g->depth; i++)
                        conf_lex_error(&g->lexer, g->frames[i].line, "%c without end",
                                       g->frames[i].bracket);
        else if (t->kind == TOKEN_END)
                conf_lex_error(&g->lexer, t->line, "expected %s before the end of the file",
                               expected);
        else
                conf_lex_error(&g->lexer, t->line, "unexpected %.*s, expected %s",
                               (int) MIN(t->text.size, (size_t) 40), t->text.data, expected);
        return false;
}

static bool open_frame(Grammar *g, const ConfToken *t) {
        Frame *f;

        if (g->depth == CONF_DEPTH_MAX) {
                conf_lex_error(&g->lexer, t->line, "nested too deep, expected at most %u levels",
                               CONF_DEPTH_MAX);
                return false;
        }
        f = &g->frames[++g->depth];
        *f = (Frame){ .bracket = t->bracket,
                      .line = t->line,
                      .next = t->bracket == '{' ? NEXT_NAME : NEXT_FIRST_VALUE };
        return true;
}

static bool close_frame(Grammar *g, const ConfToken *t) {
        const Frame *f = &g->frames[g->depth];

        if (g->depth == 0) {
                conf_lex_error(&g->lexer, t->line, "%c closes nothing", t->bracket);
                return false;
        }
        if (closing(f->bracket) != t->bracket) {
                conf_lex_error(&g->lexer, t->line, "%c does not close the %c of line %u",
                               t->bracket, f->bracket, f->line);
                return false;
        }
        g->depth--;
        g->frames[g->depth].next = NEXT_SEPARATOR;
        g->frames[g->depth].last = TOKEN_END;
        return true;
}

static bool take_value(Grammar *g, Frame *f, const ConfToken *t) {
        if (t->kind == TOKEN_OPEN && f->bracket != '[')
                return open_frame(g, t);
        if (!is_scalar(t))
                return unexpected(
                        g, t,
                        f->bracket == '['
                                ? "a number, a \"string\", true or false"
                                : "a value: a number, a \"string\", true, false, ( ), [ ] or { }");
        if (f->bracket == '[') {
                if (f->members != TOKEN_END && f->members != t->kind) {
                        conf_lex_error(
                                &g->lexer, t->line,
                                "%.*s is of another type than the first member of its array, expected one type or ( )",
                                (int) MIN(t->text.size, (size_t) 40), t->text.data);
                        return false;
                }
                f->members = t->kind;
        }
        f->next = NEXT_SEPARATOR;
        f->last = t->kind;
        return true;
}

static bool take_name(Grammar *g, Frame *f, const ConfToken *t) {
        if (t->kind != TOKEN_NAME)
                return unexpected(g, t, "a name");
        if (++g->n_settings > CONF_SETTINGS_MAX) {
                conf_lex_error(&g->lexer, t->line,
                               "too many settings, expected at most %u in a file",
                               CONF_SETTINGS_MAX);
                return false;
        }
        g->name = t->text;
        f->next = NEXT_EQUALS;
        return true;
}

static bool take_separator(Grammar *g, Frame *f, const ConfToken *t) {
        if (t->kind == TOKEN_STRING && f->last == TOKEN_STRING)
                return true; /* "a" "b" is one string */
        if (!is_group(f)) {
                char expected[] = ", or )";

                expected[sizeof(expected) - 2] = closing(f->bracket);
                if (t->kind != TOKEN_COMMA)
                        return unexpected(g, t, expected);
                f->next = NEXT_VALUE;
                return true;
        }
        if (t->kind == TOKEN_NAME)
                return take_name(g, f, t); /* the ; may be left out */
        if (t->kind != TOKEN_COMMA && t->kind != TOKEN_SEMICOLON)
                return unexpected(g, t, "; or the next name");
        f->next = NEXT_NAME;
        return true;
}

static bool take_token(Grammar *g, const ConfToken *t) {
        Frame *f = &g->frames[g->depth];

        if (t->kind == TOKEN_BAD)
                return false;
        switch (f->next) {
        case NEXT_NAME:
                return t->kind == TOKEN_CLOSE ? close_frame(g, t) : take_name(g, f, t);
        case NEXT_EQUALS: {
                char expected[80];

                if (t->kind == TOKEN_EQUALS) {
                        f->next = NEXT_VALUE;
                        return true;
                }
                (void) text_format(expected, sizeof(expected), "= after %.*s",
                                   (int) MIN(g->name.size, (size_t) 60), g->name.data);
                return unexpected(g, t, expected);
        }
        case NEXT_FIRST_VALUE:
                return t->kind == TOKEN_CLOSE ? close_frame(g, t) : take_value(g, f, t);
        case NEXT_VALUE:
                return take_value(g, f, t);
        case NEXT_SEPARATOR:
                return t->kind == TOKEN_CLOSE ? close_frame(g, t) : take_separator(g, f, t);
        }
        return false;
}

/* A text may end behind a setting, with its ; or without. */
static bool may_end(const Grammar *g) {
        return g->depth == 0 &&
               (g->frames[0].next == NEXT_NAME || g->frames[0].next == NEXT_SEPARATOR);
}

size_t conf_text_check(const char *file, const char *text, size_t size, ConfIssues *issues) {
        Grammar g = {
                .lexer = { .file = file, .text = text, .size = size, .line = 1, .issues = issues }
        };
        const char *nul = size > 0 ? memchr(text, '\0', size) : NULL;
        ConfToken token;

        if (nul) {
                unsigned line = 1;

                for (const char *p = text; p < nul; p++)
                        if (*p == '\n')
                                line++;
                conf_lex_error(&g.lexer, line, "a NUL byte, expected text");
                return g.lexer.n_errors;
        }
        do {
                token = conf_lex(&g.lexer);
                if (token.kind == TOKEN_END && may_end(&g))
                        break;
        } while (take_token(&g, &token));
        return g.lexer.n_errors;
}
