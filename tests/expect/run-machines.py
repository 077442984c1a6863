#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Generated machines of every shape (tests/gen): what the program reads of them is what was put in.

    run-machines.py                  TAP; ALLOCTUNE is the program
"""
import os
import subprocess
import sys

import harness
from harness import Tap

GEN = os.path.join(harness.ROOT, "tests", "gen", "gen.py")

# name, arguments, facts
MACHINES = (
    ("one CPU", ["--kernel", "7.3", "--cpus", "1", "--memory", "512m"], {"cpus_online": 1, "nodes": 1}),
    ("1,024 CPUs on 16 nodes", ["--kernel", "6.12", "--cpus", "1024", "--nodes", "16"],
     {"cpus_online": 1024, "cpus_possible": 1024, "nodes": 16}),
    ("64 nodes", ["--kernel", "7.2", "--cpus", "128", "--nodes", "64"], {"cpus_online": 128, "nodes": 64}),
    ("a node without CPUs and one without memory",
     ["--kernel", "6.1", "--cpus", "24", "--nodes", "4", "--cpuless", "2", "--memless", "3"], {"cpus_online": 24, "nodes": 4}),
    ("sparse node ids", ["--kernel", "6.16", "--cpus", "16", "--nodes", "3", "--node-ids", "0,5,40"],
     {"cpus_online": 16, "nodes": 3}),
    ("offline CPUs, more possible", ["--kernel", "5.10", "--cpus", "16", "--nodes", "2", "--offline", "3,8-11",
                                     "--possible", "64"], {"cpus_online": 11, "cpus_possible": 64}),
    ("64 KiB pages", ["--kernel", "5.10", "--cpus", "64", "--page", "65536", "--arch", "ppc64le"],
     {"cpus_online": 64, "page_bytes": 65536, "hpage_pmd_bytes": 2 << 20}),
    ("ZONE_MOVABLE", ["--kernel", "7.3", "--cpus", "8", "--nodes", "2", "--movable", "4g"], {"nodes": 2}),
    ("4.18, no pressure files", ["--kernel", "4.18", "--cpus", "48", "--nodes", "2"], {"cpus_online": 48}),
)


def check_zones(tap, name, doc, snapshot):
    zones = harness.zones_of(harness.read(snapshot, "proc/zoneinfo"))
    batches = {f"zone:{z['node']}/{z['name']}": str(next(iter(z["cpus"].values()))["batch"]) for z in zones}
    seen = {k["scope"]: k["value"] for k in doc["knobs"] if k["name"] == "pcp-batch"}
    tap.ok(zones and seen == batches, f"{name}: batch of {len(zones)} zones", (seen, batches))
    parked = {f"zone:{z['node']}/{z['name']}": sum(c["count"] for c in z["cpus"].values()) * 1e6 / z["managed"] for z in zones}
    seen = {s["scope"]: s["value"] for s in doc["signals"] if s["name"] == "pcp-parked"}
    bad = [(k, v, seen.get(k)) for k, v in parked.items() if seen.get(k) is None or abs(seen[k] - v) > 1]
    tap.ok(not bad, f"{name}: parked share of {len(zones)} zones", bad[:5])


def main():
    tap = Tap()
    with harness.scratch() as tmp:
        config = harness.write_config(tmp, "default")
        for i, (name, args, facts) in enumerate(MACHINES):
            directory = os.path.join(tmp, str(i))
            made = subprocess.run([sys.executable, GEN, "machine", *args, directory], capture_output=True, text=True, timeout=60,
                                  check=False)
            if not tap.ok(made.returncode == 0, f"{name}: generated", made.stderr):
                continue
            code, out, err = harness.run("recommend", "--json", "--root", directory, config=config)
            doc = harness.parse(out)
            if tap.ok(code == 0 and doc is not None, f"{name}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}"):
                harness.check_schema(tap, "recommend", doc, name)
                wrong = {k: (doc["machine"].get(k), v) for k, v in facts.items() if doc["machine"].get(k) != v}
                tap.ok(not wrong, f"{name}: machine", wrong)
                check_zones(tap, name, doc, harness.snapshots(directory)[0])
                acts = [r["id"] for r in doc["recommendations"] if r["verdict"] in ("cut", "tune")]
                tap.ok(not acts, f"{name}: idle, so nothing to try or cut", acts)
            subprocess.run(["rm", "-rf", directory], check=False)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
