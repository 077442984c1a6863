# SPDX-License-Identifier: GPL-2.0-or-later
from cases import signal
from machine import GIB, Machine, Node
from moment import Load

TITLE = "100 Gbit/s receive stops at half the line rate"
SOURCE = 'netdev and linux-mm, "Page allocator bottleneck", 2017-09 to 2018-04; zone lock RFC v4, 2018-10 (same machine)'
REPORT = (
    "2 sockets, 48 CPUs, 4.13 to 4.19-rc: written as 4.19-rc1, the class whose batch is 63",
    "85.58 % of samples in queued_spin_lock_slowpath under zone lock: zone-lock-wait 855800 ppm, system",
    "12 rings carry 51.0 Gbit/s with one page a packet; 1538 bytes of wire a packet: 4145000 pages/s",
    "kernel CPU (softirq) 86 % of all: the least whole share that holds the 85.58 %",
)
NEUTRAL = ("memory: 64 GiB a node", "all allocations of class Normal", "THP at the default of the kernel's build")
PAGES_PER_S = 4145000


def c01():
    m = Machine("4.19", [Node(0, list(range(24)), 64 * GIB), Node(1, list(range(24, 48)), 64 * GIB)], release="4.19.0-rc1")
    load = Load(rates={"pgalloc_normal": PAGES_PER_S, "pgfree": PAGES_PER_S}, cpu={"softirq": 0.86})
    return {"machine": m, "load": load, "signals": [signal("zone-lock-wait", 855800, "ppm")]}


VARIANTS = {"C01": c01}
