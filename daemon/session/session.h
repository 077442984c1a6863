/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/ledger.h"
#include "core/engine/engine.h"
#include "machine/machine.h"
#include "session/sense.h"

/* The one loop: machine, engine, store. The service, `simulate`, `replay` and the tests run this and nothing else. The store is a
 * vtable: a file in the service, memory in simulations. */
typedef struct Store {
        /* Appends a record and makes it durable before it returns. 0 or -errno. */
        int (*append)(struct Store *s, const LedgerRecord *record);
} Store;

typedef struct SessionConfig {
        EngineConfig engine;
        SenseConfig sense;
        const Policy *policies;
        size_t n_policies;
        const char *const *deny_knobs, *const *deny_caches;
        size_t n_deny_knobs, n_deny_caches;
        bool apply; /* false: writes are not carried out (mode "recommend"): outcomes VOID */
        bool (*trials_open)(usec_t now_usec, void *data); /* NULL: always */
        void *trials_data;
        Store *store;     /* NULL: none (replay) */
        char boot_id[40]; /* "": a simulated or recorded machine */
} SessionConfig;

typedef struct Session Session;

/* Reads the machine once, builds the first plan, makes the engine. 0, MACHINE_E_ABSENT (no such machine) or -errno. */
_must_check_ int session_new(Machine *m, const SessionConfig *config, Session **ret);
Session *session_free(Session *s); /* restores nothing: session_stop() does */
/* Advances the machine to when the next frame is wanted, takes it, and carries out what follows. 0, MACHINE_E_END or -errno. */
_must_check_ int session_tick(Session *s);
/* Gives every value back that is ours. 0 or -errno (all are tried). */
_must_check_ int session_stop(Session *s);
/* Gives back what a ledger says is ours, newest first: after a crash, before anything else. A value that is neither ours nor
 * intended is somebody else's and stays. 0 or the first -errno (all are tried). */
_must_check_ int session_restore(Machine *m, Ledger *ledger, Store *store, size_t *ret_n_restored);
const Engine *session_engine(const Session *s);
const Plan *session_plan(const Session *s);
const Ledger *session_ledger(const Session *s);
_pure_ usec_t session_now(const Session *s);
