/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger-world.h"

/* --- lines --- */

/* CRC-32C by bytes and a table, another way than the program's. */
static uint32_t crc_of(const char *data, size_t size) {
        uint32_t table[256], crc = 0xffffffff;

        for (uint32_t i = 0; i < 256; i++) {
                table[i] = i;
                for (int bit = 0; bit < 8; bit++)
                        table[i] = table[i] & 1 ? 0x82F63B78 ^ (table[i] >> 1) : table[i] >> 1;
        }
        for (size_t i = 0; i < size; i++)
                crc = table[(crc ^ (uint8_t) data[i]) & 0xff] ^ (crc >> 8);
        return crc ^ 0xffffffff;
}

TEST(a_record_is_a_line_of_fields_with_their_checksum) {
        LedgerRecord r = record(LEDGER_INTEND, 12, "kmalloc-64", "30", "30", "60");
        static const char fields[] = "12 intend 1700000000 " BOOT
                                     " slab-cpu-partial cache:kmalloc-64 "
                                     "sys/kernel/slab/kmalloc-64/cpu_partial 30 30 60 "
                                     "slab-partial/slab-cpu-partial/cache:kmalloc-64#7";
        char line[LEDGER_LINE_MAX], wanted[LEDGER_LINE_MAX];
        size_t n;

        ASSERT_EQ_U(crc_of("123456789", 9), 0xE3069283); /* RFC 3720, appendix B.4, check value */
        ASSERT_TRUE(ledger_encode(&r, line, sizeof(line), &n));
        (void) text_format(wanted, sizeof(wanted), "alloctuned1 %08x %s\n",
                           crc_of(fields, strlen(fields)), fields);
        ASSERT_TEXT(((Text){ line, n }), wanted);
}

static void assert_same(const LedgerRecord *a, const LedgerRecord *b) {
        ASSERT_EQ_I(a->kind, b->kind);
        ASSERT_EQ_U(a->sequence, b->sequence);
        ASSERT_EQ_U(a->at_sec, b->at_sec);
        ASSERT_STR(a->boot_id, b->boot_id);
        ASSERT_STR(a->knob, b->knob);
        ASSERT_STR(a->scope.name, b->scope.name);
        ASSERT_STR(a->path, b->path);
        ASSERT_STR(a->original, b->original);
        ASSERT_STR(a->from, b->from);
        ASSERT_STR(a->to, b->to);
        ASSERT_STR(a->decision, b->decision);
}

TEST(what_is_written_is_read_back_whatever_the_texts_hold) {
        static const char *const texts[] = { "",  "-",   "--",          "%", "%2D",
                                             " ", "a b", "caf\xc3\xa9", "-1" };
        char line[LEDGER_LINE_MAX];
        LedgerRecord back;
        size_t n;

        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                for (unsigned kind = 0; kind < _LEDGER_KIND_MAX; kind++) {
                        LedgerRecord r = record((LedgerKind) kind, UINT64_MAX, texts[i], texts[i],
                                                texts[i], texts[i]);

                        r.at_sec = 0;
                        ASSERT_TRUE(ledger_encode(&r, line, sizeof(line), &n));
                        ASSERT_OK(ledger_decode((Text){ line, n }, &back));
                        assert_same(&r, &back);
                        ASSERT_OK(ledger_decode((Text){ line, n - 1 }, &back));
                }
}

TEST(no_bit_of_a_line_may_change) {
        LedgerRecord r = record(LEDGER_COMMIT, 3, "dentry", "30", "30", "60"),
                     back = { .sequence = 77 };
        char line[LEDGER_LINE_MAX];
        size_t n;

        ASSERT_TRUE(ledger_encode(&r, line, sizeof(line), &n));
        for (size_t i = 0; i + 1 < n; i++)
                for (unsigned bit = 0; bit < 8; bit++) {
                        line[i] ^= (char) (1u << bit);
                        ASSERT_EQ_I(ledger_decode((Text){ line, n }, &back), LEDGER_E_MALFORMED);
                        line[i] ^= (char) (1u << bit);
                }
        for (size_t cut = 0; cut + 1 < n; cut++)
                ASSERT_EQ_I(ledger_decode((Text){ line, cut }, &back), LEDGER_E_MALFORMED);
        ASSERT_EQ_U(back.sequence, 77);
}

/* A line with a right checksum over fields that are not as we write them. */
static int decode_fields(const char *fields) {
        char line[2048];
        LedgerRecord back;

        (void) text_format(line, sizeof(line), "alloctuned1 %08x %s",
                           crc_of(fields, strlen(fields)), fields);
        return ledger_decode(text_from(line), &back);
}

