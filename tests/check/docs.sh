#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What people read agrees with the tables of the program: manual pages, the default configuration, shell
# completions, one JSON schema for each verb. The program is $ALLOCTUNE, or that of $BUILD_ROOT.
# Usage: docs.sh [TREE]
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

# A table that fails to print would make every list look complete.
for table in conf etc exits guards knobs options parameters policy scenario signals verbs workloads; do
    "$program" --dump-tables "$table" >"$work/$table"
    [ -s "$work/$table" ] || complain "--dump-tables $table: prints nothing"
done

for page in man/*.[0-9]; do
    [ -f "$page" ] || continue
    cp -- "$page" "$work/page"
    sh man/render.sh "$program" "$work/page"
    cmp -s -- "$page" "$work/page" ||
        complain "$page: differs from the tables, expected what man/render.sh ALLOCTUNE $page makes: $(diff -- "$page" "$work/page" | sed -n 2p)"
    ! command -v mandoc >/dev/null || mandoc -T lint -W warning "$page" >"$work/lint" 2>&1 || complain "$page: $(grep -m 1 mandoc: "$work/lint")"
done
for table in conf:man/alloctuned.conf.5 policy:man/alloctuned.policy.5 guards:man/alloctuned.policy.5 knobs:man/alloctuned.knobs.7 \
    scenario:man/alloctuned.scenario.5 parameters:man/alloctuned.scenario.5 workloads:man/alloctuned.scenario.5 \
    signals:man/alloctuned.knobs.7 options:man/alloctune.1 verbs:man/alloctune.1 exits:man/alloctune.1; do
    grep -q "^\.\\\\\" BEGIN ${table%%:*}\$" "${table#*:}" || complain "${table#*:}: has no list of ${table%%:*}"
    grep -q "^\.\\\\\" END ${table%%:*}\$" "${table#*:}" || complain "${table#*:}: has no end of the list of ${table%%:*}"
done

cmp -s -- etc/alloctuned.conf "$work/etc" || complain "etc/alloctuned.conf: differs from --dump-tables etc"

for completion in completions/alloctune.bash completions/_alloctune; do
    for word in $(cut -f 1 "$work/verbs" "$work/options"); do
        grep -qE -- "(^|[^a-z-])$word([^a-z-]|\$)" "$completion" || complain "$completion: does not know $word"
    done
done

for verb in $(cut -f 1 "$work/verbs"); do
    schema=docs/schema/$verb.json
    [ -f "$schema" ] || { complain "$schema: missing"; continue; }
    objects=$(grep -c '"type": "object"' "$schema") || :
    closed=$(grep -c '"additionalProperties": false' "$schema") || :
    [ "$objects" -eq "$closed" ] && [ "$objects" -gt 0 ] || complain "$schema: an object is open, expected additionalProperties false"
done
exit "$status"
