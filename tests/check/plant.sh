#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The checks themselves are tested: in a copy of the tree each rule is broken once, and its check must
# fail and name the file. Before and after, the copy must pass. Prints TAP.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
tree=$(cd -- "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/plant test.XXXXXX") # a blank: paths must be quoted
trap 'rm -rf -- "$work"' EXIT
copy=$work/tree

mkdir -p -- "$copy/tests/fuzz" "$copy/tests/expect" "$copy/docs"
cp -R -- "$tree/docs/schema" "$copy/docs/schema"
for part in daemon policies etc man completions meson.build meson_options.txt bootstrap .clang-format tests/unit tests/check; do
    cp -R -- "$tree/$part" "$copy/$part"
done
cp -- "$tree/tests/fuzz/"*.[ch] "$tree/tests/fuzz/meson.build" "$copy/tests/fuzz/"
# What others break in the tree at the moment is not what is tested here.
[ ! -d "$tree/tests/expect" ] || cp -- "$tree/tests/expect/"* "$copy/tests/expect/" 2>/dev/null || :

n=0
failed=0
result() { # ok|not ok, what
    n=$((n + 1))
    echo "$1 $n - $2"
    [ "$1" = ok ] || failed=1
}

# A file below daemon/core/act/ that has the text: the check must fail and name it.
plant() { # check, rule, file, text (printf format)
    file=$copy/$3
    mkdir -p -- "$(dirname -- "$file")"
    existed=
    [ ! -f "$file" ] || existed=$(mktemp -- "$work/saved.XXXXXX")
    [ -z "$existed" ] || cp -- "$file" "$existed"
    # shellcheck disable=SC2059 # the text is a format
    printf "$4" >"$file"
    set +e
    output=$(sh "$here/$1.sh" "$copy" 2>&1)
    status=$?
    set -e
    if [ "$status" -eq 77 ]; then
        n=$((n + 1))
        echo "ok $n - $1: $2 # SKIP $output"
    elif [ "$status" -ne 0 ] && printf '%s\n' "$output" | grep -qF -- "$3"; then
        result ok "$1: $2"
    else
        printf '%s\n' "$output" | sed 's/^/# /'
        result "not ok" "$1: $2"
    fi
    if [ -n "$existed" ]; then
        mv -- "$existed" "$file"
    else
        rm -- "$file"
    fi
}

clean() { # check, when
    set +e
    output=$(sh "$here/$1.sh" "$copy" 2>&1)
    status=$?
    set -e
    if [ "$status" -eq 77 ]; then
        n=$((n + 1))
        echo "ok $n - $1: $2 # SKIP $output"
    elif [ "$status" -eq 0 ]; then
        result ok "$1: $2"
    else
        printf '%s\n' "$output" | head -20 | sed 's/^/# /'
        result "not ok" "$1: $2"
    fi
}

c='/* SPDX-License-Identifier: GPL-2.0-or-later */\n'
h="$c#pragma once\n"
planted=daemon/cli/planted.c

plant floors 'an include that goes up' daemon/core/act/planted.c "$c#include \"machine/machine.h\"\n"
plant floors 'an include from store into conf is level, from machine into conf is not' daemon/machine/planted.c "$c#include \"conf/conf.h\"\n"
plant floors 'an include not written from daemon/' daemon/core/act/planted.c "$c#include \"pcp.h\"\n"
plant floors 'an include of a file that is not there' daemon/core/act/planted.c "$c#include \"core/act/gone.h\"\n"
plant floors 'stdio in core' daemon/core/act/planted.c "$c#include <stdio.h>\n"
plant floors 'a clock in base' daemon/base/planted.c "$c#include <time.h>\n"
plant floors 'a folder that is no floor' daemon/attic/planted.c "$c#include \"base/text.h\"\n"

# The rules of house.sh look at one file at a time: a small tree will do, and is quick.
whole=$copy
copy=$work/small
mkdir -p -- "$copy/daemon"
cp -R -- "$whole/daemon/base" "$whole/daemon/meson.build" "$copy/daemon/"
clean house 'a tree without a plant passes'
plant house 'a // comment' $planted "$c// no\n"
plant house 'a // comment behind code with a string' $planted "$c""int x = sizeof(\"a\"); // no\n"
plant house 'dry_run' $planted "$c""int f(int dry_run);\n"
for call in alloca dup dup2 strtok system popen mktemp creat setjmp strtol atoi sprintf snprintf strcpy strcat sscanf exit _exit abort; do
    plant house "$call()" $planted "$c""void f(void) {\n        $call(a);\n}\n"
