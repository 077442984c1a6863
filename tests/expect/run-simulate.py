#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated machines: every scenario holds its bounds, and what is printed of it agrees with itself; replays of captures.

    run-simulate.py [SCENARIO...]    TAP; ALLOCTUNE is the program. With names: only those scenarios, and nothing else.

The bounds are those of the scenario files. Here: relations that hold whatever the engine does, signs of published effects on machines
that are 30 % off, errors of bad files. Two processes at a time.
"""
import collections
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import pty
import re
import subprocess
import sys

import harness
from harness import Tap, read

SIM = os.path.join(harness.ROOT, "tests", "sim")
GEN = os.path.join(harness.ROOT, "tests", "gen", "gen.py")
FILES = sorted(glob.glob(os.path.join(SIM, "scenarios", "*.scenario")))
POOL = concurrent.futures.ThreadPoolExecutor(2)
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}

Run = collections.namedtuple("Run", "code out err rows")


def simulate(*args, key="simulate"):
    code, out, err = harness.run("simulate", "--policy-dir", harness.POLICIES, *args)
    document = harness.parse(out) if "--json" in args else None
    return Run(code, out, err.decode(errors="replace"), document.get(key, []) if isinstance(document, dict) else [])


def rows_of(*args):
    return simulate("--json", *args)


def scenario(name):
    return os.path.join(SIM, "scenarios", name + ".scenario")


class Text:
    """What a relation needs of a scenario file."""

    def __init__(self, path):
        self.text = re.sub(r"(?m)^\s*#.*$", "", read(path))
        head, _, expect = self.text.partition("  expect = ")
        self.clauses = len(re.findall(r"\bwhat\s*=", expect))
        self.compare_only = "compare_only = true" in head
        number, unit = re.search(r'\bduration = "(\d+)(\w+)"', head).groups()
        self.seconds = int(number) * SECONDS[unit]
        policies = re.search(r"\bpolicies = \((.*?)\)", head)
        self.one_policy = bool(policies) and policies.group(1).count('"') == 2
        self.foreign = "initial =" in head or 'what = "write"' in head
        self.knob_is_cost = 'cost = "external' not in head


def holds(check):
    """A bound, from its own numbers."""
    got, least, most = check["got"], check["at_least"], check["at_most"]
    if got is None:
        return False
    if isinstance(got, str):
        return got == check["wanted"]
    return (least is None or got >= least) and (most is None or got <= most) and (least is not None or most is not None)


def check_relations(tap, name, text, row):
    checks = {c["expectation"]: c for c in row["checks"]}
    wrong = [c for c in row["checks"] if c["ok"] != holds(c)]
    tap.ok(not wrong, f"{name}: a check is ok if its number is within its bounds", wrong)
    tap.ok(len(row["checks"]) == text.clauses and row["ok"] == all(c["ok"] for c in row["checks"]),
           f"{name}: a check for each bound of the file, and ok if all are", row)
    tap.ok(all(c["source"] for c in row["checks"] if c["published"] is not None), f"{name}: what is published has a source")
    cost = [row[k] for k in ("default", "best", "reached")]
    if text.compare_only:
        tap.ok(cost == [None] * 3 and row["changes"] is None and row["trials"] is None and row["seconds_to_hold"] is None,
               f"{name}: the daemon did not run: nothing is said of it", row)
        return
    tap.ok(all(c is not None and c > 0 for c in cost), f"{name}: three costs", cost)
    default, best, reached = cost
    tap.ok(best <= default, f"{name}: the default is one of the static settings", cost)
    # costs are printed to the thousandth
    slack = 1 + 1.1e6 * 0.0005 * (1 / best + reached / best ** 2)
    tap.ok(abs((reached / best - 1) * 1e6 - row["regret_ppm"]) <= slack, f"{name}: regret is reached against best", row)
    if text.one_policy and not text.foreign:
        tap.ok(row["regret_ppm"] >= 0, f"{name}: an arm of one knob is no better than all of them", row)
    tap.ok(row["changes"] <= row["trials"], f"{name}: what is accepted was tried", row)
    if row["changes"] == 0 and not text.foreign:
        tap.ok(reached == default and row["seconds_to_hold"] is None, f"{name}: nothing accepted: the default, never held", row)
    if row["seconds_to_hold"] is not None:
        # probation of every shipped policy: 30 minutes
        tap.ok(row["changes"] > 0 and 1800 < row["seconds_to_hold"] <= text.seconds,
               f"{name}: held after probation, before the end", row)
    for what, key in (("accepted", "changes"), ("trials", "trials"), ("guard-events", "guard_events"), ("regret", "regret_ppm")):
        if what in checks:
            tap.ok(checks[what]["got"] == row[key], f"{name}: {what} is the same number in both places", row)


def check_scenarios(tap, files):
    for path, r in zip(files, POOL.map(lambda f: rows_of(f), files)):
        name = os.path.basename(path)[: -len(".scenario")]
        missed = [c for row in r.rows for c in row["checks"] if not c["ok"]]
        tap.ok(r.code == 0 and not missed, f"{name}: exit 0, every bound holds", f"{r.code} {missed} {r.err}")
        tap.ok(r.err == "", f"{name}: nothing on stderr", r.err)
        harness.check_schema(tap, "simulate", harness.parse(r.out), name)
        if tap.ok(len(r.rows) == 1 and r.rows[0]["scenario"] == name, f"{name}: one row, of that name", r.out[:400]):
            check_relations(tap, name, Text(path), r.rows[0])


COUNTS = "".join(f'{{ what = "{w}"; at_least = 0; }}, ' for w in ("accepted", "trials", "writes", "cuts", "yields")).rstrip(", ")


def expecting(name, clauses, into, **changes):
    """A copy of a scenario with other bounds (none of the original's), beside the same machines."""
    text = read(scenario(name))
    for key, value in changes.items():
        text, n = re.subn(rf'(?m)^(  {key} = )"[^"]*";', rf'\g<1>"{value}";', text, count=1)
        assert n == 1, (name, key)
    at = text.index("  expect = ")
    path = os.path.join(into, "scenarios", f"{name}-{len(os.listdir(os.path.join(into, 'scenarios')))}.scenario")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text[:at] + f"  expect = ( {clauses} );\n}};\n")
    return path


