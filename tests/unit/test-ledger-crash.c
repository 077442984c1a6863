/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of records: what is read of one that is torn, and what is given back after a crash at any byte. */
#include "base/random.h"
#include "ledger-world.h"

typedef struct File {
        char data[1 << 16];
        size_t size;
} File;

static File file;

static void append(const LedgerRecord *r) {
        size_t n;

        ASSERT_TRUE(ledger_encode(r, file.data + file.size, sizeof(file.data) - file.size, &n));
        file.size += n;
}

TEST(a_file_is_read_up_to_its_first_bad_line) {
        Ledger l = fresh(4);
        LedgerRecord r = record(LEDGER_BOOT, 1, "", "", "", "");
        size_t good, first;
        unsigned bad = 9;

        file.size = 0;
        ASSERT_OK(ledger_load(&l, (Text){ file.data, 0 }, &good, &bad));
        ASSERT_EQ_U(good, 0);
        ASSERT_EQ_U(bad, 0);
        append(&r);
        r = record(LEDGER_INTEND, 2, "a", "1", "1", "2");
        append(&r);
        first = file.size;
        r = record(LEDGER_COMMIT, 3, "a", "1", "1", "2");
        append(&r);
        ASSERT_OK(ledger_load(&l, (Text){ file.data, file.size }, &good, &bad));
        ASSERT_EQ_U(good, file.size);
        ASSERT_EQ_I(entry(&l, "a")->state, LEDGER_OURS);
        l = fresh(4);
        file.data[first + 30] ^= 1;
        ASSERT_EQ_I(ledger_load(&l, (Text){ file.data, file.size }, &good, &bad),
                    LEDGER_E_MALFORMED);
        ASSERT_EQ_U(good, first);
        ASSERT_EQ_U(bad, 3);
        ASSERT_EQ_I(entry(&l, "a")->state, LEDGER_OPEN);
        ASSERT_EQ_U(l.sequence, 2);
        /* A line twice. */
        file.data[first + 30] ^= 1;
        append(&r);
        l = fresh(4);
        ASSERT_EQ_I(ledger_load(&l, (Text){ file.data, file.size }, &good, &bad),
                    LEDGER_E_SEQUENCE);
        ASSERT_EQ_U(bad, 4);
}

/* A machine of three knobs and who wrote each of them last. Values of ours, of others and originals differ. */
#define KNOBS 3

typedef struct Disk {
        char value[KNOBS][32];
        bool ours[KNOBS];
        char before_us[KNOBS][32]; /* what a restore must bring back, while ours */
} Disk;

/* A moment at which the power may fail: the file has any length from .. to (all that is beyond `from` is being appended). */
typedef struct Moment {
        size_t from, to;
        Disk disk;
} Moment;

static struct {
        Disk disk;
        Ledger ledger;
        Random random;
        unsigned n_values;
        Moment moment[400];
        size_t n_moments;
} story;

static const char *const names[KNOBS] = { "a", "b", "c" };

static void moment(size_t from) {
        ASSERT_TRUE(story.n_moments < ELEMENTSOF(story.moment));
        story.moment[story.n_moments++] = (Moment){ .from = from,
                                                    .to = file.size,
                                                    .disk = story.disk };
}

static void say(LedgerKind kind, unsigned k, const char *from, const char *to) {
        size_t before = file.size;
        LedgerRecord r = record(kind, story.ledger.sequence + 1, names[k],
                                story.disk.ours[k] ? story.disk.before_us[k] : story.disk.value[k],
                                from, to);

        append(&r);
        moment(before);
        ASSERT_OK(ledger_fold(&story.ledger, &r));
}

static void write_ours(unsigned k, const char *value) {
        Disk *d = &story.disk;

        if (!d->ours[k])
                memcpy(d->before_us[k], d->value[k], 32);
        (void) text_copy(d->value[k], 32, text_from(value));
        d->ours[k] = strcmp(value, d->before_us[k]) != 0;
        moment(file.size);
}

static void new_value(char kind, char value[static 32]) {
        (void) text_format(value, 32, "%c%u", kind, ++story.n_values);
}

/* As the session does it: an intent, unless the ledger names the value already; the write; what was read back. */
static void change(unsigned k, const char *to, unsigned fate) {
        const LedgerEntry *e = entry(&story.ledger, names[k]);
        bool ours = e && (e->state == LEDGER_OURS || e->state == LEDGER_OPEN);
        char from[32], seen[32];

        memcpy(from, story.disk.value[k], 32);
        if (ours && strcmp(from, e->ours) != 0 && strcmp(from, e->intended) != 0 &&
            strcmp(from, e->original) != 0) {
                say(LEDGER_YIELD, k, e->ours, from); /* somebody else was here */
                return;
        }
        if (!ours || (strcmp(to, e->ours) != 0 && strcmp(to, e->intended) != 0 &&
                      strcmp(to, e->original) != 0))
                say(LEDGER_INTEND, k, from, to);
        e = entry(&story.ledger, names[k]);
        if (fate == 0) { /* refused */
                if (e->state == LEDGER_OPEN)
                        say(LEDGER_VOID, k, from, from);
                return;
        }
        write_ours(k, to);
        if (fate == 1) /* cannot be read back: it stays open */
                return;
        if (fate == 2) { /* somebody else is quicker */
                new_value('f', story.disk.value[k]);
                story.disk.ours[k] = false;
                moment(file.size);
        }
        memcpy(seen, story.disk.value[k], 32);
        if (strcmp(seen, to) != 0)
                say(LEDGER_YIELD, k, from, seen);
        else if (strcmp(seen, e->original) == 0)
                say(LEDGER_RESTORED, k, from, seen);
        else
                say(LEDGER_COMMIT, k, from, seen);
}

