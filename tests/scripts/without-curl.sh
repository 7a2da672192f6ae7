# SPDX-License-Identifier: MIT
# Where libcurl is missing, all that asks for it (HAVE_UPLOAD) compiles as silently; what the sink does then is
# test_uploader.c's to show.
. "$SRCDIR/tests/scripts/common.sh"

sed '/define HAVE_UPLOAD/d' "$BUILDDIR/config.h" >config.h
cd "$SRCDIR"
asked=$(grep -rl 'ifn*def HAVE_UPLOAD' core config sinks tools tests --include='*.[ch]')
test -n "$asked" || fail "no file asks for HAVE_UPLOAD"
for file in $asked; do
    silent $CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$scratch" -I include -I . \
        -I "$BUILDDIR" -DSRCDIR='""' -DBUILDDIR='""' "$file"
done
