/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lockstat.h"

#include <errno.h>
#include <string.h>

/* proc/lock_stat (kernel/locking/lockdep_proc.c seq_stats(), version 0.3 and 0.4; times are
 * printed with two decimals of a microsecond by snprint_time()).
 *
 * A line of a class is a name, a colon, and ten (0.3) or twelve (0.4, with averages) numbers.
 * Names are free text: macros, blanks and colons occur, cut after 38 characters, with "#2" for a
 * second class of that name and "/1" for a subclass. So the line is cut at its last colon,
 * behind which only numbers stand. The lines of contention points ("name count [<address>]
 * symbol") and rulers have no such tail and are skipped. Classes that were taken for reading and
 * writing have two lines, -W and -R.
 *
 * A lock that is dynamically initialised is named by the expression in the source, and that
 * changed over time ("&(&zone->lock)->rlock" while spin_lock_init() wrapped the raw lock,
 * "&zone->lock" since), so a family is found by the member, not by the whole name. */

#define CLASSES_MAX 16384u /* MAX_LOCKDEP_KEYS is 8192, times two for -W and -R */

typedef enum Column {
        COLUMN_CON_BOUNCES,
        COLUMN_CONTENTIONS,
        COLUMN_WAIT_MIN,
        COLUMN_WAIT_MAX,
        COLUMN_WAIT_TOTAL,
        COLUMN_WAIT_AVG,
        COLUMN_ACQ_BOUNCES,
        COLUMN_ACQUISITIONS,
        COLUMN_HOLD_MIN,
        COLUMN_HOLD_MAX,
        COLUMN_HOLD_TOTAL,
        COLUMN_HOLD_AVG,
        _COLUMN_MAX,
} Column;

static bool is_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
}

/* Whether the name holds this expression, and not as a part of a longer one. */
static bool has_expression(Text name, const char *expression) {
        size_t size = strlen(expression), from = 0;

        for (;;) {
                Text tail = { name.data + from, name.size - from };
                size_t at = text_find_string(tail, expression);
                size_t begin = from + at, end = begin + size;

                if (at == tail.size)
                        return false;
                if ((begin == 0 ||
                     (!is_word(name.data[begin - 1]) && name.data[begin - 1] != '.')) &&
                    (end == name.size ||
                     (!is_word(name.data[end]) && name.data[end] != '-' && name.data[end] != '.')))
                        return true;
                from = begin + 1;
        }
}

