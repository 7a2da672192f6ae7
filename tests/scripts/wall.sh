# SPDX-License-Identifier: MIT
# stepwatch run --functions=wall shows where the threads of a program spend wall time, waiting included, as the program
# measures it itself; no wait ends early.
. "$SRCDIR/tests/scripts/common.sh"
. "$SRCDIR/tests/scripts/functions/samples.sh"

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
run sample late ./tables late || fail "a thread that begins while another looks for a place:" "$(cat late.txt)"
run wall other ./tables other || fail "a program that becomes another one:" "$(cat other.txt)"

# A program that may not look at itself is told about, and sampled by CPU time.
run wall hidden ./tables hidden || fail "a program that gives up its rights:" "$(cat hidden.txt)"
"$stepwatch" functions hidden >text.txt 2>&1
contains text.txt '(compute)' "times are of CPU time: threads that wait cannot be seen in the program's /proc/self/task: Permission denied" \
    'a second of CPU time'
