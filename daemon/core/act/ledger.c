/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/ledger.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "core/act/verify.h"

/* Records folded into one entry for each knob.
 *
 *   CLEAN    the file has what it had before us, as far as we know
 *   OPEN     an intent is on disk, its outcome is not: the file may hold the intended value, or the one before
 *   OURS     the file holds `ours`
 *   FOREIGN  somebody else wrote it: not ours to give back
 *
 * The value of the file decides what to do, never the state alone: `ours` and `intended` are given back, all else
 * is left alone. So a record that was lost (the outcome of the last write) costs nothing, and neither does one
 * that was torn: an intent is durable before its write, so a torn intent means that nothing was written.
 *
 * The original survives changes of ours in a row, and is taken anew when a knob was clean or foreign in between. Entries of
 * another boot are forgotten when a run of this boot begins, as the kernel has forgotten them. */

int ledger_init(Arena *arena, size_t capacity, const char *boot_id, Ledger *ret) {
        Ledger l = { .capacity = capacity };

        if (capacity > 0) {
                l.entries = ARENA_ARRAY(arena, LedgerEntry, capacity);
                if (!l.entries)
                        return -ENOMEM;
        }
        if (!text_copy(l.boot_id, sizeof(l.boot_id), text_from(boot_id)))
                return -EINVAL;
        *ret = l;
        return 0;
}

static LedgerEntry *find(const Ledger *l, const char *knob, const Scope *scope) {
        for (size_t i = 0; i < l->n; i++)
                if (strcmp(l->entries[i].knob, knob) == 0 &&
                    scope_equal(&l->entries[i].scope, scope))
                        return &l->entries[i];
        return NULL;
}

const LedgerEntry *ledger_find(const Ledger *l, const char *knob, const Scope *scope) {
        return find(l, knob, scope);
}

static bool may_be_ours(const LedgerEntry *e) {
        return e->state == LEDGER_OPEN || e->state == LEDGER_OURS;
}

/* A free entry, or one that has nothing to tell. */
static LedgerEntry *entry_new(Ledger *l) {
        if (l->n < l->capacity) {
                l->entries[l->n] = (LedgerEntry){ 0 }; /* room of a boot that is over */
                return &l->entries[l->n++];
        }
        for (size_t i = 0; i < l->n; i++)
                if (!may_be_ours(&l->entries[i]))
                        return &l->entries[i];
        return NULL;
}

/* Buffers of a record and of an entry have the same sizes. */
static void set(char to[static 32], const char from[static 32]) {
        memcpy(to, from, 32);
        to[31] = '\0';
}

static void settle(LedgerEntry *e, LedgerState state) {
        e->state = state;
        e->intended[0] = '\0';
        if (state != LEDGER_OURS)
                e->ours[0] = '\0';
}

static int fold_intend(Ledger *l, const LedgerRecord *r) {
        LedgerEntry *e = find(l, r->knob, &r->scope);

        if (!r->original[0] || !r->to[0])
                return LEDGER_E_MALFORMED;
        if (!e)
                e = entry_new(l);
        if (!e)
                return LEDGER_E_FULL;
        if (!may_be_ours(e) || strcmp(e->knob, r->knob) != 0 ||
            !scope_equal(&e->scope, &r->scope)) {
                *e = (LedgerEntry){ .scope = r->scope, .order = r->sequence };
                memcpy(e->knob, r->knob, sizeof(e->knob));
                set(e->original, r->original);
        } else {
                /* The file was read before this intent: an older one without an outcome is settled by that. */
                if (strcmp(r->from, e->original) == 0)
                        e->ours[0] = '\0';
                else if (r->from[0])
                        set(e->ours, r->from);
        }
        memcpy(e->path, r->path, sizeof(e->path));
        memcpy(e->decision, r->decision, sizeof(e->decision));
        set(e->intended, r->to);
        e->state = LEDGER_OPEN;
        return 0;
}

static int fold_commit(LedgerEntry *e, const LedgerRecord *r) {
        if (!e || !may_be_ours(e) || !r->to[0])
                return LEDGER_E_MALFORMED;
        if (strcmp(r->to, e->original) == 0) {
                settle(e, LEDGER_CLEAN);
                return 0;
        }
        settle(e, LEDGER_OURS);
        set(e->ours, r->to);
        return 0;
}