done
plant house 'open without O_CLOEXEC' $planted "$c""void f(void) {\n        open(path, O_RDONLY);\n}\n"
plant house 'open without O_CLOEXEC over two lines' $planted "$c""void f(void) {\n        x = openat(fd, path,\n                   O_RDONLY);\n}\n"
plant house 'socket without SOCK_CLOEXEC' $planted "$c""void f(void) {\n        socket(AF_UNIX, SOCK_STREAM, 0);\n}\n"
plant house 'pipe, which cannot say O_CLOEXEC' $planted "$c""void f(void) {\n        pipe(fds);\n}\n"
plant house 'fopen without e' $planted "$c""void f(void) {\n        fopen(path, \"r\");\n}\n"
plant house 'fopen for writing outside store' $planted "$c""void f(void) {\n        fopen(path, \"we\");\n}\n"
plant house 'open for writing outside store' $planted "$c""void f(void) {\n        open(path, O_WRONLY | O_CLOEXEC);\n}\n"
plant house 'a tab' $planted "$c""int x;\t\n"
plant house 'a blank at the end of a line' $planted "$c""int x; \n"
plant house 'a carriage return' $planted "$c""int x;\r\n"
plant house 'no licence' $planted "int x;\n"
plant house 'no licence in a script' tests/check/planted.sh '#!/bin/sh\n'
plant house 'no licence in a policy' policies/planted.policy 'policy = { };\n'
plant house 'a header without #pragma once' daemon/cli/planted.h "$c""int f(void);\n"
plant house 'more than 500 lines' $planted "$c$(awk 'BEGIN { for (i = 0; i < 501; i++) printf "\\n" }')"
plant house 'a path of one machine' $planted "$c/* /ho""me/someone/tree */\n"
plant house 'a path of one machine in a text' docs/planted.md "see /wo""rk/thing\n"
plant house 'a document that is not in the tree' docs/planted.md "see desi""gn.md\n"
plant house 'a fixed path below the folder for temporary files' $planted "$c""const char *p = \"/tm""p/x\";\n"
copy=$whole

plant headers 'a header that does not include what it uses' daemon/cli/planted.h "$h""uint32_t f(void);\n"
plant format 'a line that clang-format would change' $planted "$c""int  x;\n"
plant listed 'a source that nobody builds' $planted "$c"
plant listed 'a unit test that nobody runs' tests/unit/test-planted.c "$c"
plant listed 'a fuzz target that nobody replays' tests/fuzz/fuzz-planted.c "$c"
plant listed 'a check that nobody runs' tests/check/planted.sh '# SPDX-License-Identifier: GPL-2.0-or-later\n'
plant listed 'a policy that is not installed' policies/planted.policy '# SPDX-License-Identifier: GPL-2.0-or-later\n'
plant listed 'a page that is not installed' man/planted.7 '.Dd\n'

# What the program's tables say: texts that differ from them, and a program whose tables are wrong.
changed() { # check, rule, file, sed script
    cp -- "$copy/$3" "$work/unchanged"
    sed "$4" "$work/unchanged" >"$copy/$3"
    set +e
    output=$(sh "$here/$1.sh" "$copy" 2>&1)
    status=$?
    set -e
    if cmp -s "$copy/$3" "$work/unchanged"; then
        result "not ok" "$1: $2: the plant changes nothing"
    elif [ "$status" -eq 77 ]; then
        n=$((n + 1))
        echo "ok $n - $1: $2 # SKIP $output"
    elif [ "$status" -ne 0 ] && printf '%s\n' "$output" | grep -qF -- "$3"; then
        result ok "$1: $2"
    else
        printf '%s\n' "$output" | sed 's/^/# /'
        result "not ok" "$1: $2"
    fi
    cp -- "$work/unchanged" "$copy/$3"
}

changed docs 'a help text that differs from the manual page' man/alloctuned.knobs.7 's/Larger lists take/Larger lists never take/'
changed docs 'an option that is not in the manual page' man/alloctune.1 '/^\.It Fl -exit-code/d'
changed docs 'a manual page that mandoc warns of' man/alloctune.1 's/^\.Sh EXAMPLES/.Zz EXAMPLES/'
changed docs 'a list that is not in the manual page' man/alloctuned.knobs.7 '/BEGIN signals/d'
changed docs 'a default that differs from the table' etc/alloctuned.conf 's/changes_per_hour = 4/changes_per_hour = 5/'
changed docs 'a verb that a completion lacks' completions/alloctune.bash 's/cat-config//g'
changed docs 'a schema that lets anything in' docs/schema/knobs.json '/additionalProperties/d'
changed tables 'a policy for a knob that does not exist' policies/slab-order.policy 's/knob = "slab-order"/knob = "slab-odrer"/'