def check_counts(tap, tmp):
    """Writes against trials: three a quad of at most twelve and one to keep; six quads of probation, revalidated after a day."""
    names = ["batch-skylake-ex", "batch-sandybridge-desktop", "scheduler-noise"]
    for name, r in zip(names, POOL.map(lambda n: rows_of(expecting(n, COUNTS, tmp)), names)):
        got = {c["expectation"]: c["got"] for row in r.rows for c in row["checks"]}
        if not tap.ok(r.code == 0 and len(got) == 5, f"{name}: counts", r.err):
            continue
        tap.ok(got["writes"] <= 37 * got["trials"] + 19 * got["accepted"], f"{name}: writes are bounded by trials", got)
        # an arm is written and the old value after it, in each of at least six quads of an accepted trial
        tap.ok(got["writes"] >= 12 * got["accepted"] and (got["trials"] > 0 or got["writes"] == 0),
               f"{name}: no trial, no write; and what was accepted was compared", got)
        tap.ok(got["yields"] == 0, f"{name}: nobody else wrote, nothing was given up", got)


def check_seeds(tap, tmp):
    path, slow = scenario("batch-skylake-ex"), scenario("scheduler-noise")
    twice = list(POOL.map(lambda args: simulate(*args), [("--json", path), ("--json", path), (path,), (path,),
                                                         ("--json", "--seeds", "3", path), ("--json", slow, path)]))
    one, again, text, text_again, three, both = twice
    tap.ok(one.out == again.out and one.out, "the same seed gives the same JSON, byte for byte")
    tap.ok(text.out == text_again.out and text.out, "and the same text")
    tap.ok([r["seed"] for r in three.rows] == [1, 2, 3] and three.rows[:1] == one.rows, "three seeds: the first is the single run", three.rows)
    outcomes = [{k: v for k, v in r.items() if k != "seed"} for r in three.rows]
    tap.ok(all(outcomes[i] != outcomes[j] for i in range(3) for j in range(i)), "no two seeds have the same day", outcomes)
    # truth has no noise: what a static setting costs does not depend on the seed
    tap.ok(len({(r["default"], r["best"], r["best_value"]) for r in three.rows}) == 1, "nor does the seed move the truth", outcomes)
    with open(os.path.join(tmp, "scenarios", "seed-2.scenario"), "w", encoding="utf-8") as f:
        f.write(read(path).replace("scenario = {\n", "scenario = {\n  seed = 2;\n"))
    own = rows_of(f.name)
    tap.ok(own.rows == three.rows[1:2], "a seed in the file is the one of --seeds", own.rows)
    tap.ok([r["scenario"] for r in both.rows] == ["scheduler-noise", "batch-skylake-ex"] and both.rows[1:] == one.rows,
           "two scenarios: rows in order, neither moved by the other", both.rows)
    compared = rows_of("--seeds", "5", scenario("slab-order"))
    tap.ok(len(compared.rows) == 1, "variants alone: no seed, one row", compared.rows)


