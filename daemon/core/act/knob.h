/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/pcp.h"
#include "core/act/slub.h"
#include "core/sense/snapshot.h"
#include "core/signal/signal.h"

/* A knob is one setting that the kernel has. The table says what can be known without a machine; a
 * row (Knob) is one knob of one machine. States are found from mode bits, content and neighbours,
 * never from version numbers (but thp-alignment of a tree). */
typedef enum KnobState {
        KNOB_LIVE,    /* settable now */
        KNOB_BOOT,    /* only a kernel parameter */
        KNOB_KERNEL,  /* the kernel tunes it itself; writing turns that off */
        KNOB_FIXED,   /* readable, never settable */
        KNOB_REMOVED, /* this kernel no longer has it, though the file may exist */
        KNOB_ABSENT,
        KNOB_DENIED,  /* this process may not, or doing it here is unsafe */
        KNOB_YIELDED, /* another writer owns it */
        KNOB_PAUSED,
        _KNOB_STATE_MAX,
} KnobState;

_const_ const char *knob_state_to_string(KnobState s);

typedef enum KnobOwner {
        OWNER_KERNEL,
        OWNER_ADMIN,
        OWNER_ALLOCTUNED,
        OWNER_UNKNOWN,
        _OWNER_MAX
} KnobOwner;

_const_ const char *knob_owner_to_string(KnobOwner o);

typedef enum KnobKind {
        KNOB_KIND_PCP_FRACTION,
        KNOB_KIND_PCP_BATCH,
        KNOB_KIND_SLAB_ORDER,
        KNOB_KIND_SLAB_INTEGER, /* cpu_partial, min_partial, remote defrag, sheaf capacity */
        KNOB_KIND_WORD,         /* one word of a bracketed list */
        KNOB_KIND_INTEGER,      /* a plain integer file */
        KNOB_KIND_ALIGNMENT,
} KnobKind;

typedef struct KnobSpec {
        const char *name;
        KnobKind kind;
        unsigned scopes;          /* SignalScopes bits */
        const char *path;         /* relative; "%s" stands for the cache directory */
        const char *attribute;    /* of slab knobs: "cpu_partial" */
        const char *legal;        /* for people: "0, or 8 to 2147483647" */
        const char *const *words; /* NULL-terminated, of word knobs */
        const char *unit;
        int64_t floor, ceiling;                   /* of integers, as we would ever write them */
        unsigned window_s, settle_s, write_gap_s; /* of a trial; 0: no trials */
        bool flushes_every_cpu;                   /* denied with isolated CPUs or PREEMPT_RT */
        bool context_only;                        /* read for context, never written */
        const char *memory;                       /* worst case, as a formula */
        const char *verify;                       /* what proves a write */
        const char *risk;
        const char *help;
        const char *source; /* kernel file and function, for the texts above */
} KnobSpec;

const KnobSpec *knob_specs(size_t *ret_n); /* sorted by name */
/* Relative paths of the files behind system-scope knobs, sorted. Besides, for each entry of
 * KNOB_SIZE_FOLDER that thp_size_name_parse() accepts, its KNOB_SIZE_FILE. The machine floor
 * reads them all into KnobFile rows. */
const char *const *knob_paths(size_t *ret_n);
#define KNOB_SIZE_FOLDER "sys/kernel/mm/transparent_hugepage"
#define KNOB_SIZE_FILE "enabled"
#define KNOB_SIZE_NAME "thp-size-<kB>-enabled" /* name of the row of all sizes */
_pure_ const KnobSpec *knob_spec_find(
        Text name); /* also "thp-size-64-enabled" -> the thp-size row */

typedef struct Knob {
        const KnobSpec *spec;
        char name[48]; /* spec->name, per-size ones spelt out: "thp-size-64-enabled" */
        Scope scope;
        KnobState state;
        bool inferred;        /* the state is a guess (no mode bits, or behaviour not yet seen) */
        bool denied_isolated; /* denied only because a write would disturb isolated CPUs, or RT */
        KnobOwner owner;
        const struct AdminSetting *set_by; /* the line that set the value in force, or NULL */
        char value[32];                    /* "" : unknown */
        char def[32];                      /* the kernel's default here; "" : unknown */
        char path[176];    /* absolute as the machine sees it: "/proc/sys/vm/..."; "" : none */
        char reason[240];  /* why this state, with numbers */
        char aliases[480]; /* of caches: comma separated, ends in ",..." when cut */
        MaybeU64 number;   /* value as a number */
        MaybeU64 def_number;
        MaybeU64 memory_bytes;  /* worst case at the present value */
        const SlabCache *cache; /* of slab knobs */
} Knob;

typedef struct KnobSet {
        Knob *knobs; /* sorted by name, then scope */
        size_t n;
} KnobSet;

_pure_ const Knob *knob_set_find(const KnobSet *set, const char *name,
                                 const Scope *scope); /* scope NULL: system */

/* One file behind a knob as the machine gave it. */
typedef struct KnobFile {
        const char *path; /* relative: "proc/sys/vm/percpu_pagelist_high_fraction" */
        SenseState state;
        Text text;       /* whole content, without the last LF */
        unsigned mode;   /* permission bits, valid only if mode_known */
        bool mode_known; /* false: the tree has no modes; those of the kernel are inferred */
} KnobFile;

/* A value that an administrator's file sets: sysctl.d or tmpfiles.d. */
typedef struct AdminSetting {
        const char *path; /* "/proc/sys/vm/..." or "/sys/..." (may hold * of tmpfiles.d) */
        const char *value;
        const char *file; /* absolute */
        unsigned line;
} AdminSetting;

typedef struct KnobInput {
        const MachineFacts *facts;
        const Snapshot *last;  /* the newest snapshot: zoneinfo, slab, thp */
        const KnobFile *files; /* every file that knob_paths() names and the tree has or refuses */
        size_t n_files;
        const AdminSetting *settings;
        size_t n_settings;
        const char *alignment; /* what the live probe found: "always"...; NULL: a tree */
        bool may_write;        /* rights of root on the live machine, or a tree read as root */
} KnobInput;

/* The models of this machine, as knobs_build() uses them. */
void knob_pcp_model(const KnobInput *input, PcpModel *ret);
void knob_slub_model(const KnobInput *input, SlubModel *ret);
/* The file of a relative path, or NULL. */
_pure_ const KnobFile *knob_file_find(const KnobInput *input, const char *path);

/* Fills one row for every knob of the table in every scope it has on this machine (knobs that the
 * machine lacks get one row with state absent). -ENOMEM when the arena is full. */
_must_check_ int knobs_build(Arena *arena, const KnobInput *input, KnobSet *ret_set);
