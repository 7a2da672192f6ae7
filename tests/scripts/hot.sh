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

# So does what the end of a step calls: with the calls, it is in three pages in a row, or in four where clang, which puts
# more of it inline, made it.
pages=3
! grep -q '^CC = .*clang' "$BUILDDIR/Makefile" || pages=4
nm --defined-only -S "$library" |
    awk '$4 ~ /^(sw_end_batch|swi_end_slow|swi_end_is_ignored|swi_frame_of|swi_step_end|swi_step_fetch|swi_wants|swi_pipeline_wants)(@|$)/ {
        print $4, $1, $2 }' >step.txt
while read -r name start size; do
    echo "$name $((0x$start / 4096))"
    echo "$name $(((0x$start + 0x$size - 1) / 4096))"
done <step.txt >pages.txt
test "$(cut -d' ' -f2 pages.txt | sort -u | wc -l)" -le "$pages" || fail "the end of a step needs more than $pages pages of code:" "$(cat pages.txt)"
