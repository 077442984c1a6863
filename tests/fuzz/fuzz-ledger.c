/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core/act/ledger.h"
#include "fuzz.h"

/* A ledger of any bytes. An input that begins with "!" is lines of fields only, which get their magic and their checksum
 * here: a checksum is what no fuzzer guesses. */

static char file[1 << 16];

static uint32_t crc32c(const uint8_t *data, size_t size) {
        uint32_t crc = UINT32_MAX;

        for (size_t i = 0; i < size; i++)
                for (unsigned bit = 0; bit < 8; bit++) {
                        uint32_t in = (uint32_t) (data[i] >> bit & 1) ^ (crc & 1);

                        crc = (crc >> 1) ^ (in ? UINT32_C(0x82F63B78) : 0);
                }
        return ~crc;
}

static size_t make_lines(const uint8_t *data, size_t size) {
        size_t used = 0;

        while (size > 0) {
                const uint8_t *end = memchr(data, '\n', size);
                size_t n = end ? (size_t) (end - data) : size;

                if (sizeof(file) - used < n + 32)
                        break;
                (void) text_format(file + used, sizeof(file) - used, "alloctuned1 %08x ",
                                   crc32c(data, n));
                used += strlen("alloctuned1 00000000 ");
                memcpy(file + used, data, n);
                used += n;
                if (end)
                        file[used++] = '\n';
                data += n + (end ? 1 : 0);
                size -= n + (end ? 1 : 0);
        }
        return used;
}

static void check_entries(const Ledger *l) {
        const LedgerEntry *e;
        uint64_t last = UINT64_MAX;
        size_t n = 0;

        CHECK(l->n <= l->capacity);
        for (size_t i = 0; (e = ledger_restore_order(l, i)); i++, n++) {
                CHECK(!l->other_boot);
                CHECK(e->state == LEDGER_OPEN || e->state == LEDGER_OURS);
                CHECK(e->order < last);
                last = e->order;
                CHECK(e->original[0] != '\0');
                CHECK(ledger_find(l, e->knob, &e->scope) == e);
                CHECK(ledger_restore_action(e, e->original) == RESTORE_NOTHING);
                CHECK(ledger_restore_action(e, "") == RESTORE_GONE);
                if (e->state == LEDGER_OURS)
                        CHECK(ledger_restore_action(e, e->ours) == RESTORE_WRITE);
        }
        CHECK(n <= l->n);
}

static void check_same(const LedgerEntry *a, const LedgerEntry *b) {
        CHECK(a->state == b->state && a->order == b->order);
        CHECK(strcmp(a->knob, b->knob) == 0 && scope_equal(&a->scope, &b->scope));
        CHECK(strcmp(a->original, b->original) == 0 && strcmp(a->ours, b->ours) == 0 &&
              strcmp(a->intended, b->intended) == 0 && strcmp(a->path, b->path) == 0 &&
              strcmp(a->decision, b->decision) == 0);
}

/* What is accepted is as we write it. */
static void check_lines(Text text) {
        char again[LEDGER_LINE_MAX];
        LedgerRecord r;
        Text line;

        while (text_next_line(&text, &line)) {
                size_t n = 0;

                CHECK(ledger_decode(line, &r) == 0);
                CHECK(ledger_encode(&r, again, sizeof(again), &n));
                CHECK(n == line.size + 1 && memcmp(again, line.data, line.size) == 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static uint8_t memory[1 << 16];
        Text text = { (const char *) data, size };
        size_t good = 0, good_again = 0;
        unsigned bad_line = 0, none = 0;
        Ledger l, again;
        Arena a;
        int r;

        if (size > 0 && data[0] == '!')
                text = (Text){ file, make_lines(data + 1, size - 1) };
        arena_init(&a, memory, sizeof(memory));
        CHECK(ledger_init(&a, 5, "boot", &l) == 0);
        CHECK(ledger_init(&a, 5, "boot", &again) == 0);
        r = ledger_load(&l, text, &good, &bad_line);
        CHECK(good <= text.size);
        CHECK((r == 0) == (good == text.size) && (r == 0) == (bad_line == 0));
        check_entries(&l);
        /* The good part alone is a ledger of the same content. */
        CHECK(ledger_load(&again, (Text){ text.data, good }, &good_again, &none) == 0);
        CHECK(good_again == good && again.n == l.n && again.sequence == l.sequence);
        for (size_t i = 0; i < l.n; i++)
                check_same(&l.entries[i], &again.entries[i]);
        check_lines((Text){ text.data, good });
        return 0;
}
