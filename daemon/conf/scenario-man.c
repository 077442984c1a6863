/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of alloctuned.scenario(5), as mdoc, of the tables that the loader goes by. */
#include <stdio.h>

#include "base/text.h"
#include "conf/scenario-parse.h"

static void write_roff(FILE *out, const char *text) {
        for (const char *p = text; *p; p++)
                if (*p == '\\')
                        (void) fputs("\\e", out);
                else
                        (void) fputc(*p, out);
}

static void describe(const ConfKey *key, FILE *out) {
        char text[512];

        if (key->store == STORE_SPECIAL && key->type == KEY_INT) {
                if (key->ceiling > 1000000)
                        (void) fprintf(out, "a number of at least %lld", (long long) key->floor);
                else
                        (void) fprintf(out, "a number from %lld to %lld", (long long) key->floor,
                                       (long long) key->ceiling);
        } else if (key->store == STORE_SPECIAL && key->unit)
                write_roff(out, key->unit);
        else if (conf_key_describe(key, text, sizeof(text)))
                write_roff(out, text);
        if (key->store == STORE_SPECIAL && key->type == KEY_TEXT)
                (void) fputs(", or an integer", out);
}

void scenario_render_man_keys(FILE *out) {
        size_t n;
        const ConfKey *keys = scenario_keys(&n);

        (void) fputs(".Bl -tag -width Ds\n", out);
        for (size_t i = 0; i < n; i++) {
                (void) fprintf(out, ".It Va %s\n", keys[i].name);
                write_roff(out, keys[i].help);
                (void) fputs("\n.br\nExpected: ", out);
                describe(&keys[i], out);
                (void) fputs(keys[i].required ? "; required.\n" : ".\n", out);
                if (keys[i].def) {
                        (void) fputs("Default: ", out);
                        write_roff(out, keys[i].def);
                        (void) fputs(".\n", out);
                }
        }
        (void) fputs(".El\n", out);
}

static void write_number(FILE *out, const char *name, const char *help, const char *unit,
                         double def, double floor, double ceiling) {
        (void) fprintf(out, ".It Va %s\n", name);
        write_roff(out, help);
        (void) fputs(".\n.br\n", out);
        (void) fprintf(out, "From %g to %g%s%s, default %g.\n", floor, ceiling, unit[0] ? " " : "",
                       unit, def);
}

void scenario_render_man_parameters(FILE *out) {
        size_t n;
        const PlantParamSpec *s = plant_param_specs(&n);

        (void) fputs(".Bl -tag -width Ds\n", out);
        for (size_t i = 0; i < n; i++)
                write_number(out, s[i].name, s[i].help, s[i].unit, s[i].def, s[i].floor,
                             s[i].ceiling);
        (void) fputs(".El\n", out);
}

void scenario_render_man_workloads(FILE *out) {
        size_t n;
        const PlantWorkloadSpec *s = plant_workload_specs(&n);

        (void) fputs(".Bl -tag -width Ds\n", out);
        for (size_t i = 0; i < n; i++)
                write_number(out, s[i].name, s[i].help, s[i].unit, s[i].def, s[i].floor,
                             s[i].ceiling);
        (void) fputs(".El\n", out);
}
