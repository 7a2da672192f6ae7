# SPDX-License-Identifier: MIT
# libstepwatch-memory counts every byte and call: preloaded, linked and linked statically, with libc's allocator and with
# others, in C and in C++, and under sanitizers. stepwatch run --memory says what it cannot be preloaded into.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "sanitizers do not work in programs that something is preloaded into"
programs=$SRCDIR/tests/scripts/memory
library=$BUILDDIR/.libs/libstepwatch-memory.so.1
stepwatch=$BUILDDIR/tests/tools/stepwatch
linked="-Wl,--no-as-needed -L $BUILDDIR/.libs -lstepwatch-memory -Wl,--as-needed -Wl,-rpath,$BUILDDIR/.libs"
wrapped="-static -DWITHOUT_PLUGINS $(sed -n 's/^Libs.private: //p' "$BUILDDIR/stepwatch-memory.pc") $BUILDDIR/libstepwatch-memory.a"
unset LD_PRELOAD
ASAN_OPTIONS=allocator_may_return_null=1
TSAN_OPTIONS=allocator_may_return_null=1
export ASAN_OPTIONS TSAN_OPTIONS

# build COMPILER ARGUMENT...: the compiler must not know what malloc() does, or it leaves calls out.
build()
{
    compiler=$1
    shift
    silent $compiler -g -fno-builtin -D_GNU_SOURCE -I "$SRCDIR/include" "$@" -pthread
}

# exact WHAT COMMAND...: a program that finds the books right.
exact()
{
    what=$1
    shift
    "$@" >said.txt 2>&1 || fail "$what: exit status $?:" "$(cat said.txt)"
}

build "$CC" -o rules "$programs/rules.c" -ldl
build "$CXX" -std=c++17 -fsized-deallocation -o operators "$programs/operators.cpp" $linked
build "$CXX" -std=c++17 -fsized-deallocation -shared -fPIC -DPLUGIN -o plugin.so "$programs/operators.cpp"
./rules >said.txt && fail "a program counts without the library"
exact preloaded env LD_PRELOAD="$library" ./rules ./plugin.so
exact "C++" ./operators
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    test -z "$(env LD_PRELOAD=$allocator true 2>&1)" || { echo "SKIP: $name: $allocator is not installed"; continue; }
    exact "$allocator" env LD_PRELOAD="$library:$allocator" ./rules ./plugin.so
    exact "$allocator, C++" env LD_PRELOAD="$library:$allocator" ./operators
done

build "$CC" -o peaks "$programs/peaks.c" -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
exact "the peak that is read in a straight line" ./peaks

build "$CC" -o linked "$programs/rules.c" $linked -ldl
exact linked ./linked

echo 'int main(void) { return 0; }' >empty.c
if $CC -static -o fixed empty.c 2>/dev/null; then
    build "$CC" -o wrapped "$programs/rules.c" $wrapped
    exact "linked statically" ./wrapped
else
    echo "SKIP: $name: this machine cannot link a static program"
fi
if have musl-gcc; then
    build musl-gcc -idirafter /usr/include -o musl "$programs/rules.c" $wrapped
    exact "linked statically with musl" ./musl
fi

# sanitized NAME COMPILER OPTION ARGUMENT: a program whose sanitizer has an allocator of its own; linked, since gcc's cannot be preloaded.
sanitized()
{
    $2 $3 -o sanitized empty.c 2>/dev/null || { echo "SKIP: $name: $2 has no $3"; return; }
    build "$2" "$3" -o "$1" "$programs/rules.c" $linked -ldl
    exact "$2 $3" "./$1" "$4"
}
sanitized asan gcc -fsanitize=address hooked
sanitized tsan gcc -fsanitize=thread tsan
sanitized asan-clang clang -fsanitize=address hooked

# ---- stepwatch run --memory ----

test -x "$stepwatch" || skip "the rest: jansson is not installed: there is no command"
run()
{
    "$stepwatch" run "$@" >said.txt 2>&1
}
run --memory -- ./rules ./plugin.so || fail "stepwatch run --memory:" "$(cat said.txt)"
run --memory -- sh -c './rules ./plugin.so' || fail "stepwatch run --memory and a shell:" "$(cat said.txt)"
build gcc -finstrument-functions -o hooks "$programs/rules.c" -ldl
run --memory --functions -- ./hooks || fail "stepwatch run --memory --functions:" "$(cat said.txt)"
test -e functions/whole.prof || fail "no functions were counted:" "$(cat said.txt)"

# ---- what regions use ----

golden=$SRCDIR/tests/golden/resources/alloc
build "$CC" -shared -fPIC -o books.so "$programs/books.c"
build "$CC" -U_GNU_SOURCE -o alloc "$golden/alloc.c" -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
configure()
{
    printf 'profiler: { mode: simple, drop_first_batch: false, show_report: false%s }\n' "$1" >stepwatch.yaml
    printf 'plugin_path: .\nlogger_callback: [ books ]\n' >>stepwatch.yaml
}
lines()
{
    sed -n 's/,*$//; /"phase"/p' "$1" | sort
}

