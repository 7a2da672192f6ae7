# SPDX-License-Identifier: MIT
# The ranks of a program with MPI get one report with the culprit, whatever actions they have; and none of them waits for
# longer than the limit if one does not come.
#
# mpi.sh [RANKS] [SCENARIO...]
. "$SRCDIR/tests/scripts/common.sh"
ranks=${1:-3}
test $# = 0 || shift
rank=$BUILDDIR/tests/mpi/rank
test -x "$rank" || skip "MPI is not installed (libopenmpi-dev or libmpich-dev)"
have "$MPIRUN" || skip "$MPIRUN is not installed (openmpi-bin or mpich)"
case $SANITIZER in *thread*) skip "MPI is not built for this sanitizer" ;; esac

mpi_anywhere
cat >stepwatch.yaml <<'END'
profiler: { mode: simple, wait: [allreduce], show_report: false, drop_first_batch: false }
logger_callback: { runlog: { path: "log.{rank}.jsonl" } }
END

# run SCENARIO: prints what rank 0 found.
run()
{
    rm -f log.*
    timeout 60 "$MPIRUN" -n "$ranks" "$rank" "$1" >out.txt 2>err.txt || fail "$1 exits with $?:" "$(cat out.txt err.txt)"
}

# wants SCENARIO
wants()
{
    test -z "$chosen" || case " $chosen " in *" $1 "*) ;; *) return 1 ;; esac
}
chosen=$*
backward=$((480 * ranks + 180))
# Of two ranks, the median is in the middle.
more=3.000
test "$ranks" -gt 2 || more=1.500
culprit="backward takes $more ms more a step than the median; everybody waits for it in allreduce"

if wants plain; then
    run plain
    contains out.txt "backward: ranks $ranks, calls $((60 * ranks)), min 480@0, mean $(echo "$backward $ranks" |
        awk '{ printf "%.1f", $1 / $2 }'), max 660@1 ms" "allreduce: ranks $ranks" "min 240@1" \
        "$ranks of $ranks ranks, 60 steps, lost" "rank 1 (node " "$culprit"
    if test "$ranks" -gt 2; then contains out.txt "max 660@1 ms, p50 8.0"; fi
    # The log of rank 0 has the report and the epochs before, that of each has its clock.
    test "$(grep -c '"type":"ranks".*"complete":true' log.0.jsonl)" = 1 || fail "the log has not one report of all ranks"
    grep -q '"type":"ranks".*"complete":false,"epochs":[12],' log.0.jsonl || fail "the log has no report of an epoch"
    for log in log.*.jsonl; do
        grep -q '"type":"clock".*"clock_offset_ns":' "$log" || fail "$log has no offset of the clock"
    done
    "$BUILDDIR/tests/tools/stepwatch" merge log.*.jsonl >merged.txt 2>&1 || fail "merge exits with $?:" "$(cat merged.txt)"
    contains merged.txt "$culprit"
fi

if wants other; then
    run other
    contains out.txt "checkpoint: ranks 1, calls 3, min 0@" "$ranks of $ranks ranks, 60 steps" "$culprit"
fi

# The total is that of the outer calls, everything else that of all calls.
if wants nested; then
    run nested
    contains out.txt "checkpoint: ranks $ranks, calls $((6 * ranks)), min 15@0, mean 15.0, " "call 3.0 +- 2.0"
fi

if wants absent; then
    run absent
    contains out.txt "not all of $ranks ranks came within 0.3 s, so they are not joined"
fi

if wants some-off; then
    run some-off
    contains out.txt "stepwatch is off on 1 of $ranks ranks"
fi
