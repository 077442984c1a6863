/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "machine/file-machine.h"

static void parse(Text text, FileMachine *f, unsigned which) {
        *f = (FileMachine){ .memory = *fuzz_arena(which) };
        CHECK(file_machine_modes(f, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Text text = fuzz_text(data, size);
        FileMachine a, b;

        if (size > (size_t) 1 << 16)
                return 0;
        parse(text, &a, 0);
        parse(text, &b, 1);
        CHECK(a.n_modes == b.n_modes && a.modes_bad_line == b.modes_bad_line);
        CHECK(a.modes_bad_line <= a.modes_line && a.modes_line <= fuzz_lines(text));
        CHECK(a.n_modes <= a.modes_line);
        for (size_t i = 0; i < a.n_modes; i++) {
                const FileMode *m = &a.modes[i];

                CHECK(strcmp(m->path, b.modes[i].path) == 0);
                CHECK(m->mode <= 07777 && m->path[0] != '/');
                CHECK(text_find_string(text, m->path) < text.size || m->path[0] == 0);
                CHECK(i == 0 || strcmp(a.modes[i - 1].path, m->path) <= 0);
        }
        return 0;
}
