#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools of the tests are tested: what test.h calls a failure, and what total.py makes of logs. Prints TAP.
set -eu
tree=$(cd -- "$(dirname -- "$0")/../.." && pwd)
python=/usr/bin/python3
[ -x "$python" ] || python=python3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
n=0
failed=0

check() { # what, expected, got
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        printf '%s\n' "expected: $2" "got: $3" | sed 's/^/# /'
        echo "not ok $n - $1"
        failed=1
    fi
}

cat >"$work/test-x.c" <<'EOF'
#include "test.h"

static void helper(int i) {
        ASSERT_EQ_I(i, 1);
}
TEST(passes) {
        ASSERT_TRUE(true);
}
TEST(fails_in_a_helper) {
        helper(2);
}
TEST(asserts_nothing) {
}
TEST(is_skipped) {
        SKIP("no reason");
}
TEST(fails_by_condition) {
        ASSERT_OK(3);
}
TEST(fails_by_text) {
        ASSERT_STR("a", NULL);
}
TEST(fails_by_size) {
        ASSERT_LE_U(2, 1);
}
TEST(passes_at_last) {
        ASSERT_TEXT(TEXT("a"), "a");
}
TEST_MAIN()
EOF
"${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -I"$tree/daemon" -I"$tree/tests/unit" -o "$work/test-x" "$work/test-x.c" \
    "$tree"/daemon/base/*.c
set +e
output=$("$work/test-x")
status=$?
set -e
check 'a program with a failed case fails' 1 "$status"
check 'each way to fail is seen, in the order of the file' '1..8
ok 1 - passes
not ok 2 - fails_in_a_helper
not ok 3 - asserts_nothing
ok 4 - is_skipped # SKIP no reason
not ok 5 - fails_by_condition
not ok 6 - fails_by_text
not ok 7 - fails_by_size
ok 8 - passes_at_last' "$(printf '%s\n' "$output" | grep -v '^#')"
check 'a case can be run alone' '1..2
ok 1 - passes
ok 2 - passes_at_last' "$("$work/test-x" 'passes*')"

total() { # what, expected last line and exit code, rows of the log
    mkdir -p -- "$work/log/meson-logs"
    printf '%s\n' "$3" >"$work/log/meson-logs/testlog.json"
    set +e
    output=$("$python" "$tree/tests/total.py" "$work/log")
    status=$?
    set -e
    check "$1" "$2" "$(printf '%s\n' "$output" | tail -n 1), exit $status"
}

good='{"name": "a", "result": "OK", "stdout": "1..3\nok 1 - x\nok 2 - y # SKIP z\nok 3 - w\n"}'
total 'passed and skipped cases are counted' '2 passed, 0 failed, 1 skipped, exit 0' "$good"
total 'failed cases are counted' '3 passed, 2 failed, 1 skipped, exit 1' "$good
{\"name\": \"b\", \"result\": \"FAIL\", \"stdout\": \"1..3\\nok 1\\nnot ok 2 - x\\nnot ok 3 - y\\n\"}"
total 'cases that never ran have failed' '1 passed, 2 failed, 0 skipped, exit 1' \
    '{"name": "b", "result": "ERROR", "stdout": "1..3\nok 1 - x\n"}'
total 'a bad end after good cases has failed' '1 passed, 1 failed, 0 skipped, exit 1' \
    '{"name": "b", "result": "ERROR", "stdout": "1..1\nok 1 - x\n"}'
total 'a script counts one' '1 passed, 1 failed, 1 skipped, exit 1' '{"name": "b", "result": "OK", "stdout": ""}
{"name": "c", "result": "TIMEOUT", "stdout": ""}
{"name": "d", "result": "SKIP", "stdout": ""}'
total 'a whole file of cases that is skipped counts one' '2 passed, 0 failed, 2 skipped, exit 0' "$good
{\"name\": \"b\", \"result\": \"SKIP\", \"stdout\": \"1..0 # SKIP no captures\\n\"}"
total 'a log without a test has failed' '0 passed, 1 failed, 0 skipped, exit 1' ''
total 'a log that is cut has failed' '2 passed, 1 failed, 1 skipped, exit 1' "$good
{\"name\": \"b\", \"res"
rm -- "$work/log/meson-logs/testlog.json"
check 'a build without a log has failed' '0 passed, 1 failed, 0 skipped' \
    "$("$python" "$tree/tests/total.py" "$work/log" | tail -n 1)"
check 'a build that failed counts' '1 passed, 2 failed, 0 skipped' \
    "$("$python" "$tree/tests/total.py" "one build=passed" "other build=failed" "$work/log" | tail -n 1)"

echo "1..$n"
exit "$failed"
