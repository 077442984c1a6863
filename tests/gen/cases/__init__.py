# SPDX-License-Identifier: GPL-2.0-or-later
"""The machines of public reports, one file a report. A file has

    TITLE, SOURCE     what happened and where it was reported
    REPORT            the report's own figures that the capture holds
    NEUTRAL           what the files need and the report lacks; chosen so that it decides nothing
    VARIANTS          {name: function giving the capture's parts} (the arguments of capture.write)

Only the report's figures may decide. A word of the report (swapping, node full, keeps rising) becomes the smallest
value that makes it true; it is listed with the figures.
"""
import importlib
import pkgutil

import capture

ALWAYS_NEUTRAL = (
    "keys, order and spacing of every file: those of the nearest captured kernel (layouts/)",
    "object sizes, aliases and flags of slab caches: those of that kernel's build",
    "watermarks, pcp batch and high, slab orders, cpu_partial: computed from the kernel's formulas where not reported",
    "counters not named below are 0; snapshots are 10 s apart; half of each zone is free; the rest is file cache",
)


def _modules():
    return {m.name: importlib.import_module("cases." + m.name) for m in pkgutil.iter_modules(__path__)}


def _variants():
    return {name: (mod, make) for mod in _modules().values() for name, make in mod.VARIANTS.items()}


def names():
    return sorted(_variants())


def load(name):
    mod, make = _variants()[name]
    return {"title": mod.TITLE, "module": mod, "make": make}


def header(name, mod):
    lines = [f"{name}: {mod.TITLE}", f"Source: {mod.SOURCE}", "Written by gen.py; no line of it is a real log or file.", "",
             "From the report:"]
    lines += ["  - " + line for line in mod.REPORT]
    lines += ["", "Neutral (the files need it, the report lacks it, it decides nothing):"]
    lines += ["  - " + line for line in tuple(mod.NEUTRAL) + ALWAYS_NEUTRAL]
    return "\n".join(lines) + "\n"


def write(name, out):
    mod, make = _variants()[name]
    capture.write(out, readme=header(name, mod), **make())


def signal(name, value, unit, scope="system", evidence="measured"):
    return {"name": name, "scope": scope, "value": value, "unit": unit, "evidence": evidence, "source": "report",
            "age_seconds": 0}
