# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "CPU-less persistent memory node gets 70 k pages per CPU"
SOURCE = "linux-mm 2021-05-28, thread on splitting pcp high for CPU-less nodes"
REPORT = (
    "96 CPUs, 128 GB DRAM, 5.13-rc2 plus the series that divides high by CPUs",
    "node 2 has no CPU; one zone, present 65011712, high watermark 134595, pageset high 69584 on all CPUs",
    "min_free_kbytes is the one for which the formula gives that high watermark (low is then 69584 = high: the division "
    "by local CPUs, of which there are none)",
    "count above 60000 on several CPUs: 60001 on three",
    "variant C08-released: pageset high 724 = 69584 / 96, the formula as released; the lists hold as much as it lets them",
)
NEUTRAL = (
    "managed = present in that zone; its name is Normal (the report has Normal/Movable)",
    "free pages are not given: half of the zone, far above twice the high watermark",
    "the other half of the 512 GB of persistent memory (another node) is left out; distances 10/20",
)
PMEM_PAGES, PMEM_HIGH, PAGESET_HIGH = 65011712, 134595, 69584


def build(min_free_kbytes):
    nodes = [Node(0, list(range(48)), 64 * GIB), Node(1, list(range(48, 96)), 64 * GIB),
             Node(2, [], PMEM_PAGES * 4096)]
    return Machine("5.13-series", nodes, min_free_kbytes=min_free_kbytes,
                   zones={(2, "Normal"): {"managed": PMEM_PAGES, "present": PMEM_PAGES}})


def make(high, several):
    wanted_min = PAGESET_HIGH - PMEM_PAGES * 10 // 10000           # low - gap
    lowmem = build(4096).lowmem()
    m = build((wanted_min * lowmem // PMEM_PAGES + 1) * 4)
    zone = m.zone(2, "Normal")
    assert (zone.low, zone.high, zone.high_min) == (PAGESET_HIGH, PMEM_HIGH, PAGESET_HIGH // 96), vars(zone)
    zone.cpu_high = {c: high for c in m.online}
    zone.cpu_count = {c: (several if c < 3 else 0) for c in m.online}
    zone.free = zone.managed // 2
    return {"machine": m, "load": Load()}


VARIANTS = {"C08": lambda: make(PAGESET_HIGH, 60001), "C08-released": lambda: make(PAGESET_HIGH // 96, PAGESET_HIGH // 96)}