TEST(only_one_way_to_write_a_record_is_read) {
        char longest[400];

        ASSERT_OK(decode_fields("1 void 5 b k s p 1 2 3 d"));
        ASSERT_OK(decode_fields("1 void 5 %2D - a%20b p 1 2 3 d"));
        ASSERT_EQ_I(decode_fields("01 void 5 b k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b k s p 1 2 3"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b k s p 1 2 3 d e"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b k s p 1 2 3 d "), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1  void 5 b k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 avoid 5 b k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void -5 b k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b%41 k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b%2d k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b%0A k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b% k s p 1 2 3 d"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields("1 void 5 b%2 k s p 1 2 3 %2"), LEDGER_E_MALFORMED);
        ASSERT_EQ_I(decode_fields(""), LEDGER_E_MALFORMED);
        /* One byte more than the field holds. */
        (void) text_format(longest, sizeof(longest), "1 void 5 %039d k s p 1 2 3 d", 0);
        ASSERT_OK(decode_fields(longest));
        (void) text_format(longest, sizeof(longest), "1 void 5 %040d k s p 1 2 3 d", 0);
        ASSERT_EQ_I(decode_fields(longest), LEDGER_E_MALFORMED);
}

TEST(a_record_that_does_not_fit_is_not_written) {
        LedgerRecord r = record(LEDGER_INTEND, 1, "x", "1", "1", "2");
        char line[LEDGER_LINE_MAX];
        size_t n = 5, needed;

        ASSERT_TRUE(ledger_encode(&r, line, sizeof(line), &needed));
        for (size_t size = 0; size < needed; size++)
                ASSERT_FALSE(ledger_encode(&r, line, size, &n));
        ASSERT_EQ_U(n, 5);
        ASSERT_TRUE(ledger_encode(&r, line, needed, &n));
        ASSERT_EQ_U(n, needed);
        (void) text_copy(r.decision, sizeof(r.decision), TEXT("two\nlines"));
        ASSERT_FALSE(ledger_encode(&r, line, sizeof(line), &n));
        memset(r.decision, ' ', sizeof(r.decision) - 1); /* 319 x "%20" */
        ASSERT_FALSE(ledger_encode(&r, line, sizeof(line), &n));
        r = record(LEDGER_INTEND, 1, "x", "1", "1", "2");
        r.kind = _LEDGER_KIND_MAX;
        ASSERT_FALSE(ledger_encode(&r, line, sizeof(line), &n));
}

/* --- states --- */

TEST(a_change_goes_from_open_to_ours_to_clean) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_BOOT, "", "", "", "");
        ASSERT_TRUE(entry(&l, "dentry") == NULL);
        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_OPEN);
        ASSERT_STR(entry(&l, "dentry")->original, "30");
        ASSERT_STR(entry(&l, "dentry")->ours, "");
        ASSERT_STR(entry(&l, "dentry")->intended, "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_OURS);
        ASSERT_STR(entry(&l, "dentry")->ours, "60");
        ASSERT_STR(entry(&l, "dentry")->intended, "");
        ASSERT_EQ_U(entry(&l, "dentry")->order, 2);
        fold(&l, LEDGER_RESTORED, "dentry", "30", "60", "30");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_CLEAN);
        ASSERT_TRUE(ledger_restore_order(&l, 0) == NULL);
}

TEST(the_original_outlives_changes_in_a_row_and_is_taken_anew_after) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "60", "60",
             "120"); /* not the original, whatever it says */
        ASSERT_STR(entry(&l, "dentry")->original, "30");
        ASSERT_STR(entry(&l, "dentry")->ours, "60");
        ASSERT_EQ_U(entry(&l, "dentry")->order, 1);
        fold(&l, LEDGER_COMMIT, "dentry", "30", "60", "120");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "120", "30"); /* an arm that is the original */
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_CLEAN);
        fold(&l, LEDGER_INTEND, "dentry", "44", "44", "60");
        ASSERT_STR(entry(&l, "dentry")->original, "44");
        ASSERT_EQ_U(entry(&l, "dentry")->order, 6);
}

