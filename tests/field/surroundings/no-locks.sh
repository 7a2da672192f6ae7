# SPDX-License-Identifier: MIT
# a file system without locks (ENOLCK), as NFS without lockd
. "$TESTS/locks.sh"
error=37
