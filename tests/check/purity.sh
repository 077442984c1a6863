#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# core, and base below it, are pure: what they call from outside is on the list here, and no object of
# any floor has data that can change. Works on what was built. Usage: purity.sh [--core|--base|--any FILE]...
# (archives or objects), default: what BUILD_ROOT has.
set -eu

if [ $# -eq 0 ]; then
    build=${BUILD_ROOT:?}
    set -- --base "$build/daemon/base/liballoctune-base.a" --core "$build/daemon/core/liballoctune-core.a"
    for floor in machine store conf session cli; do
        archive=$build/daemon/$floor/liballoctune-$floor.a
        [ ! -f "$archive" ] || set -- "$@" --any "$archive"
    done
fi

# Memory and text without locale; what compilers call by themselves. Nothing that allocates, reads a
# clock, opens, prints or has hidden state.
allowed='bcmp memchr memrchr memcmp memcpy memmove memset memmem strchr strrchr strcmp strncmp strlen strnlen
strspn strcspn strpbrk strstr __assert_fail __stack_chk_fail __popcountdi2 __udivti3 __umodti3 __divti3 __modti3
__udivmodti4 __memcpy_chk __memmove_chk __memset_chk _GLOBAL_OFFSET_TABLE_'
allowed_base='vsnprintf __vsnprintf_chk'

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
: >"$work/undefined"
: >"$work/defined"
: >"$work/sections"

while [ $# -gt 0 ]; do
    floor=${1#--}
    # A sanitizer adds calls and data of its own.
    if nm -- "$2" 2>/dev/null | grep -q ' __[au]b*san_'; then
        echo "built with a sanitizer"
        exit 77
    fi
    nm -A -u -- "$2" | awk -v floor="$floor" '{ print floor, $0 }' >>"$work/undefined"
    [ "$floor" = any ] || nm --defined-only -- "$2" 2>/dev/null | awk 'NF == 3 { print $3 }' >>"$work/defined"
    objdump -h -- "$2" | awk -v archive="$2" '
        / file format / { object = $0; sub(/: +file format .*/, "", object); sub(/.*\//, "", object) }
        $1 ~ /^[0-9]+$/ { print object, $2, $3 }' >>"$work/sections"
    shift 2
done
[ -s "$work/sections" ] || {
    echo "nothing was built"
    exit 1
}

status=0
awk -v allowed="$allowed" -v allowed_base="$allowed_base" '
BEGIN {
    n = split(allowed, word, /[ \n]+/)
    for (i = 1; i <= n; i++)
        fine[word[i]] = 1
    n = split(allowed_base, word, / /)
    for (i = 1; i <= n; i++)
        fine_base[word[i]] = 1
}
FILENAME ~ /defined$/ && FILENAME !~ /undefined$/ { fine[$1] = 1; next }
$1 == "any" || $NF in fine || ($1 == "base" && $NF in fine_base) { next }
{
    object = $0
    sub(/: +[^ ]+ [^ ]+$/, "", object)
    sub(/.*[\/:]/, "", object)
    print object ": calls " $NF ", which the pure floors must not"
    failed = 1
}
END { exit failed }' "$work/defined" "$work/undefined" || status=1

# .data.rel.ro is constant: tables with pointers, before relocation.
awk '
$2 ~ /^\.(data|bss|tdata|tbss)($|\.)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
    print $1 ": has data that can change (" $2 ")"
    failed = 1
}
END { exit failed }' "$work/sections" || status=1
exit "$status"
