# SPDX-License-Identifier: MIT
# no /proc, as in a chroot
quick="own functions machine"
says='^/proc/self/exe|/proc is not there, so nearly nothing can be measured: mount it'
without="machine"
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}
