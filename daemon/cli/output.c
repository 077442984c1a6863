/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/front.h"

static const char *const escapes[_STYLE_MAX] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",
        [STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m", [STYLE_BAD] = "\033[31m",
};

bool output_is_terminal(int fd) {
        const char *term = getenv("TERM");

        return isatty(fd) == 1 && !(term && strcmp(term, "dumb") == 0);
}

static unsigned find_columns(void) {
        const char *text = getenv("COLUMNS");
        struct winsize size = { 0 };
        uint64_t columns = 0;

        if (!text || number_parse_u64(text, strlen(text), &columns) != 0 || columns == 0)
                columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                                  ? size.ws_col
                                  : 80;
        return (unsigned) MAX(MIN(columns, (uint64_t) OUTPUT_COLUMNS_MOST),
                              (uint64_t) OUTPUT_COLUMNS_LEAST);
}

/* The environment of the pager: less shows short output at once, keeps colours, and as root starts no other program. */
static char **pager_environment(char *less, char *secure, char *storage[], size_t n_storage) {
        size_t n = 0;

        for (char **e = environ; *e; e++)
                if (n + 3 < n_storage && strncmp(*e, "LESS=", 5) != 0 &&
                    strncmp(*e, "LESSSECURE=", 11) != 0)
                        storage[n++] = *e;
        storage[n++] = less;
        if (geteuid() == 0)
                storage[n++] = secure;
        storage[n] = NULL;
        return storage;
}

static int spawn_pager(const char *command, int input, pid_t *ret_pid) {
        char shell[] = "sh", option[] = "-c", text[1024], less[] = "LESS=FRSXMK",
             secure[] = "LESSSECURE=1";
        char *argv[] = { shell, option, text, NULL };
        char *environment[1024];
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t defaults;
        int r;

        if (!text_copy(text, sizeof(text), text_from(command)))
                return -ENAMETOOLONG;
        r = posix_spawn_file_actions_init(&actions);
        if (r != 0)
                return -r;
        r = posix_spawnattr_init(&attributes);
        if (r == 0) {
                (void) sigemptyset(&defaults);
                (void) sigaddset(&defaults, SIGPIPE);
                (void) sigaddset(&defaults, SIGXFSZ);
                r = posix_spawnattr_setsigdefault(&attributes, &defaults);
                if (r == 0)
                        r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
                if (r == 0)
                        r = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
                if (r == 0)
                        r = posix_spawn(ret_pid, "/bin/sh", &actions, &attributes, argv,
                                        pager_environment(less, secure, environment,
                                                          ELEMENTSOF(environment)));
                (void) posix_spawnattr_destroy(&attributes);
        }
        (void) posix_spawn_file_actions_destroy(&actions);
        return -r;
}

static void start_pager(Output *o) {
        const char *command = getenv("PAGER");
        int fds[2];
        pid_t pid = 0;
        FILE *stream;

        if (command && (command[0] == '\0' || strcmp(command, "cat") == 0))
                return;
        if (!command)
                command = "less 2>/dev/null || more 2>/dev/null || cat";
        if (pipe2(fds, O_CLOEXEC) < 0)
                return;
        stream = fdopen(fds[1], "w");
        if (!stream || spawn_pager(command, fds[0], &pid) < 0) {
                if (stream)
                        (void) fclose(stream);
                else
                        (void) close(fds[1]);
        } else {
                o->stream = stream;
                o->pager = pid;
        }
        (void) close(fds[0]);
}

void output_open(Output *o, bool paged) {
        const char *no_color = getenv("NO_COLOR");
        bool terminal = output_is_terminal(STDOUT_FILENO);

        *o = (Output){ .stream = stdout,
                       .columns = find_columns(),
                       .color = terminal && !(no_color && no_color[0] != '\0') };
        if (paged && terminal)
                start_pager(o);
}

int output_close(Output *o) {
        int r = 0;

        if (ferror(o->stream)) {
                /* What went wrong is no longer known: the same happens again to another byte. */
                clearerr(o->stream);
                r = fputc('\n', o->stream) < 0 || fflush(o->stream) != 0 ? -errno : -EIO;
        } else if (fflush(o->stream) != 0) {
                r = -errno;
        }
        if (o->pager > 0) {
                int status;

                if (fclose(o->stream) != 0 && r == 0)
                        r = errno > 0 ? -errno : -EIO;
                while (waitpid(o->pager, &status, 0) < 0 && errno == EINTR)
                        ;
                if (r == -EPIPE)
                        r = 0;
        }
        o->stream = NULL;
        return r;
}

int output_finish(Output *o) {
        int r = output_close(o);

        if (r == -EPIPE)
                return EXIT_FAILED;
        return r < 0 ? cli_errno("cannot write the output", r) : EXIT_FINE;
}

size_t output_utf8_length(const char *text, size_t size) {
        const unsigned char *s = (const unsigned char *) text;
        size_t n;
        uint32_t c;

        if (size == 0)
                return 0;
        if (s[0] < 0x80)
                return 1;
        n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
        if (n == 0 || s[0] >= 0xf5 || n > size)
                return 0;
        c = s[0] & (0xffu >> (n + 1));
        for (size_t i = 1; i < n; i++) {
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
                c = (c << 6) | (s[i] & 0x3fu);
        }
        if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff ||
            (c >= 0xd800 && c < 0xe000))
                return 0;
        return n;
}

