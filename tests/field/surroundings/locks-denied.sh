# SPDX-License-Identifier: MIT
# a policy that forbids locks (EACCES), as one of SELinux
quick="own"
says='its file system has no locks for it, which SQLite needs: put the database on a local disk'
without="sqlite"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=locks:13 -- "$@"
}
