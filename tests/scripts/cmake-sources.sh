# SPDX-License-Identifier: MIT
# CMake compiles exactly the files that `make` does: it reads the same lists, and this shows that it understands them.
. "$SRCDIR/tests/scripts/common.sh"
have cmake || skip "cmake is not installed"

top=$(cd "$SRCDIR" && pwd -P)
cmake -S "$top" -B made -DSTEPWATCH_COMMAND=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >log.txt 2>&1 ||
    fail "cmake:" "$(cat log.txt)"
cmake -S "$top" -B some -DSTEPWATCH_BUILTIN_SINKS="table, csv" >log.txt 2>&1 || fail "cmake with two sinks:" "$(cat log.txt)"
contains some/generated/config.h "SINK(table) SINK(csv)"
sed -n 's|.*"file": "\(.*\)".*|\1|p' made/compile_commands.json |
    sed "s|^$top/||; s|^.*/made/generated/||" | sort -u >by_cmake.txt
test -s by_cmake.txt || fail "cmake compiles nothing"

# Objects of make: core/text/libtext_la-quote.lo, sinks/mlflow/la-journal.lo. A file that was renamed may have left one.
(cd "$BUILDDIR" && find core config monitors mpi net sinks probes tools -name '*.lo' -o -path 'tools/*' -name '*.o' ! -path '*/.libs/*') |
    sed 's#/\([A-Za-z0-9_]*_\)\{0,1\}la-#/#; s#/stepwatch-#/#; s#\.l\{0,1\}o$#.c#' | sort -u |
    while read -r source; do
        test ! -e "$SRCDIR/$source" -a ! -e "$BUILDDIR/$source" || echo "$source"
    done >by_make.txt
diff -u by_make.txt by_cmake.txt >difference.txt || fail "make (-) and cmake (+) compile different files:" "$(cat difference.txt)"
