/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <sys/types.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "core/sense/snapshot.h"

/* The only code that touches a kernel, a clock, or a stand-in for them. Every path is relative to the
 * root of the machine: "proc/vmstat". Behind the vtable stand the live root, a copied tree, a capture
 * (a series of snapshots with their own times) and the simulated machine (machine/sim/sim.h). Of these only
 * the last takes writes so far: nothing here can open a file for writing. */
typedef enum MachineError {
        MACHINE_E_ABSENT = 1, /* ENOENT, ENOTDIR, ENODEV */
        MACHINE_E_DENIED,     /* EACCES, EPERM */
        MACHINE_E_FAILED,     /* any other error of the read; machine_errno() tells */
        MACHINE_E_TOO_LARGE,  /* more than the caller allows */
        MACHINE_E_END,        /* machine_advance(): no later snapshot */
        MACHINE_E_READ_ONLY, /* machine_write(): this machine takes no writes (a tree, a capture) */
} MachineError;

typedef enum MachineKind {
        MACHINE_LIVE,
        MACHINE_TREE,
        MACHINE_CAPTURE,
        MACHINE_SIMULATED
} MachineKind;

typedef struct DirEntry {
        const char *name;
        const char *link; /* target of a symbolic link, or NULL */
        bool is_dir;      /* of the entry itself, links not followed */
} DirEntry;

typedef struct MachineVtable {
        /* Whole file into arena memory (NUL-terminated behind its end). Live: one read of a kept-open descriptor, rewound. */
        int (*read)(Machine *m, const char *path, size_t max_bytes, Arena *arena, Text *ret_text);
        int (*list)(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries,
                    size_t *ret_n); /* sorted by name */
        int (*mode)(Machine *m, const char *path,
                    unsigned *ret_mode); /* ABSENT also when the tree has no modes */
        usec_t (*now)(Machine *m);       /* live: CLOCK_MONOTONIC; capture: stamp of the snapshot */
        int (*advance)(
                Machine *m,
                usec_t until_usec); /* live: sleeps; capture: the next snapshot, or MACHINE_E_END */
        int (*age)(Machine *m, const char *path,
                   usec_t *ret_usec); /* since the file was written; ABSENT: not known here */
        /* One write of a whole value. NULL: this machine takes none. */
        int (*write)(Machine *m, const char *path, Text value);
        void (*free)(Machine *m);
} MachineVtable;

struct Machine {
        const MachineVtable *vtable;
        MachineKind kind;
        int error;       /* errno of the last MACHINE_E_FAILED */
        bool have_modes; /* live: true; tree/capture: has MODES, or real modes could be trusted */
        Arena scratch;   /* for texts that are parsed and forgotten; whoever uses it resets it */
};

/* Opens the machine at DIR: "/" is the live one; a folder with NNNNNNNN/proc below it is a capture;
 * one with proc/ or sys/ a tree. 0, or MACHINE_E_ABSENT / MACHINE_E_DENIED (not a tree), or -errno. */
_must_check_ int machine_open(const char *dir, Machine **ret_machine);
Machine *machine_free(Machine *m); /* NULL is fine; returns NULL */

static inline int machine_read(Machine *m, const char *path, size_t max_bytes, Arena *arena,
                               Text *ret_text) {
        return m->vtable->read(m, path, max_bytes, arena, ret_text);
}
static inline int machine_list(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries,
                               size_t *ret_n) {
        return m->vtable->list(m, path, arena, ret_entries, ret_n);
}
static inline int machine_mode(Machine *m, const char *path, unsigned *ret_mode) {
        return m->vtable->mode(m, path, ret_mode);
}
static inline int machine_age(Machine *m, const char *path, usec_t *ret_usec) {
        return m->vtable->age(m, path, ret_usec);
}
/* 0, or a condition; of MACHINE_E_FAILED and MACHINE_E_DENIED Machine.error has the errno. */
static inline int machine_write(Machine *m, const char *path, Text value) {
        return m->vtable->write ? m->vtable->write(m, path, value) : MACHINE_E_READ_ONLY;
}
static inline usec_t machine_now(Machine *m) {
        return m->vtable->now(m);
}
static inline int machine_advance(Machine *m, usec_t until_usec) {
        return m->vtable->advance(m, until_usec);
}
