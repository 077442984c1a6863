/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From files to frames.
 *
 * Cheap files are read in every tick into one of two arenas in turn, so that the tick before survives for the growth of its counters. What
 * costs the kernel something (zoneinfo takes zone locks, slab sysfs is thousands of files) is read in ticks of its own, every
 * slow_usec, into two more arenas; a trial may ask for some of it more often. Knob files are read with them, but those that have our value
 * in every tick: a foreign hand must be seen before the next write.
 *
 * What changes the machine under a plan (CPUs, zones, caches, THP on or off) is said in the frame, and a new plan is due. */
#include "session/sense.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/guard-frame.h"
#include "core/sense/lists.h"
#include "machine/memory.h"
#include "machine/sample.h"
#include "session/sense-private.h"

/* Address space, not memory: pages of it cost nothing until they are touched. */
#define TICK_BYTES ((size_t) 256 << 20)
#define SLOW_BYTES ((size_t) 512 << 20)

int sense_new(Machine *m, const SenseConfig *config, const MachineFacts *facts, Sense **ret) {
        Sense *s = calloc(1, sizeof(*s));
        int r = s ? 0 : -ENOMEM;

        if (!s)
                return r;
        *s = (Sense){ .m = m, .config = *config, .facts = facts };
        if (s->config.slow_usec == 0)
                s->config.slow_usec = 60 * USEC_PER_SEC;
        s->externals = calloc(config->n_externals + 1, sizeof(*s->externals));
        if (!s->externals)
                r = -ENOMEM;
        else if (config->n_externals > 0)
                memcpy(s->externals, config->externals,
                       config->n_externals * sizeof(*s->externals));
        s->config.externals = s->externals;
        for (unsigned i = 0; i < 2 && r == 0; i++) {
                r = arena_map(&s->tick[i], TICK_BYTES);
                if (r == 0)
                        r = arena_map(&s->slow[i], SLOW_BYTES);
        }
        if (r < 0) {
                (void) sense_free(s);
                return r;
        }
        *ret = s;
        return 0;
}

static void free_plan(Sense *s) {
        free(s->reads);
        free(s->readings);
        free(s->knobs);
        free(s->ours);
        s->reads = NULL;
        s->readings = NULL;
        s->knobs = NULL;
        s->ours = NULL;
        s->plan = NULL;
}

Sense *sense_free(Sense *s) {
        if (!s)
                return NULL;
        free_plan(s);
        free(s->externals);
        for (unsigned i = 0; i < 2; i++) {
                arena_unmap(&s->tick[i]);
                arena_unmap(&s->slow[i]);
        }
        free(s);
        return NULL;
}

int sense_plan(Sense *s, const Plan *plan) {
        free_plan(s);
        s->reads = calloc(plan->n_watches + 1, sizeof(*s->reads));
        s->readings = calloc(plan->n_watches + 1, sizeof(*s->readings));
        s->knobs = calloc(plan->n_knobs + 1, sizeof(*s->knobs));
        s->ours = calloc(plan->n_knobs + 1, sizeof(*s->ours));
        if (!s->reads || !s->readings || !s->knobs || !s->ours) {
                free_plan(s);
                return -ENOMEM;
        }
        s->plan = plan;
        s->wants_lock_stat = false;
        for (size_t i = 0; i < plan->n_watches; i++) {
                read_plan(&plan->watches[i], &s->reads[i]);
                s->wants_lock_stat = s->wants_lock_stat || read_plan_wants_lock_stat(&s->reads[i]);
        }
        s->replan = false;
        return 0;
}

void sense_own(Sense *s, size_t knob, bool ours) {
        if (s->plan && knob < s->plan->n_knobs)
                s->ours[knob] = ours;
}

bool sense_replan_due(const Sense *s) {
        return s->replan;
}

const Snapshot *sense_last(const Sense *s) {
        return s->have_tick ? &s->last : NULL;
}

const Snapshot *sense_before(const Sense *s) {
        return s->have_before ? &s->guard[1 - s->at] : NULL;
}

