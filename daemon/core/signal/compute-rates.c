/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals made of counters. Every rate divides by the time between the two readings of its own file:
 * the files of one snapshot are read one after the other. */
#include "core/signal/compute.h"

/* Hold of a zone lock per page at batch 63, allocation and free together: 130..210 ns on servers,
 * about 70 ns on desktops (fits of the page_fault1 batch sweep, linux-mm 2018-10); 200 ns makes it an upper bound. */
#define ZONE_HOLD_NSEC_PER_PAGE 200u
/* A guest that loses more than this share to its hypervisor measures the hypervisor. */
#define STEAL_LIMIT_PPM 50000u

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

static MaybeU64 lock_acquisitions(const Snapshot *s, unsigned family) {
        return s->lock_stat && s->lock_stat->collecting ? s->lock_stat->total[family].acquisitions
                                                        : UNKNOWN;
}

static Growth growth(const SignalBuild *b, SenseFile file, CounterFn counter, unsigned key) {
        return growth_of(b->input, file, counter, key, file == SENSE_STAT);
}

static void add_rate(SignalBuild *b, const char *name, Scope scope, SenseFile file,
                     CounterFn counter, unsigned key, const char *source) {
        Growth g = growth(b, file, counter, key);
        MaybeU64 rate = growth_rate_milli(g);
        Signal *s = signal_build_add(b, name, scope);

        if (!s)
                return;
        s->why = growth_why(g, signal_build_state(b, file));
        if (rate.known)
                signal_set_milli(s, EVIDENCE_COUNTED, rate.value, source,
                                 signal_build_age(b, file));
}

static void add_alloc_rates(SignalBuild *b) {
        static const struct {
                VmKey key;
                const char *scope;
        } classes[] = {
                { VM_PGALLOC_DMA, "zone:*/DMA" },         { VM_PGALLOC_DMA32, "zone:*/DMA32" },
                { VM_PGALLOC_NORMAL, "zone:*/Normal" },   { VM_PGALLOC_HIGH, "zone:*/HighMem" },
                { VM_PGALLOC_MOVABLE, "zone:*/Movable" }, { VM_PGALLOC_DEVICE, "zone:*/Device" },
        };
        MaybeU64 busiest = UNKNOWN;
        Signal *use;

        add_rate(b, "alloc-rate", scope_system(), SENSE_VMSTAT, vm_pgalloc, 0, "vmstat");
        for (size_t i = 0; i < ELEMENTSOF(classes); i++) {
                Growth g = growth(b, SENSE_VMSTAT, vm_key, classes[i].key);
                MaybeU64 rate = growth_rate_milli(g);
                Scope scope = { 0 };
                Signal *s;

                if (!rate.known)
                        continue;
                (void) text_copy(scope.name, sizeof(scope.name), text_from(classes[i].scope));
                s = signal_build_add(b, "alloc-rate", scope);
                if (s)
                        signal_set_milli(s, EVIDENCE_COUNTED, rate.value, "vmstat",
                                         signal_build_age(b, SENSE_VMSTAT));
                s = signal_build_add(b, "zone-lock-use", scope);
                if (s)
                        signal_set(s, EVIDENCE_ESTIMATED,
                                   (int64_t) u64_muldiv(rate.value, ZONE_HOLD_NSEC_PER_PAGE,
                                                        NSEC_PER_SEC / 1000),
                                   "vmstat", signal_build_age(b, SENSE_VMSTAT));
                if (!busiest.known || rate.value > busiest.value)
                        busiest = rate;
        }
        use = signal_build_add(b, "zone-lock-use", scope_system());
        if (!use)
                return;
        if (busiest.known) /* pages/s * ns * 10^-9, in ppm; the rate is in thousandths */
                signal_set(use, EVIDENCE_ESTIMATED,
                           (int64_t) u64_muldiv(busiest.value, ZONE_HOLD_NSEC_PER_PAGE,
                                                NSEC_PER_SEC / 1000),
                           "vmstat", signal_build_age(b, SENSE_VMSTAT));
        else
                use->why = growth_why(growth(b, SENSE_VMSTAT, vm_pgalloc, 0),
                                      signal_build_state(b, SENSE_VMSTAT));
}

