/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs, in the order of --help. Those of later releases are not listed: a verb that is here works. */
#include "cli/front.h"

#define COMMON                                                                            \
        (OPTION_BIT(OPTION_HELP) | OPTION_BIT(OPTION_VERSION) | OPTION_BIT(OPTION_JSON) | \
         OPTION_BIT(OPTION_NO_PAGER))
#define WATCH (OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_DURATION) | OPTION_BIT(OPTION_INTERVAL))
#define CONFIG (OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_POLICY_DIR))

static const VerbSpec verbs[] = {
        { "recommend", "", "watch the machine and say what to change, and why",
          "Watches the machine for 10 s (--duration), compares signals with the targets of the policies, and "
          "prints what to change with the command to do it, or why there is nothing to do. Nothing is changed.",
          .options = COMMON | WATCH | CONFIG | OPTION_BIT(OPTION_EXIT_CODE),
          .duration_usec = 10 * USEC_PER_SEC, .run = verb_recommend },
        { "knobs", "[KNOB[@SCOPE]...]", "list the settings that this kernel has, and who owns them",
          "Lists the settings of the allocator: value, the kernel's default, whether it can be set here, and who set "
          "it. Without arguments, settings that exist for every zone or cache are summed up in one line. "
          "Arguments are names or patterns with * and ?: slab-order, 'slab-*@kmalloc-64', pcp-batch@zone:0/Normal.",
          .options = COMMON | OPTION_BIT(OPTION_ROOT), .args_most = OPTIONS_ARGS_MAX,
          .run = verb_knobs },
        { "signals", "[SIGNAL[@SCOPE]...]",
          "list what can be measured here, with unit and evidence",
          "Lists the signals with value, evidence and source, or why there is none. Watches for 10 s (--duration). "
          "Without arguments, only those of the whole machine; with names or patterns also those of zones, nodes "
          "and caches: zone-lock-use, 'slab-use@kmalloc-*'.",
          .options = COMMON | WATCH | OPTION_BIT(OPTION_CONFIG), .args_most = OPTIONS_ARGS_MAX,
          .duration_usec = 10 * USEC_PER_SEC, .run = verb_signals },
        { "explain", "KNOB[@SCOPE]|SIGNAL|ID",
          "explain a setting, a signal or an advice with this machine's numbers",
          "Says what a setting or signal is, what this kernel does with it, its formula with the numbers of this "
          "machine, and what it costs. An id of an advice (POLICY/KNOB/SCOPE, as recommend prints it) is "
          "evaluated again. Watches for 2 s where a signal needs it, for 10 s for an id (--duration).",
          .options = COMMON | WATCH | CONFIG, .args_least = 1, .args_most = 1,
          .run = verb_explain },
        { "check", "[FILE...]", "check configuration and policy files",
          "Checks the given files, by suffix: .policy, .profile, else a configuration; without arguments everything "
          "that would be loaded. Prints FILE:LINE for each problem and exits with 78 if there is an error.",
          .options = COMMON | CONFIG, .args_most = OPTIONS_ARGS_MAX, .run = verb_check },
        { "cat-config", "",
          "print configuration and policies as read, and where each value comes from",
          "Prints every file that was read, then each key with the value in force and the file and line it comes "
          "from, or that it is the default.",
          .options = COMMON | CONFIG, .run = verb_cat_config },
        { "capture", "DIR", "copy what the adviser reads into a directory, to look at it elsewhere",
          "Writes what recommend would read into the directory DIR, which must not exist or be empty, for 10 s "
          "(--duration), one snapshot a second (--interval). Then: alloctune recommend --root DIR.",
          .options = COMMON | WATCH, .args_least = 1, .args_most = 1,
          .duration_usec = 10 * USEC_PER_SEC, .run = verb_capture },
        { "replay", "DIR", "show what the engine would have done on a capture",
          "Runs the engine of the service over a capture (alloctune capture) and prints what it would have done and why. "
          "Nothing is changed, and the past cannot react: writes take no effect, so that no trial comes to a verdict.",
          .options = COMMON | CONFIG, .args_least = 1, .args_most = 1, .run = verb_replay },
        { "simulate", "SCENARIO...",
          "run the engine on simulated machines, and check the bounds of scenarios",
          "Runs the engine of the service on the simulated machine of each scenario file, alloctuned.scenario(5), in the "
          "machine's own time: cost of the kernel's default, of the best static setting of all that the policies may try "
          "and those between them, and of what was reached. Exits with 1 if a bound does not hold. With --sweep, prints "
          "what static values of a setting give. No file of this machine's kernel is read or written.",
          .options = COMMON | OPTION_BIT(OPTION_POLICY_DIR) | OPTION_BIT(OPTION_SEEDS) |
                     OPTION_BIT(OPTION_SWEEP),
          .args_least = 1, .args_most = OPTIONS_ARGS_MAX, .run = verb_simulate },
};

const VerbSpec *verb_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(verbs);
        return verbs;
}
