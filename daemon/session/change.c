/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A write, in the order that survives a crash anywhere:
 *
 *   read      the file must hold what the engine believes, or somebody else wrote it: then it is not ours to write
 *   intent    into the ledger, durable; without it nothing is written
 *   write
 *   read back what the kernel made of it
 *   outcome   into the ledger: committed, void, restored, or left to somebody else
 *
 * A ledger entry names every value of ours that the file can hold: that of the intent until the outcome is known, the committed one
 * after it. Only such values are ever given back. A write of the original needs no intent: after a crash there is then nothing to do. */
#include "session/change.h"

#include <errno.h>
#include <string.h>

#define VALUE_BYTES_MAX ((size_t) 4096)

/* Record r into the store, then into the ledger in memory: what is not stored is not known. */
static int append(Change *c, LedgerRecord *r) {
        int error;

        r->sequence = c->ledger->sequence + 1;
        r->at_sec = machine_now(c->m) / USEC_PER_SEC;
        (void) text_copy(r->boot_id, sizeof(r->boot_id), text_from(c->boot_id));
        if (c->store) {
                error = c->store->append(c->store, r);
                if (error < 0)
                        return error;
        }
        error = ledger_fold(c->ledger, r);
        return error > 0 ? -ENOSPC : error;
}

int change_begin(Change *c) {
        LedgerRecord r = { .kind = LEDGER_BOOT };

        return append(c, &r);
}

/* 0: known, with its text; a condition of machine_read(); -EBADMSG: no value of this knob; or -errno. */
static int read_value(Machine *m, const KnobSpec *spec, const char *path, int64_t *ret_value) {
        Text text;
        int r;

        arena_reset(&m->scratch);
        r = machine_read(m, path, VALUE_BYTES_MAX, &m->scratch, &text);
        if (r != 0)
                return r;
        return knob_value_parse(spec, text_strip(text), ret_value) ? 0 : -EBADMSG;
}

static LedgerRecord record_of(const PlanKnob *knob, const Effect *effect, LedgerKind kind) {
        LedgerRecord r = { .kind = kind, .scope = knob->scope };

        (void) text_copy(r.knob, sizeof(r.knob), text_from(knob->name));
        (void) text_copy(r.path, sizeof(r.path), text_from(knob->path));
        (void) text_copy(r.decision, sizeof(r.decision), text_from(effect->decision));
        return r;
}

static void format(const PlanKnob *knob, int64_t value, char *buffer, size_t size) {
        if (!knob_value_format(knob->spec, value, buffer, size))
                buffer[0] = '\0';
}

static bool is_ours(const LedgerEntry *e) {
        return e && (e->state == LEDGER_OURS || e->state == LEDGER_OPEN);
}

/* Whether the ledger already says what to do when a crash leaves this value in the file. */
static bool is_covered(const LedgerEntry *e, const char *to) {
        return is_ours(e) && (strcmp(e->ours, to) == 0 || strcmp(e->intended, to) == 0 ||
                              strcmp(e->original, to) == 0);
}

/* Says in the ledger what the file holds now. */
static int conclude(Change *c, const PlanKnob *knob, const Effect *effect, LedgerKind kind,
                    int64_t actual) {
        const LedgerEntry *e = ledger_find(c->ledger, knob->name, &knob->scope);
        LedgerRecord r = record_of(knob, effect, kind);

        if (!is_ours(e))
                return 0;
        (void) text_copy(r.original, sizeof(r.original), text_from(e->original));
        format(knob, effect->from, r.from, sizeof(r.from));
        format(knob, actual, r.to, sizeof(r.to));
        /* Only an intent can be void, and what is committed already needs no second record. */
        if (kind == LEDGER_VOID && e->intended[0] == '\0')
                return 0;
        if (kind == LEDGER_COMMIT && e->state == LEDGER_OURS && strcmp(e->ours, r.to) == 0)
                return 0;
        return append(c, &r);
}

static int intend(Change *c, const PlanKnob *knob, const Effect *effect, const char *to) {
        const LedgerEntry *e = ledger_find(c->ledger, knob->name, &knob->scope);
        LedgerRecord r = record_of(knob, effect, LEDGER_INTEND);

        format(knob, effect->from, r.from, sizeof(r.from));
        (void) text_copy(r.original, sizeof(r.original),
                         text_from(is_ours(e) ? e->original : r.from));
        (void) text_copy(r.to, sizeof(r.to), text_from(to));
        return append(c, &r);
}

static int refused(int error, Outcome *ret) {
        ret->error = error;
        ret->result = verify_errno(error);
        return 0;
}

/* After the write: what is there, and what that means. */
static int look_back(Change *c, const PlanKnob *knob, const Effect *effect, const char *to,
                     int write_error, Outcome *ret) {
        const LedgerEntry *e;
        int r = read_value(c->m, knob->spec, knob->path, &ret->actual);

        ret->actual_known = r == 0;
        ret->at_usec = machine_now(c->m);
        if (write_error != 0) {
                (void) refused(write_error, ret);
                /* Nothing was written; an intent stays open when even that cannot be seen. */
                return r == 0 ? conclude(c, knob, effect, LEDGER_VOID, ret->actual) : 0;
        }
        if (r != 0) {
                /* Written, and not to be read: it may be ours until somebody can tell. */
                return refused(r == MACHINE_E_ABSENT ? ENOENT : EIO, ret);
        }
        ret->result = verify_readback(knob->spec, effect->from, effect->to, ret->actual);
        switch (ret->result) {
        case VERIFY_APPLIED:
        case VERIFY_ROUNDED:
                e = ledger_find(c->ledger, knob->name, &knob->scope);
                return conclude(c, knob, effect,
                                is_ours(e) && strcmp(e->original, to) == 0 ? LEDGER_RESTORED
                                                                           : LEDGER_COMMIT,
                                ret->actual);
        case VERIFY_FOREIGN:
                return conclude(c, knob, effect, LEDGER_YIELD, ret->actual);
        case VERIFY_IGNORED:
                return conclude(c, knob, effect, LEDGER_VOID, ret->actual);
        case VERIFY_REFUSED:
        case VERIFY_TRANSIENT:
        case VERIFY_VOID:
        case _VERIFY_MAX:
                break;
        }
        return 0;
}

