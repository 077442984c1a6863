#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Totals the cases of all tests: total.py NAME=passed|failed... BUILD...

A test that prints TAP counts one for each case; one that does not counts one. Cases that the plan
promised and that never came have failed, and so has a test that ended badly without a failed case. A
build that was to be tested and has no log has failed. The last line is the result."""

import json
import os
import re
import sys

PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\b.*)?\s*$", re.I)
CASE = re.compile(r"^(not )?ok\b\s*\d*\s*-?\s*([^#]*)(?:#\s*(\w+).*)?$")


def count_tap(text):
    """(passed, names of failed, skipped), or None if the text is no TAP."""
    plan, passed, failed, skipped = None, 0, [], 0
    for line in text.splitlines():
        if m := PLAN.match(line):
            plan = int(m[1])
        elif m := CASE.match(line):
            if (m[3] or "").upper() == "SKIP":
                skipped += 1
            elif m[1]:
                failed.append(m[2].strip())
            else:
                passed += 1
    if plan is None:
        return None
    failed += ["(a case that never ran)"] * (plan - passed - len(failed) - skipped)
    return passed, failed, skipped


def count_test(test):
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    counted = count_tap(test.get("stdout") or "")
    if counted is None:
        if test["result"] == "SKIP":
            return 0, [], 1
        return (1, [], 0) if good else (0, [test["result"]], 0)
    passed, failed, skipped = counted
    if not failed and not good and test["result"] != "SKIP":
        failed = [test["result"]]
    return passed, failed, max(skipped, test["result"] == "SKIP" and not passed)


def main(arguments):
    passed, failed, skipped = 0, [], 0
    for argument in arguments:
        if "=" in argument and not os.path.isdir(argument):
            name, result = argument.rsplit("=", 1)
            if result == "passed":
                passed += 1
            else:
                failed.append(name)
            continue
        log = os.path.join(argument, "meson-logs", "testlog.json")
        name = os.path.basename(argument)
        counts = [0, 0, 0]
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as f:
                for line in filter(str.strip, f):
                    try:
                        test = json.loads(line)
                    except ValueError:
                        test = {"name": "log", "result": "a line that is cut", "stdout": ""}
                    p, names, s = count_test(test)
                    counts[0] += p
                    counts[1] += len(names)
                    counts[2] += s
                    failed += [f"{name}: {test['name']}: {n}" for n in names]
        if sum(counts) == 0:
            failed.append(f"{name}: no test ran")
        print(f"{name}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
        passed += counts[0]
        skipped += counts[2]
    for what in failed:
        print(f"failed: {what}")
    sys.stdout.flush()
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
