/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From two snapshots to one reading: numerator and denominator of a signal over one tick (core/engine/frame.h has the list).
 * Meaning, evidence grade and the rules of what is left out (a counter that went down, CPUs that came or went, a file that
 * was missing, stolen time) are those of core/signal/compute-rates.c, which makes the same signals of whole windows: growth_of() is shared.
 *
 * Files of one tick are read one after the other. Where two of them meet in one reading, the growth of the numerator's file is scaled to the time of
 * the denominator's. A reading that says nothing has no denominator and grade none. */
#include "session/sense-read.h"

#include <string.h>

#include "core/signal/rate.h"

/* As in core/signal/compute-rates.c: an upper bound for the hold of a zone lock per page, and the share of stolen time from which on a guest measures
 * its hypervisor. */
#define ZONE_HOLD_NSEC_PER_PAGE 200u
#define STEAL_LIMIT_PPM 50000u

static const struct {
        const char *name;
        ReadSource source;
        unsigned key, other;
} rows[] = {
        { "alloc-rate", READ_ALLOC_RATE, 0, 0 },
        { "allocstall", READ_ALLOCSTALL, 0, 0 },
        { "compact-fail-share", READ_SHARE, VM_COMPACT_FAIL, VM_COMPACT_SUCCESS },
        { "compact-stall", READ_EVENTS, VM_COMPACT_STALL, 0 },
        { "cpu-steal", READ_STEAL, 0, 0 },
        { "kernel-cpu", READ_KERNEL_CPU, 0, 0 },
        { "kernel-cpu-per-kpage", READ_KERNEL_CPU_PER_KPAGE, 0, 0 },
        { "list-lock-holds", READ_LOCK_HOLDS, LOCK_LIST, 0 },
        { "list-lock-wait", READ_LOCK_WAIT, LOCK_LIST, 0 },
        { "list-lock-wait-per-kpage", READ_LOCK_WAIT_PER_KPAGE, LOCK_LIST, 0 },
        { "lru-lock-wait", READ_LOCK_WAIT, LOCK_LRU, 0 },
        { "psi-memory-full", READ_PSI_FULL, 0, 0 },
        { "psi-memory-some", READ_PSI_SOME, 0, 0 },
        { "slab-unreclaimable", READ_MEMINFO, MEM_SUNRECLAIM, 0 },
        { "thp-anon-share", READ_MEMINFO_SHARE, MEM_ANON_HUGE_PAGES, MEM_ANON_PAGES },
        { "thp-fault-fallback", READ_SHARE, VM_THP_FAULT_FALLBACK, VM_THP_FAULT_ALLOC },
        { "thp-fault-rate", READ_EVENTS, VM_THP_FAULT_ALLOC, 0 },
        { "zone-lock-holds", READ_LOCK_HOLDS, LOCK_ZONE, 0 },
        { "zone-lock-use", READ_ZONE_USE, 0, 0 },
        { "zone-lock-wait", READ_LOCK_WAIT, LOCK_ZONE, 0 },
        { "zone-lock-wait-per-kpage", READ_LOCK_WAIT_PER_KPAGE, LOCK_ZONE, 0 },
};

/* "zone:*" and a class: the counters of the kernel are by class, not by node. */
static bool find_class(const Scope *scope, unsigned *ret_key) {
        static const char prefix[] = "zone:*/";

        if (!text_starts(text_from(scope->name), prefix))
                return false;
        *ret_key = vmstat_pgalloc_key(scope->name + sizeof(prefix) - 1);
        return *ret_key != _VM_KEY_MAX;
}

void read_plan(const Watch *watch, ReadPlan *ret) {
        *ret = (ReadPlan){ .source = READ_GAUGE, .is_system = scope_is_system(&watch->scope) };
        if (text_starts(text_from(watch->name), "external:")) {
                ret->source = READ_EXTERNAL;
                return;
        }
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                if (strcmp(rows[i].name, watch->name) != 0)
                        continue;
                ret->source = rows[i].source;
                ret->key = rows[i].key;
                ret->other = rows[i].other;
        }
        if (ret->is_system)
                return;
        /* Of single zones, nodes and caches only what is counted for each; the rest may be reported. */
        if ((ret->source == READ_ALLOC_RATE || ret->source == READ_ZONE_USE) &&
            find_class(&watch->scope, &ret->key))
                ret->one_zone = true;
        else if (ret->source != READ_GAUGE)
                ret->source = READ_NONE;
}

bool read_plan_wants_lock_stat(const ReadPlan *p) {
        return p->source == READ_LOCK_WAIT || p->source == READ_LOCK_WAIT_PER_KPAGE ||
               p->source == READ_LOCK_HOLDS;
}

static MaybeU64 vm_key(const Snapshot *s, unsigned key) {
        return s->vmstat ? s->vmstat->value[key] : UNKNOWN;
}

static MaybeU64 vm_pgalloc(const Snapshot *s, unsigned key _unused_) {
        return s->vmstat ? vmstat_pgalloc(s->vmstat) : UNKNOWN;
}

