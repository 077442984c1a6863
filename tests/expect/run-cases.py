#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The machines of public reports (tests/gen/cases): verdict, knob and the numbers that the report's "Expect" line names.

    run-cases.py [CASE...]           TAP; ALLOCTUNE is the program

cases.json has one row a run. Every row says in "because" how its numbers follow from the report.
    profile       profile of the configuration, else "default"
    verdict       of the whole
    knob          of a recommendation that has this verdict; null: no recommendation at all
    apply, scope, from, to      of that recommendation (to: any of)
    to_at_least, to_high, to_cap    see check_to()
    how           patterns that its command must match
    say           patterns found in that recommendation or in a note; say_any: anywhere, other recommendations too
    note          verdicts that some note must have
    owner         {knob: owner}
    never_write   nothing is recommended for writing; never_verdict, never_knob, never_to: of no recommendation
"""
import json
import os
import re
import subprocess
import sys

import harness
from harness import Tap

GEN = os.path.join(harness.ROOT, "tests", "gen", "gen.py")
STRONGEST_FIRST = ("cut", "tune", "advise", "not-ours", "nothing")


def texts(rec):
    return " \n".join(str(rec[k]) for k in ("reason", "how", "to", "expect", "text", "id", "about") if rec.get(k) is not None)


def check_to(tap, name, row, rec, snapshot):
    """to_at_least: a bound. to_high: [least, most] pages that this fraction gives the largest zone before 5.14, where it
    is not divided by CPUs. to_cap: the smallest fraction for which no zone's list is longer than that."""
    to = rec.get("to")
    number = int(to) if isinstance(to, str) and to.isdigit() else None
    zones = harness.zones_of(harness.read(snapshot, "proc/zoneinfo"))
    if "to_at_least" in row:
        tap.ok(number is not None and number >= row["to_at_least"], f"{name}: to at least {row['to_at_least']}", to)
    if "to_high" in row:
        high = max(z["managed"] for z in zones) // number if number else None
        least, most = row["to_high"]
        tap.ok(high is not None and least <= high <= most, f"{name}: to gives lists of {least} to {most} pages", (to, high))
    if "to_cap" in row:
        def longest(f):
            highs = []
            for z in zones:
                local = len(harness.local_cpus(snapshot, z["node"])) or len(z["cpus"])
                highs.append(z["managed"] // f // local)
            return max(highs)
        good = bool(number) and longest(number) <= row["to_cap"] and (number == 8 or longest(number - 1) > row["to_cap"])
        tap.ok(good, f"{name}: to is the smallest fraction that gives at most {row['to_cap']} pages a CPU",
               (to, number and longest(number), number and longest(number - 1)))


def found(pattern, text):
    return re.search(pattern, text, re.I | re.S) is not None


def check_row(tap, name, row, doc, snapshot):
    recs, notes = doc["recommendations"], doc["notes"]
    shown = json.dumps({"verdict": doc["verdict"], "recommendations": recs, "notes": notes}, indent=1)
    tap.ok(doc["verdict"] == row["verdict"], f"{name}: verdict {row['verdict']}", shown)
    verdicts = [x["verdict"] for x in recs + notes] or ["nothing"]
    tap.ok(doc["verdict"] == min(verdicts, key=STRONGEST_FIRST.index), f"{name}: the whole has the strongest verdict of all", verdicts)
    rec = {}
    if row["knob"] is None:
        tap.ok(not recs, f"{name}: nothing is recommended", shown)
    else:
        rec = next((r for r in recs if r["verdict"] == row["verdict"] and r["knob"] == row["knob"]
                    and r["scope"] == row.get("scope", r["scope"])), {})
        tap.ok(rec, f"{name}: {row['verdict']} of {row['knob']}", shown)
    for key in ("apply", "scope", "from"):
        if key in row:
            tap.ok(rec.get(key) == row[key], f"{name}: {key} {row[key]}", rec)
    if "to" in row:
        tap.ok(rec and rec.get("to") in row["to"], f"{name}: to {' or '.join(map(str, row['to']))}", rec)
    if {"to_at_least", "to_high", "to_cap"} & set(row):
        check_to(tap, name, row, rec, snapshot)
    for pattern in row.get("how", ()):
        tap.ok(found(pattern, str(rec.get("how"))), f"{name}: the command has {pattern}", rec)
    said = texts(rec) + " \n" + " \n".join(texts(n) for n in notes)
    for pattern in row.get("say", ()):
        tap.ok(found(pattern, said), f"{name}: says {pattern}", said)
    everything = " \n".join(texts(x) for x in recs + notes)
    for pattern in row.get("say_any", ()):
        tap.ok(found(pattern, everything), f"{name}: mentions {pattern}", everything)
    for verdict in row.get("note", ()):
        tap.ok(any(n["verdict"] == verdict for n in notes), f"{name}: a note is {verdict}", notes)
    for knob, owner in row.get("owner", {}).items():
        seen = [k["owner"] for k in doc["knobs"] if k["name"] == knob]
        tap.ok(seen == [owner], f"{name}: {knob} belongs to {owner}", seen)
    if row.get("never_write"):
        bad = [r["id"] for r in recs if r["apply"] == "write"]
        tap.ok(not bad, f"{name}: no write", bad)
    for key, field in (("never_verdict", "verdict"), ("never_knob", "knob"), ("never_to", "to")):
        if key in row:
            bad = [r["id"] for r in recs if r[field] in row[key]]
            tap.ok(not bad, f"{name}: no recommendation with {field} {' or '.join(row[key])}", bad)


def check_generator(tap, names):
    listed = subprocess.run([sys.executable, GEN, "list"], capture_output=True, text=True, timeout=60, check=True).stdout
    have = {line.split()[0] for line in listed.splitlines()}
    tap.ok(have == names, "every generated case has an expectation, every expectation a case", have ^ names)


def main():
    tap = Tap()
    with open(os.path.join(harness.HERE, "cases.json"), encoding="utf-8") as f:
        rows = json.load(f)
    check_generator(tap, {row["case"] for row in rows})
    wanted = set(sys.argv[1:])
    with harness.scratch() as tmp:
        for case in sorted({row["case"] for row in rows if not wanted or row["case"] in wanted}):
            directory = os.path.join(tmp, case)
            made = subprocess.run([sys.executable, GEN, "case", case, directory], capture_output=True, text=True, timeout=60,
                                  check=False)
            if not tap.ok(made.returncode == 0, f"{case}: generated", made.stderr):
                continue
            for row in (r for r in rows if r["case"] == case):
                profile = row.get("profile", "default")
                name = case + (f" ({profile})" if "profile" in row else "")
                code, out, err = harness.run("recommend", "--json", "--root", directory,
                                             config=harness.write_config(tmp, profile))
                doc = harness.parse(out)
                if not tap.ok(code == 0 and doc is not None, f"{name}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}"):
                    continue
                harness.check_schema(tap, "recommend", doc, name)
                check_row(tap, name, row, doc, harness.snapshots(directory)[0])
            subprocess.run(["rm", "-rf", directory], check=False)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
