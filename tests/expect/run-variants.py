#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines beside those of the reports: other kernels, CPU counts and pages, and reports under other names.

    run-variants.py [NAME...]        TAP; ALLOCTUNE is the program

Each variant is a capture of the generator and what follows for it from the kernel's formulas or from the design.
"""
import os
import sys

import harness
from harness import Tap

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "gen"))
import capture  # noqa: E402
from cases import signal  # noqa: E402
from machine import GIB, Machine, Node  # noqa: E402
from moment import Load  # noqa: E402

RECEIVE = {"rates": {"pgalloc_normal": 2e6}, "cpu": {"softirq": 0.5}}
LISTS = {"rates": {"pgalloc_normal": 1e6}, "cpu": {"system": 0.4}}
ZONE_WAIT = [signal("zone-lock-wait", 300000, "ppm")]
PCP, PARTIAL, ORDER = "pcp-high-fraction", "slab-cpu-partial", "slab-order"


def machine(kernel, cpus, gib, nodes=2, **options):
    per = cpus // nodes
    return Machine(kernel, [Node(i, list(range(i * per, (i + 1) * per)), gib * GIB // nodes) for i in range(nodes)], **options)


def waits(cache="kmalloc-cg-512", value=150000):
    return [signal("list-lock-wait", 200000, "ppm"), signal("list-lock-wait", value, "ppm", "cache:" + cache)]


def slab(kernel="6.12", cpus=128, signals=None, etc=None, caches=None, **options):
    m = machine(kernel, cpus, 4 * cpus, **options)
    m.caches.update(caches or {})
    return {"machine": m, "load": Load(**LISTS), "signals": signals or waits(), "etc": etc}


def receive(kernel, fraction=0, signals=None, etc=None, cpu=None):
    load = Load(rates=RECEIVE["rates"], cpu=cpu or RECEIVE["cpu"])
    return {"machine": machine(kernel, 32, 128, fraction=fraction), "load": load, "signals": signals or ZONE_WAIT, "etc": etc}


def merged():
    """Waiting reported under the second name of a merged cache."""
    parts = slab()
    row = next(r for r in parts["machine"].layout["slab"]["caches"] if r["aliases"])
    parts["signals"] = waits(row["aliases"][-1])
    return parts, row["dir"]


def log(kernel, cpus, text):
    return {"machine": machine(kernel, cpus, 4 * cpus, nodes=1), "load": Load(), "kmsg": text}


BLOCKED = "[  400.0] INFO: task nfsd:1234 blocked for more than 120 seconds.\n"
STUCK = "[  400.0] watchdog: BUG: soft lockup - CPU#1 stuck for 23s! [modprobe:77]\n"


# name: (parts, verdict, knob, {field: value}, words of the reason or of the expectation)
VARIANTS = {
    # 8 reaches the ceiling of the tuner: it is not what keeps lists short, but 16 of 32 CPUs are local: 2 / 8 may be parked
    "fraction-8-on-a-tuning-kernel": (receive("6.12", 8), "advise", PCP, {"policy": "pcp-memory", "to": "0"}, ["25 %"]),
    "fraction-of-sysctl.d": (receive("6.12", 1024, etc={"etc/sysctl.d/10-net.conf": "#\nvm.percpu_pagelist_high_fraction=1024\n"}),
                             "advise", PCP, {"to": "0", "apply": "write"}, ["/etc/sysctl.d/10-net.conf:2"]),
    # before 5.14 a fraction of 8 lets 32 CPUs park four times the zone; 32 / 0.04 = 800
    "fraction-8-before-5.14": (receive("5.10", 8), "advise", PCP, {"to": "800"}, ["hold all of"]),
    "stolen-time": (receive("5.10", cpu={"softirq": 0.5, "steal": 0.2}), "advise", PCP, {"apply": "none", "how": None},
                    ["guard contained", "20 %"]),
    "long-hold-measured": (receive("7.3", signals=[signal("pcp-hold-length", 449775, "ns")]), "advise", PCP,
                           {"policy": "pcp-long-holds", "evidence": "measured", "apply": "none"}, ["high = 252"]),
    "blocked-task": (log("6.12", 4, BLOCKED), "nothing", None, {}, []),
    "lockup-of-a-small-machine": (log("6.12", 4, STUCK), "nothing", None, {}, []),
    "lockup-of-a-large-machine": (log("6.12", 192, STUCK), "advise", PCP, {"policy": "pcp-lockups"}, ["high = 252"]),
    # 128 CPUs: x2 of 52
    "merged-cache": (merged(), "tune", PARTIAL, {"apply": "write"}, []),
    "cache-of-another-machine": (slab(signals=waits("btrfs_inode")[1:]), "advise", PARTIAL,
                                 {"scope": "cache:btrfs_inode", "to": None}, ["15 %", "no cache of that name"]),
    "isolated-cpus": (slab(cmdline="ro isolcpus=2-9"), "advise", PARTIAL, {"to": "104", "apply": "none", "how": None},
                      ["CPUs are isolated"]),
    "value-of-tmpfiles.d": (slab(caches={"kmalloc-cg-512": {"cpu_partial": 104}},
                                 etc={"etc/tmpfiles.d/slab.conf": "w /sys/kernel/slab/kmalloc-cg-512/cpu_partial - - - - 104\n"}),
                            "advise", PARTIAL, {"to": "208", "apply": "write"}, ["/etc/tmpfiles.d/slab.conf:1"]),
    "sheaves": (slab("7.3"), "advise", PARTIAL, {"to": None, "apply": "none"}, ["slab_min_objects", "min_partial"]),
    # 64 KiB hold 128 objects of 512 bytes, more than twice the 36 that 128 CPUs want: a larger wish changes nothing
    "pages-of-64-KiB": (slab(page_bytes=65536, arch="aarch64"), "tune", PARTIAL, {"to": "104"}, []),
    "percent": (slab(signals=[signal("list-lock-wait", 20, "%"), signal("list-lock-wait", 15.5, "%", "cache:kmalloc-cg-512")]),
                "tune", PARTIAL, {"to": "104"}, ["15.5 %"]),
}
NEVER = {"pages-of-64-KiB": ORDER}   # a knob that is not recommended


def check(tap, name, parts, expected, tmp):
    _, verdict, knob, fields, words = expected
    directory = os.path.join(tmp, name)
    if isinstance(parts, tuple):
        parts, fields = parts[0], {**fields, "scope": "cache:" + parts[1]}
    capture.write(directory, **{k: v for k, v in parts.items() if v is not None})
    code, out, err = harness.run("recommend", "--json", "--root", directory, config=harness.write_config(tmp, "default"))
    doc = harness.parse(out)
    if not tap.ok(code == 0 and doc is not None, f"{name}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}"):
        return
    harness.check_schema(tap, "recommend", doc, name)
    tap.ok(doc["verdict"] == verdict, f"{name}: verdict {verdict}", (doc["verdict"], doc["recommendations"]))
    if knob is None:
        tap.ok(not doc["recommendations"], f"{name}: nothing is recommended", doc["recommendations"])
        return
    rec = next((r for r in doc["recommendations"] if r["knob"] == knob), {})
    wrong = {k: rec.get(k, "?") for k, v in fields.items() if rec.get(k, "?") != v}
    tap.ok(bool(rec) and not wrong, f"{name}: {knob} {fields}", (wrong, rec))
    said = rec.get("reason", "") + " " + rec.get("expect", "")
    tap.ok(all(w in said for w in words), f"{name}: says {words}", said)
    if name in NEVER:
        tap.ok(all(r["knob"] != NEVER[name] for r in doc["recommendations"]), f"{name}: no {NEVER[name]}", doc["recommendations"])


def main():
    tap = Tap()
    with harness.scratch() as tmp:
        for name, expected in VARIANTS.items():
            if not sys.argv[1:] or name in sys.argv[1:]:
                check(tap, name, expected[0], expected, tmp)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
