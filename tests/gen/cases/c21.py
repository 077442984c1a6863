# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = '"page allocation failure": order 8, and order 0 in interrupts'
SOURCE = ("ntop/PF_RING#1018, #1001 (order 8); Seagate/cortx-prvsnr#5465, coreos/bugs#1106, dCache/dcache#3787, "
          "openzfs/zfs#325 (order 0)")
REPORT = (
    "order 8: RHEL 8.10, 4.18; the failure line, GFP_KERNEL|COMP|ZERO, in kmsg with the module that is loaded",
    "order 0: 4.9, at least 45 CPUs as swapper/44 is named; the lines with mode 0x20 in kmsg",
    "order 0: node 0 Normal free 2264 kB, min 13224, low 16528, high 19836 kB: 566, 3306, 4132, 4959 pages; its buddy line",
)
NEUTRAL = ("order 8: 32 CPUs, one node, 64 GiB; the name of the failing task", "order 0: 48 CPUs, one node, 32 GiB",
           "order 0: blocks of order 4 and up are 0, as the report cuts its line off there; nothing parked in that zone",
           "THP enabled madvise (it decides only the default of min_free_kbytes)")


def order8():
    m = Machine("4.18", [Node(0, list(range(32)), 64 * GIB)], release="4.18.0-553.el8_10.x86_64", thp={"enabled": "madvise"})
    kmsg = ("[70000.000000] unshare: page allocation failure: order:8, mode:0x60c0c0(GFP_KERNEL|__GFP_COMP|__GFP_ZERO), "
            "nodemask=(null)\n[70000.000100] Modules linked in: pf_ring(OE)\n")
    return {"machine": m, "load": Load(), "kmsg": kmsg}


def order0():
    m = Machine("4.18", [Node(0, list(range(48)), 32 * GIB)], release="4.9.0", thp={"enabled": "madvise"},
                zones={(0, "Normal"): {"min": 3306, "low": 4132, "high": 4959}})
    normal = m.zone(0, "Normal")
    normal.free = 566
    normal.cpu_count = {c: 0 for c in m.online}
    # the watermarks are reported, so is what they mean for min_free_kbytes: min * lowmem / managed
    m.min_free_kb = 3306 * 4 * m.lowmem() // normal.managed
    lines = [f"[80000.{i:06d}] {task}: page allocation failure: order:0, mode:0x20\n"
             for i, task in enumerate(("swapper/21", "swapper/44"))]
    blocks = [486, 46, 2, 0] + [0] * 7
    return {"machine": m, "load": Load(), "kmsg": "".join(lines), "zone_changes": [{(0, "Normal"): {"blocks": blocks}}]}


VARIANTS = {"C21-order8": order8, "C21-order0": order0}
