# SPDX-License-Identifier: MIT
# starts.sh - starts a program of the user as the surroundings want it: under a debugger, with other libraries, ...
. "$TESTS/common.sh"
. "$TESTS/surroundings/$SURROUNDING.sh"
starts "$@"
