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
    test "$1" = 0 || test -n "$said_why" || echo "$name: a command failed; CONTRIBUTING.md says how to run this script alone; its first lines say whether it takes arguments" >&2
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

# as_installed: gives the script the environment of a user who has installed stepwatch: pkg-config and CMake find it, and there
# are compilers named cc and c++ and the command.
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
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$CXX" "$SANITIZER" >bin/c++
    printf '#!/bin/sh\nexec "%s/tests/tools/stepwatch" "$@"\n' "$BUILDDIR" >bin/stepwatch
    chmod +x bin/*
    PATH=$scratch/bin:$PATH
    prefix=$(installed_variable prefix)
    libdir=$scratch/installed$(installed_variable libdir)
    includedir=$scratch/installed$(installed_variable includedir)
    mkdir -p "$libdir/cmake/stepwatch" "${includedir%/*}"
    ln -s "$SRCDIR/include" "$includedir"
    ln -s "$BUILDDIR"/.libs/libstepwatch*.so* "$libdir"
    cp "$BUILDDIR"/stepwatch-config*.cmake "$libdir/cmake/stepwatch"
    CMAKE_PREFIX_PATH=$scratch/installed$prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
    export PATH CMAKE_PREFIX_PATH
}

# installed_variable NAME: prints the value that the variable of pkg-config has in an installation.
installed_variable()
{
    PKG_CONFIG_PATH=$BUILDDIR $real --variable="$1" stepwatch
}

# rows FILE: prints phase/action of each row of the boxed tables in a file.
rows()
{
    awk -F '│' 'NF > 3 {
        gsub(/ /, "", $2)
        gsub(/ /, "", $3)
        if ($2 != "")
            phase = $2
        print phase "/" $3
    }' "$1"
}

# mpi_anywhere: lets mpirun start more ranks than there are cores, as any user, without network and bindings: the tests before
# may have used all that there is. MPI keeps memory until the program ends.
mpi_anywhere()
{
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    TMPDIR=$scratch
    export ASAN_OPTIONS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl TMPDIR
    export OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
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
