# SPDX-License-Identifier: MIT
# `make amalgamation` writes the library as two files. Compilers for C and C++ and musl's take them without a warning, and a
# program that is compiled with them writes what one with the library does.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "python3 is missing"
MAKE=${MAKE:-make}
strict="-std=c11 -Wall -Wextra -Wpedantic -Werror"

# The lists of sources are those of this configuration; the files come into the scratch folder.
silent "$SRCDIR/build-aux/amalgamate" "$BUILDDIR/Makefile" "$SRCDIR" . \
    $(sed -n 's/^AMALGAMATED_SINKS = //p' "$BUILDDIR/Makefile")
$MAKE -s -C "$BUILDDIR" amalgamation
cmp stepwatch.c "$BUILDDIR/stepwatch.c" && cmp stepwatch.h "$BUILDDIR/stepwatch.h" ||
    fail "make amalgamation writes other files"
headers=$(sed -n 's/^#include "\(.*\)"/\1/p; s/^#include <\(stepwatch.*\)>/\1/p' stepwatch.c stepwatch.h)
test "$headers" = stepwatch.h || fail "expected that stepwatch.c includes stepwatch.h and nothing else of ours, found:" $headers

# ---- compilers ---------------------------------------------------------------------------------------------

silent $CC -O1 $strict -c stepwatch.c
for compiler in clang "$CXX -x c" musl-gcc; do
    have "${compiler%% *}" || { echo "SKIP: amalgamation: ${compiler%% *} is not installed"; continue; }
    # Only libyaml.h comes from the system's folders: musl's own are before them.
    headers=
    case $compiler in musl-gcc) headers="-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)" ;; esac
    silent $compiler $strict $headers -c -o "${compiler%% *}.o" stepwatch.c
done
for compiler in "$CXX" clang++; do
    have "${compiler%% *}" || continue
    echo '#include "stepwatch.h"' >header.cpp
    for year in 11 17; do
        silent $compiler -std=c++$year -Wall -Wextra -Wpedantic -Werror -Wold-style-cast -fsyntax-only header.cpp
    done
    # The first error is the one to see; a compiler takes longest for the thousands behind it.
    ! $compiler -fsyntax-only -Wfatal-errors -x c++ stepwatch.c >said.txt 2>&1 || fail "$compiler takes stepwatch.c as C++"
    contains said.txt "stepwatch.c is C: compile it with a C compiler, or with -x c"
done

# Without the library, the two files are calls that do nothing.
silent $CC $strict -DSTEPWATCH_DISABLE -c -o disabled.o stepwatch.c
test -z "$(nm -g --defined-only disabled.o 2>/dev/null)" || fail "stepwatch.c has functions in spite of STEPWATCH_DISABLE"

# What the program exports is the list of the library.
if have nm; then
    LC_ALL=C nm -g --defined-only stepwatch.o | awk '{ print $3 }' | grep '^sw_' | LC_ALL=C sort >exported.txt
    diff -u "$SRCDIR/tests/golden/symbols.txt" exported.txt >difference.txt ||
        fail "stepwatch.o does not have the functions of the library:" "$(cat difference.txt)"
fi

# ---- the example -------------------------------------------------------------------------------------------

# The three lines of the page, for a program that has no configuration.
sed 's|<stepwatch/stepwatch.h>|"stepwatch.h"|' "$SRCDIR/examples/minimal.c" >loop.c
sed -n '/^cc -c stepwatch.c/,/^```/p' "$SRCDIR/docs/embedding.md" | sed '/^```/d' >lines.sh
test "$(wc -l <lines.sh)" = 3 || fail "expected three lines in docs/embedding.md, found:" "$(cat lines.sh)"
# The first line was tried above, and takes long.
sed "1d; s|^cc |$CC |" lines.sh | sh -e >table.txt 2>&1 || fail "the lines of docs/embedding.md fail:" "$(cat table.txt)"
contains table.txt "Profiling Results:" "Samples/Second" batch
cat >object.cpp <<'END'
#include "stepwatch.h"
int main()
{
    stepwatch::profiler sw;
    {
        stepwatch::region batch(sw, SW_BATCH);
        SW_SCOPE(sw, SW_FORWARD);
    }
    return sw && sw.close() ? 0 : 1;
}
END
silent $CXX -Wall -Wextra -Wpedantic -Werror -o object object.cpp stepwatch.o -lyaml -lm -pthread
./object >table.txt 2>&1 || fail "a program in C++ fails:" "$(cat table.txt)"
contains table.txt "Profiling Results:" batch

# ---- the same report ---------------------------------------------------------------------------------------

# writes FOLDER PROGRAM: runs a program with every sink; what changes from run to run is cut.
writes()
{
    mkdir "$1"
    cd "$1"
    cat >stepwatch.yaml <<'END'
profiler: { mode: simple }
logger_callback:
  - table: { plain: true }
  - csv
  - markdown: { path: report.md }
  - runlog: { path: run.jsonl }
  - trace: { path: t.json }
END
    "$2" >told.txt 2>&1 || fail "$1: $(cat told.txt)"
    sed -i 's/"\([pt]id\|own_ns\)":[0-9]*//g' run.jsonl t.json
    rm -f stepwatch.yaml
    cd ..
}
$CC -std=c11 -I "$SRCDIR/include" $SANITIZER -o loop "$SRCDIR/tests/scripts/amalgamation/clocked.c" \
    -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
writes library "$scratch/loop"
unset STEPWATCH_PLUGIN_PATH
for object in stepwatch.o clang.o "${CXX%% *}.o"; do
    test -e "$object" || continue
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -DAMALGAMATED -I . -o loop "$SRCDIR/tests/scripts/amalgamation/clocked.c" \
        "$object" -lyaml -lm -pthread
    rm -rf two_files
    writes two_files "$scratch/loop"
    diff -ru library two_files >difference.txt ||
        fail "with the library (-) and with $object (+), the same loop writes:" "$(head -c 3000 difference.txt)"
done
