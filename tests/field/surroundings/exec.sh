# SPDX-License-Identifier: MIT
# a program that replaces itself with exec() in the middle of its run, as those do that set up their environment
quick="own"
leaves_out="check report watch sync digits"
starts()
{
    TRAIN_EXEC=1 TRAIN_MS=1500 exec "$@"
}
tidy()
{
    sed '/^train: begins$/d'
}
# Sinks that keep all runs have the first one, too, as far as it was written.
alike()
{
    grep -v '^tensorboard\|^sqlite\|^wandb\|^mlflow'
}
also()
{
    test "$JOURNEY" = own || return 0
    ! grep 'ends within a record\|not an error\|malformed' facts || return 1
    runs=$(ls -d wandb/offline-run-* | wc -l)
    test "$runs" = 2 || { echo "$runs runs of wandb, expected those before and after exec()"; return 1; }
    grep -q '^sqlite: run 2$' facts || { echo "expected two runs in the database:"; grep '^sqlite' facts; return 1; }
}
