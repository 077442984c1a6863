#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same frames give the same records, byte for byte, whatever built the program: gcc and clang, -O0 and -O3. Builds the Monte Carlo
# program four times and compares the hash of all records of its replay bound. TAP.
set -eu
source=${SOURCE_ROOT:?}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
first=
n=0
status=0
for compiler in gcc clang; do
    for level in 0 3; do
        n=$((n + 1))
        command -v "$compiler" >/dev/null || {
            echo "ok $n - $compiler -O$level # SKIP no $compiler"
            continue
        }
        dir=$work/$compiler-$level
        if ! { CC=$compiler meson setup -Doptimization="$level" -Db_ndebug=false -- "$dir" "$source" &&
            ninja -C "$dir" tests/sim/bounds; } >"$work/log" 2>&1; then
            sed 's/^/# /' "$work/log" | tail -n 20
            echo "not ok $n - $compiler -O$level builds"
            status=1
            continue
        fi
        records=$("$dir/tests/sim/bounds" 10 replay | sed -n 's/^# records //p')
        [ -n "$first" ] || first=$records
        if [ -n "$records" ] && [ "$records" = "$first" ]; then
            echo "ok $n - $compiler -O$level: records $records"
        else
            echo "not ok $n - $compiler -O$level: records $records, others $first"
            status=1
        fi
    done
done
echo "1..$n"
exit "$status"
