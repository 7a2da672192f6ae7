# SPDX-License-Identifier: MIT
# a file system without fsync and fallocate
quick="own sync"
says='its file system has no fsync.. for it, which SQLite needs: put the database on a local disk'
without="sqlite"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=sync:22 deny=allocate:95 -- "$@"
}
