/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Attributes carry the contract: the compiler checks what the comment says. */
#define _must_check_ __attribute__((warn_unused_result))
#define _nonnull_ __attribute__((nonnull))
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))
#define _pure_ __attribute__((pure))
#define _const_ __attribute__((const))
#define _unused_ __attribute__((unused))
#define _cleanup_(f) __attribute__((cleanup(f)))

#define ELEMENTSOF(x) (sizeof(x) / sizeof((x)[0]))
#define MIN(a, b)                                  \
        ({                                         \
                __typeof__(a) _min_a = (a);        \
                __typeof__(b) _min_b = (b);        \
                _min_a < _min_b ? _min_a : _min_b; \
        })
#define MAX(a, b)                                  \
        ({                                         \
                __typeof__(a) _max_a = (a);        \
                __typeof__(b) _max_b = (b);        \
                _max_a > _max_b ? _max_a : _max_b; \
        })

/* Moves ownership out of a variable: the variable is NULL afterwards. */
#define TAKE_PTR(p)                       \
        ({                                \
                __typeof__(p) *_p = &(p); \
                __typeof__(p) _v = *_p;   \
                *_p = NULL;               \
                _v;                       \
        })
