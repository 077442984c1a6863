# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "reading slabinfo locks the machine up"
SOURCE = "Atoptool/atop#204 (RHEL 8.4, 4.18); linux-mm 2024, the change that bounds the partial list count"
REPORT = (
    "RHEL 8.4, 4.18; the watchdog line in kmsg; at least 12 CPUs, as CPU#11 is named",
    "long partial lists: 10001 partial slabs of dentry, one more than later kernels would walk",
)
NEUTRAL = ("12 CPUs, one node, 32 GiB", "the longest list is dentry's")


def c13():
    m = Machine("4.18", [Node(0, list(range(12)), 32 * GIB)], release="4.18.0-305.el8.x86_64")
    m.caches["dentry"] = {"slabs": {0: 10001}, "partial": {0: 10001}}
    return {"machine": m, "load": Load(), "kmsg": "[50000.000000] watchdog: BUG: soft lockup - CPU#11 stuck for 23s! [atop]\n"}


VARIANTS = {"C13": c13}
