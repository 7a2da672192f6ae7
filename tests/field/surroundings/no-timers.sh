# SPDX-License-Identifier: MIT
# no timers left (RLIMIT_SIGPENDING)
quick="functions"
says='ulimit -i'
without="functions"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=timers:11 -- "$@"
}
