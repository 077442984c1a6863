/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/issue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *conf_severity_to_string(ConfSeverity severity) {
        switch (severity) {
        case CONF_WARNING:
                return "warning";
        case CONF_ERROR:
                return "error";
        }
        return "unknown";
}

static bool reserve(ConfIssues *issues) {
        size_t wanted = issues->allocated == 0 ? 16 : issues->allocated * 2;
        ConfIssue *items;

        if (issues->n < issues->allocated)
                return true;
        if (issues->n >= CONF_ISSUES_MAX)
                return false;
        items = realloc(issues->items, wanted * sizeof(*items));
        if (!items)
                return false;
        issues->items = items;
        issues->allocated = wanted;
        return true;
}

/* What people wrote goes to terminals and logs: a control character must not. */
static void make_printable(char *text) {
        for (char *p = text; *p; p++)
                if ((unsigned char) *p < 0x20 || *p == 0x7f)
                        *p = '?';
}

void conf_issues_vadd(ConfIssues *issues, const char *file, unsigned line, ConfSeverity severity,
                      const char *format, va_list args) {
        ConfIssue issue = { .line = line, .severity = severity };
        int r;

        if (!issues)
                return;
        if (severity == CONF_ERROR)
                issues->n_errors++;
        if (!reserve(issues)) {
                issues->n_dropped++;
                return;
        }
        r = vasprintf(&issue.text, format, args);
        issue.file = strdup(file ? file : "");
        if (r < 0 || !issue.file) {
                if (r >= 0)
                        free(issue.text);
                free(issue.file);
                issues->n_dropped++;
                return;
        }
        make_printable(issue.file);
        make_printable(issue.text);
        issues->items[issues->n++] = issue;
}

void conf_issues_add(ConfIssues *issues, const char *file, unsigned line, ConfSeverity severity,
                     const char *format, ...) {
        va_list args;

        va_start(args, format);
        conf_issues_vadd(issues, file, line, severity, format, args);
        va_end(args);
}

void conf_issues_done(ConfIssues *issues) {
        for (size_t i = 0; i < issues->n; i++) {
                free(issues->items[i].file);
                free(issues->items[i].text);
        }
        free(issues->items);
        *issues = CONF_ISSUES_NULL;
}
