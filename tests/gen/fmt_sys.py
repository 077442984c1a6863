# SPDX-License-Identifier: GPL-2.0-or-later
"""/sys: the slab caches with their links, transparent_hugepage, CPUs and nodes."""
import re

import fmt_proc
import fmt_zone

THP = "sys/kernel/mm/transparent_hugepage/"
CPU = "sys/devices/system/cpu/"
NODE = "sys/devices/system/node/"


def id_list(ids):
    """0-3,8 as the kernel prints it; an empty set is an empty line."""
    parts, ids = [], sorted(ids)
    for i in ids:
        if parts and i == parts[-1][1] + 1:
            parts[-1][1] = i
        else:
            parts.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def spread(per_node):
    """"36 N0=25 N1=11": the sum, then the nodes that have any."""
    total = sum(per_node.values())
    return " ".join([str(total)] + [f"N{n}={v}" for n, v in sorted(per_node.items()) if v])


def slab_values(cache, sheaves):
    slabs, objs = cache["slabs"], cache["objs_per_slab"]
    values = {a: cache[a] for a in ("object_size", "slab_size", "align", "reclaim_account", "hwcache_align", "destroy_by_rcu",
                                    "usersize", "ctor", "order", "objs_per_slab", "cpu_partial", "min_partial")}
    values.update({"aliases": len(cache["aliases"]) - 1 if cache["dir"].startswith(":") else 0,
                   "remote_node_defrag_ratio": 100, "slabs": spread(slabs), "partial": spread(cache["partial"]),
                   "total_objects": spread({n: v * objs for n, v in slabs.items()}),
                   "cpu_slabs": 0, "slabs_cpu_partial": "0(0)"})
    if sheaves:
        values["sheaf_capacity"] = cache["sheaf_capacity"]
    values.update(cache.get("files", {}))
    return values


def slab(machine):
    """(files, links) of /sys/kernel/slab. The same in every snapshot unless a case says otherwise."""
    files, links = {}, {}
    attrs = machine.layout["slab"]["attrs"]
    sheaves = machine.kernel.partial == "sheaf"
    for cache in machine.cache_list():
        base = f"sys/kernel/slab/{cache['dir']}/"
        values = slab_values(cache, sheaves)
        for name, mode in attrs.items():
            if name == "order":
                mode = machine.kernel.order_mode
            files[base + name] = (mode, f"{values.get(name, 0)}\n")
        for alias in cache["aliases"]:
            links["sys/kernel/slab/" + alias] = cache["dir"]
    return files, links


def choose(text, word):
    words = [w.strip("[]") for w in text.split()]
    if word not in words:
        raise ValueError(f"{word} is none of {words}")
    return " ".join(f"[{w}]" if w == word else w for w in words)


def thp(machine):
    files = {}
    pmd = machine.page << machine.pmd_order()
    for path, (mode, text) in machine.layout["thp"].items():
        if machine.page != 4096 and re.match(r"hugepages-(4|8)kB", path):
            continue
        if path in machine.thp:
            text = choose(text, machine.thp[path]) if "[" in text else str(machine.thp[path])
        elif path == "hpage_pmd_size":
            text = str(pmd)
        elif path.startswith("khugepaged/max_ptes_") or path.endswith("pages_to_scan"):
            n = pmd // machine.page
            text = str({"none": n - 1, "swap": n // 8, "shared": n // 2}.get(path.rpartition("_")[2], n * 8))
        files[THP + path] = (mode, text + "\n")
    return files


def cpus(machine):
    files = {
        CPU + "possible": (0o444, id_list(machine.possible) + "\n"),
        CPU + "present": (0o444, id_list(machine.present) + "\n"),
        CPU + "online": (0o444, id_list(machine.online) + "\n"),
        CPU + "offline": (0o444, id_list(set(machine.possible) - set(machine.online)) + "\n"),
        CPU + "isolated": (0o444, "\n"),
    }
    for node in machine.nodes:
        for c in node.cpus:
            base = f"{CPU}cpu{c}/"
            if c:
                files[base + "online"] = (0o644, "0\n" if c in machine.offline else "1\n")
            if c not in machine.offline:
                files[base + "topology/physical_package_id"] = (0o444, f"{node.id}\n")
    return files


def node_vmstat(moment, node_id):
    m = moment.machine
    values = fmt_zone.node_gauges(moment, node_id)
    for z in m.zones:
        if z.node == node_id:
            for k, v in fmt_zone.zone_gauges(moment, z).items():
                values[k] = values.get(k, 0) + v
    return "".join(f"{k} {values.get(k, 0)}\n" for k in m.layout["node_vmstat"])


def nodes(moment):
    m = moment.machine
    ids = [n.id for n in m.nodes]
    with_memory = [n.id for n in m.nodes if any(z.populated() for z in m.zones if z.node == n.id)]
    normal = [n.id for n in m.nodes if any(z.populated() and z.name in ("DMA", "DMA32", "Normal")
                                          for z in m.zones if z.node == n.id)]
    files = {
        NODE + "possible": (0o444, id_list(ids) + "\n"),
        NODE + "online": (0o444, id_list(ids) + "\n"),
        NODE + "has_memory": (0o444, id_list(with_memory) + "\n"),
        NODE + "has_normal_memory": (0o444, id_list(normal) + "\n"),
        NODE + "has_cpu": (0o444, id_list([i for i in ids if m.local_cpus(i)]) + "\n"),
    }
    for node in m.nodes:
        base = f"{NODE}node{node.id}/"
        far = [node.distance.get(i, 10 if i == node.id else 20) for i in ids]
        files[base + "cpulist"] = (0o444, id_list(m.local_cpus(node.id)) + "\n")
        files[base + "distance"] = (0o444, " ".join(str(d) for d in far) + "\n")
        files[base + "meminfo"] = (0o444, fmt_proc.node_meminfo(moment, node.id))
        files[base + "vmstat"] = (0o444, node_vmstat(moment, node.id))
    return files


def files(moment):
    return {**thp(moment.machine), **cpus(moment.machine), **nodes(moment)}