static MaybeU64 vm_allocstall(const Snapshot *s, unsigned key _unused_) {
        return s->vmstat ? vmstat_allocstall(s->vmstat) : UNKNOWN;
}

static MaybeU64 stat_kernel(const Snapshot *s, unsigned key _unused_) {
        return s->stat ? cpustat_kernel(s->stat) : UNKNOWN;
}

static MaybeU64 stat_total(const Snapshot *s, unsigned key _unused_) {
        return s->stat ? cpustat_total(s->stat) : UNKNOWN;
}

static MaybeU64 stat_steal(const Snapshot *s, unsigned key _unused_) {
        return s->stat ? s->stat->steal : UNKNOWN;
}

static MaybeU64 psi_some(const Snapshot *s, unsigned key _unused_) {
        return s->pressure_memory ? s->pressure_memory->some.total_usec : UNKNOWN;
}

static MaybeU64 psi_full(const Snapshot *s, unsigned key _unused_) {
        return s->pressure_memory ? s->pressure_memory->full.total_usec : UNKNOWN;
}

static MaybeU64 lock_wait(const Snapshot *s, unsigned family) {
        return s->lock_stat && s->lock_stat->collecting
                       ? s->lock_stat->total[family].wait_total_nsec
                       : UNKNOWN;
}

static MaybeU64 lock_holds(const Snapshot *s, unsigned family) {
        return s->lock_stat && s->lock_stat->collecting ? s->lock_stat->total[family].acquisitions
                                                        : UNKNOWN;
}

static Growth growth(const ReadInput *in, SenseFile file, CounterFn counter, unsigned key) {
        const Snapshot *pair[2] = { in->before, in->now };
        SignalInput input = { .snapshots = pair, .n_snapshots = 2, .kind = WINDOW_LIVE };

        if (!in->before)
                return (Growth){ 0 };
        return growth_of(&input, file, counter, key, /* per_cpu= */ file == SENSE_STAT);
}

/* Without a denominator it says nothing. */
static void set(Reading *r, uint64_t num, uint64_t den, Evidence evidence) {
        if (den > 0)
                *r = (Reading){ .num = num, .den = den, .evidence = evidence };
}

static void set_rate(Reading *r, Growth g) {
        if (g.n_good > 0)
                set(r, g.delta, g.time_usec, EVIDENCE_COUNTED);
}

/* Growth of one file over that of another, as if both had been read over the same time. */
static void set_per(Reading *r, uint64_t part, Growth of, Growth whole, Evidence evidence) {
        if (of.n_good > 0 && whole.n_good > 0)
                set(r, u64_muldiv(part, whole.time_usec, of.time_usec), whole.delta, evidence);
}

static void read_zone_use(const ReadInput *in, const ReadPlan *p, Reading *r) {
        Growth most = { 0 };

        if (p->one_zone)
                most = growth(in, SENSE_VMSTAT, vm_key, p->key);
        else
                for (unsigned key = VM_PGALLOC_DEVICE; key <= VM_PGALLOC_NORMAL; key++) {
                        Growth g = growth(in, SENSE_VMSTAT, vm_key, key);

                        if (g.n_good > 0 && (most.n_good == 0 || g.delta > most.delta))
                                most = g;
                }
        if (most.n_good > 0)
                set(r, u64_mul_sat(most.delta, ZONE_HOLD_NSEC_PER_PAGE),
                    u64_mul_sat(most.time_usec, NSEC_PER_USEC), EVIDENCE_ESTIMATED);
}

static void read_kernel_cpu(const ReadInput *in, const ReadPlan *p, Reading *r) {
        Growth kernel = growth(in, SENSE_STAT, stat_kernel, 0);
        Growth total = growth(in, SENSE_STAT, stat_total, 0);
        Growth steal = growth(in, SENSE_STAT, stat_steal, 0);
        Growth pages;

        if (p->source == READ_STEAL) {
                if (steal.n_good > 0 && total.n_good > 0)
                        set(r, steal.delta, total.delta, EVIDENCE_COUNTED);
                return;
        }
        if (kernel.n_good == 0 || total.n_good == 0)
                return;
        if (p->source == READ_KERNEL_CPU) {
                set(r, kernel.delta, total.delta, EVIDENCE_COUNTED);
                return;
        }
        if (in->clk_tck == 0 || total.delta == 0 ||
            (steal.n_good > 0 && u64_muldiv(steal.delta, PPM, total.delta) > STEAL_LIMIT_PPM))
                return;
        pages = growth(in, SENSE_VMSTAT, vm_pgalloc, 0);
        set_per(r, u64_muldiv(kernel.delta, NSEC_PER_SEC, in->clk_tck), kernel, pages,
                EVIDENCE_COUNTED);
}

static void read_lock(const ReadInput *in, const ReadPlan *p, Reading *r) {
        Growth g = growth(in, SENSE_LOCK_STAT,
                          p->source == READ_LOCK_HOLDS ? lock_holds : lock_wait, p->key);

        if (p->source != READ_LOCK_WAIT)
                set_per(r, g.delta, g, growth(in, SENSE_VMSTAT, vm_pgalloc, 0),
                        p->source == READ_LOCK_HOLDS ? EVIDENCE_COUNTED : EVIDENCE_MEASURED);
        else if (g.n_good > 0)
                set(r, g.delta, u64_mul_sat(u64_mul_sat(g.time_usec, NSEC_PER_USEC), in->n_online),
                    EVIDENCE_MEASURED);
}

