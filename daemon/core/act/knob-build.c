/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/act/knob-build.h"

#include <errno.h>

#include "base/number.h"

/* Rows of the knob table for one machine.
 *
 * The state of a row comes from the existence of its file, the write bits, its content and its
 * neighbours; rights and surroundings then turn "live" into "denied". Nothing is opened for
 * writing to find out. A guess carries `inferred`. The owner of a value is the kernel when it is
 * the default, the administrator when a file names it (or, on a live machine, when it is not the
 * default), and unknown otherwise: nobody is called its author without evidence. */

Knob *knob_build_add(KnobBuild *b, const KnobSpec *spec, Scope scope) {
        assert(b->n < b->capacity);

        Knob *k = &b->rows[b->n++];

        k->spec = spec;
        k->scope = scope;
        k->owner = OWNER_UNKNOWN;
        (void) text_format(k->name, sizeof(k->name), "%s", spec->name);
        return k;
}

Knob *knob_build_missing(KnobBuild *b, const KnobSpec *spec, Scope scope, SenseState state,
                         const char *what) {
        Knob *k = knob_build_add(b, spec, scope);

        switch (state) {
        case SENSE_DENIED:
                k->state = KNOB_DENIED;
                REASON(k, "%s: permission denied (readable by root only)", what);
                break;
        case SENSE_FAILED:
                k->state = KNOB_DENIED;
                REASON(k, "%s cannot be read", what);
                break;
        case SENSE_NOT_DUE:
        case SENSE_ABSENT:
        case SENSE_OK:
                k->state = KNOB_ABSENT;
                REASON(k, "%s does not exist here", what);
                break;
        }
        return k;
}

void knob_build_mode(Knob *k, unsigned mode, bool known) {
        k->inferred = !known;
        k->state = known && (mode & 0222u) == 0 ? KNOB_FIXED : KNOB_LIVE;
        if (k->state == KNOB_FIXED)
                REASON(k, "mode %04o: cannot be written; ", mode);
}

void knob_build_rights(const KnobBuild *b, Knob *k) {
        const MachineFacts *f = b->in->facts;

        if (k->state != KNOB_LIVE && k->state != KNOB_KERNEL)
                return;

        if (f->contained)
                REASON(k, "%s: advice only; ",
                       f->contained_why[0] ? f->contained_why : "inside a container");
        else if (!b->in->may_write)
                REASON(k, "needs root; ");
        else if (k->spec->flushes_every_cpu && (f->rt || f->isolated_cpus)) {
                k->denied_isolated = true;
                REASON(k, "a write flushes every CPU, and %s; ",
                       f->rt ? "this is a PREEMPT_RT kernel" : "CPUs are isolated here");
        } else
                return;
        k->state = KNOB_DENIED;
}

bool knob_build_file(KnobBuild *b, Knob *k, const char *path, Text *ret_text) {
        const KnobFile *file = knob_file_find(b->in, path);

        (void) text_format(k->path, sizeof(k->path), "/%s", path);
        if (!file || file->state == SENSE_ABSENT || file->state == SENSE_NOT_DUE) {
                k->state = KNOB_ABSENT;
                REASON(k, "%s does not exist here", k->path);
                k->path[0] = '\0';
                return false;
        }
        if (file->state != SENSE_OK) {
                k->state = KNOB_DENIED;
                REASON(k, "%s %s", k->path,
                       file->state == SENSE_DENIED ? "cannot be read: permission denied"
                                                   : "cannot be read");
                return false;
        }
        knob_build_mode(k, file->mode, file->mode_known);
        knob_build_rights(b, k);
        *ret_text = text_strip(file->text);
        return true;
}

void knob_build_number(Knob *k, uint64_t number) {
        k->number = KNOWN(number);
        (void) text_format(k->value, sizeof(k->value), "%" PRIu64, number);
}

void knob_build_default(Knob *k, uint64_t number) {
        k->def_number = KNOWN(number);
        (void) text_format(k->def, sizeof(k->def), "%" PRIu64, number);
}

/* --- owners --- */

static bool setting_names(const AdminSetting *s, const Knob *k) {
        if (k->path[0] && text_glob(s->path, k->path))
                return true;
        if (!k->cache)
                return false;

        /* Files name a merged cache by any of its names. */
        for (unsigned i = 0; i < k->cache->n_aliases; i++) {
                char path[sizeof(k->path)];

                if (text_format(path, sizeof(path), "/sys/kernel/slab/%s/%s", k->cache->aliases[i],
                                k->spec->attribute) &&
                    text_glob(s->path, path))
                        return true;
        }
        return false;
}

static bool setting_holds(const AdminSetting *s, const Knob *k) {
        Text value = text_strip(text_from(s->value));
        uint64_t number = 0;

        if (k->number.known && number_parse_u64(value.data, value.size, &number) == 0)
                return number == k->number.value;
        return text_is(value, k->value);
}

static bool is_default(const Knob *k) {
        return k->number.known && k->def_number.known ? k->number.value == k->def_number.value
                                                      : strcmp(k->value, k->def) == 0;
}