static int fold_void(LedgerEntry *e, const LedgerRecord *r) {
        if (!e || e->state != LEDGER_OPEN)
                return LEDGER_E_MALFORMED;
        if (!r->to[0]) /* nobody could read it: as open as before */
                return 0;
        if (strcmp(r->to, e->original) == 0)
                settle(e, LEDGER_CLEAN);
        else if (strcmp(r->to, e->ours) == 0 || strcmp(r->to, e->intended) == 0) {
                set(e->ours, r->to);
                settle(e, LEDGER_OURS);
        } else
                settle(e, LEDGER_FOREIGN);
        return 0;
}

static void fold_boot(Ledger *l, const LedgerRecord *r) {
        bool other = strcmp(r->boot_id, l->boot_id) != 0;

        if (other || l->other_boot)
                l->n = 0;
        l->other_boot = other;
}

int ledger_fold(Ledger *l, const LedgerRecord *r) {
        LedgerEntry *e = find(l, r->knob, &r->scope);
        int error = 0;

        if (r->sequence != l->sequence + 1)
                return LEDGER_E_SEQUENCE;
        if (r->kind != LEDGER_BOOT && (strcmp(r->boot_id, l->boot_id) != 0) != l->other_boot)
                return LEDGER_E_MALFORMED; /* a run of another boot that did not say so */
        switch (r->kind) {
        case LEDGER_BOOT:
                fold_boot(l, r);
                break;
        case LEDGER_INTEND:
                error = fold_intend(l, r);
                break;
        case LEDGER_COMMIT:
                error = fold_commit(e, r);
                break;
        case LEDGER_VOID:
                error = fold_void(e, r);
                break;
        case LEDGER_RESTORED:
                if (e && may_be_ours(e))
                        settle(e, LEDGER_CLEAN);
                break;
        case LEDGER_YIELD:
                if (e && may_be_ours(e))
                        settle(e, LEDGER_FOREIGN);
                break;
        case _LEDGER_KIND_MAX:
                return LEDGER_E_MALFORMED;
        }
        if (error == 0)
                l->sequence = r->sequence;
        return error;
}

int ledger_load(Ledger *l, Text text, size_t *ret_good_bytes, unsigned *ret_bad_line) {
        size_t good = 0;
        unsigned line = 0;
        int error = 0;

        while (good < text.size) {
                Text rest = { text.data + good, text.size - good };
                size_t n = text_find(rest, '\n');
                LedgerRecord r;

                line++;
                if (n == rest.size)
                        error = LEDGER_E_MALFORMED; /* no newline: not finished */
                else
                        error = ledger_decode((Text){ rest.data, n }, &r);
                if (error == 0)
                        error = ledger_fold(l, &r);
                if (error != 0)
                        break;
                good += n + 1;
        }
        *ret_good_bytes = good;
        *ret_bad_line = error != 0 ? line : 0;
        return error;
}

/* --- giving back --- */

/* Orders are sequences of records, so no two are alike: the next one is the highest below the last. */
const LedgerEntry *ledger_restore_order(const Ledger *l, size_t i) {
        uint64_t below = UINT64_MAX;
        const LedgerEntry *next = NULL;

        if (l->other_boot)
                return NULL;
        for (size_t round = 0; round <= i; round++) {
                next = NULL;
                for (size_t k = 0; k < l->n; k++) {
                        const LedgerEntry *e = &l->entries[k];

                        if (may_be_ours(e) && e->order < below && (!next || e->order > next->order))
                                next = e;
                }
                if (!next)
                        return NULL;
                below = next->order;
        }
        return next;
}

/* The kernel clamped an intended value and the crash came before it was read back: that value is ours too. */
static bool is_rounded(const LedgerEntry *e, const char *now) {
        int64_t wanted, actual;

        return number_parse_i64(e->intended, strlen(e->intended), &wanted) == 0 &&
               number_parse_i64(now, strlen(now), &actual) == 0 &&
               verify_readback(knob_spec_find(text_from(e->knob)), wanted, wanted, actual) ==
                       VERIFY_ROUNDED;
}

RestoreAction ledger_restore_action(const LedgerEntry *e, const char *now) {
        if (!now[0])
                return RESTORE_GONE;
        if (!may_be_ours(e) || strcmp(now, e->original) == 0)
                return RESTORE_NOTHING;
        if (strcmp(now, e->ours) == 0 || strcmp(now, e->intended) == 0 || is_rounded(e, now))
                return RESTORE_WRITE;
        return RESTORE_LEAVE_FOREIGN;
}
