# SPDX-License-Identifier: MIT
# a file system that does not know locks (ENOSYS), as Lustre without -o flock
. "$TESTS/locks.sh"
error=38