void knob_build_owner(const KnobBuild *b, Knob *k) {
        const AdminSetting *named = NULL;
        bool live = b->in->alignment != NULL; /* a tree has no probe */

        if (!k->value[0])
                return;
        if (!k->cache || b->slab_settings)
                for (size_t i = 0; i < b->in->n_settings; i++)
                        if (setting_names(&b->in->settings[i], k))
                                named = &b->in->settings[i];

        if (named && setting_holds(named, k)) {
                k->owner = OWNER_ADMIN;
                k->set_by = named;
                REASON(k, "; set by %s:%u", named->file, named->line);
                return;
        }
        if (k->owner == OWNER_ADMIN) /* a boot parameter */
                return;
        if (k->def[0] && is_default(k))
                k->owner = OWNER_KERNEL;
        else if (k->def[0]) {
                k->owner = live ? OWNER_ADMIN : OWNER_UNKNOWN;
                REASON(k, "; the kernel's default is %s", k->def);
        }
        if (named)
                REASON(k, "; %s:%u asks for %s, which is not in force", named->file, named->line,
                       named->value);
}

void knob_build_sort(KnobBuild *b, size_t first) {
        for (size_t i = first + 1; i < b->n; i++)
                for (size_t j = i; j > first; j--) {
                        Knob *x = &b->rows[j - 1], *y = &b->rows[j];
                        int r = strcmp(x->name, y->name);

                        if (r < 0 || (r == 0 && strcmp(x->scope.name, y->scope.name) <= 0))
                                break;

                        Knob swap = *x;

                        *x = *y;
                        *y = swap;
                }
}

/* --- models --- */

static bool file_exists(const KnobInput *in, const char *path) {
        const KnobFile *file = knob_file_find(in, path);

        return file && file->state != SENSE_ABSENT && file->state != SENSE_NOT_DUE;
}

void knob_pcp_model(const KnobInput *input, PcpModel *ret) {
        static const char old[] = "proc/sys/vm/percpu_pagelist_fraction";
        static const char new[] = "proc/sys/vm/percpu_pagelist_high_fraction";
        PcpFiles files = file_exists(input, new)   ? PCP_FILES_HIGH_FRACTION
                         : file_exists(input, old) ? PCP_FILES_FRACTION
                                                   : PCP_FILES_UNKNOWN;
        const KnobFile *file = files == PCP_FILES_UNKNOWN
                                       ? NULL
                                       : knob_file_find(input,
                                                        files == PCP_FILES_FRACTION ? old : new);
        MaybeU64 fraction = UNKNOWN;

        if (file && file->state == SENSE_OK) {
                Text text = text_strip(file->text);

                fraction.known = number_parse_u64(text.data, text.size, &fraction.value) == 0;
        }
        pcp_model_find(input->last ? input->last->zoneinfo : NULL, &input->facts->topology, files,
                       fraction, input->facts->page_bytes, ret);
}

static bool has_thp_sizes(const KnobInput *in) {
        for (size_t i = 0; i < in->n_files; i++)
                if (text_starts(text_from(in->files[i].path), KNOB_SIZE_FOLDER "/hugepages-"))
                        return true;
        return in->last && in->last->thp && in->last->thp->n_sizes > 0;
}

void knob_slub_model(const KnobInput *input, SlubModel *ret) {
        SlubInput s = {
                .slab = input->last ? input->last->slab : NULL,
                .topology = &input->facts->topology,
                .cmdline = input->facts->cmdline,
                .cmdline_known = input->facts->cmdline_known,
                .page_bytes = input->facts->page_bytes,
                .has_thp_sizes = has_thp_sizes(input),
        };

        slub_model_find(&s, ret);
}

/* --- all rows --- */

static void build_spec(KnobBuild *b, const KnobSpec *spec) {
        switch (spec->kind) {
        case KNOB_KIND_PCP_FRACTION:
                knob_build_pcp_fraction(b, spec);
                return;
        case KNOB_KIND_PCP_BATCH:
                knob_build_pcp_batch(b, spec);
                return;
        case KNOB_KIND_SLAB_ORDER:
        case KNOB_KIND_SLAB_INTEGER:
                knob_build_slab(b, spec);
                return;
        case KNOB_KIND_WORD:
        case KNOB_KIND_INTEGER:
                if (strcmp(spec->name, KNOB_SIZE_NAME) == 0)
                        knob_build_sizes(b, spec);
                else
                        knob_build_plain(b, spec);
                return;
        case KNOB_KIND_ALIGNMENT:
                knob_build_alignment(b, spec);
                return;
        }
}

int knobs_build(Arena *arena, const KnobInput *input, KnobSet *ret_set) {
        size_t n_specs = 0, n_slab_specs = 0;
        const KnobSpec *specs = knob_specs(&n_specs);
        KnobBuild b = { .in = input };

        assert(arena);
        assert(ret_set);

        knob_pcp_model(input, &b.pcp);
        knob_slub_model(input, &b.slub);
        for (size_t i = 0; i < input->n_settings; i++)
                if (text_starts(text_from(input->settings[i].path), "/sys/kernel/slab/"))
                        b.slab_settings = true;

        for (size_t i = 0; i < n_specs; i++)
                n_slab_specs += (specs[i].scopes & SCOPES_CACHE) != 0;
        b.capacity = n_specs + input->n_files;
        if (input->last && input->last->zoneinfo)
                b.capacity += input->last->zoneinfo->n;
        if (input->last && input->last->slab)
                b.capacity += input->last->slab->n * n_slab_specs;

        b.rows = ARENA_ARRAY(arena, Knob, b.capacity);
        if (!b.rows)
                return -ENOMEM;
        for (size_t i = 0; i < n_specs; i++) {
                size_t first = b.n;

                build_spec(&b, &specs[i]);
                knob_build_sort(&b, first);
        }

        *ret_set = (KnobSet){ .knobs = b.rows, .n = b.n };
        return 0;
}
