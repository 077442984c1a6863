/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/pcp.h"
#include "core/sense/kmsg.h"
#include "core/sense/snapshot.h"

/* A signal is a normalised quantity with unit, age and evidence grade (alloctuned.knobs(7)). Names are
 * the identifiers; the table is the only list. */
typedef enum Evidence {
        EVIDENCE_NONE,
        EVIDENCE_ESTIMATED,
        EVIDENCE_COUNTED,
        EVIDENCE_MEASURED,
        _EVIDENCE_MAX,
        _EVIDENCE_INVALID = -1,
} Evidence;

_const_ const char *evidence_to_string(Evidence e);
_must_check_ int evidence_from_text(Text text, Evidence *ret); /* 1: no such grade */

#define SCOPE_MAX 160 /* "cache:" and a directory name (NAME_MAX is cut with a note) */

/* "system", "node:N", "zone:N/NAME", "cache:DIR", "cache:*". */
typedef struct Scope {
        char name[SCOPE_MAX];
} Scope;

Scope scope_system(void);
Scope scope_node(unsigned node);
Scope scope_zone(unsigned node, const char *zone);
Scope scope_cache(const char *dir);
_pure_ bool scope_equal(const Scope *a, const Scope *b);
_pure_ bool scope_is_system(const Scope *s);

typedef enum SignalScopes {
        SCOPES_SYSTEM = 1,
        SCOPES_NODE = 2,
        SCOPES_ZONE = 4,
        SCOPES_CACHE = 8,
} SignalScopes;

typedef struct SignalSpec {
        const char *name;
        const char *unit; /* "ppm", "ns", "pages/s", "events/s", "bytes", "faults/s" */
        unsigned scopes;  /* SignalScopes */
        Evidence best;    /* highest grade any source can give */
        bool lock_wait;   /* a wait for an allocator lock: gate.use applies to it */
        bool higher_is_worse;
        const char *formula; /* with the kernel's names */
        const char *cost;    /* what reading it costs */
        const char *help;    /* one or two sentences for people */
} SignalSpec;

/* All specs, sorted by name. "external:NAME" has no row: external_spec() serves those. */
const SignalSpec *signal_specs(size_t *ret_n);
_pure_ const SignalSpec *signal_spec_find(
        Text name); /* NULL: no such signal; "external:x" gives the external row */

typedef struct Signal {
        const SignalSpec *spec;
        char name[64]; /* spec->name, or "external:NAME" */
        Scope scope;
        int64_t value;  /* in the unit, rounded down; valid only if evidence is not EVIDENCE_NONE */
        unsigned milli; /* thousandths above value (0..999): rates of rare events */
        Evidence evidence;
        const char *unit;
        const char *source; /* "vmstat", "zoneinfo", "report"... "none" */
        usec_t age_usec;    /* USEC_UNKNOWN */
        const char *why;    /* why it is none, or what to know about it; NULL */
} Signal;

/* A share of a whole: never above 1,000,000 ppm. The unit of external signals is whatever they say. */
_pure_ bool signal_is_share(const Signal *s);

typedef struct SignalSet {
        Signal *signals; /* sorted by name, then scope */
        size_t n;
} SignalSet;

/* The signal, or NULL. System scope: scope == NULL. */
_pure_ const Signal *signal_set_find(const SignalSet *set, const char *name, const Scope *scope);

typedef enum WindowKind { WINDOW_LIVE, WINDOW_CAPTURE, WINDOW_BOOT } WindowKind;

/* What signals are made of. */
typedef struct SignalInput {
        const MachineFacts *facts;
        const Snapshot *const
                *snapshots; /* the window, in order of time; middle ones show resets and gaps */
        size_t n_snapshots;
        WindowKind kind;       /* WINDOW_BOOT: one snapshot, averages since boot from its uptime */
        const Kmsg *kmsg;      /* NULL: there is no log */
        const Signal *reports; /* rows of a capture's signals.json: they replace computed rows */
        size_t n_reports;
        const PcpModel *pcp; /* of the newest zoneinfo */
} SignalInput;

/* Computes every signal that needs no tracing. A signal whose files are missing has a row with
 * evidence none and the reason. -ENOMEM when the arena is full. */
_must_check_ int signals_compute(Arena *arena, const SignalInput *input, SignalSet *ret_set);
