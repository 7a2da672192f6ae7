# SPDX-License-Identifier: MIT
# The calls of a loop share a page of code, so that a call that finds cold caches waits for one entry of the page table.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a sanitizer adds its own instructions"
grep -q "^CFLAGS = .*-O2" "$BUILDDIR/Makefile" || skip "other options for the compiler make longer functions"
have nm || skip "binutils is not installed"
library=$(ls "$BUILDDIR"/.libs/libstepwatch.so.*.*.* 2>/dev/null) || skip "there is no shared library"

nm --defined-only -S "$library" |
    awk '$4 ~ /^sw_(begin|next|end|end_batch)(@|$)/ { sub(/@.*/, "", $4); print $4, $1, $2 }' | sort -u >calls.txt
test "$(wc -l <calls.txt)" = 4 || fail "expected sw_begin, sw_next, sw_end and sw_end_batch, found:" "$(cat calls.txt)"
while read -r name start size; do
    first=$((0x$start / 4096)) last=$(((0x$start + 0x$size - 1) / 4096))
    echo "$name $first"
    echo "$name $last"
done <calls.txt >pages.txt
test "$(cut -d' ' -f2 pages.txt | sort -u | wc -l)" = 1 || fail "the calls are in different pages of code:" "$(cat pages.txt)"
