#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The adviser opens nothing below /proc or /sys for writing, whatever it is asked, and an unprivileged user
# gets advice too. Watched with strace; the watcher itself is proven by programs that do open such files.
# Prints TAP. The program is $ALLOCTUNE, or that of $BUILD_ROOT.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
program=${ALLOCTUNE:-${BUILD_ROOT:-build}/daemon/cli/alloctune}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
chmod 755 "$work"
export ASAN_OPTIONS=detect_leaks=0 # the leak check cannot run under a tracer

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
[ -x "$program" ] || skip_all "no program: $program"
command -v strace >/dev/null || skip_all "no strace"
strace -f -o "$work/try" true 2>/dev/null || skip_all "strace cannot attach here"

n=0
failed=0
result() { # ok|not ok, what
    n=$((n + 1))
    echo "$1 $n - $2"
    [ "$1" = ok ] || failed=1
}

# Lines that open for writing, change or write something below /proc or /sys. With -y the tracer names
# descriptors: a relative path belongs to the one before it, and what was opened stands at the end.
offences() {
    awk '
    function below(path) {
        gsub(/\/\/+/, "/", path)
        return path ~ /^\/(proc|sys)(\/|$)/
    }
    {
        line = $0
        sub(/^[0-9]+ +/, "", line)
        call = line
        sub(/\(.*/, "", call)
    }
    call ~ /^(open|openat|openat2)$/ && line !~ /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/ { next }
    call ~ /^(write|pwrite64|writev|pwritev|ftruncate)$/ {
        if (line ~ /^[a-z0-9]+\([0-9]+<\/(proc|sys)[\/>]/)
            print
        next
    }
    call ~ /^(open|openat|openat2|creat|truncate|mknod|mknodat|mkdir|mkdirat|rmdir|unlink|unlinkat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|chmod|fchmodat|chown|lchown|fchownat|utimensat|setxattr)$/ {
        whole = line
        folder = ""
        while (match(line, /<[^>]*>|"[^"]*"/)) {
            token = substr(line, RSTART + 1, RLENGTH - 2)
            quoted = substr(line, RSTART, 1) == "\""
            line = substr(line, RSTART + RLENGTH)
            if (!quoted)
                folder = token
            if (below(quoted && token !~ /^\// ? folder "/" token : token) && (quoted || line !~ /"/)) {
                print whole
                next
            }
        }
    }' "$1"
}

watch() { # program, arguments...; the trace is in $work/trace, the output in $work/output
    strace -f -y -s 200 -o "$work/trace" -e 'trace=%file,write,pwrite64,writev,pwritev,ftruncate' "$@" \
        >"$work/output" 2>"$work/errors"
}

# The watcher sees each way to open such a file, and leaves reading alone. Nothing is written: a file of
# the process itself is opened and closed.
for plant in ': >>/proc/self/comm' 'cd /proc && : >>self/comm' 'cd /proc/self && : >comm' ': <>/proc/self/comm' ': >>/sys/none'; do
    watch sh -c "$plant" || :
    if [ -n "$(offences "$work/trace")" ]; then
        result ok "the watcher sees: $plant"
    else
        result "not ok" "the watcher sees: $plant"
    fi
done
watch sh -c ': </proc/self/comm; : >"$1"' sh "$work/plain"
if [ -z "$(offences "$work/trace")" ]; then
    result ok "the watcher lets reading and other files pass"
else
    offences "$work/trace" | sed 's/^/# /'
    result "not ok" "the watcher lets reading and other files pass"
fi

policies=$here/../../policies
clean() { # arguments of the program
    status=0
    watch "$program" "$@" || status=$?
    label=$(printf '%s' "$*" | sed "s|$work/||g; s|$policies|policies|g")
    found=$(offences "$work/trace")
    if [ "$status" -eq 0 ] && [ -z "$found" ] && grep -q '/proc/vmstat\|"vmstat"' "$work/trace"; then
        result ok "$label: reads the machine, opens nothing for writing"
    else
        echo "# exit $status"
        printf '%s\n' "$found" | head -20 | sed 's/^/# /'
        sed 's/^/# /' "$work/errors"
        result "not ok" "$label: reads the machine, opens nothing for writing"
    fi
}
clean recommend --json --duration 300ms --interval 100ms --policy-dir "$policies"
clean recommend --no-pager --duration 300ms --policy-dir "$policies"
clean knobs --json
clean signals --json --duration 300ms
clean explain pcp-high-fraction
clean capture "$work/capture" --duration 300ms --interval 100ms
clean recommend --json --root "$work/capture" --policy-dir "$policies"

# As nobody: advice, with what could not be read or set said in it.
if [ "$(id -u)" -ne 0 ]; then
    as_nobody=
elif setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
else
    as_nobody=none
fi
what="an unprivileged user gets advice, with states of denied"
if [ "$as_nobody" = none ]; then
    n=$((n + 1))
    echo "ok $n - $what # SKIP cannot become another user"
else
    cp -- "$program" "$work/alloctune"
    cp -R -- "$policies" "$work/policies"
    chmod -R a+rX "$work"
    status=0
    # shellcheck disable=SC2086 # words
    $as_nobody "$work/alloctune" recommend --json --duration 300ms --policy-dir "$work/policies" \
        >"$work/output" 2>"$work/errors" || status=$?
    if [ "$status" -eq 0 ] && grep -q '"schema": 1' "$work/output" && grep -q '"state": "denied"' "$work/output" &&
        [ ! -s "$work/errors" ]; then
        result ok "$what"
    else
        echo "# exit $status"
        sed 's/^/# /' "$work/errors"
        grep '"state"' "$work/output" | sort | uniq -c | sed 's/^/# /'
        result "not ok" "$what"
    fi
fi
echo "1..$n"
exit "$failed"
