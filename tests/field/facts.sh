# SPDX-License-Identifier: MIT
# facts.sh - what a run left behind, as lines "section: text" that are the same for each run of the same program.

words()
{
    grep -oE '[a-z_]{3,}' | tr '\n' ' '
}

# types SECTION: how many lines of each type are in a run log. Findings and the monitor's values depend on the machine.
types()
{
    grep -v '"type":"finding"\|"by":"monitor"\|"name":"system/' | grep -o '^{"type":"[a-z_]*"' | sort | uniq -c |
        sed "s/^ *\([0-9]*\) {\"type\":\"\(.*\)\"/$1: \2 \1/"
}

# own_facts PATTERN: the program's own output and its exit status.
own_facts()
{
    echo "status: $(cat status)"
    sed -n "s/^\($1.*\)/own: \1/p" out
}

# sink_facts: what the sinks of all.yaml left in the working folder.
sink_facts()
{
    # The progress of a slow run is not in it.
    echo "table: $(sed -n '/Phase .* Action/,/^Batch dropped/p' out | grep '^[|│]' | grep -v Phase | words)"
    sed 's/^/csv: /' report.csv | cut -d, -f1,2,5
    echo "markdown: $(grep '^|' report.md | words)"
    types runlog <run.jsonl
    for file in tb/field/events*; do
        "$PROGRAMS/facts" tensorboard "$file"
    done
    # A region is an X, or a B and an E if the dispatcher looked while it was open.
    grep -o '"ph":"[BEX]"' trace.json |
        awk -F'"' '{ n[$4]++ } END { print "trace:", n["X"] + n["B"], "regions,", n["B"] - n["E"], "not ended" }'
    tail -n 1 trace.json | grep -q '\]' || echo "trace: not complete"
    "$PROGRAMS/facts" sqlite runs.db
    for file in wandb/*run-*/*.wandb; do
        "$PROGRAMS/facts" wandb "$file"
    done
    for file in mlflow/*/journal.jsonl; do
        types mlflow <"$file"
    done
    grep -E '^stepwatch_(steps|samples)_total|^stepwatch_run_exit_status' metrics.prom | sed 's/run="[a-z]*",//; s/^/prometheus: /'
}

# messages OUT: what stepwatch says, without what is another in each run.
messages()
{
    tidy | grep -av '^train: begins$\|^stepwatch: [0-9:]*  epoch ' |
        sed "s|$(printf %s "$PWD" | sed 's/[][\\.*^$|&]/\\&/g')|.|g; s|$HERE|.|g; s|$FIELD/cells/[^/ ]*|.|g; s/[0-9]\{8\}_[0-9]\{6\}-[0-9a-z]*/RUN/g; s/[0-9a-f]\{32\}/ID/g" |
        sed 's/run [0-9a-z]\{8\} /run ID /; s/127.0.0.1:[0-9]*/HOST/g; s/train\.[0-9]*\.func/train.N.func/; s/and [0-9]* more/and N more/' |
        sort -u >"$1"
}
