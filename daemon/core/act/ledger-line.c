/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "core/act/ledger.h"

/* One record as one line:
 *
 *   alloctuned1 CRC SEQUENCE KIND AT BOOT KNOB SCOPE PATH ORIGINAL FROM TO DECISION\n
 *
 * CRC is the CRC-32C (Castagnoli) of all that follows it and its blank, in 8 hexadecimal digits. A field that is empty is "-"; blanks,
 * "%" and a "-" that stands alone are written as %XX; control characters have no place in a record. There is
 * one way to write a record, and only that is read: a line that was decoded encodes to itself. A line without its
 * newline was not finished, whatever its checksum says. */
#define MAGIC "alloctuned1"
#define CRC_POLYNOMIAL UINT32_C(0x82F63B78) /* reflected */

static const char *const kinds[] = {
        [LEDGER_BOOT] = "boot", [LEDGER_INTEND] = "intend",     [LEDGER_COMMIT] = "commit",
        [LEDGER_VOID] = "void", [LEDGER_RESTORED] = "restored", [LEDGER_YIELD] = "yield",
};
static_assert(ELEMENTSOF(kinds) == _LEDGER_KIND_MAX, "a name for every kind");

static uint32_t crc32c(const char *data, size_t size) {
        uint32_t crc = UINT32_MAX;

        for (size_t i = 0; i < size; i++) {
                crc ^= (uint8_t) data[i];
                for (unsigned bit = 0; bit < 8; bit++)
                        crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
        }
        return ~crc;
}

/* --- writing --- */

typedef struct Writer {
        char *data;
        size_t size, used;
        bool full;
} Writer;

static void put(Writer *w, char c) {
        if (w->used < w->size)
                w->data[w->used++] = c;
        else
                w->full = true;
}

static void put_escaped(Writer *w, char c) {
        static const char hex[] = "0123456789ABCDEF";

        put(w, '%');
        put(w, hex[(uint8_t) c >> 4]);
        put(w, hex[(uint8_t) c & 15]);
}

static bool is_control(char c) {
        return (uint8_t) c < ' ' || (uint8_t) c == 0x7f;
}

static void put_field(Writer *w, const char *text) {
        put(w, ' ');
        if (!text[0])
                put(w, '-');
        else if (strcmp(text, "-") == 0)
                put_escaped(w, '-');
        else
                for (; *text; text++) {
                        if (is_control(*text))
                                w->full = true;
                        if (*text == ' ' || *text == '%')
                                put_escaped(w, *text);
                        else
                                put(w, *text);
                }
}

static void put_number(Writer *w, uint64_t n) {
        char text[24];

        (void) text_format(text, sizeof(text), "%llu", (unsigned long long) n);
        put_field(w, text);
}

bool ledger_encode(const LedgerRecord *r, char *buffer, size_t size, size_t *ret_length) {
        static const size_t head = sizeof(MAGIC " 00000000 ") - 1;
        char crc[16];
        Writer w = { .data = buffer, .size = MIN(size, (size_t) LEDGER_LINE_MAX) };

        if (r->kind >= _LEDGER_KIND_MAX || w.size <= head)
                return false;
        w.used = head - 1; /* every field begins with its blank */
        put_number(&w, r->sequence);
        put_field(&w, kinds[r->kind]);
        put_number(&w, r->at_sec);
        put_field(&w, r->boot_id);
        put_field(&w, r->knob);
        put_field(&w, r->scope.name);
        put_field(&w, r->path);
        put_field(&w, r->original);
        put_field(&w, r->from);
        put_field(&w, r->to);
        put_field(&w, r->decision);
        if (w.full || w.used == w.size)
                return false;
        (void) text_format(crc, sizeof(crc), " %08x", crc32c(buffer + head, w.used - head));
        memcpy(buffer, MAGIC, sizeof(MAGIC) - 1);
        memcpy(buffer + sizeof(MAGIC) - 1, crc, strlen(crc));
        buffer[w.used++] = '\n';
        *ret_length = w.used;
        return true;
}

/* --- reading --- */

static bool take_field(Text *rest, Text *ret_field) {
        size_t n;

        if (rest->size == 0)
                return false;
        n = text_find(*rest, ' ');
        *ret_field = (Text){ rest->data, n };
        n = MIN(n + 1, rest->size);
        *rest = (Text){ rest->data + n, rest->size - n };
        return ret_field->size > 0;
}

static int hex_digit(char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Whatever is written otherwise than put_field() would is found by the comparison at the end. */
static bool take_text(Text *rest, char *buffer, size_t size) {
        Text field;
        size_t used = 0;

        if (!take_field(rest, &field))
                return false;
        if (!text_is(field, "-"))
                for (size_t i = 0; i < field.size; i++) {
                        char c = field.data[i];

                        if (c == '%') {
                                int high = i + 2 < field.size ? hex_digit(field.data[i + 1]) : -1,
                                    low = i + 2 < field.size ? hex_digit(field.data[i + 2]) : -1;

                                if (high < 0 || low < 0)
                                        return false;
                                c = (char) (high * 16 + low);
                                i += 2;
                        }
                        if (is_control(c) || used + 1 >= size)
                                return false;
                        buffer[used++] = c;
                }
        buffer[used] = '\0';
        return true;
}

static bool take_number(Text *rest, uint64_t *ret) {
        Text field;

        return take_field(rest, &field) && number_parse_u64(field.data, field.size, ret) == 0;
}

static bool take_kind(Text *rest, LedgerKind *ret) {
        Text field;

        if (!take_field(rest, &field))
                return false;
        for (unsigned k = 0; k < _LEDGER_KIND_MAX; k++)
                if (text_is(field, kinds[k])) {
                        *ret = (LedgerKind) k;
                        return true;
                }
        return false;
}

int ledger_decode(Text line, LedgerRecord *ret) {
        LedgerRecord r = { 0 };
        char again[LEDGER_LINE_MAX];
        size_t length;
        Text rest = line, magic, crc;

        if (rest.size > 0 && rest.data[rest.size - 1] == '\n')
                rest.size--;
        line = rest;
        if (!take_field(&rest, &magic) || !text_is(magic, MAGIC) || !take_field(&rest, &crc) ||
            !take_number(&rest, &r.sequence) || !take_kind(&rest, &r.kind) ||
            !take_number(&rest, &r.at_sec) || !take_text(&rest, r.boot_id, sizeof(r.boot_id)) ||
            !take_text(&rest, r.knob, sizeof(r.knob)) ||
            !take_text(&rest, r.scope.name, sizeof(r.scope.name)) ||
            !take_text(&rest, r.path, sizeof(r.path)) ||
            !take_text(&rest, r.original, sizeof(r.original)) ||
            !take_text(&rest, r.from, sizeof(r.from)) || !take_text(&rest, r.to, sizeof(r.to)) ||
            !take_text(&rest, r.decision, sizeof(r.decision)) || rest.size > 0)
                return LEDGER_E_MALFORMED;
        /* The checksum, and that there is no other way to write it. */
        if (!ledger_encode(&r, again, sizeof(again), &length) ||
            !text_equal(line, (Text){ again, length - 1 }))
                return LEDGER_E_MALFORMED;
        *ret = r;
        return 0;
}
