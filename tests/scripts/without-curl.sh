# SPDX-License-Identifier: MIT
# Without libcurl, all files that check for it (HAVE_SEND) compile without warnings.
. "$SRCDIR/tests/scripts/common.sh"

sed '/define HAVE_SEND/d' "$BUILDDIR/config.h" >config.h
cd "$SRCDIR"
asked=$(grep -rlE 'ifn*def HAVE_SEND' core config net sinks tools tests --include='*.[ch]')
test -n "$asked" || fail "no file uses HAVE_SEND"
for file in $asked; do
    silent $CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$scratch" -I include -I . \
        -I "$BUILDDIR" -DSRCDIR='""' -DBUILDDIR='""' "$file"
done
