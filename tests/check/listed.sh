#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every source, test, fuzz target, policy and page is in a meson.build: a file that nobody builds rots.
# Usage: listed.sh [TREE]
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"
status=0

listed() { # file, meson.build, name in it
    grep -qF "'$3'" "$2" && return
    echo "$1: not in $2"
    status=1
}

for file in $(find daemon -name '*.c' | LC_ALL=C sort); do
    rest=${file#daemon/}
    floor=${rest%%/*}
    listed "$file" "daemon/$floor/meson.build" "${rest#*/}"
done
for file in tests/unit/test-*.c tests/fuzz/fuzz-*.c tests/check/*.sh tests/expect/run-*.py; do
    [ -f "$file" ] || continue
    name=${file##*/}
    name=${name#test-}
    name=${name#fuzz-}
    name=${name#run-}
    name=${name#run-}
    listed "$file" "${file%/*}/meson.build" "${name%.*}"
done
for file in policies/*.policy policies/profiles/*.profile man/*.[0-9] etc/*.conf; do
    [ -f "$file" ] || continue
    folder=${file%%/*}
    listed "$file" "$folder/meson.build" "${file#"$folder"/}"
done
exit "$status"