static void step(void) {
        unsigned k = random_below(&story.random, KNOBS);
        const LedgerEntry *e = entry(&story.ledger, names[k]);
        bool ours = e && (e->state == LEDGER_OURS || e->state == LEDGER_OPEN);
        LedgerRecord r;
        char value[32];
        size_t before = file.size;

        switch (random_below(&story.random, 9)) {
        case 0: /* an unseen foreign write */
                new_value('f', story.disk.value[k]);
                story.disk.ours[k] = false;
                moment(file.size);
                return;
        case 1: /* the program starts anew */
                r = record(LEDGER_BOOT, story.ledger.sequence + 1, "", "", "", "");
                append(&r);
                moment(before);
                ASSERT_OK(ledger_fold(&story.ledger, &r));
                return;
        case 2:
        case 3: /* back to the original, or to the value before */
                if (ours && story.disk.ours[k]) {
                        (void) text_copy(value, sizeof(value), text_from(e->original));
                        change(k, value, 8);
                }
                return;
        default:
                new_value('v', value);
                change(k, value, random_below(&story.random, 9));
                return;
        }
}

static void tell(uint64_t seed, unsigned n_steps) {
        LedgerRecord r = record(LEDGER_BOOT, 1, "", "", "", "");
        Arena a;

        memset(&story, 0, sizeof(story));
        random_seed(&story.random, seed, 1);
        arena_init(&a, memory, sizeof(memory) / 2);
        ASSERT_OK(ledger_init(&a, KNOBS, BOOT, &story.ledger));
        file.size = 0;
        for (unsigned k = 0; k < KNOBS; k++)
                new_value('o', story.disk.value[k]);
        append(&r);
        moment(0);
        ASSERT_OK(ledger_fold(&story.ledger, &r));
        for (unsigned i = 0; i < n_steps; i++)
                step();
}

/* The power fails at that moment with so many bytes in the file; then everything is given back. */
static void fail_at(const Moment *m, size_t size) {
        Disk disk = m->disk;
        const LedgerEntry *e;
        Ledger l;
        Arena a;
        size_t good, n = 0;
        unsigned bad;
        uint64_t last = UINT64_MAX;
        int error;

        arena_init(&a, memory + sizeof(memory) / 2, sizeof(memory) / 2);
        ASSERT_OK(ledger_init(&a, KNOBS, BOOT, &l));
        error = ledger_load(&l, (Text){ file.data, size }, &good, &bad);
        ASSERT_EQ_I(error, size == m->from || size == m->to ? 0 : LEDGER_E_MALFORMED);
        ASSERT_EQ_U(good, size == m->to ? m->to : m->from);
        for (size_t i = 0; (e = ledger_restore_order(&l, i)); i++) {
                unsigned k = (unsigned) (e->scope.name[strlen("cache:")] - 'a');

                ASSERT_TRUE(k < KNOBS && e->order < last);
                last = e->order;
                n++;
                if (ledger_restore_action(e, disk.value[k]) == RESTORE_WRITE)
                        memcpy(disk.value[k], e->original, 32);
        }
        ASSERT_LE_U(n, KNOBS);
        for (unsigned k = 0; k < KNOBS; k++)
                ASSERT_STR(disk.value[k],
                           m->disk.ours[k] ? m->disk.before_us[k] : m->disk.value[k]);
}

TEST(after_a_crash_at_any_byte_exactly_our_values_are_given_back) {
        unsigned n_ours = 0, n_cuts = 0;

        for (uint64_t seed = 1; seed <= 6; seed++) {
                tell(seed, 12);
                for (size_t i = 0; i < story.n_moments; i++)
                        for (size_t size = story.moment[i].from; size <= story.moment[i].to;
                             size++) {
                                fail_at(&story.moment[i], size);
                                n_cuts++;
                                n_ours += story.moment[i].disk.ours[0];
                        }
        }
        ASSERT_TRUE(n_cuts > 10000 && n_ours > 1000); /* there was something to find */
}

TEST(after_a_crash_between_any_two_steps_exactly_our_values_are_given_back) {
        unsigned n_ours = 0, n_foreign = 0;

        for (uint64_t seed = 100; seed < 300; seed++) {
                tell(seed, 25);
                for (size_t i = 0; i < story.n_moments; i++) {
                        const Moment *m = &story.moment[i];

                        fail_at(m, m->from);
                        fail_at(m, m->to);
                        if (m->to > m->from + 1) {
                                fail_at(m, m->to - 1);
                                fail_at(m, m->from + 1 +
                                                   random_below(&story.random,
                                                                (uint32_t) (m->to - m->from - 1)));
                        }
                        n_ours += m->disk.ours[0];
                        n_foreign += m->disk.value[0][0] == 'f';
                }
        }
        ASSERT_TRUE(n_ours > 1000 && n_foreign > 1000);
}

TEST_MAIN()
