/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/control/policy.h"

#include <string.h>

/* Defaults of a policy. A file of policies.d names what it wants to change; everything else is here,
 * so that a policy of four lines is a safe one: it acts on counted evidence, all guards are on, and
 * it tries nothing but the knob's own rule. The numbers come from the published measurements: waits
 * of 2 % of CPU time and 100 us per 1000 pages are where waiting exceeds working (79 to 108 ns a
 * page), and 12.5 % use of the zone lock is where doing nothing was best on every machine. */

#define MINUTES(n) ((usec_t) (n) *60 * USEC_PER_SEC)
#define HOURS(n) ((usec_t) (n) *3600 * USEC_PER_SEC)
#define DAYS(n) ((usec_t) (n) *86400 * USEC_PER_SEC)
#define NUMBER(u) ((int64_t) (u))

static const PolicyGuardSpec guard_specs[] = {
        { "free", true, GUARD_ACTION_ABORT,
          "Free memory of a zone is below a point between its low and its high watermark, or direct reclaim runs: the "
          "trial is ended and nothing grows for a while." },
        { "psi-memory", true, GUARD_ACTION_ABORT,
          "Tasks wait for memory (PSI avg10): the trial is ended and nothing grows for a while." },
        { "parked", true, GUARD_ACTION_CUT,
          "The per-CPU lists hold more of a zone than bounds.parked_seen (bounds.parked_seen_auto where the kernel tunes "
          "them) while free memory is below twice the high watermark, or a value we wrote could park more than "
          "bounds.parked_possible: the value is cut." },
        { "slab-unreclaimable", true, GUARD_ACTION_ABORT,
          "Unreclaimable slab memory has grown since the trial began: the trial is ended and the arm blocked." },
        { "fragmentation", true, GUARD_ACTION_ABORT,
          "Direct compaction runs more often or fails more often, or huge page faults fall back more often: the trial is "
          "ended." },
        { "allocation-failure", true, GUARD_ACTION_ABORT,
          "The kernel log has a page allocation failure: the trial is ended and the arm blocked." },
        { "foreign-write", true, GUARD_ACTION_DEFAULT,
          "Somebody else wrote the knob: it is left alone until it is resumed." },
        { "own-cost", true, GUARD_ACTION_DEFAULT,
          "Our own CPU time, or the time one read of slabinfo takes, is above its limit: we look a quarter as often." },
        { "contained", true, GUARD_ACTION_DEFAULT,
          "We run inside a container, or the hypervisor steals CPU time: advice only." },
        { "zone-reclaim", true, GUARD_ACTION_DEFAULT,
          "vm.zone_reclaim_mode is not 0, so free memory of a node says little: nothing grows." },
        { "hold-length", false, GUARD_ACTION_CUT,
          "The zone lock is held for longer than the limit at a time: the lists are cut. Off unless a limit is set." },
};

