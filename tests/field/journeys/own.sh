# SPDX-License-Identifier: MIT
# A program of the user's with a sink of the user's own beside all others. Its exit status is 7.
pack()
{
    cp "$FIELD/all.yaml" "$PROGRAMS/train" "$PROGRAMS/best.so" .
    printf '  - best: { metric: train/loss, goal: min, path: best.txt }\nplugin_path: [ . ]\n' >>all.yaml
}

journey()
{
    STEPWATCH_CONFIG=all.yaml $AS ./train >out 2>err
    echo $? >status
}

arrive()
{
    own_facts train:
    sed 's/^/best: /' best.txt
    sink_facts
}
