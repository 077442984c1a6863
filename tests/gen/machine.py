# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine as numbers: nodes, zones, CPUs and what its kernel computes from them. Nothing is printed here.

Units are in the names. Free, parked and used pages of a zone add up to its managed pages.
"""
import random
from dataclasses import dataclass, field

import kernels

MIB = 1 << 20
GIB = 1 << 30
PMD_ORDER = {4096: 9, 65536: 13}   # 2 MiB; 512 MiB with 64 KiB pages (arm64; Power's radix uses 2 MiB: order 5)


@dataclass
class Node:
    id: int
    cpus: list
    memory_bytes: int = 0
    movable_bytes: int = 0      # taken from memory_bytes, given to ZONE_MOVABLE
    distance: dict = field(default_factory=dict)


@dataclass
class Zone:
    node: int
    name: str
    start_pfn: int = 0
    spanned: int = 0
    present: int = 0
    managed: int = 0
    free: int = 0
    min: int = 0
    low: int = 0
    high: int = 0
    batch: int = 0
    high_min: int = 0
    high_max: int = 0
    cpu_high: dict = field(default_factory=dict)   # what a CPU shows now
    cpu_count: dict = field(default_factory=dict)

    def parked(self):
        return sum(self.cpu_count.values())

    def populated(self):
        return self.present > 0


class Machine:
    def __init__(self, kernel, nodes, **opt):
        self.kernel = kernels.KERNELS[kernel] if isinstance(kernel, str) else kernel
        self.layout = kernels.layout_of(self.kernel)
        self.nodes = sorted(nodes, key=lambda n: n.id)
        self.page = opt.pop("page_bytes", 4096)
        self.arch = opt.pop("arch", "x86_64")
        self.release = opt.pop("release", self.kernel.release)
        self.offline = set(opt.pop("offline", ()))
        all_cpus = sorted(c for n in self.nodes for c in n.cpus)
        self.present = opt.pop("present", all_cpus)
        self.possible = opt.pop("possible", self.present)
        self.online = [c for c in all_cpus if c not in self.offline]
        self.fraction = opt.pop("fraction", 0)
        self.scale = opt.pop("watermark_scale_factor", 10)
        self.min_free_kb = opt.pop("min_free_kbytes", None)
        self.thp = opt.pop("thp", {})            # {"enabled": "madvise", ...}: the chosen word or the number
        self.sysctl = opt.pop("sysctl", {})
        self.cmdline = opt.pop("cmdline", "root=/dev/sda1 ro quiet")
        self.free_ppm = opt.pop("free_ppm", 500000)
        self.slab_cpus_count = opt.pop("slab_cpus", None)
        self.min_objects = opt.pop("slab_min_objects", 0)
        self.zone_list = opt.pop("zones", None)  # {(node, name): {"managed": ..., "free": ...}}: a report's own figures
        self.seed = opt.pop("seed", 1)
        self.uptime_s = opt.pop("uptime_s", 86400)
        self.caches = {}                         # dir -> overrides
        self.extra_caches = []
        if opt:
            raise ValueError(f"unknown machine options: {sorted(opt)}")
        self.random = random.Random(self.seed)
        self.zones = []
        self._make_zones()
        self._compute()

    # -- topology

    def local_cpus(self, node_id):
        return [c for n in self.nodes if n.id == node_id for c in n.cpus if c not in self.offline]

    def pmd_order(self):
        return 5 if self.arch.startswith("ppc64") and self.page == 65536 else PMD_ORDER[self.page]

    def zone_names(self):
        names = self.layout["zoneinfo"]["zones"]
        return [n for n in names if n in ("Normal", "Movable", "Device")] if self.arch.startswith("ppc64") else names

    def _make_zones(self):
        """x86: the first 16 MiB are DMA, below 4 GiB (a quarter of it a hole) DMA32, the rest Normal; nodes follow
        each other in the address space. Power has Normal only."""
        per_mib = MIB // self.page
        hole = 3 * GIB
        base = 0
        for node in self.nodes:
            left = node.memory_bytes - node.movable_bytes
            got = {}
            if self.arch.startswith("ppc64"):
                got["Normal"] = (base, left)
                base += node.memory_bytes
            else:
                if base == 0 and left:
                    take = min(left, 16 * MIB)
                    got["DMA"], left, base = (0, take), left - take, take
                if base < hole and left:
                    take = min(left, hole - base)
                    got["DMA32"], left, base = (base, take), left - take, base + take
                if base == hole:
                    base = 4 * GIB
                if left:
                    got["Normal"], base = (base, left), base + left
            if node.movable_bytes:
                got["Movable"] = (base, node.movable_bytes)
                base += node.movable_bytes
            for name in self.zone_names():
                zone = Zone(node.id, name)
                if name in got and got[name][1]:
                    start, size = got[name]
                    zone.start_pfn = max(start // self.page, 1)
                    zone.spanned = size // self.page - (1 if start == 0 else 0)
                    # memmap and reserved: 64 bytes a page, and what firmware keeps of the first 16 MiB
                    zone.present = zone.spanned - (97 * per_mib // 256 if name == "DMA" else 0)
                    zone.managed = zone.present - (zone.present * 64 // self.page) - (96 * per_mib // 256 if name == "DMA" else 0)
                self.zones.append(zone)
        for (node_id, name), values in (self.zone_list or {}).items():
            zone = self.zone(node_id, name)
            for key, value in values.items():
                setattr(zone, key, value)
            zone.present = max(zone.present, zone.managed) if "present" not in values else zone.present
            zone.spanned = max(zone.spanned, zone.present)

    def zone(self, node_id, name):
        return next(z for z in self.zones if z.node == node_id and z.name == name)

    def managed(self):
        return sum(z.managed for z in self.zones)

    # -- what the kernel computes

    def lowmem(self):
        """ZONE_MOVABLE is lowmem until 6.12 leaves it out of the watermark sum."""
        apart = self.kernel.layout in ("6.12", "7.2", "7.3")
        return sum(z.managed for z in self.zones if not (apart and z.name == "Movable"))

    def _compute(self):
        fixed = self.zone_list or {}
        thp_on = self.thp.get("enabled", "always") != "never"
        zones = sum(1 for z in self.zones if z.managed and z.name in ("DMA", "DMA32", "Normal"))
        if self.min_free_kb is None:
            buffers = sum(z.managed for z in self.zones if z.name != "Movable")
            self.min_free_kb = kernels.min_free_kb(self.kernel, buffers, zones, self.page, thp_on, 1 << self.pmd_order())
        pages_min = self.min_free_kb * 1024 // self.page
        lowmem = self.lowmem()
        for z in self.zones:
            given = fixed.get((z.node, z.name), {})
            node = next(n for n in self.nodes if n.id == z.node)
            if z.name != "Device" and (z.managed or node.memory_bytes):
                wmin, low, high = kernels.watermarks(self.kernel, z.name, z.managed, pages_min, lowmem, self.scale)
                z.min, z.low, z.high = given.get("min", wmin), given.get("low", low), given.get("high", high)
            if not z.populated():
                continue
            local = len(self.local_cpus(z.node))
            z.batch, z.high_min, z.high_max = kernels.pcp(
                self.kernel, z.managed, z.low, local, len(self.online), self.fraction, self.page)
            tiny = z.name == "DMA"
            for c in self.online:
                if "cpu_high" not in given:
                    z.cpu_high[c] = 0 if tiny and self.kernel.pcp in ("auto", "shown") else z.high_min
                if "cpu_count" not in given:
                    z.cpu_count[c] = 0 if tiny else min(z.batch, z.high_min)
            if "free" not in given:
                z.free = (z.managed - z.parked()) * self.free_ppm // 1000000

    def slab_cpus(self):
        """CPUs that the class counts when it sizes slabs."""
        if self.slab_cpus_count:
            return self.slab_cpus_count
        if self.kernel.slab_cpus == "one":
            return 1
        ids = max(self.possible) + 1
        if self.kernel.slab_cpus == "ids":
            return ids
        return len(self.present) if len(self.present) > 1 else ids

    def cache_list(self):
        """Caches of the layout with this machine's order, objects per slab, cpu_partial, min_partial, in the order of
        their directories. The size of an object is the layout's: it comes from the kernel's build."""
        rows = []
        for row in self.layout["slab"]["caches"] + self.extra_caches:
            own = {**row, **self.caches.get(row["dir"], {})}
            size = own["slab_size"]
            if "order" not in own:
                own["order"] = kernels.slab_order(self.kernel, size, self.slab_cpus(), self.page, self.min_objects)
            own.setdefault("objs_per_slab", (self.page << own["order"]) // size)
            own.setdefault("cpu_partial", kernels.cpu_partial(self.kernel, size, self.page))
            own.setdefault("min_partial", kernels.min_partial(size))
            own.setdefault("sheaf_capacity", kernels.sheaf_capacity(size, self.page))
            own.setdefault("slabs", {n.id: 1 for n in self.nodes if n.memory_bytes})
            own.setdefault("partial", {})
            rows.append(own)
        return sorted(rows, key=lambda r: r["dir"])
