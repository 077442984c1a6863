# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "network throughput a third lower after 6.6 -> 6.12 on 768 vCPUs"
SOURCE = 'linux-mm 2025-04, "mm: pcp: increase pcp->free_count threshold to trigger free_high"; deepin-community/kernel#791'
REPORT = (
    "2 nodes of 384 vCPUs, 6.12",
    "lists empty all the time: count 0 on every CPU",
    "iperf3 index 100 / 69 / 100 and the free_count limits 530 and 63 have no file: not written",
)
NEUTRAL = ("memory: 768 GiB a node", "100000 pages/s; 2 % kernel CPU", "release 6.12.0")


def c04():
    m = Machine("6.12", [Node(0, list(range(384)), 768 * GIB), Node(1, list(range(384, 768)), 768 * GIB)], release="6.12.0")
    for z in m.zones:
        z.cpu_count = {c: 0 for c in z.cpu_count}
    return {"machine": m, "load": Load(rates={"pgalloc_normal": 100000}, cpu={"system": 0.02})}


VARIANTS = {"C04": c04}
