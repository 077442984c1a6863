/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of machine files and scenarios, alloctuned.scenario(5). Parameters of machines ("params") and causes of workloads ("phases") have their
 * own tables in machine/sim/plant-table.c: what a name means and what it may be is said there once. */
#include "conf/scenario-parse.h"

#define GIB(n) ((int64_t) (n) << 30)
#define HOURS(n) ((int64_t) (n) *3600 * (int64_t) USEC_PER_SEC)
#define MILLISECONDS(n) ((int64_t) (n) * (int64_t) USEC_PER_MSEC)
#define CHARS_OF(in, member) (sizeof(((in *) NULL)->member) - 1)

/* clang-format off */
#define CHARS(key, in, member, must, text)                                                                                             \
        { .name = key, .type = KEY_TEXT, .store = STORE_CHARS, .offset = offsetof(in, member), .floor = 1,                              \
          .ceiling = (int64_t) CHARS_OF(in, member), .required = must, .help = text }
/* a text, or an integer as its text */
#define VALUE(key, in, member, must, text)                                                                                             \
        { .name = key, .type = KEY_TEXT, .store = STORE_SPECIAL, .offset = offsetof(in, member), .floor = 1,                            \
          .ceiling = (int64_t) CHARS_OF(in, member), .required = must, .help = text }
#define COUNT(key, in, member, low, high, must, text)                                                                                  \
        { .name = key, .type = KEY_INT, .store = STORE_UNSIGNED, .offset = offsetof(in, member), .floor = low,                          \
          .ceiling = high, .required = must, .help = text }
#define NUMBER(key, in, member, low, high, text)                                                                                       \
        { .name = key, .type = KEY_INT, .store = STORE_SPECIAL, .offset = offsetof(in, member), .floor = low,                           \
          .ceiling = high, .help = text }
#define FLAG(key, in, member, text)                                                                                                    \
        { .name = key, .type = KEY_BOOL, .store = STORE_FLAG, .offset = offsetof(in, member), .help = text }
#define WORD(key, in, member, how, list, must, text)                                                                                   \
        { .name = key, .type = KEY_WORD, .store = how, .offset = offsetof(in, member), .words = list, .required = must, .help = text }
#define TIME(key, in, member, low, high, must, text)                                                                                   \
        { .name = key, .type = KEY_TIME, .store = STORE_TIME, .offset = offsetof(in, member), .floor = low,                             \
          .ceiling = high, .required = must, .help = text }
#define SIZE(key, in, member, low, high, must, text)                                                                                   \
        { .name = key, .type = KEY_SIZE, .store = STORE_SIZE, .offset = offsetof(in, member), .floor = low,                             \
          .ceiling = high, .required = must, .help = text }
/* taken by the loader of the group */
#define LATER(key, kind, must, is, text)                                                                                                 \
        { .name = key, .type = kind, .store = STORE_SPECIAL, .required = must, .unit = is, .help = text }

