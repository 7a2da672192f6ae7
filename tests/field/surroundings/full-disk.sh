# SPDX-License-Identifier: MIT
# a file system that is full when the program begins, and has space before it ends
quick="own"
leaves_out="check report watch sync functions memory digits machine"
late=yes
says='No space left|disk is full|the run.s file can be written again'
without="tensorboard sqlite mlflow best" # begin with a file that they cannot write
needs()
{
    lacks_mounts
}
starts()
{
    dd if=/dev/zero of=fill bs=1024 2>/dev/null
    (sleep 1; rm -f fill) &
    TRAIN_MS=3000 exec "$@" >"$HERE.out" 2>"$HERE.err"
}
enter()
{
    cp -r . "$HERE.copy"
    in_mounts sh -c 'mount -t tmpfs -o size=4m,mode=755 none . && cd "$HERE" && cp -r "$HERE.copy/." . && "$@" && tar -cf "$HERE.tar" .' sh "$@"
    tar -xf "$HERE.tar"
    cp "$HERE.out" out && cp "$HERE.err" err
}
