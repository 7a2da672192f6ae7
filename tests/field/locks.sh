# SPDX-License-Identifier: MIT
# locks.sh - for surroundings in which no file can be locked: each sets $error, the number with which the call fails.
says='its file system has no locks for it, which SQLite needs: put the database on a local disk'
without="sqlite"
needs()
{
    "$PROGRAMS/within" deny=ptrace -- true 2>/dev/null || echo "there is no seccomp"
}
enter()
{
    "$PROGRAMS/within" deny=locks:$error -- "$@"
}
