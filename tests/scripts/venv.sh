# SPDX-License-Identifier: MIT
# build-aux/venv says visibly that a test is left out where PyPI cannot be reached.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"

# Port 9 of this machine, where nobody answers, and no other place to look.
rc=0
PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS='' PIP_INDEX_URL=http://127.0.0.1:9/ PIP_DEFAULT_TIMEOUT=1 \
    "$SRCDIR/build-aux/venv" "$scratch/venv" wheel >out.txt 2>&1 || rc=$?
test $rc = 77 || fail "expected exit status 77, found $rc:" "$(cat out.txt)"
contains out.txt "SKIP: no Python packages wheel"

rc=0
PATH=/nowhere /bin/sh "$SRCDIR/build-aux/venv" "$scratch/venv" wheel >out.txt 2>&1 || rc=$?
test $rc = 77 || fail "expected exit status 77 without python3, found $rc:" "$(cat out.txt)"
contains out.txt "SKIP: no Python packages wheel: there is no python3"