int change_carry_out(Change *c, const PlanKnob *knob, const Effect *effect, Outcome *ret) {
        char to[32];
        int r;

        *ret = (Outcome){ .result = VERIFY_VOID, .at_usec = machine_now(c->m) };
        if (!c->m->vtable->write)
                return 0; /* the past cannot react */
        if (!knob_value_format(knob->spec, effect->to, to, sizeof(to)))
                return refused(EINVAL, ret);
        r = read_value(c->m, knob->spec, knob->path, &ret->actual);
        ret->actual_known = r == 0;
        if (r == MACHINE_E_ABSENT)
                return refused(ENOENT, ret);
        if (r == MACHINE_E_DENIED || r == MACHINE_E_FAILED)
                return refused(c->m->error != 0 ? c->m->error : EIO, ret);
        if (r == -ENOMEM)
                return refused(ENOMEM, ret);
        if (r != 0 || ret->actual != effect->from) {
                ret->result = VERIFY_FOREIGN;
                return r == 0 ? conclude(c, knob, effect, LEDGER_YIELD, ret->actual) : 0;
        }
        if (!is_covered(ledger_find(c->ledger, knob->name, &knob->scope), to)) {
                r = intend(c, knob, effect, to);
                if (r < 0) {
                        ret->result = VERIFY_TRANSIENT;
                        ret->error = -r;
                        return r;
                }
        }
        r = machine_write(c->m, knob->path, text_from(to));
        if (r == MACHINE_E_READ_ONLY) {
                ret->result = VERIFY_VOID;
                return conclude(c, knob, effect, LEDGER_VOID, effect->from);
        }
        if (r < 0)
                return look_back(c, knob, effect, to, -r, ret);
        return look_back(c, knob, effect, to,
                         r == 0                  ? 0
                         : r == MACHINE_E_ABSENT ? ENOENT
                         : c->m->error != 0      ? c->m->error
                                                 : EIO,
                         ret);
}

/* The text of a file as the ledger has it: of a word list the chosen word. */
static int read_text(Machine *m, const LedgerEntry *e, char *buffer, size_t size) {
        const KnobSpec *spec = knob_spec_find(text_from(e->knob));
        Text text;
        int64_t value;
        int r;

        buffer[0] = '\0';
        arena_reset(&m->scratch);
        r = machine_read(m, e->path, VALUE_BYTES_MAX, &m->scratch, &text);
        if (r != 0)
                return r == MACHINE_E_ABSENT ? 0 : r < 0 ? r : -EIO;
        text = text_strip(text);
        if (spec && knob_value_parse(spec, text, &value) &&
            knob_value_format(spec, value, buffer, size))
                return 0;
        return text_copy(buffer, size, text) ? 0 : -EIO;
}

/* The entry changes state as it is restored: the order is looked up anew each time, past those that could not be. */
int session_restore(Machine *m, Ledger *ledger, Store *store, size_t *ret_n_restored) {
        char boot_id[sizeof(ledger->boot_id)];
        Change c = { .m = m, .ledger = ledger, .store = store, .boot_id = boot_id };
        const LedgerEntry *e;
        size_t skip = 0;
        int error = 0;

        (void) text_copy(boot_id, sizeof(boot_id), text_from(ledger->boot_id));
        *ret_n_restored = 0;
        while ((e = ledger_restore_order(ledger, skip))) {
                LedgerRecord record = { .kind = LEDGER_RESTORED, .scope = e->scope };
                char now[64];
                int r = read_text(m, e, now, sizeof(now));
                size_t n_before = skip;

                (void) text_copy(record.knob, sizeof(record.knob), text_from(e->knob));
                (void) text_copy(record.path, sizeof(record.path), text_from(e->path));
                (void) text_copy(record.original, sizeof(record.original), text_from(e->original));
                (void) text_copy(record.decision, sizeof(record.decision), text_from(e->decision));
                (void) text_copy(record.from, sizeof(record.from), text_from(now));
                (void) text_copy(record.to, sizeof(record.to), text_from(e->original));
                if (r == 0)
                        switch (ledger_restore_action(e, now)) {
                        case RESTORE_WRITE:
                                r = machine_write(m, e->path, text_from(e->original));
                                if (r == 0)
                                        r = read_text(m, e, now, sizeof(now));
                                else
                                        r = r < 0 ? r : -(m->error != 0 ? m->error : EIO);
                                if (r == 0 && strcmp(now, e->original) != 0)
                                        r = -EIO;
                                *ret_n_restored += r == 0;
                                break;
                        case RESTORE_LEAVE_FOREIGN:
                                record.kind = LEDGER_YIELD;
                                (void) text_copy(record.to, sizeof(record.to), text_from(now));
                                break;
                        case RESTORE_NOTHING:
                        case RESTORE_GONE:
                                break;
                        }
                if (r == 0)
                        r = append(&c, &record);
                if (r < 0 && error == 0)
                        error = r;
                /* Still in the list: the next one is behind it. */
                if (r < 0 || ledger_restore_order(ledger, skip) == e)
                        skip = n_before + 1;
        }
        return error;
}
