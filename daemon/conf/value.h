/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text.h"
#include "base/units.h"
#include "conf/conf.h"

/* Values with a spelling of their own. All parsers: false when the text is not one. */
_must_check_ bool value_parse_time(const char *text, usec_t *ret_usec);
_must_check_ bool value_parse_size(const char *text, uint64_t *ret_bytes);
_must_check_ bool value_parse_trials(const char *text, ConfTrials *ret_trials);
/* The largest unit that says it without a fraction: 90s, 5min, 24h, 7d. False when cut. */
bool value_format_time(usec_t usec, char *buffer, size_t size);
bool value_format_size(uint64_t bytes, char *buffer, size_t size);
/* Index of the word in a blank separated list, or -1. */
_pure_ int value_find_word(const char *words, const char *word);
/* The word of that index; empty when there is none. */
_pure_ Text value_word(const char *words, unsigned index);
/* Lower case letters, digits and - . _ that start with a letter or digit: names of policies and externals. */
_pure_ bool value_is_name(const char *text);
