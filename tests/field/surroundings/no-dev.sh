# SPDX-License-Identifier: MIT
# an empty /dev: not even /dev/null
quick="own"
leaves_out="functions"
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'mount -t tmpfs none /dev && exec "$@"' sh "$@"
}
