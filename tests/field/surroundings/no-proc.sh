# SPDX-License-Identifier: MIT
# no /proc, as in a chroot
quick="own functions"
says='^/proc/self/exe'
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}
