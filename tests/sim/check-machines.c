/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine files against what calibrate prints. Usage: check-machines FITTED MACHINES
 * Every fitted parameter of a machine that has a file must be in it, to 0.5 % (files hold four digits; optima differ a little with
 * compilers and versions of GSL). Every machine file must load. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "conf/scenario.h"

static double share_of(const PlantMachine *m, const char *cache) {
        for (unsigned i = 0; i < m->n_caches; i++)
                if (strcmp(m->caches[i].name, cache) == 0)
                        return m->caches[i].share;
        return NAN;
}

static PlantMachine machine;

static int load(const char *path) {
        ConfIssues issues = CONF_ISSUES_NULL;
        int r = plant_machine_load(path, &machine, &issues);

        for (size_t i = 0; i < issues.n; i++)
                fprintf(stderr, "%s:%u: %s\n", issues.items[i].file, issues.items[i].line,
                        issues.items[i].text);
        conf_issues_done(&issues);
        return r;
}

static size_t load_all(const char *dir) {
        char pattern[1024];
        glob_t files;
        size_t n = 0;

        snprintf(pattern, sizeof(pattern), "%s/*.machine", dir);
        if (glob(pattern, 0, NULL, &files) != 0)
                return 0;
        for (size_t i = 0; i < files.gl_pathc; i++)
                n += load(files.gl_pathv[i]) == 0;
        n = n == files.gl_pathc ? n : 0;
        globfree(&files);
        return n;
}

int main(int argc, char **argv) {
        char line[256], loaded[64] = "", name[64], param[64], path[1024];
        unsigned compared = 0, wrong = 0;
        double value;

        FILE *f = argc == 3 ? fopen(argv[1], "re") : NULL;
        if (!f) {
                fprintf(stderr, "usage: check-machines FITTED MACHINES\n");
                return 2;
        }
        while (fgets(line, sizeof(line), f)) {
                if (line[0] == '#' || sscanf(line, "%63s %63s %lf", name, param, &value) != 3)
                        continue;
                snprintf(path, sizeof(path), "%s/%s.machine", argv[2], name);
                if (access(path, R_OK) < 0)
                        continue;
                if (strcmp(name, loaded) != 0) {
                        if (load(path) != 0)
                                return 1;
                        snprintf(loaded, sizeof(loaded), "%s", name);
                }
                const PlantParamSpec *spec = plant_param_find(param);
                double got =
                        strncmp(param, "share.", 6) == 0 ? share_of(&machine, param + 6)
                        : spec ? *(const double *) (const void *) ((const char *) &machine.params +
                                                                   spec->offset)
                               : value; /* of a workload: in the comment of the file */
                compared++;
                if (!(fabs(got - value) <= 0.005 * fabs(value) + 1e-9)) {
                        printf("%s: %s is %g, fitted %g\n", name, param, got, value);
                        wrong++;
                }
        }
        fclose(f);
        size_t n_files = load_all(argv[2]);
        printf("%u parameters compared, %u differ; %zu files load\n", compared, wrong, n_files);
        return wrong > 0 || compared == 0 || n_files == 0;
}
