/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/observe.h"

#include <errno.h>
#include <string.h>

#include "core/sense/lists.h"
#include "machine/memory.h"
#include "machine/thp-probe.h"
#include "session/model.h"

/* Address space, not memory: pages of it cost nothing until they are touched. */
#define ARENA_BYTES ((size_t) 1 << 30)
#define SNAPSHOTS_MAX 4096u
#define EXTERNAL_BYTES_MAX ((size_t) 4096)

/* The live machine pays for slabinfo with list locks, and slab sysfs tells the same: only trees whose
 * reading costs nobody anything have it read. */
static unsigned wanted_files(const Observation *o, bool edge) {
        if (o->machine->kind != MACHINE_LIVE)
                return SENSE_ALL;
        return edge ? SENSE_ALL & ~SENSE_BIT(SENSE_SLABINFO) : SENSE_CHEAP;
}

static int take(Observation *o, bool edge) {
        Snapshot *s = ARENA_NEW(&o->arena, Snapshot);
        int r;

        if (!s)
                return -ENOMEM;
        r = sample_take(o->machine, &o->arena, wanted_files(o, edge), s, &o->log);
        if (r < 0)
                return r;
        o->snapshots[o->n_snapshots++] = s;
        return 0;
}

/* Looks between the first and the last one show resets and gaps, no more: what no longer fits is left out,
 * and the last one, and what is made of all, still fit. */
static bool room_for_middle(const Observation *o) {
        return o->n_snapshots < SNAPSHOTS_MAX - 1 && o->arena.used_bytes < ARENA_BYTES / 2;
}

static int watch_live(Observation *o, const ObserveOptions *options) {
        usec_t start = machine_now(o->machine),
               interval = MAX(options->interval_usec, USEC_PER_MSEC);
        usec_t duration = options->duration_usec;
        int r = take(o, /* edge= */ true);

        interval = MAX(interval, duration / (SNAPSHOTS_MAX - 2));
        for (usec_t at = interval; r == 0 && duration > 0; at += interval) {
                bool edge = at >= duration;

                if (options->progress)
                        options->progress(options->userdata, at - interval, duration);
                r = machine_advance(o->machine, start + MIN(at, duration));
                if (r < 0)
                        return r;
                if (edge || room_for_middle(o))
                        r = take(o, edge);
                else
                        o->n_left_out++;
                if (edge)
                        break;
        }
        if (options->progress)
                options->progress(options->userdata, duration, duration);
        return r;
}

static int read_capture(Observation *o) {
        int r = take(o, /* edge= */ true);
        bool taken = true;

        while (r == 0 && (r = machine_advance(o->machine, 0)) == 0) {
                taken = room_for_middle(o);
                if (taken)
                        r = take(o, /* edge= */ true);
                else
                        o->n_left_out++;
        }
        if (r >= 0 && !taken) { /* still at the last one */
                o->n_left_out--;
                r = take(o, /* edge= */ true);
        }
        return MIN(r, 0);
}

/* Another boot within the window: only what came after it counts. */
static void cut_boots(Observation *o) {
        for (size_t i = o->n_snapshots; i-- > 1;) {
                const Snapshot *s = o->snapshots[i], *before = o->snapshots[i - 1];

                if (!s->uptime_usec.known || !before->uptime_usec.known ||
                    s->uptime_usec.value >= before->uptime_usec.value)
                        continue;
                memmove(o->snapshots, o->snapshots + i,
                        (o->n_snapshots - i) * sizeof(*o->snapshots));
                o->n_snapshots -= i;
                o->n_boots_cut = (unsigned) i;
                return;
        }
}

static bool same_zones(const ZoneInfo *a, const ZoneInfo *b) {
        bool same = a->n == b->n;

        for (size_t i = 0; same && i < a->n; i++)
                same = a->zones[i].node == b->zones[i].node &&
                       strcmp(a->zones[i].name, b->zones[i].name) == 0;
        return same;
}

/* The names of snapshots are typed by people, too: the clock of the machine they show must agree. */
#define CLOCK_SKEW_USEC (2 * USEC_PER_SEC)

static void check_clock(Observation *o) {
        const Snapshot *first = o->snapshots[0], *last = observation_last(o);
        usec_t skew;

        if (o->kind != WINDOW_CAPTURE || !first->uptime_usec.known || !last->uptime_usec.known)
                return;
        o->uptime_window_usec = u64_sub_sat(last->uptime_usec.value, first->uptime_usec.value);
        skew = MAX(o->uptime_window_usec, o->window_usec) -
               MIN(o->uptime_window_usec, o->window_usec);
        o->clocks_disagree = skew > CLOCK_SKEW_USEC && skew > o->window_usec / 10;
}

static void find_window(Observation *o) {
        const Snapshot *first, *last;

        cut_boots(o);
        if (o->n_snapshots == 0)
                return;
        first = o->snapshots[0];
        last = observation_last(o);
        for (size_t i = 1; i < o->n_snapshots; i++)
                if (o->snapshots[i]->stat && o->snapshots[i - 1]->stat &&
                    o->snapshots[i]->stat->n_cpus != o->snapshots[i - 1]->stat->n_cpus)
                        o->cpus_changed = true;
        for (size_t i = 1, k = 0; i < o->n_snapshots; i++) {
                const ZoneInfo *before = o->snapshots[k]->zoneinfo,
                               *now = o->snapshots[i]->zoneinfo;

                if (now && before && !same_zones(before, now))
                        o->zones_changed = true;
                if (now)
                        k = i;
        }
        if (o->n_snapshots > 1) {
                o->kind = o->machine->kind == MACHINE_LIVE ? WINDOW_LIVE : WINDOW_CAPTURE;
                o->window_usec = u64_sub_sat(last->at_usec, first->at_usec);
        } else {
                o->kind = WINDOW_BOOT;
                o->window_usec = last->uptime_usec.known ? last->uptime_usec.value : 0;
        }
        check_clock(o);
}

