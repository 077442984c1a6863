# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, MIB, Machine, Node
from moment import Load

TITLE = "MemFree fell by 80 MB after the upgrade"
SOURCE = "linux-mm 2022, question after the 5.14 pcp change (subject not kept)"
REPORT = (
    "72 CPUs, 3 zones, 5.15 class, idle",
    "pcp capacity 324 MB: 72 CPUs x 1152 pages; managed memory is the one for which the default formula gives that",
    "held while idle 114 MB: 29184 pages",
)
NEUTRAL = ("one node, so that the 3 zones are DMA, DMA32, Normal", "release 5.15.0",
           "MB read as MiB: 324 MiB is a whole number of pages for each CPU, 324000000 bytes is not")
CAPACITY_PAGES = 324 * MIB // 4096 // 72      # 1152 a CPU, all zones
HELD_PAGES = 114 * MIB // 4096


def capacity(m):
    return sum(z.high_min for z in m.zones if z.populated())


def c06():
    cpus = list(range(72))
    low, high = 1 * GIB, 1024 * GIB
    while high - low > 64 * MIB:               # capacity grows with memory
        middle = (low + high) // 2 // MIB * MIB
        if capacity(Machine("5.15", [Node(0, cpus, middle)])) < CAPACITY_PAGES:
            low = middle
        else:
            high = middle
    m = Machine("5.15", [Node(0, cpus, high)])
    assert capacity(m) == CAPACITY_PAGES, capacity(m)
    left = HELD_PAGES
    for name in ("DMA", "DMA32"):
        m.zone(0, name).cpu_count = {c: 0 for c in cpus}
    normal = m.zone(0, "Normal")
    for c in cpus:                              # 29184 = 72 x 405 + 24
        normal.cpu_count[c] = HELD_PAGES // 72 + (1 if c < HELD_PAGES % 72 else 0)
        left -= normal.cpu_count[c]
    assert left == 0 and max(normal.cpu_count.values()) <= normal.high_min
    return {"machine": m, "load": Load()}


VARIANTS = {"C06": c06}