void output_clean(char *text, size_t size) {
        for (size_t i = 0; i < size && text[i];) {
                size_t n = output_utf8_length(text + i, strnlen(text + i, size - i));
                unsigned char c = (unsigned char) text[i];

                /* C1 controls are two bytes: c2 80 to c2 9f. */
                if (n == 0 || c < 0x20 || c == 0x7f ||
                    (c == 0xc2 && (unsigned char) text[i + 1] < 0xa0)) {
                        text[i] = '?';
                        n = 1;
                }
                i += n;
        }
}

unsigned output_width(const char *text, size_t size) {
        unsigned width = 0;

        for (size_t i = 0; i < size; i++)
                width += ((unsigned char) text[i] & 0xc0) != 0x80;
        return width;
}

void output_print(Output *o, const char *format, ...) {
        char text[4096];
        va_list args;

        va_start(args, format);
        if (!text_format_va(text, sizeof(text), format, args))
                memcpy(text + sizeof(text) - 4, "...", 4);
        va_end(args);
        /* A failed write stays in the stream's error flag: output_close() tells. */
        (void) fputs(text, o->stream);
}

void output_style(Output *o, Style style) {
        if (o->color)
                (void) fputs(escapes[style], o->stream);
}

void output_styled(Output *o, Style style, const char *format, ...) {
        char text[1024];
        va_list args;

        va_start(args, format);
        (void) text_format_va(text, sizeof(text), format, args);
        va_end(args);
        output_clean(text, sizeof(text));
        if (style != STYLE_PLAIN)
                output_style(o, style);
        (void) fputs(text, o->stream);
        if (style != STYLE_PLAIN)
                output_style(o, STYLE_PLAIN);
}

size_t output_wrap(const char *text, unsigned width, const char **ret_next) {
        size_t size = strlen(text), end = 0, blank = 0;
        unsigned at = 0;

        for (; end < size; end++) {
                if (((unsigned char) text[end] & 0xc0) != 0x80 && at++ == width)
                        break;
                if (text[end] == ' ' && end > 0)
                        blank = end;
        }
        if (end < size && text[end] != ' ' && blank > 0)
                end = blank;
        *ret_next = text + end;
        while (**ret_next == ' ')
                (*ret_next)++;
        while (end > 0 && text[end - 1] == ' ')
                end--;
        return end;
}

void output_paragraph(Output *o, unsigned indent, unsigned margin, Style label_style,
                      const char *label, const char *text) {
        char copy[4096];
        const char *rest = copy;
        unsigned label_width = output_width(label, strlen(label));
        unsigned width = o->columns > margin + 20 ? o->columns - margin : 20;

        if (!text_copy(copy, sizeof(copy), text_from(text)))
                memcpy(copy + sizeof(copy) - 4, "...", 4);
        for (char *c = copy; *c; c++)
                if (*c == '\n' || *c == '\t')
                        *c = ' ';
        output_clean(copy, sizeof(copy));
        output_print(o, "%*s", (int) indent, "");
        output_styled(o, label_style, "%s", label);
        if (indent + label_width + (label_width > 0) > margin)
                output_print(o, "\n%*s", (int) margin, "");
        else
                output_print(o, "%*s", (int) (margin - indent - label_width), "");
        for (bool first = true; first || *rest; first = false) {
                const char *line = rest;
                size_t size = output_wrap(line, width, &rest);

                output_print(o, "%*s%.*s\n", first ? 0 : (int) margin, "", (int) size, line);
        }
}
