# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a capture: snapshots, capture.json, MODES, and what people measured (signals.json, kmsg)."""
import json
import os

import fmt_proc
import fmt_sys
from moment import TICK_HZ, Moment

START_TIME = 1796083845   # any fixed second: the same input gives the same capture


def put(path, text, mode, made):
    parent = os.path.dirname(path)
    if parent not in made:
        os.makedirs(parent, exist_ok=True)
        made.add(parent)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    os.chmod(path, mode)


def link(old, new, made):
    parent = os.path.dirname(new)
    if parent not in made:
        os.makedirs(parent, exist_ok=True)
        made.add(parent)
    os.link(old, new)


def write(out, machine, load, times_s=(0, 10), zone_changes=None, signals=None, kmsg=None, readme=None, etc=None):
    """zone_changes: one dict a snapshot (moment.Moment). etc: {path below the root: text}, for sysctl.d and tmpfiles.d."""
    if os.path.isdir(out) and os.listdir(out):
        raise SystemExit(f"gen.py: {out}: not empty")
    made = set()
    slab_files, links = fmt_sys.slab(machine)
    modes = {}
    for i, t in enumerate(times_s):
        changes = (zone_changes or [{}])[min(i, len(zone_changes or [{}]) - 1)]
        moment = Moment(machine, load, t, changes)
        files = {**fmt_proc.files(moment), **fmt_sys.files(moment), **slab_files}
        files.update({path: (0o644, text) for path, text in (etc or {}).items()})
        base = os.path.join(out, f"{round(t * 1000):08d}")
        for path, (mode, text) in files.items():
            if i and before.get(path) == text:    # unchanged: one more name of the same file
                link(os.path.join(first, path), os.path.join(base, path), made)
            else:
                put(os.path.join(base, path), text, mode, made)
            modes[path] = mode
        if not i:
            first, before = base, {path: text for path, (_, text) in files.items()}
        for path, target in links.items():
            os.symlink(target, os.path.join(base, path))
    put(os.path.join(out, "MODES"), "".join(f"{m:04o} {p}\n" for p, m in sorted(modes.items())), 0o644, made)
    meta = {"schema": 1, "page_bytes": machine.page, "clk_tck": TICK_HZ, "euid": 0, "start_time": START_TIME}
    put(os.path.join(out, "capture.json"), json.dumps(meta, indent=2) + "\n", 0o644, made)
    if signals:
        put(os.path.join(out, "signals.json"), json.dumps(signals, indent=2) + "\n", 0o644, made)
    if kmsg:
        put(os.path.join(out, "kmsg"), kmsg, 0o644, made)
    if readme:
        put(os.path.join(out, "README"), readme, 0o644, made)
