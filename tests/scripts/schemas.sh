# SPDX-License-Identifier: MIT
# Every command has --json and a schema in schemas/, and what it prints on golden and odd logs is JSON that its schema
# describes, without any other field.
. "$SRCDIR/tests/scripts/common.sh"
stepwatch=$BUILDDIR/tests/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
for python in python3 /usr/bin/python3 none; do
    ! have "$python" || ! "$python" -c 'from jsonschema import Draft202012Validator' 2>/dev/null || break
done
test "$python" != none || skip "python3-jsonschema is not installed"

# A function profile, if programs can be sampled here.
if test -z "$SANITIZER"; then
    "$stepwatch" run --functions=sample --functions-rate 997 --functions-out profile --no-check --set show_report=false -- \
        "$python" -c 'sum(i * i for i in range(3000000))' >run.txt 2>&1 || fail "a program that is sampled:" "$(cat run.txt)"
fi
# Below a sanitizer, the thousand commands would take minutes.
each=1
test -z "$SANITIZER" || each=7
"$python" "$SRCDIR/tests/scripts/schemas/check.py" "$SRCDIR" "$BUILDDIR" $each >faults.txt 2>&1 || fail "$(cat faults.txt)"
