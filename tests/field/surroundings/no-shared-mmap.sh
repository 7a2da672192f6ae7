# SPDX-License-Identifier: MIT
# a file system without shared mappings, as 9p and old FUSE
quick="own functions"
says='does not allow a write-ahead log|stepwatch functions: .*|there is no function profile'
without="functions"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=shared:19 -- "$@"
}
