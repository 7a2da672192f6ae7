# SPDX-License-Identifier: MIT
# Counts what each action of a program allocates.
pack()
{
    cp "$PROGRAMS/train" .
    printf 'logger_callback: [ { csv: { path: report.csv } } ]\n' >stepwatch.yaml
}

journey()
{
    stepwatch run --memory -- $AS ./train >out 2>err
    echo $? >status
}

# How often its steps allocate is the program's own. The rest of a run has what libraries allocate, and an allocator may round
# sizes.
arrive()
{
    own_facts train:
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "counter/allocs") column = i; off = column - NF }
             $2 == "step" || $2 == "batch" { print "memory: " $1, $2, $(NF + off) }' report.csv
}
