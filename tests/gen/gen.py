#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures of machines that cannot be had: the machines of public reports, and machines of any size.

    gen.py list                               the cases
    gen.py case NAME OUT                      the machine of a report
    gen.py machine [OPTIONS] OUT              a machine of a size
"""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import cases  # noqa: E402
import kernels  # noqa: E402
from machine import GIB, Machine, Node  # noqa: E402
from moment import Load  # noqa: E402


def number_list(text):
    ids = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        ids.update(range(int(first), int(last or first) + 1))
    return ids


def size(text):
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    return int(text[:-1]) << units[text[-1].lower()] if text[-1].lower() in units else int(text)


def machine_args(parser):
    parser.add_argument("--kernel", default="6.12", choices=list(kernels.KERNELS))
    parser.add_argument("--release", help="osrelease, else that of the class")
    parser.add_argument("--cpus", type=int, default=8, help="present CPUs, up to 8192")
    parser.add_argument("--possible", type=int, help="possible CPUs, else present")
    parser.add_argument("--offline", type=number_list, default=set(), metavar="LIST")
    parser.add_argument("--nodes", type=int, default=1, help="nodes with CPUs and memory unless told otherwise")
    parser.add_argument("--node-ids", type=number_list, metavar="LIST", help="sparse node ids, as many as --nodes")
    parser.add_argument("--cpuless", type=number_list, default=set(), metavar="LIST", help="nodes without CPUs")
    parser.add_argument("--memless", type=number_list, default=set(), metavar="LIST", help="nodes without memory")
    parser.add_argument("--memory", type=size, default=None, metavar="BYTES", help="of all nodes; k m g t; else 4g a CPU")
    parser.add_argument("--movable", type=size, default=0, metavar="BYTES", help="ZONE_MOVABLE of each node with memory")
    parser.add_argument("--page", type=int, default=4096, choices=[4096, 65536])
    parser.add_argument("--arch", default="x86_64", choices=["x86_64", "aarch64", "ppc64le"])
    parser.add_argument("--fraction", type=int, default=0, help="the pcp fraction that is set")
    parser.add_argument("--rate", type=float, default=1e5, help="pages allocated a second")
    parser.add_argument("--system", type=float, default=0.02, help="share of CPU time in the kernel")
    parser.add_argument("--seconds", type=float, default=10, help="between snapshots")
    parser.add_argument("--snapshots", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="spreads parked pages and slabs")
    parser.add_argument("out", metavar="OUT")


def build_machine(a):
    ids = sorted(a.node_ids or range(a.nodes))
    if not 1 <= a.cpus <= 8192 or not 1 <= len(ids) <= 1024:
        raise SystemExit("gen.py: 1 to 8192 CPUs, 1 to 1024 nodes")
    if not set(a.offline) <= set(range(1, a.cpus)):
        raise SystemExit("gen.py: --offline: CPUs 1 to CPUS - 1")
    with_cpus = [i for i in ids if i not in a.cpuless]
    with_memory = [i for i in ids if i not in a.memless]
    if not with_cpus or not with_memory:
        raise SystemExit("gen.py: some node must have CPUs, and some memory")
    memory = a.memory or 4 * GIB * a.cpus
    nodes = []
    for i in ids:
        k = with_cpus.index(i) if i in with_cpus else -1
        cpus = list(range(k * a.cpus // len(with_cpus), (k + 1) * a.cpus // len(with_cpus))) if k >= 0 else []
        share = memory // len(with_memory) // a.page * a.page if i in with_memory else 0
        nodes.append(Node(i, cpus, share, min(a.movable, share)))
    m = Machine(a.kernel, nodes, page_bytes=a.page, arch=a.arch, offline=a.offline, fraction=a.fraction, seed=a.seed,
                possible=list(range(max(a.possible or 0, a.cpus))), release=a.release or kernels.KERNELS[a.kernel].release)
    rng = random.Random(a.seed)
    # A CPU parks up to its list's floor of local pages; the vmstat worker drains remote lists, a batch may be left.
    for z in m.zones:
        local = set(m.local_cpus(z.node))
        for c in z.cpu_count:
            most = z.high_min if c in local else min(z.batch, z.high_min)
            z.cpu_count[c] = rng.randint(0, most) if z.name != "DMA" else 0
            if m.kernel.pcp in ("auto", "shown") and z.name != "DMA":
                z.cpu_high[c] = rng.randint(min(z.high_min, z.high_max), z.high_max)
                z.cpu_count[c] = min(z.cpu_count[c], z.cpu_high[c])
        z.free = (z.managed - min(z.parked(), z.managed)) * m.free_ppm // 1000000
    for row in m.layout["slab"]["caches"]:
        m.caches[row["dir"]] = {"slabs": {i: rng.randint(0, 200) for i in with_memory}}
    return m


def make_machine(a):
    m = build_machine(a)
    load = Load(rates={"pgalloc_normal": a.rate, "pgfault": a.rate}, cpu={"system": a.system})
    times = [k * a.seconds for k in range(max(a.snapshots, 1))]
    text = f"Generated: gen.py machine, kernel class {a.kernel}, {a.cpus} CPUs, {len(m.nodes)} nodes, seed {a.seed}.\n"
    capture.write(a.out, m, load, times, readme=text)


def main():
    parser = argparse.ArgumentParser(prog="gen.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list")
    one = verbs.add_parser("case")
    one.add_argument("name", metavar="NAME", choices=cases.names())
    one.add_argument("out", metavar="OUT")
    machine_args(verbs.add_parser("machine"))
    a = parser.parse_args()
    if a.verb == "list":
        for name in cases.names():
            print(f"{name:16} {cases.load(name)['title']}")
    elif a.verb == "case":
        cases.write(a.name, a.out)
    else:
        make_machine(a)


if __name__ == "__main__":
    main()
