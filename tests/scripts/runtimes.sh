# SPDX-License-Identifier: MIT
# Runtimes that handle signals before stepwatch can: for each end of a program, there is either a report or, at the start,
# a message that names the signal. Where a handler prints something and lets the signal end the program, it does so after
# the report. The first part has libraries that look like those of runtimes; the second part has the runtimes
# that are installed. RUNTIMES=NAME...: only these.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "the runtimes cannot load a library with a sanitizer"
programs=$SRCDIR/tests/scripts/runtimes
ulimit -c 0

cat >stepwatch.yaml <<'END'
profiler: { mode: simple, show_report: false }
logger_callback: [ runlog: { path: run.jsonl } ]
END
compile()
{
    "$CC" -std=gnu11 -I"$SRCDIR/include" -I"$programs" "$@"
}
compile -shared -fPIC -o libends.so "$programs/ends.c" -L"$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
ends="-L$scratch -lends -Wl,-rpath,$scratch"
compile -o ends_in_c "$programs/ends_in_c.c" $ends

# ended_as STATUS WORD COMMAND...: runs it. WORD: report, or none.
ended_as()
{
    status=$1
    expected=$2
    shift 2
    rm -f run.jsonl
    # The shell that tells of a crash is not this one.
    timeout 60 sh -c '"$@"; exit $?' sh "$@" >said.txt 2>&1 && found=0 || found=$?
    test $found = "$status" || fail "$*: status $found instead of $status:" "$(cat said.txt)"
    grep -qs '"type":"finish"' run.jsonl && found=report || found=none
    test $found = $expected || fail "$*: $found instead of $expected:" "$(cat said.txt)"
}

# announced WORD: a message at the start has named the end.
announced()
{
    grep '^stepwatch: .* handled by .* already: no report is made' said.txt | grep -qF "$1" || fail "nothing is said of $1:" "$(cat said.txt)"
}

unannounced()
{
    ! grep -q '^stepwatch: ' said.txt || fail "something is said:" "$(cat said.txt)"
}

# ---- libraries that look like those of runtimes

# fake NAME FLAGS...: makes the library and a program that needs it.
mkdir fakes
fake()
{
    library=fakes/$1
    shift
    compile -shared -fPIC "$@" -o "$library" "$programs/fake.c"
    compile -o fake "$programs/ends_in_c.c" -Wl,--no-as-needed "./$library" $ends
}
followed()
{
    fake "$@"
    ended_as 139 report ./fake segv
    unannounced
    contains said.txt "the runtime's own words"
}
left_alone()
{
    fake "$@"
    ended_as 139 none ./fake segv
    announced SIGSEGV
    contains said.txt "$library" "the runtime's own words"
}
if test -z "${RUNTIMES:-}"; then
    followed libgfortran.so.5
    followed libopen-pal.so.40
    followed librust.so '-DNAMED="_RNvNtNtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix14stack_overflow3imp14signal_handler"'
    followed libclang_rt.so '-DNAMED="_ZN6__asan18AsanOnDeadlySignalEiPvS0_"'
    followed libpython3.so -DEXPORTED=PyOS_setsig -DFLAGS=SA_NODEFER
    left_alone libpython3.so -DEXPORTED=PyOS_setsig
    left_alone libgo.so '-DSECTION=".gopclntab"'
    left_alone libgo.so '-DSECTION=".gopclntab"' -DEXPORTED=PyOS_setsig -DFLAGS=SA_NODEFER
    left_alone libown.so
    fake libjvm.so # its crashes end with abort()
    ended_as 139 none ./fake segv
    unannounced
    HANDLED=term
    export HANDLED
    fake libnode.so -DEXPORTED=napi_module_register '-DNAMED="_ZN4node10SignalExitEiP9siginfo_tPv"'
    ended_as 143 report ./fake term
    unannounced
    contains said.txt "the runtime's own words"
    fake libgfortran.so.5 # nobody knows it as one that ends a program that is asked to end
    ended_as 143 none ./fake term
    announced SIGTERM
    unset HANDLED
fi

# ---- the runtimes

missing=
wanted()
{
    test -z "${RUNTIMES:-}" || case " $RUNTIMES " in *" $1 "*) ;; *) return 1 ;; esac
    shift
    for tool; do
        { "$tool" --version || "$tool" version; } >/dev/null 2>&1 || { missing="$missing $tool" && return 1; }
    done
}