TEST(a_void_write_leaves_what_was_before) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_VOID, "dentry", "30", "30", "30");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_CLEAN);
        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "30", "60", "120");
        fold(&l, LEDGER_VOID, "dentry", "30", "60", "60");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_OURS);
        ASSERT_STR(entry(&l, "dentry")->ours, "60");
        /* An error, and yet the value is there. */
        fold(&l, LEDGER_INTEND, "dentry", "30", "60", "120");
        fold(&l, LEDGER_VOID, "dentry", "30", "60", "120");
        ASSERT_STR(entry(&l, "dentry")->ours, "120");
        /* Nobody could read it: as open as before. */
        fold(&l, LEDGER_INTEND, "dentry", "30", "120", "240");
        fold(&l, LEDGER_VOID, "dentry", "30", "120", "");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_OPEN);
        ASSERT_STR(entry(&l, "dentry")->intended, "240");
        /* Neither ours nor the original. */
        fold(&l, LEDGER_VOID, "dentry", "30", "120", "99");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_FOREIGN);
}

TEST(an_intent_after_an_open_one_says_whether_that_was_carried_out) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "30", "60", "120"); /* it was */
        ASSERT_STR(entry(&l, "dentry")->ours, "60");
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "60"), RESTORE_WRITE);
        l = fresh(4);
        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "120"); /* it was not */
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "60"), RESTORE_LEAVE_FOREIGN);
}

TEST(an_intent_from_the_original_says_that_nothing_of_ours_is_there) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "120");
        ASSERT_STR(entry(&l, "dentry")->original, "30");
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "60"), RESTORE_LEAVE_FOREIGN);
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "120"), RESTORE_WRITE);
}

TEST(a_foreign_value_is_not_ours_until_it_is_taken_over_anew) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        fold(&l, LEDGER_YIELD, "dentry", "30", "60", "77");
        ASSERT_EQ_I(entry(&l, "dentry")->state, LEDGER_FOREIGN);
        ASSERT_TRUE(ledger_restore_order(&l, 0) == NULL);
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "60"), RESTORE_NOTHING);
        fold(&l, LEDGER_INTEND, "dentry", "77", "77", "60");
        ASSERT_STR(entry(&l, "dentry")->original, "77");
}

TEST(only_our_values_are_given_back) {
        Ledger l = fresh(4);
        const LedgerEntry *e;

        fold(&l, LEDGER_INTEND, "dentry", "30", "30", "60");
        fold(&l, LEDGER_COMMIT, "dentry", "30", "30", "60");
        fold(&l, LEDGER_INTEND, "dentry", "30", "60", "120");
        e = entry(&l, "dentry");
        ASSERT_EQ_I(ledger_restore_action(e, "60"),
                    RESTORE_WRITE); /* the intent was not carried out */
        ASSERT_EQ_I(ledger_restore_action(e, "120"), RESTORE_WRITE); /* it was */
        ASSERT_EQ_I(ledger_restore_action(e, "30"), RESTORE_NOTHING);
        ASSERT_EQ_I(ledger_restore_action(e, "31"), RESTORE_LEAVE_FOREIGN);
        ASSERT_EQ_I(ledger_restore_action(e, ""), RESTORE_GONE);
        fold(&l, LEDGER_COMMIT, "dentry", "30", "60", "120");
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "60"), RESTORE_LEAVE_FOREIGN);
}

TEST(a_value_that_the_kernel_clamped_before_the_crash_is_ours) {
        Ledger l = fresh(4);
        LedgerRecord r = record(LEDGER_INTEND, 1, "dentry", "5", "5", "20");
        const LedgerEntry *e;

        (void) text_copy(r.knob, sizeof(r.knob), TEXT("slab-min-partial"));
        ASSERT_OK(ledger_fold(&l, &r));
        e = ledger_find(&l, "slab-min-partial", &r.scope);
        ASSERT_EQ_I(ledger_restore_action(e, "10"), RESTORE_WRITE);
        ASSERT_EQ_I(ledger_restore_action(e, "9"), RESTORE_LEAVE_FOREIGN);
        ASSERT_EQ_I(ledger_restore_action(e, "ten"), RESTORE_LEAVE_FOREIGN);
        /* No other knob is clamped. */
        l = fresh(4);
        fold(&l, LEDGER_INTEND, "dentry", "5", "5", "20");
        ASSERT_EQ_I(ledger_restore_action(entry(&l, "dentry"), "10"), RESTORE_LEAVE_FOREIGN);
}

