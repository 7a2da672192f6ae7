# SPDX-License-Identifier: MIT
# common.sh - what every test script begins with: . "$SRCDIR/tests/scripts/common.sh"
#
# test_scripts.c sets SRCDIR and BUILDDIR (absolute), CC, CXX and SANITIZER (flags, or nothing). A script
# works in a scratch folder of its own, $scratch. It ends at the first thing that is not as expected;
# fail says what. Exit status 77 is a test that could not run here, and skip says why.
set -eu
name=$(basename "$0" .sh)
scratch=$(mktemp -d)
trap 'ended $?' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"

# Nothing of the person who runs the tests.
unset STEPWATCH STEPWATCH_CONFIG MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
STEPWATCH_PLUGIN_PATH=$BUILDDIR/sinks/.libs
export STEPWATCH_PLUGIN_PATH

said_why=
ended()
{
    rm -rf "$scratch"
    test "$1" = 0 || test -n "$said_why" || echo "$name: a command failed; sh -x tests/scripts/$name.sh shows it" >&2
}

fail()
{
    said_why=yes
    echo "$name: $*" >&2
    exit 1
}

skip()
{
    said_why=yes
    echo "SKIP: $name: $*"
    exit 77
}

have()
{
    command -v "$1" >/dev/null
}

# contains FILE TEXT...: every text stands in the file.
contains()
{
    file=$1
    shift
    for text; do
        grep -qF -- "$text" "$file" ||
            fail "expected \"$text\" in $file, found:" "$(cat "$file")"
    done
}

# silent COMMAND...: succeeds and prints nothing.
silent()
{
    said=$("$@" 2>&1) || fail "failed: $*: $said"
    test -z "$said" || fail "not silent: $*: $said"
}
