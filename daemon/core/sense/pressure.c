/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/pressure.h"

/* proc/pressure (kernel/sched/psi.c psi_show()): "some avg10=0.12 avg60=0.00 avg300=0.00
 * total=4711". Averages are percent with two decimals, kept in ppm: 1 % is 10,000. The total is
 * microseconds. It counts tasks that wait for memory; spinning on a lock is CPU time and never
 * shows up here. */

static MaybeU64 percent_read(const ParseLines *l, Text value, Text key) {
        uint64_t millionths = 0;
        int r;

        r = number_parse_millionths(value.data, value.size, &millionths);
        if (r != 0) {
                parse_lines_issue(l, number_error_string(r), key);
                return UNKNOWN;
        }
        return KNOWN(millionths / 100); /* percent times 10^6, to ppm */
}

static void line_read(const ParseLines *l, Text rest, PressureLine *p, Text label) {
        Text field;

        if (p->present)
                parse_lines_issue(l, "duplicate key, the last one counts", label);
        *p = (PressureLine){ .present = true };
        while (text_next_field(&rest, &field)) {
                size_t equals = text_find(field, '=');
                Text key = { field.data, equals };
                Text value = TEXT_NULL;

                if (equals < field.size)
                        value = (Text){ field.data + equals + 1, field.size - equals - 1 };
                if (text_is(key, "avg10"))
                        p->avg10_ppm = percent_read(l, value, key);
                else if (text_is(key, "avg60"))
                        p->avg60_ppm = percent_read(l, value, key);
                else if (text_is(key, "avg300"))
                        p->avg300_ppm = percent_read(l, value, key);
                else if (text_is(key, "total"))
                        p->total_usec = parse_lines_number(l, value, key);
        }
}

int pressure_parse(Text text, const char *path, Pressure *ret, ParseLog *log) {
        ParseLines l = parse_lines(text, path, log);
        Pressure p = {};
        Text line, label;

        while (parse_lines_next(&l, &line)) {
                if (!text_next_field(&line, &label))
                        continue;
                if (text_is(label, "some"))
                        line_read(&l, line, &p.some, label);
                else if (text_is(label, "full"))
                        line_read(&l, line, &p.full, label);
        }
        parse_lines_found(&l, p.some.present || p.full.present, text);
        *ret = p;
        return 0;
}