def check_sweep(tap, name, knob, valley):
    """valley: longer lists cost less wait until they take memory; 1: larger values are shorter lists, -1: smaller ones, 0: words."""
    run, sweep = rows_of(scenario(name)), simulate("--json", "--sweep", knob, scenario(name), key="sweep")
    if not tap.ok(sweep.code == 0 and len(sweep.rows) > 2 and run.rows, f"sweep of {name}", sweep.err):
        return
    harness.check_schema(tap, "simulate", harness.parse(sweep.out), f"sweep of {name}")
    rows, row = sweep.rows, run.rows[0]
    tap.ok(all(r["scenario"] == name and r["knob"] == knob for r in rows), f"sweep of {name}: rows are of it", rows[:2])
    tap.ok(len({r["value"] for r in rows}) == len(rows), f"sweep of {name}: no value twice")
    tap.ok(rows[0]["cost"] == row["default"], f"sweep of {name}: the first is the default of the run", (rows[0], row["default"]))
    same = [r["cost"] for r in rows if r["value"] == row["best_value"]]
    tap.ok(same == [row["best"]] or (not same and row["best"] >= min(r["cost"] for r in rows)),
           f"sweep of {name}: the best setting of the run is no better than here, and as dear", (same, row))
    if valley:
        costs = [c for _, c in sorted((int(r["value"].split()[0]), r["cost"]) for r in rows if r["value"] != "0")]
        low = costs.index(min(costs))
        tap.ok(all(a >= b for a, b in zip(costs[:low], costs[1:])) and all(a <= b for a, b in zip(costs[low:], costs[low + 1:])),
               f"sweep of {name}: one valley", costs)
        tap.ok(costs[-1 if valley > 0 else 0] > 1.02 * costs[low], f"sweep of {name}: shorter lists cost more", costs)


