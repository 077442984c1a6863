/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf-table.h"
#include "core/control/policy.h"

/* The keys of a policy file, below "policy". The defaults here are text for people; those in force
 * are policy_init()'s, and a test holds the two against each other. */

#define MILLISECONDS(n) ((int64_t) (n) * (int64_t) USEC_PER_MSEC)
#define SECONDS(n) ((int64_t) (n) * (int64_t) USEC_PER_SEC)
#define HOURS(n) SECONDS((n) * 3600)
#define SHARE_MAX 1000000

/* The same keys serve targets and fallback. */
#define TARGET_KEYS(list)                                                                                             \
        { .name = list ".signal", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(PolicyTarget, signal),    \
          .floor = 1, .ceiling = 63, .required = true, .help = "Name of the signal, or external:NAME." },              \
        { .name = list ".hot", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(PolicyTarget, hot),             \
          .unit = "of the signal", .floor = 0, .ceiling = INT64_MAX, .required = true,                                 \
          .help = "Hot from this value on." },                                                                         \
        { .name = list ".cool", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(PolicyTarget, cool),           \
          .unit = "of the signal", .floor = 0, .ceiling = INT64_MAX,                                                   \
          .help = "Cool below this value; half of hot unless given." },                                                \
        { .name = list ".windows_hot", .type = KEY_INT, .store = STORE_UNSIGNED,                                       \
          .offset = offsetof(PolicyTarget, windows_hot), .unit = "windows", .floor = 1, .ceiling = 1000, .def = "3",   \
          .help = "So many windows in a row must be hot." },                                                           \
        { .name = list ".windows_cool", .type = KEY_INT, .store = STORE_UNSIGNED,                                      \
          .offset = offsetof(PolicyTarget, windows_cool), .unit = "windows", .floor = 1, .ceiling = 1000, .def = "6",  \
          .help = "So many windows in a row must be cool." }

