# SPDX-License-Identifier: MIT
# Uploads a run that was recorded at home to the services of wandb and MLflow, which stand-ins replace.
pack()
{
    cp -r "$GIVEN/wandb" "$GIVEN/mlflow" .
    mkdir "$HERE.service" && cd "$HERE.service" && mkfifo wandb-in mlflow-in
    python3 -B "$SRCDIR/tests/wandb/server" --folder service --limit 80 <wandb-in >wandb-said 2>&1 &
    exec 8>wandb-in
    python3 -B "$SRCDIR/tests/mlflow/server.py" mlflow-record <mlflow-in >mlflow-said 2>&1 &
    exec 9>mlflow-in
    tries=0
    until test -s wandb-said && test -s mlflow-said; do
        tries=$((tries + 1))
        test $tries -lt 200 || { echo "the stand-ins did not start"; exit 1; }
        sleep 0.2
    done
    WANDB_BASE_URL=$(sed -n 's/^{"url": "\([^"]*\)".*/\1/p' wandb-said) MLFLOW_TRACKING_URI=http://127.0.0.1:$(cat mlflow-said)
    cd "$HERE"
    WANDB_API_KEY=$(printf '%040d' 1)
    export WANDB_BASE_URL MLFLOW_TRACKING_URI WANDB_API_KEY
}

journey()
{
    stepwatch sync wandb mlflow >out 2>err
    echo $? >status
}

arrive()
{
    echo state >&8
    python3 -B "$TESTS/arrived.py" "$HERE.service/service" "$MLFLOW_TRACKING_URI"
    exec 8>&- 9>&-
    wait
    echo "status: $(cat status)"
}
