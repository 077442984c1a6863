/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "conf/check.h"
#include "conf/conf-table.h"
#include "conf/policy-load.h"
#include "conf/value.h"

/* What is in force, key by key, as it would be written in a file, and where each value came from. */
typedef struct RowBuilder {
        ConfRows *rows;
        const char *policy;
        FILE *stream; /* the value under construction */
        char *value;
        size_t size;
        int error;
} RowBuilder;

static FILE *row_begin(RowBuilder *b) {
        b->value = NULL;
        b->stream = open_memstream(&b->value, &b->size);
        if (!b->stream)
                b->error = -ENOMEM;
        return b->stream;
}

static void row_end(RowBuilder *b, const char *key, const char *file, unsigned line) {
        ConfRows *rows = b->rows;
        ConfRow row = { .policy = b->policy, .file = file, .line = line };

        if (fclose(b->stream) != 0)
                b->error = -ENOMEM;
        if (rows->n == rows->allocated) {
                size_t wanted = rows->allocated == 0 ? 64 : rows->allocated * 2;
                ConfRow *grown = reallocarray(rows->rows, wanted, sizeof(*grown));

                if (grown) {
                        rows->rows = grown;
                        rows->allocated = wanted;
                } else
                        b->error = -ENOMEM;
        }
        if (b->error < 0) {
                free(b->value);
                return;
        }
        (void) text_copy(row.key, sizeof(row.key), text_from(key));
        row.value = b->value;
        rows->rows[rows->n++] = row;
}

static void write_text(FILE *out, const char *text) {
        (void) fputc('"', out);
        for (const char *p = text; *p; p++) {
                if (*p == '"' || *p == '\\')
                        (void) fputc('\\', out);
                (void) fputc(*p, out);
        }
        (void) fputc('"', out);
}

static void write_names(FILE *out, char *const *names, size_t n) {
        (void) fputs("(", out);
        for (size_t i = 0; i < n; i++) {
                (void) fputs(i == 0 ? " " : ", ", out);
                write_text(out, names[i]);
        }
        (void) fputs(" )", out);
}

/* { a = 1; b = "x"; } with the direct members of the group that have a value. */
static void write_group(FILE *out, const ConfKey *keys, size_t n, const char *group,
                        const void *object) {
        size_t size = strlen(group);

        (void) fputs("{", out);
        for (size_t i = 0; i < n; i++) {
                char value[1400];

                if (strncmp(keys[i].name, group, size) == 0 && keys[i].name[size] == '.' &&
                    conf_key_format(&keys[i], object, value, sizeof(value)) && value[0] != '\0')
                        (void) fprintf(out, " %s = %s;", keys[i].name + size + 1, value);
        }
        (void) fputs(" }", out);
}

static void write_conf_special(FILE *out, const ConfKey *keys, size_t n, const ConfKey *key,
                               const Conf *conf) {
        if (key->type == KEY_TRIALS)
                write_text(out, conf->trials_text);
        else if (strcmp(key->name, "deny_knobs") == 0)
                write_names(out, conf->deny_knobs, conf->n_deny_knobs);
        else if (strcmp(key->name, "deny_caches") == 0)
                write_names(out, conf->deny_caches, conf->n_deny_caches);
        else {
                (void) fputs("(", out);
                for (size_t i = 0; i < conf->n_externals; i++) {
                        (void) fputs(i == 0 ? " " : ", ", out);
                        write_group(out, keys, n, "externals", &conf->externals[i]);
                }
                (void) fputs(" )", out);
        }
}

static void add_conf(RowBuilder *b, const Conf *conf) {
        size_t n;
        const ConfKey *keys = conf_keys(&n);

        for (size_t i = 0; i < n && b->error == 0; i++) {
                char value[1400];

                if (strchr(keys[i].name, '.') || !row_begin(b))
                        continue;
                if (conf_key_format(&keys[i], conf, value, sizeof(value)))
                        (void) fputs(value, b->stream);
                else
                        write_conf_special(b->stream, keys, n, &keys[i], conf);
                row_end(b, keys[i].name, conf->origin[i].file, conf->origin[i].line);
        }
}

