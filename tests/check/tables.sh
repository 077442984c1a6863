#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program's tables are sound: names sorted and unique, fields filled, paths below proc/ or sys/, and every
# policy's knob and signals exist. The program is $ALLOCTUNE, or that of $BUILD_ROOT. Usage: tables.sh [TREE]
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"
program=${ALLOCTUNE:-${BUILD_ROOT:-build}/daemon/cli/alloctune}
[ -x "$program" ] || { echo "no program: $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
status=0
complain() {
    echo "$1"
    status=1
}

for table in knobs signals options verbs conf policy; do
    "$program" --dump-tables "$table" >"$work/$table"
    cut -f 1 "$work/$table" >"$work/names"
    [ -s "$work/names" ] || complain "$table: empty"
    double=$(LC_ALL=C sort "$work/names" | uniq -d)
    [ -z "$double" ] || complain "$table: twice: $double"
    ! grep -qvE '^(--)?[a-z]' "$work/names" || complain "$table: a name that does not begin with a letter"
done
for table in knobs signals options; do
    cut -f 1 "$work/$table" | LC_ALL=C sort -c 2>"$work/order" || complain "$table: not sorted: $(cat "$work/order")"
done

# name, scopes, unit, path, legal
awk -F '\t' '
    NF != 5 || $1 == "" || $2 == "" || $3 == "" || $5 == "" { print "knobs: " $1 ": a field is empty"; bad = 1 }
    $4 != "" && $4 !~ /^(proc|sys)\// { print "knobs: " $1 ": " $4 " is not below proc/ or sys/"; bad = 1 }
    $4 ~ /\.\./ { print "knobs: " $1 ": " $4 " leaves the tree"; bad = 1 }
    END { exit bad }' "$work/knobs" || status=1
# name, scopes, unit, best evidence, formula
awk -F '\t' '
    NF != 5 || $2 == "" || ($3 == "" && $1 != "external") || $5 == "" { print "signals: " $1 ": a field is empty"; bad = 1 }
    $4 !~ /^(measured|counted|estimated)$/ { print "signals: " $1 ": no evidence: " $4; bad = 1 }
    END { exit bad }' "$work/signals" || status=1
# name, synopsis, options, help: every option of a verb is in the table of options, and the other way round
cut -f 3 "$work/verbs" | tr ' ' '\n' | LC_ALL=C sort -u >"$work/used"
cut -f 1 "$work/options" | LC_ALL=C sort >"$work/known"
cmp -s "$work/used" "$work/known" || complain "verbs: options differ: $(comm -3 "$work/used" "$work/known" | tr '\n' ' ')"

# The program names the file and line of what does not exist.
"$program" check policies/*.policy policies/profiles/*.profile >"$work/check" 2>&1 || complain "$(cat "$work/check")"
exit "$status"
