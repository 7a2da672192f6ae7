# SPDX-License-Identifier: MIT
# build-aux/venv says that a test is skipped if PyPI cannot be reached.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"

# Use port 9 of this machine, where nothing answers, and no other index.
rc=0
PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS='' PIP_INDEX_URL=http://127.0.0.1:9/ PIP_DEFAULT_TIMEOUT=1 \
    "$SRCDIR/build-aux/venv" "$scratch/venv" wheel >out.txt 2>&1 || rc=$?
test $rc = 77 || fail "expected exit status 77, found $rc:" "$(cat out.txt)"
contains out.txt "SKIP: no Python packages wheel"

rc=0
PATH=/nowhere /bin/sh "$SRCDIR/build-aux/venv" "$scratch/venv" wheel >out.txt 2>&1 || rc=$?
test $rc = 77 || fail "expected exit status 77 without python3, found $rc:" "$(cat out.txt)"
contains out.txt "SKIP: no Python packages wheel: there is no python3"