static const ConfKey keys[] = {
        { .name = "name", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, name), .floor = 1,
          .ceiling = 63, .required = true,
          .help = "Lower case letters, digits, - . and _; the first part of the ids of all advice." },
        { .name = "about", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, about), .floor = 1,
          .ceiling = 255, .def = "\"\"", .help = "What the policy is for, in one sentence." },
        { .name = "mode", .type = KEY_WORD, .store = STORE_FLAG, .offset = offsetof(Policy, apply),
          .words = "apply recommend", .def = "\"apply\"", .help = "Act, or only advise." },
        { .name = "knob", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, knob), .floor = 1,
          .ceiling = 47, .help = "The knob, see alloctuned.knobs(7). Required, but a note has none." },
        { .name = "scope", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, scope), .floor = 1,
          .ceiling = SCOPE_MAX - 1, .def = "\"system\"",
          .help = "What of it: \"system\", or \"cache:*\", \"cache:kmalloc-*\", \"node:*\" where the knob has such scopes." },
        { .name = "evidence", .type = KEY_WORD, .store = STORE_WORD, .offset = offsetof(Policy, evidence),
          .words = "estimated counted measured", .floor = EVIDENCE_ESTIMATED, .def = "\"counted\"",
          .help = "Lowest grade of evidence it acts on. Below it, it advises." },
        { .name = "gate", .type = KEY_GROUP, .store = STORE_SPECIAL, .help = "Below any of these numbers the policy is idle." },
        { .name = "gate.use", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, gate.use_ppm), .unit = "ppm",
          .floor = 0, .ceiling = SHARE_MAX, .def = "125000",
          .help = "Use of the zone lock (zone-lock-use). Counts only where the targets are lock waits or estimates." },
        { .name = "gate.kernel_cpu", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, gate.kernel_cpu_ppm),
          .unit = "ppm", .floor = 0, .ceiling = SHARE_MAX, .def = "50000",
          .help = "Share of CPU time spent in the kernel." },
        { .name = "gate.saving", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, gate.saving_ppm),
          .unit = "ppm", .floor = 0, .ceiling = SHARE_MAX, .def = "2000",
          .help = "Expected saving as a share of all CPUs." },
        { .name = "gate.saving_cpus_milli", .type = KEY_INT, .store = STORE_INT,
          .offset = offsetof(Policy, gate.saving_cpus_milli), .unit = "thousandths of a CPU", .floor = 0,
          .ceiling = SHARE_MAX, .def = "50", .help = "Expected saving." },
        { .name = "gate.smooth", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, gate.smooth_usec),
          .floor = 0, .ceiling = HOURS(24), .def = "\"1min\"", .help = "Time constant of the smoothed signal." },
        { .name = "targets", .type = KEY_GROUPS, .store = STORE_SPECIAL, .required = true,
          .help = "What opens the policy: all targets hot open it, any cool closes it. An empty list leaves it to the "
                  "knob's own rule and is for advice only." },
        TARGET_KEYS("targets"),
        { .name = "fallback", .type = KEY_GROUPS, .store = STORE_SPECIAL, .def = "( )",
          .help = "The same, for when no target is known. It advises only." },
        TARGET_KEYS("fallback"),
        { .name = "cost", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, cost), .floor = 1,
          .ceiling = 63, .def = "\"kernel-cpu-per-kpage\"", .help = "The signal that a trial must lower." },
        { .name = "least_gain", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, least_gain_ppm),
          .unit = "ppm", .floor = 0, .ceiling = SHARE_MAX, .def = "20000", .help = "... by at least this." },
        { .name = "most_loss", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, most_loss_ppm),
          .unit = "ppm", .floor = 0, .ceiling = SHARE_MAX, .def = "0", .help = "What a cut by a guard may cost." },
        { .name = "must_not_rise", .type = KEY_NAMES, .store = STORE_SPECIAL, .def = "( )",
          .help = "Signals that a trial must not raise." },
        { .name = "controller", .type = KEY_WORD, .store = STORE_WORD, .offset = offsetof(Policy, controller),
          .words = "ladder fixed advise", .def = "\"ladder\"",
          .help = "How values are chosen: step by step through the arms, the first arm only, or not at all." },
        { .name = "arms", .type = KEY_ARMS, .store = STORE_SPECIAL, .def = "( )",
          .help = "Values to try. For pcp-high-fraction multiples of the kernel's default list length, \"kernel\" (0, the "
                  "kernel's own tuning) and \"cap\" (lists of four batches); for slab knobs multiples of the kernel's "
                  "default for that cache; for other numbers the same with controller \"ladder\", the values themselves "
                  "otherwise; for words the words. Empty: the knob's own rule." },
        { .name = "bounds", .type = KEY_GROUP, .store = STORE_SPECIAL, .help = "What a value may cost in memory." },
        { .name = "bounds.parked_seen", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, parked_seen_ppm),
          .unit = "ppm of a zone", .floor = 0, .ceiling = SHARE_MAX, .def = "20000",
          .help = "Pages seen in the per-CPU lists above which a cut follows, when free memory is short." },
        { .name = "bounds.parked_seen_auto", .type = KEY_INT, .store = STORE_INT,
          .offset = offsetof(Policy, parked_seen_auto_ppm), .unit = "ppm of a zone", .floor = 0, .ceiling = SHARE_MAX,
          .def = "30000", .help = "The same where the kernel tunes the lists itself." },
        { .name = "bounds.parked_possible", .type = KEY_INT, .store = STORE_INT,
          .offset = offsetof(Policy, parked_possible_ppm), .unit = "ppm of a zone", .floor = 0, .ceiling = SHARE_MAX,
          .def = "40000", .help = "What a value that we write could park at most." },
        { .name = "bounds.memory", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Policy, memory_ppm),
          .unit = "ppm of all memory", .floor = 0, .ceiling = SHARE_MAX, .def = "2500",
          .help = "Worst case of a slab knob." },
        { .name = "guards", .type = KEY_GUARDS, .store = STORE_SPECIAL, .def = "every guard but hold-length",
          .help = "What ends a trial, stops growth or cuts a value: a name takes the defaults below, a group sets numbers. "
                  "In a profile a guard is added, or takes the place of the one of the same name." },
        { .name = "quads", .type = KEY_QUADS, .store = STORE_SPECIAL, .def = "[ 6, 9, 12 ]",
          .help = "After how many quads of windows a trial is judged." },
        { .name = "window", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, window_usec),
          .floor = SECONDS(1), .ceiling = HOURS(24), .help = "Length of a window; the knob's own unless given." },
        { .name = "settle", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, settle_usec), .floor = 0,
          .ceiling = HOURS(24), .help = "Start of a window that is not counted; the knob's own unless given." },
        { .name = "write_gap", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, write_gap_usec),
          .floor = 0, .ceiling = HOURS(24), .help = "Least time between two writes; the knob's own unless given." },
        { .name = "probation", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, probation_usec),
          .floor = MILLISECONDS(0), .ceiling = HOURS(24 * 30), .def = "\"30min\"",
          .help = "Time in which an accepted value is checked again." },
        { .name = "cooldown", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, cooldown_usec), .floor = 0,
          .ceiling = HOURS(24 * 30), .def = "\"30min\"", .help = "Pause after a trial that failed; doubles with each." },
        { .name = "revalidate", .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(Policy, revalidate_usec),
          .floor = SECONDS(60), .ceiling = HOURS(24 * 365), .def = "\"24h\"",
          .help = "A value kept so long is tried against the kernel's default again." },
        { .name = "claim", .type = KEY_BOOL, .store = STORE_FLAG, .offset = offsetof(Policy, claim), .def = "false",
          .help = "Also change a value that an administrator has set." },
        { .name = "isolated", .type = KEY_BOOL, .store = STORE_FLAG, .offset = offsetof(Policy, isolated), .def = "false",
          .help = "Also write knobs that disturb isolated CPUs." },
        { .name = "kernel", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, kernel), .floor = 1,
          .ceiling = 63, .def = "\"\"",
          .help = "Releases it is about, both ends included: \"6.7..6.11.6\", \"..6.6\", \"6.1-rc1, 7.0..\"." },
        { .name = "cpus_at_least", .type = KEY_INT, .store = STORE_UNSIGNED, .offset = offsetof(Policy, cpus_at_least),
          .unit = "CPUs", .floor = 0, .ceiling = 8192, .def = "0", .help = "Only on machines with so many CPUs online." },
        { .name = "text", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, text), .floor = 1,
          .ceiling = 1023, .def = "\"\"",
          .help = "What is known, of a note; a hint that goes with the advice, of other policies." },
        { .name = "verdict", .type = KEY_WORD, .store = STORE_FLAG, .offset = offsetof(Policy, not_ours),
          .words = "not-ours advise", .def = "\"advise\"",
          .help = "Of a note: what it says when its targets or CPU count hold." },
        { .name = "reference", .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(Policy, reference), .floor = 1,
          .ceiling = 255, .def = "\"\"", .help = "Of a note: where it is published." },
};

const ConfKey *policy_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(keys);
        return keys;
}
