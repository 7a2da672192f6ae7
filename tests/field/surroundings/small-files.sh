# SPDX-License-Identifier: MIT
# files of 8 KiB at most (RLIMIT_FSIZE)
quick="own"
late=yes
says='File too large|disk I/O error|upload what exists'
without="runlog trace tensorboard sqlite wandb mlflow prometheus functions"
starts()
{
    ulimit -f 16
    exec "$@"
}
