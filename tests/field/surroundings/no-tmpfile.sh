# SPDX-License-Identifier: MIT
# a file system without unnamed files and links, as exFAT and CIFS
quick="own"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=tmpfile:95 deny=links:1 -- "$@"
}
