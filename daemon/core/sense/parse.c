/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/parse.h"

/* Shared parts of the parsers.
 *
 * A parser is total: any bytes give a result. What it cannot understand it leaves absent and
 * names in the log, with its line, and goes on. The log holds a bounded number of issues and
 * counts the rest, so that a binary file of megabytes costs no memory. */

void parse_log_add(ParseLog *log, const char *path, unsigned line, const char *what, Text about) {
        ParseIssue *issue;
        size_t n;

        if (log->n_issues == PARSE_ISSUES_MAX) {
                if (log->n_more < UINT32_MAX)
                        log->n_more++;
                return;
        }
        issue = &log->issue[log->n_issues++];
        *issue = (ParseIssue){ .path = path, .line = line, .what = what };
        n = MIN(about.size, sizeof(issue->about) - 1);
        for (size_t i = 0; i < n; i++) {
                char c = about.data[i];

                issue->about[i] = c >= ' ' && c <= '~' ? c : '?';
        }
}

ParseLines parse_lines(Text text, const char *path, ParseLog *log) {
        return (ParseLines){ .rest = text, .path = path, .log = log };
}

bool parse_lines_next(ParseLines *l, Text *ret_line) {
        Text line = TEXT_NULL;
        bool ended = l->rest.size > 0 && l->rest.data[l->rest.size - 1] == '\n';

        if (!text_next_line(&l->rest, &line))
                return false;
        l->line++;
        if (l->rest.size == 0 && !ended) {
                if (text_strip(line).size > 0)
                        parse_lines_issue(l, "the file ends inside this line", text_strip(line));
                return false;
        }
        *ret_line = line;
        return true;
}

MaybeU64 parse_lines_number(const ParseLines *l, Text field, Text about) {
        uint64_t value = 0;
        int r = number_parse_u64(field.data, field.size, &value);

        if (r != 0) {
                parse_lines_issue(l, number_error_string(r), about);
                return UNKNOWN;
        }
        return KNOWN(value);
}

void parse_lines_issue(const ParseLines *l, const char *what, Text about) {
        parse_log_add(l->log, l->path, l->line, what, about);
}

void parse_lines_found(const ParseLines *l, bool found, Text text) {
        if (!found)
                parse_log_add(l->log, l->path, 0,
                              text.size == 0 ? "the file is empty"
                                             : "nothing in this file is known",
                              TEXT_NULL);
}

MaybeU64 maybe_add(MaybeU64 a, MaybeU64 b) {
        if (!a.known)
                return b;
        if (!b.known)
                return a;
        return KNOWN(u64_add_sat(a.value, b.value));
}
