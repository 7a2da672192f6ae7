# SPDX-License-Identifier: MIT
# Reports of runs that were recorded at home: report in four formats, compare, merge.
pack()
{
    cp "$GIVEN"/rank0.jsonl "$GIVEN"/rank1.jsonl .
}

journey()
{
    for format in table csv json html; do
        stepwatch report --format "$format" rank0.jsonl || echo "report: $?"
    done >out 2>err
    stepwatch compare rank0.jsonl rank1.jsonl >compared 2>>err
    echo $? >status
    stepwatch merge --format csv rank0.jsonl rank1.jsonl >merged 2>>err || echo "merge: $?" >>merged
}

arrive()
{
    echo "status: $(cat status)"
    sed 's/^/report: /' out
    sed 's/^/compare: /' compared
    sed 's/^/merge: /' merged
}
