# SPDX-License-Identifier: MIT
# A sink outside of the tree: it is built with the command in its file and in docs/writing-sinks.md and found in
# plugin_path, and all of its messages are printed.
. "$SRCDIR/tests/scripts/common.sh"
as_installed

mkdir custom_sink
cp "$SRCDIR/examples/custom_sink/best.c" "$SRCDIR/examples/custom_sink/stepwatch.yaml" custom_sink
cd custom_sink
line=$(grep -o 'cc -shared.*best\.c' best.c)
grep -qF "$line" "$SRCDIR/docs/writing-sinks.md" || fail "docs/writing-sinks.md has another line than best.c: $line"
silent sh -c "$line -Wall -Wextra -Wpedantic"
cd ..

STEPWATCH_CONFIG=custom_sink/stepwatch.yaml "$BUILDDIR/examples/minimal" >out.txt 2>err.txt
test ! -s err.txt || fail "it says:" "$(cat err.txt)"
contains custom_sink/best.txt "step 0: 0"

# The sink's options are checked and listed like those of any other sink.
complain()
{
    printf 'plugin_path: [ custom_sink ]\nlogger_callback: [ best: %s ]\n' "$1" >stepwatch.yaml
    "$BUILDDIR/examples/minimal" >out.txt 2>err.txt
    contains err.txt "$2"
}
complain '{ goal: min }' 'metric'
complain '{ metric: "" }' 'stepwatch.yaml:2:36: sink best: metric: is empty: expected the name of a value'
complain '{ metric: x, goal: less }' '"less"'
complain '{ metric: x, patience: -1 }' '-1'
complain '{ metric: x, gaol: min }' 'goal'
complain '{ metric: loss }' 'the program never logged "loss"'
complain '{ metric: train/loss, goal: min, patience: 50 }' 'train/loss has not improved since step 0'

# A sink in C++17, with both compilers. What looks for undefined behaviour in C++ needs a program in C++.
cp "$SRCDIR/examples/custom_sink/slowest.cpp" custom_sink
line=$(grep -o 'c++ -std.*slowest\.cpp' custom_sink/slowest.cpp)
grep -qF "$line" "$SRCDIR/docs/writing-sinks.md" || fail "docs/writing-sinks.md has another line than slowest.cpp: $line"
for compiler in "$CXX" clang++; do
    have "${compiler%% *}" || continue
    test -z "$SANITIZER" || test "$compiler" = "$CXX" || continue # the library's sanitizer is another's
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$compiler" "${SANITIZER:+$SANITIZER -fno-sanitize=undefined}" >bin/c++
    chmod +x bin/c++
    rm -f custom_sink/slowest.so custom_sink/slowest.txt
    (cd custom_sink && silent sh -c "$line -Wall -Wextra -Wpedantic -Werror")
    printf 'plugin_path: [ custom_sink ]\nlogger_callback: [ slowest: { path: custom_sink/slowest.txt, count: 3 } ]\n' >stepwatch.yaml
    STEPWATCH_CONFIG=stepwatch.yaml "$BUILDDIR/examples/minimal" >out.txt 2>err.txt
    test ! -s err.txt || fail "slowest built with $compiler says:" "$(cat err.txt)"
    test "$(grep -c '^[0-9]* [0-9]* us$' custom_sink/slowest.txt)" = 3 || fail "slowest built with $compiler writes:" "$(cat custom_sink/slowest.txt)"
done
printf 'plugin_path: [ custom_sink ]\nlogger_callback: [ slowest: { count: 0 } ]\n' >stepwatch.yaml
"$BUILDDIR/examples/minimal" >out.txt 2>err.txt
contains err.txt "stepwatch.yaml:2:38: sink slowest: count: 0 is not within 1..1000"
