#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The generator against real kernels (TAP): the machine of a capture, generated from its sizes, must have the same
files with the same layout, and what its kernel computed must be what we compute."""
import os
import re
import sys

import harness
from harness import Tap

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "gen"))

import capture  # noqa: E402
import cases  # noqa: E402
import extract  # noqa: E402
import kernels  # noqa: E402
from machine import MIB, Machine, Node  # noqa: E402
from moment import Load  # noqa: E402

TREES = os.path.join(harness.ROOT, "tests", "trees")
# Read by nobody, or not written on purpose (reading some of them takes the very locks)
UNWRITTEN = re.compile(r"^proc/(pagetypeinfo|sys/(kernel/numa_balancing|vm/.*))$|topology/|/(cpumap|numastat)$|"
                       r"slab/[^/]+/(objects|objects_partial|alloc_calls|free_calls|validate|shrink)$|has_normal_memory$|/stats/")


def shape(text):
    """A file with its numbers taken out: the layout that is left must be equal."""
    return re.sub(r" +$", "", re.sub(r"[ \t]*\d+", "#", text), flags=re.M)


def zones_of(text):
    rows = []
    for z in re.split(r"(?m)^(?=Node )", text)[1:]:
        head = re.match(r"Node\s+(\d+), zone\s+(\S+)", z)
        row = {"node": int(head.group(1)), "name": head.group(2)}
        for key in ("pages free", "min", "low", "high", "present", "managed", "spanned"):
            row[key] = int(re.search(rf"(?m)^ *{key} +(\d+)$", z).group(1))
        for key in ("count", "high", "batch", "high_min", "high_max"):
            row["cpu_" + key] = [int(v) for v in re.findall(rf"(?m)^ +{key}: +(\d+)$", z)]
        rows.append(row)
    return rows


STD = {"5.10": "5.10-std-tuned", "6.1": "6.1-std-idle", "6.12": "6.12-std-idle", "7.2": "7.2-std-idle", "7.3": "7.3-std-idle"}


def twin(name, real, watermarks=False):
    """The same machine from its zones and CPUs alone; its watermarks too if told so (they are older than managed: memory
    still grew at boot), as the lists follow from them."""
    rows = zones_of(real["proc/zoneinfo"][1])
    nodes = {}
    for r in rows:
        nodes.setdefault(r["node"], Node(r["node"], [], 0))
        nodes[r["node"]].memory_bytes += r["present"] * 4096
    for n in nodes.values():
        text = real[f"sys/devices/system/node/node{n.id}/cpulist"][1].strip()
        for part in filter(None, text.split(",")):
            a, _, b = part.partition("-")
            n.cpus += range(int(a), int(b or a) + 1)
    keys = ("present", "managed", "spanned") + (("min", "low", "high") if watermarks else ())
    given = {(r["node"], r["name"]): {k: r[k] for k in keys} for r in rows if r["present"]}
    fraction = next(int(t) for p, (_, t) in real.items() if re.search(r"percpu_pagelist_(high_)?fraction$", p))
    return Machine(name, list(nodes.values()), zones=given, fraction=fraction,
                   min_free_kbytes=int(real["proc/sys/vm/min_free_kbytes"][1]))


def compare_values(tap, name, tree, real):
    m, computed = twin(name, real, True), twin(name, real)
    bad, checked = [], 0
    for r in zones_of(real["proc/zoneinfo"][1]):
        if not r["managed"]:
            continue
        z = m.zone(r["node"], r["name"])
        want = [z.batch] * len(r["cpu_batch"])
        checked += 1
        if want != r["cpu_batch"]:
            bad.append(("batch", r["name"], z.batch, r["cpu_batch"][0]))
        if m.kernel.pcp in ("fraction", "high") and set(r["cpu_high"]) != {z.high_min}:
            bad.append(("high", r["name"], z.high_min, r["cpu_high"]))
        if m.kernel.pcp == "shown":    # watermarks and managed still grow at boot: 0 to 2.5 % below
            for key, value in (("cpu_high_min", z.high_min), ("cpu_high_max", z.high_max)):
                if not all(value * 0.975 - 1 <= v <= value for v in r[key]):
                    bad.append((key, r["name"], value, r[key]))
        for key in ("min", "low", "high"):
            value = getattr(computed.zone(r["node"], r["name"]), key)
            if abs(value - r[key]) > 0.025 * r[key] + 2:
                bad.append((key, r["name"], value, r[key]))
    tap.ok(checked and not bad, f"{tree}: batch, pcp high and watermarks of {checked} zones", bad)
    bad, checked = [], 0
    for c in m.cache_list():
        for key in ("order", "objs_per_slab", "cpu_partial", "min_partial", "sheaf_capacity"):
            path = f"sys/kernel/slab/{c['dir']}/{key}"
            if path in real:
                checked += 1
                if int(real[path][1]) != c[key]:
                    bad.append((c["dir"], c["slab_size"], key, c[key], real[path][1].strip()))
    tap.ok(checked > 400 and not bad, f"{tree}: {checked} values of slab caches", bad)


def compare_layout(tap, name, tree, real, links):
    m = twin(name, real)
    with harness.scratch() as tmp:
        out = os.path.join(tmp, "c")
        capture.write(out, m, Load(), (0,))
        made = {}
        for base, _, files in os.walk(os.path.join(out, "00000000")):
            for f in files:
                path = os.path.join(base, f)
                if not os.path.islink(path):
                    with open(path, encoding="utf-8") as fd:
                        made[os.path.relpath(path, os.path.join(out, "00000000"))] = (os.stat(path).st_mode & 0o7777, fd.read())
        slab = os.path.join(out, "00000000/sys/kernel/slab")
        made_links = {f: os.readlink(os.path.join(slab, f)) for f in os.listdir(slab) if os.path.islink(os.path.join(slab, f))}
    missing = sorted(p for p in real if p not in made and not UNWRITTEN.search(p))
    tap.ok(not missing, f"{tree}: no file of the capture is missing", missing[:20])
    modes = [(p, oct(made[p][0]), oct(real[p][0])) for p in made if p in real and made[p][0] != real[p][0]]
    tap.ok(not modes, f"{tree}: modes", modes[:20])
    tap.ok(made_links == {k[len('sys/kernel/slab/'):]: v for k, v in links.items() if k.startswith("sys/kernel/slab/")},
           f"{tree}: {len(made_links)} alias links")
    for path in ("proc/zoneinfo", "proc/vmstat", "proc/meminfo", "proc/buddyinfo", "sys/devices/system/node/node0/meminfo",
                 "sys/devices/system/node/node0/vmstat", "proc/pressure/memory"):
        a, b = shape(made[path][1]), shape(real[path][1])
        first = next(((x, y) for x, y in zip(a.splitlines(), b.splitlines()) if x != y), (len(a), len(b)))
        tap.ok(a == b, f"{tree}: layout of {path}", first)
    for path in ("proc/slabinfo",):
        a = [line.split()[0] for line in made[path][1].splitlines()[2:]]
        b = [line.split()[0] for line in real[path][1].splitlines()[2:]]
        tap.ok(a == b, f"{tree}: names of {path}", (sorted(set(a) ^ set(b)), len(a), len(b)))


def worked_examples(tap):
    """Examples of the kernel's documents and reports, computed by hand there."""
    k = kernels.KERNELS
    tap.ok(kernels.pcp(k["5.10"], 243189, 0, 4, 8, 8, 4096) == (96, 30398, 30398), "5.10, fraction 8 of 243189 pages")
    tap.ok(kernels.pcp(k["6.1"], 242338, 0, 4, 8, 8, 4096) == (63, 7573, 7573), "6.1, fraction 8 of 242338 pages, 4 CPUs")
    pages = 256 * 1024 * 256
    tap.ok(kernels.pcp(k["6.12"], pages, 84000, 64, 64, 0, 4096) == (63, 1312, 131072), "256 GiB, 64 CPUs, tuned")
    tap.ok(kernels.pcp(k["5.13-series"], 65011712, 69584, 0, 96, 0, 4096)[1] == 724, "CPU-less node, 96 CPUs: 724")
    tap.ok([4 * (kernels.fls(n) + 1) for n in (16, 64, 127, 224, 512, 1024)] == [24, 32, 32, 36, 44, 48], "wanted objects")
    tap.ok(kernels.pcp(k["4.18"], pages, 0, 64, 64, 0, 4096)[0] == 31, "batch 31 before 4.19")
    slabs = [(kernels.slab_order(k["5.10"], s, n, 65536), (65536 << kernels.slab_order(k["5.10"], s, n, 65536)) // s)
             for s in (4096, 8192) for n in (64, 1)]
    tap.ok(slabs == [(1, 32), (0, 16), (2, 32), (0, 8)], "64 KiB pages: kmalloc-4k 32/2, 16/1; kmalloc-8k 32/4, 8/1", slabs)


def main():
    tap = Tap()
    for tree in sorted(f[:-4] for f in os.listdir(TREES) if f.endswith(".tgz")):
        files, links = extract.load(os.path.join(TREES, tree + ".tgz"))
        name = tree.split("-")[0]
        compare_values(tap, name, tree, files)
        if STD.get(name) == tree:
            compare_layout(tap, name, tree, files, links)
    worked_examples(tap)
    for name in cases.names():
        parts = cases.load(name)["make"]()
        m = parts["machine"]
        good = all(0 <= z.free and z.free + z.parked() <= z.managed for z in m.zones if z.managed)
        tap.ok(good, f"{name}: free and parked pages fit each zone")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
