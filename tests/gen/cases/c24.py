# SPDX-License-Identifier: GPL-2.0-or-later
from cases import signal
from machine import GIB, Machine, Node
from moment import Load

TITLE = "constant disk reads on a NUMA host although memory is free"
SOURCE = 'blog "frosty-postgres" 2012, blog of the mail provider Fastmail, pgsql-performance list 2012'
REPORT = (
    "zone_reclaim_mode = 1",
    "one node full, the other free: free pages of node 0's DMA32 and Normal one below their low watermark",
    "2000 reads a second from the SSD: external:ssd-reads",
)
NEUTRAL = ("2 nodes of 8 CPUs, 32 GiB each", "kernel 5.10 class (the reports are of 2012)", "the full node is node 0")


def c24():
    m = Machine("5.10", [Node(0, list(range(8)), 32 * GIB), Node(1, list(range(8, 16)), 32 * GIB)],
                sysctl={"zone_reclaim_mode": 1})
    for name in ("DMA32", "Normal"):
        zone = m.zone(0, name)
        zone.free = zone.low - 1
    return {"machine": m, "load": Load(rates={"pgalloc_normal": 10000}, cpu={"system": 0.05}),
            "signals": [signal("external:ssd-reads", 2000, "1/s", evidence="counted")]}


VARIANTS = {"C24": c24}