# same BOOKS: whether the report of the run is what a list of rows says.
same()
{
    lines books.txt >found.txt
    lines "$1" | diff -u - found.txt >difference.txt
}
configure ', counters: [allocated, freed, allocs, frees, net, peak]'
for allocator in "" libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    test -z "$(env LD_PRELOAD=$allocator true 2>&1)" || continue
    LD_PRELOAD=$allocator "$stepwatch" run --memory -- ./alloc stepwatch.yaml own.json >said.txt 2>&1 ||
        fail "alloc, ${allocator:-libc}:" "$(cat said.txt)"
    same own.json || fail "alloc, ${allocator:-libc}: the report is not what the program counted:" "$(cat difference.txt)"
    # What a block holds depends on what was freed before; how many there are does not.
    test -n "$allocator" || for books in books.txt "$golden/expected.json"; do
        lines "$books" | sed 's/"peak.*"allocs/"allocs/; s/, "net.*//'
    done | sort | uniq -u >difference.txt
    test ! -s difference.txt || fail "alloc: not the calls that are expected of glibc:" "$(cat difference.txt)"
done

# The command asks for them if the configuration does not.
configure ''
run --memory -- ./alloc stepwatch.yaml own.json || fail "without counters:" "$(cat said.txt)"
contains books.txt '"allocated": [1176, 1176], "freed": [-1, -1], "allocs": [9, 9], "frees": [-1, -1], "net": [0, 0]'
run -- ./alloc stepwatch.yaml own.json || fail "without --memory:" "$(cat said.txt)"
contains books.txt '"allocated": [-1, -1]'

# Its table shows them without being asked, and where the configuration names counters, only when asked.
printf 'profiler: { mode: simple }\nlogger_callback: [ { table: { live: "off", plain: true } } ]\n' >stepwatch.yaml
run --memory -- ./alloc stepwatch.yaml own.json || fail "a table:" "$(cat said.txt)"
grep -q 'Allocated .*Self Allocated .*Net Memory .*Allocations .*Peak Memory' said.txt || fail "a table without memory:" "$(cat said.txt)"
run -- ./alloc stepwatch.yaml own.json || fail "a table:" "$(cat said.txt)"
grep -q 'Allocated' said.txt && fail "a table with memory:" "$(cat said.txt)"

# The memory of the whole process is what the kernel says, and is wherever the accounting is.
build "$CC" -I "$SRCDIR/include" -o resident "$programs/resident.c" -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
cat >stepwatch.yaml <<'END'
profiler: { mode: simple }
logger_callback:
  - table: { live: "off", plain: true }
  - runlog: { path: run.jsonl }
  - trace: { format: xplane, logdir: timelines }
END
run --memory -- ./resident stepwatch.yaml || fail "the memory of the process:" "$(cat said.txt)"
grep -q 'trace wrote to .*\.xplane\.pb$' said.txt || fail "no timeline:" "$(cat said.txt)"
! grep '/\.[^/]*$' said.txt || fail "names of temporary files are shown"
grep -q '^Memory of the process: [0-9.]* [KM]B resident, at most [0-9.]* MB\.$' said.txt || fail "a table without it:" "$(cat said.txt)"
grep -o '"rss_bytes":[0-9]*,"peak_rss_bytes":[0-9]*' run.jsonl >logged.txt || fail "a run log without it:" "$(cat run.jsonl)"
"$stepwatch" report --json run.jsonl 2>said.txt | tr -d ' \n' >report.json
contains report.json "$(cat logged.txt)"
"$stepwatch" report --format html run.jsonl >report.html 2>>said.txt
test ! -s said.txt || fail "printed twice:" "$(cat said.txt)"
grep -q 'The process had [0-9.]* [KM]B of memory when the report was made, and at most [0-9.]* MB since it started' report.html || fail "a page without it"
"$stepwatch" report run.jsonl >said.txt 2>&1
contains said.txt "memory of the process, as the report of the run says: "
run -- ./alloc stepwatch.yaml own.json || fail "without --memory:" "$(cat said.txt)"
grep -q 'Memory of the process' said.txt && fail "a table has it although no memory is counted:" "$(cat said.txt)"

# refused PROGRAM TEXT...
refused()
{
    program=$1
    shift
    run --memory -- "$program" hooked && fail "$program was started"
    test "$(run --memory -- "$program" || echo $?)" = 125 || fail "expected the exit status 125"
    contains said.txt "$@"
}
if test -e fixed; then
    refused ./fixed './fixed is linked statically, so nothing can be preloaded into it; the program was not started' \
        'pkg-config --static --libs stepwatch-memory'
    run --memory -- ./wrapped || fail "a static program that counts by itself:" "$(cat said.txt)"
fi
if gcc -fsanitize=address -o unlinked empty.c 2>/dev/null; then
    refused ./unlinked './unlinked needs libasan, which must be loaded first' 'pkg-config --libs stepwatch-memory'
    run --memory -- ./asan hooked || fail "a program with libasan that counts by itself:" "$(cat said.txt)"
fi
