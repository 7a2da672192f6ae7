# SPDX-License-Identifier: MIT
# Many processes with one configuration in one folder lose nothing: with a launcher each file has its rank in its name, and
# without one each process that runs at the same time gets a name of its own.
#
# ranks.sh [PROCESSES]
. "$SRCDIR/tests/scripts/common.sh"
processes=${1:-16}
loop=$BUILDDIR/tests/tools/loop
"$loop" steps 0 >/dev/null 2>&1 || fail "$loop does not run"
rm -rf ./*

unset RANK WORLD_SIZE LOCAL_RANK SLURM_PROCID SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
cat >stepwatch.yaml <<'END'
profiler: { mode: simple, wait: [allreduce, "my barrier"] }
logger_callback:
  - table
  - csv: { path: out/r.csv }
  - markdown: { path: out/r.md }
  - runlog: { path: out/r.jsonl }
  - runlog
  - runlog: { path: sums/r.jsonl, detail: summary }
END

# start RANK: a process that measures ten steps, says when it has, and waits for a signal. All of them are open at once. Each
# has a folder of its own, and all have the configuration of this one.
start()
{
    mkdir -p "at.$1"
    (cd "at.$1" && STEPWATCH_CONFIG=$scratch/stepwatch.yaml exec timeout 60 "$loop" measure ready) >"stdout.$1" 2>"stderr.$1" &
    echo $! >>pids.txt
}

started()
{
    for rank in $(seq 0 $((processes - 1))); do
        tries=0
        while ! test -e "at.$rank/ready"; do
            tries=$((tries + 1))
            test $tries -lt 600 || fail "process $rank did not begin:" "$(cat "stderr.$rank")"
            sleep 0.05
        done
    done
    # A sink is opened a little later.
    tries=0
    while test "$(ls out 2>/dev/null | grep -c jsonl)" -lt "$processes"; do
        tries=$((tries + 1))
        test $tries -lt 600 || fail "expected $processes run logs, found:" out/*
        sleep 0.05
    done
}

finish()
{
    kill -TERM $(cat pids.txt)
    wait
    rm -rf pids.txt at.*
}

# complete FOLDER ENDING LEAST: as many files as processes, each with at least so many lines.
complete()
{
    test "$(ls "$1" | grep -c "$2\$")" = "$processes" || fail "expected $processes files $2 in $1, found:" "$1"/*
    for file in "$1"/*"$2"; do
        test "$(wc -l <"$file")" -ge "$3" || fail "$file has too few lines:" "$(cat "$file")"
    done
}

all_complete()
{
    complete out .csv 4
    complete out .md 4
    complete out .jsonl 12
    complete runs .jsonl 12
    for log in out/*.jsonl runs/*.jsonl; do
        test "$(grep -c '"type":"step"' "$log")" = 10 || fail "$log has not 10 steps:" "$(cat "$log")"
        grep -q '"type":"finish"' "$log" || fail "$log has no end:" "$(cat "$log")"
    done
    test -z "$(find . -name '.*.lock')" || fail "locks are left:" "$(find . -name '.*.lock')"
}

# ---- with a launcher
for rank in $(seq 0 $((processes - 1))); do
    RANK=$rank WORLD_SIZE=$processes LOCAL_RANK=$rank start $rank
done
started
finish
all_complete
for rank in $(seq 0 $((processes - 1))); do
    test -e out/r.$rank.csv || fail "rank $rank has no out/r.$rank.csv:" out/*
    contains out/r.$rank.jsonl "\"rank\":$rank,\"world_size\":$processes," '"wait":["allreduce","my barrier"]'
done
contains stdout.0 "Profiling Results" "rank 0 of $processes; the others: out/r.*.csv"
for rank in $(seq 1 $((processes - 1))); do
    test ! -s stdout.$rank || fail "rank $rank prints:" "$(cat stdout.$rank)"
done

# ---- and are merged, from their steps or from their summaries
stepwatch=$BUILDDIR/tests/tools/stepwatch
if test -x "$stepwatch"; then
    "$stepwatch" merge --strict out >merged.txt 2>&1 || fail "the run logs are not merged:" "$(cat merged.txt)"
    contains merged.txt "$processes of $processes ranks, 10 training steps"
    "$stepwatch" merge --strict --json sums >merged.txt 2>&1 || fail "the summaries are not merged:" "$(cat merged.txt)"
    contains merged.txt '"from": "reports"' "\"calls\": $((9 * processes))" '"missing": []' '"unfinished": []'
fi

# ---- again: the files of the first run are kept
RANK=0 WORLD_SIZE=2 "$loop" steps 0 >again.txt
test -e out/r.0-2.csv || fail "expected out/r.0-2.csv beside out/r.0.csv:" out/*

# ---- without a launcher
rm -rf out runs sums
for rank in $(seq 0 $((processes - 1))); do
    start $rank
done
started
finish
all_complete
test -e out/r.csv || fail "expected out/r.csv:" out/*
test -e "out/r-$processes.csv" || fail "expected out/r-$processes.csv:" out/*
test "$(cat stderr.* | grep -c 'r\.csv, or has just written it: this one writes')" = $((processes - 1)) ||
    fail "expected that all but one say their other name:" "$(cat stderr.*)"

# ---- afterwards a file is replaced as ever
"$loop" steps 0 >again.txt
test "$(ls out | grep -c csv)" = "$processes" || fail "expected no other file:" out/*

# ---- a process that is killed leaves what can be read
rm -rf out runs sums
processes=2
for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank start $rank
done
started
tries=0
until grep -q '"type":"run"' sums/r.1.jsonl 2>/dev/null && grep -q '"step":9,' out/r.1.jsonl 2>/dev/null; do
    tries=$((tries + 1))
    test $tries -lt 600 || fail "rank 1 wrote nothing:" out/* sums/*
    sleep 0.05
done
kill -KILL "$(sed -n '1s/.*"pid":\([0-9]*\),.*/\1/p' out/r.1.jsonl)"
sed -i 2d pids.txt
finish
if test -x "$stepwatch"; then
    "$stepwatch" merge out >merged.txt 2>&1 || fail "expected both ranks:" "$(cat merged.txt)"
    contains merged.txt "2 of 2 ranks, 10 training steps" "Rank 1 did not finish"
    ! "$stepwatch" merge sums >merged.txt 2>&1 || fail "expected that rank 1 has no report:" "$(cat merged.txt)"
    contains merged.txt "sums/r.1.jsonl: has neither steps nor a report yet" "1 of 2 ranks"
fi
