# SPDX-License-Identifier: MIT
# a file system without owners, modes and times of its own, as vfat
quick="own"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=modes:1 deny=times:1 -- "$@"
}
