# SPDX-License-Identifier: MIT
# What the command says of the configuration that the other journeys use, and which sinks it finds.
pack()
{
    cp "$FIELD/all.yaml" .
}

journey()
{
    stepwatch check all.yaml >out 2>err
    echo $? >status
    { stepwatch check --print all.yaml; stepwatch sinks; } >printed 2>>err
}

arrive()
{
    sed 's/^/check: /' status out printed | sed 's|/.*/lib/stepwatch/|PREFIX/|'
}
