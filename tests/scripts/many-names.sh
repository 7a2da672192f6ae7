# SPDX-License-Identifier: MIT
# Each sink finds a name among many: ten times as many metrics and actions take about ten times as many instructions. Other
# programs on the machine do not change these numbers.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a sanitizer adds its own instructions"
have valgrind || skip "valgrind is missing"
few=300 many=3000

$CC -O2 -I"$SRCDIR/include" "$SRCDIR/tests/scripts/many-names.c" -o many-names -L"$BUILDDIR/.libs" -lstepwatch
LD_LIBRARY_PATH=$BUILDDIR/.libs
export LD_LIBRARY_PATH

# executed NAMES [RULES]: the instructions of all threads.
executed()
{
    rm -rf out
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null ./many-names sinks.yaml "$@" 2>valgrind.txt ||
        fail "many-names failed:" "$(cat valgrind.txt)"
    sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' valgrind.txt | tr -d ,
}

# grows SINK OPTIONS [RULES]: expects that ten times as many names take at most 14 times as many instructions, without those of
# the start and the end. The trees of a database take some more than ten times.
grows()
{
    test -f "$STEPWATCH_PLUGIN_PATH/$1.so" || return 0
    printf 'profiler: { mode: simple, show_report: false, close_timeout: 600s }\nlogger_callback:\n  - %s: { %s }\n' "$1" "$2" >sinks.yaml
    none=$(executed 1 ${3-})
    some=$(($(executed $few ${3-}) - none))
    more=$(($(executed $many ${3-}) - none))
    test $more -le $((some * 14)) ||
        fail "$1: $few names take $some instructions, $many names $more: $((more / some)) times as many"
}

# Only what is written offline is compared. Prometheus is left out: it makes its page again as time goes by, so the number of
# instructions depends on how fast the machine is.
grows wandb 'dir: out, mode: offline, system: false'
grows wandb 'dir: out, mode: offline, system: false' rules
grows runlog 'path: out/run.jsonl'
grows tensorboard 'logdir: out/tb'
grows tensorboard 'logdir: out/tb' rules
grows mlflow 'dir: out'
grows sqlite 'path: out/runs.db'
export TRACKIO_DIR=$scratch/out
grows sqlite 'layout: trackio, project: many'
grows trace 'path: out/trace.json'
grows csv 'path: out/report.csv'
grows markdown 'path: out/report.md'
grows table 'path: out/report.txt'
