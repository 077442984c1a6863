# SPDX-License-Identifier: GPL-2.0-or-later
from cases import signal
from machine import GIB, Machine, Node
from moment import Load

TITLE = "lockups and 30 ms refills from long lock holds"
SOURCE = ('linux-mm 2025-09, "mm/page_alloc: Batch callers of free_pcppages_bulk" (a); linux-mm 2024-07, proposal of a '
          "sysctl for the pcp batch scale limit (b)")
REPORT = (
    "(a) 316 CPUs, 1 TB, 6.16 class, memory pressure: the zone's free pages stand one below its low watermark, where "
    "kswapd wakes, and kswapd scans a page a second",
    "(a) bulk frees above 2000 pages in one hold: high 2079, the least for a hold of batch << 5 = 2016",
    "(a) the rcu stall of 21077 jiffies and the 10558 ms with interrupts off: lines in kmsg",
    "(b) guest on EPYC 7W83, one node, 6.10 class, 10 processes filling and unmapping: 10 CPUs with high 2079",
    "(b) rmqueue_bulk: mean call 449775 ns: pcp-hold-length, measured (the call with its waiting: what the next CPU sees)",
)
NEUTRAL = ("(a) one node", "(b) 64 CPUs, 128 GiB", "100000 pages/s; 10 % kernel CPU")
BATCH, LONGEST_HOLD = 63, 63 << 5


def held(machine, cpus):
    for z in machine.zones:
        if z.name != "DMA":
            for c in cpus:
                if c in z.cpu_high:
                    z.cpu_high[c] = min(max(LONGEST_HOLD + BATCH, z.high_min), z.high_max)


def load():
    return Load(rates={"pgalloc_normal": 100000, "pgfault": 100000}, cpu={"system": 0.10})


def c02a():
    m = Machine("6.16", [Node(0, list(range(316)), 1024 * GIB)])
    held(m, range(316))
    m.zone(0, "Normal").free = m.zone(0, "Normal").low - 1
    work = load()
    work.rates.update({"pgscan_kswapd": 1, "pgsteal_kswapd": 1})
    kmsg = ("[  102.000000] rcu: INFO: rcu_sched self-detected stall on CPU\n"
            "[  102.000100] rcu: \t12-....: (21077 ticks this GP) idle=0000/1/0x4000000000000000 softirq=0/0 fqs=0\n"
            "[  102.000200] rcu: \t(t=21077 jiffies g=0 q=0 ncpus=316)\n"
            "[  102.000300] task had irqs off 10558 ms\n")
    return {"machine": m, "load": work, "kmsg": kmsg}


def c02b():
    m = Machine("6.10", [Node(0, list(range(64)), 128 * GIB)])
    held(m, range(10))
    return {"machine": m, "load": load(), "signals": [signal("pcp-hold-length", 449775, "ns")]}


VARIANTS = {"C02a": c02a, "C02b": c02b}
