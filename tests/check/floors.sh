#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Includes go to the same floor or a lower one and are written from daemon/; core and base include no
# header that brings I/O, a clock or allocation. Usage: floors.sh [TREE]
set -eu
cd -- "${1:-$(dirname -- "$0")/../..}"

find daemon -name '*.[ch]' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 awk '
BEGIN {
    split("base 0 core 1 machine 2 store 3 conf 3 session 4 service 5 cli 5", word, " ")
    for (i = 1; i in word; i += 2)
        floor[word[i]] = word[i + 1]
    # Pure headers: types, limits, names of errors, memory and text.
    n = split("assert.h errno.h inttypes.h limits.h stdarg.h stdbool.h stddef.h stdint.h string.h", word, " ")
    for (i = 1; i <= n; i++)
        pure[word[i]] = 1
}
FNR == 1 {
    split(FILENAME, part, "/")
    mine = part[2]
    if (!(mine in floor))
        bad("the folder is no floor: " mine)
}
function bad(what) {
    print FILENAME ":" FNR ": " what
    failed = 1
}
/^[ \t]*#[ \t]*include/ {
    if (match($0, /"[^"]*"/)) {
        name = substr($0, RSTART + 1, RLENGTH - 2)
        split(name, part, "/")
        if (!(part[1] in floor))
            bad("include \"" name "\" is not written from daemon/")
        else if (floor[part[1]] > floor[mine])
            bad("include \"" name "\" goes up: " mine " is below " part[1])
        else if ((getline line < ("daemon/" name)) < 0)
            bad("include \"" name "\" is no file of daemon/")
        close("daemon/" name)
    } else if (match($0, /<[^>]*>/)) {
        name = substr($0, RSTART + 1, RLENGTH - 2)
        # base/text.c formats numbers: the one use of stdio below machine.
        if (floor[mine] <= 1 && !(name in pure) && !(FILENAME == "daemon/base/text.c" && name == "stdio.h"))
            bad("include <" name "> in " mine ", which is pure")
    } else
        bad("include of neither \"\" nor <>")
}
END { exit failed }'
