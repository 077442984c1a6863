/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target once for each input in the folders and files named, without libFuzzer, and prints
 * TAP: one case for the whole corpus, since an input that fails ends the program. Each input stands in
 * memory of its own size, so that a sanitizer sees a read beyond it. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replay_file(const char *path) {
        struct stat st;
        uint8_t *data;
        size_t size;
        FILE *f = fopen(path, "re");

        if (!f || fstat(fileno(f), &st) < 0) {
                fprintf(stderr, "%s: %s\n", path, strerror(errno));
                exit(EXIT_FAILURE);
        }
        size = (size_t) st.st_size;
        data = malloc(size);
        if ((!data && size > 0) || (size > 0 && fread(data, 1, size, f) != size)) {
                fprintf(stderr, "%s: cannot be read\n", path);
                exit(EXIT_FAILURE);
        }
        (void) fclose(f);
        /* Last on stderr when the target crashes: which input it was. */
        fprintf(stderr, "replay %s\n", path);
        (void) LLVMFuzzerTestOneInput(data, size);
        free(data);
        return 1;
}

static unsigned replay(const char *path) {
        struct dirent **entries = NULL;
        unsigned n = 0;
        int n_entries = scandir(path, &entries, NULL, alphasort);

        if (n_entries < 0)
                return errno == ENOTDIR ? replay_file(path) : 0;
        for (int i = 0; i < n_entries; i++) {
                char below[4096];

                if (entries[i]->d_name[0] != '.') {
                        if (!text_format(below, sizeof(below), "%s/%s", path, entries[i]->d_name))
                                exit(EXIT_FAILURE);
                        n += replay(below);
                }
                free(entries[i]);
        }
        free(entries);
        return n;
}

int main(int argc, char *argv[]) {
        unsigned n = 0;

        printf("1..1\n");
        fflush(stdout);
        for (int i = 1; i < argc; i++)
                n += replay(argv[i]);
        if (n == 0) {
                printf("not ok 1 - the corpus has an input\n");
                return EXIT_FAILURE;
        }
        printf("ok 1 - %u inputs of the corpus are harmless\n", n);
        return EXIT_SUCCESS;
}
