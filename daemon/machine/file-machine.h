/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"
#include "machine/root.h"

/* Inside machine/ only: the machine behind the live root, a tree or a capture. */
#define KEPT_FILES 8

typedef struct CaptureSnapshot {
        const char *name;
        usec_t at_usec;
} CaptureSnapshot;

typedef struct FileMode {
        const char *path;
        unsigned mode;
} FileMode;

typedef struct FileMachine {
        Machine machine; /* first: the two are one address */
        Root top;        /* the directory that was named */
        Root snapshot;   /* of a capture: the one at hand */
        Arena memory;
        CaptureSnapshot *snapshots;
        size_t n_snapshots, at;
        unsigned n_empty_snapshots, n_odd_names;
        FileMode *modes; /* sorted by path; NULL: modes are those on the disk */
        size_t n_modes;
        unsigned modes_line, modes_bad_line;
        bool modes_unreadable, modes_too_large;
        unsigned n_twins; /* snapshots left out because they have the time of another */
        int kept[KEPT_FILES];
        size_t kept_bytes[KEPT_FILES];
} FileMachine;

/* MODES of a capture: "0644 proc/vmstat", a file a line; paths may begin with / or the name of a snapshot.
 * Fills modes (sorted) and the line numbers about them. 0 or -ENOMEM. */
_must_check_ int file_machine_modes(FileMachine *f, Text text);
