/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/kmsg.h"

#include <errno.h>
#include <string.h>

/* Kernel log lines that matter to an allocator.
 *
 * A capture's kmsg comes from dmesg, journalctl or a serial console, so a message may follow a
 * priority, a time stamp, a caller ("[T123]") and a syslog head, in many spellings. Each kind is
 * therefore found by the words of its format string, and only what stands around them is taken
 * apart. Equal events are one row: a storm of failures costs a counter. */

typedef struct Pattern {
        const char *words;
        KmsgKind kind;
} Pattern;

static const Pattern patterns[] = {
        { ": page allocation failure: order:",
          KMSG_ALLOCATION_FAILURE }, /* mm/page_alloc.c warn_alloc() */
        { ": page allocation stalls for ", KMSG_ALLOCATION_STALL }, /* 4.10 to 4.14 */
        { "soft lockup - CPU#", KMSG_SOFT_LOCKUP },                 /* kernel/watchdog.c */
        { "hard LOCKUP on cpu ", KMSG_HARD_LOCKUP },
        { "self-detected stall on CPU", KMSG_RCU_STALL }, /* kernel/rcu/tree_stall.h */
        { "detected stalls on CPUs/tasks", KMSG_RCU_STALL },
        { "detected expedited stalls on CPUs/tasks", KMSG_RCU_STALL },
        { "INFO: task ", KMSG_HUNG_TASK },     /* kernel/hung_task.c */
        { " invoked oom-killer: ", KMSG_OOM }, /* mm/oom_kill.c dump_header() */
};

/* Removes what loggers put before a message: "<4>", "[   12.345678] ", "[T99] ", "host kernel:
 * ". */
static Text prefix_strip(Text head) {
        size_t at = text_find_string(head, "kernel: ");

        if (at < head.size)
                head = (Text){ head.data + at + 8, head.size - at - 8 };
        for (;;) {
                size_t close;

                head = text_strip(head);
                if (head.size == 0 || (head.data[0] != '<' && head.data[0] != '['))
                        return head;
                close = text_find(head, head.data[0] == '<' ? '>' : ']');
                if (close == head.size)
                        return head;
                head = (Text){ head.data + close + 1, head.size - close - 1 };
        }
}

static Text slice(Text t, size_t from, size_t to) {
        return from < to && to <= t.size ? (Text){ t.data + from, to - from } : TEXT_NULL;
}

/* What follows the words, up to a comma or blank. */
static Text value_after(Text line, const char *words) {
        size_t from = text_find_string(line, words);
        size_t to;

        if (from == line.size)
                return TEXT_NULL;
        from += strlen(words);
        for (to = from; to < line.size && line.data[to] != ',' && line.data[to] != ' '; to++)
                ;
        return slice(line, from, to);
}

/* Brackets in "[COMM:PID]" and "task COMM:PID blocked". */
static Text comm_before_pid(Text t) {
        size_t colon = t.size;

        while (colon > 0 && t.data[colon - 1] != ':')
                colon--;
        return colon > 0 ? slice(t, 0, colon - 1) : TEXT_NULL;
}

static void printable_copy(char *to, size_t size, Text from) {
        (void) text_copy(to, size, from);
        for (size_t i = 0; i + 1 < size && i < from.size; i++)
                if (to[i] < ' ' || to[i] > '~')
                        to[i] = '?';
}

/* No kernel has blocks of 2^64 pages. */
#define ORDER_LIMIT 64u

static bool order_read(Text field, KmsgEvent *e) {
        uint64_t order = 0;

        if (number_parse_u64(field.data, field.size, &order) != 0 || order >= ORDER_LIMIT)
                return false;
        e->order = KNOWN(order);
        return true;
}

/* Consoles may colour their lines; anything else below a blank was not written by a kernel. */
static bool line_is_binary(Text line) {
        for (size_t i = 0; i < line.size; i++) {
                unsigned char c = (unsigned char) line.data[i];

                if (c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != 0x1b)
                        return true;
        }
        return false;
}