static const PolicyGuardKey guard_keys[] = {
        { "free", "level", "ppm", true, 500000, 0, 1000000,
          "The point between the low watermark (0) and the high watermark (1000000)." },
        { "free", "limit", "events/s", true, 0, 0, 1000000,
          "Direct reclaims a second above which it fires." },
        { "free", "pause", "us", true, NUMBER(MINUTES(10)), 0, NUMBER(DAYS(7)),
          "No growth for this long after." },
        { "psi-memory", "some", "ppm", true, 50000, 0, 1000000,
          "Share of time in which some task waits." },
        { "psi-memory", "full", "ppm", true, 10000, 0, 1000000,
          "Share of time in which every task waits." },
        { "psi-memory", "rise", "ppm", true, 20000, 0, 1000000,
          "Rise of some over the windows with the present value." },
        { "psi-memory", "pause", "us", true, NUMBER(MINUTES(30)), 0, NUMBER(DAYS(7)),
          "No growth for this long after." },
        { "parked", "limit", "ppm", false, 0, 0, 1000000,
          "Instead of bounds.parked_seen and bounds.parked_seen_auto." },
        { "slab-unreclaimable", "limit", "bytes", true, 64 << 20, 0, INT64_MAX,
          "Growth since the start of the trial." },
        { "slab-unreclaimable", "share", "ppm", true, 5000, 0, 1000000,
          "The same as a share of all memory; the larger of the two counts." },
        { "slab-unreclaimable", "block", "us", true, NUMBER(DAYS(7)), 0, NUMBER(DAYS(365)),
          "The arm is not tried again for this long." },
        { "fragmentation", "limit", "events/s", true, 1, 0, 1000000,
          "Compaction stalls a second below which it is quiet." },
        { "fragmentation", "times", "thousandths", true, 2000, 1000, 1000000,
          "Stalls against those with the present value." },
        { "fragmentation", "fail", "ppm", true, 500000, 0, 1000000,
          "compact_fail over compact_stall." },
        { "fragmentation", "fallback", "ppm", true, 50000, 0, 1000000,
          "Rise of the share of huge page faults that fell back to small pages." },
        { "allocation-failure", "block", "us", true, NUMBER(DAYS(7)), 0, NUMBER(DAYS(365)),
          "The arm is not tried again for this long." },
        { "own-cost", "limit", "ppm", true, 5000, 100, 1000000,
          "Of one CPU, for every 64 CPUs online or part of them." },
        { "own-cost", "read", "us", true, NUMBER(50 * USEC_PER_MSEC), NUMBER(USEC_PER_MSEC),
          NUMBER(10 * USEC_PER_SEC), "One read of slabinfo." },
        { "contained", "steal", "ppm", true, 100000, 0, 1000000,
          "CPU time stolen from this guest." },
        { "hold-length", "limit", "ns", false, 0, 1000, 1000000000,
          "Estimated length of one hold of the zone lock." },
};

void policy_init(Policy *p) {
        size_t n_specs;
        const PolicyGuardSpec *specs = policy_guard_specs(&n_specs);

        memset(p, 0, sizeof(*p));
        p->apply = true;
        (void) text_copy(p->scope, sizeof(p->scope), TEXT("system"));
        p->evidence = EVIDENCE_COUNTED;
        p->gate = (PolicyGate){
                .use_ppm = 125000,
                .kernel_cpu_ppm = 50000,
                .saving_ppm = 2000,
                .saving_cpus_milli = 50,
                .smooth_usec = MINUTES(1),
        };
        (void) text_copy(p->cost, sizeof(p->cost), TEXT("kernel-cpu-per-kpage"));
        p->least_gain_ppm = 20000;
        p->most_loss_ppm = 0;
        p->controller = CONTROLLER_LADDER;
        p->parked_seen_ppm = 20000;
        p->parked_seen_auto_ppm = 30000;
        p->parked_possible_ppm = 40000;
        p->memory_ppm = 2500;
        for (size_t i = 0; i < n_specs; i++)
                if (specs[i].by_default && p->n_guards < POLICY_GUARDS_MAX &&
                    policy_guard_init(&p->guard[p->n_guards], specs[i].name))
                        p->n_guards++;
        p->quads[0] = 3;
        p->quads[1] = 6;
        p->quads[2] = 12;
        p->window_usec = USEC_UNKNOWN;
        p->settle_usec = USEC_UNKNOWN;
        p->write_gap_usec = USEC_UNKNOWN;
        p->probation_usec = MINUTES(30);
        p->cooldown_usec = MINUTES(30);
        p->revalidate_usec = HOURS(24);
}

const PolicyGuard *policy_guard_find(const Policy *p, const char *name) {
        for (unsigned i = 0; i < p->n_guards; i++)
                if (strcmp(p->guard[i].name, name) == 0)
                        return &p->guard[i];
        return NULL;
}

const PolicyGuardSpec *policy_guard_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(guard_specs);
        return guard_specs;
}

const PolicyGuardSpec *policy_guard_spec_find(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(guard_specs); i++)
                if (strcmp(guard_specs[i].name, name) == 0)
                        return &guard_specs[i];
        return NULL;
}

