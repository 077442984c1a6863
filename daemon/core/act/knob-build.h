/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <inttypes.h>
#include <string.h>

#include "core/act/knob.h"

/* Inside of knobs_build(): what the files of knob-build-*.c share. */
typedef struct KnobBuild {
        const KnobInput *in;
        PcpModel pcp;
        SlubModel slub;
        bool slab_settings; /* an administrator's file names a slab knob */
        Knob *rows;
        size_t n, capacity;
} KnobBuild;

/* Adds text to the reason of a row; what does not fit is cut. */
#define REASON(k, ...)                                         \
        ((void) text_format((k)->reason + strlen((k)->reason), \
                            sizeof((k)->reason) - strlen((k)->reason), __VA_ARGS__))

/* A zeroed row, owner unknown. Never NULL: knobs_build() counted the rows. */
Knob *knob_build_add(KnobBuild *b, const KnobSpec *spec, Scope scope);
/* The one row of a knob that this machine does not have, or whose files cannot be read. */
Knob *knob_build_missing(KnobBuild *b, const KnobSpec *spec, Scope scope, SenseState state,
                         const char *what);
/* Path, state (by existence and mode bits) and content of a file. False: no content; the row is
 * complete. */
bool knob_build_file(KnobBuild *b, Knob *k, const char *path, Text *ret_text);
/* Live or fixed by the write bits; modes that a tree does not have are those of the kernel. */
void knob_build_mode(Knob *k, unsigned mode, bool known);
/* A live knob is denied where this process may not write, or where the write would disturb. */
void knob_build_rights(const KnobBuild *b, Knob *k);
void knob_build_number(Knob *k, uint64_t number);
void knob_build_default(Knob *k, uint64_t number);
void knob_build_owner(const KnobBuild *b, Knob *k);
/* Sorts the rows from `first` on by name and scope. */
void knob_build_sort(KnobBuild *b, size_t first);

void knob_build_pcp_fraction(KnobBuild *b, const KnobSpec *spec);
void knob_build_pcp_batch(KnobBuild *b, const KnobSpec *spec);
void knob_build_slab(KnobBuild *b, const KnobSpec *spec);
void knob_build_plain(KnobBuild *b, const KnobSpec *spec); /* integers and words of one file */
void knob_build_sizes(KnobBuild *b, const KnobSpec *spec);
void knob_build_alignment(KnobBuild *b, const KnobSpec *spec);