def check_scheduler_noise(tap, tmp):
    """A day under the noise of a scheduler, twenty times: nothing is touched. With the gate open by decree, noise alone convinces no more
    often than one trial in twenty."""
    name = scenario("scheduler-noise")
    text = read(name)
    opened = (text[: text.index("  variants = ")] + """  policies = ( "pcp-contention" );
  overrides = ( { policy = "pcp-contention"; settings = { gate = { use = 0; kernel_cpu = 0; saving = 0; saving_cpus_milli = 0; };
                  targets = ( { signal = "alloc-rate"; hot = 1; } ); must_not_rise = ( ); }; } );
  expect = ( { what = "writes"; at_least = 0; } );
};
""")
    paths = []
    for noise in ("rough", "none"):
        paths.append(os.path.join(tmp, "scenarios", f"open-{noise}.scenario"))
        with open(paths[-1], "w", encoding="utf-8") as f:
            f.write(opened.replace('noise = "rough"', f'noise = "{noise}"'))
    shut, rough, none = POOL.map(lambda a: rows_of(*a), [("--seeds", "20", name), ("--seeds", "20", paths[0]), ("--seeds", "5", paths[1])])
    tap.ok(shut.code == 0 and len(shut.rows) == 20, "scheduler-noise, 20 seeds: every bound holds", (shut.code, shut.err))
    acted = [(r["seed"], r["trials"], r["changes"], r["reached"]) for r in shut.rows
             if (r["trials"], r["changes"], r["guard_events"]) != (0, 0, 0) or r["reached"] != r["default"]]
    tap.ok(len(shut.rows) == 20 and not acted, "scheduler-noise, 20 seeds: no trial, no change, no guard", acted)
    writes = [sum(c["got"] for c in r["checks"]) for r in rough.rows], [sum(c["got"] for c in r["checks"]) for r in none.rows]
    n, accepted = sum(r["trials"] for r in rough.rows), sum(r["changes"] for r in rough.rows)
    tap.ok(len(rough.rows) == 20 and n >= 20, "the gate open: there are trials", (rough.err, n))
    # at most 5 % a trial: 4 sigma above its mean
    tap.ok(accepted <= 0.05 * n + 4 * math.sqrt(0.05 * 0.95 * max(n, 1)), f"the gate open: {accepted} of {n} trials are fooled, 5 % may be")
    # a trial of a setting that does nothing ends at the first look if nothing moves
    tap.ok(sum(writes[0][:5]) > sum(writes[1]), "the gate open: noise makes trials longer, so it is there", writes)


# Published effects (metrics of variants) that a machine 30 % off must show with the right sign: above 1, below 1.
FOUNDING = {
    "slab-order": {"zone-lock-wait of online / possible": 1, "zone-lock-holds of online / possible": 1, "elapsed of online / possible": 1},
    "slab-order-arm64": {"elapsed of online / possible": 1},
    "slab-accounting": {"partial-refills of slabs / objects": -1, "partial-refills of more-slabs / objects": -1},
    "thp-alignment": {"elapsed of always / never": 1, "system-cpu of always / never": 1},
    "batch-skylake-ex": {"throughput of batch-63 / scenario": 1, "throughput of batch-73 / scenario": 1},
}
# Known misses, and no others: where an order less makes twice the node list lock's work and not 1.4 times, CPUs wait there and no longer for the zone.
LOST = {("slab-order", "zone-lock-wait of online / possible"): [("list_order_factor", -1)]}


def parameters():
    """{name: (least, most, default)} of the model."""
    code, out, _ = harness.run("--dump-tables", "parameters")
    found = re.findall(r"\.It Va (\w+)\n(?:.*\n)+?From (\S+) to ([^\s,]+)[^,\n]*, default (\S+?)\.\n", out.decode())
    return {name: (float(a), float(b), float(c)) for name, a, b, c in found} if code == 0 else {}


def off_by(tmp, name, machine, param, value, at):
    """The variants of a scenario on a copy of its machine with another parameter: written into the file, or added to it."""
    there = os.path.join(tmp, f"off-{at}")
    for part in ("scenarios", "machines"):
        os.makedirs(os.path.join(there, part))
    text, n = re.subn(rf"(?m)^(\s+{param} = )[^;]+;", rf"\g<1>{value!r};", read(SIM, "machines", machine + ".machine"))
    if n == 0:
        text, n = re.subn(r"(?m)^(  params = \{)$", rf"\g<1>\n    {param} = {value!r};", text)
    assert n == 1, (machine, param)
    with open(os.path.join(there, "machines", machine + ".machine"), "w", encoding="utf-8") as f:
        f.write(text)
    source = read(scenario(name))
    if "compare_only" not in source:
        source = source.replace("  duration = ", "  compare_only = true;\n  duration = ")
    path = os.path.join(there, "scenarios", name + ".scenario")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    r = rows_of(path)
    return {c["expectation"]: c["got"] for row in r.rows for c in row["checks"]}, r.err


