# SPDX-License-Identifier: MIT
# a sandbox without sched_getaffinity and names of threads
quick="own"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=affinity:38 deny=names:1 -- "$@"
}
