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
    xargs -0 "$format" --style=file --dry-run --Werror 2>&1 | awk -F: '
/: (error|warning): / && !seen[$1]++ { print $1 ":" $2 ": not as .clang-format has it"; failed = 1 }
END {
    if (failed)
        print "to repair: clang-format -i FILE"
    exit failed
}'
