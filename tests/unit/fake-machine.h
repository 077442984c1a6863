/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"
#include "machine/memory.h"
#include "test.h"

/* A machine of a few files in memory whose time the test moves. Writes replace a text; a test can make them fail, be
 * ignored, or see each of them as it happens. */
typedef struct FakeFile {
        char path[176];
        char text[8192];
        bool gone;
        int read_error, write_error; /* errno; 0: none */
        bool deaf;                   /* takes writes and keeps its value */
        usec_t age_usec;             /* USEC_UNKNOWN: not known */
} FakeFile;

typedef struct FakeMachine {
        Machine m; /* first */
        FakeFile file[64];
        unsigned n;
        usec_t now_usec, end_usec; /* end: of a capture; 0: none */
        unsigned n_reads, n_writes;
        void (*before_write)(const char *path, const char *value);
        void (*after_write)(const char *path);
} FakeMachine;

static FakeMachine fake;

_unused_ static FakeFile *fake_find(const char *path) {
        for (unsigned i = 0; i < fake.n; i++)
                if (strcmp(fake.file[i].path, path) == 0)
                        return &fake.file[i];
        return NULL;
}

/* Adds a file or replaces its text. */
_unused_ static FakeFile *fake_put(const char *path, const char *text) {
        FakeFile *f = fake_find(path);

        if (!f) {
                ASSERT_TRUE(fake.n < ELEMENTSOF(fake.file));
                f = &fake.file[fake.n++];
                *f = (FakeFile){ .age_usec = USEC_UNKNOWN };
                ASSERT_TRUE(text_copy(f->path, sizeof(f->path), text_from(path)));
        }
        ASSERT_TRUE(text_copy(f->text, sizeof(f->text), text_from(text)));
        return f;
}

static int fake_fail(Machine *m, int error) {
        m->error = error;
        return error == EACCES || error == EPERM ? MACHINE_E_DENIED : MACHINE_E_FAILED;
}

static int fake_read(Machine *m, const char *path, size_t max_bytes _unused_, Arena *arena,
                     Text *ret_text) {
        const FakeFile *f = fake_find(path);

        fake.n_reads++;
        if (!f || f->gone)
                return MACHINE_E_ABSENT;
        if (f->read_error != 0)
                return fake_fail(m, f->read_error);
        ret_text->size = strlen(f->text);
        ret_text->data = arena_strndup(arena, f->text, ret_text->size);
        return ret_text->data ? 0 : -ENOMEM;
}

static int fake_list(Machine *m _unused_, const char *path _unused_, Arena *arena _unused_,
                     DirEntry **ret_entries _unused_, size_t *ret_n _unused_) {
        return MACHINE_E_ABSENT;
}

static int fake_mode(Machine *m _unused_, const char *path _unused_, unsigned *ret_mode _unused_) {
        return MACHINE_E_ABSENT;
}

static usec_t fake_now(Machine *m _unused_) {
        return fake.now_usec;
}

static int fake_advance(Machine *m _unused_, usec_t until_usec) {
        if (fake.end_usec > 0 && until_usec > fake.end_usec)
                return MACHINE_E_END;
        fake.now_usec = MAX(fake.now_usec, until_usec);
        return 0;
}

static int fake_age(Machine *m _unused_, const char *path, usec_t *ret_usec) {
        const FakeFile *f = fake_find(path);

        if (!f || f->age_usec == USEC_UNKNOWN)
                return MACHINE_E_ABSENT;
        *ret_usec = f->age_usec;
        return 0;
}

static int fake_write(Machine *m, const char *path, Text value) {
        FakeFile *f = fake_find(path);
        char text[64];

        ASSERT_TRUE(text_copy(text, sizeof(text), value));
        if (fake.before_write)
                fake.before_write(path, text);
        fake.n_writes++;
        if (!f || f->gone)
                return MACHINE_E_ABSENT;
        if (f->write_error != 0)
                return fake_fail(m, f->write_error);
        if (!f->deaf)
                ASSERT_TRUE(text_format(f->text, sizeof(f->text), "%s\n", text));
        if (fake.after_write)
                fake.after_write(path);
        return 0;
}

static const MachineVtable fake_vtable = { .read = fake_read,
                                           .list = fake_list,
                                           .mode = fake_mode,
                                           .now = fake_now,
                                           .advance = fake_advance,
                                           .age = fake_age,
                                           .write = fake_write };
/* The same, and it takes no writes. */
_unused_ static const MachineVtable fake_vtable_read_only = { .read = fake_read,
                                                              .list = fake_list,
                                                              .mode = fake_mode,
                                                              .now = fake_now,
                                                              .advance = fake_advance,
                                                              .age = fake_age };

/* An empty machine; what the test before left is forgotten. */
_unused_ static Machine *fake_begin(void) {
        Arena scratch = fake.m.scratch;

        fake = (FakeMachine){ .now_usec = 1000 * USEC_PER_SEC };
        fake.m.vtable = &fake_vtable;
        fake.m.kind = MACHINE_SIMULATED;
        fake.m.have_modes = false;
        fake.m.scratch = scratch;
        if (!fake.m.scratch.base)
                ASSERT_OK(arena_map(&fake.m.scratch, (size_t) 64 << 20));
        return &fake.m;
}