static void write_targets(FILE *out, const ConfKey *keys, size_t n, const char *name,
                          const PolicyTarget *targets, unsigned n_targets) {
        (void) fputs("(", out);
        for (unsigned i = 0; i < n_targets; i++) {
                (void) fputs(i == 0 ? " " : ", ", out);
                write_group(out, keys, n, name, &targets[i]);
        }
        (void) fputs(" )", out);
}

static void write_arms(FILE *out, const Policy *p) {
        (void) fputs("(", out);
        for (unsigned i = 0; i < p->n_arms; i++) {
                char plain[32];

                (void) fputs(i == 0 ? " " : ", ", out);
                (void) text_format(plain, sizeof(plain), "%lld",
                                   (long long) (p->arm[i].multiple_milli / 1000));
                if (strcmp(plain, p->arm[i].text) == 0)
                        (void) fputs(plain, out);
                else
                        write_text(out, p->arm[i].text);
        }
        (void) fputs(" )", out);
}

static void write_policy_special(FILE *out, const ConfKey *keys, size_t n, const ConfKey *key,
                                 const Policy *p) {
        switch (key->type) {
        case KEY_GROUPS:
                if (strcmp(key->name, "targets") == 0)
                        write_targets(out, keys, n, key->name, p->target, p->n_targets);
                else
                        write_targets(out, keys, n, key->name, p->fallback, p->n_fallback);
                break;
        case KEY_NAMES:
                (void) fputs("(", out);
                for (unsigned i = 0; i < p->n_must_not_rise; i++) {
                        (void) fputs(i == 0 ? " " : ", ", out);
                        write_text(out, p->must_not_rise[i]);
                }
                (void) fputs(" )", out);
                break;
        case KEY_ARMS:
                write_arms(out, p);
                break;
        case KEY_QUADS:
                (void) fprintf(out, "[ %u, %u, %u ]", p->quads[0], p->quads[1], p->quads[2]);
                break;
        case KEY_GUARDS:
        case KEY_WORD:
        case KEY_TEXT:
        case KEY_INT:
        case KEY_BOOL:
        case KEY_TIME:
        case KEY_SIZE:
        case KEY_TRIALS:
        case KEY_GROUP:
                break;
        }
}

static void write_guard(FILE *out, const PolicyGuard *guard) {
        size_t n;
        const PolicyGuardKey *keys = policy_guard_keys(&n);

        (void) fprintf(out, "{ name = \"%s\";", guard->name);
        for (size_t i = 0; i < n; i++) {
                char text[40];
                int64_t value;

                if (strcmp(keys[i].guard, guard->name) != 0 ||
                    !policy_guard_get(guard, &keys[i], &value))
                        continue;
                if (strcmp(keys[i].unit, "us") == 0 &&
                    value_format_time((usec_t) value, text, sizeof(text)))
                        (void) fprintf(out, " %s = \"%s\";", keys[i].key, text);
                else
                        (void) fprintf(out, " %s = %lld%s;", keys[i].key, (long long) value,
                                       value > INT32_MAX ? "L" : "");
        }
        if (guard->action != GUARD_ACTION_DEFAULT)
                (void) fprintf(out, " action = \"%s\";",
                               policy_guard_action_to_string(guard->action));
        (void) fprintf(out, " evidence = \"%s\"; }", evidence_to_string(guard->evidence));
}

static void end_policy_row(RowBuilder *b, const PolicyOrigins *origins, const char *key) {
        const PolicyKeyOrigin *origin = policy_origins_find(origins, key);

        row_end(b, key, origin ? origin->file : NULL, origin ? origin->line : 0);
}

static void add_guards(RowBuilder *b, const Policy *p, const PolicyOrigins *origins) {
        for (unsigned i = 0; i < p->n_guards && b->error == 0; i++) {
                char key[48];

                if (!row_begin(b))
                        return;
                write_guard(b->stream, &p->guard[i]);
                (void) text_format(key, sizeof(key), "guards.%s", p->guard[i].name);
                end_policy_row(b, origins, key);
        }
}

