#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the program says of the captures of real kernels (tests/trees).

    run-captures.py [CAPTURE...]     TAP; ALLOCTUNE is the program

Expected values come from the raw files of the capture, read here, and from what is known of each kernel; none from
the program.
"""
import glob
import json
import os
import re
import subprocess
import sys

import harness
from harness import Tap, read

TREES = os.path.join(harness.ROOT, "tests", "trees")
SYSCTL = "proc/sys/vm/"
THP = "sys/kernel/mm/transparent_hugepage/"
SLAB = "sys/kernel/slab"

# pcp at 0 / pinned, file; alignment of anonymous maps (6.12: multiples); cpu_partial; sheaves
KERNELS = {
    "5.10": {"file": "percpu_pagelist_fraction", "at_zero": "live", "alignment": "never", "cpu_partial": "live", "sheaf": False},
    "6.1": {"file": "percpu_pagelist_high_fraction", "at_zero": "live", "alignment": "never", "cpu_partial": "live", "sheaf": False},
    "6.12": {"file": "percpu_pagelist_high_fraction", "at_zero": "kernel", "alignment": "multiple", "cpu_partial": "live",
             "sheaf": False},
    "7.2": {"file": "percpu_pagelist_high_fraction", "at_zero": "kernel", "alignment": "multiple", "cpu_partial": "removed",
            "sheaf": True},
    "7.3": {"file": "percpu_pagelist_high_fraction", "at_zero": "kernel", "alignment": "multiple", "cpu_partial": "removed",
            "sheaf": True},
}
# knob -> the file whose text, or whose bracketed word, is its value
PLAIN = {
    "watermark-scale": SYSCTL + "watermark_scale_factor", "min-free": SYSCTL + "min_free_kbytes",
    "zone-reclaim-mode": SYSCTL + "zone_reclaim_mode", "compaction-proactiveness": SYSCTL + "compaction_proactiveness",
    "thp-enabled": THP + "enabled", "thp-defrag": THP + "defrag", "thp-shmem-enabled": THP + "shmem_enabled",
    "thp-shrink-underused": THP + "shrink_underused",
}


def chosen(text):
    m = re.search(r"\[(.+?)\]", text)
    return m.group(1) if m else text.strip()


def number(*parts):
    return int(read(*parts))


def counters(snapshot):
    return {k: int(v) for k, v in (line.split() for line in read(snapshot, "proc/vmstat").splitlines())}


def meminfo(snapshot, key):
    return int(re.search(rf"(?m)^{key}:\s+(\d+) kB", read(snapshot, "proc/meminfo")).group(1)) * 1024


def real_caches(snapshot):
    base = os.path.join(snapshot, SLAB)
    return sorted(d for d in os.listdir(base) if not os.path.islink(os.path.join(base, d)))


def of(rows, name, scope=None):
    return [r for r in rows if r["name"] == name and (scope is None or r["scope"] == scope)]


def check_machine(tap, name, doc, snaps, kernel):
    m, last = doc["machine"], snaps[-1]
    online = harness.cpu_list(read(last, "sys/devices/system/cpu/online"))
    possible = harness.cpu_list(read(last, "sys/devices/system/cpu/possible"))
    nodes = harness.cpu_list(read(last, "sys/devices/system/node/online"))
    want = {"kernel": read(last, "proc/sys/kernel/osrelease").strip(), "cpus_online": len(online),
            "cpus_possible": len(possible), "nodes": len(nodes), "page_bytes": 4096,
            "memory_bytes": meminfo(last, "MemTotal"), "hpage_pmd_bytes": number(last, THP + "hpage_pmd_size"),
            "thp_alignment": kernel["alignment"]}
    wrong = {k: (m.get(k), v) for k, v in want.items() if m.get(k) != v}
    tap.ok(not wrong, f"{name}: machine", wrong)
    stamps = [int(os.path.basename(s)) for s in snaps]
    want = {"kind": "capture", "samples": len(snaps)}
    w = doc["window"]
    tap.ok({k: w[k] for k in want} == want and abs(w["seconds"] - (stamps[-1] - stamps[0]) / 1000) < 0.05, f"{name}: window", w)


def check_pcp(tap, name, doc, snaps, kernel):
    raw = read(snaps[-1], SYSCTL + kernel["file"]).strip()
    rows = of(doc["knobs"], "pcp-high-fraction")
    if not tap.ok(len(rows) == 1, f"{name}: one pcp-high-fraction", rows):
        return
    row = rows[0]
    tap.ok(row["value"] == raw and row["path"] == "/" + SYSCTL + kernel["file"], f"{name}: fraction is {raw}", row)
    state = kernel["at_zero"] if raw == "0" else "live"
    tap.ok(row["state"] == state, f"{name}: fraction {raw} is {state}", row)
    owner = "kernel" if raw == "0" else "unknown"
    tap.ok(row["owner"] == owner and row["default"] == "0", f"{name}: fraction {raw} belongs to {owner}", row)
    if name.endswith("-tuned"):
        tap.ok(raw != "0", f"{name}: the capture is of a machine that somebody tuned", raw)
    zones = harness.zones_of(read(snaps[-1], "proc/zoneinfo"))
    wrong = []
    for z in zones:
        scope = f"zone:{z['node']}/{z['name']}"
        batch = {c["batch"] for c in z["cpus"].values()}
        row = of(doc["knobs"], "pcp-batch", scope)
        if len(row) != 1 or {int(row[0]["value"])} != batch:
            wrong.append((scope, batch, row))
        elif kernel["file"].endswith("high_fraction") and row[0]["state"] != "fixed":
            wrong.append((scope, "no file moves it", row))
    tap.ok(zones and not wrong, f"{name}: pcp-batch of {len(zones)} zones", wrong)


def check_slab(tap, name, doc, snaps, kernel):
    last = snaps[-1]
    caches = real_caches(last)
    tap.ok(len(caches) > 100, f"{name}: the capture has caches", len(caches))
    files = {"slab-order": "order", "slab-cpu-partial": "cpu_partial", "slab-min-partial": "min_partial",
             "slab-remote-defrag": "remote_node_defrag_ratio"}
    for knob, attr in files.items():
        wrong = []
        rows = {r["scope"]: r for r in of(doc["knobs"], knob)}
        for cache in caches:
            path = os.path.join(last, SLAB, cache, attr)
            row = rows.pop("cache:" + cache, None)
            if not os.path.exists(path):
                if row and row["state"] != "absent":
                    wrong.append((cache, "no file", row))
                continue
            value = read(path).strip()
            if not row or (row["value"] != value and row["state"] not in ("removed", "absent")):
                wrong.append((cache, value, row))
                continue
            state = "live"
            if knob == "slab-order":
                state = "boot"          # its file lost the store method in 5.9: mode 0400 on all five
            elif knob == "slab-cpu-partial" and kernel["sheaf"]:
                if read(last, SLAB, cache, "sheaf_capacity").strip() == "0":
                    continue            # never had either: kmem_cache and its like
                state = "removed"
            elif knob == "slab-cpu-partial" and value == "0":
                continue                # a cache without per-CPU partial slabs
            if row["state"] != state:
                wrong.append((cache, state, row["state"]))
        rows.pop("cache:*", None)
        tap.ok(not wrong and not rows, f"{name}: {knob} of {len(caches)} caches", (wrong[:5], sorted(rows)[:5]))
    rows = {r["scope"]: r for r in of(doc["knobs"], "slab-sheaf-capacity")}
    if not kernel["sheaf"]:
        tap.ok(all(r["state"] == "absent" for r in rows.values()), f"{name}: no sheaves", list(rows.values())[:3])
        return
    wrong = [(c, rows.get("cache:" + c)) for c in caches if (r := rows.get("cache:" + c)) is None or r["state"] != "fixed"
             or r["value"] != read(last, SLAB, c, "sheaf_capacity").strip()]
    tap.ok(not wrong, f"{name}: slab-sheaf-capacity of {len(caches)} caches is fixed", wrong[:5])


def check_plain(tap, name, doc, snaps):
    wrong = []
    for knob, path in PLAIN.items():
        rows = of(doc["knobs"], knob)
        if not os.path.exists(os.path.join(snaps[-1], path)):
            if any(r["state"] != "absent" for r in rows):
                wrong.append((knob, "no file", rows))
            continue
        want = chosen(read(snaps[-1], path))
        if len(rows) != 1 or rows[0]["value"] != want or rows[0]["path"] != "/" + path:
            wrong.append((knob, want, rows))
        elif knob.startswith("thp-") and rows[0]["state"] != "live":
            wrong.append((knob, "is live", rows))
    for path in glob.glob(os.path.join(snaps[-1], THP, "hugepages-*kB", "enabled")):
        kb = re.search(r"hugepages-(\d+)kB", path).group(1)
        rows = of(doc["knobs"], f"thp-size-{kb}-enabled")
        if len(rows) != 1 or rows[0]["value"] != chosen(read(path)) or rows[0]["state"] != "live":
            wrong.append((kb, chosen(read(path)), rows))
    rows = of(doc["knobs"], "thp-alignment")
    if len(rows) != 1 or rows[0]["state"] != "fixed" or not rows[0]["inferred"]:
        wrong.append(("thp-alignment", "fixed, inferred from the release", rows))
    tap.ok(not wrong, f"{name}: values of the other knobs", wrong)
    if name.endswith("-nothp"):
        tap.ok(of(doc["knobs"], "thp-enabled")[0]["value"] == "never", f"{name}: THP is never")


def check_signals(tap, name, doc, snaps):
    first, last = counters(snaps[0]), counters(snaps[-1])
    seconds = (int(os.path.basename(snaps[-1])) - int(os.path.basename(snaps[0]))) / 1000
    signals = doc["signals"]

    def rate(pattern):
        return sum(last[k] - first[k] for k in last if k in first and re.fullmatch(pattern, k)) / seconds

    wrong = []
    wanted = {"alloc-rate": (rate(r"pgalloc_.*"), "pages/s", 0.01), "compact-stall": (rate("compact_stall"), "events/s", 0.01),
              "allocstall": (rate(r"allocstall_.*"), "events/s", 0.01),
              "slab-unreclaimable": (last["nr_slab_unreclaimable"] * 4096, "bytes", 0.05)}
    for signal, (value, unit, tolerance) in wanted.items():
        rows = of(signals, signal, "system")
        if len(rows) != 1 or rows[0]["value"] is None or abs(rows[0]["value"] - value) > max(tolerance * value, 1) \
                or rows[0]["unit"] != unit or rows[0]["evidence"] != "counted":
            wrong.append((signal, value, unit, rows))
    for z in harness.zones_of(read(snaps[-1], "proc/zoneinfo")):
        scope = f"zone:{z['node']}/{z['name']}"
        parked = sum(c["count"] for c in z["cpus"].values()) * 1000000 / z["managed"]
        rows = of(signals, "pcp-parked", scope)
        if len(rows) != 1 or rows[0]["value"] is None or abs(rows[0]["value"] - parked) > 1 or rows[0]["evidence"] != "counted":
            wrong.append((scope, parked, rows))
    # no stock kernel has lock_stat, and nobody measured here: unknown, not zero
    for signal in ("zone-lock-wait", "list-lock-wait", "lru-lock-wait"):
        if any(r["value"] is not None or r["evidence"] != "none" for r in of(signals, signal)):
            wrong.append((signal, "unknown", of(signals, signal)))
    tap.ok(not wrong, f"{name}: signals", json.dumps(wrong, indent=1))


def check_lists(tap, name, directory, doc):
    for verb in ("knobs", "signals"):
        code, out, err = harness.run(verb, "--json", "--root", directory)
        alone = harness.parse(out)
        if tap.ok(code == 0 and alone is not None, f"{name}: {verb}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}"):
            tap.ok(alone.get("schema") == 1 and alone.get(verb) == doc[verb], f"{name}: {verb} alone is what recommend has")
            harness.check_schema(tap, verb, alone, name)


def check_capture(tap, name, directory, config):
    snaps = harness.snapshots(directory)
    kernel = KERNELS[name.split("-")[0]]
    code, out, err = harness.run("recommend", "--json", "--root", directory, config=config)
    doc = harness.parse(out)
    if not tap.ok(code == 0 and doc is not None, f"{name}: exit 0 and JSON", f"{code} {err.decode(errors='replace')}"):
        return
    again = harness.run("recommend", "--json", "--root", directory, config=config)
    tap.ok((code, out) == again[:2], f"{name}: the same answer, byte for byte")
    tap.ok(not err, f"{name}: nothing on stderr", err.decode(errors="replace"))
    harness.check_schema(tap, "recommend", doc, name)
    if name.endswith("-idle"):
        written = [r for r in doc["recommendations"] if r["apply"] == "write" or r["verdict"] in ("cut", "tune")]
        tap.ok(not written, f"{name}: nothing is recommended for writing", json.dumps(written, indent=1))
    check_machine(tap, name, doc, snaps, kernel)
    check_pcp(tap, name, doc, snaps, kernel)
    check_slab(tap, name, doc, snaps, kernel)
    check_plain(tap, name, doc, snaps)
    check_signals(tap, name, doc, snaps)
    if "-std-" in name and (name.endswith("-idle") or name == "5.10-std-tuned"):
        check_lists(tap, name, directory, doc)


def main():
    tap = Tap()
    wanted = set(sys.argv[1:])
    found = sorted(f[:-4] for f in os.listdir(TREES) if f.endswith(".tgz"))
    tap.ok(len(found) == 22, "22 captures", found)
    with harness.scratch() as tmp:
        config = harness.write_config(tmp, "default")
        for name in (f for f in found if not wanted or f in wanted):
            directory = os.path.join(tmp, name)
            os.mkdir(directory)
            done = subprocess.run(["tar", "-xpzf", os.path.join(TREES, name + ".tgz"), "-C", directory], capture_output=True,
                                  text=True, timeout=120, check=False)
            if tap.ok(done.returncode == 0, f"{name}: unpacked", done.stderr):
                check_capture(tap, name, directory, config)
            subprocess.run(["rm", "-rf", directory], check=False)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