TEST(several_knobs_are_given_back_newest_first) {
        Ledger l = fresh(4);

        fold(&l, LEDGER_INTEND, "a", "1", "1", "2");
        fold(&l, LEDGER_INTEND, "b", "1", "1", "2");
        fold(&l, LEDGER_INTEND, "c", "1", "1", "2");
        fold(&l, LEDGER_COMMIT, "b", "1", "1", "2");
        fold(&l, LEDGER_COMMIT, "a", "1", "1", "2");
        fold(&l, LEDGER_INTEND, "a", "1", "2", "4"); /* still the first of them */
        ASSERT_TRUE(ledger_restore_order(&l, 0) == entry(&l, "c"));
        ASSERT_TRUE(ledger_restore_order(&l, 1) == entry(&l, "b"));
        ASSERT_TRUE(ledger_restore_order(&l, 2) == entry(&l, "a"));
        ASSERT_TRUE(ledger_restore_order(&l, 3) == NULL);
        fold(&l, LEDGER_VOID, "c", "1", "1", "1");
        ASSERT_TRUE(ledger_restore_order(&l, 0) == entry(&l, "b"));
}

TEST(scopes_and_knobs_are_told_apart) {
        Ledger l = fresh(4);
        LedgerRecord r = record(LEDGER_INTEND, 2, "a", "5", "5", "6");

        fold(&l, LEDGER_INTEND, "a", "1", "1", "2");
        (void) text_copy(r.knob, sizeof(r.knob), TEXT("slab-min-partial"));
        ASSERT_OK(ledger_fold(&l, &r));
        ASSERT_STR(entry(&l, "a")->original, "1");
        ASSERT_STR(ledger_find(&l, "slab-min-partial", &r.scope)->original, "5");
        ASSERT_TRUE(entry(&l, "b") == NULL);
}

TEST(what_makes_no_sense_changes_nothing) {
        Ledger l = fresh(2);
        LedgerRecord r;

        r = record(LEDGER_COMMIT, 1, "a", "1", "1", "2"); /* without an intent */
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_MALFORMED);
        r = record(LEDGER_VOID, 1, "a", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_MALFORMED);
        r = record(LEDGER_INTEND, 1, "a", "", "", "2"); /* nothing to give back */
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_MALFORMED);
        r = record(LEDGER_INTEND, 2, "a", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_SEQUENCE);
        r = record(LEDGER_INTEND, 0, "a", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_SEQUENCE);
        r = record(_LEDGER_KIND_MAX, 1, "a", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_MALFORMED);
        ASSERT_EQ_U(l.sequence, 0);
        ASSERT_EQ_U(l.n, 0);
        fold(&l, LEDGER_INTEND, "a", "1", "1", "2");
        fold(&l, LEDGER_INTEND, "b", "1", "1", "2");
        r = record(LEDGER_INTEND, 3, "c", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r), LEDGER_E_FULL);
        ASSERT_EQ_U(l.sequence, 2);
        ASSERT_TRUE(entry(&l, "a") && entry(&l, "b") && !entry(&l, "c"));
        /* A knob that is clean makes room. */
        fold(&l, LEDGER_RESTORED, "a", "1", "2", "1");
        fold(&l, LEDGER_INTEND, "c", "3", "3", "2");
        ASSERT_STR(entry(&l, "c")->original, "3");
        ASSERT_TRUE(entry(&l, "a") == NULL);
}

TEST(a_ledger_of_another_boot_restores_nothing) {
        Ledger l = fresh(4);
        LedgerRecord boot = record(LEDGER_BOOT, 1, "", "", "", ""), r;

        (void) text_copy(boot.boot_id, sizeof(boot.boot_id), TEXT(OTHER_BOOT));
        ASSERT_OK(ledger_fold(&l, &boot));
        r = record(LEDGER_INTEND, 2, "a", "1", "1", "2");
        ASSERT_EQ_I(ledger_fold(&l, &r),
                    LEDGER_E_MALFORMED); /* this boot's, in a run of the other */
        (void) text_copy(r.boot_id, sizeof(r.boot_id), TEXT(OTHER_BOOT));
        ASSERT_OK(ledger_fold(&l, &r));
        ASSERT_TRUE(l.other_boot);
        ASSERT_TRUE(ledger_restore_order(&l, 0) == NULL);
        /* A run of this boot begins: what was before it is gone with the kernel that knew it. */
        fold(&l, LEDGER_BOOT, "", "", "", "");
        ASSERT_FALSE(l.other_boot);
        ASSERT_TRUE(entry(&l, "a") == NULL);
        fold(&l, LEDGER_INTEND, "a", "7", "7", "2"); /* its old original is forgotten too */
        ASSERT_STR(entry(&l, "a")->original, "7");
        fold(&l, LEDGER_RESTORED, "a", "7", "2", "7");
        fold(&l, LEDGER_INTEND, "b", "1", "1", "2");
        /* A second run of this boot: still ours. */
        fold(&l, LEDGER_BOOT, "", "", "", "");
        ASSERT_TRUE(ledger_restore_order(&l, 0) == entry(&l, "b"));
}

TEST_MAIN()
