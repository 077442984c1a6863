#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each header compiles alone: it includes what it uses. Usage: headers.sh [TREE]
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"
status=0
for header in $(find daemon tests/unit -name '*.h' | LC_ALL=C sort); do
    echo "#include \"$PWD/$header\"" |
        ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only -Idaemon -Itests/unit -x c - || {
        echo "$header: does not compile alone"
        status=1
    }
done
exit "$status"
