/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "conf/conf-table.h"
#include "conf/value.h"
#include "core/control/policy.h"

/* Renderings of the tables of keys. */

#define COMMENT_WIDTH 98

/* Words of a text behind "# ", wrapped. */
static void write_comment(FILE *out, const char *text) {
        Text rest = text_from(text), word;
        size_t used = 0;

        while (text_next_field(&rest, &word)) {
                if (used > 0 && used + 1 + word.size > COMMENT_WIDTH) {
                        (void) fputc('\n', out);
                        used = 0;
                }
                used += (size_t) MAX(
                        fprintf(out, "%s%.*s", used == 0 ? "# " : " ", (int) word.size, word.data),
                        0);
        }
        (void) fputc('\n', out);
}

static void write_key(FILE *out, const ConfKey *key) {
        char described[256], text[400];

        write_comment(out, key->help);
        if (conf_key_describe(key, described, sizeof(described)) &&
            text_format(text, sizeof(text), "Expected: %s.", described))
                write_comment(out, text);
}

void conf_render_file(FILE *out) {
        size_t n;
        const ConfKey *keys = conf_keys(&n);

        (void) fputs(
                "# SPDX-License-Identifier: GPL-2.0-or-later\n"
                "# Configuration of alloctuned, see alloctuned.conf(5). Every key is shown at its default. To change one,\n"
                "# put it into a file of your own, /etc/alloctuned/alloctuned.conf.d/NAME.conf, or remove the # here.\n",
                out);
        for (size_t i = 0; i < n; i++) {
                if (strchr(keys[i].name, '.'))
                        continue;
                (void) fputc('\n', out);
                write_key(out, &keys[i]);
                (void) fprintf(out, "#%s = %s;\n", keys[i].name, keys[i].def);
                if (keys[i].type == KEY_GROUPS)
                        (void) fputs(
                                "#\n"
                                "# externals = (\n"
                                "#   { name = \"app-latency\"; path = \"/run/app/latency\"; unit = \"ns\"; better = \"lower\";\n"
                                "#     max_age = \"30s\"; evidence = \"measured\"; }\n"
                                "# );\n",
                                out);
        }
}

/* A text for mdoc: a backslash and a leading control character would be read as requests. */
static void write_roff(FILE *out, const char *text) {
        for (const char *p = text; *p; p++) {
                if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n'))
                        (void) fputs("\\&", out);
                if (*p == '\\')
                        (void) fputs("\\e", out);
                else
                        (void) fputc(*p, out);
        }
}

void conf_render_man(const ConfKey *keys, size_t n, FILE *out) {
        (void) fputs(".Bl -tag -width Ds\n", out);
        for (size_t i = 0; i < n; i++) {
                char described[256];

                (void) fprintf(out, ".It Va %s\n", keys[i].name);
                write_roff(out, keys[i].help);
                (void) fputs("\n.br\n", out);
                if (conf_key_describe(&keys[i], described, sizeof(described))) {
                        write_roff(out, "Expected: ");
                        write_roff(out, described);
                        (void) fputs(keys[i].required ? "; required.\n" : ".\n", out);
                }
                if (keys[i].def && strcmp(keys[i].def, "\"\"") != 0) {
                        write_roff(out, "Default: ");
                        write_roff(out, keys[i].def);
                        (void) fputs(".\n", out);
                }
        }
        (void) fputs(".El\n", out);
}

static void write_guard_default(FILE *out, const PolicyGuardKey *key) {
        char text[40];

        if (!key->set)
                (void) fputs("no default", out);
        else if (strcmp(key->unit, "us") != 0)
                (void) fprintf(out, "%lld %s", (long long) key->def, key->unit);
        else if (value_format_time((usec_t) key->def, text, sizeof(text)))
                (void) fprintf(out, "\"%s\"", text);
}

void conf_render_man_guards(FILE *out) {
        size_t n_specs, n_keys;
        const PolicyGuardSpec *specs = policy_guard_specs(&n_specs);
        const PolicyGuardKey *keys = policy_guard_keys(&n_keys);

        (void) fputs(".Bl -tag -width Ds\n", out);
        for (size_t i = 0; i < n_specs; i++) {
                (void) fprintf(out, ".It Va %s\n", specs[i].name);
                write_roff(out, specs[i].help);
                (void) fputc('\n', out);
                if (specs[i].action != GUARD_ACTION_DEFAULT)
                        (void) fprintf(
                                out,
                                ".br\nKey\n.Va action :\n\"abort\" or \"cut\", default \"%s\".\n",
                                policy_guard_action_to_string(specs[i].action));
                for (size_t k = 0; k < n_keys; k++)
                        if (strcmp(keys[k].guard, specs[i].name) == 0) {
                                (void) fprintf(out, ".br\nKey\n.Va %s :\n", keys[k].key);
                                write_roff(out, keys[k].help);
                                (void) fputs(" Default: ", out);
                                write_guard_default(out, &keys[k]);
                                (void) fputs(".\n", out);
                        }
        }
        (void) fputs(".El\n", out);
}
