# SPDX-License-Identifier: MIT
# The guides that can be followed from their first block to their last are followed (see guide.sh), and what any page of docs/
# points to is there.
. "$SRCDIR/tests/scripts/common.sh"

for page in "$SRCDIR"/docs/*.md; do
    for file in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\?:'); do
        test -e "$SRCDIR/docs/$file" || fail "docs/${page##*/} points to $file, which is not there"
    done
done

status=0
for guide in getting-started.md report.md coming-from.md; do
    sh "$SRCDIR/tests/scripts/guide.sh" $guide || status=$?
    test $status = 0 || test $status = 77 || fail "docs/$guide: what is wrong stands above"
done
test $status = 0 || skip "following the guides"
