# SPDX-License-Identifier: MIT
# samples.sh - what the tests of samples need: the command, a check of what it found, and no library preloaded.
test -z "$SANITIZER" || skip "sanitizers do not work in programs that something is preloaded into"
stepwatch=$BUILDDIR/tests/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
have python3 || skip "python3 is not installed"
have gcc || skip "gcc is not installed: the library is tried with programs of gcc and of clang"
grep -q 'HAVE_LIBDW 1' "$BUILDDIR/config.h" || skip "libdw is not installed: there are no lines of functions"
check="python3 $SRCDIR/tests/scripts/functions/check_samples.py"
unset LD_PRELOAD

# sample OUT PROGRAM PART: 997 times a second, so that little time is enough.
sample()
{
    "$stepwatch" run --functions=sample --functions-rate 997 --functions-out "$1" --set show_report=false --set mode=simple \
        -- "$2" "$3" >"$1.txt" 2>&1
}
