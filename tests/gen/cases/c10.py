# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "khugepaged or kcompactd eats a CPU while the machine swaps"
SOURCE = "tilosradio/web2#469 (a); koverstreet/bcachefs#1187 (b)"
REPORT = (
    "(a) 32 GB web server, load 679",
    "(a) swapping: one page out and one in during the window; the stalls of that are PSI memory, full just above 1 %, the "
    "limit at which growth stops, and some just above 2 % (with a load of 679 on 8 CPUs some task always waits)",
    "(a) khugepaged at 100 %: one CPU's time in the kernel",
    "(b) disk server, kcompactd0 at 60 %: 0.6 CPU in the kernel",
    "(b) compact_fail keeps rising over 30 s, 40+ tasks in D state: 40 blocked, and each of the 40 has stalled once and "
    "failed, evenly over snapshots at 0, 10, 20, 30 s",
)
NEUTRAL = ("8 CPUs, one node; (b) 32 GB too", "kernel 6.1 class; THP enabled always",
           "defrag always: the value from which the advised defer+madvise is a step down (from madvise it would be one up)",
           "swap of 8 GiB, 1 MiB of it used", "(b) no pressure files: not given")


def machine():
    return Machine("6.1", [Node(0, list(range(8)), 32 * GIB)], thp={"defrag": "always"})


def c10a():
    load = Load(rates={"pswpin": 0.1, "pswpout": 0.1, "pgalloc_normal": 1000}, cpu={"system": 1 / 8},
                psi={"some": 0.0201, "full": 0.0101}, loadavg="679.00 679.00 679.00",
                meminfo={"SwapTotal": 8 << 20, "SwapFree": (8 << 20) - 1024})
    return {"machine": machine(), "load": load}


def c10b():
    per_s = 40 / 30
    load = Load(rates={"compact_stall": per_s, "compact_fail": per_s, "pgalloc_normal": 1000}, cpu={"system": 0.6 / 8},
                psi={}, procs_blocked=40)
    return {"machine": machine(), "load": load, "times_s": (0, 10, 20, 30)}


VARIANTS = {"C10a": c10a, "C10b": c10b}
