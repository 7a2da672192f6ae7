# SPDX-License-Identifier: MIT
# a file system that has no room for a byte or a file when the program begins, and has space before it ends
quick="own"
leaves_out="check report watch sync functions memory digits machine"
says='No space left|disk is full|can be written again|there is room again'
needs()
{
    lacks_mounts
}
starts()
{
    dd if=/dev/zero of=fill bs=1024 2>/dev/null
    for number in $(seq 400); do
        true 2>/dev/null >"fill.$number" || break
    done 2>/dev/null
    (sleep 1; rm -f fill fill.*) &
    TRAIN_MS=3000 exec "$@" >"$HERE.out" 2>"$HERE.err"
}
enter()
{
    cp -r . "$HERE.copy"
    in_mounts sh -c 'mount -t tmpfs -o size=4m,nr_inodes=200,mode=755 none . && cd "$HERE" && cp -r "$HERE.copy/." . && "$@" && tar -cf "$HERE.tar" .' sh "$@"
    tar -xf "$HERE.tar"
    cp "$HERE.out" out && cp "$HERE.err" err
}
