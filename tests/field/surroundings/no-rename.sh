# SPDX-License-Identifier: MIT
# a file system that cannot rename, as some FUSE file systems of object stores
quick=""
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=rename:38 -- "$@"
}