def check_signs(tap, tmp):
    known = parameters()
    tap.ok(len(known) >= 20, "the parameters of the model are listed", known)
    for name, effects in FOUNDING.items():
        machine = re.search(r'machine = "([^"]+)"', read(scenario(name))).group(1)
        here = dict(re.findall(r"(?m)^    (\w+) = ([0-9.]+);", read(SIM, "machines", machine + ".machine").partition("caches")[0]))
        tap.ok(here and set(here) <= set(known), f"{name}: the parameters of {machine} are known ones", here)
        changes = []
        for param, (least, most, default) in known.items():
            was = float(here.get(param, default))
            changes += [(param, v) for v in (min(was * 1.3, most), max(was * 0.7, least)) if v != was]
        fitted = [p for p, v in here.items() if float(v) > 0]
        tap.ok(all(sum(c[0] == p for c in changes) == 2 or p in ("smt_slowdown", "socket_factor") for p in fitted),
               f"{name}: every fitted parameter goes up and down", changes)
        results = list(POOL.map(lambda x, n=name, m=machine: off_by(tmp, n, m, x[1][0], x[1][1], f"{n}-{x[0]}"), enumerate(changes)))
        for effect, sign in effects.items():
            got = [(*c, r[0].get(effect)) for c, r in zip(changes, results)]
            wrong = [g for g in got if g[2] is None or (g[2] - 1) * sign <= 0]
            lost = LOST.get((name, effect), [])
            was = {p: float(here.get(p, known[p][2])) for p in known}
            tap.ok([(p, 1 if v > was[p] else -1) for p, v, _ in wrong] == lost,
                   f"{name}: {effect} keeps its sign on {len(got) - len(lost)} of {len(got)} machines that are 30 % off", wrong)
            # refills for an object follow from what a list may hold, which no parameter says
            moved = len({g[2] for g in got}) > 1
            tap.ok(moved != (name == "slab-accounting"), f"{name}: {effect}: the parameters {'do not ' if name == 'slab-accounting' else ''}move it", got)


BASE = """scenario = {
  name = "t"; machine = { name = "m"; kernel = "6.1"; cpus = 8; memory = "8GiB"; };
  duration = "10min"; phases = ( { name = "f"; } ); policies = ( "pcp-contention" );
  %s
};
"""
# what: (replaced, by, line, words). Line None: the error is of the file as a whole.
BAD = {
    "a string without end": ('"8GiB"', '"8GiB', 3, ""),
    "a group without end": ("};\n", "\n", 1, "without end"),
    "a number for a word": ("%s", "noise = 3;", 4, "noise is an integer"),
    "a word for a number": ("cpus = 8", 'cpus = "eight"', 2, "cpus is a string, expected an integer"),
    "an unknown noise": ("%s", 'noise = "loud";', 4, "loud"),
    "a million CPUs": ("cpus = 8", "cpus = 1000000", 2, "expected an integer from 1 to 8192"),
    "no CPU": ("cpus = 8", "cpus = 0", 2, "expected an integer from 1 to 8192"),
    "more memory than numbers": ("8GiB", "99999999999999999999GiB", 2, "expected a size"),
    "a KiB of memory": ("8GiB", "1KiB", 2, "expected a size"),
    "sixty-four nodes of little": ("cpus = 8;", "cpus = 64; nodes = 64;", 2, "for each node"),
    "a hundred years": ("10min", "36500d", 3, "expected a time"),
    "no time": ("10min", "0s", 3, "expected a time"),
    "a time without unit": ("10min", "10", 3, "expected a time"),
    "a negative seed": ("%s", "seed = -1;", 4, "seed is -1"),
    "a parameter below 0": ("%s", "params = { think_ns = -5.0; };", 4, "think_ns is -5"),
    "a parameter without end": ("%s", "params = { think_ns = 1e400; };", 4, "think_ns is inf"),
    "an unknown parameter": ("%s", "params = { thunk_ns = 5.0; };", 4, "thunk_ns"),
    "an unknown phase": ("%s", 'events = ( { at = "1s"; what = "phase"; phase = "zz"; } );', 4, '"zz"'),
    "an unknown kernel": ('"6.1"', '"9.9"', 2, "9.9"),
    "an unknown bound": ("%s", 'expect = ( { what = "luck"; at_most = 1; } );', 4, "luck"),
    "a bound without number": ("%s", 'expect = ( { what = "trials"; } );', 4, ""),
    "an unknown key": ("%s", "colour = 3;", 4, '"colour"'),
    "a missing key": ('memory = "8GiB";', "", 2, "memory"),
    "an unknown machine": ('{ name = "m"; kernel = "6.1"; cpus = 8; memory = "8GiB"; }', '"no-such"', 2, '"no-such"'),
    "an unknown policy": ('"pcp-contention"', '"no-such"', None, '"no-such"'),
    "a value that the kernel refuses": ("%s", 'initial = ( { path = "proc/sys/vm/percpu_pagelist_high_fraction"; value = 3; } );', None, "EINVAL"),
}


