# SPDX-License-Identifier: MIT
# Follows the guides from their first block to their last (see guide.sh), and checks that all files exist to which a page of
# docs/ links, and that their index names all pages.
. "$SRCDIR/tests/scripts/common.sh"

for page in "$SRCDIR"/docs/*.md; do
    for file in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\?:'); do
        test -e "$SRCDIR/docs/$file" || fail "docs/${page##*/} links to $file, which does not exist"
    done
done

for page in "$SRCDIR"/docs/*.md; do
    page=${page##*/}
    test "$page" = README.md || grep -qF "]($page" "$SRCDIR/docs/README.md" || fail "docs/README.md does not name $page"
done

status=0
for guide in getting-started.md report.md coming-from.md; do
    sh "$SRCDIR/tests/scripts/guide.sh" $guide || status=$?
    test $status = 0 || test $status = 77 || fail "docs/$guide: see the messages above"
done
test $status = 0 || skip "following the guides"
