/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/sense/parse.h"

/* proc/pressure/memory (PSI). An absent file is a NULL Pressure in the snapshot; a line that the
 * file lacks ("full" of cpu before 5.13) is present == false here. */
typedef struct PressureLine {
        bool present;
        MaybeU64 avg10_ppm, avg60_ppm, avg300_ppm;
        MaybeU64 total_usec;
} PressureLine;

typedef struct Pressure {
        PressureLine some, full;
} Pressure;

_must_check_ int pressure_parse(Text text, const char *path, Pressure *ret, ParseLog *log);
