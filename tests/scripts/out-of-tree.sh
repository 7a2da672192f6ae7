# SPDX-License-Identifier: MIT
# out-of-tree.sh - a program in C and one in C++ of somebody who has stepwatch installed: built by one line
# each, and run with a YAML of their own. For install.sh and installcheck.sh, which set LIBDIR and what pkg-config
# needs to look there.
mkdir elsewhere
cd elsewhere
cp "$SRCDIR/examples/minimal.c" "$SRCDIR/examples/cxx.cpp" .
$CC $SANITIZER -std=c11 -o in_c minimal.c $(pkg-config --cflags --libs stepwatch) ||
    fail "minimal.c does not compile with pkg-config's flags"
$CXX $SANITIZER -std=c++11 -o in_cxx cxx.cpp $(pkg-config --cflags --libs stepwatch) ||
    fail "cxx.cpp does not compile with pkg-config's flags"

LD_LIBRARY_PATH=$LIBDIR
export LD_LIBRARY_PATH
printf 'profiler: simple\nlogger_callback: { csv: { path: out.csv } }\n' >stepwatch.yaml
for program in in_c in_cxx; do
    "./$program" >out.txt 2>&1 || fail "$program exits with $?:" "$(cat out.txt)"
    contains out.txt "Profiling Results" forward
    contains out.csv train,forward,
    rm out.csv
done
cd ..
