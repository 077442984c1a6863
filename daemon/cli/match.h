/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"

/* Arguments that name knobs or signals: "NAME" or "NAME@SCOPE", each a pattern with * and ?. A scope is written in full
 * ("cache:kmalloc-64", "zone:0/Normal") or, for caches, by its directory or any name merged into it. */
typedef struct Match {
        char name[64];
        char scope[SCOPE_MAX]; /* "": any */
} Match;

/* False: too long for any name. */
_must_check_ bool match_parse(const char *argument, Match *ret);
_pure_ bool match_knob(const Match *m, const Knob *k);
/* Why a knob of that name has no such scope, where all of its scopes are one row ("cache:*": the files may
 * not be read, or are not there). NULL: it has scopes, just not this one. */
_pure_ const char *match_no_scope(const Match *m, const KnobSet *set);
/* caches may be NULL: then merged names are not known. */
_pure_ bool match_signal(const Match *m, const Signal *s, const SlabTree *caches);
