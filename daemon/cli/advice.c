/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/advice.h"

#include <errno.h>
#include <string.h>

#include "base/human.h"
#include "core/control/advise.h"

typedef struct Notes {
        Note *notes;
        size_t n, capacity;
} Notes;

static _printf_(5, 6) void add(Notes *notes, Verdict verdict, const char *id, const char *about,
                               const char *format, ...) {
        Note *n;
        va_list args;

        if (notes->n == notes->capacity)
                return; /* cannot be: the capacity counts every note there can be */
        n = &notes->notes[notes->n++];
        *n = (Note){ .verdict = verdict };
        (void) text_copy(n->id, sizeof(n->id), text_from(id));
        (void) text_copy(n->about, sizeof(n->about), text_from(about));
        va_start(args, format);
        if (!text_format_va(n->text, sizeof(n->text), format, args))
                memcpy(n->text + sizeof(n->text) - 4, "...", 4);
        va_end(args);
}

static void note_facts(const Observation *o, Notes *notes) {
        const MachineFacts *f = &o->facts;
        bool live = o->machine->kind == MACHINE_LIVE;

        if (f->contained)
                add(notes, VERDICT_NOTHING, "contained", "machine",
                    "%s: advice only, these settings belong to the host", f->contained_why);
        if (live && !f->euid_root)
                add(notes, VERDICT_NOTHING, "not-root", "machine",
                    "not run as root: slab caches cannot be read, and no knob could be set (state denied); sudo shows more");
        if (!f->page_bytes.known)
                add(notes, VERDICT_NOTHING, "page-size", "machine",
                    "the page size cannot be found in this tree; 4 KiB are taken "
                    "for sizes in bytes");
        if (f->clk_tck_assumed)
                add(notes, VERDICT_NOTHING, "clock-tick", "machine",
                    "the clock tick of proc/stat is assumed to be 1/100 s");
        if (f->topology.n_online == 0)
                add(notes, VERDICT_NOTHING, "cpus", "machine",
                    "the number of CPUs cannot be found: nothing that depends on it is said");
        if (!live && !o->machine->have_modes)
                add(notes, VERDICT_NOTHING, "modes", "machine",
                    "this tree has no file modes: taken as read by root, with the modes that the kernel gives");
        if (o->kind == WINDOW_BOOT)
                add(notes, VERDICT_NOTHING, "window", "machine", "%s",
                    o->window_usec > 0 ? "one snapshot only: rates are averages since boot"
                                       : "one snapshot without an uptime: there are no rates");
        if (o->n_boots_cut > 0)
                add(notes, VERDICT_NOTHING, "boots", "machine",
                    "the machine booted within the capture: left out before that: %u snapshot%s",
                    o->n_boots_cut, o->n_boots_cut == 1 ? "" : "s");
        if (o->n_left_out > 0)
                add(notes, VERDICT_NOTHING, "snapshots", "machine",
                    "no room for more than %zu looks: %u of those between first and last left out",
                    o->n_snapshots, o->n_left_out);
        if (o->clocks_disagree)
                add(notes, VERDICT_NOTHING, "clock", "machine",
                    "from first to last snapshot their names say %s and proc/uptime %s: rates follow the names, and may be wrong",
                    human_seconds(o->window_usec).text, human_seconds(o->uptime_window_usec).text);
        if (o->zones_changed)
                add(notes, VERDICT_NOTHING, "zones", "machine",
                    "zones of memory came or went within the window, or proc/zoneinfo was cut");
        if (o->cpus_changed)
                add(notes, VERDICT_NOTHING, "hot-plug", "machine",
                    "CPUs came or went within the window: intervals across the change are left out");
}

