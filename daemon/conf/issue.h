/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>

#include "base/macro.h"

/* What is wrong with the files people write. Nothing stops at the first problem: every loader adds
 * to a list, and the caller decides what an error means (check: exit 78; recommend: a note; reload:
 * the running set stays in force). Printed as "FILE:LINE: text". */
typedef enum ConfSeverity { CONF_WARNING, CONF_ERROR } ConfSeverity;

typedef struct ConfIssue {
        char *file;    /* as opened; "" when no file is meant */
        unsigned line; /* from 1; 0: the file as a whole */
        ConfSeverity severity;
        char *text; /* what is wrong, and what was expected; one line, no FILE:LINE */
} ConfIssue;

/* The list is bounded: what does not fit is counted. */
#define CONF_ISSUES_MAX 1000

typedef struct ConfIssues {
        ConfIssue *items;
        size_t n;
        size_t allocated;
        size_t n_errors;  /* of all, also of those dropped */
        size_t n_dropped; /* beyond CONF_ISSUES_MAX, or lost to ENOMEM */
} ConfIssues;

#define CONF_ISSUES_NULL ((ConfIssues){ 0 })

_printf_(5, 6) void conf_issues_add(ConfIssues *issues, const char *file, unsigned line,
                                    ConfSeverity severity, const char *format, ...);
_printf_(5, 0) void conf_issues_vadd(ConfIssues *issues, const char *file, unsigned line,
                                     ConfSeverity severity, const char *format, va_list args);
/* Frees the list and makes it CONF_ISSUES_NULL. */
void conf_issues_done(ConfIssues *issues);

_const_ const char *conf_severity_to_string(ConfSeverity severity); /* "warning", "error" */
