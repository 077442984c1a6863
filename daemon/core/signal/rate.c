/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/signal/rate.h"

static unsigned stat_cpus(const Snapshot *s) {
        return s->stat ? s->stat->n_cpus : 0;
}

Growth growth_of(const SignalInput *input, SenseFile file, CounterFn counter, unsigned key,
                 bool per_cpu) {
        Growth g = { 0 };
        const Snapshot *before = NULL;
        MaybeU64 old = UNKNOWN;

        for (size_t i = 0; i < input->n_snapshots; i++) {
                const Snapshot *s = input->snapshots[i];
                MaybeU64 now;

                if (s->state[file] == SENSE_NOT_DUE)
                        continue;
                now = counter(s, key);
                g.seen = g.seen || now.known;
                if (input->kind == WINDOW_BOOT) {
                        /* Since boot: the counter began at 0 when uptime did. */
                        if (now.known && s->uptime_usec.known && s->uptime_usec.value > 0) {
                                g.delta = now.value;
                                g.time_usec = s->uptime_usec.value;
                                g.n_good = 1;
                        }
                        continue;
                }
                if (before) {
                        usec_t dt = u64_sub_sat(s->file_usec[file], before->file_usec[file]);
                        bool cpus_moved = per_cpu && stat_cpus(s) != stat_cpus(before);

                        if (!now.known || !old.known || dt == 0 || cpus_moved) {
                                g.n_gaps++;
                        } else if (now.value < old.value) {
                                g.n_gaps++;
                                g.n_resets++;
                        } else {
                                g.delta = u64_add_sat(g.delta, now.value - old.value);
                                g.time_usec = u64_add_sat(g.time_usec, dt);
                                g.n_good++;
                        }
                }
                before = s;
                old = now;
        }
        return g;
}

MaybeU64 growth_rate_milli(Growth g) {
        if (g.n_good == 0 || g.time_usec == 0)
                return UNKNOWN;
        return KNOWN(u64_muldiv(g.delta, 1000 * USEC_PER_SEC, g.time_usec));
}

const char *growth_why(Growth g, SenseState state) {
        if (g.n_good > 0)
                return g.n_resets > 0
                               ? "the counter went down within the window; that interval is left out"
                       : g.n_gaps > 0
                               ? "some intervals of the window are left out (missing, no time passed, or CPUs came or went)"
                               : NULL;
        if (g.n_resets > 0)
                return "the counter went down: no interval is left";
        if (g.seen)
                return g.n_gaps > 0 ? "no interval with two good readings"
                                    : "one reading only: no rate";
        switch (state) {
        case SENSE_NOT_DUE:
                return "not read in this run";
        case SENSE_OK:
                return "this kernel's file lacks the counter";
        case SENSE_ABSENT:
                return "the file is absent";
        case SENSE_DENIED:
                return "the file may not be read by this user";
        case SENSE_FAILED:
                return "the file could not be read";
        }
        return NULL;
}