static void add_kernel_cpu(SignalBuild *b) {
        Growth kernel = growth(b, SENSE_STAT, stat_kernel, 0);
        Growth total = growth(b, SENSE_STAT, stat_total, 0);
        Growth steal = growth(b, SENSE_STAT, stat_steal, 0);
        Growth pages = growth(b, SENSE_VMSTAT, vm_pgalloc, 0);
        Signal *share = signal_build_add(b, "kernel-cpu", scope_system());
        Signal *per_kpage = signal_build_add(b, "kernel-cpu-per-kpage", scope_system());
        Signal *stolen = signal_build_add(b, "cpu-steal", scope_system());
        uint64_t nsec_per_second, steal_ppm;

        if (!share || !per_kpage || !stolen)
                return;
        share = &b->rows[b->n - 3]; /* adding rows may have moved the first ones */
        per_kpage = &b->rows[b->n - 2];
        share->why = per_kpage->why = growth_why(kernel, signal_build_state(b, SENSE_STAT));
        stolen->why = growth_why(steal, signal_build_state(b, SENSE_STAT));
        if (kernel.n_good == 0 || total.n_good == 0)
                return;
        if (total.delta == 0) {
                share->why = per_kpage->why = stolen->why = "no CPU time passed";
                return;
        }
        if (steal.n_good > 0)
                signal_set(stolen, EVIDENCE_COUNTED,
                           (int64_t) u64_muldiv(steal.delta, PPM, total.delta), "stat",
                           signal_build_age(b, SENSE_STAT));
        signal_set(share, EVIDENCE_COUNTED, (int64_t) u64_muldiv(kernel.delta, PPM, total.delta),
                   "stat", signal_build_age(b, SENSE_STAT));
        steal_ppm = u64_muldiv(steal.delta, PPM, total.delta);
        if (steal.n_good > 0 && steal_ppm > STEAL_LIMIT_PPM) {
                per_kpage->why = "void: the hypervisor stole more than 5 % of the CPU time";
                return;
        }
        if (pages.n_good == 0 || pages.delta == 0) {
                per_kpage->why = pages.n_good == 0
                                         ? growth_why(pages, signal_build_state(b, SENSE_VMSTAT))
                                         : "no page was allocated";
                return;
        }
        if (!b->input->facts->clk_tck.known || b->input->facts->clk_tck.value == 0) {
                per_kpage->why = "the length of a clock tick is unknown";
                return;
        }
        /* kernel seconds per second in ns, over kilo-pages per second */
        nsec_per_second = u64_muldiv(
                u64_muldiv(kernel.delta, NSEC_PER_SEC, b->input->facts->clk_tck.value),
                USEC_PER_SEC, kernel.time_usec);
        signal_set(per_kpage, EVIDENCE_COUNTED,
                   (int64_t) MIN(u64_muldiv(nsec_per_second,
                                            u64_muldiv(1000, pages.time_usec, USEC_PER_SEC),
                                            pages.delta),
                                 (uint64_t) INT64_MAX),
                   "stat", signal_build_age(b, SENSE_STAT));
}

static void add_share(SignalBuild *b, const char *name, Growth part, Growth rest,
                      const char *nothing) {
        Signal *s = signal_build_add(b, name, scope_system());
        uint64_t whole = u64_add_sat(part.delta, rest.delta);

        if (!s)
                return;
        if (part.n_good == 0 || rest.n_good == 0)
                s->why = growth_why(part.n_good == 0 ? part : rest,
                                    signal_build_state(b, SENSE_VMSTAT));
        else if (whole == 0)
                s->why = nothing;
        else
                signal_set(s, EVIDENCE_COUNTED, (int64_t) u64_muldiv(part.delta, PPM, whole),
                           "vmstat", signal_build_age(b, SENSE_VMSTAT));
}

static void add_pressure(SignalBuild *b, const char *name, CounterFn counter) {
        Growth g = growth(b, SENSE_PRESSURE_MEMORY, counter, 0);
        Signal *s = signal_build_add(b, name, scope_system());

        if (!s)
                return;
        s->why = growth_why(g, signal_build_state(b, SENSE_PRESSURE_MEMORY));
        if (g.n_good > 0)
                signal_set(s, EVIDENCE_MEASURED, (int64_t) u64_muldiv(g.delta, PPM, g.time_usec),
                           "pressure", signal_build_age(b, SENSE_PRESSURE_MEMORY));
}

