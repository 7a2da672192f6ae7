# SPDX-License-Identifier: MIT
# a host without a name
quick="own"
needs()
{
    unshare -ru true 2>/dev/null || echo "unshare cannot make a namespace of host names"
}
enter()
{
    unshare -ru sh -c 'echo >/proc/sys/kernel/hostname; exec "$@"' sh "$@"
}
