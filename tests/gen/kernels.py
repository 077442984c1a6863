# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernels compute: per-CPU list sizes, watermarks, slab orders, cpu_partial. Written from the kernel's
formulas alone, so that it checks the program rather than repeats it. Integer division everywhere.

A kernel class is a layout (a real capture) and the rules of that class; a class between two captured kernels
borrows the nearest layout, with the names that its own time did not know taken out.
"""
import json
import math
import os
from dataclasses import dataclass, field

INT_MAX_ORDER_OBJECTS = 32767  # MAX_OBJS_PER_PAGE, mm/slub.c
MAX_ORDER_DEFAULT = 3          # PAGE_ALLOC_COSTLY_ORDER
MIN_FREE_FLOOR_KB, MIN_FREE_CEILING_KB = 128, 262144


@dataclass
class Kernel:
    name: str
    layout: str
    release: str
    pcp: str                 # fraction: high = managed/f, moves batch; high; auto (tuned); shown (tuned, high_min printed)
    slab_cpus: str           # ids: nr_cpu_ids; one: CPUs online when caches are made; present
    slab_loop: str = "old"   # old: one object fewer when nothing fits; new (6.7): down to half a slab of waste
    partial: str = "objects"  # cpu_partial defaults: objects (to 5.15), slabs (5.16), sheaf (7.x)
    batch_cap_bytes: int = 1024 * 1024   # zone_batchsize(): 512 KiB before 4.19
    min_free_ceiling_kb: int = MIN_FREE_CEILING_KB   # 65536 before 5.7
    order_mode: int = 0o400  # 0600 before 5.9, when order could still be written
    without: tuple = field(default_factory=tuple)  # files and keys of the borrowed layout that this class lacks

    def sysctl_name(self):
        return "percpu_pagelist_fraction" if self.pcp == "fraction" else "percpu_pagelist_high_fraction"


OLD = ("pressure", "sysctl:compaction_proactiveness", "sysctl:watermark_boost_factor", "meminfo:KReclaimable",
       "meminfo:FileHugePages", "meminfo:FilePmdMapped", "key:thp_fault_fallback_charge", "key:nr_foll_pin_acquired",
       "key:nr_foll_pin_released", "key:thp_file_fallback", "key:thp_file_fallback_charge", "key:nr_file_hugepages",
       "key:nr_file_pmdmapped", "key:pgreuse", "thp:khugepaged/max_ptes_shared")
OLD_4 = {"min_free_ceiling_kb": 65536, "order_mode": 0o600, "without": OLD}

KERNELS = {k.name: k for k in (
    Kernel("4.18", "5.10", "4.18.0", "fraction", "ids", batch_cap_bytes=512 * 1024, **OLD_4),
    Kernel("4.19", "5.10", "4.19.0", "fraction", "ids", **OLD_4),
    Kernel("5.10", "5.10", "5.10.0-32-amd64", "fraction", "ids"),
    Kernel("5.11", "5.10", "5.11.0", "fraction", "one"),
    Kernel("5.13", "5.10", "5.13.0", "fraction", "present"),
    Kernel("5.13-series", "5.10", "5.13.0-rc2", "high", "present"),
    Kernel("5.15", "6.1", "5.15.0", "high", "present", partial="objects"),
    Kernel("6.1", "6.1", "6.1.0-37-amd64", "high", "present", partial="slabs"),
    Kernel("6.5", "6.1", "6.5.0", "high", "present", partial="slabs"),
    Kernel("6.7", "6.12", "6.7.0", "auto", "present", "new", "slabs"),
    Kernel("6.10", "6.12", "6.10.0", "auto", "present", "new", "slabs"),
    Kernel("6.12", "6.12", "6.12.117+deb13-amd64", "auto", "present", "new", "slabs"),
    Kernel("6.16", "6.12", "6.16.0", "shown", "present", "new", "slabs"),
    Kernel("7.2", "7.2", "7.2.12", "shown", "present", "new", "sheaf"),
    Kernel("7.3", "7.3", "7.3.4+deb13-amd64", "shown", "present", "new", "sheaf"),
)}


def layout_of(kernel):
    """The borrowed layout with what this class lacks taken out."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layouts", kernel.layout + ".json")
    with open(path, encoding="utf-8") as f:
        lay = json.load(f)
    gone = {}
    for item in kernel.without:
        kind, _, name = item.partition(":")
        gone.setdefault(kind, set()).add(name)
    keys = gone.get("key", set())
    zone = lay["zoneinfo"]
    lay["vmstat"] = [k for k in lay["vmstat"] if k not in keys]
    lay["node_vmstat"] = [k for k in lay["node_vmstat"] if k not in keys]
    for part in ("node_stats", "zone_stats"):
        zone[part] = [p for p in zone[part] if p.strip() not in keys]
    for part in ("meminfo", "node_meminfo"):
        lay[part] = [r for r in lay[part] if r[0].split()[-1].rstrip(":") not in gone.get("meminfo", set())]
    for part in ("sysctl", "thp"):
        lay[part] = {k: v for k, v in lay[part].items() if k not in gone.get(part, set())}
    if "pressure" in gone:
        lay["pressure"] = {}
    own, other = kernel.sysctl_name(), {"percpu_pagelist_fraction", "percpu_pagelist_high_fraction"}
    lay["sysctl"] = {k: v for k, v in lay["sysctl"].items() if k not in other - {own}}
    lay["sysctl"].setdefault(own, [0o644, "0"])
    if kernel.pcp == "shown" and len(zone["pageset"]) == 3:   # 6.13 widened the labels when it added two
        zone["pageset"] = [p for name in ("count:", "high:", "batch:", "high_min:", "high_max:")
                           for p in ["              " + name.ljust(10)]]
    return lay


