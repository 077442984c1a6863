/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files behind knobs, and the files in which administrators set them. */
#include <errno.h>
#include <string.h>

#include "base/sort.h"
#include "core/sense/admin.h"
#include "core/sense/thp.h"
#include "machine/read.h"

#define SMALL_BYTES_MAX ((size_t) 65536)
#define ADMIN_BYTES_MAX ((size_t) 1 << 20)
#define ADMIN_FILES_MAX 4096u
#define SETTINGS_MAX 1024u

static int take_knob_file(Machine *m, Arena *arena, const char *path, KnobFile *ret,
                          ParseLog *log) {
        Text text = TEXT_NULL;
        unsigned mode;
        int error;

        arena_reset(&m->scratch);
        *ret = (KnobFile){ .path = path };
        ret->state = read_text(m, path, SMALL_BYTES_MAX, &text, log, &error);
        if (error < 0)
                return error;
        if (ret->state == SENSE_OK) {
                if (text.size > 0 && text.data[text.size - 1] == '\n')
                        text.size--;
                ret->text = (Text){ arena_strndup(arena, text.data, text.size), text.size };
                if (!ret->text.data)
                        return -ENOMEM;
        }
        if (ret->state != SENSE_ABSENT && machine_mode(m, path, &mode) == 0) {
                ret->mode = mode;
                ret->mode_known = true;
        }
        return 0;
}

int sample_knob_files(Machine *m, Arena *arena, KnobFile **ret_files, size_t *ret_n,
                      ParseLog *log) {
        size_t n_paths, n_entries = 0, n = 0;
        const char *const *paths = knob_paths(&n_paths);
        DirEntry *entries = NULL;
        KnobFile *files;
        int r;

        r = machine_list(m, KNOB_SIZE_FOLDER, arena, &entries, &n_entries);
        if (r < 0)
                return r;
        files = ARENA_ARRAY(arena, KnobFile, n_paths + (r == 0 ? n_entries : 0));
        if (!files)
                return -ENOMEM;
        for (size_t i = 0; i < n_paths; i++) {
                r = take_knob_file(m, arena, paths[i], &files[n++], log);
                if (r < 0)
                        return r;
        }
        for (size_t i = 0; entries && i < n_entries; i++) {
                uint64_t kb;
                const char *dir;

                if (!thp_size_name_parse(text_from(entries[i].name), &kb))
                        continue;
                dir = read_path(arena, KNOB_SIZE_FOLDER, entries[i].name);
                r = take_knob_file(m, arena, read_path(arena, dir, KNOB_SIZE_FILE), &files[n++],
                                   log);
                if (r < 0)
                        return r;
        }
        arena_reset(&m->scratch);
        *ret_files = files;
        *ret_n = n;
        return 0;
}

/* A file of sysctl.d or tmpfiles.d that is in force. */
typedef struct AdminFile {
        const char *name; /* the order of application, and what an earlier directory replaces */
        const char *path; /* relative to the root */
        bool masked;
} AdminFile;

static int compare_files(const void *a, const void *b) {
        return strcmp(((const AdminFile *) a)->name, ((const AdminFile *) b)->name);
}

/* Directories in order of precedence: a file in an earlier one replaces one of the same name in a later
 * one; a link to /dev/null masks it (sysctl.d(5), tmpfiles.d(5)). */
static int collect(Machine *m, Arena *arena, const char *const *dirs, size_t n_dirs,
                   AdminFile **ret, size_t *ret_n, ParseLog *log) {
        AdminFile *files = NULL;
        size_t n = 0, capacity = 0;

        for (size_t d = 0; d < n_dirs; d++) {
                DirEntry *entries;
                size_t n_entries, n_before = n;
                int r = machine_list(m, dirs[d], arena, &entries, &n_entries);

                if (r < 0)
                        return r;
                if (r != 0)
                        continue;
                for (size_t i = 0; i < n_entries; i++) {
                        bool replaced = false;

                        if (entries[i].is_dir || !text_ends(text_from(entries[i].name), ".conf"))
                                continue;
                        for (size_t k = 0; k < n_before && !replaced; k++)
                                replaced = strcmp(files[k].name, entries[i].name) == 0;
                        if (replaced)
                                continue;
                        if (n == ADMIN_FILES_MAX) {
                                parse_log_add(log, dirs[d], 0,
                                              "more than 4096 files: the rest is left out",
                                              TEXT_NULL);
                                break;
                        }
                        if (n == capacity) {
                                size_t more = MAX(2 * capacity, (size_t) 32);

                                files = arena_grow(arena, files, capacity * sizeof(*files),
                                                   more * sizeof(*files), _Alignof(AdminFile));
                                if (!files)
                                        return -ENOMEM;
                                capacity = more;
                        }
                        files[n++] = (AdminFile){
                                .name = entries[i].name,
                                .path = read_path(arena, dirs[d], entries[i].name),
                                .masked = entries[i].link &&
                                          strcmp(entries[i].link, "/dev/null") == 0
                        };
                }
        }
        array_sort(files, n, sizeof(*files), compare_files);
        *ret = files;
        *ret_n = n;
        return 0;
}

