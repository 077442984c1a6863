# SPDX-License-Identifier: GPL-2.0-or-later
from cases import signal
from machine import GIB, Machine, Node
from moment import Load

TITLE = "three quarters of all cycles on node list_lock"
SOURCE = 'linux-mm 2023-09-05, "mm/slub: reduce contention of per-node list_lock for large systems" (RFC)'
REPORT = (
    "2-socket Sapphire Rapids, 224 CPUs, 256 GB, 6.5",
    "slow path 43.80 % at 50 % load: list-lock-wait 438000 ppm, system; kernel CPU the same share, busy half the time",
    "the cache that the callers name (mmap objects): list-lock-wait 438000 ppm, cache:vm_area_struct",
)
NEUTRAL = (
    "a row of all waiting for one cache (the report: one or two)",
    "vm_area_struct is a directory of its own; 152 bytes (6.1's build)",
    "1000000 pages/s: the list waiting of a page is far over any limit at every rate below 900 million",
)


def c12():
    m = Machine("6.5", [Node(0, list(range(112)), 128 * GIB), Node(1, list(range(112, 224)), 128 * GIB)])
    owner = next(r for r in m.layout["slab"]["caches"] if "vm_area_struct" in r["aliases"])
    owner["aliases"] = [a for a in owner["aliases"] if a != "vm_area_struct"]
    m.extra_caches.append({**owner, "dir": "vm_area_struct", "aliases": []})
    if not owner["aliases"]:
        m.layout["slab"]["caches"].remove(owner)
    load = Load(rates={"pgalloc_normal": 1000000}, cpu={"system": 0.438, "user": 0.062})
    return {"machine": m, "load": load, "signals": [
        signal("list-lock-wait", 438000, "ppm"), signal("list-lock-wait", 438000, "ppm", "cache:vm_area_struct")]}


VARIANTS = {"C12": c12}
