/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/sample.h"

/* Inside machine/ only: reading a file for a parser, with the outcome as a state and an issue for what
 * should not happen. ret_error: 0 or -ENOMEM. The text lies in the scratch arena of the machine. */
SenseState read_text(Machine *m, const char *path, size_t max_bytes, Text *ret_text, ParseLog *log,
                     int *ret_error);
/* A file that lies beside proc and sys: of a capture or tree at its top, of a simulated machine among its files. */
int read_top(Machine *m, const char *name, size_t max_bytes, Arena *arena, Text *ret_text);
/* The line of an error in a JSON text, from 1: jansson counts one more at the end of the last line. */
_pure_ unsigned read_json_line(Text text, int line);
/* "dir/name" in an arena. */
const char *read_path(Arena *arena, const char *dir, const char *name);

_must_check_ int sample_thp(Machine *m, Arena *arena, Snapshot *s, ParseLog *log);
_must_check_ int sample_slab(Machine *m, Arena *arena, Snapshot *s, ParseLog *log);
/* sys/devices/system of a tree; what it lacks comes from proc/stat and proc/zoneinfo. */
_must_check_ int topology_from_sysfs(Machine *m, Arena *arena, Topology *ret, ParseLog *log);
/* The live machine through libnuma: nodes, their CPUs, sizes, distances. MACHINE_E_ABSENT: no NUMA here. */
_must_check_ int topology_from_numa(Machine *m, Arena *arena, Topology *ret, ParseLog *log);