static const ConfKey keys[] = {
        CHARS("machine.name", PlantMachine, name, true, "Name of the machine."),
        LATER("machine.about", KEY_NAMES, false, "text of up to 255 characters", "What it is, for people."),
        LATER("machine.kernel", KEY_NAMES, true, "the name of a generation", "Generation of its kernel."),
        COUNT("machine.cpus", PlantMachine, cpus, 1, IDSET_MAX, true, "CPUs online at the start."),
        COUNT("machine.nodes", PlantMachine, nodes, 1, PLANT_NODES_MAX, false, "NUMA nodes, all alike; 1 unless given."),
        COUNT("machine.packages", PlantMachine, packages, 1, IDSET_MAX, false, "Sockets; as many as nodes unless given."),
        COUNT("machine.possible", PlantMachine, possible, 1, IDSET_MAX, false, "CPUs that could ever come; as many as online unless given."),
        COUNT("machine.slab_boot_cpus", PlantMachine, slab_boot_cpus, 0, IDSET_MAX, false, "CPUs that were counted when the slab caches were made; 0: as the kernel does."),
        SIZE("machine.memory", PlantMachine, memory_bytes, GIB(1) / 4, GIB(64 * 1024), true, "Memory of all nodes."),
        FLAG("machine.hypervisor", PlantMachine, hypervisor, "The machine is a guest."),
        FLAG("machine.lock_stat", PlantMachine, lock_stat, "/proc/lock_stat measures the waits; otherwise nothing does."),
        FLAG("machine.psi", PlantMachine, psi, "There is pressure stall information; true unless given."),
        LATER("machine.params", KEY_NAMES, false, "a group of numbers, in { }", "Parameters of the model."),
        LATER("machine.caches", KEY_GROUPS, false, "a list of groups, in ( )", "Slab caches; a usual set without traffic unless given."),
        CHARS("machine.caches.name", PlantCacheSpec, name, true, "Name of the cache."),
        SIZE("machine.caches.object_size", PlantCacheSpec, object_size, 1, GIB(1) / 32, true, "Bytes of an object."),
        SIZE("machine.caches.slab_size", PlantCacheSpec, slab_size, 1, GIB(1) / 32, true, "The same with alignment and metadata."),
        NUMBER("machine.caches.share", PlantCacheSpec, share, 0, 1, "Share of the slab traffic of a workload."),
        NUMBER("machine.caches.turnover", PlantCacheSpec, turnover, 0, 1, "Share of the slabs taken that are made anew and freed whole; 0: as the run law says."),

        CHARS("scenario.name", Scenario, name, true, "Name of the scenario."),
        CHARS("scenario.about", Scenario, about, false, "What it shows, for people."),
        LATER("scenario.machine", KEY_NAMES, true, "a name, or a group of keys, in { }", "Name of a machine file, or a machine in { }."),
        TIME("scenario.duration", Scenario, duration_usec, MILLISECONDS(1000), HOURS(24 * 30), true, "How long it runs, in the machine's time."),
        TIME("scenario.tick", Scenario, tick_usec, MILLISECONDS(1000), HOURS(1) / 6, false, "As in alloctuned.conf(5); \"10s\" unless given."),
        TIME("scenario.tick_trial", Scenario, tick_trial_usec, MILLISECONDS(250), HOURS(1) / 60, false, "As in alloctuned.conf(5); \"2s\" unless given."),
        LATER("scenario.conf", KEY_NAMES, false, "a group of keys, in { }", "Keys of alloctuned.conf(5), such as trials_per_day and externals."),
        WORD("scenario.noise", Scenario, sim.noise, STORE_WORD, "none calm normal drifting rough wild", false, "How unsteady load and measurements are; \"calm\" unless given."),
        WORD("scenario.plant", Scenario, sim.events_plant, STORE_FLAG, "events analytic", false, "Which model makes the rates; \"analytic\" unless given."),
        { .name = "scenario.seed", .type = KEY_INT, .store = STORE_INT, .offset = offsetof(Scenario, sim.seed), .floor = 0, .ceiling = INT64_MAX, .help = "Seed of everything random; 1 unless given." },
        LATER("scenario.policies", KEY_NAMES, false, "a list of names, in ( )", "Names of policies, or files beside the scenario; all shipped ones unless given."),
        LATER("scenario.overrides", KEY_GROUPS, false, "a list of groups, in ( )", "Keys that differ from a policy's file."),
        CHARS("scenario.overrides.policy", OverrideKeys, policy, true, "Name of the policy."),
        LATER("scenario.overrides.settings", KEY_NAMES, true, "a group of keys, in { }", "Keys of alloctuned.policy(5), in { }."),
        LATER("scenario.initial", KEY_GROUPS, false, "a list of groups, in ( )", "Values that differ from the kernel's default at the start."),
        LATER("scenario.params", KEY_NAMES, false, "a group of numbers and factors, in { }", "Parameters of the machine, or of every phase, that differ: a number replaces, \"*1.3\" multiplies."),
        LATER("scenario.phases", KEY_GROUPS, true, "a list of groups, in ( )", "Workloads; the first runs at the start."),
        CHARS("scenario.phases.name", PlantWorkload, name, true, "Name of the workload; its other keys are below."),
        LATER("scenario.events", KEY_GROUPS, false, "a list of groups, in ( )", "What happens when."),
        TIME("scenario.events.at", EventKeys, at_usec, 0, HOURS(24 * 30), true, "Time from the start."),
        WORD("scenario.events.what", EventKeys, what, STORE_WORD,
             "phase cpu-offline cpu-online write read-fault write-fault vanish counter-reset kmsg external skip", true, "What happens."),
        CHARS("scenario.events.phase", EventKeys, phase, false, "The workload that begins."),
        COUNT("scenario.events.cpu", EventKeys, cpu, 0, IDSET_MAX - 1, false, "Number of the CPU."),
        CHARS("scenario.events.path", EventKeys, path, false, "The file."),
        VALUE("scenario.events.value", EventKeys, value, false, "What somebody else writes."),
        CHARS("scenario.events.error", EventKeys, error, false, "The error, such as EINVAL."),
        VALUE("scenario.events.text", EventKeys, text, false, "A line of the kernel log; or what an external number is."),
        TIME("scenario.events.for", EventKeys, for_usec, 0, HOURS(24 * 30), false, "How long it lasts; for ever unless given."),
        LATER("scenario.every", KEY_GROUPS, false, "a list of groups, in ( )", "Phases that follow each other over the whole time."),
        TIME("scenario.every.period", EveryKeys, period_usec, MILLISECONDS(1000), HOURS(24 * 30), true, "How long each lasts."),
        LATER("scenario.every.phases", KEY_NAMES, true, "a list of names, in ( )", "Their names, in order."),
        LATER("scenario.variants", KEY_GROUPS, false, "a list of groups, in ( )", "The same with other parameters or values, to be compared."),
        CHARS("scenario.variants.name", ScenarioVariant, name, true, "Name of the variant."),
        LATER("scenario.variants.params", KEY_NAMES, false, "a group of numbers and factors, in { }", "Parameters that differ."),
        LATER("scenario.variants.set", KEY_GROUPS, false, "a list of groups, in ( )", "Values of files that differ."),
        COUNT("scenario.variants.slab_boot_cpus", ScenarioVariant, slab_boot_cpus, 0, IDSET_MAX, false, "As for machines; 0: as the scenario."),
        CHARS("scenario.variants.kernel", ScenarioVariant, kernel, false, "As for machines."),
        CHARS("set.path", SetKeys, path, true, "The file of an item of initial or variants.set."),
        VALUE("set.value", SetKeys, value, true, "What it holds."),
        CHARS("scenario.sweep", Scenario, sweep_knob, false, "The knob whose best static setting is looked for; that of the first policy unless given."),
        FLAG("scenario.compare_only", Scenario, compare_only, "Only compare variants: the daemon does not run."),
        LATER("scenario.expect", KEY_GROUPS, false, "a list of groups, in ( )", "Bounds that must hold."),
        WORD("scenario.expect.what", ExpectKeys, what, STORE_WORD,
             "regret accepted trials writes cuts guard-events yields parked overwritten seconds-to-hold value state worse-time metric restored",
             true, "What is bounded."),
        NUMBER("scenario.expect.at_least", ExpectKeys, at_least, 0, INT64_MAX / 2000, "Lower bound."),
        NUMBER("scenario.expect.at_most", ExpectKeys, at_most, 0, INT64_MAX / 2000, "Upper bound."),
        CHARS("scenario.expect.knob", ExpectKeys, knob, false, "The knob."),
        CHARS("scenario.expect.scope", ExpectKeys, scope, false, "Its scope, \"system\" unless given."),
        CHARS("scenario.expect.policy", ExpectKeys, policy, false, "The policy."),
        VALUE("scenario.expect.value", ExpectKeys, value, false, "The value at the end."),
        { .name = "scenario.expect.state", .type = KEY_WORD, .store = STORE_WORD, .offset = offsetof(ExpectKeys, state_word), .floor = 1,
          .words = "absent yielded observe armed trial probation hold cooldown blocked paused", .help = "The state of the controller at the end." },
        { .name = "scenario.expect.metric", .type = KEY_WORD, .store = STORE_WORD, .offset = offsetof(ExpectKeys, metric_word), .floor = 1,
          .words = "throughput cost system-cpu elapsed zone-lock-wait list-lock-wait lru-lock-wait zone-lock-holds list-lock-holds partial-refills "
                   "slab-pages parked compact-stall", .help = "The quantity." },
        CHARS("scenario.expect.variant", ExpectKeys, variant, false, "The variant; the scenario itself unless given."),
        CHARS("scenario.expect.against", ExpectKeys, against, false, "Divided by that of this variant; the scenario itself unless given."),
        NUMBER("scenario.expect.published", ExpectKeys, published, 0, 1000000, "What the source found, said beside it."),
        CHARS("scenario.expect.source", ExpectKeys, source, false, "Where it was published."),
};
/* clang-format on */

const ConfKey *scenario_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(keys);
        return keys;
}
