# SPDX-License-Identifier: MIT
# no control groups
quick="own"
needs()
{
    lacks_mounts
    test -d /sys/fs/cgroup || echo "there is no /sys/fs/cgroup to hide"
}
enter()
{
    in_mounts sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh "$@"
}
