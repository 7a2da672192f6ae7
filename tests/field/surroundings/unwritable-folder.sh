# SPDX-License-Identifier: MIT
# a program that may not write to its working folder
quick="own"
leaves_out="check report watch sync functions memory machine"
says='cannot be created.*: Permission denied|cannot create the directory|cannot be opened as a database: Permission denied|gave up after 10 failures'
without="best csv runlog markdown trace tensorboard sqlite wandb mlflow prometheus grep sed tail"
needs()
{
    lacks_root
    lacks setpriv
}
starts()
{
    exec setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