def check_bad(tap, tmp):
    path = os.path.join(tmp, "scenarios", "bad.scenario")
    good = BASE.replace("%s", "")
    with open(path, "w", encoding="utf-8") as f:
        f.write(good)
    r = rows_of(path)
    tap.ok(r.code == 0 and len(r.rows) == 1, "the scenario that is broken below is good", r.err)
    for what, (old, new, line, words) in BAD.items():
        text = BASE.replace(old, new).replace("%s", "")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        r = simulate(path)
        place = f"{path}:" if line is None else f"{path}:{line}: "
        tap.ok(r.code == 78 and r.out == b"" and text != good, f"{what}: exit 78, nothing on stdout", f"{r.code} {r.out}")
        tap.ok(any(s.startswith(f"alloctune: {place}") and words in s for s in r.err.splitlines()), f"{what}: where and what", r.err)
    for what, name, data, words in (("a missing file", "no.scenario", None, "No such file"), ("a folder", "folder", "", "not a regular file"),
                                    ("nothing", "nothing.scenario", b"", ""), ("zeros", "zeros.scenario", bytes(100), "NUL"),
                                    ("three megabytes", "long.scenario", b"a" * 3_000_000, "too large"),
                                    ("a deep nest", "deep.scenario", b"scenario = " + b"{ a = " * 20000, "nested too deep")):
        path = os.path.join(tmp, "bad", name)
        if data == "":
            os.mkdir(path)
        elif data is not None:
            with open(path, "wb") as f:
                f.write(data)
        r = simulate(path)
        tap.ok(r.code == 78 and r.out == b"" and r.err.startswith(f"alloctune: {path}:") and words in r.err,
               f"{what}: exit 78, and the file is named", f"{r.code} {r.err[:300]}")
    good = scenario("slab-order")
    for what, args in (("no scenario", ()), ("no seed", ("--seeds", "0", good)), ("seeds beyond number", ("--seeds", "9" * 30, good)),
                       ("a word for seeds", ("--seeds", "some", good)), ("an unknown knob", ("--sweep", "no-such", good)),
                       ("an unknown option", ("--seed", "1", good))):
        r = simulate(*args)
        tap.ok(r.code == 2 and r.out == b"" and r.err.startswith("alloctune: "), f"{what}: exit 2", f"{r.code} {r.err}")
    r = simulate(good, os.path.join(tmp, "bad", "no.scenario"))
    tap.ok(r.code == 78 and r.out == b"", "one bad of two: nothing runs", r.err)


def check_missed(tap, tmp):
    """A bound that is wrong on purpose."""
    path = expecting("batch-desktop", '{ what = "accepted"; at_most = 100; }, { what = "trials"; at_least = 9999; },'
                     ' { what = "value"; knob = "pcp-high-fraction"; value = 77; },'
                     ' { what = "metric"; metric = "throughput"; variant = "batch-63"; at_least = 2.5; }', tmp)
    r, text = rows_of(path), simulate(path)
    tap.ok(r.code == 1 and text.code == 1, "a bound that does not hold: exit 1", (r.code, r.err))
    got = {c["expectation"]: c["ok"] for row in r.rows for c in row["checks"]}
    tap.ok(list(got.values()) == [True, False, False, False] and r.rows[0]["ok"] is False, "the three that do not hold are marked", got)
    said = [re.split(r":\s", s.strip(), maxsplit=1)[0] for s in text.out.decode().splitlines() if s.startswith("  no  ")]
    tap.ok(said == ["no  trials", "no  value of pcp-high-fraction", "no  throughput of batch-63 / scenario"], "and named in the text", text.out.decode())
    tap.ok("expected at least 9999" in text.out.decode() and "expected 77" in text.out.decode(), "with what was expected", text.out.decode())
    both = simulate(path, scenario("slab-order"))
    tap.ok(both.code == 1 and both.out.count(b"slab-order #1") == 2, "the scenario after it runs all the same", both.out.decode())


