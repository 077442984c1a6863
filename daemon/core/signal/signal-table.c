/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signals, one row each, sorted by name. Names are the identifiers that policies use. */
#include "core/signal/signal.h"

#define ROW(n, u, s, b, ...) \
        { .name = (n), .unit = (u), .scopes = (s), .best = (b), __VA_ARGS__ }

static const char cost_vmstat[] =
        "one read of /proc/vmstat: a sum over online CPUs, no spinlock, about 15 us on 2 CPUs";
static const char cost_zoneinfo[] =
        "one read of /proc/zoneinfo: each zone is printed with its zone->lock held and interrupts off, over all CPUs; "
        "read first and last only";
static const char cost_lockstat[] =
        "one read of /proc/lock_stat, only on kernels built with CONFIG_LOCK_STAT; measuring by BPF is not in this release";
static const char cost_kmsg[] =
        "none: the kernel log of a capture (file kmsg); the live log is not read";
static const char cost_free[] = "a few microseconds, no lock";

static const SignalSpec specs[] = {
        ROW("alloc-failure-high-order", "events", SCOPES_SYSTEM, EVIDENCE_COUNTED,
            .higher_is_worse = true,
            .formula = "lines \"page allocation failure: order:N\" with N > 0 in the kernel log",
            .cost = cost_kmsg,
            .help = "Kernel log lines that report a failed allocation of more than one page. The caller asked for a "
                    "contiguous block; list sizes do not help it."),
        ROW("alloc-failure-order0", "events", SCOPES_SYSTEM, EVIDENCE_COUNTED,
            .higher_is_worse = true,
            .formula = "lines \"page allocation failure: order:0\" in the kernel log",
            .cost = cost_kmsg,
            .help = "Kernel log lines that report a failed allocation of a single page: free memory fell below the min "
                    "watermark faster than kswapd could act. Pages parked in per-CPU lists make it worse."),
        ROW("alloc-rate", "pages/s", SCOPES_SYSTEM | SCOPES_ZONE, EVIDENCE_COUNTED,
            .formula =
                    "d(pgalloc_dma + dma32 + normal + high + movable + device) / dt; scope zone:*/NAME is one zone class",
            .cost = cost_vmstat,
            .help = "Base pages handed out per second, from per-CPU lists and from the buddy allocator alike."),
        ROW("allocstall", "events/s", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(allocstall_*) / dt", .cost = cost_vmstat,
            .help = "Entries into direct reclaim per second: a task that wanted memory had to free some first."),
        ROW("compact-fail-share", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(compact_fail) / (d(compact_fail) + d(compact_success))",
            .cost = cost_vmstat,
            .help = "Share of direct compactions that ended without a free block: unmovable pages are in the way."),
        ROW("compact-stall", "events/s", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(compact_stall) / dt", .cost = cost_vmstat,
            .help = "Direct compactions per second, of any high order: a task waited while pages were moved."),
        ROW("cpu-steal", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(steal) / d(all ticks)", .cost = cost_free,
            .help = "Share of all CPU time that the hypervisor gave to others. What is measured meanwhile measures them "
                    "too: the guard contained then leaves everything at advice."),
        ROW("external", "", SCOPES_SYSTEM, EVIDENCE_MEASURED, .higher_is_worse = true,
            .formula = "the number in the file that alloctuned.conf names (externals)",
            .cost = "one small read",
            .help = "A number that an application of the administrator writes to a file; used as external:NAME."),
        ROW("kernel-cpu", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(system + irq + softirq) / d(all ticks)", .cost = cost_free,
            .help = "Share of all CPU time that the kernel used. Policies below their gate.kernel_cpu stay idle."),
        ROW("kernel-cpu-per-kpage", "ns", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "10^9 * d(system + irq + softirq seconds) / (d(pgalloc) / 1000)",
            .cost = cost_vmstat,
            .help = "Kernel CPU time per 1,000 pages allocated: the cost that a trial must lower. Void while steal is "
                    "above 5 %."),
        ROW("kernel-lockups", "events", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula =
                    "lines \"soft lockup\", \"hard LOCKUP\", \"rcu ... stall\" in the kernel log",
            .cost = cost_kmsg,
            .help = "Kernel log lines that say that a CPU made no progress for many seconds. Tasks that are blocked wait for "
                    "something else, mostly a disk, and do not count."),
        ROW("list-lock-holds", "acquisitions per 1,000 pages",
            SCOPES_SYSTEM | SCOPES_NODE | SCOPES_CACHE, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(acquisitions of kmem_cache_node.list_lock) / (d(pgalloc) / 1000)",
            .cost = cost_lockstat,
            .help = "Acquisitions of slab node list locks per 1,000 pages allocated."),
        ROW("list-lock-wait", "ppm", SCOPES_SYSTEM | SCOPES_NODE | SCOPES_CACHE, EVIDENCE_MEASURED,
            .lock_wait = true, .higher_is_worse = true,
            .formula = "d(wait time for kmem_cache_node.list_lock) / (dt * online CPUs)",
            .cost = cost_lockstat,
            .help = "Share of all CPU time spent waiting for slab node list locks."),
        ROW("list-lock-wait-per-kpage", "ns", SCOPES_SYSTEM | SCOPES_NODE | SCOPES_CACHE,
            EVIDENCE_MEASURED, .lock_wait = true, .higher_is_worse = true,
            .formula = "list-lock-wait * online CPUs * 10^9 / (alloc-rate / 1000)",
            .cost = cost_lockstat,
            .help = "Waiting for slab node list locks per 1,000 pages allocated."),
        ROW("lru-lock-wait", "ppm", SCOPES_SYSTEM | SCOPES_NODE, EVIDENCE_MEASURED,
            .lock_wait = true, .higher_is_worse = true,
            .formula = "d(wait time for lru_lock) / (dt * online CPUs)", .cost = cost_lockstat,
            .help = "Share of all CPU time spent waiting for the lock of page reclaim lists. No allocator setting lowers "
                    "it; larger folios (THP) do."),
        ROW("node-free-spread", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED,
            .formula = "largest minus smallest share of free memory among the nodes with memory",
            .cost = cost_zoneinfo,
            .help = "How unevenly free memory lies on the nodes: 0 on one node or when all are alike."),
        ROW("pcp-hold-length", "ns", SCOPES_SYSTEM | SCOPES_ZONE, EVIDENCE_ESTIMATED,
            .higher_is_worse = true,
            .formula =
                    "pages per hold of zone->lock * 45 ns; pages per hold from batch, high and the kernel's scaling",
            .cost = cost_zoneinfo,
            .help = "Longest time zone->lock is held for one refill or drain of a per-CPU list."),
        ROW("pcp-parked", "ppm", SCOPES_SYSTEM | SCOPES_ZONE, EVIDENCE_COUNTED,
            .higher_is_worse = true, .formula = "sum of the pcp counts of all CPUs / managed pages",
            .cost = cost_zoneinfo,
            .help = "Share of memory that lies in per-CPU lists: free in all but name, but not in MemFree."),
        ROW("pcp-tuner-level", "ppm", SCOPES_SYSTEM | SCOPES_ZONE, EVIDENCE_COUNTED,
            .formula = "mean over CPUs of (high - high_min) / (high_max - high_min)",
            .cost = cost_zoneinfo,
            .help = "How far the kernel's own tuning of pcp high (6.7 and later) has gone; kernels before 6.13 do not print it."),
        ROW("psi-memory-full", "ppm", SCOPES_SYSTEM, EVIDENCE_MEASURED, .higher_is_worse = true,
            .formula = "d(total of the \"full\" line of /proc/pressure/memory) / dt",
            .cost = cost_free,
            .help = "Share of time in which all runnable tasks waited for memory."),
        ROW("psi-memory-some", "ppm", SCOPES_SYSTEM, EVIDENCE_MEASURED, .higher_is_worse = true,
            .formula = "d(total of the \"some\" line of /proc/pressure/memory) / dt",
            .cost = cost_free,
            .help = "Share of time in which at least one task waited for memory. Spinning on locks is CPU time, never "
                    "pressure."),
        ROW("slab-unreclaimable", "bytes", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "SUnreclaim of /proc/meminfo", .cost = cost_free,
            .help = "Slab memory that the kernel cannot reclaim."),
        ROW("slab-use", "ppm", SCOPES_CACHE, EVIDENCE_COUNTED,
            .formula =
                    "active_objs / num_objs of /proc/slabinfo, or (slabs - partial) / slabs of slab sysfs",
            .cost = "slab sysfs: three attributes a cache, no lock; slabinfo is read in captures only",
            .help = "Share of a cache's objects (or slabs) in use. Objects that the kernel caches count as used."),
        ROW("thp-anon-share", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED,
            .formula = "AnonHugePages / AnonPages of /proc/meminfo", .cost = cost_free,
            .help = "Share of anonymous memory that is mapped by huge pages."),
        ROW("thp-fault-fallback", "ppm", SCOPES_SYSTEM, EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(thp_fault_fallback) / (d(thp_fault_alloc) + d(thp_fault_fallback))",
            .cost = cost_vmstat,
            .help = "Share of huge page faults that fell back to small pages."),
        ROW("thp-fault-rate", "faults/s", SCOPES_SYSTEM, EVIDENCE_COUNTED,
            .formula = "d(thp_fault_alloc) / dt", .cost = cost_vmstat,
            .help = "Huge pages handed out at faults per second."),
        ROW("zone-lock-holds", "acquisitions per 1,000 pages", SCOPES_SYSTEM | SCOPES_NODE,
            EVIDENCE_COUNTED, .higher_is_worse = true,
            .formula = "d(acquisitions of zone->lock) / (d(pgalloc) / 1000)", .cost = cost_lockstat,
            .help = "Acquisitions of zone locks per 1,000 pages allocated."),
        ROW("zone-lock-use", "ppm", SCOPES_SYSTEM | SCOPES_ZONE, EVIDENCE_ESTIMATED,
            .lock_wait = true, .higher_is_worse = true,
            .formula =
                    "alloc-rate of the busiest zone class * 200 ns (allocation and free at batch 63)",
            .cost = cost_vmstat,
            .help = "Upper bound of the share of time in which one zone lock is held, if every page came from the zone. "
                    "Below 12.5 % there is nothing to gain."),
        ROW("zone-lock-wait", "ppm", SCOPES_SYSTEM | SCOPES_NODE, EVIDENCE_MEASURED,
            .lock_wait = true, .higher_is_worse = true,
            .formula = "d(wait time for zone->lock) / (dt * online CPUs)", .cost = cost_lockstat,
            .help = "Share of all CPU time spent waiting for zone locks."),
        ROW("zone-lock-wait-per-kpage", "ns", SCOPES_SYSTEM | SCOPES_NODE, EVIDENCE_MEASURED,
            .lock_wait = true, .higher_is_worse = true,
            .formula = "zone-lock-wait * online CPUs * 10^9 / (alloc-rate / 1000)",
            .cost = cost_lockstat, .help = "Waiting for zone locks per 1,000 pages allocated."),
};

const SignalSpec *signal_specs(size_t *ret_n) {
        *ret_n = ELEMENTSOF(specs);
        return specs;
}

const SignalSpec *signal_spec_find(Text name) {
        if (text_starts(name, "external:") && name.size > sizeof("external:") - 1)
                name = TEXT("external");
        else if (text_is(name, "external"))
                return NULL;
        for (size_t i = 0; i < ELEMENTSOF(specs); i++)
                if (text_is(name, specs[i].name))
                        return &specs[i];
        return NULL;
}
