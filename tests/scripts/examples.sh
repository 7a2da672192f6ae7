# SPDX-License-Identifier: MIT
# Every small example measures its work, also runs when stepwatch is off, and leaks no memory.
. "$SRCDIR/tests/scripts/common.sh"

# Valgrind does not work with sanitizers.
memcheck=
if test -z "$SANITIZER" && have valgrind; then
    memcheck="valgrind -q --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite
              --error-exitcode=99 --log-file=memcheck.txt"
else
    echo "SKIP: $name: valgrind (not installed, or a sanitizer is used instead)"
fi

# Valgrind cannot read the debug information of a compiler that is newer than itself.
if ! STEPWATCH=off $memcheck "$BUILDDIR/examples/minimal" && grep -q 'reading debug info' memcheck.txt; then
    echo "SKIP: $name: valgrind (cannot read the debug information that $CC writes)"
    memcheck=
fi

# rows PROGRAM TEXT...: expects each text in the report of the program in simple mode.
rows()
{
    program=$1
    shift
    printf 'profiler: simple\nlogger_callback: { csv: { path: "%s.csv" } }\n' "$program" >stepwatch.yaml
    $memcheck "$BUILDDIR/examples/$program" >out.txt 2>err.txt ||
        fail "$program exits with $?:" "$(cat err.txt memcheck.txt 2>/dev/null)"
    test ! -s err.txt || fail "$program says:" "$(cat err.txt)"
    contains "$program.csv" "$@"

    STEPWATCH=off "$BUILDDIR/examples/$program" >off.txt 2>&1 || fail "$program fails with STEPWATCH=off"
    if grep -q Profiling off.txt; then fail "$program measures with STEPWATCH=off"; fi
}

rows minimal train,step, train,forward, train,opt_step,
rows threads threads,make_batch, threads,wait_for_loop, train,draw,
rows callbacks fit,epoch, train,zero_grad, valid,predict,
rows sweep train,step, train,batch,
rows cxx train,forward, train,batch, spans,checkpoint,
contains out.txt "10 batches left out"

# This one has no configuration file, and receives its messages.
rm stepwatch.yaml
$memcheck "$BUILDDIR/examples/options" >out.txt 2>err.txt || fail "options exits with $?:" "$(cat err.txt memcheck.txt 2>/dev/null)"
contains options.csv train,forward,
contains out.txt Profiling
"$BUILDDIR/examples/options" s3://bucket/a.csv >out.txt 2>err.txt || fail "options fails without a profiler"
contains out.txt "my framework: error: sinks[1].path: sink csv: path: s3://bucket/a.csv is a URL"
"$BUILDDIR/examples/options" / >out.txt 2>>err.txt || true
contains out.txt "my framework: error: sink csv: "
test ! -s err.txt || fail "options prints to stderr:" "$(cat err.txt)"

# A program runs even if the configuration has a mistake.
echo 'profiler: fast' >stepwatch.yaml
"$BUILDDIR/examples/minimal" >out.txt 2>err.txt || fail "minimal fails without a profiler"
contains err.txt "stepwatch.yaml:1:11" fast
