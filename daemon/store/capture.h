/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"
#include "machine/sample.h"

/* Writes a capture of a machine: DIR/<ms since start, 8 digits>/proc and /sys with exactly the files that
 * sensors, facts and knobs are read from, slab aliases as links, DIR/capture.json, and DIR/MODES. It
 * appears under its name only when it is complete. */
typedef struct CaptureOptions {
        const char *dir;      /* must not exist, or be empty */
        usec_t duration_usec; /* 0: one snapshot */
        usec_t interval_usec;
        void (*progress)(void *userdata, usec_t passed_usec, usec_t whole_usec); /* NULL: none */
        void *userdata;
} CaptureOptions;

typedef struct CaptureResult {
        unsigned n_snapshots;
        size_t n_files;  /* in all snapshots */
        size_t n_denied; /* files that could not be read for lack of rights, in the first snapshot */
} CaptureResult;

/* 0; CAPTURE_E_EXISTS: something is there already; -errno. On failure nothing is left behind; after SIGINT,
 * SIGTERM or SIGHUP neither, and the process then ends by it. */
enum { CAPTURE_E_EXISTS = 1 };
_must_check_ int capture_write(Machine *m, const CaptureOptions *options, CaptureResult *ret);
