# SPDX-License-Identifier: MIT
# a policy that forbids locks (EACCES), as one of SELinux
. "$TESTS/locks.sh"
error=13
