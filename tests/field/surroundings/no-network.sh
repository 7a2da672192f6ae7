# SPDX-License-Identifier: MIT
# no network, not even the loopback
quick="own"
leaves_out="sync"
needs()
{
    unshare -rn true 2>/dev/null || echo "unshare cannot make a namespace of networks"
}
enter()
{
    unshare -rn "$@"
}
