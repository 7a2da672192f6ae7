# SPDX-License-Identifier: MIT
# a read-only root file system, with one volume to write to
quick="own check"
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'mount --bind "$HERE" "$HERE" && mount --bind / / && mount -o remount,bind,ro / && cd "$HERE" && exec "$@"' sh "$@"
}
