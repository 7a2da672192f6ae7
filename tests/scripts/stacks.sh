# SPDX-License-Identifier: MIT
# stepwatch run --functions=sample interrupts threads and coroutines whose stacks have no room for its handler, which has a
# stack of its own: none of them crashes, and no memory below a stack is written to.
. "$SRCDIR/tests/scripts/common.sh"
. "$SRCDIR/tests/scripts/functions/samples.sh"

silent gcc -O1 -g -o small "$SRCDIR/tests/scripts/functions/small_stacks.c" -pthread
for part in thread coroutine; do
    if ./small $part; then
        sample small.$part ./small $part || fail "samples of a $part with a small stack:" "$(cat small.$part.txt)"
        "$stepwatch" functions small.$part >text.txt 2>&1
        contains text.txt '(eat)'
    fi
done
