/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/lists.h"

/* Small formats that many files share. None of them needs memory. */

/* "a-b:used/group" (lib/bitmap.c bitmap_parselist()): of every group of ids the first "used"
 * ones. */
typedef struct IdRange {
        uint64_t first, last, used, group;
} IdRange;

static const char *range_read(Text part, IdRange *ret) {
        size_t colon = text_find(part, ':');
        Text ids = { part.data, colon };
        size_t dash = text_find(ids, '-');
        IdRange range = { .used = 1, .group = 1 };
        int r;

        r = number_parse_u64(ids.data, dash, &range.first);
        if (r != 0)
                return number_error_string(r);
        range.last = range.first;
        if (dash < ids.size) {
                r = number_parse_u64(ids.data + dash + 1, ids.size - dash - 1, &range.last);
                if (r != 0)
                        return number_error_string(r);
        }
        if (colon < part.size) {
                Text stride = { part.data + colon + 1, part.size - colon - 1 };
                size_t slash = text_find(stride, '/');

                if (slash == stride.size ||
                    number_parse_u64(stride.data, slash, &range.used) != 0 ||
                    number_parse_u64(stride.data + slash + 1, stride.size - slash - 1,
                                     &range.group) != 0 ||
                    range.used == 0 || range.used > range.group)
                        return "malformed stride";
        }
        if (range.last < range.first)
                return "range runs backwards";
        if (range.last >= IDSET_MAX)
                return "id out of range";
        *ret = range;
        return NULL;
}

int idlist_parse(Text text, const char *path, IdSet *ret, ParseLog *log) {
        IdSet set = {};
        Text rest = text_strip(text), part;
        bool last_is_empty = rest.size > 0 && rest.data[rest.size - 1] == ',';

        while (text_next_split(&rest, ',', &part)) {
                IdRange range = {};
                const char *error;

                part = text_strip(part);
                error = range_read(part, &range);
                if (error) {
                        parse_log_add(log, path, 1, error, part);
                        continue;
                }
                for (uint64_t i = range.first; i <= range.last; i++)
                        if ((i - range.first) % range.group < range.used)
                                (void) idset_add(&set, (unsigned) i);
        }
        if (last_is_empty)
                parse_log_add(log, path, 1, "the list ends in a comma", TEXT_NULL);
        *ret = set;
        return 0;
}

unsigned distances_parse(Text text, const char *path, uint16_t *ret, unsigned n_max,
                         ParseLog *log) {
        Text rest = text_strip(text), field;
        unsigned n = 0;

        while (text_next_field(&rest, &field)) {
                uint64_t value = 0;
                int r = number_parse_u64(field.data, field.size, &value);

                if (r == 0 && value > UINT16_MAX)
                        r = NUMBER_E_OVERFLOW;
                if (r != 0 || n == n_max) {
                        parse_log_add(log, path, 1,
                                      r != 0 ? number_error_string(r) : "more distances than nodes",
                                      field);
                        break;
                }
                ret[n++] = (uint16_t) value;
        }
        return n;
}

MaybeU64 number_file_parse(Text text, const char *path, ParseLog *log) {
        Text field = text_strip(text);
        uint64_t value = 0;
        int r = number_parse_u64(field.data, field.size, &value);

        if (r != 0) {
                parse_log_add(log, path, 1, number_error_string(r), field);
                return UNKNOWN;
        }
        return KNOWN(value);
}

MaybeU64 uptime_parse(Text text, const char *path, ParseLog *log) {
        Text field = TEXT_NULL;
        uint64_t usec = 0;
        int r;

        text = text_strip(text);
        (void) text_next_field(&text, &field);
        r = number_parse_millionths(field.data, field.size, &usec);
        if (r != 0) {
                parse_log_add(log, path, 1, number_error_string(r), field);
                return UNKNOWN;
        }
        return KNOWN(usec); /* seconds times 10^6 */
}