const Signal *sense_reports(const Sense *s, size_t *ret_n) {
        *ret_n = s->n_reports;
        return s->reports;
}

/* What lies in the arena that is about to be used again must not be in `last` any more. */
static void forget(Snapshot *last, const Snapshot *old) {
#define FORGET(file, member)                                      \
        do {                                                      \
                if (old->member && last->member == old->member) { \
                        last->member = NULL;                      \
                        last->state[file] = SENSE_NOT_DUE;        \
                }                                                 \
        } while (0)
        FORGET(SENSE_VMSTAT, vmstat);
        FORGET(SENSE_STAT, stat);
        FORGET(SENSE_PRESSURE_MEMORY, pressure_memory);
        FORGET(SENSE_MEMINFO, meminfo);
        FORGET(SENSE_ZONEINFO, zoneinfo);
        FORGET(SENSE_BUDDYINFO, buddyinfo);
        FORGET(SENSE_SLABINFO, slabinfo);
        FORGET(SENSE_LOCK_STAT, lock_stat);
        FORGET(SENSE_THP, thp);
        FORGET(SENSE_SLAB, slab);
#undef FORGET
}

/* ... and what the last look saw stands in for it. */
static void fall_back(Snapshot *last, const Snapshot *look) {
        if (last->zoneinfo || !look->zoneinfo)
                return;
        last->zoneinfo = look->zoneinfo;
        last->state[SENSE_ZONEINFO] = look->state[SENSE_ZONEINFO];
        last->file_usec[SENSE_ZONEINFO] = look->file_usec[SENSE_ZONEINFO];
}

static int read_external(Sense *s, const Watch *watch, Reading *ret) {
        const char *name = watch->name + strlen("external:");

        for (size_t i = 0; i < s->config.n_externals; i++) {
                const SenseExternal *e = &s->config.externals[i];
                const char *path = e->path[0] == '/' ? e->path + 1 : e->path;
                MaybeU64 value;
                usec_t age;
                Text text;
                int r;

                if (strcmp(e->name, name) != 0)
                        continue;
                r = sense_read_small(s, path, &text);
                if (r != 0)
                        return MIN(r, 0);
                if (machine_age(s->m, path, &age) == 0 && age > e->max_age_usec)
                        return 0;
                value = number_file_parse(text, e->path, &s->log);
                if (value.known && value.value <= INT64_MAX)
                        *ret = (Reading){ .num = value.value,
                                          .den = MAX(watch->scale, (uint64_t) 1),
                                          .evidence = e->evidence };
                return 0;
        }
        return 0;
}

static int read_knobs(Sense *s, bool all) {
        for (size_t i = 0; i < s->plan->n_knobs; i++) {
                const PlanKnob *knob = &s->plan->knobs[i];
                KnobReading *k = &s->knobs[i];
                Text text;
                int r;

                *k = (KnobReading){ 0 };
                if (!all && !s->ours[i])
                        continue;
                r = sense_read_small(s, knob->path, &text);
                if (r < 0)
                        return r;
                k->gone = r == MACHINE_E_ABSENT;
                k->known = r == 0 && knob_value_parse(knob->spec, text, &k->value);
        }
        return 0;
}

static int fill_plan(Sense *s, Arena *arena, bool looked, Frame *frame) {
        ReadInput in = { .before = s->have_before ? &s->snapshot[1 - s->at] : NULL,
                         .now = &s->snapshot[s->at],
                         .clk_tck = s->facts->clk_tck.known ? s->facts->clk_tck.value : 0,
                         .n_online = frame->n_online,
                         .gauges = &s->gauges,
                         .gauges_fresh = looked };
        SignalSet fresh;
        int r = 0;

        /* A trial looks at the lists more often than slow files are due. */
        if (!looked && s->snapshot[s->at].zoneinfo) {
                Snapshot now = s->last;

                now.slab = NULL; /* was not read now */
                now.state[SENSE_SLAB] = SENSE_NOT_DUE;
                r = sense_gauges(s, arena, &now, &fresh);
                in.gauges = &fresh;
                in.gauges_fresh = true;
        }
        for (size_t i = 0; i < s->plan->n_watches && r == 0; i++)
                read_watch(&in, &s->plan->watches[i], &s->reads[i], &s->readings[i]);
        for (size_t i = 0; i < s->plan->n_watches && r == 0; i++)
                if (s->reads[i].source == READ_EXTERNAL)
                        r = read_external(s, &s->plan->watches[i], &s->readings[i]);
        if (r == 0)
                r = read_knobs(s, looked);
        frame->reading = s->readings;
        frame->knob = s->knobs;
        return r;
}

