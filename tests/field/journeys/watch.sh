# SPDX-License-Identifier: MIT
# Looks at a run that was recorded at home.
pack()
{
    cp "$GIVEN/rank0.jsonl" .
}

journey()
{
    stepwatch watch --once rank0.jsonl >out 2>err
    echo $? >status
    stepwatch watch --once --json rank0.jsonl >json 2>>err
}

arrive()
{
    echo "status: $(cat status)"
    sed 's/^/watch: /' out json
}