static bool is_space(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The kernel's lib/cmdline.c next_arg(), without writing into the line. */
bool cmdline_next(Text *rest, Text *ret_name, Text *ret_value) {
        bool quoted, in_quote;
        size_t i = 0, equals = 0, end;
        Text arg;

        while (rest->size > 0 && is_space(rest->data[0]))
                *rest = (Text){ rest->data + 1, rest->size - 1 };
        if (rest->size == 0)
                return false;
        quoted = in_quote = rest->data[0] == '"';
        if (quoted)
                *rest = (Text){ rest->data + 1, rest->size - 1 };
        for (i = 0; i < rest->size; i++) {
                if (is_space(rest->data[i]) && !in_quote)
                        break;
                if (equals == 0 && rest->data[i] == '=')
                        equals = i;
                if (rest->data[i] == '"')
                        in_quote = !in_quote;
        }
        arg = (Text){ rest->data, i };
        *rest = (Text){ rest->data + i, rest->size - i };
        end = arg.size;
        if (equals == 0) {
                if (quoted && end > 0 && arg.data[end - 1] == '"')
                        end--;
                *ret_name = (Text){ arg.data, end };
                *ret_value = TEXT_NULL;
                return true;
        }
        *ret_name = (Text){ arg.data, equals };
        equals++;
        if (equals < end && arg.data[equals] == '"') {
                equals++;
                if (equals < end && arg.data[end - 1] == '"')
                        end--;
        } else if (quoted && equals < end && arg.data[end - 1] == '"') {
                end--;
        }
        *ret_value = (Text){ arg.data + equals, end - equals };
        return true;
}

/* kernel/params.c parameqn(): dash2underscore() on both. */
static bool parameter_equal(Text a, const char *b) {
        for (size_t i = 0; i < a.size; i++) {
                char x = a.data[i] == '-' ? '_' : a.data[i];

                if (b[i] == 0 || x != (b[i] == '-' ? '_' : b[i]))
                        return false;
        }
        return b[a.size] == 0;
}

bool cmdline_find(Text cmdline, const char *name, Text *ret_value) {
        Text rest = cmdline, parameter, value;
        bool found = false;

        while (cmdline_next(&rest, &parameter, &value)) {
                if (text_is(parameter, "--") && !value.data)
                        break; /* the rest belongs to init */
                if (!parameter_equal(parameter, name))
                        continue;
                *ret_value = value;
                found = true;
        }
        return found;
}

/* Cuts digits off the front. */
static bool digits_cut(Text *rest, uint32_t *ret) {
        size_t n = 0;
        uint64_t value = 0;

        while (n < rest->size && rest->data[n] >= '0' && rest->data[n] <= '9')
                n++;
        if (number_parse_u64(rest->data, n, &value) != 0 || value >= RELEASE_NO_RC)
                return false;
        *rest = (Text){ rest->data + n, rest->size - n };
        *ret = (uint32_t) value;
        return true;
}

static bool dot_cut(Text *rest) {
        if (rest->size < 2 || rest->data[0] != '.' || rest->data[1] < '0' || rest->data[1] > '9')
                return false;
        *rest = (Text){ rest->data + 1, rest->size - 1 };
        return true;
}

/* Reads a release and leaves what follows it in *rest. */
static bool release_cut(Text *rest, Release *ret) {
        Release r = { .rc = RELEASE_NO_RC };
        Text tail;

        if (!digits_cut(rest, &r.major) || !dot_cut(rest) || !digits_cut(rest, &r.minor))
                return false;
        if (dot_cut(rest)) {
                if (!digits_cut(rest, &r.patch))
                        return false;
                r.has_patch = true;
        }
        tail = *rest;
        /* upstream and Debian write "-rc3", Fedora "-0.rc3" */
        if (text_starts(tail, "-rc") || text_starts(tail, "-0.rc")) {
                size_t skip = text_starts(tail, "-rc") ? 3 : 5;

                tail = (Text){ tail.data + skip, tail.size - skip };
                if (digits_cut(&tail, &r.rc))
                        *rest = tail;
        }
        *ret = r;
        return true;
}

int release_parse(Text text, Release *ret) {
        Text rest = text_strip(text);

        return release_cut(&rest, ret) ? 0 : RELEASE_E_MALFORMED;
}

int release_compare(const Release *a, const Release *b) {
        if (a->major != b->major)
                return a->major < b->major ? -1 : 1;
        if (a->minor != b->minor)
                return a->minor < b->minor ? -1 : 1;
        if (a->patch != b->patch)
                return a->patch < b->patch ? -1 : 1;
        return a->rc < b->rc ? -1 : a->rc > b->rc;
}

/* An end of a range stands alone: nothing may follow it. */
static bool end_read(Text text, Release *ret) {
        text = text_strip(text);
        return release_cut(&text, ret) && text.size == 0;
}

int release_range_parse(Text text, ReleaseRange *ret) {
        ReleaseRange range = {};
        size_t dots;

        text = text_strip(text);
        dots = text_find_string(text, "..");
        if (dots == text.size) {
                if (!end_read(text, &range.first))
                        return RELEASE_E_MALFORMED;
                range.last = range.first;
                range.has_first = range.has_last = true;
        } else {
                Text first = text_strip((Text){ text.data, dots });
                Text last = text_strip((Text){ text.data + dots + 2, text.size - dots - 2 });

                range.has_first = first.size > 0;
                range.has_last = last.size > 0;
                if ((range.has_first && !end_read(first, &range.first)) ||
                    (range.has_last && !end_read(last, &range.last)) ||
                    (!range.has_first && !range.has_last))
                        return RELEASE_E_MALFORMED;
        }
        /* An end that is no prefix stands for itself. */
        if (range.has_first && !range.first.has_patch && range.first.rc == RELEASE_NO_RC)
                range.first.rc = 0;
        if (range.has_last && !range.last.has_patch && range.last.rc == RELEASE_NO_RC)
                range.last.patch = UINT32_MAX;
        if (range.has_first && range.has_last && release_compare(&range.first, &range.last) > 0)
                return RELEASE_E_MALFORMED;
        *ret = range;
        return 0;
}

bool release_in_range(const Release *r, const ReleaseRange *range) {
        return (!range->has_first || release_compare(r, &range->first) >= 0) &&
               (!range->has_last || release_compare(r, &range->last) <= 0);
}