def rounddown_pow2(n):
    return 1 << (n.bit_length() - 1)


def fls(n):
    return n.bit_length()


def get_order(size, page):
    pages = -(-size // page)
    return (pages - 1).bit_length() if pages > 1 else 0


def batch_raw(kernel, managed, page):
    """zone_batchsize(), mm/page_alloc.c: before the caller's floor of 1."""
    if kernel.partial == "sheaf":
        b = min(managed >> 12, 256 * 1024 // page)
        return 1 if b <= 1 else rounddown_pow2(b + b // 2) - 1
    b = max(min(managed // 1024, kernel.batch_cap_bytes // page) // 4, 1)
    return rounddown_pow2(b + b // 2) - 1


def pcp(kernel, managed, low, local_cpus, online_cpus, fraction, page):
    """(batch, high_min, high_max) of every CPU in one zone. Equal where the kernel does not tune."""
    raw = batch_raw(kernel, managed, page)
    batch = max(raw, 1)
    if kernel.pcp == "fraction":   # pageset_set_high_and_batch(): not divided by CPUs; 96 = PAGE_SHIFT * 8
        if fraction:
            high = managed // fraction
            shift = page.bit_length() - 1
            return max(min(high // 4, shift * 8), 1), high, high
        return batch, 6 * raw, 6 * raw
    n = local_cpus or online_cpus
    floor = 4 * batch
    if fraction:
        high = max(managed // fraction // n, floor)
        return batch, high, high
    low_high = max(low // n, floor)
    if kernel.pcp == "high":
        return batch, low_high, low_high
    return batch, low_high, max(managed // 8 // n, floor)


def min_free_kb(kernel, lowmem_pages, zones_to_normal, page, thp, pageblock_pages):
    """init_per_zone_wmark_min() and set_recommended_min_free_kbytes()."""
    kb = lowmem_pages * page // 1024
    value = min(max(math.isqrt(kb * 16), MIN_FREE_FLOOR_KB), kernel.min_free_ceiling_kb)
    if thp:
        pages = min(11 * pageblock_pages * zones_to_normal, lowmem_pages // 20)
        value = max(value, pages * page // 1024)
    return value


def watermarks(kernel, name, managed, pages_min, lowmem, scale):
    """(min, low, high) of __setup_per_zone_wmarks()."""
    movable_apart = name == "Movable" and kernel.layout in ("6.12", "7.2", "7.3") and kernel.name != "6.7"
    share = pages_min * managed // lowmem if lowmem else 0
    wmin = min(max(managed // 1024, 32), 128) if movable_apart else share
    gap = max(share // 4, managed * scale // 10000)
    return wmin, wmin + gap, wmin + 2 * gap


def slab_order(kernel, size, cpus, page, min_objects=0, max_order=MAX_ORDER_DEFAULT, min_order=0):
    """calculate_order(), mm/slub.c. cpus: what the class counts (see Kernel.slab_cpus)."""
    want = min_objects or 4 * (fls(cpus) + 1)
    fits = (page << max_order) // size
    if kernel.slab_loop == "new":
        want = min(want, max(fits, 1))
        start = max(min_order, get_order(want * size, page))
        if (page << start) // size > INT_MAX_ORDER_OBJECTS:
            return get_order(size * INT_MAX_ORDER_OBJECTS, page) - 1
        for fraction in (16, 8, 4, 2):
            for order in range(start, max_order + 1):
                if (page << order) % size <= (page << order) // fraction:
                    return order
        return get_order(size, page)
    want = min(want, fits)
    while want > 1:
        for fraction in (16, 8, 4):
            order = _old_order(size, want, max_order, fraction, page, min_order)
            if order <= max_order:
                return order
        want -= 1
    order = _old_order(size, 1, max_order, 1, page, min_order)
    return order if order <= max_order else _old_order(size, 1, 11, 1, page, min_order)


def _old_order(size, want, max_order, fraction, page, min_order):
    if (page << min_order) // size > INT_MAX_ORDER_OBJECTS:
        return get_order(size * INT_MAX_ORDER_OBJECTS, page) - 1
    for order in range(max(min_order, get_order(want * size, page)), max_order + 1):
        if (page << order) % size <= (page << order) // fraction:
            return order
    return max_order + 1


def cpu_partial(kernel, size, page):
    """set_cpu_partial(); in the class with sheaves the file is a stub that reads 0."""
    table = {"objects": (2, 6, 13, 30), "slabs": (6, 24, 52, 120), "sheaf": (0, 0, 0, 0)}[kernel.partial]
    return table[0 if size >= page else 1 if size >= 1024 else 2 if size >= 256 else 3]


def sheaf_capacity(size, page):
    return (4, 12, 28, 60)[0 if size >= page else 1 if size >= 1024 else 2 if size >= 256 else 3]


def min_partial(size):
    return min(max((size.bit_length() - 1) // 2, 5), 10)