static void add_lock(SignalBuild *b, const char *wait, const char *holds, LockFamily family) {
        Growth waited = growth(b, SENSE_LOCK_STAT, lock_wait, family);
        Growth taken = growth(b, SENSE_LOCK_STAT, lock_acquisitions, family);
        Growth pages = growth(b, SENSE_VMSTAT, vm_pgalloc, 0);
        unsigned cpus = b->input->facts->topology.n_online;
        SenseState state = signal_build_state(b, SENSE_LOCK_STAT);
        const char *why = state == SENSE_ABSENT ? "no proc/lock_stat here"
                                                : growth_why(waited, state);
        Signal *s = signal_build_add(b, wait, scope_system());

        if (!s)
                return;
        s->why = why;
        if (waited.n_good > 0 && cpus > 0)
                signal_set(s, EVIDENCE_MEASURED,
                           (int64_t) u64_muldiv(waited.delta, PPM / NSEC_PER_USEC,
                                                u64_mul_sat(waited.time_usec, cpus)),
                           "lock_stat", signal_build_age(b, SENSE_LOCK_STAT));
        if (!holds || !(s = signal_build_add(b, holds, scope_system())))
                return;
        s->why = why;
        if (taken.n_good > 0 && pages.n_good > 0 && pages.delta > 0) {
                /* both as rates: their files have times of their own */
                uint64_t taken_milli = growth_rate_milli(taken).value;
                uint64_t pages_milli = growth_rate_milli(pages).value;

                signal_set_milli(s, EVIDENCE_COUNTED,
                                 u64_muldiv(taken_milli, 1000000, MAX(pages_milli, (uint64_t) 1)),
                                 "lock_stat", signal_build_age(b, SENSE_LOCK_STAT));
        }
}

void signals_add_rates(SignalBuild *b) {
        add_alloc_rates(b);
        add_kernel_cpu(b);
        add_rate(b, "allocstall", scope_system(), SENSE_VMSTAT, vm_allocstall, 0, "vmstat");
        add_rate(b, "compact-stall", scope_system(), SENSE_VMSTAT, vm_key, VM_COMPACT_STALL,
                 "vmstat");
        add_rate(b, "thp-fault-rate", scope_system(), SENSE_VMSTAT, vm_key, VM_THP_FAULT_ALLOC,
                 "vmstat");
        add_share(b, "thp-fault-fallback", growth(b, SENSE_VMSTAT, vm_key, VM_THP_FAULT_FALLBACK),
                  growth(b, SENSE_VMSTAT, vm_key, VM_THP_FAULT_ALLOC),
                  "no huge page fault happened");
        add_share(b, "compact-fail-share", growth(b, SENSE_VMSTAT, vm_key, VM_COMPACT_FAIL),
                  growth(b, SENSE_VMSTAT, vm_key, VM_COMPACT_SUCCESS),
                  "no direct compaction ended");
        add_pressure(b, "psi-memory-some", psi_some);
        add_pressure(b, "psi-memory-full", psi_full);
        add_lock(b, "zone-lock-wait", "zone-lock-holds", LOCK_ZONE);
        add_lock(b, "list-lock-wait", "list-lock-holds", LOCK_LIST);
        add_lock(b, "lru-lock-wait", NULL, LOCK_LRU);
}

/* Waiting per 1,000 pages from a wait share and the rate of allocation, wherever both came from; the
 * grade is the weaker of the two. A reported row is not touched. */
static void derive_per_kpage(SignalBuild *b, const char *wait, const char *per_kpage) {
        const Signal *rate = signal_build_find(b, "alloc-rate", "system");
        unsigned cpus = b->input->facts->topology.n_online;
        size_t n = b->n;

        for (size_t i = 0; i < n; i++) {
                Signal w = b->rows[i]; /* a copy: adding rows moves the list */
                Signal *s;
                uint64_t pages_milli;

                if (w.spec != signal_spec_find(text_from(wait)) ||
                    signal_build_find(b, per_kpage, w.scope.name))
                        continue;
                s = signal_build_add(b, per_kpage, w.scope);
                if (!s)
                        return;
                rate = signal_build_find(b, "alloc-rate", "system");
                if (w.evidence == EVIDENCE_NONE) {
                        s->why = w.why;
                        continue;
                }
                pages_milli = rate && rate->evidence != EVIDENCE_NONE
                                      ? u64_add_sat(u64_mul_sat((uint64_t) rate->value, 1000),
                                                    rate->milli)
                                      : 0;
                if (pages_milli == 0 || cpus == 0 || w.value < 0) {
                        s->why = cpus == 0 ? "the number of CPUs is unknown"
                                           : "no page was allocated, or the rate is unknown";
                        continue;
                }
                /* ppm * CPUs * 1000 ns a second, over kilo-pages a second = thousandths / 10^6 */
                signal_set(s,
                           MIN(w.evidence, rate->evidence == EVIDENCE_COUNTED ? EVIDENCE_MEASURED
                                                                              : rate->evidence),
                           (int64_t) MIN(u64_muldiv(u64_mul_sat((uint64_t) w.value, cpus),
                                                    1000 * 1000000ull, pages_milli),
                                         (uint64_t) INT64_MAX),
                           w.source, w.age_usec);
        }
}

void signals_add_derived(SignalBuild *b) {
        derive_per_kpage(b, "zone-lock-wait", "zone-lock-wait-per-kpage");
        derive_per_kpage(b, "list-lock-wait", "list-lock-wait-per-kpage");
}
