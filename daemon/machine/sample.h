/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/act/knob.h"
#include "machine/machine.h"

/* Which files a tick reads: bit 1 << SENSE_x. Cheap ones often (vmstat, stat, pressure, meminfo, thp),
 * those that take zone->lock or walk every cache rarely: zoneinfo, slab sysfs, buddyinfo; slabinfo
 * only where slab sysfs cannot be read. objects* never. */
#define SENSE_BIT(f) (1u << (f))
#define SENSE_CHEAP                                                                           \
        (SENSE_BIT(SENSE_VMSTAT) | SENSE_BIT(SENSE_STAT) | SENSE_BIT(SENSE_PRESSURE_MEMORY) | \
         SENSE_BIT(SENSE_MEMINFO))
#define SENSE_ALL ((1u << _SENSE_FILE_MAX) - 1u)

/* Facts that hold for the run: topology, page size, release... Missing ones are unknown. 0 or -ENOMEM. */
_must_check_ int sample_facts(Machine *m, Arena *arena, MachineFacts *ret_facts, ParseLog *log);
/* One tick. Every file is read once. 0 or -ENOMEM. */
_must_check_ int sample_take(Machine *m, Arena *arena, unsigned files, Snapshot *ret_snapshot,
                             ParseLog *log);
/* The files behind the system-scope knobs, with modes. */
_must_check_ int sample_knob_files(Machine *m, Arena *arena, KnobFile **ret_files, size_t *ret_n,
                                   ParseLog *log);
/* sysctl.d(5) and tmpfiles.d(5) of the machine's root, with their precedence: the winning lines only. */
_must_check_ int sample_admin_settings(Machine *m, Arena *arena, AdminSetting **ret_settings,
                                       size_t *ret_n, ParseLog *log);
/* signals.json and kmsg of a capture; empty when there are none. */
_must_check_ int sample_reports(Machine *m, Arena *arena, Signal **ret_signals, size_t *ret_n,
                                Text *ret_kmsg, ParseLog *log);
/* Whether a slab attribute is one that signals or knobs are made of: read, and part of captures. */
_pure_ bool slab_attribute_wanted(const SlabAttributeSpec *spec);
/* The text of a signals.json to rows, for sample_reports() and the fuzzer. 0 or -ENOMEM. */
_must_check_ int reports_parse(Arena *arena, Text text, Signal **ret_signals, size_t *ret_n,
                               ParseLog *log);
