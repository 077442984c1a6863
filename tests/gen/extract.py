#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes the layout of every file of a kernel from one real capture: keys and their order, the exact text before
each number, modes, the caches and their sizes. The generator prints its own numbers in these layouts.

    extract.py CAPTURE.tgz NAME       writes layouts/NAME.json beside this file
"""
import json
import os
import re
import sys
import tarfile

import kernels

SYSCTLS = ("percpu_pagelist_fraction", "percpu_pagelist_high_fraction", "watermark_scale_factor", "min_free_kbytes",
           "zone_reclaim_mode", "compaction_proactiveness", "watermark_boost_factor", "lowmem_reserve_ratio",
           "extfrag_threshold", "stat_interval", "numa_stat", "defrag_mode")
SKIPPED = ("objects", "objects_partial", "alloc_calls", "free_calls", "validate", "shrink")
PER_CACHE = ("object_size", "slab_size", "align", "reclaim_account", "hwcache_align", "destroy_by_rcu", "usersize", "ctor")


def load(path):
    """Files of the first snapshot: {path: (mode, text)}, and links {path: target}."""
    files, links = {}, {}
    with tarfile.open(path) as tar:
        members = [m for m in tar.getmembers() if re.match(r"(\./)?\d{8}/", m.name)]
        first = min(m.name.removeprefix("./").split("/")[0] for m in members)
        for m in members:
            name = m.name.removeprefix("./")
            if not name.startswith(first + "/"):
                continue
            rel = name[len(first) + 1:]
            if m.issym():
                links[rel] = m.linkname
            elif m.isfile():
                files[rel] = (m.mode & 0o7777, tar.extractfile(m).read().decode("utf-8", "replace"))
    return files, links


def before_number(line):
    return re.match(r"(.*?)\d+$", line).group(1)


def zoneinfo(text):
    """The layout of a populated zone that prints the per-node lines, and of its first pageset."""
    zones = re.split(r"(?m)^(?=Node )", text)[1:]
    lines = next(z for z in zones if "per-node stats" in z and "pagesets" in z).rstrip("\n").split("\n")
    at = {key: next(i for i, s in enumerate(lines) if s.startswith(key)) for key in
          ("  per-node stats", "  pages free", "        protection", "  pagesets", "    cpu:", "  vm stats")}
    last = max(i for i, s in enumerate(lines) if s.startswith("  vm stats"))
    return {"node_stats": [before_number(s) for s in lines[1 + at["  per-node stats"]:at["  pages free"]]],
            "head": [before_number(s) for s in lines[at["  pages free"]:at["        protection"]]],
            "zone_stats": [before_number(s) for s in lines[1 + at["        protection"]:at["  pagesets"]]],
            "pageset": [before_number(s) for s in lines[1 + at["    cpu:"]:at["  vm stats"]]],
            "tail": [before_number(s) for s in lines[last + 1:]],
            "zones": [re.match(r"Node\s+0, zone\s+(\S+)", z).group(1) for z in zones if z.startswith("Node 0,")]}


def keyed(text):
    """(text before the number, number width, text behind) of "Key:   123 kB" lines."""
    rows = []
    for line in text.splitlines():
        m = re.match(r"(.*?:)( *)(\d+)( kB)?$", line)
        rows.append([m.group(1), len(m.group(2)) + len(m.group(3)), m.group(4) or ""])
    return rows


def slabs(files, links):
    base = "sys/kernel/slab/"
    aliases = {}
    for link, target in links.items():
        if link.startswith(base):
            aliases.setdefault(target, []).append(link[len(base):])
    dirs = sorted({p[len(base):].split("/")[0] for p in files if p.startswith(base)})
    sample = next(d for d in dirs if d.startswith("kmalloc-"))
    attrs = {p.rsplit("/", 1)[1]: m for p, (m, _) in files.items() if p.startswith(f"{base}{sample}/")}
    caches = []
    for d in dirs:
        row = {"dir": d, "aliases": sorted(aliases.get(d, []))}
        for a in PER_CACHE:
            value = files.get(f"{base}{d}/{a}", (0, "0"))[1].rstrip("\n")
            row[a] = int(value) if value.isdigit() else value
        sheaf = files.get(f"{base}{d}/sheaf_capacity")
        if sheaf and int(sheaf[1]) != kernels.sheaf_capacity(row["slab_size"], 4096):
            row["sheaf_capacity"] = int(sheaf[1])    # none, or asked for by the cache's owner (maple_node)
        caches.append(row)
    order = [line.split()[0] for line in files["proc/slabinfo"][1].splitlines()[2:]]
    return {"attrs": {a: m for a, m in sorted(attrs.items()) if a not in SKIPPED}, "caches": caches, "slabinfo": order}


def layout(files, links):
    thp = "sys/kernel/mm/transparent_hugepage/"
    node = "sys/devices/system/node/node0/"
    return {
        "release": files["proc/sys/kernel/osrelease"][1].strip(),
        "version": files["proc/version"][1].strip(),
        "vmstat": [line.split()[0] for line in files["proc/vmstat"][1].splitlines()],
        "meminfo": keyed(files["proc/meminfo"][1]),
        "node_meminfo": keyed(files[node + "meminfo"][1]),
        "node_vmstat": [line.split()[0] for line in files[node + "vmstat"][1].splitlines()],
        "zoneinfo": zoneinfo(files["proc/zoneinfo"][1]),
        "buddyinfo_orders": len(files["proc/buddyinfo"][1].splitlines()[0].split()) - 4,
        "pressure": {f: [files["proc/pressure/" + f][0], [s.split()[0] for s in files["proc/pressure/" + f][1].splitlines()]]
                     for f in ("cpu", "io", "memory")},
        "sysctl": {s: [files["proc/sys/vm/" + s][0], files["proc/sys/vm/" + s][1].rstrip("\n")]
                   for s in SYSCTLS if "proc/sys/vm/" + s in files},
        "thp": {p[len(thp):]: [m, t.rstrip("\n")] for p, (m, t) in sorted(files.items()) if p.startswith(thp)},
        "slab": slabs(files, links),
    }


def write(data, path):
    """JSON with one row a line where rows are many, so that a diff can be read."""
    def dump(v, depth):
        if isinstance(v, dict) and depth < 3 and v:
            rows = [f'{json.dumps(k)}: {dump(x, depth + 1)}' for k, x in v.items()]
            return "{\n" + ",\n".join(rows) + "\n}"
        if isinstance(v, list) and v and isinstance(v[0], (dict, list)):
            return "[\n" + ",\n".join(json.dumps(x) for x in v) + "\n]"
        return json.dumps(v)
    with open(path, "w", encoding="utf-8") as f:
        f.write(dump(data, 0) + "\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: extract.py CAPTURE.tgz NAME")
    files, links = load(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    write(layout(files, links), os.path.join(here, "layouts", sys.argv[2] + ".json"))


if __name__ == "__main__":
    main()