typedef struct Settings {
        AdminSetting *rows;
        size_t n, capacity;
        bool full;
} Settings;

/* Only what can be a knob of ours: other lines would be searched through for each of ours. */
static int keep(Arena *arena, Settings *s, const AdminLine *line, const char *file, ParseLog *log) {
        char *absolute = NULL;
        size_t at = 0;

        if (line->append ||
            (strncmp(line->path, "/proc/sys/vm/", 13) != 0 && strncmp(line->path, "/sys/", 5) != 0))
                return 0;
        while (at < s->n && strcmp(s->rows[at].path, line->path) != 0)
                at++;
        if (at == SETTINGS_MAX) {
                if (!s->full)
                        parse_log_add(log, file, line->line,
                                      "more than 1024 settings: from here on they are left out",
                                      text_from(line->path));
                s->full = true;
                return 0;
        }
        if (at == s->n) {
                if (s->n == s->capacity) {
                        size_t more = MAX(2 * s->capacity, (size_t) 64);

                        s->rows = arena_grow(arena, s->rows, s->capacity * sizeof(*s->rows),
                                             more * sizeof(*s->rows), _Alignof(AdminSetting));
                        if (!s->rows)
                                return -ENOMEM;
                        s->capacity = more;
                }
                s->n++;
        }
        absolute = arena_alloc(arena, strlen(file) + 2, 1);
        if (!absolute)
                return -ENOMEM;
        absolute[0] = '/';
        memcpy(absolute + 1, file, strlen(file));
        s->rows[at] = (AdminSetting){
                .path = line->path, .value = line->value, .file = absolute, .line = line->line
        };
        return 0;
}

typedef int (*AdminParser)(Arena *a, Text text, const char *path, AdminLines *ret, ParseLog *log);

static int apply(Machine *m, Arena *arena, const char *path, AdminParser parse, Settings *s,
                 ParseLog *log) {
        AdminLines lines = { 0 };
        Text text;
        int error, r;

        arena_reset(&m->scratch);
        if (read_text(m, path, ADMIN_BYTES_MAX, &text, log, &error) != SENSE_OK)
                return error;
        r = parse(arena, text, path, &lines, log);
        for (size_t i = 0; r == 0 && i < lines.n; i++)
                r = keep(arena, s, &lines.lines[i], path, log);
        return r;
}

int sample_admin_settings(Machine *m, Arena *arena, AdminSetting **ret_settings, size_t *ret_n,
                          ParseLog *log) {
        static const char *const sysctl_dirs[] = { "etc/sysctl.d", "run/sysctl.d",
                                                   "usr/local/lib/sysctl.d", "usr/lib/sysctl.d" };
        static const char *const tmpfiles_dirs[] = { "etc/tmpfiles.d", "run/tmpfiles.d",
                                                     "usr/local/lib/tmpfiles.d",
                                                     "usr/lib/tmpfiles.d" };
        Settings s = { 0 };
        AdminFile *files;
        size_t n;
        int r = collect(m, arena, sysctl_dirs, ELEMENTSOF(sysctl_dirs), &files, &n, log);

        for (size_t i = 0; r == 0 && i < n; i++)
                if (!files[i].masked)
                        r = apply(m, arena, files[i].path, sysctl_conf_parse, &s, log);
        /* procps reads it last; systemd reads it where a link of sysctl.d names it. Last is what counts. */
        if (r == 0)
                r = apply(m, arena, "etc/sysctl.conf", sysctl_conf_parse, &s, log);
        if (r == 0)
                r = collect(m, arena, tmpfiles_dirs, ELEMENTSOF(tmpfiles_dirs), &files, &n, log);
        for (size_t i = 0; r == 0 && i < n; i++)
                if (!files[i].masked)
                        r = apply(m, arena, files[i].path, tmpfiles_conf_parse, &s, log);
        arena_reset(&m->scratch);
        if (r < 0)
                return r;
        *ret_settings = s.rows;
        *ret_n = s.n;
        return 0;
}
