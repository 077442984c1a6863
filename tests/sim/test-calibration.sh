#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The fit sees no check row, its errors on them keep the marks, and the machine files are what it found.
set -eu
bin=${BUILD_ROOT:?}/tests/sim
evidence=${SOURCE_ROOT:?}/tests/evidence
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT INT TERM
status=0
n=0

echo 1..7
say() { # result, what
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; status=1; fi
}

r=0
"$bin/calibrate" "$evidence" >"$dir/fitted" || r=1
say $r "the fit runs"

# Check rows deleted, by the rule in code.
mkdir "$dir/stripped"
r=0
"$bin/calibrate" --strip "$evidence" "$dir/stripped"
"$bin/calibrate" "$dir/stripped" >"$dir/again" || r=1
cmp "$dir/fitted" "$dir/again" || r=1
say $r "without check rows the output is the same to the byte"

# And by a rule of this script: the four check batches are gone, the five others are there, nothing else of the sweep is lost.
r=0
gone=$(grep -cE ',(73|165|299|424),(score|zone|lru)' "$dir/stripped/pcp_batch_page_fault1.csv" || true)
kept=$(grep -cE ',(31|63|127|255|511),(score|zone|lru)' "$dir/stripped/pcp_batch_page_fault1.csv" || true)
rows=$(grep -cE ',(31|63|73|127|165|255|299|424|511),(score|zone|lru)' "$evidence/pcp_batch_page_fault1.csv" || true)
[ "$gone" = 0 ] && [ "$kept" = 135 ] && [ "$rows" = 243 ] || { echo "# $gone $kept $rows"; r=1; }
[ "$(grep -c revert "$dir/stripped/seed0_lockstat.csv" || true)" = 0 ] || r=1
[ "$(grep -c order+1 "$dir/stripped/slub_listlock.csv" || true)" = 0 ] || r=1
say $r "four of nine batches, the other kernel and the other order are check rows"

# A fit row that changes must change the output: the test above compares something.
cp -R "$dir/stripped" "$dir/changed"
sed 's/,15345900,/,16345900,/' "$dir/stripped/pcp_batch_page_fault1.csv" >"$dir/changed/pcp_batch_page_fault1.csv"
r=0
"$bin/calibrate" "$dir/changed" >"$dir/other"
if cmp -s "$dir/fitted" "$dir/other"; then r=1; fi
say $r "another fit row gives another output"

r=0
"$bin/check-calibration" "$evidence" "$dir/fitted" >"$dir/errors" || r=1
sed 's/^/# /' "$dir/errors"
say $r "errors on check rows keep their marks, or the figures at which they are known to miss them"

# The marks can fail: a parameter that is 20 % off.
sed 's/^skylake-ex zone_page_ns .*/skylake-ex zone_page_ns 187/' "$dir/fitted" >"$dir/off"
r=0
if "$bin/check-calibration" "$evidence" "$dir/off" >"$dir/off-errors"; then r=1; fi
grep -q 'skylake-ex: throughput, mean.*FAIL' "$dir/off-errors" || r=1
say $r "a parameter that is off passes its mark"

r=0
"$bin/check-machines" "$dir/fitted" "$SOURCE_ROOT/tests/sim/machines" >"$dir/machines" 2>&1 || r=1
sed 's/^/# /' "$dir/machines"
say $r "machine files hold what was fitted"
exit $status
