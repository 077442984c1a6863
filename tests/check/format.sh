#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file is as .clang-format has it. Versions of clang-format differ in details: only the one
# named there judges, with another the check is skipped (77). Usage: format.sh [TREE]
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"
format=
for candidate in clang-format-14 clang-format; do
    case $("$candidate" --version 2>/dev/null) in
    *version\ 14.*) format=$candidate && break ;;
    esac
done
[ -n "$format" ] || {
    echo "no clang-format 14"
    exit 77
}
find daemon tests -name '*.[ch]' ! -path 'tests/data/*' | LC_ALL=C sort | tr '\n' '\0' |
    xargs -0 "$format" --style=file --dry-run --Werror 2>&1 | grep -E '(error|warning): ' | {
    if grep .; then
        echo "to repair: $format -i FILE"
        exit 1
    fi
}