LockFamily lockstat_family(Text name) {
        static const struct {
                const char *expression;
                LockFamily family;
        } rows[] = {
                { "zone->lock", LOCK_ZONE },
                { "n->list_lock", LOCK_LIST },
                { "node->list_lock", LOCK_LIST },
                { "lruvec->lru_lock", LOCK_LRU },     /* 5.11 and later */
                { "pgdat->lru_lock", LOCK_LRU },      /* 4.20 to 5.10 */
                { "zone_pgdat->lru_lock", LOCK_LRU }, /* 4.8 to 4.19, through zone_lru_lock() */
                { "zone_lru_lock(zone)", LOCK_LRU },
                { "zone->lru_lock", LOCK_LRU },
                { "barn->lock", LOCK_BARN },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (has_expression(name, rows[i].expression))
                        return rows[i].family;
        return LOCK_OTHER;
}

const char *lock_family_to_string(LockFamily f) {
        switch (f) {
        case LOCK_ZONE:
                return "zone->lock";
        case LOCK_LIST:
                return "list_lock";
        case LOCK_LRU:
                return "lru_lock";
        case LOCK_BARN:
                return "barn->lock";
        case LOCK_OTHER:
        case _LOCK_FAMILY_MAX:
                break;
        }
        return "other";
}

/* Cuts a line of a class at its last colon; false: it is another kind of line. */
static bool class_split(Text line, Text *ret_name, Text *ret_numbers) {
        size_t colon = line.size;

        while (colon > 0 && line.data[colon - 1] != ':')
                colon--;
        if (colon == 0)
                return false;
        *ret_name = text_strip((Text){ line.data, colon - 1 });
        *ret_numbers = (Text){ line.data + colon, line.size - colon };
        return ret_name->size > 0;
}

/* Whether a tail looks like numbers only: digits, dots, signs and blanks, at least three of
 * them. */
static bool is_numbers(Text tail) {
        size_t n = 0;
        Text field;

        while (text_next_field(&tail, &field)) {
                if (!((field.data[0] >= '0' && field.data[0] <= '9') || field.data[0] == '-'))
                        return false;
                n++;
        }
        return n >= 3;
}

/* Microseconds with decimals to nanoseconds. Kernels before 6.8 print 14 characters of it: of 13 digits the dot is then the
 * last, and of 14 there is none (lockdep_proc.c seq_time(), num[15]). Sums of many CPUs get there in hours. */
static MaybeU64 time_read(const ParseLines *l, Text field, Text about) {
        size_t dot = text_find(field, '.');
        Text decimals = { field.data + dot, field.size - dot };
        uint64_t usec = 0, millionths = 0;
        int r = number_parse_u64(field.data, dot, &usec);

        if (r == 0 && decimals.size > 1) {
                char fraction[16];

                if (text_format(fraction, sizeof(fraction), "0%.*s", (int) MIN(decimals.size, 14u),
                                decimals.data))
                        r = number_parse_millionths(fraction, strlen(fraction), &millionths);
        } else if (r == 0 && decimals.size == 1 && field.size != 14)
                r = NUMBER_E_GARBAGE;
        if (r != 0) {
                parse_lines_issue(l, number_error_string(r), about);
                return UNKNOWN;
        }
        return KNOWN(u64_add_sat(u64_mul_sat(usec, 1000), millionths / 1000));
}

static void class_name_set(LockClass *class, Text name, const ParseLines *l) {
        if (text_ends(name, "-W") || text_ends(name, "-R")) {
                class->mode = name.data[name.size - 1];
                name = text_strip((Text){ name.data, name.size - 2 });
        }
        if (!text_copy(class->name, sizeof(class->name), name))
                parse_lines_issue(l, "name too long, cut", name);
        for (size_t i = 0; i < sizeof(class->name) && i < name.size; i++)
                if (class->name[i] == 0 && i + 1 < sizeof(class->name))
                        class->name[i] = '?';
}

static void class_read(const ParseLines *l, Text name, Text numbers, LockClass *class) {
        /* 0.3 has no averages: ten columns. */
        static const Column short_columns[] = { COLUMN_CON_BOUNCES,  COLUMN_CONTENTIONS,
                                                COLUMN_WAIT_MIN,     COLUMN_WAIT_MAX,
                                                COLUMN_WAIT_TOTAL,   COLUMN_ACQ_BOUNCES,
                                                COLUMN_ACQUISITIONS, COLUMN_HOLD_MIN,
                                                COLUMN_HOLD_MAX,     COLUMN_HOLD_TOTAL };
        Text field[_COLUMN_MAX] = {}, more;
        size_t n = 0;

        while (n < _COLUMN_MAX && text_next_field(&numbers, &field[n]))
                n++;
        if (n == ELEMENTSOF(short_columns)) {
                for (size_t i = ELEMENTSOF(short_columns); i > 0; i--)
                        field[short_columns[i - 1]] = field[i - 1];
        } else if (n < _COLUMN_MAX || text_next_field(&numbers, &more)) {
                parse_lines_issue(l, "wrong number of columns", name);
                return;
        }
        class->contention_bounces = parse_lines_number(l, field[COLUMN_CON_BOUNCES], name);
        class->contentions = parse_lines_number(l, field[COLUMN_CONTENTIONS], name);
        class->wait_min_nsec = time_read(l, field[COLUMN_WAIT_MIN], name);
        class->wait_max_nsec = time_read(l, field[COLUMN_WAIT_MAX], name);
        class->wait_total_nsec = time_read(l, field[COLUMN_WAIT_TOTAL], name);
        class->acquisition_bounces = parse_lines_number(l, field[COLUMN_ACQ_BOUNCES], name);
        class->acquisitions = parse_lines_number(l, field[COLUMN_ACQUISITIONS], name);
        class->hold_min_nsec = time_read(l, field[COLUMN_HOLD_MIN], name);
        class->hold_max_nsec = time_read(l, field[COLUMN_HOLD_MAX], name);
        class->hold_total_nsec = time_read(l, field[COLUMN_HOLD_TOTAL], name);
}

static void total_add(LockTotal *t, const LockClass *class) {
        t->n_classes++;
        t->contentions = maybe_add(t->contentions, class->contentions);
        t->wait_total_nsec = maybe_add(t->wait_total_nsec, class->wait_total_nsec);
        t->acquisitions = maybe_add(t->acquisitions, class->acquisitions);
        t->hold_total_nsec = maybe_add(t->hold_total_nsec, class->hold_total_nsec);
}

/* Heads of the file: the version, and the banner of a kernel whose lock debugging gave up. */
static bool head_line(const ParseLines *l, Text line, LockStat *s, bool *version_seen) {
        if (text_starts(line, "lock_stat version ")) {
                Text version = text_strip((Text){ line.data + 18, line.size - 18 });

                *version_seen = true;
                if (!text_is(version, "0.4") && !text_is(version, "0.3"))
                        parse_lines_issue(l, "unknown version, read as 0.4", version);
                return true;
        }
        if (text_find_string(line, "lock debugging disabled") < line.size) {
                s->collecting = false;
                return true;
        }
        return false;
}

int lockstat_parse(Arena *a, Text text, const char *path, LockStat *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        LockStat s = { .collecting = true };
        size_t capacity = 0;
        bool version_seen = false;
        Text line, name, numbers;

        while (parse_lines_next(&l, &line)) {
                LockClass class = { .line = l.line };

                if (head_line(&l, line, &s, &version_seen) || !class_split(line, &name, &numbers) ||
                    !is_numbers(numbers))
                        continue;
                if (s.n == CLASSES_MAX) {
                        parse_lines_issue(&l, "too many classes, this one is left out", name);
                        continue;
                }
                class_name_set(&class, name, &l);
                class_read(&l, name, numbers, &class);
                if (s.n == capacity) {
                        size_t more = capacity == 0 ? 64 : 2 * capacity;
                        LockClass *grown;

                        grown = arena_grow(a, s.classes, capacity * sizeof(LockClass),
                                           more * sizeof(LockClass), _Alignof(LockClass));
                        if (!grown)
                                return -ENOMEM;
                        s.classes = grown;
                        capacity = more;
                }
                s.classes[s.n++] = class;
                total_add(&s.total[lockstat_family(text_from(class.name))], &class);
        }
        if (s.n > 0 && !version_seen)
                parse_log_add(log, path, 0, "version missing, read as 0.4", TEXT_NULL);
        parse_lines_found(&l, s.n > 0 || version_seen, text);
        s.collecting = s.collecting && (s.n > 0 || version_seen);
        *ret = s;
        return 0;
}