static void add_policy(RowBuilder *b, const Policy *p, const PolicyOrigins *origins) {
        size_t n;
        const ConfKey *keys = policy_keys(&n);

        b->policy = p->name;
        for (size_t i = 0; i < n && b->error == 0; i++) {
                char value[1400];

                if (keys[i].type == KEY_GUARDS) {
                        add_guards(b, p, origins);
                        continue;
                }
                if (keys[i].type == KEY_GROUP || strncmp(keys[i].name, "targets.", 8) == 0 ||
                    strncmp(keys[i].name, "fallback.", 9) == 0 || !row_begin(b))
                        continue;
                if (!conf_key_format(&keys[i], p, value, sizeof(value)))
                        write_policy_special(b->stream, keys, n, &keys[i], p);
                else
                        (void) fputs(value, b->stream);
                end_policy_row(b, origins, keys[i].name);
                /* The knob's own window, settle time and gap have no value here. */
                if (b->error == 0 && b->rows->rows[b->rows->n - 1].value[0] == '\0')
                        free(b->rows->rows[--b->rows->n].value);
        }
}

int conf_rows(const Conf *conf, const PolicySet *set, ConfRows *ret_rows) {
        ConfRows rows = { 0 };
        RowBuilder b = { .rows = &rows };

        if (conf)
                add_conf(&b, conf);
        for (size_t i = 0; set && i < set->n && b.error == 0; i++) {
                const PolicyOrigins origins = { .items = set->origin[i], .n = set->n_origin[i] };

                add_policy(&b, &set->policies[i], &origins);
        }
        if (b.error < 0) {
                conf_rows_done(&rows);
                return b.error;
        }
        *ret_rows = rows;
        return 0;
}

void conf_rows_done(ConfRows *rows) {
        for (size_t i = 0; i < rows->n; i++)
                free(rows->rows[i].value);
        free(rows->rows);
        *rows = (ConfRows){ 0 };
}

static void cat_files(const ConfFileList *list, FILE *out) {
        static const char *const states[] = {
                [CONF_FILE_USED] = "",
                [CONF_FILE_MASKED] = " (masked: a link to /dev/null)",
                [CONF_FILE_REPLACED] =
                        " (not used: a file of the same name in an earlier directory replaces it)",
                [CONF_FILE_REFUSED] = " (refused: see alloctune check)",
        };

        for (size_t i = 0; i < list->n; i++) {
                const ConfFile *file = &list->files[i];

                (void) fprintf(out, "# %s%s\n", file->path, states[file->state]);
                if (file->text && file->state == CONF_FILE_USED) {
                        (void) fwrite(file->text, 1, file->size, out);
                        if (file->size > 0 && file->text[file->size - 1] != '\n')
                                (void) fputc('\n', out);
                }
                (void) fputc('\n', out);
        }
}

int conf_cat(const Conf *conf, const PolicySet *set, FILE *out) {
        ConfRows rows = { 0 };
        const char *policy = NULL;
        int r = conf_rows(conf, set, &rows);

        if (r < 0)
                return r;
        if (conf)
                cat_files(&conf->files, out);
        if (set)
                cat_files(&set->files, out);
        (void) fputs("# In force:\n", out);
        for (size_t i = 0; i < rows.n; i++) {
                const ConfRow *row = &rows.rows[i];

                if (row->policy && row->policy != policy)
                        (void) fprintf(out, "\n# policy %s, profile %s:\n", row->policy,
                                       conf_profile_to_string(set->profile));
                policy = row->policy;
                if (row->file)
                        (void) fprintf(out, "%s = %s; # from %s:%u\n", row->key, row->value,
                                       row->file, row->line);
                else
                        (void) fprintf(out, "%s = %s; # default\n", row->key, row->value);
        }
        conf_rows_done(&rows);
        return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
