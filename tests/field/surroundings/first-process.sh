# SPDX-License-Identifier: MIT
# process 1 of a container's namespace
quick="own functions"
needs()
{
    unshare -rpf --mount-proc true 2>/dev/null || echo "unshare cannot make a namespace of processes"
}
starts()
{
    exec unshare -rpf --mount-proc "$@"
}
