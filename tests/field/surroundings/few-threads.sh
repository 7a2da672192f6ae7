# SPDX-License-Identifier: MIT
# a user who may have six processes and threads (RLIMIT_NPROC), as the limit of a container
quick="own"
leaves_out="functions memory machine" # so few that the program cannot start its own thread
says='cannot start a thread.*ulimit -u, pids.max'
without="best csv runlog table markdown trace tensorboard sqlite wandb mlflow prometheus grep sed tail"
needs()
{
    lacks_root
    lacks setpriv
}
prepare()
{
    chown -R 54321:54321 .
}
enter()
{
    setpriv --reuid 54321 --regid 54321 --clear-groups --bounding-set=-all --inh-caps=-all sh -c 'ulimit -p 6 2>/dev/null || ulimit -u 6; exec "$@"' sh "$@"
}
