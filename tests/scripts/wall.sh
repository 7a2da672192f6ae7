# SPDX-License-Identifier: MIT
# stepwatch run --functions=wall shows where the threads of a program spend wall time, waiting included, as the program
# measures it itself; no wait ends early.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "sanitizers do not work in programs that something is preloaded into"
stepwatch=$BUILDDIR/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
have python3 || skip "python3 is not installed"
have gcc || skip "gcc is not installed: the library is tried with programs of gcc and of clang"
grep -q 'HAVE_LIBDW 1' "$BUILDDIR/config.h" || skip "libdw is not installed: there are no lines of functions"
check="python3 $SRCDIR/tests/scripts/functions/check_samples.py"
unset LD_PRELOAD

build()
{
    out=$1
    shift
    silent "$@" -g -fno-optimize-sibling-calls -I "$SRCDIR/include" -o "$out" "$SRCDIR/tests/scripts/functions/waits.c" \
        -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs" -pthread
}

# run TIMES OUT PROGRAM PART
run()
{
    "$stepwatch" run --functions="$1" --functions-rate 997 --functions-out "$2" --set show_report=false --set mode=simple \
        -- "$3" "$4" >"$2.txt" 2>&1
}

# tried TIMES PROGRAM PART: on a busy machine the thread that looks may not run for long; one of three runs is enough.
tried()
{
    for attempt in 1 2 3; do
        rm -rf out
        run "$1" out "./$2" "$3" || fail "$3 of a program with $2 does not go on as before:" "$(cat out.txt)"
        if $check "$1_$3" out out.txt 2>said.txt; then return; fi
    done
    fail "samples of $3 in a program with $2 are wrong:" "$(tail -n 1 said.txt)"
}

build tables gcc -O2 -fomit-frame-pointer
build frames gcc -O0
tried wall tables shares
"$stepwatch" functions out >text.txt 2>&1
contains text.txt ' samples in ' '997 a second of wall time: counts are samples, not calls'
tried wall frames ways
tried wall tables threads
tried wall tables train
tried sample tables train
run wall other ./tables other || fail "a program that becomes another one:" "$(cat other.txt)"

# A program that may not look at itself is told about, and sampled by CPU time.
run wall hidden ./tables hidden || fail "a program that gives up its rights:" "$(cat hidden.txt)"
"$stepwatch" functions hidden >text.txt 2>&1
contains text.txt '(compute)' 'times are of CPU time: threads that wait cannot be seen in /proc/self/task: Permission denied' \
    'a second of CPU time'