def check_progress(tap):
    """A line on stderr while it runs, on a terminal alone."""
    argv = [harness.ALLOCTUNE, "simulate", "--policy-dir", harness.POLICIES, "--json", "--seeds", "2", scenario("batch-desktop")]
    piped = subprocess.run(argv, capture_output=True, timeout=harness.TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)
    tap.ok(piped.returncode == 0 and piped.stderr == b"", "progress: nothing into a pipe", piped.stderr)
    master, slave = pty.openpty()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=slave, stdin=subprocess.DEVNULL) as p:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # EIO: the other end is closed
                break
            if not part:
                break
            shown += part
        out = p.stdout.read()
    os.close(master)
    tap.ok(p.returncode == 0 and out == piped.stdout, "progress: stdout is the same on a terminal")
    said = re.findall(rb"simulating (\d) of 2, batch-desktop: (\d+) %, .*? of 240 min ", shown)
    tap.ok([k for k, _ in said] == sorted(k for k, _ in said) and {k for k, _ in said} == {b"1", b"2"}, "progress: of both runs, in order", shown[:400])
    first = [int(v) for k, v in said if k == b"1"]
    tap.ok(first == sorted(first) and len(set(first)) > 10 and max(first, default=101) <= 100, "progress: it rises to at most 100 %", first)
    tap.ok(shown.endswith(b"\r\x1b[K") and b"\n" not in shown, "progress: one line, wiped at the end", shown[-80:])


def tree_sum(directory):
    total = hashlib.sha256()
    for where, _, names in sorted(os.walk(directory)):
        for n in sorted(names):
            path = os.path.join(where, n)
            total.update(f"{path} {os.lstat(path).st_mode:o} ".encode())
            if not os.path.islink(path):
                with open(path, "rb") as f:
                    total.update(f.read())
    return total.hexdigest()


