/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/ledger.h"
#include "test.h"

#define BOOT "11111111-2222-3333-4444-555555555555"
#define OTHER_BOOT "99999999-2222-3333-4444-555555555555"

static uint8_t memory[1 << 20];

_unused_ static Ledger fresh(size_t capacity) {
        Ledger l;
        Arena a;

        arena_init(&a, memory, sizeof(memory));
        ASSERT_OK(ledger_init(&a, capacity, BOOT, &l));
        return l;
}

_unused_ static LedgerRecord record(LedgerKind kind, uint64_t sequence, const char *cache,
                                    const char *original, const char *from, const char *to) {
        LedgerRecord r = { .kind = kind, .sequence = sequence, .at_sec = 1700000000 };

        (void) text_copy(r.boot_id, sizeof(r.boot_id), TEXT(BOOT));
        if (kind == LEDGER_BOOT)
                return r;
        (void) text_copy(r.knob, sizeof(r.knob), TEXT("slab-cpu-partial"));
        r.scope = scope_cache(cache);
        (void) text_format(r.path, sizeof(r.path), "sys/kernel/slab/%s/cpu_partial", cache);
        (void) text_copy(r.original, sizeof(r.original), text_from(original));
        (void) text_copy(r.from, sizeof(r.from), text_from(from));
        (void) text_copy(r.to, sizeof(r.to), text_from(to));
        (void) text_format(r.decision, sizeof(r.decision), "slab-partial/slab-cpu-partial/%s#7",
                           r.scope.name);
        return r;
}

_unused_ static void fold(Ledger *l, LedgerKind kind, const char *cache, const char *original,
                          const char *from, const char *to) {
        LedgerRecord r = record(kind, l->sequence + 1, cache, original, from, to);

        ASSERT_OK(ledger_fold(l, &r));
}

_unused_ static const LedgerEntry *entry(const Ledger *l, const char *cache) {
        Scope scope = scope_cache(cache);

        return ledger_find(l, "slab-cpu-partial", &scope);
}
