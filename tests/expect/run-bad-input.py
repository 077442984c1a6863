#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that somebody broke: what is wrong is named, nothing is made of it, and the rest is still told.

    run-bad-input.py                 TAP; ALLOCTUNE is the program
"""
import os
import re
import shutil
import subprocess
import sys

import harness
from harness import Tap

GEN = os.path.join(harness.ROOT, "tests", "gen", "gen.py")
KERNEL = ["--kernel", "6.12", "--cpus", "8", "--nodes", "2"]


class Capture:
    """Two snapshots of a generated machine, 10 s apart, to be broken."""

    def __init__(self, tap, tmp):
        self.tap, self.dir, self.source = tap, os.path.join(tmp, "capture"), os.path.join(tmp, "source")
        self.config = harness.write_config(tmp, "default")
        made = subprocess.run([sys.executable, GEN, "machine", *KERNEL, self.source], capture_output=True, text=True, timeout=60,
                              check=False)
        tap.ok(made.returncode == 0, "a machine is generated", made.stderr)
        self.snapshots = [os.path.basename(s) for s in harness.snapshots(self.source)]

    def fresh(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        shutil.copytree(self.source, self.dir, symlinks=True)

    def put(self, path, data):
        full = os.path.join(self.dir, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())

    def edit(self, path, pattern, replacement):
        text = harness.read(self.dir, path)
        new = re.sub(pattern, replacement, text)
        self.tap.ok(new != text, f"{path} is changed")
        self.put(path, new)

    def recommend(self, name):
        code, out, err = harness.run("recommend", "--json", "--root", self.dir, config=self.config)
        doc = harness.parse(out)
        self.tap.ok(code == 0 and doc is not None, f"{name}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}")
        return doc or {"signals": [], "notes": [], "recommendations": []}

    def noted(self, doc, name, words):
        texts = [n["text"] for n in doc["notes"]]
        self.tap.ok(any(words in t for t in texts), f"{name}: said", texts)

    def signal(self, doc, name, expected, what):
        values = [(s["value"], s["evidence"]) for s in doc["signals"] if s["name"] == name and s["scope"] == "system"]
        self.tap.ok(values == [expected], what, values)


def uptimes(c):
    """Seconds of proc/uptime in the first and the last snapshot."""
    return [float(harness.read(c.dir, s, "proc/uptime").split()[0]) for s in (c.snapshots[0], c.snapshots[-1])]


def test_clock(c):
    c.fresh()
    first, last = uptimes(c)
    c.tap.ok(abs(last - first - 10) < 1, "the generated clock agrees with the names", (first, last))
    doc = c.recommend("clocks that agree")
    c.tap.ok(not [n for n in doc["notes"] if n["id"] == "clock"], "nothing is said of clocks that agree")
    os.rename(os.path.join(c.dir, c.snapshots[-1]), os.path.join(c.dir, "00600000"))
    c.noted(c.recommend("a renamed snapshot"), "a renamed snapshot", "their names say 10 min and proc/uptime 10 s")
    c.fresh()
    c.put(c.snapshots[-1] + "/proc/uptime", "1.00 1.00\n")
    c.noted(c.recommend("uptime that goes back"), "uptime that goes back", "left out before that: 1 snapshot")


def test_zones(c):
    c.fresh()
    c.edit(c.snapshots[-1] + "/proc/zoneinfo", r"(?s)\nNode 1,.*", "\n")
    c.noted(c.recommend("a zoneinfo cut between zones"), "a zoneinfo cut between zones", "zones of memory came or went")


def test_log(c):
    fine = "[1.0] x: page allocation failure: order:0, mode:0x820(GFP_ATOMIC)\n"
    for name, text, order0, words in (
            ("an order below 0", fine.replace("order:0", "order:-1"), (0, "counted"), "kmsg:1: an allocation without an order"),
            ("a binary log", b"\0\1\2" * 1000, (None, "none"), "kmsg:1: bytes that no kernel log has"),
            ("an empty log", "", (None, "none"), "kmsg: empty file"),
            ("a good log", fine, (1, "counted"), None)):
        c.fresh()
        c.put("kmsg", text)
        doc = c.recommend(name)
        c.signal(doc, "alloc-failure-order0", order0, f"{name}: {order0[0]} failures")
        if words:
            c.noted(doc, name, words)


def test_pressure(c):
    c.fresh()
    for snapshot, total in ((c.snapshots[0], 0), (c.snapshots[-1], 2**63)):
        c.put(snapshot + "/proc/pressure/memory",
              "".join(f"{k} avg10=0.00 avg60=0.00 avg300=0.00 total={total}\n" for k in ("some", "full")))
    doc = c.recommend("more pressure than time")
    c.signal(doc, "psi-memory-some", (None, "none"), "more pressure than time is no pressure")
    bad = [r["id"] for r in doc["recommendations"] if "psi" in r["reason"] and "unknown" not in r["reason"]]
    c.tap.ok(not bad, "and nothing is advised for it", bad)


def test_nodes(c):
    """Without the lists of the nodes the ceiling of the page lists is not known, and is not said."""
    c.fresh()
    for snapshot in c.snapshots:
        shutil.rmtree(os.path.join(c.dir, snapshot, "sys/devices"))
    doc = c.recommend("nodes with unknown CPUs")
    c.noted(doc, "nodes with unknown CPUs", "the CPUs of the nodes are unknown")
    texts = [n["text"] for n in doc["notes"] if n["about"] == "pcp-contention"]
    c.tap.ok(texts and not re.search(r"ceiling of [\d,]+ pages", texts[0]), "no ceiling is promised then", texts)


def test_many(c):
    c.fresh()
    for i in range(11, 5000):
        os.makedirs(os.path.join(c.dir, f"{i * 1000:08d}", "proc"))
    os.rename(os.path.join(c.dir, c.snapshots[-1]), os.path.join(c.dir, "05000000"))
    doc = c.recommend("five thousand snapshots")
    c.noted(doc, "five thousand snapshots", "no room for more than 4096 looks: 895 of those between")
    c.tap.ok(doc["window"]["seconds"] == 5000, "the last one is read all the same", doc["window"])


def test_release(c):
    c.fresh()
    for snapshot in c.snapshots:
        c.put(snapshot + "/proc/sys/kernel/osrelease", "6.12.117-" + "long-name-of-our-own-kernel-" * 2 + "x\n")
    code, out, _ = harness.run("recommend", "--root", c.dir, config=c.config)
    wide = [s for s in out.decode().splitlines() if len(s) > 80]
    c.tap.ok(code == 0 and not wide, "the head of a long release fits 80 columns", wide)
    c.tap.ok(b"long-name-of-our-own-kernel-x" in out, "and is whole", out.decode().splitlines()[:4])


def main():
    tap = Tap()
    with harness.scratch() as tmp:
        capture = Capture(tap, tmp)
        if len(capture.snapshots) == 2:
            for test in (test_clock, test_zones, test_log, test_pressure, test_nodes, test_many, test_release):
                test(capture)
        else:
            tap.ok(False, "the machine has two snapshots", capture.snapshots)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
