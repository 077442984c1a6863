# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "slab order from the wrong CPU count"
SOURCE = 'linux-mm, "Let number of online CPUs determine the slub page order", 2020-11 (memory) and 2021-01 (speed)'
REPORT = (
    "(a) arm64, 224 CPUs, 5.11-rc4: caches made while one CPU was online, at least 8 objects a slab (4 * (fls(1) + 1))",
    "(a) hackbench 9.135 s, 3.201 s with slub_min_objects=36: no file holds it, not written",
    "(b) Power guest, 64 KiB pages, 5.10-rc, 64 CPUs present (16 at boot and 48 hot-added), 64 possible",
    "(b) slabinfo of 5.10-rc: kmalloc-4k 32 objects in 2 pages, kmalloc-8k 32 in 4, task_struct 53 in 8; Slab 205760 kB",
    "(b) the change's 16/1, 8/1, 13/2 and 156096 kB are another kernel's: not written",
)
NEUTRAL = ("(a) 2 nodes, 128 GiB each, 4 KiB pages", "(b) one node, 64 GiB",
           "(b) task_struct of 9728 bytes: one of the sizes for which 53 objects fill 8 pages of 64 KiB and 13 fill 2")


def c09a():
    m = Machine("5.11", [Node(0, list(range(112)), 128 * GIB), Node(1, list(range(112, 224)), 128 * GIB)],
                arch="aarch64", release="5.11.0-rc4")
    return {"machine": m, "load": Load()}


def c09b():
    m = Machine("5.10", [Node(0, list(range(64)), 64 * GIB)], arch="ppc64le", page_bytes=65536, release="5.10.0-rc1")
    m.caches["task_struct"] = {"slab_size": 9728, "object_size": 9728, "usersize": 9728}
    seen = {c["dir"]: (c["objs_per_slab"], 1 << c["order"]) for c in m.cache_list()}
    assert (seen["kmalloc-4k"], seen["kmalloc-8k"], seen["task_struct"]) == ((32, 2), (32, 4), (53, 8)), seen
    load = Load(meminfo={"Slab": 205760, "SUnreclaim": 205760, "SReclaimable": 0, "KReclaimable": 0},
                gauges={"nr_slab_reclaimable": 0, "nr_slab_unreclaimable": 205760 // 64})
    return {"machine": m, "load": load}


VARIANTS = {"C09a": c09a, "C09b": c09b}
