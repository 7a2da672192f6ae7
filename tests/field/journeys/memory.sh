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

# What its steps allocate is the program's own; the rest of a run has what libraries allocate.
arrive()
{
    own_facts train:
    sed -n 's/^train,step,.*%/memory: step/p; s/^train,batch,.*%/memory: batch/p; 1s/.*Total,/memory: /p' report.csv
}
