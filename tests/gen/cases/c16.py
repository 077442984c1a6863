# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = 'database vendors say "disable transparent huge pages"'
SOURCE = "redis/redis#2844, #7381; Oracle database install notes (19c: disable; 23ai: madvise on newer kernels)"
REPORT = (
    "enabled is never, madvise (the operator followed the vendor: a tmpfiles.d line says so) or always (nobody set it)",
    "always: AnonHugePages high: more than half of AnonPages; huge pages are faulted in: one a second",
)
NEUTRAL = ("8 CPUs, one node, 32 GiB", "kernel 6.1 class", "the way the operator set it: tmpfiles.d")


def make(word):
    m = Machine("6.1", [Node(0, list(range(8)), 32 * GIB)], thp={"enabled": word})
    load, etc = Load(rates={"pgalloc_normal": 1000}, cpu={"system": 0.02}), {}
    if word == "always":
        load.gauges = {"nr_anon_transparent_hugepages": 2049, "nr_anon_pages": 4096 * 512}
        load.meminfo = {"AnonHugePages": 2049 * 2048, "AnonPages": 4096 * 2048}
        load.rates["thp_fault_alloc"] = 1
    else:
        etc["etc/tmpfiles.d/database.conf"] = f"w /sys/kernel/mm/transparent_hugepage/enabled - - - - {word}\n"
    return {"machine": m, "load": load, "etc": etc}


VARIANTS = {"C16-never": lambda: make("never"), "C16-madvise": lambda: make("madvise"), "C16-always": lambda: make("always")}
