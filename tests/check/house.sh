#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# House rules that a compiler does not know. Usage: house.sh [TREE]
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
cd -- "${1:-$here/../..}"
status=0

# Files of a kind, without data and what is built.
files() { # find tests...
    find . \( -name .git -o -name build -o -name __pycache__ -o -path ./tests/data -o -path ./tests/trees \
        -o -path ./tests/fuzz/corpus -o -type d -exec test -d '{}/meson-private' \; \) -prune -o \
        -type f \( "$@" \) -print | sed 's,^\./,,' | LC_ALL=C sort
}

run() { # awk program; reads names of files
    tr '\n' '\0' | xargs -0 awk "$@"
}

# What the code of C files says.
files -name '*.[ch]' | tr '\n' '\0' | xargs -0 awk -f "$here/strip.awk" | awk '
function bad(what) {
    print file ":" line ": " what
    failed = 1
}
# The name as a word of its own and called.
function calls(text, names) {
    return match(text, "(^|[^A-Za-z0-9_>.])(" names ")[ ]*\\(")
}
{
    at = index($0, ":")
    file = substr($0, 1, at - 1)
    rest = substr($0, at + 1)
    at = index(rest, ":")
    line = substr(rest, 1, at - 1)
    code = substr(rest, at + 1)
    program = file ~ /^daemon\//
    if (code ~ /LINE_COMMENT/)
        bad("a // comment")
    if (!program)
        next
    if (code ~ /dry_run/)
        bad("dry_run: a dry run is another machine, not a branch")
    if (calls(code, "alloca|dup|dup2|dup3|strtok|system|popen|mktemp|tmpnam|gets|creat|vfork|setjmp|longjmp"))
        bad("never call this: " substr(code, RSTART, RLENGTH))
    if (file !~ /^daemon\/base\//) {
        if (calls(code, "strto[a-z]+|ato[a-z]+|v?sprintf|v?snprintf|[vf]*s?scanf|strn?cpy|strn?cat|stpn?cpy|_?exit|_Exit|abort"))
            bad("use what base/ has instead: " substr(code, RSTART, RLENGTH))
    }
    if (file !~ /^daemon\/store\// && code ~ /(^|[^A-Za-z0-9_])(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND)([^A-Za-z0-9_]|$)/)
        bad("only store/ may open for writing")
    # A call may go over several lines: gather it.
    if (pending == "" && calls(code, "open|openat|open64|openat64|fcntl|pipe2|memfd_create|inotify_init1|epoll_create1|eventfd|timerfd_create|signalfd|socket|accept4|mkostemp") ) {
        pending = substr(code, RSTART)
        pending_line = line
        pending_file = file
    } else if (pending != "")
        pending = pending code
    if (calls(code, "pipe|epoll_create|inotify_init|accept|mkstemp|tmpfile"))
        bad("no way to say close-on-exec: " substr(code, RSTART, RLENGTH))
    if (pending != "" && (index(pending, ";") || index(pending, "{"))) {
        if (pending !~ /CLOEXEC/ && pending !~ /F_(GET|SET|ADD)[A-Z_]*/) {
            line = pending_line
            bad("an open without CLOEXEC")
        }
        pending = ""
    }
}
END { exit failed }' || status=1

# A mode of fopen() stands in a string, so it is looked for in the whole line.
files -path './daemon/*' -name '*.[ch]' | run '
/(^|[^A-Za-z0-9_])f(re)?open *\(/ && !/"[rwa][b+x]*e[a-z]*"/ { print FILENAME ":" FNR ": fopen without e (CLOEXEC)"; failed = 1 }
/(^|[^A-Za-z0-9_])f(re)?open *\(/ && /"([wa]|r\+)/ && FILENAME !~ /^daemon\/store\// { print FILENAME ":" FNR ": only store/ may open for writing"; failed = 1 }
END { exit failed }' || status=1

# What holds for every text we write.
files -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.awk' -o -name bootstrap -o -path ./.ci/run -o -name meson.build \
    -o -name meson_options.txt -o -name '*.policy' -o -name '*.profile' -o -name '*.conf' -o -name '*.ini' | run '
function bad(what) {
    print FILENAME ":" FNR ": " what
    failed = 1
}
function check_end() {
    if (!spdx && name != "") {
        print name ":1: no SPDX-License-Identifier: GPL-2.0-or-later in the first two lines"
        failed = 1
    }
    if (lines > 500 && name ~ /\.([ch]|sh|py|awk)$/) {
        print name ":" lines ": more than 500 lines"
        failed = 1
    }
}
FNR == 1 {
    check_end()
    name = FILENAME
    spdx = 0
    once = 0
}
{ lines = FNR }
FNR <= 2 && /SPDX-License-Identifier: GPL-2.0-or-later/ { spdx = 1 }
/\t/ { bad("a tab") }
/[ \r]$/ { bad("blanks or CR at the end of the line") }
name ~ /\.h$/ && FNR == 2 && $0 != "#pragma once" { bad("a header begins with the licence and #pragma once") }
END {
    check_end()
    exit failed
}' || status=1

# Paths of the machine something was made on, and documents that are not in the tree, have no place here.
files ! -name '*.tgz' ! -name '*.gz' ! -name LICENSE | run '
/\/(wor[k])\/|\/hom[e]\/[a-z]|\/roo[t]\// { print FILENAME ":" FNR ": a path of one machine"; failed = 1 }
FILENAME ~ /^daemon\// && /\/tm[p]\// { print FILENAME ":" FNR ": a fixed path below tmp"; failed = 1 }
/(desig[n]|contro[l]|styl[e]|peer[s]|guest[s])[.]md|control desig[n]|kernel-fact[s]/ { print FILENAME ":" FNR ": a document that is not in the tree"; failed = 1 }
END { exit failed }' || status=1

exit "$status"
