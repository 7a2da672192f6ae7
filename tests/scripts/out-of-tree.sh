# SPDX-License-Identifier: MIT
# out-of-tree.sh - builds programs in C and C++ against an installed stepwatch with one command each, and runs them with
# their own YAML. For install.sh and installcheck.sh, which set LIBDIR and the variables of pkg-config.
mkdir elsewhere
cd elsewhere
cp "$SRCDIR/examples/minimal.c" "$SRCDIR/examples/cxx.cpp" .
$CC $SANITIZER -std=c11 -o in_c minimal.c $(pkg-config --cflags --libs stepwatch) ||
    fail "minimal.c does not compile with pkg-config's flags"

# The exact command from the README.
cp minimal.c loop.c
line=$(grep '^cc -o loop loop.c ' "$SRCDIR/README.md")
(cc() { $CC $SANITIZER "$@"; }; eval "$line") || fail "the README's line does not compile a loop: $line"
$CXX $SANITIZER -std=c++11 -o in_cxx cxx.cpp $(pkg-config --cflags --libs stepwatch) ||
    fail "cxx.cpp does not compile with pkg-config's flags"
tensorboard=no
if pkg-config --exists stepwatch-tensorboard; then
    tensorboard=yes
    cp "$SRCDIR/examples/tensorboard.c" .
    $CC $SANITIZER -std=c11 -o curve tensorboard.c $(pkg-config --cflags --libs stepwatch-tensorboard) -lm ||
        fail "tensorboard.c does not compile with pkg-config's flags"
fi
if pkg-config --exists stepwatch-mpi && have mpicc; then
    cp "$SRCDIR/tests/mpi/rank.c" .
    mpicc $SANITIZER -std=gnu11 -o joined rank.c $(pkg-config --cflags --libs stepwatch-mpi) ||
        fail "a program with MPI does not compile with pkg-config's flags"
fi

LD_LIBRARY_PATH=$LIBDIR
export LD_LIBRARY_PATH
printf 'profiler: simple\nlogger_callback: { csv: { path: out.csv } }\n' >stepwatch.yaml
for program in in_c in_cxx loop; do
    "./$program" >out.txt 2>&1 || fail "$program exits with $?:" "$(cat out.txt)"
    contains out.txt "Profiling Results" forward
    contains out.csv train,forward,
    rm out.csv
done
if test $tensorboard = yes; then
    ./curve runs/out-of-tree || fail "curve exits with $?"
    ls runs/out-of-tree | grep -q events.out.tfevents || fail "curve wrote no event file"
fi
cd ..
