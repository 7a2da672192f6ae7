# SPDX-License-Identifier: MIT
# A column is one line in core/report/columns.c. A library with one more line is made, and the column is in every output
# of sinks and a command that know nothing of it.
. "$SRCDIR/tests/scripts/common.sh"
stepwatch=$BUILDDIR/tools/.libs/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
case $SANITIZER in *thread*) skip "the library is made again without the sanitizer's options" ;; esac

# ---- the library of the build tree, with one more line in the table of columns
line='{"quickest_ns", "Quickest Call", "Quickest", "ns", SW_COLUMN_DURATION, STANDARD, ROW(durations.min)},'
later='{"later", "Later Kind", "Later", "", 99, STANDARD, ROW(phase)},'
mkdir lib
# shellcheck disable=SC2086 # CC and SANITIZER are lists
$CC $SANITIZER -D_GNU_SOURCE -fPIC -I"$SRCDIR/include" -I"$SRCDIR" "-DONE_MORE_COLUMN=$line $later" -c -o columns.o \
    "$SRCDIR/core/report/columns.c"
objects=$(for object in $OBJECTS; do echo "$BUILDDIR/$(dirname "$object")/.libs/$(basename "$object" .lo).o"; done |
    grep -v '/core/report/\.libs/\(libstepwatch_la-\)*columns\.o')
# shellcheck disable=SC2086
$CC $SANITIZER -shared -Wl,-soname,libstepwatch.so.1 -Wl,--version-script="$SRCDIR/core/stepwatch.map" \
    -o lib/libstepwatch.so.1 columns.o $objects \
    -lyaml -lm -pthread
LD_LIBRARY_PATH=$scratch/lib:$BUILDDIR/.libs
export LD_LIBRARY_PATH

# ---- a run of 10 steps: draw takes 10 ms, batch 90 ms
awk 'BEGIN {
    print "{\"type\":\"run\",\"version\":1,\"started\":1767225600.0,\"name\":\"columns\",\"mode\":\"throughput\",\"drop_first_batch\":false}"
    print "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}"
    for (i = 0; i < 10; i++) {
        t += 100000000
        printf "{\"type\":\"step\",\"t\":%d,\"step\":%d,\"phase\":\"train\",\"samples\":64,", t, i
        printf "\"durations\":{\"draw\":10000000,\"batch\":90000000}}\n"
    }
    printf "{\"type\":\"end\",\"t\":%d,\"action\":\"train\"}\n{\"type\":\"end\",\"t\":%d,\"action\":\"fit\"}\n", t, t
}' >run.jsonl

cat >stepwatch.yaml <<'EOF'
logger_callback:
  - table: { path: boxed.txt }
  - table: { path: plain.txt, plain: true }
  - markdown: { path: report.md }
  - csv: { path: report.csv }
  - csv: { path: all.csv, columns: all }
  - runlog: { path: again.jsonl }
EOF
test ! -e "$BUILDDIR/sinks/.libs/wandb.so" || echo '  - wandb: { dir: ., mode: offline, project: columns }' >>stepwatch.yaml
test ! -e "$BUILDDIR/sinks/.libs/tensorboard.so" || echo '  - tensorboard: { logdir: ., run: tb }' >>stepwatch.yaml
"$stepwatch" replay run.jsonl --config stepwatch.yaml >out.txt 2>err.txt || fail "replay fails:" "$(cat err.txt)"

# ---- it is in all of them: the column's name, and draw's quickest call in the form of the output
# shown FILE HEADER VALUE: expects the header, and the value in a row of draw.
shown()
{
    contains "$1" "$2"
    grep -a "draw" "$1" | grep -qaF -- "$3" || fail "expected \"$3\" in a row of draw in $1, found:" "$(cat "$1")"
}
shown boxed.txt "Quickest Call" " 10.00ms"
shown plain.txt " Quickest Call" " 10.00ms"
shown report.md " Quickest Call " " 10.00ms "
shown report.csv ",Percent of Total,Quickest Call" "%,0.01"
shown all.csv ",Overall Samples/Second,Quickest Call" ",,0.01"
shown again.jsonl '"overall_samples_per_s":"NaN","quickest_ns":' ',"quickest_ns":10000000.0,'
"$stepwatch" report run.jsonl --format json >report.json 2>err.txt || fail "report --format json fails:" "$(cat err.txt)"
contains report.json '"quickest_ns": 10000000.0'
"$stepwatch" report run.jsonl --format html >report.html 2>err.txt || fail "report --format html fails:" "$(cat err.txt)"
shown report.html "<th>Quickest</th>" "<td>10.00 ms</td></tr>"
if test -d wandb; then
    cat wandb/latest-run/files/media/table/profile_report_*.json >profile_report.json
    cat wandb/latest-run/files/media/table/profile_results_*.json >profile_results.json
    shown profile_report.json '"Percent of Total","Quickest Call"]' '"10.00ms"]'
    shown profile_results.json '"Percent of Total","Quickest Call"]' ',0.01]'
    contains wandb/latest-run/files/output.log " Quickest Call "
fi
if test -d tb; then
    cat tb/events* >events
    shown events " Quickest Call |" " 10.00ms |"
fi

# ---- a column whose kind only a later version knows is in none of them
! grep -aiE 'later"|later kind|>later<' boxed.txt plain.txt report.* *.csv again.jsonl $(test ! -d tb || echo events) \
    $(test ! -d wandb || echo profile_*.json) || fail "a column of an unknown kind is shown"

# ---- without the line, it is nowhere
LD_LIBRARY_PATH=$BUILDDIR/.libs
"$stepwatch" report run.jsonl --format json >report.json 2>err.txt || fail "report --format json fails:" "$(cat err.txt)"
if grep -q quickest report.json; then fail "the library of the build tree has the column of this test"; fi
