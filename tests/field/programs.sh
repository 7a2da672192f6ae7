# SPDX-License-Identifier: MIT
# programs.sh - builds what the journeys run, once, as a user does with an installed stepwatch.
digits=$SRCDIR/examples/digits
compile "$PROGRAMS/train" "$TESTS/programs/train.c" || exit 1
compile "$PROGRAMS/best.so" -shared -fPIC "$SRCDIR/examples/custom_sink/best.c" || exit 1
compile "$PROGRAMS/digits" -I "$digits" "$digits"/*.c -lz || { echo "SKIP: field: zlib is missing"; exit 77; }
cp "$digits/digits.csv.gz" "$PROGRAMS"
if test -e "$PREFIX/lib/stepwatch/sinks/sqlite.so"; then with=-lsqlite3; else with=-DWITHOUT_SQLITE; fi
compile "$PROGRAMS/facts" "$TESTS/programs/facts.c" "$with" || exit 1
compile "$PROGRAMS/within" "$TESTS/programs/within.c" || exit 1
compile "$PROGRAMS/state.so" -shared -fPIC "$TESTS/programs/state.c" || exit 1
compile "$PROGRAMS/paths.so" -shared -fPIC "$TESTS/programs/paths.c" || exit 1
compile "$PROGRAMS/names.so" -shared -fPIC "$TESTS/programs/names.c" || exit 1

# All sinks that write files, as far as they were built.
{
    printf 'profiler: { mode: simple, close_timeout: 30s }\nlogger_callback:\n'
    while read -r sink options; do
        test ! -e "$PREFIX/lib/stepwatch/sinks/$sink.so" || echo "  - $sink: { $options }"
    done <<'LIST'
table
csv path: report.csv, columns: all
markdown path: report.md
runlog path: run.jsonl, detail: regions
tensorboard logdir: tb, run: field
trace format: chrome, path: trace.json
sqlite database: runs.db
wandb dir: ., project: field, mode: offline, console: off
mlflow dir: ., experiment: field, mode: offline
prometheus path: metrics.prom
LIST
} >"$FIELD/all.yaml"

# Runs for the journeys that read some: two ranks, and one for each service.
cd "$GIVEN" || exit 1
for rank in 0 1; do
    printf 'profiler: { show_report: false }\nlogger_callback: [ { runlog: { path: "rank{rank}.jsonl", detail: regions } } ]\n' >stepwatch.yaml
    RANK=$rank WORLD_SIZE=2 "$PROGRAMS/train" >said 2>&1
    test $? = 7 || { cat said; exit 1; }
done
grep -E 'wandb|mlflow|^profiler' "$FIELD/all.yaml" | sed '1a logger_callback:' | sed 's/mode: simple, /show_report: false, /' >stepwatch.yaml
"$PROGRAMS/train" >said 2>&1
test $? = 7 || { cat said; exit 1; }
cd "$FIELD" || exit 1