static void read_meminfo(const ReadInput *in, const Watch *watch, const ReadPlan *p, Reading *r) {
        const MemInfo *m = in->now->meminfo;

        if (!m || !m->value[p->key].known)
                return;
        if (p->source == READ_MEMINFO)
                set(r, m->value[p->key].value, MAX(watch->scale, (uint64_t) 1), EVIDENCE_COUNTED);
        else if (m->value[p->other].known && m->value[p->other].value > 0)
                set(r, u64_muldiv(m->value[p->key].value, PPM, m->value[p->other].value),
                    MAX(watch->scale, (uint64_t) 1), EVIDENCE_COUNTED);
}

/* A value that is there as such: num * scale / den must give it, whatever the scale. */
static void set_value(Reading *r, const Watch *watch, const Signal *s) {
        if (s->evidence != EVIDENCE_NONE && s->value >= 0)
                set(r, (uint64_t) s->value, MAX(watch->scale, (uint64_t) 1), s->evidence);
}

/* What somebody reported, in place of what nothing counts or measures here: as it stands until it is read anew. */
static const Signal *find_report(const ReadInput *in, const char *name, const Scope *scope) {
        const Signal *s = in->gauges ? signal_set_find(in->gauges, name, scope) : NULL;

        return s && strcmp(s->source, "report") == 0 ? s : NULL;
}

static void read_report(const ReadInput *in, const Watch *watch, const ReadPlan *p, Reading *r) {
        const Signal *s = find_report(in, watch->name, &watch->scope);
        Growth pages;
        size_t at;
        char wait[64];

        if (s) {
                set_value(r, watch, s);
                return;
        }
        at = text_find_string(text_from(watch->name), "-per-kpage");
        if ((p->source != READ_LOCK_WAIT_PER_KPAGE && p->source != READ_NONE) ||
            watch->name[at] == '\0' || !text_copy(wait, sizeof(wait), (Text){ watch->name, at }))
                return;
        s = find_report(in, wait, &watch->scope);
        pages = growth(in, SENSE_VMSTAT, vm_pgalloc, 0);
        if (s && s->evidence != EVIDENCE_NONE && s->value >= 0 && pages.n_good > 0)
                set(r,
                    u64_muldiv(
                            (uint64_t) s->value,
                            u64_mul_sat(u64_mul_sat(pages.time_usec, NSEC_PER_USEC), in->n_online),
                            PPM),
                    pages.delta, s->evidence);
}

void read_watch(const ReadInput *in, const Watch *watch, const ReadPlan *p, Reading *ret) {
        const Signal *s;

        *ret = (Reading){ 0 };
        switch (p->source) {
        case READ_NONE:
        case READ_EXTERNAL:
                break;
        case READ_ALLOC_RATE:
                set_rate(ret, p->one_zone ? growth(in, SENSE_VMSTAT, vm_key, p->key)
                                          : growth(in, SENSE_VMSTAT, vm_pgalloc, 0));
                break;
        case READ_EVENTS:
                set_rate(ret, growth(in, SENSE_VMSTAT, vm_key, p->key));
                break;
        case READ_ALLOCSTALL:
                set_rate(ret, growth(in, SENSE_VMSTAT, vm_allocstall, 0));
                break;
        case READ_SHARE: {
                Growth part = growth(in, SENSE_VMSTAT, vm_key, p->key);
                Growth rest = growth(in, SENSE_VMSTAT, vm_key, p->other);

                if (part.n_good > 0 && rest.n_good > 0)
                        set(ret, part.delta, u64_add_sat(part.delta, rest.delta), EVIDENCE_COUNTED);
                break;
        }
        case READ_STEAL:
        case READ_KERNEL_CPU:
        case READ_KERNEL_CPU_PER_KPAGE:
                read_kernel_cpu(in, p, ret);
                break;
        case READ_ZONE_USE:
                read_zone_use(in, p, ret);
                break;
        case READ_PSI_SOME:
        case READ_PSI_FULL:
                set_rate(ret, growth(in, SENSE_PRESSURE_MEMORY,
                                     p->source == READ_PSI_SOME ? psi_some : psi_full, 0));
                if (ret->den > 0)
                        ret->evidence = EVIDENCE_MEASURED;
                break;
        case READ_LOCK_WAIT:
        case READ_LOCK_WAIT_PER_KPAGE:
        case READ_LOCK_HOLDS:
                read_lock(in, p, ret);
                break;
        case READ_MEMINFO:
        case READ_MEMINFO_SHARE:
                read_meminfo(in, watch, p, ret);
                break;
        case READ_GAUGE:
                s = in->gauges && in->gauges_fresh
                            ? signal_set_find(in->gauges, watch->name, &watch->scope)
                            : NULL;
                if (s)
                        set_value(ret, watch, s);
                break;
        }
        if (ret->den == 0)
                read_report(in, watch, p, ret);
}
