# SPDX-License-Identifier: MIT
# a file system without locks (ENOLCK), as NFS without lockd
quick="own"
says='its file system has no locks for it, which SQLite needs: put the database on a local disk'
without="sqlite"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=locks:37 -- "$@"
}
