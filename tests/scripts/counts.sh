# SPDX-License-Identifier: MIT
# Begin, next, end, a step and a value execute as many instructions as bench/expected.json says. Other programs on the
# machine do not change these numbers. After an intended change, run bench/instructions --update.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a sanitizer adds its own instructions"
have python3 || skip "python3 is missing"
have valgrind || skip "valgrind is missing"

status=0
"$SRCDIR/bench/instructions" "$BUILDDIR/bench/counted" >out.txt 2>err.txt || status=$?
test $status != 77 || skip "$(sed 's/^SKIP: instructions: //' out.txt)"
cat out.txt
test $status = 0 || fail "more than 3 % away from bench/expected.json; if the change is intended, run bench/instructions --update:" "$(cat err.txt)"
