# SPDX-License-Identifier: MIT
# common.sh - every test script begins with . "$SRCDIR/tests/scripts/common.sh"
#
# test_scripts.c sets SRCDIR and BUILDDIR (absolute), CC, CXX and SANITIZER (flags, or nothing). Each script
# works in its own scratch folder, $scratch. It ends at the first failure, and fail prints it. Exit status 77 means that
# the test cannot run here, and skip prints why.
set -eu
name=$(basename "$0" .sh)
scratch=$(mktemp -d)
trap 'ended $?' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"

# Remove the settings of the user who runs the tests.
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

# as_installed: gives the script the environment of a user who has installed stepwatch: pkg-config finds it, and there is a
# compiler named cc and the command.
as_installed()
{
    have pkg-config || skip "pkg-config is not installed"
    mkdir bin
    real=$(command -v pkg-config)
    cat >bin/pkg-config <<END
#!/bin/sh
PKG_CONFIG_PATH="$BUILDDIR" exec $real --define-variable=includedir="$SRCDIR/include" \
    --define-variable=libdir="$BUILDDIR/.libs" "\$@"
END
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "$SANITIZER" >bin/cc
    printf '#!/bin/sh\nexec "%s/tools/stepwatch" "$@"\n' "$BUILDDIR" >bin/stepwatch
    chmod +x bin/*
    PATH=$scratch/bin:$PATH
    export PATH
}

# contains FILE TEXT...: expects every text in the file.
contains()
{
    file=$1
    shift
    for text; do
        grep -qF -- "$text" "$file" ||
            fail "expected \"$text\" in $file, found:" "$(cat "$file")"
    done
}

# silent COMMAND...: expects that the command succeeds and prints nothing.
silent()
{
    said=$("$@" 2>&1) || fail "failed: $*: $said"
    test -z "$said" || fail "not silent: $*: $said"
}
