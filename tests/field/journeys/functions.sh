# SPDX-License-Identifier: MIT
# Samples which functions a program as it is spends its time in. What a wrapper starts is sampled with --children.
by_chance='has no debug information' # of a library, if it was sampled
of_wrappers='functions/[^t][^/]*\.functions|newest of [2-9] profiles|no function was sampled: the program took too little time'

pack()
{
    cp "$PROGRAMS/train" .
    printf 'logger_callback: [ { csv: { path: report.csv } } ]\n' >stepwatch.yaml
}

journey()
{
    stepwatch run --functions=sample --functions-rate 997 ${AS:+--children} -- $AS ./train 150 >out 2>err
    echo $? >status
    stepwatch functions functions >profile 2>>err
    echo $? >viewed
}

arrive()
{
    own_facts train:
    echo "functions: status $(cat viewed)"
    echo "functions: $(grep -o '(work)\|(step)\|(main)' profile | sort -u | tr '\n' ' ')"
    awk '/samples in/ { print "functions: " ($1 >= 20 ? "enough" : "only " $1) " samples" }' profile
    cut -d, -f1,2,5 report.csv | sed 's/^/csv: /'
}
