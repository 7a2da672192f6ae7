# SPDX-License-Identifier: MIT
# Begin, next, end, a step and a value execute as many instructions as bench/expected.json says: what no other
# program on the machine changes. bench/instructions --update is for a change that is meant.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a sanitizer adds its own instructions"
have python3 || skip "python3 is missing"
have valgrind || skip "valgrind is missing"

status=0
"$SRCDIR/bench/instructions" "$BUILDDIR/bench/counted" >out.txt 2>err.txt || status=$?
test $status != 77 || skip "$(sed 's/^SKIP: instructions: //' out.txt)"
cat out.txt
test $status = 0 || fail "more than 3 % away from bench/expected.json; bench/instructions --update takes it over:" "$(cat err.txt)"
