/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"

/* The state of every change that we made, and what to give back. Pure: records are text lines that the store appends
 * (design of the file: a line is "alloctuned1 <crc32c hex> <fields>\n"); this builds them, reads them, and folds them into one entry
 * for each knob. Intent is on disk before the write, outcome after the read-back.
 *
 * After any crash: an entry whose file holds our value (the last committed one, or one of an open intent) is restored to its
 * original; any other value is somebody else's and is left alone. A ledger of another boot restores nothing: the kernel forgot too. */
typedef enum LedgerKind {
        LEDGER_BOOT,     /* boot id and program version: heads every run */
        LEDGER_INTEND,   /* knob, original, from, to, decision: about to be written */
        LEDGER_COMMIT,   /* read back: actual */
        LEDGER_VOID,     /* the write did not happen or did not take; actual */
        LEDGER_RESTORED, /* the original is back */
        LEDGER_YIELD,    /* a foreign value was seen: ours no longer */
        _LEDGER_KIND_MAX,
} LedgerKind;

typedef struct LedgerRecord {
        LedgerKind kind;
        uint64_t sequence; /* counts from 1, without holes */
        uint64_t at_sec;   /* wall clock, for people */
        char boot_id[40];
        char knob[48];
        Scope scope;
        char path[176];                      /* relative to the root of the machine */
        char original[32], from[32], to[32]; /* of COMMIT, VOID and YIELD: to is the value read */
        char decision[320];
} LedgerRecord;

typedef enum LedgerError {
        LEDGER_E_MALFORMED =
                1, /* no such line, or its checksum does not fit: it and all behind it count as torn */
        LEDGER_E_FULL,     /* more knobs than the ledger was sized for */
        LEDGER_E_SEQUENCE, /* a line is missing, or twice */
} LedgerError;

#define LEDGER_LINE_MAX 1024
/* A record as one line with its newline; false: does not fit (a field has a newline or is too long). */
_must_check_ bool ledger_encode(const LedgerRecord *r, char *buffer, size_t size,
                                size_t *ret_length);
_must_check_ int ledger_decode(Text line, LedgerRecord *ret);

typedef enum LedgerState { LEDGER_CLEAN, LEDGER_OPEN, LEDGER_OURS, LEDGER_FOREIGN } LedgerState;

typedef struct LedgerEntry {
        LedgerState state;
        char knob[48];
        Scope scope;
        char path[176];
        char original[32]; /* before our first write since it was last clean */
        char ours[32];     /* last committed value; "" none */
        char intended[32]; /* of an open intent; "" none */
        uint64_t order;    /* sequence of the first write: restores go from the highest down */
        char decision[320];
} LedgerEntry;

typedef struct Ledger {
        LedgerEntry *entries;
        size_t n, capacity;
        uint64_t sequence; /* of the last record folded in */
        char boot_id[40];  /* of this boot */
        bool other_boot;   /* what was read is of another boot */
} Ledger;

_must_check_ int ledger_init(Arena *arena, size_t capacity, const char *boot_id, Ledger *ret);
/* Folds one record in. 0 or a LEDGER_E_ condition (nothing changed then). */
_must_check_ int ledger_fold(Ledger *l, const LedgerRecord *r);
/* Reads a whole file: stops at the first torn line. ret_good_bytes: length of the good part. */
_must_check_ int ledger_load(Ledger *l, Text text, size_t *ret_good_bytes, unsigned *ret_bad_line);
_pure_ const LedgerEntry *ledger_find(const Ledger *l, const char *knob, const Scope *scope);

/* What is to be done to give everything back, in order: entries that may hold our value, newest first. */
typedef enum RestoreAction {
        RESTORE_NOTHING,
        RESTORE_WRITE,
        RESTORE_LEAVE_FOREIGN,
        RESTORE_GONE
} RestoreAction;
/* i-th entry in order of restoring (0: first), or NULL. Only entries in state OPEN or OURS of this boot. */
_pure_ const LedgerEntry *ledger_restore_order(const Ledger *l, size_t i);
/* Given what the file holds now ("" : it is gone). */
_pure_ RestoreAction ledger_restore_action(const LedgerEntry *e, const char *now);
