# SPDX-License-Identifier: MIT
# a /proc that shows nothing of others (hidepid=2)
quick="own watch"
needs()
{
    unshare -rpfm --mount-proc true 2>/dev/null || echo "unshare cannot make a namespace of processes"
}
enter()
{
    unshare -rpfm sh -c 'mount -t proc -o hidepid=2 proc /proc && exec "$@"' sh "$@"
}