static void note_files(const Observation *o, Notes *notes) {
        static const struct {
                SenseFile file;
                const char *path;
        } files[] = {
                { SENSE_VMSTAT, "proc/vmstat" },
                { SENSE_ZONEINFO, "proc/zoneinfo" },
                { SENSE_STAT, "proc/stat" },
                { SENSE_PRESSURE_MEMORY, "proc/pressure/memory" },
                { SENSE_MEMINFO, "proc/meminfo" },
                { SENSE_SLAB, "sys/kernel/slab" },
        };
        const Snapshot *last = observation_last(o);

        for (size_t i = 0; last && i < ELEMENTSOF(files); i++) {
                const char *what = NULL;

                switch (last->state[files[i].file]) {
                case SENSE_OK:
                case SENSE_NOT_DUE:
                        break;
                case SENSE_ABSENT:
                        what = "absent";
                        break;
                case SENSE_DENIED:
                        what = "may not be read by this user";
                        break;
                case SENSE_FAILED:
                        what = "could not be read";
                        break;
                }
                if (what)
                        add(notes, VERDICT_NOTHING, files[i].path, files[i].path,
                            "%s: %s; what rests on it is unknown, not zero", files[i].path, what);
        }
}

static void note_issues(const Observation *o, const ConfIssues *issues, Notes *notes) {
        for (unsigned i = 0; i < o->log.n_issues; i++) {
                const ParseIssue *issue = &o->log.issue[i];
                char place[300];

                if (issue->line > 0)
                        (void) text_format(place, sizeof(place), "%s:%u", issue->path, issue->line);
                else
                        (void) text_copy(place, sizeof(place), text_from(issue->path));
                add(notes, VERDICT_NOTHING, place, issue->path, "%s: %s%s%s", place, issue->what,
                    issue->about[0] ? ": " : "", issue->about);
        }
        if (o->log.n_more > 0)
                add(notes, VERDICT_NOTHING, "more-issues", "machine",
                    "%u more malformed places in the files of this machine", o->log.n_more);
        for (size_t i = 0; i < issues->n; i++) {
                const ConfIssue *issue = &issues->items[i];

                if (issue->line > 0)
                        add(notes, VERDICT_NOTHING, "configuration", issue->file, "%s:%u: %s: %s",
                            issue->file, issue->line, conf_severity_to_string(issue->severity),
                            issue->text);
                else
                        add(notes, VERDICT_NOTHING, "configuration", issue->file, "%s: %s: %s",
                            issue->file, conf_severity_to_string(issue->severity), issue->text);
        }
        if (issues->n_dropped > 0)
                add(notes, VERDICT_NOTHING, "configuration", "configuration",
                    "%zu more problems in configuration files", issues->n_dropped);
}

int advice_make(Observation *o, const Conf *conf, const PolicySet *policies,
                const ConfIssues *issues, Advice *ret) {
        AdviseInput input = { .facts = &o->facts,
                              .last = observation_last(o),
                              .signals = &o->signals,
                              .knobs = &o->knobs,
                              .pcp = &o->pcp,
                              .slub = &o->slub,
                              .kmsg = o->have_kmsg ? &o->kmsg : NULL,
                              .policies = policies->policies,
                              .n_policies = policies->n,
                              .kind = o->kind,
                              .window_usec = o->window_usec,
                              .deny_knobs = (const char *const *) conf->deny_knobs,
                              .n_deny_knobs = conf->n_deny_knobs,
                              .deny_caches = (const char *const *) conf->deny_caches,
                              .n_deny_caches = conf->n_deny_caches };
        Notes notes;
        int r = advise(&o->arena, &input, ret);

        if (r < 0)
                return r;
        notes = (Notes){ .capacity = ret->n_notes + 32 + o->log.n_issues + issues->n };
        notes.notes = ARENA_ARRAY(&o->arena, Note, notes.capacity);
        if (!notes.notes)
                return -ENOMEM;
        for (size_t i = 0; i < ret->n_notes; i++)
                notes.notes[notes.n++] = ret->notes[i];
        note_facts(o, &notes);
        note_files(o, &notes);
        note_issues(o, issues, &notes);
        if (policies->n == 0)
                add(&notes, VERDICT_NOTHING, "policies", "policies",
                    "no policy was found: nothing can be advised; --policy-dir names a directory of "
                    "policies, else they are looked up as alloctuned.policy(5) says");
        ret->notes = notes.notes;
        ret->n_notes = notes.n;
        return 0;
}