int sense_tick(Sense *s, unsigned files, Frame *ret_frame) {
        unsigned next = 1 - s->at;
        Snapshot *now = &s->snapshot[next], *before = &s->snapshot[s->at];
        usec_t at = machine_now(s->m);
        bool slow = !s->have_slow || at >= s->next_slow_usec || (files & SENSE_LOOK) != 0 ||
                    s->m->kind == MACHINE_CAPTURE; /* costs nobody anything */
        Frame frame = { .at_usec = at };
        MaybeU64 failures, slow_read = UNKNOWN;
        int r;

        s->log = (ParseLog){ 0 };
        files = (files & ~SENSE_LOOK) | SENSE_CHEAP;
        if (s->wants_lock_stat || !s->plan)
                files |= SENSE_BIT(SENSE_LOCK_STAT);
        if (slow)
                files &= ~SENSE_SLOW;
        forget(&s->last, now);
        if (s->have_slow)
                fall_back(&s->last, &s->slow_snapshot[s->slow_at]);
        arena_reset(&s->tick[next]);
        r = sample_take(s->m, &s->tick[next], files, now, &s->log);
        if (r < 0)
                return r;
        s->have_before = s->have_tick;
        s->at = next;
        sense_take_newest(&s->last, now);
        s->have_tick = true;
        frame.interval_usec = s->have_before ? u64_sub_sat(now->at_usec, before->at_usec) : 0;
        frame.at_usec = now->at_usec;
        frame.n_online = now->stat && now->stat->n_cpus > 0 ? now->stat->n_cpus
                                                            : s->facts->topology.n_online;
        if (s->have_before && now->stat && before->stat &&
            now->stat->n_cpus != before->stat->n_cpus)
                s->replan = frame.hotplug = true;
        /* Another boot, or a jump back: nothing may span it. */
        if (s->have_before && now->uptime_usec.known && before->uptime_usec.known &&
            now->uptime_usec.value < before->uptime_usec.value)
                frame.gap = true;
        if (slow)
                r = sense_look(s, at, &frame, &slow_read);
        if (r < 0)
                return r;
        sense_model(s);
        s->guard[next] = *now;
        if (slow)
                sense_take_newest(&s->guard[next], &s->slow_snapshot[s->slow_at]);
        guard_frame_fill(s->facts, s->have_before ? &s->guard[1 - next] : NULL, &s->guard[next],
                         s->last.zoneinfo ? &s->pcp : NULL, &frame.guard);
        frame.guard.slow_read_usec = slow_read;
        frame.guard.zone_reclaim_mode = s->zone_reclaim_mode;
        frame.guard.contained = s->facts->contained;
        r = sense_log(s, &s->tick[next], &failures);
        if (r == 0 && failures.known)
                frame.guard.failures = failures;
        if (r == 0 && s->plan)
                r = fill_plan(s, &s->tick[next], slow, &frame);
        arena_reset(&s->m->scratch);
        if (r == 0)
                *ret_frame = s->frame = frame;
        return r;
}

int sense_again(Sense *s, Frame *ret_frame) {
        Frame frame = s->frame;
        int r = fill_plan(s, &s->tick[s->at], /* looked= */ true, &frame);

        arena_reset(&s->m->scratch);
        if (r == 0)
                *ret_frame = s->frame = frame;
        return r;
}