def check_replay(tap, tmp):
    config = harness.write_config(tmp, "default")
    for name in ("5.10-std-fault", "6.12-std-tuned", "7.3-std-sockets"):
        there = os.path.join(tmp, name)
        os.mkdir(there)
        subprocess.run(["tar", "xzf", os.path.join(harness.ROOT, "tests", "trees", name + ".tgz"), "-C", there], check=True)
        times = [int(os.path.basename(s)) for s in harness.snapshots(there)]
        code, out, err = harness.run("replay", "--json", there, config=config)
        doc = harness.parse(out)
        if not tap.ok(code == 0 and doc and err == b"", f"replay {name}: exit 0 and JSON", f"{code} {err}"):
            continue
        harness.check_schema(tap, "replay", doc, f"replay {name}")
        # every snapshot after the first is looked at; no policy is hot in a window or two of emulation: three are asked for
        span = (times[-1] - times[0]) / 1000
        tap.ok((doc["seconds"], doc["frames"], doc["windows"]) == (span, len(times) - 1, int(span // 10)), f"replay {name}: its length",
               (doc["seconds"], doc["frames"], doc["windows"], times))
        tap.ok(not any(r["kind"] == "trial-begin" for r in doc["replay"]), f"replay {name}: too short for a trial", doc["replay"])

    # Nine snapshots in which zone-lock-wait is 40 % and 1.2 ms per 1,000 pages, as a report says: hot after three windows
    hot = os.path.join(tmp, "hot")
    subprocess.run([sys.executable, GEN, "machine", "--kernel", "6.1", "--cpus", "16", "--nodes", "2", "--rate", "5e6", "--system", "0.5",
                    "--snapshots", "9", "--seconds", "10", hot], check=True, stdin=subprocess.DEVNULL, capture_output=True)
    with open(os.path.join(hot, "signals.json"), "w", encoding="utf-8") as f:
        json.dump([{"name": "zone-lock-wait", "scope": "system", "value": 400000, "unit": "ppm", "evidence": "measured"},
                   {"name": "zone-lock-wait-per-kpage", "scope": "system", "value": 1200000, "unit": "ns", "evidence": "measured"}], f)
    before = tree_sum(hot)
    (code, out, err), again = (harness.run("replay", "--json", hot, config=config) for _ in range(2))
    doc = harness.parse(out) or {"replay": []}
    tap.ok(code == 0 and out == again[1], "replay of a hot machine: exit 0, the same twice", err)
    harness.check_schema(tap, "replay", doc, "replay of a hot machine")
    rows = [r for r in doc["replay"] if r["policy"] == "pcp-contention"]
    kinds = [r["kind"] for r in rows]
    tap.ok(kinds.count("hot") == 1 and kinds.count("trial-begin") == 1 and kinds.index("hot") < kinds.index("trial-begin"),
           "replay of a hot machine: a trial would begin, once", kinds)
    # windows_hot = 3 of 10 s each, after the two looks 10 s apart that make the first rates
    tap.ok([r["time"] for r in rows if r["kind"] == "hot"] == [40], "replay of a hot machine: hot after three windows", rows)
    hots = [(r["signal"], r["value"], r["target"], r["evidence"]) for r in rows if r["kind"] == "hot"]
    tap.ok(hots == [("zone-lock-wait", 400000, 20000, "measured")], "replay of a hot machine: the number of the report", hots)
    ids = {r["id"] for r in rows if r["kind"] == "trial-begin"}
    tap.ok(ids == {"pcp-contention/pcp-high-fraction/system#1"}, "replay of a hot machine: the decision has an id", ids)
    tap.ok(all(r["verdict"] is None and r["effect_ppm"] is None for r in rows), "replay of a hot machine: no effect is claimed", rows)
    tap.ok(tree_sum(hot) == before, "replay of a hot machine: the capture is untouched")
    text = harness.run("replay", hot, config=config)
    tap.ok(text[0] == 0 and b"trial-begin" in text[1] and b"9 looks" in text[1], "replay as text", text[1].decode())

    empty, broken = os.path.join(tmp, "empty"), os.path.join(tmp, "broken")
    os.mkdir(empty)
    os.makedirs(os.path.join(broken, "00000000"))
    tree = os.path.join(hot, "00000000")
    for what, path, status in (("a missing folder", os.path.join(tmp, "nowhere"), 1), ("an empty folder", empty, 1), ("a file", config, 1),
                               ("a snapshot without files", broken, 1), ("a tree", tree, 1), ("this machine", "/", 1)):
        code, out, err = harness.run("replay", "--json", path, config=config)
        tap.ok(code == status and out == b"" and err.decode().startswith(f"alloctune: {path}"), f"replay of {what}: exit {status}, named",
               f"{code} {out[:200]} {err}")
    code, out, err = harness.run("replay", config=config)
    tap.ok(code == 2 and out == b"", "replay of nothing: exit 2", err)


def main():
    tap = Tap()
    if len(sys.argv) > 1:
        check_scenarios(tap, [scenario(n) for n in sys.argv[1:]])
        return tap.done()
    with harness.scratch() as tmp:
        for part in ("scenarios", "bad"):
            os.mkdir(os.path.join(tmp, part))
        os.symlink(os.path.join(SIM, "machines"), os.path.join(tmp, "machines"))
        check_scenarios(tap, FILES)
        check_counts(tap, tmp)
        check_seeds(tap, tmp)
        check_sweep(tap, "batch-skylake-ex", "pcp-high-fraction", 1)
        check_sweep(tap, "list-lock", "slab-cpu-partial", -1)
        check_sweep(tap, "thp-defrag", "thp-defrag", 0)
        check_missed(tap, tmp)
        check_bad(tap, tmp)
        check_progress(tap)
        check_replay(tap, tmp)
        check_signs(tap, tmp)
        check_scheduler_noise(tap, tmp)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