# reports COMMAND... -- END=STATUS...: each end makes a report.
# loses COMMAND... -- END=STATUS=WORD...: none does, and a message has named it.
each_end()
{
    word=$1
    shift
    command=
    while test "$1" != --; do
        command="$command $1"
        shift
    done
    shift
    for end; do
        how=${end%%=*}
        rest=${end#*=}
        ended_as "${rest%%=*}" "$word" $command "$how"
        case $rest in *=*) announced "${rest#*=}" ;; esac
        case $silent in yes) unannounced ;; esac
    done
}
reports()
{
    each_end report "$@"
}
loses()
{
    each_end none "$@"
}

silent=yes
if wanted gfortran gfortran; then
    gfortran -g -o ends_in_fortran "$programs/ends_in_fortran.f90" $ends
    reports ./ends_in_fortran -- term=143 int=130 hup=129 raise=2 exit=3 close=0 abort=134 segv=139
    contains said.txt "Backtrace for this error"
    loses ./ends_in_fortran -- _exit=3
fi
if wanted rust rustc; then
    rustc -O -o ends_in_rust "$programs/ends_in_rust.rs" -C link-args="$ends"
    reports ./ends_in_rust -- term=143 int=130 hup=129 raise=101 exit=3 close=0 abort=134 segv=139 overflow=134
    contains said.txt "has overflowed its stack"
    loses ./ends_in_rust -- _exit=3
fi
ENDS=$scratch/libends.so
export ENDS
silent=no
if wanted python python3; then
    python="python3 $programs/ends_in_python.py"
    reports $python -- term=143 hup=129 raise=1 exit=3 close=0 abort=134 segv=139
    loses $python -- int=130=SIGINT _exit=3
fi
if wanted faulthandler python3; then
    reports python3 -X faulthandler "$programs/ends_in_python.py" -- term=143 abort=134 segv=139
    contains said.txt "Fatal Python error: Segmentation fault"
    loses python3 -X faulthandler "$programs/ends_in_python.py" -- int=130=SIGINT
fi
if wanted ruby ruby; then
    ruby="ruby $programs/ends_in_ruby.rb"
    reports $ruby -- raise=1 exit=3 close=0 abort=134 segv=134
    loses $ruby -- term=143=SIGTERM int=130=SIGINT hup=129=SIGHUP _exit=3
fi
if wanted go go; then
    cp "$programs/ends_in_go.go" .
    CGO_CFLAGS="-I$programs" CGO_LDFLAGS="$ends" CGO_LDFLAGS_ALLOW='.*' GOCACHE=$scratch/cache GOFLAGS=-mod=mod \
        go build -ldflags '-s -w' -o ends_in_go ends_in_go.go
    reports ./ends_in_go -- close=0
    loses ./ends_in_go -- term=143=SIGTERM int=130=SIGINT hup=129=SIGHUP segv=2=SIGSEGV abort=2=SIGABRT \
        raise=2=panic exit=3=os.Exit return=0=defer
fi
if wanted node node; then
    headers=$(dirname "$(dirname "$(command -v node)")")/include/node
    if test -f "$headers/node_api.h"; then
        compile -shared -fPIC -I"$headers" -o ends_in_node.node "$programs/ends_in_node.c" $ends
        ADDON=$scratch/ends_in_node.node
        export ADDON
        node="node $programs/ends_in_node.js"
        reports $node -- term=143 int=130 hup=129 raise=1 exit=3 close=0 abort=134
        loses $node -- segv=139=SIGSEGV _exit=3
    else
        missing="$missing node_api.h"
    fi
fi
silent=yes
if wanted java javac; then
    home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    compile -shared -fPIC -I"$home/include" -I"$home/include/linux" -o libends_in_java.so "$programs/ends_in_java.c" $ends
    javac -d . "$programs/EndsInJava.java"
    java="java -Xshare:auto -Djava.library.path=$scratch -cp $scratch EndsInJava"
    reports $java -- term=143 int=130 hup=129 raise=1 exit=3 close=0 abort=134 segv=134
    loses $java -- _exit=3
fi
test -z "$missing" || test -z "${RUNTIMES:-}" || skip "not installed:$missing"
test -z "$missing" || echo "SKIP: $name: not installed:$missing"
