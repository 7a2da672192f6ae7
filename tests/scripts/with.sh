# SPDX-License-Identifier: MIT
# with.sh [PAGE...] - tries the pages of docs/with like a reader, each from an empty folder (see guide.sh). If the library of a page is not
# installed, a stand-in in tests/with takes its place, which has the same names and computes nothing.
. "$SRCDIR/tests/scripts/common.sh"
shown=$SRCDIR/docs/with
mpi_anywhere
OMPI_CC=$scratch/compiler/cc
export OMPI_CC

# includes LANGUAGE HEADER: whether a program can include this header.
includes()
{
    echo "#include <$2>" | $CC -x "$1" -E - >/dev/null 2>&1
}

# stand_in PAGE LIBRARY...: takes the header of tests/with/PAGE, and makes its libraries.
stand_in()
{
    echo "SKIP: $name: $1 with the real library, which is not installed: its page is tried with a stand-in"
    CPATH=$SRCDIR/tests/with/$1
    LIBRARY_PATH=$scratch/lib
    LD_LIBRARY_PATH=$scratch/lib
    CMAKE_PREFIX_PATH=$SRCDIR/tests/with/$1
    mkdir -p lib
    source=$SRCDIR/tests/with/$1/$1.c
    shift
    for library; do
        $CC $SANITIZER -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "$CPATH" -o "lib/lib$library.so" "$source"
    done
    export CPATH LIBRARY_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
}

# prepare PAGE: makes what the page needs, or skips it.
prepare()
{
    case $1 in
    ensmallen) includes c++ ensmallen.hpp || stand_in ensmallen ;;
    ggml) includes c ggml-opt.h || stand_in ggml ggml ggml-cpu ggml-base ;;
    libtorch)
        have cmake || skip "the page libtorch: cmake is not installed"
        test -e /usr/include/torch/csrc/api/include/torch/torch.h || stand_in libtorch
        ;;
    lightgbm) includes c LightGBM/c_api.h || stand_in lightgbm _lightgbm ;;
    xgboost) includes c xgboost/c_api.h || stand_in xgboost xgboost ;;
    openmp)
        echo 'int main(void) { return 0; }' | $CC -fopenmp -x c -o /dev/null - 2>/dev/null || skip "the page openmp: $CC has no OpenMP"
        # The thread sanitizer does not see how the threads of OpenMP's own library wait for each other.
        TSAN_OPTIONS="${TSAN_OPTIONS:-} ignore_noninstrumented_modules=1"
        export TSAN_OPTIONS
        ;;
    mpi)
        test -e "$BUILDDIR/libstepwatch-mpi.la" || skip "the page mpi: stepwatch was built without MPI"
        have mpicc && have mpirun || skip "the page mpi: MPI is not installed"
        case $SANITIZER in *thread*) skip "the page mpi: MPI is not built for this sanitizer" ;; esac
        CPATH=$(mpicc -show | tr ' ' '\n' | sed -n 's/^-I//p' | paste -s -d :)
        export CPATH
        ;;
    slurm)
        PATH=$SRCDIR/tests/with/slurm:$PATH
        export PATH
        ;;
    meson) have meson && have ninja || skip "the page meson: meson or ninja is not installed" ;;
    esac
}

mkdir compiler
printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "$SANITIZER" >compiler/cc
chmod +x compiler/cc

skipped=''
for page in ${*:-$(cd "$shown" && ls ./*.md)}; do
    page=$(basename "$page" .md)
    test "$page" != README || continue
    grep -q "($page.md)" "$shown/README.md" || fail "docs/with/README.md does not name $page.md"
    status=0
    (
        rm -rf lib
        prepare "$page"
        sh "$SRCDIR/tests/scripts/guide.sh" "with/$page.md"
    ) || status=$?
    test $status = 0 || test $status = 77 || fail "docs/with/$page.md: see the messages above"
    test $status = 0 || skipped="$skipped $page"
done
test -z "$skipped" || skip "the pages$skipped"