/* Numbers that applications write. One that is too old is no number. */
static int add_externals(Observation *o, const ObserveOptions *options, Signal **signals,
                         size_t *n) {
        Signal *all = ARENA_ARRAY(&o->arena, Signal, *n + options->n_externals + 1);

        if (!all)
                return -ENOMEM;
        if (*n > 0)
                memcpy(all, *signals, *n * sizeof(Signal));
        for (size_t i = 0; i < options->n_externals; i++) {
                const ConfExternal *e = &options->externals[i];
                Signal s = { .source = e->path,
                             .unit = e->unit,
                             .age_usec = USEC_UNKNOWN,
                             .scope = scope_system() };
                const char *path = e->path[0] == '/' ? e->path + 1 : e->path;
                bool reported = false;
                Text text;
                usec_t age;
                int r;

                (void) text_format(s.name, sizeof(s.name), "external:%s", e->name);
                s.spec = signal_spec_find(text_from(s.name));
                for (size_t k = 0; k < *n; k++)
                        reported = reported || strcmp(all[k].name, s.name) == 0;
                if (!s.spec || reported)
                        continue;
                arena_reset(&o->machine->scratch);
                r = machine_read(o->machine, path, EXTERNAL_BYTES_MAX, &o->machine->scratch, &text);
                if (r < 0)
                        return r;
                if (machine_age(o->machine, path, &age) == 0)
                        s.age_usec = age;
                if (r != 0) {
                        s.why = r == MACHINE_E_ABSENT ? "the file is absent"
                                                      : "the file cannot be read";
                } else if (s.age_usec != USEC_UNKNOWN && s.age_usec > e->max_age_usec) {
                        s.why = "the number is older than max_age";
                } else {
                        MaybeU64 value = number_file_parse(text, e->path, &o->log);

                        s.evidence = value.known && value.value <= INT64_MAX ? e->evidence
                                                                             : EVIDENCE_NONE;
                        s.value = s.evidence == EVIDENCE_NONE ? 0 : (int64_t) value.value;
                        s.why = s.evidence == EVIDENCE_NONE ? "the file holds no number" : NULL;
                }
                all[(*n)++] = s;
        }
        *signals = all;
        return 0;
}

static int build(Observation *o, const ObserveOptions *options) {
        Signal *reports = NULL;
        size_t n_reports = 0;
        Text kmsg = TEXT_NULL;
        ModelInput input;
        Model model;
        int r;

        r = sample_reports(o->machine, &o->arena, &reports, &n_reports, &kmsg, &o->log);
        if (r == 0 && kmsg.data) {
                r = kmsg_parse(&o->arena, kmsg, "kmsg", &o->kmsg, &o->log);
                /* a file without one line of a log says nothing, not that nothing happened */
                o->have_kmsg = o->kmsg.n_lines > o->kmsg.n_binary;
        }
        if (r == 0)
                r = add_externals(o, options, &reports, &n_reports);
        if (r < 0)
                return r;
        if (o->machine->kind == MACHINE_LIVE)
                o->alignment = thp_alignment_to_string(thp_probe(thp_probe_system(),
                                                                 o->facts.page_bytes.value,
                                                                 o->facts.hpage_pmd_bytes.value));
        input = (ModelInput){ .machine = o->machine,
                              .facts = &o->facts,
                              .snapshots = o->snapshots,
                              .n_snapshots = o->n_snapshots,
                              .kind = o->kind,
                              .kmsg = o->have_kmsg ? &o->kmsg : NULL,
                              .reports = reports,
                              .n_reports = n_reports,
                              .alignment = o->alignment,
                              .log = &o->log };
        r = model_build(&o->arena, &input, &model);
        if (r < 0)
                return r;
        o->files = model.files;
        o->n_files = model.n_files;
        o->settings = model.settings;
        o->n_settings = model.n_settings;
        o->pcp = model.pcp;
        o->slub = model.slub;
        o->signals = model.signals;
        o->knobs = model.knobs;
        return 0;
}

int observe(const ObserveOptions *options, Observation *ret) {
        const Knob *alignment;
        int r;

        *ret = (Observation){ .kind = WINDOW_BOOT };
        r = machine_open(options->root, &ret->machine);
        if (r != 0)
                return r;
        r = arena_map(&ret->arena, ARENA_BYTES);
        if (r < 0)
                return r;
        ret->snapshots = ARENA_ARRAY(&ret->arena, const Snapshot *, SNAPSHOTS_MAX + 1);
        if (!ret->snapshots)
                return -ENOMEM;
        r = sample_facts(ret->machine, &ret->arena, &ret->facts, &ret->log);
        if (r < 0)
                return r;
        if (ret->machine->kind == MACHINE_LIVE)
                r = watch_live(ret, options);
        else if (ret->machine->kind == MACHINE_CAPTURE)
                r = read_capture(ret);
        else
                r = take(ret, /* edge= */ true);
        if (r < 0)
                return r;
        find_window(ret);
        r = build(ret, options);
        if (r < 0)
                return r;
        alignment = knob_set_find(&ret->knobs, "thp-alignment", NULL);
        if (!ret->alignment)
                ret->alignment = alignment && alignment->value[0] ? alignment->value : "unknown";
        return 0;
}

void observation_done(Observation *o) {
        arena_unmap(&o->arena);
        o->machine = machine_free(o->machine);
}