const PolicyGuardKey *policy_guard_keys(size_t *ret_n) {
        *ret_n = ELEMENTSOF(guard_keys);
        return guard_keys;
}

const PolicyGuardKey *policy_guard_key_find(const char *guard, const char *key) {
        for (size_t i = 0; i < ELEMENTSOF(guard_keys); i++)
                if (strcmp(guard_keys[i].guard, guard) == 0 && strcmp(guard_keys[i].key, key) == 0)
                        return &guard_keys[i];
        return NULL;
}

bool policy_guard_init(PolicyGuard *g, const char *name) {
        const PolicyGuardSpec *spec = policy_guard_spec_find(name);

        if (!spec)
                return false;
        memset(g, 0, sizeof(*g));
        (void) text_copy(g->name, sizeof(g->name), text_from(name));
        g->action = spec->action;
        g->evidence = EVIDENCE_COUNTED;
        for (size_t i = 0; i < ELEMENTSOF(guard_keys); i++)
                if (guard_keys[i].set && strcmp(guard_keys[i].guard, name) == 0)
                        policy_guard_set(g, &guard_keys[i], guard_keys[i].def);
        return true;
}

/* The one place that knows which field a key fills: a number, or a time in microseconds. */
static bool guard_field(PolicyGuard *g, const char *key, int64_t **ret_number, usec_t **ret_time,
                        bool **ret_known) {
        const struct {
                const char *key;
                int64_t *number;
                usec_t *time;
                bool *known;
        } fields[] = {
                { "limit", &g->limit, NULL, &g->limit_known },
                { "some", &g->some_ppm, NULL, &g->some_known },
                { "full", &g->full_ppm, NULL, &g->full_known },
                { "rise", &g->rise_ppm, NULL, NULL },
                { "level", &g->level_ppm, NULL, NULL },
                { "share", &g->share_ppm, NULL, NULL },
                { "times", &g->times_milli, NULL, NULL },
                { "fail", &g->fail_ppm, NULL, NULL },
                { "fallback", &g->fallback_ppm, NULL, NULL },
                { "steal", &g->steal_ppm, NULL, NULL },
                { "read", NULL, &g->read_usec, NULL },
                { "pause", NULL, &g->pause_usec, NULL },
                { "block", NULL, &g->block_usec, NULL },
        };

        for (size_t i = 0; i < ELEMENTSOF(fields); i++)
                if (strcmp(fields[i].key, key) == 0) {
                        *ret_number = fields[i].number;
                        *ret_time = fields[i].time;
                        *ret_known = fields[i].known;
                        return true;
                }
        return false;
}

void policy_guard_set(PolicyGuard *g, const PolicyGuardKey *key, int64_t value) {
        int64_t *number;
        usec_t *time;
        bool *known;

        if (!guard_field(g, key->key, &number, &time, &known))
                return;
        if (number)
                *number = value;
        if (time)
                *time = (usec_t) value;
        if (known)
                *known = true;
}

bool policy_guard_get(const PolicyGuard *g, const PolicyGuardKey *key, int64_t *ret_value) {
        PolicyGuard copy = *g;
        int64_t *number;
        usec_t *time;
        bool *known;

        if (!guard_field(&copy, key->key, &number, &time, &known) || (known && !*known))
                return false;
        *ret_value = number ? *number : (int64_t) *time;
        return true;
}

const char *policy_controller_to_string(PolicyController c) {
        switch (c) {
        case CONTROLLER_LADDER:
                return "ladder";
        case CONTROLLER_FIXED:
                return "fixed";
        case CONTROLLER_ADVISE:
                return "advise";
        }
        return "unknown";
}

const char *policy_guard_action_to_string(PolicyGuardAction a) {
        switch (a) {
        case GUARD_ACTION_DEFAULT:
                return "default";
        case GUARD_ACTION_ABORT:
                return "abort";
        case GUARD_ACTION_CUT:
                return "cut";
        }
        return "unknown";
}