real=${ALLOCTUNE:-${BUILD_ROOT:-$tree/build}/daemon/cli/alloctune}
tables() { # rule, wanted words, table, sed script for it
    [ -x "$real" ] || { n=$((n + 1)); echo "ok $n - tables: $1 # SKIP no program"; return; }
    printf '#!/bin/sh\nif [ "$*" = "--dump-tables %s" ]; then "%s" "$@" | sed "%s"; else exec "%s" "$@"; fi\n' "$3" "$real" "$4" "$real" >"$work/program"
    chmod +x "$work/program"
    if output=$(ALLOCTUNE=$work/program sh "$here/tables.sh" "$copy" 2>&1); then
        result "not ok" "tables: $1"
    elif printf '%s\n' "$output" | grep -qF -- "$2"; then
        result ok "tables: $1"
    else
        printf '%s\n' "$output" | sed 's/^/# /'
        result "not ok" "tables: $1"
    fi
}
tables 'two knobs of one name' 'knobs: twice: min-free' knobs '/^min-free/p'
tables 'signals that are not sorted' 'signals: not sorted' signals '1{h;d};\$G'
tables 'a path outside of proc and sys' 'is not below proc/ or sys/' knobs 's/proc.sys.vm.min_free/etc\/min_free/'
tables 'a knob without a unit' 'min-free: a field is empty' knobs '/^min-free/s/kB//g'
tables 'an option of a verb that is not in the table' 'verbs: options differ' options '/exit-code/d'
tables 'a table that is empty' 'signals: empty' signals 'd'

# Purity looks at objects.
impure() { # rule, floor, wanted words, text
    # shellcheck disable=SC2059 # the text is a format
    printf "$4" >"$work/act_planted.c"
    "${CC:-cc}" -std=gnu17 -O1 -fno-builtin -c -o "$work/act_planted.c.o" "$work/act_planted.c"
    if output=$(sh "$here/purity.sh" "--$2" "$work/act_planted.c.o" 2>&1); then
        result "not ok" "purity: $1"
    elif printf '%s\n' "$output" | grep -F -- act_planted.c.o | grep -qF -- "$3"; then
        result ok "purity: $1"
    else
        printf '%s\n' "$output" | sed 's/^/# /'
        result "not ok" "purity: $1"
    fi
}

impure 'core allocates' core malloc 'void *malloc(unsigned long);\nvoid *f(void) { return malloc(1); }\n'
impure 'core opens a file' core open 'int open(const char *, int);\nint f(void) { return open("x", 0); }\n'
impure 'core reads the clock' core clock_gettime 'int clock_gettime(int, void *);\nint f(void) { return clock_gettime(0, 0); }\n'
impure 'core prints' core vsnprintf 'int vsnprintf(char *, unsigned long, const char *, __builtin_va_list);\nint f(__builtin_va_list a) { return vsnprintf(0, 0, "", a); }\n'
impure 'core reads errno' core __errno_location '#include <errno.h>\nint f(void) { return errno; }\n'
impure 'base allocates' base realloc 'void *realloc(void *, unsigned long);\nvoid *f(void *p) { return realloc(p, 1); }\n'
impure 'core has a variable with a value' core .data 'int counter = 1;\n'
impure 'core has a variable without' core .bss 'int counter;\n'
impure 'a function keeps a variable' core .bss 'int f(void) { static int n; return ++n; }\n'
impure 'a thread keeps a variable' core tbss '__thread int n;\nint f(void) { return ++n; }\n'
impure 'a higher floor has a variable' any .bss 'int counter;\n'
cat >"$work/act_planted.c" <<'EOF'
static const char *const names[] = { "a", "b" };
const char *f(int i);
const char *f(int i) {
        return names[i];
}
EOF
"${CC:-cc}" -std=gnu17 -O1 -fPIE -c -o "$work/act_planted.c.o" "$work/act_planted.c"
if sh "$here/purity.sh" --core "$work/act_planted.c.o"; then
    result ok 'purity: a constant table with pointers is fine'
else
    result "not ok" 'purity: a constant table with pointers is fine'
fi

for check in docs floors house headers format listed tables; do
    clean $check 'the tree without a plant passes'
done

echo "1..$n"
exit "$failed"
