#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A policy that the program has never seen: its advice appears, follows the numbers in the file, and vanishes.

    run-policy.py          TAP; ALLOCTUNE is the program
"""
import json
import os
import subprocess
import sys
import tempfile

import harness
from harness import Tap

GEN = os.path.join(harness.ROOT, "tests", "gen", "gen.py")

POLICY = """policy = {
  name = "%(name)s";
  knob = "%(knob)s"; scope = "%(scope)s";
  targets = ( { signal = "%(signal)s"; hot = %(hot)d; cool = 0; } );
  arms = ( %(arms)s );
  bounds = { memory = %(memory)d; };
};
"""
BASE = {"name": "after-lunch", "knob": "slab-cpu-partial", "scope": "cache:vm_area_s*", "signal": "list-lock-wait",
        "hot": 100000, "arms": "3", "memory": 2500}


def advise(machine, directory, **changes):
    """Recommendations of the one policy of this directory, and the whole document."""
    for old in os.listdir(directory):
        os.unlink(os.path.join(directory, old))
    if changes is not None:
        with open(os.path.join(directory, "site.policy"), "w", encoding="utf-8") as f:
            f.write(POLICY % {**BASE, **changes})
    p = subprocess.run([harness.ALLOCTUNE, "recommend", "--json", "--root", machine, "--policy-dir", directory],
                       capture_output=True, timeout=harness.TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)
    document = json.loads(p.stdout) if p.returncode == 0 else {"recommendations": [], "notes": [], "verdict": None}
    return document["recommendations"], document


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as tmp:
        machine, policies = os.path.join(tmp, "machine"), os.path.join(tmp, "policies")
        os.mkdir(policies)
        # 224 CPUs, list-lock-wait 438,000 ppm on the system and on vm_area_struct (report C12)
        subprocess.run([sys.executable, GEN, "case", "C12", machine], check=True, stdin=subprocess.DEVNULL)

        recs, document = advise(machine, policies)
        tap.ok([r["id"] for r in recs] == ["after-lunch/slab-cpu-partial/cache:vm_area_struct"],
               "advice appears under the name of the policy and of the cache its glob finds", recs)
        # three times the default of 120 for objects below 256 bytes (mm/slub.c set_cpu_partial(), 6.5)
        tap.ok(bool(recs) and (recs[0]["from"], recs[0]["to"]) == ("120", "360"), "the arm of the file is the value", recs)
        tap.ok(document["verdict"] == "tune", "hot, measured, live, mode apply: tune", document["verdict"])
        harness.check_schema(tap, "recommend", document, "unseen policy")

        recs, _ = advise(machine, policies, arms="5")
        tap.ok(bool(recs) and recs[0]["to"] == "600", "another arm in the file gives another value", recs)

        recs, document = advise(machine, policies, hot=500000)
        tap.ok(recs == [] and document["verdict"] == "nothing", "above what is measured, the target is cold: it vanishes", recs)
        tap.ok(any(n["about"] == "after-lunch" and "50 %" in n["text"] for n in document["notes"]),
               "and a note says why, with the number of the file", document["notes"])

        recs, document = advise(machine, policies, memory=1)
        tap.ok(bool(recs) and recs[0]["to"] is None and recs[0]["verdict"] == "advise",
               "a memory bound that no arm fits leaves advice without a value", recs)

        recs, document = advise(machine, policies, scope="cache:no-such-*")
        tap.ok(recs == [] and any("no-such-*" in n["text"] for n in document["notes"]),
               "a glob that finds nothing is said", document["notes"])

        recs, document = advise(machine, policies, knob="slab-cpu-partail")
        tap.ok(recs == [] and any("site.policy:3" in n["text"] and "slab-cpu-partial" in n["text"] for n in document["notes"]),
               "a misspelt knob is an error with file, line and the nearest name", document["notes"])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
