# SPDX-License-Identifier: MIT
# The guides that can be followed from their first block to their last are followed: see guide.sh.
status=0
for guide in getting-started.md report.md coming-from.md; do
    sh "$SRCDIR/tests/scripts/guide.sh" $guide || status=$?
    test $status = 0 || test $status = 77 || exit $status
done
exit $status
