# SPDX-License-Identifier: MIT
# The example that learns to read digits, with all sinks that write here. How often its loader's thread waits is another in
# each run.
pack()
{
    cp "$FIELD/all.yaml" "$PROGRAMS/digits" "$PROGRAMS/digits.csv.gz" .
}

journey()
{
    STEPWATCH_CONFIG=all.yaml $AS ./digits --epochs 1 >out 2>err
    echo $? >status
}

arrive()
{
    sed -i 's/, in [0-9.]* s\.$//' out
    own_facts "Validation accuracy"
    sink_facts | grep -v '^csv: threads,\|^runlog: \(begin\|end\|cancel\) \|^trace: [0-9]'
}