/* False: the words are there, the sense is not. */
static bool event_read(Text line, const Pattern *pattern, size_t at, KmsgEvent *e) {
        Text head = { line.data, at }, comm = TEXT_NULL, mode = TEXT_NULL;

        e->kind = pattern->kind;
        switch (pattern->kind) {
        case KMSG_ALLOCATION_FAILURE:
        case KMSG_ALLOCATION_STALL:
                comm = prefix_strip(head);
                if (!order_read(value_after(line, "order:"), e))
                        return false;
                mode = value_after(line, "mode:");
                break;
        case KMSG_OOM:
                comm = prefix_strip(head);
                (void) order_read(value_after(line, "order="), e); /* sysrq: -1 */
                mode = value_after(line, "gfp_mask=");
                break;
        case KMSG_SOFT_LOCKUP: {
                Text tail = slice(line, at, line.size);
                size_t open = text_find(tail, '[');
                size_t close = tail.size;

                while (close > 0 && tail.data[close - 1] != ']')
                        close--;
                comm = comm_before_pid(slice(tail, open + 1, close > 0 ? close - 1 : 0));
                break;
        }
        case KMSG_HUNG_TASK: {
                Text tail = slice(line, at + strlen(pattern->words), line.size);
                size_t blocked = text_find_string(tail, " blocked for more than ");

                if (blocked == tail.size)
                        return false;
                comm = comm_before_pid(slice(tail, 0, blocked));
                break;
        }
        case KMSG_HARD_LOCKUP:
        case KMSG_RCU_STALL:
        case _KMSG_KIND_MAX:
                break;
        }
        printable_copy(e->comm, sizeof(e->comm), comm);
        printable_copy(e->mode, sizeof(e->mode), mode);
        return true;
}

static bool same_event(const KmsgEvent *a, const KmsgEvent *b) {
        return a->kind == b->kind && a->order.known == b->order.known &&
               a->order.value == b->order.value && strcmp(a->comm, b->comm) == 0 &&
               strcmp(a->mode, b->mode) == 0;
}

static void event_add(Kmsg *k, const KmsgEvent *e) {
        k->count[e->kind]++;
        if (e->kind == KMSG_ALLOCATION_FAILURE)
                *(e->order.value > 0 ? &k->n_failures_high : &k->n_failures_order0) += 1;
        for (size_t i = 0; i < k->n; i++)
                if (same_event(&k->events[i], e)) {
                        k->events[i].count++;
                        return;
                }
        if (k->n == KMSG_EVENTS_MAX) {
                k->n_more++;
                return;
        }
        k->events[k->n] = *e;
        k->events[k->n++].count = 1;
}

int kmsg_parse(Arena *a, Text text, const char *path, Kmsg *ret, ParseLog *log) {
        Kmsg k = {};
        Text line;

        k.events = ARENA_ARRAY(a, KmsgEvent, KMSG_EVENTS_MAX);
        if (!k.events)
                return -ENOMEM;
        while (text_next_line(&text, &line)) {
                k.n_lines++;
                if (line_is_binary(line) && k.n_binary++ == 0)
                        parse_log_add(log, path, k.n_lines,
                                      "bytes that no kernel log has, in this line first",
                                      TEXT_NULL);
                for (size_t i = 0; i < ELEMENTSOF(patterns); i++) {
                        KmsgEvent event = { .first_line = k.n_lines };
                        size_t at = text_find_string(line, patterns[i].words);

                        if (at == line.size)
                                continue;
                        if (!event_read(line, &patterns[i], at, &event)) {
                                if (patterns[i].kind == KMSG_ALLOCATION_FAILURE ||
                                    patterns[i].kind == KMSG_ALLOCATION_STALL)
                                        parse_log_add(log, path, k.n_lines,
                                                      "an allocation without an order from 0 to 63",
                                                      value_after(line, "order:"));
                                continue;
                        }
                        event_add(&k, &event);
                        break;
                }
        }
        if (k.n_lines == 0)
                parse_log_add(log, path, 0, "empty file", TEXT_NULL);
        if (k.n_more > 0)
                parse_log_add(log, path, 0, "more kinds of events than fit are only counted",
                              TEXT_NULL);
        *ret = k;
        return 0;
}

const char *kmsg_kind_to_string(KmsgKind k) {
        switch (k) {
        case KMSG_ALLOCATION_FAILURE:
                return "page allocation failure";
        case KMSG_ALLOCATION_STALL:
                return "page allocation stall";
        case KMSG_SOFT_LOCKUP:
                return "soft lockup";
        case KMSG_HARD_LOCKUP:
                return "hard lockup";
        case KMSG_RCU_STALL:
                return "RCU stall";
        case KMSG_HUNG_TASK:
                return "hung task";
        case KMSG_OOM:
                return "out of memory";
        case _KMSG_KIND_MAX:
                break;
        }
        return "unknown";
}
