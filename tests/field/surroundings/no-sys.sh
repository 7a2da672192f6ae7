# SPDX-License-Identifier: MIT
# no /sys
quick="own"
needs()
{
    lacks_mounts
}
enter()
{
    in_mounts sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$@"
}
